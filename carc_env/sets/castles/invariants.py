"""Castles: the list, the board, and what waits."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind, Phase, Problem, Stock
from carc_env.engine.core.features import feature_of
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.sets.castles.kernels import castle_of, is_cap, is_lords_choice, is_new, waits


@at(find_wrong, key=Problem.CASTLES)
@kernel(b1(State))
def has_wrong_castles(s):
    """Every castle consists of two caps, is listed once and holds points only while they score."""
    n = 0
    for feature in range(s.n_segments):
        is_castle = s.features[feature].kind == Kind.CASTLE
        n += is_castle and s.features[feature].n_segments > 0
    for castle in range(s.n_castles):
        segment = s.castles[castle].segment
        feature = s.features[feature_of(s, segment)]
        both = is_cap(s, segment) and is_cap(s, s.segments[segment].next)
        if feature.kind != Kind.CASTLE or feature.n_segments != 2 or not both:
            return True
        if feature.n_open != 0 or castle_of(s, feature_of(s, segment)) != castle:
            return True
        points, is_done = s.castles[castle].points, not waits(s, castle)
        if points < 0 or (points > 0 and (s.phase != Phase.CASTLE_CHOICE or not is_done)):
            return True
        if is_new(s, castle) and Phase.FIGURE <= s.phase <= Phase.FLOCK:
            return True
    if s.phase == Phase.CASTLE_CHOICE and s.town != NO_SEGMENT and not is_lords_choice(s):
        return True
    return n != s.n_castles


@at(find_wrong, key=Problem.STOCK)
@kernel(b1(State))
def has_doubled_tokens(s):
    """Tokens in hand and castles are no more than the box has (CAS-01)."""
    n = s.n_castles
    for seat in range(s.rules.n_players):
        n += s.players[seat].stock[Stock.TOKEN]
    return n > s.rules.stock[Stock.TOKEN] * s.rules.n_players


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_town(s):
    """A town is named exactly where it is asked what becomes of it."""
    return (s.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)) != (s.town != NO_SEGMENT)
