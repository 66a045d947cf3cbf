"""Where a number of the path came from: its formula, with letters and with numbers, one step back.

A number is named by its place in a run, as text: the stage as path.Run calls it, and the indices from 0. "X 2 1" is the
second number of the third row of X; "weights 1 4 1" is the weight that token 5 gives to token 2 in head 2.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tokenwalk import path, position, toy
from tokenwalk.block import EPSILON
from tokenwalk.formula import Line, Made, Number, column, entry, joined, norm, product, share

# The letters of the stages, where they differ from the stages' names.
LETTERS = {"X": "x", "q0": "q", "k0": "k", "bias": "b", "scores": "s", "masked": "s", "weights": "a", "heads": "o",
           "concat": "c", "residual": "x′", "norm2": "h′", "hidden": "u", "mlp": "m", "Y": "y",
           "final": "h″", "logits": "z"}
SHAPES = {f.name: getattr(path.walk((0,) * path.LONGEST), f.name).shape for f in fields(path.Run)} | {"P": toy.P.shape}
# The norms: the stage that each reads, and the part of the path it is.
NORMS = {"h": ("X", "norm 1"), "norm2": ("residual", "norm 2"), "final": ("Y", "")}


@dataclass(frozen=True)
class Origin:
    """A number, and the lines that make it: its own first, then those of what has no place of its own.

    A number that is not made of others has no lines, and `why` says in words where it comes from.
    """

    number: Number
    lines: list[Made]
    why: str
    head: int | None  # from 1


def is_place(text: str) -> bool:
    """Whether a text is empty, or names a place that a run of eight tokens has."""
    stage, *index = text.split(" ")
    shape = SHAPES.get(stage, ())
    fits = len(index) == len(shape) > 0 and all(i in map(str, range(m)) for i, m in zip(index, shape, strict=True))
    return not text or fits


def origin(place: str, ids: tuple[int, ...], scheme: str = "learned", off: Collection[str] = ()) -> Origin | None:
    """Where the number at a place comes from in the run of these ids; None if this run has no number there.

    Errors as path.walk gives them.
    """
    if not place:
        return None
    stage, *index = place.split(" ")
    at, run = tuple(map(int, index)), Formulas(ids, scheme, off)
    if any(i >= m for i, m in zip(at, run.values(stage).shape, strict=True)):
        return None
    number, why = run.number(stage, *at), run.why(stage, at)
    if not np.isfinite(number.value):
        return None
    lines = [] if why else [(number, getattr(run, stage)(*at)), *run.of_norm(stage, *at)]
    return Origin(number, lines, why, at[0] + 1 if len(at) == 3 else None)


class Formulas:
    """The formulas of one run: a method for each stage, with its name, gives the line that makes a number of it.

    t is the token, c the column, h the head, j the key, i the id.
    """

    def __init__(self, ids: tuple[int, ...], scheme: str, off: Collection[str]) -> None:
        self.ids, self.scheme, self.off, self.run = ids, scheme, off, path.walk(ids, scheme, frozenset(off))
        signal = position.SCHEMES[scheme].signal
        self.added = signal(len(ids), toy.E.shape[1], toy.P) if signal else np.zeros((0, 0))

    def values(self, stage: str) -> NDArray[np.float64]:
        """All numbers of a stage; of P none where the scheme adds nothing to X."""
        return self.added if stage == "P" else np.asarray(getattr(self.run, stage))

    def number(self, stage: str, *at: int) -> Number:
        """The number at a place."""
        *_, t, c = at
        letter, below = LETTERS.get(stage, stage), f"{t + 1}{c + 1}"
        if stage == "E":
            letter, below = f"E[{self.ids[t]}]", f"{c + 1}"
        if stage in ("logits", "p"):  # a column there is an id, and ids count from 0
            letter, below = f"{letter}[{c}]", f"{t + 1}"
        return Number(letter, below, float(self.values(stage)[at]), " ".join([stage, *map(str, at)]))

    def row(self, stage: str, *at: int) -> list[Number]:
        """A row of a stage."""
        return [self.number(stage, *at, c) for c in range(self.values(stage).shape[-1])]

    def keys(self, h: int, t: int) -> list[int]:
        """The keys that token t may look at."""
        return [int(j) for j in np.flatnonzero(np.isfinite(self.run.masked[h, t]))]

    def why(self, stage: str, at: tuple[int, ...]) -> str:
        """In words where a number comes from that is not made of others; else nothing."""
        part = {"heads": f"head {at[0] + 1}", "hidden": f"neuron {at[-1] + 1}", "mlp": "mlp"}.get(stage)
        if part in self.off:
            return "0, since this part is switched off"
        if stage == "P" and self.scheme != "learned":
            return "given by the scheme’s formula, which step 2 shows"
        return {"E": "learned, a number of the table of embeddings",
                "P": "learned, a number of the table of positions"}.get(stage, "")

    def normed(self, stage: str, t: int, c: int) -> tuple[Line, list[Made]]:
        """A number of a norm, as a line, and the lines of its root and mean; where the norm is off, the same number."""
        source, part = NORMS[stage]
        x = self.number(source, t, c)
        return ((x,), []) if part in self.off else norm(x, self.row(source, t), EPSILON)

    def of_norm(self, stage: str, *at: int) -> list[Made]:
        """The further lines of a norm; of any other stage none."""
        return self.normed(stage, *at)[1] if stage in NORMS else []

    def turned(self, stage: str, h: int, t: int, c: int) -> Line:
        """A number of q or k: turned by RoPE, the pair's angle t × 1 rad counted from 0; else as it was made."""
        if self.scheme != "rope":
            return self.made(stage, h, t, c)
        cos, sin = Number(f"cos {t}", "", float(np.cos(t))), Number(f"sin {t}", "", float(np.sin(t)))
        a, b = self.row(f"{stage}0", h, t)
        return (a, " × ", cos, " − ", b, " × ", sin) if c == 0 else (a, " × ", sin, " + ", b, " × ", cos)

    def made(self, letter: str, h: int, t: int, c: int) -> Line:
        """A number of q, k or v before any turn: row t of h times a column of the head's matrix."""
        W = {"q": toy.W_Q, "k": toy.W_K, "v": toy.W_V}[letter]
        return product(self.row("h", t), column(f"W_{letter.upper()}", W[h], c))

    def X(self, t: int, c: int) -> Line:
        return joined((self.number(stage, t, c),) for stage in ("E", "P") if self.values(stage).size)

    def h(self, t: int, c: int) -> Line:
        return self.normed("h", t, c)[0]

    def q0(self, h: int, t: int, c: int) -> Line:
        return self.made("q", h, t, c)

    def k0(self, h: int, t: int, c: int) -> Line:
        return self.made("k", h, t, c)

    def q(self, h: int, t: int, c: int) -> Line:
        return self.turned("q", h, t, c)

    def k(self, h: int, t: int, c: int) -> Line:
        return self.turned("k", h, t, c)

    def v(self, h: int, t: int, c: int) -> Line:
        return self.made("v", h, t, c)

    def bias(self, h: int, t: int, j: int) -> Line:
        slope = position.alibi_slopes(path.HEADS)[h] if self.scheme == "alibi" else 0.0
        return ("−", Number("slope", "", float(slope)), " × ", Number("distance", "", float(abs(t - j))))

    def scores(self, h: int, t: int, j: int) -> Line:
        fit: Line = ("(", *product(self.row("q", h, t), self.row("k", h, j)), f") / √{path.WIDTH}")
        return (*fit, " + ", self.number("bias", h, t, j)) if self.scheme == "alibi" else fit

    masked = scores

    def weights(self, h: int, t: int, j: int) -> Line:
        if j not in self.keys(h, t):
            return ("0",)
        return share(self.number("scores", h, t, j), (self.number("scores", h, t, k) for k in self.keys(h, t)))

    def heads(self, h: int, t: int, c: int) -> Line:
        keys = self.keys(h, t)
        return product((self.number("weights", h, t, j) for j in keys), (self.number("v", h, j, c) for j in keys))

    def concat(self, t: int, c: int) -> Line:
        return (self.number("heads", c // path.WIDTH, t, c % path.WIDTH),)

    def attn(self, t: int, c: int) -> Line:
        return product(self.row("concat", t), column("W_O", toy.W_O, c))

    def residual(self, t: int, c: int) -> Line:
        return (self.number("X", t, c), " + ", self.number("attn", t, c))

    def norm2(self, t: int, c: int) -> Line:
        return self.normed("norm2", t, c)[0]

    def fed(self, t: int, c: int) -> Line:
        return (*product(self.row("norm2", t), column("W_1", toy.W_1, c)), " + ", entry("b_1", toy.B_1, c))

    def hidden(self, t: int, c: int) -> Line:
        return ("max(0, ", self.number("fed", t, c), ")")

    def mlp(self, t: int, c: int) -> Line:
        return (*product(self.row("hidden", t), column("W_2", toy.W_2, c)), " + ", entry("b_2", toy.B_2, c))

    def Y(self, t: int, c: int) -> Line:
        return (self.number("residual", t, c), " + ", self.number("mlp", t, c))

    def final(self, t: int, c: int) -> Line:
        return (Number("gain", "", toy.GAIN), " × ", *self.normed("final", t, c)[0])

    def logits(self, t: int, i: int) -> Line:
        return product(self.row("final", t), (entry(f"E[{i}]", toy.E[i], c) for c in range(toy.E.shape[1])))

    def p(self, t: int, i: int) -> Line:
        return share(self.number("logits", t, i), self.row("logits", t))
