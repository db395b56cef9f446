"""TURN: the three steps of a turn and their order."""

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, figures, meeples, names, score_log
from .positions import START_LINE, Table, first_place, then
from .scenario import RIVER, play, surrounded

TABLE = Table()
position, played = TABLE.position, TABLE.played

#: A recall is worth 6 here, and the cap at (1, -2) completes a city worth 8.
RECALL_AND_CITY = """
    [carc_env position 1]
    [rules {n_players: 2, auto_single: false}]
    [scores 0:0]
    [turn A places bg-cap]
    bg-cap-straight 0,0 r0: A meeple N
    bg-straight-garden 0,1 r0: A abbot mid
    bg-straight -1,0 r0
    bg-straight 1,0 r0
    bg-straight -1,1 r0
    bg-straight 1,1 r0
    bg-span 0,-1 r0
    bg-corner 0,-2 r1
    """


def test_turn_01_a_turn_is_tile_then_figure_then_scoring():
    game = played("bg-cap-straight 0,0 r0: A meeple N", turn="A places bg-cap")
    assert (game.phase, game.decider, game.scores) == (Phase.PLACE_TILE, 0, (0, 0))
    game.apply("bg-cap 0,-1 r2")
    assert (game.phase, game.decider, game.scores) == (Phase.FIGURE, 0, (0, 0))
    game.apply("pass")
    assert (game.phase, game.decider, game.scores) == (Phase.PLACE_TILE, 1, (4, 0))


def test_turn_01_every_turn_of_a_game_has_one_tile_and_one_figure_action():
    game = Game(Rules(n_players=3, auto_single=False), seed=11)
    phases = []
    while not game.is_over:
        phases.append((game.turn_player, game.phase))
        assert game.decider == game.turn_player
        game.apply(game.random_action())
    n_turns = len(phases) // 2
    assert n_turns > 60
    assert phases == [
        (turn % 3, phase) for turn in range(n_turns) for phase in (Phase.PLACE_TILE, Phase.FIGURE)
    ]


def test_turn_02_tile_recall_scoring_figures_home_next_player():
    game = play(RECALL_AND_CITY, "bg-cap 1,-2 r3", "recall")
    assert [(move.name, move.scores) for move in game.moves] == [
        ("bg-cap 1,-2 r3", (0, 0)),
        ("recall", (14, 0)),
    ]
    assert figures(game) == set()
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


@pytest.mark.parametrize("action", ["meeple mid", "meeple Nw", "abbot mid", "pass"])
def test_turn_03_one_figure_action_ends_the_figure_phase(action):
    game = played(START_LINE, "bg-monastery 0,1 r0", action)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


def test_turn_03_a_recall_replaces_placing_a_meeple():
    game = play(surrounded("garden", 5, "A abbot mid"))
    assert {"recall", "meeple E", "pass"} <= names(game)
    game.apply("recall")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert figures(game) == set()


def test_turn_04_a_meeple_placed_this_turn_takes_part_in_the_scoring():
    game = played("bg-cap-straight 0,0 r0; bg-junction 0,1 r0", "bg-junction 1,1 r1; meeple W")
    assert score_log(game) == [("A", 2, Kind.ROAD)]
    assert game.scores == (2, 0)
    assert meeples(game, "A") == 7
    assert figures(game) == set()


def test_turn_05_a_recall_is_scored_before_the_features_of_the_same_turn():
    game = play(RECALL_AND_CITY, "bg-cap 1,-2 r3", "recall")
    assert score_log(game) == [("A", 6, Kind.GARDEN), ("A", 8, Kind.CITY)]
    assert game.scores == (14, 0)
    assert (meeples(game, "A"), abbots(game, "A")) == (7, 1)


def test_turn_05_without_a_recall_only_the_city_scores():
    game = play(RECALL_AND_CITY, "bg-cap 1,-2 r3", "pass")
    assert score_log(game) == [("A", 8, Kind.CITY)]
    assert figures(game) == {"A abbot 0,1 mid"}


