"""Step 2: where the order of the tokens enters, one scheme after the other.

A scheme acts in one of three places: on X (a row is added for each position), on q and k (each pair of columns is
turned), or on the scores (a penalty for distance). SCHEMES names them all; a new one is a function and an entry there.
Positions count from 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokenwalk.scaling import SCALINGS as SCALINGS  # position.SCALINGS and position.frequencies are good names for them
from tokenwalk.scaling import even, unscaled
from tokenwalk.scaling import frequencies as frequencies

Floats = NDArray[np.float64]


def places(n: int) -> NDArray[np.intp]:
    """The positions of n tokens, 0 … n − 1: (n,). ValueError for n < 0."""
    if n < 0:
        raise ValueError(f"a text has 0 tokens or more, not {n}")
    return np.arange(n)


# --- on X ---------------------------------------------------------------------------------------------------------


def sinusoidal(n: int, d: int, base: float = 10000.0) -> Floats:
    """The fixed table of waves: row t is sin tθ_0, cos tθ_0, sin tθ_1, cos tθ_1 …, with θ from frequencies.

    (n, d). Not all code puts these columns in this order, or uses these θ. Transformers' XLM does; its Marian has all
    sines first and then all cosines; tensor2tensor, fairseq and transformers' M2M100 do that too and divide j by
    d/2 − 1 instead of d/2, so their slowest wave turns by exactly 1/base. ValueError for an odd d, a base not above 1,
    or n < 0. Source: Vaswani 2017 (arXiv 1706.03762), section 3.5, with t from 0.
    """
    theta, _ = frequencies(d, base)                                      # (d/2,)
    angles = np.outer(places(n), theta)                                  # (n, d/2)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n, d)  # (n, d)


def learned(P: ArrayLike, n: int) -> Floats:
    """The first n rows of a learned table, one row a position.

    P (positions, d) -> (n, d). IndexError for a text longer than the table: nothing was ever learned there.
    ValueError for n < 0.
    """
    P = np.asarray(P, float)
    if n > len(P):
        raise IndexError(f"the table ends at position {len(P)}, counted from 1, and this text has {n}")
    return P[places(n)]  # (n, d)


# --- on q and k ---------------------------------------------------------------------------------------------------


def rope(x: ArrayLike, positions: ArrayLike, base: float = 10000.0, layout: str = "interleaved") -> Floats:
    """The rows of x, the pairs of each turned by its position × θ.

    x (..., n, d), positions (n,), whole or not, none below 0 -> (..., n, d). To turn backwards, by an offset, give
    rotate the angles. ValueError for a negative position, an odd d, a base not above 1 or an unknown layout.
    Source: Su 2021 (arXiv 2104.09864), section 3.2.
    """
    if not np.greater_equal(positions, 0).all():
        raise ValueError(f"positions count from 0, so none may be negative, and here one is {np.min(positions)}")
    theta, _ = frequencies(np.shape(x)[-1], base)                  # (d/2,)
    return rotate(x, np.multiply.outer(positions, theta), layout)  # (..., n, d)


def rotate(x: ArrayLike, angles: ArrayLike, layout: str = "interleaved") -> Floats:
    """The rows of x, each pair taken as a complex number and multiplied by e^{i angle}.

    x (..., n, d), angles (n, d/2) in radians -> (..., n, d). A pair is two neighbouring columns (interleaved: the
    paper, GPT-J, Cohere, Meta's own code for Llama), or column j and column j + d/2 (halves: GPT-NeoX, and most models
    in transformers, Llama among them: its weights are stored with their columns reordered to suit). Transformers'
    DeepSeek-V3 reads interleaved pairs and writes halves, for q and k alike, so that no score changes.
    ValueError for an odd d or another layout.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"no layout is called {layout!r}; there are {', '.join(LAYOUTS)}")
    x = np.asarray(x, float)
    real, imaginary = LAYOUTS[layout](even(x.shape[-1]))
    z = (x[..., real] + 1j * x[..., imaginary]) * np.exp(1j * np.asarray(angles))  # (..., n, d/2)
    turned = np.empty((*z.shape[:-1], x.shape[-1]))                                # (..., n, d)
    turned[..., real], turned[..., imaginary] = z.real, z.imag
    return turned


