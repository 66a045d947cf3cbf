"""The one number format, and the words around numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import render


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (1, "1"), (-1, "−1"), (0.5, "0.5"), (-0.5, "−0.5"), (0.25, "0.25"), (0.125, "0.125"),
    (0.1 + 0.2, "0.3"), (1 - 0.9, "0.1"),                                    # floats that are not what they seem
    (0.0625, "0.063"), (-0.0625, "−0.063"), (1.0005, "1.001"),               # halves go away from zero
    (math.cos(1), "0.540"), (0.99995, "1.000"), (1 / 3, "0.333"),            # trailing zeros mean: rounded
    (-0.0, "0"), (-0.0001, "0.000"), (0.0001, "0.000"), (-1e-12, "0"),       # never a −0
    (50_257, "50,257"), (38_597_376, "38,597,376"), (-1234.5, "−1,234.5"), (100, "100"), (10.0, "10"),
])
def test_a_number_is_short_when_exact_and_full_when_rounded(value, text):
    assert render.number(value) == text


@pytest.mark.parametrize(("value", "digits", "text"), [
    (0.354, 1, "0.4"), (math.pi, 4, "3.1416"), (2.5, 0, "3"), (20, 0, "20"), (-0.4, 0, "0")])
def test_a_number_has_as_many_digits_as_asked(value, digits, text):
    assert render.number(value, digits) == text


@pytest.mark.parametrize(("p", "text"), [(1e-30, "0.000"), (1 - 1e-12, "1.000"), (0.25, "0.250"), (1 / 3, "0.333")])
def test_a_probability_never_looks_exact(p, text):
    assert render.rounded(p) == text


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_is_never_printed(value):
    with pytest.raises(ValueError, match="not a finite number"):
        render.number(value)


@given(st.floats(-1e9, 1e9))
def test_a_printed_number_reads_back_as_the_value(value):
    text = render.number(value)
    assert abs(float(text.replace(",", "").replace("−", "-")) - value) <= 0.0005 + 1e-6
    assert "-" not in text and "e" not in text
    assert not (text.startswith("−") and not any(c in text for c in "123456789"))


@pytest.mark.parametrize(("text", "expected"), [
    (render.whole(2.5), "2"), (render.whole(50_256.6), "50,257"),
    (render.percent(0.0376), "3.8\u202f%"), (render.percent(-1, 0), "−100\u202f%"),
    (render.percent(0.3101), "31.0\u202f%"),
    (render.tex("−1,234.5"), "-1{,}234.5"),
    (render.row([1, 0, 0, -1]), "1 0 0 −1"),
    (render.over(-2 / 16, 16), "−2/16"), (render.over(0.0, 16), "0"), (render.over(1 / 256, 256), "1/256"),
    (render.over(1.0, 16), "16/16"),
    (render.plus(0.5), "+ 0.5"), (render.plus(-0.5), "− 0.5"), (render.plus(0), "+ 0"), (render.plus(-1e-12), "+ 0"),
    (render.plus(-0.12345, 4), "− 0.1235"),
    (render.factor(-0.5), "(−0.5)"), (render.factor(0.5), "0.5"), (render.factor(-0.0), "0"),
    (render.tint(0, 1), ""), (render.tint(1, 1), "p8"), (render.tint(-0.5, 1), "n4"), (render.tint(9, 1), "p8"),
    (render.tint(0, 0), ""),
    (render.words([2]), "2"), (render.words([2, 3]), "2 and 3"), (render.words("abc"), "a, b and c"),
    (render.count(1, "row"), "one row"), (render.count(2, "row"), "two rows"), (render.count(0, "row"), "no rows"),
    (render.count(2, "row is", "rows are"), "two rows are"), (render.count(12, "row"), "twelve rows"),
    (render.count(13, "row"), "13 rows"), (render.count(50_257, "row"), "50,257 rows"),
    (render.token(0), '<span class="tok t0">the</span>'),
    (render.token(4), '<span class="tok t4"><i>␣</i>climb</span>'),
    (render.token(11), '<span class="tok t11">&lt;|endoftext|&gt;</span>'),
])
def test_the_words_around_numbers(text, expected):
    assert text == expected


def test_a_share_that_is_no_multiple_is_refused():
    with pytest.raises(ValueError, match="not a multiple of 1/16"):
        render.over(0.1, 16)
