"""The phase, and the fields that depend on it."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.core.codes import AT_A_CELL, Phase
from carc_env.engine.core.state import NO_CELL, NO_DESIGN, State


@kernel(b1(State))
def has_wrong_seats(s):
    """Return whether the turn player or decider is not at the table; other code relies on both."""
    n_players = s.rules.n_players
    return not (0 <= s.turn_player < n_players and 0 <= s.decider < n_players)


@kernel(b1(State))
def has_wrong_turn(s):
    """Return whether tiles or figures do not fit the turn, or a tile remains after the end."""
    phase = s.phase
    is_own = phase <= Phase.FLOCK or phase == Phase.GAME_OVER
    if is_own and s.decider != s.turn_player:
        return True
    if phase == Phase.GAME_OVER and s.n_bag != 0:
        return True
    if (phase in AT_A_CELL) != (s.chosen_cell != NO_CELL):
        return True
    return (phase == Phase.PLACE_TILE) != (s.hand != NO_DESIGN)
