"""Flocks, their tokens and their fields."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import FIRST_SHEEP, Kind, Phase, Problem
from carc_env.engine.core.features import kind_of
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_OUTCOME, NO_SEGMENT, State
from carc_env.sets.hills_sheep.shepherd.kernels import (
    N_TOKENS,
    WOLF,
    extends_flock,
    must_be_herded,
    n_in_bag,
    pasture_of,
)


@at(find_wrong, key=Problem.FLOCKS)
@kernel(b1(State))
def has_wrong_flocks(s):
    """Return whether sheep lack a shepherd on a field, or a token is duplicated (HS-01, HS-26)."""
    for kind in range(N_TOKENS):
        if n_in_bag(s, kind) < 0:
            return True
    for seat in range(s.rules.n_players):
        field, n = pasture_of(s, seat), 0
        for kind in range(WOLF):
            held = s.players[seat].stock[FIRST_SHEEP + kind]
            if held < 0:
                return True
            n += held
        if (n > 0) != (field != NO_SEGMENT):
            return True
        if field != NO_SEGMENT and kind_of(s, field) != Kind.FIELD:
            return True
    return s.next_token != NO_OUTCOME


@at(find_wrong, key=Problem.FLOCKS)
@kernel(b1(State))
def has_unherded_flock(s):
    """Return whether a flock in a closed field should have been herded but was not (HS-34)."""
    if Phase.FIGURE <= s.phase <= Phase.FERRIES:
        return False
    asked = pasture_of(s, s.decider) if s.phase == Phase.FLOCK else NO_SEGMENT
    for seat in range(s.rules.n_players):
        if must_be_herded(s, seat, asked):
            return True
    return False


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_flock(s):
    """Return whether a seat is asked about a flock whose field was not extended (HS-29)."""
    return s.phase == Phase.FLOCK and not extends_flock(s)
