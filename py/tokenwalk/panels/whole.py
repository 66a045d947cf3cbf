"""The whole path in one picture: each stage from the text to the next token, its matrix at a glance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenwalk import attention, block, generate, output, path, tokens
from tokenwalk.given import Asking, choices
from tokenwalk.panels import cut
from tokenwalk.state import chosen, to_link

CAP = 15  # states in the table: each sentence under each scheme
MOST = 3  # candidates that the sixth stage names


@dataclass(frozen=True)
class State(Asking):
    """What the reader chose: sentence and scheme, and the number whose origin is asked for."""


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    return chosen(state, action)


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    ids = path.ids_of(state.ids)
    run = path.walk(ids, state.scheme)
    picks, why = generate.generated(ids, state.scheme)
    last = run.p[-1]                                            # (V,)
    return {
        "ids": ids, "run": run, "last": last, "first": np.argsort(-last, kind="stable")[:MOST].tolist(),
        "more": [pick.id for pick in picks], "why": why, "best": run.weights[1, -1].argmax(),
        "used": [f.__name__ for f in CODE], **choices(state),
        "as_text": to_link(cut.State(tokens.decode(ids), len(ids), state.scheme)),
    }


CODE = (path.walk.__wrapped__, block.layer_norm, attention.per_head, attention.scores, attention.softmax,
        attention.concatenated, block.relu, output.final, output.logits, output.probabilities, generate.generated)
