"""TRA: builders, pigs and trade goods, and their effect on abbots, abbeys, barns and castles."""

from __future__ import annotations

from collections import Counter

import pytest

from carc_env.engine.core.codes import Figure, Good, Kind, Phase
from carc_env.engine.core.tiles import DESIGN, ROWS
from carc_env.rules import Rules
from carc_env.words import SEATS
from tests.goods import goods_of

from .figures_page import FIELD_POINTS
from .looks import abbots, builders, figures, in_supply, meeples, names, offered, score_log
from .positions import JOIN, LAND, START_LINE, Table, by_cell, first_place, then, without
from .scenario import ABBEY, TILES, in_order, play, play_to_the_end, set_of_tiles

TRADERS = "builders: true, pigs: true, goods: true"
KNIGHTS = "large_meeples: true, mayors: true, wagons: true"
NOTHING = (0, 0, 0)

TABLE = Table(sets="base, traders", rules=TRADERS)
position, played, at_the_end = TABLE.position, TABLE.played, TABLE.at_the_end


def goods(game, seat):
    """Return a seat's number of wine, grain and cloth tokens."""
    tokens = goods_of(game, SEATS.index(seat))
    return tuple(tokens.get(good, 0) for good in Good)


def pigs(game, seat):
    return in_supply(game, seat, Figure.PIG)


def whose(game):
    """Return who must place a tile next, or None if something else is asked."""
    return SEATS[game.decider] if game.phase == Phase.PLACE_TILE else None


def on(cell, who):
    """Return the line of a tile, followed by a colon and its figures if it has any."""
    return f"{cell}: {who}" if who else cell


# The tiles.


@pytest.mark.parametrize("rules", [{}, {"edition": "C1", "abbot": False}])
def test_tra_01_nine_wine_six_grain_and_five_cloth(rules):
    tiles = set_of_tiles(Rules(sets=("base", "traders"), **rules))
    symbols = Counter()
    for tile, n_copies in tiles.items():
        for city in ROWS[DESIGN[tile]].get("cities", []):
            if "goods" in city:
                assert tile in TILES["traders"]
                assert city["goods"] in tile  # the name of the tile contains it
                symbols[city["goods"]] += n_copies
    assert symbols == {"wine": 9, "grain": 6, "cloth": 5}


# Trade goods.


#: Two complete four-tile cities south of the start tile: two wine, one grain and one cloth in the
#: first city, one wine, two grain and one cloth in the second.
SOUTH = (
    "tb-corner-grain 0,1 r1; tb-corner-wine 1,1 r2",
    "tb-corner-cloth-gate-right-garden 0,2 r0; tb-corner-wine-gate-right-split 1,2 r3",
    "tb-corner-cloth-two-gates-split 0,3 r1; tb-corner-grain-gate-left 1,3 r2",
    "tb-corner-wine-two-gates-garden 0,4 r0; tb-corner-grain-gate-left-split 1,4 r3",
    "bg-straight 1,0 r0",
)
#: All symbols of the set in complete cities: nine wine, six grain and five cloth.
MARKET = (
    START_LINE,
    "tb-span-wine 0,-1 r0",
    "tb-span-wine-and-cap 0,-2 r0; bg-cap 1,-2 r3",
    "tb-span-wine-gate 0,-3 r0",
    "tb-span-cloth-and-cap 0,-4 r0; bg-cap 1,-4 r3",
    "tb-span-grain-gate 0,-5 r0",
    "tb-city3-wine-gate 0,-6 r0; bg-cap 1,-6 r3",
    "tb-span-wine-two-gates 0,-7 r0",
    "tb-city3-grain 0,-8 r0; bg-cap 1,-8 r3",
    "tb-corner-wine-corner 0,-9 r0; bg-cap-garden 1,-9 r3; bg-cap-curve-right -1,-9 r1",
    "tb-corner-cloth-two-caps 0,-10 r0; bg-cap-curve-right 1,-10 r3; bg-cap-curve-left -1,-10 r1",
    "tb-corner-cloth-gate-cap 0,-11 r0; bg-cap-curve-left 1,-11 r3",
    "tb-corner-grain-gate-cap 0,-12 r0; bg-cap-curve-right 1,-12 r3",
    "bg-cap-straight 0,-13 r2",
    *SOUTH,
)


def column(knights=""):
    """Return a city to the north with two wine and one cloth; it lacks only its last tile."""
    return (
        on(START_LINE, knights),
        "tb-span-wine 0,-1 r0",
        "tb-span-wine-gate 0,-2 r0",
        "tb-span-cloth-and-cap 0,-3 r0",
    )


@pytest.mark.parametrize(
    ("knights", "scores"),
    [
        ("B meeple N", (0, 10)),
        ("A meeple N", (10, 0)),
        ("A meeple N, B meeple N", (10, 10)),
        ("", (0, 0)),
    ],
)
@pytest.mark.parametrize("seat", ["A", "B"])
def test_tra_01_who_completes_the_city_takes_the_tokens(seat, knights, scores):
    game = played(column(knights), "bg-cap 0,-4 r2", seat=seat)
    assert (goods(game, "A"), goods(game, "B")) == (NOTHING, NOTHING)
    game.apply("pass")
    other = "B" if seat == "A" else "A"
    assert (goods(game, seat), goods(game, other)) == ((2, 0, 1), NOTHING)
    assert game.scores == scores
    assert sorted(score_log(game)) == [
        (who, points, Kind.CITY) for who, points in zip("AB", scores, strict=True) if points
    ]


@pytest.mark.rule("BASE-08")
def test_tra_01_a_knight_placed_with_the_last_tile_changes_nothing():
    game = played(column(), "bg-cap 0,-4 r2; meeple S")
    assert (game.scores, goods(game, "A")) == ((10, 0), (2, 0, 1))


def test_tra_01_tokens_are_added_and_kept_and_no_city_gives_them_twice():
    game = played(
        (*column("B meeple N"), *SOUTH),
        "bg-cap 0,-4 r2; pass",
        headers="[wine 1:2]\n[grain 0:3]\n[cloth 2:0]",
        bag=("bg-straight", "bg-curve", "bg-cap"),
    )
    expected = {"A": (3, 0, 3), "B": (2, 3, 0)}
    assert {seat: goods(game, seat) for seat in "AB"} == expected
    for move in ("bg-straight 2,0 r0", "pass", "bg-curve 3,0 r1", "pass"):
        game.apply(move)
        assert {seat: goods(game, seat) for seat in "AB"} == expected


def test_tra_01_tokens_in_writing():
    headers = "[grain 0:2:1]\n[wine 0:0:3]"
    game = played((*column(), *SOUTH), "bg-cap 0,-4 r2; pass", n_players=3, headers=headers)
    lines = {line for line in str(game).splitlines() if line.startswith("[")}
    assert {"[wine 2:0:3]", "[grain 0:2:1]", "[cloth 1:0:0]"} <= lines
    again = play(str(game))
    assert [goods(again, seat) for seat in "ABC"] == [(2, 0, 1), (0, 2, 0), (3, 1, 0)]


@pytest.mark.rule("TRA-03")
def test_tra_01_tokens_that_no_complete_city_has_given_are_refused():
    tiles = (*column(), *SOUTH)
    assert goods(played(tiles, headers="[wine 1:2]\n[cloth 0:2]"), "B") == (2, 0, 2)
    for headers in ("[wine 2:2]", "[wine -1:0]", "[cloth 3:0]"):
        with pytest.raises(ValueError, match=r"wine|cloth|goods|sound"):
            played(tiles, headers=headers)


@pytest.mark.rule("TRA-03")
def test_tra_01_an_extended_city_gives_nothing_yet():
    game = played(column("A meeple N"), "bg-span 0,-4 r0; pass")
    assert (goods(game, "A"), goods(game, "B"), game.scores) == (NOTHING, NOTHING, (0, 0))


