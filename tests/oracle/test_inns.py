"""The oracle against docs/rules/inns.md: large meeples, inns and cathedrals."""

import pytest

from carc_env.engine.core.codes import Spot

from . import naive
from .board import feature_at
from .positions import LARGE, MEEPLE, START, legal, position, spots, worth
from .problems import problems

pytestmark = pytest.mark.once

INNS = {"sets": ("base", "inns", "bridges"), "inns": True}
BOTH = INNS | {"large_meeples": True}

#: A road of four tiles between two monasteries.
ROAD = ("bg-monastery-road -1 0 2", "{} 1 0 0", "bg-monastery-road 2 0 0")
#: A city of five tiles that ends at the start tile and at three caps.
CITY = ("{} 0 -1 0", "bg-cap 1 -1 3", "bg-cap -1 -1 1", "bg-cap 0 -2 2")


def board(tiles, middle):
    return (START, *(tile.format(middle) for tile in tiles))


@pytest.mark.parametrize(
    ("middle", "points", "open_points"),
    [("ic-straight-inn-garden", 8, 0), ("bg-straight", 4, 3)],
)
def test_inn_02_inn_03_a_road_with_an_inn(middle, points, open_points):
    tiles = board(ROAD, middle)
    assert worth(legal(*tiles, **INNS), 0, 0, "E") == points
    assert worth(legal(*tiles[:-1], **INNS), 0, 0, "E", final=True) == open_points
    plain = INNS | {"inns": False}
    assert worth(legal(*tiles, **plain), 0, 0, "E") == 4
    assert worth(legal(*tiles[:-1], **plain), 0, 0, "E", final=True) == 3


@pytest.mark.parametrize(
    ("middle", "points", "open_points", "plain_points"),
    [("ic-cathedral", 15, 0, 10), ("bg-city4-shield", 12, 5, 12)],
)
def test_inn_04_a_city_with_a_cathedral(middle, points, open_points, plain_points):
    tiles = board(CITY, middle)
    assert worth(legal(*tiles, **INNS), 0, 0, "N") == points
    assert worth(legal(*tiles[:-1], **INNS), 0, 0, "N", final=True) == open_points
    assert worth(legal(*tiles, **INNS | {"inns": False}), 0, 0, "N") == plain_points


def test_inn_04_coats_of_arms_count_three():
    tiles = (
        *("ic-cathedral 0 -1 0", "bg-corner-shield-garden 0 -2 1", "bg-corner 1 -2 2"),
        *("bg-corner-shield 1 -1 3", "bg-cap -1 -1 1"),
    )
    assert worth(legal(START, *tiles, **INNS), 0, 0, "N") == 24


def test_inn_05_for_a_field_it_is_a_normal_city():
    made = legal(*board(CITY, "ic-cathedral"), **INNS)
    assert worth(made, 0, 0, "En", final=True) == 3


def test_inn_06_one_arm_of_the_junction():
    tiles = ("ic-junction-inn 1 0 0", "bg-monastery-road 2 0 0", "bg-monastery-road 1 1 1")
    made = legal(START, *tiles, **INNS)
    assert [worth(made, 1, 0, arm) for arm in "ES"] == [4, 2]
    assert worth(made, 1, 0, "W", final=True) == 2


def test_inn_07_inn_08_inns_and_bridges():
    tiles = ("bg-monastery-road 0 1 2", "ic-straight-inn-garden 1 1 1 EW")
    made = legal(START, *tiles, "bg-monastery-road 2 1 0", bridges=True, **INNS)
    assert worth(made, 1, 1, "E") == 3
    assert worth(made, 1, 1, "N", final=True) == 0
    tiles = ("bg-monastery-road -1 0 2", "bg-monastery 1 0 0 EW", "ic-corner-gate-left-inn 2 0 0")
    assert worth(legal(START, *tiles, bridges=True, **INNS), 1, 0, "E") == 8


def test_inn_01_a_large_meeple_has_strength_2():
    made = position(START, figures=["0 large 0 0 N", "1 meeple 0 0 N"], **BOTH)
    city = feature_at(made, 0, 0, Spot.N)
    assert [naive.strength(figure, city) for figure in city.figures] == [2, 1]
    assert naive.majority(city) == [0]
    tied = position(START, figures=["0 large 0 0 N", *["1 meeple 0 0 N"] * 2], **BOTH)
    assert naive.majority(feature_at(tied, 0, 0, Spot.N)) == [0, 1]


def test_inn_01_inn_09_where_it_may_stand():
    choices = naive.figure_choices(legal(START, "bg-monastery 0 1 0", **BOTH))
    assert spots(choices, LARGE) == spots(choices, MEEPLE) == {"mid", "Nw"}
    choices = naive.figure_choices(legal(START, "ic-cathedral 0 -1 0", **BOTH))
    assert {(figure, spot.name) for figure, spot in choices} == {(MEEPLE, "N"), (LARGE, "N")}
    choices = naive.figure_choices(legal(START, "ic-cathedral 0 -1 0", **INNS))
    assert spots(choices, LARGE) == set()


def test_inn_01_there_is_one():
    figures = ["0 large 1 0 E", "0 large 2 0 N"]
    tiles = (START, "bg-straight 1 0 0", "bg-cap-straight 2 0 0")
    assert problems(legal(*tiles, figures=figures[:1], **BOTH)) == []
    assert any("LARGE" in text for text in problems(position(*tiles, figures=figures, **BOTH)))
    assert problems(position(*tiles, figures=figures[:1], **INNS)) != []
