"""The figure action: on the tile just placed, or on another tile chosen for it (TURN-03)."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.answers import ASKED, DONE, NOT_OURS, block_of
from carc_env.engine.core.codes import FIRST_FIGURE, Block, Phase
from carc_env.engine.core.elsewhere import (
    choose_cell,
    chooses_cell,
    chosen_tile,
    forget_cell,
    meeple_for,
)
from carc_env.engine.core.figures import deploy, segment_named, take_off
from carc_env.engine.core.moments import (
    chosen_cell_used,
    do_action,
    meeple_leaves,
    meeple_taken,
)
from carc_env.engine.core.state import State


@kernel(i8(State, i8))
def take_meeple(s, action):
    """Take the meeple named by an action off the chosen cell (PD-50, TOW-15)."""
    meeple_leaves(s)
    figure = meeple_for(s, action)
    take_off(s, figure)
    return meeple_taken(s, figure)


@kernel(i8(State, i8, i8))
def act(s, tile, action):
    """Perform the one figure action of the turn; ``ASKED`` if it raises a question (TURN-03)."""
    block = block_of(s, action)
    if block == Block.PASS:
        return DONE
    if block == Block.REMOVE or block == Block.REMOVE_ONE:
        return take_meeple(s, action)
    done = do_action(s, block, action)
    if done != NOT_OURS:
        return done
    deploy(s, s.decider, block - FIRST_FIGURE, segment_named(s, tile, block, action))
    return DONE


@kernel(b1(State, i8))
def act_elsewhere(s, action):
    """Act on the chosen cell; True if this raises another question."""
    chosen_cell_used(s, action)
    is_asked = act(s, chosen_tile(s), action) == ASKED
    forget_cell(s)
    return is_asked


@kernel(b1(State, i8))
def act_here(s, action):
    """Act on the tile just placed, or choose a cell to act on; True if this raises a question."""
    if chooses_cell(s, action):
        choose_cell(s, action)
        return True
    return act(s, s.n_tiles - 1, action) == ASKED


@kernel(b1(State, i8))
def act_second(s, action):
    """Place a second figure, or decline; True if this raises another question (PHA-02)."""
    if s.phase == Phase.SECOND_SPOT:
        return act_elsewhere(s, action)
    is_asked = act_here(s, action)
    if s.phase == Phase.ELSEWHERE:
        s.phase = Phase.SECOND_SPOT
    return is_asked
