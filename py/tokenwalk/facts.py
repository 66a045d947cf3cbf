"""The sizes that the prose states, computed from the published shape of each model, with the source.

A page asks for facts.GPT2.table and prints what comes. No total is typed here: each is a sum over the architecture.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Model:
    """A decoder's shape, and the number of parameters in each of its parts."""

    name: str
    V: int
    d: int
    layers: int
    block: int            # parameters of one layer, norms included
    norm: int             # parameters of the last norm
    tied: bool            # whether E is also the output layer
    source: str
    positions: int = 0    # rows of a learned table of positions; 0 if there is none

    @property
    def table(self) -> int:
        """The parameters of E: V × d."""
        return self.V * self.d

    @property
    def position_table(self) -> int:
        """The parameters of P: positions × d."""
        return self.positions * self.d

    @property
    def tables(self) -> int:
        """The parameters of E and of the output layer: one table if they are tied, two if not."""
        return self.table * (1 if self.tied else 2)

    @property
    def total(self) -> int:
        """All parameters: the tables, the positions, the layers, the last norm."""
        return self.tables + self.position_table + self.layers * self.block + self.norm

    @property
    def share(self) -> float:
        """The part of all parameters that lies in E and the output layer, between 0 and 1."""
        return self.tables / self.total

    @property
    def untied(self) -> int:
        """The parameters that the model has, or would have, with an output layer of its own."""
        return self.total + (self.table if self.tied else 0)


@dataclass(frozen=True)
class Head:
    """How much of each query and key a model's RoPE turns."""

    name: str
    rotated: int  # columns
    width: int    # columns
    source: str

    @property
    def share(self) -> float:
        """The part of the columns that is turned, between 0 and 1."""
        return self.rotated / self.width


def gpt2_attention(d: int) -> int:
    """The parameters of one GPT-2 layer's attention: four d × d maps, each with a bias of d."""
    return 4 * (d * d + d)


def gpt2_mlp(d: int) -> int:
    """The parameters of one GPT-2 layer's MLP: d × 4d with a bias of 4d, and 4d × d with one of d."""
    return d * 4 * d + 4 * d + 4 * d * d + d


def gpt2_block(d: int) -> int:
    """The parameters of one GPT-2 layer: 12 d² + 13 d. Attention, MLP, and two norms of 2d."""
    return gpt2_attention(d) + gpt2_mlp(d) + 2 * 2 * d


def llama_mlp(d: int, hidden: int) -> int:
    """The parameters of one Llama layer's MLP, which is a SwiGLU: three maps of d × hidden, without biases."""
    return 3 * d * hidden


def llama_block(d: int, heads: int, kv_heads: int, hidden: int) -> int:
    """The parameters of one Llama layer, which has no biases.

    q and the output d × d; k and v narrower, one part for each of kv_heads; the MLP; two norms of d.
    """
    return 2 * d * d + 2 * d * (d // heads * kv_heads) + llama_mlp(d, hidden) + 2 * d


def cache_bytes(layers: int, kv_heads: int, width: int, number: int = 2) -> int:
    """The bytes that a KV cache keeps for each token: a key and a value, of each head in each layer.

    width in numbers, number in bytes (2 for 16-bit floats). Source: Shazeer 2019 (arXiv 1911.02150), section 2.4.
    """
    return 2 * layers * kv_heads * width * number


def embedding_scale(d: int) -> float:
    """√d, by which the original Transformer multiplies the rows of E before it adds positions.

    Source: Vaswani 2017 (arXiv 1706.03762), section 3.4.
    """
    return math.sqrt(d)


def sinusoid_norm(d: int) -> float:
    """√(d/2), the norm of every row of the sinusoidal table: each of its d/2 pairs has sin² + cos² = 1."""
    return math.sqrt(d / 2)


GPT2_TOKENS = {"bytes": 256, "merges": 50_000, "end of text": 1}
GPT2 = Model(
    "GPT-2 small", V=sum(GPT2_TOKENS.values()), d=768, layers=12, block=gpt2_block(768), norm=2 * 768, tied=True,
    positions=1024, source="Radford 2019, section 2.3 and table 2, and the published config of gpt2",
)
GPT2_HEADS = 12  # of each layer, from the same config
LLAMA3_8B_HEADS, LLAMA3_8B_KV_HEADS = 32, 8  # of queries, and of keys and values: four of the former share one of these
LLAMA3_8B_HIDDEN = 14_336  # neurons of each layer's MLP
LLAMA3_8B_CONTEXT = 8192  # tokens, from the published config of Meta-Llama-3-8B: max_position_embeddings
LLAMA3_8B = Model(
    "Llama 3 8B", V=128_256, d=4096, layers=32, norm=4096, tied=False,
    block=llama_block(4096, heads=LLAMA3_8B_HEADS, kv_heads=LLAMA3_8B_KV_HEADS, hidden=LLAMA3_8B_HIDDEN),
    source="Grattafiori 2024 (arXiv 2407.21783), table 3, and the published config of Meta-Llama-3-8B",
)

DEEPSEEK_V3 = Head("DeepSeek-V3", rotated=64, width=128 + 64, source="DeepSeek-AI 2024 (arXiv 2412.19437), section 4.2")
QWEN3_NEXT = Head(
    "Qwen3-Next", rotated=64, width=256, source="its published config: head_dim, and partial_rotary_factor 0.25",
)
GEMMA_4 = Head(
    "Gemma 4, global layers", rotated=128, width=512,
    source="its published config: global_head_dim, and partial_rotary_factor 0.25 for full_attention",
)

# How many public models were searched for a token that no row can make the first, and how many have one.
GRIVAS_SEARCHED, GRIVAS_FOUND = 150, 13  # source: Grivas 2022 (arXiv 2203.06462), abstract

# What data/make_minilm.py and data/make_hands.py measured in the real tables of all-MiniLM-L6-v2; they say how.
MINILM, HANDS = (json.loads((Path(__file__).parent / f"data/{name}.json").read_text(encoding="utf-8"))
                 for name in ("minilm", "hands"))
