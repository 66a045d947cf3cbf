"""The running example, as data: twelve tokens, four numbers each, eight positions, and one block of two heads.

All numbers lie on a grid of 0.5, so that every sum can be checked on paper. E and P are picked by hand, and each of
their rows sums to zero; that keeps the layer norm of a later step short. Their geometry means nothing: ␣wall is
2 × ␣floor, and nobody should read a meaning into which row lies near which. The weights of the block were found by a
search, so that greedy generation ends two sentences as it should; whatever they write into X sums to zero too. Arrays
are read-only: no panel can change them for another.
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

# The block. A matrix is applied to the right of a row: q = h W_Q.
W_Q = frozen([  # (H, d, w) = (2, 4, 2): one matrix a head, w numbers wide
    [[ 1.0,  0.0], [-2.0,  0.0], [ 0.5,  0.5], [ 0.0, -0.5]],
    [[ 0.0,  0.0], [ 0.0, -2.0], [ 0.0,  0.0], [ 0.5,  0.0]],
])
W_K = frozen([  # (H, d, w)
    [[ 0.0,  0.0], [-1.0, -0.5], [ 0.0,  0.0], [-1.0, -0.5]],
    [[ 0.0,  0.0], [ 0.0, -1.5], [ 0.0,  0.0], [-0.5, -0.5]],
])
W_V = frozen([  # (H, d, w)
    [[ 2.0, -1.5], [-0.5,  0.0], [ 0.0,  0.0], [ 0.5,  1.5]],
    [[-0.5,  0.5], [-1.5, -2.0], [ 0.0,  1.0], [-1.5, -1.5]],
])
W_O = frozen([  # (H w, d) = (4, 4), the rows that head 1 meets first
    [ 1.0,  0.5,  0.0, -1.5],
    [ 0.5, -1.5,  1.0,  0.0],
    [-1.0, -1.5,  1.5,  1.0],
    [ 1.5, -1.0,  1.5, -2.0],
])
W_1 = frozen([  # (d, f) = (4, 3): one column for each of f hidden neurons
    [ 0.0,  2.0,  0.5],
    [ 0.0,  0.0,  0.0],
    [ 0.0, -2.0,  0.0],
    [-1.5,  1.5, -0.5],
])
B_1 = frozen([0.0, 1.0, 1.0])  # (f,)
W_2 = frozen([  # (f, d)
    [-1.0,  1.0,  0.0,  0.0],
    [ 1.0,  0.0, -0.5, -0.5],
    [-1.0,  0.0,  1.0,  0.0],
])
B_2 = frozen([0.0, 2.0, 0.0, -2.0])  # (d,)
GAIN = 4.0                           # of the final norm

TEXT = "the cat climbed the"
IDS = frozen([0, 2, 4, 5, 1], int)      # the ␣cat ␣climb ed ␣the
TARGETS = frozen([2, 4, 5, 1, 6], int)  # the token that follows each of them; after the last comes ␣roof
SWAP = (1, 2)                           # the two places that the page trades: ␣cat and ␣climb
