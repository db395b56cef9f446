"""Reading a game never writes into its record, whatever the game and the phase.

For compiled code, the tests compare the bytes before and after. Without the JIT, they lock the
record, so that even a temporary write fails, such as a mark that is wiped again.
"""

from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine import entry
from carc_env.engine.compiler.jit import JIT
from carc_env.engine.core.codes import MAX_PLAYERS, N_CORNERS, Phase
from carc_env.engine.core.state import NO_FIGURE, NO_SEGMENT, new_states
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH
from carc_env.engine.flow.rollouts import RANDOM, ROLLOUT, ROLLOUT_SCRATCH
from carc_env.engine.sight.earnings import ELSEWHERE, OUTCOME, SCORES, STANDINGS
from carc_env.engine.sight.lanes import LANE
from carc_env.layout.encodings import ENCODINGS
from carc_env.layout.template import legal_buffer
from carc_env.rules import PRESETS
from carc_env.search.evaluation import GREEDY, NO_WEIGHTS
from carc_env.systems import phases_of
from tests.engine.short_games import SHORT_GAMES, ShortGame, begun

pytestmark = pytest.mark.interpreted

TAKEN = {"bridge_timing": "any_time_before_scoring", "bazaar_mode": "take"}
ASKED = {"castle_choice": "ask", "house_wagon_roll": True, "king_robber_scoring": "running"}
SIEGE = {"siege_tiles": "both", "siege_escape": "any_tile", "auto_single": False}
BUNDLES = "all", "big-box", "minis", "promos"
"""Presets of many sets, which the games cover one by one; two games play the sets of ``all``."""
GAMES = {
    **{name: (Rules.preset(name), 0) for name in PRESETS if name not in BUNDLES},
    "base": (Rules(), 10),
    "abbey-mayor": (Rules.preset("abbey-mayor", wagon_adjacency="C1"), 19),
    "bridges": (Rules.preset("bridges", wagon_adjacency="C1"), 19),
    "tower": (Rules.preset("tower"), 4),
    "count": (Rules.preset("count", count_join_unoccupied=True, count_final="any"), 105),
    "festival": (Rules.preset("festival", auto_single=False), 0),
    "siege": (Rules.preset("siege", **SIEGE), 0),
    "flier": (Rules.preset("flier", phantom=True), 6),
    "corn-circles": (Rules.preset("corn-circles", auto_single=False), 0),
    "all, taken": (Rules.preset("all", n_players=3, wagon_adjacency="C1", **TAKEN), 6),
    "all, asked": (Rules.preset("all", n_players=4, wagon_adjacency="C1", **ASKED), 222),
    **{
        name: (SHORT_GAMES[name], seed)
        for name, seed in (
            ("prisoners of two kinds", 6),
            ("a choice of ingots", 3),
            ("a way out", 0),
        )
    },
}
OFTEN, THEN_EVERY = (10, 3) if JIT else (1, 1_000)
"""Number of decisions of each phase to check at first, and the interval of the later checks."""


@contextmanager
def locked(states):
    """Lock the records if nothing is compiled; compiled code takes only writable records."""
    states.flags.writeable = JIT
    try:
        yield
    finally:
        states.flags.writeable = True


def show(table):
    """Read what every seat sees, in all encodings."""
    for encoding in ENCODINGS:
        for seat in range(table.rules.n_players):
            assert table.observe(seat, encoding=encoding)


def count_points(states, n_players):
    """Read standings and rewards."""
    points, lanes = np.empty((1, n_players), np.int64), np.zeros(1, LANE)
    entry.standings(states, points)
    for scheme in (OUTCOME, SCORES, STANDINGS, ELSEWHERE):
        lanes["scheme"] = scheme
        entry.rewards(states, 0, lanes)


def look_for_problems(states):
    """Check that the record has no problems and that no figure was left unscored."""
    assert (entry.problems(states, 0), entry.unscored(states, 0)) == (0, NO_FIGURE)


def look_ahead(states, actions):
    """Compute the afterstates, the greedy choice and a game to the end."""
    after = new_states(len(actions))
    entry.afterstates(states, actions, after, np.empty((len(actions), MAX_PLAYERS), np.int64))
    scratch = new_states(ONE_PLY_SCRATCH)
    assert entry.choose(states, 0, scratch, legal_buffer(), GREEDY.evaluator) in actions
    if JIT or states["n_bag"][0] < 3:
        rollouts = np.zeros(1, ROLLOUT)
        rollouts["evaluation"] = RANDOM
        entry.play_rollouts(states, rollouts, new_states(ROLLOUT_SCRATCH), NO_WEIGHTS)


def ask_about_places(states):
    """Ask about the cells and corners around the tile just placed, and about a town."""
    s = states[0]
    tile = int(s.n_tiles) - 1
    for cell in s.frontier["cell"][: int(s.n_frontier)]:
        entry.can_place_abbey_on(states, 0, cell)
        entry.can_place(states, 0, s.tiles[tile].design, 0, cell)
    for corner in range(N_CORNERS):
        entry.is_barn_point(states, 0, tile, corner)
    if s.town != NO_SEGMENT:
        entry.deciders_on_town(states, 0, s.town)
        entry.cell_of_fief(states, 0, 3)


def read(table):
    """Ask everything that can be asked about a game."""
    states, buffer = table.states, legal_buffer()
    actions = buffer[: entry.legal(states, 0, buffer)]
    assert sorted(actions.tolist()) == table.legal_actions()
    show(table)
    count_points(states, table.rules.n_players)
    look_for_problems(states)
    ask_about_places(states)
    assert table.position() and table.save_state()
    if not table.is_over:
        look_ahead(states, actions)


def start(of, seed):
    """Begin a short game, or a new game with given rules."""
    return begun(of, seed) if isinstance(of, ShortGame) else Table(of, seed=seed)


@pytest.mark.parametrize(("of", "seed"), GAMES.values(), ids=GAMES)
def test_reading_writes_nothing_into_a_game(of, seed):
    table, n_met = start(of, seed), Counter()
    while True:
        if n_met[table.phase] < OFTEN or n_met[table.phase] % THEN_EVERY == 0:
            before = table.states.tobytes()
            with locked(table.states):
                read(table)
            assert table.states.tobytes() == before
        n_met[table.phase] += 1
        if table.is_over:
            break
        table.step(table.random_action())
    assert set(n_met) == set(phases_of(table.rules))


def test_the_games_come_through_every_phase():
    assert {phase for row in GAMES.values() for phase in phases_of(start(*row).rules)} == set(Phase)


@pytest.mark.skipif(JIT, reason="compiled code takes writable records only")
def test_a_locked_record_refuses_whatever_is_written():
    states = new_states(1)
    with locked(states):
        for write in (entry.roll_over, entry.random_number):
            with pytest.raises(ValueError, match="read-only"):
                write(states, 0, 3)
