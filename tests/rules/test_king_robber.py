"""KR: who becomes King and Robber Baron, what the markers are worth, and the tiles of the set."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.game.notation import format_position, parse_position
from carc_env.layout.observations import global_names
from carc_env.render import board_svg, board_text
from carc_env.rules import Rules
from carc_env.words import SEATS

from .looks import figures, names, score_log
from .positions import START_LINE, Table
from .scenario import START, play, play_to_the_end

pytestmark = pytest.mark.interpreted

TABLE = Table("king_robber: true", sets="base, traders, abbey, bridges, king")
position, played, at_the_end = TABLE.position, TABLE.played, TABLE.at_the_end

CLOSING = "bg-cap 0,-1 r2"
"""The tile that completes the city of the start tile."""
FILLER = "bg-monastery -1,-1 r0"
"""A tile beside that one that completes nothing."""

#: North-south city tiles with fields on both sides; the last two have a road in the west.
SPANS = (
    *("bg-span", "bg-span-shield", "bg-span-shield", "tb-span-wine"),
    *("bcb-span-bazaar", "bcb-span-monastery", "tb-span-wine-gate", "tb-span-grain-gate"),
)


def holder(game, marker):
    """Return the holder of a marker; the players' stock and the position must agree."""
    seats = [seat for seat in range(game.rules.n_players) if game.stock(seat)[marker]]
    assert getattr(game.position(), marker) == (seats[0] if seats else None)
    assert len(seats) <= 1
    return SEATS[seats[0]] if seats else None


def record(game, what):
    """Return the number of tiles of the largest city or longest road that every player sees."""
    (number,) = [
        number
        for name, number in zip(global_names(game.rules), game.observe()["globals"], strict=True)
        if name == what
    ]
    return round(10 * float(number))


def city(x, n_tiles, first_span=0, closes=True):
    """Return a column of city tiles that runs north from the road in the south."""
    south = START if x == 0 else "bg-cap-straight"
    spans = SPANS[first_span : first_span + n_tiles - 2]
    middle = [f"{span} {x},{-1 - k} r0" for k, span in enumerate(spans)]
    return [f"{south} {x},0 r0", *middle, *[f"bg-cap {x},{1 - n_tiles} r2"] * closes]


def road(y, n_tiles, closes=True):
    """Return a row of road tiles from west to east, at y = 0 or y = 1."""
    west, east = (("bg-monastery-road",) * 2, ("am-road-end-garden", "bcb-road-bazaar-inn"))[y]
    middle = [START_LINE] if y == 0 else ["bg-straight 0,1 r0"]
    middle += [f"bg-straight {x},{y} r0" for x in range(1, n_tiles - 2)]
    return [*middle, f"{west} -1,{y} r2", *[f"{east} {n_tiles - 2},{y} r0"] * closes]


# The set.


def test_kr_01_nobody_has_the_markers_at_first():
    game = Game("king-robber", seed=1)
    assert [game.stock(seat) for seat in (0, 1)] == [{"king": 0, "robber": 0}] * 2
    assert Game(Rules(sets=("base", "king")), seed=1).stock(0) == {}


@pytest.mark.rule("BASE-12")
def test_kr_01_the_crossing_spans_are_two_cities():
    tiles = (START_LINE, "kr-spans-crossing 0,-1 r0")
    game = played(tiles)
    assert {"meeple N", "meeple E"} <= names(game)
    game = played((f"{START_LINE}: B meeple N", *tiles[1:]), "bg-cap 0,-2 r2; pass")
    assert (game.scores, holder(game, "king"), record(game, "largest city")) == ((0, 6), "A", 3)


@pytest.mark.rule("SET-06")
def test_kr_01_without_the_switch_there_is_neither():
    game = play(
        position((START_LINE,), turn="A places bg-cap").replace("king_robber: true, ", ""),
        CLOSING,
        "pass",
    )
    assert (game.standings, game.stock(0)) == ((0, 0), {})
    with pytest.raises(ValueError, match="the rules have none"):
        play(position(city(0, 2), headers="[king A]").replace("king_robber: true, ", ""))


# Who gets the markers.


