"""Make torch_path.json beside this one: a block with its output layer, in PyTorch's own modules, on drawn weights.

Run by hand, in an environment of its own; the tests read only what it wrote. Two runs give the same bytes.

    pip install torch==2.13.0
    python tests/reference/make_torch_path.py

What goes in is drawn by drawn.py. All values are float64.
"""

import json
from pathlib import Path

import torch
from drawn import CASES, GAIN, drawn
from torch import nn

torch.set_default_dtype(torch.float64)


def linear(W: list, b: list | None = None) -> nn.Linear:
    """The module that multiplies a row by W from the right and adds b."""
    weight = torch.tensor(W).T
    made = nn.Linear(weight.shape[1], weight.shape[0], bias=b is not None)
    made.weight.data = weight
    if b is not None:
        made.bias.data = torch.tensor(b)
    return made


def turned(x: torch.Tensor, layout: str) -> torch.Tensor:
    """The rows of each head turned by t × 10000^(−2j/w), written once more: x (H, n, w)."""
    w, t = x.shape[-1], torch.arange(x.shape[-2])
    angles = torch.outer(t, 10000.0 ** (-torch.arange(0, w, 2) / w))
    if layout == "interleaved":
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], w // 2, 2).contiguous())
        return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).reshape(x.shape)
    half = torch.cat([-x[..., w // 2 :], x[..., : w // 2]], -1)
    angles = torch.cat([angles, angles], -1)
    return x * angles.cos() + half * angles.sin()


def slopes(heads: int) -> list[float]:
    """ALiBi's slopes as its authors' get_slopes gives them."""
    if heads & (heads - 1) == 0:
        return [2 ** (-8 / heads * (h + 1)) for h in range(heads)]
    below = 1 << (heads.bit_length() - 1)
    return slopes(below) + slopes(2 * below)[0::2][: heads - below]


class Attention(nn.Module):
    """The heads by nn.MultiheadAttention, or by scaled_dot_product_attention where q and k are turned before."""

    def __init__(self, case: dict, heads: int, scheme: str, layout: str) -> None:
        super().__init__()
        d = len(case["W_Q"])
        self.maps = [linear(case[name]) for name in ("W_Q", "W_K", "W_V", "W_O")]
        self.whole = nn.MultiheadAttention(d, heads, bias=False, batch_first=True)
        self.whole.in_proj_weight.data = torch.cat([m.weight for m in self.maps[:3]])
        self.whole.out_proj.weight.data = self.maps[3].weight.data
        distance = (torch.arange(len(case["ids"]))[:, None] - torch.arange(len(case["ids"]))).abs()
        bias = -torch.tensor(slopes(heads))[:, None, None] * distance * (scheme == "alibi")
        self.added = bias.masked_fill(~torch.tensor(case["mask"]), -torch.inf)  # (H, n, n)
        self.heads, self.scheme, self.layout = heads, scheme, layout

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        if self.scheme != "rope":
            return self.whole(h[None], h[None], h[None], attn_mask=self.added, need_weights=False)[0][0]
        q, k, v = (m(h).reshape(len(h), self.heads, -1).transpose(0, 1) for m in self.maps[:3])
        q, k = turned(q, self.layout), turned(k, self.layout)
        out = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=self.added)
        return self.maps[3](out.transpose(0, 1).reshape(len(h), -1))


@torch.no_grad()
def values(name: str) -> dict[str, list]:
    """What attention adds, X after the block, and the logits of a case."""
    d, heads, _, _, scheme, layout, _ = CASES[name]
    case = drawn(name)
    norm = nn.LayerNorm(d, elementwise_affine=False)
    table = nn.Embedding.from_pretrained(torch.tensor(case["E"]))
    mlp = nn.Sequential(linear(case["W_1"], case["b_1"]), nn.ReLU(), linear(case["W_2"], case["b_2"]))
    X = table(torch.tensor(case["ids"]))
    attn = Attention(case, heads, scheme, layout)(norm(X))
    residual = X + attn
    Y = residual + mlp(norm(residual))
    logits = nn.functional.linear(GAIN * norm(Y), table.weight)
    return {"attn": attn.tolist(), "Y": Y.tolist(), "logits": logits.tolist()}


if __name__ == "__main__":
    made = {"made_by": Path(__file__).name, "packages": {"torch": torch.__version__},
            "cases": {name: values(name) for name in CASES}}
    text = json.dumps(made, ensure_ascii=False).replace('"attn"', '\n"attn"')
    (Path(__file__).parent / "torch_path.json").write_text(text + "\n", encoding="utf-8")
