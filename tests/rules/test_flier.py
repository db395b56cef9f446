"""FLY: flying machines, which carry meeples onto other tiles, and meeples that share a place."""

from __future__ import annotations

import zlib
from collections import Counter
from typing import Any

import pytest

from carc_env.engine import entry
from carc_env.engine.core.codes import Figure, Kind, Outcome, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.game.records import format_record, load_record
from carc_env.rules import Rules
from carc_env.words import NotationError

from .looks import abbots, asked, bag_of, figures, in_supply, meeples, names, offered, score_log
from .positions import RING, START_LINE, Table, carcassonne, reread, then
from .scenario import TILES

pytestmark = pytest.mark.interpreted

SETS = "base, flier"
TABLE = Table("flier: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end
ALL_KINDS = Table(
    "flier: true, large_meeples: true, mayors: true, wagons: true, phantom: true, builders: true, "
    "pigs: true, barns: true, shepherds: true",
    sets="base, flier, hills",
)
ABBEY = Table("flier: true, mayors: true", sets=SETS)
PHANTOM = Table("flier: true, phantom: true", sets=SETS)

EAST = "fl-straight-e -1,0 r0"
"""A machine beside the start tile; it flies along the start tile's road."""


SOUTH = ("bg-straight 0,1 r0", "bg-straight -1,1 r0", "bg-straight -2,1 r0")
"""Tiles that lead around the machine to the cell west of it."""


def row(*guests: str) -> list[str]:
    """Return three tiles east of the machine: city and road, road, monastery at the road's end."""
    tiles = (START_LINE, "bg-straight 1,0 r0", "bg-monastery-road 2,0 r0")
    there = [*guests, *[""] * (len(tiles) - len(guests))]
    return [f"{tile}: {guest}" for tile, guest in zip(tiles, there, strict=True)]


def flown(kind: str, rolls: int, *guests: str, table: Table = TABLE, **options: Any) -> Game:
    """Let A fly to the east with the given roll."""
    return table.played(row(*guests), EAST, f"fly {kind} rolls {rolls}", **options)


def has_come_home(game: Game, kind: Figure = Figure.MEEPLE, n: int = 7) -> bool:
    """Return whether it is B's turn and A has all figures of a kind in supply."""
    return (asked(game), in_supply(game, "A", kind)) == ("B PLACE_TILE", n)


@pytest.mark.rule("GAR-08")
def test_fly_01_eight_tiles_and_a_die():
    rows = [tile for tile in FACTS if tile["set"] == "flier"]
    assert {tile["id"] for tile in rows} == set(TILES["flier"])
    for edition in ("C1", "C2"):
        there = [tile for tile in rows if tile["n"][edition]]
        assert (len(there), sum(len(tile["flier"]) == 1 for tile in there)) == (8, 5)
        assert sum(tile.get("garden", False) for tile in there) == (edition == "C2")
    for edition in ("C2", "C1"):
        rules = Rules.preset("flier", edition=edition, abbot=edition == "C2")
        assert len(bag_of(Game(rules))) + 1 == 72 + 8
    game = Game(Rules.preset("flier"))
    distances = (Outcome.ONE_CELL, Outcome.TWO_CELLS, Outcome.THREE_CELLS)
    assert [entry.n_chances(game._states, 0, outcome) for outcome in distances] == [1, 1, 1]


STEPS = {"N": (0, -1), "NE": (1, -1), "E": (1, 0), "SE": (1, 1)}
STEPS |= {"S": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1)}


@pytest.mark.parametrize(
    ("tile", "directions"), [("fl-field-n", "N E S W"), ("fl-field-ne-garden", "NE SE SW NW")]
)
def test_fly_02_the_direction_turns_with_the_tile(tile, directions):
    for rotation, direction in enumerate(directions.split()):
        dx, dy = STEPS[direction]
        game = played(RING, f"{tile} 0,1 r{rotation}", "fly meeple rolls 1")
        assert (asked(game), game.position().chosen_cell) == ("A LANDING", (dx, 1 + dy))


