"""Check yourself, step 6: what is trained, what a temperature changes, and which tokens can never be first."""

import numpy as np

from tokenwalk import checking, cost, output, path, toy
from tokenwalk.panels.stolen import CAT, END, MOST, ROOF
from tokenwalk.questions import Choice, Number, Row, Rows, Several, in_panel
from tokenwalk.render import EXACT

PAGE, KEEP, CAP = "6-output", True, 30
HOT, WARM = 5.0, 2.0  # temperatures of two questions
IDS, STOP = path.ids_of(toy.TEXT), toy.TOKENS.index(".")
RUN = path.walk(IDS)
z, p = RUN.logits[-1], RUN.p[-1]  # (V,), (V,)


def trained() -> str:
    """Whether all rows predict in training: only if none depends on what comes after it, where its answer lies."""
    blind = all(cost.difference(IDS, n) < EXACT for n in range(1, len(IDS)))
    return "all" if blind and len(toy.TARGETS) == len(IDS) else "last"


def true_when_hot() -> set[str]:
    """What holds of the probabilities at the temperature HOT, beside those at 1."""
    hot = output.probabilities(z, HOT)                             # (V,)
    weaker = output.final(RUN.Y, toy.GAIN / HOT)[-1]               # (d,)
    claims = {"shift": np.allclose(hot, output.probabilities(z - HOT)), "greedy": hot.argmax() == p.argmax(),
              "zero": p.min() == 0, "gain": np.allclose(hot, output.probabilities(output.logits(weaker, toy.E)))}
    return {name for name, holds in claims.items() if holds}


def never_first() -> set[str]:
    """The ids that are alone in front for no h of whole numbers up to MOST, its last one 0.

    No other last number is needed: rows of E sum to zero, so what is added to all of h changes no logit.
    """
    steps = np.arange(-MOST, MOST + 1)
    h = np.stack(np.meshgrid(steps, steps, steps, [0.0]), axis=-1).reshape(-1, toy.E.shape[1])
    logits = output.logits(h, toy.E)                               # (rows, V)
    first = logits > logits.max(axis=1, keepdims=True) - EXACT     # (rows, V)
    return {str(i) for i in np.flatnonzero(~first[first.sum(axis=1) == 1].any(axis=0))}


QUESTIONS = (
    Choice(name="training", options=("last", "all", "leak"), right=trained, proof=in_panel("output", t=1)),
    Several(name="hot", options=("shift", "greedy", "zero", "gain"), right=true_when_hot,
            proof=in_panel("output", temperature=HOT)),
    Number(name="odds", right=lambda: np.divide(*output.probabilities(z, WARM)[[ROOF, STOP]]), tolerance=0.01,
           digits=2, proof=in_panel("output", temperature=WARM, token=str(STOP))),
    Row(name="between", right=lambda: [z[END], p[END]], proof=in_panel("output", token=str(END))),
    Rows(name="never", options=tuple(map(str, range(len(toy.E)))), drawn=lambda: ("E", range(len(toy.E)), toy.E),
         right=never_first, proof=in_panel("stolen", h1=MOST, h2=-MOST, h3=MOST, h4=0.0)),
)
State, step, view, from_link = checking.door(
    QUESTIONS, run=RUN, z=z, p=p, hot=HOT, warm=WARM, wall=output.probabilities(z, HOT)[7],
    cat=CAT, roof=ROOF, end=END, stop=STOP)
CODE = checking.CODE
