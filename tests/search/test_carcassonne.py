"""The Count of Carcassonne: players use waiting meeples, in their own turns and in others'."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from carc_env import Game, Phase, Rules, Table, parse_position
from carc_env.engine.core.tiles import TILE_ID
from carc_env.search.evaluation import GREEDY
from carc_env.search.expectimax import Expectimax
from carc_env.search.features import OFFSETS, TABLES, starting_weights
from carc_env.search.mcts import Mcts
from carc_env.search.players import ValuePlayer
from carc_env.search.solving import Solver
from carc_env.search.value import value
from carc_env.sets.count.value import LOSES, TIES, WINS

COLUMNS, ROWS = (-2, -1, 0, 1), (-1, 0, 1)
CITY = tuple(f"co-{k} {COLUMNS[(k - 1) % 4]},{ROWS[(k - 1) // 4]} r0" for k in range(1, 13))
#: A complete city of ten points below co-9, and the tile that has completed it.
TEN = ("bg-span -2,2 r0: A meeple N", "bg-span-shield -2,3 r0", "bg-cap -2,4 r0")
#: The same city with an open end.
OPEN = (TEN[0].replace("A", "B"), TEN[1])
#: A field beside Carcassonne and another complete city.
FIELD = ("bg-cap 1,2 r1: B meeple Nw", "bg-cap 2,2 r3")
JOINS = ("[turn A joins]", "[leaves B]")


def position(*headers, tiles=TEN, rules="", sets="base, count", n_left=0):
    """Return a position with Carcassonne and ``n_left`` of the remaining tiles in the bag."""
    text = f"[rules {{sets: [{sets}], count: true, auto_single: false{rules}}}]"
    lines = ["[carc_env position 1]", text, "[scores 0:0]", *headers, *CITY, *tiles]
    found = parse_position("\n".join(lines))
    counts = Counter(dict(zip(TILE_ID, found.rules.tile_counts.tolist(), strict=False)))
    counts.subtract(tile.tile for tile in found.tiles)
    left = sorted(counts.elements())
    return replace(found, bag=tuple(left[:n_left]), aside=tuple(left[n_left:]))


def play_on(game, player=None):
    """Make all decisions about the tile just placed; return the names of the actions."""
    names, turn = [], game.turn_player
    while not game.is_over and game.turn_player == turn:
        action = game.greedy_action() if player is None else player.act(game)
        names.append(game.name(action))
        game.apply(action)
    return names


PLAYERS = [None, ValuePlayer(), Expectimax(GREEDY, nodes=500), Mcts(GREEDY, sims=20)]


@pytest.mark.parametrize("player", PLAYERS, ids=["greedy", "value", "search", "mcts"])
def test_two_meeples_from_the_castle_take_a_city_of_ten_points(player):
    """COU-12: the decider is not the turn player."""
    waiting = "[quarters B meeple castle, B meeple castle]"
    game = Game.from_position(position("[count market]", waiting, *JOINS, n_left=8), seed=1)
    assert game.decider == 1
    first, second, third, fourth = play_on(game, player)[:4]
    assert first.startswith("to -2,") and third.startswith("to -2,")
    assert second.startswith("meeple ") and fourth.startswith("meeple ")
    assert game.scores == (0, 10)


def test_one_meeple_that_shares_the_points_joins_and_of_others_nobody_is_asked():
    waiting = "[quarters A meeple castle, B meeple castle, B meeple market]"
    game = Game.from_position(position("[count market]", waiting, *JOINS, n_left=8), seed=1)
    play_on(game)
    assert game.scores in ((10, 0), (10, 10))
    assert len(game.position().waiting) == 1


ENTERS = "[turn A enters]"
LAST = "bg-straight 0,2 r1"


def test_greedy_enters_carcassonne_where_that_is_free():
    """Towards the end, a meeple costs little, and B's field is worth 6 points."""
    tiles = (*OPEN, *FIELD, LAST)
    game = Game.from_position(position(ENTERS, tiles=tiles, n_left=1), seed=1)
    name, *others = play_on(game)
    assert name == "enter meeple market" and others[0] != "count market"
    (waiting,) = game.position().waiting
    assert waiting.seat == 0 and game.position().count != waiting.quarter


def test_greedy_sends_nobody_early_or_without_an_aim():
    game = Game.from_position(position(ENTERS, tiles=(LAST,), n_left=20), seed=1)
    assert play_on(game) == ["pass"]
    game = Game.from_position(position(ENTERS, tiles=(*OPEN, LAST), n_left=60), seed=1)
    assert play_on(game) == ["pass"]


def test_greedy_lets_the_count_bar_its_rival():
    waiting = "[quarters A meeple blacksmith, B meeple castle, B meeple castle]"
    headers = ("[count market]", waiting, "[entered]", "[turn A moves the count]")
    game = Game.from_position(position(*headers, tiles=(*TEN[:2], LAST), n_left=40), seed=1)
    assert play_on(game) == ["count castle"]


# The moves at the end.

BARN = (
    "bg-cap -2,2 r0",
    "bg-monastery -1,2 r0",
    "bg-monastery -1,3 r0",
    "bg-monastery -2,3 r0: B barn NE",
)
AT_THE_END = ("[turn A joins]", "[leaves A at the end]")


