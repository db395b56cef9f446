"""CAS: towns that become castles, and the features in their fiefs that score them.

The tests also cover how castles affect wagons, mayors, barns, abbots and gardens.
"""

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, figures, mayors, meeples, names, offered, score_log, targets, wagons
from .positions import START_LINE, Table, reread, then
from .scenario import play

TABLE = Table("castles: true")
played, at_the_end = TABLE.played, TABLE.at_the_end

ALL_SETS = "sets: [base, abbey, bridges]"
ANY_END = "castle_base: any_end_segment"
ASK = "castle_choice: ask"


def standing(castles, tokens):
    """Return the headers for the castles on the board and the tokens in hand."""
    return f"[castles {castles}]\n[tokens {tokens}]"


#: A castle on (0, 1) and (0, 2), one above the other, with only field around it.
UPRIGHT = "bg-cap-straight 0,0 r0; bg-cap 0,1 r2: {other}; bg-cap 0,2 r0: {lords}"

#: A castle on (0, 1) and (1, 1), side by side.
LYING = "bg-cap-straight 0,0 r0; bg-cap 0,1 r1: {other}; bg-cap 1,1 r3: {lords}"


def castle(more, *moves, lord="A meeple", other="", layout=UPRIGHT, tokens="2:3", **options):
    """Play from a position with one castle that has not scored yet, and more tiles.

    The other half of the castle may have its own figure.
    """
    segment, spot = {UPRIGHT: ("0,1 S", "N"), LYING: ("0,1 E", "W")}[layout]
    tiles = layout.format(lords=f"{lord} {spot}" if lord else "", other=other) + f"; {more}"
    headers = f"{standing(segment, tokens)}\n{options.pop('headers', '')}"
    return played(tiles, *moves, headers=headers, **options)


def tokens(game):
    return game.position().tokens


def castles(game):
    """Return the castles, oldest first, each by the segment that names it."""
    return [f"{c.x},{c.y} {c.spot.name}" for c in game.position().castles]


def asked(game):
    """Return the seat that decides on a town or chooses for a castle, or None."""
    decides = game.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)
    return "ABCDEF"[game.decider] if decides else None


def town(game):
    """Return the segment that the decision is about."""
    place = game.position().town
    return place and f"{place[0]},{place[1]} {place[2].name}"


@pytest.mark.rule("SET-04")
@pytest.mark.parametrize(("n_players", "each"), [(2, 3), (3, 3), (4, 3), (5, 2), (6, 2)])
def test_cas_01_three_tokens_each_with_up_to_four_players_else_two(n_players, each):
    rules = Rules(n_players=n_players, castles=True)
    game = Game(rules, seed=1)
    assert rules.tokens_each == each
    assert [game.stock(seat)["tokens"] for seat in range(n_players)] == [each] * n_players
    assert tokens(game) == (each,) * n_players
    assert sum(tokens(game)) <= 12


def test_cas_01_without_castles_there_are_no_tokens_and_no_decisions():
    assert Rules().tokens_each == 0
    assert tokens(Game(Rules(), seed=1)) == ()
    game = Table().played("bg-cap-straight 0,0 r0: B meeple N", "bg-cap 0,-1 r2; pass")
    assert (game.phase, game.scores) == (Phase.PLACE_TILE, (0, 4))


def second_cap(tile, knights="A meeple N", rules="", figure="pass", bag=None):
    """Let A place a tile north of the start tile, which has knights in its city."""
    start = f"bg-cap-straight 0,0 r0: {knights}"
    return played(start, tile, figure, rules=rules, bag=bag)


@pytest.mark.parametrize("base", ["semicircle", "any_end_segment"])
@pytest.mark.parametrize(
    "tile",
    [
        "bg-cap",
        "bg-cap-garden",
        "bg-cap-straight",
        "bg-cap-curve-left",
        "bg-cap-curve-right",
        "bg-cap-junction",
        "bg-caps-adjacent",
        "bg-caps-adjacent-garden",
        "am-cap-gate-left",
        "am-cap-curve-left-touching",
        "am-cap-curve-right-touching",
        "am-caps-adjacent-two-gates",
        "bcb-cap-road-bazaar",
        "bcb-caps-three-gate",
    ],
)
def test_cas_02_two_semicircles_are_a_town(tile, base):
    game = second_cap(f"{tile} 0,-1 r2", rules=f"{ALL_SETS}, castle_base: {base}")
    assert (asked(game), town(game)) == ("A", "0,-1 S")


@pytest.mark.parametrize("base", ["semicircle", "any_end_segment"])
@pytest.mark.parametrize("tile", ["bg-caps-opposite", "bg-caps-opposite-garden"])
def test_cas_02_the_other_semicircle_of_the_tile_stays_open(tile, base):
    game = second_cap(f"{tile} 0,-1 r0", rules=f"castle_base: {base}")
    assert (asked(game), town(game)) == ("A", "0,-1 S")
    game.apply("castle")
    assert asked(game) is None


@pytest.mark.rule("TILE-10")
@pytest.mark.parametrize(
    ("tile", "points"), [("bcb-cap-triangle-gate-garden", 4), ("am-cap-triangle-shield", 6)]
)
def test_cas_02_a_triangle_counts_only_as_any_end_segment(tile, points):
    game = second_cap(f"{tile} 0,-1 r2", rules=ALL_SETS)
    assert (asked(game), game.scores) == (None, (points, 0))
    game = second_cap(f"{tile} 0,-1 r2", rules=f"{ALL_SETS}, {ANY_END}")
    assert (asked(game), game.scores) == ("A", (0, 0))
    scored = game.clone()
    scored.apply("score")
    assert score_log(scored) == [("A", points, Kind.CITY)]
    game.apply("castle")
    assert (game.scores, figures(game)) == ((0, 0), {"A meeple 0,0 N"})


def test_cas_02_a_segment_on_a_city_bridge_is_no_semicircle():
    game = second_cap("am-span-and-bridged-cap-shield 0,-1 r1", rules=ALL_SETS)
    assert (asked(game), game.scores) == (None, (6, 0))


@pytest.mark.parametrize("base", ["semicircle", "any_end_segment"])
@pytest.mark.parametrize(
    ("middle", "last"),
    [("bg-span 0,-1 r0", "bg-cap 0,-2 r2"), ("bg-corner 0,-1 r2", "bg-cap -1,-1 r1")],
)
def test_cas_02_a_city_of_three_tiles_is_never_a_town(middle, last, base):
    game = played(
        f"bg-cap-straight 0,0 r0: A meeple N\n{middle}", last, "pass", rules=f"castle_base: {base}"
    )
    assert (asked(game), game.scores) == (None, (6, 0))


#: A's city is open only towards the hole at (0, -2).
BELOW_A_HOLE = """
    bg-cap-straight 0,0 r0
    {middle}: A meeple N
    bg-straight 1,0 r0
    bg-monastery 1,-1 r0
    bg-monastery 1,-2 r0
    bg-monastery 1,-3 r0; bg-monastery 0,-3 r0; bg-cap -1,-3 r0
    bg-cap -1,-2 r3
    """


@pytest.mark.parametrize("base", ["semicircle", "any_end_segment"])
@pytest.mark.parametrize(
    ("middle", "points"),
    [
        ("bg-span 0,-1 r0", 4),  # two tiles, but one of the segments has two sides
        ("bg-caps-opposite 0,-1 r0", 2),  # a single segment
    ],
)
def test_cas_02_a_city_that_an_abbey_closes_is_no_town(middle, points, base):
    game = played(
        BELOW_A_HOLE.format(middle=middle),
        "pass; am-abbey 0,-2 r0; pass",
        seat="B",
        rules=f"abbeys: true, castle_base: {base}",
    )
    assert (asked(game), game.scores) == (None, (points, 0))


@pytest.mark.rule("CAS-07")
@pytest.mark.parametrize(
    ("tiles", "stand"),
    [
        ("bg-cap 0,-1 r2", "0,0 E"),  # a road
        ("bg-cap 0,-1 r2", "0,0 N, 0,-1 S"),  # the same castle twice
        ("bg-cap 0,1 r1", "0,0 N"),  # an incomplete city
        ("bg-span 0,-1 r0\nbg-cap 0,-2 r2", "0,0 N"),  # three tiles
        ("am-cap-triangle-shield 0,-1 r2", "0,0 N"),
    ],
)
def test_cas_02_a_castle_elsewhere_is_refused(tiles, stand):
    tiles = f"bg-cap-straight 0,0 r0: A meeple N\n{tiles}"
    with pytest.raises(ValueError, match="castle"):
        played(tiles, rules=ALL_SETS, headers=standing(stand, "2:2"))


@pytest.mark.rule("CAS-07")
@pytest.mark.parametrize("left", ["4:2", "3:3", "3:-1"])
def test_cas_01_tokens_that_do_not_go_with_the_castles_are_refused(left):
    later = "bg-monastery 1,1 r0"
    assert tokens(castle(later, tokens="2:3")) == (2, 3)
    with pytest.raises(ValueError, match="tokens"):
        castle(later, tokens=left)


@pytest.mark.interpreted
def test_cas_07_no_castle_stands_before_anybody_was_asked():
    with pytest.raises(ValueError, match="CASTLES"):
        castle("", tokens="2:3")


#: B's town; A has just placed the tile that completes it.
TOWN = "bg-cap-straight 0,0 r0: B meeple N; bg-cap 0,-1 r2"


def test_cas_03_the_occupier_scores_the_town():
    game = played(TOWN, "pass")
    assert (game.phase, game.scores) == (Phase.CASTLE, (0, 0))
    assert names(game) == {"castle", "score"}
    game.apply("score")
    assert score_log(game) == [("B", 4, Kind.CITY)]
    assert (game.scores, meeples(game, "B"), figures(game)) == ((0, 4), 7, set())
    assert (tokens(game), castles(game)) == ((3, 3), [])
    assert (game.phase, game.decider, game.turn_player) == (Phase.PLACE_TILE, 1, 1)


@pytest.mark.rule("CAS-07")
def test_cas_03_the_occupier_turns_the_town_into_a_castle():
    game = played(TOWN, "pass; castle")
    assert (game.scores, score_log(game)) == ((0, 0), [])
    assert (meeples(game, "B"), figures(game)) == (6, {"B meeple 0,0 N"})
    assert tokens(game) == (3, 2)
    assert castles(game) in (["0,0 N"], ["0,-1 S"])
    assert (game.phase, game.decider, game.turn_player) == (Phase.PLACE_TILE, 1, 1)
    reread(game)


@pytest.mark.rule("BASE-13")
def test_cas_03_a_town_scores_two_under_the_old_variant():
    game = played(TOWN, "pass; score", rules="small_city_points: 2")
    assert score_log(game) == [("B", 2, Kind.CITY)]


