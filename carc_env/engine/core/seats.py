"""Seats around the table, numbered clockwise."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.core.state import State


@kernel(i8(State, i8, i8))
def seat_at(s, seat, k):
    """Return the seat k places clockwise from the given one."""
    found, n = seat + k, s.rules.n_players
    return found - n if found >= n else found


@kernel(i8(State, i8, i8))
def places_between(s, seat, other):
    """Return how many places clockwise from one seat another one sits."""
    return other - seat if other >= seat else other - seat + s.rules.n_players


@kernel(i8(State, i8))
def order_of(s, seat):
    """Return how many places clockwise from the turn player a seat sits."""
    return places_between(s, s.turn_player, seat)
