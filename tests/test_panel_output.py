"""From a row to probabilities, by the panel's door: the numbers of tests/reference/toy.json, and sums done here."""

import json
import math
import re
from pathlib import Path

import pytest

from door import Door, number, said
from test_panels import notice, respond, words
from tokenwalk import toy

TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
CAT, DOG = "0 2 4 5 1", "0 3 4 5 1"
TEXTS = {CAT: "the cat climbed the", DOG: "the dog climbed the"}
every_row = pytest.mark.parametrize(("ids", "t"), [(ids, t) for ids in TEXTS for t in range(1, 6)])
DOOR = Door("output")
answer, picture, table = DOOR.answer, DOOR.picture, DOOR.table


def state(ids=CAT, **settings):
    return {"ids": ids, "scheme": "learned", "cell": "", "t": 5, "temperature": 1.0, "token": "6"} | settings


def column(root, name, k):
    return [row[k] for row in table(root, name)]


def near(expected, digits=3):
    return pytest.approx(expected, rel=0, abs=0.501 * 10**-digits)


def softmax(logits, T=1.0):
    powers = [math.exp(z / T) for z in logits]
    return [power / sum(powers) for power in powers]


def normed(y):
    """A row less its mean, over its standard deviation, and that."""
    mean = sum(y) / len(y)
    root = math.sqrt(sum((x - mean) ** 2 for x in y) / len(y) + 1e-5)
    return [(x - mean) / root for x in y], root


# --- the numbers

@every_row
def test_the_final_norm_is_written_out(ids, t):
    y = TOY[TEXTS[ids]]["after_mlp"][t - 1]
    unit, root = normed(y)
    page = picture(state(ids, t=t))
    assert table(page, "norm") == [near(y), near(unit), near([4 * x for x in unit])]
    heads = [words(head) for head in page.get_element_by_id("output-norm").iter("th")]
    assert number(heads[1].removeprefix("÷ ")) == near(root)


@every_row
def test_a_logit_is_the_product_with_a_row_of_E_and_p_its_softmax(ids, t):
    expected, page = TOY[TEXTS[ids]], picture(state(ids, t=t))
    rows = table(page, "logits")
    assert [row[:4] for row in rows] == toy.E.tolist()
    h = [4 * x for x in normed(expected["after_mlp"][t - 1])[0]]
    by_hand = [sum(a * b for a, b in zip(h, e, strict=True)) for e in toy.E.tolist()]
    assert by_hand == near(expected["logits"][t - 1], 6)
    assert [row[4] for row in rows] == near(by_hand)
    assert column(page, "p", 1) == near(expected["p"][t - 1])


@pytest.mark.parametrize("T", [0.1, 0.5, 2.0, 5.0])
def test_a_temperature_divides_the_logits(T):
    logits, page = TOY[TEXTS[CAT]]["logits"][-1], picture(state(), temperature=str(T))
    assert column(page, "p", 0) == near([z / T for z in logits])
    p = softmax(logits, T)
    assert column(page, "p", 1) == near(p)
    order = sorted(range(12), key=logits.__getitem__, reverse=True)
    assert f"gives {toy.TOKENS[order[0]]} the probability {p[order[0]]:.3f}, then {toy.TOKENS[order[1]]}" in said(page)
    assert f"the odds between them are {'larger' if T < 1 else 'smaller'}" in said(page)


def test_the_bars_are_as_long_as_the_probabilities():
    spans = picture(state()).xpath(".//table[@id='output-p']//td[@class='bar']/span/@style")
    widths = [float(re.fullmatch(r"width:([\d.]+)%", style)[1]) for style in spans]
    assert widths == near([100 * p for p in TOY[TEXTS[CAT]]["p"][-1]], 1)


