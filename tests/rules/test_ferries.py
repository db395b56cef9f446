"""FER: roads that end at lakes, and ferries that join two of them."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.rules import Rules
from carc_env.words import SEATS

from .looks import asked, bag_of, figures, in_supply, names, offered, score_log, seen_at, targets
from .positions import START_LINE, Table, reread, then
from .scenario import TILES

pytestmark = pytest.mark.interpreted

SETS = "base, ferries"
TABLE = Table("ferries: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

LAKE = "fr-lake-three 1,0 r0"
END = "bg-junction -1,0 r0"
ON = "bg-straight -1,0 r0"


def land(start="", *more):
    """Return the start tile, its road to a lake at 1,0 with roads E, S, W, and other tiles."""
    return [f"{START_LINE}: {start}", LAKE, *more]


def east(figures=""):
    """Return a road of two tiles that ends at the east side of the lake."""
    return ["bg-straight 2,0 r0", f"bg-monastery-road 3,0 r0: {figures}"]


def ring(*more):
    """Return two lakes, west and east of the empty cell 0,1, and curves that lead to them."""
    return [
        START_LINE,
        "bg-curve -1,0 r3; bg-curve 1,0 r0",
        "fr-lake-three -1,1 r3; fr-lake-three 1,1 r1",
        *more,
    ]


def lying(*ferries):
    return f"[ferries {', '.join(ferries)}]"


def on_lakes(game):
    """Return the ferries on the board, in the notation."""
    return {f"{f.x},{f.y} {f.sides}" for f in game.position().ferries}


def choices(game):
    """Return the legal next places of ferries."""
    return {name.removeprefix("ferry ") for name in names(game) if name.startswith("ferry ")}


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_fer_01_eight_tiles_with_lakes(edition):
    game = Game(Rules.preset("ferries", edition=edition, abbot=edition == "C2"), seed=1)
    drawn = bag_of(game)
    assert len(drawn) == 79
    assert sum(tile in TILES["ferries"] for tile in drawn) == 8
    rows = {row["id"]: row for row in FACTS if row["id"] in TILES["ferries"]}
    n_of = {tile: drawn.count(tile) for tile in TILES["ferries"]}
    roads = {tile: len(rows[tile]["roads"]) for tile in TILES["ferries"]}
    assert sum(n_of[tile] for tile in n_of if roads[tile] == 3 and "cities" in rows[tile]) == 3
    assert sum(n_of[tile] for tile in n_of if roads[tile] == 3 and "cities" not in rows[tile]) == 4
    assert sum(n_of[tile] for tile in n_of if roads[tile] == 4) == 1


@pytest.mark.parametrize(
    ("ferries", "why"),
    [
        (("0,0 EW",), "FER-01"),
        (("1,0 EW", "1,0 ES"), "FER-01"),
        (("1,0 NE",), "FER-04"),
        ((), "FER-04"),
    ],
)
def test_fer_01_ferries_that_cannot_lie_like_this(ferries, why):
    headers = lying(*ferries) if ferries else ""
    with pytest.raises(ValueError, match=why):
        played(land(), turn="A places bg-cap", headers=headers)


@pytest.mark.rule("SET-06")
def test_fer_01_without_ferries_in_play_roads_end_at_the_lake():
    tiles = [f"{START_LINE}: A meeple E", END]
    game = Table(sets=SETS).played(tiles, f"{LAKE}; pass")
    assert (score_log(game), asked(game)) == ([("A", 3, Kind.ROAD)], "B PLACE_TILE")
    with pytest.raises(ValueError, match="the rules have none"):
        Table(sets=SETS).played(tiles, LAKE, headers=lying("1,0 EW"))


@pytest.mark.rule("FER-20")
@pytest.mark.parametrize(
    ("tile", "roads"),
    [
        (LAKE, {"E", "S", "W"}),
        ("fr-cap-lake-three 1,0 r0", {"E", "S", "W"}),
        ("fr-lake-four 1,0 r0", {"N", "E", "S", "W"}),
    ],
)
def test_fer_02_the_roads_are_apart_until_a_ferry_lies(tile, roads):
    game = played([f"{START_LINE}: A meeple E", ON], tile)
    assert offered(game, "meeple") & set("NESW") - {"N"} == roads - {"W", "N"}
    assert game.standings == (3, 0)
    then(game, "meeple E")
    assert figures(game) == {"A meeple 0,0 E", "A meeple 1,0 E"}


def test_fer_03_the_figure_comes_first():
    game = played([f"{START_LINE}: B meeple E"], LAKE)
    assert asked(game) == "A FIGURE"
    assert offered(game, "meeple") & {"E", "S", "W"} == {"E", "S"}
    assert choices(game) == set()
    assert asked(then(game, "meeple S")) == "A FERRY"


@pytest.mark.parametrize("figure", ["pass", "meeple E", "meeple Es"])
@pytest.mark.parametrize(
    ("tile", "pairs"),
    [
        (LAKE, {"ES", "EW", "SW"}),
        ("fr-cap-lake-three 1,0 r0", {"ES", "EW", "SW"}),
        ("fr-lake-four 1,0 r0", {"NE", "NS", "NW", "ES", "EW", "SW"}),
        ("fr-lake-three 1,0 r2", {"NE", "NW", "EW"}),
    ],
)
def test_fer_04_then_a_ferry_must_be_laid(tile, pairs, figure):
    game = played([START_LINE], tile, figure)
    assert asked(game) == "A FERRY"
    assert names(game) == {f"ferry 1,0 {pair}" for pair in pairs}
    assert asked(reread(game)) == "A FERRY"
    then(game, "ferry 1,0 EW")
    assert (asked(game), on_lakes(game)) == ("B PLACE_TILE", {"1,0 EW"})
    assert on_lakes(reread(game)) == {"1,0 EW"}


@pytest.mark.parametrize(
    ("figure", "question"),
    [
        ("pass", "B PLACE_TILE"),
        ("meeple Es", "B PLACE_TILE"),
        ("meeple S", "A FERRY"),
        ("large W", "A FERRY"),
    ],
)
def test_fer_04_under_a_switch_only_with_a_thief(figure, question):
    rules = "ferry_without_meeple: skip, large_meeples: true"
    game = played([START_LINE], LAKE, figure, rules=rules)
    assert (asked(game), on_lakes(game)) == (question, set())


@pytest.mark.rule("FER-08")
def test_fer_04_a_lake_without_a_ferry_stays_so():
    rules = "ferry_without_meeple: skip"
    game = played(land(), f"{ON}; meeple E", rules=rules)
    assert (asked(game), on_lakes(game)) == ("B PLACE_TILE", set())
    assert asked(reread(game)) == "B PLACE_TILE"


def test_fer_04_laid_in_any_case_is_the_default():
    assert Rules.preset("ferries").ferry_without_meeple == "place"
    with pytest.raises(ValueError, match="ferry_without_meeple"):
        Rules.preset("ferries", ferry_without_meeple="never")


@pytest.mark.parametrize(
    ("pair", "points"), [("ES", [("A", 3, Kind.ROAD)]), ("EW", []), ("SW", [])]
)
def test_fer_05_joined_roads_are_one_and_others_end_at_the_lake(pair, points):
    game = played([f"{START_LINE}: A meeple E", END], LAKE, f"pass; ferry 1,0 {pair}")
    assert score_log(game) == points


def test_fer_05_a_closed_arm_of_two_tiles():
    tiles = [START_LINE, "bg-monastery 0,1 r0", "bg-monastery-road 1,1 r1"]
    game = played(tiles, LAKE, "meeple S; ferry 1,0 EW")
    assert score_log(game) == [("A", 2, Kind.ROAD)]


@pytest.mark.parametrize(
    ("pair", "scored", "standing"), [("SW", [("A", 6, Kind.ROAD)], 0), ("EW", [], 6)]
)
def test_fer_06_the_lake_counts_once_for_each_road(pair, scored, standing):
    """A road with both ends at the lake is complete, unless a ferry leads it on."""
    tiles = [
        f"{START_LINE}: A meeple E",
        "bg-curve -1,0 r3",
        "bg-curve -1,1 r2; bg-straight 0,1 r0; bg-curve 1,1 r1",
    ]
    game = played(tiles, LAKE, f"pass; ferry 1,0 {pair}")
    assert score_log(game) == scored
    assert game.standings[0] == (standing or 6)


def test_fer_06_for_the_joined_road_and_for_each_other_one():
    tiles = [f"{START_LINE}: A meeple E", "bg-monastery 0,1 r0", "bg-monastery-road 1,1 r1"]
    tiles[2] += ": B meeple N"
    game = played(tiles, LAKE, "pass; ferry 1,0 EW")
    assert score_log(game) == [("B", 2, Kind.ROAD)]
    assert game.standings == (2, 2)


def test_fer_07_two_thieves_on_one_road():
    tiles = [
        f"{START_LINE}: A meeple E",
        END,
        "bg-monastery 0,1 r0; bg-monastery-road 1,1 r1: B meeple N",
    ]
    game = played(tiles, LAKE, "pass; ferry 1,0 SW")
    assert sorted(score_log(game)) == [("A", 4, Kind.ROAD), ("B", 4, Kind.ROAD)]
    tiles[1] = ON
    game = played(tiles, LAKE, "pass; ferry 1,0 SW")
    assert (score_log(game), game.standings) == ([], (4, 4))
    assert figures(game) == {"A meeple 0,0 E", "B meeple 1,1 N"}


@pytest.mark.parametrize("tile", [ON, END, "bg-curve -1,0 r3", "bg-monastery-road -1,0 r2"])
def test_fer_08_the_nearest_ferry_along_the_road(tile):
    tiles = land("", "bg-straight 2,0 r0", "fr-lake-three 3,0 r0")
    game = played(tiles, tile, "pass", headers=lying("1,0 EW", "3,0 EW"))
    assert asked(game) == "A FERRIES"
    assert names(game) == {"pass", "ferry 1,0 ES", "ferry 1,0 SW"}
    assert names(reread(game)) == names(game)


def test_fer_08_not_one_that_lies_at_other_roads():
    tiles = land("", "bg-straight 2,0 r0", "fr-lake-three 3,0 r0")
    game = played(tiles, ON, "pass", headers=lying("1,0 ES", "3,0 EW"))
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.parametrize(
    ("ferries", "found"),
    [
        (("-1,1 NE", "1,1 NW"), {"-1,1 NS", "-1,1 ES", "1,1 NS", "1,1 SW"}),
        (("-1,1 NS", "1,1 SW"), {"1,1 NS", "1,1 NW"}),
        (("-1,1 NS", "1,1 NS"), set()),
    ],
)
def test_fer_08_in_each_direction(ferries, found):
    game = played(ring(), "bg-straight 0,1 r0", "pass", headers=lying(*ferries))
    assert choices(game) == found


def test_fer_08_only_roads_of_the_tile_just_placed():
    game = played(land(), "bg-cap 0,-1 r2; meeple S", headers=lying("1,0 EW"))
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.parametrize(
    ("move", "ferry"), [("pass", "1,0 EW"), ("ferry 1,0 ES", "1,0 ES"), ("ferry 1,0 SW", "1,0 SW")]
)
def test_fer_09_one_may_move_it_or_not(move, ferry):
    """A needs no meeple there, and the new pair may leave out the road just extended."""
    game = played(land("B meeple E"), ON, "pass", headers=lying("1,0 EW"))
    then(game, move)
    assert (asked(game), on_lakes(game)) == ("B PLACE_TILE", {ferry})
    assert on_lakes(reread(game)) == {ferry}
    assert game.standings == ((0, 3))


def test_fer_10_each_once():
    game = played(ring(), "bg-straight 0,1 r0", "pass", headers=lying("-1,1 NE", "1,1 NW"))
    then(game, "ferry -1,1 ES")
    assert asked(game) == "A FERRIES"
    assert names(game) == {"pass", "ferry 1,1 NS", "ferry 1,1 SW"}
    assert names(reread(game)) == names(game)
    then(game, "ferry 1,1 NS")
    assert (asked(game), on_lakes(game)) == ("B PLACE_TILE", {"-1,1 ES", "1,1 NS"})


@pytest.mark.rule("FER-12")
def test_fer_11_a_new_lake_has_its_own_ferry_first():
    game = played(ring(), "fr-lake-three 0,1 r0", "pass", headers=lying("-1,1 NE", "1,1 NW"))
    assert names(game) == {"ferry 0,1 ES", "ferry 0,1 EW", "ferry 0,1 SW"}
    then(game, "ferry 0,1 ES")
    assert asked(game) == "A FERRIES"
    assert choices(game) == {"-1,1 NS", "-1,1 ES", "1,1 NS", "1,1 SW"}
    assert names(reread(game)) == names(game)


def test_fer_11_the_new_ferry_is_not_moved():
    game = played([START_LINE], LAKE, "pass; ferry 1,0 EW")
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("FER-09")
@pytest.mark.parametrize(
    ("turn", "ferried"),
    [
        ("A acts", "1,0 ES"),
        ("A steers", "0,0"),
        ("A steers", "1,0 EW"),
        ("A steers", "1,0 NE"),
        ("B places bg-cap", "1,0 ES"),
    ],
)
def test_fer_11_positions_that_cannot_be(turn, ferried):
    headers = f"{lying('1,0 EW')}\n[ferried {ferried}]"
    with pytest.raises(ValueError, match="FER-"):
        played(land("", ON), turn=turn, headers=headers)


def test_fer_09_nobody_is_asked_in_vain():
    with pytest.raises(ValueError, match="FER-08"):
        played(land("", "bg-cap 0,-1 r2"), turn="A steers", headers=lying("1,0 EW"))
    with pytest.raises(ValueError, match="FER-04"):
        played(land("", ON), turn="A ferries", headers=lying("1,0 EW"))


def test_fer_12_every_road_of_a_new_lake_extends_one():
    game = played(ring(), "fr-lake-three 0,1 r0", "pass", headers=lying("-1,1 NE", "1,1 NS"))
    assert choices(then(game, "ferry 0,1 SW")) == {"-1,1 NS", "-1,1 ES"}


def test_fer_13_a_closed_road_is_left():
    game = played(land("A meeple E"), END, "pass", headers=lying("1,0 EW"))
    assert (asked(game), score_log(game)) == ("A FERRIES", [])
    then(game, "ferry 1,0 ES")
    assert (score_log(game), figures(game)) == ([("A", 3, Kind.ROAD)], set())


def test_fer_13_far_from_the_tile_just_placed():
    game = played(land("A meeple E", *east("B meeple W")), ON, "pass", headers=lying("1,0 EW"))
    then(game, "ferry 1,0 SW")
    assert score_log(game) == [("B", 3, Kind.ROAD)]
    assert (figures(game), game.standings) == ({"A meeple 0,0 E"}, (3, 3))


def test_fer_13_a_complete_road_may_be_opened():
    """The road in the east was complete; once joined to B's road, it is incomplete again."""
    game = played(land("B meeple E", *east()), ON, "pass", headers=lying("1,0 SW"))
    then(game, "ferry 1,0 EW")
    assert (score_log(game), game.standings) == ([], (0, 5))
    assert "[ferried" not in str(game)


