"""TOW: towers, their floors and what they capture, prisoners and ransom."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.position import Prisoner
from carc_env.rules import Rules

from .looks import bag_of, figures, in_supply, meeples, names, offered
from .positions import START_LINE, Table, reread, then
from .scenario import play

pytestmark = pytest.mark.interpreted

TABLE = Table("towers: true", sets="base, tower")
played, at_the_end = TABLE.played, TABLE.at_the_end

FLOORS = {2: 10, 3: 9, 4: 7, 5: 6, 6: 5}


def headers(*towers, prisoners="", n_players=2):
    """Return the headers for towers, floors and prisoners.

    If there are prisoners, the default is one tower at (0, 1). Every captor except A has placed one
    floor for each of their prisoners; A has placed all other floors.
    """
    held = [prisoner.split()[0] for prisoner in prisoners.split(", ") if prisoner]
    if held and not towers:
        towers = (f"0,1 {len(held)}",)
    put = [held.count(seat) for seat in "ABCDEF"[:n_players]]
    put[0] = sum(int(tower.split()[1]) for tower in towers) - sum(put[1:])
    found = [f"[floors {':'.join(str(FLOORS[n_players] - n) for n in put)}]"]
    found += [f"[towers {', '.join(towers)}]"] if towers else []
    return [*found, f"[prisoners {prisoners}]"] if prisoners else found


def around(north="", tower="", east="", south="", west=""):
    """Return a foundation at (0, 1) and a tile on each side of it, with figures."""
    return [
        f"{START_LINE}: {north}",
        f"to-field-garden 0,1 r0: {tower}",
        f"bg-monastery 1,1 r0: {east}",
        f"bg-cap 0,2 r2: {south}",
        f"bg-cap -1,1 r3: {west}",
    ]


TWO_TOWERS = (START_LINE, "to-field-garden 0,1 r0", "to-monastery 0,2 r0")
FLOOR = "to 0,1; floor 0,1"
TAKE_NORTH = f"{FLOOR}; to 0,0; remove 0,0 E"


def prisoners(game):
    return [(p.captor, p.seat, p.figure) for p in game.position().prisoners]


@pytest.mark.rule("TILE-01")
@pytest.mark.parametrize("n_players", FLOORS)
def test_tow_01_eighteen_tiles_and_a_share_of_thirty_floors(n_players):
    game = Game(Rules.preset("tower", n_players=n_players), seed=1)
    hands = [game.stock(seat)["floors"] for seat in range(n_players)]
    assert hands == [FLOORS[n_players]] * n_players
    drawn = bag_of(game)
    assert len(drawn) == 89
    assert sum(tile.startswith("to-") for tile in drawn) == 18
    assert all(row["tower"] for row in FACTS if row["set"] == "tower")


@pytest.mark.rule("TOW-03")
def test_tow_02_any_tower_may_grow_whatever_tile_was_placed():
    far = [f"bg-straight {x},0 r0" for x in range(1, 7)]
    game = played([*around(), *far], "bg-curve 7,0 r0")
    assert "to 0,1" in names(game)
    assert then(game, FLOOR).position().towers[0].height == 1
    assert game.turn_player == 1


def test_tow_04_floors_come_from_the_own_supply():
    game = played(around(), turn="A acts", headers=["[floors 1:9]", "[towers 0,1 10]"])
    then(game, FLOOR)
    assert [game.stock(seat)["floors"] for seat in (0, 1)] == [0, 9]
    game = played(around(), turn="A acts", headers=["[floors 0:9]", "[towers 0,1 11]"])
    assert names(then(game, "to 0,1")) == {"top meeple 0,1"}


def test_tow_05_everybody_builds_on_every_tower():
    game = played(around(), seat="B", headers=headers("0,1 3"))
    assert then(game, FLOOR).position().towers[0].height == 4


FIELD_OF_B = "B meeple Nw"


def in_range(height):
    """Return the cells where a tower of the given height can capture somebody."""
    tiles = around("B meeple N", FIELD_OF_B, "B meeple mid", "B meeple S", "A meeple W")
    tiles += [
        "bg-monastery 2,1 r0: B meeple mid; bg-monastery 3,1 r0: B meeple mid",
        "bg-monastery 1,2 r0: B meeple mid",
    ]
    game = played(tiles, FLOOR, headers=headers(*([f"0,1 {height - 1}"] if height > 1 else [])))
    return {name.removeprefix("to ") for name in names(game) - {"pass"}}


def test_tow_06_the_range_is_the_height_in_four_directions():
    near = {"0,0", "0,1", "1,1", "0,2", "-1,1"}
    assert in_range(1) == near
    assert in_range(2) == {*near, "2,1"}
    assert in_range(3) == {*near, "2,1", "3,1"}
    assert in_range(7) == in_range(3)


@pytest.mark.parametrize("between", ["", "to-monastery 0,2 r0"])
def test_tow_07_it_passes_over_empty_cells_and_towers(between):
    tiles = [
        START_LINE,
        "to-field-garden 0,1 r0",
        between,
        "bg-monastery 1,1 r0",
        "bg-monastery 1,2 r0",
        "bg-monastery 1,3 r0; bg-monastery 0,3 r0: B meeple mid",
    ]
    towers = ["0,1 1", *(["0,2 4"] if between else [])]
    assert "to 0,3" in names(played(tiles, FLOOR, headers=headers(*towers)))


def test_tow_08_nobody_has_to_be_captured():
    game = played(around("B meeple E"), FLOOR)
    assert game.phase == Phase.CAPTURE
    assert names(reread(game)) == {"pass", "to 0,0"}
    then(game, "pass")
    assert (game.turn_player, prisoners(game)) == (1, [])
    assert figures(game) == {"B meeple 0,0 E"}


@pytest.mark.rule("XTO-01", "TOW-06")
def test_tow_09_only_meeples_are_captured():
    rules = "builders: true, pigs: true, barns: true"
    tiles = [*around("B builder E"), "bg-straight 1,0 r0; bg-straight 2,0 r0: B meeple E"]
    assert played(tiles, FLOOR, rules=rules).turn_player == 1
    tiles = [*around(tower="A barn SE"), "bg-monastery 1,2 r0"]
    assert played(tiles, FLOOR, rules=rules).turn_player == 1


@pytest.mark.rule("TOW-09")
def test_hs_28_a_shepherd_is_no_prisoner():
    game = played(
        around("B shepherd En"),
        FLOOR,
        rules="shepherds: true",
        sets="base, hills, tower",
        headers=[*headers(), "[sheep B 2]"],
    )
    assert (game.turn_player, len(figures(game))) == (1, 1)


@pytest.mark.rule("TOW-10", "TOW-22")
@pytest.mark.parametrize("is_safe", [False, True])
def test_tow_20_a_low_tower_takes_a_meeple_off_a_high_one(is_safe):
    tiles = [*TWO_TOWERS, "bg-straight -1,0 r0"]
    rules = f"tower_top_capture: {'forbid' if is_safe else 'allow'}"
    game = played(tiles, FLOOR, rules=rules, headers=headers("0,2 5 B meeple"))
    if is_safe:
        assert game.turn_player == 1
        return
    then(game, "to 0,2")
    assert names(reread(game)) == {"unseat 0,2"}
    then(game, "unseat 0,2")
    assert prisoners(game) == [(0, 1, Figure.MEEPLE)]
    assert meeples(game, "B") == 6
    tower = game.position().towers[1]
    assert (tower.height, tower.figure) == (5, None)


@pytest.mark.rule("TOW-22")
def test_tow_10_an_own_meeple_comes_home_and_the_tower_is_open_again():
    tiles = [*TWO_TOWERS, "bg-straight -1,0 r0"]
    game = played(
        tiles, f"{FLOOR}; to 0,2; unseat 0,2", headers=headers("0,2 5 A meeple"), bag=("bg-curve",)
    )
    assert meeples(game, "A") == 7
    then(game, "bg-curve 1,0 r0")
    assert "to 0,2" in names(game)


def test_tow_11_a_foreign_meeple_becomes_a_prisoner():
    game = played(around("B meeple E"), TAKE_NORTH)
    assert prisoners(game) == [(0, 1, Figure.MEEPLE)]
    assert (meeples(game, "B"), figures(game), game.scores) == (6, set(), (0, 0))
    assert game.position() == reread(game).position()


def test_tow_12_an_own_meeple_goes_home():
    game = played(around("A meeple E"), TAKE_NORTH)
    assert (meeples(game, "A"), prisoners(game)) == (7, [])


def test_tow_13_the_capture_comes_before_scoring():
    take = f"bg-cap 0,-1 r2; {FLOOR}; to 0,0; remove 0,0 N"
    game = played(around("B meeple N"), take)
    assert game.scores == (0, 0)
    game = played(around("B meeple N"), "bg-cap 0,-1 r2; pass")
    assert game.scores == (0, 4)


FLYING = Table("towers: true, dragon: true", sets="base, tower, princess")


def test_tow_14_the_flight_comes_after_the_capture():
    tiles = [*around("B meeple E"), "pd-curve-volcano 1,0 r1"]
    table = ["[dragon 1,0]", *headers()]
    game = FLYING.played(tiles, "pd-curve-dragon -1,0 r2", FLOOR, headers=table)
    assert game.phase == Phase.CAPTURE
    then(game, "to 0,0; remove 0,0 E")
    assert game.phase == Phase.FLIGHT


@pytest.mark.parametrize("is_alone", [True, False])
def test_tow_15_a_builder_left_alone_goes_home(is_alone):
    tiles = [
        *around("B meeple E", west="" if is_alone else "A meeple W"),
        "bg-straight 1,0 r0: B builder E",
    ]
    game = played(tiles, TAKE_NORTH, rules="builders: true")
    assert in_supply(game, "B", Figure.BUILDER) == 1


@pytest.mark.rule("TOW-18", "XTO-02", "XTO-04", "XTO-07", "XW-15")
def test_tow_16_a_meeple_closes_a_tower():
    rules = "large_meeples: true, mayors: true, wagons: true, barns: true, builders: true"
    game = played(around(), "to 0,1", rules=rules, headers=headers("0,1 1"))
    assert names(reread(game)) == {"floor 0,1", "top meeple 0,1", "top large 0,1"}
    then(game, "top large 0,1")
    assert in_supply(game, "A", Figure.LARGE) == 0
    tower = game.position().towers[0]
    assert (tower.seat, tower.figure, tower.height) == (0, Figure.LARGE, 1)
    closed = played(around(), headers=headers("0,1 1 B meeple"))
    assert "to 0,1" not in names(closed)


def test_tow_17_nobody_stands_on_a_bare_foundation():
    assert names(played(around(), "to 0,1")) == {"floor 0,1"}


@pytest.mark.rule("TOW-31")
def test_tow_19_meeples_on_towers_and_prisoners_score_nothing():
    table = headers("0,1 3 A meeple", prisoners="A holds B meeple, A holds B meeple")
    assert at_the_end(around("A meeple E"), headers=table) == (1, 0)


def test_tow_21_the_dragon_may_spare_the_meeple_on_a_tower():
    tiles = [START_LINE, "to-field-garden 0,1 r0", "pd-curve-volcano 1,0 r0"]
    table = ["[dragon 1,0]", *headers("0,1 3 B meeple")]
    moves = "pd-curve-dragon 1,-1 r1; pass; dragon 0,0; dragon 0,1"
    game = FLYING.played(tiles, moves, rules="tower_top_dragon: forbid", headers=table)
    tower = game.position().towers[0]
    assert (tower.height, tower.seat, meeples(game, "B")) == (3, 1, 6)


def test_tow_23_prisoners_are_exchanged_at_once():
    game = played(around("B meeple E"), TAKE_NORTH, headers=headers(prisoners="B holds A meeple"))
    assert prisoners(game) == []
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)
    with pytest.raises(ValueError, match="TOWERS"):
        TABLE.played(around(), headers=headers(prisoners="B holds A meeple, A holds B meeple"))


@pytest.mark.parametrize("kind", ["meeple", "large"])
def test_tow_24_who_captures_chooses_the_kind_that_comes_back(kind):
    held = "B holds A large, B holds A meeple, B holds A meeple"
    game = played(
        around("B meeple E"),
        TAKE_NORTH,
        rules="large_meeples: true",
        headers=headers(prisoners=held),
    )
    assert (game.phase, game.decider) == (Phase.EXCHANGE, 0)
    assert names(reread(game)) == {"exchange meeple", "exchange large"}
    then(game, f"exchange {kind}")
    left = game.position().prisoners
    assert len(left) == 2
    assert Prisoner(1, 0, Figure.MEEPLE) in left
    assert in_supply(game, "A", Figure.LARGE) == (kind == "large")
    assert meeples(game, "B") == 7


HELD = headers(prisoners="B holds A meeple, B holds A meeple")


@pytest.mark.rule("TOW-30")
def test_tow_25_a_prisoner_is_bought_back_for_three_points():
    game = played(around(), "ransom meeple from B", scores="10:5", headers=HELD)
    assert (game.scores, meeples(game, "A")) == ((7, 8), 6)
    assert game.last_scores == ()
    assert game.phase == Phase.FIGURE
    assert reread(game).position().has_ransomed


@pytest.mark.rule("TOW-28")
def test_tow_29_the_meeple_may_be_placed_at_once():
    held = headers(prisoners=", ".join(["B holds A meeple"] * 7))
    game = played(around(), scores="3:0", headers=held)
    assert not offered(game, "meeple")
    assert offered(then(game, "ransom meeple from B"), "meeple")


@pytest.mark.parametrize("is_early", [True, False])
def test_tow_25_the_ransom_may_come_before_the_tile(is_early):
    rules = f"ransom_timing: {'turn_start' if is_early else 'figure'}"
    game = played(around(), turn="A places bg-curve", scores="10:5", rules=rules, headers=HELD)
    assert ("ransom meeple from B" in names(game)) == is_early
    if is_early:
        then(game, "ransom meeple from B")
        assert game.phase == Phase.PLACE_TILE
        then(game, "bg-curve 1,0 r1")
        assert "ransom meeple from B" not in names(game)


def test_tow_26_once_in_a_turn_of_two_parts():
    tiles = [*around("A builder E"), "bg-straight -1,0 r0: A meeple E"]
    game = played(
        tiles,
        "bg-straight 1,0 r0; ransom meeple from B",
        rules="builders: true",
        scores="10:5",
        headers=HELD,
        bag=("bg-straight", "bg-straight"),
    )
    assert "ransom meeple from B" not in names(game)
    then(game, "pass; bg-straight 2,0 r0")
    assert "ransom meeple from B" not in names(game)
    assert game.position().first_part == (1, 0)
    again = then(game, "pass; bg-straight 3,0 r0")
    assert (again.turn_player, again.position().has_ransomed) == (1, False)


@pytest.mark.rule("BAZ-15", "BAZ-20")
def test_tow_26_a_bazaar_between_the_parts_has_ransoms_of_its_own():
    tiles = [*around("A builder E"), "bg-straight -1,0 r0: A meeple E"]
    game = played(
        tiles,
        "bcb-roads-bazaar 1,0 r0; ransom meeple from B; pass",
        rules="builders: true, bazaars: true, bazaar_mode: take, sets: [base, tower, bridges]",
        scores="10:5",
        headers=headers(prisoners="B holds A meeple, B holds A meeple, B holds A meeple"),
        bag=("bg-monastery", "bg-monastery", "bg-straight", "bg-straight"),
    )
    bazaar = reread(game).position().bazaar
    assert (bazaar.owed, bazaar.owed_ransomed) == ((1, 0), True)
    then(game, "pick 1; bg-monastery -1,-1 r0; pass; pick 1; bg-monastery 1,-1 r0")
    assert "ransom meeple from B" in names(game)
    then(game, "pass")
    assert (game.turn_player, game.position().has_ransomed) == (0, True)
    then(game, "bg-straight 2,0 r0")
    assert "ransom meeple from B" not in names(game)


def test_tow_27_a_large_meeple_costs_the_same():
    game = played(
        around(),
        "ransom large from B",
        rules="large_meeples: true",
        scores="10:5",
        headers=headers(prisoners="B holds A large"),
    )
    assert game.scores == (7, 8)


def test_tow_28_three_points_must_be_there():
    assert "ransom meeple from B" not in names(played(around(), scores="2:0", headers=HELD))


def test_tow_32_a_tower_does_not_touch_other_features():
    game = played([START_LINE], "to-cap 0,-1 r2")
    assert {"S", "Nw"} <= offered(game, "meeple")


@pytest.mark.rule("XTO-08")
def test_tow_33_lords_are_out_of_range():
    tiles = [*around("B meeple N"), "bg-cap 0,-1 r2", "bg-straight 1,0 r0"]
    table = [*headers(), "[tokens 3:2]", "[castles 0,0 N]"]
    game = played(tiles, FLOOR, rules="castles: true", headers=table)
    assert game.turn_player == 1


def test_tow_34_foundations_part_the_roads_of_the_older_wagon():
    parted = ("to-curve-split", "to-junction", "to-crossroads", "to-cap-road")
    rows = {row["id"]: row for row in FACTS}
    assert not any("links" in rows[tile] for tile in parted)
    assert rows["to-city3-gate"]["links"] == [["c0", "r0"]]


@pytest.mark.rule("XTO-03", "XTO-06", "HOUSE-02", "WAG-16")
@pytest.mark.parametrize("is_safe", [True, False])
def test_tow_35_mayors_wagons_and_abbots_are_captured(is_safe):
    rules = f"mayors: true, wagons: true, house_mayor_safe_tower: {str(is_safe).lower()}"
    tiles = around("B mayor N", "B abbot mid", "B wagon mid")
    for cell, figure in (("0,1", "abbot mid"), ("1,1", "wagon mid"), ("0,0", "mayor N")):
        game = played(tiles, FLOOR, rules=rules)
        assert (f"to {cell}" in names(game)) == (not is_safe or "mayor" not in figure)
        if f"to {cell}" in names(game):
            kind, spot = figure.split()
            then(game, f"to {cell}; remove {cell} {spot}")
            assert prisoners(game) == [(0, 1, Figure[kind.upper()])]
            assert game.turn_player == 1


def test_house_03_wagons_may_be_safe():
    rules = "wagons: true, house_wagon_safe: true"
    assert played(around(east="B wagon mid"), FLOOR, rules=rules).turn_player == 1


@pytest.mark.rule("XTO-05", "BRI-24", "XW-08")
def test_tow_36_bridges_and_towers_share_a_tile():
    tiles = [START_LINE, "to-field-garden 0,1 r0 bridge EW: B meeple E", "bg-cap 0,2 r2"]
    table = [*headers("0,1 2"), "[bridges 2:3]"]
    game = played(tiles, FLOOR, rules="bridges: true", headers=table)
    assert names(game) == {"pass", "to 0,1"}
    tiles = [START_LINE, "to-field-garden 0,1 r0", "bg-cap 0,2 r2"]
    game = played(tiles, rules="bridges: true", headers=[*headers("0,1 2"), "[bridges 3:3]"])
    assert "bridge 0,1 EW" in names(game)


@pytest.mark.rule("XTO-09")
def test_tow_36_a_tile_with_a_foundation_can_be_half_of_a_castle():
    game = played([f"{START_LINE}: B meeple N"], "to-cap 0,-1 r2; pass", rules="castles: true")
    assert names(game) == {"castle", "score"}


@pytest.mark.rule("W1T-02")
def test_tow_37_a_floor_and_a_meeple_on_a_tower_are_the_figure_action():
    for move in ("floor 0,1", "top meeple 0,1"):
        game = played(around(tower="A abbot mid"), headers=headers("0,1 1"))
        assert "recall" in names(game)
        then(game, f"to 0,1; {move}")
        if game.phase == Phase.CAPTURE:
            assert "recall" not in names(game)
            then(game, "pass")
        assert game.turn_player == 1


def test_xw_02_the_second_part_stays_when_the_builder_is_sent_home():
    tiles = [*around("A meeple E"), "bg-straight -1,0 r0: A builder E"]
    game = played(
        tiles,
        f"bg-straight 1,0 r0; {TAKE_NORTH}",
        rules="builders: true",
        bag=("bg-straight", "bg-straight"),
    )
    assert in_supply(game, "A", Figure.BUILDER) == 1
    assert (game.turn_player, game.position().first_part) == (0, (1, 0))


@pytest.mark.rule("W1T-05")
def test_xw_10_a_monk_in_an_abbey_is_in_range():
    tiles = [
        START_LINE,
        "to-field-garden 0,1 r0; bg-monastery 1,1 r0; bg-monastery -1,1 r0",
        "bg-monastery 1,2 r0; bg-monastery -1,2 r0",
        "bg-cap 0,3 r2; bg-cap 1,3 r2",
        "am-abbey 0,2 r0: B meeple mid",
    ]
    table = [*headers(), "[abbeys 0:1]"]
    game = played(tiles, FLOOR, rules="abbeys: true", headers=table)
    assert names(game) == {"pass", "to 0,2"}


# --- With the dragon and the fairy ---------------------------------------------------------------

WITH_DRAGON = {"rules": "dragon: true", "sets": "base, princess, tower"}


@pytest.mark.rule("TOW-21", "TOW-31")
def test_pd_22_the_dragon_does_not_reach_prisoners_and_supplies():
    tiles = [f"{START_LINE}: B meeple E", "to-monastery 0,1 r0", "pd-straight-volcano 1,0 r0"]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0; pass; dragon 0,0; dragon 0,1",
        headers=["[dragon 1,0]", *headers("0,1 2 A meeple", prisoners="A holds B large")],
        **{**WITH_DRAGON, "rules": "dragon: true, large_meeples: true"},
    )
    assert game.phase == Phase.PLACE_TILE
    tower = game.position().towers[0]
    assert (tower.height, tower.seat, meeples(game, "A"), meeples(game, "B")) == (2, None, 7, 7)
    assert prisoners(game) == [(0, 1, Figure.LARGE)]
    assert [in_supply(game, seat, Figure.LARGE) for seat in "AB"] == [1, 0]


WITH_FAIRY = {"sets": "base, princess, tower", "bag": ("bg-curve",) * 4}
TO_TOP = "to 0,1; fairy top 0,1"


def beside_top(*moves, placement="next_to", others="", tower="", top="A meeple"):
    """Play a turn of A with a meeple on the tower, the fairy and the dragon."""
    return played(
        around(tower=tower),
        *moves,
        rules=f"dragon: true, fairy: true, fairy_placement: {placement}, {others}".rstrip(", "),
        headers=headers(f"0,1 2 {top}"),
        **WITH_FAIRY,
    )


@pytest.mark.rule("PD-31", "PD-32", "PD-34")
def test_pd_42_the_fairy_comes_to_a_meeple_on_a_tower():
    game = beside_top("to 0,1", tower="A meeple Nw")
    assert names(game) == {"fairy 0,1 Nw", "fairy top 0,1"}
    then(game, "fairy top 0,1")
    assert (reread(game).position().fairy, game.position().fairy_on_top) == ((0, 1), True)
    assert (game.turn_player, game.scores) == (1, (0, 0))
    then(game, "bg-curve 1,0 r1; pass")
    assert game.scores == (1, 0)
    then(game, "bg-curve 2,1 r2; to 0,1")
    assert names(game) == {"fairy 0,1 Nw"}
    then(game, "fairy 0,1 Nw; bg-curve -1,0 r2; pass")
    assert (game.position().fairy_on_top, game.scores) == (False, (2, 0))
    assert "to 0,1" not in names(beside_top(top="B meeple"))


@pytest.mark.rule("PD-35")
def test_pd_42_on_the_tile_the_meeple_on_the_tower_counts_too():
    game = beside_top(tower="A meeple Nw", placement="on_tile")
    then(game, "to 0,1")
    assert names(game) == {"fairy 0,1 Nw"}
    then(game, "fairy 0,1 Nw; bg-curve 1,0 r1; pass")
    assert game.scores == (2, 0)
    assert beside_top(f"{TO_TOP}; bg-curve 1,0 r1; pass", placement="on_tile").scores == (1, 0)
    forbidden = {"placement": "on_tile", "others": "fairy_on_tower: forbid"}
    game = beside_top("to 0,1; fairy 0,1 Nw", tower="A meeple Nw", **forbidden)
    assert then(game, "bg-curve 1,0 r1; pass").scores == (1, 0)


def test_pd_42_or_she_keeps_to_the_ground():
    game = beside_top(others="fairy_on_tower: forbid")
    assert "to 0,1" not in names(game)


@pytest.mark.rule("PD-40", "PD-12", "PD-33")
def test_pd_42_her_meeple_is_captured_and_she_stays():
    tiles = [
        *(START_LINE, "to-field-garden 0,1 r0", "to-monastery 0,2 r0", "bg-straight 1,0 r0"),
        "pd-volcano 1,1 r0",
    ]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0",
        seat="B",
        rules="dragon: true, fairy: true",
        headers=["[fairy 0,1 top]", "[dragon 1,1]", *headers("0,1 2 A meeple")],
        **WITH_FAIRY,
    )
    then(game, "to 0,2; floor 0,2; to 0,1; unseat 0,1")
    assert (game.position().fairy, game.position().fairy_on_top) == ((0, 1), False)
    assert names(game) == {"dragon 1,0"}  # not onto the fairy's cell
    assert prisoners(game) == [(1, 0, Figure.MEEPLE)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("2 A meeple", "2"), "no meeple stands on a tower there"),
        (("fairy: true", "fairy: true, fairy_on_tower: forbid"), "do not let it stand beside"),
        (("fairy: true", "fairy: true, fairy_placement: on_tile"), "do not let it stand beside"),
    ],
)
def test_pd_42_positions_that_cannot_be(change, words):
    text = TABLE.position(
        around(),
        turn="A places bg-curve",
        rules="fairy: true",
        sets="base, princess, tower",
        headers=["[fairy 0,1 top]", *headers("0,1 2 A meeple")],
    )
    play(text)
    with pytest.raises(ValueError, match=words):
        play(text.replace(*change))
