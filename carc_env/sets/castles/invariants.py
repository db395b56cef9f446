"""Castles: the list, the board, and the lords in towns that are still to be scored."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Kind, Phase, Problem, Stock
from carc_env.engine.core.features import feature_of, tile_of
from carc_env.engine.core.fief import was_built_now
from carc_env.engine.core.figures import (
    figure_strength,
    has_figure,
    has_meeple,
    is_lord_of,
    is_meeple,
    lords_of,
    seat_of,
    strength,
)
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.seats import order_of
from carc_env.engine.core.state import NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.sets.castles.kernels import castle_of, is_cap, is_lords_choice, is_town, waits
from carc_env.sets.count.record import IN_PLAY


@at(find_wrong, key=Problem.CASTLES)
@kernel(b1(State))
def has_wrong_castles(s):
    """Return whether a castle is malformed, is listed twice, or has points at the wrong time.

    A castle consists of two caps.
    """
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
        if was_built_now(s, segment) and Phase.FIGURE <= s.phase <= Phase.FLOCK:  # CAS-06
            return True
    if s.phase == Phase.CASTLE_CHOICE and s.town != NO_SEGMENT and not is_lords_choice(s):
        return True
    return n != s.n_castles


@kernel(b1(State, i8))
def is_lord_too_early(s, figure):
    """Return whether a lord's seat is still to be asked about the town, or has meeples there."""
    k, last = order_of(s, seat_of(figure)), order_of(s, s.decider)
    segment = s.figures[figure].segment
    if tile_of(s, segment) != s.n_tiles - 1:
        segment = s.segments[segment].next
    is_late = k > last or (k == last and segment >= s.town)
    return is_late or has_meeple(s, feature_of(s, segment), seat_of(figure))


@kernel(b1(State, i8))
def is_town_scored(s, figure):
    """Return whether a seat without lords is strong enough to score a lord's town (CAS-37)."""
    town, own, seat = feature_of(s, s.figures[figure].segment), 0, seat_of(figure)
    lords = lords_of(s, town)
    for other in range(SLOTS_PER_SEAT * seat, SLOTS_PER_SEAT * (seat + 1)):
        if is_lord_of(s, other, town):
            own += figure_strength(s, other, town)
    for other in range(s.rules.n_players):
        if lords >> other & 1 == 0 and has_figure(s, town, other):
            if strength(s, town, other) >= own:
                return True
    return False


@at(find_wrong, key=Problem.CASTLES)
@kernel(b1(State))
def has_wrong_lords(s):
    """Return whether the lords in towns that are still to be scored are wrong (CAS-37)."""
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        segment = s.figures[figure].segment
        if segment == NO_SEGMENT or not is_meeple(figure):
            continue
        if not is_lord_of(s, figure, feature_of(s, segment)):
            continue
        if not is_town(s, segment) or not was_built_now(s, segment):
            return True
        if s.phase == Phase.CASTLE:
            if s.town == NO_SEGMENT or is_lord_too_early(s, figure):
                return True
        elif s.phase != Phase.JOIN and s.phase != Phase.JOIN_SPOT:
            return True
        elif s.declined != IN_PLAY or not is_town_scored(s, figure):
            return True
    return False


@at(find_wrong, key=Problem.STOCK)
@kernel(b1(State))
def has_doubled_tokens(s):
    """Return whether castles and tokens in hand exceed the tokens in the box (CAS-01)."""
    n = s.n_castles
    for seat in range(s.rules.n_players):
        n += s.players[seat].stock[Stock.TOKEN]
    return n > s.rules.stock[Stock.TOKEN] * s.rules.n_players


@at(find_wrong, key=Problem.TURN)
@kernel(b1(State))
def has_wrong_town(s):
    """Return whether a town is named without a question about it, or vice versa."""
    return (s.phase in (Phase.CASTLE, Phase.CASTLE_CHOICE)) != (s.town != NO_SEGMENT)