def test_fer_13_after_the_last_move_and_not_before():
    tiles = ring()
    tiles[0] += ": A meeple E"
    game = played(tiles, "bg-straight 0,1 r0", "pass", headers=lying("-1,1 NE", "1,1 NS"))
    assert choices(game) == {"-1,1 NS", "-1,1 ES"}
    then(game, "ferry -1,1 ES")
    assert (asked(game), score_log(game)) == ("B PLACE_TILE", [])


BUILDERS = {"rules": "builders: true", "sets": "base, traders, ferries"}


@pytest.mark.rule("TRA-07")
@pytest.mark.parametrize(
    ("ferry", "moves", "question"),
    [
        ("ES", "ferry 1,0 EW", "B PLACE_TILE"),
        ("ES", "pass", "B PLACE_TILE"),
        ("EW", "pass", "A PLACE_TILE"),
        ("EW", "ferry 1,0 ES", "A PLACE_TILE"),
    ],
)
def test_fer_14_growth_by_a_ferry_is_no_extension(ferry, moves, question):
    """An extension by the tile itself counts, even if a ferry then cuts it off."""
    tiles = land("A meeple E, A builder E")
    game = played(tiles, "bg-straight 2,0 r0", "pass", headers=lying(f"1,0 {ferry}"), **BUILDERS)
    assert asked(game) == "A FERRIES"
    assert asked(then(game, moves)) == question


