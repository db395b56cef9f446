"""Chance beside the bag: what an action can cause at random, and drawing it.

Everything that it can cause has a code of ``Outcome``, and a decision draws at most one. The record
keeps it in ``token``, and in ``next_token`` the one that was chosen to come next.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.bag import random_below
from carc_env.engine.core.codes import N_OUTCOMES
from carc_env.engine.core.moments import chances_of, outcomes_of
from carc_env.engine.core.state import NO_OUTCOME, State


@kernel(b1(State, i8))
def meets_chance(s, action):
    """Tell whether an action of the decider depends on chance beside the bag."""
    return outcomes_of(s, action) != 0


@kernel(i8(State, i8, i8))
def chances_among(s, possible, outcome):
    """Return how many of the chances an outcome has among possible ones, which are bits."""
    return chances_of(s, outcome) if possible >> outcome & 1 else 0


@kernel(i8(State, i8))
def draw_outcome(s, possible):
    """Return one of the possible outcomes, at random or the one that was chosen (HS-44).

    A random number is used up in both cases, so that a game with the outcomes of another one goes
    on like that one. Otherwise undoing a move and repeating it would be a way to draw again.
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