@pytest.mark.parametrize("i", range(12))
@pytest.mark.parametrize("T", [1.0, 2.0])
def test_the_sums_of_the_chosen_token_are_written_out(i, T):
    page = picture(state(temperature=T), token=str(i))
    product, off, power = (words(node) for node in page.xpath(".//*[@class='written']")[2:])
    h = [4 * x for x in normed(TOY[TEXTS[CAT]]["after_mlp"][-1])[0]]
    factors = [number(text.strip("()")) for text in re.findall(r"\(?[−\d.]+\)?(?= ×)", product)]
    assert factors == near(h) and product.startswith(f"{toy.TOKENS[i]}: ")
    assert [number(text.strip("()")) for text in re.findall(r"(?<=× )\(?[−\d.]+\)?", product)] == toy.E[i].tolist()
    logits = TOY[TEXTS[CAT]]["logits"][-1]
    assert number(product.split(" = ")[-1]) == near(logits[i])
    assert number(power.split(" = ")[-1]) == near(softmax(logits, T)[i])
    total = sum(math.exp((z - max(logits)) / T) for z in logits)
    share = "1" if i == 6 else f"{math.exp((logits[i] - max(logits)) / T):.3f}"  # ␣roof has the largest logit
    assert power.split(" = ")[-2] == f"{share} / {total:.3f}"
    exponent = page.xpath("string(.//*[@class='written'][last()]/sup)")
    assert exponent.strip("()").split(") / ")[0] == f"{logits[i]:.3f} − {max(logits):.3f}".replace("-", "−")
    assert f"The largest logit, {max(logits):.3f}, is taken off each" in off


@pytest.mark.parametrize("T", [0.1, 1.0, 5.0])
def test_the_least_probable_token_is_below_the_power_of_ten_and_not_ten_times(T):
    page = picture(state(temperature=T))
    zeros = int(page.xpath("string(.//*[@class='say']//sup)"))
    least = min(softmax(TOY[TEXTS[CAT]]["logits"][-1], T))
    assert 10.0 ** -(zeros + 1) <= least < 10.0**-zeros


@pytest.mark.parametrize("t", range(1, 5))
def test_the_loss_of_a_row_is_that_of_the_token_that_follows(t):
    follows, p = toy.IDS[t], TOY[TEXTS[CAT]]["p"][t - 1]
    text = said(picture(state(t=t)))
    assert f"{toy.TOKENS[follows]} comes next" in text
    assert f"−ln {p[follows]:.3f} = {-math.log(p[follows]):.3f}" in text
    assert "with T = 1" in said(picture(state(t=t, temperature=2.0)))


@every_row
@pytest.mark.parametrize("T", [0.1, 1.0, 5.0])
def test_it_names_the_three_most_probable_tokens_and_marks_two_in_the_chart(ids, t, T):
    p = softmax(TOY[TEXTS[ids]]["logits"][t - 1], T)
    first, second, third = sorted(range(12), key=p.__getitem__, reverse=True)[:3]
    page = picture(state(ids, t=t, temperature=T, token="0"))
    assert (f"the model gives {toy.TOKENS[first]} the probability {p[first]:.3f}, then {toy.TOKENS[second]} "
            f"{p[second]:.3f} and {toy.TOKENS[third]} {p[third]:.3f}. The least") in said(page)
    marks = re.findall(r"M([\d.]+) ([\d.]+)h0", page.xpath("string(.//*[@class='dots now']/@d)"))
    assert [float(x) for x, _ in marks] == near([100 * math.log(T / 0.1) / math.log(50)] * 2, 2)
    assert [1 - float(y) / 100 for _, y in marks] == near([p[first], p[second]], 4)


def test_a_probability_is_never_printed_as_0_or_1():
    page = picture(state(t=2, temperature=0.1))
    assert "␣climb the probability 1.000, then . 0.000" in said(page)
    assert {words(cell) for cell in page.xpath(".//td[@class='bar']/preceding-sibling::td[1]")} == {"0.000", "1.000"}


def test_after_the_last_token_nothing_follows():
    assert "The text ends here" in said(picture(state())) and "loss" not in said(picture(state()))


