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
    ids = covered(text)
    if len(decode(ids)) < len(text):
        raise ValueError(uncovered(text, len(decode(ids))))
    return ids


def covered(text: str) -> list[int]:
    """The ids of the tokens that cover the text from the left, as far as any token fits: (n,)."""
    ids, start = [], 0
    while (i := longest(text, start)) is not None:
        ids.append(i)
        start += len(PIECES[i])
    return ids


def decode(ids: ArrayLike) -> str:
    """The text of the ids: their tokens in a row, with ordinary spaces, so that decode(encode(text)) == text.

    ids (n,). IndexError for an id outside 0 … V − 1.
    """
    return "".join(PIECES[i] for i in checked(ids, len(PIECES)))


def longest(text: str, start: int) -> int | None:
    """The id of the longest token that the text has at this place, counted from 0; None if it has none there."""
    fitting = [i for i, k in enumerate(agreed(text, start)) if k == len(PIECES[i])]
    return max(fitting, key=lambda i: len(PIECES[i]), default=None)


def agreed(text: str, start: int) -> list[int]:
    """How many letters of each token, from its first, the text has at this place: (V,). A token fits if it is all."""
    return [max(k for k in range(len(piece) + 1) if text.startswith(piece[:k], start)) for piece in PIECES]


def blamed(text: str, start: int) -> int:
    """The place of the letter to blame, counted from 0, where no token fits: the first that no token goes on with.

    In "the bird" it is the b, not the space, since many tokens begin with one. In a text that ends inside a token it is
    the last letter.
    """
    return min(start + max(agreed(text, start)), len(text) - 1)


def uncovered(text: str, start: int) -> str:
    """The message for a text that no token fits from this place on."""
    place = blamed(text, start)
    return f"no token covers the letter {text[place]!r} at place {place + 1} of the text"
