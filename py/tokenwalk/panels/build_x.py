"""Build X: one row for each token, its row of E plus its position, under every position scheme."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from tokenwalk import given, lookup, position, toy, worked
from tokenwalk.path import LONGEST, ids_of
from tokenwalk.render import EXACT, number, over, subscript
from tokenwalk.state import BadInput, between, flag, one_of

Array = NDArray[np.float64]
d = toy.E.shape[1]
# Which two places of the sentence a swap trades, counted from 0. In the example the second makes two rows of X equal.
SWAPS = {"swap": toy.SWAP, "swap_far": (2, 4)}


@dataclass(frozen=True)
class State:
    """What the reader chose: how many rows are built (if the sentence has as many), the scheme, which two tokens are
    swapped, whether it plays; and the ids of the sentence, which page 1 hands on."""

    shown: int = between(0, LONGEST, 0)
    scheme: str = one_of(position.SCHEMES, "learned")
    swapped: str = one_of(("no", *SWAPS), "no")
    playing: bool = flag()
    ids: str = given.sentence()
    cell: str = given.asked()


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    n = len(sentence(state))
    match action:
        case {"do": "next" | "tick"}:
            shown = min(state.shown + 1, n)
            return replace(state, shown=shown, playing=state.playing and shown < n)
        case {"do": "back"}:
            return replace(state, shown=max(min(state.shown, n) - 1, 0), playing=False)
        case {"do": "play"}:
            return replace(state, shown=min(state.shown, n) % n, playing=True)
        case {"do": "pause"}:
            return replace(state, playing=False)
        case {"do": "reset"}:
            return State()
        case {"do": "swap" | "swap_far" as pair}:
            return replace(state, swapped="no" if state.swapped == pair else pair)
        case {"scheme": scheme}:
            return replace(state, scheme=scheme)
        case {"cell": cell}:
            return replace(state, cell=cell)
    raise BadInput("the panel has no such control")


def sentence(state: State) -> NDArray[np.int64]:
    """The ids of the sentence as written: (n,)."""
    return np.array(ids_of(state.ids))


def tradable(ids: NDArray[np.int64]) -> dict[str, tuple[int, int]]:
    """The swaps that change a sentence: those whose two places it has, with two different tokens."""
    return {name: (a, b) for name, (a, b) in SWAPS.items() if b < len(ids) and ids[a] != ids[b]}


def order(ids: NDArray[np.int64], swapped: str) -> list[int]:
    """The places of the sentence in the order in which its tokens now stand: [0, 2, 1, 3, 4] after the swap."""
    return worked.swapped(SWAPS[swapped], len(ids)) if swapped in tradable(ids) else list(range(len(ids)))


def names(ids: NDArray[np.int64]) -> list[str]:
    """A name for each token as written that stays its own when it moves: its id, and for a repeat `id-place`."""
    return [f"{i}-{t}" if i in ids[:t] else f"{i}" for t, i in enumerate(ids)]


def matrix_X(ids: NDArray[np.int64], scheme: str) -> tuple[Array, Array, Array | None]:
    """X, and the two parts it is the sum of: the rows of E, and the position signal if the scheme acts on X."""
    rows = lookup.lookup(toy.E, ids)                        # (n, d)
    signal = position.SCHEMES[scheme].signal
    added = signal(len(ids), d, toy.P) if signal else None  # (n, d)
    return (rows if added is None else rows + added), rows, added


def scores(X: Array, scheme: str) -> Array:
    """q·k/√d for every pair of positions with q = k = the rows of X, after RoPE or ALiBi (head 1) if chosen."""
    n = len(X)
    q = position.rope(X, np.arange(n)) if scheme == "rope" else X                          # (n, d)
    bias = position.alibi_bias(n, worked.HEADS)[0] if scheme == "alibi" else np.zeros((n, n))     # (n, n)
    return np.asarray(q @ q.T / np.sqrt(d) + bias)


def swap_effect(state: State) -> dict[str, Any]:
    """What the swap did to X and to the scores, by comparing the finished pictures of both orders."""
    ids, n = sentence(state), len(sentence(state))
    places = order(ids, state.swapped)
    before, after = (matrix_X(ids[p], state.scheme)[0] for p in (list(range(n)), places))
    new = [t for t in places if not np.allclose(after[t], before[places[t]], atol=EXACT)]
    old_scores = np.tril(scores(before, state.scheme), -1)
    new_scores = np.tril(scores(after, state.scheme)[np.ix_(places, places)], -1)
    pair = np.unravel_index(np.argmax(np.abs(new_scores - old_scores)), (n, n))
    return {
        "traded": [t + 1 for t in SWAPS[state.swapped]], "new": [(ids[places[t]], t + 1, after[t]) for t in new],
        "pair": ids[list(pair)], "before": old_scores[pair], "after": new_scores[pair],
        "moved": not np.allclose(old_scores, new_scores, atol=EXACT),
    }


def equal_rows(X: Array) -> tuple[int, int] | None:
    """The first two rows of X that are equal, counted from 0, or None: two tokens that nobody could tell apart."""
    return next(((a, b) for a, b in combinations(range(len(X)), 2) if np.allclose(X[a], X[b], atol=EXACT)), None)


def loudest(added: Array | None, t: int) -> list[int]:
    """The columns that the position at t changes, the one that changes most first: their sums teach most."""
    if added is None or t < 0:
        return []
    return [int(k) for k in np.argsort(-np.abs(added[t]), kind="stable") if abs(added[t, k]) > EXACT]


def for_rope(X: Array) -> dict[str, Any]:
    """What RoPE makes of q = k = X: the turned rows, the angles, and the longest hand, which fills its clock."""
    theta, _ = position.frequencies(d)
    turned = position.rope(X, np.arange(len(X)))
    return {"turned": turned, "theta": theta, "angles": [f"θ = {number(a)}" for a in theta],
            "longest": np.hypot(*X.reshape(-1, 2).T).max()}


def for_alibi(X: Array) -> dict[str, Any]:
    """What ALiBi adds to the scores of q = k = X, in each head, and each slope as one part of so many."""
    slopes = position.alibi_slopes(worked.HEADS)
    parts, n = [round(1 / slope) for slope in slopes], len(X)
    return {"bias": position.alibi_bias(n, worked.HEADS), "raw": X @ X.T / np.sqrt(d), "slopes": parts,
            "steepest": (n - 1) * slopes[0], "fractions": [partial(over, denominator=p) for p in parts],
            "keys": [Markup("k") + subscript(t + 1) for t in range(n)]}


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    written = sentence(state)
    places, n = order(written, state.swapped), len(written)
    ids, shown, swaps = written[places], min(state.shown, n), tradable(written)
    X, rows, added = matrix_X(ids, state.scheme)
    shapes = [a for a in (toy.E, X, added) if a is not None]
    scheme = position.SCHEMES[state.scheme]
    return {
        "n": n, "d": d, "t": shown - 1, "ids": ids, "X": X, "rows": rows, "added": added, "scheme": scheme,
        "most": max(np.abs(a).max() for a in shapes), "loudest": loudest(added, shown - 1),
        "equal": equal_rows(X[:shown]),
        "effect": swap_effect(state) if state.swapped in swaps else None,
        "names": [names(written)[t] for t in places],
        "swaps": [(name, [toy.TOKENS[written[t]] for t in swaps[name]]) for name in SWAPS if name in swaps],
        "used": [f.__name__ for f in (matrix_X, lookup.lookup, *scheme.functions)],
        **for_rope(X), **for_alibi(X), **given.choices(state, ids=tuple(ids.tolist())),
    }


CODE = (matrix_X, lookup.lookup, *position.FUNCTIONS)