@pytest.mark.rule("SET-06")
def test_tra_01_without_goods_in_play_there_are_no_tokens():
    game = played(column("B meeple N"), "bg-cap 0,-4 r2; pass", rules="builders: true")
    assert (game.scores, goods(game, "A")) == ((0, 10), NOTHING)
    assert game.standings == (0, 10)


@pytest.mark.rule("BASE-19")
@pytest.mark.parametrize(("south", "north"), [("A", "B"), ("B", "B"), ("", "A"), ("", "")])
def test_tra_01_one_tile_may_complete_two_cities_and_each_gives_its_goods(south, north):
    tiles = (
        START_LINE,
        "bg-curve 1,0 r1",
        "bg-straight 1,-1 r1",
        "bg-straight 1,-2 r1",
        "bg-straight 1,-3 r1",
        on("tb-span-wine 0,-1 r0", south and f"{south} meeple N"),
        on("tb-span-grain-gate 0,-3 r0", north and f"{north} meeple N"),
        "bg-cap 0,-4 r2",
    )
    game = played(tiles, "bg-caps-opposite 0,-2 r0; pass")
    assert (goods(game, "A"), goods(game, "B")) == ((1, 1, 0), NOTHING)
    owners = south + north
    assert game.scores == (6 * owners.count("A"), 6 * owners.count("B"))


@pytest.mark.rule("BASE-15")
@pytest.mark.parametrize("rotation", ["r0", "r2"])
def test_tra_01_a_city_that_enters_the_last_tile_twice_gives_its_goods_once(rotation):
    # Both halves of the last tile belong to one city of six tiles.
    tiles = (
        f"{START_LINE}: B meeple N",
        "bg-straight -1,0 r0; bg-straight 1,0 r0",
        "bg-cap 1,-1 r3; tb-corner-grain -1,-1 r0",
        "tb-corner-wine -1,-2 r1; bg-corner 0,-2 r2",
    )
    game = played(tiles, f"tb-corner-wine-corner 0,-1 {rotation}; pass")
    assert score_log(game) == [("B", 12, Kind.CITY)]
    assert (goods(game, "A"), goods(game, "B")) == ((2, 1, 0), NOTHING)


@pytest.mark.parametrize("castles", ["castles: false", "castles: true"])
def test_tra_01_a_symbol_belongs_to_its_city_and_not_to_the_tile(castles):
    # The tile's cap completes a town; its wine is in the other city, which is completed later.
    game = played(
        f"{START_LINE}: B meeple N",
        "tb-span-wine-and-cap 0,-1 r1; pass",
        rules=f"{TRADERS}, {castles}",
        bag=("bg-cap", "bg-cap", "bg-curve"),
    )
    if game.phase == Phase.CASTLE:
        game.apply("score")
    assert (game.scores, goods(game, "A")) == ((0, 4), NOTHING)
    then(game, "bg-cap 1,-1 r3; pass")
    assert (goods(game, "A"), goods(game, "B")) == (NOTHING, NOTHING)
    then(game, "bg-cap -1,-1 r1; pass")
    assert (goods(game, "A"), goods(game, "B")) == ((1, 0, 0), NOTHING)


@pytest.mark.parametrize(
    ("tokens", "scores"),
    [
        ("[wine 4:4:1]\n[grain 3:2:0]", (20, 10, 0)),
        ("[cloth 1:0:0]", (10, 0, 0)),
        ("[wine 3:3:3]\n[grain 2:2:2]\n[cloth 1:1:1]", (30, 30, 30)),
        ("[wine 9:0:0]\n[grain 0:6:0]\n[cloth 0:0:5]", (10, 10, 10)),
        ("[wine 2:3:4]\n[grain 0:0:1]\n[cloth 3:1:1]", (10, 0, 20)),
        ("[cloth 0:1:1]", (0, 10, 10)),
        ("", (0, 0, 0)),
    ],
)
def test_tra_02_ten_points_for_the_most_tokens_of_each_kind(tokens, scores):
    options = {"n_players": 3, "headers": tokens}
    assert at_the_end(MARKET, **options) == scores
    game = play_to_the_end(position(MARKET, **options))
    assert {kind for _, _, kind in score_log(game)} <= {Kind.GOODS}
    assert sum(points for _, points, _ in score_log(game)) == sum(scores)


def test_tra_02_only_at_the_end():
    text = position(MARKET, headers="[wine 2:0]\n[cloth 0:3]")
    game = play(text, "pass", bag=("bg-straight", "bg-curve"))
    assert (game.scores, game.standings) == ((0, 0), (10, 10))
    then(game, "bg-straight 2,0 r0; pass")
    assert game.scores == (0, 0)


@pytest.mark.rule("TRA-01", "BASE-22")
def test_tra_02_tokens_of_the_last_tile_count():
    tiles = (*column("B meeple N"), *SOUTH)
    game = played(tiles, "bg-cap 0,-4 r2; pass", bag=(), headers="[wine 0:2]\n[cloth 0:2]")
    assert game.is_over
    # Wine is tied, and B has more cloth.
    assert game.scores == (10, 30)
    assert score_log(game)[0] == ("B", 10, Kind.CITY)


@pytest.mark.rule("SET-06")
def test_tra_02_there_may_be_six_players():
    assert at_the_end(MARKET, n_players=6, headers="[grain 1:1:1:1:1:1]") == (10,) * 6


def test_tra_03_an_open_city_gives_no_tokens_at_the_end():
    tiles = (
        f"{START_LINE}: A meeple N",
        "tb-span-wine 0,-1 r0",
        "tb-span-wine-gate 0,-2 r0",
        "tb-span-wine-two-gates 0,-3 r0",
    )
    assert at_the_end(tiles) == (4, 0)
    game = play_to_the_end(position(tiles))
    assert score_log(game) == [("A", 4, Kind.CITY)]
    assert (goods(game, "A"), goods(game, "B")) == (NOTHING, NOTHING)


@pytest.mark.rule("CAS-10")
@pytest.mark.parametrize("choice", ["castle", "score"])
@pytest.mark.parametrize("good", ["wine", "cloth"])
def test_tra_03_a_town_that_becomes_a_castle_gives_no_tokens(good, choice):
    game = played(
        f"{START_LINE}: B meeple N",
        f"tb-span-{good}-and-cap 0,-1 r1; pass",
        rules=f"{TRADERS}, castles: true",
    )
    assert (game.phase, game.decider) == (Phase.CASTLE, 1)
    game.apply(choice)
    assert (goods(game, "A"), goods(game, "B")) == (NOTHING, NOTHING)
    assert game.scores == ((0, 4) if choice == "score" else (0, 0))


@pytest.mark.rule("TRA-01", "CAS-10")
@pytest.mark.parametrize("choice", ["castle", "score"])
def test_tra_03_a_city_completed_beside_a_castle_gives_its_tokens(choice):
    # One tile completes A's town and B's city of three tiles with wine.
    tiles = (
        f"{START_LINE}: A meeple N",
        "bg-straight -1,0 r0; bg-straight 1,0 r0",
        "bg-cap -1,-1 r1: B meeple E; bg-cap 1,-1 r3",
    )
    rules = f"{TRADERS}, castles: true"
    game = played(tiles, "tb-span-wine-and-cap 0,-1 r1; pass", seat="B", rules=rules)
    assert (game.phase, goods(game, "B")) == (Phase.CASTLE, NOTHING)
    game.apply(choice)
    assert (goods(game, "A"), goods(game, "B")) == (NOTHING, (1, 0, 0))
    # The castle was built in the same scoring.
    assert game.scores == ((4, 6) if choice == "score" else (0, 6))


def hole(west="B meeple E", east=""):
    """Return a hole at (0, -1) beside a cap and two cities, one with grain and one with wine."""
    return in_order(
        (
            START_LINE,
            "bg-straight -1,0 r0; bg-straight 1,0 r0",
            "bg-cap -2,-1 r1",
            on("tb-span-grain-gate -1,-1 r1", west),
            on("tb-span-wine 1,-1 r1", east),
            "bg-cap 2,-1 r3",
            "bg-monastery 1,-2 r0; bg-monastery 0,-2 r0",
        )
    )


