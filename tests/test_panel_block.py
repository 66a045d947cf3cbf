"""The block, by the panel's door: the numbers of tests/reference/toy.json, and a block in loops, written here."""

import json
import math
from pathlib import Path

import pytest

from door import Door, said
from test_panels import notice, words
from tokenwalk import pages, toy

TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
CAT, DOG, TRADED = "0 2 4 5 1", "0 3 4 5 1", "0 4 2 5 1"
TEXTS = {CAT: "the cat climbed the", DOG: "the dog climbed the"}
SWITCHES = ("norm_1", "head_1", "head_2", "norm_2", "neuron_1", "neuron_2", "neuron_3", "mlp")
E, W_O, W_1, W_2 = (getattr(toy, name).tolist() for name in ("E", "W_O", "W_1", "W_2"))
B_1, B_2 = toy.B_1.tolist(), toy.B_2.tolist()
DOOR = Door("block")
answer, picture, cells, table = DOOR.answer, DOOR.picture, DOOR.cells, DOOR.table


def state(ids=CAT, **settings):
    return {"ids": ids, "scheme": "learned", "cell": "", "t": 5} | dict.fromkeys(SWITCHES, True) | settings


def near(expected):
    return pytest.approx(expected, rel=0, abs=5.01e-4)


# --- a block in loops, without NumPy

def times(row, matrix):
    return [sum(a * w for a, w in zip(row, column, strict=True)) for column in zip(*matrix, strict=True)]


def added(*rows):
    return [sum(column) for column in zip(*rows, strict=True)]


def less(row, other):
    return [a - b for a, b in zip(row, other, strict=True)]


def normed(row):
    """For a row that sums to zero, as all do here."""
    return [x / math.sqrt(sum(c * c for c in row) / len(row) + 1e-5) for x in row]


def softmax(scores):
    powers = [math.exp(s) for s in scores]
    return [p / sum(powers) for p in powers]


def by_head(rows, h):
    """What head h, 0 or 1, adds to the last of these rows, which are normed already or not."""
    q, k, v = ([times(row, W[h].tolist()) for row in rows] for W in (toy.W_Q, toy.W_K, toy.W_V))
    weights = softmax([sum(a * b for a, b in zip(q[-1], key, strict=True)) / math.sqrt(2) for key in k])
    return times(times(weights, v), W_O[2 * h : 2 * h + 2])


def after_block(ids, out=()):
    """x′, what the neurons are fed, and y, for the last token."""
    X = [added(E[int(i)], p) for i, p in zip(ids.split(), toy.P.tolist(), strict=False)]
    h = X if "norm_1" in out else [normed(x) for x in X]
    middle = added(X[-1], *(by_head(h, j) for j in (0, 1) if f"head_{j + 1}" not in out))
    fed = added(times(middle if "norm_2" in out else normed(middle), W_1), B_1)
    lit = [0 if f"neuron_{j + 1}" in out else max(0, value) for j, value in enumerate(fed)]
    return middle, fed, middle if "mlp" in out else added(middle, times(lit, W_2), B_2)


def prediction(y):
    """The token after a row of Y, and how probable it is."""
    p = softmax([sum(4 * a * b for a, b in zip(normed(y), row, strict=True)) for row in E])
    return toy.TOKENS[p.index(max(p))], max(p)


# --- the numbers

@pytest.mark.parametrize("ids", TEXTS)
@pytest.mark.parametrize("t", range(1, 6))
def test_every_table_has_the_expected_numbers(ids, t):
    expected, root = TOY[TEXTS[ids]], picture(state(ids, t=t))
    x, middle, y, h = (expected[name][t - 1] for name in ("X", "after_attention", "after_mlp", "ln2"))
    assert table(root, "sum") == [near(row) for row in (x, less(middle, x), middle, less(y, middle), y)]
    assert table(root, "norm-1") == [near(x), near(expected["ln1"][t - 1])]
    assert table(root, "norm-2") == [near(middle), near(h)]
    heads = [times(expected[f"head{k}"]["out"][t - 1], W_O[2 * k - 2 : 2 * k]) for k in (1, 2)]
    assert table(root, "attention") == [near(row) for row in (*heads, less(middle, x))]
    fed = added(times(h, W_1), B_1)
    assert [[float(a.replace("−", "-")), float(b), kind] for a, b, kind in cells(root, "neurons")] == [
        [near(value), near(max(0, value)), "on" if value > 0 else "off"] for value in fed]
    written = [[max(0, value) * w for w in row] for value, row in zip(fed, W_2, strict=True)]
    assert table(root, "written") == [near(row) for row in (*written, B_2, less(y, middle))]
    assert table(root, "X") == [near(row) for row in expected["X"]]
    assert table(root, "Y") == [near(row) for row in expected["after_mlp"]]


