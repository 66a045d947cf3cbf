"""The gates against transformers' own processors; tests/reference/make_sampling.py made the values. And the page."""

import json
from pathlib import Path

import numpy as np
import pytest

from tokenwalk import pages
from tokenwalk.generate import Rule, pick

FILE = json.loads((Path(__file__).parent / "reference/torch_sampling.json").read_text(encoding="utf-8"))
TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
PAGE = " ".join(pages.render((Path(__file__).parents[1] / "docs/7-generation.md").read_text(encoding="utf-8"),
                             "7-generation", {"7-generation"}, 9_000_000).split())
CASES, TIED = FILE["cases"], FILE["tied"]


def left(logits, temperature, k, p):
    """What our gates leave; a setting of None keeps all."""
    return pick(logits, Rule(0, temperature, k or len(logits), p or 1.0), 0).left


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['of']}, T {c['temperature']}, k {c['k']}, p {c['p']}")
def test_without_ties_the_gates_leave_what_transformers_leaves(case):
    logits = FILE["logits"][case["of"]]
    assert len(set(logits)) == len(logits)
    ours = left(logits, case["temperature"], case["k"], case["p"])
    assert (ours > 0).tolist() == [value > 0 for value in case["left"]]
    assert ours == pytest.approx(np.array(case["left"]), rel=1e-12, abs=0)


def test_the_cases_try_each_gate_alone_and_all_together():
    gates = {tuple(value is not None for value in (case["k"], case["p"])) for case in CASES}
    assert gates == {(False, False), (True, False), (False, True), (True, True)}
    assert any(case["temperature"] != 1 and case["k"] and case["p"] for case in CASES)


@pytest.mark.parametrize("name", TIED)
def test_of_ties_top_k_keeps_all_as_transformers_does_and_top_p_keeps_more(name):
    case = TIED[name]
    logits, theirs = np.array(case["logits"]), np.array(case["left"])
    ours = left(logits, 1.0, case["k"], case["p"])
    least = logits[theirs > 0].min()
    assert (ours > 0).tolist() == (logits >= least).tolist()  # all that tie with the last one
    assert (len(logits[theirs > 0]) < len(logits[ours > 0])) == name.startswith("top-p")


def test_the_page_names_the_version_that_was_compared():
    assert f"transformers {FILE['packages']['transformers']} keep" in PAGE


def test_the_page_says_how_many_tokens_top_p_keeps_at_two_temperatures():
    kept = []
    for T in (1, 5):
        powers = sorted((p ** (1 / T) for p in TOY["the cat climbed the"]["p"][-1]), reverse=True)
        kept.append(next(k for k in range(13) if sum(powers[:k]) >= 0.9 * sum(powers)))
    assert f"top-p = 0.9 keeps {('no', 'one', 'two', 'three')[kept[0]]} tokens at T = 1 and {kept[1]} at T = 5" in PAGE


def test_the_page_counts_what_gpt2_multiplies():
    layers, d, V = 12, 768, 50_257
    runs = [layers * (12 * d * d * n + n * (n + 1) * d) + d * V for n in range(24, 1024)]
    once = layers * (12 * d * d * 1023 + 1023 * 1024 * d) + 1000 * d * V  # each row, and 1,000 times the logits
    assert f"{sum(runs) / 1e12:.1f} × 10<sup>12</sup> multiplications without a cache" in PAGE
    assert f"{once / 1e12:.3f} × 10<sup>12</sup> with one, {sum(runs) / once:.0f} times as many" in PAGE
