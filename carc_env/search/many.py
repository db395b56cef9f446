"""Steps of many searches in one call, for searches that wait for a network between steps.

Each search keeps the records of its nodes in an array shared by all searches. A step copies a
node's record, reorders hidden tiles, carries out an action and proceeds to the next real decision.
The public part of the result has a *key*: two steps with the same actions and the same key have led
to the same decision, whatever the order of hidden tiles.
"""

import numba
import numpy as np

from carc_env.engine import entry
from carc_env.engine.compiler.jit import entry_point, i8, kernel, u8, void
from carc_env.engine.compiler.linking import linked
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.bag import list_unseen
from carc_env.engine.core.codes import FIRST_SHEEP, MAX_PLAYERS, N_SHEEP, Figure
from carc_env.engine.core.copying import copy_in_use
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import State, States, as_records
from carc_env.engine.sight.lanes import CanvasType
from carc_env.engine.sight.show import show_board

apply, legal, reshuffle = linked(entry.apply), linked(entry.legal), linked(entry.reshuffle)

STAY = -1
"""Used in place of an action: only proceed to the next real decision from the given record."""
STEP = as_records(
    np.dtype(
        [
            ("source", "i8"),  # the record that the step starts from
            ("target", "i8"),  # the record that the step writes
            ("action", "i8"),
            ("seed", "u8"),  # shuffles hidden tiles
            ("n_legal", "i8"),  # legal actions at the next decision; 0 when the game is over
            ("decider", "i8"),
            ("key", "u8"),  # key of what everybody can then see
        ],
        align=True,
    )
)
"""A step in a search, and its result."""

Step = numba.from_dtype(STEP)
_PRIME, _SHIFT = np.uint64(0xFF51AFD7ED558CCD), np.uint64(32)


@kernel(u8(u8, i8))
def hashed(key, number):
    """Return a key with a number mixed in."""
    key = (key ^ u8(number)) * _PRIME
    return (key ^ (key >> _SHIFT)) * _PRIME


@kernel(u8(State, i8[::1], i8))
def key_of(s, actions, n):
    """Return the key of a decision with n legal actions."""
    hidden, places = u8(0), room_for(MAX_BAG)
    for k in range(list_unseen(s, places)):
        hidden += hashed(_PRIME, s.bag[places[k]])  # independent of their order
    key = hashed(hashed(hidden, s.hand), s.decider)
    key = hashed(hashed(key, s.phase), s.n_bag)
    for lot in range(MAX_PLAYERS):
        key = hashed(key, s.bazaar.lots[lot].design)
    if s.rules.owned[Figure.SHEPHERD] > 0:
        for seat in range(s.rules.n_players):
            for kind in range(N_SHEEP):
                key = hashed(key, s.players[seat].stock[FIRST_SHEEP + kind])
    for k in range(n):
        key = hashed(key, actions[k])
    return key


@entry_point(void(States, Step[::1], i8[:, ::1]))
def take_steps(states, steps, actions):
    """Take the given steps; row k of ``actions`` gets the legal actions after step k."""
    for k in range(steps.shape[0]):
        step, listed = steps[k], actions[k]
        i = step.target
        s = states[i]
        copy_in_use(s, states[step.source])
        reshuffle(states, i, step.seed)
        if step.action != STAY:
            apply(states, i, step.action)
        n = legal(states, i, listed)
        while n == 1:
            apply(states, i, listed[0])
            n = legal(states, i, listed)
        step.n_legal, step.decider = n, s.decider
        step.key = key_of(s, listed, n)


@entry_point(void(States, Step[::1], i8[:, ::1], CanvasType))
def show_steps(states, steps, actions, canvas):
    """Draw what the decider sees after each of the given steps, step k in row k of a canvas."""
    for k in range(steps.shape[0]):
        s = states[steps[k].target]
        canvas.shown[k].n_tiles = 0  # the current content is discarded
        show_board(s, s.decider, actions[k, : steps[k].n_legal], canvas, k)
