"""The globals: a vector of numbers that tells a seat what the planes do not.

The names of the numbers, in the same order, are in ``observations.py``.
"""

from numba import float32

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import (
    MAX_PLAYERS,
    N_FIGURES,
    N_MEEPLES,
    N_STOCKS,
    SEGMENT_KINDS,
    Figure,
    Kind,
    Phase,
    Stock,
)
from carc_env.engine.core.features import feature_of, is_occupied
from carc_env.engine.core.scoring import occupied_features, value
from carc_env.engine.core.seats import places_between, seat_at
from carc_env.engine.core.state import (
    DRAGON_STEPS,
    MAX_FIGURES,
    MAX_HILLS,
    NO_DESIGN,
    NO_HILLS,
    NO_MARKERS,
    NO_SEAT,
    NO_TILE,
    State,
)
from carc_env.engine.core.tiles import N_SEGMENTS, SEGMENT_KIND, SEGMENT_SPOT
from carc_env.engine.flow.standings import add_claims, add_ends
from carc_env.engine.sight.planes import WORTH_SHIFT
from carc_env.engine.sight.shown import Shown

MAX_POINTS_SHOWN = 10_000
"""Scores beyond it look like it; no game that begins without points gets there."""
FREE, OWN, WORTH, OPEN = range(len(SEGMENT_KINDS), len(SEGMENT_KINDS) + 4)
SPOT_GLOBALS = OPEN + 1
"""Numbers for each spot of the tile just placed: one for each kind of segment, then these."""


@kernel(i8(State, i8, float32[::1]))
def write_supplies(s, seat, out):
    """Write what a seat has in hand as shares of the most or in tens; return how many numbers."""
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
    """Write the projected final scores like ``write_standings``, the leaders off what is shown."""
    for seat in range(s.rules.n_players):
        points[seat] = s.players[seat].score
    if s.phase == Phase.GAME_OVER:
        return
    features = room_for(MAX_FIGURES)
    for k in range(occupied_features(s, features)):
        add_claims(s, features[k], show.looks[features[k]], points)
    add_ends(s, points)


@kernel(i8(i8))
def as_shown(points):
    """Return a score as far as it is shown, negative ones likewise."""
    return max(-MAX_POINTS_SHOWN, min(points, MAX_POINTS_SHOWN))


@kernel(i8(State, Shown, float32[::1]))
def write_seats(s, show, out):
    """Write turn, decision, scores and supplies of every seat; return how many numbers."""
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
    """Write the tile in hand and the share of each design that nobody has seen; return how many."""
    n = s.rules.n_designs
    if s.hand != NO_DESIGN:
        out[s.rules.design_slot[s.hand]] = 1
    for i in range(u8(s.n_bag)):
        out[u8(n + s.rules.design_slot[u8(s.bag[i])])] += 1
    for k in range(s.n_hidden):
        out[u8(n + s.rules.design_slot[u8(s.bag[s.hidden[k]])])] += 1
    if s.bazaar.waits != 0:
        for lot in range(s.rules.n_players):
            out[u8(n + s.rules.design_slot[u8(s.bazaar.lots[lot].design)])] += 1
    for slot in range(u8(n)):
        out[u8(n) + slot] /= s.rules.slot_copies[slot]
    out[2 * n] = s.n_bag / (s.n_bag + s.n_tiles)
    return 2 * n + 1


@kernel(i8(State, i8, i8, float32[::1]))
def write_seat(s, seat, other, out):
    """Write which seat another one is, seen from the first; none for NO_SEAT."""
    if other != NO_SEAT:
        out[places_between(s, seat, other)] = 1
    return s.rules.n_players


