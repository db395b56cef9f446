"""What the learned value sees of a state."""

from collections import Counter

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine.compiler.jit import entry_point, i8, void
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.state import State, States, new_states
from carc_env.engine.core.tiles import EDGES, N_DESIGNS
from carc_env.search.features import (
    MAX_ENTRIES,
    N_WEIGHTS,
    OFFSETS,
    TABLES,
    starting_weights,
    survey,
)
from carc_env.search.fit import UNSEEN_ROOM, count_unseen, n_fitting
from carc_env.search.value import value

from .games import RULES, positions


@entry_point(i8(State, i8, i8[::1], i8[::1]))
def surveyed(s, seat, entries, points):
    return survey(s, seat, entries, points)


@entry_point(i8(State, i8, i8[::1]))
def counted_fits(s, edges, unseen):
    count_unseen(s, unseen)
    return n_fitting(unseen, edges)


@entry_point(void(States))
def copied(states):
    copy_in_use(states[1], states[0])


@pytest.mark.parametrize("name", RULES)
def test_entries_lie_in_their_tables_and_points_are_the_standings(name):
    rules = RULES[name]
    entries, points = np.zeros(MAX_ENTRIES, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    weights = np.random.default_rng(1).normal(size=N_WEIGHTS).astype(np.float32)
    starts = np.array([*OFFSETS.values()])
    for table in positions(rules, 10):
        for seat in range(rules.n_players):
            n = surveyed(table.states[0], seat, entries, points)
            assert 0 < n <= MAX_ENTRIES
            assert entries[:n].min() >= 0 and entries[:n].max() < N_WEIGHTS
            assert tuple(points[: rules.n_players]) == table.standings
            hit = Counter(np.searchsorted(starts, entries[:n], "right").tolist())
            assert hit[1 + [*TABLES].index("meeples")] == rules.n_players
            assert hit[1 + [*TABLES].index("phase")] == 1
            found = value(table.states[0], seat, weights)
            bid = table.states[0]["bazaar"]
            if bid["bidder"] < 0:
                others = [p for k, p in enumerate(table.standings) if k != seat]
                lead = table.standings[seat] - max(others)
                assert found == pytest.approx(lead + weights[entries[:n]].sum(), abs=1e-3)


@pytest.mark.parametrize("preset", ["base", "all", "first-edition"])
def test_fit_counts_the_unseen_tiles_that_fit_every_open_place(preset):
    table = Table(Rules.preset(preset), seed=2)
    unseen = np.zeros(UNSEEN_ROOM, np.int64)
    n_places = 0
    while not table.is_over:
        state = table.states[0]
        bag = Counter(state["bag"][: state["n_bag"]].tolist())
        for cell in state["frontier"][: state["n_frontier"]]:
            asked = [(int(cell["edges"]) >> 4 * side & 15, 4 * side) for side in range(4)]
            fitting = sum(
                n
                for design, n in bag.items()
                if any(
                    all(not kind or int(edges) >> shift & 15 == kind for kind, shift in asked)
                    for edges in EDGES[design]
                )
            )
            assert counted_fits(state, int(cell["edges"]), unseen) == fitting
            n_places += 1
        for _ in range(9):
            if not table.is_over:
                table.step(table.random_action())
    assert n_places > 100


@pytest.mark.parametrize("name", RULES)
def test_a_copy_over_another_game_is_the_same_game(name):
    """Whatever the record held before: the game that is copied goes on as it would have."""
    rules = RULES[name]
    tables = [Table(rules, seed=k) for k in range(2)]
    states = new_states(2)
    rng = np.random.default_rng(3)
    while not any(table.is_over for table in tables):
        source, dirty = tables if rng.random() < 0.5 else tables[::-1]
        states[0], states[1] = source.states[0], dirty.states[0]
        copied(states)
        copy = Table.at(rules, states[1:2])
        assert copy.legal_actions() == source.legal_actions()
        assert copy.standings == source.standings
        clone = source.clone()
        for _ in range(12):
            if not clone.is_over:
                action = clone.random_action()
                assert action == copy.random_action()
                clone.step(action)
                copy.step(action)
                assert copy.legal_actions() == clone.legal_actions()
        assert copy.standings == clone.standings
        for table in tables:
            for _ in range(int(rng.integers(1, 20))):
                if not table.is_over:
                    table.step(table.random_action())


def test_what_nobody_has_learned_is_the_price_of_meeples():
    weights = starting_weights()
    start = OFFSETS["meeples"]
    assert not weights[:start].any() and weights[start:].any()
    assert N_DESIGNS <= TABLES["lots"][1]
