"""A table trained on seeded batches: ids are drawn, and their rows get a gradient.

Without a model there is no loss, so a simple one stands in. Each row has a place of its own, which the seed fixes, and
each token drawn pulls its row there: the loss is the mean over the n tokens of ½ |row − place|². Tied, the loss is that
of a real, if small, model: each token predicts the one after it in the batch by softmax(E[i] Eᵀ).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import lazy, toy, zipf

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]
POOL = 4096   # rows of random numbers; a larger table uses them again from the front
EXACT = 200   # the largest V that is worked on in float64
SPREAD = 0.5  # standard deviation of the rows at the start
LARGE = 60e6  # bytes of tables that are worth a new worker once they are let go


@dataclass(frozen=True)
class Setting:
    """What decides a run: the sizes, the law (s, or None for the frequencies of words), the optimiser, the seed."""

    V: int
    d: int
    n: int
    s: float | None
    optimiser: str
    lr: float
    seed: int
    tied: bool = False

    @property
    def bytes(self) -> int:
        """What the table takes, and what the optimiser keeps beside it."""
        return self.V * self.d * (8 if self.V <= EXACT else 4) * (1 + len(lazy.RULES[self.optimiser].shrink))

    @property
    def p(self) -> NDArray[np.float64]:
        """The probability of each id: (V,)."""
        return zipf.words(self.V) if self.s is None else zipf.law(self.V, self.s)


def pool(V: int, d: int, seed: int) -> tuple[Floats, Floats]:
    """The rows at the start, and how far from there each one's place is: (k, d) each, with k = V but at most POOL.

    Numbers from two normal distributions, with deviation SPREAD and 1, in float64 or, if V is large, in float32. The
    toy's size gets the toy's E as its start.
    """
    rng, size, kind = np.random.default_rng((seed, 0)), (min(V, POOL), d), "f8" if V <= EXACT else "f4"
    start, way = SPREAD * rng.standard_normal(size), rng.standard_normal(size)
    return (toy.E if toy.E.shape == (V, d) else start).astype(kind), way.astype(kind)


def pull(moved: Floats, way: Floats, counts: Ints, n: int) -> Floats:
    """The gradient of ½ |row − place|², summed over the tokens that drew each row and divided by n.

    moved and way (m, d): how far each row has moved and how far its place is, both from its start; counts (m,), the
    tokens -> (m, d).
    """
    return (counts / n).astype(moved.dtype)[:, None] * (moved - way)


def tied_gradient(E: Floats, ids: Ints) -> Floats:
    """The gradient of the mean cross-entropy of softmax(E[i] Eᵀ), each token's target being the next, in a ring.

    E (V, d), ids (n,) -> (V, d): the sum of both paths, as lookup.tied gives them. Equal inputs are counted together,
    so that the work grows with the different ids and not with n.
    """
    V, n = len(E), len(ids)
    read, place, counts = np.unique(ids, return_inverse=True, return_counts=True)  # (m,), (n,), (m,)
    y = np.bincount(place * V + np.roll(ids, -1), minlength=len(read) * V).reshape(-1, V)      # (m, V)
    logits = E[read] @ E.T                                                                     # (m, V)
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    error = ((counts[:, None] * p - y) / n).astype(E.dtype)                                    # (m, V)
    G = error.T @ E[read]                                                                  # (V, d)
    G[read] += error @ E                                                                        # (m, d)
    return np.asarray(G)


class Run:
    """A table after some steps, and what was drawn."""

    def __init__(self, setting: Setting) -> None:
        self.setting, self.p = setting, setting.p
        self.total, (start, self.way) = zipf.running(self.p), pool(setting.V, setting.d, setting.seed)
        self.table = lazy.Table(start, setting.V, setting.optimiser, setting.lr)
        self.drawn = np.zeros(setting.V, np.int64)  # (V,): how often each id came so far
        self.read = self.counts = np.zeros(0, np.int64)

    def step(self) -> None:
        """Draws the next batch and makes the update for it."""
        ids = zipf.draws(self.total, self.setting.n, self.setting.seed, self.table.t + 1)  # (n,)
        self.read, self.counts = np.unique(ids, return_counts=True)                        # (m,) each
        self.drawn[self.read] += self.counts
        if self.setting.tied:
            every = np.arange(self.setting.V)
            self.table.update(every, lambda moved: tied_gradient(self.table.rows_at_start(every) + moved, ids))
        else:
            way = self.way[self.read % len(self.way)]
            self.table.update(self.read, lambda moved: pull(moved, way, self.counts, self.setting.n))


KEPT: dict[Setting, Run] = {}  # the last run, so that the next step need not begin at the first
SEEN: set[int] = set()         # the sizes of all runs so far, in bytes


def spent() -> bool:
    """Whether large tables were let go of. WebAssembly gives no memory back; a new worker does, and loses nothing."""
    return max(SEEN, default=0) > LARGE > max((s.bytes for s in KEPT), default=0)


def trained(setting: Setting, steps: int) -> Run:
    """The run after so many steps: continued if it is the one kept, and else made anew. Both give the same numbers."""
    run = KEPT.get(setting)
    if run is None or run.table.t > steps:
        KEPT.clear()  # before the new tables are made: the largest take a hundred megabytes
        run = KEPT[setting] = Run(setting)
        SEEN.add(setting.bytes)
    while run.table.t < steps:
        run.step()
    return run
