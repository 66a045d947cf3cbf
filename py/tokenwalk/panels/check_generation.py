"""Check yourself, step 7: what writes as greedy does, what the gates keep, and what a cache need not make again."""

from tokenwalk import checking, cost, generate, output, path, toy
from tokenwalk.generate import Rule
from tokenwalk.questions import Choice, Number, Row, Rows, Several, in_panel, rows_changed

PAGE, KEEP, CAP = "7-generation", True, 30
HOT, SHARE, SEED = 5.0, 0.9, 7
IDS, EDITED, START, SOFA = (path.ids_of(words) for words in (toy.TEXT, "0 2 3 5 1", "the cat", " sofa"))
RUN, ROOF = path.walk(IDS), toy.TOKENS.index("␣roof")
SHORT, LONGER = 3, 6  # tokens in two runs with a cache
PARTS = ("q, k, v", "scores", "weights × v", "W_O")


def like_greedy() -> set[str]:
    """What writes the text that greedy writes, as far as one text shows it; what is cold, by its odds in a tie."""
    greedy, best = generate.continued(START), generate.most_probable(SOFA)
    rules = {"hot": Rule(temperature=HOT), "one": Rule(SEED, k=1), "seed": Rule(SEED)}
    claims = {name: generate.continued(START, rule=rule) == greedy for name, rule in rules.items()}
    claims |= {"best": best == generate.continued(SOFA), "cold": output.probabilities([1, 1, 0], 0.01)[0] > 0.99}
    return {name for name, holds in claims.items() if holds}


def kept(T: float) -> int:
    """How many tokens top-p keeps at this temperature."""
    return int(generate.top_p(output.probabilities(RUN.logits[-1], T), SHARE).sum())


def kept_when_hot() -> str:
    """Whether top-p keeps fewer tokens at the temperature HOT than at 1, as many, or more."""
    change = kept(HOT) - kept(1)
    return "more" if change > 0 else "fewer" if change < 0 else "same"


def with_cache(n: int) -> list[int]:
    """The multiplications of some parts in the run on n tokens of which all but the newest are kept."""
    return [cost.run(n, n - 1)[part] for part in PARTS]


QUESTIONS = (
    Several(name="greedy", options=("best", "one", "cold", "hot", "seed"), right=like_greedy,
            proof=in_panel("generation", ids=path.written(SOFA), done=6)),
    Number(name="share", right=lambda: generate.pick(RUN.logits[-1], Rule(share=SHARE), 0).left[ROOF], tolerance=0.001,
           proof=in_panel("generation", rule="sampled", top_p=SHARE)),
    Choice(name="order", options=("fewer", "more", "same"), right=kept_when_hot,
           proof=in_panel("generation", rule="sampled", temperature=HOT, top_p=SHARE)),
    Rows(name="edit", options=tuple(str(t + 1) for t in range(len(IDS))), drawn=lambda: ("Y", IDS, RUN.Y),
         right=lambda: rows_changed(RUN.Y, path.walk(EDITED).Y)),
    Row(name="cache", right=lambda: with_cache(LONGER),
        proof=in_panel("generation", ids=path.written(START), done=LONGER - len(START) + 1)),
)
State, step, view, from_link = checking.door(
    QUESTIONS, generate=generate, p=RUN.p[-1], kept=kept, with_cache=with_cache, roof=ROOF, sofa=SOFA, edited=EDITED,
    hot=HOT, share=SHARE, short=SHORT, longer=LONGER, counted=PARTS)
CODE = checking.CODE
