"""Two heads side by side: scores, mask, weights; then their outputs in one row, times W_O."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import attention, path, position, toy
from tokenwalk.given import Looking, choices, looked
from tokenwalk.render import EXACT
from tokenwalk.state import flag

Array = NDArray[np.float64]
CAP = 24  # states in the table; Python has the rest


@dataclass(frozen=True)
class State(Looking):
    """What the reader chose: sentence and scheme, the token that looks, and whether the future is masked."""

    mask: bool = flag(True)


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    return looked(state, action)


def written(concat: Array, W_O: Array) -> Array:
    """What each number of a row of heads brings to attention's output: that number times its row of W_O.

    concat (H w,), W_O (H w, d) -> (H w, d); the columns add up to the output.
    """
    return concat[:, None] * W_O


def changed(run: path.Run, other: path.Run) -> list[int]:
    """The positions, from 1, whose row of attention's output differs between two runs."""
    return (np.flatnonzero(np.abs(run.attn - other.attn).max(axis=1) > EXACT) + 1).tolist()


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    ids, t, scheme = path.ids_of(state.ids), state.at, position.SCHEMES[state.scheme]
    masked = path.walk(ids, state.scheme)
    off = () if state.mask else ("mask",)
    run = path.walk(ids, state.scheme, off)
    seen = run.weights[:, t]                                     # (H, n)
    last = run.p[-1]                                             # (V,)
    allowed = np.isfinite(run.masked)                            # (H, n, n)
    return {
        "ids": ids, "t": t, "n": len(ids), "run": run, "allowed": allowed[0], "scheme": scheme, "W_O": toy.W_O,
        "most": np.abs(run.masked[allowed]).max(), "best": seen.argmax(axis=1), "top": seen.max(axis=1),
        "brought": written(run.concat[t], toy.W_O), "changed": changed(run, masked), "next": int(last.argmax()),
        "chance": last.max(), "numbers": [f"head {h + 1}, {c + 1}" for h, c in np.ndindex(path.HEADS, path.WIDTH)],
        "used": [f.__name__ for f in (*ALWAYS, *scheme.functions)], **choices(state, off),
    }


ALWAYS = (path.walk.__wrapped__, written, attention.scores, attention.causal, attention.allowed, attention.softmax,
          attention.concatenated)
CODE = (*ALWAYS, *position.FUNCTIONS)
