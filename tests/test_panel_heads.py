"""Two heads, by the panel's door: the numbers of tests/reference/toy.json, and sums done here."""

import json
import math
from pathlib import Path

import pytest

from door import Door, said
from test_panels import notice, words
from tokenwalk import toy

TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
CAT, DOG, TRADED = "0 2 4 5 1", "0 3 4 5 1", "0 4 2 5 1"
TEXTS = {CAT: "the cat climbed the", DOG: "the dog climbed the"}
DOOR = Door("heads")
answer, picture, cells, table = DOOR.answer, DOOR.picture, DOOR.cells, DOOR.table


def state(ids=CAT, **settings):
    return {"ids": ids, "scheme": "learned", "cell": "", "t": 5, "mask": True} | settings


def near(expected, digits=3):
    return pytest.approx(expected, rel=0, abs=0.501 * 10**-digits)


def softmax(scores):
    powers = [math.exp(s) for s in scores]
    return [p / sum(powers) for p in powers]


# --- the numbers

@pytest.mark.parametrize("ids", TEXTS)
@pytest.mark.parametrize("head", [1, 2])
def test_scores_are_masked_and_weights_are_their_softmax(ids, head):
    expected, root = TOY[TEXTS[ids]][f"head{head}"], picture(state(ids))
    scores, weights = table(root, f"scores-{head}"), table(root, f"weights-{head}")
    for i in range(5):
        fits = [sum(a * b for a, b in zip(expected["q"][i], k, strict=True)) / math.sqrt(2) for k in expected["k"]]
        assert scores[i][: i + 1] == near(fits[: i + 1], 2)
        assert scores[i][i + 1 :] == [-math.inf] * (4 - i)
        assert weights[i] == near(expected["weights"][i], 2) and weights[i][i + 1 :] == [0] * (4 - i)
    assert cells(root, f"scores-{head}")[0][1:] == ["−∞"] * 4


@pytest.mark.parametrize("ids", TEXTS)
def test_the_heads_stand_side_by_side_and_meet_W_O(ids):
    expected, root = TOY[TEXTS[ids]], picture(state(ids))
    rows = [a + b for a, b in zip(expected["head1"]["out"], expected["head2"]["out"], strict=True)]
    assert table(root, "concat") == [near(row) for row in rows]
    added = [[after - x for after, x in zip(a, b, strict=True)]
             for a, b in zip(expected["after_attention"], expected["X"], strict=True)]
    assert table(root, "attn") == [near(row) for row in added]


@pytest.mark.parametrize("t", [1, 5])
def test_every_product_with_W_O_is_written_out(t):
    expected, root = TOY[TEXTS[CAT]], picture(state(t=t))
    row = expected["head1"]["out"][t - 1] + expected["head2"]["out"][t - 1]
    *brought, total = table(root, "brought")
    assert brought == [near([value * w for w in of]) for value, of in zip(row, toy.W_O.tolist(), strict=True)]
    assert total == near([sum(column) for column in zip(*brought, strict=True)], 2)
    assert table(root, "W") == toy.W_O.tolist()


def test_a_lifted_mask_shows_every_score_and_spreads_every_weight():
    expected, root = TOY[TEXTS[CAT]]["head2"], picture(state(), mask="off")
    assert "−∞" not in words(root)
    for i, row in enumerate(table(root, "scores-2")):
        fits = [sum(a * b for a, b in zip(expected["q"][i], k, strict=True)) / math.sqrt(2) for k in expected["k"]]
        assert row == near(fits, 2) and table(root, "weights-2")[i] == near(softmax(fits), 2)


@pytest.mark.parametrize(("head", "part"), [(1, 16), (2, 256)])
def test_alibi_lowers_each_heads_scores_by_its_own_slope(head, part):
    # Without a scheme the scores are the same but for the bias, since X is the same.
    plain, lowered = (table(picture(state(scheme=s)), f"scores-{head}") for s in ("none", "alibi"))
    for i in range(5):
        for j in range(i + 1):
            assert lowered[i][j] == pytest.approx(plain[i][j] - (i - j) / part, abs=0.0101)


# --- what it says

def test_the_last_token_looks_at_the_subject():
    text = said(picture(state()))
    assert "head 1 looks most at ed at 4, weight 0.235; head 2 looks most at ␣cat at 2, weight 0.616" in text
    best = max(range(12), key=TOY[TEXTS[CAT]]["p"][-1].__getitem__)
    assert f"says that {toy.TOKENS[best]} comes after the last token, with probability 0.810" in text
    assert toy.TOKENS[best] == "␣roof"


def test_with_another_subject_another_token_comes():
    text = said(picture(state(), ids=DOG))
    assert "head 2 looks most at ␣dog at 2, weight 0.501" in text and "␣wall comes after" in text


def test_the_weight_moves_with_the_subject():
    assert "head 2 looks most at ␣cat at 3, weight 0.597" in said(picture(state(), ids=TRADED))


def test_a_lifted_mask_changes_all_rows_but_the_last():
    text = said(picture(state(), mask="off"))
    assert "tokens 1, 2, 3 and 4 see what comes next" in text and "The last token’s row is the same" in text
    assert "␣roof, 0.810" in text
    assert "token 1 sees what comes next, and attention gives it another row" in said(picture(state("0 2", mask=False)))
    assert "nothing is different" in said(picture(state("0", mask=False)))


def test_without_positions_the_last_row_does_not_notice_a_trade():
    rows = [table(picture(state(ids, scheme="none")), "attn")[-1] for ids in (CAT, TRADED)]
    assert rows[0] == rows[1]


def test_eight_tokens_have_eight_columns_and_shorter_scores():
    root = picture(state("0 2 4 5 1 6 10 11", t=8))
    assert [len(row) for row in cells(root, "scores-1")] == [8] * 8
    assert all(len(text.split(".")[-1]) == 1 for row in cells(root, "scores-1") for text in row if "." in text)


# --- its controls

@pytest.mark.parametrize(("action", "why"), [
    ({"ids": "12"}, "only 1 to 8 ids from 0 to 11"), ({"t": "0"}, "only a whole number from 1 to 8"),
    ({"t": "x"}, "needs a whole number"), ({"scheme": ""}, "scheme cannot be"), ({"head": "1"}, "no such control")])
def test_what_is_not_valid_is_refused_and_the_picture_stays(action, why):
    after = answer(state(t=3, mask=False), **action)
    assert json.loads(after["state"]) == state(t=3, mask=False)
    assert why in notice(after["html"])


def test_sentence_and_scheme_go_to_the_pages_before_and_after():
    links = picture(state(DOG, scheme="alibi", mask=False)).xpath(".//a[starts-with(@href, '..')]/@href")
    assert links == ["../3-query-key-value/#head?ids=0+3+4+5+1&scheme=alibi",
                     "../5-block/#block?ids=0+3+4+5+1&scheme=alibi"]
