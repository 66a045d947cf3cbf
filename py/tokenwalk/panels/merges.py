"""Merges: byte pairs become tokens, one merge after another, learnt from the reader's own text."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from tokenwalk import merges
from tokenwalk.merges import Stage
from tokenwalk.render import visible
from tokenwalk.state import BadInput, between, chosen, flag, up_to

LONGEST = 2000  # characters of a text
MOST = 200      # merges
DRAWN = 2000    # tokens of the text that are drawn
WIDE = 14       # characters of a token in a table or a sentence
NEXT = 8        # pairs, and merges, that stand in a table
CAP = 26        # states of the table: a few merges in each example
EXAMPLES = {
    "Cats and dogs": "the cat climbed the roof. the dog climbed the wall. the cat climbed the sofa. the dog walked the "
                     "floor. the cat walked the wall. the dog roofed the floor.",
    "Accents": "é è ê, élève, fève, thé, café, né, été, fête, tête, bête, même, père, mère, frère",
    "猫 and 👋": "猫は猫、犬は犬。猫と犬、犬と猫。👋 👋 👋🏽 👋🏽",
    "aaaaaaaa": "aaaaaaaa",
}


@dataclass(frozen=True)
class State:
    """What the reader chose: the text, how many merges (if it has as many), whether they may go across words."""

    text: str = up_to(LONGEST, EXAMPLES["Cats and dogs"])
    merges: int = between(0, MOST, 0)
    across: bool = flag()


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    k = len(stages(state)) - 1
    match action:
        case {"do": "back"}:
            return replace(state, merges=max(k - 1, 0))
        case {"do": "next" | "ten" | "all" as more}:
            wanted = replace(state, merges=min(k + {"next": 1, "ten": 10, "all": MOST}[str(more)], MOST))
            return replace(wanted, merges=len(stages(wanted)) - 1)
        case {"do": "reset"}:
            return replace(state, merges=0)
        case {"text": _}:
            return replace(chosen(state, action), merges=0)
        case {"across": _}:
            return chosen(state, action)
    raise BadInput("the panel has no such control")


def stages(state: State) -> list[Stage]:
    """The stages from the first to the one that the state shows."""
    return merges.learnt(state.text, state.merges, state.across)


def shown(token: bytes) -> str:
    """A token as text to look at, a byte that is no character by itself as ⟨C3⟩."""
    return visible(token.decode("utf-8", "surrogateescape"))


def brief(token: bytes) -> str:
    """The same, and of a long token only both ends."""
    text = shown(token)
    return text if len(text) <= WIDE else f"{text[: WIDE // 2]} … {text[-WIDE // 2 :]}"


def candidates(stage: Stage) -> list[tuple[Any, ...]]:
    """The next pairs to be merged, the first one first: left, its id, right, its id, count."""
    found = sorted(merges.pairs(stage).items(), key=lambda item: merges.rank(stage, *item))[:NEXT]
    return [(brief(a), stage.ids[a], brief(b), stage.ids[b], count) for (a, b), count in found]


def history(every: list[Stage]) -> list[dict[str, Any]]:
    """The merges made so far, the last one first."""
    made = []
    for k, stage in enumerate(every):
        if stage.pair:
            (left, right), token = stage.pair, b"".join(stage.pair)
            made.append({"k": k, "left": brief(left), "right": brief(right), "token": brief(token),
                         "id": stage.ids[token], "count": stage.count, "n": stage.n})
    return made[::-1]


def recut(stage: Stage, text: list[bytes]) -> list[list[tuple[str, bool]]]:
    """The text's pieces, each as its tokens and whether they are what was merged last; the first DRAWN tokens."""
    newest, room, drawn = b"".join(stage.pair or ()), DRAWN, []
    for piece in text:
        drawn.append([(shown(token), token == newest) for token in stage.cuts[piece][:room]])
        room -= len(drawn[-1])
    return [piece for piece in drawn if piece]


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    every = stages(state)
    stage, text = every[-1], merges.pieces(state.text, state.across)
    made, pairs = history(every), candidates(stage)
    return {
        "characters": len(state.text), "bytes": sum(map(len, text)), "n": stage.n, "V": len(stage.ids),
        "before": every[-2].n if made else stage.n, "kinds": len(set(chain(*stage.cuts.values()))),
        "cut": recut(stage, text), "left_out": max(stage.n - DRAWN, 0), "made": made, "recent": made[:NEXT],
        "older": made[NEXT:], "full": len(made) == MOST, "most": MOST, "NEXT": NEXT,
        "pairs": pairs, "over": not pairs or pairs[0][-1] < 2, "ties": sum(pair[-1] == pairs[0][-1] for pair in pairs),
        "examples": EXAMPLES, "longest": LONGEST, "used": [f.__name__ for f in (*ALWAYS, *(LEARNT if made else ()))],
    }


ALWAYS = (merges.pieces, merges.pairs, merges.rank)
LEARNT = (merges.after, merges.merged)
CODE = (*ALWAYS, *LEARNT)
