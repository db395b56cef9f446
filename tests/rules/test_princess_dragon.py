"""PD, XPD: the dragon and its volcanoes, the fairy, princesses and magic portals."""

from __future__ import annotations

import numpy as np
import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, bag_of, figures, in_supply, meeples, names, offered, score_log
from .positions import RING, START_LINE, Table, reread, row, then
from .scenario import PORTAL, TILES, VOLCANO, play, stack, surrounded

pytestmark = pytest.mark.interpreted

ALL = "dragon: true, fairy: true, princesses: true, portals: true"
SETS = "base, princess"
TABLE = Table(ALL, sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

SHOWN = {
    what: {row["id"] for row in FACTS if row["set"] == "princess" and row.get(what)}
    for what in ("volcano", "dragon", "portal")
}


def flown(game):
    """Let the dragon fly on while it has only one way to go."""
    while game.phase == Phase.FLIGHT and len(names(game)) == 1:
        then(game, *names(game))
    return game


AWAKE = "[dragon -1,0]"
FLOWN = ("pd-straight-volcano 1,0 r0", "pd-straight-dragon 2,0 r0")
"""Tiles in the east: the dragon came to the volcano, and a flight may have taken it anywhere."""


def flight(length, headers=AWAKE, **options):
    """Start a flight from the volcano along a row of tiles that ends with a dragon tile."""
    figures_of = {k: v for k, v in options.items() if k[0] == "x"}
    others = {k: v for k, v in options.items() if k[0] != "x"}
    last = f"pd-straight-dragon {length},0 r0"
    return played([*row(length, **figures_of), VOLCANO], last, "pass", headers=headers, **others)


# --- The set ------------------------------------------------------------------------------------


@pytest.mark.rule("PD-02")
def test_pd_01_thirty_tiles_and_dragon_and_fairy_beside_the_board():
    game = Game(Rules.preset("princess-dragon"), seed=1)
    drawn = [tile for tile in bag_of(game) if tile in TILES["princess"]]
    assert (len(bag_of(game)), len(drawn)) == (101, 30)
    counts = {what: sum(tile in shown for tile in drawn) for what, shown in SHOWN.items()}
    assert counts == {"volcano": 6, "dragon": 12, "portal": 6}
    assert sum("princess" in tile for tile in drawn) == 6
    assert (game.position().dragon, game.position().fairy) == (None, None)


# --- The dragon ---------------------------------------------------------------------------------


@pytest.mark.rule("PD-05")
def test_pd_03_a_volcano_brings_the_dragon_and_takes_no_figure():
    game = played([f"{START_LINE}: A meeple E"], "pd-curve-volcano 1,0 r0", rules="builders: true")
    assert game.position().dragon == (1, 0)
    assert names(game) == {"pass", "to 0,0"}  # the fairy
    reread(game)


@pytest.mark.rule("XPD-02")
def test_pd_04_a_recall_and_a_barn_are_possible_on_a_volcano():
    tiles = [
        START_LINE,
        "bg-straight 1,0 r0",
        "bg-monastery 0,1 r0: A abbot mid",
        "bg-monastery 0,2 r0; bg-monastery 1,2 r0",
    ]
    game = played(tiles, "pd-volcano 1,1 r0", rules="barns: true")
    assert names(game) == {"pass", "recall", "to 0,1", "barn NW", "barn SW"}


def test_pd_07_no_dragon_tile_is_drawn_before_a_volcano_lies():
    first = ("pd-curve-dragon", "pd-junction-dragon", "pd-curve-volcano", "bg-curve")
    rules = Rules.preset("princess-dragon")
    game = Game(rules, draw=stack(rules, *first), seed=3)
    assert (game.tile_in_hand, game.n_tiles_left) == ("pd-curve-volcano", 100)
    plain = rules.replace(dragon_tiles_before_volcano="plain")
    assert Game(plain, draw=stack(plain, *first), seed=3).tile_in_hand == "pd-curve-dragon"
    n_early = 0
    for seed in range(30):
        drawn = bag_of(Game(rules, seed=seed))
        of_dragons = [k for k, tile in enumerate(drawn) if tile in SHOWN["dragon"]]
        of_volcanoes = [k for k, tile in enumerate(drawn) if tile in SHOWN["volcano"]]
        assert of_dragons[0] > of_volcanoes[0]
        drawn = bag_of(Game(plain, seed=seed))
        n_early += any(tile in SHOWN["dragon"] for tile in drawn[: drawn.index(min_of(drawn))])
    assert n_early > 10


def min_of(drawn):
    """Return the first volcano that is drawn."""
    return next(tile for tile in drawn if tile in SHOWN["volcano"])


def test_pd_07_played_plain_it_causes_no_flight():
    plain = "dragon_tiles_before_volcano: plain"
    game = played(row(2), "pd-straight-dragon 2,0 r0", "pass", rules=plain)
    assert game.phase == Phase.PLACE_TILE
    assert game.position().dragon is None


@pytest.mark.rule("PD-08", "PD-20", "W1T-06")
@pytest.mark.parametrize("n_players", [2, 3, 4, 6])
def test_pd_10_six_steps_by_all_players_in_turn(n_players):
    tiles = [*row(7), VOLCANO]
    game = played(tiles, "pd-straight-dragon 7,0 r0", headers=AWAKE, n_players=n_players)
    assert "E" in offered(game, "meeple")  # PD-08
    then(game, "pass")
    deciders = []
    for x in range(6):
        assert game.phase == Phase.FLIGHT
        assert names(game) == {f"dragon {x},0"}  # PD-11: it does not fly back
        deciders.append(game.decider)
        reread(game)
        then(game, f"dragon {x},0")
    assert deciders == [k % n_players for k in range(6)]
    assert game.phase == Phase.PLACE_TILE
    assert (game.position().dragon, game.position().flown) == ((5, 0), ())
    assert game.decider == 1


@pytest.mark.rule("W1T-06")
def test_pd_10_each_of_six_players_owns_a_step_and_may_turn_aside():
    tiles = [*row(7), VOLCANO, "bg-monastery 0,1 r0", "bg-monastery 1,1 r0"]
    game = played(tiles, "pd-straight-dragon 7,0 r0; pass", headers=AWAKE, n_players=6)
    then(game, "dragon 0,0")
    assert (game.decider, names(game)) == (1, {"dragon 1,0", "dragon 0,1"})
    then(game, "dragon 0,1; dragon 1,1; dragon 1,0")
    assert (game.decider, names(game)) == (4, {"dragon 2,0"})
    then(game, "dragon 2,0; dragon 3,0")
    assert game.position().dragon == (3, 0)


@pytest.mark.rule("PD-11", "PD-14")
def test_pd_13_without_a_step_the_flight_ends():
    game = flown(flight(2))
    assert game.position().dragon == (2, 0)
    assert game.phase == Phase.PLACE_TILE


@pytest.mark.rule("PD-33", "PD-40")
@pytest.mark.parametrize("beside", ["", " E"])
def test_pd_12_the_dragon_does_not_enter_the_cell_of_the_fairy(beside):
    headers = [AWAKE, f"[fairy 3,0{beside}]"]
    game = flown(flight(7, headers, x3="A meeple E, B meeple Es"))
    assert game.position().dragon == (2, 0)
    assert figures(game) == {"A meeple 3,0 E", "B meeple 3,0 Es"}


@pytest.mark.rule("PD-17", "PD-18", "TRA-06")
def test_pd_15_who_stands_on_an_entered_cell_goes_home():
    game = flown(flight(7, x2="A meeple E", x3="B meeple Es, B pig Es", x7="", rules="pigs: true"))
    assert figures(game) == set()
    assert game.scores == (0, 0)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


def test_pd_17_only_the_cell_matters():
    headers = [AWAKE, "[fairy 3,0]"]
    game = flown(flight(7, headers, x1="A meeple E", x5="A meeple E"))
    assert figures(game) == {"A meeple 5,0 E"}


@pytest.mark.rule("XW-02", "TRA-06")
def test_pd_19_a_builder_left_alone_goes_home_and_his_second_part_stays():
    headers = [AWAKE, "[fairy 3,0]"]
    figures_on = {"x1": "A meeple E", "x5": "A builder E"}
    game = flown(flight(7, headers, rules="builders: true", **figures_on))
    assert figures(game) == set()
    assert game.position().first_part == (7, 0)


@pytest.mark.rule("PD-16", "PD-17", "XW-04")
@pytest.mark.parametrize(("timing", "points"), [("before_scoring", 0), ("after_scoring", 4)])
def test_pd_09_the_dragon_flies_before_or_after_scoring(timing, points):
    tiles = [f"{START_LINE}: A meeple N", "pd-straight-volcano 1,0 r0"]
    game = played(
        tiles,
        "pd-cap-dragon-garden 0,-1 r2; pass; dragon 0,0",
        headers="[dragon 1,0]",
        rules=f"dragon_timing: {timing}",
    )
    flown(game)
    assert game.scores == (points, 0)
    assert figures(game) == set()


@pytest.mark.rule("ABT-10")
def test_xpd_10_a_recall_saves_the_abbot():
    tiles = [START_LINE, "bg-monastery 0,1 r0: A abbot mid", "pd-straight-volcano 1,0 r0"]
    game = played(tiles, "pd-straight-dragon 2,0 r0; recall", headers="[dragon 1,0]")
    assert game.scores == (3, 0)
    assert abbots(game, "A") == 1
    assert game.phase == Phase.FLIGHT


@pytest.mark.rule("PD-16")
def test_xpd_01_barns_stay():
    tiles = [
        START_LINE,
        "pd-straight-volcano 1,0 r0",
        "bg-monastery 0,1 r0",
        "bg-monastery 0,2 r0; bg-monastery 1,2 r0",
        "bg-monastery 1,1 r0: A barn SW, B meeple mid",
    ]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0; pass; dragon 1,1",
        headers="[dragon 1,0]",
        rules="barns: true",
    )
    assert figures(game) == {"A barn 1,1 SW"}


