"""Clock hands in a learned table: the leading directions of a real table of positions, drawn over the positions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import facts, position, worked
from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.render import whole
from tokenwalk.state import BadInput, between, chosen, one_of

Floats = NDArray[np.float64]
U = np.array(facts.HANDS["directions"]).T / 1000           # (n, 10): ten numbers for each position
SINGULAR = np.array(facts.MINILM["position_first_12_singular_values"])[:10]  # (10,)
COSINES = np.array(facts.HANDS["cosines"]) / 1000           # by distance, from 0
n, FARTHEST = len(U), len(COSINES) - 1
d = facts.MINILM["position_table_shape"][1]
HEAD = d // facts.HANDS["heads"]                            # columns of one attention head
PAIRS = [str(k + 1) for k in range(U.shape[1] // 2)]
POINTS, PER_TURN, NUMBERED = 128, 8, 13  # a path has about so many points, and so many a turn; so few have numbers
CAP = 3  # states in the table, those nearest to the first; Python has the rest
LABELS = (f"learned: {len(PAIRS)} hands", f"sinusoid, width {d}: {d // 2} pairs",
          f"RoPE, {HEAD} columns a head: {HEAD // 2} pairs")


@dataclass(frozen=True)
class State:
    """The pair and how it is taken from the ten directions, the positions drawn, and the distance of two rows."""

    pair: str = one_of(PAIRS, "3")
    taken: str = one_of(("turned", "found"), "turned")
    first: int = between(1, n, 1)
    last: int = between(1, n, n)
    distance: int = between(1, FARTHEST, 17)


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control."""
    after = chosen(state, action)
    if after.first >= after.last:
        raise BadInput("the path needs two positions at least, so the first must come before the last")
    return after


def hands(U: Floats) -> NDArray[np.complex128]:
    """The clock hands among the directions, the fastest first: planes in which a step to the next position is a turn.

    U (n, 2k), orthonormal columns -> (k, n), complex, of mean square 1, the first number of each real and positive.
    A is the matrix that best takes each position's row to the next one's. Its eigenvalues e^{±iθ}, nearly, come in
    conjugate pairs; along an eigenvector a step multiplies by one of them. ValueError if they do not come in pairs.
    Source: Roy & Kailath 1989 (ESPRIT; IEEE Trans. ASSP 37, 984-995).
    """
    A = np.linalg.lstsq(U[:-1], U[1:], rcond=None)[0]                    # (2k, 2k): U[t] A ≈ U[t + 1]
    values, vectors = np.linalg.eig(A)
    forward = [j for j in np.argsort(-np.angle(values)) if values[j].imag > 0]
    if 2 * len(forward) != len(A):
        raise ValueError("some of these directions do not turn")
    z = (U @ vectors[:, forward]).T                                      # (k, n)
    z *= np.conj(z[:, :1]) / np.abs(z[:, :1])
    return np.asarray(z / np.sqrt(np.mean(np.abs(z) ** 2, axis=1, keepdims=True)))


def as_found(U: Floats) -> NDArray[np.complex128]:
    """The directions two by two as the decomposition gives them, those of like dominant period together: (k, n)."""
    z = np.stack([U[:, a] + 1j * U[:, b] for a, b in worked.directions_by_period()])  # (k, n)
    return np.asarray(z / np.sqrt(np.mean(np.abs(z) ** 2, axis=1, keepdims=True)))


def turns(z: NDArray[np.complex128]) -> float:
    """How many times a hand turns over its positions, from its angles, each step by less than half a turn."""
    angles = np.unwrap(np.angle(z))
    return float((angles[-1] - angles[0]) / (2 * np.pi))


def variance_share(z: NDArray[np.complex128]) -> float:
    """The part of the table's variance that lies in the plane of a hand, between 0 and 1."""
    plane, _ = np.linalg.qr(np.stack([z.real, z.imag], axis=1))           # (n, 2)
    held = np.square(plane.T @ U * SINGULAR).sum()
    return float(held / facts.MINILM["position_centred_sum_of_squares"])


def path(z: NDArray[np.complex128], first: int, last: int, a_turn: float) -> dict[str, Any]:
    """What is drawn of a pair: its points from `first` to `last`, every so many positions, with numbers if few."""
    every = max(1, min((last - first) // POINTS, int(a_turn / PER_TURN)))
    places = np.array([*range(first, last, every), last])
    points = z[places - 1]
    named = places if len(places) <= NUMBERED else places[[0, -1]]
    return {"every": every, "xs": points.real, "ys": points.imag, "ends": points[[0, -1]],
            "notes": [(z[t - 1].real, z[t - 1].imag, int(t), side(z[t - 1])) for t in named]}


def side(z: complex) -> str:
    """On which side of a point its label stands: away from the centre."""
    if abs(z.real) >= abs(z.imag):
        return "right" if z.real > 0 else "left"
    return "above" if z.imag > 0 else "below"


def periods_of_pairs(width: int) -> Floats:
    """The positions of one turn for each pair of a fixed sinusoid, or of RoPE, of this width: (width/2,)."""
    return np.asarray(2 * np.pi / position.frequencies(width)[0])


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    found, k = hands(U), int(state.pair) - 1
    once = np.array([(n - 1) / turns(z) for z in found])  # positions for one turn, over the whole table
    z = found[k] if state.taken == "turned" else as_found(U)[k]
    shown = z[state.first - 1:state.last]
    names = [f"direction {j + 1}" for j in worked.directions_by_period()[k]]
    across, up = ("across", "up") if state.taken == "turned" else names
    rows = (once, periods_of_pairs(d), periods_of_pairs(HEAD))
    most = 1.1 * max(1.3, np.abs([z.real, z.imag]).max())
    used = (hands, turns, variance_share) if state.taken == "turned" else (as_found, hands, turns, variance_share)
    return {
        "n": n, "d": d, "HEAD": HEAD, "FARTHEST": FARTHEST, "facts": facts, "k": k, "names": names, "once": once,
        "menu": [(p, whole(once[int(p) - 1])) for p in PAIRS], "used": [f.__name__ for f in used],
        "square": Chart(Axis(across, -most, most, (-1, 0, 1)), Axis(up, -most, most, (-1, 0, 1))),
        "path": path(z, state.first, state.last, once[k]), "turned": turns(shown),
        "nearest": np.abs(shown).min() / np.abs(z).mean(), "farthest": np.abs(shown).max() / np.abs(z).mean(),
        "pairs": worked.period_pairs(), "shares": [100 * variance_share(z) for z in found],
        "numbers": [", ".join(str(j + 1) for j in pair) for pair in worked.directions_by_period()],
        "rows": rows, "beyond": [int((values > n).sum()) for values in rows],
        "labels": [(4, len(rows) - i - 0.3, label, "right") for i, label in enumerate(LABELS)],
        "periods": Chart(axis("positions for one turn", 4, 80_000, log=True), Axis("", 0, len(rows))),
        "alike": Chart(axis("distance, in positions", 1, FARTHEST, log=True), axis("mean cosine of two rows", -0.4, 1)),
        "cosines": COSINES,
    }


CODE = (hands, as_found, turns, variance_share)