@pytest.mark.parametrize("seat", ["A", "B"])
def test_kr_02_who_completes_the_first_city_is_king(seat):
    game = played((f"{START_LINE}: B meeple N",), CLOSING, "pass", seat=seat)
    assert (game.scores, holder(game, "king"), holder(game, "robber")) == ((0, 4), seat, None)
    assert record(game, "largest city") == 2


def test_kr_02_everybody_sees_who_has_which_marker():
    game = played([*city(0, 2), *road(1, 3), FILLER], headers="[king B]\n[robber A]")
    assert format_position(parse_position(str(game))) == str(game)
    assert "[king B]\n[robber A]\n" in str(game)
    first, second, *_ = board_text(game.position()).splitlines()
    assert first.endswith("+ robber)") and second.endswith("+ king)")
    drawn = board_svg(game.position())
    cards = drawn.partition('data-seat="0"')[2].split('data-seat="1"')
    assert [['class="king"' in c, 'class="robber"' in c] for c in cards] == [
        [False, True],
        [True, False],
    ]
    seen = [
        dict(zip(global_names(game.rules), game.observe(s)["globals"], strict=True)) for s in (0, 1)
    ]
    for own, other in (seen, seen[::-1]):
        assert own["king 0"] == other["king 1"] == 1 - own["king 1"]
        assert own["robber 0"] == other["robber 1"] == 1 - own["robber 1"]
    assert (seen[0]["king 0"], seen[0]["robber 0"]) == (0, 1)


@pytest.mark.rule("KR-17")
@pytest.mark.parametrize("header", ["[king A]", "[robber A]", "[king C]", "[king x]"])
def test_kr_02_a_position_with_one_that_nobody_can_have_is_refused(header):
    with pytest.raises(ValueError, match=r"STOCK|seat"):
        played((START_LINE,), headers=header)


@pytest.mark.parametrize(("n_tiles", "king"), [(3, "A"), (4, "A"), (5, "B")])
def test_kr_03_only_a_larger_city_than_all_before_brings_the_king(n_tiles, king):
    tiles = [*city(0, 4), *city(1, n_tiles, first_span=2, closes=False)]
    game = played(tiles, f"bg-cap 1,{1 - n_tiles} r2; pass", seat="B", headers="[king A]")
    assert (holder(game, "king"), record(game, "largest city")) == (king, max(4, n_tiles))


def test_kr_03_who_has_him_keeps_him_with_a_larger_one_of_their_own():
    tiles = [*city(0, 2), *city(1, 3, closes=False)]
    game = played(tiles, "bg-cap 1,-2 r2; pass", headers="[king A]")
    assert (holder(game, "king"), record(game, "largest city")) == ("A", 3)


def test_kr_04_tiles_count_not_coats_of_arms_or_points():
    # Three tiles with two coats of arms, 10 points; four plain tiles, 8 points.
    arms = [START_LINE, "bg-span-shield 0,-1 r0", "am-cap-triangle-shield 0,-2 r2"]
    four = ["bg-cap-straight 1,0 r0", "bg-span 1,-1 r0", "tb-span-wine 1,-2 r0"]
    game = played([*arms, *four], "bg-cap 1,-3 r2; pass", seat="B", headers="[king A]")
    assert (holder(game, "king"), record(game, "largest city")) == ("B", 4)
    tiles = [*arms[:-1], *four, "bg-cap 1,-3 r2"]
    game = played(tiles, "am-cap-triangle-shield 0,-2 r2; pass", seat="B", headers="[king A]")
    assert (holder(game, "king"), record(game, "largest city")) == ("A", 4)


@pytest.mark.parametrize("knight", ["", ": A meeple N", ": B meeple N"])
def test_kr_05_owners_do_not_matter(knight):
    start, *others = city(0, 5, closes=False)
    game = played([start + knight, *others], "bg-cap 0,-4 r2; pass")
    assert (holder(game, "king"), record(game, "largest city")) == ("A", 5)


@pytest.mark.parametrize("seat", ["A", "B"])
def test_kr_06_who_completes_the_first_road_is_robber(seat):
    game = played(road(0, 3, closes=False), "bg-monastery-road 1,0 r0; pass", seat=seat)
    assert (holder(game, "robber"), holder(game, "king")) == (seat, None)
    assert (record(game, "longest road"), record(game, "largest city")) == (3, 0)


