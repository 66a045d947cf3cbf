"""A table under an optimiser, worked on only where a gradient arrives; the result is that of the update of all rows.

After its last gradient, at step k, a row still moves under momentum and Adam. But how is known beforehand. Adam's mean
shrinks by β₁ at each step, the root of its mean square by √β₂, so that step t moves the row by

    u · (β₁/√β₂)^(t−k) · √(1 − β₂^t) / (1 − β₁^t),    u = −lr · mean / √square  as they were after step k,

and the factor behind u is the same for all rows with the same k. So one number for each k says how many u a row has
coasted since. AdamW also shrinks a row by the same part at each step. A row is brought up to date when it is read next.
Adam's ε is left out: it would make the factor differ from number to number, and it is there for rows without a gradient
only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import optimise

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int64]
DECAY = 0.01  # AdamW's, as in PyTorch
TINY = 1e-30  # in the place of ε, so that 0/0 is 0
BETA, BETA1, BETA2 = 0.9, 0.9, 0.999


@dataclass(frozen=True)
class Rule:
    """An optimiser as a lazy table sees it: what it keeps for each row, and how that shrinks in a step without one."""

    title: str
    shrink: tuple[float, ...] = ()  # one factor for each table that is kept beside the rows
    decay: float = 0.0              # the part of the learning rate by which the row itself shrinks
    coasts: bool = False            # whether a row moves on without a gradient


RULES = {
    "sgd": Rule("SGD"),
    "momentum": Rule("momentum", (BETA,), coasts=True),
    "adam": Rule("Adam", (BETA1, BETA2), coasts=True),
    "adamw": Rule("AdamW", (BETA1, BETA2), DECAY, coasts=True),
    "sparse_adam": Rule("sparse Adam", (1.0, 1.0)),
}


def coasting(optimiser: str, t: int) -> Floats:
    """How many u a row moves at step t without a gradient, for rows whose last one came at step 0 … t − 1.

    (t,). Nothing but zeros for an optimiser that lets such rows be. See the formula above; for momentum it is β^(t−k)
    with u = −lr · velocity.
    """
    idle = t - np.arange(t)  # (t,)
    if not RULES[optimiser].coasts:
        return np.zeros(t)
    if optimiser == "momentum":
        return BETA ** idle.astype(float)
    return np.asarray((BETA1 / BETA2**0.5) ** idle.astype(float) * (1 - BETA2**t) ** 0.5 / (1 - BETA1**t))


def drift(optimiser: str, kept: tuple[Floats, ...], lr: float) -> Floats:
    """u: what a row without a gradient moves by at a step, but for the factor of `coasting`.

    kept: one or two tables (m, d), as Rule.shrink has entries -> (m, d).
    """
    return -lr * kept[0] if len(kept) == 1 else -lr * kept[0] / (np.sqrt(kept[1]) + TINY)


def updated(optimiser: str, rows: Floats, G: Floats, kept: tuple[Floats, ...], t: int, lr: float
            ) -> tuple[Floats, tuple[Floats, ...]]:
    """The rows after update number t with the gradient G, and what the optimiser keeps of it: optimise.py, by name.

    rows, G and what is kept (m, d) -> (m, d), as many tables (m, d). AdamW's decay of the rows is not in it.
    """
    if optimiser == "sgd":
        return optimise.sgd(rows, G, lr), ()
    if optimiser == "momentum":
        rows, velocity = optimise.momentum(rows, G, kept[0], lr, BETA)
        return rows, (velocity,)
    rows, means = optimise.adam(rows, G, optimise.Means(*kept), t, lr, BETA1, BETA2, TINY)
    return rows, (means.mean, means.square)


class Table:
    """A table of V rows that an update changes in place, in time that grows with the rows read and not with V."""

    def __init__(self, start: Floats, V: int, optimiser: str, lr: float) -> None:
        """start: the rows at step 0, used again from the front if they are fewer than V. All work has their kind."""
        self.start, self.optimiser, self.lr, self.t = start, optimiser, lr, 0
        self.rule = RULES[optimiser]
        self.keep = 1 - lr * self.rule.decay                     # the part of a row that a step leaves
        self.moved = np.zeros((V, start.shape[1]), start.dtype)  # (V, d): how far, when last brought up to date
        self.kept = tuple(np.zeros_like(self.moved) for _ in self.rule.shrink)
        self.last = np.zeros(V, np.int64)                        # (V,): the step of a row's last gradient
        self.way = self.way_before = np.zeros(1)                 # (t + 1,): u since step k, now and a step ago
        # (V,) each: the products of three rows with each other, from which all distances follow: moved, u, start
        self.mm, self.mu, self.uu, self.ms, self.us = np.zeros((5, V))
        self.ss = np.resize((start * start).sum(axis=1), V)

    def rows_at_start(self, ids: Ints) -> Floats:
        """What these rows were at step 0: (m,) -> (m, d)."""
        return self.start[ids % len(self.start)]

    def brought_up(self, ids: Ints) -> tuple[Floats, tuple[Floats, ...]]:
        """How far these rows have moved by now, and what the optimiser keeps of them: (m,) -> (m, d), tables (m, d)."""
        moved, kept, idle = self.moved[ids], tuple(k[ids] for k in self.kept), (self.t - self.last[ids])[:, None]
        factors = [(factor ** idle).astype(moved.dtype) for factor in self.rule.shrink]
        if self.rule.coasts:
            moved = moved + self.way[self.last[ids], None].astype(moved.dtype) * drift(self.optimiser, kept, self.lr)
        if self.rule.decay:
            stays = (self.keep ** idle).astype(moved.dtype)
            moved = moved + (stays - 1) * (self.moved[ids] + self.rows_at_start(ids))
        return moved, tuple(k * f for k, f in zip(kept, factors, strict=True))

    def update(self, ids: Ints, gradient: Callable[[Floats], Floats]) -> None:
        """Makes the next update.

        ids (m,), each once; gradient: how far their rows have moved (m, d) -> their gradient (m, d).
        """
        moved, kept = self.brought_up(ids)
        G = gradient(moved)
        self.t += 1
        self.way_before = np.append(self.way, 0.0)
        self.way = np.append(self.keep * self.way + coasting(self.optimiser, self.t), 0.0)
        if self.rule.decay:
            moved = moved + (self.keep - 1) * (moved + self.rows_at_start(ids))
        moved, kept = updated(self.optimiser, moved, G, kept, self.t, self.lr)
        self.last[ids], self.moved[ids] = self.t, moved
        for table, new in zip(self.kept, kept, strict=True):
            table[ids] = new
        self.note(ids, moved, kept)

    def note(self, ids: Ints, moved: Floats, kept: tuple[Floats, ...]) -> None:
        """Keeps the products that `length` needs."""
        self.mm[ids] = np.einsum("ij,ij->i", moved, moved)
        if self.rule.coasts:
            u = drift(self.optimiser, kept, self.lr)
            self.mu[ids], self.uu[ids] = np.einsum("ij,ij->i", moved, u), np.einsum("ij,ij->i", u, u)
        if self.rule.decay:
            start = self.rows_at_start(ids)
            self.ms[ids], self.us[ids] = np.einsum("ij,ij->i", moved, start), np.einsum("ij,ij->i", u, start)

    def length(self, a: Floats, b: Floats, c: Floats) -> Floats:
        """The norm of a · moved + b · u + c · start for each row, from the products alone: (V,) each -> (V,)."""
        square = (a * a * self.mm + b * b * self.uu + c * c * self.ss
                  + 2 * (a * b * self.mu + a * c * self.ms + b * c * self.us))
        return np.sqrt(np.maximum(square, 0))

    def distance(self) -> Floats:
        """How far each row has moved by now, as a norm: (V,)."""
        stays = self.keep ** (self.t - self.last)
        return self.length(stays, self.way[self.last], stays - 1)

    def last_move(self) -> Floats:
        """How far the last step moved each row that had no gradient in it, and 0 for those that had one: (V,)."""
        idle = self.t - self.last
        change = np.where(idle > 0, self.keep**idle - self.keep ** np.maximum(idle - 1, 0), 0)
        return self.length(change, (self.way - self.way_before)[self.last], change)
