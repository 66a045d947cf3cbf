"""The worked numbers of the Embeddings page: each is one claim of the prose, computed on the running example."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokenwalk import facts, lookup, optimise, position, toy
from tokenwalk.attention import attention, causal

Floats = NDArray[np.float64]
Place = tuple[int, int]  # an id and a position from 0
n, d = len(toy.IDS), toy.E.shape[1]
HEADS = 2  # of the toy's attention; ALiBi's slopes depend on how many there are
X = toy.E[toy.IDS] + toy.P[:n]  # (n, d), with learned positions: what step 2 hands on


def swapped(places: tuple[int, int], n: int = n) -> list[int]:
    """The places 0 … n − 1 with two of them traded."""
    order = list(range(n))
    a, b = places
    order[a], order[b] = b, a
    return order


def attended(ids: NDArray[np.int64], scheme: str = "none", masked: bool = False) -> Floats:
    """What attention gives for the tokens `ids` in this order, with q = k = v = x, their rows of E: (n, d).

    The position scheme acts where it always does: on x, on q and k, or on the scores (ALiBi with the slope of head 1).
    """
    signal, t = position.SCHEMES[scheme].signal, np.arange(n)
    x = toy.E[ids] + (signal(n, d, toy.P) if signal else 0)                  # (n, d)
    q = position.rope(x, t) if scheme == "rope" else x                       # (n, d), and k is the same
    bias = position.alibi_bias(n, HEADS)[0] if scheme == "alibi" else None   # (n, n)
    return attention(q, q, x, causal(n) if masked else None, bias)[0]        # (n, d)


def order_difference(order: list[int], scheme: str = "none", masked: bool = False) -> Floats:
    """att(Π x) − Π att(x), which is zero where the outputs move with their tokens and nothing else happens: (n, d).

    order[t] is the place in the sentence, counted from 0, of the token that Π puts at t.
    """
    return attended(toy.IDS[order], scheme, masked) - attended(toy.IDS, scheme, masked)[order]


def swap_difference(masked: bool) -> float:
    """The largest |att(Π x) − Π att(x)| over all entries, where Π trades ␣cat and ␣climb and no scheme is in use."""
    return float(np.abs(order_difference(swapped(toy.SWAP), masked=masked)).max())


def equal_sums() -> list[tuple[Place, Place]]:
    """Every two places (i, t), id i at position t from 0, whose sums E[i] + P[t] are equal: all ids, all positions."""
    places = list(np.ndindex(len(toy.E), len(toy.P)))
    sums = (toy.E[:, None] + toy.P).reshape(-1, d)        # (places, d)
    a, b = np.triu_indices(len(sums), 1)                  # every two places once
    equal = (sums[a] == sums[b]).all(axis=1)
    return [(places[k], places[m]) for k, m in zip(a[equal], b[equal], strict=True)]


def near_bound(rows: int, positions: int, width: int, share: float) -> float:
    """The power of ten below which the expected number of near-collisions lies, for two tables of normal numbers.

    A near-collision is two of the rows × positions sums nearer than `share` of √(4 width), the typical distance of two
    that have nothing in common. Two with a row in common differ by N(0, 2) in each column, so they are near if χ² <
    2 share² × width; the others are near more rarely. Chernoff: P(χ² ≤ c width) ≤ (c e^(1−c))^(width/2) for c < 1.
    """
    sums, c = rows * positions, 2 * share**2
    return math.log10(sums * (sums - 1) / 2) + width / 2 * (math.log(c) + 1 - c) / math.log(10)


Row = Sequence[float] | Floats  # of numbers: q, k, or an angle for each pair
THETA, RIGHT, UP = 0.5, (1.0, 0.0), (0.0, 1.0)  # the angle and the two hands of the clock in the prose


def clock(m: float, t: float, q: Row = RIGHT, k: Row = RIGHT, theta: Row = (THETA,)) -> float:
    """The score of q turned to position m with k turned to position t: ⟨R_m q, R_t k⟩.

    q (d,), k (d,), theta (d/2,) in radians a position, pairs interleaved.
    """
    turned_q, turned_k = position.rotate(np.stack([q, k]), np.multiply.outer([m, t], theta))  # (d,), (d,)
    return float(turned_q @ turned_k)


def at_offsets(offsets: ArrayLike, q: Row, k: Row, theta: Row) -> Floats:
    """The score of q with k at each signed offset m − t: ⟨R_{m−t} q, k⟩, which is clock(m, t) for every such m and t.

    offsets (n,), q (d,), k (d,), theta (d/2,) -> (n,). Source: Su 2021 (arXiv 2104.09864), section 3.2.
    """
    return np.asarray(position.rotate(q, np.multiply.outer(offsets, theta)) @ np.asarray(k))  # (n, d) @ (d,)


def directions_by_period() -> list[list[int]]:
    """The ten leading directions of a learned position table, two by two by dominant period, the shortest first.

    Counted from 0 in the order of the singular values, in which neighbours need not share a period.
    """
    periods = facts.MINILM["position_first_12_dominant_periods"][:10]
    order = sorted(range(10), key=periods.__getitem__)
    return [sorted(order[j:j + 2]) for j in range(0, 10, 2)]


def period_pairs() -> list[list[float]]:
    """The dominant periods of these directions, two by two in the same order, in positions."""
    periods = facts.MINILM["position_first_12_dominant_periods"]
    return [[periods[j] for j in pair] for pair in directions_by_period()]


def tied_norms() -> tuple[Floats, Floats]:
    """The norm of each row's gradient when E is also the output layer: by the lookup path and by the output path.

    (V,) each. Logits X Eᵀ, targets 2 4 5 1 6, mean cross-entropy.
    """
    _, at_X, at_output = lookup.tied(X, toy.E, toy.TARGETS)
    by_lookup = lookup.scatter(toy.IDS, at_X, len(toy.E))
    return np.linalg.norm(by_lookup, axis=1), np.linalg.norm(at_output, axis=1)


def moved_by_adam(idle: int) -> float:
    """How far, in learning rates, a row has moved under Adam after one gradient at step 1 and `idle` steps of zero."""
    row: optimise.Floats = np.zeros((1, 1))
    means = optimise.start(row)
    for step in range(1, idle + 2):
        row, means = optimise.adam(row, np.full((1, 1), float(step == 1)), means, step, lr=1.0)
    return float(abs(row[0, 0]))
