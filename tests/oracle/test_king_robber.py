"""The oracle's King and Robber against docs/rules/king-robber.md."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Phase

from . import king_robber, turns
from .positions import START, legal, position
from .problems import problems

pytestmark = pytest.mark.once

KINGS = {"king_robber": True}
#: A city of two tiles, one of three beside it, and what completes the latter.
TWO = (START, "bg-cap 0 -1 2")
THREE = (*TWO, "bg-cap-straight 1 0 0", "bg-span 1 -1 0", "bg-cap 1 -2 2")
MONASTERY = "bg-monastery 0 1 0"


def scored(made):
    """Do nothing more in a turn after which the next tile is drawn."""
    assert problems(made) == []
    return turns.following(replace(made, bag=("bg-curve",)), "pass")


def test_kr_02_kr_05_the_first_city():
    done = scored(legal(*TWO, player=1, **KINGS))
    assert (done.king, done.robber) == (1, None)
    assert scored(legal(*TWO, player=1)).king is None
    assert scored(legal(START, MONASTERY, **KINGS)).king is None


@pytest.mark.parametrize(("tiles", "king"), [(THREE, 1), ((*THREE[:-2], "bg-cap 1 -1 2"), 0)])
def test_kr_03_a_larger_one_but_no_equal_one(tiles, king):
    assert scored(legal(*tiles, player=1, king=0, **KINGS)).king == king


def test_kr_06_roads():
    road = (START, "bg-monastery-road -1 0 2", "bg-monastery-road 1 0 0")
    assert scored(legal(*road, player=1, **KINGS)).robber == 1


def test_kr_12_a_castle_is_no_city():
    castle = position(*TWO, castles=True, castles_at=["0 0 N"], **KINGS)
    assert king_robber.passed_on(castle).king is None
    assert king_robber.points(replace(castle, king=0)) == (0, 0)


@pytest.mark.parametrize(
    ("scoring", "one", "both"),
    [
        ("per_feature", (2, 0), (2, 0)),
        ("ten_each", (10, 10), (20, 0)),
        ("fifteen_forty", (15, 15), (40, 0)),
        ("running", (0, 0), (0, 0)),
    ],
)
def test_kr_09_kr_16_points_at_the_end(scoring, one, both):
    made = position(*THREE, MONASTERY, king=0, robber=1, king_robber_scoring=scoring, **KINGS)
    assert king_robber.points(made) == one
    assert king_robber.points(replace(made, robber=0)) == both
    assert king_robber.points(replace(made, king=None, robber=None)) == (0, 0)


def test_kr_16_running_points_are_for_who_had_it():
    made = legal(*THREE, player=1, king=0, king_robber_scoring="running", **KINGS)
    done = scored(made)
    assert (done.scores, done.king) == ((1, 0), 1)


def test_problems_of_markers():
    made = legal(*TWO, MONASTERY, king=0, **KINGS)
    for wrong in ({"king": None}, {"robber": 0}, {"king": 2}):
        assert problems(replace(made, **wrong)) != []
    assert problems(position(*TWO, king=0, **KINGS)) != []
    assert problems(position(*TWO, phase=Phase.FIGURE, **KINGS)) == []
