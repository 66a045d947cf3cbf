"""Make torch_sampling.json beside this one: what transformers' own processors leave of drawn logits, and of tied ones.

Run by hand, in an environment of its own; the tests read only what it wrote. Two runs give the same bytes.

    pip install torch==2.13.0 transformers==5.24.0
    python tests/reference/make_sampling.py

The processors stand in the order in which generate() puts them, and a setting of None leaves its own out. All values
are float64. `left` is the softmax of what the last one gives: 0 for what is dropped.
"""

import json
from pathlib import Path

import torch
import transformers
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

torch.set_default_dtype(torch.float64)

SETTINGS = [  # temperature, k, p
    (1.0, None, None), (0.25, None, None), (2.0, None, None), (1.0, 1, None), (1.0, 5, None), (1.0, 99, None),
    (1.0, None, 0.05), (1.0, None, 0.5), (1.0, None, 0.9), (1.0, None, 0.999), (1.0, 3, 0.9), (1.0, 8, 0.5),
    (0.5, 6, 0.9), (3.0, 6, 0.9), (3.0, None, 0.9),
]
TIED = {  # logits, k, p
    "top-k, three equal for the second place": ([0.0, 2.0, 1.0, 1.0, 1.0], 2, None),
    "top-p, three equal for the second place": ([0.0, 2.0, 1.0, 1.0, 1.0], None, 0.5),
    "top-p, all equal": ([1.0, 1.0, 1.0, 1.0, 1.0], None, 0.5),
    "top-k, all equal": ([1.0, 1.0, 1.0, 1.0, 1.0], 2, None),
}


def left(logits: list[float], temperature: float, k: int | None, p: float | None) -> list[float]:
    """The probabilities after the processors."""
    gates = [TemperatureLogitsWarper(temperature)]
    gates += [TopKLogitsWarper(k)] if k else []
    gates += [TopPLogitsWarper(p)] if p else []
    scores = torch.tensor([logits])
    for gate in gates:
        scores = gate(torch.tensor([[0]]), scores)
    return scores.softmax(-1)[0].tolist()


def drawn() -> dict[str, list[float]]:
    """Logits of a small vocabulary and a larger one, no two alike."""
    generator = torch.Generator().manual_seed(7)
    return {f"V = {V}": (3 * torch.randn(V, generator=generator)).tolist() for V in (12, 60)}


if __name__ == "__main__":
    made = {
        "made_by": Path(__file__).name,
        "packages": {"torch": torch.__version__, "transformers": transformers.__version__},
        "logits": drawn(),
        "cases": [{"of": name, "temperature": T, "k": k, "p": p, "left": left(logits, T, k, p)}
                  for name, logits in drawn().items() for T, k, p in SETTINGS],
        "tied": {name: {"logits": logits, "k": k, "p": p, "left": left(logits, 1.0, k, p)}
                 for name, (logits, k, p) in TIED.items()},
    }
    text = json.dumps(made, ensure_ascii=False).replace('{"of"', '\n{"of"').replace('"top-', '\n"top-')
    (Path(__file__).parent / "torch_sampling.json").write_text(text + "\n", encoding="utf-8")
