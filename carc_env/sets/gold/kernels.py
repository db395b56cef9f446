"""Gold mines: ingots on tiles, taken by players who score features there (docs/rules/gold.md).

A tile's ingots form a pile. A completed feature claims them while its figures are still in place.
After all scoring, castles included, the entitled players take one ingot each in turn.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import MARKERS, PENDING
from carc_env.engine.core.board import N_NEIGHBOURS, from_view, neighbour, tile_at, to_view
from carc_env.engine.core.codes import Block, Kind, Phase, Stock
from carc_env.engine.core.features import cell_of, feature_of
from carc_env.engine.core.fief import is_in_fief, touches
from carc_env.engine.core.figures import leaders, lords_of, strength
from carc_env.engine.core.moments import (
    answered,
    end_estimated,
    end_projected,
    feature_scored,
    figures_begin,
    game_ends,
    offer,
    tile_placed,
)
from carc_env.engine.core.scoring import award_for, occupied_features
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import MAX_FIGURES, NO_SEGMENT, NO_TILE, State
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.sets.gold.record import IS_MINE, NO_PILE

ROOM_AROUND = N_NEIGHBOURS + 1
"""Size of the array that :func:`offer_neighbours` writes, with one place more than needed."""
MORE_FROM = (4, 7, 10)  # GOL-12
"""Numbers of ingots from which each is worth one more point."""


@kernel(i8(i8))
def worth_of(ingots):
    """Return the points that a number of ingots is worth at the end (GOL-12)."""
    return ingots * (
        1 + (ingots >= MORE_FROM[0]) + (ingots >= MORE_FROM[1]) + (ingots >= MORE_FROM[2])
    )


# Piles.


@kernel(i8(State, i8))
def pile_on(s, tile):
    """Return the number of the pile on a tile, or NO_PILE."""
    for k in range(s.n_piles):
        if s.piles[k].tile == tile:
            return k
    return NO_PILE


@kernel(void(State, i8, i8))
def move_pile(s, k, to):
    """Give a pile another number."""
    s.piles[to].tile = s.piles[k].tile
    s.piles[to].ingots = s.piles[k].ingots
    s.piles[to].claims = s.piles[k].claims


@kernel(void(State, i8))
def put_ingot(s, tile):
    """Put an ingot on a tile, which may already have some (GOL-04)."""
    k = pile_on(s, tile)
    if k == NO_PILE:
        k = s.n_piles
        s.n_piles += 1
        while k > 0 and s.piles[k - 1].tile > tile:
            move_pile(s, k - 1, k)
            k -= 1
        s.piles[k].tile, s.piles[k].ingots, s.piles[k].claims = tile, 0, 0
    s.piles[k].ingots += 1


@kernel(void(State, i8, i8))
def take_ingot(s, seat, k):
    """Give a seat an ingot from a pile."""
    s.players[seat].stock[Stock.INGOT] += 1
    s.piles[k].ingots -= 1
    if s.piles[k].ingots > 0:
        return
    s.n_piles -= 1
    for other in range(k, s.n_piles):
        move_pile(s, other + 1, other)
    last = s.piles[s.n_piles]
    last.tile, last.ingots, last.claims = 0, 0, 0


# The gold mine just placed.


@at(offer, key=Phase.INGOT)
@kernel(i8(State, i8[::1]))
def offer_neighbours(s, actions):
    """Write the neighbours of the tile just placed, whatever is on them (GOL-02, GOL-19)."""
    cell, n = s.tiles[s.n_tiles - 1].cell, 0
    for i in range(N_NEIGHBOURS):
        actions[n] = s.rules.first_action[Block.INGOT] + i
        n += tile_at(s, neighbour(cell, i)) != NO_TILE
    return n


@kernel(void(State, i8))
def put_second(s, action):
    """Put an ingot on the neighbour that an action names; the figure action follows."""
    cell, i = s.tiles[s.n_tiles - 1].cell, action - s.rules.first_action[Block.INGOT]
    put_ingot(s, tile_at(s, neighbour(cell, i)))
    s.phase = Phase.FIGURE


@at(answered, key=Phase.INGOT)
@kernel(i8(State, i8))
def answer_second(s, action):
    """Put the second ingot on the chosen neighbour; the figure action follows."""
    put_second(s, action)
    figures_begin(s)
    return PENDING


@at(tile_placed, "gold", key=3)  # after dragon, hills and traps
@kernel(void(State))
def bring_gold(s):
    """Put an ingot on the gold mine just placed, and ask for the one on a neighbour (GOL-02).

    If there is a single neighbour, it gets the ingot without a question (GOL-03).
    """
    mine = s.n_tiles - 1
    if not IS_MINE[s.tiles[mine].design]:
        return
    put_ingot(s, mine)
    actions = room_for(ROOM_AROUND)
    if offer_neighbours(s, actions) > 1:
        s.phase = Phase.INGOT
    else:
        put_second(s, actions[0])


# Claims.


@kernel(b1(State, i8, i8))
def is_on_tile(s, feature, tile):
    """Return whether a feature has a segment on a tile."""
    first = s.tiles[tile].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        if feature_of(s, segment) == feature:
            return True
    return False


@kernel(b1(State, i8, i8))
def reaches(s, feature, tile):
    """Return whether a feature takes the ingots on a tile when it is scored.

    A road or city takes the ingots on its tiles (GOL-05, GOL-06). A monastery or garden also takes
    those around it (XGO-02), a castle those on its six cells (GOL-15), and a field none (GOL-10).
    """
    kind = s.features[feature].kind
    if kind == Kind.ROAD or kind == Kind.CITY:
        return is_on_tile(s, feature, tile)
    if kind == Kind.MONASTERY or kind == Kind.GARDEN:
        return touches(cell_of(s, feature), s.tiles[tile].cell)
    if kind == Kind.CASTLE and s.rules.gold_in_fiefs != 0:
        return is_in_fief(s, feature, s.tiles[tile].cell)
    return False


@kernel(i8(State, i8))
def entitled_by(s, feature):
    """Return, as bits, the seats that take a feature's ingots: all lords of a castle (CAS-36).

    For other features, it is the majority (GOL-06, GOL-09).
    """
    if s.features[feature].kind != Kind.CASTLE:
        return leaders(s, feature)
    lords = 0
    for seat in range(s.rules.n_players):
        lords |= (strength(s, feature, seat) > 0) << seat
    return lords


@at(feature_scored, "gold")
@kernel(void(State, i8))
def claim_ingots(s, feature):
    """Note who may take a feature's ingots; nobody at the end of the game (GOL-11).

    If a town becomes a castle, its ingots stay (CAS-10).
    """
    if s.n_piles == 0 or s.phase == Phase.GAME_OVER or lords_of(s, feature) != 0:
        return
    entitled = entitled_by(s, feature)
    for k in range(s.n_piles):
        if reaches(s, feature, s.piles[k].tile):
            s.piles[k].claims |= entitled


# Taking ingots.


@kernel(i8(State, i8))
def n_claimants(s, k):
    """Return how many seats may take from a pile."""
    n = 0
    for seat in range(s.rules.n_players):
        n += s.piles[k].claims >> seat & 1
    return n


@kernel(i8(State, i8))
def contested_pile(s, seat):
    """Return the pile with the most other claimants among a seat's piles, or NO_PILE (GOL-08)."""
    best, found = 0, NO_PILE
    for k in range(s.n_piles):
        if s.piles[k].claims >> seat & 1 and n_claimants(s, k) > best:
            best, found = n_claimants(s, k), k
    return found


