"""Step 6: a row of Y becomes a number for each id, and those numbers become probabilities."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokenwalk.attention import softmax
from tokenwalk.block import layer_norm

Floats = NDArray[np.float64]


def final(Y: ArrayLike, gain: float = 1.0) -> Floats:
    """The rows of Y after the final norm: gain × layer_norm(Y). A real gain has one number a column; the toy's is one.

    Y (..., n, d) -> (..., n, d).
    """
    return gain * layer_norm(Y)


def logits(rows: ArrayLike, E: ArrayLike) -> Floats:
    """How well each row fits the row of each id: rows Eᵀ. With E the table of embeddings the output is tied to it.

    rows (..., n, d), E (V, d) -> (..., n, V). Source: Press & Wolf 2017 (arXiv 1608.05859).
    """
    return np.asarray(np.asarray(rows, float) @ np.asarray(E, float).T)


def probabilities(logits: ArrayLike, temperature: float = 1.0) -> Floats:
    """softmax(logits / temperature): below 1 sharper, above 1 flatter.

    (..., V) -> (..., V), each row summing to 1. ValueError for a temperature that is not above 0: no division gives
    the greedy choice, it is only the limit.
    """
    if not temperature > 0:
        raise ValueError(f"a temperature is above 0, and {temperature:g} is not")
    return softmax(np.asarray(logits, float) / temperature)