def test_fer_14_nor_by_the_ferry_of_a_new_lake():
    tiles = [START_LINE, "bg-monastery 0,1 r0", "bg-monastery-road 1,1 r1"]
    tiles += ["bg-monastery 2,1 r0", "bg-straight 2,0 r0: A meeple E, A builder E"]
    game = played(tiles, "bg-cap 0,-1 r2", "pass", **BUILDERS)
    assert asked(game) == "B PLACE_TILE"
    game = played(tiles, LAKE, "pass; ferry 1,0 SW", **BUILDERS)
    assert asked(game) == "A PLACE_TILE"


@pytest.mark.rule("TRA-06")
@pytest.mark.parametrize(("move", "is_home"), [("ferry 1,0 ES", True), ("pass", False)])
def test_fer_15_a_builder_that_is_cut_off_goes_home(move, is_home):
    tiles = land("A meeple E", "bg-straight 2,0 r0: A builder E")
    game = played(tiles, ON, "pass", headers=lying("1,0 EW"), **BUILDERS)
    then(game, move)
    assert in_supply(game, "A", Figure.BUILDER) == is_home
    assert "A meeple 0,0 E" in figures(game)
    assert asked(game) == "A PLACE_TILE"


def test_fer_15_one_with_a_meeple_stays():
    tiles = land("A meeple E", "bg-straight 2,0 r0: A builder E, A large E")
    game = played(
        tiles,
        ON,
        "pass; ferry 1,0 ES",
        headers=lying("1,0 EW"),
        rules="builders: true, large_meeples: true",
        sets="base, traders, ferries",
    )
    assert in_supply(game, "A", Figure.BUILDER) == 0