@pytest.mark.parametrize("active", ["A", "B", "C"])
def test_cas_04_the_occupier_decides_whoever_is_active(active):
    game = played(TOWN, "pass", turn=f"{active} acts", n_players=3)
    assert (game.phase, asked(game), "ABC"[game.turn_player]) == (Phase.CASTLE, "B", active)
    assert town(game) == "0,-1 S"
    game.apply("castle")
    assert (tokens(game), figures(game)) == ((3, 2, 3), {"B meeple 0,0 N"})
    assert game.decider == ("ABC".index(active) + 1) % 3


@pytest.mark.parametrize("decision", ["castle", "score"])
def test_cas_05_the_occupier_may_come_with_the_tile_just_placed(decision):
    game = played("bg-cap-straight 0,0 r0", "bg-cap 0,-1 r2; meeple S")
    assert (game.phase, asked(game)) == (Phase.CASTLE, "A")
    game.apply(decision)
    if decision == "castle":
        assert (figures(game), tokens(game)) == ({"A meeple 0,-1 S"}, (2, 3))
        assert game.scores == (0, 0)
    else:
        assert (figures(game), tokens(game)) == (set(), (3, 3))
        assert game.scores == (4, 0)


def test_cas_06_the_decision_is_no_figure_action():
    game = played("bg-cap-straight 0,0 r0: A meeple N", "bg-cap 0,-1 r2")
    assert not {"castle", "score"} & names(game)
    game.apply("meeple Nw")
    assert (game.phase, asked(game)) == (Phase.CASTLE, "A")
    game.apply("castle")
    assert figures(game) == {"A meeple 0,0 N", "A meeple 0,-1 Nw"}
    assert (meeples(game, "A"), tokens(game)) == (5, (2, 3))


def test_cas_06_a_recall_leaves_the_decision_too():
    tiles = "bg-cap-straight 0,0 r0: A meeple N\nbg-monastery 0,1 r0: A abbot mid"
    game = played(tiles, "bg-cap 0,-1 r2; recall")
    assert (asked(game), game.scores) == ("A", (2, 0))
    game.apply("castle")
    assert (figures(game), abbots(game, "A")) == ({"A meeple 0,0 N"}, 1)


#: The tile at (0, -1) completes A's town and B's road.
TOWN_AND_ROAD = """
    bg-cap-straight 0,0 r0: A meeple N; bg-straight -1,0 r0
    bg-monastery-road -1,-1 r2: B meeple E
    bg-straight 1,0 r0
    bg-monastery-road 1,-1 r0
    """


@pytest.mark.rule("TURN-02")
def test_cas_06_the_decision_precedes_the_scoring():
    game = played(TOWN_AND_ROAD, "bg-cap-straight 0,-1 r2; pass")
    assert (asked(game), game.scores) == ("A", (0, 0))
    game.apply("score")
    assert sorted(score_log(game)) == [("A", 4, Kind.CITY), ("B", 3, Kind.ROAD)]


def row_of_towns(n_castles, tokens, *moves, knights="B meeple N", **options):
    """Play from a column of towns: scored castles, then a town that A has just completed."""
    middle = ("bg-caps-opposite", "bg-caps-opposite", "bg-caps-opposite-garden")
    tiles = [START_LINE, *(f"{middle[i]} 0,{-1 - i} r0" for i in range(n_castles))]
    tiles[-1] += f": {knights}"
    tiles.append(f"bg-cap 0,{-1 - n_castles} r2")
    stand = ", ".join(f"0,{-i} N" for i in range(n_castles))
    return played(tiles, *moves, headers=standing(stand, tokens), **options)


@pytest.mark.parametrize(("n_castles", "tokens", "n_players"), [(3, "3:0", 2), (2, "2:0:2:2:2", 5)])
def test_cas_08_without_a_token_the_town_is_scored(n_castles, tokens, n_players):
    game = row_of_towns(n_castles, tokens, "pass", n_players=n_players)
    assert (game.phase, score_log(game)) == (Phase.PLACE_TILE, [("B", 4, Kind.CITY)])
    assert (figures(game), len(castles(game))) == (set(), n_castles)


def test_cas_08_the_last_token_can_still_be_used():
    game = row_of_towns(2, "3:1", "pass")
    assert asked(game) == "B"
    game.apply("castle")
    assert tokens(game) == (3, 0)
    assert castles(game)[:2] == ["0,0 N", "0,-1 N"]
    assert castles(game)[2] in ("0,-2 N", "0,-3 S")


def test_cas_09_an_unoccupied_town_becomes_no_castle():
    game = played(TOWN.replace(": B meeple N", ""), "pass")
    assert (asked(game), game.scores, castles(game)) == (None, (0, 0), [])
    # It is still a complete city.
    farmer = TOWN.replace(": B meeple N", ": B meeple En")
    assert at_the_end(farmer) == (0, 3)


#: The tile that completes B's town beside A's castle.
END_OF_TOWN = "bg-cap 0,-2 r2"


def beside_a_castle(*moves, knights="B meeple N", **options):
    """Let A place the tile that completes a town beside A's castle."""
    tiles = ("bg-cap-straight 0,0 r0: A meeple N", f"bg-caps-opposite 0,-1 r0: {knights}")
    return played(tiles, END_OF_TOWN, *moves, headers=standing("0,0 N", "2:3"), **options)


@pytest.mark.parametrize("small", [4, 2])
def test_cas_10_a_town_that_becomes_a_castle_was_not_completed(small):
    game = beside_a_castle("pass", rules=f"small_city_points: {small}")
    assert asked(game) == "B"
    scored = game.clone()
    scored.apply("score")
    assert score_log(scored) == [("B", small, Kind.CITY), ("A", small, Kind.CASTLE)]
    assert figures(scored) == set()
    game.apply("castle")
    assert (score_log(game), game.scores) == ([], (0, 0))
    assert figures(game) == {"A meeple 0,0 N", "B meeple 0,-1 N"}
    assert len(castles(game)) == 2


#: A road of five tiles that ends in the fief.
ROAD_OF_FIVE = """
    bg-monastery-road 1,1 r2: {owner}; bg-straight 2,1 r0; bg-straight 3,1 r0; bg-straight 4,1 r0
    """
END_OF_FIVE = "bg-monastery-road 5,1 r0"


@pytest.mark.rule("CAS-16", "CAS-21")
@pytest.mark.parametrize(
    ("owner", "figure", "log"),
    [
        ("B meeple E", "pass", [("B", 5, Kind.ROAD)]),
        ("A meeple E", "pass", [("A", 5, Kind.ROAD)]),
        ("", "meeple W", [("B", 5, Kind.ROAD)]),  # placed in this turn
        ("", "pass", []),
    ],
)
def test_cas_11_lord_and_owner_get_the_full_value_of_the_feature(owner, figure, log):
    game = castle(ROAD_OF_FIVE.format(owner=owner), END_OF_FIVE, seat="B")
    assert game.scores == (0, 0)
    game.apply(figure)
    assert score_log(game) == [*log, ("A", 5, Kind.CASTLE)]
    assert (figures(game), meeples(game, "A"), meeples(game, "B")) == (set(), 7, 7)


def test_cas_11_an_incomplete_feature_gives_nothing():
    game = castle(ROAD_OF_FIVE.format(owner="B meeple E"), "bg-straight 5,1 r0; pass")
    assert (game.scores, figures(game)) == ((0, 0), {"A meeple 0,2 N", "B meeple 1,1 E"})


@pytest.mark.rule("CAS-13")
def test_cas_12_features_of_the_same_scoring_do_not_count_the_next_one_does():
    bag = ("bg-junction", "bg-junction", "bg-curve")
    game = played(TOWN_AND_ROAD, "bg-cap-straight 0,-1 r2; pass; castle", bag=bag)
    assert score_log(game) == [("B", 3, Kind.ROAD)]
    assert (game.scores, figures(game)) == ((0, 3), {"A meeple 0,0 N"})
    # The road of the start tile is not complete until A's next tile adds its second end.
    then(game, "bg-junction -2,0 r0; pass")
    assert game.scores == (0, 3)
    then(game, "bg-junction 2,0 r0; pass")
    assert score_log(game) == [("A", 5, Kind.CASTLE)]
    assert (game.scores, figures(game)) == ((5, 3), set())


#: A's castle; a tile at (0, -2) completes B's town beside the castle and a road of four.
CASTLE_TOWN_AND_ROAD = """
    bg-cap-straight 0,0 r0: A meeple N
    bg-caps-opposite 0,-1 r0: B meeple N; bg-monastery -1,-1 r0
    bg-monastery-road -1,-2 r2
    bg-monastery-road 1,-1 r1
    bg-curve 1,-2 r0
    """


@pytest.mark.rule("CAS-23")
@pytest.mark.parametrize("choice", ["best", "ask"])
def test_cas_12_a_new_castle_takes_nothing_from_an_old_one_either(choice):
    game = played(
        CASTLE_TOWN_AND_ROAD,
        "bg-cap-straight 0,-2 r2; pass; castle",
        headers=standing("0,0 N", "2:3"),
        rules=f"castle_choice: {choice}",
    )
    assert score_log(game) == [("A", 4, Kind.CASTLE)]
    assert (figures(game), tokens(game)) == ({"B meeple 0,-1 N"}, (2, 2))


@pytest.mark.rule("CAS-22")
def test_cas_12_the_scored_town_is_a_feature_to_choose():
    game = played(
        CASTLE_TOWN_AND_ROAD,
        "bg-cap-straight 0,-2 r2; pass; score",
        headers=standing("0,0 N", "2:3"),
        rules=f"{ASK}, small_city_points: 2",
    )
    assert (asked(game), names(game)) == ("A", {"take 0,-1 N", "take 1,-1 N"})
    game.apply("take 0,-1 N")
    assert game.scores == (2, 2)


@pytest.mark.rule("CAS-43", "CAS-44")
def test_cas_13_one_more_tile_is_enough():
    tiles = "bg-cap-straight 0,0 r0: A meeple N\nbg-monastery-road -1,0 r2"
    game = played(tiles, "bg-cap 0,-1 r2; pass; castle", bag=("bg-monastery-road", "bg-curve"))
    assert (game.phase, game.decider, game.scores) == (Phase.PLACE_TILE, 1, (0, 0))
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert score_log(game) == [("A", 3, Kind.CASTLE)]


#: Short roads between two monasteries: the first tile, the last tile, and the points for the castle
#: on (0, 1) and (0, 2).
AROUND_UPRIGHT = [
    ("bg-monastery-road 1,1 r2", "bg-monastery-road 2,1 r0", 2),
    ("bg-monastery-road 1,2 r2", "bg-monastery-road 2,2 r0", 2),
    ("bg-monastery-road -1,1 r0", "bg-monastery-road -2,1 r2", 2),
    ("bg-monastery-road -1,2 r0", "bg-monastery-road -2,2 r2", 2),
    # North and south of the castle, diagonally, and two cells away.
    ("bg-monastery-road -1,0 r2", "bg-monastery-road 1,0 r0", 0),
    ("bg-monastery-road 0,3 r3", "bg-monastery-road 0,4 r1", 0),
    ("bg-monastery 0,3 r0\nbg-monastery-road 1,3 r2", "bg-monastery-road 2,3 r0", 0),
    ("bg-monastery 0,3 r0\nbg-monastery-road -1,3 r0", "bg-monastery-road -2,3 r2", 0),
    ("bg-monastery 1,1 r0\nbg-monastery-road 2,1 r2", "bg-monastery-road 3,1 r0", 0),
    ("bg-monastery -1,2 r0\nbg-monastery-road -2,2 r0", "bg-monastery-road -3,2 r2", 0),
]


