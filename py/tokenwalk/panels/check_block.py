"""Check yourself, step 5: what the MLP sees and writes, what the running sum keeps, and what two parts do together."""

import numpy as np

from tokenwalk import block, checking, facts, path, toy
from tokenwalk.questions import Choice, Number, Row, Rows, Several, in_panel, rows_changed

PAGE, KEEP, CAP = "5-block", True, 30
WIDE = 64  # d of the model in the last question
IDS, DOG, HEADS = path.ids_of(toy.TEXT), path.ids_of("the dog climbed the"), ("head 1", "head 2")
RUN, ALONE, BOTH = (path.walk(IDS, "learned", out) for out in ((), HEADS, ("head 1", "mlp")))


def true_of_the_sum() -> set[str]:
    """What holds of the running sum. Its three parts could be told apart if they had no more numbers than the sum."""
    d = toy.E.shape[1]
    claims = {"told": np.linalg.matrix_rank(np.hstack([np.eye(d)] * 3)) == 3 * d,
              "kept": np.allclose(RUN.Y, RUN.X + (RUN.attn + RUN.mlp)),
              "post": np.allclose(block.root(RUN.residual), 1),
              "zero": np.allclose([RUN.X.mean(axis=1), RUN.residual.mean(axis=1)], 0),
              "alibi": path.walk(IDS, "alibi").p[-1].argmax() == RUN.p[-1].argmax()}
    return {name for name, holds in claims.items() if holds}


def without_both() -> str:
    """What comes after the last token when head 1 and the MLP are left out together."""
    return {"the": "the", "␣roof": "roof", ".": "stop"}[toy.TOKENS[BOTH.p[-1].argmax()]]


QUESTIONS = (
    Rows(name="sees", options=tuple(str(t + 1) for t in range(len(IDS))), drawn=lambda: ("Y", IDS, ALONE.Y),
         right=lambda: rows_changed(ALONE.Y, path.walk(DOG, "learned", HEADS).Y),
         proof=in_panel("block", ids=path.written(DOG), head_1=False, head_2=False)),
    Row(name="writes", right=lambda: RUN.mlp[3], tolerance=0.002, proof=in_panel("block", t=4)),
    Several(name="sum", options=("told", "kept", "post", "zero", "alibi"), right=true_of_the_sum,
            proof=in_panel("block")),
    Choice(name="both", options=("stop", "the", "roof"), right=without_both,
           proof=in_panel("block", head_1=False, mlp=False)),
    Number(name="size", right=lambda: facts.gpt2_mlp(WIDE), digits=0),
)
State, step, view, from_link = checking.door(
    QUESTIONS, facts=facts, run=RUN, both=BOTH, wide=WIDE,
    one={out: path.walk(IDS, "learned", (out,)).p[-1] for out in ("head 1", "mlp")})
CODE = checking.CODE