@pytest.mark.parametrize(
    ("beside", "machine", "cell"),
    [
        ((), "fl-straight-e -1,0 r0", (0, 0)),
        ((), "fl-straight-n 0,1 r0", (0, 0)),
        (("bg-straight 0,1 r0",), "fl-straight-se -1,0 r0", (0, 1)),
        (("bg-crossroads -1,0 r0",), "fl-curve-s -1,-1 r0", (-1, 0)),
        ((), "fl-curve-w 1,0 r0", (0, 0)),
        (("bg-straight 1,0 r0", "bg-monastery-road 2,0 r0"), "fl-curve-ne 1,1 r0", (2, 0)),
    ],
)
def test_fly_02_as_it_is_printed(beside, machine, cell):
    game = played([START_LINE, *beside], machine, "fly meeple rolls 1")
    assert (asked(game), game.position().chosen_cell) == ("A LANDING", cell)


def test_fly_03_a_meeple_boards_instead_of_going_onto_the_tile():
    game = played(row(), EAST)
    assert names(reread(game)) >= {"fly meeple", "fly abbot", "meeple E", "meeple Nw", "pass"}
    then(game, "meeple E")
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("ABT-09")
def test_fly_03_a_flight_is_the_figure_action():
    game = played(row("", "", "A abbot mid"), EAST)
    assert {"recall", "fly meeple"} <= names(game)
    then(game, "fly meeple rolls 1; meeple N")
    assert (asked(game), figures(game)) == ("B PLACE_TILE", {"A abbot 2,0 mid", "A meeple 0,0 N"})


@pytest.mark.rule("SET-06")
def test_fly_03_without_the_switch_nobody_flies():
    with pytest.warns(UserWarning, match="flier=True has no effect"):
        Rules(flier=True)
    game = Table(sets=SETS).played(row(), EAST)
    assert not any(name.startswith("fly") for name in names(game))


@pytest.mark.parametrize(
    ("rolls", "places"),
    [(1, {"meeple N", "meeple E"}), (2, {"meeple E"}), (3, {"meeple W", "meeple mid"})],
)
def test_fly_04_it_flies_as_far_as_the_die_says(rolls, places):
    game = flown("meeple", rolls)
    assert (asked(game), names(reread(game))) == ("A LANDING", places)
    assert game.position().chosen_cell == (rolls - 1, 0)
    assert game.moves[-1].token == rolls


def test_fly_04_diagonally_too():
    tiles = [*row(), "bg-straight 1,1 r0", "bg-straight 1,2 r0", "bg-straight 0,2 r0"]
    game = played(tiles, "fl-straight-se -1,0 r0", "fly meeple rolls 2", "meeple E")
    assert figures(game) == {"A meeple 1,2 E"}


def test_fly_05_empty_cells_count():
    tiles = [*row(), "bg-straight 1,1 r0", "bg-straight 1,2 r0"]
    machine = "fl-straight-se -1,0 r0"
    assert has_come_home(played(tiles, machine, "fly meeple rolls 1"))
    assert names(played(tiles, machine, "fly meeple rolls 2")) == {"meeple E"}


@pytest.mark.rule("ABT-04")
def test_fly_06_it_may_land_where_others_stand_and_shares_at_once():
    game = flown("meeple", 1, "B meeple N")
    assert game.standings == (0, 1)
    then(game, "meeple N")
    assert figures(game) == {"A meeple 0,0 N", "B meeple 0,0 N"}
    assert game.standings == (1, 1)
    reread(game)


def test_fly_06_in_the_end_both_score():
    game = flown("meeple", 1, "B meeple N", bag=("bg-cap", "bg-curve"))
    then(game, "meeple N; bg-cap 0,-1 r2; pass")
    assert sorted(score_log(game)) == [("A", 4, Kind.CITY), ("B", 4, Kind.CITY)]
    assert (game.scores, figures(game)) == ((4, 4), set())


