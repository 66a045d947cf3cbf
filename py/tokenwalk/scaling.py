"""Step 2: the angles that RoPE turns by, and how they are changed for texts longer than those in training.

SCALINGS names the four schemes, each one function; frequencies calls them by name. Two more functions are what some
published models need besides: dynamic_factor and llama3. tests/test_reference.py compares them with public code.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def frequencies(
    d: int, base: float = 10000.0, scaling: str = "none", factor: float = 1.0, original: float | None = None
) -> tuple[Floats, float]:
    """The angle θ that each pair turns at each position, and the attention factor of the scaling.

    (d/2,) in radians, falling from 1; and a number, by which q and k are both to be multiplied, so that the scores are
    by its square. scaling is one of SCALINGS, factor the stretch s of the context, original its length in training
    (yarn only). ValueError for an odd d, a base that is not above 1, a factor below 1, another scaling, or what a
    scaling cannot use. Source: Su 2021 (arXiv 2104.09864), section 3.2.2; for the scalings see each.
    """
    if scaling not in SCALINGS:
        raise ValueError(f"no scaling is called {scaling!r}; there are {', '.join(SCALINGS)}")
    if not 1 <= factor < math.inf:
        raise ValueError(f"a context is stretched by a factor of 1 or more, not {factor}")
    if not 1 < base < math.inf:
        raise ValueError(f"each pair is slower than the one before only if the base is above 1, not {base}")
    return SCALINGS[scaling](even(d), base, factor, original)


def even(d: int) -> int:
    """d, a width that pairs of columns fill. ValueError if it is odd, or below 2."""
    if d < 2 or d % 2:
        raise ValueError(f"columns are turned in pairs, so the width must be even, not {d}")
    return d


def unscaled(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ_j = base^(−2j/d), as published, and factor 1."""
    return base ** (-np.arange(0, d, 2) / d), 1.0  # (d/2,)


def interpolated(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ / s, which is positions ÷ s, and factor 1. Source: Chen 2023 (arXiv 2306.15595), section 2.3."""
    return unscaled(d, base, s, L)[0] / s, 1.0


def ntk(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ for the base × s^(d/(d−2)): the fastest pair keeps its pace, the slowest is slowed s times; and factor 1.

    That exponent is the paper's, Hugging Face transformers' and rotary-embedding-torch's. vLLM's
    NTKScalingRotaryEmbedding has the exponent 1 and divides every θ by s^(2/d) besides: there too the slowest pair is
    slowed s times, but the fastest is slowed as well. ValueError for a single pair, which would be both.
    Source: Peng 2024 (arXiv 2309.00071), section 3.1.
    """
    if d == 2:
        raise ValueError("the ntk scaling needs a fastest and a slowest pair, so a width of 4 at least")
    return unscaled(d, base * s ** (d / (d - 2)), s, L)


def dynamic_factor(n: int, s: float, L: float) -> float:
    """The factor for ntk that transformers' dynamic scaling takes for a text of n tokens: s n/L − (s − 1), at least 1.

    So nothing changes up to L. At n = s L it is s² − s + 1, more than the s that ntk is given for that length.
    """
    return max(s * n / L - (s - 1), 1.0)


def yarn(d: int, base: float, s: float, L: float | None, rounded: bool = True) -> tuple[Floats, float]:
    """θ kept for fast pairs, θ / s for slow ones, a ramp in between; and the factor 0.1 ln s + 1.

    A pair is fast if it makes r = L θ / 2π ≥ 32 turns within the original context L, and slow if r ≤ 1. Source: Peng
    2024 (arXiv 2309.00071), sections 3.2 and 3.4. The paper's ramp is linear in r. The authors' code, and transformers
    after it, make it linear in the number j of the pair, and so in log r; pairs on the ramp keep more of θ than in the
    paper. This is the code's, since models were trained with that. Its bounds are rounded outwards to whole j; gpt-oss
    does not round them (`truncate` in transformers, `rounded` here). ValueError without L, or for an L not above 0.
    """
    theta, _ = unscaled(d, base, s, L)                                 # (d/2,)
    turns = length(L) / (2 * math.pi)                                  # of the fastest pair
    fast, slow = (d / 2 * math.log(turns / r, base) for r in (32, 1))  # the j of a pair with r turns
    if rounded:
        fast, slow = math.floor(fast), math.ceil(slow)
    low, high = max(fast, 0), min(slow, d - 1)
    width = (high - low) or 0.001                                      # the code's guard against 0/0
    kept = 1 - np.clip((np.arange(d // 2) - low) / width, 0, 1)        # (d/2,)
    return theta * kept + theta / s * (1 - kept), 0.1 * math.log(s) + 1


def llama3(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """θ kept for pairs with r ≥ 4 turns within L, θ / s for those with r ≤ 1, a ramp linear in r between; and factor 1.

    Llama 3.1's own scheme: the ramp of YaRN's paper with other bounds, and no attention factor. The errors are those of
    frequencies, and ValueError without L. Source: apply_scaling in Meta's llama-models (reference_impl/model.py).
    """
    theta, _ = frequencies(d, base)                # (d/2,)
    slowed, _ = frequencies(d, base, "linear", s)  # (d/2,)
    r = length(L) * theta / (2 * math.pi)          # (d/2,)
    kept = np.clip((r - 1) / (4 - 1), 0, 1)        # (d/2,)
    return theta * kept + slowed * (1 - kept), 1.0


def length(L: float | None) -> float:
    """L, the original length of the context. ValueError if it is missing or not above 0."""
    if L is None or not 0 < L < math.inf:
        raise ValueError(f"this scaling needs the original length of the context, a number above 0, not {L}")
    return L


SCALINGS: dict[str, Callable[[int, float, float, float | None], tuple[Floats, float]]] = {
    "none": unscaled,
    "linear": interpolated,
    "ntk": ntk,
    "yarn": yarn,
}