def test_the_products_of_a_neuron_are_written_out():
    root = picture(state())
    text = words(root.get_element_by_id("block-sums"))
    assert "neuron 1: 0.085 × 0 + (−1.654) × 0 + 0.902 × 0 + 0.667 × (−1.5) + 0 = −1.001" in text
    assert "neuron 3: 0.085 × 0.5 + (−1.654) × 0 + 0.902 × 0 + 0.667 × (−0.5) + 1 = 0.709" in text
    assert "x: mean = 0, √(((−0.5)² + (−0.5)² + (−0.5)² + 1.5²) / 4 + 1/100,000) = 0.866" in text
    assert table(root, "W-1") == [*W_1, B_1] and table(root, "W-2") == [*W_2, B_2]


def test_a_row_with_a_mean_has_it_taken_off_at_both_norms():
    root = picture(state(scheme="sinusoidal", t=1))
    x, centred, h = table(root, "norm-1")
    assert x == [-0.5, 0.5, 0, 2]  # E[0] + 0 1 0 1
    assert centred == [-1, 0, -0.5, 1.5] and h == near([c / math.sqrt(3.5 / 4 + 1e-5) for c in centred])
    middle, centred, _ = table(root, "norm-2")
    assert centred == pytest.approx([value - 0.5 for value in middle], abs=1.1e-3)  # attention adds no mean
    assert all(len(table(picture(state(scheme=s)), "norm-2")) == 2 for s in ("none", "learned", "rope", "alibi"))


# --- what is left out

@pytest.mark.parametrize("ids", [CAT, DOG, TRADED])
@pytest.mark.parametrize("out", [(), *((name,) for name in SWITCHES), ("head_1", "head_2"), ("norm_1", "neuron_2"),
                                 ("norm_2", "mlp"), ("neuron_1", "neuron_2", "neuron_3")], ids="+".join)
def test_the_rest_of_the_block_goes_on_without_a_part(ids, out):
    root = picture(state(ids, **dict.fromkeys(out, False)))
    middle, fed, y = after_block(ids, out)
    assert [table(root, "sum")[row] for row in (2, 4)] == [near(middle), near(y)]
    assert [float(row[0].replace("−", "-")) for row in cells(root, "neurons")] == near(fed)
    (token, chance), (before, was) = prediction(y), prediction(after_block(ids)[2])
    assert f"says {token}, with probability {chance:.3f}" in said(root)
    assert bool(out) == ("Left out: " in said(root))
    if token != before:
        assert f"The whole path says {before}, {was:.3f}." in said(root)


def test_a_head_left_out_adds_nothing():
    root = picture(state(), head_1="off")
    assert table(root, "attention")[0] == [0] * 4
    assert table(root, "attention")[1] == near(times(TOY[TEXTS[CAT]]["head2"]["out"][-1], W_O[2:]))


def test_a_norm_left_out_hands_its_row_on():
    assert table(picture(state(), norm_1="off"), "norm-1") == [[-0.5, -0.5, -0.5, 1.5]] * 2
    root = picture(state(), norm_2="off")
    assert table(root, "norm-2") == [near(TOY[TEXTS[CAT]]["after_attention"][-1])] * 2
    assert "x′: the norm is left out" in words(root)


def test_a_neuron_left_out_is_not_one_that_is_off():
    assert [row[2] for row in cells(picture(state(), neuron_2="off"), "neurons")] == ["off", "left out", "on"]
    assert "neuron 1 is off, neuron 2 is left out, neuron 3 is on. Left out: neuron 2." in said(
        picture(state(), neuron_2="off"))