@pytest.mark.rule("CAS-16", "CAS-21")
@pytest.mark.parametrize("fief", ["flanks", "row"])
@pytest.mark.parametrize(("first", "last", "points"), AROUND_UPRIGHT)
def test_cas_14_the_fief_of_a_castle_of_one_tile_above_the_other(first, last, points, fief):
    game = castle(first, last, "pass", seat="B", rules=f"castle_fief: {fief}")
    assert score_log(game) == ([("A", points, Kind.CASTLE)] if points else [])
    assert figures(game) == (set() if points else {"A meeple 0,2 N"})


#: Such roads for the castle on (0, 1) and (1, 1): the points under ``flanks`` and under ``row``.
AROUND_LYING = [
    ("bg-monastery-road -1,0 r2", "bg-monastery-road 1,0 r0", 3, 0),
    ("bg-monastery-road 0,2 r0", "bg-monastery-road -1,2 r2", 2, 0),
    ("bg-monastery-road 1,2 r2", "bg-monastery-road 2,2 r0", 2, 0),
    ("bg-monastery-road 1,2 r3", "bg-monastery-road 1,3 r1", 2, 0),
    ("bg-monastery-road 2,1 r2", "bg-monastery-road 3,1 r0", 0, 2),
    ("bg-monastery-road -1,1 r0", "bg-monastery-road -2,1 r2", 0, 2),
    ("bg-monastery 2,1 r0\nbg-monastery-road 3,1 r2", "bg-monastery-road 4,1 r0", 0, 2),
    ("bg-monastery -1,1 r0\nbg-monastery-road -2,1 r0", "bg-monastery-road -3,1 r2", 0, 2),
    (
        "bg-monastery 2,1 r0\nbg-monastery 3,1 r0\nbg-monastery-road 4,1 r2",
        "bg-monastery-road 5,1 r0",
        0,
        0,
    ),
    (
        "bg-monastery -1,1 r0\nbg-monastery -2,1 r0\nbg-monastery-road -3,1 r0",
        "bg-monastery-road -4,1 r2",
        0,
        0,
    ),
    ("bg-monastery 0,2 r0\nbg-monastery-road 0,3 r0", "bg-monastery-road -1,3 r2", 0, 0),
    ("bg-monastery 1,2 r0\nbg-monastery-road 2,2 r2", "bg-monastery-road 3,2 r0", 0, 0),
]


@pytest.mark.rule("CAS-16")
@pytest.mark.parametrize("fief", ["flanks", "row"])
@pytest.mark.parametrize(("first", "last", "flanks", "row"), AROUND_LYING)
def test_cas_15_the_fief_of_a_castle_of_tiles_side_by_side(first, last, flanks, row, fief):
    game = castle(
        first,
        last,
        "pass",
        layout=LYING,
        turn="B places bg-monastery-road",
        rules=f"castle_fief: {fief}",
    )
    points = {"flanks": flanks, "row": row}[fief]
    assert score_log(game) == ([("A", points, Kind.CASTLE)] if points else [])
    assert Rules().castle_fief == "flanks"


def test_cas_16_a_feature_on_several_cells_counts_once():
    tiles = """
        bg-junction 1,0 r0
        bg-straight 1,1 r1
        bg-straight 1,2 r1
        """
    game = castle(tiles, "bg-monastery-road 1,3 r1; pass", seat="B")
    assert score_log(game) == [("A", 4, Kind.CASTLE)]


#: Tiles around (1, 1); a curve at (2, 2) is the last of the eight.
AROUND_EAST = "bg-straight 1,0 r0; bg-straight 2,0 r0; bg-curve 2,1 r3; {centre}"
LAST_AROUND = "bg-curve 2,2 r2"
GARDEN = "bg-cap-garden 1,1 r2: {owner}\nbg-span 1,2 r0"
MONASTERY = "bg-monastery 1,1 r0: {owner}\nbg-monastery 1,2 r0"
ABBEY = "bg-monastery 1,2 r0\nam-abbey 1,1 r0: {owner}"


def in_the_fief(centre, *moves, owner="", **options):
    """Play from A's castle beside a garden or monastery that the curve at (2, 2) completes."""
    tiles = AROUND_EAST.format(centre=centre.format(owner=owner))
    if centre == ABBEY:
        options |= {"rules": "abbeys: true", "headers": "[abbeys 1:0]"}
    return castle(tiles, *moves, **options)


@pytest.mark.rule("CAS-17", "GAR-10", "XBCB-02")
@pytest.mark.parametrize(
    ("centre", "owner", "kind"),
    [
        (MONASTERY, "B meeple", Kind.MONASTERY),
        (MONASTERY, "B abbot", Kind.MONASTERY),
        (ABBEY, "B meeple", Kind.MONASTERY),
        (GARDEN, "B abbot", Kind.GARDEN),
    ],
)
def test_cas_18_a_monastery_an_abbey_and_a_garden_are_worth_nine(centre, owner, kind):
    game = in_the_fief(centre, LAST_AROUND, "pass", owner=f"{owner} mid")
    assert score_log(game) == [("B", 9, kind), ("A", 9, Kind.CASTLE)]
    assert figures(game) == set()


@pytest.mark.rule("GAR-10", "XBCB-02")
@pytest.mark.parametrize("centre", [MONASTERY, ABBEY, GARDEN])
def test_cas_21_an_empty_monastery_abbey_or_garden_gives_its_value(centre):
    game = in_the_fief(centre, LAST_AROUND, "pass")
    assert score_log(game) == [("A", 9, Kind.CASTLE)]


@pytest.mark.parametrize("fief", ["flanks", "row"])
def test_cas_17_a_monastery_outside_with_neighbours_in_the_fief_does_not_count(fief):
    tiles = """
        bg-straight 1,0 r0; bg-straight 2,0 r0; bg-straight 3,0 r0
        bg-cap 1,1 r2
        bg-span 1,2 r0
        bg-monastery 2,1 r0: B meeple mid
        bg-monastery 2,2 r0
        bg-curve 3,1 r3
        """
    game = castle(tiles, "bg-curve 3,2 r2; pass", rules=f"castle_fief: {fief}")
    assert score_log(game) == [("B", 9, Kind.MONASTERY)]
    assert figures(game) == {"A meeple 0,2 N"}


@pytest.mark.rule("ABB-05")
@pytest.mark.parametrize(("action", "log"), [("pass", []), ("meeple mid", [("A", 9)])])
def test_cas_18_an_abbey_placed_in_the_fief_and_complete_at_once(action, log):
    tiles = """
        bg-straight 1,0 r0; bg-straight 2,0 r0
        bg-curve 2,1 r3
        bg-monastery 1,2 r0; bg-curve 2,2 r2
        """
    options = {"lord": "B meeple", "tokens": "3:2", "seat": "B", "rules": "abbeys: true"}
    game = castle(tiles, "pass; am-abbey 1,1 r0", action, **options)
    expected = [(seat, points, Kind.MONASTERY) for seat, points in log]
    assert score_log(game) == [*expected, ("B", 9, Kind.CASTLE)]


@pytest.mark.rule("ABB-09")
def test_cas_18_an_abbey_outside_completes_a_road_in_the_fief():
    tiles = """
        bg-junction 1,0 r0
        bg-curve 1,1 r2: B meeple N
        bg-straight 2,0 r0; bg-straight 3,0 r0
        bg-monastery 3,1 r0
        bg-monastery 1,2 r0; bg-monastery 2,2 r0
        """
    game = castle(tiles, "pass; am-abbey 2,1 r0; pass", seat="B", rules="abbeys: true")
    assert score_log(game) == [("B", 2, Kind.ROAD), ("A", 2, Kind.CASTLE)]


#: A city of three tiles that reaches into the fief at (1, 1); the cap at (3, 1) completes it.
CITY_OF_THREE = """
    bg-cap 1,1 r1
    bg-span{shield} 2,1 r1: {owner}
    """


@pytest.mark.parametrize(("shield", "points"), [("", 6), ("-shield", 8)])
def test_cas_18_a_city_with_its_coats_of_arms(shield, points):
    tiles = CITY_OF_THREE.format(shield=shield, owner="B meeple E")
    game = castle(tiles, "bg-cap 3,1 r3; pass", seat="B")
    assert score_log(game) == [("B", points, Kind.CITY), ("A", points, Kind.CASTLE)]


@pytest.mark.rule("CAS-11")
def test_cas_18_the_tied_owners_of_a_city_and_the_lord_get_the_same():
    tiles = CITY_OF_THREE.format(shield="", owner="B meeple E, C meeple E")
    game = castle(tiles, "bg-cap 3,1 r3; pass", tokens="2:3:3", seat="B", n_players=3)
    assert sorted(score_log(game)) == [
        ("A", 6, Kind.CASTLE),
        ("B", 6, Kind.CITY),
        ("C", 6, Kind.CITY),
    ]


@pytest.mark.rule("CAS-24")
def test_cas_20_the_castle_takes_the_first_feature_however_small():
    tiles = CITY_OF_THREE.format(shield="-shield", owner="") + "bg-monastery-road -1,1 r0"
    bag = ("bg-cap", "bg-curve")
    game = castle(tiles, "bg-monastery-road -2,1 r2; pass", seat="B", bag=bag)
    assert (score_log(game), meeples(game, "A")) == ([("A", 2, Kind.CASTLE)], 7)
    assert (figures(game), castles(game), tokens(game)) == (set(), ["0,1 S"], (2, 3))
    # The city would have been worth 8.
    then(game, "bg-cap 3,1 r3; pass")
    assert (score_log(game), game.scores) == ([], (2, 0))


def test_cas_20_with_ask_it_cannot_wait_either():
    game = castle("bg-monastery-road 1,1 r2", "bg-monastery-road 2,1 r0; pass", rules=ASK, seat="B")
    assert (asked(game), game.scores, figures(game)) == (None, (2, 0), set())


@pytest.mark.rule("CAS-09")
def test_cas_21_a_free_town_beside_the_castle_counts_as_a_city():
    game = beside_a_castle("pass", knights="")
    assert (asked(game), score_log(game)) == (None, [("A", 4, Kind.CASTLE)])


#: The tile at (1, 2) completes a road of three and a city worth 8.
TWO_AT_ONCE = """
    bg-monastery-road 1,1 r3; bg-monastery 2,1 r0
    bg-span-shield 2,2 r1: {city}; bg-cap 3,2 r3
    bg-monastery 0,3 r0; bg-monastery-road 1,3 r1: {road}
    """


