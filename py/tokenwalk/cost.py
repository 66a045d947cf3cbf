"""Step 7: the multiplications that a run of the model takes, and those that are left when keys and values are kept.

Counted are the products of matrices, (n, m) times (m, k) as n m k. Norms, softmax and what scales a score are left out.
A row of scores ends at the diagonal: the mask allows no more. Logits are needed of the last row only.
"""

from dataclasses import dataclass

import numpy as np

from tokenwalk import facts, path, toy


@dataclass(frozen=True)
class Shape:
    """The sizes that the products of a model have."""

    d: int
    heads: int
    width: int       # of one head's q, k or v
    hidden: int      # neurons of the MLP
    V: int
    layers: int = 1


TOY = Shape(toy.E.shape[1], path.HEADS, path.WIDTH, len(toy.B_1), len(toy.E))
GPT2 = Shape(facts.GPT2.d, facts.GPT2_HEADS, facts.GPT2.d // facts.GPT2_HEADS, 4 * facts.GPT2.d, facts.GPT2.V,
             facts.GPT2.layers)


def run(n: int, kept: int = 0, shape: Shape = TOY) -> dict[str, int]:
    """The multiplications of each part in a run on n tokens of which the first `kept` are in the cache.

    The rows of those are not run again; the new rows look at their keys and values. Without a cache, kept is 0.
    """
    new, all_heads = n - kept, shape.heads * shape.width
    pairs = (n * (n + 1) - kept * (kept + 1)) // 2  # of a new row and one that it may look at
    layer = {"q, k, v": 3 * new * shape.d * all_heads, "scores": pairs * all_heads, "weights × v": pairs * all_heads,
             "W_O": new * all_heads * shape.d, "MLP": 2 * new * shape.d * shape.hidden}
    return {part: count * shape.layers for part, count in layer.items()} | {"logits": shape.d * shape.V}


def generation(start: int, end: int, cache: bool, shape: Shape = TOY) -> dict[str, int]:
    """The same for all runs that take a text from `start` to `end` tokens, one run for each token that is appended.

    With a cache the first run is on the whole start, for nothing is kept yet, and each later one on the newest token.
    """
    runs = [run(n, n - 1 if cache and n > start else 0, shape) for n in range(start, end)]
    return {part: sum(one[part] for one in runs) for part in run(start, 0, shape)}


def difference(ids: tuple[int, ...], n: int, scheme: str = "learned") -> float:
    """The largest difference that the tokens after the first n make to the rows of those: of k, v, Y and p."""
    whole, short = path.walk(ids, scheme), path.walk(ids[:n], scheme)
    pairs = ((whole.k[:, :n], short.k), (whole.v[:, :n], short.v), (whole.Y[:n], short.Y), (whole.p[:n], short.p))
    return float(max(np.abs(a - b).max() for a, b in pairs))
