"""Games that begin at saved states and positions, in every interface."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from carc_env import Game, Rules, Table
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.illegal import IGNORED_ACTION
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout.observations import global_names
from carc_env.seeds import seeds_of
from tests.test_vector import Passer, assert_same, random_actions


def middle(rules, n_moves, seed=1):
    """Return a game after some random moves."""
    game = Game(rules, seed=seed)
    for _ in range(n_moves):
        game.apply(game.random_action())
    return game


def starts(rules):
    """Return a saved state, a position, one with an unknown bag, and None for a new game."""
    games = [middle(rules, n, seed=n) for n in (90, 60, 95)]
    known, unknown = games[1].position(), replace(games[2].position(), bag=None)
    return [games[0].save_state(), known, unknown, None]


def over(rules=None):
    table = Table(rules, seed=1)
    while not table.is_over:
        table.step(table.random_action())
    return table


REFUSED = [
    (b"carc_env", "not a saved state"),
    (Table(Rules(n_players=3)).save_state(), "the state was saved under other rules"),
    (Game(Rules(n_players=3)).position(), "the position has other rules .*n_players: 3 -> 2"),
    (replace(Game(seed=1).position(), bag=("bg-cap",)), "the bag does not hold exactly the tiles"),
    ("[carc_env position 1]", "a state to begin at must be the bytes .* not of type str"),
    (None, "not of type NoneType"),
]


@pytest.mark.parametrize("make", [CarcassonneEnv, CarcassonneAEC])
@pytest.mark.parametrize(("state", "reason"), REFUSED)
def test_a_refused_state_changes_nothing(make, state, reason):
    env, twin = make(), make()
    for one in (env, twin):
        one.reset(seed=3)
    with pytest.raises(ValueError, match=reason):
        env.reset(seed=9, options={"state": state})
    assert env.table.save_state() == twin.table.save_state()
    for one in (env, twin):
        one.reset()
    assert env.table.save_state() == twin.table.save_state()


@pytest.mark.parametrize(
    ("states", "reason"),
    [
        *[([None, state], rf"states\[1\]: .*{why}") for state, why in REFUSED if state is not None],
        ([None, over().save_state()], r"states\[1\]: the game of the state is over"),
        ([None], "states must be a list of 2, one for each game"),
        (Table(seed=1).save_state(), "states must be a list of 2"),
    ],
)
def test_many_games_refuse_as_one_does(states, reason):
    envs = [CarcassonneVectorEnv(2, seat=0) for _ in range(2)]
    for env in envs:
        env.reset(seed=3)
    with pytest.raises(ValueError, match=reason):
        envs[0].reset(seed=9, options={"states": states})
    for env in envs:
        env.step(random_actions(env.action_masks(), np.random.default_rng(1)))
        env.reset()
    assert envs[0]._games.states.tobytes() == envs[1]._games.states.tobytes()


@pytest.mark.parametrize(
    "settings",
    [
        {"opponents": "random", "reward": "score_delta"},
        {"rules": Rules(n_players=3), "opponents": ["greedy", Passer()], "reward": "margin"},
        {"rules": Rules.preset("all", n_players=3), "seat": 1},
    ],
    ids=["base", "guest", "all"],
)
def test_many_games_begin_and_go_on_as_single_ones_do(settings):
    given = starts(settings.get("rules"))
    single = [CarcassonneEnv(**settings) for _ in given]
    many = CarcassonneVectorEnv(len(given), **settings)
    options = [{} if state is None else {"state": state} for state in given]
    seen, info = many.reset(seed=5, options={"states": given})
    seeds = seeds_of(5, len(given))
    wanted = [env.reset(seed=seeds[i], options=options[i])[0] for i, env in enumerate(single)]
    rng, ended, n_ended = np.random.default_rng(2), np.zeros(len(given), bool), Counter()
    while min(n_ended[i] for i in range(3)) < 2:
        for i, env in enumerate(single):
            assert_same({key: rows[i] for key, rows in seen.items()}, wanted[i])
            assert many.table(i).save_state() == env.table.save_state()
            assert info["seat"][i] == env.seat
        actions = random_actions(info["action_mask"], rng)
        seen, rewards, now_ended, _, info = many.step(actions)
        for i, env in enumerate(single):
            if ended[i]:
                wanted[i], reward, over = env.reset(options=options[i])[0], 0.0, False
            else:
                wanted[i], reward, over, _, _ = env.step(actions[i])
            assert (reward, over) == (rewards[i], now_ended[i])
            n_ended[i] += over
        ended = now_ended


def test_self_play_begins_and_goes_on_at_given_states():
    rules = Rules(n_players=3)
    given = starts(rules)[:3]
    env = CarcassonneVectorEnv(3, rules=rules, opponents="self", autoreset_mode="Disabled")
    _, info = env.reset(seed=4, options={"states": given})
    tables = [env.table(i).clone() for i in range(3)]
    assert tables[0].save_state() == given[0]
    assert tables[1].position() == Game.from_position(given[1]).position()
    assert replace(tables[2].position(), bag=None) == given[2]
    rng = np.random.default_rng(3)
    while not any(table.is_over for table in tables):
        actions = random_actions(info["action_mask"], rng)
        for table, action in zip(tables, actions, strict=True):
            table.step(action)
        info = env.step(actions)[-1]
        for i, table in enumerate(tables):
            assert env.table(i).save_state() == table.save_state()
            shown = np.flatnonzero(info["action_mask"][i]).tolist()
            assert shown == (sorted(table.legal_actions()) or [IGNORED_ACTION])


def test_a_partial_reset_begins_only_its_games_at_states():
    env = CarcassonneVectorEnv(3, opponents="self")
    env.reset(seed=1)
    before = [env.table(i).save_state() for i in range(3)]
    state = middle(Rules(), 20).save_state()
    mask = np.array([False, True, False])
    env.reset(options={"reset_mask": mask, "states": [b"not looked at", state, None]})
    after = [env.table(i).save_state() for i in range(3)]
    assert after == [before[0], state, before[2]]
    env.reset(options={"reset_mask": mask})
    assert env.table(1).n_tiles_left == 70


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_games_begin_again_where_they_began_until_another_reset(mode):
    last = next(t for t in reversed([*before_each_decision()]) if t.decider == 0)
    env = CarcassonneVectorEnv(1, seat=0, opponents=Passer(), autoreset_mode=mode)
    env.reset(seed=1, options={"states": [last.save_state()]})
    for _ in range(3):
        assert env.table(0).save_state() == last.save_state()
        ended = False
        while not ended:
            ended = env.step(random_actions(env.action_masks(), np.random.default_rng(0)))[2][0]
        if mode == "NextStep":
            env.step(np.zeros(1, np.int64))
    env.reset()
    assert env.table(0).n_tiles_left >= 69


def before_each_decision():
    """Yield the table before each decision of a random game."""
    table = Table(seed=2)
    while not table.is_over:
        yield table.clone()
        table.step(table.random_action())


def test_opponents_that_end_a_game_at_once_leave_no_games():
    last = [*before_each_decision()][-1]
    env = CarcassonneVectorEnv(2, seat=1 - last.decider)
    with pytest.raises(ValueError, match="game 1: opponents have ended 100 games in a row"):
        env.reset(seed=1, options={"states": [None, last.save_state()]})
    with pytest.raises(ResetNeeded, match="no games are in progress"):
        env.step(np.zeros(2, np.int64))


@pytest.mark.parametrize("make", [CarcassonneEnv, CarcassonneAEC])
def test_the_seed_shuffles_the_bag_that_nobody_knows(make):
    position = replace(middle(Rules(), 30).position(), bag=None)
    bags = []
    for seed in (1, 1, 2):
        env = make() if make is CarcassonneAEC else make(seat=position.decider)
        env.reset(seed=seed, options={"state": position})
        bags.append(env.table.position().bag)
        assert replace(env.table.position(), bag=None) == position
    assert bags[0] == bags[1] != bags[2]


def short(n_tiles, seed):
    """Return a new game with ``n_tiles`` tiles in its bag; the others are out of the game."""
    new = Game(seed=seed).position()
    return replace(new, bag=None, aside=new.bag[n_tiles:])


def test_a_short_stack_shows_what_is_left_and_nothing_else():
    position = short(10, seed=3)
    env = CarcassonneAEC()
    env.reset(seed=1, options={"state": position})
    table, names = env.table, global_names(Rules())
    left = Counter(Game(seed=3).position().bag[:10])
    copies = Counter((*Game(seed=3).position().bag, position.tile_in_hand, "bg-cap-straight"))
    shown = dict(zip(names, table.observe()["globals"].tolist(), strict=True))
    for tile in copies:
        assert shown[f"left {tile}"] == pytest.approx(left[tile] / copies[tile])
    assert shown["tiles left"] == pytest.approx(10 / 11)
    table.reshuffle(5)
    assert Counter(table.position().bag) == left
    assert table.position().aside == position.aside
    while not table.is_over:
        table.step(table.random_action())
    final = table.position()
    assert len(final.tiles) + len(final.aside) - len(position.aside) == 12


def test_the_log_of_a_short_game_tells_only_what_is_put_aside_in_it():
    game = Game.from_position(short(10, seed=3))
    game.apply(game.random_action())
    assert game.moves[0].aside == ()
