"""Projected final scores: what every seat would end with if the game were over now."""

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.expansions.barn import barn_points
from carc_env.engine.expansions.goods import goods_points
from carc_env.engine.figures import figure_kind, leaders, seat_of
from carc_env.engine.scoring import feature_to_score, value_for
from carc_env.engine.state import NO_SEGMENT, SLOTS_PER_SEAT, State


@kernel(void(State, i8, i8[::1]))
def add_claims(s, feature, points):
    """Add what a feature would score at the end to the points of the seats that lead on it."""
    winners = leaders(s, feature)
    for seat in range(i8(s.rules.n_players)):
        if winners >> seat & 1:
            points[seat] += value_for(s, feature, seat)


@kernel(void(State, i8[::1]))
def write_standings(s, points):
    """Write the score of every seat plus what its figures on the board would score at the end."""
    for seat in range(i8(s.rules.n_players)):
        points[seat] = i8(s.players[seat].score)
    if i8(s.phase) == codes.GAME_OVER:
        return
    for figure in range(SLOTS_PER_SEAT * i8(s.rules.n_players)):
        feature = feature_to_score(s, figure)
        if feature != NO_SEGMENT:
            add_claims(s, feature, points)
        if figure_kind(figure) == codes.BARN:
            points[seat_of(figure)] += barn_points(s, figure)
    if i8(s.rules.goods) != 0:
        for seat in range(i8(s.rules.n_players)):
            points[seat] += goods_points(s, seat)
