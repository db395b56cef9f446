"""Properties of every named agent, in all phases of all rules."""

import copy
import os
import pickle
from collections import Counter
from functools import cache
from itertools import count, islice
from threading import Thread

import numpy as np
import pytest

from carc_env import Phase, Rules, Table
from carc_env.envs.naming import ENTRY_POINTS, make_agent
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.seeds import seeds_of
from tests.engine.short_games import SHORT_GAMES, begun

from .games import RULES

NETWORKS = {"imitation", "corrected"}
"""Agents that play only some rules; see tests/test_data_sets.py and test_corrected.py."""

LIMITS = {"search": "search:sims=50", "mcts": "mcts:sims=2"}
"""Specs that limit the agents with a search, so that they answer quickly."""
FEW, EVERY = 40, 25
"""Number of first positions of each phase to look at, and the interval of the later ones."""
N_POSITIONS = int(os.environ.get("CARC_ENV_POSITIONS", "3000"))
"""Number of positions that the long tests look at."""
ALL_QUESTIONS = Rules.preset("big-box", n_players=3, castle_choice="ask", wagon_adjacency="C1")


def games():
    """Yield games of all rules, endlessly; short games begin just before something rare."""
    for seed in count():
        for k in range(4):
            begins = 4 * seed + k
            yield from (begun(short, begins) for short in SHORT_GAMES.values())
        yield from (Table(rules, seed=seed) for rules in (*RULES.values(), ALL_QUESTIONS))


def decisions():
    """Yield positions with a choice; some games are played at random, the others half greedily."""
    greedy, seen = make_agent("greedy"), Counter()
    for k, table in enumerate(games()):
        while not table.is_over:
            if len(table.legal_actions()) > 1:
                seen[table.phase] += 1
                if seen[table.phase] <= FEW or seen[table.phase] % EVERY == 0:
                    yield table.clone()
            is_random = k % 2 == 0 or seen.total() % 2 == 0
            table.step(table.random_action() if is_random else greedy.act(table))


@cache
def positions(n):
    """Return the first ``n`` positions with a choice; callers must not change them."""
    return [*islice(decisions(), n)]


WITHOUT_NETWORKS = tuple(name for name in ENTRY_POINTS if name not in {*NETWORKS, "random"})


def agents_of(rules, names):
    """Return two of every agent, so that neither has seen the positions of the other."""
    return {
        name: [make_agent(LIMITS.get(name, name), rules, seed=1) for _ in range(2)]
        for name in names
    }


@pytest.mark.parametrize(
    ("names", "n"),
    [
        pytest.param(WITHOUT_NETWORKS, 300, id="all"),
        *(
            pytest.param((name,), N_POSITIONS, id=name, marks=pytest.mark.long)
            for name in WITHOUT_NETWORKS
        ),
    ],
)
def test_hidden_tiles_and_tokens_never_matter_and_the_table_stays_as_it_is(names, n):
    agents, phases, n_other = {}, set(), 0
    for k, table in enumerate(positions(n)):
        if table.rules not in agents:
            agents[table.rules] = agents_of(table.rules, names)
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
        twin.states["rng"] = table.states["rng"]  # "random" uses this
        choices = [make_agent("random").act(t) for t in (table, twin)]
        assert choices[0] == choices[1] in table.legal_actions()
    assert n_other > 0.8 * n
    assert phases == {*Phase} - {Phase.GAME_OVER} or (n < N_POSITIONS and len(phases) >= 9)


SEARCHES = {"search": "search:sims=300", "mcts": "mcts:sims=8"}
DECISIONS = {"search": 12, "mcts": 12, "imitation": 12, "corrected": 12}
"""Number of decisions of each thread, so that slow agents finish soon."""
LONG_SEARCHES = {"search": "search:sims=2000", "mcts": "mcts:sims=20,threads=2"}


def choices_of(agent, table, n):
    """Return the actions of an agent in a game, and the error if it fails."""
    found = []
    try:
        for _ in range(n):
            if table.is_over:
                break
            found.append(agent.act(table))
            table.step(found[-1])
    except Exception as error:
        found.append(repr(error))
    return found