def test_without_the_mlp_the_sum_ends_with_attention():
    root = picture(state(), mlp="off")
    total = table(root, "sum")
    assert total[3] == [0] * 4 and total[4] == total[2]
    assert not root.xpath(".//table[@id='block-written']") and "It adds 0 0 0 0" in words(root)


def test_without_heads_and_mlp_x_comes_out_and_two_tokens_tie():
    root = picture(state(head_1=False, head_2=False, mlp=False))
    assert table(root, "sum")[4] == [-0.5, -0.5, -0.5, 1.5]
    assert "says the or ␣the, with probability 0.497" in said(root)  # both have the product 2 with that row


def test_a_part_that_does_nothing_is_said_to_do_nothing():
    assert "After the last token nothing changes: the path still says ␣roof, with probability 0.810." in said(
        picture(state(), neuron_1="off"))
    text = said(picture(state(t=2), neuron_1="off"))
    assert "nothing changes" in text and "After ␣cat at 2 the path still says ␣climb" in text


def test_only_the_heads_tell_the_cat_from_the_dog():
    cat, dog = (table(picture(state(ids, head_1=False, head_2=False)), "sum") for ids in (CAT, DOG))
    assert cat == dog


def test_all_parts_come_back_at_once():
    after = answer(state(DOG, t=3, scheme="rope", mlp=False, head_1=False), do="all")["state"]
    assert json.loads(after) == state(DOG, t=3, scheme="rope")


# --- what the page says of the toy

def test_what_the_neurons_write():
    fits = [[sum(a * b for a, b in zip(row, of, strict=True)) for of in E] for row in W_2]
    assert toy.TOKENS[fits[0].index(max(fits[0]))] == "␣climb" and toy.TOKENS[fits[1].index(max(fits[1]))] == "␣wall"
    assert W_2[2] == [-value for value in E[toy.TOKENS.index("␣wall")]]


def test_ed_at_4_is_the_smallest_row_of_x():
    sizes = [sum(c * c for c in row) for row in TOY[TEXTS[CAT]]["X"]]
    assert toy.TOKENS[toy.IDS[sizes.index(min(sizes))]] == "ed"


def test_what_post_norm_would_leave_of_x():
    middle, _, y = after_block(CAT, ("norm_1",))  # attention reads X as it is
    root = math.sqrt(sum(c * c for c in middle) / 4 + 1e-5)
    again = added(normed(middle), less(y, middle))  # the MLP reads the normed sum, and is added to it
    factor = 1 / root / math.sqrt(sum(c * c for c in again) / 4 + 1e-5)
    text = (Path(__file__).parent.parent / "docs/5-block.md").read_text(encoding="utf-8")
    assert f"with the factor {factor:.3f} after one" in pages.render(text, "5-block", {"5-block"}, 9_000_000)


# --- its controls

@pytest.mark.parametrize(("action", "why"), [
    ({"ids": "12"}, "only 1 to 8 ids from 0 to 11"), ({"t": "0"}, "only a whole number from 1 to 8"),
    ({"scheme": ""}, "scheme cannot be"), ({"mask": "off"}, "no such control"), ({"head_3": "on"}, "no such control"),
    ({"do": "none"}, "no such control")])
def test_what_is_not_valid_is_refused_and_the_picture_stays(action, why):
    after = answer(state(t=3, head_2=False), **action)
    assert json.loads(after["state"]) == state(t=3, head_2=False)
    assert why in notice(after["html"])


def test_another_sentence_keeps_what_is_left_out():
    assert json.loads(answer(state(t=2, mlp=False), ids="0 3")["state"]) == state("0 3", t=2, mlp=False)


def test_sentence_and_scheme_go_to_the_pages_before_and_after():
    links = picture(state(DOG, scheme="alibi", mlp=False)).xpath(".//a[starts-with(@href, '..')]/@href")
    assert links == ["../4-mask-and-heads/#heads?ids=0+3+4+5+1&scheme=alibi",
                     "../6-output/#output?ids=0+3+4+5+1&scheme=alibi"]