@pytest.mark.rule("KR-03")
@pytest.mark.parametrize(("n_tiles", "robber"), [(3, "A"), (4, "A"), (5, "B")])
def test_kr_06_only_a_longer_road_brings_the_robber(n_tiles, robber):
    tiles = [*road(0, 4), *road(1, n_tiles, closes=False)]
    place = f"bcb-road-bazaar-inn {n_tiles - 2},1 r0"
    game = played(tiles, place, "pass", seat="B", headers="[robber A]")
    assert (holder(game, "robber"), record(game, "longest road")) == (robber, max(4, n_tiles))


#: The three-way road and its ends.
THREE_WAY = (
    START_LINE,
    "am-road-three-way 0,1 r0",
    "bg-monastery-road 1,1 r0",
    "bg-monastery-road -1,1 r2",
)


@pytest.mark.rule("XCK-19")
def test_kr_07_every_tile_of_the_three_way_road_counts():
    assert holder(played(THREE_WAY[:2], "bg-monastery-road 1,1 r0; pass"), "robber") is None
    game = played(THREE_WAY, "am-road-end-garden 0,2 r1; pass")
    assert (holder(game, "robber"), record(game, "longest road")) == ("A", 4)


@pytest.mark.rule("BRI-16")
def test_kr_08_a_tile_counts_once_though_road_and_bridge_run_over_it():
    loop = (
        *("bg-monastery 0,1 r0", "bg-curve 1,1 r3", "bg-straight 1,2 r0 bridge NS"),
        *("bg-curve 2,1 r0", "bg-curve 1,3 r1", "bg-curve 0,3 r2", "bg-curve 0,2 r3"),
    )
    options = {"rules": "bridges: true", "headers": "[bridges 2:3]"}
    game = played((START_LINE, *loop), "bg-curve 2,2 r1; pass", **options)
    assert (holder(game, "robber"), record(game, "longest road")) == ("A", 7)


#: Six cities and nine roads are complete; the last tile completes nothing.
LAND = (
    *(START_LINE, "bg-caps-opposite 0,-1 r0", "bg-caps-opposite 0,-2 r0"),
    *("bg-caps-opposite-garden 0,-3 r0", "bg-cap 0,-4 r2"),
    *("bg-cap-straight 1,0 r0", "bg-cap 1,-1 r2", "bg-cap-straight 2,0 r0", "bg-cap 2,-1 r2"),
    *("bg-monastery-road -1,0 r2", "bg-junction 3,0 r0", "bg-junction 4,0 r0"),
    *("bg-junction 5,0 r1", "bg-crossroads 3,1 r0", "bg-junction 4,1 r1"),
    *("am-road-end-garden 3,2 r1", "bcb-road-bazaar-inn 2,1 r2", "bg-monastery-road 4,2 r1"),
    FILLER,
)


# What the markers are worth.


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize(
    ("headers", "scores"),
    [
        ("[king A]\n[robber B]", (6, 9)),
        ("[king B]\n[robber A]", (9, 6)),
        ("[king B]\n[robber B]", (0, 15)),
    ],
)
def test_kr_09_a_point_for_every_complete_city_or_road(headers, scores):
    assert at_the_end(LAND, headers=headers) == scores
    game = play_to_the_end(position(LAND, headers=headers))
    kinds = {(kind, points) for _, points, kind in score_log(game)}
    assert kinds == {(Kind.KING, 6), (Kind.ROBBER, 9)}


@pytest.mark.rule("KR-05")
def test_kr_09_they_come_on_top_of_all_other_points():
    tiles = [*city(0, 2), *city(1, 3, closes=False), FILLER]
    tiles[-2] += ": B meeple N"
    assert at_the_end(tiles, headers="[king A]") == (1, 2)


def test_kr_10_what_is_incomplete_does_not_count():
    eight = [*city(0, 7, closes=False), "bg-city3 0,-6 r0", "bcb-span-monastery 0,-7 r0"]
    assert len(eight) == 8
    game = played(eight, FILLER, "pass")
    assert (holder(game, "king"), holder(game, "robber"), record(game, "largest city")) == (
        None,
        None,
        0,
    )
    tiles = [*eight, *city(1, 2), FILLER]
    game = played(tiles, headers="[king A]")
    assert (game.standings, record(game, "largest city")) == ((1, 0), 2)
    assert at_the_end(tiles, headers="[king A]") == (1, 0)


