"""Records have room for all scores of a decision, and for all actions that a seat can have."""

from collections import Counter

import numpy as np
import pytest

from carc_env import Rules
from carc_env.engine import entry
from carc_env.engine.compiler.jit import JIT
from carc_env.engine.core.board import N_NEIGHBOURS
from carc_env.engine.core.codes import (
    FIRST_CORNER,
    FIRST_GOOD,
    MAX_PLAYERS,
    N_CORNERS,
    N_FIGURES,
    N_GOODS,
    N_MEEPLES,
    Figure,
    Kind,
    Phase,
    Stock,
)
from carc_env.engine.core.figures import SUITABLE
from carc_env.engine.core.sizes import MAX_TILES
from carc_env.engine.core.state import (
    FIGURE_SLOTS,
    MAX_EVENTS,
    MAX_FIGURES,
    NO_FIGURE,
    STATE,
    new_states,
)
from carc_env.engine.core.tiles import (
    BONUS,
    HAS_SHARED_SIDE,
    N_DESIGNS,
    N_OPEN,
    N_SEGMENTS,
    N_SITES,
    ROWS,
    SEGMENT_KIND,
    SEGMENT_SPOT,
)
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS
from carc_env.layout.template import legal_buffer, template
from carc_env.sets.castles.record import MAX_CASTLES
from carc_env.sets.little_buildings.record import N_BUILDINGS
from carc_env.sets.russian_promos.record import N_CAUGHT, N_TRAPS
from carc_env.sets.tunnel.record import MAX_MOUTHS, MAX_PAIRS

pytestmark = pytest.mark.interpreted

N_GAMES = 40 if JIT else 1
SIX = Rules.preset("all", n_players=6, bazaar_mode="take", king_robber_scoring="running")
"""Rules in which nobody pays for tiles, so only scoring changes the scores."""


def decisions(rules, seed):
    """Play a random game; yield the record before each decision, and its legal actions."""
    states, buffer = new_states(1), legal_buffer()
    entry.begin(states, 0, template(rules), np.uint64(seed))
    while (n := entry.legal(states, 0, buffer)) > 0:
        yield states, buffer[:n]
        entry.apply(states, 0, buffer[entry.random_number(states, 0, n)])


def points_noted(s):
    """Return the points of each seat according to the events."""
    points = np.zeros(len(s.players), np.int64)
    for event in s.events[: int(s.n_events)]:
        points[event.seat] += event.points
    return points


@pytest.mark.parametrize("rules", [SIX, SIX.replace(auto_single=False, castle_choice="ask")])
def test_every_point_of_a_decision_is_noted(rules):
    for seed in range(N_GAMES):
        before = np.zeros(6, np.int64)
        for states, _ in decisions(rules, seed):
            scores = states["players"]["score"][0].astype(np.int64)
            assert (scores - before).tolist() == points_noted(states[0]).tolist()
            before = scores


def copies_of(design):
    return max(ROWS[design]["n"].values()) + ROWS[design].get("promo", 0)


def most_open_sides(kind):
    """Return an upper bound for the number of open sides of a road or city.

    Each tile adds the sides that it shows of the feature, less two where it joins the feature. Two
    more sides are counted while a tile is being joined. Where two cities share a side, the other
    tile has one side for both (HS-40).
    """
    most = 2
    for design, shows_two in enumerate(HAS_SHARED_SIDE[:N_DESIGNS].tolist()):
        n_open = N_OPEN[design][SEGMENT_KIND[design] == kind]
        gained = int(np.maximum(n_open.astype(int) - 2, 0).sum())
        most += copies_of(design) * (gained + 4 * shows_two)
    return most + 2


def test_counts_fit_into_the_bytes_of_a_feature():
    most = {
        "n_open": max(most_open_sides(Kind.ROAD), most_open_sides(Kind.CITY), N_NEIGHBOURS),
        "bonus": max(
            2 * MAX_CASTLES,  # while two fields beside the same castles merge
            sum(copies_of(design) * int(BONUS[design].sum()) for design in range(N_DESIGNS)),
        ),
        "figure": MAX_FIGURES - 1,
    }
    feature = STATE["features"].base
    assert all(n <= np.iinfo(feature[name]).max for name, n in most.items()), most