def two_at_once(city="", road="", turn="A", **options):
    tiles = TWO_AT_ONCE.format(city=city, road=road)
    return castle(tiles, "bg-cap-straight 1,2 r1; pass", seat=turn, **options)


def test_cas_22_of_several_features_the_castle_takes_the_best_one():
    game = two_at_once(road="B meeple N", city="A meeple E")
    assert sorted(score_log(game)) == [
        ("A", 8, Kind.CITY),
        ("A", 8, Kind.CASTLE),
        ("B", 3, Kind.ROAD),
    ]
    assert score_log(game)[-1] == ("A", 8, Kind.CASTLE)
    assert Rules().castle_choice == "best"


@pytest.mark.parametrize("turn", ["A", "B"])
@pytest.mark.parametrize(("choice", "points"), [("take 1,1 S", 3), ("take 1,2 E", 8)])
def test_cas_22_asked_the_lord_chooses(choice, points, turn):
    game = two_at_once(road="B meeple N", rules=ASK, turn=turn)
    assert (game.phase, asked(game)) == (Phase.CASTLE_CHOICE, "A")
    assert "AB"[game.turn_player] == turn
    assert names(game) == {"take 1,1 S", "take 1,2 E"}
    assert town(game) == "0,1 S"
    game = reread(game)
    game.apply(choice)
    assert score_log(game)[-1] == ("A", points, Kind.CASTLE)
    assert game.scores == (points, 3)
    assert (figures(game), meeples(game, "A"), meeples(game, "B")) == (set(), 7, 7)


@pytest.mark.rule("CAS-15")
@pytest.mark.parametrize("choice", ["best", "ask"])
def test_cas_22_in_a_row_the_features_in_reading_order(choice):
    # The tile at (3, 1) completes a road and a city, both in the row.
    tiles = """
        bg-monastery-road 2,1 r2
        bg-monastery 2,0 r0; bg-cap 3,0 r2
        """
    game = castle(
        tiles,
        "bg-cap-junction 3,1 r0; pass",
        layout=LYING,
        seat="B",
        rules=f"castle_fief: row, castle_choice: {choice}",
    )
    if choice == "ask":
        assert (asked(game), names(game)) == ("A", {"take 2,1 E", "take 3,1 N"})
        game.apply("take 3,1 N")
    assert score_log(game) == [("A", 4, Kind.CASTLE)]


def column(lords, more, *moves, n_players=3, **options):
    """Play from three castles in a column, each in the fief of the next.

    ``None`` as a lord marks a castle that B has already scored. The fiefs of the castles are rows
    0 and -1, rows -1 and -2, and rows -2 and -3.
    """
    on_it = ["" if lord is None else f"{lord} N" for lord in lords]
    tiles = f"""
        bg-cap-straight 0,0 r0: {on_it[0]}
        bg-caps-opposite 0,-1 r0: {on_it[1]}
        bg-caps-opposite 0,-2 r0: {on_it[2]}
        bg-cap 0,-3 r2
        {more}
        """
    owners = [lord[0] if lord else "B" for lord in lords]
    left = [3 - owners.count(seat) for seat in "ABC"[:n_players]]
    headers = standing("0,0 N, 0,-1 N, 0,-2 N", ":".join(map(str, left)))
    return played(tiles, *moves, n_players=n_players, headers=headers, **options)


#: A road of five in the fief of the first castle only.
START_ROAD = "bg-straight -1,0 r0; bg-monastery-road -2,0 r2; bg-straight 1,0 r0"
START_ROAD_END = "bg-monastery-road 2,0 r0"
ABC = ("A meeple", "B meeple", "C meeple")


@pytest.mark.parametrize("turn", ["A", "B", "C"])
@pytest.mark.parametrize("choice", ["best", "ask"])
@pytest.mark.parametrize(
    ("tiles", "last", "points"),
    [
        (START_ROAD, START_ROAD_END, 5),
        # The chain also works in the other direction.
        ("bg-monastery-road 1,-3 r2", "bg-monastery-road 2,-3 r0", 2),
    ],
)
def test_cas_23_a_chain_of_three_castles(tiles, last, points, choice, turn):
    game = column(ABC, tiles, last, "pass", seat=turn, rules=f"castle_choice: {choice}")
    assert sorted(score_log(game)) == [(seat, points, Kind.CASTLE) for seat in "ABC"]
    assert (figures(game), game.scores) == (set(), (points,) * 3)


def test_cas_23_two_castles_of_one_player_score_both():
    lords = ("A meeple", "A meeple", "B meeple")
    game = column(lords, START_ROAD, START_ROAD_END, "pass", turn="B places bg-monastery-road")
    assert (game.scores, meeples(game, "A"), meeples(game, "B")) == ((10, 5, 0), 7, 7)


@pytest.mark.rule("CAS-24")
def test_cas_23_a_scored_castle_interrupts_the_chain():
    game = column(("A meeple", None, "C meeple"), START_ROAD, START_ROAD_END, "pass")
    assert score_log(game) == [("A", 5, Kind.CASTLE)]
    assert figures(game) == {"C meeple 0,-2 N"}


@pytest.mark.rule("CAS-16")
def test_cas_23_a_feature_in_two_fiefs_scores_both_castles():
    tiles = """
        bg-junction 1,0 r2
        bg-straight 1,-1 r1
        bg-straight 1,-2 r1
        """
    game = column(("A meeple", None, "C meeple"), tiles, "bg-monastery-road 1,-3 r3; pass")
    assert sorted(score_log(game)) == [("A", 4, Kind.CASTLE), ("C", 4, Kind.CASTLE)]


#: The junction at (2, -1) completes a road in the fief of the first castle, and a city worth 8 in
#: the fiefs of the other two castles.
ROAD_AND_CITY = """
    bg-straight 1,0 r0; bg-curve 2,0 r1
    bg-cap 1,-2 r1; bg-corner-shield 2,-2 r2
    bg-straight -1,0 r0
    """
SHORT_ROAD = ROAD_AND_CITY.replace("bg-straight -1,0 r0", "bg-monastery-road -1,0 r2")
LONG_ROAD = f"""{ROAD_AND_CITY}
    bg-straight -2,0 r0; bg-straight -3,0 r0; bg-straight -4,0 r0; bg-monastery-road -5,0 r2
    """
JUNCTION = "bg-cap-junction 2,-1 r0"


@pytest.mark.rule("CAS-22")
@pytest.mark.parametrize("turn", ["A", "B", "C"])
@pytest.mark.parametrize(
    ("tiles", "lords", "scores"),
    [
        # The first castle prefers the points of the second castle, and the other way round.
        (SHORT_ROAD, ABC, (8, 8, 8)),
        (LONG_ROAD, ABC, (9, 9, 9)),
        # Without the middle castle, each of the others has its own feature.
        (SHORT_ROAD, ("A meeple", None, "C meeple"), (5, 0, 8)),
        (LONG_ROAD, ("A meeple", None, "C meeple"), (9, 0, 8)),
    ],
)
def test_cas_23_in_a_chain_the_best_value_counts(tiles, lords, scores, turn):
    game = column(lords, tiles, JUNCTION, "pass", turn=f"{turn} places bg-cap-junction")
    assert (game.scores, figures(game)) == (scores, set())


@pytest.mark.rule("CAS-22")
def test_cas_23_asked_in_a_chain_from_the_first_castle():
    game = column(ABC, SHORT_ROAD, JUNCTION, "pass", turn="A places bg-cap-junction", rules=ASK)
    # A's castle has only the road and takes it. Then B may take the city or what A took.
    assert (asked(game), town(game)) == ("B", "0,-1 N")
    assert names(game) == {"take 0,-1 S", "take 1,-2 E"}
    game = reread(game)
    game.apply("take 0,-1 S")
    assert asked(game) == "C"
    assert names(game) == {"take 0,-2 S", "take 1,-2 E"}
    game = reread(game)
    other = game.clone()
    game.apply("take 0,-2 S")
    assert (game.scores, figures(game)) == ((5, 5, 5), set())
    other.apply("take 1,-2 E")
    assert (other.scores, figures(other)) == ((5, 5, 8), set())


@pytest.mark.rule("CAS-22")
def test_cas_23_asked_in_a_chain_from_the_second_castle():
    game = column(ABC, SHORT_ROAD, JUNCTION, "pass", turn="B places bg-cap-junction", rules=ASK)
    # B's castle takes the city. C may take the city or B's castle, which are worth the same.
    assert (asked(game), town(game)) == ("C", "0,-2 N")
    assert names(game) == {"take 0,-2 S", "take 1,-2 E"}
    game.apply("take 1,-2 E")
    assert (asked(game), town(game)) == ("A", "0,0 N")
    assert names(game) == {"take 0,-1 N", "take -1,0 E"}
    game = reread(game)
    worse = game.clone()
    game.apply("take 0,-1 N")
    assert game.scores == (8, 8, 8)
    worse.apply("take -1,0 E")
    assert worse.scores == (5, 8, 8)


@pytest.mark.rule("CAS-22")
def test_cas_23_asked_for_two_castles_of_one_player_by_age():
    lords = (None, "A meeple", "A meeple")
    game = column(lords, SHORT_ROAD, JUNCTION, "pass", seat="B", rules=ASK, n_players=2)
    # The older castle has only the city; then the younger castle has two features.
    assert (asked(game), town(game)) == ("A", "0,-2 N")
    game.apply("take 1,-2 E")
    assert game.scores == (16, 0)


#: One castle of each orientation. The second castle is in the fief of the first. The first castle
#: is in the fief of the second only under ``row``.
CROSSWISE = """
    bg-cap-straight 0,0 r0: A meeple N
    bg-cap 0,-1 r2; bg-cap 1,-1 r1: B meeple E; bg-cap 2,-1 r3
    """


@pytest.mark.rule("CAS-15")
@pytest.mark.parametrize(
    ("first", "last", "flanks", "row"),
    [
        # West of the first castle.
        ("bg-junction -1,0 r2", "bg-monastery-road -1,-1 r3", (2, 0), (2, 2)),
        # North and east of the second castle.
        ("bg-monastery-road 2,-2 r2", "bg-monastery-road 3,-2 r0", (2, 2), (0, 0)),
        ("bg-monastery-road 3,-1 r2", "bg-monastery-road 4,-1 r0", (0, 0), (2, 2)),
    ],
)
@pytest.mark.parametrize("fief", ["flanks", "row"])
def test_cas_23_the_fief_may_hold_a_castle_that_does_not_hold_it(first, last, flanks, row, fief):
    game = played(
        f"{CROSSWISE}\n{first}",
        last,
        "pass",
        rules=f"castle_fief: {fief}",
        headers=standing("0,0 N, 1,-1 E", "2:2"),
    )
    assert game.scores == {"flanks": flanks, "row": row}[fief]


def test_cas_24_a_castle_scores_once():
    moves = "bg-monastery-road 2,1 r0; pass"
    game = castle("bg-monastery-road 1,1 r2", moves, seat="B", lord="")
    assert (score_log(game), castles(game)) == ([], ["0,1 S"])


