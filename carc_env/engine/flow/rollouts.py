"""Rollouts: games of a built-in player from a position to the end, without what nobody can see."""

import numba
import numpy as np

from carc_env.engine.compiler.jit import i8, kernel, u8, void
from carc_env.engine.core.bag import random_below, shuffle
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import State, States, as_records
from carc_env.engine.expansions.bazaars import exchange_face_down, sort_hidden
from carc_env.engine.flow.greedy import SCRATCH_GAMES, greedy_action
from carc_env.engine.flow.turn import apply, settle

ROLLOUT = as_records(
    np.dtype(
        [
            ("game", "i8"),  # the record in which it begins
            ("seed", "u8"),  # shuffles what nobody can see, then draws random actions
            ("is_greedy", "i8"),  # 1: the greedy player decides, 0: the random one
            ("scores", "i8", (MAX_PLAYERS,)),  # at the end
        ],
        align=True,
    )
)
"""One game to be played, and what became of it."""

Rollout = numba.from_dtype(ROLLOUT)
Rollouts = Rollout[::1]

ROLLOUT_SCRATCH = SCRATCH_GAMES + 1
"""Records of scratch memory that a rollout needs: the game itself behind those of the player."""


@kernel(void(State, u8))
def shuffle_hidden(s, seed):
    """Put the tiles that nobody can see in an order that depends on the seed alone."""
    s.rng = seed
    sort_hidden(s)
    exchange_face_down(s)
    shuffle(s)


@kernel(void(State, i8, States, i8[::1]))
def play_out(s, is_greedy, scratch, actions):
    """Let a built-in player decide for all seats to the end; ``actions`` is room for the list."""
    n = settle(s, actions)
    while n > 0:
        if is_greedy != 0:
            action = greedy_action(s, scratch, actions)
        else:
            action = actions[random_below(s, n)]
        apply(s, action)
        n = settle(s, actions)


@kernel(void(States, Rollout, States, i8[::1]))
def roll_out(states, rollout, scratch, actions):
    """Play one rollout; ``scratch`` holds ``ROLLOUT_SCRATCH`` records."""
    scratch[SCRATCH_GAMES] = states[rollout.game]
    s = scratch[SCRATCH_GAMES]
    shuffle_hidden(s, rollout.seed)
    play_out(s, rollout.is_greedy, scratch, actions)
    for seat in range(s.rules.n_players):
        rollout.scores[seat] = s.players[seat].score
