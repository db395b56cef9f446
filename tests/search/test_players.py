"""Players that look one placement ahead: what they choose, and where they play."""

import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from carc_env import Game, Phase, Rules, Table, afterstates, parse_position, rollouts
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.flow.standings import lead_of, write_standings
from carc_env.envs.naming import make_agent
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.search.evaluation import GREEDY, evaluation
from carc_env.search.players import (
    GreedyPlayer,
    OnePly,
    ValuePlayer,
    WeakenedPlayer,
    learned,
    value_with,
)
from carc_env.search.weights import shipped

from .games import RULES


@evaluation
def plain(s, seat, weights):
    """Return the lead as if the game were over."""
    points = room_for(MAX_PLAYERS)
    write_standings(s, points)
    return float(lead_of(s, seat, points))


PLAYERS = {
    "plain": lambda rules: OnePly(plain),
    "greedy": lambda rules: GreedyPlayer(),
    "value": lambda rules: ValuePlayer(rules=rules),
    "weakened": lambda rules: WeakenedPlayer(3, rules=rules),
}


def best_by_hand(table):
    """Return the lead after each action; a placement includes its best figure action."""
    after, seat = afterstates(table), table.decider
    found = []
    for k in range(len(after.actions)):
        position = after.table(k)
        points = list(after.standings[k])
        lead = points.pop(seat) - max(points)
        is_mine = not position.is_over and position.decider == seat
        if table.phase == Phase.PLACE_TILE and is_mine and position.phase == Phase.FIGURE:
            lead = max(best_by_hand(position))
        found.append(lead)
    return found


@pytest.mark.parametrize("n_players", [2, 3])
def test_one_ply_takes_what_leads_to_the_best_position(n_players):
    table = Table(Rules(n_players=n_players, auto_single=False), seed=n_players)
    agent = OnePly(plain)
    for _ in range(40):
        leads = best_by_hand(table)
        chosen = agent.act(table)
        assert leads[table.legal_actions().index(chosen)] == max(leads)
        table.step(chosen)


@pytest.mark.parametrize("name", ["base", "everything, four"])
def test_players_in_the_kernel_play_as_their_objects_do(name):
    """One environment has players with two different sets of weights and a greedy player."""
    rules = RULES[name]
    other = value_with(2 * ValuePlayer(rules=rules).evaluation.weights)
    line_up = [ValuePlayer(rules=rules), OnePly(other), GreedyPlayer()][: rules.n_players - 1]
    inside = CarcassonneVectorEnv(2, rules=rules, opponents=line_up, encoding="sparse")
    outside = CarcassonneVectorEnv(
        2, rules=rules, opponents=[Outside(player) for player in line_up], encoding="sparse"
    )
    for env in (inside, outside):
        env.reset(seed=5)
    for _ in range(30):
        masks = [env.action_masks() for env in (inside, outside)]
        assert np.array_equal(*masks)
        actions = masks[0].argmax(1)
        _, *results = inside.step(actions)
        _, *others = outside.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(results[:3], others[:3], strict=True))


class Outside:
    """A player that the kernel does not know."""

    def __init__(self, player):
        self.player = player

    def act(self, table):
        return self.player.act(table)


@pytest.mark.parametrize("player", PLAYERS)
def test_players_go_to_other_processes(player):
    table = Table(seed=4)
    agent = PLAYERS[player](table.rules)
    found = pickle.loads(pickle.dumps(agent))
    assert type(found) is type(agent) and found.evaluation.name == agent.evaluation.name
    assert found.act(table) == agent.act(table)


def test_rollouts_of_an_evaluation_and_by_name_are_the_same():
    table = Table(seed=1)
    for _ in range(60):
        table.step(table.random_action())
    named, given = (rollouts(table, 2, player, seed=1) for player in ("greedy", GREEDY))
    assert np.array_equal(named, given)
    assert not np.array_equal(named, rollouts(table, 2, plain, seed=1))


