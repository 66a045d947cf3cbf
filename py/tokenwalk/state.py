"""A panel's state as data: validated, written as JSON text, read from a link. It never comes from anywhere unchecked.

A State is a frozen dataclass of scalars, the reader's inputs and nothing else. Its fields are made by `one_of`,
`between`, `real`, `text`, `up_to` and `flag`, so that each says which values it can have.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

S = TypeVar("S")
LONGEST = 2000  # characters of a link's state that are worth reading, besides those of free text
WIDEST = 12     # characters that one character of a text can take in a link: four bytes, each written %F0


class BadInput(ValueError):
    """What a reader, a link or a host sent is not valid; the message says why, as a clause without a full stop."""


def one_of(options: Iterable[str], default: str) -> Any:
    """A field that holds one of `options`."""
    return field(default=default, metadata={"options": tuple(options)})


def between(low: int, high: int, default: int, step: int = 1) -> Any:
    """A field that holds a whole number from `low` to `high`, in steps of `step`."""
    return field(default=default, metadata={"options": range(low, high + 1, step)})


@dataclass(frozen=True)
class Span:
    """All numbers from `low` to `high`."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def real(low: float, high: float, default: float) -> Any:
    """A field that holds a number from `low` to `high`."""
    return field(default=float(default), metadata={"options": Span(low, high)})


@dataclass(frozen=True)
class Texts:
    """All texts that `accepts` says yes to; `only` says in words which those are."""

    accepts: Callable[[str], bool]
    only: str

    def __contains__(self, value: str) -> bool:
        return self.accepts(value)


def text(accepts: Callable[[str], bool], default: str, only: str) -> Any:
    """A field that holds a text which `accepts` says yes to; `only` ends the sentence for one that it refuses."""
    return field(default=default, metadata={"options": Texts(accepts, only)})


def flag(default: bool = False) -> Any:
    """A field that is on or off."""
    return field(default=default, metadata={"options": (False, True)})


@dataclass(frozen=True)
class Free:
    """All texts of at most `longest` characters that can be written as UTF-8."""

    longest: int

    def __contains__(self, value: str) -> bool:
        return len(value) <= self.longest and not re.search("[\ud800-\udfff]", value)


def up_to(longest: int, default: str) -> Any:
    """A field that holds free text of at most `longest` characters (of Unicode, not bytes)."""
    return field(default=default, metadata={"options": Free(longest)})


def valid(State: Any, values: Mapping[str, object]) -> Any:
    """A `State` from untrusted values; a field left out has its default.

    Raises BadInput for an unknown field, a wrong type or a value that is not among the field's options.
    """
    known = {f.name: f for f in fields(State)}
    for name, value in values.items():
        if name not in known:
            raise BadInput(f"the panel has no setting called {name[:40]}")
        if type(value) is not type(known[name].default) or value not in known[name].metadata["options"]:
            raise BadInput(f"{name.replace('_', ' ')} {refusal(value, known[name])}")
    return State(**values)


def refusal(value: object, known: Any) -> str:
    """Why a value cannot be the field's, as a clause that goes on from the field's name."""
    match known.metadata["options"]:
        case Free(longest) if isinstance(value, str) and len(value) > longest:
            return f"has {len(value):,} characters, and {longest:,} are the most"
        case Free() if isinstance(value, str):
            return "holds a character that was cut in half"
    return f"cannot be {written(value)}{allowed(known)}"


def written(value: object) -> str:
    """A value in a sentence, at most 40 characters of it; a number with −, commas and no more digits than it needs."""
    text = str(value)
    if type(value) is int:
        text = f"{value:,}".replace("-", "\N{MINUS SIGN}")
    elif isinstance(value, float) and math.isfinite(value):
        text = f"{value:,.12f}".rstrip("0").rstrip(".").replace("-", "\N{MINUS SIGN}")
    return text if len(text) <= 40 else f"{text[:39]}…"


def allowed(known: Any) -> str:
    """What a field of numbers or texts can be, as the end of a sentence; nothing for one whose controls show it."""
    match known.metadata["options"]:
        case range() as r:
            steps = f" in steps of {r.step}" if r.step > 1 else ""
            return f", only a whole number from {r[0]:,} to {r[-1]:,}{steps}".replace("-", "\N{MINUS SIGN}")
        case Texts(only=only):
            return f", only {only}"
        case Span(low, high):
            return f", only a number from {low:,g} to {high:,g}".replace("-", "\N{MINUS SIGN}")
    return ""


def chosen(state: S, action: object) -> S:
    """The state with the one field that `action` names set to what the reader chose or typed there.

    A number may be typed with a comma or a point before its decimals, and with spaces or commas between thousands if it
    is whole. Raises BadInput for a field that there is not, and for a text that is no number where one is needed.
    """
    before: Any = state
    kinds = {f.name: type(f.default) for f in fields(before)}
    if not isinstance(action, dict) or len(action) != 1 or not kinds.keys() >= action.keys():
        raise BadInput("the panel has no such control")
    ((name, text),) = action.items()
    if not isinstance(text, str):
        raise BadInput(f"{name.replace('_', ' ')} cannot be {str(text)[:40]}")
    after: S = replace(before, **{name: typed(kinds[name], name.replace("_", " "), text)})
    return after


def typed(kind: type, name: str, text: str) -> Any:
    """What a control's text stands for, as a value of `kind`: a flag from on and off, a number from its digits."""
    if kind is bool:
        return text == "on"
    if kind is str:
        return text
    plain = re.sub(r"\s", "", text).replace("\N{MINUS SIGN}", "-")
    if kind is int and re.fullmatch(r"-?\d{1,3}(,\d{3})+", plain):
        plain = plain.replace(",", "")
    try:
        return kind(plain.replace(",", ".")[:LONGEST])
    except ValueError:
        sort = "a whole number" if kind is int else "a number"
        raise BadInput(f"{name} needs {sort}, and “{text[:20]}” is none") from None


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


def link_values(State: Any, link: object) -> dict[str, object]:
    """The values that a link carries, each of its field's type but not validated. Raises BadInput."""
    text = str(link)
    texts = [f.metadata["options"].longest for f in fields(State) if isinstance(f.metadata["options"], Free)]
    if len(text) > LONGEST + WIDEST * sum(texts):
        raise BadInput("it is too long")
    readers: dict[type, Any] = {bool: {"True": True, "False": False}.__getitem__, int: int, float: float, str: str}
    kinds = {f.name: readers[type(f.default)] for f in fields(State)}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
        return {k: kinds.get(k, str)(v) for k, v in pairs}
    except (ValueError, KeyError):
        raise BadInput("it cannot be read") from None


def from_link(State: Any, link: object) -> Any:
    """The state that a link carries, validated. Raises BadInput."""
    return valid(State, link_values(State, link))
