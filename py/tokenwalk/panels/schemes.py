"""The schemes: what each one adds, turns or takes away, drawn whole, and the score of two equal vectors by distance."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import facts, position, toy
from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.image import png
from tokenwalk.render import number
from tokenwalk.state import between, chosen, flag, one_of

Array = NDArray[np.float64]
CAP = 5  # states in the table, those nearest to the first; Python has the rest
MOST, SEED = 64, 4
SIZES = {"toy": toy.P.shape, "large": (MOST, 16)}
HEADS = ("8", "12")


@dataclass(frozen=True)
class State:
    """What the reader chose: the scheme, how many positions and columns, ALiBi's heads, the factor √d."""

    scheme: str = one_of(position.SCHEMES, "sinusoidal")
    n: int = between(2, MOST, SIZES["large"][0])
    d: int = between(2, MOST, SIZES["large"][1], step=2)
    heads: str = one_of(HEADS, "8")
    scaled: bool = flag()


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    match action:
        case {"do": str(size)} if size in SIZES:
            return replace(state, n=SIZES[size][0], d=SIZES[size][1])
        case {"scheme": _}:
            return replace(chosen(state, action), scaled=False)
    return chosen(state, action)


@cache
def untrained(d: int) -> Array:
    """A table of positions before any training: seeded normal draws of variance 1/d, so a row has norm 1 or so.

    (64, d). By Python's own generator.
    """
    draw = Random(SEED).gauss
    return np.array([[draw(0, d**-0.5) for _ in range(d)] for _ in range(MOST)])


def learned_table(n: int, d: int) -> Array:
    """The toy's P where it reaches, otherwise a table that was not trained: (at least n, d)."""
    return toy.P if n <= len(toy.P) and d == toy.P.shape[1] else untrained(d)


def scores(state: State, x: Array) -> Array:
    """The score of the last position's query with the key at each distance back, if both come from the same x.

    x (d,) -> (1, n), or (heads, n) for ALiBi: q·k/√d, plus ALiBi's bias; distance 0 first.
    """
    n, d = state.n, state.d
    signal = position.SCHEMES[state.scheme].signal
    X = np.tile(x, (n, 1)) + (signal(n, d, learned_table(n, d)) if signal else 0)                   # (n, d)
    q = position.rope(X, np.arange(n)) if state.scheme == "rope" else X                             # (n, d)
    bias = position.alibi_bias(n, int(state.heads))[:, -1] if state.scheme == "alibi" else np.zeros((1, n))
    return np.asarray(q[-1] @ q.T / np.sqrt(d) + bias)[:, ::-1]                                     # (heads, n)


def counted(first: int, last: int) -> tuple[float, ...]:
    """The marks of an axis that counts: all of a few, else the first, the one in the middle and the last."""
    return tuple(range(first, last + 1) if last - first < 8 else (first, (first + last) // 2, last))


def as_map(values: Array, most: float, across: str) -> dict[str, Any]:
    """A table of one row a position as an image in a chart: position downwards, `across` to the right."""
    n, columns = values.shape
    along = Axis(across, 0.5, columns + 0.5, counted(1, columns))
    down = Axis("position t, from 0", n - 0.5, -0.5, counted(0, n - 1))
    return {"src": png(values, most), "least": values.min(), "most": values.max(), "shape": (n, columns),
            "chart": Chart(along, down)}


def pictures(state: State) -> dict[str, Any]:
    """The signal of the scheme as images: one map of what is added or by how much is turned, or a triangle a head."""
    n, d, scheme = state.n, state.d, position.SCHEMES[state.scheme]
    if scheme.signal:
        added = scheme.signal(n, d, learned_table(n, d))                                            # (n, d)
        return {"map": as_map(added, np.abs(added).max(), "column"), "norm": np.linalg.norm(added, axis=1).mean()}
    if state.scheme == "rope":
        theta, _ = position.frequencies(d)
        turned = np.outer(np.arange(n), theta) % (2 * np.pi)                                        # (n, d/2)
        return {"map": as_map(turned, 2 * np.pi, "pair"), "rounds": 2 * np.pi / theta}
    if state.scheme == "alibi":
        slopes, bias = position.alibi_slopes(int(state.heads)), np.tril(position.alibi_bias(n, int(state.heads)))
        deepest = (n - 1) * slopes.max()
        return {"slopes": slopes, "triangles": [png(b, deepest) for b in bias], "farthest": bias[:, -1, 0],
                "steepest": int(slopes.argmax()), "gentlest": int(slopes.argmin())}
    return {}


def labels(curves: Array, scheme: str) -> list[tuple[int, float, str, str]]:
    """The words on the curves: the scores at both ends, or with several heads the name of those that lie apart."""
    last = curves.shape[1] - 1
    if scheme != "alibi":
        return [(t, curves[0, t], number(curves[0, t]), side) for t, side in ((0, "right"), (last, "left"))]
    order = curves[:, -1].argsort()
    return [(last, curves[h, -1], f"head {h + 1}", "left") for h in order[[0, 1, -1]]]


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    n, d = state.n, state.d
    x = np.full(d, d**-0.5 * (np.sqrt(d) if state.scaled else 1))                                   # (d,)
    curves = scores(state, x)                                                                       # (1 or heads, n)
    low, high = min(curves.min(), 0), max(curves.max(), 0)
    room = 0.08 * (high - low)
    return {
        "n": n, "d": d, "most": MOST, "scheme": position.SCHEMES[state.scheme], "x": x, "x_norm": np.linalg.norm(x),
        "menu": position.MENU, "heads_menu": HEADS, "sizes": SIZES,
        "by_hand": learned_table(n, d) is toy.P, "sinusoid_norm": facts.sinusoid_norm(d), "curves": curves,
        "drawn": [0, n - 1] if state.scheme in ("none", "alibi") else list(range(n)),  # two points are a straight line
        "c": Chart(axis("distance, in positions back", 0, n - 1), axis("score", low - room * (low < 0), high + room)),
        "notes": labels(curves, state.scheme), "map": None, "triangles": [],
        "used": [f.__name__ for f in (scores, *position.SCHEMES[state.scheme].functions)],
        **pictures(state),
    }


CODE = (scores, *position.FUNCTIONS)
