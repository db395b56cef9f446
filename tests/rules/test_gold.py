"""GOL: gold mines, ingots on tiles, and who takes them."""

from __future__ import annotations

import numpy as np
import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import asked, bag_of, figures, names, score_log
from .positions import RING, START_LINE, Table, carcassonne, reread, then
from .scenario import RIVER, TILES, play

pytestmark = pytest.mark.interpreted

SETS = "base, gold"
TABLE = Table("gold: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

#: Three tiles below (0, -1) and one on either side of it. The gold mine at (0, -1) completes the
#: city.
PIT = ("bg-straight -1,0 r0; bg-straight 1,0 r0", "bg-cap -1,-1 r1; bg-monastery 1,-1 r0")
MINE = "gm-monastery-corner 0,-1 r2"

#: Two gold mines beside the start tile, whose road runs through both: four ingots.
MINES = ("gm-roads-overpass 1,0 r0", "gm-two-curves -1,0 r0")

#: A city of three tiles north of the start tile; `bg-cap 0,-3 r2` completes it with a fourth tile.
SPANS = ("bg-span 0,-1 r0", "bg-span-shield 0,-2 r0")
CLOSE = "bg-cap 0,-3 r2; pass"

#: `bg-cap-junction 0,-1 r2` completes both the start tile's city and its road. The road leads from
#: the monastery in the east around to the west side of (0, -1). There are also two gold mines.
LOOP = (
    "bg-monastery-road 1,0 r0; bg-curve -1,0 r2",
    "bg-curve -1,-1 r3",
    "gm-monastery-curve 2,0 r2",
    "gm-monastery-corner 0,1 r2",
)
CLOSE_BOTH = "bg-cap-junction 0,-1 r2; pass"

#: All eight gold mines in a row, east of the start tile.
ROW = (
    START_LINE,
    "gm-roads-overpass 1,0 r0; gm-two-curves 2,0 r0; gm-monastery-two-curves 3,0 r0",
    "gm-span-straight 4,0 r0; gm-corner-curve 5,0 r0; gm-monastery-corner 6,0 r2",
    "gm-monastery-curve 7,0 r2; gm-monastery-corner-curve 8,0 r0; bg-straight -1,0 r0",
)


def start(figures_there=""):
    return f"{START_LINE}: {figures_there}"


def lying(game):
    """Return the ingots on the board by cell: ``{"0,-1": 2}``."""
    return {f"{pile.x},{pile.y}": pile.ingots for pile in game.position().gold}


def ingots(game):
    return game.position().ingots


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_gol_01_eight_tiles_four_of_them_with_a_monastery(edition):
    rules = Rules.preset("gold", edition=edition, abbot=edition == "C2")
    drawn = bag_of(Game(rules, seed=1))
    assert len(drawn) == 79
    assert {tile for tile in drawn if tile in TILES["gold"]} == set(TILES["gold"])
    assert sum("monastery" in tile for tile in TILES["gold"]) == 4


def test_gol_01_they_bring_sixteen_ingots_and_no_more():
    headers = "[gold 1,0 2, 2,0 2, 3,0 2, 4,0 2]\n[ingots 5:{}]"
    game = played(ROW, turn="A acts", headers=headers.format(3))
    assert sum(lying(game).values()) + sum(ingots(game)) == 16
    with pytest.raises(ValueError, match="GOL-02"):
        played(ROW, turn="A acts", headers=headers.format(4))


def test_gol_02_one_ingot_on_the_mine_and_one_on_a_neighbour():
    game = played([START_LINE, *PIT], MINE)
    assert asked(game) == "A INGOT"
    assert names(game) == {f"ingot {cell}" for cell in ("-1,-1", "1,-1", "-1,0", "0,0", "1,0")}
    assert lying(reread(game)) == {"0,-1": 1}
    then(game, "ingot 1,-1")
    assert (asked(game), lying(game)) == ("A FIGURE", {"0,-1": 1, "1,-1": 1})
    assert "meeple mid" in names(game)


def test_gol_02_under_rules_without_gold_the_tile_is_like_any_other():
    game = Table("gold: false", sets=SETS).played([START_LINE, *PIT], MINE)
    assert (game.phase, lying(game), ingots(game)) == (Phase.FIGURE, {}, ())


def test_gol_03_a_single_neighbour_gets_it_without_a_question():
    game = played([START_LINE], MINE)
    assert asked(game) == "A FIGURE"
    assert lying(game) == {"0,0": 1, "0,-1": 1}


def test_gol_04_any_number_may_lie_on_a_tile():
    mine = "gm-roads-overpass 2,0 r0"
    game = played([START_LINE, *PIT, mine], MINE, "ingot 1,0", headers="[gold 1,0 2]")
    assert lying(game) == {"1,0": 3, "0,-1": 1}


@pytest.mark.parametrize(
    ("last", "scores", "taken"),
    [("bg-monastery-road -1,0 r2; pass", (4, 0), (1, 0)), ("bg-cap 0,-1 r2; pass", (0, 4), (0, 1))],
)
def test_gol_05_what_is_completed_first_takes_the_ingots_of_its_tiles(last, scores, taken):
    tiles = [start("A meeple E, B meeple N"), MINES[0], "bg-monastery-road 2,0 r0"]
    game = played(tiles, last, headers="[gold 0,0 1]")
    assert (game.scores, ingots(game), lying(game)) == (scores, taken, {})


def test_gol_06_the_majority_takes_the_ingots_of_all_tiles_of_a_city():
    tiles = [start("A meeple N"), *MINES, *SPANS]
    game = played(tiles, CLOSE, headers="[gold 0,0 1, 0,-1 2, 1,0 1]")
    assert game.scores == (10, 0)
    assert (ingots(game), lying(game)) == ((3, 0), {"1,0": 1})


def test_gol_06_those_on_the_tile_that_completes_it_included():
    game = played([start("B meeple N"), *PIT], MINE, "ingot 0,0; pass")
    assert game.scores == (0, 6)
    assert (ingots(game), lying(game)) == ((0, 2), {})


def test_gol_06_a_monastery_takes_its_own_and_those_around():
    *around, last = [line for line in RING if " 1,1 " not in line], "bg-curve 1,1 r3; pass"
    tiles = [*around[0], "bg-monastery 0,1 r0: A meeple mid", "gm-roads-overpass 2,0 r0"]
    game = played([*tiles, "gm-two-curves 3,0 r0"], last, headers="[gold 0,1 1, -1,2 1, 2,0 2]")
    assert game.scores == (9, 0)
    assert (ingots(game), lying(game)) == ((2, 0), {"2,0": 2})


@pytest.mark.parametrize(("seat", "taken"), [("A", (2, 1)), ("B", (1, 2))])
def test_gol_07_those_who_share_a_majority_take_one_each_in_turn(seat, taken):
    tiles = [start("A meeple N"), *MINES, f"{SPANS[0]}: B meeple N", SPANS[1]]
    game = played(tiles, CLOSE, seat=seat, headers="[gold 0,0 2, 0,-2 1]")
    assert game.scores == (10, 10)
    assert (ingots(game), lying(game)) == (taken, {})


def test_gol_07_clockwise_from_the_active_player():
    tiles = [start("A meeple N"), *MINES, f"{SPANS[0]}: B meeple N", f"{SPANS[1]}: C meeple N"]
    game = played(tiles, CLOSE, seat="C", headers="[gold 0,0 1, 0,-2 1]", n_players=3)
    assert ingots(game) == (1, 0, 1)


LEADS = "A meeple E, B meeple N"
TWO_PILES = "[gold 0,0 {}, 1,0 1]"
"""A pile on the start tile, where both may take some, and one on a tile of the road only."""


@pytest.mark.rule("GOL-07")
@pytest.mark.parametrize(("seat", "taken"), [("A", (2, 0)), ("B", (1, 1))])
def test_gol_08_without_a_choice_from_where_most_others_may_take(seat, taken):
    game = played([start(LEADS), *LOOP], CLOSE_BOTH, seat=seat, headers=TWO_PILES.format(1))
    assert game.scores == (5, 4)
    assert (ingots(game), lying(game)) == (taken, {})


@pytest.mark.parametrize(
    ("move", "taken"), [("share 0,0", (2, 0)), ("share 1,0", (1, 1))], ids=["contested", "own"]
)
def test_gol_08_under_a_switch_whoever_is_entitled_chooses(move, taken):
    options = {"rules": "gold_choice: ask", "headers": TWO_PILES.format(1)}
    game = played([start(LEADS), *LOOP], CLOSE_BOTH, **options)
    assert asked(game) == "A SHARE"
    assert names(game) == {"share 0,0", "share 1,0"}
    then(reread(game), move)
    then(game, move)
    assert asked(game) == "B PLACE_TILE"
    assert (ingots(game), lying(game)) == (taken, {})


@pytest.mark.rule("WAG-04")
def test_gol_08_a_scored_wagon_waits_until_all_have_chosen():
    rules = "gold_choice: ask, wagons: true"
    tiles = [start(LEADS.replace("B meeple", "B wagon")), *LOOP]
    game = played(tiles, CLOSE_BOTH, rules=rules, headers=TWO_PILES.format(1))
    assert asked(game) == "A SHARE"
    then(reread(game), "share 1,0")
    then(game, "share 1,0")
    assert asked(game) == "B WAGON"


@pytest.mark.rule("W2T-06")
def test_gol_08_others_than_the_active_player_are_asked():
    options = {"rules": "gold_choice: ask", "headers": TWO_PILES.format(2)}
    game = played([start(LEADS), *LOOP], CLOSE_BOTH, seat="B", **options)
    assert (asked(game), game.turn_player) == ("A SHARE", 1)
    assert (ingots(game), lying(game)) == ((0, 1), {"0,0": 1, "1,0": 1})
    assert game.action_mask().sum() == 2
    planes = plane_names(game.rules)
    board = game.observe(0)["board"]
    assert sorted(board[planes.index("entitled")][np.nonzero(board[planes.index("ingots")])]) == [
        *(1, 3)
    ]
    then(game, "share 1,0")
    assert (asked(game), ingots(game)) == ("A PLACE_TILE", (1, 2))


def test_gol_08_nobody_is_asked_where_it_makes_no_difference():
    tiles = [start("A meeple N"), *MINES, f"{SPANS[0]}: B meeple N", SPANS[1]]
    options = {"rules": "gold_choice: ask", "headers": "[gold 0,0 2, 0,-2 1]"}
    game = played(tiles, CLOSE, **options)
    assert (asked(game), ingots(game)) == ("B PLACE_TILE", (2, 1))


@pytest.mark.parametrize("city", ["", "A mayor N"])
def test_gol_09_without_an_owner_the_ingots_stay(city):
    tiles = [start(city), *MINES]
    game = played(tiles, "bg-cap 0,-1 r2; pass", rules="mayors: true", headers="[gold 0,0 2]")
    assert (game.scores, figures(game)) == ((0, 0), set())
    assert (ingots(game), lying(game)) == ((0, 0), {"0,0": 2})


def test_gol_10_fields_and_barns_take_none():
    tiles = [
        *(START_LINE, "bg-straight -1,0 r0: B meeple Nw", "bg-cap 0,-1 r2; bg-monastery -1,-1 r0"),
        *("gm-roads-overpass 1,0 r0", "bg-monastery -2,-1 r0", "bg-straight -2,0 r0"),
    ]
    options = {"rules": "barns: true", "headers": "[gold -1,0 1, 0,0 1]"}
    game = played(tiles, "barn NE", turn="A acts", **options)
    assert game.scores == (0, 3)
    assert (ingots(game), lying(game)) == ((0, 0), {"-1,0": 1, "0,0": 1})


def test_gol_11_what_lies_there_at_the_end_is_lost():
    tiles = [start("A meeple N"), *MINES]
    game = played(tiles, "pass", turn="A acts", bag=(), headers="[gold 0,0 2, 1,0 1]")
    assert game.is_over
    assert (game.scores, ingots(game)) == ((1, 0), (0, 0))
    assert lying(game) == {"0,0": 2, "1,0": 1}


@pytest.mark.parametrize(
    ("n", "points"), [(0, 0), (1, 1), (3, 3), (4, 8), (6, 12), (7, 21), (9, 27), (10, 40), (15, 60)]
)
def test_gol_12_the_more_somebody_has_the_more_is_each_worth(n, points):
    assert at_the_end(ROW, headers=f"[ingots {n}:1]") == (points, 1)


def test_gol_12_it_is_a_row_of_its_own_in_what_the_game_scored():
    game = played(ROW, "pass", turn="A acts", bag=(), headers="[ingots 4:1]")
    assert score_log(game) == [("A", 8, Kind.GOLD), ("B", 1, Kind.GOLD)]


def test_gol_13_ingots_are_open_and_no_points_in_play():
    game = played([start("A meeple N"), *MINES], "bg-cap 0,-1 r2; pass", headers="[gold 0,0 2]")
    assert score_log(game) == [("A", 4, Kind.CITY)]
    assert (game.scores, game.standings) == ((4, 0), (6, 0))
    assert game.stock(0)["ingots"] == 2
    for seat in (0, 1):
        assert 0.2 in game.observe(seat)["globals"].round(3)


#: Seven of the eight tiles around a garden at (0, 1); `bg-straight 1,2 r0` is the last one.
GARDEN = (
    *(START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0", "bg-straight -1,1 r0"),
    *("bg-straight 1,1 r0", "bg-straight -1,2 r0", "bg-straight 0,2 r0"),
    *("bg-straight-garden 0,1 r0: A abbot mid", "gm-roads-overpass 2,0 r0"),
)


@pytest.mark.rule("GOL-14")
@pytest.mark.parametrize("tile", ["bg-curve -2,0 r3", "bg-straight 1,2 r0"])
def test_xgo_01_a_recall_collects_no_gold(tile):
    """A recall collects nothing even if the tile has just completed the garden."""
    options = {"rules": "abbot_recall_completed: allow", "headers": "[gold 0,1 1, -1,2 1]"}
    game = played(GARDEN, f"{tile}; recall", **options)
    assert game.scores[0] in (8, 9)
    assert (ingots(game), lying(game)) == ((0, 0), {"0,1": 1, "-1,2": 1})


@pytest.mark.rule("GOL-14")
def test_xgo_02_a_completed_garden_brings_the_gold_around():
    game = played(GARDEN, "bg-straight 1,2 r0; pass", headers="[gold 0,1 1, -1,2 1]")
    assert game.scores == (9, 0)
    assert (ingots(game), lying(game)) == ((2, 0), {})


#: A castle on (0, 1) and (0, 2), a road that ends in its fief, and a gold mine beside the road.
CASTLE = (
    *(START_LINE, "bg-cap 0,1 r2", "bg-cap 0,2 r0: {lords}", "bg-curve 1,0 r0"),
    *("bg-monastery-road 1,1 r1", "gm-monastery-curve 2,1 r2"),
)
CASTLES = "[castles 0,1 S]\n[tokens {}]\n[gold 0,2 1, 2,1 1]"


@pytest.mark.parametrize("takes", [True, False])
def test_gol_15_a_castle_takes_the_ingots_of_its_six_cells(takes):
    tiles = [line.format(lords="A meeple N") for line in CASTLE]
    rules = f"castles: true, gold_castle: {str(takes).lower()}"
    options = {"rules": rules, "headers": CASTLES.format("2:3")}
    game = played(tiles, "bg-monastery-road -1,0 r2; pass", **options)
    assert score_log(game) == [("A", 4, Kind.CASTLE)]
    assert ingots(game) == (int(takes), 0)
    assert lying(game) == ({"2,1": 1} if takes else {"0,2": 1, "2,1": 1})


@pytest.mark.rule("GOL-07")
def test_gol_15_all_its_lords_are_entitled():
    tiles = [line.format(lords="A meeple N, B meeple N") for line in CASTLE]
    headers = CASTLES.format("2:2").replace("0,2 1, 2,1 1", "0,2 2")
    game = played(tiles, "bg-monastery-road -1,0 r2; pass", rules="castles: true", headers=headers)
    assert (game.scores, ingots(game), lying(game)) == ((4, 4), (1, 1), {})


@pytest.mark.rule("GOL-08")
def test_gol_15_what_was_won_before_waits_while_a_lord_chooses():
    """B's road and a city are completed in the fief of A's castle."""
    tiles = [
        *(f"{START_LINE}: B meeple E", "bg-cap 0,1 r2", "bg-cap 0,2 r0: A meeple N"),
        *("bg-curve 1,0 r0", "bg-monastery-road 1,1 r1", "gm-monastery-curve 2,1 r2"),
        *("bg-curve -1,0 r3", "bg-monastery 1,2 r0", "bg-cap -1,2 r0"),
    ]
    options = {
        "rules": "castles: true, castle_choice: ask",
        "sets": "base, bridges, gold",
        "headers": CASTLES.format("2:3").replace("2,1 1", "1,1 1"),
    }
    game = played(tiles, "bcb-cap-road-bazaar -1,1 r2; pass", **options)
    assert asked(game) == "A CASTLE_CHOICE"
    assert [(pile.ingots, pile.seats) for pile in game.position().gold] == [(1, ()), (1, (1,))]
    then(reread(game), "take -1,1 S")
    then(game, "take -1,1 S")
    assert (game.scores, lying(game)) == ((4, 5), {})
    assert ingots(game) == (2, 0)


#: A shrine at (0, 1) and a monastery at (1, 1); `bcb-bazaar -1,2 r0` completes the shrine.
RIVALS = (
    *(START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0", "bg-straight 2,0 r0"),
    *("cu-shrine 0,1 r0: A meeple mid", "bg-monastery 1,1 r0: B meeple mid", "bg-cap -1,1 r3"),
    *("bg-cap 0,2 r2", "ic-cap-long 1,2 r2", "gm-roads-overpass 3,0 r0"),
)


@pytest.mark.rule("CULT-07")
def test_gol_16_the_loser_of_a_challenge_takes_nothing():
    options = {"rules": "shrines: true", "sets": "base, inns, bridges, cult, gold"}
    game = played(RIVALS, "bcb-bazaar -1,2 r0; pass", headers="[gold 1,2 1, 2,0 1]", **options)
    assert (game.scores, figures(game)) == ((9, 0), set())
    assert (ingots(game), lying(game)) == ((1, 0), {"2,0": 1})


def test_gol_18_the_dragon_leaves_gold():
    tiles = [START_LINE, "pd-straight-volcano -1,0 r0", "gm-roads-overpass 1,0 r0"]
    options = {"rules": "dragon: true", "sets": "base, princess, gold"}
    headers = "[dragon -1,0]\n[gold 0,0 1, 1,0 1]"
    game = played(tiles, "pd-straight-dragon 2,0 r0; pass", headers=headers, **options)
    then(game, "dragon 0,0; dragon 1,0; dragon 2,0")
    assert lying(game) == {"0,0": 1, "1,0": 1}


def test_gol_19_an_abbey_is_a_neighbour():
    tiles = [*(line for line in RING if " 1,2 " not in line), "am-abbey 0,1 r0"]
    options = {"rules": "abbeys: true", "headers": "[abbeys 0:1]"}
    game = played(tiles, "gm-monastery-curve 1,2 r1", **options)
    assert names(game) == {"ingot 0,1", "ingot 1,1", "ingot 0,2"}
    assert lying(then(game, "ingot 0,1")) == {"0,1": 1, "1,2": 1}


def test_gol_19_and_so_are_tiles_of_a_river():
    game = played(RIVER, "gm-monastery-corner 0,-1 r0", sets="base, river1, gold")
    assert names(game) == {"ingot 0,0", "ingot -1,0"}


def test_gol_19_and_those_of_carcassonne():
    options = {"rules": "count: true", "sets": "base, count, gold"}
    game = played(carcassonne(), "gm-corner-curve -2,2 r0", **options)
    assert names(game) == {"ingot -2,1", "ingot -1,1"}


@pytest.mark.rule("COU-12")
def test_gol_20_the_majority_after_the_moves_from_carcassonne_decides():
    city = ("bg-span -2,2 r0", "bg-span-shield -2,3 r0", "gm-roads-overpass -3,-1 r0")
    headers = ("[count market]", "[quarters B meeple castle, B meeple castle]", "[gold -2,2 1]")
    options = {"rules": "count: true", "sets": "base, count, gold", "headers": headers}
    game = played(carcassonne(*city, co_9="A meeple S"), "bg-cap -2,4 r0; pass", **options)
    then(game, "to -2,2; meeple N; to -2,2; meeple N")
    assert game.scores[0] == 0 < game.scores[1]
    assert (ingots(game), lying(game)) == ((0, 1), {})


@pytest.mark.rule("GOL-02")
def test_w2t_03_each_part_of_a_turn_brings_gold():
    tiles = [start("A meeple E"), "bg-straight 1,0 r0: A builder E"]
    options = {"rules": "builders: true", "bag": ("gm-two-curves", "bg-curve")}
    game = played(tiles, "gm-roads-overpass 2,0 r0; pass; gm-two-curves 3,0 r0", **options)
    assert game.position().first_part == (2, 0)
    assert lying(game) == {"1,0": 1, "2,0": 2, "3,0": 1}


@pytest.mark.rule("GOL-02")
def test_w2t_04_whoever_bought_a_gold_mine_chooses():
    options = {
        "rules": "bazaars: true, bazaar_mode: take",
        "sets": "base, bridges, gold",
        "bag": ("gm-roads-overpass", "bg-curve", "bg-curve"),
    }
    moves = "bcb-bazaar 0,1 r0; pass; pick 1; gm-roads-overpass 1,0 r0"
    game = played([START_LINE], moves, **options)
    assert (asked(game), names(game)) == ("B INGOT", {"ingot 0,0", "ingot 0,1"})
    assert game.position().is_bought


@pytest.mark.rule("BASE-05")
def test_w2t_08_a_gold_mine_that_is_put_aside_brings_nothing():
    ends = ("bg-cap 0,-1 r2", "bg-monastery-road 1,0 r0", "bg-monastery-road -1,0 r2")
    game = played([START_LINE, *ends], "pass", bag=("gm-span-straight", "bg-monastery"))
    assert game.position().aside.count("gm-span-straight") == 1
    assert (game.tile_in_hand, lying(game)) == ("bg-monastery", {})


@pytest.mark.parametrize(
    ("headers", "turn", "reason"),
    [
        ("[gold 5,5 1]", "A acts", "no tile lies at 5,5"),
        ("[gold 0,0 1, 0,0 1]", "A acts", "named twice"),
        ("[gold 0,0 17]", "A acts", "out of range"),
        ("[gold 0,0 3, 1,0 2]", "A acts", "GOL-02"),
        ("[gold 0,0 1 A]", "A acts", "GOL-07"),
        ("[gold 0,0 1]", "A lays", "GOL-03"),
        ("[gold 0,0 1 A, 1,0 1 A B]\n[takes A]", "A shares", "no choice of a tile"),
        ("[gold 0,0 1]", "A shares", "write both, or neither"),
        ("[gold 0,0]", "A acts", "expected ingots such as"),
        ("[ingots 1:2:3]", "A acts", "2 numbers"),
    ],
)
def test_gol_02_what_cannot_be_is_refused_with_a_reason(headers, turn, reason):
    tiles = [START_LINE, *MINES, "bg-straight 2,0 r0"]
    with pytest.raises(ValueError, match=reason):
        play(TABLE.position(tiles, turn=turn, headers=headers))
