"""The moves that searches choose from include what a player does one placement ahead."""

import numpy as np
import pytest

from carc_env import Game, Phase, Rules, Table, parse_position
from carc_env.engine.core.codes import BEFORE_FIGURE
from carc_env.engine.core.state import new_states
from carc_env.rules import PRESETS
from carc_env.search import chance, tree
from carc_env.search.evaluation import GREEDY
from carc_env.search.expectimax import Expectimax
from carc_env.search.mcts import ROOT_WIDTH, WIDTH, Mcts
from carc_env.search.moves import MAX_MOVES, NO_ACTION
from carc_env.search.players import GreedyPlayer, OnePly, ValuePlayer

ELSEWHERE = ("tower", "princess-dragon", "big-box")
"""Presets in which the value of a placement leaves out figure actions on other tiles."""


def in_search(table, evaluation):
    """Return the moves that expectimax chooses from, with their values one placement ahead."""
    states = new_states(chance.SEARCH_RECORDS)
    states[chance.ROOT] = table.states[0]
    moves, values = np.zeros((MAX_MOVES, 2), np.int64), np.zeros(MAX_MOVES)
    n = chance.rank_moves(states, moves, values, evaluation.evaluator)
    return dict(zip(map(tuple, moves[:n].tolist()), values[:n].tolist(), strict=True))


def in_tree(table, evaluation):
    """Return the moves that tree search chooses from."""
    search = tree.new_search(1, WIDTH, ROOT_WIDTH, evaluation.evaluator)
    search.states[tree.ROOT] = table.states[0]
    tree.plant(search, np.uint64(1))
    edges = search.edges[: search.nodes[0].n_edges]
    return {(int(edge.action), int(edge.follow)) for edge in edges}


def move_of(table, player):
    """Return a player's move, with the figure action after a tile, and whether that is left out."""
    action, after = player.act(table), table.clone()
    after.step(action)
    while table.phase != after.phase and after.phase in BEFORE_FIGURE:
        after.step(player.act(after))
    if table.phase == Phase.FIGURE or after.phase != Phase.FIGURE:
        return (action, NO_ACTION), False
    figure = player.act(after)
    after.step(figure)
    return (action, figure), after.phase == Phase.ELSEWHERE


def is_called_behind(table, move):
    """Return whether the mage or the witch moves between the tile of a move and its figure."""
    after = table.clone()
    after.step(move[0])
    return table.phase == Phase.PLACE_TILE and after.phase == Phase.MAGIC


def decisions(rules, seed):
    """Yield every fifth decision of a game that is played greedily, with some random actions."""
    table, greedy, n = Table(rules, seed=seed), GreedyPlayer(), 0
    while not table.is_over:
        n += 1
        if n % 5 == 0:
            yield table.clone()
        table.step(table.random_action() if n % 4 == 0 else greedy.act(table))


@pytest.mark.parametrize("n_players", [2, pytest.param(6, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", PRESETS)
def test_what_a_player_would_do_is_the_best_of_the_moves_one_placement_ahead(name, n_players):
    rules = Rules.preset(name, n_players=n_players, auto_single=False)
    players = [GreedyPlayer(), ValuePlayer(rules=rules)]
    n_elsewhere = 0
    for table in decisions(rules, seed=1):
        for player in players:
            move, is_elsewhere = move_of(table, player)
            values = in_search(table, player.evaluation)
            best = max(values.values())
            if is_called_behind(table, move):  # the answers may have equal values
                assert best == max(value for one, value in values.items() if one[0] == move[0])
                continue
            assert values[move] == best
            n_best = sum(value == best for value in values.values())
            assert move in in_tree(table, player.evaluation) or n_best > ROOT_WIDTH
            n_elsewhere += is_elsewhere
    assert n_elsewhere > 0 or name not in ELSEWHERE


CAPTURE = """
    [carc_env position 1]
    [rules {sets: [base, tower], towers: true}]
    [scores 0:0]
    [turn A places bg-curve]
    bg-cap-straight 0,0 r0
    to-field-garden 0,1 r0
    bg-monastery 1,1 r0: B meeple mid
    """


@pytest.mark.parametrize("searcher", [Expectimax(GREEDY, nodes=3000), Mcts(GREEDY, sims=50)])
def test_a_tower_captures_behind_a_tile_that_was_searched(searcher):
    game = Game.from_position(parse_position(CAPTURE))
    while game.turn_player == 0:
        game.apply(searcher.act(game))
    (prisoner,) = game.position().prisoners
    assert (prisoner.captor, prisoner.seat) == (0, 1)


def test_a_flight_is_worth_the_mean_of_its_rolls_each_with_the_best_landing():
    game = Game.from_position(
        parse_position(
            """
            [carc_env position 1]
            [rules {sets: [base, flier], flier: true, auto_single: false}]
            [scores 0:0]
            [turn A acts]
            bg-cap-straight 0,0 r0: B meeple N
            bg-straight 1,0 r0: B meeple E, B meeple E
            bg-monastery-road 2,0 r0
            fl-straight-e -1,0 r0
            """
        )
    )
    player = OnePly(GREEDY)
    best = []
    for rolls in (1, 2, 3):
        landing = game.clone()
        landing.choose_token(rolls, "fly meeple")
        landing.apply("fly meeple")
        assert landing.phase == Phase.LANDING
        best.append(max(line.value for line in player.analyse(landing)))
    values = {game.name(line.action): line.value for line in player.analyse(game)}
    assert len(set(best)) > 1
    assert values["fly meeple"] == pytest.approx(np.mean(best))


def test_a_search_flies_on_to_where_it_lands():
    for seed in range(40):
        table, greedy = Table(Rules.preset("flier", phantom=True), seed=seed), GreedyPlayer()
        while not table.is_over and table.phase != Phase.LANDING:
            table.step(greedy.act(table))
        if not table.is_over:
            break
    assert table.phase == Phase.LANDING
    for searcher in (Expectimax(GREEDY, nodes=500), Mcts(GREEDY, sims=20)):
        assert searcher.act(table) in table.legal_actions()
