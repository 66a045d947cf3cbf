"""Questions for a reader: what an answer can be, whether it is right, and the right one, which the model computes.

The texts of a question are blocks in the template of its panel, named after it: `swap_asks` for a question `swap`. Each
of its choices has its text, as `swap_trade`, and why it is right or wrong, as `swap_trade_why`. Where there are no
choices, `swap_why` explains the right answer, and `swap_hint` helps after a wrong one.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tokenwalk.render import EXACT, count
from tokenwalk.state import BadInput, one_of, text, typed, up_to

LONGEST = 40  # characters of an answer that is typed; with all of them, a course still holds a page's answers


def in_panel(name: str, **settings: object) -> tuple[str, dict[str, object]]:
    """The state of a panel that proves an answer: the panel's name, and what differs there from its first state."""
    return name, settings


@dataclass(frozen=True, kw_only=True)
class Question:
    """What all kinds have: a name of small letters and digits, the right answer, and where a panel shows it, if any."""

    name: str
    right: Callable[[], Any]
    proof: tuple[str, Mapping[str, object]] | None = None
    kind: ClassVar[str]

    @cached_property
    def answer(self) -> Any:
        """The right answer, computed once."""
        return self.right()

    def field(self) -> Any:
        """The field of a state that holds the answer as text, "" before there is one."""
        return up_to(LONGEST, "")

    def read(self, answer: str) -> Any:
        """What the text of an answer stands for. Raises BadInput for none, and for one that cannot be read."""
        raise NotImplementedError

    def fits(self, given: Any) -> bool:
        """Whether an answer that was read is right."""
        return bool(given == self.answer)

    def parts(self, given: Any) -> tuple[int, int] | None:
        """How many parts of an answer are right, and of how many; None where it has no parts."""
        return None

    def reasons(self, given: Any) -> list[str]:
        """The names of the texts that explain an answer."""
        return [f"{self.name}_why" if self.fits(given) else f"{self.name}_hint"]


@dataclass(frozen=True, kw_only=True)
class Choice(Question):
    """One of several options; `right` gives its name."""

    options: tuple[str, ...]
    kind: ClassVar[str] = "choice"

    def field(self) -> Any:
        return one_of(("", *self.options), "")

    def read(self, answer: str) -> str:
        if not answer:
            raise BadInput("Nothing is chosen yet")
        return answer

    def reasons(self, given: str) -> list[str]:
        return [f"{self.name}_{given}_why"]


@dataclass(frozen=True, kw_only=True)
class Several(Question):
    """All of the options that are true, one at least; `right` gives their names."""

    options: tuple[str, ...]
    kind: ClassVar[str] = "several"

    @cached_property
    def answer(self) -> set[str]:
        return set(self.right())

    def field(self) -> Any:
        return text(lambda answer: answer == self.ticked(set(answer.split())), "", "options of this question")

    def ticked(self, names: set[str]) -> str:
        """The options with these names as the text of an answer, in their order."""
        return " ".join(option for option in self.options if option in names)

    def read(self, answer: str) -> set[str]:
        if not answer:
            raise BadInput("Nothing is ticked yet")
        return set(answer.split())

    def parts(self, given: set[str]) -> tuple[int, int]:
        return sum((o in given) == (o in self.answer) for o in self.options), len(self.options)

    def reasons(self, given: set[str]) -> list[str]:
        explained = given if given == self.answer else given - self.answer
        return [f"{self.name}_{option}_why" for option in self.options if option in explained]


@dataclass(frozen=True, kw_only=True)
class Rows(Several):
    """Which rows of a drawn matrix? The options are the numbers that the page gives them: positions, from 1, or ids.

    `drawn` gives the matrix: its name, its ids and its rows.
    """

    drawn: Callable[[], tuple[str, ArrayLike, ArrayLike]]
    kind: ClassVar[str] = "rows"
    reasons = Question.reasons


@dataclass(frozen=True, kw_only=True)
class Number(Question):
    """A number, as far from the right one as `tolerance` at most, and printed with so many `digits`."""

    tolerance: float = 0.0
    digits: int = 3
    kind: ClassVar[str] = "number"

    def read(self, answer: str) -> float:
        if not answer.strip():
            raise BadInput("Nothing is entered yet")
        return number(answer, whole=self.tolerance == 0)

    def fits(self, given: float) -> bool:
        return bool(abs(given - self.answer) <= self.tolerance + EXACT)


@dataclass(frozen=True, kw_only=True)
class Row(Question):
    """A row of numbers, each as far from the right one as `tolerance` at most."""

    tolerance: float = 0.001
    kind: ClassVar[str] = "row"

    def read(self, answer: str) -> list[float]:
        words = [word for word in re.split(r"[;\s]+|,\s", answer.strip(" \t\n[]()")) if word]
        if not words:
            raise BadInput("Nothing is entered yet")
        given = [number(word) for word in words]
        if len(given) != len(self.answer):
            raise BadInput(f"The row has {count(len(self.answer), 'number')}, with a space between two, and here "
                           f"{'is' if len(given) == 1 else 'are'} {count(len(given), 'number')}")
        return given

    def close(self, given: list[float]) -> list[bool]:
        """Whether each number of a row is right."""
        return [abs(a - b) <= self.tolerance + EXACT for a, b in zip(given, self.answer, strict=True)]

    def fits(self, given: list[float]) -> bool:
        return all(self.close(given))

    def parts(self, given: list[float]) -> tuple[int, int]:
        return sum(self.close(given)), len(given)


def number(text: str, whole: bool = False) -> float:
    """The number that a reader typed, with a comma or a point, and any sign for minus. Raises BadInput."""
    value = float(typed(int if whole else float, "The answer", re.sub("[\u2012-\u2015]", "-", text)))
    if not math.isfinite(value):
        raise BadInput(f"The answer needs a number, and “{text[:20]}” is none")
    return value


def rows_changed(before: ArrayLike, after: ArrayLike) -> set[str]:
    """The positions, from 1, at which the rows of two matrices differ: (n, d), (n, d) -> names of options of Rows."""
    difference = np.abs(np.asarray(after) - np.asarray(before)).max(axis=1)  # (n,)
    return {str(t + 1) for t in np.flatnonzero(difference > EXACT)}
