"""Batches by Zipf's law update a table of up to 128,256 rows: which rows move, how far, and what each way costs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenwalk import lazy, optimise, timing, training, zipf
from tokenwalk.chart import Chart, axis
from tokenwalk.image import png
from tokenwalk.render import number, whole
from tokenwalk.state import between, chosen, flag, one_of, real

Array = NDArray[np.float64]
CAP = 14  # states in the table, those nearest to the first; Python has the rest
LAST = 300        # steps
NUMBERS = 48      # numbers of a table that are still printed
ROWS = 1000       # rows of a table that are still drawn with all of their numbers
TIED_WORK = 2**23  # V × d × the inputs: what a tied step may cost, so that a browser makes LAST of them in seconds
GROUPS = 40       # groups of neighbouring ranks, each one point of a chart
SPEEDS = {"slow": 1500, "normal": 600, "fast": 150}  # milliseconds from step to step
TOKENS = [str(2**k) for k in range(3, 14)]
STILL = 1e-3      # learning rates; what moved less in a step is called still


@dataclass(frozen=True)
class State:
    """What the reader chose: the run, how many steps of it, whether it plays; and a measurement, all zeros if none."""

    tick: int = between(1, LAST, 1)
    playing: bool = flag()
    speed: str = one_of(SPEEDS, "normal")
    V: str = one_of(("12", "200", "1000", "12800", "50257", "128256"), "12")
    d: str = one_of(("4", "16", "64"), "4")
    n: str = one_of(TOKENS, "8")
    optimiser: str = one_of(lazy.RULES, "sgd")
    lr: str = one_of(("0.001", "0.01", "0.1", "1"), "0.1")
    tied: bool = flag()
    law: str = one_of(("zipf", "words"), "zipf")
    s: float = real(0, 2, 1)
    seed: int = between(0, 999, 0)
    dense_ms: float = real(0, 1e6, 0)
    sparse_ms: float = real(0, 1e6, 0)
    ratio_low: float = real(0, 1e6, 0)
    ratio: float = real(0, 1e6, 0)
    ratio_high: float = real(0, 1e6, 0)


UNMEASURED: dict[str, Any] = {"dense_ms": 0.0, "sparse_ms": 0.0, "ratio_low": 0.0, "ratio": 0.0, "ratio_high": 0.0}


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control. Pure, but that `measure` asks this machine's clock."""
    match action:
        case {"do": "next" | "tick"}:
            tick = min(state.tick + 1, LAST)
            return replace(state, tick=tick, playing=state.playing and tick < LAST)
        case {"do": "play"}:
            return replace(state, playing=True, tick=state.tick if state.tick < LAST else 1)
        case {"do": "pause"}:
            return replace(state, playing=False)
        case {"do": "reset"}:
            return State()
        case {"do": "measure"} if not state.tied:
            found = timing.measured(setting(state), state.tick)
            rounded: dict[str, Any] = dict(zip(UNMEASURED, (float(f"{x:.3g}") for x in found), strict=True))
            return replace(state, **rounded)
        case {"tick": _} | {"speed": _}:
            return chosen(state, action)
    after = replace(chosen(state, action), **UNMEASURED)
    return after if tiable(after) else replace(after, tied=False)


def tiable(state: State) -> bool:
    """Whether a tied step is cheap enough: the softmax multiplies each different input with all rows of the table."""
    V, d, n = int(state.V), int(state.d), int(state.n)
    return V <= ROWS and V * d * min(n, V) <= TIED_WORK


def most_tied_tokens(d: int) -> int:
    """The largest number of tokens on the menu with which a table of ROWS rows can be tied."""
    return max(int(n) for n in TOKENS if ROWS * d * min(int(n), ROWS) <= TIED_WORK)


def setting(state: State) -> training.Setting:
    """The run that the state asks for; a link that ties too large a table gets it untied."""
    return training.Setting(int(state.V), int(state.d), int(state.n), state.s if state.law == "zipf" else None,
                            state.optimiser, float(state.lr), state.seed, state.tied and tiable(state))


