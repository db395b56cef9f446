"""What holds for every agent that has a name, in all phases of all rules."""

from collections import Counter
from itertools import count, islice

import pytest

from carc_env import Phase, Rules, Table
from carc_env.envs.naming import ENTRY_POINTS, make_agent
from tests.engine.short_games import SHORT_GAMES, begun

from .games import RULES

NETWORKS = {"imitation", "ppo", "zero"}
"""They play some rules only: tests/test_imitation.py, tests/test_zero.py."""

LIMITS = {"search": "search:sims=50", "mcts": "mcts:sims=2"}
"""What is given to those that search, so that they answer soon."""
COMMON = (Phase.PLACE_TILE, Phase.FIGURE, Phase.BAZAAR_BID)
"""Phases of which every fifth position is looked at, and every one of the others."""
ALL_QUESTIONS = Rules.preset("big-box", n_players=3, castle_choice="ask", wagon_adjacency="C1")


def games():
    """Games of all rules without an end; the short ones begin where something rare is near."""
    for seed in count():
        yield from (begun(short, seed) for short in SHORT_GAMES.values())
        yield from (Table(rules, seed=seed) for rules in (*RULES.values(), ALL_QUESTIONS))


def decisions():
    """Positions with a choice; some games are played at random and some half greedily."""
    greedy, seen = make_agent("greedy"), Counter()
    for k, table in enumerate(games()):
        while not table.is_over:
            if len(table.legal_actions()) > 1:
                seen[table.phase] += 1
                if table.phase not in COMMON or seen[table.phase] % 5 == 0:
                    yield table.clone()
            is_random = k % 2 == 0 or seen.total() % 2 == 0
            table.step(table.random_action() if is_random else greedy.act(table))


def agents_of(rules):
    """Two of every agent, so that neither knows what the other one was shown."""
    names = [name for name in ENTRY_POINTS if name not in {*NETWORKS, "random"}]
    return {
        name: [make_agent(LIMITS.get(name, name), rules, seed=1) for _ in range(2)]
        for name in names
    }


@pytest.mark.parametrize("n", [600, pytest.param(10_000, marks=pytest.mark.long)])
def test_hidden_tiles_and_tokens_never_matter_and_the_table_stays_as_it_is(n):
    agents, phases, n_other = {}, set(), 0
    for k, table in enumerate(islice(decisions(), n)):
        if table.rules not in agents:
            agents[table.rules] = agents_of(table.rules)
        twin = table.clone()
        twin.reshuffle(k)
        before, other = table.states.tobytes(), twin.states.tobytes()
        for name, pair in agents[table.rules].items():
            choices = [agent.act(t) for agent, t in zip(pair, (table, twin), strict=True)]
            assert choices[0] == choices[1], name
            assert choices[0] in table.legal_actions(), name
            assert (table.states.tobytes(), twin.states.tobytes()) == (before, other), name
        n_other += before != other
        phases.add(table.phase)
        twin.states["rng"] = table.states["rng"]  # by which "random" chooses
        choices = [make_agent("random").act(t) for t in (table, twin)]
        assert choices[0] == choices[1] in table.legal_actions()
    assert n_other > 0.8 * n
    assert phases == {*Phase} - {Phase.GAME_OVER} or (n < 10_000 and len(phases) >= 9)