@every_row
def test_end_of_text_is_the_mean_of_two_and_not_above_both(ids, t):
    logits = TOY[TEXTS[ids]]["logits"][t - 1]
    text = words(picture(state(ids, t=t)))
    cat, sign, roof, mean = re.search(r"½ \((\S+) ([+−]) (\S+)\) = (\S+)\. It", text).groups()
    numbers = [number(cat), number(sign.replace("+", "") + roof), number(mean)]
    assert numbers == near([logits[2], logits[6], logits[11]])
    assert numbers[2] == pytest.approx(sum(numbers[:2]) / 2, abs=0.0011)
    assert f"It is not above {toy.TOKENS[2 if logits[2] > logits[6] else 6]}." in text


def test_the_curves_go_through_the_probabilities_at_every_temperature():
    svg = picture(state()).xpath(".//*[@id='output-temperatures']//svg")[0]
    logits = TOY[TEXTS[CAT]]["logits"][-1]
    best, second = sorted(logits, reverse=True)[:2]
    for z, kind in ((best, "one"), (second, "two")):
        places = re.findall(r"[ML]([\d.]+) ([\d.]+)", svg.xpath(f"string(.//*[@class='curve {kind}']/@d)"))
        assert len(places) >= 20
        for x, y in places:
            T = 0.1 * 50 ** (float(x) / 100)
            p = math.exp(z / T) / sum(math.exp(other / T) for other in logits)
            assert 1 - float(y) / 100 == pytest.approx(p, abs=0.001)
    label = svg.get("aria-label")
    assert "␣roof: 1.000 at 0.1, 0.810 at 1, 0.310 at 5" in label and "0.083" in label


@pytest.mark.parametrize("scheme", ["none", "sinusoidal", "rope", "alibi"])
def test_under_another_scheme_the_sums_still_hold(scheme):
    page = picture(state(scheme=scheme))
    *_, h = table(page, "norm")
    logits = column(page, "logits", 4)
    assert logits == pytest.approx([sum(a * b for a, b in zip(h, e, strict=True)) for e in toy.E.tolist()], abs=2e-3)
    assert column(page, "p", 1) == pytest.approx(softmax(logits), abs=2e-3)
    assert sum(h) == pytest.approx(0, abs=2e-3) and sum(x * x for x in h) == pytest.approx(64, abs=0.05)


# --- its controls

def test_next_and_back_walk_along_the_rows():
    assert json.loads(answer(state(t=2), do="next")["state"])["t"] == 3
    assert json.loads(answer(state(t=2), do="back")["state"])["t"] == 1
    assert "After the at 1" in said(picture(state(t=2), do="back"))


@pytest.mark.parametrize(("action", "why"), [
    ({"temperature": "0"}, "temperature cannot be 0, only a number from 0.1 to 5"),
    ({"temperature": "hot"}, "temperature needs a number"), ({"temperature": "nan"}, "temperature cannot be nan"),
    ({"token": "12"}, "token cannot be 12"), ({"ids": "12"}, "only 1 to 8 ids"), ({"t": "9"}, "from 1 to 8")])
def test_what_is_not_valid_is_refused_and_the_picture_stays(action, why):
    after = answer(state(t=3, temperature=0.5), **action)
    assert json.loads(after["state"]) == state(t=3, temperature=0.5)
    assert why in notice(after["html"])


def test_a_comma_will_do_in_a_typed_temperature():
    assert json.loads(answer(state(), temperature="0,75")["state"])["temperature"] == 0.75


def test_sentence_and_scheme_go_to_the_pages_before_and_after():
    links = picture(state(DOG, scheme="alibi")).xpath(".//a[starts-with(@href, '..')]/@href")
    carried = "?ids=0+3+4+5+1&scheme=alibi"
    assert links == [f"../5-block/#block{carried}", f"../7-generation/#generation{carried}"]


@every_row
def test_the_row_goes_to_the_panel_of_stolen_probability(ids, t):
    (link,) = picture(state(ids, t=t)).xpath(".//a[starts-with(@href, '#stolen')]/@href")
    there = json.loads(respond("stolen", link=link.partition("?")[2])["state"])
    assert list(there.values()) == near([4 * x for x in normed(TOY[TEXTS[ids]]["after_mlp"][t - 1])[0]])
