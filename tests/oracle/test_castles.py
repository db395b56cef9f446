"""The oracle's castles against docs/rules/castles.md, and BARN-23, WAG-17."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Kind, Phase, Spot
from carc_env.position import Castle
from carc_env.rules import Rules

from . import castles, naive, turns
from .board import feature_at, features
from .positions import MEEPLE, START, place, placed_figures, position
from .positions import legal as legal_position
from .problems import problems
from .tiles import FACTS
from .wagons import wagon_targets

pytestmark = pytest.mark.once

#: A town of two caps: the start tile and the one north of it, placed last.
TOWN = (START, "bg-cap 0 -1 2")

#: The same as a castle; the road of the start tile runs through its fief.
CASTLE = {"castles_at": ["0 0 N"]}

#: A town of two caps side by side, south of the start tile.
SIDE_BY_SIDE = (START, "bg-cap 0 1 1", "bg-cap 1 1 3")

#: A road of three tiles that runs through the fief of ``TOWN``; the last one completes it.
ROAD = ("bg-monastery-road -1 0 2", "bg-junction 1 0 0")


def legal(*tiles, **rest):
    """Make a position with castles in which nothing is impossible."""
    return legal_position(*tiles, **{"castles": True} | rest)


def after(made, *names, bag=("bg-curve",)):
    """Play some actions, without problems on the way; one more tile is drawn then."""
    for name in names:
        assert problems(made) == []
        made = replace(turns.following(replace(made, bag=bag), name), bag=None)
    return made


def cells(made, spot):
    """Tell the fief of a castle."""
    return castles.fief(made, feature_at(made, *place(spot)))


@pytest.mark.parametrize(("n_players", "n"), [(2, 3), (4, 3), (5, 2), (6, 2)])
def test_cas_01_set_04_tokens_per_player(n_players, n):
    rules = Rules(n_players=n_players, castles=True)
    assert castles.each(rules) == n and n * n_players <= 12
    assert castles.each(replace(rules, castles=False)) == 0


# --- Towns --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "set_name", "cap", "is_town"),
    [
        ("semicircle", "base", "bg-cap", True),
        ("semicircle", "base", "bg-caps-opposite", True),
        ("semicircle", "bridges", "bcb-cap-triangle-gate-garden", False),  # TILE-10
        ("any_end_segment", "bridges", "bcb-cap-triangle-gate-garden", True),
        ("semicircle", "abbey", "am-cap-triangle-shield", False),
        ("any_end_segment", "abbey", "am-cap-triangle-shield", True),
    ],
)
def test_cas_02_what_is_a_town(base, set_name, cap, is_town):
    sets = ("base",) if set_name == "base" else ("base", set_name)
    rotation = 2 % FACTS[cap]["rot"]
    made = legal(START, f"{cap} 0 -1 {rotation}", sets=sets, castle_base=base)
    assert castles.is_town(made, feature_at(made, 0, 0, Spot.N)) == is_town


def test_cas_02_a_city_of_three_tiles_is_no_town():
    made = legal(START, "bg-span 0 -1 0", "bg-cap 0 -2 2", figures=["0 meeple 0 -1 N"])
    assert castles.questions(made) == []
    one = position("bg-cap 0 0 0", "am-abbey 0 -1 0", castles=True, abbeys=True)
    assert not castles.is_town(one, feature_at(one, 0, 0, Spot.N))


def test_cas_03_cas_05_cas_06_cas_07_the_occupier_chooses():
    made = legal(*TOWN)
    asked = after(made, "meeple S")
    assert (asked.phase, asked.decider) == (Phase.CASTLE, 0)
    assert asked.town == (0, -1, Spot.S)
    assert turns.legal(asked) == {"castle", "score"}
    scored = after(asked, "score")
    assert (scored.scores, scored.figures, scored.tokens) == ((4, 0), (), (3, 3))
    built = after(asked, "castle")
    assert built.castles == (Castle(0, -1, Spot.S),)
    assert (built.scores, built.tokens) == ((0, 0), (2, 3))
    assert built.figures == placed_figures("0 meeple 0 -1 S")
    castle = feature_at(built, 0, 0, Spot.N)
    assert (castle.kind, castle.is_complete) == (Kind.CASTLE, False)  # CAS-10
    assert (built.phase, built.turn_player, built.town) == (Phase.PLACE_TILE, 1, None)


def test_cas_04_the_chooser_need_not_be_the_turn_player():
    made = legal(
        START, "bg-monastery 0 1 0", "bg-cap 0 -1 2", figures=["1 wagon 0 0 N"], wagons=True
    )
    asked = after(made, "pass")
    assert (asked.phase, asked.turn_player, asked.decider) == (Phase.CASTLE, 0, 1)
    assert after(asked, "castle").tokens == (3, 2)  # WAG-19, CAS-32


def test_cas_08_cas_09_without_token_or_occupier_nobody_is_asked():
    assert castles.questions(legal(*TOWN)) == []
    poor = legal(*TOWN, figures=["1 wagon 0 0 N"], wagons=True, tokens_left=(3, 0))
    assert castles.questions(poor) == []
    assert after(poor, "pass").scores == (0, 4)


@pytest.fixture
def two_towns():
    """A tile whose cities complete two towns, of B in the south and of A in the east."""
    east = ("bg-straight 1 0 0", "bg-cap 1 -1 3")
    people = ["1 wagon 0 0 N", "0 meeple 1 -1 W"]
    return legal(START, *east, "bg-caps-adjacent 0 -1 1", figures=people, wagons=True)


def test_cas_03_gap_c7_seats_decide_clockwise(two_towns):
    first = after(two_towns, "pass")
    assert (first.decider, first.town) == (0, (0, -1, Spot.E))
    second = after(first, "castle")
    assert (second.decider, second.town) == (1, (0, -1, Spot.S))
    done = after(second, "score")
    assert (done.scores, done.castles) == ((0, 4), (Castle(0, -1, Spot.E),))
    other = replace(two_towns, turn_player=1, decider=1)
    assert after(other, "pass").decider == 1


def test_towns_of_one_seat_come_in_the_order_of_the_tile_facts(two_towns):
    own = replace(two_towns, figures=placed_figures("0 wagon 0 0 N", "0 meeple 1 -1 W"))
    first = after(own, "pass")
    assert (first.decider, first.town) == (0, (0, -1, Spot.E))
    second = after(first, "castle")
    assert (second.decider, second.town) == (0, (0, -1, Spot.S))
    assert after(second, "castle").tokens == (1, 3)
    last_token = after(replace(own, tokens=(1, 3)), "pass", "castle")
    assert (last_token.scores, last_token.tokens) == ((4, 0), (0, 3))


def test_may_09_a_mayor_without_coats_is_asked():
    made = legal(START, "bg-cap 0 -1 2", mayors=True)
    asked = after(made, "mayor S")
    assert asked.phase == Phase.CASTLE
    assert after(asked, "score").scores == (0, 0)


#: Three meeples in a town, out of reach in play.
SHARED = ["0 meeple 0 0 N", "1 meeple 0 0 N"]


def tied(*figures, **rest):
    """Make a town with several occupiers, which no play reaches."""
    return position(*TOWN, figures=figures, castles=True, n_players=3, bag=("bg-curve",), **rest)


def test_cas_34_only_the_majority_decides():
    made = tied(*SHARED, "0 meeple 0 0 N")
    assert castles.questions(made) == [castles.Question(0, (0, -1, Spot.S))]
    built = turns.following(turns.following(made, "pass"), "castle")
    assert built.scores == (0, 0, 0)
    assert [figure.seat for figure in built.figures] == [0, 0]


@pytest.mark.parametrize(
    ("answers", "scores", "lords", "tokens"),
    [
        (("score", "score"), (4, 4, 0), [], (3, 3, 3)),  # CAS-35
        (("castle", "castle"), (0, 0, 0), [0, 1], (2, 2, 3)),  # CAS-36, CAS-38
        (("score", "castle"), (4, 0, 0), [1], (3, 2, 3)),  # CAS-37
        (("castle", "score"), (0, 4, 0), [0], (2, 3, 3)),
    ],
)
def test_cas_35_to_cas_38_tied_occupiers(answers, scores, lords, tokens):
    made = turns.following(tied(*SHARED), "pass")
    for seat, answer in enumerate(answers):
        assert (made.phase, made.decider) == (Phase.CASTLE, seat)
        made = turns.following(made, answer)
    assert (made.scores, [figure.seat for figure in made.figures]) == (scores, lords)
    assert made.tokens == tokens


def test_cas_37_wag_04_a_wagon_that_was_scored_moves():
    made = tied("0 wagon 0 0 N", "1 meeple 0 -1 S", wagons=True)
    made = turns.following(turns.following(turns.following(made, "pass"), "score"), "castle")
    assert (made.phase, made.decider, made.scores) == (Phase.WAGON, 0, (4, 0, 0))
    assert problems(replace(made, bag=None)) == []
    minority = tied("0 wagon 0 0 N", "1 meeple 0 -1 S", "1 meeple 0 -1 S", wagons=True)
    made = turns.following(turns.following(minority, "pass"), "castle")
    assert (made.phase, made.scores) == (Phase.PLACE_TILE, (0, 0, 0))


def test_cas_38_without_a_token_a_tied_occupier_scores():
    made = turns.following(tied(*SHARED, tokens_left=(3, 0, 3)), "pass")
    built = turns.following(made, "castle")
    assert (built.scores, [figure.seat for figure in built.figures]) == ((0, 4, 0), [0])


def test_cas_36_tied_lords_all_score():
    both = ["0 meeple 0 0 N", "1 meeple 0 -1 S"]
    made = position(*TOWN, *ROAD, figures=both, castles=True, **CASTLE)
    assert castles.all_scored(made).scores == (3, 3)


# --- Fiefs and scoring --------------------------------------------------------------------------


def test_cas_14_cas_15_the_fief():
    made = legal(*TOWN, "bg-monastery 0 1 0", **CASTLE)
    assert cells(made, "0 0 N") == {(x, y) for x in (-1, 0, 1) for y in (-1, 0)}
    flanks, row = (
        legal(*SIDE_BY_SIDE, "bg-monastery 0 2 0", castles_at=["1 1 W"], castle_fief=fief)
        for fief in ("flanks", "row")
    )
    assert cells(flanks, "0 1 E") == {(x, y) for x in (0, 1) for y in (0, 1, 2)}
    assert cells(row, "0 1 E") == {(x, 1) for x in range(-2, 4)}
    upright = legal(*TOWN, "bg-monastery 0 1 0", castle_fief="row", **CASTLE)
    assert cells(upright, "0 0 N") == cells(made, "0 0 N")


def test_cas_11_cas_24_a_castle_takes_the_value_of_a_feature():
    people = ["1 meeple -1 0 E", "0 meeple 0 -1 S"]
    made = legal(*TOWN, *ROAD, figures=people, player=1, **CASTLE)
    done = after(made, "pass")
    assert (done.scores, done.figures) == ((3, 3), ())
    assert done.castles == (Castle(0, 0, Spot.N),)
    assert after(replace(made, figures=made.figures[:1]), "pass").scores == (0, 3)


def test_cas_21_cas_40_the_feature_need_not_score_for_anybody():
    made = legal(*TOWN, *ROAD, figures=["0 meeple 0 -1 S"], player=1, **CASTLE)
    assert after(made, "pass").scores == (3, 0)
    west = ("bg-span -1 -1 0", "bg-cap -1 0 0", "bg-cap -1 -2 2")
    people = ["0 meeple 0 -1 S", "1 mayor -1 -1 N"]
    tiles = (*TOWN, "bg-cap-curve-left 1 0 3")
    city = position(*tiles, *west, figures=people, castles=True, mayors=True, **CASTLE)
    assert castles.all_scored(city).scores == (6, 0)


def test_cas_12_not_in_the_scoring_in_which_it_is_built():
    # The last tile completes the town and a road of three tiles in the north.
    south = ("bg-straight -1 0 0", "bg-straight 1 0 0")
    north = ("bg-monastery-road -1 -1 2", "bg-monastery-road 1 -1 0", "bg-cap-straight 0 -1 2")
    made = legal(START, *south, *north, figures=["1 meeple -1 -1 E"])
    built = after(made, "meeple S", "castle")
    assert built.scores == (0, 3)
    assert built.figures == placed_figures("0 meeple 0 -1 S")
    assert after(made, "meeple S", "score").scores == (4, 3)


@pytest.mark.parametrize(("first", "points"), [(1, 3), (2, 0)])
def test_cas_16_one_tile_in_the_fief_is_enough(first, points):
    row = ["bg-monastery 1 -1 0"] * (first == 2)
    row += [f"bg-monastery-road {first} -1 2", f"bg-straight {first + 1} -1 0"]
    last = f"bg-monastery-road {first + 2} -1 0"
    made = legal(*TOWN, *row, last, figures=["0 meeple 0 -1 S"], **CASTLE)
    assert after(made, "pass").scores == (points, 0)


@pytest.mark.parametrize("name", ["bcb-monastery-straight", "bg-straight-garden"])
@pytest.mark.parametrize(("x", "points"), [(1, 9), (2, 0)])
def test_cas_17_cas_18_monasteries_and_gardens_lie_in_the_fief_themselves(name, x, points):
    """XBCB-02; at x = 2 only neighbours of the monastery lie in the fief."""
    rows = [f"bg-straight {k} 0 0" for k in range(1, x + 2)]
    rows += [f"{name if k == x else 'bg-straight'} {k} -1 0" for k in range(1, x + 2)]
    rows += [f"bg-cap {k} -2 0" for k in range(x - 1, x + 2)]
    made = legal(
        START,
        "bg-cap-straight 0 -1 2",
        *rows,
        figures=["0 meeple 0 -1 S"],
        sets=("base", "bridges"),
        **CASTLE,
    )
    assert after(made, "pass").scores == (points, 0)


def test_cas_22_the_best_of_a_garden_and_its_town():
    # The last tile completes a town in the west and is the eighth neighbour of its garden.
    around = (
        "bg-cap-garden -1 0 3",
        "bg-straight -1 1 0",
        "bg-straight 0 1 0",
        "bg-curve -2 1 1",
        "bg-monastery -1 -1 0",
        "bg-cap -2 -1 3",
        "bg-cap -2 0 1",
    )
    made = position(
        "bg-cap-curve-right 0 0 0",
        "bg-cap 0 -1 2",
        *around,
        figures=["1 meeple 0 -1 S"],
        castles=True,
        **CASTLE,
    )
    assert castles.takings(made, made.castles[0]) == {(-1, 0, Spot.W): 4, (-1, 0, Spot.mid): 9}
    assert castles.all_scored(made).scores == (0, 9)


def test_cas_22_the_best_or_what_the_lord_likes():
    # The last tile completes a road of 3 and a city of 6 points.
    tiles = (
        *TOWN,
        "bg-monastery-road -1 0 2",
        "bg-span 1 -1 0",
        "bg-cap 1 -2 2",
        "bg-cap-junction 1 0 0",
    )
    people = {"figures": ["1 meeple 0 -1 S"]}
    made = legal(*tiles, **people, **CASTLE)
    assert castles.takings(made, made.castles[0]) == {(1, -1, Spot.N): 6, (-1, 0, Spot.E): 3}
    assert after(made, "pass").scores == (0, 6)
    asking = legal(*tiles, **people, **CASTLE, castle_choice="ask")
    asked = after(asking, "pass")
    assert (asked.phase, asked.decider) == (Phase.CASTLE_CHOICE, 1)
    assert (asked.turn_player, asked.town) == (0, (0, 0, Spot.N))
    assert turns.legal(asked) == {"take 1,-1 N", "take -1,0 E"}
    road = after(asked, "take -1,0 E")
    assert (road.scores, road.figures, road.town) == ((0, 3), (), None)
    assert road.castles == (Castle(0, 0, Spot.N),)
    assert after(asked, "take 1,-1 N").scores == (0, 6)


def test_cas_20_a_single_feature_is_taken_without_asking():
    made = legal(*TOWN, *ROAD, figures=["1 meeple 0 -1 S"], **CASTLE, castle_choice="ask")
    assert after(made, "pass").scores == (0, 3)


#: Three castles in a row, each in the fief of its neighbours; only in those of the first two lies
#: the road that the last tile completes, worth 2.
CHAIN = (
    "bg-cap-junction 0 0 0",
    "bg-cap 0 -1 2",
    "bg-cap 1 0 0",
    "bg-cap 1 -1 2",
    "bg-cap 2 0 0",
    "bg-cap 2 -1 2",
    "bg-monastery-road -1 0 2",
)
THREE = {"castles_at": ["0 0 N", "1 0 N", "2 0 N"], "n_players": 3, "castles": True}
LORDS = ["0 meeple 0 -1 S", "1 meeple 1 -1 S", "2 meeple 2 -1 S"]


def test_cas_23_castles_take_from_castles():
    made = position(*CHAIN, figures=LORDS, **THREE)
    found = [castles.takings(made, castle) for castle in made.castles]
    assert found == [{(-1, 0, Spot.E): 2}, {(0, 0, Spot.W): 2}, {}]
    done = castles.all_scored(made)
    assert (done.scores, done.figures) == ((2, 2, 2), ())


@pytest.mark.parametrize("player", [0, 2])
def test_cas_23_a_castle_waits_for_another(player):
    made = position(*CHAIN, figures=LORDS, player=player, castle_choice="ask", **THREE)
    asked = castles.all_scored(made)  # The first castle has taken the road, without a choice.
    assert (asked.phase, asked.decider, asked.scores) == (Phase.CASTLE_CHOICE, 1, (2, 0, 0))
    assert [castle.points for castle in asked.castles] == [2, 0, 0]
    assert turns.legal(asked) == {"take 0,0 W", "take 0,-1 S"}
    done = castles.chosen(asked, (0, -1, Spot.S))
    assert (done.scores, done.figures) == ((2, 2, 2), ())
    assert [castle.points for castle in done.castles] == [0, 0, 0]


def test_cas_23_a_mayor_passes_on_what_he_does_not_get():
    people = ["0 mayor 0 -1 S", *LORDS[1:]]
    made = position(*CHAIN, figures=people, mayors=True, **THREE)
    assert castles.all_scored(made).scores == (0, 2, 2)


def test_cas_24_cas_30_barn_23_castles_in_fields():
    # One castle and one complete city in the field of four monasteries.
    block = (
        START,
        "bg-monastery 0 1 0",
        "bg-cap -1 1 3",
        "bg-cap -2 1 1",
        "bg-cap -1 2 3",
        "bg-cap -2 2 1",
        "bg-monastery 0 2 0",
        "bg-monastery 1 1 0",
        "bg-monastery 1 2 0",
    )
    rules = {"barns": True, "castles_at": ["-1 1 W"], "sets": ("base", "abbey")}
    farmer = ["1 meeple 0 1 Nw"]
    made = legal(*block, figures=farmer, phase=Phase.PLACE_TILE, **rules)
    assert naive.final_scores(made) == (0, 3 + 4)
    acting = legal(*block, figures=farmer, **rules)
    assert after(acting, "barn NW").scores == (0, 3 + 4)
    barn = legal(*block, figures=["0 barn 1 2 NW"], phase=Phase.PLACE_TILE, **rules)
    assert naive.final_scores(barn) == (4 + 5, 0)
    joined = ("bg-straight -1 0 0", "bg-straight -2 0 0", "bg-monastery-road 1 0 0")
    people = ["0 barn 1 2 NW", "1 meeple -1 0 Nw"]
    made = legal(*block, *joined, figures=people, **rules)
    assert after(made, "pass").scores == (0, 1 + 2)


def test_cas_25_cas_27_the_end():
    made = legal(*TOWN, "bg-monastery 0 1 0", figures=["0 meeple 0 -1 S"], **CASTLE)
    assert naive.final_scores(replace(made, phase=Phase.GAME_OVER)) == (0, 0)
    town = replace(made, castles=())
    fields = [{f.segments for f in features(p) if f.kind == Kind.FIELD} for p in (made, town)]
    assert fields[0] == fields[1]


def test_cas_26_fields_do_not_trigger_a_castle():
    made = legal(*TOWN, "bg-monastery 0 1 0", figures=["0 meeple 0 -1 S"], **CASTLE)
    assert castles.takings(made, made.castles[0]) == {}


def test_cas_31_a_mayor_scores_nothing_in_a_castle():
    people = ["0 mayor 0 -1 S", "1 meeple -1 0 E"]
    made = legal(*TOWN, *ROAD, figures=people, mayors=True, **CASTLE)
    done = after(made, "pass")
    assert (done.scores, done.figures) == ((0, 3), ())


def test_cas_44_features_on_the_castle_tiles_are_in_the_fief():
    made = legal(*TOWN, *ROAD, figures=["0 meeple 0 -1 S"], **CASTLE)
    assert list(castles.takings(made, made.castles[0])) == [(-1, 0, Spot.E)]
    flank = position(*SIDE_BY_SIDE, castles=True, castles_at=["0 1 E"])
    assert (0, 0) in cells(flank, "0 1 E")


def test_xbcb_01_abt_18_a_recalled_abbot_leaves_a_completed_garden():
    around = ("bg-straight -1 1 0", "bg-straight 0 1 0", "bg-curve -2 1 1", "bg-cap -2 -1 3")
    tiles = ("bg-cap-curve-right 0 0 0", "bg-cap 0 -1 2", "bg-cap-garden -1 0 3", *around)
    made = position(
        *tiles,
        "bg-monastery -1 -1 0",
        "bg-cap -2 0 1",
        figures=["1 meeple 0 -1 S", "0 abbot -1 0 mid"],
        castles=True,
        abbot_recall_completed="allow",
        bag=("bg-curve",),
        **CASTLE,
    )
    assert turns.following(made, "recall").scores == (9, 9)


# --- Wagons -------------------------------------------------------------------------------------


def wagon_at_home(**rest):
    """Make a position in which a wagon has come home from the castle of ``TOWN``."""
    near = ("bg-straight 2 0 0", "bg-monastery 1 -1 0", "bg-monastery-road 1 1 1")
    tiles = (*TOWN, *ROAD, *near, "bg-monastery 0 -2 0")
    return legal(
        *tiles, phase=Phase.WAGON, waiting=["0 wagon 0 -1 S"], wagons=True, **CASTLE, **rest
    )


@pytest.mark.parametrize(
    ("where", "goals"),
    [
        ("fief", {"-1,0 mid", "1,0 E", "1,-1 mid"}),
        ("neighbours", {"-1,0 mid", "1,0 E", "1,-1 mid", "1,1 mid", "0,-2 mid"}),
    ],
)
@pytest.mark.parametrize("adjacency", ["C2", "C1"])
def test_wag_17_a_wagon_leaves_a_castle(where, goals, adjacency):
    made = wagon_at_home(wagon_from_castle=where, wagon_adjacency=adjacency)
    found = wagon_targets(made, made.wagons[0])
    assert {f"{x},{y} {spot.name}" for x, y, spot in found} == goals
    names = {f"to {goal.split()[0]}" for goal in goals}
    if (where, adjacency) == ("fief", "C2"):
        names = {f"wagon {goal}" for goal in goals}
    assert turns.legal(made) == {"home", *names}


def test_wag_17_a_cell_of_the_row_is_named_first():
    made = wagon_at_home(castle_fief="row")
    assert "to 1,0" in turns.legal(made)
    chosen = turns.following(replace(made, bag=("bg-curve",)), "to 1,0")
    assert (chosen.phase, chosen.wagon_target) == (Phase.WAGON_SPOT, (1, 0))
    assert turns.legal(chosen) == {"wagon 1,0 E"}
    moved = turns.following(chosen, "wagon 1,0 E")
    assert moved.figures == placed_figures("0 wagon 1 0 E")


def test_wag_17_cas_32_a_wagon_is_scored_in_a_castle():
    people = ["0 wagon 0 -1 S"]
    made = legal(*TOWN, *ROAD, figures=people, wagons=True, **CASTLE)
    moves = after(made, "pass")
    assert (moves.phase, moves.scores, moves.wagons) == (Phase.WAGON, (3, 0), made.figures)
    asked = legal(*TOWN, *ROAD, figures=people, wagons=True, castle_choice="ask", **CASTLE)
    assert after(asked, "pass").wagons == made.figures


def test_wag_18_a_move_builds_no_castle():
    made = wagon_at_home()
    after_move = turns.following(replace(made, bag=("bg-curve",)), "wagon 1,0 E")
    assert after_move.phase == Phase.PLACE_TILE


# --- Problems -----------------------------------------------------------------------------------


def test_problems_of_castles():
    def said(*tiles, **rest):
        return " / ".join(problems(position(*tiles, **{"castles": True} | rest)))

    more = (*TOWN, "bg-monastery 0 1 0")
    lord = {"figures": ["0 meeple 0 -1 S"]}
    assert said(*more, **CASTLE) == said(*more, **CASTLE, **lord) == ""
    assert "is named twice" in said(*more, castles_at=["0 0 N", "0 -1 S"])
    assert "no city of this game" in said(*more, castles_at=["0 0 E"])
    assert "no city of this game" in said(*more, castles=False, **CASTLE)
    assert "no former town" in said(START, "bg-span 0 -1 0", "bg-cap 0 -2 2", **CASTLE)
    assert "before its town was decided on" in said(*TOWN, **CASTLE, **lord)
    assert "built by nobody" in said(*TOWN, **CASTLE)
    assert "1 castles and (3, 3)" in said(*more, **CASTLE, tokens_left=(3, 3))
    assert "seat 0 has 1 castles" in said(*more, **CASTLE, **lord, tokens_left=(3, 2))
    assert "tokens in hand" in said(*more, **CASTLE, tokens_left=(4, 1))
    assert "0 hands of castles" in said(*more, tokens_left=())
    assert "stands on a CITY" in said(*more, **CASTLE, figures=["0 abbot 0 -1 S"])
    points = {"castles": True, "phase": Phase.PLACE_TILE}
    taken = replace(position(*more, **points, **CASTLE), castles=(Castle(0, 0, Spot.N, 5),))
    assert "has points in phase" in " ".join(problems(taken))


def test_problems_of_questions():
    def said(made):
        return " / ".join(problems(made))

    asked = turns.following(position(*TOWN, castles=True, bag=("bg-curve",)), "meeple S")
    asked = replace(asked, bag=None)
    assert said(asked) == ""
    assert "cannot decide" in said(replace(asked, decider=1))
    assert "cannot decide" in said(replace(asked, tokens=(0, 3)))
    assert "cannot decide" in said(replace(asked, town=(0, 0, Spot.N)))
    assert "the town is None" in said(replace(asked, town=None))
    assert "in phase FIGURE" in said(replace(asked, phase=Phase.FIGURE, figures=()))
    assert "decider is 7" in said(replace(asked, decider=7))


def test_problems_of_choices():
    tiles = (
        *TOWN,
        "bg-monastery-road -1 0 2",
        "bg-span 1 -1 0",
        "bg-cap 1 -2 2",
        "bg-cap-junction 1 0 0",
    )
    lord = {"figures": ["1 meeple 0 -1 S"], "castle_choice": "ask"}
    asked = after(legal(*tiles, **lord, **CASTLE), "pass")

    def said(**changes):
        return " / ".join(problems(replace(asked, **changes)))

    assert said() == ""
    assert "cannot choose" in said(decider=0)
    assert "cannot choose" in said(figures=())
    best = replace(asked.rules, castle_choice="best")
    assert "no lord is ever asked" in said(rules=best)
    taken = (replace(asked.castles[0], points=6),)
    assert "cannot have taken" in said(castles=taken)


def test_figures_may_stand_beside_a_castle():
    made = legal(*TOWN, "bg-straight 1 0 0", figures=["1 meeple 0 -1 S"], **CASTLE)
    assert (MEEPLE, Spot.E) in naive.figure_choices(made)
