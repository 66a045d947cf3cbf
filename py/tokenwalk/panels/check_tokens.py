"""Check yourself, step 1: where a text is cut, and how merges are counted."""

from tokenwalk import checking, facts, merges, tokens
from tokenwalk.questions import Choice, Number, Row, in_panel

PAGE, KEEP, CAP = "1-tokens", True, 30
LEARNING = "\n".join(["bcd"] * 3 + ["bc"] + ["ab"] * 2 + ["abcd"])  # a text that teaches the merges of one question
STUCK = "the cats"
SAME = "a" * 8    # a text in which pairs overlap


def start_of_text() -> str:
    """The token at the start of the sentence, by whether its id is that of the token with a space."""
    first, *_, last = tokens.encode("the cat climbed the")
    return "same" if first == last else "bare" if not tokens.PIECES[first].startswith(" ") else "spaced"


def cut_by_merges() -> int:
    """How many tokens abcd is after the three merges that LEARNING teaches: b + c, bc + d, a + b."""
    return len(merges.learnt(LEARNING, 3)[-1].cuts[b"abcd"])


def overlapping() -> list[int]:
    """In SAME: how often the pair of two letters comes, and how many tokens one merge leaves."""
    before, after = merges.learnt(SAME, 1)
    return [merges.pairs(before)[b"a", b"a"], after.n]


QUESTIONS = (
    Choice(name="space", options=("spaced", "bare", "same"), right=start_of_text, proof=in_panel("cut", found=5)),
    Number(name="letter", right=lambda: tokens.blamed(STUCK, len(tokens.decode(tokens.covered(STUCK)))) + 1, digits=0,
           proof=in_panel("cut", text=STUCK, found=2)),
    Number(name="order", right=cut_by_merges, digits=0, proof=in_panel("merges", text=LEARNING, merges=3)),
    Number(name="merges", right=lambda: facts.GPT2.V - 256 - 1, digits=0, proof=in_panel("merges", merges=1)),
    Row(name="overlap", right=overlapping, proof=in_panel("merges", text=SAME, merges=1)),
)
State, step, view, from_link = checking.door(QUESTIONS, facts=facts, stuck=STUCK, same=SAME, overlap=overlapping())
CODE = checking.CODE