@pytest.mark.rule("ABB-18")
@pytest.mark.parametrize(
    ("west", "east", "scores"),
    [("B meeple E", "", (0, 4)), ("A meeple E", "B meeple E", (4, 4)), ("", "", (0, 0))],
)
@pytest.mark.parametrize("monk", ["meeple mid", "pass"])
def test_tra_04_who_places_the_abbey_gets_the_goods_of_the_cities_it_closes(
    west, east, scores, monk
):
    text = position(hole(west, east), turn="B acts", rules=f"{TRADERS}, abbeys: true")
    game = play(text, "pass", f"{ABBEY} 0,-1 r0", monk)
    assert (goods(game, "A"), goods(game, "B")) == ((1, 1, 0), NOTHING)
    assert game.scores == scores


@pytest.mark.rule("ABB-09")
def test_tra_04_a_city_that_the_abbey_leaves_open_gives_nothing():
    tiles = [line for line in hole("B meeple E") if not line.startswith("bg-cap -2,-1")]
    text = position(tiles, turn="B acts", rules=f"{TRADERS}, abbeys: true")
    game = play(text, "pass", f"{ABBEY} 0,-1 r0", "pass", bag=("bg-cap", "bg-curve"))
    assert (goods(game, "A"), game.scores) == ((1, 0, 0), (0, 0))
    # B completes the grain city on its other side.
    then(game, "bg-cap -2,-1 r1; pass")
    assert (goods(game, "A"), goods(game, "B"), game.scores) == ((1, 0, 0), (0, 1, 0), (0, 4))


@pytest.mark.rule("BASE-12", "ABB-10")
def test_tra_04_in_the_turn_of_another_player_it_is_his():
    game = played(hole(), f"pass; {ABBEY} 0,-1 r0; pass", rules=f"{TRADERS}, abbeys: true")
    assert (goods(game, "A"), goods(game, "B"), game.scores) == (NOTHING, (1, 1, 0), (0, 4))


# The builder.


#: A has a knight, a thief and two farmers on the start tile.
CROWDED = f"{START_LINE}: A meeple N, A meeple E, A meeple En, A meeple Es"


@pytest.mark.rule("TRA-12")
@pytest.mark.parametrize(
    ("place", "builder", "pig"),
    [
        ("bg-span 0,-1 r0", {"N"}, set()),
        ("bg-caps-opposite 0,-1 r0", {"S"}, set()),
        ("bg-caps-opposite 0,1 r1", set(), {"Nw"}),
        ("bg-corner-curve 0,-1 r1", {"E"}, set()),
        ("bg-city4-shield 0,-1 r0", {"N"}, set()),
        ("bg-cap 0,-1 r2", {"S"}, set()),
        ("bg-monastery 0,1 r0", set(), {"Nw"}),
        ("bg-curve 0,1 r0", set(), {"Nw"}),
        ("bg-straight 1,0 r0", {"E"}, {"Nw", "Es"}),
        ("bg-straight -1,0 r0", {"E"}, {"Nw", "Es"}),
        ("bg-cap-straight 1,0 r0", {"E"}, {"En", "Es"}),
        ("bg-cap-curve-right -1,0 r0", {"E"}, {"En", "Es"}),
        ("bg-curve 1,0 r1", {"N"}, {"Nw", "Ne"}),
        ("bg-junction 1,0 r0", {"W"}, {"Nw", "Sw"}),
        ("bg-junction 1,0 r1", {"W"}, {"Nw", "Sw"}),
        ("bg-crossroads 1,0 r0", {"W"}, {"Nw", "Sw"}),
        ("bg-monastery-road 1,0 r0", {"W"}, {"Nw"}),
        ("bg-city3-gate 1,0 r0", {"W"}, {"Ws", "Wn"}),
        ("tb-roads-overpass 1,0 r0", {"E"}, {"Nw", "Sw"}),
        ("tb-cap-gate-overpass 1,0 r0", {"W"}, {"Sw", "Wn"}),
        ("tb-cap-gate-overpass 1,0 r1", {"W"}, {"Nw", "Se"}),
        ("tb-monastery-three-roads 1,0 r0", {"W"}, {"Nw", "Sw"}),
        ("tb-span-wine-and-cap 0,-1 r1", {"S"}, set()),
        ("tb-corner-cloth-two-caps 0,-1 r0", {"S"}, set()),
        ("am-road-three-way 1,0 r0", {"E"}, {"Nw", "Sw"}),
        ("am-span-tunnel-shield 1,0 r0", {"E"}, {"Ws", "Wn"}),
        ("am-spans-crossing-shield 0,-1 r0", {"N"}, set()),
    ],
)
def test_tra_05_builder_and_pig_join_their_owners_meeples_on_the_tile_just_placed(
    place, builder, pig
):
    options = {"sets": "base, traders, abbey"}
    game = played(CROWDED, place, **options)
    assert (offered(game, "builder"), offered(game, "pig")) == (builder, pig)
    theirs = played(CROWDED.replace("A meeple", "B meeple"), place, **options)
    assert offered(theirs, "builder") == offered(theirs, "pig") == set()


@pytest.mark.rule("MAY-15", "INN-01", "WAG-01")
@pytest.mark.parametrize("knight", ["meeple", "large", "mayor", "wagon"])
def test_tra_05_every_kind_of_knight_may_be_joined(knight):
    game = played(f"{START_LINE}: A {knight} N", "bg-span 0,-1 r0", rules=f"{TRADERS}, {KNIGHTS}")
    assert offered(game, "builder") == {"N"}
    game.apply("builder N")
    assert figures(game) == {f"A {knight} 0,0 N", "A builder 0,-1 N"}


@pytest.mark.parametrize(
    ("knights", "spots"),
    [
        ("A meeple N", {"N"}),
        ("B meeple N", set()),
        ("A meeple N, B meeple N", {"N"}),
        ("A meeple N, B meeple N, B meeple N", {"N"}),
        ("A meeple N, B meeple N, B builder N", {"N"}),
        ("A meeple E, A meeple En", set()),
        ("", set()),
    ],
)
def test_tra_05_where_its_owner_already_has_a_meeple(knights, spots):
    game = played(on(START_LINE, knights), "bg-span 0,-1 r0")
    assert offered(game, "builder") == spots


@pytest.mark.rule("BASE-16", "BASE-17")
@pytest.mark.parametrize(
    ("theirs", "scores"), [("B meeple N", (10, 10)), ("B meeple N, B meeple N", (0, 10))]
)
def test_tra_05_a_builder_does_not_change_the_majority(theirs, scores):
    tiles = (f"{START_LINE}: A meeple N", f"bg-span-shield 0,-1 r0: {theirs}")
    game = played(
        tiles, "bg-span 0,-2 r0; builder N; bg-cap 0,-3 r2; pass", bag=("bg-cap", "bg-curve")
    )
    assert game.scores == scores
    assert (figures(game), builders(game, "A")) == (set(), 1)


@pytest.mark.rule("BASE-23")
def test_tra_05_nor_does_it_at_the_end():
    tiles = (f"{START_LINE}: A meeple N, A builder N, B meeple N", "bg-span 0,-1 r0")
    assert at_the_end(tiles) == (2, 2)
    tiles = (f"{START_LINE}: A meeple N, A builder N, B meeple N, B meeple N", "bg-span 0,-1 r0")
    assert at_the_end(tiles) == (0, 2)


@pytest.mark.rule("MAY-09", "MAY-15")
def test_tra_05_a_mayor_without_coats_of_arms_gains_nothing_by_a_builder():
    tiles = (f"{START_LINE}: A mayor N", "bg-span 0,-1 r0: A builder N")
    game = played(tiles, "bg-cap 0,-2 r2; pass", seat="B", rules=f"{TRADERS}, {KNIGHTS}")
    assert (game.scores, figures(game), builders(game, "A")) == ((0, 0), set(), 1)
    assert in_supply(game, "A", Figure.MAYOR) == 1


