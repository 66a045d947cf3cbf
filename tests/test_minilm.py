"""The stored figures of all-MiniLM-L6-v2 against those of the chapter, and against each other.

The figures are made by py/tokenwalk/data/make_minilm.py. This file reads only its output.
"""

import json
from itertools import pairwise
from pathlib import Path

import pytest

STORED = (Path(__file__).parents[1] / "py/tokenwalk/data/minilm.json").read_text(encoding="utf-8")
FIGURES = json.loads(STORED)

# As the chapter prints them, with as many decimals.
PRINTED = {
    "position_mean_cosine_1_apart": "0.85",
    "position_mean_cosine_128_apart": "0.08",
    "unused_norm_mean": "0.455",
    "unused_norm_sd": "0.016",
    "unused_mean_cosine_of_pairs": "0.82",
    "other_norm_mean": "1.086",
    "other_norm_sd": "0.203",
    "frequency_distance_rank_correlation": "0.82",
    "distance_mean_ranks_1_to_100": "1.10",
    "distance_mean_ranks_101_to_5000": "1.38",  # the chapter says "up to rank 5,000"; from rank 1 on it is 1.37
    "distance_mean_ranks_above_15000": "1.02",
}
COUNTED = {
    "position_table_shape": [512, 384],
    "word_table_shape": [30_522, 384],
    "unused_rows": 994,
    "vocabulary_words": 21_712,
}
SINGULAR_VALUES = "3.60 3.58 3.24 3.03 2.95 2.92 2.86 2.75 2.72 2.70 1.56 0.73"
RANK_GROUPS = ["ranks_1_to_100", "ranks_101_to_5000", "ranks_5001_to_15000", "ranks_above_15000"]
ROUNDING = 1e-4  # a figure stored with four decimals may be 0.00005 off, and so may what is worked out from such


def periods_near(period: float) -> list[float]:
    """The stored periods within 2.5 % of this one."""
    return [found for found in FIGURES["position_first_12_dominant_periods"] if abs(found / period - 1) < 0.025]


def mean_over(groups: list[str]) -> float:
    """The mean distance over all words of these groups, from the groups' own means."""
    counts = [int(FIGURES[f"words_{group}"]) for group in groups]
    means = [float(FIGURES[f"distance_mean_{group}"]) for group in groups]
    return sum(count * mean for count, mean in zip(counts, means, strict=True)) / sum(counts)


@pytest.mark.parametrize(("key", "printed"), PRINTED.items())
def test_figure_is_as_printed(key: str, printed: str) -> None:
    decimals = len(printed.partition(".")[2])
    assert f"{FIGURES[key]:.{decimals}f}" == printed


@pytest.mark.parametrize(("key", "counted"), COUNTED.items())
def test_count_is_as_printed(key: str, counted: int | list[int]) -> None:
    assert FIGURES[key] == counted


def test_share_and_singular_values_are_as_printed() -> None:
    assert f"{FIGURES['position_first_12_variance_share']:.1%}" == "96.9%"
    assert " ".join(f"{value:.2f}" for value in FIGURES["position_first_12_singular_values"]) == SINGULAR_VALUES


@pytest.mark.parametrize("period", [5.7, 17, 54, 164])
def test_two_directions_share_each_period(period: float) -> None:
    assert len(periods_near(period)) == 2


def test_one_more_period_is_about_500() -> None:
    assert len(periods_near(500)) == 1


def test_each_period_is_about_three_times_the_last() -> None:
    means = [sum(near) / len(near) for near in map(periods_near, [5.7, 17, 54, 164, 500])]
    ratios = [later / earlier for earlier, later in pairwise(means)]
    assert ratios == pytest.approx([3] * 4, rel=0.06)


def test_rows_128_apart_are_alike_only_by_the_mean_row() -> None:
    assert FIGURES["position_mean_cosine_128_apart_centred"] < 0 < FIGURES["position_mean_cosine_128_apart"]
    assert f"{FIGURES['position_mean_cosine_1_apart_centred']:.2f}" == "0.83"


def test_singular_values_give_the_share() -> None:
    squares = sum(value**2 for value in FIGURES["position_first_12_singular_values"])
    share = squares / FIGURES["position_centred_sum_of_squares"]
    assert share == pytest.approx(FIGURES["position_first_12_variance_share"], abs=ROUNDING)


def test_every_row_is_unused_or_other() -> None:
    assert FIGURES["unused_rows"] + FIGURES["other_rows"] == FIGURES["word_table_shape"][0]


def test_rank_groups_hold_every_vocabulary_word_once() -> None:
    assert sum(FIGURES[f"words_{group}"] for group in RANK_GROUPS) == FIGURES["vocabulary_words"]


def test_group_means_give_the_wider_means() -> None:
    assert mean_over(RANK_GROUPS) == pytest.approx(FIGURES["distance_mean_all_words"], abs=ROUNDING)
    assert mean_over(RANK_GROUPS[:2]) == pytest.approx(FIGURES["distance_mean_ranks_1_to_5000"], abs=ROUNDING)


def test_stored_form_is_sorted_and_stable() -> None:
    assert json.dumps(FIGURES, indent=2, sort_keys=True) + "\n" == STORED