@pytest.mark.rule("INN-02")
@pytest.mark.parametrize(
    ("move", "points"), [("ferry 1,0 ES", 3), ("ferry 1,0 SW", 0), ("pass", 10)]
)
def test_fer_16_an_inn_counts_for_the_road_it_is_part_of(move, points):
    tiles = land("A meeple E", "ic-straight-inn-garden 2,0 r0", "bg-monastery-road 3,0 r0")
    game = played(
        tiles, END, "pass", headers=lying("1,0 EW"), rules="inns: true", sets="base, inns, ferries"
    )
    then(game, move)
    assert score_log(game) == ([("A", points, Kind.ROAD)] if points else [])


def test_fer_16_the_lake_is_no_inn():
    game = played(
        [f"{START_LINE}: A meeple E", END],
        LAKE,
        "pass; ferry 1,0 ES",
        rules="inns: true",
        sets="base, inns, ferries",
    )
    assert score_log(game) == [("A", 3, Kind.ROAD)]


#: A hole at 0,1, with a road that leads to it over the lake at 1,1.
HOLE = [
    START_LINE,
    "bg-straight -1,0 r0",
    "bg-monastery -1,1 r0",
    "bg-curve 1,0 r0",
    "fr-lake-three 1,1 r1",
    "bg-straight 1,2 r1; bg-monastery 0,2 r0",
]