@pytest.mark.rule("MAY-02")
def test_may_15_a_builder_joins_the_mayor_of_his_owner_only():
    options = {"rules": f"{TRADERS}, {KNIGHTS}"}
    game = played(f"{START_LINE}: A mayor N", "bg-span 0,-1 r0", **options)
    assert names(game) == {"builder N", "meeple En", "meeple Ws", "large En", "large Ws", "pass"}
    game = played(f"{START_LINE}: B mayor N", "bg-span 0,-1 r0", **options)
    assert names(game) == {"meeple En", "meeple Ws", "large En", "large Ws", "pass"}


@pytest.mark.rule("TRA-07", "MAY-05")
def test_may_15_and_brings_him_a_second_part():
    tiles = (f"{START_LINE}: A mayor N", "bg-span 0,-1 r0: A builder N")
    text = position(tiles, turn="A places bg-span-shield", rules=f"{TRADERS}, {KNIGHTS}")
    game = play(text, "bg-span-shield 0,-2 r0", "pass", bag=("bg-cap", "bg-curve"))
    assert whose(game) == "A"
    then(game, "bg-cap 0,-3 r2; pass")
    # Four tiles and a coat of arms.
    assert (game.scores, whose(game)) == ((10, 0), "B")


@pytest.mark.rule("TURN-03")
def test_tra_05_there_is_one_builder():
    tiles = f"{START_LINE}: A meeple N, A builder N, A meeple E"
    assert offered(played(tiles, "bg-straight 1,0 r0"), "builder") == set()
    without = tiles.replace(", A builder N", "")
    assert offered(played(without, "bg-straight 1,0 r0"), "builder") == {"E"}
    theirs = tiles.replace("A builder N", "B meeple N, B builder N")
    assert offered(played(theirs, "bg-straight 1,0 r0"), "builder") == {"E"}


def test_tra_05_a_builder_needs_no_meeple_in_supply():
    tiles = (
        f"{START_LINE}: A meeple N, A meeple E, A meeple En, A meeple Es",
        "bg-junction -1,0 r0: A meeple W, A meeple S, A meeple Sw",
    )
    game = played(tiles, "bg-straight 1,0 r0", rules=f"{TRADERS}, abbot: false")
    assert meeples(game, "A") == 0
    assert names(game) == {"builder E", "pig Nw", "pig Es", "pass"}


def test_tra_05_a_barn_a_pig_or_an_abbot_is_nobody_to_join():
    tiles = (f"{START_LINE}: A meeple En, A pig En", "bg-monastery-road -1,0 r2: A abbot mid")
    game = played(tiles, "bg-straight 1,0 r0")
    assert offered(game, "builder") == set()
    assert "E" in offered(game, "meeple")


@pytest.mark.rule("TRA-05", "TRA-12")
def test_abb_21_neither_builder_nor_pig_stands_on_an_abbey():
    # A owns the field, the road and the city around the hole.
    tiles = (
        f"{START_LINE}: A meeple N",
        "bg-straight -1,0 r0: A meeple Nw; bg-straight 1,0 r0: A meeple E",
        "bg-monastery -1,-1 r0; bg-monastery-road 1,-1 r0: A meeple W",
        "bg-monastery -1,-2 r0; bg-monastery 0,-2 r0",
    )
    text = position(tiles, turn="B acts", rules=f"{TRADERS}, {KNIGHTS}, abbeys: true")
    game = play(text, "pass", f"{ABBEY} 0,-1 r0")
    assert names(game) == {"meeple mid", "large mid", "abbot mid", "wagon mid", "pass"}


@pytest.mark.rule("ABT-09", "TRA-05", "TRA-12")
@pytest.mark.parametrize("action", ["builder E", "pig Nw", "meeple Es"])
def test_turn_03_builder_and_pig_come_instead_of_a_meeple_or_a_recall(action):
    tiles = (f"{START_LINE}: A meeple E, A meeple En", "bg-monastery 0,1 r0: A abbot mid")
    game = played(tiles, "bg-straight 1,0 r0", bag=("bg-curve", "bg-cap"))
    assert names(game) == {"builder E", "pig Nw", "meeple Es", "recall", "pass"}
    recalled = game.clone()
    game.apply(action)
    assert (whose(game), game.scores) == ("B", (0, 0))
    figure, spot = action.split()
    assert f"A {figure} 1,0 {spot}" in figures(game)
    assert "A abbot 0,1 mid" in figures(game)
    recalled.apply("recall")
    assert (whose(recalled), recalled.scores) == ("B", (3, 0))


@pytest.mark.rule("TRA-06", "BASE-08")
def test_tra_05_a_builder_may_come_with_the_tile_that_completes_the_feature():
    game = played(f"{START_LINE}: A meeple N", "bg-cap 0,-1 r2")
    assert "builder S" in names(game)
    game.apply("builder S")
    assert (game.scores, figures(game), builders(game, "A")) == ((4, 0), set(), 1)
    assert whose(game) == "B"


@pytest.mark.rule("BASE-18")
@pytest.mark.parametrize(
    ("figures_there", "scores"),
    [
        ("A meeple E, A builder E", (3, 0)),
        ("A meeple E, A builder E, B meeple E, B meeple E", (0, 3)),
        ("A meeple E, A builder E, B meeple E, B builder E", (3, 3)),
    ],
)
def test_tra_06_the_builder_returns_when_its_feature_is_scored(figures_there, scores):
    tiles = (f"{START_LINE}: {figures_there}", "bg-monastery-road -1,0 r2")
    game = played(tiles, "bg-monastery-road 1,0 r0", n_players=3, seat="C")
    assert builders(game, "A") == 0
    game.apply("pass")
    assert (game.scores[:2], figures(game)) == (scores, set())
    assert (builders(game, "A"), builders(game, "B"), meeples(game, "A")) == (1, 1, 7)
    assert whose(game) == "A"  # the next player


def test_tra_06_it_stays_while_its_feature_is_open():
    tiles = f"{START_LINE}: A meeple E, A builder E, B meeple N"
    game = played(tiles, "bg-cap 0,-1 r2; pass", seat="B")
    assert (game.scores, figures(game)) == ((0, 4), {"A meeple 0,0 E", "A builder 0,0 E"})


def test_tra_06_back_in_supply_it_can_be_placed_again():
    tiles = (f"{START_LINE}: A meeple E, A builder E, A meeple N", "bg-monastery-road -1,0 r2")
    game = played(
        tiles,
        "bg-monastery-road 1,0 r0; pass; bg-span 0,-1 r0",
        seat="B",
        bag=("bg-span", "bg-curve"),
    )
    assert offered(game, "builder") == {"N"}


@pytest.mark.rule("TRA-05", "TRA-16", "TRA-12")
@pytest.mark.parametrize(
    "alone",
    [
        "A builder E",
        "B meeple E, A builder E",
        "A meeple N, A builder E",
        "A meeple E, A builder E, A builder E",
        "A meeple Es, A builder Es",
        "A pig En",
        "B meeple En, A pig En",
        "A meeple Es, A pig En",
        "A meeple En, A pig En, A pig En",
        "A meeple E, A pig E",
    ],
)
def test_tra_06_a_position_with_one_in_a_wrong_place_is_refused(alone):
    with pytest.raises(ValueError, match=r"builder|pig|supply|position"):
        played(f"{START_LINE}: {alone}")


# The second part of a turn.


def road(figures_there="A meeple E, A builder E", more=()):
    return (f"{START_LINE}: {figures_there}", *more)


