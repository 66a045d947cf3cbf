"""Steps 3 and 4: each token looks at the others and takes a weighted sum of their values.

Without a mask this is permutation-equivariant: shuffle the tokens and the outputs shuffle with them, so the order of
the text must come in by another way (position.py). A causal mask does use the order: the first token sees only itself.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def attention(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, mask: ArrayLike | None = None, bias: ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """The output for each query, and the weights it gave to the keys: softmax(q kᵀ / √d + bias) v.

    q (..., n, d), k (..., m, d), v (..., m, e) -> (..., n, e), (..., n, m); the leading axes (batch, heads) broadcast.
    mask (..., n, m) is True where a query may look and False where it may not; bias (..., n, m) is added to the scores
    and is where ALiBi enters. ValueError if some query may look nowhere: its weights would be 0/0.
    Source: Vaswani 2017 (arXiv 1706.03762), section 3.2.1.
    """
    weights = softmax(allowed(scores(q, k, bias), mask))  # (..., n, m)
    return weights @ np.asarray(v, float), weights


def scores(q: ArrayLike, k: ArrayLike, bias: ArrayLike | None = None) -> Floats:
    """How well each query fits each key: q kᵀ / √d + bias.

    q (..., n, d), k (..., m, d), bias (..., n, m) -> (..., n, m).
    """
    q, k = np.asarray(q, float), np.asarray(k, float)
    fit = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])                 # (..., n, m)
    return np.asarray(fit if bias is None else fit + np.asarray(bias, float))


def allowed(scores: ArrayLike, mask: ArrayLike | None) -> Floats:
    """The scores where the mask is True, and −∞ where it is False; all of them without a mask.

    scores (..., n, m), mask (..., n, m) -> (..., n, m). Softmax turns −∞ into a weight of exactly 0.
    """
    scores = np.asarray(scores, float)
    return scores if mask is None else np.where(np.asarray(mask, bool), scores, -np.inf)


def per_head(h: ArrayLike, W: ArrayLike) -> Floats:
    """The rows of h times the matrix of each head: q, k or v.

    h (..., n, d), W (H, d, w) -> (..., H, n, w).
    """
    return np.asarray(np.asarray(h, float)[..., None, :, :] @ np.asarray(W, float))


def concatenated(heads: ArrayLike) -> Floats:
    """What the heads give for a token, side by side in one row, head 1 first.

    heads (..., H, n, w) -> (..., n, H w).
    """
    heads = np.swapaxes(np.asarray(heads, float), -3, -2)            # (..., n, H, w)
    return heads.reshape(*heads.shape[:-2], -1)


def softmax(scores: ArrayLike) -> Floats:
    """The weights exp(score) / Σ exp(score) along the last axis; each row sums to 1.

    (..., m) -> (..., m). ValueError if a row has no score above −∞.
    """
    scores = np.asarray(scores, float)
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)  # (..., 1)
    if np.isneginf(top).any():
        raise ValueError("a row of scores allows nothing: every token must be allowed to look at one token at least")
    powers = np.exp(scores - top)  # the largest is exp(0) = 1, so none overflows
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def causal(n: int) -> Bools:
    """The mask that lets each token look at itself and at what came before: True on and below the diagonal.

    (n, n), row = the token that looks, column = the token looked at.
    """
    return np.tri(n, dtype=bool)