def test_turn_02_a_meeple_that_came_home_can_be_placed_by_its_owner_in_the_next_turn_only():
    game = played(
        """
        bg-cap-straight 0,0 r0: A meeple N, A meeple E, A meeple En, A meeple Es
        bg-junction 1,0 r0: A meeple E, A meeple S, A meeple Es
        """,
        "bg-cap 0,-1 r2",
        rules="abbot: false",
        bag=("bg-curve", "bg-monastery"),
    )
    assert names(game) == {"pass"}  # the knight is still in the completed city
    game.apply("pass")
    assert (game.scores, meeples(game, "A")) == ((4, 0), 1)
    then(game, first_place(game), "pass")
    game.apply(first_place(game))
    assert "meeple mid" in names(game)


#: B's wagon stands on a road that an abbey at (0, 1) will close.
FULL_TURN = """
    [carc_env position 1]
    [rules {n_players: 2, sets: [base, abbey], abbeys: true, mayors: true, barns: true, \
wagons: true, auto_single: false}]
    [scores 0:0]
    [turn B acts]
    bg-cap-straight 0,0 r0
    bg-straight -1,0 r0
    bg-straight 1,0 r0
    bg-straight -1,1 r0: B wagon E
    bg-monastery-road -2,1 r2
    bg-monastery 1,1 r0
    bg-cap 1,2 r2
    bg-cap 0,2 r2
    """


@pytest.mark.rule("TURN-03")
def test_turn_02_abbey_figure_scoring_wagon_next_player():
    game = play(FULL_TURN, "pass", bag=("bg-curve", "bg-cap"))
    phases = []
    for move in ("am-abbey 0,1 r0", "meeple mid", "wagon -2,1 mid"):
        phases.append((game.phase, game.turn_player, game.decider, game.scores))
        game.apply(move)
    phases.append((game.phase, game.turn_player, game.decider, game.scores))
    assert phases == [
        (Phase.DRAW_OR_ABBEY, 0, 0, (0, 0)),
        (Phase.FIGURE, 0, 0, (0, 0)),
        (Phase.WAGON, 0, 1, (0, 2)),
        (Phase.PLACE_TILE, 1, 1, (0, 2)),
    ]
    assert figures(game) == {"A meeple 0,1 mid", "B wagon -2,1 mid"}


def test_turn_02_draw_tile_barn_features_and_field_scored_wagon_moves():
    # The tile in the hole at (-1, -1) completes B's city and creates a point in B's field.
    game = played(
        """
        bg-cap-straight 0,0 r0: B meeple En; bg-straight -1,0 r0; bg-straight -2,0 r0
        bg-cap 0,-1 r2; bg-monastery -2,-1 r0
        bg-monastery -2,-2 r0; bg-cap -1,-2 r2: B wagon S
        """,
        "pass",
        rules="abbeys: true, barns: true, wagons: true",
        seat="B",
        bag=("bg-cap", "bg-curve"),
    )
    phases = []
    for move in ("draw", "bg-cap -1,-1 r0", "barn SW", "wagon -2,-2 mid"):
        phases.append((game.phase, game.turn_player, game.decider, game.scores))
        game.apply(move)
        if move.startswith("barn"):
            assert sorted(score_log(game)) == [("B", 4, Kind.CITY), ("B", 6, Kind.FIELD)]
    phases.append((game.phase, game.turn_player, game.decider, game.scores))
    assert phases == [
        (Phase.DRAW_OR_ABBEY, 0, 0, (0, 0)),
        (Phase.PLACE_TILE, 0, 0, (0, 0)),
        (Phase.FIGURE, 0, 0, (0, 0)),
        (Phase.WAGON, 0, 1, (0, 10)),
        (Phase.PLACE_TILE, 1, 1, (0, 10)),
    ]
    assert figures(game) == {"A barn -1,-1 SW", "B wagon -2,-2 mid"}


@pytest.mark.parametrize("action", ["mayor S", "wagon S", "barn NW", "meeple S", "meeple Nw"])
def test_turn_03_mayor_wagon_and_barn_each_replace_the_meeple(action):
    game = played(
        "bg-cap-straight 0,0 r0; bg-straight 1,0 r0; bg-monastery 0,1 r0",
        "bg-cap 1,1 r2",
        rules="mayors: true, barns: true, wagons: true",
    )
    assert names(game) == {"mayor S", "wagon S", "barn NW", "meeple S", "meeple Nw", "pass"}
    game.apply(action)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    figure, spot = action.split()
    assert figures(game) == {f"A {figure} 1,1 {spot}"}


