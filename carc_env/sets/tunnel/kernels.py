"""Tunnels: tokens on two of their mouths join the roads there ([rules](../rules/tunnel.md)).

At a mouth, a road has one more end, which is open until both tokens of its pair are placed.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import FERRIES, PENDING, add_pass, resumed_step
from carc_env.engine.core.codes import Block, Phase, Stock
from carc_env.engine.core.features import feature_of, join_ends, tile_of
from carc_env.engine.core.figures import leaders
from carc_env.engine.core.moments import (
    answered,
    end_estimated,
    features_join,
    features_joined,
    has,
    leads_on,
    n_open_besides,
    offer,
    offer_besides,
    offer_besides_second,
    scoring_ends,
    tile_laid,
    touched_elsewhere,
    turn_interrupted,
    turn_resumed,
)
from carc_env.engine.core.state import State
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.sets.tunnel.record import (
    IS_MOUTH,
    MAX_PAIRS,
    NO_MOUTH,
    NO_TOKEN,
    TOKENS_PER_PAIR,
)


@at(tile_laid, has(Stock.TUNNEL))
@kernel(void(State, i8))
def add_mouths(s, tile):
    """Record the mouths on a new tile; roads are open there (TUN-06)."""
    design, first = s.tiles[tile].design, s.tiles[tile].first_segment
    for j in range(N_SEGMENTS[design]):
        if IS_MOUTH[design, j]:
            s.mouths[s.n_mouths].segment = first + j
            s.mouths[s.n_mouths].token = NO_TOKEN
            s.n_mouths += 1
            s.features[first + j].n_open += 1


# Tokens and pairs.


@kernel(i8(State))
def n_pairs(s):
    """Return how many pairs of tokens a seat has (TUN-02)."""
    return s.rules.stock[Stock.TUNNEL] // TOKENS_PER_PAIR


@kernel(i8(State, i8))
def n_laid(s, token):
    """Return how many tokens of a pair are on mouths."""
    n = 0
    for k in range(s.n_mouths):
        n += s.mouths[k].token == token
    return n


@kernel(b1(State, i8))
def is_open(s, k):
    """Return whether the road is open at a mouth: with no token or an unpaired one (TUN-06)."""
    token = s.mouths[k].token
    return token == NO_TOKEN or n_laid(s, token) < TOKENS_PER_PAIR


@kernel(b1(State, i8))
def may_lay(s, pair):
    """Return whether the decider may place a token of a pair: a begun pair, or the next new one.

    All unused pairs are equivalent, so one of them is enough.
    """
    token = s.decider * MAX_PAIRS + pair
    n = n_laid(s, token)
    if n > 0:
        return n < TOKENS_PER_PAIR
    for before in range(pair):
        if n_laid(s, s.decider * MAX_PAIRS + before) == 0:
            return False
    return True


@at(offer_besides, has(Stock.TUNNEL), key=2)  # after ransoms and bridges
@at(offer_besides_second, has(Stock.TUNNEL))
@kernel(i8(State, i8, i8[::1]))
def offer_tokens(s, n, actions):
    """Add the tokens that the decider may place on any free mouth, once per turn (TUN-03)."""
    if s.dug != 0 or s.players[s.decider].stock[Stock.TUNNEL] == 0:
        return n
    first, pairs = s.rules.first_action[Block.TUNNEL], n_pairs(s)
    for k in range(s.n_mouths):
        if s.mouths[k].token != NO_TOKEN:
            continue
        for pair in range(pairs):
            if may_lay(s, pair):
                actions[n] = first + s.rules.lays_pairs * k + pair
                n += 1
    return n


@at(offer, key=Phase.TUNNEL)
@kernel(i8(State, i8[::1]))
def offer_last_tokens(s, actions):
    """Write the tokens that may follow the figures, and passing (TUN-05)."""
    return add_pass(s, offer_tokens(s, 0, actions), actions)


@kernel(b1(State))
def ask_for_token(s):
    """Ask for a token after the figures if the turn player may place one (TUN-05)."""
    if s.dug != 0 or s.players[s.decider].stock[Stock.TUNNEL] == 0:
        return False
    for k in range(s.n_mouths):
        if s.mouths[k].token == NO_TOKEN:
            s.phase = Phase.TUNNEL
            return True
    return False


@kernel(b1(State, i8))
def is_token(s, action):
    """Return whether an action places a token."""
    first = s.rules.first_action[Block.TUNNEL]
    return first >= 0 and first <= action < first + s.rules.lays_pairs * s.n_mouths


@kernel(i8(State, i8))
def other_mouth(s, k):
    """Return the other mouth with a token of the same pair, or NO_MOUTH."""
    token = s.mouths[k].token
    for other in range(s.n_mouths):
        if other != k and token != NO_TOKEN and s.mouths[other].token == token:
            return other
    return NO_MOUTH


@kernel(void(State, i8))
def connect(s, k):
    """Join the roads at a mouth and at the other mouth with a token of its pair (TUN-07)."""
    other = other_mouth(s, k)
    if other != NO_MOUTH:
        join_ends(s, s.mouths[k].segment, s.mouths[other].segment)


@at(leads_on, has(Stock.TUNNEL))
@kernel(i8(State, i8, i8))
def leads_through(s, segment, beyond):
    """Return the segment at the other end of a segment's tunnel, or else ``beyond``."""
    for k in range(s.n_mouths):
        if s.mouths[k].segment == segment and other_mouth(s, k) != NO_MOUTH:
            return s.mouths[other_mouth(s, k)].segment
    return beyond