@pytest.mark.rule("TURN-01")
def test_tra_07_who_extends_the_road_of_his_builder_places_a_second_tile():
    game = played(road(), turn="A places bg-straight", bag=("bg-cap", "bg-curve", "bg-monastery"))
    events = []
    for move in (
        *("bg-straight 1,0 r0", "meeple Es"),
        *("bg-cap 0,-1 r2", "meeple S"),
        *("bg-curve 0,1 r0", "pass"),
    ):
        events.append((game.phase, SEATS[game.turn_player], game.tile_in_hand, game.scores))
        game.apply(move)
    assert events == [
        (Phase.PLACE_TILE, "A", "bg-straight", (0, 0)),
        (Phase.FIGURE, "A", None, (0, 0)),
        (Phase.PLACE_TILE, "A", "bg-cap", (0, 0)),
        (Phase.FIGURE, "A", None, (0, 0)),
        (Phase.PLACE_TILE, "B", "bg-curve", (4, 0)),
        (Phase.FIGURE, "B", None, (4, 0)),
    ]
    assert (whose(game), game.tile_in_hand) == ("A", "bg-monastery")
    assert figures(game) == {"A meeple 0,0 E", "A builder 0,0 E", "A meeple 1,0 Es"}
    turns = [move.turn for move in game.moves]
    assert turns == [turns[0]] * 4 + [turns[0] + 1] * 2


@pytest.mark.parametrize(
    ("figures_there", "place", "has_second_part"),
    [
        ("A meeple E, A builder E", "bg-straight 1,0 r0", True),
        ("A meeple E, A builder E", "bg-straight -1,0 r0", True),
        ("A meeple E, A builder E", "bg-curve 1,0 r1", True),
        ("A meeple E, A builder E", "bg-junction 1,0 r0", True),
        ("A meeple E, A builder E", "tb-roads-overpass 1,0 r0", True),
        ("A meeple E, A builder E", "tb-cap-gate-overpass 1,0 r1", True),
        ("A meeple E, A builder E", "bg-straight 0,1 r0", False),
        ("A meeple E, A builder E", "bg-monastery 0,1 r0", False),
        ("A meeple E, A builder E", "bg-span 0,-1 r0", False),
        ("A meeple E, A builder E, A meeple N", "bg-span 0,-1 r0", False),
        ("A meeple E, A builder E, A meeple N", "bg-cap 0,-1 r2", False),
        ("A meeple E, A builder E, B meeple E, B meeple E", "bg-straight 1,0 r0", True),
        ("A meeple E, A builder E, B meeple E, B builder E", "bg-straight 1,0 r0", True),
        ("A meeple E, B meeple E, B builder E", "bg-straight 1,0 r0", False),
        ("A meeple E", "bg-straight 1,0 r0", False),
        ("A meeple N, A builder N", "bg-span 0,-1 r0", True),
        ("A meeple N, A builder N", "bg-corner-curve 0,-1 r1", True),
        ("A meeple N, A builder N", "tb-corner-wine-corner 0,-1 r0", True),
        ("A meeple N, A builder N", "tb-span-wine-and-cap 0,-1 r0", True),
        ("A meeple N, A builder N", "bg-straight 1,0 r0", False),
        ("A meeple N, A builder N, A meeple E", "bg-straight 1,0 r0", False),
    ],
)
def test_tra_07_the_tile_must_extend_the_builders_own_road_or_city(
    figures_there, place, has_second_part
):
    game = played(f"{START_LINE}: {figures_there}", place, "pass")
    assert whose(game) == ("A" if has_second_part else "B")
    x, y = map(int, place.split()[1].split(","))
    assert game.position().first_part == ((x, y) if has_second_part else None)


@pytest.mark.rule("BASE-07")
@pytest.mark.parametrize("builder", ["0,0", "2,0"])
def test_tra_07_a_tile_that_joins_two_roads_extends_both(builder):
    tiles = (
        f"{START_LINE}: A meeple E" + (", A builder E" if builder == "0,0" else ""),
        "bg-monastery 0,1 r0; bg-monastery 1,1 r0; bg-monastery 2,1 r0",
        "bg-straight 2,0 r0: A meeple E" + (", A builder E" if builder == "2,0" else ""),
    )
    assert whose(played(tiles, "bg-straight 1,0 r0; pass")) == "A"


def test_tra_07_wherever_in_the_road_the_builder_stands():
    tiles = road("A meeple E", ("bg-straight 1,0 r0: A builder E", "bg-straight 2,0 r0"))
    for place in ("bg-straight -1,0 r0", "bg-straight 3,0 r0"):
        assert whose(played(tiles, place, "pass")) == "A"


@pytest.mark.parametrize("theirs", ["", ", B meeple E", ", B meeple E, B builder N, B meeple N"])
def test_tra_07_another_player_who_extends_it_gives_nobody_a_second_part(theirs):
    text = position(road(f"A meeple E, A builder E{theirs}"), turn="B places bg-straight")
    game = play(text, "bg-straight 1,0 r0", "pass", bag=("bg-curve", "bg-cap", "bg-monastery"))
    assert (whose(game), game.tile_in_hand) == ("A", "bg-curve")
    assert game.position().first_part is None
    then(game, "bg-curve 0,1 r0; pass")
    assert whose(game) == "B"


@pytest.mark.rule("TURN-03")
def test_tra_07_the_second_part_has_a_figure_action_of_its_own():
    game = played(
        road(),
        "bg-straight 1,0 r0; meeple Nw; bg-monastery 0,1 r0",
        bag=("bg-monastery", "bg-curve"),
    )
    assert names(game) == {"meeple mid", "meeple Nw", "abbot mid", "pass"}
    game.apply("meeple mid")
    assert figures(game) >= {"A meeple 1,0 Nw", "A meeple 0,1 mid"}
    assert (whose(game), meeples(game, "A")) == ("B", 4)


@pytest.mark.rule("TRA-09", "BASE-18")
def test_tra_07_what_came_home_in_the_first_part_can_be_placed_in_the_second():
    # All seven of A's meeples are on the board; the first tile completes A's road.
    tiles = (
        f"{START_LINE}: A meeple N, A meeple E, A builder E, A meeple En, A meeple Es",
        "bg-city3-gate -1,0 r2",
        "bg-junction 0,1 r0: A meeple E, A meeple S, A meeple W",
    )
    text = position(tiles, turn="A places bg-monastery-road", rules=f"{TRADERS}, abbot: false")
    game = play(text, "bg-monastery-road 1,0 r0", bag=("bg-monastery", "bg-curve"))
    assert names(game) == {"pig Nw", "pass"}
    game.apply("pass")
    assert (game.scores, whose(game), meeples(game, "A")) == ((3, 0), "A", 1)
    game.apply("bg-monastery 2,0 r0")
    assert "meeple mid" in names(game)


@pytest.mark.rule("BASE-05")
@pytest.mark.parametrize(("bag", "tile"), [(("bg-curve",), "bg-curve"), ((), None)])
def test_tra_07_a_second_tile_without_a_place_is_replaced(bag, tile):
    text = position(road(more=("bg-cap 0,-1 r2",)), turn="A places bg-straight")
    game = play(text, "bg-straight 1,0 r0", "pass", bag=("bg-city4-shield", *bag))
    assert "bg-city4-shield" in game.position().aside
    assert (game.is_over, game.tile_in_hand) == (tile is None, tile)
    assert game.is_over or game.turn_player == 0


@pytest.mark.parametrize(("n_players", "following"), [(2, "B"), (3, "B"), (6, "B")])
def test_tra_07_then_it_is_the_next_players_turn(n_players, following):
    game = played(road(), "bg-straight 1,0 r0; pass", n_players=n_players)
    assert whose(game) == "A"
    then(game, first_place(game), "pass")
    assert whose(game) == following


@pytest.mark.parametrize("second", ["bg-straight 2,0 r0", "bg-straight -1,0 r0"])
def test_tra_08_there_is_no_third_part(second):
    game = played(road(), "bg-straight 1,0 r0; pass", bag=("bg-straight", "bg-curve", "bg-cap"))
    for move in (second, "pass"):
        assert SEATS[game.turn_player] == "A"
        game.apply(move)
    assert (whose(game), game.tile_in_hand) == ("B", "bg-curve")
    assert not game.position().has_extended


