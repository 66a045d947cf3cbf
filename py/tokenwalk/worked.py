"""The worked numbers of the Embeddings page: each is one claim of the prose, computed on the running example."""

import numpy as np
from numpy.typing import NDArray

from tokenwalk import facts, lookup, optimise, position, toy
from tokenwalk.attention import attention, causal

Floats = NDArray[np.float64]
n, d = len(toy.IDS), toy.E.shape[1]
X = toy.E[toy.IDS] + toy.P[:n]  # (n, d), with learned positions: what step 2 hands on


def swapped(places: tuple[int, int]) -> list[int]:
    """The places 0 … n − 1 with two of them traded."""
    order = list(range(n))
    a, b = places
    order[a], order[b] = b, a
    return order


def swap_difference(masked: bool) -> float:
    """How far attention is from permutation-equivariant: the largest |att(P x) − P att(x)| over all entries.

    P trades ␣cat and ␣climb, x = E[ids] without positions, q = k = v = x, scores ÷ √4.
    """
    x, order = toy.E[toy.IDS], swapped(toy.SWAP)         # (n, d)
    mask = causal(n) if masked else None
    after = attention(x[order], x[order], x[order], mask)[0]
    before = attention(x, x, x, mask)[0]
    return float(np.abs(after - before[order]).max())


THETA, RIGHT, UP = 0.5, (1.0, 0.0), (0.0, 1.0)  # the angle and the two hands of the clock in the prose


def clock(m: float, t: float, q: tuple[float, float] = RIGHT, k: tuple[float, float] = RIGHT) -> float:
    """The score of one pair q turned to position m with one pair k turned to position t: ⟨R_m q, R_t k⟩."""
    turned_q, turned_k = position.rotate([q, k], [[m * THETA], [t * THETA]])
    return float(turned_q @ turned_k)


def layouts(t: int = 2, i: int = 4) -> Floats:
    """Four rows that show how RoPE's two layouts agree.

    (4, d): x = E[i]; x turned to position t with interleaved pairs; x with its columns in the order 1 3 2 4; that,
    turned with halves. The last row is the second with its columns in the order 1 3 2 4.
    """
    x = toy.E[[i]]                                                # (1, d)
    other = x[:, [*range(0, d, 2), *range(1, d, 2)]]              # (1, d)
    rows = [x, position.rope(x, [t]), other, position.rope(other, [t], layout="halves")]
    return np.concatenate(rows)


def wavelengths(width: int, s: float, L: float) -> Floats:
    """The positions that each pair takes for one full turn, λ = 2π/θ, under each scaling: (4, width/2)."""
    return np.stack([2 * np.pi / position.frequencies(width, scaling=name, factor=s, original=L)[0]
                     for name in position.SCALINGS])


def period_pairs() -> list[list[float]]:
    """The dominant periods of the ten leading directions of a learned position table, two by two, shortest first."""
    periods = sorted(facts.MINILM["position_first_12_dominant_periods"][:10])
    return [periods[i:i + 2] for i in range(0, 10, 2)]


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