@pytest.mark.rule("PD-16", "XW-04")
def test_xpd_13_the_dragon_does_not_touch_a_lord():
    tiles = [
        f"{START_LINE}: A meeple N, B meeple E",
        "bg-cap 0,-1 r2",
        "pd-straight-volcano 1,0 r0",
    ]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0; pass; dragon 0,0",
        headers=["[dragon 1,0]", "[castles 0,0 N]", "[tokens 2:3]"],
        rules="castles: true",
    )
    assert figures(game) == {"A meeple 0,0 N"}


@pytest.mark.rule("HOUSE-03", "WAG-16")
@pytest.mark.parametrize("is_safe", [False, True])
def test_xpd_06_mayors_and_wagons_are_eaten(is_safe):
    rules = f"wagons: true, mayors: true, house_wagon_safe: {str(is_safe).lower()}"
    game = flown(flight(2, x0="", x1="B wagon E", rules=rules))
    assert in_supply(game, "B", Figure.WAGON) == (not is_safe)
    assert game.phase == Phase.PLACE_TILE


@pytest.mark.rule("PD-06")
def test_xw_09_no_wagon_moves_to_the_dragon():
    tiles = [f"{START_LINE}: A wagon N", *FLOWN, "bg-monastery 0,1 r0"]
    moves = "bg-cap 0,-1 r2; pass"
    free = played(tiles, moves, rules="wagons: true", headers="[dragon 2,0]")
    game = played(tiles, moves, rules="wagons: true", headers="[dragon 0,1]")
    assert names(free) - names(game) == {"wagon 0,1 mid"}