def test_tra_08_but_a_second_part_in_the_next_turn():
    bag = ("bg-straight", "bg-monastery", "bg-straight", "bg-curve", "bg-cap")
    game = played(
        road(),
        "bg-straight 1,0 r0; pass; bg-straight 2,0 r0; pass; bg-monastery 0,1 r0; pass",
        bag=bag,
    )
    assert (whose(game), game.position().first_part) == ("A", None)
    then(game, "bg-straight 3,0 r0; pass")
    assert (whose(game), game.position().first_part) == ("A", (3, 0))


@pytest.mark.parametrize(
    ("builder", "tile"), [("N", "bg-span 0,-1 r0"), ("E", "bg-straight 1,0 r0")]
)
def test_tra_08_the_tile_with_which_the_builder_came_does_not_count(builder, tile):
    game = played(f"{START_LINE}: A meeple N, A meeple E", tile, f"builder {builder}")
    assert whose(game) == "B"
    assert f"A builder {tile.split()[1]} {builder}" in figures(game)


def test_tra_08_nor_one_that_comes_in_the_second_part():
    # The first tile completes A's town and returns the builder, which then joins the thief.
    tiles = f"{START_LINE}: A meeple N, A builder N, A meeple E"
    game = played(tiles, "bg-cap 0,-1 r2; pass", bag=("bg-straight", "bg-curve", "bg-cap"))
    assert (whose(game), game.scores, builders(game, "A")) == ("A", (4, 0), 1)
    then(game, "bg-straight 1,0 r0; builder E")
    assert (whose(game), game.tile_in_hand) == ("B", "bg-curve")
    assert "A builder 1,0 E" in figures(game)


@pytest.mark.rule("TRA-06")
@pytest.mark.parametrize(
    ("tiles", "place", "points", "kind"),
    [
        (f"{START_LINE}: A meeple N, A builder N", "bg-cap 0,-1 r2", 4, Kind.CITY),
        (
            f"{START_LINE}: A meeple N, A builder N\nbg-span-shield 0,-1 r0",
            "bg-caps-opposite 0,-2 r0",
            8,
            Kind.CITY,
        ),
        (
            "bg-cap-straight 0,0 r0: A meeple E, A builder E\nbg-monastery-road -1,0 r2",
            "bg-monastery-road 1,0 r0",
            3,
            Kind.ROAD,
        ),
    ],
)
def test_tra_09_the_extension_may_complete_the_feature(tiles, place, points, kind):
    game = played(tiles, place, "pass")
    assert score_log(game) == [("A", points, kind)]
    assert (whose(game), builders(game, "A"), figures(game)) == ("A", 1, set())
    then(game, first_place(game), "pass")
    assert whose(game) == "B"


@pytest.mark.rule("TRA-06", "BASE-16")
def test_tra_09_it_does_not_matter_who_scores_it():
    tiles = f"{START_LINE}: A meeple N, A builder N, B meeple N, B meeple N"
    game = played(tiles, "bg-cap 0,-1 r2; pass")
    assert (game.scores, whose(game), builders(game, "A")) == ((0, 4), "A", 1)


#: A hole at (0, -1) at which A's road, A's city and a field end.
GAP = (
    "bg-cap-straight 0,0 r0: {city}; bg-straight -1,0 r0; bg-straight 1,0 r0",
    "bg-monastery -1,-1 r0; bg-monastery-road 1,-1 r0: {road}",
    "bg-monastery -1,-2 r0; bg-monastery 0,-2 r0",
)


def gap(city="", road=""):
    """Return the lines of GAP with figures."""
    lines = [line.format(city=city, road=road) for line in GAP]
    return [line.removesuffix(": ") for line in lines]


@pytest.mark.rule("ABB-18", "ABB-10")
@pytest.mark.parametrize(
    ("places", "points"),
    [({"city": "A meeple N, A builder N"}, 2), ({"road": "A meeple W, A builder W"}, 1)],
)
def test_tra_10_an_abbey_that_closes_the_builders_feature_is_no_extension(places, points):
    text = position(gap(**places), turn="B acts", rules=f"{TRADERS}, abbeys: true")
    game = play(text, "pass", f"{ABBEY} 0,-1 r0", "pass", bag=("bg-curve", "bg-cap"))
    assert (game.scores, figures(game), builders(game, "A")) == ((points, 0), set(), 1)
    assert (whose(game), game.tile_in_hand) == ("B", "bg-curve")


#: The lines of GAP with a road of A that is open in the east.
OPEN_ROAD = [
    line.replace("bg-monastery-road 1,-1 r0", "bg-straight 1,-1 r0: A meeple E, A builder E")
    for line in gap()
]


@pytest.mark.rule("ABB-18")
def test_tra_10_nor_is_an_abbey_beside_a_road_that_stays_open():
    text = position(OPEN_ROAD, turn="B acts", rules=f"{TRADERS}, abbeys: true")
    game = play(text, "pass", f"{ABBEY} 0,-1 r0", "meeple mid", bag=("bg-curve", "bg-cap"))
    assert (whose(game), game.scores) == ("B", (0, 0))
    assert "A builder 1,-1 E" in figures(game)


@pytest.mark.rule("TRA-11", "TRA-08")
def test_tra_10_in_the_second_part_the_abbey_may_close_the_builders_road():
    text = position(OPEN_ROAD, turn="A places bg-monastery-road", rules=f"{TRADERS}, abbeys: true")
    game = play(text, "bg-monastery-road 2,-1 r0", "pass", f"{ABBEY} 0,-1 r0", "pass")
    assert score_log(game) == [("A", 2, Kind.ROAD)]
    assert (whose(game), builders(game, "A")) == ("B", 1)


@pytest.mark.rule("ABB-18", "ABB-02")
@pytest.mark.parametrize("choice", ["abbey", "draw"])
def test_tra_11_in_the_second_part_the_abbey_may_be_placed_instead_of_drawing(choice):
    game = played(
        gap(city="A meeple E, A builder E"),
        "bg-straight 2,0 r0; pass",
        rules=f"{TRADERS}, abbeys: true",
        bag=("bg-curve", "bg-cap"),
    )
    assert (game.phase, game.turn_player) == (Phase.DRAW_OR_ABBEY, 0)
    assert names(game) == {f"{ABBEY} 0,-1 r0", "draw"}
    if choice == "draw":
        game.apply("draw")
        assert (whose(game), game.tile_in_hand) == ("A", "bg-curve")
        return
    then(game, f"{ABBEY} 0,-1 r0; meeple mid")
    # B has an abbey, but there is no hole left.
    assert (whose(game), game.tile_in_hand, game.n_tiles_left) == ("B", "bg-curve", 1)
    assert "A meeple 0,-1 mid" in figures(game)


@pytest.mark.rule("ABT-08")
@pytest.mark.parametrize("switch", ["allow", "forbid"])
def test_abt_21_an_abbot_of_the_first_part_may_be_recalled_in_the_second(switch):
    game = played(
        road(),
        "bg-straight-garden 1,0 r0",
        rules=f"{TRADERS}, abbot_recall_second_part: {switch}",
        bag=("bg-cap", "bg-curve", *["bg-monastery"] * 2),
    )
    assert {"abbot mid"} <= names(game)
    assert "recall" not in names(game)
    then(game, "abbot mid; bg-cap 1,1 r2")
    assert (game.turn_player, game.phase) == (0, Phase.FIGURE)
    assert ("recall" in names(game)) == ("recall" in names(play(str(game)))) == (switch == "allow")
    later = game.clone()
    if switch == "allow":
        game.apply("recall")
        # The start tile and the cap lie beside the garden.
        assert score_log(game) == [("A", 3, Kind.GARDEN)]
        assert (game.scores, abbots(game, "A"), whose(game)) == ((3, 0), 1, "B")
    # In A's next turn, the abbot may be recalled under both values of the switch.
    then(later, "pass; bg-curve 0,1 r0; pass; bg-monastery 2,1 r0")
    assert (later.turn_player, "recall" in names(later)) == (0, True)
    later.apply("recall")
    assert later.scores == (5, 0)


