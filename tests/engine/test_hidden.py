"""Hidden information, as a search deals it."""

import random

import numpy as np
import pytest

from carc_env import Phase, Rules, Table
from carc_env.engine import entry
from carc_env.engine.compiler.jit import JIT, entry_point, i8, void
from carc_env.engine.core.state import States
from carc_env.engine.flow.hidden import put_on_top
from tests.soak import check_copies, check_twin

pytestmark = pytest.mark.interpreted


@entry_point(void(States, i8))
def deal(states, design):
    put_on_top(states[0], design)


@pytest.mark.parametrize("preset", ["hills-sheep", "big-box"])
def test_whatever_nobody_sees_can_be_drawn_next(preset):
    """A search can also draw a tile whose copies are all under hills or face down (HS-02, BAZ-21).

    Otherwise it would use the reply to one draw as the reply to another one, where it may be
    illegal.
    """
    table, dealt = Table(Rules.preset(preset), seed=2), set()
    while len(table.legal_actions()) > 0:
        s = table.states[0]
        n_bag = int(s.n_bag)
        beside = [*(int(s.bag[place]) for place in s.hidden[: int(s.n_hidden)])]
        if s.bazaar.waits:
            beside += [int(lot.design) for lot in s.bazaar.lots[: table.rules.n_players]]
        only_there = {*beside} - {int(design) for design in s.bag[:n_bag]} - dealt
        if only_there and any(tile.startswith(("rv-", "r2-")) for tile in table.position().bag):
            only_there = set()  # the river comes first
        for design in sorted(only_there) if n_bag else ():
            twin = table.clone()
            deal(twin.states, design)
            assert twin.states[0].bag[n_bag - 1] == design
            assert not entry.problems(twin.states, 0)
            assert np.array_equal(np.sort(twin.states["bag"]), np.sort(table.states["bag"]))
            dealt.add(design)
        table.step(table.random_action())
    assert dealt


ALL_OF_THE_COUNT = 311
"""Seed of a random game with every phase of the count."""


def test_nothing_of_the_count_is_hidden(n_games):
    """A shuffled bag changes nothing that a player sees, and a position contains everything."""
    rules = Rules.preset("count", n_players=3, count_join_unoccupied=True, count_final="any")
    rng, met = random.Random(5), set()
    for seed in (ALL_OF_THE_COUNT, *range(3))[: n_games(2)]:
        table = Table(rules, seed=seed)
        while not table.is_over:
            if JIT or table.phase not in met or rng.random() < 0.1:
                check_twin(table, rng)
                check_copies(table)
            met.add(table.phase)
            table.step(table.random_action())
    assert met >= {Phase.JOIN, Phase.JOIN_SPOT, Phase.ENTER, Phase.COUNT}
