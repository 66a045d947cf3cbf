"""Longer context: what each scaling does to the hands of RoPE, pair by pair, with published configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.presets import PRESETS, Preset
from tokenwalk.render import EXACT, number, whole
from tokenwalk.scaling import SCALINGS, Floats, even, llama3, yarn
from tokenwalk.state import BadInput, between, chosen, one_of, real

BASES, LENGTHS = ({int(p.base) for p in PRESETS.values()}, {p.original for p in PRESETS.values()})
Note = tuple[float, float, str, str]
POINTS, ROWS = 100, 12  # distances of a score curve, and pairs in the table, at most
CAP = 5  # states in the table, those nearest to the first; Python has the rest


def unrounded(d: int, base: float, s: float, L: float | None) -> tuple[Floats, float]:
    """YaRN without rounding the ends of its ramp to whole pairs, as in gpt-oss."""
    return yarn(d, base, s, L, rounded=False)


SCHEMES = SCALINGS | {"unrounded": unrounded, "llama3": llama3}
TITLES = {"none": "none", "linear": "linear (PI)", "ntk": "NTK-aware", "yarn": "YaRN", "unrounded": "YaRN, not rounded",
          "llama3": "Llama 3.1’s"}
OWN = {"llama_3_1": "llama3", "gpt_oss": "unrounded"}  # presets whose scheme is none of SCALINGS


@dataclass(frozen=True)
class State:
    """The scheme and its numbers: the columns turned, the base, the length in training L, the stretch s."""

    scaling: str = one_of(SCHEMES, "yarn")
    width: int = field(default=24, metadata={"options": range(4, 257, 2)})
    base: int = between(2, 10**9, 10_000)
    original: int = between(16, 2**21, 2048)
    factor: float = real(1, 128, 4)


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    match action:
        case {"preset": name} if len(action) == 1:
            if name not in PRESETS:
                raise BadInput("choose one of the published configurations")
            return published_state(name)
    after = chosen(state, action)
    try:
        even(after.width)
    except ValueError as error:
        raise BadInput(str(error)) from None
    return after


def published_state(name: str) -> State:
    """The state that shows a published configuration."""
    p = PRESETS[name]
    return State(OWN.get(name, p.scaling), p.d, int(p.base), p.original, float(p.factor))


def preset(state: State) -> tuple[str, Preset | None]:
    """The published configuration with these numbers, by name, whatever the scheme; "" and None if there is none."""
    for name, p in PRESETS.items():
        if replace(published_state(name), scaling=state.scaling) == state:
            return name, p
    return "", None


def kept_share(before: Floats, after: Floats, s: float) -> Floats:
    """How much of its pace each pair keeps: 1 if θ is as it was, 0 if it is θ/s, in proportion between: (d/2,)."""
    return np.ones_like(after) if s == 1 else (after / before - 1 / s) / (1 - 1 / s)


def fate(share: float) -> str:
    """What becomes of a pair, in a word."""
    return "kept" if share > 1 - EXACT else "interpolated" if share < EXACT else "blended"


def unseen(before: Floats, after: Floats, L: float, target: float) -> int:
    """How many pairs meet angles, within the target, that they did not meet within L: short of a full turn there."""
    seen = np.minimum(L * before, 2 * np.pi)           # (d/2,)
    needed = np.minimum(target * after, 2 * np.pi)     # (d/2,)
    return int((needed > seen * (1 + EXACT)).sum())


def equal_score(distances: ArrayLike, theta: Floats) -> Floats:
    """The score of two equal vectors, all pairs of length 1, over their distance: the mean of cos(distance × θ)."""
    return np.asarray(np.cos(np.multiply.outer(distances, theta)).mean(axis=-1))


def distances_to(target: float) -> NDArray[np.int64]:
    """Whole distances from 1 to the target, evenly spaced on an axis of powers, each once."""
    return np.array(sorted(set(np.rint(np.geomspace(1, target, POINTS)).astype(np.int64).tolist())))


def power(x: float) -> str:
    """A power of ten as a mark on an axis, short however large."""
    exponent = str(round(np.log10(x)))
    return number(x) if x < 1e5 else "10" + exponent.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def groups(shares: Floats) -> dict[str, list[int]]:
    """The pairs, counted from 1, by what becomes of them; a word without pairs is left out."""
    words = [fate(share) for share in shares]
    return {word: [j for j, w in enumerate(words, 1) if w == word] for word in dict.fromkeys(words)}


def numbers_of_pairs(count: int) -> Axis:
    """The axis of pairs, 1 … count, with marks at whole numbers only."""
    return Axis("pair", 1, count, tuple(m for m in axis("pair", 1, count).marks if m == round(m)))


def wave_notes(by_word: Mapping[str, list[int]], stretched: Floats, L: float, target: float) -> list[Note]:
    """Labels in the chart of wavelengths: each group of pairs at its middle pair, and the two lengths."""
    middles = [(word, places[len(places) // 2]) for word, places in by_word.items()]
    groups = [(j, stretched[j - 1], word, "right" if 2 * j <= len(stretched) else "left") for word, j in middles]
    left = 1 + 0.2 * (len(stretched) - 1)
    lengths = [(left, L, f"L = {number(L)}", "below"), (left, target, f"to read: {whole(target)}", "above")]
    return groups + lengths[:1 if target == L else 2]


def score_notes(distances: NDArray[np.int64], old: Floats, new: Floats) -> list[Note]:
    """Labels for the two score curves, where they differ most, the higher one above; one label if they are the same."""
    if np.allclose(old, new):
        return [(distances[crossing(old)], old[crossing(old)], "before and after", "right")]
    k = int(np.argmax(np.abs(new - old)))
    sides = ("above", "below") if old[k] > new[k] else ("below", "above")
    return [(distances[k], old[k], "before", sides[0]), (distances[k], new[k], "after", sides[1])]


def crossing(values: Floats) -> int:
    """The place at which a curve first falls below one half, or else its last place."""
    return int(np.argmax(values < 0.5)) if (values < 0.5).any() else len(values) - 1


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    d, L, s = state.width, state.original, state.factor
    before, _ = SCALINGS["none"](d, state.base, s, L)                          # (d/2,)
    scheme = SCHEMES[state.scaling]
    after, attention = scheme(d, state.base, s, L)                             # (d/2,)
    waves, stretched = 2 * np.pi / before, 2 * np.pi / after                   # (d/2,)
    name, published = preset(state)
    target = published.target if published else s * L
    shares, distances = kept_share(before, after, s), distances_to(target)
    old, new = equal_score(distances, before), equal_score(distances, after)
    top = 2 * max(waves[-1], stretched[-1], target)
    used = (scheme, yarn) if scheme is unrounded else (scheme,)
    return {
        "pairs": np.arange(1, d // 2 + 1), "L": L, "s": s, "target": target, "before": before, "after": after,
        "attention": attention, "waves": waves, "stretched": stretched, "turns": L / waves, "shares": shares,
        "groups": groups(shares), "unseen": unseen(before, after, L, target), "power": power,
        "slow": int((waves > L).sum()), "name": name, "published": published, "distances": distances, "old": old,
        "new": new, "titles": TITLES, "menu": list(TITLES.items()), "presets": PRESETS, "own": OWN,
        "bases": sorted({*BASES, state.base}), "lengths": sorted({*LENGTHS, L}),
        "rows": np.rint(np.linspace(0, d // 2 - 1, min(ROWS, d // 2))).astype(int).tolist(),
        "at": (crossing(old), crossing(new)), "fates": [fate(share) for share in shares],
        "wavenotes": wave_notes(groups(shares), stretched, L, target), "scorenotes": score_notes(distances, old, new),
        "wave": Chart(numbers_of_pairs(d // 2), axis("positions for one turn, λ", 4, top, log=True)),
        "ramp": Chart(numbers_of_pairs(d // 2), Axis("share: 1 keeps θ, 0 makes it θ/s", 0, 1, (0, 0.5, 1))),
        "score": Chart(axis("distance, in positions", 1, target, log=True),
                       axis("score of two equal vectors", -0.5 if min(*old, *new) > -0.5 else -1, 1)),
        "used": [f.__name__ for f in (*used, kept_share, unseen, equal_score)],
    }


CODE = (*SCHEMES.values(), kept_share, unseen, equal_score)