@pytest.mark.rule("CAS-30")
def test_cas_25_at_the_end_a_castle_gives_nothing():
    assert castle("bg-monastery-road 1,1 r2").standings == (0, 0)
    assert castle("bg-monastery-road 1,1 r2", "pass", bag=()).scores == (0, 0)


@pytest.mark.rule("CAS-03")
@pytest.mark.parametrize(("decision", "scores"), [("castle", (0, 4)), ("score", (4, 3))])
def test_cas_25_the_last_tile_of_the_game_may_complete_a_town(decision, scores):
    # B's farmer is beside the town.
    game = played("bg-cap-straight 0,0 r0: A meeple N, B meeple En", "bg-cap 0,-1 r2; pass", bag=())
    assert (asked(game), game.is_over) == ("A", False)
    game.apply(decision)
    assert (game.is_over, game.scores) == (True, scores)


@pytest.mark.rule("CAS-11")
def test_cas_25_the_last_tile_of_the_game_may_score_a_castle():
    game = castle("bg-monastery-road 1,1 r2: B meeple E", "bg-monastery-road 2,1 r0; pass", bag=())
    assert (game.is_over, game.scores) == (True, (2, 2))


#: A barn at (1, 3) NW is in a field that touches a castle on (0, 1) and (0, 2), and a city.
BARN_LAND = """
    bg-cap-straight 0,0 r0: {north}
    bg-cap 0,1 r2: {south}
    bg-cap 0,2 r0: {lord}
    bg-cap 0,3 r2
    bg-cap 0,4 r0
    bg-monastery 1,1 r0
    {east}
    """
EAST = "bg-monastery 1,2 r0\nbg-monastery 1,3 r0: {barn}"


def barn_land(*moves, barn="", is_castle=True, east=EAST, **options):
    """Play from BARN_LAND; by default A is the lord of the castle."""
    on_it = {name: options.pop(name, "") for name in ("north", "south")}
    lord = options.pop("lord", "A meeple N")
    tiles = BARN_LAND.format(lord=lord, east=east.format(barn=barn), **on_it)
    headers = standing("0,1 S", "2:3") if is_castle else ""
    return played(tiles, *moves, rules="barns: true", headers=headers, **options)


#: Joins the field north of the road to the field of the castle.
JOIN = "bg-monastery-road 1,0 r0"


def joining(**options):
    """Let A join the field of B's farmer to the field of A's barn."""
    return barn_land(JOIN, "pass", north="B meeple En", barn="A barn NW", **options)


@pytest.mark.rule("CAS-28", "XBCB-04")
@pytest.mark.parametrize(
    ("options", "in_play", "joined", "at_end"),
    [
        ({}, 7, 3, 9),
        ({"lord": ""}, 7, 3, 9),
        ({"lord": "", "is_castle": False}, 6, 2, 8),  # two cities for comparison
    ],
)
def test_barn_23_a_castle_is_worth_one_more_than_a_city(options, in_play, joined, at_end):
    placed = barn_land("barn NW", south="B meeple Nw", **options)
    assert score_log(placed) == [("B", in_play, Kind.FIELD)]
    assert score_log(joining(**options)) == [("B", joined, Kind.FIELD)]
    assert barn_land("pass", barn="B barn NW", bag=(), **options).scores == (0, at_end)


def test_cas_26_a_field_scored_in_the_fief_does_not_score_the_castle():
    for game in (barn_land("barn NW", south="B meeple Nw"), joining()):
        assert [kind for _, _, kind in score_log(game)] == [Kind.FIELD]
        assert figures(game) == {"A meeple 0,2 N", "A barn 1,3 NW"}


@pytest.mark.rule("BARN-14", "CAS-10")
@pytest.mark.parametrize(
    ("decision", "log"),
    [("castle", [("B", 7, Kind.FIELD)]), ("score", [("B", 4, Kind.CITY), ("B", 6, Kind.FIELD)])],
)
def test_barn_23_a_town_turned_by_the_tile_of_the_barn_counts_as_a_castle(decision, log):
    # The tile at (0, 2) completes B's town and the point for the barn.
    tiles = """
        bg-cap-straight 0,0 r0
        bg-cap 0,1 r2: B meeple S; bg-monastery 1,1 r0: B meeple Nw
        bg-monastery 1,2 r0
        bg-monastery 1,3 r0; bg-cap 0,3 r2
        bg-cap 0,4 r0
        """
    game = played(tiles, "bg-cap 0,2 r0; barn SE", rules="barns: true")
    assert (asked(game), game.scores) == ("B", (0, 0))
    game.apply(decision)
    assert sorted(score_log(game)) == sorted(log)


@pytest.mark.rule("CAS-26", "TURN-02")
def test_barn_23_castles_are_scored_after_the_fields():
    # The last tile completes a road in the fief, and A places a barn on it.
    moves = "bg-monastery-road 1,3 r1; barn NW"
    game = barn_land(moves, south="B meeple Nw", east="bg-monastery-road 1,2 r3")
    assert score_log(game) == [("B", 7, Kind.FIELD), ("A", 2, Kind.CASTLE)]


@pytest.mark.parametrize("decision", ["castle", "score"])
@pytest.mark.parametrize(
    ("tile", "east"),
    [
        ("bg-cap", {"mid"}),  # one field all around it
        ("am-cap-triangle-shield", {"Nw", "mid"}),  # the triangle has a field on every side
    ],
)
def test_cas_27_a_castle_separates_fields_as_the_town_did(tile, east, decision):
    game = second_cap(
        f"{tile} 0,-1 r2",
        "B meeple N",
        f"sets: [base, abbey], {ANY_END}",
        figure="meeple Nw",
        bag=("bg-monastery", "bg-curve"),
    )
    game.apply(decision)
    north = then(game.clone(), "bg-monastery 0,-2 r0")
    assert offered(north, "meeple") == {"mid"}
    then(game, "bg-monastery 1,-1 r0")
    assert offered(game, "meeple") == east


@pytest.mark.rule("CAS-28")
@pytest.mark.parametrize("lord", ["A meeple", ""])
def test_cas_30_at_the_end_every_castle_counts_four_for_farmers(lord):
    farmer = "bg-monastery 1,1 r0: B meeple Nw"
    assert castle(farmer, lord=lord).standings == (0, 4)
    assert castle(farmer, "pass", lord=lord, bag=()).scores == (0, 4)


def test_cas_28_a_city_and_a_castle_are_worth_seven_for_farmers():
    assert barn_land("pass", south="B meeple Nw", bag=()).scores == (0, 7)


@pytest.mark.rule("CAS-27")
def test_cas_28_a_castle_may_count_for_several_fields():
    # A's farmer is north of the triangle, C's is west of it, and B's is on the start tile.
    tiles = """
        bg-cap-straight 0,0 r0: B meeple En
        am-cap-triangle-shield 0,-1 r2: A meeple Nw, C meeple Ws
        bg-monastery 0,1 r0
        """
    options = {"rules": f"sets: [base, abbey], {ANY_END}", "headers": standing("0,0 N", "3:2:3")}
    assert at_the_end(tiles, n_players=3, **options) == (4, 4, 4)


@pytest.mark.rule("XBCB-03", "MAY-09")
@pytest.mark.parametrize("decision", ["castle", "score"])
def test_cas_31_a_mayor_alone_in_a_town_without_coats_decides(decision):
    game = played("bg-cap-straight 0,0 r0: B mayor N", "bg-cap 0,-1 r2; pass", rules="mayors: true")
    assert (asked(game), names(game)) == ("B", {"castle", "score"})
    game.apply(decision)
    assert game.scores == (0, 0)
    if decision == "castle":
        assert (figures(game), tokens(game)) == ({"B mayor 0,0 N"}, (3, 2))
    else:
        assert (figures(game), tokens(game), mayors(game, "B")) == (set(), (3, 3), 1)


def test_cas_31_a_coat_of_arms_of_the_town_does_not_help_him():
    game = second_cap(
        "am-cap-triangle-shield 0,-1 r2", "A mayor N", f"{ALL_SETS}, {ANY_END}, mayors: true"
    )
    assert asked(game) == "A"
    game.apply("castle")
    assert figures(game) == {"A mayor 0,0 N"}
    game = played(
        """
        bg-cap-straight 0,0 r0: A mayor N
        am-cap-triangle-shield 0,-1 r2
        bg-monastery-road -1,0 r2
        """,
        "bg-monastery-road 1,0 r0; pass",
        seat="B",
        rules=f"{ALL_SETS}, {ANY_END}, mayors: true",
        headers=standing("0,0 N", "2:3"),
    )
    assert (game.scores, figures(game), mayors(game, "A")) == ((0, 0), set(), 1)


@pytest.mark.rule("CAS-34", "MAY-11")
def test_cas_31_a_mayor_without_coats_decides_nothing_beside_a_meeple():
    game = second_cap("bg-cap 0,-1 r2", "A mayor N, B meeple N", "mayors: true")
    assert asked(game) == "B"
    game.apply("castle")
    assert (figures(game), mayors(game, "A"), tokens(game)) == ({"B meeple 0,0 N"}, 1, (3, 2))


@pytest.mark.rule("CAS-36")
def test_cas_31_a_mayor_beside_another_lord_gets_nothing():
    # With one coat of arms in the town, they are equal. In the castle, the mayor has no strength.
    rules = f"sets: [base, abbey], {ANY_END}, mayors: true"
    game = played(
        "bg-cap-straight 0,0 r0: A meeple N, B mayor N\nbg-monastery-road -1,0 r2",
        "am-cap-triangle-shield 0,-1 r2; pass",
        rules=rules,
        bag=("bg-monastery-road", "bg-curve"),
    )
    for seat in "AB":
        assert asked(game) == seat
        game.apply("castle")
    assert figures(game) == {"A meeple 0,0 N", "B mayor 0,0 N"}
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert (game.scores, figures(game), mayors(game, "B")) == ((3, 0), set(), 1)


#: A's castle has three unoccupied, incomplete features in its fief and more around the fief. The
#: tile at (-2, 1) completes the road that scores the castle.
FIEF = """
    bg-monastery-road -1,1 r0; bg-cap 1,1 r1: {knight}
    bg-monastery 1,2 r0
    bg-cap 1,3 r2; bg-monastery 0,3 r0
    """
FIEF_END = "bg-monastery-road -2,1 r2"
IN_THE_FIEF = {"-1,1 mid", "1,1 E", "1,2 mid"}
BESIDE_IT = {"0,0 N", "0,0 E", "0,3 mid", "1,3 S"}


def wagon_leaves(rules="", knight="", more="", **lords):
    """Let B complete the road; by default, A's wagon was the lord of the castle."""
    return castle(
        FIEF.format(knight=knight) + more,
        FIEF_END,
        "pass",
        seat="B",
        rules=", ".join(filter(None, ("wagons: true", rules))),
        **(lords or {"lord": "A wagon"}),
    )


