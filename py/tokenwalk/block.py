"""Step 5: what surrounds attention in a block: the layer norm before each part, the MLP, and the running sum of both.

A block reads the residual stream X and adds to it twice: X + attention(norm(X)), and to that sum its own MLP(norm(…)).
The norm stands before each part and not after the sum (pre-norm), so that X itself is never scaled on its way through.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
EPSILON = 1e-5  # PyTorch's, and the toy's


def layer_norm(x: ArrayLike, epsilon: float = EPSILON) -> Floats:
    """Each row less its mean, divided by √(variance + ε); no gain and no bias.

    x (..., n, d) -> (..., n, d). The variance is the mean square of what is left (divided by d, not by d − 1). For a
    row that sums to zero, as nearly all of the toy's do, this is the RMS norm. Source: Ba 2016 (arXiv 1607.06450).
    """
    x = np.asarray(x, float)
    centred = x - x.mean(axis=-1, keepdims=True)                         # (..., n, d)
    return np.asarray(centred / root(x, epsilon))


def root(x: ArrayLike, epsilon: float = EPSILON) -> Floats:
    """What the layer norm divides each row by: √(variance + ε).

    x (..., n, d) -> (..., n, 1).
    """
    return np.asarray(np.sqrt(np.var(np.asarray(x, float), axis=-1, keepdims=True) + epsilon))


def hidden(x: ArrayLike, W_1: ArrayLike, b_1: ArrayLike) -> Floats:
    """What each hidden neuron is fed: x W_1 + b_1. It is on where this is above 0.

    x (..., n, d), W_1 (d, f), b_1 (f,) -> (..., n, f).
    """
    return np.asarray(np.asarray(x, float) @ np.asarray(W_1, float) + b_1)


def relu(x: ArrayLike) -> Floats:
    """What is above 0, and 0 for the rest. Any shape -> the same shape."""
    return np.asarray(np.maximum(np.asarray(x, float), 0))


def mlp(x: ArrayLike, W_1: ArrayLike, b_1: ArrayLike, W_2: ArrayLike, b_2: ArrayLike) -> Floats:
    """Each row through one hidden layer, on its own: relu(x W_1 + b_1) W_2 + b_2.

    x (..., n, d), W_1 (d, f), b_1 (f,), W_2 (f, d), b_2 (d,) -> (..., n, d). No token sees another here.
    Source: Vaswani 2017 (arXiv 1706.03762), section 3.3; GPT-2 has GELU in place of relu.
    """
    return np.asarray(relu(hidden(x, W_1, b_1)) @ np.asarray(W_2, float) + b_2)
