"""Chance outside the bag: the random outcomes that an action can have, and drawing one of them.

Each possible result has an ``Outcome`` code, and a decision draws at most one outcome. The record
stores the last outcome in ``token`` and an outcome chosen in advance in ``next_token``.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.bag import random_below
from carc_env.engine.core.codes import N_OUTCOMES
from carc_env.engine.core.moments import chances_of, outcomes_of
from carc_env.engine.core.state import NO_OUTCOME, State


@kernel(b1(State, i8))
def meets_chance(s, action):
    """Return whether an action of the decider depends on chance outside the bag."""
    return outcomes_of(s, action) != 0


@kernel(i8(State, i8, i8))
def chances_among(s, possible, outcome):
    """Return an outcome's number of chances, or 0 if it is not among the possible ones (bits)."""
    return chances_of(s, outcome) if possible >> outcome & 1 else 0


@kernel(i8(State, i8))
def draw_outcome(s, possible):
    """Return one of the possible outcomes, at random or as chosen in advance (HS-44).

    A random number is consumed in both cases, so that a game given the outcomes of another game
    continues exactly like that game. Otherwise, players could undo and repeat a move to draw again.
    """
    n = 0
    for outcome in range(N_OUTCOMES):
        n += chances_among(s, possible, outcome)
    k, outcome = random_below(s, n), s.next_token
    s.next_token = NO_OUTCOME
    if outcome == NO_OUTCOME:
        outcome = 0
        while k >= chances_among(s, possible, outcome):
            k -= chances_among(s, possible, outcome)
            outcome += 1
    s.token = outcome
    return outcome