@pytest.mark.rule("FLY-13", "INN-01")
def test_fly_06_a_large_meeple_wins_where_a_normal_one_stands():
    game = flown("large", 1, "B meeple N", table=ALL_KINDS)
    then(game, "large N")
    assert game.standings == (1, 0)


@pytest.mark.rule("FLY-08")
def test_fly_07_it_never_lands_on_a_field():
    tiles = [START_LINE, "fl-field-ne-garden 0,1 r0"]
    assert has_come_home(played(tiles, "fl-field-n 0,2 r0", "fly meeple rolls 1"))
    game = played(tiles, "fl-field-n 0,2 r0", "fly abbot rolls 1")
    assert names(game) == {"abbot mid"}


def test_fly_08_without_a_tile_or_a_place_it_comes_home_and_the_action_is_used_up():
    short = [START_LINE, "bg-straight 1,0 r0"]
    game = played(short, EAST, "fly meeple rolls 3")
    assert has_come_home(game)
    assert (figures(game), game.scores) == (set(), (0, 0))
    assert has_come_home(flown("abbot", 1), Figure.ABBOT, 1)


def test_fly_09_who_can_land_must_or_under_the_switch_may():
    assert "pass" not in names(flown("meeple", 1))
    game = flown("meeple", 1, rules="flier_landing: may")
    assert names(reread(game)) == {"meeple N", "meeple E", "pass"}
    assert has_come_home(then(game, "pass"))


def test_fly_10_machine_and_figure_stay_chosen():
    game = flown("large", 1, table=ALL_KINDS)
    assert names(game) == {"large N", "large E"}
    assert in_supply(game, "A", Figure.LARGE) == 1
    then(game, "large E")
    assert in_supply(game, "A", Figure.LARGE) == 0


def test_fly_11_what_this_tile_completes_is_complete():
    tiles = [*row(), *SOUTH, "bg-monastery-road -2,0 r2: B meeple E"]
    assert names(played(tiles, EAST, "fly meeple rolls 1")) == {"meeple N"}
    game = played(tiles, EAST, "fly meeple rolls 2")
    assert has_come_home(game)
    assert score_log(game) == [("B", 5, Kind.ROAD)]


def test_fly_12_meeples_of_all_kinds_fly_and_nobody_else():
    kinds = {"meeple", "large", "abbot", "mayor", "wagon", "phantom"}
    game = ALL_KINDS.played(row(), EAST)
    assert offered(game, "fly") == kinds
    assert "shepherd Nw" in names(game)
    basic = ALL_KINDS.played(row(), EAST, rules="flier_figures: basic")
    assert offered(basic, "fly") == {"meeple", "large"}


@pytest.mark.rule("XFL-01")
def test_fly_12_a_mayor_lands_in_cities_alone():
    assert names(flown("mayor", 1, table=ABBEY)) == {"mayor N"}
    assert has_come_home(flown("mayor", 2, table=ABBEY), Figure.MAYOR, 1)


@pytest.mark.rule("XFL-02", "ABT-03")
def test_fly_12_an_abbot_lands_on_monasteries_and_gardens_alone():
    assert names(flown("abbot", 3)) == {"abbot mid"}
    assert has_come_home(flown("abbot", 2), Figure.ABBOT, 1)


@pytest.mark.rule("WAG-02")
def test_fly_13_a_wagon_lands_on_roads_cities_and_monasteries():
    assert names(flown("wagon", 1, "B meeple E", table=ALL_KINDS)) == {"wagon N", "wagon E"}
    game = flown("wagon", 3, "B meeple E", table=ALL_KINDS)
    assert names(game) == {"wagon W", "wagon mid"}
    assert figures(then(game, "wagon W")) == {"B meeple 0,0 E", "A wagon 2,0 W"}


COUNT = Table("flier: true", sets="base, flier, count")


