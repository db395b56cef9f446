"""WR: wind roses, and tiles that score in the quarter of the plane that they show."""

from __future__ import annotations

from collections import Counter

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import bag_of, figures, names, score_log
from .positions import START_LINE, Table, carcassonne, reread, then
from .scenario import RIVER, ROSE, START, TILES, set_of_tiles

pytestmark = pytest.mark.interpreted

SETS = "base, roses"
TABLE = Table("wind_roses: true", sets=SETS)
played = TABLE.played

#: The orange rose at the start of a game: its north is up, its city is in the east and its road is
#: in the west.
ORANGE = f"{ROSE} 0,0 r1"
BLUE = "wr-curve-all"
QUARTERS = {
    "NE": "wr-corner-ne",
    "SE": "wr-caps-adjacent-se",
    "SW": "wr-cap-curve-left-sw",
    "NW": "wr-span-nw",
}
#: The rose, with fields to its north and south where any tile fits.
AROUND = (ORANGE, "bg-monastery 0,-1 r0", "bg-monastery 0,1 r0")
POINTS = [("A", 3, Kind.WIND_ROSE)]


def ways(tiles, quarter, cell, **options):
    """Return the game after each possible placement of a quarter tile on a cell."""
    tile = QUARTERS[quarter]
    before = played(tiles, turn=f"A places {tile}", **options)
    moves = [name for name in names(before) if name.startswith(f"{tile} {cell} ")]
    assert moves
    return [played(tiles, move, **options) for move in moves]


def scores(tiles, quarter, cell, **options):
    """Return whether a quarter tile scores on a cell; its rotation must not matter (WR-05)."""
    (brought,) = {tuple(score_log(game)) for game in ways(tiles, quarter, cell, **options)}
    assert list(brought) in ([], POINTS)
    return bool(brought)


# --- Tiles --------------------------------------------------------------------------------------


@pytest.mark.rule("TILE-01", "WR-09")
def test_wr_01_the_orange_rose_replaces_the_start_tile():
    game = Game(Rules.preset("wind-roses"), seed=1)
    (first,) = game.position().tiles
    assert (first.tile, first.x, first.y, first.rotation) == (ROSE, 0, 0, 1)
    stack = Counter(bag_of(game))
    assert stack == set_of_tiles(game.rules) - Counter([ROSE])
    assert (stack[START], stack.total()) == (3, 71 + 5)
    assert sum(stack[tile] for tile in TILES["roses"]) == 5


@pytest.mark.rule("WR-01")
@pytest.mark.parametrize(
    ("rules", "first", "n_left"),
    [
        ({"rose_start": "shuffled"}, START, 71 + 6),
        ({"sets": ("base", "river1", "roses")}, RIVER[0].split()[0], 72 + 11 + 6),
        ({"sets": ("base", "count", "roses"), "count": True}, "co-1", 71 + 6),
    ],
)
def test_wr_09_or_it_is_shuffled_in(rules, first, n_left):
    game = Game(Rules.preset("wind-roses", **rules), seed=1)
    assert game.position().tiles[0].tile == first
    stack = Counter(bag_of(game))
    assert (stack[ROSE], stack.total()) == (1, n_left)


def test_wr_01_what_they_show_is_seen():
    planes = ("orange rose", "blue rose", "quarter")
    tiles = [*AROUND, f"{BLUE} 1,1 r3", "wr-corner-ne -1,-1 r2"]
    game = played(tiles)
    board, order = game.observe(0)["board"], plane_names(game.rules)
    assert [board[order.index(plane)].sum() for plane in planes] == [1, 4, 1]
    assert not {*planes} & {*plane_names(Rules())}


# --- Quarters and points ------------------------------------------------------------------------

CELLS = {
    "0,-2": {"NE", "NW"},
    "1,-1": {"NE"},
    "1,1": {"SE"},
    "0,2": {"SE", "SW"},
    "-1,1": {"SW"},
    "-1,-1": {"NW"},
}


@pytest.mark.rule("WR-05")
@pytest.mark.parametrize("quarter", QUARTERS)
@pytest.mark.parametrize("cell", CELLS)
def test_wr_02_the_row_and_the_column_belong_to_both_sides(cell, quarter):
    assert scores(AROUND, quarter, cell) == (quarter in CELLS[cell])


@pytest.mark.parametrize(
    ("move", "is_home"),
    [
        ("wr-corner-ne 1,0 r3", True),
        ("wr-caps-adjacent-se 1,0 r3", True),
        ("wr-span-nw 1,0 r1", False),
        ("wr-cap-curve-left-sw -1,0 r2", True),
    ],
)
def test_wr_02_beside_the_rose_too(move, is_home):
    assert score_log(played([ORANGE], move)) == POINTS * is_home


def test_wr_05_four_rotations_of_the_tile_are_the_same():
    found = ways(AROUND, "NE", "1,-1")
    assert len({game.position().tiles[-1].rotation for game in found}) == 2
    far = (*AROUND, "bg-cap 1,-1 r1", "bg-city4-shield 2,-1 r0")
    assert scores(far, "NE", "3,-1")
    assert scores(far, "NE", "2,-2")


#: The blue rose, turned so that its north is in the west.
TURNED = (*AROUND[:2], f"{BLUE} 0,1 r3")


