"""Check yourself, step 2: a question for each point that most explanations of embeddings get wrong, and a few more."""

import numpy as np

from tokenwalk import checking, facts, position, presets, toy, worked, zipf
from tokenwalk.questions import Choice, Number, Row, Rows, Several, in_panel, rows_changed

PAGE, KEEP = "2-embeddings", True
CAP = 13      # states in the table; Python has the rest
HALF_A_MILLION = 500_000
X, SWAPPED = worked.X, toy.IDS[worked.swapped(toy.SWAP)]
AFTER = toy.E[SWAPPED] + toy.P[:worked.n]   # (n, d), X after the swap, with learned positions
SIZE = {"V": str(facts.GPT2.V), "d": "64", "n": "1024"}


def without_positions() -> str:
    """What the swap does to X when nothing is added: whether it has the same rows as before, in other places."""
    before, after = toy.E[toy.IDS], toy.E[SWAPPED]
    same = sorted(map(tuple, before)) == sorted(map(tuple, after))
    return "none" if np.array_equal(before, after) else "trade" if same else "new"


def reached() -> set[str]:
    """Which rows of a table get a gradient, by the lookup alone and with the output layer, on the toy."""
    by_lookup, by_output = worked.tied_norms()
    untied = "untiedread" if set(np.flatnonzero(by_lookup)) == set(toy.IDS) else "untiedall"
    return {untied, "tiedall" if (by_lookup + by_output > 0).all() else "tiedread"}


def meaning() -> str:
    """Whether ␣wall = 2 × ␣floor, and the rank of the toy's E, say anything: nothing, since E was not trained."""
    return "nothing" if np.linalg.matrix_rank(toy.E) < toy.E.shape[1] and (toy.E * 2 % 1 == 0).all() else "larger"


def blind_without_mask() -> str:
    """By what attention without positions can learn an order: by the mask, if only with it a swap changes outputs."""
    return "mask" if worked.swap_difference(False) < 1e-9 < worked.swap_difference(True) else "never"


def same_as_climb_at_2() -> str:
    """The place whose sum of token and position is that of ␣climb at 2."""
    pairs = [set(pair) for pair in worked.equal_sums()]
    return "ed3" if {(4, 1), (5, 2)} in pairs else "the5" if {(4, 1), (1, 4)} in pairs else "no"


def layouts_agree() -> str:
    """How RoPE's two layouts differ: by the order of columns, if reordering these makes them equal."""
    x, order = np.arange(1.0, 5)[None], [0, 2, 1, 3]
    mixed = position.rope(x[:, order], [3], layout="interleaved")[:, order]
    return "order" if np.allclose(mixed, position.rope(x, [3], layout="halves")) else "angles"


def stretched() -> str:
    """How many of the published configurations turn their hands more slowly than in training."""
    found = {preset.scaling != "none" for preset in presets.PRESETS.values()}
    return "some" if len(found) == 2 else "always" if found == {True} else "none"


QUESTIONS = (
    Choice(name="swap", options=("trade", "new", "none"), right=without_positions,
           proof=in_panel("build_x", shown=5, scheme="none", swapped="swap")),
    Rows(name="learned", options=tuple(str(t + 1) for t in range(worked.n)), drawn=lambda: ("X", toy.IDS, X),
         right=lambda: rows_changed(X, AFTER), proof=in_panel("build_x", shown=5, swapped="swap")),
    Row(name="moved", right=lambda: AFTER[2], proof=in_panel("build_x", shown=3, swapped="swap")),
    Choice(name="geometry", options=("larger", "nothing", "column"), right=meaning,
           proof=in_panel("lookup", id="7")),
    Row(name="first", right=lambda: position.sinusoidal(1, worked.d)[0],
        proof=in_panel("build_x", shown=1, scheme="sinusoidal")),
    Choice(name="order", options=("never", "mask", "softmax"), right=blind_without_mask,
           proof=in_panel("order", mask="causal")),
    Choice(name="universal", options=("all", "part", "gone"),
           right=lambda: "part" if facts.DEEPSEEK_V3.share < 1 and facts.QWEN3_NEXT.share < 1 else "all",
           proof=in_panel("longer", scaling="yarn", width=64, factor=40.0, original=4096)),
    Number(name="scale", right=lambda: facts.sinusoid_norm(worked.d), tolerance=0.005, digits=2,
           proof=in_panel("schemes", scaled=True)),
    Choice(name="sums", options=("the5", "ed3", "no"), right=same_as_climb_at_2, proof=in_panel("collide")),
    Number(name="sign", right=lambda: worked.clock(1, 3, worked.RIGHT, worked.UP), tolerance=0.0005,
           proof=in_panel("clock", start="across", position_of_q=1, position_of_k=3)),
    Number(name="period", right=lambda: 2 * np.pi / worked.THETA, tolerance=0.01, digits=2,
           proof=in_panel("clock", position_of_q=14)),
    Choice(name="layout", options=("angles", "order", "base"), right=layouts_agree,
           proof=in_panel("clock", pairs="2", layout="halves")),
    Choice(name="million", options=("always", "some", "none"), right=stretched,
           proof=in_panel("longer", scaling="none", width=128, base=10_000_000, original=262_144, factor=1.0)),
    Several(name="batch", options=("untiedread", "untiedall", "tiedread", "tiedall"), right=reached,
            proof=in_panel("scatter", shown=5, sentence="once", source="tied")),
    Number(name="rare", right=lambda: 100 * zipf.expected_distinct(facts.GPT2.V, HALF_A_MILLION) / facts.GPT2.V,
           tolerance=3.0, digits=0, proof=in_panel("sparse_update", tick=61, V=str(facts.GPT2.V), d="4", n="8192")),
    Number(name="adam", right=lambda: worked.moved_by_adam(10), tolerance=0.005, digits=2,
           proof=in_panel("sparse_update", optimiser="adam", tick=11, **SIZE)),
    Choice(name="tables", options=("gpt2", "llama", "neither"),
           right=lambda: "llama" if facts.GPT2.tied and not facts.LLAMA3_8B.tied else "gpt2"),
)
State, step, view, from_link = checking.door(
    QUESTIONS, facts=facts, worked=worked, zipf=zipf, position=position, many=HALF_A_MILLION)
CODE = checking.CODE
