"""Step 1: byte-pair merges, learnt from a text. The pair of tokens that comes most often becomes one token; then again.

The first tokens are the 256 bytes, with their values as ids, so that any text can be written. Merge k makes the token
with the id 255 + k. Source: Sennrich 2016 (arXiv 1508.07909), section 3.2; on bytes, Radford 2019, section 2.2.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise

Word = tuple[bytes, ...]   # a piece of the text, cut into tokens
Pair = tuple[bytes, bytes]

BYTES = {bytes([b]): b for b in range(256)}
PIECE = re.compile(r" ?[^ \t\n]+|[ \t\n]")  # a word with the one space before it, or another blank by itself


@dataclass(frozen=True)
class Stage:
    """What was learnt so far from a text: every piece of it as it is cut now, and the ids of all tokens."""

    number: Counter[bytes]      # how often each piece of the text comes
    cuts: dict[bytes, Word]     # each piece, cut
    ids: dict[bytes, int]
    pair: Pair | None = None    # the pair merged last, and how often it came
    count: int = 0

    @property
    def n(self) -> int:
        """How many tokens the whole text has."""
        return sum(times * len(self.cuts[piece]) for piece, times in self.number.items())


def pieces(text: str, across: bool = False) -> list[bytes]:
    """The text in pieces that no merge reaches beyond, as UTF-8: words, each with the one space before it, and blanks.

    Blanks are spaces, tabs and line breaks. If merges may go across words, the text is one piece.
    """
    return [piece.encode() for piece in ([text] if across else PIECE.findall(text))]


def start(text: str, across: bool = False) -> Stage:
    """The stage before the first merge: every byte of the text is a token."""
    number = Counter(pieces(text, across))
    return Stage(number, {piece: tuple(bytes([b]) for b in piece) for piece in number}, BYTES)


def pairs(stage: Stage) -> Counter[Pair]:
    """How often each pair of neighbours comes in the text. In `aaa` the pair of two `a` comes twice."""
    found: Counter[Pair] = Counter()
    for piece, word in stage.cuts.items():
        for pair in pairwise(word):
            found[pair] += stage.number[piece]
    return found


def rank(stage: Stage, pair: Pair, count: int) -> tuple[int, int, int]:
    """What the pairs are compared by; the smallest is merged next.

    The commonest pair comes first. Of pairs that come equally often it is the one whose left token has the smaller id,
    and if these are the same, the one whose right token has.
    """
    return -count, stage.ids[pair[0]], stage.ids[pair[1]]


def after(stage: Stage) -> Stage | None:
    """The stage after the next merge, or None if no pair comes twice."""
    often = {pair: count for pair, count in pairs(stage).items() if count > 1}
    if not often:
        return None
    pair, count = min(often.items(), key=lambda item: rank(stage, *item))
    token = b"".join(pair)
    ids = stage.ids if token in stage.ids else stage.ids | {token: len(stage.ids)}
    return replace(stage, cuts={piece: merged(word, pair) for piece, word in stage.cuts.items()}, ids=ids, pair=pair,
                   count=count)


def merged(word: Word, pair: Pair) -> Word:
    """The word with every such pair as one token, taken from the left: `aaa` has one pair of two `a` to merge."""
    if pair[0] not in word:
        return word
    tokens, t = [], 0
    while t < len(word):
        size = 2 if word[t : t + 2] == pair else 1
        tokens.append(b"".join(word[t : t + size]))
        t += size
    return tuple(tokens)


KEPT: dict[tuple[str, bool], list[Stage]] = {}  # the last text, so that the next merge need not begin at the first


def learnt(text: str, merges: int, across: bool = False) -> list[Stage]:
    """The stages from before the first merge to after the last: merges + 1 of them, or fewer if no pair comes twice."""
    if (text, across) not in KEPT:
        KEPT.clear()
        KEPT[text, across] = [start(text, across)]
    stages = KEPT[text, across]
    while len(stages) <= merges and (stage := after(stages[-1])):
        stages.append(stage)
    return stages[: merges + 1]