# --- The fairy ----------------------------------------------------------------------------------


@pytest.mark.rule("PD-32", "PD-41", "PD-43", "PD-44", "XPD-03", "ABT-09", "W1T-02")
def test_pd_30_the_fairy_moves_to_an_own_meeple_instead_of_a_figure():
    tiles = row(3, x0="A meeple N, B meeple Es", x1="A meeple E, A builder E", x2="A abbot")
    tiles[2] = "bg-straight 2,0 r0: A meeple Nw"
    game = played(tiles, "bg-straight 3,0 r0", rules="builders: true")
    assert {"to 0,0", "to 1,0", "to 2,0"} <= names(game)
    then(game, "to 1,0")
    assert game.phase == Phase.ELSEWHERE
    assert names(game) == {"fairy 1,0 E"}
    reread(game)
    then(game, "fairy 1,0 E")
    position = game.position()
    assert (position.fairy, position.fairy_beside.name) == ((1, 0), "E")
    assert game.decider == 0  # the builder's second part
    then(game, next(name for name in sorted(names(game)) if name != "pass"))
    assert "to 1,0" not in names(game)


@pytest.mark.rule("PD-35", "PD-32")
def test_pd_31_beside_a_meeple_or_on_a_tile():
    tiles = [f"{START_LINE}: A meeple N, A meeple E"]
    game = then(played(tiles, "bg-straight 1,0 r0"), "to 0,0")
    assert names(game) == {"fairy 0,0 N", "fairy 0,0 E"}
    on_tile = "fairy_placement: on_tile"
    game = then(played(tiles, "bg-straight 1,0 r0", rules=on_tile), "to 0,0")
    assert names(game) == {"fairy 0,0 N"}
    tiles.append("bg-straight -1,0 r0")
    game = played(tiles, "bg-straight 1,0 r0; pass", seat="B", rules=on_tile, headers="[fairy 0,0]")
    assert game.scores == (2, 0)


