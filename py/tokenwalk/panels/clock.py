"""RoPE's clock: the hands of q and k, each turned by its position × θ, and their score at every offset."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import position, scaling, worked
from tokenwalk.chart import Chart, axis
from tokenwalk.state import between, chosen, one_of, real

Array = NDArray[np.float64]
CAP = 9  # states in the table, those nearest to the first; Python has the rest
LAST = 64    # the last position, counted from 0
NEAR = 24    # the offsets that the curve shows, unless the present one lies beyond
PAIRS = ("1", "2", "3", "4")
BASES = ("10", "100", "10000")
STARTS = {"alike": worked.RIGHT, "across": worked.UP}                          # where k's hands point before any turn
PLACES = {"3_1": (3, 1), "10_8": (10, 8), "4_1": (4, 1), "14_1": (14, 1)}      # the prose's positions of q and k


@dataclass(frozen=True)
class State:
    """What the reader chose: both positions, counted from 0, k's start, the pairs with their angles, the layout."""

    position_of_q: int = between(0, LAST, 3)
    position_of_k: int = between(0, LAST, 1)
    start: str = one_of(STARTS, "alike")
    pairs: str = one_of(PAIRS, "1")
    theta: float = real(0.01, 3.14, worked.THETA)
    base: str = one_of(BASES, "10000")
    layout: str = one_of(position.LAYOUTS, "interleaved")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    m, n = state.position_of_q, state.position_of_k
    match action:
        case {"do": "on"}:
            return replace(state, position_of_q=m + 1, position_of_k=n + 1)
        case {"do": "back"}:
            return replace(state, position_of_q=m - 1, position_of_k=n - 1)
        case {"do": "exchange"}:
            return replace(state, position_of_q=n, position_of_k=m)
        case {"do": "reset"}:
            return State()
        case {"do": str(place)} if place in PLACES:
            return replace(state, position_of_q=PLACES[place][0], position_of_k=PLACES[place][1])
    return chosen(state, action)


def angles(state: State) -> Array:
    """The angle θ of each pair: the reader's own for one pair, RoPE's for several. (pairs,) in radians a position."""
    d = 2 * int(state.pairs)
    return np.array([state.theta]) if d == 2 else position.frequencies(d, float(state.base))[0]


def columns(d: int, layout: str) -> list[int]:
    """The numbers of the interleaved columns, in the order in which `layout` stores them: 0 2 1 3 for halves."""
    return list(range(d)) if layout == "interleaved" else [*range(0, d, 2), *range(1, d, 2)]


def turned(q: Array, k: Array, state: State, layout: str) -> Array:
    """q and k as the state's layout stores them, each turned to its position as `layout` pairs the columns. (2, d)"""
    stored = np.stack([q, k])[:, columns(len(q), state.layout)]                                  # (2, d)
    return position.rotate(stored, np.outer([state.position_of_q, state.position_of_k], angles(state)), layout)


def for_curve(offset: int, theta: Array, q: Array, k: Array) -> dict[str, Any]:
    """The curve of the score over all offsets in reach, its axes, and the offsets whole turns of a lone hand away."""
    reach = NEAR if abs(offset) <= NEAR else LAST
    step = 0.5 if theta[0] <= 1 else 0.125                                  # a turn takes 12 points, or more
    offsets = np.arange(-reach, reach + step, step)                                              # (2 reach/step + 1,)
    turn, pairs = 2 * np.pi / theta[0], len(theta)
    turns = np.arange(np.ceil((-reach - offset) / turn), (reach - offset) / turn) if pairs == 1 else np.array([])
    along = axis("offset: position of q − position of k", -reach, reach, count=8)
    return {
        "c": Chart(along, axis("score q·k", -pairs, pairs)),
        "curve": (offsets, worked.at_offsets(offsets, q, k, theta)),
        "turn": turn, "again": offset + turn * turns[turns != 0],
    }


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    theta, m, n = angles(state), state.position_of_q, state.position_of_k
    q, k = np.tile(worked.RIGHT, len(theta)), np.tile(STARTS[state.start], len(theta))           # (d,), (d,)
    places, score = columns(len(q), state.layout), worked.clock(m, n, q, k, theta)
    other = next(name for name in position.LAYOUTS if name != state.layout)
    right, wrong = turned(q, k, state, state.layout), turned(q, k, state, other)                 # (2, d)
    hands = right[:, np.argsort(places)].reshape(2, -1, 2)                                       # (2, pairs, 2)
    return {
        "m": m, "n": n, "theta": theta, "last": LAST, "offset": m - n, "score": score, "hands": hands.swapaxes(0, 1),
        "wave": "cos" if state.start == "alike" else "sin", "products": (hands[0] * hands[1]).sum(-1),
        "rows": np.stack([q[places], *right, right[0] * right[1]], 1), "places": places, "other": other,
        "wrong": wrong, "wrong_score": float(wrong[0] @ wrong[1]), "order": columns(len(q), "halves"),
        "examples": PLACES, "pair_menu": PAIRS, "bases": BASES,
        "used": [f.__name__ for f in CODE if f is not scaling.unscaled or len(theta) > 1],
        **for_curve(m - n, theta, q, k),
    }


CODE = (worked.clock, worked.at_offsets, position.rotate, scaling.unscaled)
