"""Output: one row of Y through the final norm and E to a logit for each id, and by softmax to a probability."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenwalk import attention, block, output, path, toy
from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.given import Looking, choices, looked
from tokenwalk.panels import stolen
from tokenwalk.render import token
from tokenwalk.state import one_of, real, to_link

CAP = 10  # states in the table; Python has the rest
COLDEST, HOTTEST = 0.1, 5.0
TEMPERATURES = np.geomspace(COLDEST, HOTTEST, 24)  # of the two curves
LABELLED = 4  # the point of a curve where its token stands


@dataclass(frozen=True)
class State(Looking):
    """What the reader chose: sentence and scheme, the token after which to predict, the temperature, and whose sums."""

    temperature: float = real(COLDEST, HOTTEST, 1)
    token: str = one_of([str(i) for i in range(len(toy.E))], "6")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    return looked(state, action)


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    ids, t, T = path.ids_of(state.ids), state.at, state.temperature
    run = path.walk(ids, state.scheme)
    y, z = run.Y[t], run.logits[t]                                              # (d,), (V,)
    order = np.argsort(-z, kind="stable")                                       # (V,), the largest first
    p = output.probabilities(z, T)                                              # (V,)
    curves = np.array([output.probabilities(z, u)[order[:2]] for u in TEMPERATURES]).T   # (2, 24)
    return {
        "ids": ids, "t": t, "n": len(ids), "T": T, "run": run, "y": y, "mean": y.mean(), "root": block.root(y)[0],
        "z": z, "p": p, "order": order.tolist(), "powers": np.exp((z - z.max()) / T),
        "epsilon": block.EPSILON, "zeros": int(np.floor(-np.log10(p.min()))),
        "following": ids[t + 1] if t + 1 < len(ids) else None, "pair": stolen.PAIR, "end": stolen.END,
        "to_stolen": to_link(stolen.holding(run.final[t])), "temperatures": TEMPERATURES, "curves": curves,
        "labelled": LABELLED, "menu": [(str(i), token(i)) for i in range(len(p))],
        "chart": Chart(Axis("temperature T (logarithmic)", COLDEST, HOTTEST, (0.1, 0.2, 0.5, 1, 2, 5), log=True),
                       axis("probability", 0, 1, count=4)),
        "coldest": COLDEST, "hottest": HOTTEST, "used": [f.__name__ for f in CODE], **choices(state),
    }


CODE = (path.walk.__wrapped__, output.final, block.layer_norm, block.root, output.logits, output.probabilities,
        attention.softmax)
