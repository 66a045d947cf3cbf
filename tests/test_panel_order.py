"""The panel Order, from action to picture, against an attention written out with plain loops."""

import math
from itertools import permutations

import numpy as np
import pytest

from test_panels import matrix, notice, respond, said
from tokenwalk import toy, worked
from tokenwalk.panels.order import State
from tokenwalk.state import to_link

E = toy.E[toy.IDS].tolist()
ORDERS = [" ".join(map(str, p)) for p in permutations(range(5))]
SCHEMES = ("none", "learned", "sinusoidal", "rope", "alibi")


def picture(**settings):
    return respond("order", link=to_link(State(**settings)))["html"]


def pressed(*values, **settings):
    """The answer after these buttons, one after another."""
    answer = respond("order", link=to_link(State(**settings)))
    for value in values:
        answer = respond("order", state=answer["state"], action={"do": value})
    return answer


def turned(x, t):
    """Both pairs of x as complex numbers, times e^(it) and e^(it/100)."""
    pairs = [complex(*x[:2]) * complex(math.cos(t), math.sin(t)),
             complex(*x[2:]) * complex(math.cos(t / 100), math.sin(t / 100))]
    return [part for z in pairs for part in (z.real, z.imag)]


def outputs(rows, scheme, masked):
    """Attention of rows of E in their order, number by number; ALiBi's first slope of two heads is 2^(−8/2)."""
    signals = {"learned": toy.P.tolist(),
               "sinusoidal": [[math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)] for t in range(5)]}
    signal = signals.get(scheme, [[0] * 4] * 5)
    X = [[e + p for e, p in zip(row, signal[t], strict=False)] for t, row in enumerate(rows)]
    Q = [turned(x, t) for t, x in enumerate(X)] if scheme == "rope" else X
    out = []
    for t, q in enumerate(Q):
        seen = range(t + 1) if masked else range(5)
        bias = [-abs(t - j) / 16 if scheme == "alibi" else 0 for j in seen]
        powers = [math.exp(sum(map(float.__mul__, q, Q[j])) / 2 + b) for j, b in zip(seen, bias, strict=True)]
        out.append([sum(w * X[j][c] for w, j in zip(powers, seen, strict=True)) / sum(powers) for c in range(4)])
    return out


def differences(order, scheme, masked):
    places = [int(t) for t in order.split()]
    old, new = outputs(E, scheme, masked), outputs([E[t] for t in places], scheme, masked)
    return np.array(new) - np.array([old[t] for t in places])


def test_it_begins_with_two_tokens_traded_and_no_difference():
    html = picture()
    assert said(html).startswith("Largest difference 0. Each token has the same output in both orders")
    for token in ("the", "␣cat", "␣climb", "ed", "␣the"):
        new, written, difference = matrix(html, token)
        assert new == written and difference == ["0"] * 4


def test_the_mask_makes_a_difference_of_0_295_at_the_two_traded_tokens():
    html = respond("order", state=respond("order", link="")["state"], action={"mask": "causal"})["html"]
    assert "Largest difference 0.295" in said(html)
    assert "The output is new for ␣climb and ␣cat, and as before for the, ed and ␣the." in said(html)
    # ␣climb second sees the and itself: scores (0.25 − 0.5 − 0.5) / 2 and 1.5 / 2, weights 0.246 and 0.754 of −0.5 in
    # column 1 both, so −0.5; third it sees ␣cat, too.
    assert matrix(html, "␣climb")[0][0] == "−0.5" and matrix(html, "␣climb")[2][0] == "−0.295"
    assert matrix(html, "the")[0] == ["−0.5", "−0.5", "0", "1"]  # the first token sees only itself


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("masked", [False, True])
def test_outputs_and_differences_are_those_of_the_plain_loops(scheme, masked):
    for order in ORDERS[::17]:
        places = [int(t) for t in order.split()]
        html = picture(order=order, scheme=scheme, mask="causal" if masked else "none")
        old, new = outputs(E, scheme, masked), outputs([E[t] for t in places], scheme, masked)
        for t, k in enumerate(places):
            rows = matrix(html, toy.TOKENS[toy.IDS[k]])
            printed = [[float(x.replace("−", "-")) for x in row] for row in rows]
            assert printed == [pytest.approx(v, abs=5.1e-4)
                               for v in (new[t], old[k], np.subtract(new[t], old[k]).tolist())]


@pytest.mark.parametrize("order", ["0 2 1 3 4", "4 3 2 1 0", "1 2 3 4 0"])
def test_the_table_of_schemes_is_that_of_the_plain_loops(order):
    table = matrix(picture(order=order), "Largest difference")
    assert [[float(x) for x in row] for row in table] == [
        pytest.approx([np.abs(differences(order, scheme, masked)).max() for masked in (False, True)], abs=5.1e-4)
        for scheme in SCHEMES]


def test_without_mask_and_positions_every_order_gives_zero_and_with_the_mask_only_the_first_does():
    for order in ORDERS:
        free, masked = matrix(picture(order=order), "Largest difference")[0]
        assert free == "0"
        assert (masked == "0") == (order == "0 1 2 3 4")


def test_alibi_without_a_mask_cannot_tell_a_text_from_its_mirror_image():
    assert "This order keeps every distance" in said(picture(order="4 3 2 1 0", scheme="alibi"))
    others = [order for order in ORDERS if matrix(picture(order=order), "Largest difference")[4][0] == "0"]
    assert others == ["0 1 2 3 4", "4 3 2 1 0"]


def test_the_permutation_has_its_ones_where_the_order_says():
    pi = np.array(matrix(picture(order="2 0 1 4 3"), "Π"), int)
    assert [row.tolist().index(1) for row in pi] == [2, 0, 1, 4, 3]
    assert pi.sum() == 5 and (pi @ pi.T == np.eye(5)).all()


def test_two_presses_trade_two_tokens_and_the_same_token_twice_does_nothing():
    assert '"picked":4' in pressed("4")["state"] and "ed is picked" in said(pressed("4")["html"])
    assert pressed("4", "4") == pressed()
    assert '"order":"0 2 1 4 3","picked":0' in pressed("4", "5")["state"]
    assert pressed("1", "5", "5", "1") == pressed()
    assert '"order":"0 1 2 3 4"' in pressed("3", "2")["state"]  # tokens are named by their places as written
    assert "nothing to compare" in said(pressed("written")["html"])
    assert '"order":"4 3 2 1 0","picked":0' in pressed("3", "mirror")["state"]


@pytest.mark.parametrize("action", [{"do": "6"}, {"do": "0"}, {"do": 3}, {"order": "0 1 2"}, {"order": "0 0 1 2 3"},
                                    {"picked": "1,5"}, {"mask": "on"}])
def test_what_is_no_control_is_refused_in_words(action):
    answer = respond("order", state=pressed()["state"], action=action)
    assert answer["state"] == pressed()["state"] and notice(answer["html"]).startswith("That was not done: ")


def test_the_prose_and_the_panel_state_the_same_two_numbers():
    x = [outputs(E, "none", masked) for masked in (False, True)]
    order = [0, 2, 1, 3, 4]
    y = [outputs([E[t] for t in order], "none", masked) for masked in (False, True)]
    expected = [np.abs(np.array(b) - np.array(a)[order]).max() for a, b in zip(x, y, strict=True)]
    assert [worked.swap_difference(False), worked.swap_difference(True)] == pytest.approx(expected, abs=1e-12)
    assert round(expected[1], 3) == 0.295