@pytest.mark.rule("ABT-09")
@pytest.mark.parametrize("action", ["mayor S", "wagon S", "barn NW"])
def test_turn_03_none_of_them_goes_with_a_recall(action):
    game = played(
        "bg-cap-straight 0,0 r0; bg-straight 1,0 r0; bg-monastery 0,1 r0: A abbot mid",
        "bg-cap 1,1 r2",
        rules="mayors: true, barns: true, wagons: true",
    )
    assert {"recall", action} <= names(game)
    recalled = game.clone()
    game.apply(action)
    assert (game.decider, "A abbot 0,1 mid" in figures(game)) == (1, True)
    recalled.apply("recall")
    assert (recalled.decider, figures(recalled), recalled.scores) == (1, set(), (4, 0))


#: A may place a bazaar tile that needs a bridge. It completes B's town and the road of A's wagon
#: and builder, and creates a point for a barn in B's field, which touches a city and a castle. The
#: road is in the fief of that castle; there is a hole at (-1, 1).
EVERY_STEP = """
    [carc_env position 1]
    [rules {rules}]
    [scores 0:0]
    [turn B acts]
    [castles 2,3 S]
    [tokens 3:2]
    [king A]
    {river}
    bg-monastery 0,1 r0
    bg-cap 1,1 r2: B meeple S
    bg-straight 0,2 r0
    bg-monastery-road -1,2 r2
    bg-cap-garden 0,3 r2: B meeple Nw, B pig Nw
    bg-cap 0,4 r0
    bg-monastery-road 1,3 r1: A wagon N, A builder N
    bg-cap 2,3 r2: B meeple S
    bg-cap-straight 2,4 r0
    bg-cap -2,1 r2
    """
FIRST_PART = (
    ("draw", Phase.DRAW_OR_ABBEY, 0),
    ("bcb-cap-road-bazaar 1,2 r0", Phase.PLACE_TILE, 0),
    ("barn SW", Phase.FIGURE, 0),
    ("castle", Phase.CASTLE, 1),
    ("wagon 1,3 mid", Phase.WAGON, 0),
)
BAZAAR = (
    ("pick 1", Phase.BAZAAR_PICK, 1),
    ("bid 0", Phase.BAZAAR_BID, 1),
    ("pass", Phase.BAZAAR_BID, 0),
    ("bg-curve 2,2 r1", Phase.PLACE_TILE, 1),
    ("pass", Phase.FIGURE, 1),
    ("bg-straight 2,1 r1", Phase.PLACE_TILE, 0),
    ("pass", Phase.FIGURE, 0),
)
SECOND_PART = (("am-abbey -1,1 r0", Phase.DRAW_OR_ABBEY, 0), ("meeple mid", Phase.FIGURE, 0))


@pytest.mark.rule("TRA-07", "TRA-09", "BAZ-20", "BAZ-21", "BRI-08", "CAS-06", "BARN-13")
@pytest.mark.parametrize(
    ("order", "steps"),
    [
        ("bazaar_first", (*FIRST_PART, *BAZAAR, *SECOND_PART)),
        ("builder_first", (*FIRST_PART, *SECOND_PART, *BAZAAR)),
    ],
)
def test_turn_02_a_turn_that_touches_every_step(order, steps):
    rules = Rules.preset("all", auto_single=False, bazaar_builder_order=order)
    text = EVERY_STEP.format(rules=rules.to_yaml(), river="\n".join(RIVER))
    bag = ("bcb-cap-road-bazaar", "bg-curve", "bg-straight", "bg-junction", "bg-curve")
    game = play(text, "pass", bag=bag)
    asked = []
    for move, _, _ in steps:
        asked.append((move, game.phase, game.decider))
        if game.phase == Phase.PLACE_TILE and game.decider == 1:
            assert game.position().is_bought
        game.apply(move)
        if move.startswith("bcb"):
            assert (game.stock(0)["bridges"], game.position().tiles[-1].bridge) == (2, "EW")
        if move == "castle":
            # One scoring: the road, the field of farmer and pig with one city and two castles,
            # and the older castle, which gets the points of the road.
            assert score_log(game) == [
                ("A", 2, Kind.ROAD),
                ("B", 14, Kind.FIELD),
                ("B", 2, Kind.CASTLE),
            ]
            assert "A wagon 1,3 N" not in figures(game)
            assert "A builder 1,3 N" not in figures(game)
    assert asked == list(steps)
    assert (game.phase, game.decider, game.tile_in_hand) == (Phase.PLACE_TILE, 1, "bg-junction")
    assert game.scores == (2, 16)
    assert figures(game) == {
        "A barn 1,2 SW",
        "A wagon 1,3 mid",
        "A meeple -1,1 mid",
        "B meeple 1,1 S",
    }


