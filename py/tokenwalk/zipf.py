"""How often each id is drawn: Zipf's law, and seeded batches from it.

Token counts of real text follow the law roughly: the id of rank 1 comes twice as often as that of rank 2, three times
as often as that of rank 3, and so on. Here id i has rank i + 1, so that id 0 is the most frequent.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def law(V: int, s: float = 1.0) -> Floats:
    """The probability of each id: 1 / rank**s, divided by the sum of all.

    (V,), falling, with sum 1. ValueError for an empty vocabulary.
    Source: Zipf 1949, Human Behavior and the Principle of Least Effort.
    """
    if V < 1:
        raise ValueError(f"a law needs at least one id, not {V}")
    weights = np.arange(1, V + 1) ** -float(s)  # (V,)
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=8)
def cumulative(V: int, s: float) -> Floats:
    """The probability that an id is at most i, for each i.

    (V,), rising, read-only, its last entry exactly 1 so that no draw falls past the end. Cached: the same law serves
    every batch.
    """
    total = np.cumsum(law(V, s))
    total /= total[-1]
    total.setflags(write=False)
    return total


def batch(V: int, n: int, s: float, seed: int, tick: int) -> Ints:
    """The ids of batch number tick: n independent draws from the law, the same for the same seed and tick.

    (n,), each in 0 … V − 1. By inverse CDF: id i owns the stretch of 0 … 1 that is as long as its probability.
    """
    u = np.random.default_rng((seed, tick)).random(n)               # (n,)
    return np.searchsorted(cumulative(V, float(s)), u, side="right")  # (n,)


def expected_distinct(V: int, n: int, s: float = 1.0) -> float:
    """How many different ids n draws hold on average: Σ over i of 1 − (1 − p_i)ⁿ.

    A number between 0 and V. Written with log1p and expm1, since 1 − p is 1 in floating point when p is tiny.
    """
    p = np.minimum(law(V, s), 1 - np.finfo(float).epsneg)  # (V,); a sure id would ask for log 0
    return float(-np.expm1(n * np.log1p(-p)).sum())
