"""Entries in the learned value function for tiles on offer and bids."""

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import NO_DESIGN, NO_SEAT, State
from carc_env.engine.core.tiles import N_DESIGNS, TILE_ID
from carc_env.search.tables import Table, game_surveyed, place_of, points_compared

TABLES = (Table("lots", (3, N_DESIGNS), most=MAX_PLAYERS, labels=(1, tuple(TILE_ID))),)
LOTS = TABLES[0].first


@at(game_surveyed, "bazaars", place_of("lots"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_lots(s, seat, _, entries):
    """Write the entries for the owners of face-up tiles on offer."""
    n = 0
    if s.bazaar.waits != 0 or s.bazaar.starter == NO_SEAT:
        return 0
    for k in range(s.rules.n_players):
        lot = s.bazaar.lots[k]
        if lot.design != NO_DESIGN:
            owner = lot.owner
            if k == s.bazaar.lot and s.bazaar.bidder != NO_SEAT:
                owner = s.bazaar.bidder
            whose = 2
            if owner != NO_SEAT:
                whose = owner != seat
            entries[n] = LOTS[0] + whose * N_DESIGNS + lot.design
            n += 1
    return n


@at(points_compared, "bazaars")
@kernel(void(State, i8[::1]))
def pay_bid(s, points):
    """Subtract the highest bid from the points of the seat that made it."""
    if s.bazaar.bidder != NO_SEAT:
        points[s.bazaar.bidder] -= s.bazaar.price
