"""Helpers shared by many questions: passing, accepting or declining, and finding action blocks."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.core.codes import N_SPOTS, Block, Phase
from carc_env.engine.core.state import State

N_BLOCKS = len(Block)
NOT_OURS, DONE, ASKED = range(3)
"""Results of a figure action: no set handled it, it is done, or a set asks another question."""
PENDING, SECOND, TOKENS, FERRIES, FLOCKS, FLIGHT, TOWNS, SCORING = range(8)
CASTLES, MARKERS, WAGONS, LATE, CIRCLES, ESCAPE, END = range(8, 15)
"""Steps at which a placement can continue. At ``PENDING`` it is still waiting for an answer."""
ACTED, FINISHED = 15, 16
"""Two more results: the figure action is done; the last question of the game has been answered."""


@kernel(i8(State, i8, i8[::1]))
def add_pass(s, n, actions):
    """Add passing to the decider's n actions; return the new number of actions."""
    actions[n] = s.rules.first_action[Block.PASS]
    return n + 1


@kernel(i8(State))
def resumed_step(s):
    """Return the step at which a placement resumes after a question that interrupted another."""
    if s.phase == Phase.FIGURE:
        return PENDING
    return SECOND if s.phase == Phase.SECOND else FERRIES


@kernel(i8(State, i8[::1]))
def offer_yes_or_no(s, actions):
    """Write the actions with which the decider accepts or declines; return how many."""
    actions[0] = s.rules.first_action[Block.ACCEPT]
    actions[1] = s.rules.first_action[Block.DECLINE]
    return 2


@kernel(i8(State, i8))
def block_of(s, action):
    """Return the block that contains an action: the last one that starts at or before it."""
    first, block = s.rules.first_action, N_BLOCKS - 1
    if 0 <= action - first[Block.MEEPLE] < N_SPOTS:  # the most common case
        return Block.MEEPLE
    while first[block] < 0 or action < first[block]:
        block -= 1
    return block
