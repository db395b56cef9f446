"""Moments call the links whose switches are on, in order, and combine the results as declared."""

import numpy as np
import pytest

from carc_env.engine.compiler.jit import b1, entry_point, i8, kernel, void
from carc_env.engine.compiler.moments import (
    ALL,
    COUNT,
    SUM,
    THREAD,
    at,
    close_moments,
    linked,
    moment,
    switches_of,
)
from carc_env.engine.core.moments import turn_begins
from carc_env.engine.core.state import State, States, new_states

pytestmark = pytest.mark.interpreted


@moment(void(State, i8))
def points_come(s, points):
    """A seat gets points."""


@moment(i8(State, i8), SUM)
def points_of(s, number):
    """Points for a number."""


@moment(i8(State, i8), THREAD)
def changed(s, number):
    """A number that each link changes."""


@moment(b1(State, i8), ALL)
def may_be(s, number):
    """Whether no link forbids a number."""


@moment(i8(State, i8[::1]), COUNT)
def listed(s, numbers):
    """Numbers that the links write one after the other."""


@at(points_come, "bazaars")
@kernel(void(State, i8))
def double(s, points):
    s.players[0].score = 2 * s.players[0].score + points


@at(points_come, "fairy")
@kernel(void(State, i8))
def add(s, points):
    s.players[0].score += points


@at(points_of, "bazaars")
@kernel(i8(State, i8))
def once(s, number):
    return number


@at(points_of, "fairy")
@kernel(i8(State, i8))
def ten_times(s, number):
    return 10 * number


@at(changed, "bazaars")
@kernel(i8(State, i8))
def more(s, number):
    return number + 1


@at(changed, "fairy")
@kernel(i8(State, i8))
def thrice(s, number):
    return 3 * number


@at(may_be, "bazaars")
@kernel(b1(State, i8))
def is_even(s, number):
    return number % 2 == 0


@at(may_be, "fairy")
@kernel(b1(State, i8))
def is_small(s, number):
    return number < 10


@at(listed, "bazaars", 2)
@kernel(i8(State, i8[::1]))
def list_one(s, numbers):
    numbers[0] = 7
    return 1


@at(listed, "fairy", 1)
@kernel(i8(State, i8[::1]))
def list_two(s, numbers):
    numbers[0], numbers[1] = 8, 9
    return 2


close_moments()


@entry_point(void(States, i8))
def call_each(states, points):
    points_come(states[0], points)


@entry_point(i8(States, i8))
def call_sum(states, number):
    return points_of(states[0], number)


@entry_point(i8(States, i8))
def call_thread(states, number):
    return changed(states[0], number)


@entry_point(b1(States, i8))
def call_all(states, number):
    return may_be(states[0], number)


@entry_point(i8(States, i8[::1]))
def call_list(states, numbers):
    return listed(states[0], numbers)


@pytest.mark.parametrize(
    ("bazaars", "fairy", "score", "total", "last"),
    [(0, 0, 7, 0, 4), (1, 0, 18, 4, 5), (0, 1, 11, 40, 12), (1, 1, 22, 44, 15)],
)
def test_links_are_called_in_order_behind_their_switches(bazaars, fairy, score, total, last):
    states = new_states(1)
    states[0].rules.bazaars, states[0].rules.fairy = bazaars, fairy
    states[0].players[0].score = 7
    call_each(states, 4)
    assert states[0].players[0].score == score
    assert (call_sum(states, 4), call_thread(states, 4)) == (total, last)


@pytest.mark.parametrize(
    ("bazaars", "fairy", "allowed"),
    [(0, 0, {3, 4, 13, 14}), (1, 0, {4, 14}), (0, 1, {3, 4}), (1, 1, {4})],
)
def test_all_links_must_agree(bazaars, fairy, allowed):
    states = new_states(1)
    states[0].rules.bazaars, states[0].rules.fairy = bazaars, fairy
    assert {number for number in (3, 4, 13, 14) if call_all(states, number)} == allowed


@pytest.mark.parametrize(
    ("bazaars", "fairy", "numbers"), [(0, 0, []), (1, 0, [7]), (0, 1, [8, 9]), (1, 1, [8, 9, 7])]
)
def test_links_of_smaller_numbers_are_called_first(bazaars, fairy, numbers):
    states, found = new_states(1), np.zeros(3, np.int64)
    states[0].rules.bazaars, states[0].rules.fairy = bazaars, fairy
    n = call_list(states, found)
    assert found[:n].tolist() == numbers


def test_nothing_is_linked_to_a_moment_that_is_closed():
    with pytest.raises(KeyError):
        at(points_of, "fairy")(ten_times)


def test_the_rules_know_to_which_moments_of_the_engine_anything_is_linked():
    rules = new_states(1)[0].rules
    before = linked(rules)
    rules.fairy = 1
    more = {name for name, is_linked in linked(rules).items() if is_linked != before[name]}
    own = {"offer_cells", "offer_spots", "figure_removed", "feature_scored", "turn_begins"}
    own |= {"meeple_gone"}
    assert more == own | {"decision_marked", "end_projected"}
    assert before["tiles_beside"], "a link without a switch is always called"


def test_switches_are_those_of_closed_moments():
    assert "fairy" in switches_of(turn_begins)

    @moment(void(State))
    def open_one(s):
        """A moment that stays open."""

    with pytest.raises(RuntimeError, match="open_one is not closed yet"):
        switches_of(open_one)
    close_moments()