@pytest.mark.rule("XFE-01", "W2T-05")
def test_fer_17_abbeys_move_no_ferry():
    options = {"sets": "base, abbey, ferries, gold", "headers": lying("1,1 NW")}
    rules = "abbeys: true, gold: true"
    game = played(HOLE, "am-abbey 0,1 r0; pass", turn="A begins", rules=rules, **options)
    assert asked(game) == "B PLACE_TILE"
    assert game.position().gold == ()
    game = played(HOLE, "bg-monastery-road 0,1 r2; pass", rules=rules, **options)
    assert asked(game) == "A FERRIES"


@pytest.mark.parametrize(
    ("tile", "fields"),
    [
        (LAKE, {"Nw", "Es", "Sw"}),
        ("fr-cap-lake-three 1,0 r0", {"En", "Es", "Sw"}),
        ("fr-lake-four 1,0 r0", {"Nw", "Ne", "Es", "Sw"}),
    ],
)
def test_fer_18_the_lake_ends_the_fields(tile, fields):
    game = played([START_LINE], tile)
    assert {spot for spot in offered(game, "meeple") if len(spot) == 2} == fields


@pytest.mark.parametrize("ferry", ["ES", "EW", "SW"])
def test_fer_18_ferries_change_no_field(ferry):
    """The three fields of the lake stay separate, and only A's field touches a city."""
    tiles = ["bg-cap-straight 0,0 r0", "bg-cap 0,-1 r2", f"{LAKE}: A meeple Nw, B meeple Sw"]
    game = played(tiles, turn="A ferries")
    then(game, f"ferry 1,0 {ferry}")
    assert game.standings == (3, 0)


