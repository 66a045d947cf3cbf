"""What the panels of steps 3 to 7 are given: the sentence and the position scheme, chosen once and carried along.

Their States inherit from Given, so that a link from one page to the next needs no more than what Given says.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tokenwalk import position, tokens, toy
from tokenwalk.origin import SHAPES, is_place, origin
from tokenwalk.path import LONGEST, ids_of, written
from tokenwalk.state import between, chosen, one_of, text, to_link

# The running example, the same with the other subject, and the same with two tokens traded.
SENTENCES = ("0 2 4 5 1", "0 3 4 5 1", "0 4 2 5 1")


def is_written(ids: str) -> bool:
    """Whether a text is 1 to 8 known ids with one space between."""
    try:
        return ids == written(ids_of(ids))
    except ValueError:
        return False


def sentence() -> Any:
    """A field of a panel's state that holds the ids of the text, as path.written; the running example's at first."""
    last = len(toy.TOKENS) - 1
    return text(is_written, SENTENCES[0], f"1 to {LONGEST} ids from 0 to {last}, with a space between")


def asked() -> Any:
    """A field that holds the place, as origin.py names it, of the number whose origin is asked for; "" for none."""
    return text(is_place, "", "the place of a number on the path")


@dataclass(frozen=True)
class Given:
    """What the reader chose on this page or on an earlier one: the ids of the sentence, and the scheme."""

    ids: str = sentence()
    scheme: str = one_of(position.SCHEMES, "learned")


@dataclass(frozen=True)
class Asking(Given):
    """The same, and the number whose origin the reader asks for."""

    cell: str = asked()


@dataclass(frozen=True)
class Looking(Asking):
    """The same, and the token that looks, by its position from 1; the last one where the sentence is shorter."""

    t: int = between(1, LONGEST, len(toy.IDS))

    @property
    def at(self) -> int:
        """The position of the token that looks, counted from 0."""
        return min(self.t, len(self.ids.split())) - 1


L = TypeVar("L", bound=Looking)


def looked(state: L, action: Mapping[str, str]) -> L:
    """The state that follows when the reader uses a control; another sentence is looked at from its last token."""
    match action:
        case {"do": "next"}:
            return replace(state, t=min(state.at + 2, len(state.ids.split())))
        case {"do": "back"}:
            return replace(state, t=max(state.at, 1))
    after = chosen(state, action)  # its ids are not checked yet
    return after if after.ids == state.ids else replace(after, t=max(1, min(len(after.ids.split()), LONGEST)))


def places(stages: str, *at: int) -> list[str]:
    """The places of a row's numbers, the rows of several stages side by side: places("q k", h, t)."""
    return [" ".join([stage, *map(str, at), str(c)]) for stage in stages.split() for c in range(SHAPES[stage][-1])]


def menu(ids: str, offered: Iterable[str]) -> list[tuple[str, str]]:
    """The sentences offered, as ids and in words; the present one stays, if it came from another page."""
    return [(each, tokens.decode(ids_of(each))) for each in dict.fromkeys((*offered, ids))]


def choices(state: Any, off: Collection[str] = (), ids: tuple[int, ...] | None = None,
            offered: Iterable[str] = SENTENCES) -> dict[str, Any]:
    """What given.html draws, for a state with ids, scheme and cell: the two menus, the link that carries the scheme and
    the ids on screen (`ids`; the sentence's, if not given) to another page's panel, and where the number that the
    reader asks for came from, in the run of these ids without `off`."""
    ids = ids or ids_of(state.ids)
    return {"sentences": menu(state.ids, offered),
            "schemes": position.MENU,
            "carried": to_link(Given(written(ids), state.scheme)),
            "places": places, "came": origin(state.cell, ids, state.scheme, off)}
