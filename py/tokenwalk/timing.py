"""How long the update of all rows takes beside that of the rows read, on the machine that runs this.

Both are really done, on a table of the run's size and with its optimiser. They take turns, so that whatever else the
machine does disturbs both alike.
"""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from . import lazy, lookup, training, zipf

SHORTEST = 0.004  # seconds: what is shorter is repeated, since a browser's clock counts in steps of a tenth of a ms
PAIRS, LONGEST = 9, 4.0  # how many turns, and the seconds after which no further one begins
BLOCK = 4096  # rows that the dense update works on at a time, so that it needs no second table


class Ratio(NamedTuple):
    """The median of each in milliseconds, and of their ratio in each turn the quartiles."""

    dense: float
    sparse: float
    low: float
    middle: float
    high: float


def sparse_update(table: lazy.Table, ids: lazy.Ints, G: lazy.Floats) -> None:
    """Makes one update from G (n, d) that touches only the rows read."""
    read, sums = lookup.sparse(ids, G)
    table.update(read, lambda _: sums)


def dense_update(table: lazy.Table, ids: lazy.Ints, G: lazy.Floats) -> None:
    """Makes one update from G (n, d) with a gradient as large as the table, on every row."""
    dense = np.zeros_like(table.moved)  # (V, d)
    read, sums = lookup.sparse(ids, G)
    dense[read] = sums
    for start in range(0, len(dense), BLOCK):
        part = slice(start, start + BLOCK)
        kept = tuple(k[part] for k in table.kept)
        rows = table.moved[part] * table.keep if table.rule.decay else table.moved[part]
        table.moved[part], new = lazy.updated(table.optimiser, rows, dense[part], kept, table.t + 1, table.lr)
        for k, values in zip(kept, new, strict=True):
            k[:] = values


def seconds(work: Callable[[], None]) -> float:
    """How long the work takes once, from as many repetitions as fill SHORTEST."""
    times, start = 0, perf_counter()
    while (passed := perf_counter() - start) < SHORTEST:
        work()
        times += 1
    return passed / times


def quartiles(values: lazy.Floats) -> list[float]:
    """The values that a quarter, a half and three quarters of all lie below. (np.quantile would load masked arrays.)"""
    places = np.linspace(0, 1, len(values))
    return [float(x) for x in np.interp((0.25, 0.5, 0.75), places, np.sort(values))]


def measured(setting: training.Setting, tick: int) -> Ratio:
    """How long both updates for the batch of one tick take, measured now.

    It lets go of the run that is kept: two of the largest tables at a time would be too much for a browser.
    """
    training.KEPT.clear()
    start, _ = training.pool(setting.V, setting.d, setting.seed)
    table = lazy.Table(start, setting.V, setting.optimiser, setting.lr)
    ids = zipf.draws(zipf.running(setting.p), setting.n, setting.seed, tick)
    G = np.random.default_rng(setting.seed).standard_normal((setting.n, setting.d)).astype(start.dtype)
    turns: list[tuple[float, float]] = []
    dense_update(table, ids, G)
    sparse_update(table, ids, G)
    begin = perf_counter()
    while len(turns) < 3 or (len(turns) < PAIRS and perf_counter() - begin < LONGEST):
        turns.append((seconds(lambda: dense_update(table, ids, G)), seconds(lambda: sparse_update(table, ids, G))))
    dense, sparse = 1000 * np.array(turns).T
    low, middle, high = quartiles(dense / sparse)
    return Ratio(quartiles(dense)[1], quartiles(sparse)[1], low, middle, high)
