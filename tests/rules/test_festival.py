"""FES, XFS: with a festival tile, a player may take back a figure instead of placing one."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, bag_of, figures, in_supply, meeples, names, offered, score_log
from .positions import LAND, START_LINE, Table, by_cell, carcassonne, reread, then
from .scenario import TILES, play, surrounded

pytestmark = pytest.mark.interpreted

TABLE = Table("festival: true", sets="base, abbey, festival")
played, at_the_end = TABLE.played, TABLE.at_the_end

#: A festival tile beside the start tile; its road ends at a gate, its city is open in the north.
PLACE = "fe-cap-gate-left 1,0 r0"
MEEPLES_ONLY = "festival_return: meeple"


def returns(game):
    """Return everything that can come back, from any cell that can be chosen."""
    found = {name for name in names(game) if name.startswith("fetch ")}
    for name in names(game):
        if name.startswith("to "):
            found |= names(then(game.clone(), name))
    return {name for name in found if name.startswith(("return ", "fetch "))}


# --- The set ------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_fes_01_ten_land_tiles_with_a_festival(edition):
    game = Game(Rules.preset("festival", edition=edition, abbot=edition == "C2"), seed=1)
    drawn = [tile for tile in bag_of(game) if tile in TILES["festival"]]
    assert (len(bag_of(game)), sorted(drawn)) == (81, sorted(TILES["festival"]))
    assert all(row["festival"] for row in FACTS if row["set"] == "festival")


# --- What may come back -------------------------------------------------------------------------


def test_fes_02_to_place_a_figure_or_take_one_back_or_neither():
    tiles = [f"{START_LINE}: A meeple N, B meeple Es", "bg-monastery 0,1 r0: A abbot mid"]
    game = played(tiles, PLACE)
    assert names(game) == {
        *("meeple N", "meeple W", "meeple Wn"),
        *("to 0,0", "to 0,1", "recall", "pass"),
    }
    then(game, "to 0,0")
    assert (game.phase, names(game)) == (Phase.ELSEWHERE, {"return 0,0 N"})
    reread(game)
    then(game, "return 0,0 N")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert figures(game) == {"B meeple 0,0 Es", "A abbot 0,1 mid"}
    assert meeples(game, "A") == 7


#: Every kind of figure but meeples, each in a legal place with the meeples that it needs.
OTHERS = {
    "-2,0": "A meeple Es, A shepherd Nw",
    "-1,0": "A barn NW",
    "0,0": "A meeple E, A pig Es",
    "1,0": "A builder E",
}
OTHERS_IN_PLAY = "barns: true, builders: true, pigs: true, shepherds: true"
AT_THE_ROAD = "fe-cap-gate-left 2,0 r0"
"""A festival tile east of the land, at the end of its road."""


def with_others(*moves, rules="", headers="[sheep A 2 3]", **options):
    """Place the festival tile east of the land, which has every kind of figure on it."""
    return played(
        by_cell(LAND, OTHERS),
        AT_THE_ROAD,
        *moves,
        rules=f"{OTHERS_IN_PLAY}{rules and ', '}{rules}",
        headers=headers,
        **options,
    )


@pytest.mark.rule("XFS-01")
@pytest.mark.parametrize("rules", ["", MEEPLES_ONLY])
def test_fes_03_any_figure_or_meeples_only(rules):
    farmer_and_thief = {"return -2,0 Es", "return 0,0 E"}
    others = {*("return shepherd -2,0", "return -1,0 NW"), *("return 0,0 Es", "return 1,0 E")}
    found = returns(with_others(rules=rules))
    assert found == farmer_and_thief | (set() if rules else others)


def test_fes_03_every_kind_of_meeple():
    tiles = [
        f"{START_LINE}: A mayor N, A wagon E",
        "bg-straight -1,0 r0: A large Nw",
        "bg-monastery 0,1 r0: A abbot mid",
    ]
    game = played(
        tiles, PLACE, rules=f"wagons: true, mayors: true, large_meeples: true, {MEEPLES_ONLY}"
    )
    assert returns(game) == {"return 0,0 N", "return 0,0 E", "return -1,0 Nw", "return 0,1 mid"}


@pytest.mark.rule("HS-27")
def test_fes_03_a_shepherd_and_a_farmer_of_one_spot_are_told_apart():
    tiles = [f"{START_LINE}: A meeple Es, A shepherd Es"]
    game = played(tiles, f"{PLACE}; to 0,0", rules="shepherds: true", headers="[sheep A 1]")
    assert names(game) == {"return 0,0 Es", "return shepherd 0,0"}
    assert figures(then(game.clone(), "return 0,0 Es")) == {"A shepherd 0,0 Es"}
    assert figures(then(game, "return shepherd 0,0")) == {"A meeple 0,0 Es"}


def test_fes_04_nobody_elses_figures_nor_neutral_ones():
    tiles = carcassonne("bg-monastery 2,0 r0: B meeple mid", co_9="B meeple S")
    game = played(
        tiles,
        "fe-cap-gate-left -2,2 r0",
        rules="count: true, dragon: true, fairy: true",
        sets="base, princess, count, festival",
        headers=["[count castle]", "[quarters B meeple market]", "[fairy -2,1 S]"],
    )
    assert returns(game) == set()


@pytest.mark.rule("MW-21")
def test_fes_04_nor_the_mage_and_the_witch():
    game = played(
        [START_LINE, "bg-straight 1,0 r0"],
        "fe-two-curves -1,0 r1",
        rules="mage_witch: true",
        sets="base, festival, mage",
        headers=["[mage 0,0 N]", "[witch 1,0 E]"],
    )
    assert returns(game) == set()


def test_fes_05_no_prisoners():
    game = played(
        [f"{START_LINE}: A meeple N", "to-field-garden 0,1 r0"],
        PLACE,
        rules="towers: true",
        sets="base, tower, festival",
        headers=["[floors 10:9]", "[towers 0,1 1]", "[prisoners B holds A meeple]"],
    )
    assert returns(game) == {"return 0,0 N"}
    then(game, "to 0,0; return 0,0 N")
    assert [(p.captor, p.seat) for p in game.position().prisoners] == [(1, 0)]
    assert meeples(game, "A") == 6


@pytest.mark.parametrize("rules", ["", MEEPLES_ONLY])
def test_fes_06_meeples_that_wait_in_carcassonne(rules):
    waiting = "A meeple castle, A meeple market, A large market, B meeple cathedral"
    game = played(
        carcassonne(co_9="A meeple S"),
        "fe-cap-gate-left -2,2 r0",
        rules=f"count: true, large_meeples: true{rules and ', '}{rules}",
        sets="base, count, festival",
        headers=["[count market]", f"[quarters {waiting}]"],
    )
    assert returns(game) == {
        *("fetch meeple castle", "fetch meeple market", "fetch large market"),
        "return -2,1 S",
    }
    reread(game)
    then(game, "fetch large market; pass")  # no other figure leaves
    waits = [(w.seat, w.figure.name, w.quarter.name) for w in game.position().waiting]
    assert waits == [(0, "MEEPLE", "CASTLE"), (0, "MEEPLE", "MARKET"), (1, "MEEPLE", "CATHEDRAL")]
    assert in_supply(game, "A", Figure.LARGE) == 1
    assert game.scores == (4, 0)  # the tile has completed the city beside Carcassonne


def test_fes_07_a_shepherd_comes_back_and_his_sheep_go_into_the_bag():
    game = with_others("to -2,0; return shepherd -2,0", headers="[sheep A 2 3]")
    assert game.position().sheep == ((), ())
    assert in_supply(game, "A", Figure.SHEPHERD) == 1
    assert game.scores == (0, 0)


@pytest.mark.rule("FES-15", "TOW-22", "PD-40", "PD-42")
def test_fes_07_a_tower_is_open_again():
    game = played(
        [START_LINE, "to-field-garden 0,1 r0", "bg-straight -1,0 r0"],
        f"{PLACE}; to 0,1",
        rules="towers: true, fairy: true",
        sets="base, princess, tower, festival",
        headers=["[floors 8:10]", "[towers 0,1 2 A meeple]", "[fairy 0,1 top]"],
    )
    assert names(game) == {"return top 0,1"}
    reread(game)
    then(game, "return top 0,1")
    (tower,) = game.position().towers
    assert (tower.height, tower.figure) == (2, None)
    assert (game.position().fairy, game.position().fairy_on_top) == ((0, 1), False)
    assert (meeples(game, "A"), game.decider) == (7, 1)
    then(game, next(name for name in sorted(names(game)) if name != "aside"))
    assert "to 0,1" in names(game)


CASTLE = (f"{START_LINE}: A meeple N", "bg-cap 0,-1 r2")
CASTLE_IN_PLAY = {"rules": "castles: true", "headers": ["[castles 0,0 N]", "[tokens 2:3]"]}


@pytest.mark.parametrize(
    ("action", "points"), [("pass", 4), ("to 0,0; return 0,0 N", 0)], ids=["stays", "comes back"]
)
def test_fes_08_a_castle_without_its_lord_never_scores(action, points):
    game = played(CASTLE, PLACE, bag=("bg-cap", "bg-curve"), **CASTLE_IN_PLAY)
    assert returns(game) == {"return 0,0 N"}
    then(game, action, "bg-cap 1,-1 r2", "pass")  # completes the city at (1, 0), in the fief
    assert score_log(game) == ([("A", points, Kind.CASTLE)] if points else [])
    assert len(game.position().castles) == 1
    assert game.scores == (points, 0)
    assert meeples(game, "A") == 7
    reread(game)


# --- How a figure comes back --------------------------------------------------------------------


@pytest.mark.rule("FES-14", "XFS-02", "ABT-09")
def test_fes_09_an_abbot_brings_nothing_and_cannot_be_recalled_any_more():
    text = surrounded(
        "garden",
        7,
        "A abbot mid",
        "A places fe-cap-gate-right",
        "sets: [base, festival], festival: true",
    )
    game = play(text, "fe-cap-gate-right -2,0 r0")
    assert {"recall", "to 0,1"} <= names(game)
    then(game, "to 0,1")
    assert names(game) == {"return 0,1 mid"}
    then(game, "return 0,1 mid")
    assert (game.scores, score_log(game)) == ((0, 0), [])
    assert (game.phase, game.decider, abbots(game, "A")) == (Phase.PLACE_TILE, 1, 1)


#: The end of a road from a monastery through the start tile; the festival tile completes the road.
ROAD_END = "bg-monastery-road -1,0 r2"


@pytest.mark.rule("WAG-16")
def test_fes_09_a_wagon_does_not_move_on():
    tiles = [f"{START_LINE}: A wagon E", ROAD_END]
    scored = played(tiles, PLACE, "pass", rules="wagons: true")
    assert (scored.phase, scored.scores) == (Phase.WAGON, (3, 0))
    game = played(tiles, PLACE, "to 0,0; return 0,0 E", rules="wagons: true")
    assert (game.phase, game.scores) == (Phase.PLACE_TILE, (0, 0))
    assert in_supply(game, "A", Figure.WAGON) == 1


@pytest.mark.parametrize("with_rival", [False, True])
def test_fes_10_it_has_no_share_in_what_the_tile_completes(with_rival):
    tiles = [f"{START_LINE}: A meeple N"]
    if with_rival:
        tiles[0] += ", B meeple E"
    moves = ("fe-cap-gate 0,-1 r2", "to 0,0; return 0,0 N")
    assert played(tiles, moves[0], "pass").scores == (4, 0)
    game = played(tiles, *moves)
    assert game.scores == (0, 0)
    assert figures(game) == ({"B meeple 0,0 E"} if with_rival else set())


@pytest.mark.rule("TRA-06", "XW-02", "TRA-09")
def test_fes_11_a_builder_left_alone_goes_home_and_the_second_part_stays():
    tiles = [f"{START_LINE}: A meeple E", "bg-straight -1,0 r0: A builder E"]
    game = played(tiles, PLACE, "to 0,0; return 0,0 E", rules="builders: true")
    assert figures(game) == set()
    assert in_supply(game, "A", Figure.BUILDER) == 1
    assert (game.decider, game.position().first_part) == (0, (1, 0))


@pytest.mark.rule("FES-03")
def test_fes_11_a_builder_comes_back_alone():
    tiles = [f"{START_LINE}: A meeple E", "bg-straight -1,0 r0: A builder E"]
    game = played(tiles, PLACE, "to -1,0; return -1,0 E", rules="builders: true")
    assert figures(game) == {"A meeple 0,0 E"}
    assert (game.decider, game.position().first_part) == (0, (1, 0))


@pytest.mark.rule("TRA-16")
def test_fes_11_a_pig_left_alone_goes_home():
    tiles = [f"{START_LINE}: A meeple Es", "bg-straight -1,0 r0: A pig Es, B meeple Nw"]
    game = played(tiles, PLACE, "to 0,0; return 0,0 Es", rules="pigs: true")
    assert figures(game) == {"B meeple -1,0 Nw"}
    assert in_supply(game, "A", Figure.PIG) == 1


def test_fes_12_the_festival_is_no_place_for_a_figure():
    game = played([START_LINE], PLACE, rules="large_meeples: true")
    assert offered(game, "meeple") == offered(game, "large") == {"N", "W", "En", "Wn"}
    assert offered(game, "abbot") == set()


@pytest.mark.rule("PD-40")
def test_fes_15_the_fairy_stays_alone():
    game = played(
        [f"{START_LINE}: A meeple N", "bg-straight -1,0 r0"],
        PLACE,
        "to 0,0; return 0,0 N",
        rules="fairy: true",
        headers="[fairy 0,0 N]",
    )
    assert (game.position().fairy, game.position().fairy_beside) == ((0, 0), None)
    assert game.scores == (0, 0)


#: A shrine at (0, 1) and a monastery at (1, 1); the tile at (-1, 2) completes the shrine.
CHALLENGE = (
    START_LINE,
    *("bg-straight -1,0 r0", "bg-straight 1,0 r0"),
    "cu-shrine 0,1 r0: A meeple mid; bg-monastery 1,1 r0: B meeple mid",
    *("bg-cap -1,1 r3", "bg-cap 0,2 r2", "bg-cap-garden 1,2 r2"),
)


@pytest.mark.rule("CULT-10")
@pytest.mark.parametrize(
    ("action", "monk"), [("pass", set()), ("to 0,1; return 0,1 mid", {"B meeple 1,1 mid"})]
)
def test_fes_15_a_challenge_ends(action, monk):
    game = played(
        CHALLENGE,
        "fe-cap-gate-left 2,0 r0",
        action,
        "bg-cap -1,2 r2; pass",
        rules="shrines: true",
        sets="base, cult, festival",
        bag=("bg-cap", "bg-curve"),
    )
    assert figures(game) == monk
    assert game.scores == (0 if monk else 9, 0)


def test_fes_16_only_figures_of_earlier_parts():
    tiles = [f"{START_LINE}: A meeple E", "bg-straight -1,0 r0: A builder E"]
    bag = ("fe-cap-curve-right", "bg-curve")
    game = played(tiles, PLACE, rules="builders: true", bag=bag)
    then(game, "meeple N")  # the figure action of the first part is over
    assert (game.decider, game.phase) == (0, Phase.PLACE_TILE)
    then(game, "fe-cap-curve-right 1,-1 r2")
    assert "return 1,0 N" in returns(game)
    then(game, "meeple N")
    assert (game.decider, game.phase) == (1, Phase.PLACE_TILE)


@pytest.mark.rule("PHA-07")
def test_fes_13_a_phantom_that_has_just_come_back_may_follow():
    tiles = [f"{START_LINE}: A phantom N"]
    game = played(tiles, PLACE, "to 0,0; return 0,0 N", rules="phantom: true")
    assert (game.phase, game.decider) == (Phase.SECOND, 0)
    assert offered(game, "phantom") == offered(played([START_LINE], PLACE), "meeple")


@pytest.mark.rule("BARN-09")
@pytest.mark.parametrize(
    ("action", "points"), [("pass", 8), ("to -1,0; return -1,0 NW", 0)], ids=["stays", "comes back"]
)
def test_xfs_01_a_barn_comes_back_before_the_end(action, points):
    tiles = by_cell(LAND, {"-1,0": "A barn NW"})
    game = played(tiles, AT_THE_ROAD, action, rules="barns: true", bag=())
    assert game.is_over
    assert game.scores == (points, 0)
    assert in_supply(game, "A", Figure.BARN) == (points == 0)


@pytest.mark.rule("FES-14")
def test_xfs_02_no_abbot_is_placed_beside_it():
    tiles = [f"{START_LINE}: A meeple N"]
    moves = "fe-monastery-curve-split 0,1 r0; to 0,0"
    game = played(tiles, moves)
    assert names(game) == {"return 0,0 N"}
    then(game, "return 0,0 N")
    assert (game.decider, abbots(game, "A"), figures(game)) == (1, 1, set())


@pytest.mark.rule("XW-02", "PHA-07")
def test_fes_13_a_second_figure_is_asked_for_where_a_builder_has_gone():
    table = Table("festival: true, phantom: true, builders: true", sets="base, festival")
    tiles = ["bg-cap-straight 0,0 r0: A builder E", "bg-straight 1,0 r0: A meeple E"]
    game = table.played(tiles, "fe-monastery-curve-split -1,0 r2", "to 1,0; return 1,0 E")
    assert (game.phase, game.position().has_extended, figures(game)) == (Phase.SECOND, True, set())
    reread(game)
    then(game, "pass")
    assert (game.decider, game.position().first_part) == (0, (-1, 0))