def test_who_comes_to_a_field_with_a_barn_at_the_end_is_expected_to_get_a_point_a_city():
    """XCK-07: a city and Carcassonne itself score 1 point each; for the barn, 4 each (XCK-02)."""
    waiting = "[quarters A meeple market, A meeple market]"
    headers = ("[count castle]", waiting, *AT_THE_END)
    found = position(*headers, tiles=BARN, rules=", barns: true", sets="base, abbey, count")
    game = Game.from_position(found)
    assert game.standings == (0, 8)
    game.apply("to -2,3")
    game.apply(game.legal_actions()[0])
    assert game.standings == (2, 8)
    game.apply("pass")
    assert game.is_over and game.scores == (2, 8)


@pytest.mark.parametrize(
    "rules",
    [
        Rules.preset("count", n_players=4, count_final="any", auto_single=False),
        Rules.preset(
            "abbey-mayor",
            n_players=3,
            sets=("base", "abbey", "count"),
            count=True,
            edition="C1",
            abbot=False,
            auto_single=False,
        ),
        Rules.preset("big-box", n_players=4, count_final="any", auto_single=False),
    ],
    ids=["count", "abbey-mayor", "big-box"],
)
def test_standings_in_the_last_moves_are_the_scores_if_nobody_moves_more(rules):
    n = 0
    for seed in range(16):
        table = Table(rules, seed=seed)
        while not table.is_over:
            if table.phase == Phase.JOIN and table.states[0]["declined"] >= 0:
                twin = table.clone()
                while not twin.is_over:
                    twin.step(twin.legal_actions()[-1])  # pass
                assert twin.scores == table.standings
                n += 1
            table.step(table.random_action())
    assert n > 5


@pytest.mark.parametrize("player", PLAYERS, ids=["greedy", "value", "search", "mcts"])
def test_games_end_whoever_plays_the_last_moves(player):
    waiting = "A meeple market, A meeple castle, B large market, B meeple blacksmith"
    headers = ("[count cathedral]", f"[quarters {waiting}]", *AT_THE_END)
    found = position(
        *headers,
        tiles=(*OPEN, *FIELD, LAST),
        rules=", count_final: any, large_meeples: true",
        sets="base, inns, count",
    )
    game = Game.from_position(found)
    names = play_on(game, player)
    assert game.is_over and len(names) < 20
    assert game.scores[1] >= 3


def test_the_last_moves_are_solved():
    """A takes B's city of five points or shares the field, whichever gains more."""
    waiting = "[quarters A meeple market, A meeple market]"
    found = position("[count castle]", waiting, *AT_THE_END, tiles=(*OPEN, *FIELD, LAST))
    table = Game.from_position(found)
    solution = Solver().solve(table, max_nodes=10_000)
    assert solution is not None and solution.is_complete
    best = solution.leads[:, 0].max()
    for action in solution.actions.tolist():
        if table.name(action) == "pass":
            assert solution.leads[solution.actions.tolist().index(action), 0] < best


# What the learned value sees.


def worth(found, seat, table, *indices):
    """Return how much more a position is worth to a seat if an entry has weight 1 at any time."""
    state, values = Game.from_position(found).states[0], np.zeros_like(starting_weights())
    for time in range(TABLES[table][1]):
        first, *others = indices
        entry = np.ravel_multi_index((first, time, *others), TABLES[table])
        values[OFFSETS[table] + int(entry)] = 1.0
    return value(state, seat, values) - value(state, seat, 0 * values)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_waits_where_and_what_the_count_bars_is_seen(seat):
    waiting = "[quarters A meeple castle, B meeple market, B meeple market]"
    found = position("[count market]", waiting, "[turn A acts]", tiles=(*OPEN, LAST), n_left=20)
    assert worth(found, seat, "waiting", seat, 0, 0, 0) == 1  # A's in the castle
    assert worth(found, seat, "waiting", 1 - seat, 1, 1, 1) == 1  # two of B in the market
    assert worth(found, seat, "waiting", 1 - seat, 1, 0, 1) == 0


@pytest.mark.parametrize(
    ("waiting", "outcome"),
    [
        ("A meeple castle", TIES),
        ("A meeple castle, A meeple castle", WINS),
        ("A meeple castle, B meeple castle", LOSES),
    ],
)
def test_features_that_meeples_could_join_are_seen(waiting, outcome):
    headers = ("[count market]", f"[quarters {waiting}]", "[turn A acts]")
    found = position(*headers, tiles=(*OPEN, LAST), n_left=20)
    rival, castle, at_stake = 4, 0, 1
    for seen in (LOSES, TIES, WINS):
        entry = (rival, castle, at_stake, 1, 0, seen)
        assert worth(found, 0, "joining", *entry) == (seen == outcome)


def test_who_may_enter_is_seen():
    found = position(ENTERS, tiles=(*OPEN, LAST), n_left=20)
    assert worth(found, 0, "entering", 0, 3) == worth(found, 1, "entering", 1, 3) == 1
    found = position("[turn A acts]", tiles=(*OPEN, LAST), n_left=20)
    assert worth(found, 0, "entering", 0, 3) == 0
