"""The gates against transformers' own processors; tests/reference/make_sampling.py made the values."""

import json
from pathlib import Path

import numpy as np
import pytest

from tokenwalk.generate import Rule, pick

FILE = json.loads((Path(__file__).parent / "reference/torch_sampling.json").read_text(encoding="utf-8"))
PAGE = (Path(__file__).parents[1] / "docs/7-generation.md").read_text(encoding="utf-8")
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
    assert f"transformers {FILE['packages']['transformers']} keep" in " ".join(PAGE.split())