@pytest.mark.rule("COU-23")
def test_fly_14_the_rim_of_carcassonne_is_a_place_its_inside_is_none():
    game = COUNT.played(carcassonne(), "fl-straight-e -3,-1 r0", "fly meeple rolls 1")
    assert (game.position().chosen_cell, names(game)) == ((-2, -1), {"meeple W"})
    game = COUNT.played(carcassonne(), "fl-field-n -3,0 r1", "fly meeple rolls 2")
    assert has_come_home(game)


DRAGON = Table("flier: true, dragon: true", sets="base, flier, princess")


@pytest.mark.rule("PD-06")
def test_fly_15_not_where_the_dragon_is():
    tiles = [START_LINE, "bg-straight 1,0 r0", "pd-road-end-volcano 2,0 r0"]
    asleep = DRAGON.played(tiles[:2], EAST, "fly meeple rolls 2")
    assert names(asleep) == {"meeple E"}
    game = DRAGON.played(tiles, EAST, "fly meeple rolls 2", headers="[dragon 2,0]")
    assert names(game) == {"meeple E"}
    game = DRAGON.played(tiles, EAST, "fly meeple rolls 3", headers="[dragon 2,0]")
    assert has_come_home(game)


@pytest.mark.rule("TOW-18")
def test_fly_15_not_on_a_tower():
    table = Table("flier: true, towers: true", sets="base, flier, tower")
    headers = ["[floors 8:10]", "[towers 0,1 2]"]
    tiles = [START_LINE, "to-field-garden 0,1 r0", "bg-straight 1,0 r0"]
    game = table.played(tiles, "fl-field-n 0,2 r0", "fly meeple rolls 1", headers=headers)
    assert has_come_home(game)
    game = table.played(tiles, "fl-field-n 0,2 r0", "fly abbot rolls 1", headers=headers)
    assert names(game) == {"abbot mid"}


@pytest.mark.rule("CAS-07")
def test_fly_15_not_in_a_castle():
    table = Table("flier: true, castles: true", sets=SETS)
    tiles = [*row("B meeple N"), "bg-cap 0,-1 r2"]
    headers = ["[castles 0,0 N]", "[tokens 3:2]"]
    game = table.played(tiles, EAST, "fly meeple rolls 1", headers=headers)
    assert names(game) == {"meeple E"}


@pytest.mark.rule("PHA-10", "W2T-02")
def test_fly_16_after_the_flight_the_phantom_goes_onto_the_tile_alone():
    game = flown("meeple", 1, table=PHANTOM)
    assert game.position().used == "machine"
    then(reread(game), "meeple N")
    then(game, "meeple N")
    assert asked(game) == "A SECOND"
    assert names(reread(game)) == {"phantom E", "phantom Nw", "phantom Es", "pass"}
    then(game, "phantom E")
    assert figures(game) == {"A meeple 0,0 N", "A phantom -1,0 E"}


@pytest.mark.rule("FLY-08")
def test_fly_16_nor_after_a_flight_that_failed():
    tiles = [START_LINE, "bg-straight 1,0 r0"]
    game = PHANTOM.played(tiles, EAST, "fly meeple rolls 3")
    assert asked(game) == "A SECOND"
    assert offered(game, "phantom") and not offered(game, "fly")
    game = PHANTOM.played(tiles, EAST, "fly phantom rolls 3")
    assert asked(game) == "A SECOND"  # the phantom is in hand again (PHA-04)
    assert offered(game, "phantom") and not offered(game, "fly")


@pytest.mark.rule("FLY-16")
def test_pha_10_the_phantom_may_fly_as_second_figure():
    game = PHANTOM.played(row("B meeple N"), EAST, "meeple E")
    assert "fly phantom" in names(reread(game)) and "fly meeple" not in names(game)
    then(game, "fly phantom rolls 1")
    assert (asked(game), game.position().used) == ("A LANDING", None)
    assert names(reread(game)) == {"phantom N", "phantom E"}
    then(game, "phantom N")
    assert "A phantom 0,0 N" in figures(game)
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("FLY-08")
def test_pha_10_or_fail():
    game = PHANTOM.played([START_LINE, "bg-straight 1,0 r0"], EAST, "pass", "fly phantom rolls 3")
    assert has_come_home(game, Figure.PHANTOM, 1)