def test_fer_19_the_dragon_leaves_ferries():
    game = played(
        land("", "bg-straight 2,0 r0", "pd-straight-volcano -1,0 r0"),
        "pd-straight-dragon 3,0 r0; pass; pass",
        headers=f"{lying('1,0 EW')}\n[dragon -1,0]",
        rules="dragon: true",
        sets="base, princess, ferries",
    )
    then(game, "dragon 0,0; dragon 1,0; dragon 2,0")
    assert on_lakes(game) == {"1,0 EW"}


def test_fer_19_the_festival_ignores_them():
    game = played(
        land(),
        "fe-two-curves -1,0 r1",
        rules="festival: true",
        sets="base, festival, ferries",
        headers=lying("1,0 EW"),
    )
    assert not {name for name in names(game) if name.startswith("to ")}


def test_fer_20_ferries_are_no_figures():
    game = played(land(), ON, "pass; pass", headers=lying("1,0 EW"))
    assert (figures(game), game.standings) == (set(), (0, 0))


@pytest.mark.rule("KR-06")
@pytest.mark.parametrize(("n_before", "robber"), [(2, "A"), (3, "B"), (4, "B")])
def test_fer_21_the_robber_looks_at_it(n_before, robber):
    """A ferry move leaves a road of three; the longest road before had two to four tiles."""
    before = [
        "bg-cap 0,-1 r2; bg-junction 1,-1 r3",
        *(f"bg-straight {x},-1 r0" for x in range(2, n_before)),
        f"bg-monastery-road {n_before},-1 r0",
    ]
    game = Table("ferries: true, king_robber: true", sets="base, king, ferries").played(
        [f"{START_LINE}: A meeple E", "fr-lake-four 1,0 r0", *before[:1], *before[1:]],
        END,
        "pass; ferry 1,0 ES",
        headers=f"{lying('1,0 EW')}\n[king B]\n[robber B]",
    )
    assert score_log(game) == [("A", 3, Kind.ROAD)]
    assert SEATS[game.position().robber] == robber


def test_fer_21_a_castle_takes_what_a_move_completes():
    tiles = [
        f"{START_LINE}: A meeple N",
        "bg-cap 0,-1 r2",
        "bg-junction -1,0 r0: B meeple E",
        LAKE,
        *east(),
    ]
    game = played(
        tiles[:-1],
        "bg-straight 3,0 r0",
        "pass; ferry 1,0 ES",
        headers=f"{lying('1,0 EW')}\n[castles 0,0 N]\n[tokens 2:3]",
        rules="castles: true",
    )
    assert sorted(score_log(game)) == [("A", 3, Kind.CASTLE), ("B", 3, Kind.ROAD)]


BRIDGES = {"rules": "bridges: true", "sets": "base, bridges, ferries"}


@pytest.mark.rule("BRI-03")
def test_fer_22_a_bridge_built_with_the_tile_is_part_of_it():
    game = played(land(), "bg-monastery 2,0 r0; pass", headers=lying("1,0 EW"), **BRIDGES)
    assert (asked(game), choices(game)) == ("A FERRIES", {"1,0 ES", "1,0 SW"})


