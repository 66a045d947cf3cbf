"""Where things stand in a chart: numbers -> per cent of its width and height. The templates in chart.html draw it.

A chart is an SVG that fills its frame, with all of its words in HTML around it, so that they have the same size on a
phone. A curve is a path; a point is a path of no length with a round end.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

MANY = 200  # points of a curve from which on one decimal of a per cent is enough: they lie closer than its steps


@dataclass(frozen=True)
class Axis:
    """One axis: its name with the unit, its ends, and the numbers written along it; `log` gives each power one step."""

    name: str
    low: float
    high: float
    marks: tuple[float, ...] = ()
    log: bool = False

    def at(self, values: ArrayLike) -> NDArray[np.float64]:
        """Where values stand, in per cent of the axis from its low end. ValueError for one not above 0 on a log."""
        ends, places = np.array([self.low, self.high]), np.asarray(values, float)
        if self.log:
            if (ends <= 0).any() or (places <= 0).any():
                raise ValueError("an axis in powers holds numbers above 0 only")
            ends, places = np.log(ends), np.log(places)
        return np.asarray(100 * (places - ends[0]) / (ends[1] - ends[0]))


def axis(name: str, low: float, high: float, log: bool = False, count: int = 5) -> Axis:
    """An axis from `low` to `high` with about `count` round marks: powers of ten, or steps of 1, 2 or 5."""
    if log:
        powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        every = max(1, math.ceil(len(powers) / count))
        return Axis(name, low, high, tuple(10.0**p for p in powers[::every]), True)
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(k for k in (1, 2, 5, 10) if k * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return Axis(name, low, high, tuple(k * step for k in range(first, last + 1)))


@dataclass(frozen=True)
class Chart:
    """Two axes: x from left to right, y from bottom to top."""

    x: Axis
    y: Axis

    def left(self, x: float) -> str:
        """Where x stands, in per cent from the left."""
        return f"{float(self.x.at(x)):.2f}"

    def top(self, y: float) -> str:
        """Where y stands, in per cent from the top."""
        return f"{100 - float(self.y.at(y)):.2f}"

    def path(self, xs: Iterable[float], ys: Iterable[float]) -> str:
        """The line through all points, as an SVG path's `d`: one subpath for each run of finite points."""
        parts, pen = [], "M"
        places = list(zip(self.x.at(list(xs)), 100 - self.y.at(list(ys)), strict=True))
        digits = 2 if len(places) < MANY else 1
        for x, y in places:
            if math.isfinite(x + y):
                parts.append(f"{pen}{x:.{digits}f} {y:.{digits}f}")
            pen = "L" if math.isfinite(x + y) else "M"
        return "".join(parts)

    def dots(self, xs: Iterable[float], ys: Iterable[float]) -> str:
        """All points, each a line of no length, as an SVG path's `d`."""
        places = zip(self.x.at(list(xs)), 100 - self.y.at(list(ys)), strict=True)
        return "".join(f"M{x:.2f} {y:.2f}h0" for x, y in places if math.isfinite(x + y))
