"""Make the files beside this one: values that public implementations give, to hold position.py and scaling.py against.

Run by hand, in an environment of its own; the tests read only what it wrote. Two runs give the same bytes.

    pip install torch==2.13.0 transformers==5.24.0 rotary-embedding-torch==0.9.1
    python tests/reference/make.py

Each file names its packages with their versions. A `call` is the text that was evaluated in this module to get the
values beside it. All values are float32, written with as many digits as tell one float32 from the next.

The configurations are typed here once more, and not taken from presets.py, so that one checks the other. A config
class without arguments stands for its authors' values, which transformers keeps as its defaults. Vicuna and InternLM2.5
have no class there; Llama's reads the same parameters.
"""

# ruff: noqa: F401

import json
from importlib.metadata import version
from pathlib import Path

import torch
from rotary_embedding_torch import RotaryEmbedding
from transformers import (
    CohereConfig,
    DeepseekV3Config,
    GPTJConfig,
    GPTNeoXConfig,
    GptOssConfig,
    HunYuanDenseV1Config,
    LlamaConfig,
    Qwen2Config,
    SmolLM3Config,
)
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.bloom import modeling_bloom as bloom
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as deepseek_v3
from transformers.models.gpt_neox import modeling_gpt_neox as gpt_neox
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssRotaryEmbedding
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.hunyuan_v1_dense.modeling_hunyuan_v1_dense import HunYuanDenseV1RotaryEmbedding
from transformers.models.llama import modeling_llama as llama
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.qwen2.modeling_qwen2 import Qwen2RotaryEmbedding
from transformers.models.smollm3.modeling_smollm3 import SmolLM3RotaryEmbedding
from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings

HERE = Path(__file__).parent


def of_llama(length, **parameters):
    """The call that gives Llama's rotary module at the size of its 7B and 8B models."""
    config = f"LlamaConfig(hidden_size=4096, num_attention_heads=32, max_position_embeddings={length}, "
    return f"llama.LlamaRotaryEmbedding({config}rope_parameters={parameters}))"


def of_qwen2(length, **parameters):
    """The call that gives Qwen2's rotary module at the size of Qwen2.5-7B."""
    config = f"Qwen2Config(hidden_size=3584, num_attention_heads=28, max_position_embeddings={length}, "
    return f"Qwen2RotaryEmbedding({config}rope_parameters={parameters}))"


def yarn(base, factor, original, **parameters):
    """The parameters of YaRN as a published config has them."""
    return {"rope_type": "yarn", "rope_theta": base, "factor": factor, "original_max_position_embeddings": original,
            **parameters}


def of_width_16(*numbers):
    """The call that gives Llama's rotary module with YaRN for heads of 16 columns."""
    return f"llama.LlamaRotaryEmbedding(LlamaConfig(head_dim=16, rope_parameters={yarn(*numbers)}))"


DEEPSEEK_YARN = yarn(10000.0, 40, 4096, beta_fast=32, beta_slow=1, mscale=1.0, mscale_all_dim=1.0)
DEEPSEEK = f"DeepseekV3Config(max_position_embeddings=163840, rope_parameters={DEEPSEEK_YARN})"

# Each of these gives a module with inv_freq, which is θ, and attention_scaling.
ROPE = {
    "Llama 2": of_llama(4096, rope_type="default", rope_theta=10000.0),
    "GPT-NeoX-20B": "gpt_neox.GPTNeoXRotaryEmbedding(GPTNeoXConfig())",
    "Vicuna 1.5 16k": of_llama(4096, rope_type="linear", rope_theta=10000.0, factor=4.0),
    "Llama 3.1": of_llama(131072, rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0,
                          high_freq_factor=4.0, original_max_position_embeddings=8192),
    "Qwen2.5-1M": of_qwen2(1010000, rope_type="default", rope_theta=10000000.0),
}
YARN = {
    "Qwen2.5": of_qwen2(32768, **yarn(1000000.0, 4.0, 32768)),
    "DeepSeek-V3": f"deepseek_v3.DeepseekV3RotaryEmbedding({DEEPSEEK})",
    "gpt-oss-120b": "GptOssRotaryEmbedding(GptOssConfig())",
    "gpt-oss-120b, truncated": "GptOssRotaryEmbedding(GptOssConfig(rope_parameters="
                               f"{yarn(150000.0, 32.0, 4096, truncate=True)}))",
    "SmolLM3": "SmolLM3RotaryEmbedding(SmolLM3Config(max_position_embeddings=65536, rope_parameters="
               f"{yarn(5000000.0, 2.0, 65536)}))",
    # Ends that are cut to 0 and to d − 1, and ends that meet.
    "a ramp from the first pair on": of_width_16(10000.0, 16.0, 64),
    "a ramp to pair d − 1": of_width_16(10.0, 4.0, 600),
    "a ramp of no width": of_width_16(10000.0, 4.0, 6),
}
HUNYUAN = {
    "Hunyuan-Large": "HunYuanDenseV1RotaryEmbedding(HunYuanDenseV1Config(hidden_size=6400, num_attention_heads=80, "
                     "head_dim=80, rope_parameters={'rope_type': 'dynamic', 'rope_theta': 10000.0, 'alpha': 1000.0, "
                     "'factor': 1.0}))",
}