@pytest.mark.parametrize(
    ("quarter", "orange", "blue"),
    [("NW", True, False), ("NE", False, True), ("SE", False, False), ("SW", False, False)],
)
def test_wr_03_from_when_it_lies_the_blue_rose_is_in_force_as_it_is_turned(quarter, orange, blue):
    assert scores(AROUND, quarter, "-1,-1") == orange
    assert scores(TURNED, quarter, "-1,-1") == blue


@pytest.mark.parametrize(("cell", "quarter"), [("1,-1", "SE"), ("-1,-1", "NE")])
def test_wr_03_every_quarter_is_turned_by_ninety_degrees(cell, quarter):
    assert [q for q in QUARTERS if scores(TURNED, q, cell)] == [quarter]


@pytest.mark.rule("WR-09")
def test_wr_03_an_orange_rose_that_comes_later_changes_nothing():
    tiles = (START_LINE, f"{BLUE} 0,1 r0", "bg-cap 0,-1 r2", "bg-monastery 1,-1 r0")
    later = (*tiles, f"{ROSE} 2,-1 r0")
    for found in (tiles, later):
        told = {q: scores(found, q, "1,-2", rules="rose_start: shuffled") for q in QUARTERS}
        assert told == {"NE": True, "SE": False, "SW": False, "NW": False}


@pytest.mark.rule("WR-06")
def test_wr_04_three_points_at_once_before_the_figure_action():
    game = played(AROUND, "wr-corner-ne 1,-1 r1")
    assert (game.phase, game.scores) == (Phase.FIGURE, (3, 0))
    assert score_log(game) == POINTS
    assert game.last_scores[0].place is None
    assert score_log(then(reread(game), "pass")) == []
    game = then(game, "meeple Nw")
    assert (score_log(game), game.scores) == ([], (3, 0))


def test_wr_04_who_places_it_gets_them():
    assert played(AROUND, "wr-corner-ne 1,-1 r1", seat="B").scores == (0, 3)


def test_wr_06_they_need_no_meeple_and_change_no_feature():
    hands = {"rules": "abbot: false", "turn": "A places wr-corner-ne"}
    farmers = ", ".join(["A meeple Se"] * 7)
    tiles = (f"{ORANGE}: {farmers}", *AROUND[1:])
    game = played(tiles, "wr-corner-ne 1,-1 r1", **hands)
    assert game.scores == (3, 0)
    assert names(game) == {"pass"}
    city = (f"{ORANGE}: B meeple E",)
    game = played(city, "wr-caps-adjacent-se 1,0 r3; pass")
    assert game.scores == (3, 4)
    assert figures(game) == set()


@pytest.mark.rule("WR-04")
def test_w2t_03_in_each_part_of_a_turn():
    options = {"rules": "builders: true", "sets": "base, traders, roses"}
    tiles = (f"{ORANGE}: A meeple W, A builder W", *AROUND[1:], "bg-straight -1,0 r0")
    game = played(
        tiles,
        "wr-cap-curve-left-sw -2,0 r2; pass; wr-corner-ne 1,-1 r1",
        bag=("wr-corner-ne", "bg-cap"),
        **options,
    )
    assert game.scores == (6, 0)


@pytest.mark.rule("WR-04")
def test_w2t_04_who_has_bought_a_tile_gets_the_points():
    options = {
        "rules": "bazaars: true, bazaar_mode: take",
        "sets": "base, bridges, roses",
        "bag": ("wr-corner-ne", "bg-curve", "bg-curve"),
    }
    moves = "bcb-bazaar 0,-1 r0; pass; pick 1; wr-corner-ne 1,-1 r1"
    game = played(AROUND[::2], moves, **options)
    assert game.position().is_bought
    assert game.scores == (0, 3)


def test_wr_09_nothing_before_a_rose_lies():
    tiles = (START_LINE, "bg-monastery 0,1 r0")
    for quarter in QUARTERS:
        assert not scores(tiles, quarter, "1,1", rules="rose_start: shuffled")


@pytest.mark.rule("WR-02")
def test_wr_09_or_it_lies_beside_carcassonne():
    sets = ("base", "river1", "count", "roses")
    rules = Rules.preset("wind-roses", sets=sets, rose_start="beside", count_with_river="allow")
    laid = [(tile.tile, tile.x, tile.y) for tile in Game(rules, seed=1).position().tiles]
    assert laid[12:14] == [(ROSE, -1, -2), ("rv-source", 2, -1)]
    alone = Game(Rules.preset("wind-roses", rose_start="beside"), seed=1).position().tiles
    assert [(tile.tile, tile.x, tile.y) for tile in alone] == [(ROSE, 0, 0)]


# --- Carcassonne --------------------------------------------------------------------------------


@pytest.mark.rule("COU-04")
@pytest.mark.parametrize(("ignores", "may_enter"), [("true", True), ("false", False)])
def test_wr_07_they_do_not_count_as_points_for_a_feature(ignores, may_enter):
    tiles = carcassonne(f"{ROSE} -1,-2 r1", co_9="B meeple S")
    options = {"rules": f"count: true, count_ignores_rose: {ignores}", "sets": "base, count, roses"}
    game = played(tiles, "wr-cap-curve-left-sw -2,2 r0; pass", **options)
    assert game.scores == (3, 4)
    assert (game.phase == Phase.ENTER) == may_enter
    # Outside its quarter, the tile scores nothing and the move is offered.
    tiles = carcassonne(f"{ROSE} -1,-2 r3", co_9="B meeple S")
    game = played(tiles, "wr-cap-curve-left-sw -2,2 r0; pass", **options)
    assert (game.scores, game.phase) == ((0, 4), Phase.ENTER)
