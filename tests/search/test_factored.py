"""Weights from a network over the indices of their entries: the rows of entries, and gradients."""

from math import prod

import numpy as np
import pytest
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_teachers import Factored, Trajectory

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.search.factored import NO_ROW, POINTS, rows_of_entries, write_gradients, write_weights
from carc_env.search.features import N_WEIGHTS, OFFSETS, TABLES

UNITS = 4
OF_THREE_GAMES = ValueConfig(hidden_units=UNITS, learning_rate=0.01, td_lambda=0.5, memory_games=3)


@pytest.fixture
def network():
    """Return the rows, the tables and the parameters of a small network."""
    rows, tables, n_rows = rows_of_entries()
    rng = np.random.default_rng(1)
    inner = rng.normal(size=(n_rows, UNITS)).astype(np.float32)
    outer = rng.normal(size=(len(TABLES), UNITS)).astype(np.float32)
    return rows, tables, inner, outer


def test_entries_share_the_rows_of_the_indices_that_they_have_in_common():
    rows, tables, n_rows = rows_of_entries()
    assert n_rows == sum(1 + sum(sizes) for sizes in TABLES.values())
    for number, (table, sizes) in enumerate(TABLES.items()):
        first = OFFSETS[table]
        own = rows[first : first + prod(sizes)].reshape(*sizes, -1)
        assert (tables[first : first + prod(sizes)] == number).all()
        assert (own[..., 1 + len(sizes) :] == NO_ROW).all()
        assert np.unique(own[..., : 1 + len(sizes)]).size == 1 + sum(sizes)
        assert (own[..., 0] == own.flat[0]).all()
        for index in range(len(sizes)):
            along = np.moveaxis(own[..., 1 + index], index, 0).reshape(sizes[index], -1)
            assert (along == along[:, :1]).all() and np.unique(along).size == sizes[index]
    assert np.unique(rows[rows != NO_ROW]).size == n_rows


@pytest.mark.interpreted
def test_a_weight_is_what_was_known_and_what_the_network_makes_of_its_rows(network):
    rows, tables, inner, outer = network
    some = np.random.default_rng(2).integers(0, N_WEIGHTS, 50)
    known = np.arange(len(some), dtype=np.float32)
    weights, room = np.zeros(len(some), np.float32), np.zeros((1, UNITS), np.float32)
    own = (np.ascontiguousarray(rows[some]), np.ascontiguousarray(tables[some]))
    write_weights(*own, inner, outer, known, room, weights)
    for k, entry in enumerate(some):
        units = inner[rows[entry][rows[entry] != NO_ROW]].sum(axis=0)
        expected = k + POINTS * np.maximum(units, 0) @ outer[tables[entry]]
        assert weights[k] == pytest.approx(expected, rel=1e-4, abs=1e-4)


@pytest.mark.interpreted
def test_gradients_are_those_of_differences(network):
    rows, tables, inner, outer = network
    rng = np.random.default_rng(3)
    entries = rng.integers(0, N_WEIGHTS, 60).astype(np.int32)
    begins, batch = np.array([0, 10, 35, 60]), np.array([2, 0])
    leads, targets = rng.normal(0, 20, (2, 3)).astype(np.float32)
    known = rng.normal(size=N_WEIGHTS).astype(np.float32)
    room, to_inner, to_outer = (
        np.zeros((60, UNITS), np.float32),
        *map(np.zeros_like, (inner, outer)),
    )

    def loss(inner, outer):
        return write_gradients(
            *(rows, tables, inner, outer, known, entries, begins, leads, targets, batch, room),
            *(to_inner, to_outer),
        ) / (2 * len(batch))

    loss(inner, outer)
    found = [(inner, to_inner.copy()), (outer, to_outer.copy())]
    for number, (parameters, gradient) in enumerate(found):
        used = np.argwhere(gradient != 0)
        assert len(used) > 10
        for at in map(tuple, rng.choice(used, 10)):
            up, down = parameters.copy(), parameters.copy()
            up[at] += 1e-3
            down[at] -= 1e-3
            both = [(up, outer), (down, outer)] if number == 0 else [(inner, up), (inner, down)]
            slope = (loss(*both[0]) - loss(*both[1])) / (float(up[at]) - float(down[at]))
            assert gradient[at] == pytest.approx(slope, rel=0.02, abs=0.02)


def game_of(entries, final):
    """Return a game with one entry per step, in which the seats alternate."""
    n = len(entries)
    ends, seats = np.ones(n, np.int32), np.arange(n, dtype=np.int32) % 2
    leads, points = np.zeros(n, np.float32), np.zeros(MAX_PLAYERS, np.float32)
    points[:2] = final, -final
    return Trajectory(np.array(entries, np.int32)[:, None], ends, leads, seats, points)


def test_what_one_entry_teaches_holds_for_those_beside_it_and_for_no_other_table():
    sizes, first = TABLES["road"], OFFSETS["road"]
    own = np.arange(prod(sizes)).reshape(sizes)
    index = (0, 1, 3, 2, 1, 3)
    beside = (0, 1, 4, 2, 1, 3)
    known = np.full(N_WEIGHTS, 2.0, np.float32)
    config = OF_THREE_GAMES.replace(hidden_units=8, td_lambda=1.0, memory_games=10)
    teacher = Factored(known, config)
    assert (teacher.weights == known).all() and (teacher.learned == known).all()
    game = game_of([first + own[index]] * 20, 15.0)
    for _ in range(60):
        teacher.learn(
            [game_of(game.entries[::2, 0], 15.0)._replace(seats=game.seats[::2] * 0)], 0.5
        )
    learned = teacher.learned
    assert learned[first + own[index]] == pytest.approx(15.0, abs=1.0)
    assert learned[first + own[beside]] > 5.0
    others = np.ones(N_WEIGHTS, bool)
    others[first : first + prod(sizes)] = False
    assert (learned[others] == 2.0).all()


def test_targets_are_lambda_returns():
    teacher = Factored(np.zeros(N_WEIGHTS, np.float32), OF_THREE_GAMES)
    teacher.weights = np.arange(N_WEIGHTS, dtype=np.float32)
    found = teacher._positions(game_of([8, 4, 16, 2], 10.0))
    # seat 0: 10 at the end, then half of 16 and half of 10; seat 1: -10, then half of 2 and of -10
    assert found.targets.tolist() == [13.0, -4.0, 10.0, -10.0]
    assert found.entries.tolist() == [8, 4, 16, 2] and found.ends.tolist() == [1] * 4


def test_only_the_last_games_are_remembered():
    teacher = Factored(np.zeros(N_WEIGHTS, np.float32), OF_THREE_GAMES)
    teacher.learn([game_of([k], float(k)) for k in range(5)], 0.0)
    assert teacher.state()["game_entries"].tolist() == [2, 3, 4]
