"""Check yourself, step 3: what decides a weight, and what is summed."""

import numpy as np

from tokenwalk import attention, checking, path, toy
from tokenwalk.questions import Choice, Number, Row, Several, in_panel

PAGE, KEEP, CAP = "3-query-key-value", True, 30
IDS = path.ids_of(toy.TEXT)
RUN = path.walk(IDS)


def summed() -> str:
    """Of q, k and v the one that the output of a head is a weighted sum of."""
    return next(x for x in "qkv" if np.allclose(RUN.heads, RUN.weights @ getattr(RUN, x)))


def turned() -> set[str]:
    """Which of q, k and v differ under RoPE from what they are without a position."""
    none, rope = path.walk(IDS, "none"), path.walk(IDS, "rope")
    return {x for x in "qkv" if not np.allclose(getattr(none, x), getattr(rope, x))}


QUESTIONS = (
    Choice(name="sum", options=("q", "k", "v"), right=summed, proof=in_panel("head", t=4)),
    Number(name="even", right=lambda: attention.softmax([101.0, 101.0])[0], tolerance=0.0005),
    Row(name="alone", right=lambda: RUN.heads[1, 0], proof=in_panel("head", t=1)),
    Number(name="score", right=lambda: RUN.scores[1, -1, 1], tolerance=0.005, proof=in_panel("head", t=5)),
    Several(name="rope", options=("q", "k", "v"), right=turned, proof=in_panel("head", scheme="rope")),
)
State, step, view, from_link = checking.door(QUESTIONS, run=RUN)
CODE = checking.CODE
