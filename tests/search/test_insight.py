"""The entries that ``insight`` finds in addition to those of the value."""

from collections import Counter
from math import prod

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine.compiler.jit import entry_point, i8
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import MAX_PLAYERS, Kind
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import EDGES, HALF_SEGMENT, N_SEGMENTS, SEGMENT_KIND, SEGMENT_SIDES
from carc_env.search.features import (
    ALONE,
    FREE_LINK,
    LAYOUT,
    MAX_ENTRIES,
    N_WEIGHTS,
    NO_LINK,
    OFFSETS,
    RIVAL,
    TABLES,
)
from carc_env.search.fit import UNSEEN_ROOM, count_unseen, n_closing_at, pattern_of
from carc_env.search.insight import CITY, OTHER, ROAD, insight, survey
from carc_env.search.insight_tables import MAX_FREE
from carc_env.search.insight_tables import TABLES as OWN
from carc_env.search.players import InsightPlayer, ValuePlayer
from carc_env.search.weights import INSIGHT, Weights, pack, weights_for
from tests.rules.positions import Table as Written
from tests.rules.scenario import play

from .games import positions
from .test_features import SEEN, counted_fits, surveyed

FITS = (0, 1, 2, 2, 3, 3, 3, 3, *(4,) * 8)


@entry_point(i8(State, i8, i8[::1], i8[::1]))
def surveyed_with_insight(s, seat, entries, points):
    return survey(s, seat, entries, points)


@entry_point(i8(State, i8, i8, i8[::1]))
def counted_closers(s, edges, is_city, unseen):
    count_unseen(s, unseen)
    return n_closing_at(unseen, pattern_of(edges), is_city)


def fit_step(n):
    return FITS[n] if n < len(FITS) else 5


@pytest.mark.parametrize("name", SEEN)
def test_entries_follow_those_of_the_value_and_lie_in_their_tables(name):
    rules = SEEN[name]
    entries, others = np.zeros((2, MAX_ENTRIES), np.int64)
    points, their_points = np.zeros((2, MAX_PLAYERS), np.int64)
    weights = np.random.default_rng(1).normal(size=N_WEIGHTS).astype(np.float32)
    starts = np.array([*OFFSETS.values()])
    for table in positions(rules, 10):
        state = table.states[0]
        for seat in range(rules.n_players):
            n = surveyed_with_insight(state, seat, entries, points)
            m = surveyed(state, seat, others, their_points)
            assert (entries[:m] == others[:m]).all() and (points == their_points).all()
            assert m <= n <= MAX_ENTRIES
            hit = Counter(np.searchsorted(starts, entries[:n], "right").tolist())
            assert all(hit[k] <= table.most for k, table in enumerate(LAYOUT, 1))
            of_own = sum(hit[1 + [*TABLES].index(table.name)] for table in OWN)
            assert of_own == n - m
            if state["bazaar"]["bidder"] < 0:
                standings = table.standings
                lead = standings[seat] - max(p for k, p in enumerate(standings) if k != seat)
                found = insight(state, seat, weights)
                assert found == pytest.approx(lead + weights[entries[:n]].sum(), abs=1e-3)


def shown(state, cell):
    """Yield the numbers of the segments that face an empty cell."""
    for side in range(4):
        tile = int(state["board"][cell + STEP[side]]) - 1
        if tile >= 0:
            placed = state["tiles"][tile]
            design, rotation = placed["design"], placed["rotation"]
            there = (side + 2) % 4
            for j in range(N_SEGMENTS[design]):
                shows = int(SEGMENT_SIDES[design, rotation, j]) >> there & 1
                if shows or j in HALF_SEGMENT[design, rotation, 2 * there : 2 * there + 2]:
                    yield int(placed["first_segment"]) + j