def test_fer_22_a_bridge_elsewhere_is_not():
    tiles = land("", "bg-monastery 0,1 r0")
    moves = "bg-monastery 0,2 r0; bridge 0,2 EW; pass"
    game = played(tiles, moves, headers=lying("1,0 EW"), **BRIDGES)
    assert asked(game) == "B PLACE_TILE"


def test_fer_23_open_roads_score_at_the_end():
    tiles = land("A meeple E", "bg-straight 2,0 r0", ON)
    assert at_the_end(tiles, headers=lying("1,0 EW")) == (4, 0)
    assert at_the_end(tiles, headers=lying("1,0 ES")) == (3, 0)


@pytest.mark.rule("WAG-20", "WAG-26")
@pytest.mark.parametrize("tile", [LAKE, "fr-cap-lake-three 1,0 r0"])
def test_fer_25_the_first_wagon_does_not_cross_the_lake(tile):
    game = played(
        [f"{START_LINE}: A wagon E", "bg-monastery-road -1,0 r2"],
        tile,
        "pass; ferry 1,0 ES",
        rules="wagons: true, wagon_adjacency: C1",
    )
    assert targets(game) == {"-1,0 mid"}


@pytest.mark.rule("X2-03")
def test_fly_23_a_ferry_completes_the_road_where_somebody_has_landed():
    flights = Table("flier: true, ferries: true", sets="base, flier, ferries")
    game = flights.played(
        land("", *east()), "fl-straight-e -1,0 r0", "fly meeple rolls 2", headers=lying("1,0 EW")
    )
    assert asked(game) == "A LANDING"
    assert offered(game, "meeple") == {"E", "S", "W"}
    then(game, "meeple E")
    assert (asked(game), score_log(game)) == ("A FERRIES", [])
    then(game, "ferry 1,0 SW")
    assert (score_log(game), figures(game)) == ([("A", 3, Kind.ROAD)], set())


def test_x2_03_who_lands_on_an_arm_may_be_joined():
    flights = Table("flier: true, ferries: true", sets="base, flier, ferries")
    game = flights.played(
        land("B meeple E"), "fl-straight-e -1,0 r0", "fly meeple rolls 2", headers=lying("1,0 EW")
    )
    then(game, "meeple S")
    assert game.standings == (1, 4 - 1)
    then(game, "ferry 1,0 SW")
    assert game.standings == (3, 3)


TUNNELS = {"rules": "tunnels: true", "sets": "base, tunnel, ferries"}


@pytest.mark.rule("FER-04")
def test_tun_05_a_token_comes_before_the_ferry():
    game = played([START_LINE, "tu-two-tunnels -1,0 r3"], LAKE, "pass", **TUNNELS)
    assert asked(game) == "A TUNNEL"
    assert asked(then(game, "pass")) == "A FERRY"


#: A road from the lake to a tunnel mouth. A tile with two more mouths fits at 0,-1.
MOUTHS = land("", "tu-two-tunnels 2,0 r0")


@pytest.mark.rule("FER-08")
def test_tun_12_no_ferry_moves_for_what_a_token_joins():
    headers = f"{lying('1,0 EW')}\n[tunnels 2,0 W A1]"
    moves = "tu-cap-two-tunnels 0,-1 r2; pass; tunnel 0,-1 E 1"
    game = played(MOUTHS, moves, headers=headers, **TUNNELS)
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("TUN-07")
def test_fer_08_the_nearest_ferry_may_lie_behind_a_tunnel():
    tiles = [*MOUTHS, "tu-cap-two-tunnels 0,-1 r2"]
    headers = f"{lying('1,0 EW')}\n[tunnels 2,0 W A1, 0,-1 E A1]"
    game = played(tiles, "bg-monastery-road 1,-1 r0; pass; pass", headers=headers, **TUNNELS)
    assert (asked(game), choices(game)) == ("A FERRIES", {"1,0 ES", "1,0 SW"})