@pytest.mark.rule("CAS-32", "XBCB-03", "CAS-11")
@pytest.mark.parametrize("lords", [{"lord": "", "other": "A wagon S"}, {"lord": "A wagon"}])
def test_wag_17_a_wagon_goes_from_its_castle_to_a_feature_in_the_fief(lords):
    game = wagon_leaves(**lords)
    assert score_log(game) == [("A", 2, Kind.CASTLE)]
    assert (game.phase, game.decider, game.turn_player) == (Phase.WAGON, 0, 1)
    assert names(game) == {"home", *(f"wagon {target}" for target in IN_THE_FIEF)}
    assert (wagons(game, "A"), figures(game)) == (1, set())
    home, moved = reread(game), game
    home.apply("home")
    assert (wagons(home, "A"), figures(home)) == (1, set())
    moved.apply("wagon 1,2 mid")
    assert (wagons(moved, "A"), figures(moved)) == (0, {"A wagon 1,2 mid"})
    for after in (home, moved):
        assert (after.phase, after.decider) == (Phase.PLACE_TILE, 0)
        assert (castles(after), tokens(after)) == (["0,1 S"], (2, 3))


@pytest.mark.parametrize("adjacency", ["C2", "C1"])
@pytest.mark.parametrize("fief", ["flanks", "row"])
@pytest.mark.parametrize(
    ("source", "expected"), [("fief", IN_THE_FIEF), ("neighbours", IN_THE_FIEF | BESIDE_IT)]
)
def test_wag_17_the_six_cells_or_the_neighbours_of_both_tiles(source, expected, fief, adjacency):
    rules = f"wagon_from_castle: {source}, castle_fief: {fief}, wagon_adjacency: {adjacency}"
    game = wagon_leaves(rules)
    assert (game.phase, game.decider) == (Phase.WAGON, 0)
    assert targets(game) == expected
    assert targets(reread(game)) == expected


@pytest.mark.parametrize("source", ["neighbours", "fief"])
def test_wag_17_the_cell_first_and_then_the_spot(source):
    rules = f"wagon_from_castle: {source}, wagon_adjacency: C1"
    game = wagon_leaves(rules)
    game.apply("to 1,2")
    assert names(reread(game)) == {"wagon 1,2 mid"}
    game.apply("wagon 1,2 mid")
    assert (figures(game), game.phase) == ({"A wagon 1,2 mid"}, Phase.PLACE_TILE)


@pytest.mark.rule("WAG-08")
def test_wag_17_a_feature_that_leaves_the_fief_is_entered_in_the_fief():
    assert targets(wagon_leaves(more="bg-span 2,1 r1")) == IN_THE_FIEF


@pytest.mark.rule("WAG-09")
def test_wag_17_occupied_and_complete_features_are_no_targets():
    assert targets(wagon_leaves(knight="B meeple E")) == IN_THE_FIEF - {"1,1 E"}
    knight = wagon_leaves(more="bg-span 2,1 r1: B meeple E")
    assert targets(knight) == IN_THE_FIEF - {"1,1 E"}
    complete = wagon_leaves(more="bg-cap-garden 2,1 r3")
    assert targets(complete) == IN_THE_FIEF - {"1,1 E"}


@pytest.mark.rule("WAG-10")
@pytest.mark.parametrize(
    ("theirs", "expected"),
    [("B meeple N", {"-1,0 S", "-1,0 W"}), ("B meeple N, B meeple S, B meeple W", set())],
)
def test_wag_17_without_a_free_feature_in_the_fief_the_wagon_returns(theirs, expected):
    tiles = f"""
        bg-cap-straight 0,0 r0: A wagon N
        bg-cap 0,-1 r2
        bg-crossroads -1,0 r0: {theirs}
        """
    # B takes the monastery of the new tile before the wagon may move.
    moves = "bg-monastery-road 1,0 r0; meeple mid"
    options = {"rules": "wagons: true", "headers": standing("0,0 N", "2:3")}
    game = played(tiles, moves, seat="B", **options)
    assert score_log(game) == [("A", 3, Kind.CASTLE)]
    assert targets(game) == expected
    if not expected:
        assert (game.phase, game.decider, wagons(game, "A")) == (Phase.PLACE_TILE, 0, 1)


#: A castle on (0, 1) and (1, 1). A tile at (1, 2) completes the road on the castle's own tile.
ROW = """
    bg-cap-straight 0,0 r0; bg-junction 1,0 r0
    bg-cap 0,1 r1; bg-cap-straight 1,1 r3: A wagon W
    bg-monastery 0,2 r0
    bg-monastery 2,1 r0; bg-monastery 3,1 r0; bg-monastery 4,1 r0; bg-cap -1,1 r3
    bg-span -2,1 r1; bg-span-shield -3,1 r1
    """
NORTH_AND_SOUTH = {"0,0 N", "0,0 E", "1,0 W", "1,0 E", "0,2 mid", "1,2 mid"}


@pytest.mark.rule("CAS-15", "CAS-44")
@pytest.mark.parametrize(
    ("source", "fief", "expected"),
    [
        ("fief", "flanks", NORTH_AND_SOUTH),
        ("fief", "row", {"2,1 mid", "3,1 mid", "-1,1 W", "-2,1 E"}),
        ("neighbours", "flanks", NORTH_AND_SOUTH | {"2,1 mid", "-1,1 W"}),
        ("neighbours", "row", NORTH_AND_SOUTH | {"2,1 mid", "-1,1 W"}),
    ],
)
def test_wag_17_from_a_castle_of_tiles_side_by_side(source, fief, expected):
    game = played(
        ROW,
        "bg-monastery-road 1,2 r1; pass",
        rules=f"wagons: true, wagon_from_castle: {source}, castle_fief: {fief}",
        headers=standing("0,1 E", "2:3"),
    )
    assert score_log(game) == [("A", 3, Kind.CASTLE)]
    assert targets(game) == expected
    is_in_one = source == "fief" and fief == "flanks"
    assert any(name.startswith("wagon ") for name in names(game)) == is_in_one


@pytest.mark.rule("WAG-11", "CAS-23")
@pytest.mark.parametrize(
    ("turn", "first", "where"),
    [
        ("A", "A", {"A": {"1,-1 mid"}, "B": {"1,-2 mid"}}),
        ("B", "B", {"B": {"1,-1 mid", "1,-2 mid"}, "A": set()}),
    ],
)
def test_wag_17_wagons_of_a_chain_move_in_turn(turn, first, where):
    more = f"""{START_ROAD}
        bg-monastery 1,-1 r0
        bg-monastery 1,-2 r0
        """
    game = column(
        ("A wagon", "B wagon", None),
        more,
        START_ROAD_END,
        "pass",
        turn=f"{turn} places bg-monastery-road",
        rules="wagons: true",
        n_players=2,
    )
    assert game.scores == (5, 5)
    second = "AB".replace(first, "")
    assert (game.phase, "AB"[game.decider]) == (Phase.WAGON, first)
    assert targets(game) == where[first]
    game.apply("wagon 1,-1 mid")
    if where[second]:
        assert (game.phase, "AB"[game.decider]) == (Phase.WAGON, second)
    assert targets(game) == where[second]
    assert wagons(game, second) == 1


@pytest.mark.rule("WAG-11")
def test_wag_17_the_wagon_of_the_feature_and_the_wagon_of_the_castle():
    # B is active and moves first: B's wagon was on the road that scored A's castle.
    game = castle(
        FIEF.replace("-1,1 r0", "-1,1 r0: B wagon W").format(knight=""),
        FIEF_END,
        "pass",
        lord="A wagon",
        turn="B places bg-monastery-road",
        rules="wagons: true",
    )
    assert score_log(game) == [("B", 2, Kind.ROAD), ("A", 2, Kind.CASTLE)]
    assert (game.phase, game.decider) == (Phase.WAGON, 1)
    assert targets(game) == {"0,0 N", "0,0 E", "-1,1 mid", "-2,1 mid"}
    game.apply("wagon -1,1 mid")
    assert (game.phase, game.decider) == (Phase.WAGON, 0)
    assert targets(reread(game)) == IN_THE_FIEF - {"-1,1 mid"}


@pytest.mark.rule("WAG-19", "CAS-22", "TURN-02")
def test_wag_17_town_choice_and_wagons_in_one_turn():
    game = played(
        CASTLE_TOWN_AND_ROAD.replace("meeple", "wagon"),
        "bg-cap-straight 0,-2 r2; pass",
        headers=standing("0,0 N", "2:3"),
        rules=f"{ASK}, small_city_points: 2, wagons: true",
    )
    assert (game.phase, asked(game)) == (Phase.CASTLE, "B")
    game.apply("score")
    assert (game.phase, asked(game)) == (Phase.CASTLE_CHOICE, "A")
    game.apply("take 1,-1 N")
    assert game.scores == (4, 2)
    assert (game.phase, game.decider) == (Phase.WAGON, 0)
    assert targets(game) == {"0,0 E", "-1,-1 mid", "1,-1 mid"}
    game.apply("wagon 0,0 E")
    assert (game.phase, game.decider) == (Phase.WAGON, 1)
    assert targets(reread(game)) == {"-1,-1 mid", "1,-1 mid", "-1,-2 mid"}
    game.apply("home")
    assert (game.phase, game.decider, figures(game)) == (Phase.PLACE_TILE, 1, {"A wagon 0,0 E"})


@pytest.mark.rule("WAG-19")
def test_wag_18_the_move_of_a_wagon_builds_no_castle():
    game = played(
        "bg-cap-straight 0,0 r0: A wagon E\nbg-monastery-road -1,0 r2",
        "bg-monastery-road 1,0 r0; pass",
        rules="wagons: true",
        bag=("bg-cap", "bg-curve"),
    )
    assert "wagon 0,0 N" in names(game)
    game.apply("wagon 0,0 N")
    assert (game.phase, game.decider, castles(game)) == (Phase.PLACE_TILE, 1, [])
    # The next tile completes the town, and the wagon may become its lord.
    then(game, "bg-cap 0,-1 r2; pass")
    assert (game.phase, asked(game), game.turn_player) == (Phase.CASTLE, "A", 1)
    game.apply("castle")
    assert (figures(game), tokens(game)) == ({"A wagon 0,0 N"}, (2, 3))


@pytest.mark.rule("CAS-32")
@pytest.mark.parametrize("adjacency", ["C2", "C1"])
def test_wag_19_a_wagon_becomes_the_lord_and_stays(adjacency):
    game = second_cap(
        "bg-cap-curve-left 0,-1 r2", "A wagon N", f"wagons: true, wagon_adjacency: {adjacency}"
    )
    assert (asked(game), names(game)) == ("A", {"castle", "score"})
    scored = game.clone()
    game.apply("castle")
    assert (game.phase, figures(game)) == (Phase.PLACE_TILE, {"A wagon 0,0 N"})
    assert (tokens(game), wagons(game, "A")) == ((2, 3), 0)
    scored.apply("score")
    assert score_log(scored) == [("A", 4, Kind.CITY)]
    if adjacency == "C2":
        assert (scored.phase, scored.decider) == (Phase.WAGON, 0)
        assert targets(scored) == {"0,0 E", "0,-1 N"}
    else:
        assert (scored.phase, wagons(scored, "A")) == (Phase.PLACE_TILE, 1)


