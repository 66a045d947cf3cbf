"""Make words.json: how often the English word of each rank comes, at about a hundred ranks, from the wordfreq list.

Run by hand when a figure is in doubt. It is no part of the build and is not shipped to the browser.

How to run
    pip install numpy==2.4.3 wordfreq==3.1.1
    python make_words.py
It writes words.json beside itself. Two runs give the same bytes.

Licences
    wordfreq: code Apache-2.0; its data CC BY-SA 4.0, with the terms of its sources.
    The JSON holds ranks and frequencies only, no words. It is under CC BY-SA 4.0 as well.

Method
    The frequencies of the English "large" list, sorted so that rank 1 is the commonest word. Kept are ranks 1 to 30 and
    then ranks evenly spaced in the logarithm, up to the last rank that a table of 128,256 rows needs. The list gives
    frequencies in steps of one hundredth of a power of ten, so neighbours tie; between two kept ranks zipf.words
    draws a straight line in both logarithms.
"""

# mypy: disable-error-code="import-not-found"

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from wordfreq import get_frequency_dict

LAST, FIRST_ALL, STEPS = 128_256, 30, 80


def main() -> None:
    frequencies = np.sort([*get_frequency_dict("en", wordlist="large").values()])[::-1]
    spaced = np.rint(np.geomspace(FIRST_ALL + 1, LAST, STEPS)).astype(int)
    ranks = [*range(1, FIRST_ALL + 1), *(int(rank) for rank in np.unique(spaced))]
    data = {
        "source": f"wordfreq=={version('wordfreq')}, English, large",
        "licence": "CC BY-SA 4.0 (data), Apache-2.0 (code)",
        "listed": len(frequencies),
        "ranks": ranks,
        "frequencies": [float(f"{frequencies[rank - 1]:.4g}") for rank in ranks],
    }
    Path(__file__).with_name("words.json").write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
