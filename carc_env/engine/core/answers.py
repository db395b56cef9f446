"""What many questions share: passing, accepting or declining, and the block of an action."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.core.codes import N_SPOTS, Block, Phase
from carc_env.engine.core.state import State

N_BLOCKS = len(Block)
NOT_OURS, DONE, ASKED = range(3)
"""Result of a figure action: no set carries it out, one has, or one asks for more."""
PENDING, SECOND, TOKENS, FERRIES, FLOCKS, FLIGHT, TOWNS, SCORING = range(8)
CASTLES, MARKERS, WAGONS, LATE, CIRCLES, ESCAPE, END = range(8, 15)
"""Steps at which a placement continues: it waits for an answer, or takes the next step."""
ACTED, FINISHED = 15, 16
"""Two more answers: the figure action is done; the last question of the game is answered."""


@kernel(i8(State, i8, i8[::1]))
def add_pass(s, n, actions):
    """Let the decider pass besides n other actions; return how many there are."""
    actions[n] = s.rules.first_action[Block.PASS]
    return n + 1


@kernel(i8(State))
def resumed_step(s):
    """Return the step at which a placement continues after a question that interrupted another."""
    if s.phase == Phase.FIGURE:
        return PENDING
    return SECOND if s.phase == Phase.SECOND else FERRIES


@kernel(i8(State, i8[::1]))
def offer_yes_or_no(s, actions):
    """Let the decider accept or decline."""
    actions[0] = s.rules.first_action[Block.ACCEPT]
    actions[1] = s.rules.first_action[Block.DECLINE]
    return 2


@kernel(i8(State, i8))
def block_of(s, action):
    """Return the block of an action: the last one that begins at it or before."""
    first, block = s.rules.first_action, N_BLOCKS - 1
    if 0 <= action - first[Block.MEEPLE] < N_SPOTS:  # most often
        return Block.MEEPLE
    while first[block] < 0 or action < first[block]:
        block -= 1
    return block