# Each of these gives θ alone; InternLM2.5's depends on how many tokens the text has.
INTERNLM = of_llama(32768, rope_type="dynamic", rope_theta=1000000.0, factor=2.0) + ".config"
NTK = {
    **{f"InternLM2.5, {n} tokens": f"ROPE_INIT_FUNCTIONS['dynamic']({INTERNLM}, 'cpu', seq_len={n})[0]"
       for n in (32768, 65536, 131072)},
    "rotary-embedding-torch": "RotaryEmbedding(dim=64, theta=10000, theta_rescale_factor=8.0).freqs",
}

# What DeepSeek-V3 multiplies its scores by.
SCORES = {"DeepSeek-V3": f"deepseek_v3.yarn_apply_mscale({DEEPSEEK}.rope_parameters, 1.0)"}

ALIBI = {
    f"{name}, {H} heads, {what}": call.format(H=H)
    for H in (8, 12, 16)
    for name, what, call in [
        ("Bloom", "slopes", "bloom._get_alibi_slopes({H}, 'cpu')"),
        ("Bloom", "bias", "bloom.build_alibi_tensor(torch.ones(1, 5), {H}, torch.float32)"),
        ("MPT", "bias", "build_mpt_alibi_tensor({H}, 5)"),
    ]
}
SINUSOIDS = {
    "XLM": "create_sinusoidal_embeddings(6, 8, torch.empty(6, 8))",
    "Marian": "MarianSinusoidalPositionalEmbedding(6, 8).create_weight()",
    "M2M100": "M2M100SinusoidalPositionalEmbedding.get_embedding(6, 8)",
}

POSITIONS = [0, 1, 2, 5, 9]
x = torch.randn(1, 1, 5, 8, generator=torch.Generator().manual_seed(4))  # (batch, heads, n, d)
t = torch.tensor([POSITIONS])
plain = {"rope_type": "default", "rope_theta": 10000.0}
head = {"hidden_size": 8, "num_attention_heads": 1, "rope_parameters": plain}
half = {**head, "rope_parameters": {**plain, "partial_rotary_factor": 0.5}}
TURNED = {
    "positions": "t",
    "x": "x",
    "Llama": "llama.apply_rotary_pos_emb(x, x, *llama.LlamaRotaryEmbedding(LlamaConfig(**head))(x, t))[0]",
    "GPT-NeoX, 4 of 8 columns": "gpt_neox.apply_rotary_pos_emb(x, x, *gpt_neox.GPTNeoXRotaryEmbedding("
                                "GPTNeoXConfig(**half))(x, t))[0]",
    "GPT-J": "gptj.apply_rotary_pos_emb(x.transpose(1, 2), "
             "*gptj.GPTJRotaryEmbedding(GPTJConfig(rotary_dim=8))(x, t))",
    "Cohere": "cohere.apply_rotary_pos_emb(x, x, *cohere.CohereRotaryEmbedding(CohereConfig(**head))(x, t))[0]",
    "rotary-embedding-torch": "torch.cat([RotaryEmbedding(dim=8).rotate_queries_or_keys(x[:, :, [i]], offset=place) "
                              "for i, place in enumerate(POSITIONS)], 2)",
    "DeepSeek-V3": "deepseek_v3.apply_rotary_pos_emb_interleave("
                   "x, x, *llama.LlamaRotaryEmbedding(LlamaConfig(**head))(x, t))[0]",
}


def numbers(values):
    """The values as nested lists, each number the shortest text that gives the same float32."""
    array = values.detach().squeeze().numpy()
    return [numbers(torch.from_numpy(row)) for row in array] if array.ndim == 2 else [float(str(v)) for v in array]


def modules(calls):
    """For each module: its call, its θ and its attention factor."""
    made = {name: (call, eval(call)) for name, call in calls.items()}
    return {name: {"call": call, "theta": numbers(module.inv_freq), "attention_factor": float(module.attention_scaling)}
            for name, (call, module) in made.items()}


def tensors(calls):
    """For each tensor: its call and its values."""
    return {name: {"call": call, "values": numbers(eval(call))} for name, call in calls.items()}


def write(name, packages, **parts):
    """Nothing; the file `name` holds the packages with their versions, and the parts, one case a line."""
    lines = [f'"made_by": "{Path(__file__).name}"', f'"packages": {json.dumps({p: version(p) for p in packages})}']
    for part, cases in parts.items():
        rows = (f" {json.dumps(case, ensure_ascii=False)}: {json.dumps(value)}" for case, value in cases.items())
        lines.append(f'"{part}": {{\n' + ",\n".join(rows) + "\n}")
    (HERE / name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    both = ["transformers", "torch"]
    all_three = [*both, "rotary-embedding-torch"]
    scores = {name: {"call": call, "value": eval(call)} for name, call in SCORES.items()}
    write("rope.json", both, modules=modules(ROPE))
    write("yarn.json", both, modules=modules(YARN), scores=scores)
    write("ntk.json", all_three, modules=modules(HUNYUAN), theta=tensors(NTK))
    write("alibi.json", both, cases=tensors(ALIBI))
    write("sinusoids.json", both, cases=tensors(SINUSOIDS))
    write("turned.json", all_three, cases=tensors(TURNED))