@pytest.mark.rule("W1T-03")
def test_pd_34_a_point_at_the_beginning_of_the_turn():
    tiles = [f"{START_LINE}: A meeple N", "bg-straight -1,0 r0"]
    game = played(tiles, "bg-straight 1,0 r0; pass", seat="B", headers="[fairy 0,0 N]")
    assert game.scores == (1, 0)
    assert score_log(game) == [("A", 1, Kind.FAIRY)]
    game = played(tiles, "bg-straight 1,0 r0; pass", headers="[fairy 0,0 N]")
    assert game.scores == (0, 0)


@pytest.mark.rule("PD-40")
def test_pd_36_three_points_with_a_scored_feature_majority_or_not():
    tiles = [f"{START_LINE}: A large N", "bg-span 0,-1 r0: B meeple N", "bg-straight 1,0 r0"]
    game = played(
        tiles, "bg-cap 0,-2 r2; pass", rules="large_meeples: true", headers="[fairy 0,-1 N]"
    )
    assert game.scores == (6, 3)
    position = game.position()
    assert (position.fairy, position.fairy_beside) == ((0, -1), None)


def test_pd_37_three_points_at_the_end():
    tiles = ["bg-cap-straight 0,0 r0: A meeple Es", "bg-straight 1,0 r0"]
    assert at_the_end(tiles, headers="[fairy 0,0 Es]") == (3, 0)


def test_pd_38_three_points_for_a_mayor_without_strength():
    game = played(
        [f"{START_LINE}: A mayor N", "bg-straight 1,0 r0"],
        "bg-cap 0,-1 r2; pass",
        rules="mayors: true",
        headers="[fairy 0,0 N]",
    )
    assert game.scores == (3, 0)


@pytest.mark.rule("PD-39", "CAS-41")
@pytest.mark.parametrize(("allowed", "points"), [("true", 6), ("false", 3)])
def test_xpd_14_the_fairy_and_a_castle(allowed, points):
    tiles = ["bg-cap-straight 0,0 r0: A meeple N", "bg-cap 0,-1 r2", "bg-monastery-road 1,0 r0"]
    options = {
        "headers": ["[castles 0,0 N]", "[tokens 2:3]", "[fairy 0,0 N]"],
        "rules": f"castles: true, fairy_in_castle: {allowed}",
    }
    game = played(tiles, "bg-monastery-road -1,0 r2; pass", **options)
    assert game.scores == (points, 0)
    assert at_the_end(tiles, **options) == (0, 0)  # PD-39
    headers = options["headers"][:2]
    free = played(tiles, "bg-straight -1,0 r0", rules=options["rules"], headers=headers)
    assert ("to 0,0" in names(free)) == (allowed == "true")


