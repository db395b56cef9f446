"""Projected final scores: each seat's points if the game ended now."""

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.figures import leaders
from carc_env.engine.core.moments import end_projected
from carc_env.engine.core.scoring import occupied_features, value_for
from carc_env.engine.core.state import MAX_FIGURES, State


@kernel(void(State, i8, i8, i8[::1]))
def add_claims(s, feature, winners, points):
    """Add what a feature would score at the end to the points of the seats that lead on it."""
    for seat in range(s.rules.n_players):
        if winners >> seat & 1:
            points[seat] += value_for(s, feature, seat)


@kernel(void(State, i8[::1]))
def write_standings(s, points):
    """Write each seat's score plus what its figures on the board would score at the end."""
    for seat in range(s.rules.n_players):
        points[seat] = s.players[seat].score
    if s.phase == Phase.GAME_OVER:
        return
    features = room_for(MAX_FIGURES)
    for k in range(occupied_features(s, features)):
        add_claims(s, features[k], leaders(s, features[k]), points)
    end_projected(s, points)


@kernel(i8(State, i8, i8[::1]))
def lead_of(s, seat, points):
    """Return by how many of the given points a seat is ahead of its strongest opponent."""
    best_rival = -(10**6)
    for rival in range(s.rules.n_players):
        if rival != seat:
            best_rival = max(best_rival, points[rival])
    return points[seat] - best_rival