@pytest.mark.rule("ABT-06")
@pytest.mark.parametrize("switch", ["allow", "forbid"])
@pytest.mark.parametrize("part", [1, 2])
def test_abt_21_an_abbot_of_an_earlier_turn_may_be_recalled_in_both_parts(part, switch):
    game = played(
        road(more=("bg-monastery 0,1 r0: A abbot mid",)),
        "bg-straight 1,0 r0",
        rules=f"{TRADERS}, abbot_recall_second_part: {switch}",
        bag=("bg-monastery", "bg-curve"),
    )
    assert "recall" in names(game)
    if part == 2:
        then(game, "meeple Es; bg-monastery 0,2 r0")
        assert "recall" in names(game)
    game.apply("recall")
    assert game.scores == (3 if part == 1 else 4, 0)
    if part == 1:
        game.apply("bg-monastery 0,2 r0")
        assert "recall" not in names(game)
        game.apply("abbot mid")
        assert figures(game) >= {"A abbot 0,2 mid"}
    assert whose(game) == "B"


# The pig.


@pytest.mark.rule("INN-01")
@pytest.mark.parametrize(
    ("farmers", "spots"),
    [
        ("A meeple En", {"Nw"}),
        ("A meeple Es", {"Es"}),
        ("A large Es", {"Es"}),
        ("A meeple En, A meeple Es", {"Nw", "Es"}),
        ("A meeple En, B meeple En, B meeple En", {"Nw"}),
        ("A meeple En, B meeple En, B pig En", {"Nw"}),
        ("B meeple En", set()),
        ("A meeple E, A meeple N", set()),
        ("A meeple En, A pig En", set()),
        ("", set()),
    ],
)
def test_tra_12_a_pig_joins_a_farmer_of_its_owner(farmers, spots):
    game = played(on(START_LINE, farmers), "bg-straight 1,0 r0", rules=f"{TRADERS}, {KNIGHTS}")
    assert offered(game, "pig") == spots
    for spot in spots:
        then = game.clone()
        then.apply(f"pig {spot}")
        assert f"A pig 1,0 {spot}" in figures(then)
        assert (pigs(then, "A"), whose(then)) == (0, "B")


def test_tra_12_one_side_of_the_new_tile_is_enough():
    # The monastery joins the field of A's farmer to a field of B's.
    tiles = (START_LINE, "bg-straight 1,0 r0: A meeple Nw", "bg-straight -1,0 r0: B meeple Es")
    game = played(tiles, "bg-monastery-road 2,0 r0")
    assert (offered(game, "pig"), offered(game, "meeple")) == ({"Nw"}, {"W", "mid"})


@pytest.mark.rule("SET-06")
def test_tra_12_builders_and_pigs_are_chosen_apart():
    game = played(CROWDED, "bg-straight 1,0 r0", rules="pigs: true")
    assert (offered(game, "pig"), offered(game, "builder")) == ({"Nw", "Es"}, set())
    game = played(CROWDED, "bg-straight 1,0 r0", rules="builders: true")
    assert (offered(game, "pig"), offered(game, "builder")) == (set(), {"E"})


JOINED = LAND | {"2,0": "bg-monastery-road r0"}
FARM = f"{TRADERS}, {KNIGHTS}, barns: true, castles: true"
CASTLE = "[castles 0,1 S]\n[tokens 2:3]"


def land(figures_there, tiles=LAND, turn="A acts", last=None, headers=""):
    """Return a position from tiles and figures by cell; the tile at ``last`` comes last."""
    return position(by_cell(tiles, figures_there, last), turn=turn, rules=FARM, headers=headers)


def join(figures_there, *moves, tiles=LAND, seat="A", bag=None, headers=""):
    """Let a seat join both fields, then play more moves."""
    text = land(figures_there, tiles, turn=f"{seat} places bg-monastery-road", headers=headers)
    return play(text, JOIN, *moves, bag=bag)


@pytest.mark.rule("BASE-24")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        ("A meeple En", (9, 0)),
        ("A meeple En, A pig En", (12, 0)),
        ("A meeple En, A pig En, B meeple En", (12, 9)),
        ("A meeple En, A pig En, B meeple En, B pig En", (12, 12)),
        ("A meeple En, A pig En, B meeple En, B meeple En", (0, 9)),
        ("A meeple En, A pig En, B meeple En, B meeple En, B pig En", (0, 12)),
        ("A meeple En, A meeple En, A pig En, B meeple En, B pig En", (12, 0)),
        ("A meeple En, A meeple En, B meeple En, B pig En", (9, 0)),
    ],
)
def test_tra_13_one_more_point_for_each_complete_city_with_an_own_pig(farmers, scores):
    text = land({"0,0": farmers}, JOINED)
    assert play(text).standings == scores
    assert play_to_the_end(text).scores == scores


@pytest.mark.rule("INN-01")
@pytest.mark.parametrize(
    ("theirs", "scores"), [("B meeple En", (12, 0)), ("B meeple En, B meeple En", (12, 9))]
)
def test_tra_13_a_large_farmer_with_a_pig(theirs, scores):
    text = land({"0,0": f"A large En, A pig En, {theirs}"}, JOINED)
    assert play_to_the_end(text).scores == scores


def test_tra_13_a_pig_counts_in_its_own_field_only():
    # Two cities touch the northern field and one touches the southern field.
    pig = {"0,0": "A meeple En, A meeple Es", "1,0": "A pig Es"}
    assert play_to_the_end(land(pig)).scores == (2 * 3 + 4, 0)
    pig["1,0"] = "A pig Nw"
    assert play_to_the_end(land(pig)).scores == (2 * 4 + 3, 0)


def test_tra_13_open_cities_do_not_count():
    text = land({"0,0": "A meeple En, A pig En"}, without(LAND, "-1,-2"))
    assert play_to_the_end(text).scores == (4, 0)


@pytest.mark.rule("TRA-12")
def test_tra_13_a_pig_placed_with_the_last_tile_counts():
    game = join({"0,0": "A meeple En"}, "pig Nw", bag=())
    assert game.is_over
    assert score_log(game) == [("A", 12, Kind.FIELD)]


#: Case -> its row in the table on the page (BARN-24), in the same order.
CASES = dict(zip(("end", "placed", "joined", "barn"), FIELD_POINTS.values(), strict=True))


@pytest.mark.rule("CAS-28", "TRA-13", "TRA-14", "TRA-17", "BARN-23")
@pytest.mark.parametrize("headers", ["", CASTLE])
@pytest.mark.parametrize("has_pig", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_barn_24_the_table_of_field_points(case, has_pig, headers):
    farmers = "A meeple En, A pig En" if has_pig else "A meeple En"
    # Two complete cities, and a third one or a castle.
    each = {name: int(points) for name, points in CASES[case].items() if name != "case"}
    third = each["castle" if headers else "city"]
    points = 2 * each["city"] + third + 3 * each["own pig"] * has_pig
    if case == "end":
        game = play_to_the_end(land({"0,0": farmers}, JOINED, headers=headers))
    elif case == "placed":
        text = land({"0,0": farmers}, JOINED, turn="B acts", last="-2,-1", headers=headers)
        game = play(text, "barn SE")
    else:
        figures_there = {"0,0": f"{farmers}, B barn SE"}
        bag = () if case == "barn" else None
        game = join(figures_there, "pass", seat="B", bag=bag, headers=headers)
    if case == "barn":
        assert score_log(game)[-1] == ("B", points, Kind.FIELD)
        assert game.scores[1] == points
    else:
        assert score_log(game) == [("A", points, Kind.FIELD)]
    if case != "end":
        assert (pigs(game, "A"), meeples(game, "A")) == (1, 7)


@pytest.mark.rule("TRA-13")
@pytest.mark.parametrize(("pig", "points"), [("", 4), (", A pig Es", 5), (", B pig Es", 4)])
def test_cas_28_a_castle_is_worth_five_with_a_pig(pig, points):
    farmers = {"0,0": f"A meeple Es, A meeple Es{pig}, B meeple Es"}
    assert play_to_the_end(land(farmers, headers=CASTLE)).scores == (points, 0)


@pytest.mark.rule("CAS-10", "TRA-13")
@pytest.mark.parametrize(("choice", "scores"), [("castle", (5, 0)), ("score", (4, 4))])
def test_cas_28_a_town_turned_by_the_last_tile_counts_as_a_castle(choice, scores):
    tiles = without(LAND, "0,2", "0,-1", "-1,-2")
    figures_there = {"0,0": "A meeple Es, A pig Es", "0,1": "B meeple S"}
    text = land(figures_there, tiles, turn="A places bg-cap-garden")
    game = play(text, "bg-cap-garden 0,2 r0", "pass", choice, bag=())
    assert game.is_over
    assert game.scores == scores


@pytest.mark.rule("BARN-10", "BARN-12")
@pytest.mark.parametrize("seat", ["A", "B"])
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        ("A meeple En, A pig En", (8, 0)),
        ("A meeple En, A pig En, B meeple En", (8, 6)),
        ("A meeple En, A pig En, B meeple En, B meeple En", (0, 6)),
        ("A meeple En, B meeple En, B pig En", (6, 8)),
    ],
)
def test_tra_14_the_pig_counts_when_a_barn_is_placed_and_goes_home(farmers, scores, seat):
    text = land({"0,0": farmers}, turn=f"{seat} acts", last="-2,-1")
    game = play(text, "barn SE")
    assert (game.scores, figures(game)) == (scores, {f"{seat} barn -2,-1 SE"})
    assert (pigs(game, "A"), pigs(game, "B")) == (1, 1)
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


