"""Words of a trained table: how often each comes, and how far its row lies from the rows that no text ever draws."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import facts, trained
from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.render import number
from tokenwalk.state import BadInput, chosen, one_of
from tokenwalk.trained import COMMON, DISTANCES, PLACE, TIMES, UNUSED, WEIGHTS, WORDS, as_frequent, rank_correlation

CAP = 18  # states in the table, those nearest to the first; Python has the rest
SHOWN = 7      # words of one frequency that are listed at most
GRID = 1000    # the steps of a point's place, across and down: the points of all states travel as short numbers
NEVER, EDGE, STRIP = 0.004, 0.008, (0.0022, 0.0068)  # where on the axis of frequency the rows stand that have none
CHART = Chart(Axis("times in a million words", 0.002, 1e5, (NEVER, 0.1, 10, 1000), True),
              axis("distance from the centre of the never-drawn rows", 0, 1.9, count=4))
# Points that a finger can choose: far enough from each other on a phone, from rare to common.
POINTS = ("geometridae", "newscasts", "aachen", "playback", "geology", "henry", "cat", "people", "the")
GROUPS = {"1_to_100": (0, 100), "101_to_5000": (100, 5000), "5001_to_15000": (5000, 15_000),
          "above_15000": (15_000, np.inf)}  # above which rank and up to which, by the name in facts.MINILM


@dataclass(frozen=True)
class State:
    """What the reader chose: one word."""

    word: str = one_of(WORDS, "cat")


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control. BadInput, with two words near it, for a word not there."""
    after = chosen(state, action)
    word = after.word.strip().lower()
    if word not in PLACE:
        raise BadInput(f"“{word[:30]}” is not among the {number(len(WORDS))} words drawn here, but "
                       f"“{'” and “'.join(near(word[:30]))}” are")
    return State(word)


def near(word: str) -> tuple[str, ...]:
    """Two words of the picture between which a word would stand in the alphabet, or next to which at its ends."""
    listed = sorted(WORDS)
    k = int(np.clip(np.searchsorted(listed, word), 1, len(listed) - 1))
    return listed[k - 1], listed[k]


def points(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """Points as an SVG path's `d` on a grid of 1000 × 1000, each a line of no length, told from the one before it."""
    places = np.rint(np.stack([CHART.x.at(x), 100 - CHART.y.at(y)], axis=1) * GRID / 100).astype(int)  # (m, 2)
    grid = np.array(sorted(set(map(tuple, places.tolist()))))  # two in one place are drawn once
    steps = np.diff(grid, axis=0, prepend=[[0, 0]])
    return "".join(f"m{across} {down}h0" for across, down in steps.tolist())


@cache
def cloud() -> dict[str, Any]:
    """What is the same in every state and slow to make: all points, and the mean distance of four groups of words.

    A group is (its lowest frequency, its highest, the mean distance of all its words, not of those drawn here only).
    """
    rank = trained.mean_ranks(-TIMES, WEIGHTS)  # (m,), 1 for the most frequent
    inside = {name: TIMES[(rank > low) & (rank <= high)] for name, (low, high) in GROUPS.items()}
    return {
        "words_path": points(TIMES, DISTANCES), "unused_path": points(np.geomspace(*STRIP, len(UNUSED)), UNUSED),
        "groups": [(x.min(), x.max(), facts.MINILM[f"distance_mean_ranks_{name}"]) for name, x in inside.items()],
    }


def mark(times: float) -> str:
    """A mark of the axis of frequency as text."""
    return "never" if times == NEVER else number(times)


def listed(same: NDArray[np.intp]) -> list[int]:
    """At most seven of the words of one frequency, from the nearest to the farthest, in even steps."""
    return [int(same[k]) for k in sorted(set(np.linspace(0, len(same) - 1, SHOWN).round().astype(int).tolist()))]


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    k = PLACE[state.word]
    same = as_frequent(k)
    rows = sorted({*listed(same), k}, key=lambda j: (DISTANCES[j], j))
    return {
        "k": k, "same": same, "rows": rows, "words": WORDS, "times": TIMES, "distances": DISTANCES, "unused": UNUSED,
        "chart": CHART, "edge": EDGE, "grid": GRID, "M": facts.MINILM, "common_words": COMMON,
        "every": trained.EVERY, "points": [(word, PLACE[word]) for word in POINTS], **cloud(),
        "all": rank_correlation(TIMES, DISTANCES, WEIGHTS), "mark": mark,
        "common": rank_correlation(TIMES[:COMMON], DISTANCES[:COMMON], WEIGHTS[:COMMON]),
        "used": [f.__name__ for f in CODE],
    }


CODE = (as_frequent, rank_correlation, trained.mean_ranks)
