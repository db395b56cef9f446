"""The meeples that wait in Carcassonne, and the subjects of its questions."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_MEEPLES, N_QUARTERS, Phase, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import State
from carc_env.sets.count.kernels import MAY_WAIT, n_waiting
from carc_env.sets.count.record import IN_PLAY


@kernel(b1(State, b1))
def waits_wrongly(s, is_in_play):
    """Return whether a seat has fewer than 0 meeples in a quarter, or any where none may be."""
    for seat in range(s.rules.n_players):
        for quarter in range(N_QUARTERS):
            for kind in range(N_MEEPLES):
                n = s.players[seat].waiting[quarter, kind]
                if n < 0 or (n > 0 and not (is_in_play and MAY_WAIT[kind, quarter])):
                    return True
    return False


@kernel(b1(State))
def asks_wrongly(s):
    """Return whether a question about Carcassonne, or a note about it, is out of place."""
    phase, is_last = s.phase, s.declined != IN_PLAY
    joins = phase == Phase.JOIN or phase == Phase.JOIN_SPOT
    if is_last and (not joins or s.n_bag > 0 or s.scored != 0):
        return True
    if (phase == Phase.ENTER or phase == Phase.COUNT) and s.decider != s.turn_player:
        return True
    if phase == Phase.COUNT:
        n = 0
        for quarter in range(N_QUARTERS):
            n += n_waiting(s, s.turn_player, quarter)
        if n == 0:
            return True
    if s.scored < 0 or s.scored >> s.rules.n_players != 0:
        return True
    return s.scored != 0 and not Phase.CASTLE_CHOICE <= phase <= Phase.WAGON_SPOT


@kernel(b1(State))
def has_entered_wrongly(s):
    """Return whether a meeple's entry is noted when it does not matter (COU-06)."""
    if s.rules.enters_each_part != 0:
        return s.entered != 0 or s.owed_entered != 0
    return s.entered != 0 and (s.phase == Phase.GAME_OVER or s.phase == Phase.ENTER)


@at(find_wrong, key=Problem.COUNT)
@kernel(b1(State))
def has_wrong_count(s):
    """Return whether a meeple waits where it may not, or notes do not match the question."""
    is_in_play = s.rules.count != 0
    if not 0 <= s.count < N_QUARTERS or waits_wrongly(s, is_in_play):
        return True
    if not is_in_play:
        is_noted = s.scored != 0 or s.entered != 0 or s.owed_entered != 0
        return is_noted or s.count != 0 or s.declined != IN_PLAY
    return asks_wrongly(s) or has_entered_wrongly(s)
