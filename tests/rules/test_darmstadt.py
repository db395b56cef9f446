"""DAR: churches, which score for the most meeples around them, and the Darmstadtium city."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import bag_of, figures, names, score_log, targets
from .positions import START_LINE, Table, by_cell, carcassonne, then
from .scenario import TILES

pytestmark = pytest.mark.interpreted

SETS = "base, inns, traders, abbey, cult, tower, siege, mage, darmstadt"
TABLE = Table("darmstadt: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

#: Eight tiles around the hole at (0, 1), where a church fits.
RING = {
    "0,0": "bg-cap-straight r0",
    "-1,0": "bg-straight r0",
    "1,0": "bg-straight r0",
    "-1,1": "bg-curve r3",
    "1,1": "bg-curve r3",
    "-1,2": "bg-curve r2",
    "0,2": "bg-junction r2",
    "1,2": "bg-curve r1",
}
CHURCH = "da-church-curve 0,1 r0"


def completed(around=None, figure="pass", **options):
    """Let A place the church among its eight neighbours, with figures by cell."""
    return played(by_cell(RING, around), CHURCH, figure, **options)


@pytest.mark.rule("TILE-01")
def test_dar_01_three_tiles():
    drawn = bag_of(Game("darmstadt", seed=1))
    assert len(drawn) == 74
    assert sorted(tile for tile in drawn if tile in TILES["darmstadt"]) == sorted(
        TILES["darmstadt"]
    )
    rows = {row["id"]: row for row in FACTS if row["set"] == "darmstadt"}
    assert rows["da-city4"]["cities"] == [{"at": "NESW", "darmstadtium": True}]
    assert [len(rows[f"da-church-{name}"]["roads"]) for name in ("four-roads", "curve")] == [4, 1]


@pytest.mark.parametrize(("out", "n", "monasteries"), [(0, 74, 6), (2, 72, 4)])
def test_dar_02_two_monasteries_of_the_base_game_may_go_out(out, n, monasteries):
    drawn = bag_of(Game(Rules.preset("darmstadt", darmstadt_out=out), seed=1))
    assert len(drawn) == n
    assert sum(tile.startswith("bg-monastery") for tile in drawn) == monasteries


@pytest.mark.rule("SET-06")
def test_dar_02_nothing_goes_out_without_the_set():
    assert len(bag_of(Game(Rules(darmstadt_out=2), seed=1))) == 71


# --- The Darmstadtium ---------------------------------------------------------------------------

CITY = {
    "0,0": "bg-cap-straight r0",
    "0,-1": "da-city4 r0",
    "-1,-1": "bg-cap r1",
    "1,-1": "bg-cap r3",
}


@pytest.mark.rule("BASE-12")
@pytest.mark.parametrize(("switch", "points"), [("true", 13), ("false", 10)])
def test_dar_03_three_more_for_a_complete_city(switch, points):
    table = Table(f"darmstadt: {switch}", sets=SETS)
    lines = by_cell(CITY, {"0,0": "A meeple N, B meeple N"})
    game = table.played(lines, "bg-cap 0,-2 r2; pass")
    assert game.scores == (points, points), "each with the majority"
    game = table.played(by_cell(CITY, {"0,0": "A meeple N"}), "bg-cap 0,-2 r2; pass")
    assert score_log(game) == [("A", points, Kind.CITY)]


@pytest.mark.rule("BASE-23")
def test_dar_03_none_for_an_open_one_at_the_end():
    tiles = {cell: tile for cell, tile in CITY.items() if cell != "1,-1"}
    lines = by_cell(tiles, {"0,0": "A meeple N"})
    assert at_the_end([*lines, "bg-monastery 0,1 r0"]) == (3, 0)


@pytest.mark.rule("DAR-03")
@pytest.mark.parametrize(
    ("last", "magic", "points"),
    [
        ("si-cap", "", 5 + 3),
        ("bg-cap", "[mage 0,0 N]", 10 + 3 + 5),
        ("bg-cap", "[witch 0,0 N]", 7),
        ("si-cap", "[witch 0,0 N]", 4),
    ],
)
def test_x2_01_behind_a_siege_and_before_mage_and_witch(last, magic, points):
    game = played(
        by_cell(CITY, {"0,0": "A meeple N"}),
        f"{last} 0,-2 r2; pass",
        rules="mage_witch: true, siege: true, siege_tiles: both",
        headers=magic,
    )
    assert game.scores == (points, 0)


# --- Churches -----------------------------------------------------------------------------------


@pytest.mark.rule("BASE-14", "XGM-01")
def test_dar_04_a_church_is_a_monastery():
    assert score_log(completed(figure="meeple mid")) == [
        ("A", 3, Kind.CHURCH),
        ("A", 9, Kind.MONASTERY),
    ]
    table = Table("darmstadt: false", sets=SETS)
    game = table.played(by_cell(RING), CHURCH, "meeple mid")
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]


@pytest.mark.rule("BASE-23")
def test_dar_04_open_at_the_end_a_point_for_each_tile():
    tiles = {cell: tile for cell, tile in RING.items() if cell != "1,2"}
    lines = by_cell(tiles | {"0,1": "da-church-curve r0"}, {"0,1": "A meeple mid"})
    assert at_the_end(lines) == (8, 0)


def test_dar_05_most_meeples_on_its_nine_cells_get_three_and_so_does_each_in_a_tie():
    game = completed({"1,0": "B meeple Es"}, "meeple mid")
    assert game.scores == (9 + 3, 3)
    game = completed({"1,0": "B meeple Es", "-1,2": "B meeple N"}, "meeple mid")
    assert game.scores == (9, 3 + 4), "B's road is complete as well"
    assert figures(game) == {"B meeple 1,0 Es"}


def test_dar_05_who_goes_home_in_the_same_turn_still_counts():
    game = completed({"-1,2": "B meeple N"})
    assert score_log(game) == [("B", 3, Kind.CHURCH), ("B", 4, Kind.ROAD)]


@pytest.mark.rule("CULT-06")
def test_dar_05_and_who_loses_a_challenge_by_it():
    others = {"0,1": "to-field-garden r0", "-1,2": "am-road-end-garden r2"}
    tiles = BESIDE_CASTLE | others | {"-1,1": "cu-shrine r0"}
    lines = by_cell(tiles, {"-1,1": "B meeple mid"})
    game = played(lines, "da-church-curve 0,2 r0; meeple mid", rules="shrines: true")
    assert (game.scores, figures(game)) == ((9 + 3, 3), set())


def test_dar_06_also_of_a_church_that_nobody_is_on():
    assert completed({"1,0": "B meeple E"}).scores == (0, 3)
    assert completed().scores == (0, 0)


def test_dar_05_not_before_it_is_complete_nor_from_further_away():
    tiles = {cell: tile for cell, tile in RING.items() if cell != "1,2"}
    lines = by_cell(tiles, {"1,0": "B meeple E"})
    assert played(lines, CHURCH, "pass").scores == (0, 0)
    game = played([*by_cell(RING), "bg-straight 2,0 r0: B meeple E"], CHURCH, "pass")
    assert game.scores == (0, 0)


@pytest.mark.parametrize(
    ("theirs", "scores"),
    [
        ("B large E", (9 + 3, 3)),
        ("B meeple E, B builder E", (9 + 3, 3)),
        ("B meeple Es, B pig Es", (9 + 3, 3)),
        ("B meeple E, B wagon E", (9, 3)),
    ],
)
def test_dar_07_meeples_count_by_number_and_no_other_figures(theirs, scores):
    rules = "large_meeples: true, builders: true, pigs: true, wagons: true"
    assert completed({"1,0": theirs}, "meeple mid", rules=rules).scores == scores


@pytest.mark.rule("TOW-18")
def test_dar_07_who_stands_on_a_tower_there_counts():
    lines = by_cell(BESIDE_CASTLE | {"-1,3": "to-field-garden r0"})
    headers = ["[towers -1,3 1 B meeple]", "[floors 10:9]"]
    moves = "da-church-curve 0,2 r0; meeple mid"
    game = played(lines, moves, rules="towers: true", headers=headers)
    assert game.scores == (9 + 3, 3)


@pytest.mark.rule("RUS-11")
def test_dar_07_who_is_in_a_trap_there_counts():
    lines = by_cell(BESIDE_CASTLE | {"-1,3": "ru-vodyanoy r0"})
    headers = ["[trapped B meeple water, B abbot water]"]
    rules = "russian_promos: true"
    options = {"rules": rules, "headers": headers, "sets": "base, russian, darmstadt"}
    assert played(lines, "da-church-curve 0,2 r0; pass", **options).scores == (0, 3)


#: Eight tiles around the hole at (0, 2); two of them form a castle.
BESIDE_CASTLE = {
    "0,0": "bg-cap-straight r0",
    "0,1": "bg-monastery r0",
    "1,1": "bg-cap r2",
    "1,2": "bg-cap r0",
    "1,3": "bg-monastery r0",
    "0,3": "bg-monastery-road r1",
    "-1,3": "bg-monastery r0",
    "-1,2": "bg-monastery-road r2",
    "-1,1": "bg-monastery r0",
}


@pytest.mark.rule("DAR-07", "CAS-21")
def test_dar_08_a_castle_gets_nine_and_its_lord_is_around():
    options = {"rules": "castles: true", "headers": ["[castles 1,1 S]", "[tokens 3:2]"]}
    lines = by_cell(BESIDE_CASTLE, {"1,1": "B meeple S"})
    game = played(lines, "da-church-curve 0,2 r0; meeple mid", **options)
    assert sorted(score_log(game)) == [
        ("A", 3, Kind.CHURCH),
        ("A", 9, Kind.MONASTERY),
        ("B", 3, Kind.CHURCH),
        ("B", 9, Kind.CASTLE),
    ]


@pytest.mark.rule("DAR-08", "ABT-03")
def test_xda_01_an_abbot_stands_on_a_church():
    game = played([START_LINE], CHURCH)
    assert {"abbot mid", "meeple mid"} <= names(game)
    assert score_log(then(game, "abbot mid")) == []
    assert completed(figure="abbot mid").scores == (9 + 3, 0)


@pytest.mark.rule("DAR-08", "ABT-12")
def test_xda_02_who_takes_an_abbot_back_gets_no_more_than_the_bare_points():
    tiles = {cell: tile for cell, tile in RING.items() if cell != "1,2"}
    lines = by_cell(tiles | {"0,1": "da-church-curve r0"}, {"0,1": "A abbot mid"})
    rules = "abbot_recall_completed: allow"
    game = played(lines, "bg-curve 1,2 r1; recall", rules=rules)
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]


@pytest.mark.rule("XGM-01", "DAR-04")
def test_wag_14_a_wagon_moves_to_a_church():
    tiles = [f"{START_LINE}: A wagon E", "bg-monastery-road 1,0 r0", CHURCH]
    game = played(tiles, "bg-monastery-road -1,0 r2; pass", rules="wagons: true")
    assert "0,1 mid" in targets(game)


@pytest.mark.rule("SIE-10", "DAR-04")
def test_xgm_01_a_knight_escapes_beside_a_church():
    tiles = [START_LINE, "bg-straight -1,0 r0", "si-corner 0,-1 r1: A meeple E"]
    game = played(
        [*tiles, "da-church-curve -1,-1 r1"],
        "bg-straight 1,0 r0; pass",
        rules="siege: true, siege_tiles: both",
    )
    assert game.phase == Phase.ESCAPE


#: Seven of the eight tiles around a church beside Carcassonne. A has two monks around the church,
#: and B has one on it.
BESIDE_CARCASSONNE = (
    "bg-monastery -3,1 r0; bg-monastery -4,1 r0: A meeple mid; bg-monastery -5,1 r0",
    "bg-monastery -3,2 r0: A meeple mid; bg-monastery-road -5,2 r2",
    "da-church-curve -4,2 r0: B meeple mid",
    "bg-monastery-road -4,3 r1; bg-cap -5,3 r2",
)


@pytest.mark.rule("COU-04")
@pytest.mark.parametrize(("ignores", "phase"), [("true", Phase.ENTER), ("false", Phase.PLACE_TILE)])
def test_dar_09_who_got_a_church_s_points_alone_may_go_into_carcassonne(ignores, phase):
    game = played(
        carcassonne(*BESIDE_CARCASSONNE),
        "bg-cap -3,3 r2; pass",
        rules=f"count: true, count_ignores_church: {ignores}",
        sets="base, count, darmstadt",
    )
    assert (game.scores, game.phase) == ((3, 9), phase)


@pytest.mark.rule("DAR-03")
def test_dar_04_a_plane_shows_churches_and_the_darmstadtium():
    game = played([START_LINE, CHURCH], "da-city4 0,-1 r0")
    board = game.observe(0)["board"][plane_names(game.rules).index("darmstadt")]
    assert sorted(board[board > 0]) == [1, 2]
