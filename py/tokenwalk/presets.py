"""Step 2: how published models turn their queries and keys, and how far each was stretched beyond its training.

PRESETS stands in the order of publication. tests/test_reference.py holds the angles of each against transformers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tokenwalk import facts
from tokenwalk.scaling import SCALINGS, Floats, llama3, yarn


@dataclass(frozen=True)
class Preset:
    """A published configuration, in the terms of scaling.frequencies, and what those terms leave out."""

    name: str
    date: str              # of publication: month and year
    source: str
    d: int                 # the columns of each head that are turned
    width: int             # all columns of each head
    base: float
    original: int          # positions in training, before the stretch
    target: int            # positions that the model is offered for
    scaling: str = "none"  # the nearest of SCALINGS
    factor: float = 1.0
    more: str = ""         # what neither these numbers nor SCALINGS can express
    own: Callable[[int, float, float, float | None], tuple[Floats, float]] | None = None  # if scaling is only near

    @property
    def words(self) -> str:
        """What the four schemes, applied to whole heads in all layers, cannot express; "" if there is nothing."""
        part = f"Only {self.d} of the {self.width} columns of each head are turned; the others carry no position."
        return " ".join(sentence for sentence in (part if self.d < self.width else "", self.more) if sentence)

    def frequencies(self) -> tuple[Floats, float]:
        """The angle θ of each pair and the attention factor, as the model computes them: (d/2,) and a number."""
        return (self.own or SCALINGS[self.scaling])(self.d, self.base, self.factor, self.original)


PRESETS = {
    "gpt_neox": Preset(
        "GPT-NeoX-20B", "April 2022", "Black 2022 (arXiv 2204.06745), and configs/20B.yml of EleutherAI/gpt-neox",
        d=24, width=96, base=10_000, original=2048, target=2048,
    ),
    "llama_2": Preset(
        "Llama 2", "July 2023", "Touvron 2023 (arXiv 2307.09288), and the published config of Llama-2-7b",
        d=128, width=128, base=10_000, original=4096, target=4096,
    ),
    "vicuna": Preset(
        "Vicuna 1.5 16k", "August 2023", "the published config of lmsys/vicuna-7b-v1.5-16k",
        d=128, width=128, base=10_000, original=4096, target=16_384, scaling="linear", factor=4,
    ),
    "llama_3_1": Preset(
        "Llama 3.1", "July 2024", "the published config of Llama-3.1-8B, and apply_scaling in meta-llama/llama-models",
        d=128, width=128, base=500_000, original=8192, target=131_072, scaling="yarn", factor=8, own=llama3,
        more="It has a scheme of its own. As in YaRN fast pairs are kept and slow ones interpolated, but the ramp lies "
        "between 4 turns and 1, it is linear in the turns, and there is no attention factor. The factor times the "
        "original length is only half of the target.",
    ),
    "qwen_2_5": Preset(
        "Qwen2.5", "September 2024", "the model card of Qwen/Qwen2.5-7B-Instruct, “Processing long texts”",
        d=128, width=128, base=1_000_000, original=32_768, target=131_072, scaling="yarn", factor=4,
        more="The published config has no scaling; the model card says to add this one for long texts.",
    ),
    "deepseek_v3": Preset(
        "DeepSeek-V3", "December 2024", "DeepSeek-AI 2024 (arXiv 2412.19437), section 4.3, and the published config",
        d=facts.DEEPSEEK_V3.rotated, width=facts.DEEPSEEK_V3.width, base=10_000, original=4096, target=131_072,
        scaling="yarn", factor=40,
        more="The square of the attention factor multiplies the whole score, so it sharpens the others too. "
        "The factor times the original length is more than the target, up to which the paper trains and tests.",
    ),
    "qwen_2_5_1m": Preset(
        "Qwen2.5-1M", "January 2025",
        "Yang 2025 (arXiv 2501.15383), the published config of Qwen2.5-7B-Instruct-1M, and vLLM’s code that runs it",
        d=128, width=128, base=10_000_000, original=262_144, target=1_010_000,
        more="No θ is changed. A text beyond the original length is cut into chunks instead (dual chunk attention, "
        "arXiv 2402.17463), and positions are counted so that no offset is larger than those in training. The scores "
        "are multiplied by 0.1 ln r + 1, where r is the length of the text over the original length.",
    ),
    "smollm3": Preset(
        "SmolLM3", "July 2025", "the published config and the model card of HuggingFaceTB/SmolLM3-3B",
        d=128, width=128, base=5_000_000, original=65_536, target=131_072, scaling="yarn", factor=2,
        more="In every fourth layer nothing is turned (NoPE), so there the scaling changes no score. The published "
        "config has no scaling; the model card says to add this one for long texts.",
    ),
    "gpt_oss": Preset(
        "gpt-oss-120b", "August 2025", "OpenAI 2025 (arXiv 2508.10925), and gpt_oss/torch/model.py of openai/gpt-oss",
        d=64, width=64, base=150_000, original=4096, target=131_072, scaling="yarn", factor=32,
        own=partial(yarn, rounded=False),
        more="The ends of the ramp are not rounded to whole pairs. Every second layer looks back over 128 positions "
        "only.",
    ),
}