@pytest.mark.rule("CAS-05", "CAS-32")
def test_wag_19_a_wagon_placed_in_this_turn():
    game = played("bg-cap-straight 0,0 r0", "bg-cap 0,-1 r2; wagon S; castle", rules="wagons: true")
    assert (figures(game), game.phase) == ({"A wagon 0,-1 S"}, Phase.PLACE_TILE)


def tied(knights, turn="A", n_players=2, rules="", bag=None):
    """Play from a town with knights of several players (only fliers make this possible)."""
    tiles = f"""
        bg-cap-straight 0,0 r0: {knights}; bg-monastery-road -1,0 r2
        bg-cap 0,-1 r2
        """
    return played(tiles, "pass", turn=f"{turn} acts", n_players=n_players, rules=rules, bag=bag)


def decide(game, *decisions):
    """Make decisions such as ``A castle`` in order; before each one, reread the position."""
    for decision in decisions:
        seat, choice = decision.split()
        assert (game.phase, asked(game)) == (Phase.CASTLE, seat)
        assert names(game) == {"castle", "score"}
        game = reread(game)
        game.apply(choice)
    assert asked(game) is None
    return game


def test_cas_34_the_majority_alone_scores():
    game = decide(tied("A meeple N, A meeple N, B meeple N"), "A score")
    assert score_log(game) == [("A", 4, Kind.CITY)]
    assert (meeples(game, "A"), meeples(game, "B"), figures(game)) == (7, 7, set())


@pytest.mark.rule("CAS-11")
def test_cas_34_or_stays_alone_and_scores_once_with_two_lords():
    bag = ("bg-monastery-road", "bg-curve")
    game = decide(tied("A meeple N, A meeple N, B meeple N", bag=bag), "A castle")
    assert (game.scores, figures(game)) == ((0, 0), {"A meeple 0,0 N"})
    assert (meeples(game, "A"), meeples(game, "B"), tokens(game)) == (5, 7, (2, 3))
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert (score_log(game), meeples(game, "A")) == ([("A", 3, Kind.CASTLE)], 7)


@pytest.mark.rule("WAG-16")
def test_cas_34_a_wagon_in_the_minority_goes_home_without_a_move():
    knights = "A meeple N, A meeple N, B wagon N"
    game = decide(tied(knights, rules="wagons: true"), "A castle")
    assert (game.phase, wagons(game, "B")) == (Phase.PLACE_TILE, 1)


@pytest.mark.rule("CAS-37")
def test_wag_17_a_wagon_that_scored_its_town_was_never_lord():
    # A lord could move to the six cells of the fief; this wagon moves like any other wagon.
    tiles = """
        bg-cap-straight 0,0 r0: A wagon N, B meeple N
        bg-monastery 0,1 r0
        bg-cap 0,-1 r2
        """
    game = decide(played(tiles, "pass", rules="wagons: true"), "A score", "B castle")
    assert (game.scores, figures(game)) == ((4, 0), {"B meeple 0,0 N"})
    assert (game.phase, game.decider) == (Phase.WAGON, 0)
    assert targets(reread(game)) == {"0,0 E", "0,1 mid"}


@pytest.mark.parametrize(("turn", "order"), [("A", "AB"), ("B", "BA")])
def test_cas_35_tied_players_who_score_get_the_full_points(turn, order):
    game = decide(tied("A meeple N, B meeple N", turn), *(f"{seat} score" for seat in order))
    assert (game.scores, figures(game)) == ((4, 4), set())
    assert (tokens(game), castles(game)) == ((3, 3), [])
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


@pytest.mark.rule("CAS-38")
@pytest.mark.parametrize(("turn", "order"), [("A", "AB"), ("B", "BA")])
def test_cas_36_tied_players_share_a_castle(turn, order):
    game = tied("A meeple N, B meeple N", turn, bag=("bg-monastery-road", "bg-curve"))
    game = decide(game, *(f"{seat} castle" for seat in order))
    assert (game.scores, score_log(game)) == ((0, 0), [])
    assert figures(game) == {"A meeple 0,0 N", "B meeple 0,0 N"}
    assert (tokens(game), len(castles(game))) == ((2, 2), 1)
    reread(game)
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert sorted(score_log(game)) == [("A", 3, Kind.CASTLE), ("B", 3, Kind.CASTLE)]
    assert (game.scores, figures(game)) == ((3, 3), set())
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


@pytest.mark.rule("CAS-22")
@pytest.mark.parametrize(("turn", "first"), [("A", "A"), ("B", "B"), ("C", "A")])
def test_cas_36_the_first_lord_in_turn_order_chooses_for_all(turn, first):
    game = two_at_once(
        lord="A meeple N, B meeple", tokens="2:2:3", turn=turn, n_players=3, rules=ASK
    )
    assert (asked(game), names(game)) == (first, {"take 1,1 S", "take 1,2 E"})
    game.apply("take 1,1 S")
    assert (asked(game), game.scores) == (None, (3, 3, 0))


@pytest.mark.rule("CAS-38")
@pytest.mark.parametrize(
    ("turn", "decisions", "scores", "lord"),
    [
        ("A", ("A castle", "B score"), (0, 4), "A"),
        ("A", ("A score", "B castle"), (4, 0), "B"),
        ("B", ("B castle", "A score"), (4, 0), "B"),
        ("B", ("B score", "A castle"), (0, 4), "A"),
    ],
)
def test_cas_37_tied_players_may_part(turn, decisions, scores, lord):
    game = decide(tied("A meeple N, B meeple N", turn), *decisions)
    assert (game.scores, figures(game)) == (scores, {f"{lord} meeple 0,0 N"})
    assert tokens(game) == ((2, 3) if lord == "A" else (3, 2))
    assert len(castles(game)) == 1


@pytest.mark.rule("CAS-13")
def test_cas_37_the_converter_alone_scores_later():
    game = tied("A meeple N, B meeple N", bag=("bg-monastery-road", "bg-curve"))
    game = decide(game, "A score", "B castle")
    then(game, "bg-monastery-road 1,0 r0; pass")
    assert (score_log(game), game.scores) == ([("B", 3, Kind.CASTLE)], (4, 3))


@pytest.mark.rule("CAS-35", "CAS-36")
@pytest.mark.parametrize(
    ("choices", "scores"),
    [
        ("scs", (4, 0, 4)),
        ("csc", (0, 4, 0)),
        ("ccs", (0, 0, 4)),
        ("scc", (4, 0, 0)),
        ("ccc", (0, 0, 0)),
        ("sss", (4, 4, 4)),
    ],
)
def test_cas_37_three_tied_players(choices, scores):
    # C is active and is asked first.
    words = dict(zip("ABC", ({"c": "castle", "s": "score"}[c] for c in choices), strict=True))
    game = tied("A meeple N, B meeple N, C meeple N", turn="C", n_players=3)
    game = decide(game, *(f"{seat} {words[seat]}" for seat in "CAB"))
    converters = [seat for seat in "ABC" if words[seat] == "castle"]
    assert game.scores == scores
    assert figures(game) == {f"{seat} meeple 0,0 N" for seat in converters}
    assert tokens(game) == tuple(3 - (seat in converters) for seat in "ABC")


@pytest.mark.rule("CAS-34")
@pytest.mark.parametrize(
    ("decisions", "scores", "lords"),
    [
        (("A castle", "B castle"), (0, 0, 0), {"A meeple 0,0 N", "B meeple 0,0 N"}),
        (("A castle", "B score"), (0, 4, 0), {"A meeple 0,0 N"}),
        (("A score", "B castle"), (4, 0, 0), {"B meeple 0,0 N"}),
        (("A score", "B score"), (4, 4, 0), set()),
    ],
)
@pytest.mark.interpreted
def test_cas_37_a_minority_gets_nothing_whatever_the_others_do(decisions, scores, lords):
    knights = ", ".join(f"{seat} meeple N" for seat in "AABBC")
    game = decide(tied(knights, n_players=3), *decisions)
    assert (game.scores, figures(game), meeples(game, "C")) == (scores, lords, 7)


@pytest.mark.rule("CAS-10", "BASE-13")
@pytest.mark.interpreted
def test_cas_37_who_parts_under_the_old_variant_gets_two():
    game = tied("A meeple N, B meeple N", rules="small_city_points: 2")
    assert decide(game, "A castle", "B score").scores == (0, 2)


@pytest.mark.rule("CAS-08")
@pytest.mark.parametrize("decision", ["castle", "score"])
def test_cas_38_a_tied_player_without_a_token_can_only_score(decision):
    game = row_of_towns(2, "2:0:2:2:2", "pass", n_players=5, knights="A meeple N, B meeple N")
    assert (asked(game), names(game)) == ("A", {"castle", "score"})
    game.apply(decision)
    if asked(game) == "B":
        assert names(game) == {"score"}
        game.apply("score")
    assert asked(game) is None
    if decision == "castle":
        assert (game.scores, figures(game)) == ((0, 4, 0, 0, 0), {"A meeple 0,-2 N"})
        assert tokens(game) == (1, 0, 2, 2, 2)
    else:
        assert (game.scores, figures(game)) == ((4, 4, 0, 0, 0), set())


@pytest.mark.rule("MAY-09")
def test_cas_40_a_city_that_scores_for_nobody_gives_its_value():
    tiles = CITY_OF_THREE.format(shield="", owner="B mayor E")
    game = castle(tiles, "bg-cap 3,1 r3; pass", seat="B", rules="mayors: true")
    assert (game.scores, figures(game), mayors(game, "B")) == ((6, 0), set(), 1)


@pytest.mark.rule("MAY-09")
def test_cas_40_a_town_scored_by_a_mayor_alone_gives_its_value():
    game = beside_a_castle("pass", knights="B mayor N", rules="mayors: true")
    assert asked(game) == "B"
    game.apply("score")
    assert (game.scores, figures(game)) == ((4, 0), set())


@pytest.mark.rule("CAS-31", "CAS-23", "XBCB-03")
def test_cas_40_the_castle_of_a_mayor_passes_its_value_on():
    lords = ("A mayor", "B meeple", "C meeple")
    game = column(lords, START_ROAD, START_ROAD_END, "pass", rules="mayors: true")
    assert (game.scores, figures(game), mayors(game, "A")) == ((0, 5, 5), set(), 1)


def test_cas_40_the_value_does_not_depend_on_the_majority():
    tiles = CITY_OF_THREE.format(shield="", owner="B meeple E, B meeple E, A meeple E")
    game = castle(tiles, "bg-cap 3,1 r3; pass", seat="B")
    assert score_log(game) == [("B", 6, Kind.CITY), ("A", 6, Kind.CASTLE)]


