"""The abbot: stands on monasteries and gardens; can be recalled (docs/rules/abbot.md)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import DONE
from carc_env.engine.core.codes import Block, Figure, Kind
from carc_env.engine.core.features import (
    cell_of,
    centre_at,
    is_complete,
    kind_of,
    tile_of,
)
from carc_env.engine.core.figures import offer_segments, remove
from carc_env.engine.core.moments import do_action, offer_figure, owns
from carc_env.engine.core.scoring import award, surrounded_value
from carc_env.engine.core.state import FIGURE_SLOTS, NO_SEGMENT, SLOTS_PER_SEAT, State

ABBOT_SLOT = FIGURE_SLOTS.index(Figure.ABBOT)


@kernel(i8(i8))
def abbot_of(seat):
    """Return the figure that is the seat's abbot."""
    return seat * SLOTS_PER_SEAT + ABBOT_SLOT


@kernel(i8(State, i8))
def place_of_abbot(s, segment):
    """Return the monastery or garden of an abbot on a segment, even if he lies there (XGM-04)."""
    return centre_at(s, cell_of(s, segment))


@kernel(b1(State))
def can_recall_abbot(s):
    """Return whether the decider may recall an abbot (ABT-06, ABT-07, ABT-14, ABT-21)."""
    segment = s.figures[abbot_of(s.decider)].segment
    if segment == NO_SEGMENT:
        return False
    if s.rules.lying_abbots_stay != 0 and kind_of(s, segment) == Kind.LINES:
        return False  # XGM-04
    is_from_first_part = tile_of(s, segment) == s.first_part
    if is_from_first_part and s.rules.abbot_recall_second_part == 0:
        return False
    return s.rules.abbot_recall_completed != 0 or not is_complete(s, place_of_abbot(s, segment))


@at(offer_figure, owns(Figure.ABBOT), key=Figure.ABBOT)
@kernel(i8(State, i8, i8[::1]))
def offer_abbot(s, n, actions):
    """Add the abbot's actions in the figure phase (ABT-02 to ABT-07)."""
    n = offer_segments(s, Figure.ABBOT, n, actions)
    if can_recall_abbot(s):
        actions[n] = s.rules.first_action[Block.RECALL]
        n += 1
    return n


@at(do_action, key=Block.RECALL)
@kernel(i8(State, i8))
def recall_abbot(s, action):
    """Score only the abbot, not the feature, and recall him (ABT-06, ABT-11)."""
    abbot = abbot_of(s.decider)
    feature = place_of_abbot(s, s.figures[abbot].segment)
    award(s, s.decider, surrounded_value(s, feature), feature)  # XHS-01
    remove(s, abbot)
    return DONE
