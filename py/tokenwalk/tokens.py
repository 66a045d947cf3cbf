"""Step 1: a text becomes ids, by greedy longest match over the toy vocabulary.

Real tokenizers learn merges of byte pairs and never meet a letter they cannot write. Twelve tokens do meet one: that
is an error, and the error names the letter.
"""

from numpy.typing import ArrayLike

from . import toy
from .lookup import checked

# A text has ordinary spaces; only the printed token shows one as ␣.
PIECES = tuple(token.replace("␣", " ") for token in toy.TOKENS)


def encode(text: str) -> list[int]:
    """The ids of the text, from the left, each token as long as the vocabulary allows.

    ValueError for a letter that no token covers; it names the letter and its place, counted from 1.
    """
    ids, start = [], 0
    while start < len(text):
        ids.append(longest(text, start))
        start += len(PIECES[ids[-1]])
    return ids


def decode(ids: ArrayLike) -> str:
    """The text of the ids: their tokens in a row, with ordinary spaces, so that decode(encode(text)) == text.

    ids (n,). IndexError for an id outside 0 … V − 1.
    """
    return "".join(PIECES[i] for i in checked(ids, len(PIECES)))


def longest(text: str, start: int) -> int:
    """The id of the longest token that the text has at this place, counted from 0. ValueError if it has none."""
    ids = [i for i, piece in enumerate(PIECES) if text.startswith(piece, start)]
    if not ids:
        raise ValueError(uncovered(text, start))
    return max(ids, key=lambda i: len(PIECES[i]))


def uncovered(text: str, start: int) -> str:
    """The message for a text that no token fits from this place on.

    The letter to blame is the first that no token goes on with: in "the bird" it is the b at place 5, not the space.
    """
    place = start
    while place < len(text) - 1 and any(piece.startswith(text[start : place + 1]) for piece in PIECES):
        place += 1
    return f"no token covers the letter {text[place]!r} at place {place + 1} of the text"
