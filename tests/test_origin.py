"""Where a number came from: each formula is worked out again here with plain arithmetic and must give the number."""

import itertools
import math
import random

import pytest

from tokenwalk import origin, path, position

RUNS = [((0, 2, 4, 5, 1), "learned", ()), ((0, 3, 4, 5, 1), "rope", ()), ((0, 2, 4, 5, 1, 6, 10, 11), "alibi", ()),
        ((7,), "sinusoidal", ()), ((0, 0, 2), "none", ("mask", "norm 1", "neuron 2")),
        ((0, 2, 4, 5, 1), "learned", ("head 2", "norm 2", "mlp"))]


def places(ids, scheme, off):
    """Every place of a run that holds a number."""
    run = path.walk(ids, scheme, off)
    for stage in origin.SHAPES:
        values = getattr(run, stage, None)
        if values is not None:
            for at in spots(values.shape):
                if math.isfinite(values[at]):
                    yield " ".join([stage, *map(str, at)]), float(values[at])


def spots(shape):
    return itertools.product(*map(range, shape))


def worked_out(line):
    """The value of a formula, by Python's own arithmetic."""
    signs = {"−": "-", "×": "*", "²": "**2", "√": "sqrt", "e^": "exp"}
    text = ""
    for part in line:
        text += f"({part.value!r})" if not isinstance(part, str) else part.replace("100,000", "100000")
    for sign, python in signs.items():
        text = text.replace(sign, python)
    text = text.replace("sqrt2", "sqrt(2)")
    return eval(text, {"__builtins__": {}}, {"sqrt": math.sqrt, "exp": math.exp, "max": max})


@pytest.mark.parametrize(("ids", "scheme", "off"), RUNS)
def test_every_formula_gives_its_number_and_each_number_in_it_is_the_one_at_its_place(ids, scheme, off):
    every = list(places(ids, scheme, off))
    assert len(every) > 100
    for place, value in random.Random(1).sample(every, min(len(every), 600)):
        found = origin.origin(place, ids, scheme, off)
        assert found.number.value == value and found.number.place == place
        assert bool(found.lines) != bool(found.why), place
        for number, line in found.lines:
            assert worked_out(line) == pytest.approx(number.value, abs=1e-9), (place, line)
            for part in line:
                if not isinstance(part, str) and part.place:
                    assert origin.origin(part.place, ids, scheme, off).number == part, (place, part)


@pytest.mark.parametrize(("ids", "scheme", "off"), RUNS)
def test_going_back_step_by_step_ends_at_learned_numbers(ids, scheme, off):
    waiting, seen = [f"p {len(ids) - 1} 6"], set()
    while waiting:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        found = origin.origin(place, ids, scheme, off)
        waiting += [part.place for _, line in found.lines for part in line if not isinstance(part, str) and part.place]
        assert found.lines or found.why
    assert {place.split()[0] for place in seen} >= {"logits", "final", "Y", "residual", "X", "E"}
    assert ("P 0 0" in seen) == (position.SCHEMES[scheme].signal is not None)


def test_the_chapters_example():
    found = origin.origin("X 2 1", (0, 2, 4, 5, 1))
    ((number, line),) = found.lines
    assert (number.letter, number.below, number.value) == ("x", "32", 1.5)
    assert [(part.letter, part.below, part.value) for part in line[::2]] == [("E[4]", "2", 1), ("P", "32", 0.5)]
    assert line[1] == " + "


def test_what_is_not_made_of_others_says_why():
    assert "learned" in origin.origin("E 0 0", (0,)).why
    assert "formula" in origin.origin("P 0 0", (0,), "sinusoidal").why
    assert "switched off" in origin.origin("mlp 0 0", (0,), "learned", ("mlp",)).why


def test_places_that_a_run_does_not_have_give_nothing():
    assert origin.origin("", (0, 2)) is None
    assert origin.origin("X 2 0", (0, 2)) is None        # no third token
    assert origin.origin("P 0 0", (0, 2), "rope") is None  # nothing is added to X
    assert origin.origin("masked 0 0 1", (0, 2)) is None   # −∞


@pytest.mark.parametrize(("text", "right"), [
    ("", True), ("X 0 0", True), ("X 7 3", True), ("weights 1 7 7", True), ("p 7 11", True), ("X 8 0", False),
    ("X 0", False), ("X 0 0 0", False), ("X -1 0", False), ("X 00 0", False), ("Z 0 0", False), (" ", False),
    ("X 0 x", False), ("__init__ 0 0", False), ("X  0 0", False), ("run", False)])
def test_a_place_is_checked_as_text(text, right):
    assert origin.is_place(text) == right
