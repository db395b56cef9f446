"""Rewards: one small kernel for each scheme; their meaning is in ``carc_env.envs.rewards``."""

from numba import float64

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import State
from carc_env.engine.sight.lanes import Lane

OUTCOME, SCORE_DELTA, MARGIN = range(3)
LOWEST = -(2**31)
"""Less than any score."""


@kernel(float64(State, i8))
def outcome(s, seat):
    """Return the rank at the end as a number from 1 to -1; 0 before the end."""
    if s.phase != Phase.GAME_OVER:
        return 0.0
    own, balance = s.players[seat].score, 0
    for rival in range(s.rules.n_players):
        score = s.players[rival].score
        balance += (own > score) - (own < score)
    return balance / (s.rules.n_players - 1)


@kernel(i8(State, Lane, i8))
def score_delta(s, lane, seat):
    """Return the points that a seat got since the last rewards."""
    return s.players[seat].score - lane.scores[seat]


@kernel(i8(State, Lane, i8))
def margin(s, lane, seat):
    """Return the change of the lead over the best rival since the last rewards."""
    best_before, best_now = LOWEST, LOWEST
    for rival in range(s.rules.n_players):
        if rival != seat:
            best_before = max(best_before, lane.scores[rival])
            best_now = max(best_now, s.players[rival].score)
    return score_delta(s, lane, seat) - (best_now - best_before)


@kernel(float64(State, Lane, i8))
def reward(s, lane, seat):
    """Return what a seat earned since the last rewards, by the scheme of the lane."""
    if lane.scheme == OUTCOME:
        return outcome(s, seat)
    if lane.scheme == SCORE_DELTA:
        return float64(score_delta(s, lane, seat))
    return float64(margin(s, lane, seat))


@kernel(void(State, Lane))
def give_rewards(s, lane):
    """Give every seat what it earned since the last rewards."""
    for seat in range(s.rules.n_players):
        lane.rewards[seat] = reward(s, lane, seat)
        lane.owed[seat] += lane.rewards[seat]
    for seat in range(s.rules.n_players):
        lane.scores[seat] = s.players[seat].score
    lane.reward = lane.owed[lane.seat]
    lane.owed[lane.seat] = 0.0
