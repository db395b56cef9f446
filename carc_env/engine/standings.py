"""Projected final scores: what every seat would end with if the game were over now."""

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel
from carc_env.engine.expansions.barn import barn_points
from carc_env.engine.expansions.goods import goods_points
from carc_env.engine.figures import figure_kind, has_majority, majority, seat_of
from carc_env.engine.scoring import feature_to_score, value_for
from carc_env.engine.state import NO_SEGMENT, SLOTS_PER_SEAT, State


@kernel(i8(State, i8))
def standing(s, seat):
    """Return the score of a seat plus what its figures on the board would score at the end."""
    points = i8(s.players[seat].score)
    if i8(s.phase) == codes.GAME_OVER:
        return points
    for figure in range(SLOTS_PER_SEAT * i8(s.rules.n_players)):
        feature = feature_to_score(s, figure)
        if feature != NO_SEGMENT:
            if has_majority(s, feature, seat, majority(s, feature)):
                points += value_for(s, feature, seat)
        if figure_kind(figure) == codes.BARN and seat_of(figure) == seat:
            points += barn_points(s, figure)
    return points + goods_points(s, seat) if i8(s.rules.goods) != 0 else points