@pytest.mark.rule("TUN-07")
def test_fer_13_roads_through_tunnels_are_put_together_again():
    tiles = [*MOUTHS, "tu-cap-two-tunnels 0,-1 r2"]
    tiles[0] += " A meeple E"
    headers = f"{lying('1,0 EW')}\n[tunnels 2,0 W A1, 0,-1 E A1]"
    game = played(tiles, "bg-monastery-road 1,-1 r0; pass; pass", headers=headers, **TUNNELS)
    assert game.standings == (5, 0)
    then(game, "ferry 1,0 SW")
    assert game.standings == (2, 0)


@pytest.mark.rule("FER-10")
def test_w2t_03_ferries_may_move_in_each_part_of_a_turn():
    tiles = land("A meeple E, A builder E")
    game = played(
        tiles,
        f"{ON}; pass; ferry 1,0 ES",
        headers=lying("1,0 EW"),
        bag=("bg-straight", "bg-cap"),
        **BUILDERS,
    )
    assert asked(game) == "A PLACE_TILE"
    then(game, "bg-straight 2,0 r0; pass")
    assert (asked(game), choices(game)) == ("A FERRIES", {"1,0 EW", "1,0 SW"})


@pytest.mark.rule("GOL-07")
@pytest.mark.parametrize(("move", "ingots"), [("ferry 1,0 ES", 1), ("pass", 0)])
def test_x2_08_gold_is_taken_behind_the_ferries(move, ingots):
    game = played(
        land("A meeple E", "gm-monastery-corner 1,-1 r0"),
        END,
        "pass",
        headers=f"{lying('1,0 EW')}\n[gold 0,0 1]",
        rules="gold: true",
        sets="base, gold, ferries",
    )
    then(game, move)
    assert game.stock(0)["ingots"] == ingots


def test_fer_05_what_seats_see_of_lakes_and_ferries():
    game = played(ring(), "bg-straight 0,1 r0", "pass", headers=lying("-1,1 NE", "1,1 NW"))
    then(game, "ferry -1,1 ES")
    for seat in (0, 1):
        assert seen_at(game, seat, "lake") == {"-1,1": 1, "1,1": 2}
        assert seen_at(game, seat, "ferry N") == {"1,1": 1}
        assert seen_at(game, seat, "ferry E") == {"-1,1": 1}
        assert seen_at(game, seat, "ferry S") == {"-1,1": 1}
        assert seen_at(game, seat, "ferry W") == {"1,1": 1}
        assert seen_at(game, seat, "ferried") == {"-1,1": 2}
        worth = seen_at(game, seat, "worth N")
        assert worth["-1,1"] == 3 + 3


def test_fer_09_the_greedy_player_completes_a_road_by_a_move():
    game = played(land("A meeple E"), END, "pass", headers=lying("1,0 EW"))
    assert game.name(game.greedy_action()) == "ferry 1,0 ES"


def test_fer_04_the_greedy_player_looks_at_the_ferry_that_it_will_lay():
    """Its road of three is complete only with the ferry from south to east."""
    game = played([f"{START_LINE}: A meeple E", END], LAKE)
    game.apply(game.greedy_action())
    assert game.name(game.greedy_action()) == "ferry 1,0 ES"


@pytest.mark.rule("MW-06", "X2-08")
def test_fer_24_a_ferry_that_joins_mage_and_witch_parts_them_before_the_scoring():
    table = Table("ferries: true, mage_witch: true", sets="base, ferries, mage")
    around = ["bg-cap 0,-1 r2", "bg-monastery 1,-1 r0", "bg-monastery 2,-1 r0"]
    tiles = [f"{START_LINE}: A meeple E", END, *around, *east()]
    game = table.played(tiles, f"{LAKE}; pass", headers=["[mage 0,0 E]", "[witch 2,0 E]"])
    assert asked(game) == "A FERRY"
    other = then(game.clone(), "ferry 1,0 ES")
    assert asked(other) == "B PLACE_TILE"
    then(game, "ferry 1,0 EW")
    assert (asked(game), game.scores) == ("A MAGIC", (0, 0))
    assert "[joined ferry]" in str(game)
    assert names(reread(game)) == names(game)
    then(game, "to 1,0", "witch 1,0 S")
    assert score_log(game) == [("A", 5 + 5, Kind.ROAD)]
    assert asked(game) == "B PLACE_TILE"
