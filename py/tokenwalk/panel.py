"""The door to the panels: `first(name)` gives HTML, `respond(text)` gives text. Nothing here knows MkDocs or a browser.

A panel is a module in `panels/` with a `State` (see state.py), pure functions `step(state, action)` and `view(state)`,
`CODE` (the functions that compute its picture), and a template of the same name. It may read its links with a
`from_link` of its own, and is kept in the reader's browser if it says `KEEP = True`.
"""

import importlib
import json
import pkgutil
from dataclasses import asdict
from functools import cache
from types import ModuleType
from typing import Any

from tokenwalk import panels, render
from tokenwalk.state import BadInput, from_link, from_text, to_link, to_text, valid


def names() -> list[str]:
    """The names of all panels: one file in `panels/` each."""
    return sorted(m.name for m in pkgutil.iter_modules(panels.__path__))


@cache
def module(name: str) -> ModuleType:
    """The module of the panel `name`. Raises BadInput for a name that no panel has."""
    if name not in names():
        raise BadInput(f"there is no panel called {name[:40]}")
    return importlib.import_module(f"tokenwalk.panels.{name}")


def draw(name: str, state: Any, notice: str = "") -> str:
    """The panel's picture in `state`, as HTML; `notice` is a sentence for the reader above it."""
    values = module(name).view(state)
    return render.html(f"{name}.html", panel=name, state=state, link=to_link(state), notice=notice, **values)


def address(name: str, **settings: object) -> str:
    """Where the panel stands in its page in a state that differs in these settings from the first. Raises BadInput."""
    return f"#{name}?{to_link(valid(module(name).State, settings))}"


def first(name: str) -> str:
    """The panel's first picture, as HTML."""
    return draw(name, module(name).State())


def after(name: str, state: Any, action: object) -> Any:
    """The valid state that follows when `action` is taken in `state`. Raises BadInput."""
    return valid(type(state), asdict(module(name).step(state, action)))


def respond(text: str) -> str:
    """The answer to a request, both JSON text: {panel, state, action} or {panel, link} → {state, html}.

    A link or a state that is not valid gives the first state and a sentence; an action that is not valid leaves the
    state as it is and says so. Raises BadInput for a panel that does not exist.
    """
    request = json.loads(text)
    name, notice = str(request["panel"]), ""
    State, reader = module(name).State, vars(module(name)).get("from_link", from_link)
    try:
        state = reader(State, request["link"]) if "link" in request else from_text(State, request["state"])
    except BadInput as error:
        state, notice = State(), f"This link could not be used: {error}. Here is the panel from its start."
    else:
        try:
            state = after(name, state, request["action"]) if "action" in request else state
        except BadInput as error:
            notice = f"That was not done: {error}."
    return json.dumps({"state": to_text(state), "html": draw(name, state, notice)}, ensure_ascii=False)
