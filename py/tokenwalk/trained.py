"""A table that was really trained: words of all-MiniLM-L6-v2, how often each comes, and where its row lies.

The vocabulary of that model has rows called [unused…] that no text ever draws. They lie close together, and here the
distance of any row is its distance from their centre. data/make_minilm_words.py made the file that is read here and
says which words it holds: the commonest ones all, and of the others every so many.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

DATA = json.loads((Path(__file__).parent / "data/minilm_words.json").read_text(encoding="utf-8"))
WORDS: tuple[str, ...] = tuple(DATA["words"].split())  # the most frequent first; of one frequency, by the alphabet
PLACE = {word: k for k, word in enumerate(WORDS)}
COMMON: int = DATA["common"]                           # this many words, the commonest, are all there
EVERY: int = DATA["every"]                             # each of the rest stands for so many
STEPS = DATA["steps"][0] - np.cumsum([0, *DATA["steps"][1:]])  # (m,), 100 × log10 of the times in 10^9 words
TIMES: Floats = 10.0 ** (STEPS / 100 - 3)               # (m,), how often each comes in a million words
DISTANCES: Floats = np.array(DATA["distances"]) / 1000  # (m,)
UNUSED: Floats = np.array(DATA["unused"]) / 1000       # one distance for each row that no text draws
WEIGHTS = np.where(np.arange(len(WORDS)) < COMMON, 1, EVERY)  # (m,), how many words each stands for


def mean_ranks(values: ArrayLike, weights: ArrayLike) -> Floats:
    """The rank of each value, 1 for the smallest, when each stands for as many equal ones as its weight says.

    values, weights (m,) -> (m,). Equal values share the mean of the ranks that they fill.
    """
    _, place = np.unique(np.asarray(values), return_inverse=True)  # (m,)
    count = np.bincount(place, weights=np.asarray(weights))        # one for each different value
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[place])


def rank_correlation(a: ArrayLike, b: ArrayLike, weights: ArrayLike) -> float:
    """How far a rises with b, from −1 to 1: the correlation of their ranks.

    a, b, weights (m,) -> scalar. Source: Spearman 1904, The Proof and Measurement of Association between Two Things.
    """
    covariance = np.cov(mean_ranks(a, weights), mean_ranks(b, weights), fweights=np.asarray(weights))  # (2, 2)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def as_frequent(k: int) -> NDArray[np.intp]:
    """The places of the words that come exactly as often as word k by the list, itself among them, nearest first."""
    same = np.flatnonzero(STEPS[k] == STEPS)
    return same[np.argsort(DISTANCES[same], kind="stable")]
