"""CULT: shrines, heretics, and the challenges between shrines and monasteries."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.rules import Rules

from .looks import abbots, bag_of, figures, in_supply, meeples, names, offered, score_log, targets
from .positions import RING, START_LINE, Table, then
from .scenario import EXTRA_SHRINE, TILES, each

pytestmark = pytest.mark.interpreted

SETS = "base, inns, abbey, bridges, cult"
TABLE = Table("shrines: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

NORTH = (START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0", "bg-straight 2,0 r0")
"""A road from west to east with field to the south."""


def rivals(heretic="", monk="", missing="", garden=""):
    """Return a shrine at (0, 1), a monastery at (1, 1) and the tiles around them.

    ``missing`` lists the cells to leave empty: ``1,2`` is a neighbour of both, ``-1,2`` only of
    the shrine and ``2,2`` only of the monastery.
    """
    tiles = [
        *NORTH,
        f"cu-shrine 0,1 r0: {heretic}",
        f"bg-monastery 1,1 r0: {monk}",
        "bg-cap -1,1 r3",
        "bg-cap -1,2 r2; bg-cap 0,2 r2; ic-cap-long 1,2 r2",
        f"bg-cap-garden 2,1 r1: {garden}",
        "bg-cap 2,2 r2",
    ]
    gone = missing.split()
    return [line for line in each(tiles) if line.split()[1] not in gone]


def below(game):
    """Return the cells south of the road where the tile in hand may be placed."""
    cells = {name.split()[1] for name in names(game)}
    return {cell for cell in cells if not cell.endswith(",-1")}


LAST = {cell: f"bcb-bazaar {cell} r0; pass" for cell in ("1,2", "-1,2", "2,2")}
"""Cell -> the moves that complete the buildings that only lack that cell."""


@pytest.mark.rule("TILE-01")
@pytest.mark.parametrize("has_extra", [False, True])
def test_cult_01_five_shrines_and_one_that_came_in_another_box(has_extra):
    game = Game(Rules.preset("shrines", cult_extra_tile=has_extra), seed=1)
    drawn = bag_of(game)
    assert len(drawn) == 76 + has_extra
    assert {tile for tile in drawn if tile in TILES["cult"]} == (
        set(TILES["cult"]) if has_extra else set(TILES["cult"]) - {EXTRA_SHRINE}
    )


@pytest.mark.rule("XGM-01", "WAG-02")
@pytest.mark.parametrize("figure", ["meeple", "large", "abbot", "wagon"])
def test_cult_02_a_shrine_is_occupied_and_scored_like_a_monastery(figure):
    rules = "large_meeples: true, wagons: true"
    game = played(RING, "cu-shrine 0,1 r0", rules=rules)
    assert "mid" in offered(game, figure)
    assert offered(then(game, f"{figure} mid"), "meeple") == set()
    assert game.scores == (9, 0)
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]
    assert in_supply(game, "A", Figure[figure.upper()]) == (7 if figure == "meeple" else 1)


def test_cult_02_at_the_end_it_scores_a_point_for_each_tile():
    tiles = rivals("A meeple mid", missing="1,2 0,2")
    assert at_the_end(tiles) == (7, 0)


def test_cult_03_no_shrine_between_two_monasteries():
    tiles = [*NORTH, "bg-monastery 0,1 r0", "bg-monastery 2,1 r0"]
    game = played(tiles, turn="A places cu-shrine")
    assert below(game) == {"-1,1", "3,1", "0,2", "2,2"}


def test_cult_03_no_monastery_between_two_shrines():
    tiles = [*NORTH, "cu-shrine 0,1 r0", "cu-shrine-road 2,1 r2"]
    game = played(tiles, turn="A places bg-monastery")
    assert below(game) == {"-1,1", "0,2", "2,2"}
    other = Table(sets=SETS).played(tiles, turn="A places bg-monastery")
    assert below(other) == {"-1,1", "0,2", "2,2", "1,1"}


def test_cult_04_what_lies_there_gets_no_second_rival():
    tiles = [*NORTH, "bg-monastery 0,1 r0", "cu-shrine 1,1 r0"]
    game = played(tiles, turn="A places bg-monastery")
    assert below(game) == {"-1,1"}
    game = played(tiles, turn="A places cu-shrine-two-roads")
    assert not {"-1,1 r1", "-1,2 r0", "0,2 r1"} & {n.partition(" ")[2] for n in names(game)}


def test_cult_05_two_of_a_kind_lie_side_by_side():
    game = played([*NORTH, "cu-shrine 0,1 r0"], turn="A places cu-shrine-road")
    assert "cu-shrine-road 1,1 r2" in names(game)
    game = played([*NORTH, "bg-monastery 0,1 r0"], turn="A places bg-monastery")
    assert "bg-monastery 1,1 r0" in names(game)


@pytest.mark.rule("CULT-06")
@pytest.mark.parametrize(("heretic", "monk"), [("A", "B"), ("B", "A"), ("A", "A")])
def test_cult_07_the_loser_goes_home_with_nothing(heretic, monk):
    tiles = rivals(f"{heretic} meeple mid", f"{monk} meeple mid", "-1,2 2,2")
    game = played(tiles, LAST["-1,2"])
    assert game.scores == ((9, 0) if heretic == "A" else (0, 9))
    assert figures(game) == set()
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)
    assert sorted(score_log(game)) == sorted(
        [(heretic, 9, Kind.MONASTERY), (monk, 0, Kind.MONASTERY)]
    )


def test_cult_07_a_monastery_beats_a_shrine_as_well():
    game = played(rivals("A meeple mid", "B meeple mid", "-1,2 2,2"), LAST["2,2"])
    assert game.scores == (0, 9)
    assert figures(game) == set()


@pytest.mark.parametrize(("heretic", "monk"), [("", "B meeple mid"), ("A meeple mid", "")])
def test_cult_06_who_stands_alone_challenges_nobody(heretic, monk):
    game = played(rivals(heretic, monk, "-1,2 2,2"), LAST["-1,2"])
    assert game.scores == ((9, 0) if heretic else (0, 0))
    assert figures(game) == ({"B meeple 1,1 mid"} if monk else set())


def test_cult_06_whoever_comes_second_challenges_too():
    tiles = [line for line in rivals("", "B meeple mid", "2,2") if "cu-shrine" not in line]
    game = played(tiles, "cu-shrine 0,1 r0; meeple mid")
    assert game.scores == (9, 0)
    assert figures(game) == set()


def test_cult_08_both_score_when_one_tile_completes_both():
    game = played(rivals("A meeple mid", "B meeple mid", "1,2"), LAST["1,2"])
    assert game.scores == (9, 9)


@pytest.mark.rule("CULT-07")
def test_cult_08_two_challenges_are_decided_by_one_tile():
    # The last tile completes both shrines; each has a monastery on its far side.
    tiles = [
        *NORTH,
        *("bg-straight -2,0 r0", "bg-straight 3,0 r0", "bg-straight 4,0 r0"),
        "bg-monastery -1,1 r0: B meeple mid; cu-shrine 0,1 r0: A meeple mid",
        "cu-shrine-two-roads 2,1 r1: A meeple mid; bg-monastery 3,1 r0: B meeple mid",
        *("bg-cap -1,2 r2", "bg-cap 0,2 r2", "bg-cap 1,2 r2", "bg-monastery-road 2,3 r1"),
        "bg-straight 2,2 r1; bg-cap 3,2 r2",
    ]
    tiles[3] = "bg-junction 2,0 r0"
    game = played(tiles, "bcb-bazaar 1,1 r0; pass")
    assert game.scores == (18, 0)
    assert figures(game) == set()
    assert meeples(game, "B") == 7


PORTAL = {"rules": "portals: true", "sets": f"{SETS}, princess"}


@pytest.mark.rule("PD-66")
@pytest.mark.parametrize("heretic", ["B meeple mid", ""])
def test_cult_12_a_portal_leads_to_a_challenge_that_is_drawn(heretic):
    tiles = [*rivals(heretic, missing="0,2 1,2 2,2"), "bg-cap 0,2 r1", "bg-cap 2,2 r3"]
    game = then(played(tiles, "pd-city3-shield-portal 1,2 r1", **PORTAL), "to 1,1")
    assert ("meeple mid" in names(game)) == bool(heretic)
    if heretic:
        then(game, "meeple mid")
        assert (game.scores, figures(game)) == ((9, 9), set())


@pytest.mark.rule("PD-66")
def test_cult_12_a_building_that_was_complete_before_takes_nobody():
    tiles = [*rivals("B meeple mid", missing="-1,2 0,2"), "bg-cap 0,2 r3"]
    game = played(tiles, "pd-city3-shield-portal -1,2 r1", **PORTAL)
    assert "meeple mid" not in names(then(game, "to 1,1"))


def test_cult_09_an_open_challenge_means_nothing_at_the_end():
    assert at_the_end(rivals("A meeple mid", "B meeple mid", "1,2 0,2")) == (7, 7)


ROAD_TO_CLOSE = ("am-road-end-garden -2,0 r2",)
CLOSING = "bcb-road-bazaar-inn 3,0 r0; pass"


@pytest.mark.rule("CULT-17", "WAG-14")
@pytest.mark.parametrize(("place", "last"), [("1,1 mid", "2,2"), ("0,1 mid", "-1,2")])
def test_cult_10_an_empty_building_is_completed_as_usual(place, last):
    tiles = [line.replace("bg-straight 1,0 r0", "bg-straight 1,0 r0: A wagon E") for line in NORTH]
    tiles = [*tiles, *rivals(missing=last)[len(NORTH) :], *ROAD_TO_CLOSE]
    game = played(tiles, CLOSING, rules="wagons: true", bag=("bcb-bazaar",))
    assert game.scores == (6, 0)
    assert place in targets(game)
    then(game, f"wagon {place}", f"bcb-bazaar {last} r0", "pass")
    assert game.scores == (15, 0)


def test_cult_11_the_majority_scores_and_all_losers_go_home():
    heretics = "A meeple mid, A abbot mid, B meeple mid"
    game = played(rivals(heretics, "B meeple mid, B abbot mid", "-1,2 2,2"), LAST["-1,2"])
    assert game.scores == (9, 0)
    assert figures(game) == set()
    assert [abbots(game, seat) for seat in "AB"] == [1, 1]


def hall(*shrines):
    """Return a hole at (0, 1) with tiles on all sides, some of them shrines."""
    cells = {"-1,1": "bg-cap -1,1 r3", "1,1": "bg-cap 1,1 r1", "0,2": "bg-cap 0,2 r2"}
    cells |= {line.split()[1]: line for line in shrines}
    return [*NORTH[:3], *cells.values(), "bg-cap-garden 1,2 r2"]


@pytest.mark.rule("XCK-10", "ABB-15")
@pytest.mark.parametrize(
    ("shrines", "is_hole"),
    [
        (("cu-shrine -1,1 r0",), True),
        (("cu-shrine -1,1 r0", "cu-shrine-road 1,1 r2"), False),
        (("cu-shrine -1,1 r0", "bg-monastery -2,1 r0"), False),
    ],
)
def test_cult_14_no_abbey_where_no_monastery_may_lie(shrines, is_hole):
    options = {"rules": "abbeys: true", "headers": "[abbeys 1:1]"}
    game = played(hall(*shrines), "pass", **options)
    assert (game.phase == Phase.DRAW_OR_ABBEY) == is_hole
    assert ("am-abbey 0,1 r0" in names(game)) == is_hole


@pytest.mark.rule("XCK-11")
def test_cult_14_an_abbey_beats_a_shrine():
    tiles = [*hall("cu-shrine 1,1 r0: B meeple mid"), "bg-cap -1,2 r2"]
    options = {"rules": "abbeys: true", "headers": "[abbeys 1:1]"}
    game = played(tiles, "am-abbey 0,1 r0; meeple mid", turn="A begins", **options)
    assert game.scores == (9, 0)
    assert figures(game) == set()
    assert meeples(game, "B") == 7


@pytest.mark.rule("XCK-14")
def test_cult_15_a_garden_takes_no_part():
    around = [line for line in RING if " 1,2 " not in line]
    tiles = [*around, "bg-curve-garden 1,2 r1: B abbot mid"]
    game = played(tiles, "cu-shrine 0,1 r0; meeple mid")
    assert game.scores == (9, 0)
    assert figures(game) == {"B abbot 1,2 mid"}


@pytest.mark.rule("XCK-12", "ABT-20")
def test_cult_16_an_abbot_may_quit_a_challenge():
    tiles = rivals("A meeple mid", "B abbot mid", "-1,2 1,2 0,2")
    game = played(tiles, "bg-cap 0,2 r2; recall", turn="B places bg-cap", bag=("bcb-bazaar",))
    assert game.scores == (0, 8)
    assert figures(game) == {"A meeple 0,1 mid"}
    assert abbots(game, "B") == 1


@pytest.mark.rule("XCK-12", "ABT-20")
def test_cult_16_a_completed_place_that_the_abbot_leaves_beats_nobody():
    tiles = rivals("B meeple mid", "A abbot mid", "-1,2 2,2")
    game = played(tiles, "bcb-bazaar 2,2 r0; recall", rules="abbot_recall_completed: allow")
    assert game.scores == (9, 0)
    assert figures(game) == {"B meeple 0,1 mid"}


@pytest.mark.rule("XCK-13")
@pytest.mark.parametrize(("winner", "last"), [("heretic", "-1,2"), ("monk", "2,2")])
def test_cult_16_abbots_challenge_and_are_challenged(winner, last):
    game = played(rivals("A abbot mid", "B abbot mid", "-1,2 2,2"), LAST[last])
    assert game.scores == ((9, 0) if winner == "heretic" else (0, 9))
    assert figures(game) == set()


CASTLE = [
    *(f"{START_LINE}: A meeple N", "bg-cap 0,-1 r2", "bg-straight 1,0 r0", "bg-straight 2,0 r0"),
    *("cu-shrine 1,-1 r0: A meeple mid", "bg-monastery 2,-1 r0: B meeple mid"),
    *("bg-cap 0,-2 r0", "bg-cap 1,-2 r0"),
]


@pytest.mark.rule("CAS-18")
def test_cult_18_the_winner_triggers_a_castle_and_the_loser_does_not():
    options = {"rules": "castles: true", "headers": ("[tokens 2:3]", "[castles 0,0 N]")}
    game = played(CASTLE, "bcb-bazaar 2,-2 r0; pass", **options)
    assert game.scores == (18, 0)
    assert sorted(score_log(game)) == [
        *[("A", 9, Kind.MONASTERY), ("A", 9, Kind.CASTLE), ("B", 0, Kind.MONASTERY)]
    ]


@pytest.mark.rule("WAG-16")
@pytest.mark.parametrize("may_move", [False, True])
def test_cult_19_a_losing_wagon_does_not_move(may_move):
    rules = f"wagons: true, challenge_loser_wagon: {str(may_move).lower()}"
    game = played(rivals("A meeple mid", "B wagon mid", "-1,2 2,2"), LAST["-1,2"], rules=rules)
    assert game.scores == (9, 0)
    assert in_supply(game, "B", Figure.WAGON) == 1
    assert (game.phase == Phase.WAGON) == may_move
    if may_move:  # It may even return to the monastery that it left.
        assert {"1,1 mid", "2,0 E"} <= targets(game)
        assert figures(then(game, "wagon 1,1 mid")) == {"B wagon 1,1 mid"}


@pytest.mark.rule("CULT-07")
def test_cult_19_a_winning_wagon_moves():
    game = played(
        rivals("A wagon mid", "B meeple mid", "-1,2 2,2"), LAST["-1,2"], rules="wagons: true"
    )
    assert game.scores == (9, 0)
    assert "1,1 mid" in targets(game)


@pytest.mark.rule("BASE-05")
def test_cult_20_a_shrine_that_may_lie_nowhere_is_put_aside():
    tiles = [START_LINE, "bg-monastery 0,1 r0", "bg-monastery 0,2 r0", "bg-junction 0,3 r0"]
    game = played(tiles, "pass", bag=("cu-shrine", "bg-straight"))
    assert game.tile_in_hand == "bg-straight"
    assert "cu-shrine" in game.position().aside


@pytest.mark.rule("CULT-03", "BRI-08")
@pytest.mark.parametrize("others", [(), ("cu-shrine -1,2 r0",)])
def test_xw_11_a_bridge_does_not_help_against_two_shrines(others):
    tiles = [*NORTH[:2], "cu-shrine-road -1,1 r2", *others]
    options = {"rules": "bridges: true", "headers": "[bridges 3:3]"}
    game = played(tiles, turn="A places bg-monastery", **options)
    assert ("bg-monastery 0,1 r0" in names(game)) == (not others)


def test_cult_02_a_shrine_is_shown_on_a_plane_of_its_own():
    game = played(rivals(), turn="A acts")
    planes = plane_names(game.rules)
    assert "shrine" in planes and "shrine" not in plane_names(Rules())
    board = game.observe()["board"]
    assert board[planes.index("shrine")].sum() == 1
    assert board[planes.index("monastery")].sum() == 2
