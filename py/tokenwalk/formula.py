"""A formula as data: numbers, each with its letter and its place, and between them what is done with them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Number:
    """A number: its letter, what stands below the letter, its value, and its place on the path if it has one."""

    letter: str
    below: str
    value: float
    place: str = ""


Line = tuple[Number | str, ...]  # the texts are "(", " + ", " × ", "√(", "²", "e^" and the like
Made = tuple[Number, Line]       # a number and the line that makes it


def joined(items: Iterable[Line], sign: str = " + ") -> Line:
    """The lines one after the other, with a sign between two."""
    first, *others = items
    return first + tuple(part for item in others for part in (sign, *item))


def product(a: Iterable[Number], b: Iterable[Number]) -> Line:
    """The sum of the products of two rows of numbers."""
    return joined((x, " × ", y) for x, y in zip(a, b, strict=True))


def share(of: Number, among: Iterable[Number]) -> Line:
    """One weight of the softmax over the numbers in `among`."""
    return ("e^", of, " / (", *joined(("e^", x) for x in among), ")")


def column(letter: str, W: ArrayLike, c: int) -> list[Number]:
    """Column c of a matrix of weights; the indices below a letter count from 1."""
    return [Number(letter, f"{k + 1}{c + 1}", float(x)) for k, x in enumerate(np.asarray(W)[:, c])]


def entry(letter: str, values: ArrayLike, c: int) -> Number:
    """Number c of a row of weights."""
    return Number(letter, f"{c + 1}", float(np.asarray(values)[c]))


def norm(x: Number, row: list[Number], epsilon: float) -> tuple[Line, list[Made]]:
    """A number of a row after layer norm, as a line, and the lines of the root and of the mean in it.

    A mean of 0 is left out.
    """
    values = np.array([y.value for y in row])
    mean = Number("mean", "", float(values.mean()))
    root = Number("root", "", float(np.sqrt(values.var() + epsilon)))
    centred: Line = (x, " / ", root)
    squares = joined((y, "²") for y in row)
    if abs(mean.value) > 1e-12:
        centred = ("(", x, " − ", mean, ") / ", root)
        squares = joined(("(", y, " − ", mean, ")²") for y in row)
    made = [(root, ("√((", *squares, f") / {len(row)} + 1/{round(1 / epsilon):,})")),
            (mean, ("(", *joined((y,) for y in row), f") / {len(row)}"))]
    return centred, [m for m in made if m[0] in centred]
