"""What one update does to the rows of a table, for five optimisers.

Zero gradient is not zero movement. Adam and momentum remember: a row that was read once goes on moving for many steps.
AdamW also shrinks every row at each step. SGD and sparse Adam leave a row alone unless it was read. All functions are
pure: they return the new rows and the new state and change nothing that they were given. They work on all rows of a
table, or on any few of them, in float64 or in float32: what comes back has the kind that was given. lazy.py uses them
on the few.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .lookup import checked

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.intp]


class Means(NamedTuple):
    """The two running means that Adam keeps: of the gradients, and of their squares."""

    mean: Floats    # (V, d), m in the paper
    square: Floats  # (V, d), v in the paper


def start(rows: Floats) -> Means:
    """The state before the first update: both means zero, in the shape of the rows."""
    return Means(np.zeros_like(rows), np.zeros_like(rows))


def sgd(rows: Floats, G: Floats, lr: float) -> Floats:
    """The rows less lr times their gradient.

    rows (V, d), G (V, d) -> (V, d). A row with gradient 0 stays.
    """
    return rows - lr * G


def momentum(rows: Floats, G: Floats, velocity: Floats, lr: float, beta: float = 0.9) -> tuple[Floats, Floats]:
    """The rows less lr times the new velocity, and that velocity: beta × the old one + the gradient.

    rows, G, velocity (V, d) -> (V, d), (V, d). The first velocity is zero. As PyTorch's SGD with momentum.
    """
    velocity = beta * velocity + G
    return rows - lr * velocity, velocity


def adam(
    rows: Floats,
    G: Floats,
    means: Means,
    step: int,
    lr: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> tuple[Floats, Means]:
    """The rows less lr times the mean gradient over the root of the mean square, and the new means.

    rows, G, means (V, d) each -> (V, d), means. step counts from 1; dividing by 1 − β^step makes up for means that
    began at zero. Source: Kingma & Ba 2015 (arXiv 1412.6980), algorithm 1.
    """
    mean = beta1 * means.mean + (1 - beta1) * G         # (V, d)
    square = beta2 * means.square + (1 - beta2) * G**2  # (V, d)
    direction = mean / (1 - beta1**step)                # (V, d)
    size = np.sqrt(square / (1 - beta2**step)) + eps    # (V, d)
    return rows - lr * direction / size, Means(mean, square)


def adamw(rows: Floats, G: Floats, means: Means, step: int, lr: float, decay: float = 0.01) -> tuple[Floats, Means]:
    """The update of Adam on rows that were first shrunk by the factor 1 − lr × decay, read or not.

    Shapes as in adam. Source: Loshchilov & Hutter 2019 (arXiv 1711.05101), algorithm 2, as PyTorch scales it.
    """
    return adam(rows * (1 - lr * decay), G, means, step, lr)


def sparse_adam(rows: Floats, ids: ArrayLike, G: Floats, means: Means, step: int, lr: float) -> tuple[Floats, Means]:
    """The update of Adam on the rows that were read; all others, and their means, stay as they are.

    rows and means (V, d), ids (m,) each once, G (m, d), as lookup.sparse gives them -> (V, d), means. IndexError for an
    id outside 0 … V − 1. As PyTorch's SparseAdam, where step also counts the updates that passed a row by.
    """
    ids = checked(ids, len(rows))                               # (m,)
    read = Means(means.mean[ids], means.square[ids])            # (m, d) each
    moved, (mean, square) = adam(rows[ids], G, read, step, lr)  # (m, d) each
    return put(rows, ids, moved), Means(put(means.mean, ids, mean), put(means.square, ids, square))


def put(rows: Floats, ids: Ints, new: Floats) -> Floats:
    """A copy of the rows, with the new ones in the places of the ids."""
    copy = rows.copy()
    copy[ids] = new
    return copy
