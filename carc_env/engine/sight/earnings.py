"""Rewards: what each seat has earned; ``carc_env.envs.rewards`` explains the schemes."""

from numba import float64

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.codes import MAX_PLAYERS, Phase
from carc_env.engine.core.state import State
from carc_env.engine.flow.standings import write_standings
from carc_env.engine.sight.lanes import Lane

OUTCOME, SCORES, STANDINGS, ELSEWHERE = range(4)
"""Reward schemes: final rank, lead in scores, lead in standings, computed outside the engine."""
LOWEST = -(2**31)
"""A number below any score."""


@kernel(float64(State, i8))
def outcome(s, seat):
    """Return a seat's final rank as a number from 1 to -1, or 0 before the end."""
    if s.phase != Phase.GAME_OVER:
        return 0.0
    own, balance = s.players[seat].score, 0
    for rival in range(s.rules.n_players):
        score = s.players[rival].score
        balance += (own > score) - (own < score)
    return balance / (s.rules.n_players - 1)


@kernel(i8(Lane, i8))
def noted(lane, seat):
    """Return a seat's noted points: standings or scores, depending on the scheme."""
    return lane.standings[seat] if lane.scheme == STANDINGS else lane.scores[seat]


@kernel(float64(State, Lane, i8))
def lead(s, lane, seat):
    """Return a seat's noted points minus the weighted points of its best opponent."""
    best = LOWEST
    for rival in range(s.rules.n_players):
        if rival != seat:
            best = max(best, noted(lane, rival))
    return noted(lane, seat) - lane.rival_weight * best


@kernel(void(State, Lane))
def note_standings(s, lane):
    """Note the current standings if the scheme uses them."""
    if lane.scheme == STANDINGS or lane.scheme == ELSEWHERE:
        points = room_for(MAX_PLAYERS)
        write_standings(s, points)
        for seat in range(s.rules.n_players):
            lane.standings[seat] = points[seat]


@kernel(void(State, Lane))
def note_points(s, lane):
    """Note the current scores and standings."""
    for seat in range(s.rules.n_players):
        lane.scores[seat] = s.players[seat].score
    note_standings(s, lane)


@kernel(void(State, Lane, float64))
def add_leads(s, lane, sign):
    """Add the leads in the noted points to the rewards, or subtract them, depending on the sign."""
    if lane.scheme == SCORES or lane.scheme == STANDINGS:
        for seat in range(s.rules.n_players):
            lane.rewards[seat] += sign * lead(s, lane, seat)


@kernel(void(State, Lane))
def give_rewards(s, lane):
    """Give every seat what it has earned since points were last noted, and note them again."""
    for seat in range(s.rules.n_players):
        lane.rewards[seat] = outcome(s, seat) if lane.scheme == OUTCOME else 0.0
    add_leads(s, lane, -1.0)
    note_points(s, lane)
    add_leads(s, lane, 1.0)
    for seat in range(s.rules.n_players):
        lane.owed[seat] += lane.rewards[seat]
    lane.reward = lane.owed[lane.seat]
    lane.owed[lane.seat] = 0.0
