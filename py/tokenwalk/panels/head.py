"""One head, for one token after the other: from X by layer norm, query, key and value to scores, weights and output."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from tokenwalk import attention, block, path, position, toy
from tokenwalk.given import Looking, choices, looked
from tokenwalk.render import over, subscript
from tokenwalk.state import one_of

Array = NDArray[np.float64]
CAP = 16  # states in the table; Python has the rest


@dataclass(frozen=True)
class State(Looking):
    """What the reader chose: sentence and scheme, the token that looks, and the head."""

    head: str = one_of([str(h + 1) for h in range(path.HEADS)], "2")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    return looked(state, action)


def sums(run: path.Run, h: int, t: int, biased: bool) -> dict[str, Array]:
    """What the sums of head h are made of when token t looks at the tokens 0 … t, one row a key.

    fits (t + 1, 2): q·k and q·k / √w; with a bias (t + 1, 4), the bias and the score too. powers (t + 1,): e to the
    score, the best score taken off; softmax divides by their sum. taken (t + 1, 2 w): the value, and weight × value,
    which adds up to the output.
    """
    row = (h, t, slice(t + 1))
    fit = run.k[h, : t + 1] @ run.q[h, t]                              # (t + 1,)
    scores, v = run.scores[row], run.v[h, : t + 1]                     # (t + 1,), (t + 1, w)
    return {
        "fits": np.column_stack([fit, fit / np.sqrt(path.WIDTH), *([run.bias[row], scores] if biased else [])]),
        "powers": np.exp(scores - scores.max()),
        "taken": np.hstack([v, run.weights[row][:, None] * v]),
    }


def columns(letters: Iterable[str]) -> list[Markup]:
    """The heads of the columns of such matrices side by side: q₁ q₂ k₁ k₂."""
    return [Markup("{}{}").format(x, subscript(j + 1)) for x in letters for j in range(path.WIDTH)]


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    ids = path.ids_of(state.ids)
    run, h, t = path.walk(ids, state.scheme), int(state.head) - 1, state.at
    scheme, x = position.SCHEMES[state.scheme], run.X[t]
    slope = position.alibi_slopes(path.HEADS)[h]
    return {
        "ids": ids, "t": t, "n": len(ids), "h": h, "run": run, "x": x, "mean": x.mean(), "root": block.root(x)[0],
        "W": np.hstack([toy.W_Q[h], toy.W_K[h], toy.W_V[h]]),                                      # (d, 3 w)
        "made": np.hstack([run.q0[h, t], run.k0[h, t], run.v[h, t]]),                              # (3 w,)
        "qk": np.hstack([run.q0[h], run.k0[h]]), "met": np.hstack([run.q[h], run.k[h]]),           # (n, 2 w) each
        "best": int(run.weights[h, t].argmax()), "scheme": scheme, "columns": columns, "epsilon": block.EPSILON,
        "slope": over(slope, round(1 / slope)), "longest": max(np.hypot(*x[h].T).max() for x in (run.q0, run.k0)),
        "used": [f.__name__ for f in (*ALWAYS, *scheme.functions)],
        **sums(run, h, t, scheme.acts_on == "scores"), **choices(state),
    }


ALWAYS = (path.walk.__wrapped__, sums, block.layer_norm, block.root, attention.per_head, attention.scores,
          attention.allowed, attention.softmax)
CODE = (*ALWAYS, *position.FUNCTIONS)