@pytest.mark.parametrize("preset", ["base", "inns", "traders"])
def test_what_nobody_has_taken_is_seen_with_the_cell_that_most_tiles_fit(preset):
    entries, points = np.zeros(MAX_ENTRIES, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    unseen, n_seen = np.zeros(UNSEEN_ROOM, np.int64), 0
    for table in positions(Rules.preset(preset), 30):
        state, best = table.states[0], {}
        for at in state["frontier"][: state["n_frontier"]]:
            fit = counted_fits(state, int(at["edges"]), unseen)
            for segment in shown(state, int(at["cell"])):
                feature = int(state["segments"][segment]["feature"])
                best[feature] = max(fit, best.get(feature, 0))
        wanted, fields = Counter(), Counter()
        for number, fit in best.items():
            found = state["features"][number]
            if found["figure"] >= 0:
                continue
            if found["kind"] == Kind.FIELD and found["shields"] > 0:
                fields[min(int(found["shields"]), 3), fit_step(fit)] += 1
            elif found["kind"] in (Kind.ROAD, Kind.CITY):
                size = min(int(found["n_tiles"]) + int(found["shields"]), 4) - 1
                open_sides = min(int(found["n_open"]), 3) - 1
                wanted[int(found["kind"] == Kind.CITY), size, open_sides, fit_step(fit)] += 1
        if wanted.total() + fields.total() > MAX_FREE:
            continue
        n = surveyed_with_insight(state, 0, entries, points)
        for name, by_hand in (("free", wanted), ("free_field", fields)):
            assert Counter(own(name, entries[:n])) == by_hand
            n_seen += by_hand.total()
    assert n_seen > 300


def own(name, entries):
    """Yield the indices of entries in a table, without the time."""
    start, sizes = OFFSETS[name], TABLES[name]
    time = 0 if name in ("free_field", "hands") else 2 if name == "stuck" else 1
    time = {"cells": 2, "closing": 2, "margin": 2}.get(name, time)
    for entry in sorted(entries.tolist()):
        if start <= entry < start + prod(sizes):
            indices = [int(k) for k in np.unravel_index(entry - start, sizes)]
            yield tuple(indices if name == "late" else indices[:time] + indices[time + 1 :])


@pytest.mark.parametrize("preset", ["base", "all"])
def test_what_may_close_a_road_or_a_city_fits_and_ends_it(preset):
    """All 4 rotations of each unseen tile are tried; a tile that closes the feature counts once."""
    table, unseen, n_closing = Table(Rules.preset(preset), seed=2), np.zeros(UNSEEN_ROOM, int), 0
    while not table.is_over:
        state = table.states[0]
        bag = Counter(state["bag"][: state["n_bag"]].tolist())
        for at in state["frontier"][: state["n_frontier"]]:
            asked = [(int(at["edges"]) >> 4 * side & 15, 4 * side) for side in range(4)]
            for is_city, kind in enumerate((Kind.ROAD, Kind.CITY)):
                closing = sum(
                    n
                    for design, n in bag.items()
                    if any(
                        all(not kind or int(edges) >> shift & 15 == kind for kind, shift in asked)
                        for edges in EDGES[design]
                    )
                    and any(
                        SEGMENT_KIND[design, j] == kind
                        and int(SEGMENT_SIDES[design, 0, j]).bit_count() == 1
                        for j in range(N_SEGMENTS[design])
                    )
                )
                assert counted_closers(state, int(at["edges"]), is_city, unseen) == closing
                n_closing += closing > 0
        for _ in range(9):
            if not table.is_over:
                table.step(table.random_action())
    assert n_closing > 100


# Written positions, with numbers worked out by hand.

BASE = Written("abbot: true", sets="base")
START = "bg-cap-straight 0,0 r0"


def found_in(name, *tiles, seat=0, **options):
    """Return the indices of a position's entries in a table, without the time."""
    state = play(BASE.position(tiles, **options))._states[0]
    entries, points = np.zeros(MAX_ENTRIES, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    n = surveyed_with_insight(state, seat, entries, points)
    return list(own(name, entries[:n]))


FARM = (f"{START}: A meeple En", "bg-cap 0,-1 r2")
"""A farms beside a complete city."""


@pytest.mark.interpreted
def test_what_may_close_a_road_and_a_city_is_seen_at_each_open_cell():
    tiles = (f"{START}: A meeple N", "bg-straight 1,0 r0: B meeple E")
    assert found_in("cells", *tiles) == [(ROAD, RIVAL, 1, 5, 5), (CITY, ALONE, 0, 5, 5)]
    # 13 unseen tiles have a road that ends; more than 15 have a city on one side.
    assert found_in("closing", *tiles) == [(ROAD, RIVAL, 1, 4, 1), (CITY, ALONE, 0, 5, 0)]
    assert found_in("stuck", *tiles) == [(ROAD, 0, 3, 4), (CITY, 1, 3, 5)]
    assert found_in("stuck", *tiles, seat=1) == [(ROAD, 1, 3, 4), (CITY, 0, 3, 5)]
    assert found_in("hands", *tiles) == [(6, 6)]
    assert found_in("free", *tiles) == found_in("late", *tiles) == []


@pytest.mark.interpreted
def test_fields_that_may_join_are_seen_with_the_cities_of_both():
    tiles = (*FARM, "bg-cap-straight 1,0 r0: B meeple Es")
    own_link, rival_link = 2, 3
    assert found_in("field_link", *tiles) == [
        (ALONE, 1, rival_link, 0, 5),
        (RIVAL, 0, own_link, 1, 5),
    ]
    assert found_in("margin", *tiles) == [(OTHER, 1, 0, own_link), (OTHER, 3, 1, rival_link)]
    assert found_in("field_link", *FARM, "bg-straight 1,0 r0") == [(ALONE, 1, FREE_LINK, 0, 5)]


@pytest.mark.interpreted
def test_cities_that_a_field_waits_for_are_seen_with_who_builds_them():
    assert found_in("field_city", *FARM, "bg-cap-straight 1,0 r0") == [(ALONE, 0, 5)]
    tiles = (*FARM, "bg-cap-straight 1,0 r0: B meeple N")
    assert found_in("field_city", *tiles) == [(ALONE, 2, 5)]
    assert found_in("field_city", *tiles, seat=1) == [(RIVAL, 1, 5)]
    assert found_in("margin", *tiles) == [(CITY, 1, 0, NO_LINK), (OTHER, 3, 1, FREE_LINK)]


@pytest.mark.interpreted
def test_what_is_free_is_seen_with_who_has_a_meeple_for_it():
    tiles = (*FARM, "bg-cap-straight 1,0 r0")
    assert found_in("free", *tiles) == [(ROAD, 1, 1, 5), (CITY, 0, 0, 5)]
    assert found_in("free_field", *tiles) == [(1, 5)]  # beside the cap in the north
    hands = [(ROAD, 1, 1, 1, 5), (CITY, 0, 1, 1, 5), (OTHER, 1, 1, 1, 5)]
    assert found_in("free_hands", *tiles) == hands


@pytest.mark.interpreted
def test_cells_around_a_monastery_are_seen():
    tiles = (START, "bg-monastery 0,1 r0: B meeple mid")
    assert found_in("centre_cells", *tiles) == [(RIVAL, 7, 0)]
    assert found_in("stuck", *tiles) == [(OTHER, 0, 3, 5)]


def test_the_last_tiles_are_counted_one_by_one():
    entries, points = np.zeros(MAX_ENTRIES, np.int64), np.zeros(MAX_PLAYERS, np.int64)
    steps, table = {}, Table(Rules(), seed=4)
    while not table.is_over:
        n = surveyed_with_insight(table.states[0], 0, entries, points)
        seen = {late for _, _, late, _, _ in own("late", entries[:n])}
        steps.setdefault(int(table.states[0]["n_bag"]), set()).update(seen)
        table.step(table.random_action())
    wanted = dict(zip(range(16), (0, 1, 2, 3, 4, 4, 5, 5, *(6,) * 4, *(7,) * 4), strict=True))
    assert {n: {step} for n, step in wanted.items()} == {n: steps[n] for n in wanted}
    assert not any(steps[n] for n in steps if n > 15)


def test_without_weights_of_its_own_it_plays_as_the_value():
    rules = Rules.preset("tower", n_players=3)
    assert weights_for(rules, INSIGHT) is weights_for(rules)
    assert InsightPlayer(rules=rules).evaluation.name == "value"


def test_a_file_of_weights_says_whose_they_are(tmp_path):
    values = np.random.default_rng(0).normal(size=N_WEIGHTS).astype(np.float32)
    path = tmp_path / "mine.npz"
    path.write_bytes(pack(Weights(Rules(), values, {}, INSIGHT)))
    for player in (ValuePlayer(path), InsightPlayer(path)):
        assert player.evaluation.name == INSIGHT
    path.write_bytes(pack(Weights(Rules(), values, {})))
    assert InsightPlayer(path).evaluation.name == "value"
