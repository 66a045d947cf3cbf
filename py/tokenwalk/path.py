"""The whole path on the running example: from ids to the probability of each next token, every stage kept by name."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tokenwalk import position, tokens, toy
from tokenwalk.attention import allowed, causal, concatenated, per_head, scores, softmax
from tokenwalk.block import hidden, layer_norm, relu
from tokenwalk.output import final, logits, probabilities

Floats = NDArray[np.float64]
LONGEST = len(toy.P)          # tokens that a text may have: the table of positions ends there
HEADS, WIDTH = toy.W_Q.shape[0], toy.W_Q.shape[2]
# What walk can leave out. A norm left out hands its rows on as they are; any other part adds nothing.
PARTS = ("mask", "norm 1", *(f"head {h + 1}" for h in range(HEADS)), "norm 2",
         *(f"neuron {f + 1}" for f in range(len(toy.B_1))), "mlp")


@dataclass(frozen=True)
class Run:
    """Every array between the ids and the probabilities, in the order of the path. Read-only; n tokens, H heads."""

    E: Floats         # (n, d)     the rows of the table
    X: Floats         # (n, d)     with a position, if the scheme adds one here
    h: Floats         # (n, d)     layer_norm(X)
    q0: Floats        # (H, n, w)  h W_Q, before RoPE turns it
    k0: Floats        # (H, n, w)
    q: Floats         # (H, n, w)  turned by RoPE, else the same as q0
    k: Floats         # (H, n, w)
    v: Floats         # (H, n, w)
    bias: Floats      # (H, n, n)  what ALiBi adds, else 0
    scores: Floats    # (H, n, n)  q kᵀ / √w + bias
    masked: Floats    # (H, n, n)  −∞ where a token would look ahead
    weights: Floats   # (H, n, n)  softmax of a row
    heads: Floats     # (H, n, w)  weights v
    concat: Floats    # (n, H w)   the heads side by side
    attn: Floats      # (n, d)     concat W_O
    residual: Floats  # (n, d)     X + attn
    norm2: Floats     # (n, d)     layer_norm(residual)
    fed: Floats       # (n, f)     norm2 W_1 + b_1
    hidden: Floats    # (n, f)     relu(fed)
    mlp: Floats       # (n, d)     hidden W_2 + b_2
    Y: Floats         # (n, d)     residual + mlp
    final: Floats     # (n, d)     gain × layer_norm(Y)
    logits: Floats    # (n, V)     final Eᵀ
    p: Floats         # (n, V)     softmax(logits); row t is for the token that follows place t


def ids_of(text: str) -> tuple[int, ...]:
    """The ids of a text, given as ids with spaces between ("0 2 4 5 1") or in words ("the cat climbed the").

    (n,), with n from 1 to 8. ValueError, as a reader's sentence, for an id that there is not, a letter that no token
    covers, or another n.
    """
    words = text.split()
    ids = [int(w) for w in words] if all(w.isascii() and w.isdigit() for w in words) else tokens.encode(text)
    if not 1 <= len(ids) <= LONGEST:
        raise ValueError(f"a text here has 1 to {LONGEST} tokens, and this one has {len(ids)}")
    unknown = [i for i in ids if i >= len(toy.TOKENS)]
    if unknown:
        raise ValueError(f"no token has the id {unknown[0]}: ids run from 0 to {len(toy.TOKENS) - 1}")
    return tuple(ids)


def written(ids: Iterable[int]) -> str:
    """The ids as a panel's state and a link carry them: "0 2 4 5 1"."""
    return " ".join(map(str, ids))


@cache
def walk(ids: tuple[int, ...], scheme: str = "learned", off: frozenset[str] | tuple[str, ...] = ()) -> Run:
    """Every stage of the path for these ids under a position scheme, the parts named in `off` left out.

    ids (n,), n from 1 to 8; scheme from position.SCHEMES; off from PARTS. KeyError for another scheme; ValueError for
    another part.
    """
    if not set(off) <= set(PARTS):
        raise ValueError(f"the block has no part called {', '.join(sorted(set(off) - set(PARTS)))}")
    on = {part: part not in off for part in PARTS}
    n, d, t = len(ids), toy.E.shape[1], np.arange(len(ids))
    signal = position.SCHEMES[scheme].signal
    E = toy.E[list(ids)]                                                     # (n, d)
    X = E + signal(n, d, toy.P) if signal else E                             # (n, d)
    h = layer_norm(X) if on["norm 1"] else X                                 # (n, d)
    q0, k0, v = (per_head(h, W) for W in (toy.W_Q, toy.W_K, toy.W_V))        # (H, n, w)
    q, k = (position.rope(x, t) if scheme == "rope" else x for x in (q0, k0))
    bias = position.alibi_bias(n, HEADS) * (scheme == "alibi")               # (H, n, n)
    fit = scores(q, k, bias)                                                 # (H, n, n)
    masked = allowed(fit, causal(n) if on["mask"] else None)                 # (H, n, n)
    weights = softmax(masked)                                                # (H, n, n)
    kept = np.array([on[f"head {j + 1}"] for j in range(HEADS)])
    heads = weights @ v * kept[:, None, None]                                # (H, n, w)
    concat = concatenated(heads)                                             # (n, H w)
    attn = concat @ toy.W_O                                                  # (n, d)
    residual = X + attn                                                      # (n, d)
    norm2 = layer_norm(residual) if on["norm 2"] else residual               # (n, d)
    fed = hidden(norm2, toy.W_1, toy.B_1)                                    # (n, f)
    lit = relu(fed) * [on[f"neuron {j + 1}"] for j in range(len(toy.B_1))]   # (n, f)
    mlp = (lit @ toy.W_2 + toy.B_2) * on["mlp"]                              # (n, d)
    Y = residual + mlp                                                       # (n, d)
    rows = final(Y, toy.GAIN)                                                # (n, d)
    scored = logits(rows, toy.E)                                             # (n, V)
    stages = (E, X, h, q0, k0, q, k, v, bias, fit, masked, weights, heads, concat, attn, residual, norm2, fed, lit, mlp,
              Y, rows, scored, probabilities(scored))
    return Run(*(toy.frozen(stage) for stage in stages))