def most_figure_actions(form):
    """Count each kind of figure on each suitable segment, and all other actions of the phase."""
    kinds = SEGMENT_KIND[form, : N_SEGMENTS[form]].tolist()
    on_segments = sum(kind in suitable for suitable in SUITABLE.values() for kind in kinds)
    ransoms = MAX_PLAYERS * N_MEEPLES  # of each kind from each seat, TOW-25
    tokens = MAX_MOUTHS * MAX_PAIRS  # of each pair on each mouth, TUN-03
    freed = N_TRAPS * N_CAUGHT  # of each kind out of each trap, RUS-11
    others = N_CORNERS + N_SITES + MAX_TILES + ransoms + tokens + N_BUILDINGS + freed
    return on_segments + others + len(("recall", "pass"))


@pytest.mark.parametrize("rules", [SIX, Rules.preset("big-box", n_players=6)])
def test_the_figure_phase_has_room_for_every_tile(rules):
    most = [most_figure_actions(form) for form in range(len(N_SEGMENTS))]
    assert max(most) == MAX_FIGURE_ACTIONS
    for seed in range(N_GAMES):
        for states, actions in decisions(rules, seed):
            if states["phase"][0] == Phase.FIGURE:
                form = states["tiles"]["design"][0, states["n_tiles"][0] - 1]
                assert len(actions) <= most[form]


def without_figures(rules, seed):
    """Return a game without any figures before its last decision, and that decision."""
    states, before, buffer = new_states(1), new_states(1), legal_buffer()
    entry.begin(states, 0, template(rules), np.uint64(seed))
    while (n := entry.legal(states, 0, buffer)) > 0:
        before[0] = states[0]
        is_figure = states["phase"][0] == Phase.FIGURE
        action = buffer[n - 1 if is_figure else entry.random_number(states, 0, n)]  # pass is last
        entry.apply(states, 0, action)
    return before, action


def free_place(s, kind):
    """Return a tile and a spot of an unoccupied feature on which a kind of figure scores."""
    for tile, placed in enumerate(s.tiles[: int(s.n_tiles)]):
        for j in range(N_SEGMENTS[placed.design]):
            feature = s.features[s.segments[placed.first_segment + j].feature]
            suits = feature.kind in SUITABLE[kind] and feature.figure == NO_FIGURE
            if suits and (kind != Figure.MAYOR or feature.shields > 0):
                return tile, int(SEGMENT_SPOT[placed.design, placed.rotation, j])
    raise AssertionError(f"no place for {kind}")


def barn_point(states):
    """Return a tile and a corner where a barn can stand."""
    for tile in range(states["n_tiles"][0]):
        for corner in range(N_CORNERS):
            if entry.is_barn_point(states, 0, tile, corner):
                return tile, FIRST_CORNER + corner
    raise AssertionError("no point for a barn")


def test_a_game_can_end_with_whatever_scores():
    """All figures stand alone, every seat has a token of each good, and both markers are taken."""
    rules = SIX.replace(king_robber_scoring="ten_each")
    states, action = without_figures(rules, seed=1)
    s = states[0]
    scoring = [Figure.MAYOR, Figure.ABBOT, Figure.WAGON, Figure.LARGE]
    scoring += [Figure.MEEPLE] * FIGURE_SLOTS.count(Figure.MEEPLE)
    for seat in range(6):
        entry.put(states, 0, seat * N_FIGURES + Figure.BARN, *barn_point(states))
    for kind in scoring:
        for seat in range(6):
            entry.put(states, 0, seat * N_FIGURES + kind, *free_place(s, kind))
    s.players["stock"][:, FIRST_GOOD : FIRST_GOOD + N_GOODS] = 1
    assert (s.players["stock"][:, [Stock.KING, Stock.ROBBER]].sum(0) == 1).all()
    before = s.players["score"].copy()
    entry.apply(states, 0, action)
    assert s.phase == Phase.GAME_OVER
    assert s.n_events == 6 * (len(scoring) + 1) + 6 * N_GOODS + 2 <= MAX_EVENTS
    assert (s.players["score"] - before).tolist() == points_noted(s).tolist()
    assert Counter(event.kind for event in s.events[: s.n_events])[Kind.GOODS] == 6 * N_GOODS
