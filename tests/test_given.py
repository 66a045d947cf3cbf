"""The sentence and the scheme as a panel's state and a link hold them."""

import pytest

from tokenwalk.given import Asking, Given, choices
from tokenwalk.state import BadInput, from_link, to_link, valid


@pytest.mark.parametrize("text", ["", "0  1", " 0", "00", "0 1 2 3 4 5 6 7 8", "12", "the", "0,1"])
def test_a_state_holds_ids_in_one_form_only(text):
    with pytest.raises(BadInput, match="only 1 to 8 ids from 0 to 11"):
        valid(Given, {"ids": text})


@pytest.mark.parametrize("ids", ["11", "0 2 4 5 1", "0 1 2 3 4 5 6 7"])
def test_a_sentence_goes_by_link_and_stays_in_the_menu(ids):
    state = Given(ids, "rope")
    assert from_link(Given, to_link(state)) == state
    made = choices(Asking(ids, "rope"))
    assert from_link(Given, made["carried"]) == state
    assert [i for i, _ in made["sentences"]].count(ids) == 1


def test_a_plain_visit_has_the_running_example_with_learned_positions():
    assert from_link(Given, "") == Given("0 2 4 5 1", "learned") and choices(Asking())["carried"] == ""
    assert choices(Asking())["sentences"][:2] == [("0 2 4 5 1", "the cat climbed the"),
                                                 ("0 3 4 5 1", "the dog climbed the")]