@pytest.mark.rule("ABT-12", "PD-45")
def test_xpd_11_no_fairy_points_for_a_recall():
    tiles = [START_LINE, "bg-monastery 0,1 r0: A abbot mid", "bg-cap 0,-1 r2"]
    game = played(tiles, "bg-straight 1,0 r0; recall", headers="[fairy 0,1 mid]")
    assert game.scores == (3, 0)


# --- Princesses ---------------------------------------------------------------------------------


@pytest.mark.rule("PD-52", "PD-55", "PD-56", "PD-57", "XPD-08")
def test_pd_50_a_knight_is_sent_home_instead_of_the_figure_action():
    tiles = [f"{START_LINE}: B meeple N", "bg-monastery 0,1 r0: A abbot mid"]
    game = played(tiles, "pd-cap-junction-princess 0,-1 r2")
    assert {"to 0,0", "recall", "pass", "meeple N"} <= names(game)
    then(game, "to 0,0")
    assert names(game) == {"remove 0,0 N"}
    reread(game)
    then(game, "remove 0,0 N")
    assert (game.decider, game.phase) == (1, Phase.PLACE_TILE)
    assert meeples(game, "B") == 7
    assert game.scores == (0, 0)


def test_pd_51_a_princess_may_or_must():
    tiles = [f"{START_LINE}: A meeple N"]
    game = played(tiles, "pd-cap-junction-princess 0,-1 r2", rules="princess_action: must")
    assert names(game) == {"to 0,0"}
    then(game, "to 0,0")
    assert names(game) == {"remove 0,0 N"}  # the fairy is not offered


def test_pd_53_in_an_empty_city_a_knight_may_be_placed():
    game = played([START_LINE], "pd-cap-junction-princess 0,-1 r2", rules="princess_action: must")
    assert "S" in offered(game, "meeple")
    assert not any(name.startswith("to ") for name in names(game))


def test_pd_54_only_the_city_of_the_princess_counts():
    tiles = [f"{START_LINE}: B meeple N"]
    tile = "pd-corner-shield-and-cap-long-princess 0,-1"
    assert "to 0,0" in names(played(tiles, f"{tile} r2"))
    assert "to 0,0" not in names(played(tiles, f"{tile} r0"))


@pytest.mark.rule("PD-60", "XPD-07", "TRA-06", "WAG-16")
def test_pd_59_a_builder_goes_with_the_last_knight_and_a_wagon_does_not_move():
    tiles = [f"{START_LINE}: B wagon N", "bg-span 0,-1 r0: B builder N"]
    rules = "builders: true, wagons: true, mayors: true"
    game = played(tiles, "pd-cap-junction-princess 0,-2 r2; to 0,0; remove 0,0 N", rules=rules)
    assert figures(game) == set()
    assert (game.decider, game.phase) == (1, Phase.PLACE_TILE)


@pytest.mark.rule("ABT-09", "ABT-21", "PD-55")
@pytest.mark.interpreted
def test_xpd_08_a_princess_bars_the_abbot_in_her_part_of_a_turn_alone():
    tiles = [f"{START_LINE}: A meeple N, A builder N", "bg-monastery 0,1 r0: A abbot mid"]
    bag = ("bg-monastery", "bg-curve", "bg-curve")
    game = played(tiles, "pd-corner-princess-garden 0,-1 r1", rules="builders: true", bag=bag)
    assert "recall" in names(game)
    then(game, "to 0,0", "remove 0,0 N")
    assert (game.phase, game.turn_player) == (Phase.PLACE_TILE, 0)
    then(game, "bg-monastery -1,1 r0")
    assert {"recall", "meeple mid"} <= names(game)


