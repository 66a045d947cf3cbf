"""Cut: a text becomes tokens and ids, one by one, by greedy longest match over the twelve tokens of the toy."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tokenwalk import path, position, tokens, toy
from tokenwalk.panels import build_x
from tokenwalk.render import visible
from tokenwalk.state import BadInput, between, chosen, one_of, to_link, up_to

LONGEST = 200         # characters of a text, and so tokens at most
EXAMPLES = (toy.TEXT, "the dog climbed the wall.", "the the", "the bird", "The cat")


@dataclass(frozen=True)
class State:
    """What the reader chose: the text, how many of its tokens are found (if there are as many), and the scheme.

    The scheme is chosen on other pages; this one only hands it on.
    """

    text: str = up_to(LONGEST, toy.TEXT)
    found: int = between(0, LONGEST, 0)
    scheme: str = one_of(position.SCHEMES, "learned")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    n = len(tokens.covered(state.text))
    match action:
        case {"do": "next"}:
            return replace(state, found=min(state.found + 1, n))
        case {"do": "back"}:
            return replace(state, found=max(min(state.found, n) - 1, 0))
        case {"do": "all"}:
            return replace(state, found=n)
        case {"do": "reset"}:
            return replace(state, found=0)
        case {"text": _}:
            return replace(chosen(state, action), found=LONGEST)
    raise BadInput("the panel has no such control")


def blame(text: str, start: int) -> dict[str, Any]:
    """The letter that no token covers: its place, from 1, how it looks, whether the text just ends there."""
    place = tokens.blamed(text, start)
    letter = text[place]
    plain = letter.isascii() and letter.isprintable()
    return {"place": place + 1, "letter": visible(letter), "code": "" if plain else f"U+{ord(letter):04X}",
            "ends": start + max(tokens.agreed(text, start)) == len(text), "passed": visible(text[start:place])}


def onward(ids: list[int], scheme: str) -> str:
    """The link, for the panel of the next page, that hands on the first path.LONGEST ids and the scheme."""
    return to_link(build_x.State(ids=path.written(ids[:path.LONGEST]), scheme=scheme))


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    text = state.text
    every = tokens.covered(text)                              # (n,)
    ids = every[:state.found]
    start, end = len(tokens.decode(ids)), len(tokens.decode(every))
    agreed = tokens.agreed(text, start)                       # (V,)
    stuck = len(ids) == len(every) and end < len(text)
    return {
        "ids": ids, "n": len(every), "place": start + 1, "rest": visible(text[start:]), "agreed": agreed,
        "fits": tokens.longest(text, start), "complete": end == len(text), "stuck": stuck,
        "blame": blame(text, start) if stuck else None, "carried": every[:path.LONGEST],
        "onward": onward(every, state.scheme),
        "before": start + 1 - len(tokens.PIECES[ids[-1]]) if ids else 0,
        "letters": [(visible(piece[:k]), visible(piece[k:]), len(piece))
                    for piece, k in zip(tokens.PIECES, agreed, strict=True)],
        "examples": EXAMPLES, "longest": LONGEST, "used": [f.__name__ for f in CODE],
    }


CODE = (tokens.covered, tokens.longest, tokens.agreed)
