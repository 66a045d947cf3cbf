"""How often each id is drawn: Zipf's law, the frequencies of English words, and seeded batches from either.

Token counts of real text follow the law roughly: the id of rank 1 comes twice as often as that of rank 2, three times
as often as that of rank 3, and so on. Here id i has rank i + 1, so that id 0 is the most frequent.
"""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# What data/make_words.py took from wordfreq's English list; its docstring says how.
WORDS = json.loads((Path(__file__).parent / "data/words.json").read_text(encoding="utf-8"))


def law(V: int, s: float = 1.0) -> Floats:
    """The probability of each id: 1 / rank**s, divided by the sum of all.

    (V,), falling, with sum 1. ValueError for an empty vocabulary.
    Source: Zipf 1949, Human Behavior and the Principle of Least Effort.
    """
    if V < 1:
        raise ValueError(f"a law needs at least one id, not {V}")
    weights = np.arange(1, V + 1) ** -float(s)  # (V,)
    return np.asarray(weights / weights.sum())


def words(V: int) -> Floats:
    """The probability of each id if id i is as frequent as the English word of rank i + 1, divided by the sum of all.

    (V,), never rising, with sum 1. ValueError unless V lies in 1 … the last rank of the data. The data hold about a
    hundred ranks; between two of them the logarithm of the frequency is linear in the logarithm of the rank.
    """
    if not 1 <= V <= WORDS["ranks"][-1]:
        raise ValueError(f"the word list gives the ranks 1 to {WORDS['ranks'][-1]}, not {V}")
    logs = np.interp(np.log(np.arange(1, V + 1)), np.log(WORDS["ranks"]), np.log(WORDS["frequencies"]))  # (V,)
    weights = np.exp(logs)
    return np.asarray(weights / weights.sum())


def running(p: Floats) -> Floats:
    """The probability that an id is at most i, for each i.

    p (V,) -> (V,), rising, read-only, its last entry exactly 1 so that no draw falls past the end.
    """
    total = np.cumsum(p)
    total /= total[-1]
    total.setflags(write=False)
    return total


@lru_cache(maxsize=8)
def cumulative(V: int, s: float) -> Floats:
    """running(law(V, s)). Cached: the same law serves every batch."""
    return running(law(V, s))


def draws(total: Floats, n: int, seed: int, tick: int) -> Ints:
    """The ids of n independent draws, the same for the same seed and tick.

    total (V,) as `running` gives it -> (n,), each in 0 … V − 1. By inverse CDF: id i owns the stretch of 0 … 1 that is
    as long as its probability.
    """
    u = np.random.default_rng((seed, tick)).random(n)   # (n,)
    return np.searchsorted(total, u, side="right")      # (n,)


def batch(V: int, n: int, s: float, seed: int, tick: int) -> Ints:
    """The ids of batch number tick under the law: (n,), each in 0 … V − 1, the same for the same seed and tick."""
    return draws(cumulative(V, float(s)), n, seed, tick)


def expected_held(p: Floats, n: int) -> float:
    """How many different ids n draws hold on average: Σ over i of 1 − (1 − p_i)ⁿ.

    p (V,) -> a number between 0 and V. Written with log1p and expm1, since 1 − p is 1 in floating point when p is tiny.
    """
    p = np.minimum(p, 1 - np.finfo(float).epsneg)  # (V,); a sure id would ask for log 0
    return float(-np.expm1(n * np.log1p(-p)).sum())


def expected_distinct(V: int, n: int, s: float = 1.0) -> float:
    """How many different ids n draws from the law hold on average: a number between 0 and V."""
    return expected_held(law(V, s), n)