def test_pd_58_an_emptied_town_becomes_no_castle():
    tiles = [f"{START_LINE}: B meeple N"]
    moves = "pd-cap-junction-princess 0,-1 r2"
    game = played(tiles, moves, "pass", rules="castles: true")
    assert game.phase == Phase.CASTLE
    game = played(tiles, moves, "to 0,0; remove 0,0 N", rules="castles: true")
    assert game.phase == Phase.PLACE_TILE


# --- Portals ------------------------------------------------------------------------------------


@pytest.mark.rule("PD-66", "PD-68", "PD-69", "PD-74")
def test_pd_65_a_meeple_goes_to_another_tile():
    game = played([START_LINE, "bg-monastery 0,1 r0"], PORTAL)
    assert {"to 0,0", "to 0,1"} <= names(game)
    then(game, "to 0,0")
    assert game.phase == Phase.ELSEWHERE
    assert names(game) == {"meeple N", "meeple E", "meeple En", "meeple Es"}
    reread(game)
    then(game, "meeple N")
    assert figures(game) == {"A meeple 0,0 N"}
    assert game.scores == (0, 0)


@pytest.mark.rule("BASE-08")
def test_pd_66_only_unfinished_features_elsewhere():
    tiles = [START_LINE, "bg-cap 0,-1 r2"]
    assert "meeple N" not in names(then(played(tiles, PORTAL), "to 0,0"))
    game = played([START_LINE], "pd-cap-curve-left-portal 0,-1 r2")
    assert "S" in offered(game, "meeple")


def test_pd_06_a_portal_does_not_lead_to_the_dragon():
    tiles = [START_LINE, "bg-monastery 0,1 r0", *FLOWN]
    game = played(tiles, PORTAL, headers="[dragon 0,1]")
    assert "to 0,1" not in names(game)


@pytest.mark.rule("PD-73", "XPD-04", "XPD-05", "XPD-09")
def test_pd_67_each_kind_of_meeple_where_it_may_stand_and_no_other_figure():
    rules = "builders: true, pigs: true, barns: true, mayors: true, wagons: true"
    tiles = [f"{START_LINE}: A meeple Es", "bg-monastery 0,1 r0"]
    game = played(tiles, PORTAL, rules=rules)
    kinds = {name.split()[0] for name in names(then(game.clone(), "to 0,0"))}
    assert kinds == {"meeple", "mayor", "wagon", "fairy"}
    assert names(then(game, "to 0,1")) == {"meeple mid", "abbot mid", "wagon mid"}


@pytest.mark.rule("W1T-03")
def test_pd_72_each_part_of_a_turn_has_its_own_portal():
    tiles = [f"{START_LINE}: A meeple E", "bg-straight 1,0 r0: A builder E"]
    game = played(tiles, PORTAL, "to 0,0; meeple N", rules="builders: true")
    assert game.position().first_part == (-1, 0)
    game = played(
        tiles,
        "bg-straight 2,0 r0; pass; pd-cap-curve-left-portal -1,0 r2",
        rules="builders: true",
        bag=("pd-cap-curve-left-portal",),
    )
    assert any(name.startswith("to ") for name in names(game))


@pytest.mark.rule("PD-14")
def test_xw_10_the_dragon_enters_an_abbey():
    tiles = [
        *(START_LINE, "pd-straight-volcano 1,0 r0", "bg-curve -1,0 r3", "bg-straight -1,1 r1"),
        *("bg-straight 0,2 r0", "bg-straight 1,2 r0", "bg-monastery 1,1 r0"),
        "am-abbey 0,1 r0: B meeple mid",
    ]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0; pass; dragon 0,0; dragon 0,1",
        headers=["[dragon 1,0]", "[abbeys 1:0]"],
        rules="abbeys: true",
    )
    assert figures(game) == set()


# --- With other sets ----------------------------------------------------------------------------

BLOCK = (
    START_LINE,
    "pd-straight-volcano 1,0 r0; pd-junction-dragon -1,0 r0",
    "bg-monastery 0,2 r0; bg-monastery 1,2 r0",
)
"""Tiles around (1, 1) and (0, 1), with fields towards them. The dragon has left its volcano."""


