"""Entries in the learned value function for tunnels: tokens in hand, and mouths on roads."""

import numpy as np

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Kind, Stock
from carc_env.engine.core.features import feature_of
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import State
from carc_env.search.tables import (
    N_RELATIONS,
    N_TIMES,
    Table,
    feature_surveyed,
    game_surveyed,
    place_of,
)
from carc_env.sets.tunnel.kernels import is_open
from carc_env.sets.tunnel.record import MAX_PAIRS, NO_TOKEN, TOKENS_PER_PAIR

N_HELD = MAX_PAIRS * TOKENS_PER_PAIR + 1
"""Number of possible token counts in a seat's hand."""
OWN, RIVAL, FREE = range(3)
"""Owner of the token, if any, on an open mouth of a road."""
TOKEN_PRICE = 0.5
"""Points that a token in hand is worth initially, before learning."""

_time, _n = np.ogrid[:N_TIMES, :N_HELD]
_price = TOKEN_PRICE * _n * (_time + 0.5) / N_TIMES
TABLES = (
    Table(
        "tunnel_tokens", (2, N_TIMES, N_HELD), most=MAX_PLAYERS, start=np.array([_price, -_price])
    ),
    Table("mouth", (N_RELATIONS, N_TIMES, 3, 2)),
)
TOKENS, MOUTH = (table.first for table in TABLES)


@at(game_surveyed, has(Stock.TUNNEL), place_of("tunnel_tokens"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_tokens(s, seat, time, entries):
    """Write the entries for all seats' tokens in hand."""
    for other in range(s.rules.n_players):
        index = (other != seat) * N_TIMES + time
        entries[other] = TOKENS[0] + index * N_HELD + s.players[other].stock[Stock.TUNNEL]
    return s.rules.n_players


@at(feature_surveyed, has(Stock.TUNNEL), place_of("mouth"))
@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_mouth(s, feature, seat, spread, entries):
    """Write the entry for a road that is open at a mouth; return how many.

    It encodes the owner of the token on the first such mouth, and whether a token would complete
    the road.
    """
    if s.features[feature].kind != Kind.ROAD:
        return 0
    for k in range(s.n_mouths):
        if feature_of(s, s.mouths[k].segment) == feature and is_open(s, k):
            token, whose = s.mouths[k].token, FREE
            if token != NO_TOKEN:
                whose = OWN if token // MAX_PAIRS == seat else RIVAL
            is_last = s.features[feature].n_open == 1
            entries[0] = MOUTH[0] + (spread * 3 + whose) * 2 + is_last
            return 1
    return 0