@pytest.mark.rule("CAS-10", "XCK-18", "XW-13")
@pytest.mark.parametrize(("move", "king"), [("castle", None), ("score", "B")])
def test_kr_12_a_town_that_becomes_a_castle_makes_nobody_king(move, king):
    tiles = (f"{START_LINE}: A meeple N",)
    game = played(tiles, CLOSING, "pass", seat="B", rules="castles: true")
    assert (game.phase, holder(game, "king")) == (Phase.CASTLE, None)
    game.apply(move)
    assert (holder(game, "king"), record(game, "largest city")) == (king, 2 if king else 0)


@pytest.mark.rule("KR-03", "CAS-10")
@pytest.mark.parametrize(("n_tiles", "king"), [(2, "A"), (3, "B")])
def test_kr_12_what_is_the_largest_is_counted_without_the_castle(n_tiles, king):
    """One of two two-tile cities is already a castle when the turn player closes a third city."""
    tiles = [*city(0, 2), *city(1, 2), FILLER, *city(2, n_tiles, closes=False)]
    options = {"headers": "[castles 0,0 N]\n[tokens 2:3]\n[king A]", "rules": "castles: true"}
    before = played(tiles, seat="B", **options)
    assert (record(before, "largest city"), before.standings) == (2, (1, 0))
    game = played(tiles, f"bg-cap 2,{1 - n_tiles} r2; pass", seat="B", **options)
    assert (holder(game, "king"), record(game, "largest city")) == (king, n_tiles)
    assert game.standings == ((2, 0) if king == "A" else (0, 2))


@pytest.mark.rule("CAS-10")
def test_kr_12_nor_does_it_count_at_the_end():
    tiles = [*city(0, 2), *city(1, 2), FILLER]
    headers = "[castles 0,0 N]\n[tokens 2:3]\n[king B]"
    assert at_the_end(tiles, headers=headers, rules="castles: true") == (0, 1)
    assert at_the_end(tiles, headers="[king B]", rules="castles: true") == (0, 2)


@pytest.mark.parametrize(
    ("n_old", "n_north", "king"), [(4, 6, "B"), (4, 5, "B"), (5, 5, "A"), (6, 5, "A")]
)
def test_kr_13_of_several_cities_the_largest_decides(n_old, n_north, king):
    # The tile closes a three-tile city in the south and a larger city in the north.
    south, *north = SPANS[n_old - 2 : n_old - 2 + 1 + n_north - 2]
    tiles = [START_LINE, f"{south} 0,-1 r0", *city(1, n_old)]
    tiles += [f"{span} 0,{-3 - k} r0" for k, span in enumerate(north)]
    tiles += [f"bg-cap 0,{-1 - n_north} r2"]
    game = played(tiles, "bg-caps-opposite 0,-2 r0; pass", seat="B", headers="[king A]")
    assert (holder(game, "king"), record(game, "largest city")) == (king, max(n_old, n_north))


@pytest.mark.rule("KR-06")
def test_kr_13_one_tile_may_bring_both():
    row = (START_LINE, "bg-monastery-road -1,0 r2", "bg-straight 1,0 r0", "bg-monastery 1,-1 r0")
    ends = ("bg-cap 2,-1 r2", "bg-monastery 3,-1 r0", "bg-monastery-road 3,0 r0")
    game = played((*row, *ends), "bg-cap-straight 2,0 r0; pass")
    assert (holder(game, "king"), holder(game, "robber")) == ("A", "A")


#: A hole at 0,-1 with the start tile's cap to the south and a seven-tile road to the east.
HOLE = (
    *(START_LINE, "bg-curve -1,0 r3", "bg-monastery -1,-1 r0", "bg-monastery -1,-2 r0"),
    *("bg-monastery 0,-2 r0", "bg-curve 1,0 r0", "bg-straight 1,-1 r0", "bg-straight 2,-1 r0"),
    *("bg-straight 3,-1 r0: B meeple E", "bg-straight 4,-1 r0", "bg-straight 5,-1 r0"),
    *("bg-straight 6,-1 r0", "bg-monastery-road 7,-1 r0"),
)


