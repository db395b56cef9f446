"""The entries that the learned value finds in a state."""

from collections import Counter
from math import prod

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine.compiler.jit import entry_point, i8, void
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.state import State, States, new_states
from carc_env.engine.core.tiles import EDGES, N_DESIGNS
from carc_env.rules import PRESETS
from carc_env.search.features import (
    ALONE,
    LAYOUT,
    MAX_ENTRIES,
    N_WEIGHTS,
    OFFSETS,
    RIVAL,
    TABLES,
    TIED,
    starting_weights,
    survey,
)
from carc_env.search.fit import UNSEEN_ROOM, count_unseen, n_fitting
from carc_env.search.tables import N_TIMES
from carc_env.search.value import value
from carc_env.sets import import_all
from carc_env.sets.shrines.value import AS_NEAR, FARTHER, FREE_BUILDING, NEARER
from tests.rooms import SYSTEMS_OF, room_of
from tests.rules.positions import Table as Written
from tests.rules.scenario import play

from .games import RULES, positions

PLAYED_BY_TWO = "base", "first-edition", "all"
"""Presets that ``RULES`` already contains."""
SEEN = RULES | {
    name: Rules.preset(name, n_players=3) for name in PRESETS if name not in PLAYED_BY_TWO
}
OF_SYSTEMS = [
    (table.name, SYSTEMS_OF[room_of(module)])
    for module in import_all("value")
    for table in module.TABLES
]
"""Tables that have entries only if a system is in play, so that other rules play as before."""


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


@pytest.mark.parametrize("name", SEEN)
def test_entries_lie_in_their_tables_and_points_are_the_standings(name):
    rules = SEEN[name]
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
            assert all(hit[k] <= table.most for k, table in enumerate(LAYOUT, 1))
            for part, systems in OF_SYSTEMS:
                is_in_play = any(system.is_on(rules) for system in systems)
                is_in_play |= part == "pig_herd" and rules.has_pig_herd  # RIV2-10, RUS-14
                assert is_in_play or not hit[1 + [*TABLES].index(part)]
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


@pytest.mark.parametrize("name", SEEN)
def test_a_copy_over_another_game_is_the_same_game(name):
    """Whatever the target record contained, the copy continues exactly as the original game."""
    rules = SEEN[name]
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


# Entries of the sets that came after "all": written positions, with numbers worked out by hand.

SWITCHES = "shrines: true, hills: true, vineyards: true, shepherds: true"
WRITTEN = Written(SWITCHES, sets="base, hills, cult")
NORTH = ("bg-cap-straight 0,0 r0", "bg-straight 1,0 r0", "bg-straight 2,0 r0")


def found_in(table, *tiles, seat=0, **options):
    """Return the indices of a position's entries in a table, without the time."""
    state = play(WRITTEN.position(tiles, **options))._states[0]
    entries, points = np.zeros(MAX_ENTRIES, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    n, start, sizes = surveyed(state, seat, entries, points), OFFSETS[table], TABLES[table]
    own = [e - start for e in sorted(entries[:n].tolist()) if start <= e < start + prod(sizes)]
    indices = [tuple(int(k) for k in np.unravel_index(e, sizes)) for e in own]
    assert all(0 <= time < N_TIMES for _, time, *_ in indices)
    return [(first, *others) for first, _, *others in indices]


@pytest.mark.parametrize(
    ("monk", "more", "challenges"),
    [
        ("", (), [(ALONE, 4, FREE_BUILDING)]),
        ("B meeple mid", (), [(ALONE, 4, AS_NEAR), (RIVAL, 4, AS_NEAR)]),
        ("B meeple mid", ("bg-cap -1,1 r3",), [(ALONE, 3, FARTHER), (RIVAL, 4, NEARER)]),
    ],
)
def test_who_is_nearer_the_end_of_a_challenge_is_seen(monk, more, challenges):
    tiles = (*NORTH, "bg-straight -1,0 r0", "cu-shrine 0,1 r0: A meeple mid")
    tiles = (*tiles, f"bg-monastery 1,1 r0: {monk}", *more)
    assert found_in("challenge", *tiles) == challenges
    assert found_in("challenge", *tiles[:4], "bg-monastery 1,1 r0: A meeple mid") == []


def test_vineyards_around_a_monastery_are_seen():
    tiles = (*NORTH, "bg-monastery 1,1 r0: B meeple mid", "hs-cap-pointed-vineyard 2,1 r1")
    assert found_in("vineyard", *tiles) == [(RIVAL, 4, 0)]
    assert found_in("vineyard", *tiles[:4]) == []


def test_who_stands_on_hills_is_seen():
    tiles = ("bg-cap-straight 0,0 r0: B meeple E", "bg-straight 1,0 r0")
    hill = "hs-straight-split-hill -1,0 r0: A meeple E"
    under = {"headers": "[hidden ?]"}
    assert found_in("hill", *tiles, hill, **under) == [(TIED, 1, 0)]
    assert found_in("hill", *tiles, hill, seat=1, **under) == [(TIED, 1, 1)]
    assert found_in("hill", *tiles, "bg-straight -1,0 r0: A meeple E") == []


def test_the_pig_herd_is_seen_with_the_cities_of_its_field():
    river = ("r2-source 0,0 r0", "r2-fork -1,0 r0", "r2-bend-pigherd -2,0 r2: A meeple Nw")
    options = {"sets": "base, hills, cult, river2"}
    cities = ("bg-cap -2,1 r2", "bg-cap -2,2 r0")
    assert found_in("pig_herd", *river, *cities, **options) == [(ALONE, 1, 0)]
    assert found_in("pig_herd", *river, *cities[:1], **options) == [(ALONE, 0, 1)]


def test_room_for_a_flock_is_seen():
    tiles = ("bg-cap-straight 0,0 r0", "bg-straight 1,0 r0: A shepherd Nw")
    options = {"headers": "[sheep A 2 3]"}
    # Both tiles of the field are open at the west or east, the second one also at the north.
    assert found_in("pasture", *tiles, **options) == [(0, 2, 1)]
    assert found_in("pasture", *tiles, seat=1, **options) == [(1, 2, 1)]
    assert found_in("flock", *tiles, **options) == [(0, 5), (1, 0)]
    assert found_in("pasture", *NORTH, turn="A acts") == []