@pytest.mark.rule("PHA-04")
def test_fly_16_a_phantom_that_has_landed_is_followed_by_nobody():
    game = then(flown("phantom", 1, table=PHANTOM), "phantom N")
    assert asked(game) == "B PLACE_TILE"


def test_fly_17_nobody_stays_on_the_machine():
    game = then(flown("meeple", 2), "meeple E")
    assert figures(game) == {"A meeple 1,0 E"}
    board = game.position().figures
    assert [(figure.x, figure.y) for figure in board] == [(1, 0)]


def test_fly_18_without_a_meeple_in_hand_the_machine_is_not_offered():
    farmers = ", ".join(["A meeple Es"] * 7)
    game = played(row(f"{farmers}, B meeple N", "", "A abbot mid"), EAST)
    assert not offered(game, "fly")
    game = played(row(f"{farmers}, B meeple N"), EAST)
    assert offered(game, "fly") == {"abbot"}


@pytest.mark.rule("BRI-07")
def test_fly_20_a_bridge_is_a_road_like_any_other():
    table = Table("flier: true, bridges: true", sets=SETS)
    tiles = [START_LINE, "bg-straight 1,0 r0 bridge NS", "bg-monastery-road 2,0 r0"]
    headers = "[bridges 2:3]"
    game = table.played(tiles, EAST, "fly meeple rolls 2", headers=headers)
    assert names(game) == {"meeple N", "meeple E"}
    assert figures(then(game, "meeple N")) == {"A meeple 1,0 N"}


HILLS = Table("flier: true, hills: true", sets="base, flier, hills")


@pytest.mark.rule("HS-03")
def test_fly_21_who_lands_on_a_hill_breaks_ties():
    tiles = ["bg-cap-straight 0,0 r0: B meeple N", "hs-corner-hill 0,-1 r1"]
    bag = ("bg-cap", "bg-curve", "bg-curve")
    game = HILLS.played(
        tiles, "fl-straight-n 0,1 r0", "fly meeple rolls 2", headers="[hidden ?]", bag=bag
    )
    then(game, "meeple E; bg-cap 1,-1 r3; pass")
    assert score_log(game) == [("A", 6, Kind.CITY)]


@pytest.mark.rule("TRA-05", "TRA-07")
def test_fly_21_a_builder_may_follow_where_it_has_landed():
    table = Table("flier: true, builders: true", sets=SETS)
    bag = ("bg-cap", "bg-junction", "bg-curve")
    game = then(flown("meeple", 1, table=table, bag=bag), "meeple E; bg-cap 0,-1 r2; pass")
    then(game, "bg-junction -2,0 r0")
    assert "builder E" in names(game)


@pytest.mark.rule("XFL-03", "ABT-04", "GAR-01")
def test_fly_22_two_abbots_in_one_garden():
    tiles = [START_LINE, "fl-field-ne-garden 0,1 r0: B abbot mid"]
    game = played(tiles, "fl-field-n 0,2 r0", "fly abbot rolls 1; abbot mid")
    assert figures(game) == {"A abbot 0,1 mid", "B abbot 0,1 mid"}
    assert game.standings == (3, 3)
    reread(game)


@pytest.mark.rule("XFL-04", "ABT-11", "ABT-17")
def test_fly_22_each_abbot_is_recalled_by_itself():
    tiles = [START_LINE, "fl-field-ne-garden 0,1 r0: B abbot mid"]
    game = played(tiles, "fl-field-n 0,2 r0", "fly abbot rolls 1; abbot mid", bag=("bg-cap",) * 3)
    then(game, "bg-cap -1,1 r0" if "bg-cap -1,1 r0" in names(game) else "bg-cap 0,-1 r2; recall")
    if game.phase == Phase.FIGURE:
        then(game, "recall")
    assert [kind for _, _, kind in score_log(game)] == [Kind.GARDEN]
    assert (abbots(game, "B"), abbots(game, "A")) == (1, 0)
    assert figures(game) == {"A abbot 0,1 mid"}


