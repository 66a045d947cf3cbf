"""Every position scheme against values that public implementations gave; tests/reference/make.py made them.

The values are float32 and are held to 1e-6: of each value, or of the largest beside it where terms may cancel.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tokenwalk import position, scaling
from tokenwalk.attention import causal, softmax
from tokenwalk.presets import PRESETS

FILES = {path.name: json.loads(path.read_text(encoding="utf-8"))
         for path in (Path(__file__).parent / "reference").glob("*.json")
         if not path.name.startswith("torch_") and path.name not in ("merges.json", "toy.json")}
MODULES = {**FILES["rope.json"]["modules"], **FILES["yarn.json"]["modules"], **FILES["ntk.json"]["modules"]}
BY_NAME = {preset.name: preset for preset in PRESETS.values()}
near = partial(pytest.approx, rel=1e-6, abs=0)


def values(file, case):
    return np.array(FILES[file]["cases"][case]["values"])


def near_table(table):
    return pytest.approx(table, rel=0, abs=1e-6 * np.abs(table).max())


def test_every_file_says_what_made_it():
    assert len(FILES) == 6
    for file in FILES.values():
        assert file["made_by"] == "make.py" and {"transformers", "torch"} <= file["packages"].keys()
        parts = (part for name, part in file.items() if name not in ("made_by", "packages"))
        assert all(case["call"] for part in parts for case in part.values())


# --- the angles of published configurations

@pytest.mark.parametrize("name", BY_NAME)
def test_a_preset_has_the_angles_that_transformers_gives_its_model(name):
    theta, factor = BY_NAME[name].frequencies()
    assert theta == near(np.array(MODULES[name]["theta"]))
    if name != "DeepSeek-V3":
        assert factor == pytest.approx(MODULES[name]["attention_factor"], rel=1e-12)


def test_deepseek_puts_the_square_of_its_attention_factor_into_the_scores():
    assert MODULES["DeepSeek-V3"]["attention_factor"] == 1  # of q and k
    _, factor = BY_NAME["DeepSeek-V3"].frequencies()
    assert factor**2 == pytest.approx(FILES["yarn.json"]["scores"]["DeepSeek-V3"]["value"], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "rounded", "other"),
    [("gpt-oss-120b", False, "gpt-oss-120b, truncated"), ("gpt-oss-120b, truncated", True, "gpt-oss-120b")],
)
def test_yarn_with_rounded_bounds_and_without(name, rounded, other):
    theta, factor = scaling.yarn(64, 150_000, 32, 4096, rounded)
    assert theta == near(np.array(MODULES[name]["theta"]))
    assert theta != pytest.approx(np.array(MODULES[other]["theta"]), rel=1e-3)
    assert factor == pytest.approx(MODULES[name]["attention_factor"], rel=1e-12)


def test_yarn_by_name_rounds_its_bounds():
    theta, _ = position.frequencies(64, 150_000, "yarn", 32, 4096)
    assert theta == near(np.array(MODULES["gpt-oss-120b, truncated"]["theta"]))


@pytest.mark.parametrize(
    ("name", "base", "s", "L"),
    [
        ("a ramp from the first pair on", 10_000, 16, 64),
        ("a ramp to pair d − 1", 10, 4, 600),
        ("a ramp of no width", 10_000, 4, 6),
    ],
)
def test_the_ends_of_yarns_ramp(name, base, s, L):
    reference = MODULES[name]
    theta, factor = position.frequencies(16, base, "yarn", s, L)
    assert theta == near(np.array(reference["theta"]))
    assert factor == pytest.approx(reference["attention_factor"], rel=1e-12)


@pytest.mark.parametrize(
    ("d", "s", "reference"),
    [
        (80, 1000, MODULES["Hunyuan-Large"]["theta"]),  # its alpha is s
        (64, 8, FILES["ntk.json"]["theta"]["rotary-embedding-torch"]["values"]),
    ],
)
def test_ntk_has_the_exponent_of_others(d, s, reference):
    theta, factor = position.frequencies(d, 10_000, "ntk", s)
    assert theta == near(np.array(reference)) and factor == 1


@pytest.mark.parametrize(("n", "s"), [(32_768, 1), (65_536, 3), (131_072, 7)])
def test_dynamic_scaling_is_ntk_with_another_factor(n, s):
    assert scaling.dynamic_factor(n, 2, 32_768) == s  # twice the length takes 3, not 2
    theta, _ = position.frequencies(128, 1_000_000, "ntk", s)
    assert theta == near(np.array(FILES["ntk.json"]["theta"][f"InternLM2.5, {n} tokens"]["values"]))


# --- the turn itself

T = values("turned.json", "positions")
X = values("turned.json", "x")


@pytest.mark.parametrize(
    ("layout", "name"),
    [("halves", "Llama"), *(("interleaved", name) for name in ("GPT-J", "Cohere", "rotary-embedding-torch"))],
)
def test_rope_turns_as_others_do(layout, name):
    assert position.rope(X, T, layout=layout) == near_table(values("turned.json", name))


def test_a_partial_rope_turns_the_first_columns_and_leaves_the_others():
    turned = values("turned.json", "GPT-NeoX, 4 of 8 columns")
    assert position.rope(X[:, :4], T, layout="halves") == near_table(turned[:, :4])
    assert np.array_equal(turned[:, 4:], X[:, 4:])


def test_deepseek_reads_interleaved_pairs_and_writes_halves():
    columns = [*range(0, 8, 2), *range(1, 8, 2)]
    assert position.rope(X, T)[:, columns] == near_table(values("turned.json", "DeepSeek-V3"))


# --- ALiBi

@pytest.mark.parametrize("H", [8, 12, 16])
def test_the_slopes_of_bloom(H):
    assert position.alibi_slopes(H) == near(values("alibi.json", f"Bloom, {H} heads, slopes"))


@pytest.mark.parametrize("H", [8, 12, 16])
def test_bloom_and_mpt_give_one_row_for_all_queries(H):
    bloom, mpt = (values("alibi.json", f"{name}, {H} heads, bias") for name in ("Bloom", "MPT"))  # (heads, n)
    n, bias = bloom.shape[1], position.alibi_bias(bloom.shape[1], H)                              # (heads, n, n)
    assert bias[:, -1] == near_table(mpt)  # the last query's
    for row in (bloom, mpt):
        theirs, ours = (softmax(np.where(causal(n), b, -np.inf)) for b in (row[:, None], bias))
        assert ours == near_table(theirs)


# --- sinusoids

def test_the_sinusoid_of_xlm():
    assert position.sinusoidal(6, 8) == near_table(values("sinusoids.json", "XLM"))


@pytest.mark.parametrize(("name", "base"), [("Marian", 10_000), ("M2M100", 10_000 ** (8 / 6))])
def test_sinusoids_with_all_sines_first(name, base):
    # M2M100 divides j by d/2 − 1 = 3 where the paper has d/2 = 4; that is the paper's formula for another base.
    columns = [*range(0, 8, 2), *range(1, 8, 2)]
    assert position.sinusoidal(6, 8, base)[:, columns] == near_table(values("sinusoids.json", name))