@pytest.mark.rule("XPD-01")
def test_pd_21_nobody_is_eaten_where_the_flight_begins():
    tiles = [*BLOCK, "bg-monastery 0,1 r0", "bg-monastery 1,1 r0: A barn SW"]
    headers, rules = "[dragon 1,1]", "barns: true"
    game = played(tiles, "pd-straight-dragon 2,0 r0; pass", headers=headers, rules=rules)
    assert game.phase == Phase.FLIGHT
    assert figures(game) == {"A barn 1,1 SW"}


@pytest.mark.rule("BASE-05")
def test_pd_23_a_dragon_tile_put_aside_causes_no_flight():
    tiles = [START_LINE, "bg-cap 0,-1 r2", "pd-road-end-volcano 1,0 r0"]
    game = played(
        tiles,
        "bg-monastery-road -1,0 r2; pass",
        headers="[dragon 1,0]",
        bag=("pd-span-tunnel-dragon", "bg-curve"),
    )
    assert (game.phase, game.tile_in_hand) == (Phase.PLACE_TILE, "bg-curve")
    assert "pd-span-tunnel-dragon" in game.position().aside
    assert game.position().dragon == (1, 0)


def test_pd_70_no_portal_leads_into_a_castle():
    tiles = [f"{START_LINE}: B meeple N", "bg-cap 0,-1 r2"]
    headers = ["[castles 0,0 N]", "[tokens 3:2]"]
    game = then(played(tiles, PORTAL, headers=headers, rules="castles: true"), "to 0,0")
    assert "meeple N" not in names(game)


@pytest.mark.rule("GAR-06", "PD-45")
def test_xpd_12_a_garden_that_is_completed_brings_the_fairy_points():
    rules = f"{ALL}, sets: [base, princess]"
    text = surrounded("garden", 7, "A abbot mid", turn="A places bg-straight", rules=rules)
    text = text.replace("[turn", "[fairy 0,1 mid]\n[turn")
    assert play(text, "bg-straight 1,2 r0", "pass").scores == (12, 0)


@pytest.mark.rule("W1T-01")
def test_xw_03_a_farmer_who_was_eaten_gets_nothing_from_a_barn():
    tiles = [*BLOCK, "bg-monastery 0,1 r0: B meeple Nw", "bg-straight 2,0 r0", "bg-cap 2,1 r3"]
    game = played(
        tiles,
        "pd-cap-dragon-garden 1,1 r1; barn SW; dragon 0,1",
        headers="[dragon 0,2]",
        rules="barns: true",
    )
    while game.phase == Phase.FLIGHT:
        then(game, min(names(game)))
    assert figures(game) == {"A barn 1,1 SW"}
    assert game.scores == (0, 0)


def test_xw_08_a_meeple_on_a_bridge_is_eaten():
    tiles = [START_LINE, "pd-curve-volcano 1,0 r0", "bg-monastery 1,1 r0 bridge NS: B meeple N"]
    game = played(
        tiles,
        "pd-cap-dragon-garden 2,0 r0; pass; dragon 1,1",
        headers=["[dragon 1,0]", "[bridges 2:3]"],
        rules="bridges: true",
    )
    assert figures(game) == set()


@pytest.mark.rule("PD-57", "TRA-01")
def test_xw_01_the_placer_gets_goods_of_a_city_that_was_emptied():
    tiles = [f"{START_LINE}: B meeple N", "tb-span-wine-gate 0,-1 r0"]
    game = played(
        tiles,
        "pd-cap-junction-princess 0,-2 r2; to 0,0; remove 0,0 N",
        sets="base, traders, princess",
        rules="goods: true",
    )
    assert game.scores == (0, 0)
    assert game.position().goods[0] == (1, 0, 0)


@pytest.mark.rule("BAZ-15")
def test_w1t_04_who_places_a_bought_tile_moves_the_dragon_first():
    game = played(
        [*row(7), "pd-volcano 0,1 r0", "bcb-road-bazaar-inn -1,0 r2"],
        "pd-straight-dragon 7,0 r0; pass",
        seat="B",
        headers=["[dragon 0,1]", "[bought]", "[bazaar A: bg-curve A]"],
        sets="base, bridges, princess",
        rules="bazaars: true",
    )
    assert (game.phase, game.decider) == (Phase.FLIGHT, 1)


