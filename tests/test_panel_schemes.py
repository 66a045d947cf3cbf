"""The schemes drawn whole, through the panel's door: maps pixel by pixel, and the scores against closed forms."""

import base64
import json
import math
import re
import struct
import zlib

import numpy as np
import pytest

from test_panels import parsed, respond
from tokenwalk import toy

TWO_PI = 2 * math.pi


def ask(action=None, **settings):
    """The state and the picture's root, from the first state with these settings, after the action if there is one."""
    answer = respond("schemes", state=json.dumps(settings), **({"action": action} if action else {}))
    return json.loads(answer["state"]), parsed(answer["html"])


def words(root, path="."):
    return " ".join(root.xpath(f"string({path})").split())


def said(root):
    return words(root, ".//*[@id='schemes-say']")


def drawn(image):
    """The numbers of an image between −1 and 1, read from its bytes: the sign from the hue, the size from the cover."""
    data = base64.b64decode(image.get("src").removeprefix("data:image/png;base64,"))
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks[kind] = data[at + 8:at + 8 + length]
        at += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert (str(width), str(height)) == (image.get("width"), image.get("height"))
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)[:, 1:]
    palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3).astype(int)
    cover = np.frombuffer(chunks[b"tRNS"], np.uint8) / 255
    return (np.where(palette[:, 0] > palette[:, 2], 1, -1) * cover)[rows]


def curves(root):
    """The curves of the score as numbers, read back by the marks of the axis: a list of (distances, scores)."""
    chart = root.xpath(".//figure[@id='schemes-scores']")[0]

    def axis(kind, side):
        marks = [(float(re.search(r"[\d.]+", m.get("style"))[0]), float(words(m).replace("−", "-")))
                 for m in chart.xpath(f".//span[@class='{side}']")]
        (a, low), (b, high) = marks[0], marks[-1]
        return lambda places: low + (places - a) * (high - low) / (b - a)

    across, up = axis("left", "x-mark"), axis("top", "y-mark")
    found = []
    for path in chart.xpath(".//path[@class='curve one']/@d"):
        x, y = np.array(re.findall(r"[ML]([-\d.]+) ([-\d.]+)", path), float).T
        found.append((across(x), up(y)))
    return found


