"""The lookup in its two forms: row i of E, and the product of a one-hot row with the whole of E."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenwalk import facts, lookup, toy
from tokenwalk.render import token
from tokenwalk.state import chosen, one_of

V, d = toy.E.shape


@dataclass(frozen=True)
class State:
    """What the reader chose: one id, as text, and the column whose sum is written out."""

    id: str = one_of([str(i) for i in range(V)], "4")
    column: str = one_of([str(k + 1) for k in range(d)], "2")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    return chosen(state, action)


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    i = int(state.id)
    one_hot = lookup.one_hot([i], V)[0]      # (V,)
    products = one_hot[:, None] * toy.E      # (V, d)
    read, summed = lookup.lookup(toy.E, [i])[0], products.sum(axis=0)  # (d,)
    return {
        "V": V, "d": d, "i": i, "k": int(state.column) - 1, "facts": facts, "most": np.abs(toy.E).max(),
        "one_hot": one_hot, "products": products, "read": read, "summed": summed, "equal": np.array_equal(read, summed),
        "sentence": [(str(j), token(j)) for j in toy.IDS], "columns": [(str(k + 1), k + 1) for k in range(d)],
        "used": [f.__name__ for f in CODE],
    }


CODE = (lookup.lookup, lookup.one_hot)
