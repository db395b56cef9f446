"""The globals: a vector of numbers that gives a seat the information missing from the planes.

``observations.py`` lists the names of the numbers in the same order.
"""

from numba import float32, int32

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS, N_FIGURES, N_STOCKS, SEGMENT_KINDS, Kind, Phase
from carc_env.engine.core.features import feature_of, is_free
from carc_env.engine.core.moments import end_projected
from carc_env.engine.core.scoring import occupied_features, value
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import MAX_FIGURES, NO_DESIGN, State
from carc_env.engine.core.tiles import N_SEGMENTS, SEGMENT_KIND, SEGMENT_SPOT
from carc_env.engine.flow.standings import add_claims
from carc_env.engine.sight.moments import numbers_written, unseen_counted
from carc_env.engine.sight.planes import WORTH_SHIFT
from carc_env.engine.sight.shown import Shown

MAX_POINTS_SHOWN = 10_000
"""Largest score that can be distinguished; no game that starts without points reaches it."""
FREE, OWN, WORTH, OPEN = range(len(SEGMENT_KINDS), len(SEGMENT_KINDS) + 4)
SPOT_GLOBALS = OPEN + 1
"""Numbers for each spot on the tile just placed: one per segment kind, then the four above."""


@kernel(i8(State, i8, float32[::1]))
def write_supplies(s, seat, out):
    """Write a seat's supplies, relative to what it owns or to a unit; return how many numbers."""
    n = 0
    for kind in range(N_FIGURES):
        if s.rules.owned[kind] > 0:
            out[n] = s.players[seat].supply[kind] / s.rules.owned[kind]
            n += 1
    for stock in range(N_STOCKS):
        if s.rules.unit[stock] > 0:
            out[n] = s.players[seat].stock[stock] / s.rules.unit[stock]
            n += 1
    return n


@kernel(void(State, Shown, i8[::1]))
def project(s, show, points):
    """Write projected final scores like ``write_standings``, with the leaders that are shown."""
    for seat in range(s.rules.n_players):
        points[seat] = s.players[seat].score
    if s.phase == Phase.GAME_OVER:
        return
    features = room_for(MAX_FIGURES)
    for k in range(occupied_features(s, features)):
        add_claims(s, features[k], show.looks[features[k]], points)
    end_projected(s, points)


@kernel(i8(i8))
def as_shown(points):
    """Return a score, clipped to the range shown in both directions."""
    return max(-MAX_POINTS_SHOWN, min(points, MAX_POINTS_SHOWN))


@kernel(i8(State, Shown, float32[::1]))
def write_seats(s, show, out):
    """Write each seat's turn and decision flags, scores and supplies; return how many numbers."""
    points = room_for(MAX_PLAYERS)
    project(s, show, points)
    n = 0
    for k in range(s.rules.n_players):
        other = seat_at(s, show.seat, k)
        out[n] = s.turn_player == other
        out[n + 1] = s.decider == other
        out[n + 2] = as_shown(s.players[other].score) / 100
        out[n + 3] = as_shown(points[other]) / 100
        n += 4
        n += write_supplies(s, other, out[n:])
    return n


@kernel(i8(State, float32[::1]))
def write_tiles(s, out):
    """Write the tile in hand and the unseen proportion of each design; return how many numbers."""
    n = s.rules.n_designs
    if s.hand != NO_DESIGN:
        out[s.rules.design_slot[s.hand]] = 1
    for i in range(u8(s.n_bag)):
        out[u8(n + s.rules.design_slot[u8(s.bag[i])])] += 1
    unseen_counted(s, out[n:])
    for slot in range(u8(n)):
        out[u8(n) + slot] /= s.rules.slot_copies[slot]
    out[2 * n] = s.n_bag / (s.n_bag + s.n_tiles)
    return 2 * n + 1


@kernel(void(State, Shown, float32[::1]))
def write_spots(s, show, out):
    """Write what each spot on the tile just placed offers."""
    seat = show.seat
    tile = s.tiles[s.n_tiles - 1]
    design, rotation, first = tile.design, tile.rotation, tile.first_segment
    for j in range(N_SEGMENTS[design]):
        kind = SEGMENT_KIND[design, j]
        if kind == Kind.LINES:
            continue
        feature = feature_of(s, first + j)
        at = SPOT_GLOBALS * SEGMENT_SPOT[design, rotation, j]
        out[at + kind - Kind.FIELD] = 1
        out[at + FREE] = is_free(s, first + j)
        look = show.looks[first + j]
        out[at + OWN] = look >> seat & 1
        out[at + WORTH] = (value(s, feature) if kind == Kind.FIELD else look >> WORTH_SHIFT) / 20
        out[at + OPEN] = s.features[feature].n_open / 8


@kernel(void(State, Shown, float32[::1]))
def write_own(s, show, out):
    """Write the globals that the rules themselves have, in their order, over zeros."""
    out[s.rules.phase_slot[s.phase]] = 1
    n = s.rules.n_phases
    n += write_seats(s, show, out[n:])
    n += write_tiles(s, out[n:])
    n += numbers_written(s, show.seat, out[n:])
    if s.phase == Phase.FIGURE:
        write_spots(s, show, out[n:])


@kernel(void(State, Shown, float32[::1], int32[::1], float32[::1]))
def write_globals(s, show, own, places, out):
    """Write the globals for the seat whose board is shown.

    In a shared layout, ``places`` says where they stand; all other globals keep their values.
    """
    is_shared = places.shape[0] > 0
    to = own if is_shared else out
    n_to = u8(show.n_own) if is_shared else u8(out.shape[0])
    for k in range(n_to):
        to[k] = 0
    write_own(s, show, to)
    if not is_shared:
        return
    first = u8(0)
    for run in range(u8(show.n_runs)):
        start, n = u8(places[2 * run]), u8(places[2 * run + 1])
        for k in range(n):
            out[start + k] = own[first + k]
        first += n
