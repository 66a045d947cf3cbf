"""Check yourself, step 4: what the mask changes and what it leaves, and how two heads add up."""

import numpy as np

from tokenwalk import checking, path, toy
from tokenwalk.questions import Choice, Number, Row, Rows, in_panel, rows_changed

PAGE, KEEP, CAP = "4-mask-and-heads", True, 30
IDS = path.ids_of(toy.TEXT)
RUN, OPEN = path.walk(IDS), path.walk(IDS, "learned", ("mask",))
TRADED = path.walk(path.ids_of("0 4 2 5 1"))


def what_is_left() -> str:
    """What is left of attention's output without head 1: the part that head 2 writes, if its rows of W_O give that."""
    alone = path.walk(IDS, "learned", ("head 1",)).attn
    half = RUN.heads[1] @ toy.W_O[path.WIDTH:]
    return "part" if np.allclose(alone, half) else "other" if alone.any() else "nothing"


def changed_scores() -> str:
    """Whether the mask changes a score at or below the diagonal."""
    seen = np.tri(len(IDS), dtype=bool)
    return "above" if np.array_equal(RUN.masked[:, seen], OPEN.masked[:, seen]) else "all"


QUESTIONS = (
    Row(name="first", right=lambda: RUN.weights[1, 0], proof=in_panel("heads", t=1)),
    Rows(name="lift", options=tuple(str(t + 1) for t in range(len(IDS))), drawn=lambda: ("attn", IDS, RUN.attn),
         right=lambda: rows_changed(OPEN.attn, RUN.attn), proof=in_panel("heads", mask=False)),
    Choice(name="scores", options=("all", "above", "none"), right=changed_scores, proof=in_panel("heads", t=2)),
    Choice(name="alone", options=("nothing", "other", "part"), right=what_is_left, proof=in_panel("heads")),
    Number(name="subject", right=lambda: TRADED.weights[1, -1].argmax() + 1, digits=0,
           proof=in_panel("heads", ids="0 4 2 5 1")),
)
State, step, view, from_link = checking.door(QUESTIONS, run=RUN, traded=TRADED)
CODE = checking.CODE