@pytest.mark.rule("ABT-11", "ABT-15", "ABT-17")
def test_fly_22_an_abbot_beside_monks():
    monks = "B meeple mid, B meeple mid"
    game = then(flown("abbot", 3, "", "", monks), "abbot mid")
    assert game.standings == (0, 2)  # two monks outnumber one abbot
    single = then(flown("abbot", 3, "", "", "B meeple mid"), "abbot mid")
    assert single.standings == (2, 2)
    game = played([*row("", "", f"A abbot mid, {monks}"), EAST], "bg-cap 0,-1 r2; recall")
    assert score_log(game) == [("A", 2, Kind.MONASTERY)]
    assert (abbots(game, "A"), meeples(game, "B")) == (1, 5)


CASTLES = Table("flier: true, castles: true", sets=SETS)


def town(guests: str, n_players: int = 2) -> Game:
    """Let A fly into a city with knights and B complete it as a town; more tiles are left."""
    bag = ("bg-cap", "bg-curve", "bg-curve")
    game = flown("meeple", 1, guests, table=CASTLES, bag=bag, n_players=n_players)
    return then(game, "meeple N; bg-cap 0,-1 r2; pass")


@pytest.mark.rule("XFL-05", "CAS-34")
def test_fly_22_the_majority_decides_on_a_town():
    game = town("A meeple N, B meeple N")
    assert (asked(game), names(game)) == ("A CASTLE", {"castle", "score"})
    then(game, "castle")
    assert (figures(game), meeples(game, "B")) == ({"A meeple 0,0 N"}, 7)
    assert meeples(game, "A") == 5


@pytest.mark.rule("XFL-05", "CAS-35", "CAS-36", "CAS-37", "CAS-38")
@pytest.mark.parametrize(
    ("by_b", "by_a", "scores", "lords"),
    [
        ("score", "score", (4, 4), set()),
        ("castle", "castle", (0, 0), {"A meeple 0,0 N", "B meeple 0,0 N"}),
        ("castle", "score", (4, 0), {"B meeple 0,0 N"}),
        ("score", "castle", (0, 4), {"A meeple 0,0 N"}),
    ],
)
def test_fly_22_tied_players_decide_one_by_one(by_b, by_a, scores, lords):
    game = town("B meeple N")
    assert asked(game) == "B CASTLE"
    then(game, by_b)
    assert asked(game) == "A CASTLE"
    then(game, by_a)
    assert (game.scores, figures(game)) == (scores, lords)
    assert sum(game.position().tokens) == 6 - len(lords)


SHRINES = Table("flier: true, shrines: true", sets="base, flier, cult")


@pytest.mark.rule("CULT-11")
def test_fly_22_heretics_share_a_shrine():
    tiles = [START_LINE, "bg-straight 1,0 r0", "cu-shrine-road 2,0 r0: B meeple mid"]
    game = SHRINES.played(tiles, EAST, "fly meeple rolls 3; meeple mid")
    assert figures(game) == {"A meeple 2,0 mid", "B meeple 2,0 mid"}
    assert game.standings == (2, 2)


# Which figure is meant if several share a spot.

TOWERS = Table(
    "flier: true, towers: true, large_meeples: true, phantom: true", sets="base, flier, tower"
)
TOWER_SOUTH = [
    "bg-cap-straight 0,0 r0: A meeple N, A large N, B meeple N, B meeple N",
    "to-field-garden 0,1 r0",
]


