"""What the panels `check_…` have in common: a reader answers a page's questions, checks, and sees why.

An answer counts as it stands: whoever changes it opens the question again. An answer that was shown counts as none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from typing import Any

from tokenwalk import panel, render
from tokenwalk.questions import LONGEST, Question, Several
from tokenwalk.state import BadInput, between, chosen, link_values, one_of, valid

MOST = 99    # tries that are counted
TABLED = 2   # of the questions with one choice: those that the table of states answers, each alone
DONE = ("", "checked", "shown")
Questions = tuple[Question, ...]


def state_of(questions: Questions) -> type:
    """The State of a panel with these questions: of each its answer, how often it was checked, what was done last."""
    names = [question.name for question in questions]
    fields = [(f"{q.name}{end}", kind, made) for q in questions for end, kind, made in (
        ("", str, q.field()), ("_tries", int, between(0, MOST, 0)), ("_done", str, one_of(DONE, "")))]
    return make_dataclass("State", [*fields, ("last", str, one_of(("", *names), ""))], frozen=True)


def step(questions: Questions, state: Any, action: Mapping[str, str]) -> Any:
    """The state that follows when the reader answers, checks, asks to be shown the answer, or starts again."""
    named = {question.name: question for question in questions}
    match action:
        case {"do": "reset"}:
            return type(state)()
        case {"do": str(text)}:
            verb, _, name = text.partition("-")
            if name in named and verb in ("check", "show"):
                return (checked if verb == "check" else shown)(state, named[name])
        case {**pairs} if len(pairs) == 1:
            ((control, value),) = pairs.items()
            name, _, option = control.partition(".")
            if name in named:
                return answered(state, named[name], ticked(state, named[name], option, value) if option else value)
    raise BadInput("the panel has no such control")


def ticked(state: Any, question: Question, option: str, value: object) -> str:
    """The answer after one of the question's boxes was ticked, or its tick taken away."""
    if not isinstance(question, Several) or option not in question.options or value not in ("on", "off"):
        raise BadInput("the panel has no such control")
    names = set(getattr(state, question.name).split())
    return question.ticked(names | {option} if value == "on" else names - {option})


def answered(state: Any, question: Question, answer: object) -> Any:
    """The state with this answer, which is not checked yet."""
    after, done = chosen(state, {question.name: answer}), f"{question.name}_done"
    return after if after == state or getattr(state, done) == "shown" else replace(after, **{done: ""})


def checked(state: Any, question: Question) -> Any:
    """The state after the answer was checked; a try is counted if it can be read."""
    name = question.name
    if getattr(state, f"{name}_done"):
        return state
    readable = not judged(question, replace(state, **{f"{name}_done": "checked"})).problem
    tries = min(getattr(state, f"{name}_tries") + readable, MOST)
    return replace(state, **{f"{name}_done": "checked", f"{name}_tries": tries, "last": name})


def shown(state: Any, question: Question) -> Any:
    """The state after the reader gave the question up."""
    return replace(state, **{f"{question.name}_done": "shown", "last": question.name})


@dataclass(frozen=True)
class Asked:
    """A question as it stands: the reader's answer, "right", "wrong" or "" as its result, and what explains it."""

    question: Question
    answer: str
    done: str
    tries: int
    result: str = ""
    problem: str = ""                                 # why the answer cannot be read
    parts: tuple[int, int] | None = None              # of a wrong answer: how many parts are right, and of how many
    reasons: list[str] = field(default_factory=list)  # the names of the texts that explain it

    @property
    def touched(self) -> bool:
        """Whether the reader has done anything with it."""
        return bool(self.answer or self.done or self.tries)


def judged(question: Question, state: Any) -> Asked:
    """The question as it stands in the state. Nothing of its right answer is computed before a check."""
    answer, tries, done = (getattr(state, question.name + end) for end in ("", "_tries", "_done"))
    asked = Asked(question, answer, done, tries)
    if done == "shown":
        return replace(asked, reasons=question.reasons(question.answer))
    if not done:
        return asked
    try:
        given = question.read(answer)
    except BadInput as error:
        return replace(asked, problem=str(error))
    right = question.fits(given)
    return replace(asked, result="right" if right else "wrong", reasons=question.reasons(given),
                   parts=None if right else question.parts(given))


def score(asked: list[Asked]) -> dict[str, int]:
    """How many questions there are, how many are right, wrong, were shown, and are open."""
    results = [q.result for q in asked]
    counts = {"right": results.count("right"), "wrong": results.count("wrong"),
              "shown": sum(q.done == "shown" for q in asked)}
    return {"all": len(asked), **counts, "open": len(asked) - sum(counts.values())}


def view(questions: Questions, state: Any) -> dict[str, Any]:
    """What check.html draws."""
    asked = [judged(question, state) for question in questions]
    touched = {q.question.name for q in asked if q.touched}
    choices = [question.name for question in questions if question.kind == "choice"]
    tabled = {name for name in choices[:TABLED] if touched <= {name}}
    return {"layout": "check.html", "asked": asked, "tabled": tabled, "touched": touched, "score": score(asked),
            "last": next((k for k, q in enumerate(asked) if q.question.name == state.last), None),
            "longest": LONGEST, "address": panel.address, "used": [f.__name__ for f in CODE]}


def kept(State: Any, link: object) -> Any:
    """The state that a link carries, less the questions whose answers there are no longer valid.

    A link may be older than the questions. Raises BadInput if nothing in it is valid.
    """
    values = link_values(State, link)
    lost = {name.partition("_")[0] for name, value in values.items() if not is_valid(State, name, value)}
    sound = {name: value for name, value in values.items() if name.partition("_")[0] not in lost}
    return valid(State, sound or values)


def is_valid(State: Any, name: str, value: object) -> bool:
    """Whether a State can have this value."""
    try:
        return bool(valid(State, {name: value}))
    except BadInput:
        return False


def door(questions: Questions, **more: Any) -> tuple[type, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """What a panel with these questions hands to panel.py: State, step, view, from_link. `more` is for its texts."""
    return (state_of(questions), lambda state, action: step(questions, state, action),
            lambda state: view(questions, state) | more, kept)


def paper(name: str) -> str:
    """The panel's questions and answers as HTML that needs no scripts, and for paper."""
    module = panel.module(name)
    return render.html(f"{name}.html", **module.view(module.State()) | {"panel": name, "layout": "paper.html"})


CODE = (judged, score)