def test_a_weakened_player_is_mistaken_as_seed_and_sight_say():
    rules, tables = Rules(), [Table(seed=k) for k in range(3)]
    exact, value = WeakenedPlayer(0, rules=rules), ValuePlayer(rules=rules)
    vague, other = (WeakenedPlayer(3, seed, rules) for seed in (1, 2))
    chosen = []
    for table in tables:
        for _ in range(40):
            hidden = table.clone()
            hidden.reshuffle(99)  # another order of the hidden tiles
            for player in (vague, pickle.loads(pickle.dumps(vague))):
                assert player.act(table) == player.act(hidden)
            assert exact.act(table) == value.act(table)
            chosen.append([player.act(table) for player in (value, vague, other)])
            table.step(chosen[-1][0])
    best, mine, theirs = np.transpose(chosen)
    assert 20 < (mine != best).sum() < 110 and (mine != theirs).sum() > 20


def test_a_weakened_player_does_not_depend_on_how_a_position_came_about():
    player, n = WeakenedPlayer(5), 0
    for rules, seed in product(
        (Rules(), Rules.preset("abbey-mayor"), Rules.preset("tower")), (1, 2)
    ):
        game = Game(rules, seed=seed)
        while not game.is_over:
            again = Game.from_position(replace(game.position(), bag=None))
            n += player.act(game) != player.act(again)
            game.step(game.random_action())
    assert n == 0


@pytest.mark.parametrize("wrong", ["noise=-1", "noise=inf", "seed=-1", "noise=much"])
def test_a_weakened_player_refuses_what_is_no_noise(wrong):
    with pytest.raises(ValueError, match=wrong.partition("=")[0]):
        make_agent(f"weakened:{wrong}", Rules())


QUICK = [name for name in shipped() if name.endswith("-2") and "big-box" not in name]


@pytest.mark.once
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long][name in QUICK :]) for name in shipped()]
)
def test_shipped_weights_beat_greedy(name):
    """A few fixed games show that the tables still mean what they meant in training."""
    rules = shipped()[name].rules
    agents = [OnePly(learned(shipped()[name])), GreedyPlayer()]
    points = np.zeros(2)
    for k in range(4 * rules.n_players):
        table = Table(rules, seed=k // rules.n_players)
        while not table.is_over:
            table.step(agents[table.decider != k % rules.n_players].act(table))
        scores = list(table.scores)
        points += [scores.pop(k % rules.n_players), max(scores)]
    assert points[0] > points[1]


AUCTION = """
    [carc_env position 1]
    [rules {sets: [base, bridges], bazaars: true}]
    [scores 10:10]
    [bazaar A: bg-curve, bg-cap]
    [auction B]
    [turn A picks]
    bg-cap-straight 0,0 r0: B meeple N
    bcb-bazaar 0,1 r0
    """


def test_a_tile_on_offer_is_worth_what_it_would_be_if_it_were_placed_at_once():
    """The cap is worth 7: the city 4, a field beside it 3. The curve: a road 2, the open city 1.

    A player who pays p points to the opponent falls 2p behind, so B buys if the difference is more
    than 4p.
    """
    agent = OnePly(plain)

    def values(game):
        return {game.name(line.action): line.value for line in agent.analyse(game)}

    game = Game.from_position(parse_position(AUCTION))
    assert values(game) == {"pick 2": 7, "pick 1": 3}
    game.apply("pick 2")
    assert values(game) == {f"bid {price}": 7 - price for price in range(21)}
    game.apply("bid 0")
    assert max(values(game), key=values(game).get) == "pass"
    for price in (1, 2):
        overbid = game.clone()
        overbid.apply(f"bid {price}")
        assert values(overbid) == {"buy": 7 - 2 * price, "sell": 3 + 2 * price}
    game = Game.from_position(parse_position(AUCTION.replace("B meeple", "A meeple")))
    for name in ("pick 2", "bid 0"):
        game.apply(name)
    assert game.name(agent.act(game)) == "bid 1"


ONLY_ON_A_TOWER = """
    [carc_env position 1]
    [rules {sets: [base, tower, princess], towers: true, princesses: true, princess_action: must}]
    [scores 0:0]
    [turn A places pd-cap-junction-princess]
    bg-cap-straight 0,0 r0
    to-cap 0,1 r2: B meeple S
    """


def test_a_knight_who_has_to_leave_the_tile_of_a_tower_leaves_with_the_placement():
    game = Game.from_position(parse_position(ONLY_ON_A_TOWER))
    values = {game.name(line.action): line.value for line in OnePly(GREEDY).analyse(game)}
    assert values["pd-cap-junction-princess 0,2 r0"] == 0