@pytest.mark.rule("TOW-06", "TOW-15")
def test_fly_22_a_tower_captures_one_of_those_that_share_a_place():
    game = TOWERS.played(TOWER_SOUTH, "bg-straight -1,0 r0", "to 0,1; floor 0,1; to 0,0")
    assert names(reread(game)) == {
        "remove meeple 0,0 N from A",
        "remove large 0,0 N from A",
        "remove meeple 0,0 N from B",
    }
    then(game, "remove meeple 0,0 N from B")
    assert Counter(map(str, game.position().prisoners)).total() == 1
    assert (meeples(game, "B"), in_supply(game, "A", Figure.LARGE)) == (5, 0)
    assert figures(game) == {"A meeple 0,0 N", "A large 0,0 N", "B meeple 0,0 N"}


@pytest.mark.rule("TOW-06")
def test_fly_22_those_that_are_alike_are_named_by_their_place():
    tiles = ["bg-cap-straight 0,0 r0: B meeple N, B meeple N", *TOWER_SOUTH[1:]]
    game = TOWERS.played(tiles, "bg-straight -1,0 r0", "to 0,1; floor 0,1; to 0,0")
    assert names(game) == {"remove 0,0 N"}
    assert figures(then(game, "remove 0,0 N")) == {"B meeple 0,0 N"}


@pytest.mark.rule("PD-52")
@pytest.mark.parametrize("whom", ["meeple 0,-1 N from A", "meeple 0,-1 N from B"])
def test_fly_22_a_princess_sends_one_of_them_home(whom):
    table = Table("flier: true, princesses: true, phantom: true", sets="base, flier, princess")
    tiles = [START_LINE, "bg-city3 0,-1 r0: A meeple N, B meeple N"]
    game = table.played(tiles, "pd-cap-junction-princess 1,-1 r3", f"to 0,-1; remove {whom}")
    seat = whom[-1]
    assert (meeples(game, seat), asked(game)) == (7, "B PLACE_TILE")
    assert figures(game) == {f"{'B' if seat == 'A' else 'A'} meeple 0,-1 N"}


@pytest.mark.rule("FES-03")
@pytest.mark.parametrize("kind", ["meeple", "builder", "large"])
def test_fly_22_a_festival_takes_one_of_them_back(kind):
    table = Table(
        "flier: true, festival: true, builders: true, large_meeples: true",
        sets="base, flier, festival",
    )
    tiles = f"{START_LINE}: A meeple E, A large E, A builder E, B meeple E"
    game = table.played(tiles, "fe-cap-gate 0,-1 r2", "to 0,0")
    assert names(reread(game)) == {f"return {k} 0,0 E" for k in ("meeple", "large", "builder")}
    then(game, f"return {kind} 0,0 E")
    assert in_supply(game, "A", Figure[kind.upper()]) == (7 if kind == "meeple" else 1)
    assert len(figures(game)) == 3


FAIRY = Table("flier: true, fairy: true, large_meeples: true", sets="base, flier, princess")


@pytest.mark.rule("PD-30", "PD-40", "XW-05")
def test_fly_22_the_fairy_comes_to_a_place_of_ones_own_meeples():
    tiles = f"{START_LINE}: A meeple E, A large E, B meeple E"
    game = FAIRY.played(tiles, "bg-cap 0,-1 r2", "to 0,0")
    assert names(game) == {"fairy 0,0 E"}
    then(game, "fairy 0,0 E")
    assert (game.position().fairy_beside, game.position().fairy_seat) == (1, 0)
    reread(game)
    tiles = [tiles, "bg-straight -1,0 r0"]
    again = FAIRY.played(tiles, "bg-cap 0,-1 r2", headers="[fairy 0,0 E of A]")
    assert "to 0,0" not in names(again)
    beside_b = FAIRY.played(tiles, "bg-cap 0,-1 r2", "to 0,0", headers="[fairy 0,0 E of B]")
    assert names(beside_b) == {"fairy 0,0 E"}


