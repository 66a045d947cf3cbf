"""Add or concatenate: a token at a position on either side, and whether the sums, or the longer rows, are equal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import toy, worked
from tokenwalk.state import chosen, one_of

Array = NDArray[np.float64]
V, positions = len(toy.E), len(toy.P)
CAP = 24  # states in the table, those nearest to the first; Python has the rest
TOKENS, PLACES = [str(i) for i in range(V)], [str(t + 1) for t in range(positions)]


@dataclass(frozen=True)
class State:
    """What the reader chose: an id and a position, counted from 1, on each side."""

    first_token: str = one_of(TOKENS, "4")
    first_position: str = one_of(PLACES, "2")
    second_token: str = one_of(TOKENS, "5")
    second_position: str = one_of(PLACES, "3")


def sides(state: State) -> tuple[worked.Place, worked.Place]:
    """The id and the position from 0 on each side."""
    return ((int(state.first_token), int(state.first_position) - 1),
            (int(state.second_token), int(state.second_position) - 1))


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    match action:
        case {"do": "next"}:
            return following(state)
    return chosen(state, action)


def following(state: State) -> State:
    """The first of the equal pairs that comes after the present two sides, the lower id first; then from the start."""
    pairs, here = worked.equal_sums(), tuple(sorted(sides(state)))
    (i, t), (j, s) = next((pair for pair in pairs if pair > here), pairs[0])
    return State(str(i), str(t + 1), str(j), str(s + 1))


def added(i: int, t: int) -> Array:
    """The sum of the token's row and the position's: (d,)."""
    return np.asarray(toy.E[i] + toy.P[t])


def concatenated(i: int, t: int) -> Array:
    """The token's row with the position's behind it: (2 d,)."""
    return np.concatenate([toy.E[i], toy.P[t]])


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    both, pairs = sides(state), worked.equal_sums()
    sums, rows = [added(i, t) for i, t in both], [concatenated(i, t) for i, t in both]
    every = [{tuple(f(i, t)) for i, t in np.ndindex(V, positions)} for f in (added, concatenated)]
    here = tuple(sorted(both))
    return {
        "V": V, "positions": positions, "sides": both, "sums": sums, "rows": rows, "same": both[0] == both[1],
        "equal": np.array_equal(sums[0], sums[1]), "equal_rows": np.array_equal(rows[0], rows[1]), "pairs": len(pairs),
        "number_of": pairs.index(here) + 1 if here in pairs else 0, "of": V * positions, "most": np.abs(sums).max(),
        "differ": [k + 1 for k in np.flatnonzero(sums[0] != sums[1])],
        "different": [len(values) for values in every], "used": [f.__name__ for f in CODE],
    }


CODE = (added, concatenated, worked.equal_sums)