@kernel(i8(State, i8))
def lay_token(s, action):
    """Place the token of an action; return the step that follows.

    The second token of a pair joins two roads (TUN-07).
    """
    k = action - s.rules.first_action[Block.TUNNEL]
    mouth, pair = k // s.rules.lays_pairs, k % s.rules.lays_pairs
    features_join(s)  # TUN-12
    s.mouths[mouth].token = s.decider * MAX_PAIRS + pair
    s.players[s.decider].stock[Stock.TUNNEL] -= 1
    s.dug, s.new_mouth = 1, mouth
    connect(s, mouth)
    return PENDING if features_joined(s) > 0 else resumed_step(s)


@at(answered, key=Phase.TUNNEL)
@kernel(i8(State, i8))
def lay_none(s, action):
    """Place no token after the figures.

    Tokens can be placed in several phases (``is_token``).
    """
    return FERRIES


# Links to other subpackages.


@at(touched_elsewhere, has(Stock.TUNNEL))
@kernel(i8(State, i8, i8[::1]))
def add_joined(s, n, features):
    """Add the road at the mouth with this placement's token (TUN-11)."""
    if s.new_mouth == NO_MOUTH:
        return n
    features[n] = feature_of(s, s.mouths[s.new_mouth].segment)
    return n + 1


@at(scoring_ends, has(Stock.TUNNEL), key=1)  # after King and Robber
@kernel(void(State))
def forget_mouth(s):
    """Forget where this placement put a token: scoring is over (TUN-11)."""
    s.new_mouth = NO_MOUTH


@at(n_open_besides, has(Stock.TUNNEL))
@kernel(i8(State, i8))
def n_open_mouths(s, segment):
    """Return 1 for a segment that ends at an open mouth (TUN-06)."""
    design, first = s.tiles[tile_of(s, segment)].design, s.tiles[tile_of(s, segment)].first_segment
    if not IS_MOUTH[design, segment - first]:
        return 0
    for k in range(s.n_mouths):
        if s.mouths[k].segment == segment:
            return is_open(s, k)
    return 0


@at(end_estimated, has(Stock.TUNNEL))
@kernel(void(State, i8[::1]))
def estimate_pairs(s, points):
    """Add a point for an unpaired token on a road that its owner leads: another may join it.

    Elsewhere, such a token helps nobody, so subtract a point.
    """
    for k in range(s.n_mouths):
        token = s.mouths[k].token
        if token != NO_TOKEN and n_laid(s, token) < TOKENS_PER_PAIR:
            seat = token // MAX_PAIRS
            is_own = leaders(s, feature_of(s, s.mouths[k].segment)) >> seat & 1 != 0
            points[seat] += 1 if is_own else -1


@at(turn_interrupted, has(Stock.TUNNEL))
@kernel(void(State))
def keep_dug(s):
    """Save whether the turn that a bazaar interrupts has already placed its token (TUN-04)."""
    s.owed_dug = s.dug


@at(turn_resumed, has(Stock.TUNNEL))
@kernel(void(State))
def resume_dug(s):
    """Restore what was saved before the bazaar."""
    s.dug, s.owed_dug = s.owed_dug, 0