@pytest.mark.rule("ABB-09")
def test_kr_14_what_an_abbey_closes_counts_for_who_placed_it():
    game = played(HOLE, "pass; am-abbey 0,-1 r0", seat="B", rules="abbeys: true")
    assert holder(game, "robber") is None
    game.apply("pass")
    assert (game.scores, holder(game, "robber"), record(game, "longest road")) == ((0, 7), "A", 7)
    assert (holder(game, "king"), record(game, "largest city")) == ("A", 1)
    assert figures(game) == set()


@pytest.mark.rule("KR-02")
def test_kr_15_they_change_hands_after_the_scoring():
    tiles = [*city(0, 2), *city(1, 3, closes=False)]
    tiles[2] += ": A meeple N"
    turn = {"turn": "B places bg-cap", "headers": "[king A]"}
    game = played(tiles, "bg-cap 1,-2 r2", **turn)
    assert holder(game, "king") == "A"
    game.apply("pass")
    assert (score_log(game), holder(game, "king")) == ([("A", 6, Kind.CITY)], "B")


@pytest.mark.rule("WAG-04")
def test_kr_15_and_before_the_wagons_move():
    tiles = (f"{START_LINE}: A wagon N", "bg-monastery 0,1 r0")
    game = played(tiles, CLOSING, "pass", seat="B", rules="wagons: true")
    assert (game.phase, SEATS[game.decider], holder(game, "king")) == (Phase.WAGON, "A", "B")


@pytest.mark.rule("KR-09")
@pytest.mark.parametrize(
    ("scoring", "one_each", "both", "alone"),
    [
        ("per_feature", (6, 9), (15, 0), (0, 1)),
        ("ten_each", (10, 10), (20, 0), (0, 10)),
        ("fifteen_forty", (15, 15), (40, 0), (0, 15)),
        ("running", (0, 0), (0, 0), (0, 0)),
    ],
)
def test_kr_16_other_scorings_at_the_end(scoring, one_each, both, alone):
    rules = f"king_robber_scoring: {scoring}"
    assert at_the_end(LAND, headers="[king A]\n[robber B]", rules=rules) == one_each
    assert at_the_end(LAND, headers="[king A]\n[robber A]", rules=rules) == both
    no_city = [*road(0, 3), "bg-monastery 0,1 r0"]
    assert at_the_end(no_city, headers="[robber B]", rules=rules) == alone


@pytest.mark.rule("KR-15")
@pytest.mark.parametrize("n_north", [3, 4])
def test_kr_16_running_points_go_to_who_had_the_marker(n_north):
    # B closes two cities at once. If the larger one has four tiles, B becomes King.
    tiles = [START_LINE, *city(1, 3), "bg-monastery 1,-3 r0"]
    tiles += [f"{span} 0,{-2 - k} r0" for k, span in enumerate(SPANS[1 : n_north - 1])]
    tiles += [f"bg-cap 0,{-n_north} r2"]
    options = {"headers": "[king A]", "rules": "king_robber_scoring: running"}
    game = played(tiles, "bg-caps-opposite 0,-1 r0; pass", seat="B", **options)
    assert score_log(game) == [("A", 2, Kind.KING)]
    assert (game.scores, holder(game, "king")) == ((2, 0), "B" if n_north == 4 else "A")


def test_kr_16_the_first_completion_gives_nobody_running_points():
    game = played(START_LINE, CLOSING, "pass", rules="king_robber_scoring: running")
    assert (game.scores, score_log(game), holder(game, "king")) == ((0, 0), [], "A")


@pytest.mark.parametrize("scoring", ["per_feature", "ten_each", "fifteen_forty", "running"])
def test_kr_17_without_a_city_or_road_nobody_has_them(scoring):
    tiles = (START_LINE, "bg-monastery 0,1 r0")
    rules = f"king_robber_scoring: {scoring}"
    assert at_the_end(tiles, rules=rules) == (0, 0)
    game = play_to_the_end(position(tiles, rules=rules))
    assert (holder(game, "king"), holder(game, "robber")) == (None, None)
