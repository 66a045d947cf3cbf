"""The table of states: every picture of a panel that its own controls can reach, found by taking them all.

The controls are read out of the HTML that the view drew, so a panel needs no list of its actions. The table answers a
reader until Python is ready. Used at build time only.
"""

import json
from collections.abc import Iterator
from functools import cache

from lxml import html as parser

from tokenwalk import panel
from tokenwalk.state import to_link, to_text

CAP = 600  # states of one panel that the table holds at most, unless its module has a CAP; beyond it Python answers
FEW = 16   # steps of a slider that the table takes; one with more is Python's


def controls(html: str) -> Iterator[dict[str, str]]:
    """The actions that the drawn controls offer, in reading order; a picture that plays offers its next tick too.

    What stands in an element with data-live is Python's alone: it leads to too much for a table, or measures.
    """
    root = parser.fragment_fromstring(html, create_parent="div")
    for node in root.iter("button", "input", "option"):
        live = node.xpath("ancestor-or-self::*[@data-live]")
        if live or node.get("aria-disabled") == "true" or node.get("disabled") is not None:
            continue
        if node.tag == "option":
            yield {next(node.iterancestors("select")).get("name"): node.get("value")}
        elif node.tag == "button" or node.get("type") == "radio":
            yield {node.get("name"): node.get("value")}
        elif node.get("type") == "checkbox":
            yield {node.get("name"): "off" if node.get("checked") is not None else "on"}
        elif node.get("type") == "range":
            low, high, step = (float(node.get(end)) for end in ("min", "max", "step"))
            steps = round((high - low) / step)
            yield from ({node.get("name"): f"{low + k * step:.12g}"} for k in range(steps + 1) if steps <= FEW)
    if root.xpath(".//@data-every"):
        yield {"do": "tick"}


def key(action: dict[str, str]) -> str:
    """The action as text, the same characters that JSON.stringify gives in the browser."""
    return json.dumps(action, ensure_ascii=False, separators=(",", ":"))


@cache
def states(name: str, cap: int | None = None) -> dict[str, tuple[str, str, dict[str, str]]]:
    """Every state reached, as JSON text → (its link, its HTML, {action: the next state}), first state first."""
    start = panel.module(name).State()
    most: int = cap or vars(panel.module(name)).get("CAP", CAP)
    found: dict[str, tuple[str, str, dict[str, str]]] = {}
    waiting, seen = [start], {to_text(start)}
    while waiting:
        state = waiting.pop(0)
        html, nexts = panel.draw(name, state), {}
        for action in controls(html):
            follower = panel.after(name, state, action)
            text = to_text(follower)
            if text not in seen and len(seen) < most:
                seen.add(text)
                waiting.append(follower)
            if text in seen:
                nexts[key(action)] = text
        found[to_text(state)] = (to_link(state), html, nexts)
    return found


def table(name: str) -> str:
    """The states of a panel as JSON text for the browser: {lines, states}, each distinct line of HTML once.

    A state is [its text, its link, the numbers of its lines, {action: the number of the next state}].
    """
    lines: dict[str, int] = {}
    reached = states(name)
    numbers = {text: i for i, text in enumerate(reached)}
    rows = [
        [text, link, [lines.setdefault(line, len(lines)) for line in html.split("\n")],
         {action: numbers[follower] for action, follower in nexts.items()}]
        for text, (link, html, nexts) in reached.items()
    ]
    return json.dumps({"lines": list(lines), "states": rows}, ensure_ascii=False, separators=(",", ":"))
