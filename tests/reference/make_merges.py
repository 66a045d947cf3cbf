"""Make merges.json beside this file: the merges that Hugging Face's tokenizers learns, to hold merges.py against.

Run by hand, in an environment of its own; the tests read only what it wrote. Two runs give the same bytes.

    pip install tokenizers==0.23.3
    python tests/reference/make_merges.py

A byte goes in as the character of the same number (Latin-1), and all 256 are in the alphabet, so that ids begin as the
bytes' values. `split` is the pattern of the pieces that no merge leaves, or none if the text is one piece. A case holds
the text, the merges in order, as pairs of hexadecimal bytes, and the ids of the text cut by them.
"""

import json
import random
from importlib.metadata import version
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

PIECE = r" ?[^ \t\n]+|[ \t\n]"
CALL = ("BpeTrainer(vocab_size=256 + most, min_frequency=2, initial_alphabet=[chr(b) for b in range(256)]), "
        "pre_tokenizers.Split(Regex(split), 'isolated') if there is a split, train_from_iterator([text]), encode(text)")
ALPHABETS = {
    "two letters": "ab", "letters and spaces": "abcde   ", "blanks": "ab \t\n", "accents": "éèêàçñ eaou",
    "Devanagari": "नमस्ते दुनिया ", "Chinese": "猫犬は、。和狗你好", "emoji": "👋🏽😀😁👍👩‍💻 ",
    "Arabic": "مرحبا بالعالم ",
    "controls": "\0\x01\x1b\x7f\x85\u2028a ",
    "all of Unicode": "".join(map(chr, (*range(0xD800), *range(0xE000, 0x20000)))),
}
PROSE = ("the cat climbed the roof. the dog climbed the wall. a cat naps, a dog naps, and nobody climbs.\n"
         "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Voilà l’été: où est le café? "
         "猫は猫。👋🏽👋🏽\n") * 4


def learnt(text: str, most: int, split: str | None) -> dict[str, object]:
    """The case of one text."""
    tokenizer = Tokenizer(models.BPE())
    if split:
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(split), "isolated")
    trainer = trainers.BpeTrainer(vocab_size=256 + most, min_frequency=2, show_progress=False,
                                  initial_alphabet=[chr(b) for b in range(256)])
    latin = text.encode().decode("latin-1")
    tokenizer.train_from_iterator([latin], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    pairs = [" ".join(part.encode("latin-1").hex() for part in pair) for pair in merges]
    return {"text": text, "most": most, "split": split, "merges": pairs, "ids": tokenizer.encode(latin).ids}


def texts() -> dict[str, tuple[str, int]]:
    """The texts, by name, with how many merges are wanted."""
    draw = random.Random(6)
    found = {f"{name}, {n}": ("".join(draw.choice(alphabet) for _ in range(n)), 40)
             for name, alphabet in ALPHABETS.items() for n in (12, 90, 400)}
    return found | {"one letter": ("a" * 37, 40), "nothing": ("", 40), "prose": (PROSE, 200)}


if __name__ == "__main__":
    cases = {f"{name}, {where}": learnt(text, most, split) for name, (text, most) in texts().items()
             for where, split in (("in words", PIECE), ("across words", None))}
    made = {"made_by": Path(__file__).name, "packages": {"tokenizers": version("tokenizers")}, "call": CALL,
            "cases": cases}
    lines = json.dumps(made, ensure_ascii=True, indent=0).replace(",\n", ", ")
    (Path(__file__).parent / "merges.json").write_text(lines + "\n", encoding="utf-8")
