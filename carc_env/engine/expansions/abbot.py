"""The abbot: goes on monasteries and gardens, and may be recalled for points (RULES section 6)."""

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel, void
from carc_env.engine.features import feature_of, is_complete, is_occupied
from carc_env.engine.figures import remove
from carc_env.engine.scoring import award, value
from carc_env.engine.state import NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.tiles import CENTRE

ABBOT_SLOT = SLOTS_PER_SEAT - 1


@kernel(i8(i8))
def abbot_of(seat):
    """Return the figure that is the seat's abbot."""
    return seat * SLOTS_PER_SEAT + ABBOT_SLOT


@kernel(b1(State))
def can_place_abbot(s):
    """Tell whether the abbot may go on the tile just placed (ABT-02 to ABT-04)."""
    tile = s.tiles[i8(s.n_tiles) - 1]
    j = i8(CENTRE[i8(tile.design)])
    if j < 0 or i8(s.players[i8(s.decider)].supply[codes.ABBOT]) == 0:
        return False
    return not is_occupied(s, feature_of(s, i8(tile.first_segment) + j))


@kernel(b1(State))
def can_recall_abbot(s):
    """Tell whether the decider may take his abbot back (ABT-06, ABT-07, ABT-14)."""
    segment = i8(s.figures[abbot_of(i8(s.decider))].segment)
    if segment == NO_SEGMENT:
        return False
    return i8(s.rules.abbot_recall_completed) != 0 or not is_complete(s, feature_of(s, segment))


@kernel(i8(State, i8[::1], i8))
def legal_abbot(s, actions, n):
    """Add the abbot's actions of the figure phase."""
    if i8(s.rules.abbot) == 0:
        return n
    if can_place_abbot(s):
        actions[n] = s.rules.abbot_block
        n += 1
    if can_recall_abbot(s):
        actions[n] = s.rules.recall_action
        n += 1
    return n


@kernel(void(State))
def recall_abbot(s):
    """Score the abbot, not the feature, and take him back (ABT-06, ABT-11)."""
    abbot = abbot_of(i8(s.decider))
    feature = feature_of(s, i8(s.figures[abbot].segment))
    award(s, i8(s.decider), value(s, feature), feature)
    remove(s, abbot)