@kernel(b1(State, i8))
def has_choice(s, seat):
    """Return whether it matters from which pile a seat takes an ingot."""
    claims = 0
    for k in range(s.n_piles):
        own = s.piles[k].claims
        if own >> seat & 1:
            if claims != 0 and own != claims:
                return True
            claims = own
    return False


@kernel(b1(State, i8))
def share_out(s, seat):
    """Let all claimants take ingots one by one, starting with the given seat.

    Return True if a seat must choose (GOL-07, GOL-08).
    """
    n_passed = 0
    while n_passed < s.rules.n_players:
        pile = contested_pile(s, seat)
        if pile == NO_PILE:
            n_passed += 1
        elif s.rules.asks_gold != 0 and has_choice(s, seat):
            s.decider, s.phase = seat, Phase.SHARE
            return True
        else:
            take_ingot(s, seat, pile)
            n_passed = 0
        seat = seat_at(s, seat, 1)
    s.decider = s.turn_player
    return False


@at(offer, key=Phase.SHARE)
@kernel(i8(State, i8[::1]))
def offer_piles(s, actions):
    """Write the cells in view from which the decider may take an ingot (GOL-08)."""
    n = 0
    for k in range(s.n_piles):
        cell = s.tiles[s.piles[k].tile].cell
        actions[n] = s.rules.first_action[Block.SHARE] + to_view(s, cell)
        n += s.piles[k].claims >> s.decider & 1
    return n


@at(answered, key=Phase.SHARE)
@kernel(i8(State, i8))
def take_chosen(s, action):
    """Take an ingot from the cell that an action names; the next seat may have to choose."""
    seat, cell = s.decider, from_view(s, action - s.rules.first_action[Block.SHARE])
    take_ingot(s, seat, pile_on(s, tile_at(s, cell)))
    return PENDING if share_out(s, seat_at(s, seat, 1)) else MARKERS


# Value of ingots.


@at(game_ends, "gold")
@kernel(void(State))
def score_ingots(s):
    """Score everybody's ingots at the end of the game (GOL-12)."""
    for seat in range(s.rules.n_players):
        points = worth_of(s.players[seat].stock[Stock.INGOT])
        if points > 0:
            award_for(s, Kind.GOLD, seat, points, NO_SEGMENT)


@at(end_projected, "gold")
@kernel(void(State, i8[::1]))
def add_ingots(s, points):
    """Add the points of everybody's ingots (GOL-12)."""
    for seat in range(s.rules.n_players):
        points[seat] += worth_of(s.players[seat].stock[Stock.INGOT])


@kernel(i8(State, i8))
def ingots_of(s, feature):
    """Return how many ingots a feature's scorer would take now."""
    n = 0
    for k in range(s.n_piles):
        if reaches(s, feature, s.piles[k].tile):
            n += s.piles[k].ingots
    return n


@at(end_estimated, "gold")
@kernel(void(State, i8[::1]))
def add_prospects(s, points):
    """Add a point per ingot for each seat that is entitled to it at present."""
    if s.n_bag == 0 or s.n_piles == 0:
        return
    features = room_for(MAX_FIGURES)
    for k in range(occupied_features(s, features)):
        n = ingots_of(s, features[k])
        entitled = entitled_by(s, features[k]) if n > 0 else 0
        for seat in range(s.rules.n_players):
            points[seat] += n * (entitled >> seat & 1)
