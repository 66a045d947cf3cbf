"""Sizes of real models, against the totals that their authors and the chapter give."""

import pytest

from tokenwalk import facts


def test_gpt2_small():
    assert facts.GPT2.V == 50_257
    assert facts.GPT2.table == 38_597_376
    assert facts.GPT2.position_table == 786_432
    assert facts.GPT2.total == 124_439_808
    assert facts.GPT2.untied == 163_037_184
    assert round(100 * facts.GPT2.share, 1) == 31.0


def test_llama_3_8b():
    assert facts.LLAMA3_8B.table == 525_336_576
    assert facts.LLAMA3_8B.total == facts.LLAMA3_8B.untied == 8_030_261_248
    assert facts.LLAMA3_8B.tables == 1_050_673_152
    assert round(100 * facts.LLAMA3_8B.share, 1) == 13.1
    assert facts.LLAMA3_8B.position_table == 0


def test_a_kv_cache_of_llama_3_8b():
    one = facts.cache_bytes(layers=32, kv_heads=8, width=128)
    assert one == 131_072 == 128 * 2**10
    assert one * facts.LLAMA3_8B_CONTEXT == 2**30
    assert facts.cache_bytes(32, 32, 128) == 4 * one == 2 * facts.cache_bytes(32, 32, 128, number=1)


@pytest.mark.parametrize("d", [1, 768, 1600])
def test_a_gpt2_block_is_12_d_squared_plus_13_d(d):
    assert facts.gpt2_block(d) == 12 * d * d + 13 * d


def test_a_llama_block_is_the_sum_of_its_maps():
    q, k, v, o = 4096 * 4096, 4096 * 1024, 4096 * 1024, 4096 * 4096
    gate, up, down, norms = *[4096 * 14_336] * 3, 2 * 4096
    assert facts.llama_block(4096, 32, 8, 14_336) == q + k + v + o + gate + up + down + norms == 218_112_000


def test_most_of_a_block_is_its_mlp():
    wide = 4 * 768
    assert facts.gpt2_mlp(768) == 768 * wide + wide + wide * 768 + 768 == 4_722_432
    assert facts.gpt2_attention(768) == 768 * 3 * 768 + 3 * 768 + 768 * 768 + 768 == 2_362_368  # q, k, v as one map
    assert facts.llama_mlp(4096, facts.LLAMA3_8B_HIDDEN) == 176_160_768


def test_how_much_of_a_head_is_turned():
    assert (facts.DEEPSEEK_V3.rotated, facts.DEEPSEEK_V3.width) == (64, 192)
    assert facts.DEEPSEEK_V3.share == pytest.approx(1 / 3)
    assert facts.QWEN3_NEXT.share == facts.GEMMA_4.share == 0.25


def test_the_scale_of_the_original_transformer():
    assert facts.embedding_scale(4) == 2
    assert facts.embedding_scale(512) == pytest.approx(22.627, abs=5e-4)
    assert facts.sinusoid_norm(4) == pytest.approx(2**0.5)


def test_every_fact_has_a_source():
    things = [thing for thing in vars(facts).values() if isinstance(thing, (facts.Model, facts.Head))]
    assert len(things) >= 5 and all(thing.source for thing in things)


def test_heads_divide_the_width():
    assert facts.GPT2.d == facts.GPT2_HEADS * 64
    assert facts.LLAMA3_8B.d == facts.LLAMA3_8B_HEADS * 128 and facts.LLAMA3_8B_HEADS / facts.LLAMA3_8B_KV_HEADS == 4
