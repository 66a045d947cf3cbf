"""The way back: the gradient that arrives at each token falls into the row of E that the token was read from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import lookup, tokens, toy
from tokenwalk.state import BadInput, between, one_of

Array = NDArray[np.float64]
V, d = toy.E.shape
# The sentence in the middle of a text: its first token has a leading space too, and so ␣the comes twice.
TEXTS = {"repeat": " " + toy.TEXT, "once": toy.TEXT}
n = len(toy.IDS)
BY_HAND = toy.frozen([  # (n, d), what might arrive from the layers above: quarters, so that sums are short
    [ 0.5,   0.0,   -0.5,   0.0],
    [-0.25,  0.5,    0.0,  -0.25],
    [ 0.0,  -0.5,    0.25,  0.25],
    [ 0.25,  0.25,  -0.5,   0.0],
    [ 0.5,   0.25,  -0.25, -0.5],
])
CAP = 16  # states in the table, those nearest to the first; Python has the rest


@dataclass(frozen=True)
class State:
    """What the reader chose: how many tokens have sent their gradient, which sentence, where the gradient is from."""

    shown: int = between(0, n, 0)
    sentence: str = one_of(TEXTS, "repeat")
    source: str = one_of(("hand", "loss", "tied"), "hand")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    match action:
        case {"do": "next"}:
            return replace(state, shown=min(state.shown + 1, n))
        case {"do": "back"}:
            return replace(state, shown=max(state.shown - 1, 0))
        case {"do": "all"}:
            return replace(state, shown=n)
        case {"do": "reset"}:
            return State()
        case {"sentence": sentence}:
            return replace(state, sentence=sentence)
        case {"source": source}:
            return replace(state, source=source)
    raise BadInput("the panel has no such control")


def arriving(ids: NDArray[np.intp], source: str) -> tuple[Array, Array]:
    """G, the gradient at each token, and what each token sends to E by the output layer: (n, d), (n, V, d).

    By hand nothing comes by the output layer. From the loss, X = E[ids] + P, logits = X Eᵀ, mean cross-entropy with the
    targets of the page; untied, the output layer is a table of its own, and what it gets is no part of E's gradient.
    """
    if source == "hand":
        return BY_HAND, np.zeros((n, V, d))
    X = toy.E[ids] + toy.P[:n]                                                     # (n, d)
    _, G, _ = lookup.tied(X, toy.E, toy.TARGETS)                                   # (n, d)
    alone = [lookup.tied(X[[t]], toy.E, toy.TARGETS[[t]])[2] for t in range(n)]    # of a mean over one token
    return G, np.array(alone) / n * (source == "tied")                             # (n, V, d)


def zero_rows(table: Array) -> int:
    """How many rows hold nothing but zeros, exactly."""
    return int((~table.any(axis=1)).sum())


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    ids, k = np.array(tokens.encode(TEXTS[state.sentence])), state.shown           # (n,)
    G, by_output = arriving(ids, state.source)                                     # (n, d), (n, V, d)
    dense, output = lookup.scatter(ids[:k], G[:k], V), by_output[:k].sum(axis=0)   # (V, d) each
    rows, sums = lookup.sparse(ids[:k], G[:k])                                     # (m,), (m, d)
    complete = (lookup.scatter(ids, G, V), by_output.sum(axis=0))                  # what both grow to
    return {
        "ids": ids, "G": G, "k": k, "n": n, "V": V, "d": d, "i": int(ids[k - 1]) if k else None,
        "one_hot": lookup.one_hot(ids, V).T, "dense": dense, "output": output, "total": dense + output,
        "before": lookup.scatter(ids[:k - 1], G[:k - 1], V) if k else dense, "rows": rows, "sums": sums,
        "readers": [[t + 1 for t in range(k) if ids[t] == i] for i in range(V)],
        "norms": np.linalg.norm([dense, output, dense + output], axis=2).T,     # (V, 3)
        "zero": zero_rows(dense + output), "zero_by_lookup": zero_rows(dense),
        "most": max(np.abs(a).max() for a in (G, *complete, sum(complete))),
        "used": [f.__name__ for f in CODE if f is not lookup.tied or state.source != "hand"],
    }


CODE = (lookup.scatter, lookup.sparse, lookup.one_hot, arriving, lookup.tied)