# The columns that hold the first and the second number of each pair, for a width d.
LAYOUTS: dict[str, Callable[[int], tuple[slice, slice]]] = {
    "interleaved": lambda d: (slice(0, d, 2), slice(1, d, 2)),
    "halves": lambda d: (slice(0, d // 2), slice(d // 2, d)),
}


# --- on the scores ------------------------------------------------------------------------------------------------


def alibi_slopes(heads: int) -> Floats:
    """The slope of each head: 2^(−8h/H) for h = 1 … H when H is a power of two.

    (heads,). For another count: the slopes of the power of two below it, then every other one of the power above, as
    in the authors' get_slopes, and in Bloom and MPT. ValueError for no heads.
    Source: Press 2022 (arXiv 2108.12409), section 3.
    """
    if heads < 1:
        raise ValueError(f"there must be at least one head, not {heads}")
    H = 1 << (heads.bit_length() - 1)  # the largest power of two that is not above heads
    below = 2.0 ** (-8 / H * np.arange(1, H + 1))
    above = 2.0 ** (-4 / H * np.arange(1, 2 * H, 2))
    return np.concatenate([below, above])[:heads]


def alibi_bias(n: int, heads: int) -> Floats:
    """What ALiBi adds to the scores: −slope × distance, the distance of query i from key j being |i − j|.

    (heads, n, n). Above the diagonal too: the causal mask is another matter and is applied apart (attention.py).
    Transformers' Bloom and MPT add one row to all queries: slope × j, and slope × (j − n + 1). Under a causal mask that
    is this bias plus a constant for each query, which softmax does not see. ValueError for no heads, or n < 0.
    """
    t = places(n)
    nearness: NDArray[np.intp] = -np.abs(t[:, None] - t)  # (n, n), whole numbers, so that none is −0
    return alibi_slopes(heads)[:, None, None] * nearness  # (heads, n, n)


# --- by name ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scheme:
    """What there is to say of a scheme, and the table that it adds to the rows of E, if it acts on X."""

    title: str      # the menu's word
    acts_on: str    # "nothing", "X", "q and k" or "scores"
    mechanism: str
    standing: str   # at the end of 2026
    source: str
    functions: tuple[Callable[..., Any], ...] = ()  # those that compute it, as a reader should see them
    signal: Callable[[int, int, Floats], Floats] | None = None  # (n, d, P) -> (n, d); None: nothing is added to X


SCHEMES = {
    "none": Scheme(
        "none", "nothing",
        "Nothing is done. With a causal mask the order still leaks in.",
        "Some layers of Llama 4 and SmolLM3 (every fourth), of Kimi Linear and of Nemotron-H.",
        "Haviv 2022 (arXiv 2203.16634); Kazemnejad 2023 (arXiv 2305.19466)",
    ),
    "learned": Scheme(
        "learned", "X",
        "A second table has one row for each position, and that row is added.",
        "Historical: BERT, GPT-2. A lookup past the end of the table is an error.",
        "Radford 2019 (GPT-2); Devlin 2018 (arXiv 1810.04805)",
        (learned,),
        lambda n, d, P: learned(P, n),
    ),
    "sinusoidal": Scheme(
        "sinusoidal", "X",
        "Fixed waves, from fast to slow, are added.",
        "Historical. It does badly on texts longer than those it was trained on.",
        "Vaswani 2017 (arXiv 1706.03762)",
        (sinusoidal, unscaled),
        lambda n, d, P: sinusoidal(n, d),
    ),
    "rope": Scheme(
        "RoPE", "q and k",
        "Each pair of columns is turned by its position times an angle.",
        "The default, now often for a part of each head or in some layers only.",
        "Su 2021 (arXiv 2104.09864)",
        (rope, rotate, unscaled),
    ),
    "alibi": Scheme(
        "ALiBi", "scores",
        "Each score is lowered by a slope times the distance.",
        "It holds up on longer texts, but has largely been superseded.",
        "Press 2022 (arXiv 2108.12409)",
        (alibi_bias, alibi_slopes),
    ),
}

MENU = [(name, scheme.title) for name, scheme in SCHEMES.items()]
FUNCTIONS = tuple(dict.fromkeys(f for scheme in SCHEMES.values() for f in scheme.functions))  # of all, each once