@pytest.mark.parametrize(("n", "d"), [(64, 16), (8, 4), (64, 64), (3, 2)])
def test_the_sinusoids_map_shows_sines_and_cosines(n, d):
    _, root = ask(n=n, d=d)
    t, j = np.mgrid[:n, :d // 2]
    waves = np.dstack([np.sin(t / 10000 ** (2 * j / d)), np.cos(t / 10000 ** (2 * j / d))]).reshape(n, d)
    assert drawn(root.get_element_by_id("schemes-map")) == pytest.approx(waves, abs=0.006)


@pytest.mark.parametrize(("n", "d"), [(64, 16), (64, 2), (2, 64)])
def test_the_map_of_rope_shows_angles_without_their_whole_turns(n, d):
    _, root = ask(scheme="rope", n=n, d=d)
    angles = np.outer(range(n), [10000 ** (-2 * j / d) for j in range(d // 2)])
    assert drawn(root.get_element_by_id("schemes-map")) * TWO_PI == pytest.approx(angles % TWO_PI, abs=0.006 * TWO_PI)


@pytest.mark.parametrize(("heads", "slopes"), [
    ("8", [2.0 ** -h for h in range(1, 9)]),
    ("12", [2.0 ** -h for h in range(1, 9)] + [2 ** -(h - 0.5) for h in range(1, 5)])])
def test_the_triangles_of_alibi_and_the_slope_of_each_head(heads, slopes):
    _, root = ask(scheme="alibi", heads=heads, n=20)
    images = root.xpath(".//*[@class='maps']//img")
    assert len(images) == len(slopes)
    i, j = np.mgrid[:20, :20]
    for image, slope in zip(images, slopes, strict=True):
        expected = np.where(i >= j, -slope * (i - j), 0) / (max(slopes) * 19)
        assert drawn(image) == pytest.approx(expected, abs=0.006)
    captions = [words(caption) for caption in root.xpath(".//*[@class='maps']//figcaption")]
    assert captions[0] == "head 1slope 1/2" and captions[7] == "head 8slope 1/256"
    assert heads == "8" or captions[8] == "head 9slope 0.707"


def test_the_learned_table_is_the_toys_where_it_reaches_and_says_so():
    _, root = ask({"do": "toy"}, scheme="learned")
    assert drawn(root.get_element_by_id("schemes-map")) == pytest.approx(toy.P, abs=0.006)
    assert "the toy’s P" in said(root)
    for n, d in ((9, 4), (8, 6), (64, 16)):
        assert "before training" in said(ask(scheme="learned", n=n, d=d)[1])


def test_the_untrained_table_is_the_same_for_everyone_and_for_every_length():
    long, short = (drawn(ask(scheme="learned", n=n)[1].get_element_by_id("schemes-map")) for n in (64, 20))
    scale = np.abs(short).max() / np.abs(long[:20]).max()
    assert long[:20] * scale == pytest.approx(short, abs=0.02)
    assert abs(long.mean()) < 0.05 * np.abs(long).max()


# Every vector is 1/√d in each column; q·k is divided by √d.


def test_without_a_scheme_the_score_is_the_same_everywhere():
    (line,) = curves(ask(scheme="none", d=16)[1])
    assert line[0].tolist() == pytest.approx([0, 63], abs=0.02)
    assert line[1] == pytest.approx([0.25, 0.25], abs=1e-3)  # 1/√16
    assert "0.25 at every distance" in said(ask(scheme="none", d=16)[1])


@pytest.mark.parametrize(("n", "d"), [(64, 16), (33, 4), (10, 2)])
def test_under_rope_the_score_is_the_mean_of_the_pairs_cosines(n, d):
    ((distances, scores),) = curves(ask(scheme="rope", n=n, d=d)[1])
    theta = 10000.0 ** (-np.arange(0, d, 2) / d)
    assert distances == pytest.approx(np.arange(n), abs=0.02)
    assert scores == pytest.approx(np.cos(np.outer(range(n), theta)).mean(1) / math.sqrt(d), abs=2e-3)


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(("n", "d"), [(64, 16), (20, 4)])
def test_under_the_sinusoid_the_score_is_a_product_of_sums(n, d, scaled):
    ((_, scores),) = curves(ask(n=n, d=d, scaled=scaled)[1])
    x = 1.0 if scaled else d**-0.5
    expected = []
    for back in range(n):
        total = 0.0
        for j in range(0, d, 2):
            a, b = ((n - 1 - s) * 10000 ** (-j / d) for s in (0, back))
            total += (x + math.sin(a)) * (x + math.sin(b)) + (x + math.cos(a)) * (x + math.cos(b))
        expected.append(total / math.sqrt(d))
    assert scores == pytest.approx(expected, abs=0.02)


def test_under_alibi_each_head_falls_in_a_straight_line():
    lines = curves(ask(scheme="alibi", n=11, d=4)[1])
    for (distances, scores), slope in zip(lines, [2.0 ** -h for h in range(1, 9)], strict=True):
        assert distances == pytest.approx([0, 10], abs=0.01)
        assert scores == pytest.approx([0.5, 0.5 - 10 * slope], abs=0.01)
    assert "head 1, the steepest, takes off 5; head 8, the gentlest, 0.039" in said(ask(scheme="alibi", n=11)[1])
    # of 12 heads the ninth is the steepest: 10 × 2^(−1/2)
    assert "head 9, the steepest, takes off 7.071; head 8," in said(ask(scheme="alibi", n=11, heads="12")[1])


@pytest.mark.parametrize(("d", "sinusoid", "scaled"), [(4, "1.414", "2"), (16, "2.828", "4"), (64, "5.657", "8")])
def test_the_norms_with_and_without_the_factor(d, sinusoid, scaled):
    plain, large = said(ask(d=d)[1]), said(ask({"scaled": "on"}, d=d)[1])
    assert f"norm √({d}/2) = {sinusoid}" in plain and "x, the row of E it is added to, has norm 1." in plain
    assert f"has norm {scaled} = √{d}." in large
    assert f"x·x is 1, the position’s part s·s is {d // 2}." in plain and f"x·x is {d}, the" in large


def test_the_factor_belongs_to_the_sinusoid():
    state, root = ask({"scheme": "rope"}, scaled=True)
    assert not state["scaled"] and not root.xpath(".//*[@name='scaled']")


def test_rope_tells_how_long_a_turn_takes():
    assert "Pair 1 comes round after 6.28 positions, pair 2 after 628.3." in said(ask(scheme="rope", d=4)[1])


@pytest.mark.parametrize(("action", "reason"), [
    ({"n": "65"}, "n cannot be 65, only a whole number from 2 to 64"),
    ({"d": "7"}, "d cannot be 7, only a whole number from 2 to 64 in steps of 2"), ({"d": "many"}, "“many” is none"),
    ({"heads": "5"}, "heads cannot be 5"), ({"do": "huge"}, "no such control"), ({"scheme": "t5"}, "scheme cannot be")])
def test_what_cannot_be_is_refused_and_nothing_changes(action, reason):
    state, root = ask(action, n=20, d=8)
    assert reason in words(root, ".//*[@class='notice']") and (state["n"], state["d"]) == (20, 8)


def test_every_size_can_be_drawn():
    for scheme in ("none", "learned", "sinusoidal", "rope", "alibi"):
        for n, d in ((2, 2), (2, 64), (64, 2), (64, 64), (9, 4)):
            _, root = ask(scheme=scheme, n=n, d=d)
            assert curves(root) and not re.search(r"nan|inf\b", words(root))
