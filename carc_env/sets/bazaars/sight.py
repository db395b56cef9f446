"""Planes and globals that show the tiles on offer, their owners and the sale."""

from numba import float32

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Figure
from carc_env.engine.core.seats import places_between
from carc_env.engine.core.state import NO_DESIGN, NO_SEAT, NO_TILE, State
from carc_env.engine.sight.moments import numbers_written, unseen_counted


@at(unseen_counted, "bazaars")
@kernel(void(State, float32[::1]))
def count_face_down(s, out):
    """Count the tiles of a bazaar that is waiting face down."""
    if s.bazaar.waits != 0:
        for lot in range(s.rules.n_players):
            out[u8(s.rules.design_slot[u8(s.bazaar.lots[lot].design)])] += 1


@kernel(i8(State, i8, i8, float32[::1]))
def write_seat(s, seat, other, out):
    """Write a seat relative to another one; write nothing for NO_SEAT."""
    if other != NO_SEAT:
        out[places_between(s, seat, other)] = 1
    return s.rules.n_players


@at(numbers_written, "bazaars")
@kernel(i8(State, i8, float32[::1]))
def write_bazaar(s, seat, out):
    """Write the tiles on offer, their owners and the state of the sale; return how many numbers."""
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