@pytest.mark.rule("BARN-17", "BARN-18")
@pytest.mark.parametrize("seat", ["A", "B"])
@pytest.mark.parametrize("barn", ["A", "B"])
def test_tra_14_and_when_fields_are_connected(barn, seat):
    # Each field has one complete city, which scores 1 + 1.
    tiles = without(LAND, "-1,-2")
    figures_there = {"-1,0": f"{barn} barn NW", "0,0": "A meeple Es, A pig Es"}
    game = join(figures_there, tiles=tiles, seat=seat)
    assert (pigs(game, "A"), game.scores) == (0, (0, 0))
    game.apply("pass")
    assert (score_log(game), figures(game)) == ([("A", 4, Kind.FIELD)], {f"{barn} barn -1,0 NW"})
    assert (pigs(game, "A"), meeples(game, "A")) == (1, 7)


@pytest.mark.rule("TRA-16")
def test_tra_14_a_pig_goes_home_without_a_city_too():
    tiles = without(LAND, "0,-1", "-1,-1", "-1,-2", "-2,-1", "0,1", "0,2") | {
        "0,1": "bg-monastery r0"
    }
    text = land({"0,0": "A meeple Es, A pig Es"}, tiles, turn="B acts", last="1,1")
    game = play(text, "barn NW")
    assert (game.scores, figures(game), pigs(game, "A")) == ((0, 0), {"B barn 1,1 NW"}, 1)


def test_tra_14_a_pig_in_a_field_that_is_not_joined_stays():
    text = land({"-1,0": "B barn NW", "0,0": "A meeple Es, A pig Es"}, turn="A places bg-straight")
    game = play(text, "bg-straight 2,0 r0", "pass")
    assert (game.scores, pigs(game, "A")) == ((0, 0), 0)
    assert {"A meeple 0,0 Es", "A pig 0,0 Es"} <= figures(game)


@pytest.mark.rule("TRA-12")
@pytest.mark.parametrize(("action", "points"), [("pig Nw", 6), ("pass", 3), ("meeple mid", 3)])
def test_tra_15_a_pig_may_come_with_the_tile_that_joins_the_fields(action, points):
    game = join({"-1,0": "B barn NW", "0,0": "A meeple Es"})
    assert names(game) >= {"pig Nw", "meeple mid", "pass"}
    assert "Nw" not in offered(game, "meeple")
    game.apply(action)
    assert score_log(game) == [("A", points, Kind.FIELD)]
    assert (pigs(game, "A"), pigs(game, "B")) == (1, 1)
    assert not any("pig" in figure for figure in figures(game))


@pytest.mark.rule("TRA-18")
def test_tra_15_it_brings_nothing_without_the_majority():
    figures_there = {"-1,0": "B barn NW", "0,0": "A meeple Es, B meeple Es, B meeple Es"}
    game = join(figures_there, "pig Nw")
    assert (game.scores, pigs(game, "A"), figures(game)) == ((0, 3), 1, {"B barn -1,0 NW"})


@pytest.mark.rule("BARN-16")
@pytest.mark.parametrize("barn", ["A", "B"])
def test_tra_16_no_pig_in_a_field_with_only_a_barn(barn):
    text = land({"-1,0": f"{barn} barn NW"}, turn="A places bg-straight")
    game = play(text, "bg-straight 2,0 r0")
    assert (offered(game, "pig"), offered(game, "meeple")) == (set(), {"E", "Es"})
    # A tile that joins the barn's field to that of B's farmer offers A no pig either.
    game = join({"-1,0": f"{barn} barn NW", "0,0": "B meeple Es"})
    assert offered(game, "pig") == set()


@pytest.mark.rule("TRA-14")
def test_tra_16_after_a_barn_scoring_the_pig_cannot_come_back_to_the_field():
    text = land({"0,0": "A meeple En, A pig En"}, turn="B acts", last="-2,-1")
    game = play(text, "barn SE", bag=("bg-straight", "bg-curve"))
    assert (game.scores, pigs(game, "A")) == ((8, 0), 1)
    game.apply("bg-straight 2,0 r0")
    assert (offered(game, "pig"), offered(game, "meeple")) == (set(), {"E", "Es"})


@pytest.mark.rule("BARN-16")
@pytest.mark.parametrize("farmers", ["A pig En", "A meeple En, A pig En"])
def test_tra_16_a_pig_beside_a_barn_is_refused_in_a_position(farmers):
    text = land({"-1,0": "A barn NW", "0,0": farmers}, turn="A places bg-curve")
    with pytest.raises(ValueError, match=r"pig|barn|field|sound"):
        play(text)
    play(text.replace(": A barn NW", "").replace(": A pig En", ": A meeple En, A pig En"))


@pytest.mark.rule("BARN-20", "BARN-22")
@pytest.mark.parametrize("owner", ["A", "B"])
def test_tra_17_a_barn_gets_twelve_for_three_cities_whatever_pigs_there_were(owner):
    figures_there = {"-1,0": f"{owner} barn NW", "0,0": "A meeple Es, A pig Es"}
    game = join(figures_there, "pass", bag=())
    assert game.is_over
    assert score_log(game) == [("A", 6, Kind.FIELD), (owner, 12, Kind.FIELD)]


@pytest.mark.rule("BARN-17")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        ("A meeple Es, A pig Es, B meeple Es", (4, 2)),
        ("A meeple Es, B meeple Es, B pig Es", (2, 4)),
        ("A meeple Es, A pig Es, B meeple Es, B pig Es", (4, 4)),
        ("A large Es, A pig Es, B meeple Es, B meeple Es", (4, 2)),
        ("A meeple Es, A pig Es, B large Es", (0, 2)),
    ],
)
def test_tra_18_a_tie_is_a_majority(farmers, scores):
    tiles = without(LAND, "-1,-2")
    game = join({"-1,0": "B barn NW", "0,0": farmers}, "pass", tiles=tiles)
    assert (game.scores, figures(game)) == (scores, {"B barn -1,0 NW"})


@pytest.mark.rule("TRA-13", "BASE-07")
def test_tra_18_a_pig_counts_for_the_whole_of_a_joined_field():
    figures_there = {"0,0": "A meeple En, A meeple Es, A pig Es, B meeple En, B meeple En"}
    game = join(figures_there, "pass", bag=())
    assert game.is_over
    assert game.scores == (12, 9)