def test_w1t_05_an_abbey_causes_no_flight():
    tiles = [tile.replace("bg-straight 1,0", "pd-straight-volcano 1,0") for tile in RING]
    game = played(
        tiles,
        "am-abbey 0,1 r0; pass",
        turn="A begins",
        headers=["[dragon 1,0]", "[last round 1]", "[abbeys 1:1]"],
        rules="abbeys: true",
        sets="base, abbey, princess",
        bag=(),
    )
    assert game.phase == Phase.GAME_OVER


@pytest.mark.rule("HS-02")
def test_pd_07_what_went_under_a_hill_before_the_first_volcano_is_no_dragon_tile():
    bag = ("bg-monastery", "pd-straight-volcano", "hs-straight-split-hill", "bg-curve")
    bag += ("bg-cap", "pd-curve-dragon", "pd-junction-dragon", "bg-cap", "bg-curve")
    game = played(
        [START_LINE],
        "hs-cap-curve-left-hill 1,0 r0; pass; pd-straight-volcano -1,0 r0; pass",
        "hs-straight-split-hill -2,0 r0; pass",
        rules="hills: true",
        sets="base, hills, princess",
        bag=bag,
    )
    under_hills = set()
    for seed in range(60):
        again = game.clone()
        again.reshuffle(seed)
        under_hills.add(again.position().hidden)
        assert again.legal_actions() == game.legal_actions()
        for name, seen in again.observe().items():
            assert np.array_equal(seen, game.observe()[name])
    early, late = (set(tiles) for tiles in zip(*under_hills, strict=True))
    assert early == {"bg-monastery", "bg-curve", "bg-cap"}
    assert late == early | {"pd-curve-dragon", "pd-junction-dragon"}


FLOCKS = {"rules": "shepherds: true", "sets": "base, hills, princess"}


@pytest.mark.rule("HS-28", "PD-15", "W1T-01")
def test_hs_38_the_flight_comes_behind_the_flock():
    headers = [AWAKE, "[sheep A 2]"]
    moves = "pd-straight-dragon 3,0 r0; pass"
    tiles = [*row(3, x1="A shepherd Nw"), VOLCANO]
    game = played(tiles, moves, headers=headers, **FLOCKS)
    assert game.phase == Phase.FLOCK
    herded = then(game.clone(), "herd")
    assert (herded.phase, herded.scores, figures(herded)) == (Phase.FLIGHT, (2, 0), set())
    assert in_supply(herded, "A", Figure.SHEPHERD) == 1
    then(game, "grow draws 1")
    assert game.phase == Phase.FLIGHT
    then(game, "dragon 0,0; dragon 1,0")
    assert (figures(game), game.position().sheep, game.scores) == (set(), ((), ()), (0, 0))
    assert in_supply(game, "A", Figure.SHEPHERD) == 1


@pytest.mark.rule("PD-67")
def test_hs_28_no_shepherd_goes_through_a_portal():
    game = played([START_LINE, "bg-monastery 0,1 r0"], PORTAL, **FLOCKS)
    assert offered(game, "shepherd")
    for cell in ("0,0", "0,1"):
        assert not offered(then(game.clone(), f"to {cell}"), "shepherd")


@pytest.mark.rule("XPD-11", "XPD-12")
@pytest.mark.parametrize(("recall", "points"), [("forbid", 12), ("allow", 9)])
def test_abt_14_nine_points_with_the_fairy_or_a_recall_without_her(recall, points):
    rules = f"{ALL}, sets: [base, princess], abbot_recall_completed: {recall}"
    text = surrounded("garden", 7, "A abbot mid", turn="A places bg-straight", rules=rules)
    text = text.replace("[turn", "[fairy 0,1 mid]\n[turn")
    game = play(text, "bg-straight 1,2 r0", "pass" if recall == "forbid" else "recall")
    assert game.scores == (points, 0)