def test_cas_43_cells_filled_later_belong_to_the_fief():
    bag = ("bg-monastery-road", "bg-curve")
    game = castle("bg-monastery 0,3 r0", "bg-monastery-road 1,2 r2; pass", seat="B", bag=bag)
    assert game.scores == (0, 0)
    then(game, "bg-monastery-road 2,2 r0; pass")
    assert score_log(game) == [("A", 2, Kind.CASTLE)]


def test_cas_44_the_other_city_of_a_tile_of_the_castle():
    # The castle is on (0, 0) and (0, -1); the city runs north from the second tile.
    tiles = """
        bg-cap-straight 0,0 r0: A meeple N
        bg-caps-opposite 0,-1 r0: B meeple N
        bg-span 0,-2 r0
        """
    game = played(tiles, "bg-cap 0,-3 r2; pass", seat="B", headers=standing("0,0 N", "2:3"))
    assert score_log(game) == [("B", 6, Kind.CITY), ("A", 6, Kind.CASTLE)]


#: A tile at (0, -1) completes one town with (0, 0) and another with (0, -2).
BETWEEN = """
    bg-cap-straight 0,0 r0: {south}; bg-straight 1,0 r0
    bg-monastery 1,-1 r0
    bg-monastery 1,-2 r0; bg-cap 0,-2 r2: {north}
    """


def two_towns(north, south, turn="A", n_players=3, rules=""):
    return played(
        BETWEEN.format(north=f"{north} S", south=f"{south} N"),
        "bg-caps-opposite 0,-1 r0; pass",
        seat=turn,
        n_players=n_players,
        rules=rules,
    )


@pytest.mark.rule("CAS-03", "CAS-12", "CAS-10")
@pytest.mark.parametrize(("turn", "order"), [("A", "AB"), ("B", "BA"), ("C", "AB")])
@pytest.mark.parametrize("first", ["castle", "score"])
@pytest.mark.parametrize("second", ["castle", "score"])
def test_cas_04_two_towns_of_two_players(turn, order, first, second):
    game = two_towns("A meeple", "B meeple", turn)
    spot = {"A": "0,-1 N", "B": "0,-1 S"}
    choices = dict(zip(order, (first, second), strict=True))
    for seat in order:
        assert (asked(game), town(game), game.scores) == (seat, spot[seat], (0, 0, 0))
        game = reread(game)
        game.apply(choices[seat])
    points = {"castle": 0, "score": 4}
    assert (asked(game), game.scores) == (None, (points[choices["A"]], points[choices["B"]], 0))
    stand = {"A": "A meeple 0,-2 S", "B": "B meeple 0,0 N"}
    assert figures(game) == {stand[seat] for seat in order if choices[seat] == "castle"}
    assert len(castles(game)) == list(choices.values()).count("castle")


@pytest.mark.parametrize("first", ["castle", "score"])
def test_cas_04_two_towns_of_one_player_in_the_order_of_the_segments(first):
    game = two_towns("B meeple", "B meeple")
    assert (asked(game), town(game)) == ("B", "0,-1 N")
    game.apply(first)
    assert (asked(game), town(game)) == ("B", "0,-1 S")
    game.apply("castle")
    assert asked(game) is None
    if first == "castle":
        assert (tokens(game), game.scores) == ((3, 1, 3), (0, 0, 0))
        assert len(castles(game)) == 2
        assert castles(game)[0] in ("0,-1 N", "0,-2 S")
    else:
        assert (tokens(game), game.scores) == ((3, 2, 3), (0, 4, 0))
        assert figures(game) == {"B meeple 0,0 N"}


#: A tile with three cities at (0, -1) completes towns in the north, the east and the south.
THREE_TOWNS = """
    bg-cap-straight 0,0 r0: {south} N; bg-straight 1,0 r0
    bg-cap 1,-1 r3: {east} W
    bg-monastery 1,-2 r0; bg-cap 0,-2 r2: {north} S
    """


def three_towns(north, east, south, turn="A", n_players=3):
    return played(
        THREE_TOWNS.format(north=north, east=east, south=south),
        "bcb-caps-three-gate 0,-1 r0; pass",
        seat=turn,
        rules="sets: [base, bridges]",
        n_players=n_players,
    )


@pytest.mark.parametrize(("turn", "order"), [("A", "ABC"), ("B", "BCA"), ("C", "CAB")])
def test_cas_04_three_towns_of_three_players(turn, order):
    game = three_towns("C meeple", "A meeple", "B meeple", turn)
    spot = {"C": "0,-1 N", "A": "0,-1 E", "B": "0,-1 S"}
    for seat, choice in zip(order, ("castle", "score", "castle"), strict=True):
        assert (asked(game), town(game)) == (seat, spot[seat])
        game = reread(game)
        game.apply(choice)
    assert asked(game) is None
    assert score_log(game) == [(order[1], 4, Kind.CITY)]
    assert tokens(game) == tuple(3 - (seat != order[1]) for seat in "ABC")


def test_cas_08_the_tokens_may_run_out_between_two_towns():
    game = three_towns("B meeple", "B meeple", "B meeple", n_players=5)
    for spot in ("0,-1 N", "0,-1 E"):
        assert (asked(game), town(game)) == ("B", spot)
        game.apply("castle")
    assert asked(game) is None
    assert (game.scores, tokens(game)) == ((0, 4, 0, 0, 0), (2, 0, 2, 2, 2))
    assert figures(game) == {"B meeple 0,-2 S", "B meeple 1,-1 W"}


@pytest.mark.rule("CAS-09")
def test_cas_04_an_empty_town_beside_another_is_not_asked_for():
    tiles = BETWEEN.format(north="A meeple S", south="")
    game = played(tiles, "bg-caps-opposite 0,-1 r0; pass")
    assert (asked(game), town(game)) == ("A", "0,-1 N")
    game.apply("castle")
    assert (asked(game), figures(game)) == (None, {"A meeple 0,-2 S"})
    # With a knight in the other town too, A decides on both.
    game = played(tiles, "bg-caps-opposite 0,-1 r0; meeple S; score")
    assert (asked(game), town(game)) == ("A", "0,-1 S")


ALLOW = "abbot_recall_completed: allow"


@pytest.mark.rule("XBCB-01", "CAS-21")
@pytest.mark.parametrize(
    ("centre", "kind", "lord"),
    [(GARDEN, Kind.GARDEN, "B"), (MONASTERY, Kind.MONASTERY, "A")],  # in the last case, A owns both
)
def test_abt_18_what_is_complete_when_its_abbot_is_recalled_triggers_a_castle(centre, kind, lord):
    of_b = {"lord": "B meeple", "tokens": "3:2"} if lord == "B" else {}
    game = in_the_fief(centre, LAST_AROUND, "recall", owner="A abbot mid", rules=ALLOW, **of_b)
    assert score_log(game) == [("A", 9, kind), (lord, 9, Kind.CASTLE)]
    assert (figures(game), abbots(game, "A")) == (set(), 1)


@pytest.mark.parametrize(("centre", "kind"), [(GARDEN, Kind.GARDEN), (MONASTERY, Kind.MONASTERY)])
def test_xbcb_01_a_recall_does_not_trigger_a_castle(centre, kind):
    # There are seven neighbours; B's tile is the eighth.
    of_b = {"lord": "B meeple", "tokens": "3:2"}
    bag = ("bg-curve", "bg-cap")
    game = in_the_fief(centre, "recall", owner="A abbot mid", bag=bag, **of_b)
    assert score_log(game) == [("A", 8, kind)]
    assert figures(game) == {"B meeple 0,2 N"}
    then(game, LAST_AROUND, "pass")
    assert score_log(game) == [("B", 9, Kind.CASTLE)]


@pytest.mark.rule("XBCB-02", "CAS-17")
def test_gar_10_a_garden_outside_the_fief_triggers_nothing():
    # The same garden, two cells away from a castle on (-1, 1) and (-1, 2).
    tiles = AROUND_EAST.format(centre=GARDEN.format(owner="B abbot mid"))
    tiles = f"""
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0
        bg-cap 0,1 r2
        bg-span-shield 0,2 r0
        bg-cap -1,1 r2: A meeple S
        bg-cap -1,2 r0
        {tiles}
        """
    game = played(tiles, LAST_AROUND, "pass", headers=standing("-1,1 S", "2:3"))
    assert score_log(game) == [("B", 9, Kind.GARDEN)]
    assert figures(game) == {"A meeple -1,1 S"}


#: A's castle in the north; the tile in the east has just completed a road beside it.
CHOICE = """[carc_env position 1]
[rules {sets: [base, bridges], castles: true, castle_choice: ask, auto_single: false}]
[scores 0:0]
[castles 0,0 N]
[tokens 2:3]
[town A 0,0 N]
[turn A takes]
bg-cap-straight 0,0 r0: A meeple N
bg-cap 0,-1 r2
bg-monastery-road -1,0 r2
bg-cap-straight 1,0 r0
bg-cap 1,-1 r2
bg-monastery-road 2,0 r0
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[town A 0,0 N]", "[town B 0,0 N]"),  # the castle is A's
        ("[town A 0,0 N]", "[town A 0,0 E]"),  # a road
        ("[castles 0,0 N]", "[castles 0,0 N =7]"),  # it has scored but still has a lord
        ("[castles 0,0 N]", "[castles 0,0 N =99999]"),
        ("castle_choice: ask, ", ""),
    ],
)
@pytest.mark.interpreted
def test_cas_22_only_the_lord_of_a_waiting_castle_chooses(old, new):
    with pytest.raises(ValueError):
        play(CHOICE.replace(old, new))


@pytest.mark.rule("CAS-38")
@pytest.mark.interpreted
def test_cas_08_who_has_spent_his_last_token_is_no_lord_of_a_second_castle():
    # A and B share the southern town; B is alone in the northern town.
    tiles = BETWEEN.format(south="B meeple N", north="B meeple S")
    last = "bg-caps-opposite 0,-1 r0: A meeple S"
    game = played(tiles + last, "pass; castle; castle", headers="[tokens 3:1]")
    assert tokens(game) == (2, 0)
    assert score_log(game) == [("B", 4, Kind.CITY)]
    assert figures(game) == {"A meeple 0,-1 S", "B meeple 0,-2 S"}
    assert castles(game) == ["0,-1 N", "0,-1 S"]  # the southern one is scored first


@pytest.mark.rule("MAY-10")
@pytest.mark.parametrize(("tokens_left", "answers"), [("3:3", ["score"]), ("3:0", [])])
def test_cas_37_a_mayor_without_coats_parts_with_nothing(tokens_left, answers):
    tiles = "bg-cap-straight 0,0 r0: A mayor N\nbg-cap 0,-1 r2: B mayor S"
    rules = "sets: [base, abbey], mayors: true"
    headers = f"[tokens {tokens_left}]"
    game = played(tiles, "pass; castle", *answers, rules=rules, headers=headers)
    assert game.scores == (0, 0)
    assert figures(game) == {"A mayor 0,0 N"}