@pytest.mark.rule("TRA-08")
def test_turn_02_the_second_part_belongs_to_the_same_turn():
    game = played(
        "bg-cap-straight 0,0 r0: A meeple E, A builder E",
        rules="builders: true",
        turn="A places bg-straight",
        bag=("bg-straight", "bg-curve"),
    )
    first = ("bg-straight 1,0 r0", "pass")
    second = ("bg-straight 2,0 r0", "meeple Nw")
    phases = []
    for move in (*first, *second):
        phases.append((game.phase, game.turn_player, game.decider))
        game.apply(move)
    assert phases == [(Phase.PLACE_TILE, 0, 0), (Phase.FIGURE, 0, 0)] * 2
    assert [move.turn for move in game.moves] == [game.moves[0].turn] * 4
    assert (game.phase, game.decider, game.tile_in_hand) == (Phase.PLACE_TILE, 1, "bg-curve")
    assert figures(game) == {"A meeple 0,0 E", "A builder 0,0 E", "A meeple 2,0 Nw"}


#: A's thief is on the road, A's farmer south of it; an abbot can be recalled.
COMPANY = """
    [carc_env position 1]
    [rules {n_players: 2, builders: true, pigs: true, auto_single: false}]
    [scores 0:0]
    [turn A places bg-straight]
    bg-cap-straight 0,0 r0: A meeple E, A meeple Es
    bg-monastery 0,1 r0: A abbot mid
    """


@pytest.mark.rule("ABT-09", "TRA-05", "TRA-12")
@pytest.mark.parametrize("action", ["builder E", "pig Es", "meeple Nw", "recall", "pass"])
def test_turn_03_builder_and_pig_each_replace_the_meeple_and_the_recall(action):
    game = play(COMPANY, "bg-straight 1,0 r0", bag=("bg-curve", "bg-curve"))
    assert names(game) == {"builder E", "pig Es", "meeple Nw", "recall", "pass"}
    before = figures(game)
    game.apply(action)
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    figure, _, spot = action.partition(" ")
    expected = before | {f"A {figure} 1,0 {spot}"} if spot else before
    assert figures(game) == (before - {"A abbot 0,1 mid"} if action == "recall" else expected)


@pytest.mark.rule("KR-15", "PD-09")
def test_w1t_01_tile_floor_flock_flight_scores_wagon():
    """A's tile completes B's city, but A and the dragon act before it is scored."""
    row = [START_LINE, *(f"bg-straight {x},0 r0" for x in range(1, 8))]
    row[0] += ": B wagon N"
    row[1] = "pd-straight-volcano 1,0 r0"
    tiles = [
        *row,
        "bg-straight-garden -1,0 r0",
        "to-field-garden -1,-1 r0: A shepherd Nw, B abbot mid",
    ]
    game = played(
        tiles,
        "pd-cap-dragon-garden 0,-1 r2",
        sets="base, abbey, king, hills, princess, tower",
        rules="wagons: true, king_robber: true, shepherds: true, dragon: true, towers: true",
        headers=["[dragon 1,0]", "[floors 10:10]", "[sheep A 3]"],
        bag=("bg-monastery",),
    )
    assert (game.phase, game.scores) == (Phase.FIGURE, (0, 0))
    then(game, "to -1,-1; floor -1,-1")
    assert (game.phase, game.decider) == (Phase.CAPTURE, 0)
    then(game, "pass")
    assert (game.phase, names(game)) == (Phase.FLOCK, {"grow", "herd"})
    then(game, "herd")
    assert (game.phase, game.scores) == (Phase.FLIGHT, (3, 0))
    then(game, "; ".join(f"dragon {x},0" for x in range(2, 8)))
    assert (game.phase, game.decider, game.scores) == (Phase.WAGON, 1, (3, 4))
    assert game.stock(0)["king"] == 1
    then(game, "home")
    assert (game.phase, game.decider, game.turn_player) == (Phase.PLACE_TILE, 1, 1)
