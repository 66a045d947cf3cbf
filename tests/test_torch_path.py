"""The network on drawn weights against PyTorch's own modules; tests/reference/make_torch_path.py made the values.

Twice: put together here from the modules' functions, and by path.walk itself with these weights in place of the toy's.
"""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from reference.drawn import CASES, GAIN, drawn
from tokenwalk import path, position, toy
from tokenwalk.attention import attention, concatenated, per_head
from tokenwalk.block import layer_norm, mlp
from tokenwalk.output import final, logits

FILE = json.loads((Path(__file__).parent / "reference/torch_path.json").read_text(encoding="utf-8"))
near = partial(pytest.approx, rel=0, abs=1e-12)
# walk has one layout, and a mask or none.
WALKED = [name for name, (*_, layout, mask) in CASES.items() if layout == "interleaved" and mask != "any"]


def weights(name):
    """The weights of a case, those of the heads apart: (H, d, w)."""
    heads, case = CASES[name][1], drawn(name)
    made = {key: np.array(value) for key, value in case.items()}
    for key in ("W_Q", "W_K", "W_V"):
        made[key] = np.stack(np.split(made[key], heads, axis=1))
    return SimpleNamespace(**made, GAIN=GAIN, B_1=made["b_1"], B_2=made["b_2"], frozen=toy.frozen)


def test_every_case_was_run_by_pytorch():
    assert FILE["cases"].keys() == CASES.keys() and FILE["packages"]["torch"] and FILE["made_by"]
    assert max(d for d, *_ in CASES.values()) == 64
    assert {layout for *_, scheme, layout, _ in CASES.values() if scheme == "rope"} == set(position.LAYOUTS)
    assert {"alibi", "rope", "none"} == {case[4] for case in CASES.values()} == {CASES[name][4] for name in WALKED}


def network(name, layout):
    """What attention adds, X after the block, and the logits, by the modules' functions."""
    _, heads, n, _, scheme, _, _ = CASES[name]
    W = weights(name)
    X = W.E[W.ids]                                                  # (n, d)
    h = layer_norm(X)                                               # (n, d)
    q, k, v = (per_head(h, M) for M in (W.W_Q, W.W_K, W.W_V))       # (H, n, w)
    if scheme == "rope":
        q, k = (position.rope(x, np.arange(n), layout=layout) for x in (q, k))
    bias = position.alibi_bias(n, heads) if scheme == "alibi" else None
    attn = concatenated(attention(q, k, v, W.mask, bias)[0]) @ W.W_O
    Y = X + attn + mlp(layer_norm(X + attn), W.W_1, W.b_1, W.W_2, W.b_2)
    return {"attn": attn, "Y": Y, "logits": logits(final(Y, GAIN), W.E)}


@pytest.mark.parametrize("name", CASES)
def test_the_modules_give_what_pytorch_gives(name):
    for stage, values in network(name, CASES[name][5]).items():
        assert values == near(np.array(FILE["cases"][name][stage])), stage


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("RoPE")])
def test_the_other_layout_gives_something_else(name):
    (other,) = position.LAYOUTS.keys() - {CASES[name][5]}
    assert np.abs(network(name, other)["attn"] - FILE["cases"][name]["attn"]).max() > 1e-3


@pytest.mark.parametrize("name", WALKED)
def test_the_path_gives_what_pytorch_gives(name, monkeypatch):
    _, heads, _, f, scheme, _, mask = CASES[name]
    W, expected = weights(name), FILE["cases"][name]
    parts = ("mask", "norm 1", "norm 2", "mlp", *(f"head {j + 1}" for j in range(heads)),
             *(f"neuron {j + 1}" for j in range(f)))
    for key, value in {"toy": W, "HEADS": heads, "PARTS": parts}.items():
        monkeypatch.setattr(path, key, value)
    run = path.walk.__wrapped__(tuple(W.ids.tolist()), scheme, () if mask == "causal" else ("mask",))
    for stage in ("attn", "Y", "logits"):
        assert getattr(run, stage) == near(np.array(expected[stage]))