def middle_of(rules, seed, n):
    table = Table(rules, seed=seed)
    for _ in range(n):
        table.step(table.random_action())
    return table


@pytest.mark.parametrize(
    ("name", "words", "n"),
    [
        *((name, SEARCHES.get(name, name), DECISIONS.get(name, 1_000)) for name in ENTRY_POINTS),
        *(
            pytest.param(name, LONG_SEARCHES.get(name, name), 1_000, marks=pytest.mark.long)
            for name in sorted({*ENTRY_POINTS} - NETWORKS)
        ),
    ],
)
def test_threads_that_ask_one_agent_get_the_answers_of_agents_of_their_own(name, words, n, request):
    if name in NETWORKS:
        request.getfixturevalue("one_thread")
    rules = Rules() if name in NETWORKS else Rules.preset("all")
    tables = [middle_of(rules, seed, 20 + 24 * seed) for seed in range(4)]
    alone = [choices_of(make_agent(words, rules), table.clone(), n) for table in tables]
    shared, found = make_agent(words, rules), [None] * len(tables)

    def ask(k):
        found[k] = choices_of(shared, tables[k].clone(), n)

    threads = [Thread(target=ask, args=(k,), daemon=True) for k in range(len(tables))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=600)
        assert not thread.is_alive()
    assert found == alone


WITHOUT_RANDOM = sorted({*ENTRY_POINTS} - {"random"})


def short_rules(name):
    """Return the rules for an agent in a short test; networks know only the whole game."""
    return Rules() if name in NETWORKS else Rules(deck_size=20)


@pytest.mark.parametrize("name", WITHOUT_RANDOM)
def test_no_agent_depends_on_other_games_that_it_is_asked_about(name, request):
    if name in NETWORKS:
        request.getfixturevalue("one_thread")
    words, rules = SEARCHES.get(name, name), short_rules(name)
    n, seed = DECISIONS[name] if name in NETWORKS else 1_000, int(name == "search")
    alone = choices_of(make_agent(words, rules), Table(rules, seed=seed), n)
    busy, others = make_agent(words, rules), [Table(rules, seed=k + seed) for k in (100, 200)]
    table, found = Table(rules, seed=seed), []
    while not table.is_over and len(found) < n:
        found.append(busy.act(table))
        table.step(found[-1])
        for other in others:
            if not other.is_over:
                other.step(busy.act(other))
    assert found == alone


@pytest.mark.parametrize("name", WITHOUT_RANDOM)
def test_many_games_with_one_opponent_are_those_of_single_environments(name, request):
    if name in NETWORKS:
        request.getfixturevalue("one_thread")
    settings = {
        "rules": short_rules(name),
        "opponents": SEARCHES.get(name, name),
        "encoding": "tokens",
    }
    singles = [CarcassonneEnv(**settings) for _ in range(3)]
    many = CarcassonneVectorEnv(3, autoreset_mode="Disabled", **settings)
    many.reset(seed=7)
    for env, seed in zip(singles, seeds_of(7, 3), strict=True):
        env.reset(seed=seed)
    rng, ended, n_steps = np.random.default_rng(0), np.zeros(3, np.bool_), 0
    while not ended.any() and n_steps < 15:
        n_steps += 1
        for i, env in enumerate(singles):
            assert many.table(i).save_state() == env.table.save_state()
        actions = [rng.choice(np.flatnonzero(mask)) for mask in many.action_masks()]
        ended = many.step(np.array(actions))[2]
        for env, action in zip(singles, actions, strict=True):
            env.step(action)


@pytest.mark.parametrize("name", sorted(ENTRY_POINTS))
def test_copies_of_an_agent_choose_as_it_does(name):
    if name in NETWORKS:
        pytest.importorskip("torch")
    table = middle_of(Rules(), 3, 30)
    agent = make_agent(SEARCHES.get(name, name), Rules())
    chosen = choices_of(agent, table.clone(), 3)
    for twin in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert type(twin) is type(agent)
        assert choices_of(twin, table.clone(), 3) == chosen
