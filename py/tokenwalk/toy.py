"""The running example, as data: twelve tokens, four numbers each, eight positions.

All numbers are picked by hand, on a grid of 0.5, so that every sum can be checked on paper. Each row of E and of P sums
to zero; that keeps the layer norm of a later step short. The geometry means nothing: ␣wall is 2 × ␣floor, and nobody
should read a meaning into which row lies near which. Arrays are read-only: no panel can change them for another.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def frozen(values: ArrayLike, dtype: type = float) -> NDArray[Any]:
    """The values as an array that refuses to be written to."""
    array: NDArray[Any] = np.array(values, dtype)
    array.setflags(write=False)
    return array


# ␣ shows a leading space: `the` and `␣the` are two tokens, with two ids and two rows.
TOKENS = ("the", "␣the", "␣cat", "␣dog", "␣climb", "ed", "␣roof", "␣wall", "␣sofa", "␣floor", ".", "<|endoftext|>")

E = frozen([  # (V, d) = (12, 4)
    [-0.5, -0.5,  0.0,  1.0],  # the
    [-0.5,  0.0, -0.5,  1.0],  # ␣the
    [ 1.0, -0.5,  0.0, -0.5],  # ␣cat
    [ 1.0, -0.5, -0.5,  0.0],  # ␣dog
    [-0.5,  1.0,  0.0, -0.5],  # ␣climb
    [ 0.0,  0.5, -0.5,  0.0],  # ed
    [ 0.0, -0.5,  1.0, -0.5],  # ␣roof
    [ 1.0,  0.0, -1.0,  0.0],  # ␣wall
    [ 0.5, -0.5, -0.5,  0.5],  # ␣sofa
    [ 0.5,  0.0, -0.5,  0.0],  # ␣floor
    [ 0.0,  0.0,  1.0, -1.0],  # .
    [ 0.5, -0.5,  0.5, -0.5],  # <|endoftext|>, half ␣cat and half ␣roof
])

P = frozen([  # (positions, d) = (8, 4)
    [ 0.0,  0.0,  0.0,  0.0],  # position 1 on the page, 0 in code
    [ 0.5,  0.0, -0.5,  0.0],
    [ 0.0,  0.5,  0.0, -0.5],
    [-0.5,  0.0,  0.5,  0.0],
    [ 0.0, -0.5,  0.0,  0.5],
    [ 0.0, -1.0,  1.0,  0.0],
    [ 1.0,  0.0,  0.0, -1.0],
    [-1.0,  1.0,  0.0,  0.0],
])

TEXT = "the cat climbed the"
IDS = frozen([0, 2, 4, 5, 1], int)      # the ␣cat ␣climb ed ␣the
TARGETS = frozen([2, 4, 5, 1, 6], int)  # the token that follows each of them; after the last comes ␣roof
SWAP = (1, 2)                           # the two places that the page trades: ␣cat and ␣climb
