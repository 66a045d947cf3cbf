"""Charts and images: things stand where their numbers say, read back from what is drawn."""

import base64
import math
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk.chart import Axis, Chart, axis
from tokenwalk.image import png

ENDS = st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(ENDS, st.integers(3, 8))
def test_marks_are_round_evenly_spaced_and_within_the_axis(ends, count):
    marks = np.array(axis("x", *ends, count=count).marks)
    steps = np.diff(marks)
    assert 1 <= len(marks) <= count + 1
    assert all(ends[0] - 1e-6 * steps.sum() <= mark <= ends[1] + 1e-6 * steps.sum() for mark in marks)
    for step in steps:
        assert round(step / 10 ** math.floor(math.log10(step * 1.0001)), 5) in (1, 2, 5)


def test_marks_in_powers_are_powers_of_ten():
    assert axis("x", 1, 50_257, log=True).marks == (1, 10, 100, 1000, 10_000)
    assert axis("x", 0.5, 2e6, log=True, count=4).marks == (1, 100, 10_000, 1_000_000)


def test_places_by_hand():
    chart = Chart(Axis("x", 0, 10), Axis("y", 1, 100, log=True))
    assert chart.path([0, 5, 10], [1, 10, 100]) == "M0.00 100.00L50.00 50.00L100.00 0.00"
    assert chart.dots([5], [100]) == "M50.00 0.00h0"
    assert (chart.left(2.5), chart.top(10)) == ("25.00", "50.00")


def test_a_gap_in_the_numbers_is_a_gap_in_the_line():
    chart = Chart(Axis("x", 0, 4), Axis("y", 0, 1))
    assert chart.path(range(5), [0, 1, math.nan, 1, 0]).count("M") == 2
    assert chart.dots(range(5), [0, 1, math.nan, 1, 0]).count("M") == 4


def test_an_axis_in_powers_refuses_zero():
    with pytest.raises(ValueError, match="above 0"):
        Axis("x", 1, 10, log=True).at([1, 0])


def pixels(address: str) -> np.ndarray:
    """The colours of an image, (rows, columns, 4), read by the format's own rules."""
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks[kind] = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + chunks[kind])
        at += 12 + length
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colour) == (8, 3)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
    clear = np.frombuffer(chunks[b"tRNS"], np.uint8)
    return np.dstack([palette[rows[:, 1:]], clear[rows[:, 1:]]])


def test_an_image_has_blue_below_zero_orange_above_and_nothing_at_zero():
    seen = pixels(png([[-2, -1, 0], [1, 2, 9]], 2)).astype(int)
    assert seen.shape == (2, 3, 4)
    assert seen[..., 3].tolist() == [[255, 129, 0], [129, 255, 255]]
    assert (seen[0, :2, 2] > seen[0, :2, 0]).all() and (seen[1, :, 0] > seen[1, :, 2]).all()


def test_the_page_describes_only_what_the_address_may_hold():
    assert re.fullmatch(r"data:image/png;base64,[A-Za-z0-9+/=]+", png(np.zeros((3, 5)), 1))


def on(ground, colour, turned):
    """What is seen of a colour with a cover in front of a ground, in greyscale; turned as the dark page's filter does.

    The filter's two parts by the Filter Effects standard: inverted, then the matrix of hue-rotate(180deg).
    """
    rgb, cover = colour[:3].astype(float), colour[3] / 255
    if turned:
        weights = np.array([0.213, 0.715, 0.072])
        rgb = np.clip(2 * weights @ (255 - rgb) - (255 - rgb), 0, 255)
    return float(np.array([0.299, 0.587, 0.114]) @ (cover * rgb + (1 - cover) * np.array(ground)))


@pytest.mark.parametrize(("ground", "turned"), [((255, 255, 255), False), ((28, 31, 38), True)])
def test_without_colour_the_blue_of_a_picture_is_no_orange(ground, turned):
    blue, *oranges = pixels(png([[-1, *np.linspace(0, 1, 100)]], 1))[0]
    greys = [on(ground, orange, turned) for orange in oranges]
    assert sorted(greys, reverse=not turned) == greys
    assert abs(on(ground, blue, turned) - greys[-1]) > 50
    assert (on(ground, blue, turned) > max(greys)) == turned


def test_on_a_dark_page_pictures_are_turned_round():
    css = (Path(__file__).parent.parent / "static/panel.css").read_text(encoding="utf-8")
    dark = css.split('[data-md-color-scheme="slate"] {')[1].split("}")[0]
    assert "--heat: invert(1) hue-rotate(180deg)" in dark and "filter: var(--heat)" in css
