"""The coach: its accuracy has a fixed scale, and its reasons are facts."""

import pytest

from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.search.players import ValuePlayer
from carc_env.web.coach import Verdict, accuracy
from carc_env.web.tutorial import STEPS
from carc_env.web.why_good import reason
from scripts.accuracy import accuracy_of

pytestmark = pytest.mark.once


def verdict(lost, at_random):
    return Verdict(0, 0, {}, {}, 0, lost, True, [], at_random, [])


def test_accuracy_is_0_for_random_play_and_100_for_the_best_moves():
    assert accuracy([verdict(0, 4), verdict(0, 1)]) == 100
    assert accuracy([verdict(4, 4), verdict(1, 1)]) == 0
    assert accuracy([verdict(9, 4), verdict(0, 1)]) == 0
    assert accuracy([verdict(1, 4), verdict(0, 1)]) == 80
    assert accuracy([verdict(0, 0)]) is None


@pytest.mark.long
def test_the_lowest_level_is_below_20_and_the_highest_above_95():
    assert accuracy_of("random", 1) < 20
    assert accuracy_of("search:sims=5000", 1) > 95


FACTS = {
    "city": ("bg-cap 1,-1 r3", [("scores", "CITY", 8), ("frees", None, 1)]),
    "road": ("bg-junction 1,1", [("scores", "ROAD", 4)]),
    "monastery": ("bg-curve 1,2", [("scores", "MONASTERY", 9), ("frees", None, 1)]),
}


@pytest.mark.parametrize("name", FACTS)
def test_a_reason_tells_what_a_move_does(name):
    [step] = [step for step in STEPS if step.name == name]
    game = Game.from_position(parse_position(step.text), seed=1)
    wanted, facts = FACTS[name]
    action = next(a for a in game.legal_actions() if game.name(a).startswith(wanted))
    told = reason(game, action, -1, ValuePlayer(rules=game.rules))
    found = [(one["why"], one.get("kind"), one["points"]) for one in told if "points" in one]
    assert found[: len(facts)] == facts
