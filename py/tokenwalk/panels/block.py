"""The block for one token: attention and then the MLP add to its row, and any part of either can be left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import block, generate, path, toy
from tokenwalk.given import Looking, choices, looked
from tokenwalk.render import EXACT
from tokenwalk.state import flag

Array = NDArray[np.float64]
CAP = 19  # states in the table, the first and all that are one control away; Python has the rest


@dataclass(frozen=True)
class State(Looking):
    """What the reader chose: sentence and scheme, the token, and which parts of the block are in use."""

    norm_1: bool = flag(True)
    head_1: bool = flag(True)
    head_2: bool = flag(True)
    norm_2: bool = flag(True)
    neuron_1: bool = flag(True)
    neuron_2: bool = flag(True)
    neuron_3: bool = flag(True)
    mlp: bool = flag(True)


SWITCHES = {part.replace(" ", "_"): part for part in path.PARTS if part != "mask"}  # the mask is step 4's


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    if action == {"do": "all"}:
        return State(ids=state.ids, scheme=state.scheme, t=state.t)
    return looked(state, action)


def by_head(heads: Array, W_O: Array) -> Array:
    """What each head adds to a row: its numbers times its own rows of W_O.

    heads (H, w), W_O (H w, d) -> (H, d); the rows add up to attention's output.
    """
    return np.array([numbers @ rows for numbers, rows in zip(heads, np.split(W_O, len(heads)), strict=True)])


def by_neuron(hidden: Array, W_2: Array) -> Array:
    """What each neuron adds to a row: its number times its row of W_2.

    hidden (f,), W_2 (f, d) -> (f, d); with b_2 the rows add up to the MLP's output.
    """
    return hidden[:, None] * W_2


def kinds(fed: Array, out: frozenset[str]) -> list[str]:
    """What each neuron is, in words: left out, or on, or off. fed (f,) -> (f,)."""
    return ["left out" if f"neuron {k}" in out else "on" if value > 0 else "off" for k, value in enumerate(fed, 1)]


def said(p: Array, whole: Array) -> dict[str, Any]:
    """Which ids are most probable (several if they tie) and how probable, in this run and in the whole one.

    p and whole (V,). `same` if no probability differs.
    """
    now, before = (np.flatnonzero(generate.top_k(row, 1)).tolist() for row in (p, whole))
    return {"now": now, "before": before, "chance": p[now[0]], "was": whole[before[0]],
            "same": np.abs(p - whole).max() < EXACT}


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    ids, t = path.ids_of(state.ids), state.at
    out = frozenset(part for name, part in SWITCHES.items() if not getattr(state, name))
    whole, run = path.walk(ids, state.scheme), path.walk(ids, state.scheme, out)
    norms = [(run.X[t], run.h[t]), (run.residual[t], run.norm2[t])]     # (d,) each: what goes in, what comes out
    return {
        "ids": ids, "t": t, "n": len(ids), "run": run, "out": [part for part in path.PARTS if part in out],
        "switches": SWITCHES, "norms": [(x, h, x.mean(), block.root(x)[0]) for x, h in norms],
        "heads": by_head(run.heads[:, t], toy.W_O), "kinds": kinds(run.fed[t], out),
        "written": by_neuron(run.hidden[t], toy.W_2), "epsilon": block.EPSILON,
        "predictions": [(k, said(run.p[k], whole.p[k])) for k in dict.fromkeys((len(ids) - 1, t))],
        "used": [f.__name__ for f in CODE], **choices(state, out),
    }


CODE = (path.walk.__wrapped__, block.layer_norm, block.root, by_head, block.hidden, block.relu, by_neuron)
