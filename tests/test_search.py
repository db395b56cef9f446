"""Calls for many positions give the same results as one call per position."""

from dataclasses import replace

import numpy as np
import pytest

from carc_env import Game, Rules, Table, afterstates, parse_position, rollouts
from carc_env.engine.core.state import new_states
from tests.search.games import FACE_DOWN


def middle(rules, n_moves, seed=1):
    table = Table(rules, seed=seed)
    for _ in range(n_moves):
        table.step(table.random_action())
    return table


def seeds_of(seed, *shape):
    return np.random.default_rng(seed).integers(2**64, size=shape, dtype=np.uint64).tolist()


@pytest.mark.parametrize("preset", ["base", "all"])
def test_afterstates_are_what_steps_lead_to(preset):
    table = Table(Rules.preset(preset, n_players=3), seed=3)
    n_over = 0
    while not table.is_over:
        after = afterstates(table)
        assert after.actions.tolist() == table.legal_actions()
        for k in range(0, len(after.actions), 7):
            one = table.clone()
            one.step(after.actions[k])
            assert after.table(k).save_state() == one.save_state()
            assert tuple(after.standings[k]) == one.standings
            assert (after.deciders[k], after.is_over[k]) == (one.decider, one.is_over)
            n_over += one.is_over
        table.step(table.random_action())
    assert n_over
    with pytest.raises(ValueError, match="there are no afterstates because the game is over"):
        afterstates(table)


@pytest.mark.parametrize("preset", ["base", "all"])
@pytest.mark.parametrize("player", ["random", "greedy"])
def test_rollouts_are_games_of_a_loop_with_the_same_seeds(preset, player):
    table = middle(Rules.preset(preset, n_players=3), 60)
    before = table.save_state()
    after = afterstates(table)
    scores = rollouts(after.states[:2], 3, player, seed=8)
    for i, seeds in enumerate(seeds_of(8, 2, 3)):
        for k, seed in enumerate(seeds):
            one = after.table(i).clone()
            one.reshuffle(seed)
            while not one.is_over:
                one.step(one.greedy_action() if player == "greedy" else one.random_action())
            assert tuple(scores[i, k]) == one.scores
    assert scores.shape == (2, 3, 3)
    assert table.save_state() == before


@pytest.mark.parametrize("start", ["base", "river", "all", "face down"])
def test_rollouts_depend_on_the_seed_and_not_on_the_hidden_order(start):
    table = (
        middle(start, 9) if start != "face down" else Game.from_position(parse_position(FACE_DOWN))
    )
    twin = table.clone()
    twin.reshuffle(77)
    assert twin.save_state() != table.save_state()
    scores = rollouts(table, 20, seed=5)
    np.testing.assert_array_equal(rollouts(twin, 20, seed=5), scores)
    np.testing.assert_array_equal(rollouts(table, 20, seed=5, num_threads=3), scores)
    assert (rollouts(table, 20, seed=6) != scores).any()
    assert not np.array_equal(rollouts(table, 20), rollouts(table, 20))


def test_tiles_out_of_the_game_do_not_come_back():
    new = Game(seed=2).position()
    short = Game.from_position(replace(new, bag=new.bag[:1], aside=new.bag[1:]))
    assert rollouts(short, 50, seed=1).max() < 20


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"n": 0}, "n must be a positive int, got 0"),
        ({"num_threads": 1.5}, r"num_threads must be a positive int, got 1\.5"),
        ({"player": "greed"}, "player must be one of 'random', 'greedy'; .* did you mean 'greedy'"),
        ({"seed": -1}, "seed must be from 0 to"),
        ({"start": b"state"}, "rollouts begin at a Table, or .* got an object of type bytes"),
        ({"start": np.zeros(3)}, r"got float64 of shape \(3,\)"),
        ({"start": new_states(2)}, r"games for the same number of players, 2 to 6; .* for \[0\]"),
        ({"start": afterstates(Table(seed=1)).states[::2]}, r"contiguous: pass states\.copy\(\)"),
    ],
)
def test_wrong_arguments_are_refused(arguments, reason):
    given = {"start": Table(seed=1), "n": 2} | arguments
    with pytest.raises(ValueError, match=reason):
        rollouts(given.pop("start"), given.pop("n"), **given)
