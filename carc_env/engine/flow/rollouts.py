"""Rollouts: a built-in player plays from a position to the end, without hidden information."""

import numba
import numpy as np

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.core.bag import random_below
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import State, States, as_records
from carc_env.engine.flow.evaluation import Evaluator, Weights
from carc_env.engine.flow.hidden import shuffle_hidden
from carc_env.engine.flow.one_ply import ONE_PLY_SCRATCH, choose
from carc_env.engine.flow.turn import apply, settle

RANDOM = 1
"""Replaces an evaluation's address: the player takes random actions."""

ROLLOUT = as_records(
    np.dtype(
        [
            ("game", "i8"),  # number of the record that it starts from
            ("seed", "u8"),  # shuffles hidden tiles, then draws random actions
            ("evaluation", "i8"),  # address of the player's evaluation, or RANDOM
            ("scores", "i8", (MAX_PLAYERS,)),  # final scores
        ],
        align=True,
    )
)
"""A game to be played, and its result."""

Rollout = numba.from_dtype(ROLLOUT)
Rollouts = Rollout[::1]

ROLLOUT_SCRATCH = ONE_PLY_SCRATCH + 1
"""Number of scratch records that a rollout needs: those of the player, then the game itself."""


@kernel(void(State, i8, States, i8[::1], Weights))
def play_out(s, evaluation, scratch, actions, weights):
    """Let a built-in player decide for all seats until the end; ``actions`` is a scratch list."""
    n = settle(s, actions)
    while n > 0:
        if evaluation == RANDOM:
            action = actions[random_below(s, n)]
        else:
            action = choose(s, scratch, actions, Evaluator(evaluation, weights))
        apply(s, action)
        n = settle(s, actions)


@kernel(void(States, Rollout, States, i8[::1], Weights))
def roll_out(states, rollout, scratch, actions, weights):
    """Play one rollout; ``scratch`` must hold ``ROLLOUT_SCRATCH`` records."""
    scratch[ONE_PLY_SCRATCH] = states[rollout.game]
    s = scratch[ONE_PLY_SCRATCH]
    shuffle_hidden(s, rollout.seed)
    play_out(s, rollout.evaluation, scratch, actions, weights)
    for seat in range(s.rules.n_players):
        rollout.scores[seat] = s.players[seat].score
