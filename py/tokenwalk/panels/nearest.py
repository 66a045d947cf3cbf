"""Nearest sums: how near the nearest two sums E[i] + P[t] come in random tables of growing width."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import toy
from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.render import percent
from tokenwalk.state import chosen, one_of

Array = NDArray[np.float64]
V, positions = len(toy.E), len(toy.P)
WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512, 768)
SHARES = (10, 25, 50)  # per cent of the typical distance
TABLES = 20            # random pairs of tables for each width
SEEDS = "12345"
CAP = 18  # states in the table, those nearest to the first; Python has the rest


@dataclass(frozen=True)
class State:
    """What the reader chose: the width d looked at, what counts as near, in per cent, and the seed of the tables."""

    width: str = one_of([str(d) for d in WIDTHS], "4")
    share: str = one_of([str(s) for s in SHARES], "25")
    seed: str = one_of(SEEDS, "1")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    return chosen(state, action)


def random_tables(seed: int) -> tuple[Array, Array]:
    """E and P in 20 versions, each entry drawn from the normal distribution: (20, V, 768), (20, positions, 768).

    Their first d columns are tables of width d.
    """
    both = np.random.default_rng(seed).standard_normal((TABLES, V + positions, WIDTHS[-1]))
    return both[:, :V], both[:, V:]


def nearness(E: Array, P: Array) -> Array:
    """The distance of the nearest two sums E[i] + P[t] of each version, over the typical distance: (versions,).

    E (versions, V, d), P (versions, positions, d). Two sums differ by u + w with u = E[i] − E[j] and w = P[t] − P[s];
    |u + w|² = |u|² + |w|² + 2 u·w. Typical is the root mean square over all sums that differ in both i and t.
    """
    (i, j), (t, s) = np.triu_indices(E.shape[-2], 1), np.nonzero(~np.eye(P.shape[-2], dtype=bool))
    EE, PP, EP = (a @ np.swapaxes(b, -1, -2) for a, b in ((E, E), (P, P), (E, P)))   # the products of all rows
    uu = EE[:, i, i] + EE[:, j, j] - 2 * EE[:, i, j]                  # (versions, pairs of ids)
    ww = PP[:, t, t] + PP[:, s, s] - 2 * PP[:, t, s]                  # (versions, pairs of positions)
    u_rows = EP[:, i] - EP[:, j]                                      # (versions, pairs of ids, positions): u · P[t]
    squares = uu[:, :, None] + ww[:, None] + 2 * (u_rows[:, :, t] - u_rows[:, :, s])
    nearest = np.minimum(squares.min(axis=(1, 2)), np.minimum(uu.min(axis=1), ww.min(axis=1)))
    return np.asarray(np.sqrt(nearest / squares.mean(axis=(1, 2))))


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    (E, P), share = random_tables(int(state.seed)), int(state.share) / 100
    near = np.array([nearness(E[:, :, :d], P[:, :, :d]) for d in WIDTHS])   # (widths, versions)
    chances = (near < share).mean(axis=1)                                   # (widths,)
    x = Axis("width d (logarithmic)", WIDTHS[0], WIDTHS[-1], (4, 16, 64, 256, 768), log=True)
    k = WIDTHS.index(int(state.width))
    return {
        "widths": WIDTHS, "d": WIDTHS[k], "k": k, "near": near, "chances": chances, "share": share, "tables": TABLES,
        "toy_nearest": float(nearness(toy.E[None], toy.P[None])[0]), "sums": V * positions, "V": V,
        "pairs": V * positions * (V * positions - 1) // 2, "positions": positions,
        "distances": Chart(x, axis("nearest two sums, typical distance = 1", 0, 1)),
        "chance": Chart(x, axis("share of tables with a near-collision", 0, 1, count=2)),
        "shares": [(str(p), percent(p / 100, 0)) for p in SHARES], "seeds": [(seed, seed) for seed in SEEDS],
        "common": math.sqrt(1 / 2), "used": [f.__name__ for f in CODE],
    }


CODE = (random_tables, nearness)