def grouped(values: Array, starts: NDArray[np.int_]) -> Array:
    """The mean of the values in each group of neighbouring ranks; starts are the places where the groups begin."""
    return np.add.reduceat(values, starts) / np.diff(starts, append=len(values))


def one_pixel_a_row(moved: Array, read: NDArray[np.int64], least: float) -> Array:
    """The rows in reading order as a square: −1 for a row that was read just now, else how far it moved, from 0 to 1.

    moved (V,) -> (about √V, about √V). In eight steps on a logarithmic scale, from `least` to a distance of 1.
    """
    share = 1 + np.log(np.maximum(moved, least) / least) / np.log(1 / least) * 7
    level = np.where(moved > 0, np.clip(np.rint(share), 1, 8) / 8, 0.0)
    level[read] = -1
    width = int(np.ceil(np.sqrt(len(level))))
    return np.resize(np.append(level, np.zeros(-len(level) % width)), (-(-len(level) // width), width))


def one_column_a_row(moved: lazy.Floats, read: NDArray[np.int64], most: float) -> Array:
    """The rows side by side, each a column of its d numbers under a mark, −1 if it was read just now; in bands.

    moved (V, d) -> a picture about twice as wide as high. A number x is the root of |x| / most, in eight steps and
    with its sign, so that small ones are still seen.
    """
    V, d = moved.shape
    mark = 1 + d // 16
    height = mark + d + 1
    width = min(V, int(np.ceil(np.sqrt(2 * V * height))))
    tall = np.zeros((V + -V % width, height))
    tall[:V, mark:-1] = np.sign(moved) * np.rint(8 * np.sqrt(np.abs(moved) / most)) / 8
    tall[read, :mark] = -1
    return tall.reshape(-1, width, height).swapaxes(1, 2).reshape(-1, width)


def powers(low: float, high: float) -> tuple[float, float]:
    """The powers of ten just below `low` and just above `high`."""
    return 10.0 ** np.floor(np.log10(low)), 10.0 ** np.ceil(np.log10(high))


def power(x: float) -> str:
    """A power of ten as text: 10⁻⁴ and 10⁵, but those from 0.1 to 10,000 as they are."""
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return number(x) if 0.05 < x < 50_000 else "10" + f"{np.log10(x):.0f}".translate(raised)


def about(x: float) -> str:
    """A number with as many decimals as it needs beside a count: none from 100 on, one from 1 on, else three."""
    return number(x, 0 if x >= 100 else 1 if x >= 1 else 3)


def charts(run: training.Run, moved: Array) -> dict[str, Any]:
    """Rank against how often an id was drawn, and against how far its row has moved, one point a group of ranks."""
    V, draws = run.setting.V, run.setting.n * run.table.t
    starts = np.array(sorted({int(rank) - 1 for rank in np.geomspace(1, V + 1, GROUPS + 1)[:-1]}))
    ranks = np.sqrt((starts + 1.0) * np.append(starts[1:], V))
    counts, expected, far = (grouped(v, starts) for v in (run.drawn.astype(float), draws * run.p, moved))
    floor, top = powers(min(far[far > 0].min(), 0.1), max(far.max(), 1))
    across = axis("rank of the id, 1 = commonest", 1, V, log=True)
    rare, often = powers(expected.min() / 1.5, counts.max() * 1.5)
    return {
        "often": Chart(across, axis("times drawn, per id", rare, often, log=True)),
        "far": Chart(across, axis("distance moved, per number", floor, top, log=True)), "floor": floor,
        "ranks": ranks, "expected": expected, "counts": np.where(counts > 0, counts, np.nan),
        "moved_groups": np.where(far > 0, far, np.nan), "still_groups": ranks[far == 0], "ends": far[[0, -1]],
    }


def picture(run: training.Run, moved: Array) -> dict[str, Any]:
    """The table: as numbers if there are few, else as an image of all numbers, else with one pixel a row."""
    V, d, every = run.setting.V, run.setting.d, np.arange(run.setting.V)
    if V > ROWS:
        least = float(run.setting.lr) / run.setting.n
        values = one_pixel_a_row(moved, run.read, least)
        return {"kind": "pixels", "shape": values.shape, "src": png(values, 1, 3)}
    rows = run.table.brought_up(every)[0]
    if V * d <= NUMBERS:
        return {"kind": "numbers", "E": run.table.rows_at_start(every) + rows}
    most = max(float(np.abs(rows).max()), 1e-12)
    values = one_column_a_row(rows, run.read, most)
    return {"kind": "columns", "shape": values.shape, "most": most, "src": png(values, 1, 3)}


def witness(run: training.Run) -> int | None:
    """The first row that was read once, at step 1, and never again; None if there is none."""
    found = np.flatnonzero((run.drawn == 1) & (run.table.last == 1))
    return None if run.setting.tied or not len(found) else int(found[0])


def cost(run: training.Run) -> dict[str, int]:
    """The bytes of the gradient in both forms: V × d numbers, or m × d numbers and m ids of eight bytes."""
    V, d = run.table.moved.shape
    size, m = run.table.moved.itemsize, V if run.setting.tied else len(run.read)
    return {"dense_bytes": V * d * size, "sparse_bytes": m * d * size + m * 8}


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    asked = setting(state)
    run = training.trained(asked, state.tick)
    moved = run.table.distance() / np.sqrt(asked.d)  # (V,): 1 if each number of a row has moved by about 1
    drawn, V, draws = run.drawn, asked.V, asked.n * state.tick
    idle = run.table.last_move() / np.sqrt(asked.d) > STILL * asked.lr  # (V,)
    update = {"sgd": (optimise.sgd,), "momentum": (optimise.momentum,), "adamw": (optimise.adamw, optimise.adam)}
    used = (zipf.words if asked.s is None else zipf.law, zipf.draws, zipf.expected_held,
            *update.get(state.optimiser, (optimise.adam,)), lazy.coasting,
            training.tied_gradient if asked.tied else training.pull)
    once = witness(run)
    return {
        "asked": asked, "V": V, "n": asked.n, "d": asked.d, "last": LAST, "every": SPEEDS[state.speed],
        "rule": run.table.rule, "read": run.read, "tiable": tiable(state), "moved": moved, "stirred": int(idle.sum()),
        "figures": [
            ("ids in this step", len(run.read), zipf.expected_held(run.p, asked.n)),
            ("ids so far", int((drawn > 0).sum()), zipf.expected_held(run.p, draws)),
            ("draws of id 0", int(drawn[0]), draws * run.p[0]),
            (f"draws of id {whole(V - 1)}", int(drawn[-1]), draws * run.p[-1]),
        ],
        "most_drawn": int(drawn.argmax()), "rarest": int(np.flatnonzero(drawn)[-1]), "drawn": drawn,
        "wait": 1 / (asked.n * run.p[-1]), "once": once, "once_moved": None if once is None else moved[once] / asked.lr,
        "sizes": (("12", "12, the toy"), ("200", "200"), ("1000", "1,000"), ("12800", "12,800"),
                  ("50257", "50,257, GPT-2"), ("128256", "128,256, Llama 3")),
        "menu": [(name, rule.title) for name, rule in lazy.RULES.items()], "tokens": [int(n) for n in TOKENS],
        "tied_rows": ROWS, "tied_tokens": most_tied_tokens(asked.d),
        "about": about, "power": power, "listed": zipf.WORDS, "used": [f.__name__ for f in used],
        **cost(run), **charts(run, moved), **picture(run, moved),
    }


CODE = (zipf.law, zipf.words, zipf.draws, zipf.expected_held, training.pull, training.tied_gradient, optimise.sgd,
        optimise.momentum, optimise.adamw, optimise.adam, lazy.coasting)
