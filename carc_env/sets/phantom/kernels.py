"""The phantom: a meeple that may follow the figure action (docs/rules/phantom.md).

If the figure action itself places the phantom, it is a meeple like any other (PHA-04, PHA-05).
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import add_pass, block_of
from carc_env.engine.core.codes import FIRST_FIGURE, N_MEEPLES, Block, Figure, Phase
from carc_env.engine.core.figures import offer_segments
from carc_env.engine.core.moments import (
    chosen_cell_used,
    offer,
    offer_besides_second,
    offer_cells_to_second,
    offer_figure,
    offer_spots_to_second,
    owns,
)
from carc_env.engine.core.sizes import MAX_TILES
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import MAX_SEGMENTS_PER_TILE
from carc_env.sets.phantom.record import NOTHING_USED, PORTAL_USED, PRINCESS_USED
from carc_env.sets.tower.record import NO_TOWER

MAX_PLACES = MAX_SEGMENTS_PER_TILE + MAX_TILES


@at(offer_figure, owns(Figure.PHANTOM), key=Figure.PHANTOM)
@kernel(i8(State, i8, i8[::1]))
def offer_phantom(s, n, actions):
    """Add the phantom's places on the tile just placed (PHA-02, PHA-04, PHA-13)."""
    return offer_segments(s, Figure.PHANTOM, n, actions)


@at(chosen_cell_used, owns(Figure.PHANTOM))
@kernel(void(State, i8))
def note_use(s, action):
    """Note what an action on the chosen cell bars the phantom from doing (PHA-08, PHA-11)."""
    block = block_of(s, action)
    if FIRST_FIGURE <= block < FIRST_FIGURE + N_MEEPLES:
        s.used = PORTAL_USED
    elif (block == Block.REMOVE or block == Block.REMOVE_ONE) and s.tower == NO_TOWER:
        s.used = PRINCESS_USED


@kernel(i8(State, i8[::1]))
def offer_places(s, actions):
    """Write the places for the phantom as a second figure; return how many (PHA-02, PHA-09)."""
    n = offer_segments(s, Figure.PHANTOM, 0, actions)
    return offer_cells_to_second(s, n, actions)


@kernel(b1(State, b1))
def ask_for_second(s, is_due):
    """Ask where the phantom goes as a second figure, if it is due and can be placed.

    Otherwise, it no longer matters what the figure action used.
    """
    is_due = is_due and s.used != PRINCESS_USED
    if is_due and s.players[s.decider].supply[Figure.PHANTOM] > 0:
        s.phase = Phase.SECOND
        if offer_places(s, room_for(MAX_PLACES)) > 0:
            return True
    s.used = NOTHING_USED
    return False


@at(offer, key=Phase.SECOND)
@kernel(i8(State, i8[::1]))
def offer_second(s, actions):
    """Write the phantom's places, other actions that may come first, and passing (PHA-02)."""
    return add_pass(s, offer_besides_second(s, offer_places(s, actions), actions), actions)


@at(offer, key=Phase.SECOND_SPOT)
@kernel(i8(State, i8[::1]))
def offer_on_chosen(s, actions):
    """Write where the phantom may go on the chosen cell (PHA-09, PHA-11)."""
    return offer_spots_to_second(s, 0, actions)
