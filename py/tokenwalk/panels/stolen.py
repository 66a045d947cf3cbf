"""Stolen probability: a row of the reader's own meets E, and the token whose row is a mixture of two never wins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokenwalk import attention, output, toy
from tokenwalk.render import EXACT
from tokenwalk.state import chosen, real

MOST = 8.0  # of each number, up or down: no number of a row gets further behind the toy's final norm
CAT, ROOF, END = (toy.TOKENS.index(token) for token in ("␣cat", "␣roof", "<|endoftext|>"))
PAIR = (CAT, ROOF)  # E[END] is half of each


@dataclass(frozen=True)
class State:
    """The four numbers of the reader's row; at first four times the row of E that belongs to <|endoftext|>."""

    h1: float = real(-MOST, MOST, 4 * toy.E[END, 0])
    h2: float = real(-MOST, MOST, 4 * toy.E[END, 1])
    h3: float = real(-MOST, MOST, 4 * toy.E[END, 2])
    h4: float = real(-MOST, MOST, 4 * toy.E[END, 3])


# What the buttons put in. With "best" no whole numbers within the sliders give <|endoftext|> more.
ROWS = {"own": State(), "best": State(MOST, -MOST, MOST, 0.0), "zero": State(0.0, 0.0, 0.0, 0.0)}


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    match action:
        case {"do": "own" | "best" | "zero" as name}:
            return ROWS[name]
    return chosen(state, action)


def holding(h: ArrayLike) -> State:
    """The state that holds a row, its numbers rounded to three decimals: (4,)."""
    return State(*(round(float(x), 3) + 0.0 for x in np.asarray(h)))


def winners(logits: NDArray[np.float64]) -> list[int]:
    """The ids with the largest logit, those that tie included: (V,)."""
    return np.flatnonzero(logits > logits.max() - EXACT).tolist()


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    h = np.array([state.h1, state.h2, state.h3, state.h4])   # (d,)
    z = output.logits(h, toy.E)                              # (V,)
    return {
        "h": h, "z": z, "p": output.probabilities(z), "first": winners(z), "pair": PAIR, "end": END,
        "most": MOST, "rows": ROWS, "used": [f.__name__ for f in CODE],
    }


CODE = (output.logits, output.probabilities, attention.softmax, winners)
