"""Step 2: ids become rows of a table, and a gradient comes back to those rows.

The lookup is a gather: row t of the result is row i_t of E, and no arithmetic happens. Its gradient is a scatter: what
arrives at row t is added to row i_t. An id that came twice gets the sum; a row that was not read gets nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def one_hot(ids: ArrayLike, V: int) -> Floats:
    """One row a token: 1 in the column of its id and 0 elsewhere.

    ids (n,) -> (n, V). IndexError for an id outside 0 … V − 1.
    """
    same: NDArray[np.bool_] = checked(ids, V)[..., None] == np.arange(V)  # (n, V)
    return same.astype(float)


def lookup(E: ArrayLike, ids: ArrayLike) -> Floats:
    """The rows of E that the ids name, in their order: the same as one_hot(ids, V) @ E.

    E (V, d), ids (n,) -> (n, d). IndexError for an id outside 0 … V − 1.
    """
    E = np.asarray(E, float)        # (V, d)
    return E[checked(ids, len(E))]  # (n, d)


def scatter(ids: ArrayLike, G: ArrayLike, V: int) -> Floats:
    """The gradient of the whole table: row i is the sum of the rows of G whose id is i, and so one_hot(ids, V).T @ G.

    ids (n,), G (n, d) -> (V, d). ValueError unless each id has one row of G; IndexError for an id outside 0 … V − 1.
    """
    ids, G = checked(ids, V), np.asarray(G, float)
    need_rows(ids, G)
    dense = np.zeros((V, G.shape[-1]))  # (V, d)
    np.add.at(dense, ids, G)            # dense[ids] += G would keep only the last of several equal ids
    return dense


def sparse(ids: ArrayLike, G: ArrayLike) -> tuple[Ints, NDArray[np.floating[Any]]]:
    """The ids that were read, in rising order and each once, and the gradient of their rows.

    ids (n,), G (n, d) -> (m,), (m, d) with m different ids; every other row of the table has gradient 0. Numbers with
    fewer bits stay as they are, for large tables. The same errors as scatter, but that no V bounds the ids from above.
    TensorFlow calls this form IndexedSlices.
    """
    ids, G = checked(ids), np.asarray(G)
    need_rows(ids, G)
    ids, G = ids.ravel(), G.reshape(ids.size, G.shape[-1])      # several texts are read as one
    order = np.argsort(ids, kind="stable")                      # (n,), equal ids side by side
    rows, first = np.unique(ids[order], return_index=True)      # (m,), (m,)
    sums = np.add.reduceat(G[order], first, axis=0, dtype=np.result_type(G, np.float32))
    return rows, sums                                           # (m,), (m, d)


def tied(X: ArrayLike, E: ArrayLike, targets: ArrayLike) -> tuple[float, Floats, Floats]:
    """The loss when E is also the output layer, and its gradient on the two paths: at X, and at E as output layer.

    X (n, d), E (V, d), targets (n,) -> scalar in nats, (n, d), (V, d). The loss is the mean cross-entropy of
    softmax(X Eᵀ). With p those probabilities and y the targets as one-hot rows, the gradient at X is (p − y) E / n,
    which scatter carries on to the rows that were read, and at the output layer (p − y)ᵀ X / n, which reaches every
    row. The gradient of a tied table is the sum of the two. Source: Press & Wolf 2017 (arXiv 1608.05859), section 3.
    """
    X, E = np.asarray(X, float), np.asarray(E, float)
    logits = X @ E.T                                                      # (n, V)
    log_p = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)  # (n, V)
    y = one_hot(targets, len(E))                                          # (n, V)
    error = (np.exp(log_p) - y) / len(X)                                  # (n, V)
    return float(-(y * log_p).sum() / len(X)), error @ E, error.T @ X


def need_rows(ids: Ints, G: NDArray[Any]) -> None:
    """Nothing. ValueError unless each id (n,) has one row of the gradient (n, d)."""
    if G.shape[:-1] != ids.shape:
        raise ValueError(f"each id needs one row of gradient: the ids have shape {ids.shape}, the rows {G.shape[:-1]}")


def checked(ids: ArrayLike, V: int | None = None) -> Ints:
    """The ids as an array of integers, each known to lie in 0 … V − 1, or to be at least 0 when no V is given.

    Any shape -> the same shape. TypeError unless they are whole numbers; IndexError for one outside. NumPy alone would
    read −1 as the last row.
    """
    array = np.asarray(ids)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"ids are whole numbers, but these are {array.dtype}")
    outside = (array < 0) | (array >= (np.inf if V is None else V))
    if outside.any():
        last = "" if V is None else f" to {V - 1}"
        raise IndexError(f"no row has the id {array[outside][0]}: ids run from 0{last}")
    return array.astype(np.intp)
