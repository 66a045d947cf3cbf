"""Order: attention's output for the sentence in two orders, and how far the outputs fail to move with their tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import numpy as np

from tokenwalk import attention, position, toy, worked
from tokenwalk.render import EXACT, over, token
from tokenwalk.state import between, chosen, one_of

n = len(toy.IDS)
CAP = 22  # states in the table, those nearest to the first; Python has the rest
PRESETS = {
    "written": ("As written", list(range(n))),
    "swap": ("␣cat and ␣climb traded", worked.swapped(toy.SWAP)),
    "mirror": ("Mirrored", list(range(n))[::-1]),
}
TOKENS = [str(t + 1) for t in range(n)]  # what pressing a token does: its place as written, counted from 1


def text(order: list[int]) -> str:
    """An order as the state holds it: `0 2 1 3 4`."""
    return " ".join(map(str, order))


@dataclass(frozen=True)
class State:
    """What the reader chose: the places as written in their new order, the token picked (0: none), mask and scheme."""

    order: str = one_of([text(list(p)) for p in permutations(range(n))], text(worked.swapped(toy.SWAP)))
    picked: int = between(0, n, 0)
    mask: str = one_of(("none", "causal"), "none")
    scheme: str = one_of(position.SCHEMES, "none")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    match action:
        case {"do": str(name)} if name in PRESETS:
            return replace(state, order=text(PRESETS[name][1]), picked=0)
        case {"do": str(place)} if place in TOKENS:
            return pressed(state, int(place))
    return chosen(state, action)


def pressed(state: State, token: int) -> State:
    """The state after a token, named by its place as written, was pressed: picked, let go, or traded."""
    if state.picked in (0, token):
        return replace(state, picked=token - state.picked)
    names = {str(state.picked - 1): str(token - 1), str(token - 1): str(state.picked - 1)}
    return replace(state, order=" ".join(names.get(t, t) for t in state.order.split()), picked=0)


def largest(order: list[int], scheme: str, masked: bool) -> float:
    """The largest entry of |att(Π x) − Π att(x)|."""
    return float(np.abs(worked.order_difference(order, scheme, masked)).max())


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    order, masked = [int(t) for t in state.order.split()], state.mask == "causal"
    ids, scheme = toy.IDS[order], position.SCHEMES[state.scheme]
    before, after = (worked.attended(i, state.scheme, masked) for i in (toy.IDS, ids))   # (n, d) each
    difference = worked.order_difference(order, state.scheme, masked)                    # (n, d)
    at, column = np.unravel_index(np.argmax(np.abs(difference)), difference.shape)
    moved = np.abs(difference).max(axis=1) > EXACT                                       # (n,)
    slope = position.alibi_slopes(worked.HEADS)[0]
    return {
        "order": order, "ids": ids, "before": before, "after": after, "difference": difference,
        "most": max(np.abs(before).max(), np.abs(after).max()), "scheme": scheme, "masked": masked,
        "changed": [token(i) for i in ids[moved]], "kept": [token(i) for i in ids[~moved]],
        "largest": largest(order, state.scheme, masked), "where": (ids[at], int(column) + 1), "Pi": np.eye(n)[order],
        "slope": over(slope, round(1 / slope)), "presets": [(k, name, o == order) for k, (name, o) in PRESETS.items()],
        "menu": position.MENU,
        "every": [(k, s.title, [largest(order, k, m) for m in (False, True)]) for k, s in position.SCHEMES.items()],
        "used": [f.__name__ for f in (*ALWAYS, *([attention.causal] if masked else []), *scheme.functions)],
    }


ALWAYS = (worked.order_difference, worked.attended, attention.attention, attention.softmax)
CODE = (*ALWAYS, attention.causal, *position.FUNCTIONS)
