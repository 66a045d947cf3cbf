"""Step 7: pick a token, append it, run again, until there is a reason to stop.

The probabilities of the last place pass three gates in this order, as in transformers' generate: temperature, top-k,
top-p. What is kept is scaled to sum to 1 again, and one token is drawn from it; or the largest is taken (greedy).
"""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokenwalk import path, toy
from tokenwalk.output import probabilities

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
ROUNDING = 1e-12  # differences that come from doubles and not from the model: relative to p, and of a sum to 1
LAST = (".", "<|endoftext|>")  # the tokens after which nothing is appended


@dataclass(frozen=True)
class Rule:
    """How the next token is picked. Without a seed: greedy, the largest probability and of equal ones the lowest id."""

    seed: int | None = None
    temperature: float = 1.0
    k: int = len(toy.TOKENS)  # of top-k; V keeps all
    share: float = 1.0        # of top-p; 1 keeps all


@dataclass(frozen=True)
class Pick:
    """One step: the probabilities at this temperature, which ids each gate keeps, what is left of p, and the id."""

    p: Floats          # (V,)
    in_top_k: Bools    # (V,)
    kept: Bools        # (V,)  by both gates
    left: Floats       # (V,)  p where kept and 0 elsewhere, summing to 1
    drawn: float | None  # the random number in [0, 1); None when greedy
    id: int


def above(p: ArrayLike) -> Bools:
    """Whether the id of the column is strictly more probable than the id of the row: (V,) -> (V, V)."""
    p = np.asarray(p, float)
    return np.asarray(p > p[:, None] * (1 + ROUNDING))


def top_k(p: ArrayLike, k: int) -> Bools:
    """Which ids are among the k most probable: those that fewer than k are strictly more probable than.

    (V,) -> (V,). So all that tie with the k-th are kept, and there can be more than k. ValueError for k < 1.
    """
    if k < 1:
        raise ValueError(f"top-k keeps at least 1 token, not {k}")
    return np.asarray(above(p).sum(axis=1) < k)


def top_p(p: ArrayLike, share: float) -> Bools:
    """Which ids top-p keeps: those for which all that are strictly more probable sum to less than `share`.

    (V,) -> (V,). This is the smallest set of the most probable ids whose sum reaches `share`, with all that tie with
    its last one. A share of 1 keeps all. ValueError unless 0 < share <= 1.
    Source: Holtzman 2020 (arXiv 1904.09751), section 3.1, which leaves ties open.
    """
    if not 0 < share <= 1:
        raise ValueError(f"top-p takes a share above 0 and at most 1, and {share:g} is not")
    ahead: Floats = above(p) @ np.asarray(p, float)  # (V,)
    return ahead < share - ROUNDING if share < 1 else np.ones(len(ahead), bool)


def pick(logits: ArrayLike, rule: Rule, step: int) -> Pick:
    """The next token for the logits of the last place; the random number of step 0, 1 … is default_rng((seed, step))'s.

    logits (V,). The number u picks the first id whose running sum of `left`, in the order of the ids, is above u.
    """
    p = probabilities(logits, rule.temperature)                 # (V,)
    in_top_k = top_k(p, rule.k)                                 # (V,)
    kept = in_top_k & top_p(p * in_top_k / p[in_top_k].sum(), rule.share)
    left = p * kept / p[kept].sum()                             # (V,)
    if rule.seed is None:
        return Pick(p, in_top_k, kept, left, None, int(np.argmax(p)))
    u = float(np.random.default_rng((rule.seed, step)).random())
    sums = np.cumsum(left)
    return Pick(p, in_top_k, kept, left, u, int(np.argmax(sums > u * sums[-1])))  # the sum may end at 1 − 2⁻⁵³


def ending(ids: tuple[int, ...]) -> str | None:
    """Why nothing is appended to these ids: their last token is `.` or `<|endoftext|>`, or they are 8; else None."""
    if toy.TOKENS[ids[-1]] in LAST:
        return toy.TOKENS[ids[-1]]
    return f"{path.LONGEST} tokens" if len(ids) >= path.LONGEST else None


def generated(ids: tuple[int, ...], scheme: str = "learned", rule: Rule | None = None) -> tuple[list[Pick], str]:
    """The picks from these ids on, one a step, until there is an ending, and that ending.

    The text is run again from its start for every token, as if nothing were kept of the run before.
    """
    picks: list[Pick] = []
    while not (why := ending(ids)):
        picks.append(pick(path.walk(ids, scheme).logits[-1], rule or Rule(), len(picks)))
        ids = (*ids, picks[-1].id)
    return picks, why


def continued(ids: tuple[int, ...], scheme: str = "learned", rule: Rule | None = None) -> tuple[int, ...]:
    """These ids and all that are appended to them until there is an ending."""
    return (*ids, *(one.id for one in generated(ids, scheme, rule)[0]))


def chance(ids: tuple[int, ...], n: int, scheme: str = "learned") -> float:
    """The probability that the model goes on from the first n of these ids to all of them, drawn without a gate.

    One run of the whole text holds every factor, since row t is for the token that follows place t.
    """
    p = path.walk(ids, scheme).p                                # (len(ids), V)
    return float(np.prod([p[t, ids[t + 1]] for t in range(n - 1, len(ids) - 1)]))


def most_probable(ids: tuple[int, ...], scheme: str = "learned") -> tuple[int, ...]:
    """Of all texts that go on from these ids to an ending, the most probable; of equal ones the one of lower ids.

    Exact, without trying all: the most probable beginning so far is lengthened first, and no text is more probable than
    its beginning. So the first ended text whose turn it is has none above it.
    """
    waiting = [(-1.0, ids)]
    while True:
        minus, text = heappop(waiting)
        if ending(text):
            return text
        for i, p in enumerate(path.walk(text, scheme).p[-1].tolist()):
            heappush(waiting, (minus * p, (*text, i)))