@kernel(i8(State, i8, float32[::1]))
def write_bazaar(s, seat, out):
    """Write the tiles on offer, whose they are, and how the sale stands; return how many."""
    out[0] = s.is_bought
    n = 1
    if s.rules.owned[Figure.BUILDER] > 0:
        out[1], out[2] = s.bazaar.waits, s.bazaar.owed_bridged
        has_owed = s.bazaar.owed_part != NO_TILE
        n = 3 + write_seat(s, seat, s.bazaar.resumes if has_owed else NO_SEAT, out[3:])
    for lot in range(s.rules.n_players):
        design = s.bazaar.lots[lot].design
        if design != NO_DESIGN and s.bazaar.waits == 0:
            out[n + s.rules.design_slot[design]] = 1
        n += s.rules.n_designs
        n += write_seat(s, seat, s.bazaar.lots[lot].owner, out[n:])
        out[n] = s.bazaar.lot == lot
        n += 1
    for k in range(s.bazaar.n_delayed):
        out[n + places_between(s, seat, s.bazaar.delayed[k])] += 1
    n += s.rules.n_players
    out[n] = s.bazaar.price / 10
    n += 1
    n += write_seat(s, seat, s.bazaar.bidder, out[n:])
    return n + write_seat(s, seat, s.bazaar.chooser, out[n:])


@kernel(i8(State, i8, float32[::1]))
def write_prisoners(s, seat, out):
    """Write whether the ransom is paid and the prisoners that each seat holds of each other one."""
    out[0], n = s.ransomed, 1
    if s.rules.bazaars > 0 and s.rules.owned[Figure.BUILDER] > 0:
        out[n] = s.bazaar.owed_ransomed
        n += 1
    for k in range(s.rules.n_players):
        captor = seat_at(s, seat, k)
        for j in range(1, s.rules.n_players):
            owner = seat_at(s, captor, j)
            for kind in range(N_MEEPLES):
                if s.rules.owned[kind] > 0:
                    out[n] = s.players[captor].prisoners[owner, kind] / s.rules.owned[kind]
                    n += 1
    return n


@kernel(void(State, Shown, float32[::1]))
def write_spots(s, show, out):
    """Write what each spot of the tile just placed offers."""
    seat = show.seat
    tile = s.tiles[s.n_tiles - 1]
    design, rotation, first = tile.design, tile.rotation, tile.first_segment
    for j in range(N_SEGMENTS[design]):
        kind = SEGMENT_KIND[design, j]
        feature = feature_of(s, first + j)
        at = SPOT_GLOBALS * SEGMENT_SPOT[design, rotation, j]
        out[at + kind - Kind.FIELD] = 1
        out[at + FREE] = not is_occupied(s, feature)
        look = show.looks[first + j]
        out[at + OWN] = look >> seat & 1
        out[at + WORTH] = (value(s, feature) if kind == Kind.FIELD else look >> WORTH_SHIFT) / 20
        out[at + OPEN] = s.features[feature].n_open / 8


@kernel(void(State, Shown, float32[::1]))
def write_globals(s, show, out):
    """Write the vector of globals for the seat whose board is shown."""
    out[:] = 0
    out[s.rules.phase_slot[s.phase]] = 1
    n = s.rules.n_phases
    n += write_seats(s, show, out[n:])
    n += write_tiles(s, out[n:])
    if s.rules.stock[Stock.ABBEY] > 0:
        out[n] = max(s.last_round, 0) / s.rules.n_players
        n += 1
    if s.rules.stock[Stock.BRIDGE] > 0:
        out[n] = s.has_bridged
        n += 1
    if s.rules.owned[Figure.BUILDER] > 0:
        out[n] = s.first_part != NO_TILE
        out[n + 1] = s.extends
        n += 2
    if s.rules.bazaars > 0:
        n += write_bazaar(s, show.seat, out[n:])
    if s.rules.king_robber != NO_MARKERS:
        out[n] = s.completed[Kind.CITY].largest / 10
        out[n + 1] = s.completed[Kind.ROAD].largest / 10
        n += 2
    if s.rules.hills != NO_HILLS:
        out[n] = s.n_hidden / MAX_HILLS
        n += 1
    if s.rules.dragon != 0:
        out[n] = max(s.n_flown - 1, 0) / DRAGON_STEPS
        n += 1
    if s.rules.stock[Stock.FLOOR] > 0:
        n += write_prisoners(s, show.seat, out[n:])
    if s.phase == Phase.FIGURE:
        write_spots(s, show, out[n:])
