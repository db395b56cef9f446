"""MON, XGM: special monasteries, on which meeples stand or lie."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, asked, figures, in_supply, meeples, names, offered, score_log, targets
from .positions import START_LINE, Table, carcassonne, reread, then
from .scenario import PORTAL, RIVER, TILES

pytestmark = pytest.mark.interpreted

TABLE = Table(sets="base, monasteries")
played, at_the_end = TABLE.played, TABLE.at_the_end
PLACE = "mo-monastery 0,1 r0"

#: Seven neighbours of 0,1, and the eighth.
AROUND = (
    START_LINE,
    *("bg-straight -1,0 r0", "bg-straight 1,0 r0", "bg-curve -1,1 r0", "bg-curve -1,2 r2"),
    *("bg-straight 0,2 r0", "bg-curve 1,2 r1"),
)
EIGHTH = "bg-curve 1,1 r3"


def around(*guests: str) -> list[str]:
    """Return a special monastery with guests and seven neighbours."""
    return [*AROUND, f"{PLACE}: {', '.join(guests)}"]


def where(figure: str, game: Game) -> set[str]:
    """Return the spots in the middle of the tile where a figure may go."""
    return offered(game, figure) & {"mid", "lying"}


# --- The tiles ----------------------------------------------------------------------------------


def test_mon_01_four_without_a_road_and_two_with_one():
    rows = [row for row in FACTS if row["set"] == "monasteries"]
    assert {row["id"]: row["n"] for row in rows} == {
        "mo-monastery": {"C1": 4, "C2": 4},
        "mo-monastery-road": {"C1": 2, "C2": 2},
    }
    assert all(row["monastery"] and row["special_monastery"] for row in rows)
    assert set(TILES["monasteries"]) == {row["id"] for row in rows}
    assert not any(row.get("special_monastery") for row in FACTS if row["set"] != "monasteries")


@pytest.mark.parametrize(("how", "n_base", "stack"), [("replace", 0, 71), ("add", 6, 77)])
@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_mon_02_they_replace_the_monasteries_of_the_base_game_or_are_added(
    how, n_base, stack, edition
):
    rules = Rules(
        sets=("base", "monasteries"), special_monasteries=how, edition=edition, abbot=False
    )
    game = Game(rules, seed=1)
    bag = game.position().bag
    tiles = [*game.drawn, *bag]
    assert len(tiles) == stack
    assert sum(tile.startswith("bg-monastery") for tile in tiles) == n_base
    assert sum(tile.startswith("mo-") for tile in tiles) == 6


def test_mon_02_without_the_set_there_are_none_and_nobody_lies():
    rules = Rules(special_monasteries="add")
    assert {row["id"] for row in FACTS if row["set"] == "base"} >= {"bg-monastery"}
    assert Game(rules, seed=0).position().rules.tile_counts.sum() == 72
    assert offered(Table().played(START_LINE, "bg-monastery 0,1 r0"), "meeple") == {"mid", "Nw"}


# --- Standing and lying -------------------------------------------------------------------------


@pytest.mark.rule("XGM-03", "ABT-19")
def test_mon_03_a_meeple_stands_or_lies():
    game = played(START_LINE, PLACE)
    assert where("meeple", game) == where("abbot", game) == {"mid", "lying"}
    lying = then(game.clone(), "meeple lying")
    assert figures(lying) == {"A meeple 0,1 lying"}
    assert figures(reread(lying)) == {"A meeple 0,1 lying"}
    assert (meeples(lying, "A"), abbots(lying, "A")) == (6, 1)  # ABT-19: no abbot is needed
    assert figures(then(game, "meeple mid")) == {"A meeple 0,1 mid"}


def test_mon_03_not_on_other_monasteries():
    game = played(START_LINE, "bg-monastery 0,1 r0", rules="special_monasteries: add")
    assert where("meeple", game) == {"mid"}


def test_mon_04_standing_it_is_a_monastery_like_any_other():
    game = played(around("A meeple mid"), EIGHTH, "pass")
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]
    assert figures(game) == set()
    assert at_the_end([START_LINE, f"{PLACE}: A meeple mid", "bg-cap 1,1 r1"]) == (3, 0)


@pytest.mark.rule("MON-09")
def test_mon_05_lying_nothing_happens_when_it_is_surrounded():
    game = played(around("A meeple lying"), EIGHTH, "pass")
    assert score_log(game) == []
    assert figures(game) == {"A meeple 0,1 lying"}
    assert figures(reread(game)) == {"A meeple 0,1 lying"}


#: Arm lengths to the north, east, south and west of a special monastery at 0,1 -> its arms' tiles.
ARMS = {
    (2, 0, 2, 1): [
        *(START_LINE, "bg-cap 0,-1 r2", "bg-cap-straight 0,2 r2", "bg-cap 0,3 r0"),
        "bg-cap -1,1 r3",
    ],
    (4, 2, 1, 2): [
        *(START_LINE, "bg-span 0,-1 r0", "bg-span-shield 0,-2 r0", "bg-caps-opposite 0,-3 r0"),
        *("bg-cap 1,1 r1; bg-cap 2,1 r3", "bg-cap 0,2 r2", "bg-cap -1,1 r3; bg-cap-garden -2,1 r1"),
    ],
}


@pytest.mark.parametrize(("arms", "points"), [((2, 0, 2, 1), 6), ((4, 2, 1, 2), 10)])
def test_mon_06_a_point_for_each_tile_in_line(arms, points):
    tiles = [*ARMS[arms], f"{PLACE}: A meeple lying"]
    assert at_the_end(tiles) == (points, 0)


def test_mon_06_up_to_the_first_gap():
    tiles = [
        *(START_LINE, f"{PLACE}: A meeple lying", "bg-straight 1,0 r0", "bg-curve 2,0 r0"),
        "bg-curve 2,1 r2",  # in the same row, but beyond a gap at 1,1
    ]
    assert at_the_end(tiles) == (2, 0)


def test_mon_13_who_stands_and_lies():
    game = played(
        START_LINE,
        PLACE,
        rules="large_meeples: true, mayors: true, wagons: true, phantom: true, builders: true, "
        "pigs: true, barns: true, shepherds: true",
    )
    for figure in ("meeple", "large", "abbot", "wagon", "phantom"):
        assert where(figure, game) == {"mid", "lying"}
    for figure in ("mayor", "builder", "pig", "barn", "shepherd"):
        assert where(figure, game) == set()


@pytest.mark.rule("ABB-14")
def test_mon_14_an_abbey_in_line_is_a_tile():
    ring = [f"bg-monastery {cell} r0" for cell in ("0,2", "1,2", "2,2", "2,1")]
    ring.append("bg-straight 1,0 r0")
    tiles = [START_LINE, f"{PLACE}: A meeple lying", *ring, "am-abbey 1,1 r0"]
    options = {"rules": "abbeys: true, special_monasteries: add", "headers": "[abbeys 0:1]"}
    # The monastery, the start tile, the abbey and the tile beyond it, and one tile in the south.
    assert at_the_end(tiles, **options) == (1 + 1 + 2 + 1, 0)


@pytest.mark.rule("COU-22")
def test_mon_14_so_are_the_river_and_carcassonne():
    tiles = carcassonne("mo-monastery -1,-2 r0: A meeple lying")
    # The monastery and the three rows of the city below it.
    assert at_the_end(tiles, rules="count: true", sets="base, count, monasteries") == (4, 0)
    river = [*RIVER, f"{PLACE}: A meeple lying"]
    assert at_the_end(river, sets="base, river1, monasteries") == (2, 0)


# --- One feature for placement ------------------------------------------------------------------

DRAGONS = Table("portals: true, phantom: true, dragon: true", sets="base, princess, monasteries")


@pytest.mark.rule("PD-65")
@pytest.mark.parametrize("how", ["mid", "lying", ""])
def test_mon_07_closed_to_portals_if_anybody_is_there(how):
    game = DRAGONS.played([START_LINE, f"{PLACE}: B meeple {how}" if how else PLACE], PORTAL)
    then(game, "to 0,1")
    assert where("meeple", game) == (set() if how else {"mid", "lying"})


@pytest.mark.rule("PHA-12", "X2-04", "XGM-03")
@pytest.mark.parametrize("how", ["mid", "lying", ""])
def test_mon_07_closed_to_the_phantom_if_anybody_is_there(how):
    first = f"meeple {how}" if how else "meeple Nw"
    game = TABLE.played(START_LINE, PLACE, first, rules="phantom: true")
    assert asked(game) == "A SECOND"
    assert where("phantom", game) == (set() if how else {"mid", "lying"})


#: A wagon that is scored on the road beside a special monastery.
ROAD = [*("bg-cap-straight 0,0 r0: A wagon E", "bg-monastery-road -1,0 r2")]
WAGONS = Table("wagons: true, special_monasteries: add", sets="base, monasteries")


@pytest.mark.rule("MON-07", "WAG-14", "WAG-09")
@pytest.mark.parametrize("adjacency", ["C1", "C2"])
@pytest.mark.parametrize("how", ["mid", "lying", ""])
def test_xgm_02_a_wagon_comes_to_stand_or_to_lie_if_nobody_is_there(how, adjacency):
    monastery = "mo-monastery-road -1,0 r2"
    tiles = [ROAD[0], f"{monastery}: B meeple {how}" if how else monastery]
    rules = f"wagon_adjacency: {adjacency}"
    game = WAGONS.played(tiles, "bg-monastery-road 1,0 r0", "pass", rules=rules)
    assert {t for t in targets(game) if t.startswith("-1,0")} == (
        set() if how else {"-1,0 mid", "-1,0 lying"}
    )
    if not how:
        if adjacency == "C1":
            then(game, "to -1,0")
        then(game, "wagon -1,0 lying")
        assert figures(reread(game)) == {"A wagon -1,0 lying"}


@pytest.mark.rule("PD-65")
def test_mon_12_through_a_portal_to_lie_on_a_surrounded_one():
    tiles = [*around(), EIGHTH]
    game = DRAGONS.played(tiles, "pd-cap-curve-left-portal 0,-1 r2")
    then(game, "to 0,1")
    assert where("meeple", game) == {"lying"}


@pytest.mark.rule("WAG-09")
def test_mon_07_a_wagon_that_was_monk_does_not_lie_down_where_it_stood():
    game = WAGONS.played(
        [*around("A wagon mid"), "bg-straight 2,0 r0", "bg-monastery-road 2,1 r0"], EIGHTH, "pass"
    )
    assert asked(game) == "A WAGON"
    assert not any(target.startswith("0,1 ") for target in targets(game))


@pytest.mark.rule("WAG-05", "WAG-20")
@pytest.mark.parametrize("adjacency", ["C1", "C2"])
def test_mon_12_a_wagon_lies_down_on_a_surrounded_one(adjacency):
    tiles = [
        *("bg-cap-straight 0,0 r0: A wagon E", "mo-monastery-road -1,0 r2"),
        *("bg-monastery -1,1 r0", "bg-monastery 0,1 r0", "bg-monastery -2,0 r0"),
        *("bg-monastery -2,1 r0", "bg-cap -1,-1 r0", "bg-cap -2,-1 r0", "bg-cap 0,-1 r2"),
    ]
    game = WAGONS.played(
        tiles, "bg-monastery-road 1,0 r0", "pass", rules=f"wagon_adjacency: {adjacency}"
    )
    assert "-1,0 lying" in targets(game)
    assert "-1,0 mid" not in targets(game)


FLIERS = Table("flier: true", sets="base, flier, monasteries")
MACHINE = "fl-straight-e -1,0 r0"
FLIGHT = [START_LINE, "bg-straight 1,0 r0"]


@pytest.mark.rule("X2-04")
@pytest.mark.parametrize("guest", ["", "B meeple mid", "B meeple lying"])
def test_fly_19_who_flies_lands_standing_or_lying_occupied_or_not(guest):
    tiles = [*FLIGHT, f"mo-monastery-road 2,0 r0: {guest}"]
    game = FLIERS.played(tiles, MACHINE, "fly meeple rolls 3")
    assert where("meeple", game) == {"mid", "lying"}


@pytest.mark.rule("MON-12")
def test_fly_19_on_a_surrounded_one_only_lying():
    tiles = [
        *(START_LINE, "bg-straight 1,0 r0", "mo-monastery-road 2,0 r0", "bg-monastery 2,1 r0"),
        *("bg-monastery 2,-1 r0", "bg-monastery 3,0 r0", "bg-monastery 3,1 r0"),
        *("bg-cap 3,-1 r0", "bg-cap 1,-1 r0", "bg-cap 1,1 r2"),
    ]
    game = FLIERS.played(tiles, MACHINE, "fly meeple rolls 3", rules="special_monasteries: add")
    assert where("meeple", game) == {"lying"}


@pytest.mark.rule("X2-04")
def test_mon_08_monks_against_monks_and_lying_ones_against_lying_ones():
    tiles = [*AROUND, f"{PLACE}: A meeple mid, B meeple lying, B meeple lying, A meeple lying"]
    text = FLIERS.played(tiles, EIGHTH, "pass", bag=())
    assert figures(text) == set(figures(text))
    assert text.is_over
    # The monk scores 9. B has most of the lying meeples, and each of the four arms has one tile.
    assert text.scores == (9, 5)


def test_mon_08_each_is_scored_once_at_the_end():
    tiles = [START_LINE, f"{PLACE}: A meeple mid, B meeple lying"]
    assert FLIERS.at_the_end(tiles) == (2, 2)


# --- With other sets ----------------------------------------------------------------------------

CASTLE = [
    *(START_LINE, "bg-cap 0,1 r2", "bg-cap 0,2 r0: A meeple N"),
    *("bg-straight 1,0 r0", "bg-straight 2,0 r0", "bg-curve 2,1 r3", "bg-monastery 1,2 r0"),
]


@pytest.mark.rule("MON-09", "CAS-18", "CAS-21")
@pytest.mark.parametrize("choice", ["best", "ask"])
@pytest.mark.parametrize(
    ("guests", "points"),
    [
        ("", 9),
        ("B meeple mid", 9),
        ("B meeple lying", 0),
        ("B meeple mid, B meeple lying", 9),
    ],
)
def test_xgm_05_a_castle_gets_nothing_for_a_monastery_where_all_lie(guests, points, choice):
    game = played(
        [*CASTLE, f"mo-monastery 1,1 r0: {guests}"],
        "bg-curve 2,2 r2; pass",
        rules=f"castles: true, special_monasteries: add, flier: true, castle_choice: {choice}",
        sets="base, bridges, flier, monasteries",
        headers=["[castles 0,1 S]", "[tokens 2:3]"],
    )
    assert game.scores == (points, 9 * ("mid" in guests))
    assert ("B meeple 1,1 lying" in figures(game)) == ("lying" in guests)


@pytest.mark.rule("CAS-22")
def test_xgm_05_a_lord_may_choose_what_monks_have_left():
    tiles = [
        *CASTLE,
        "mo-monastery 1,1 r0: B meeple mid, B meeple lying",
        *("bg-cap 0,3 r2", "bg-cap 1,3 r2", "bg-cap-garden 2,3 r2"),
    ]
    game = played(
        tiles,
        "bg-curve 2,2 r2; pass",
        rules="castles: true, special_monasteries: add, flier: true, castle_choice: ask",
        sets="base, bridges, flier, monasteries",
        headers=["[castles 0,1 S]", "[tokens 2:3]"],
    )
    assert asked(game) == "A CASTLE_CHOICE"
    assert game.position().monks == ((1, 1),)
    assert {name for name in names(game) if "1,1" in name} == {"take 1,1 mid"}
    again = reread(game)
    assert then(again, "take 1,1 mid").scores == (9, 9)
    assert again.position().monks == ()


@pytest.mark.parametrize(
    ("header", "reason"),
    [("[monks 0,0]", "no special monastery"), ("[monks x]", "expected a cell")],
)
def test_xgm_05_positions_that_cannot_be(header, reason):
    with pytest.raises(ValueError, match=reason):
        played([START_LINE, PLACE], headers=header)
    with pytest.raises(ValueError, match="not sound"):
        played([START_LINE, PLACE], headers="[monks 0,1]")


@pytest.mark.parametrize("may", ["allow", "forbid"])
def test_xgm_04_an_abbot_that_lies_may_be_recalled(may):
    game = played(
        [START_LINE, f"{PLACE}: A abbot lying"],
        "bg-straight 1,0 r0",
        rules=f"abbot_recall_lying: {may}",
    )
    assert ("recall" in names(game)) == (may == "allow")
    if may == "allow":
        then(game, "recall")
        assert score_log(game) == [("A", 3, Kind.MONASTERY)]  # as if the abbot stood there
        assert (figures(game), abbots(game, "A")) == (set(), 1)


@pytest.mark.rule("ABT-14")
@pytest.mark.parametrize("may", ["allow", "forbid"])
def test_xgm_04_but_from_a_surrounded_one_no_more_than_others(may):
    game = played(around("A abbot lying"), EIGHTH, rules=f"abbot_recall_completed: {may}")
    assert ("recall" in names(game)) == (may == "allow")


COUNT = Table("count: true, special_monasteries: add", sets="base, count, monasteries")


@pytest.mark.rule("COU-12", "COU-15")
@pytest.mark.parametrize(
    ("guest", "joins", "may_come"),
    [
        *(("B meeple mid", False, True), ("B meeple mid", True, True)),
        *(("B meeple lying", False, False), ("B meeple lying", True, True)),
    ],
)
def test_mon_10_from_carcassonne_only_as_a_monk_where_monks_are_scored(guest, may_come, joins):
    """A meeple may also come where nobody is a monk, if meeples may join unoccupied features."""
    tiles = carcassonne(
        *("mo-monastery -1,-2 r0: " + guest, "bg-cap -2,-2 r3", "bg-cap 0,-2 r1"),
        *("bg-cap -2,-3 r0", "bg-monastery -1,-3 r0"),
    )
    game = COUNT.played(
        tiles,
        "bg-cap 0,-3 r0; pass",
        rules=f"count_join_unoccupied: {str(joins).lower()}",
        headers=["[count market]", "[quarters A meeple cathedral]"],
    )
    assert ("to -1,-2" in names(game)) == may_come
    if may_come:
        then(game, "to -1,-2")
        assert names(game) == {"meeple mid"}


@pytest.mark.rule("CULT-06")
@pytest.mark.parametrize(("guest", "log"), [("B meeple lying", []), ("B meeple mid", [("B", 0)])])
def test_mon_11_who_lies_takes_no_part_in_challenges(guest, log):
    tiles = [
        *(START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0"),
        *("cu-shrine 0,1 r0: A meeple mid", "bg-cap -1,1 r3", "bg-cap -1,2 r3"),
        *(f"mo-monastery 0,2 r0: {guest}", "bg-cap 1,2 r1"),
    ]
    game = played(
        tiles, "bg-cap 1,1 r1; pass", rules="shrines: true", sets="base, cult, monasteries"
    )
    assert [score[:2] for score in sorted(score_log(game))] == [("A", 9), *log]
    assert figures(game) == ({"B meeple 0,2 lying"} if "lying" in guest else set())


@pytest.mark.rule("HS-03")
def test_mon_15_hills_break_no_tie_of_who_lies():
    tiles = [
        *(START_LINE, f"{PLACE}: A meeple lying, B meeple lying"),
        "hs-curve-split-hill-garden 1,1 r3",
    ]
    game_scores = Table("hills: true, flier: true", sets="base, hills, flier, monasteries")
    assert game_scores.at_the_end(tiles, headers="[hidden ?]")[:2] == (3, 3)


@pytest.mark.rule("PD-36")
@pytest.mark.parametrize(("how", "points"), [("lying", 2), ("mid", 3 + 3)])
def test_mon_15_the_fairy_brings_nothing_to_who_lies(how, points):
    scores = played(
        [START_LINE, f"{PLACE}: A meeple {how}", "bg-straight 1,0 r0"],
        "pass",
        bag=(),
        rules="fairy: true",
        sets="base, princess, monasteries",
        headers=f"[fairy 0,1 {how}]",
    )
    assert scores.is_over
    assert scores.scores == (points, 0)


@pytest.mark.rule("LB-05")
@pytest.mark.parametrize(("built", "points"), [("1,0 shed", 4), ("-1,1 house", 4), ("0,3 shed", 3)])
def test_mon_15_little_buildings_around_count_for_who_lies(built, points):
    """Buildings on the nine cells count, in line or not; the last one is in line but too far."""
    tiles = [
        *(START_LINE, f"{PLACE}: A meeple lying", "bg-straight 1,0 r0", "bg-curve 1,1 r3"),
        *("bg-straight -1,0 r0", "bg-curve -1,1 r0", "bg-curve -1,2 r2", "bg-cap -1,3 r2"),
        *("bg-cap 0,3 r2", "bg-cap 1,3 r2"),
    ]
    table = Table("little_buildings: true", sets="base, monasteries")
    headers = [f"[built {built}]", "[unbuilt A 3 3 3, B 3 3 3]"]
    headers[1] = headers[1].replace("A 3 3", "A 2 3" if "shed" in built else "A 3 2")
    assert table.at_the_end(tiles, headers=headers)[:2] == (points + 1, 0)


@pytest.mark.rule("CRN-02")
def test_x2_04_no_corn_circle_is_about_who_lies():
    tiles = [START_LINE, f"{PLACE}: A meeple lying, B meeple mid"]
    game = played(
        *(tiles, "cc-road-curve 1,0 r0", "pass"),
        rules="crop_circles: true, crop_circle_tiles: both",
        sets="base, corn, monasteries",
    )
    assert asked(game) == "A CIRCLE"
    then(game, "all reap")
    assert asked(game) == "B PLACE_TILE", "nobody stands on a road"
    assert figures(game) == {"A meeple 0,1 lying", "B meeple 0,1 mid"}


@pytest.mark.rule("PD-17", "TOW-06", "FES-02")
@pytest.mark.parametrize("how", ["mid", "lying"])
def test_mon_16_the_dragon_eats_both_and_leaves_the_place_free(how):
    tiles = [
        *(START_LINE, f"{PLACE}: A meeple {how}", "pd-straight-volcano 1,0 r0"),
        "bg-straight -1,0 r0",
    ]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0",
        "pass; dragon 0,0",
        rules="dragon: true",
        sets="base, princess, monasteries",
        headers="[dragon 1,0]",
    )
    then(game, "dragon 0,1")
    assert figures(game) == set()
    assert meeples(game, "A") == 7


@pytest.mark.rule("TOW-06")
@pytest.mark.parametrize("how", ["mid", "lying"])
def test_mon_16_towers_capture_both(how):
    tiles = [START_LINE, "to-field-garden 1,1 r0", f"{PLACE}: B meeple {how}", "bg-straight 1,0 r0"]
    game = played(
        tiles,
        "bg-straight -1,0 r0",
        "to 1,1; floor 1,1; to 0,1",
        rules="towers: true",
        sets="base, tower, monasteries",
    )
    assert names(game) == {f"remove 0,1 {how}"}
    then(game, f"remove 0,1 {how}")
    assert figures(game) == set()
    assert [(p.captor, p.seat) for p in game.position().prisoners] == [(0, 1)]


@pytest.mark.rule("TOW-06", "FLY-06")
def test_mon_16_a_tower_names_whom_it_captures_of_several():
    tiles = [
        *(START_LINE, "to-field-garden 1,1 r0", "bg-straight 1,0 r0"),
        f"{PLACE}: A meeple mid, A meeple lying, B large lying, B meeple lying",
    ]
    game = played(
        tiles,
        "bg-straight -1,0 r0",
        "to 1,1; floor 1,1; to 0,1",
        rules="towers: true, flier: true, large_meeples: true",
        sets="base, tower, flier, monasteries",
    )
    assert names(game) == {
        *("remove 0,1 mid", "remove meeple 0,1 lying from A"),
        *("remove large 0,1 lying from B", "remove meeple 0,1 lying from B"),
    }
    then(game, "remove large 0,1 lying from B")
    assert figures(game) == {"A meeple 0,1 mid", "A meeple 0,1 lying", "B meeple 0,1 lying"}


@pytest.mark.rule("FES-02")
def test_mon_16_a_festival_brings_either_back():
    tiles = [START_LINE, f"{PLACE}: A meeple mid, A meeple lying, A large lying"]
    game = played(
        tiles,
        "fe-cap-gate -1,0 r3",
        "to 0,1",
        rules="festival: true, flier: true, large_meeples: true",
        sets="base, festival, flier, monasteries",
    )
    assert names(game) == {*("return 0,1 mid", "return meeple 0,1 lying", "return large 0,1 lying")}
    then(game, "return large 0,1 lying")
    assert in_supply(game, "A", Figure.LARGE) == 1


@pytest.mark.rule("PD-30")
@pytest.mark.parametrize("placement", ["next_to", "on_tile"])
def test_mon_16_the_fairy_comes_to_both(placement):
    game = played(
        [START_LINE, f"{PLACE}: A meeple lying, B meeple mid"],
        "bg-straight 1,0 r0",
        "to 0,1; fairy 0,1 lying",
        rules=f"fairy: true, flier: true, fairy_placement: {placement}",
        sets="base, princess, flier, monasteries",
    )
    assert game.position().fairy == (0, 1)
    reread(game)


@pytest.mark.rule("HS-15")
@pytest.mark.parametrize(("how", "scores"), [("mid", (12, 0)), ("lying", (5, 0))])
def test_mon_17_vineyards_only_for_monks(how, scores):
    tiles = [
        *(START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0", f"{PLACE}: A meeple {how}"),
        *("hs-cap-pointed-vineyard -1,1 r3", "bg-cap -1,2 r3", "bg-cap 0,2 r2", "bg-cap 1,2 r1"),
    ]
    last = "bg-cap 1,1 r1"
    game = played(
        tiles, last, "pass", bag=(), rules="vineyards: true", sets="base, hills, monasteries"
    )
    assert game.is_over
    assert game.scores == scores


@pytest.mark.rule("SIE-09", "XGM-01")
def test_mon_18_knights_escape_beside_one():
    tiles = [START_LINE, "si-corner 0,-1 r1: A meeple E", "mo-monastery -1,-1 r0"]
    game = played(
        tiles,
        "bg-straight 1,0 r0",
        "pass",
        rules="siege: true, siege_tiles: both",
        sets="base, siege, monasteries",
    )
    assert asked(game) == "A ESCAPE"


@pytest.mark.rule("CULT-03", "XGM-01")
def test_mon_18_shrines_keep_apart_from_them():
    options = {"rules": "shrines: true", "sets": "base, cult, monasteries"}
    tiles = [START_LINE, "mo-monastery 0,1 r0", "mo-monastery 2,1 r0", "bg-straight 1,0 r0"]
    tiles += ["bg-straight 2,0 r0"]
    game = played(tiles, turn="A places cu-shrine", **options)
    assert "cu-shrine 1,1 r0" not in names(game)


@pytest.mark.rule("GOL-06")
@pytest.mark.parametrize(("how", "ingots"), [("lying", (0, 0)), ("mid", (2, 0))])
def test_gol_17_who_lies_takes_no_gold(how, ingots):
    game = played(
        [*around(f"A meeple {how}"), "gm-two-curves 2,0 r0"],
        EIGHTH,
        "pass",
        rules="gold: true",
        sets="base, gold, monasteries",
        headers="[gold 0,2 2]",
    )
    assert game.position().ingots == ingots


@pytest.mark.rule("MON-13")
def test_x2_10_who_lies_counts_as_ever():
    tiles = [START_LINE, f"{PLACE}: A large lying, B phantom lying"]
    table = Table(
        "flier: true, large_meeples: true, phantom: true", sets="base, flier, monasteries"
    )
    assert table.at_the_end(tiles) == (2, 0)
