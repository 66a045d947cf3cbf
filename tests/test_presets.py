"""Published configurations. Their angles are held against transformers in test_reference.py."""

from datetime import datetime

import numpy as np
import pytest

from tokenwalk import position
from tokenwalk.presets import PRESETS

DATES = [datetime.strptime(preset.date, "%B %Y") for preset in PRESETS.values()]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_fits_frequencies_and_has_a_source(preset):
    theta, factor = position.frequencies(preset.d, preset.base, preset.scaling, preset.factor, preset.original)
    assert len(theta) == preset.d // 2 and factor >= 1
    assert preset.source and preset.d <= preset.width and preset.original <= preset.target
    # Without a scheme of its own a preset has the angles of the scaling that it names; with one it has others.
    assert np.allclose(preset.frequencies()[0], theta, rtol=1e-12, atol=0) == (preset.own is None)


def test_they_stand_in_the_order_of_publication():
    assert sorted(DATES) == DATES


def test_how_far_each_is_stretched():
    """Where factor × original is not the target, the words say so, or that chunks take the place of a scaling."""
    reached = {name: preset.factor * preset.original / preset.target for name, preset in PRESETS.items()}
    assert reached.pop("llama_3_1") == 1 / 2 and "half of the target" in PRESETS["llama_3_1"].words
    assert reached.pop("deepseek_v3") == 5 / 4 and "more than the target" in PRESETS["deepseek_v3"].words
    assert reached.pop("qwen_2_5_1m") < 1 / 3 and "chunks" in PRESETS["qwen_2_5_1m"].words
    assert set(reached.values()) == {1}


def test_the_words_say_what_is_turned_only_in_part():
    assert PRESETS["gpt_neox"].words == (
        "Only 24 of the 96 columns of each head are turned; the others carry no position."
    )
    deepseek = PRESETS["deepseek_v3"].words
    assert deepseek.startswith("Only 64 of the 192 columns") and "whole score" in deepseek
    assert PRESETS["llama_2"].words == ""


def test_every_scheme_of_its_own_has_words():
    assert all(preset.words for preset in PRESETS.values() if preset.own)
    assert "NoPE" in PRESETS["smollm3"].words
