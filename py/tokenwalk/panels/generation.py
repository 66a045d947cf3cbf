"""Generation: run the model, pick a token, append it, and run again, until there is a reason to stop."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tokenwalk import cost, generate, output, path, position, tokens
from tokenwalk.generate import Pick, Rule
from tokenwalk.given import SENTENCES, Asking, choices
from tokenwalk.state import BadInput, between, chosen, flag, one_of, real

CAP = 50  # states in the table; Python has the rest
V = cost.TOY.V
LAST_SEED = 9999
STARTS = ("0 2", "0 3", *SENTENCES)  # the cat, the dog, and what the other pages offer


@dataclass(frozen=True)
class State(Asking):
    """What the reader chose: the start and the scheme, how many tokens are appended (if the text goes on that far),
    the rule with its settings, and whether it plays."""

    done: int = between(0, path.LONGEST - 1, 0)
    rule: str = one_of(("greedy", "sampled"), "greedy")
    temperature: float = real(0.1, 5, 1)
    top_k: int = between(1, V, V)
    top_p: float = real(0.05, 1, 1)
    seed: int = between(0, LAST_SEED, 1)
    playing: bool = flag()


def step(state: State, action: Mapping[str, str]) -> State:
    """The state that follows when the reader uses a control; another start begins with nothing appended."""
    most = len(written(state)[0])
    done = min(state.done, most)
    match action:
        case {"do": "next" | "tick"}:
            return replace(state, done=min(done + 1, most), playing=state.playing and done + 1 < most)
        case {"do": "back"}:
            return replace(state, done=max(done - 1, 0), playing=False)
        case {"do": "play"}:
            return replace(state, done=done if done < most else 0, playing=most > 0)
        case {"do": "pause"}:
            return replace(state, playing=False)
        case {"do": "reset"}:
            return replace(state, done=0, playing=False)
        case {"do": "other"}:
            return replace(state, seed=(state.seed + 1) % (LAST_SEED + 1))
        case {"do": _}:
            raise BadInput("the panel has no such control")
        case {"ids": ids} if ids != state.ids:
            return replace(chosen(state, action), done=0, playing=False)
    return chosen(state, action)


def rule(state: State) -> Rule:
    """The rule that the reader chose."""
    greedy = state.rule == "greedy"
    return Rule() if greedy else Rule(state.seed, state.temperature, state.top_k, state.top_p)


def written(state: State) -> tuple[list[Pick], str]:
    """All picks from the start to the end, and why it ends; the state says how many of them are shown."""
    return generate.generated(path.ids_of(state.ids), state.scheme, rule(state))


def candidates(one: Pick) -> list[dict[str, Any]]:
    """The ids of one step, the most probable first, each with what decided about it.

    p; `ahead`, how many ids are more probable, and `share`, their part of what top-k left; which gate dropped it, if
    one did; `left`, its probability after the gates, and the stretch of random numbers that pick it, low to high.
    """
    rest = one.p * one.in_top_k / one.p[one.in_top_k].sum()                              # (V,)
    ahead, share = generate.above(one.p).sum(axis=1), generate.above(rest) @ rest        # (V,), (V,)
    high = np.cumsum(one.left)                                                           # (V,)
    return [{"id": int(i), "p": one.p[i], "ahead": int(ahead[i]), "share": share[i], "left": one.left[i],
             "gate": "" if one.kept[i] else "top-p" if one.in_top_k[i] else "top-k",
             "low": high[i] - one.left[i], "high": high[i]} for i in np.argsort(-one.p, kind="stable")]


def costs(start: int, n: int) -> dict[str, tuple[int, int, int, int]]:
    """The multiplications of each part and of all: in the run on n tokens without and with a cache, and in all runs
    from the start to that one, without and with."""
    runs = (cost.run(n), cost.run(n, n - 1 if n > start else 0),
            *(cost.generation(start, n + 1, cache) for cache in (False, True)))
    rows: Any = {part: tuple(one[part] for one in runs) for part in runs[0]}
    return {**rows, "all": tuple(sum(one.values()) for one in runs)}


def finished(ids: tuple[int, ...], start: int, scheme: str) -> dict[str, Any]:
    """What a finished text is compared with: its probability, and the most probable text from that start with its own.

    Both at temperature 1 and without gates, given the first `start` ids.
    """
    best = generate.most_probable(ids[:start], scheme)
    return {"chance": generate.chance(ids, start, scheme), "best": best, "is_best": best == ids,
            "best_chance": generate.chance(best, start, scheme), "best_text": tokens.decode(best)}


def view(state: State) -> dict[str, Any]:
    """Everything the template draws, derived from the state."""
    start, scheme = path.ids_of(state.ids), position.SCHEMES[state.scheme]
    picks, why = written(state)
    made = picks[:state.done]
    ids = (*start, *(one.id for one in made))
    shown = picks[max(len(made), 1) - 1] if picks else None  # the first step is in sight before its token is picked
    n = len(start) + max(len(made), 1) - 1                   # tokens of the run in sight
    ended = len(made) == len(picks)
    used = (*ALWAYS, *(PICKED if picks else ()), *(GATES if picks and state.rule == "sampled" else ()))
    return {
        "ids": ids, "start": len(start), "n": n, "made": made, "shown": shown, "ended": ended, "why": why, "V": V,
        "text": tokens.decode(ids), "candidates": candidates(shown) if shown else [], "last_seed": LAST_SEED,
        "end": finished(ids, len(start), state.scheme) if ended and picks else None,
        "costs": costs(len(start), n) if shown else {}, "run": path.walk(ids[:n], state.scheme),
        "used": [f.__name__ for f in (*used, *scheme.functions)],
        **choices(state, ids=ids[:n], offered=STARTS),
    }


ALWAYS = (generate.generated, generate.ending, path.walk.__wrapped__)
PICKED = (generate.pick, cost.run)
GATES = (output.probabilities, generate.top_k, generate.top_p, generate.above)
CODE = (*ALWAYS, *PICKED, *GATES, *position.FUNCTIONS)
