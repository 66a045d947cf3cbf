"""A panel's state as data: validated, written as JSON text, read from a link. It never comes from anywhere unchecked.

A State is a frozen dataclass of scalars, the reader's inputs and nothing else. Its fields are made by `one_of`,
`between` and `flag`, so that each says which values it can have.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field, fields
from typing import Any
from urllib.parse import parse_qsl, urlencode

LONGEST = 2000  # characters of a link's state that are worth reading


class BadInput(ValueError):
    """What a reader, a link or a host sent is not valid; the message says why, as a clause without a full stop."""


def one_of(options: Iterable[str], default: str) -> Any:
    """A field that holds one of `options`."""
    return field(default=default, metadata={"options": tuple(options)})


def between(low: int, high: int, default: int) -> Any:
    """A field that holds a whole number from `low` to `high`."""
    return field(default=default, metadata={"options": range(low, high + 1)})


def flag(default: bool = False) -> Any:
    """A field that is on or off."""
    return field(default=default, metadata={"options": (False, True)})


def valid(State: Any, values: Mapping[str, object]) -> Any:
    """A `State` from untrusted values; a field left out has its default.

    Raises BadInput for an unknown field, a wrong type or a value that is not among the field's options.
    """
    known = {f.name: f for f in fields(State)}
    for name, value in values.items():
        if name not in known:
            raise BadInput(f"the panel has no setting called {name[:40]}")
        if type(value) is not type(known[name].default) or value not in known[name].metadata["options"]:
            raise BadInput(f"{name} cannot be {str(value)[:40]}")
    return State(**values)


def to_text(state: Any) -> str:
    """The state as JSON text, as `<py-panel state>` holds it."""
    return json.dumps(asdict(state), ensure_ascii=False, separators=(",", ":"))


def from_text(State: Any, text: object) -> Any:
    """The state that JSON text holds, validated. Raises BadInput."""
    try:
        values = json.loads(str(text))
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BadInput("it cannot be read")
    return valid(State, values)


def to_link(state: Any) -> str:
    """The state as a link carries it, the fields that differ from the first state: `scheme=rope&shown=3`."""
    start = asdict(type(state)())
    return urlencode({k: v for k, v in asdict(state).items() if v != start[k]})


def from_link(State: Any, link: object) -> Any:
    """The state that a link carries, validated. Raises BadInput."""
    text = str(link)
    if len(text) > LONGEST:
        raise BadInput("it is too long")
    readers: dict[type, Any] = {bool: {"True": True, "False": False}.__getitem__, int: int, str: str}
    kinds = {f.name: readers[type(f.default)] for f in fields(State)}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
        values = {k: kinds.get(k, str)(v) for k, v in pairs}
    except (ValueError, KeyError):
        raise BadInput("it cannot be read") from None
    return valid(State, values)