@pytest.mark.rule("PD-40")
def test_fly_22_she_stays_beside_the_other_when_one_goes():
    table = Table(
        "flier: true, fairy: true, towers: true, large_meeples: true",
        sets="base, flier, princess, tower",
    )
    tiles = ["bg-cap-straight 0,0 r0: A meeple N, A large N", "to-field-garden 0,1 r0"]
    for first, other in (("meeple", "large"), ("large", "meeple")):
        game = table.played(
            tiles, "bg-straight -1,0 r0", "to 0,1; floor 0,1; to 0,0", headers="[fairy 0,0 N]"
        )
        then(game, f"remove {first} 0,0 N from A")
        assert figures(game) == {f"A {other} 0,0 N"}
        assert game.position().fairy_beside == 0
        reread(game)


# Chance.


@pytest.mark.rule("FLY-04")
def test_w2t_07_three_rolls_that_are_equally_likely_and_that_nobody_knows():
    game = played(row(), EAST)
    rolled = Counter[int | None]()
    for seed in range(300):
        again = game.clone()
        again.reshuffle(seed)
        again.apply("fly meeple")
        rolled[again.moves[-1].token] += 1
    assert set(rolled) == {1, 2, 3}
    assert all(abs(rolled[n] / 300 - 1 / 3) < 0.1 for n in (1, 2, 3))
    with pytest.raises(ValueError, match="the die never rolls 4"):
        game.choose_token(4, "fly meeple")
    one, told = game.clone(), game.clone()
    one.apply("fly meeple")
    told.choose_token(one.moves[-1].token, "fly meeple")
    told.apply("fly meeple")
    assert told._states.tobytes() == one._states.tobytes()  # both use the same numbers next


@pytest.mark.rule("HS-44")
def test_w2t_07_a_record_tells_a_roll_from_a_sheep():
    rules = Rules.preset("flier", sets=("base", "flier", "hills"), shepherds=True)
    for seed in range(20):
        game = Game(rules, seed=seed)
        for _ in range(60):
            words = [game.name(action) for action in game.legal_actions()]
            wanted = [word for word in words if word.split()[0] in ("fly", "shepherd", "grow")]
            game.apply((wanted or words)[0])
        told = {move.name.split()[0] for move in game.moves if move.token is not None}
        if told >= {"fly", "shepherd"}:
            break
    text = format_record(game)
    assert " rolls " in text and " draws " in text
    assert load_record(text).moves == game.moves
    lines = text.replace(" rolls ", " draws ", 1).splitlines()[:-1]
    check = zlib.crc32("\n".join(lines).encode())
    with pytest.raises(NotationError, match="or a roll"):
        load_record("\n".join([*lines, f"[check {check:08x}]"]) + "\n")


# Impossible positions.


@pytest.mark.rule("FLY-06", "FLY-12")
@pytest.mark.parametrize(
    ("turn", "header", "says"),
    [
        ("A lands at 0,0", "", "goes with a turn that lands"),
        ("A acts", "[flies meeple]", "goes with a turn that lands"),
        ("A lands at 0,0", "[flies builder]", "no such figure flies"),
        ("A lands at -1,0", "[flies meeple]", "no machine"),
        ("A lands at 1,0", "[flies abbot]", "can land nowhere"),
    ],
)
def test_fly_04_what_no_flight_can_lead_to(turn, header, says):
    with pytest.raises(ValueError, match=says):
        played([*row(), EAST], turn=turn, headers=header)


@pytest.mark.rule("PHA-10", "TOW-15", "XW-02")
def test_fly_16_a_phantom_may_fly_behind_a_capture_that_leaves_the_builder_alone():
    table = Table(
        "flier: true, towers: true, phantom: true, builders: true", sets="base, flier, tower"
    )
    tiles = [
        "bg-cap-straight 0,0 r0: A builder E; bg-straight 1,0 r0: A meeple E",
        "to-field-garden 1,1 r0",
    ]
    game = table.played(tiles, EAST, "to 1,1; floor 1,1; to 1,0; remove 1,0 E")
    assert game.position().has_extended
    then(game, "fly phantom rolls 1")
    assert asked(game) == "A LANDING"
    assert game.position().has_extended
    then(reread(game), "phantom N")
    then(game, "phantom N")
    assert (asked(game), game.position().first_part) == ("A PLACE_TILE", (-1, 0))
