"""Step 2: where the order of the tokens enters, one scheme after the other.

A scheme acts in one of three places: on X (a row is added for each position), on q and k (each pair of columns is
turned), or on the scores (a penalty for distance). SCHEMES names them all; a new one is a function and an entry there.
Positions count from 0.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


# --- on X ---------------------------------------------------------------------------------------------------------


def sinusoidal(n: int, d: int, base: float = 10000.0) -> Floats:
    """The fixed table of waves: row t is sin tθ_0, cos tθ_0, sin tθ_1, cos tθ_1 …, with θ from frequencies.

    (n, d). ValueError for an odd d. Source: Vaswani 2017 (arXiv 1706.03762), section 3.5, with t from 0.
    """
    theta, _ = frequencies(d, base)                                      # (d/2,)
    angles = np.outer(np.arange(n), theta)                               # (n, d/2)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n, d)  # (n, d)


def learned(P: ArrayLike, n: int) -> Floats:
    """The first n rows of a learned table, one row a position.

    P (positions, d) -> (n, d). IndexError for a text longer than the table: nothing was ever learned there.
    """
    P = np.asarray(P, float)
    if n > len(P):
        raise IndexError(f"the table ends at position {len(P)}, counted from 1, and this text has {n}")
    return P[:n]  # (n, d)


# --- on q and k ---------------------------------------------------------------------------------------------------


def frequencies(
    d: int, base: float = 10000.0, scaling: str = "none", factor: float = 1.0, original: float | None = None
) -> tuple[Floats, float]:
    """The angle θ that each pair turns at each position, and the attention factor of the scaling.

    (d/2,) in radians, falling from 1; and a number, by which q and k are both to be multiplied, so that the scores are
    by its square. scaling is one of SCALINGS, factor the stretch s of the context, original its length in training
    (yarn only). ValueError for an odd d, another scaling, or what a scaling cannot use.
    Source: Su 2021 (arXiv 2104.09864), section 3.2.2; for the scalings see each.
    """
    if scaling not in SCALINGS:
        raise ValueError(f"no scaling is called {scaling!r}; there are {', '.join(SCALINGS)}")
    if d < 2 or d % 2:
        raise ValueError(f"columns are turned in pairs, so the width must be even, not {d}")
    if factor <= 0:
        raise ValueError(f"a context is stretched by a factor above 0, not {factor}")
    return SCALINGS[scaling](d, base, factor, original)


def unscaled(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ_j = base^(−2j/d), as published, and factor 1."""
    return base ** (-np.arange(0, d, 2) / d), 1.0  # (d/2,)


def interpolated(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ / s, which is positions ÷ s, and factor 1. Source: Chen 2023 (arXiv 2306.15595), section 2.3."""
    return unscaled(d, base, s, L)[0] / s, 1.0


def ntk(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ for the base × s^(d/(d−2)): the fastest pair keeps its pace, the slowest is slowed s times; and factor 1.

    ValueError for a single pair, which would be both. Source: Peng 2024 (arXiv 2309.00071), section 3.1.
    """
    if d == 2:
        raise ValueError("the ntk scaling needs a fastest and a slowest pair, so a width of 4 at least")
    return unscaled(d, base * s ** (d / (d - 2)), s, L)


def yarn(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ kept for fast pairs, θ / s for slow ones, a ramp in between; and the factor 0.1 ln s + 1 (1 for s ≤ 1).

    A pair is fast if it makes r = L θ / 2π ≥ 32 turns within the original context L, and slow if r ≤ 1. Source: Peng
    2024 (arXiv 2309.00071), sections 3.2 and 3.4. The paper's ramp is linear in r. The authors' code, and Hugging Face
    transformers after it, make it linear in the number j of the pair, and so in log r, between bounds rounded to whole
    j; pairs on the ramp keep more of θ than in the paper. This is the code's, since models were trained with that.
    ValueError without L.
    """
    if L is None:
        raise ValueError("the yarn scaling needs the original length of the context")
    theta, _ = unscaled(d, base, s, L)                                             # (d/2,)
    fast, slow = (d / 2 * math.log(L / (2 * math.pi * r), base) for r in (32, 1))  # the j of a pair with r turns
    low, high = max(math.floor(fast), 0), min(math.ceil(slow), d - 1)
    width = (high - low) or 0.001                                                  # the code's guard against 0/0
    ramp = np.clip((np.arange(d // 2) - low) / width, 0, 1)                        # (d/2,)
    return theta * (1 - ramp) + theta / s * ramp, 0.1 * math.log(s) + 1 if s > 1 else 1.0


SCALINGS: dict[str, Callable[[int, float, float, float | None], tuple[Floats, float]]] = {
    "none": unscaled,
    "linear": interpolated,
    "ntk": ntk,
    "yarn": yarn,
}


def rope(x: ArrayLike, positions: ArrayLike, base: float = 10000.0, layout: str = "interleaved") -> Floats:
    """The rows of x, the pairs of each turned by its position × θ.

    x (..., n, d), positions (n,) -> (..., n, d). ValueError for an odd d or an unknown layout.
    Source: Su 2021 (arXiv 2104.09864), section 3.2.
    """
    theta, _ = frequencies(np.shape(x)[-1], base)                  # (d/2,)
    return rotate(x, np.multiply.outer(positions, theta), layout)  # (..., n, d)


def rotate(x: ArrayLike, angles: ArrayLike, layout: str = "interleaved") -> Floats:
    """The rows of x, each pair taken as a complex number and multiplied by e^{i angle}.

    x (..., n, d), angles (n, d/2) in radians -> (..., n, d). A pair is two neighbouring columns (interleaved: the
    paper), or column j and column j + d/2 (halves: the rotate_half of most code). ValueError for another layout.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"no layout is called {layout!r}; there are {', '.join(LAYOUTS)}")
    x = np.asarray(x, float)
    real, imaginary = LAYOUTS[layout](x.shape[-1])
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
    in the authors' get_slopes. ValueError for no heads. Source: Press 2022 (arXiv 2108.12409), section 3.
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
    """
    t = np.arange(n)
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
