"""What is wrong with a state: everything that the engine keeps up to date, counted anew."""

from enum import IntFlag

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel
from carc_env.engine.board import N_SIDES, STEP, in_view, tile_at
from carc_env.engine.codes import MAX_PLAYERS
from carc_env.engine.expansions.barn import corner_field
from carc_env.engine.expansions.bazaars import is_for_sale
from carc_env.engine.expansions.castles import (
    castle_of,
    is_cap,
    is_lords_choice,
    is_new,
    order_of,
    waits,
)
from carc_env.engine.features import N_NEIGHBOURS, feature_of, is_complete, kind_of, neighbour
from carc_env.engine.figures import (
    ANY,
    MAY_STAND,
    NO_BARN,
    figure_kind,
    find_figure,
    seat_of,
    strength,
)
from carc_env.engine.seats import places_between
from carc_env.engine.state import (
    BOARD,
    FIGURE_SLOTS,
    MAX_FIGURES,
    NO_CELL,
    NO_DESIGN,
    NO_FIGURE,
    NO_LOT,
    NO_ROUND,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.tiles import (
    ABBEY_DESIGN,
    BONUS,
    BRIDGE_AXIS,
    EDGES,
    GOOD,
    N_SEGMENTS,
    NO_AXIS,
    PRINTED,
    SEGMENT_KIND,
    SEGMENT_SIDES,
    SHIELDS,
)


class Problem(IntFlag):
    """Invariants that a state can break; ``batch.problems`` returns their sum, 0 for none."""

    EDGES = 1
    """Two tiles side by side show different edges (BASE-04)."""
    FRONTIER = 2
    """The list of free cells, or what they require, is not what the tiles say."""
    FEATURES = 4
    """A feature's segments, tiles, open sides or coats of arms are miscounted."""
    FIGURES = 8
    """Figures are lost or doubled, or stand where they may not (GAR-01, ABT-03)."""
    TILES = 16
    """Tiles are lost or doubled."""
    VIEW = 32
    """A tile lies outside of the view."""
    TURN = 64
    """Phase, tile in hand and players do not go together."""
    UNSCORED = 128
    """A complete feature, or a field with a barn, kept its figures (BASE-18, BARN-12)."""
    SCRATCH = 256
    """Scratch memory was left dirty."""
    STOCK = 512
    """Bridges or castle tokens are lost or doubled (BRI-01, CAS-01)."""
    CASTLES = 1024
    """The list of castles is not what stands on the board, or holds no towns (CAS-02)."""
    BAZAAR = 2048
    """Offer, owners, bids and phase do not go together (BAZ-03 to BAZ-11)."""


EDGE_PROBLEM, FRONTIER_PROBLEM, FEATURE_PROBLEM, FIGURE_PROBLEM = 1, 2, 4, 8
TILE_PROBLEM, VIEW_PROBLEM, TURN_PROBLEM, UNSCORED_PROBLEM, SCRATCH_PROBLEM = 16, 32, 64, 128, 256
STOCK_PROBLEM, CASTLE_PROBLEM, BAZAAR_PROBLEM = 512, 1024, 2048

LORDS = (codes.MEEPLE, codes.LARGE, codes.MAYOR, codes.WAGON)
"""Who can stand in a castle (RULES section 26)."""


@kernel(i8(State, i8))
def edges_of(s, tile):
    """Edge kinds of a placed tile."""
    return i8(EDGES[i8(s.tiles[tile].design), i8(s.tiles[tile].rotation)])


@kernel(b1(State))
def has_mismatched_edges(s):
    """Compare every tile with its neighbours."""
    for tile in range(i8(s.n_tiles)):
        for side in range(N_SIDES):
            other = tile_at(s, i8(s.tiles[tile].cell) + STEP[side])
            if other != NO_TILE:
                own = edges_of(s, tile) >> (4 * side) & 15
                shown = edges_of(s, other) >> (4 * ((side + 2) % 4)) & 15
                if own != shown and own != codes.EDGE_ABBEY and shown != codes.EDGE_ABBEY:
                    return True
    return False


@kernel(i8(State, i8))
def edges_required(s, cell):
    """What the tiles around an empty cell require of a tile there."""
    required = 0
    for side in range(N_SIDES):
        other = tile_at(s, cell + STEP[side])
        if other != NO_TILE:
            opposite = (side + 2) % 4
            required |= (edges_of(s, other) >> (4 * opposite) & 15) << (4 * side)
    return required


@kernel(b1(State))
def has_wrong_frontier(s):
    """Look at every cell around the tiles: it is listed exactly when it is empty beside one."""
    n_listed = 0
    for row in range(max(1, i8(s.min_row) - 1), min(BOARD - 2, i8(s.max_row) + 1) + 1):
        for column in range(max(1, i8(s.min_column) - 1), min(BOARD - 2, i8(s.max_column) + 1) + 1):
            cell = row * BOARD + column
            if tile_at(s, cell) != NO_TILE:
                continue
            required = edges_required(s, cell)
            f = -i8(s.board[cell]) - 1
            if (required != 0) != (f >= 0):
                return True
            if f >= 0:
                n_listed += 1
                if i8(s.frontier[f].cell) != cell or i8(s.frontier[f].edges) != required:
                    return True
    return n_listed != i8(s.n_frontier)


@kernel(i8(State, i8))
def count_open(s, segment):
    """Open sides of a road or city segment, empty neighbours of a monastery or garden."""
    placed = s.tiles[i8(s.segments[segment].tile)]
    cell = i8(placed.cell)
    n = 0
    if kind_of(s, segment) in (codes.ROAD, codes.CITY):
        j = segment - i8(placed.first_segment)
        sides = i8(SEGMENT_SIDES[i8(placed.design), i8(placed.rotation), j])
        for side in range(N_SIDES):
            n += (sides >> side & 1) and tile_at(s, cell + STEP[side]) == NO_TILE
    elif kind_of(s, segment) in (codes.MONASTERY, codes.GARDEN):
        for i in range(N_NEIGHBOURS):
            n += tile_at(s, neighbour(cell, i)) == NO_TILE
    return n


@kernel(b1(State, i8, i8))
def is_first_of_its_tile(s, feature, segment):
    """Tell whether no segment before it in the feature's ring lies on the same tile."""
    other = feature
    while other != segment:
        if i8(s.segments[other].tile) == i8(s.segments[segment].tile):
            return False
        other = i8(s.segments[other].next)
    return True


@kernel(b1(State, i8))
def is_of_wrong_kind(s, segment):
    """Compare the kind of a segment's feature with what the tile shows; a castle was a city."""
    placed = s.tiles[i8(s.segments[segment].tile)]
    shown = i8(SEGMENT_KIND[i8(placed.design), segment - i8(placed.first_segment)])
    kind = kind_of(s, segment)
    return shown != (codes.CITY if kind == codes.CASTLE else kind)


@kernel(b1(State, i8))
def is_miscounted(s, feature):
    """Count a feature by walking through its segments."""
    n_segments, n_tiles, n_open, shields, bonus = 0, 0, 0, 0, 0
    segment = feature
    is_field = i8(s.features[feature].kind) == codes.FIELD
    while n_segments <= i8(s.n_segments):
        placed = s.tiles[i8(s.segments[segment].tile)]
        if feature_of(s, segment) != feature or is_of_wrong_kind(s, segment):
            return True
        n_segments += 1
        n_open += count_open(s, segment)
        shields += i8(SHIELDS[i8(placed.design), segment - i8(placed.first_segment)])
        bonus += i8(BONUS[i8(placed.design), segment - i8(placed.first_segment)])
        n_tiles += not is_field and is_first_of_its_tile(s, feature, segment)
        segment = i8(s.segments[segment].next)
        if segment == feature:
            break
    return (
        n_segments != i8(s.features[feature].n_segments)
        or n_open != i8(s.features[feature].n_open)
        or shields != i8(s.features[feature].shields)
        or bonus * i8(s.rules.inns) != i8(s.features[feature].bonus)
        or (not is_field and n_tiles != i8(s.features[feature].n_tiles))
    )


@kernel(i8(State, i8))
def bridge_on(s, tile):
    """Direction of the bridge over a tile, or NO_AXIS."""
    return i8(BRIDGE_AXIS[i8(s.tiles[tile].design), i8(s.tiles[tile].rotation)])


@kernel(b1(State))
def has_wrong_features(s):
    """Count all features; every segment must belong to exactly one, room for bridges to none."""
    n_segments = 0
    for feature in range(i8(s.n_segments)):
        if i8(s.features[feature].n_segments) > 0:
            n_segments += i8(s.features[feature].n_segments)
            if is_miscounted(s, feature):
                return True
    n_unused = 0
    if i8(s.rules.bridges) > 0:
        for tile in range(i8(s.n_tiles)):
            n_unused += bridge_on(s, tile) == NO_AXIS
    return n_segments + n_unused != i8(s.n_segments)


@kernel(b1(State, i8))
def is_abandoned(s, figure):
    """Tell whether a builder or pig is without a meeple of its owner (TRA-06, TRA-16)."""
    kind, seat = figure_kind(figure), seat_of(figure)
    feature = feature_of(s, i8(s.figures[figure].segment))
    if kind == codes.PIG:
        return strength(s, feature, seat) == 0
    if kind != codes.BUILDER:
        return False
    for other in range(seat * SLOTS_PER_SEAT, (seat + 1) * SLOTS_PER_SEAT):
        segment = i8(s.figures[other].segment)
        if other != figure and segment != NO_SEGMENT and feature_of(s, segment) == feature:
            return False
    return True


@kernel(b1(State, i8))
def is_misplaced(s, figure):
    """Tell whether a figure on the board is not in its feature's ring or may not stand there."""
    segment = i8(s.figures[figure].segment)
    if segment >= i8(s.n_segments):
        return True
    if figure_kind(figure) == codes.BARN:
        tile = s.tiles[i8(s.segments[segment].tile)]
        corner = i8(s.figures[figure].corner)
        if corner < 0 or corner_field(s, i8(tile.cell), corner) != segment:
            return True  # BARN-03
    elif kind_of(s, segment) == codes.CASTLE:
        if figure_kind(figure) not in LORDS:
            return True
    elif not MAY_STAND[figure_kind(figure), kind_of(s, segment)]:
        return True  # GAR-01, ABT-03, MAY-02, WAG-02, TRA-05, TRA-12
    if is_abandoned(s, figure):
        return True
    entry = i8(s.features[feature_of(s, segment)].figure)
    if entry == NO_FIGURE:
        return True
    other = entry
    for _ in range(MAX_FIGURES):
        if other == figure:
            return False
        other = i8(s.figures[other].next)
        if other == NO_FIGURE:
            return True
    return True


@kernel(b1(State, i8))
def has_wrong_supply(s, seat):
    """Supply and board must add up to what the seat owns."""
    for kind in range(codes.N_FIGURES):
        n_out = 0
        for slot in range(SLOTS_PER_SEAT):
            is_out = i8(s.figures[seat * SLOTS_PER_SEAT + slot].segment) != NO_SEGMENT
            n_out += FIGURE_SLOTS[slot] == kind and is_out
        if n_out + i8(s.players[seat].supply[kind]) != i8(s.rules.owned[kind]):
            return True
    return False


@kernel(b1(State))
def has_wrong_figures(s):
    """No figure is lost or doubled, and all stand where they may."""
    for seat in range(i8(s.rules.n_players)):
        if has_wrong_supply(s, seat):
            return True
    for figure in range(MAX_FIGURES):
        if i8(s.figures[figure].segment) != NO_SEGMENT:
            if seat_of(figure) >= i8(s.rules.n_players) or is_misplaced(s, figure):
                return True
    return False


@kernel(b1(State))
def has_wrong_abbeys(s):
    """Every seat's abbeys are in hand or on the board (ABB-01, ABB-06)."""
    n = 0
    for seat in range(i8(s.rules.n_players)):
        n += i8(s.players[seat].abbeys)
    for tile in range(i8(s.n_tiles)):
        n += i8(s.tiles[tile].design) == ABBEY_DESIGN
    return n != i8(s.rules.abbeys) * i8(s.rules.n_players)


@kernel(i8(State, i8))
def count_used(s, design):
    """How many tiles of a design are on the board, in hand or on offer."""
    n = i8(i8(s.hand) == design)
    for tile in range(i8(s.n_tiles)):
        n += i8(PRINTED[i8(s.tiles[tile].design)]) == design
    for lot in range(MAX_PLAYERS):
        n += i8(s.bazaar.lots[lot].design) == design
    return n


@kernel(i8(State))
def n_on_offer(s):
    """How many tiles lie in the bazaar."""
    n = 0
    for lot in range(MAX_PLAYERS):
        n += i8(s.bazaar.lots[lot].design) != NO_DESIGN
    return n


@kernel(b1(State))
def has_wrong_tiles(s):
    """Bag and drawn tiles make up the set; what is on the board and in hand has been drawn."""
    n_in_all = 0
    for design in range(ABBEY_DESIGN):
        n_in_all += i8(s.rules.copies[design])
    n_used_in_all = count_used(s, ABBEY_DESIGN)
    for design in range(ABBEY_DESIGN):
        if i8(s.rules.copies[design]) == 0:
            continue
        # The start tile is never in the bag and always on the board.
        n_copies = n_drawn = i8(design == i8(s.rules.start_design))
        for i in range(n_in_all - 1):
            n_copies += i8(s.bag[i]) == design
            n_drawn += i8(s.bag[i]) == design and i >= i8(s.n_bag)
        n_used = count_used(s, design)
        n_used_in_all += n_used
        if n_copies != i8(s.rules.copies[design]) or n_used > n_drawn:
            return True
    return n_used_in_all != i8(s.n_tiles) + (i8(s.hand) != NO_DESIGN) + n_on_offer(s)


@kernel(b1(State))
def has_wrong_stock(s):
    """Bridges in hand and on the board add up; nobody has more tokens than he began with."""
    n_bridges, n_tokens = 0, i8(s.n_castles)
    for seat in range(i8(s.rules.n_players)):
        bridges, tokens = i8(s.players[seat].bridges), i8(s.players[seat].tokens)
        n_bridges += bridges
        n_tokens += tokens
        if not 0 <= bridges <= i8(s.rules.bridges) or not 0 <= tokens <= i8(s.rules.tokens):
            return True
    for tile in range(i8(s.n_tiles)):
        n_bridges += bridge_on(s, tile) != NO_AXIS
    return n_bridges != i8(s.rules.bridges) * i8(s.rules.n_players) or n_tokens > i8(
        s.rules.tokens
    ) * i8(s.rules.n_players)


@kernel(b1(State))
def has_wrong_goods(s):
    """Nobody has tokens for symbols that are in no complete city (TRA-01, TRA-03)."""
    for good in range(codes.N_GOODS):
        n_tokens, n_symbols = 0, 0
        for seat in range(i8(s.rules.n_players)):
            n = i8(s.players[seat].goods[good])
            if n < 0:
                return True
            n_tokens += n
        for tile in range(i8(s.n_tiles)):
            placed = s.tiles[tile]
            first = i8(placed.first_segment)
            for j in range(i8(N_SEGMENTS[i8(placed.design)])):
                if i8(GOOD[i8(placed.design), j]) == good:
                    city = feature_of(s, first + j)
                    n_symbols += kind_of(s, city) == codes.CITY and is_complete(s, city)
        if n_tokens > n_symbols * i8(s.rules.goods):
            return True
    return False


@kernel(b1(State))
def has_wrong_castles(s):
    """Every castle consists of two caps, is listed once and holds points only while they score."""
    n = 0
    for feature in range(i8(s.n_segments)):
        is_castle = i8(s.features[feature].kind) == codes.CASTLE
        n += is_castle and i8(s.features[feature].n_segments) > 0
    for castle in range(i8(s.n_castles)):
        segment = i8(s.castles[castle].segment)
        feature = s.features[feature_of(s, segment)]
        both = is_cap(s, segment) and is_cap(s, i8(s.segments[segment].next))
        if i8(feature.kind) != codes.CASTLE or i8(feature.n_segments) != 2 or not both:
            return True
        if i8(feature.n_open) != 0 or castle_of(s, feature_of(s, segment)) != castle:
            return True
        points, is_done = i8(s.castles[castle].points), not waits(s, castle)
        if points < 0 or (points > 0 and (i8(s.phase) != codes.CASTLE_CHOICE or not is_done)):
            return True
        if is_new(s, castle) and i8(s.phase) in (codes.ACTION, codes.ASK_BRIDGE):
            return True
    if i8(s.phase) == codes.CASTLE_CHOICE and i8(s.town) != NO_SEGMENT and not is_lords_choice(s):
        return True
    return n != i8(s.n_castles)


@kernel(b1(State))
def is_auction(s):
    """Tell whether tiles are being auctioned."""
    phase = i8(s.phase)
    is_sale = phase in (codes.BAZAAR_BID, codes.BAZAAR_DEAL)
    return is_sale or (phase == codes.BAZAAR_PICK and i8(s.bazaar.takes) == 0)


@kernel(i8(State, i8))
def n_owned(s, seat):
    """How many tiles in the bazaar belong to a seat."""
    n = 0
    for lot in range(i8(s.rules.n_players)):
        n += i8(s.bazaar.lots[lot].owner) == seat
    return n


@kernel(b1(State))
def has_wrong_offer(s):
    """In an auction nobody owns two tiles; then every seat still to place a tile has one (BAZ-11).

    Without auction nobody owns any (BAZ-23).
    """
    n_seats = i8(s.rules.n_players)
    n_to_place = order_of(s, i8(s.bazaar.starter))
    n_all = 0
    for seat in range(n_seats):
        n = n_owned(s, seat)
        n_all += n
        has_to_place = 0 < order_of(s, seat) <= n_to_place
        if is_auction(s):
            is_wrong = n > 1
        else:
            is_wrong = n != (has_to_place and i8(s.bazaar.takes) == 0)
        if is_wrong:
            return True
    if is_auction(s):
        return n_on_offer(s) != n_seats or n_all > n_seats - 2
    return n_on_offer(s) != n_to_place + (i8(s.phase) == codes.BAZAAR_PICK)


@kernel(b1(State))
def has_wrong_bids(s):
    """Chooser, bidder and who is asked have no tile and bid clockwise from the chooser (BAZ-05)."""
    chooser, bidder, decider = i8(s.bazaar.chooser), i8(s.bazaar.bidder), i8(s.decider)
    phase, price = i8(s.phase), i8(s.bazaar.price)
    if n_owned(s, chooser) + n_owned(s, decider) > 0:
        return True
    if bidder == NO_SEAT:
        return decider != chooser or phase == codes.BAZAAR_DEAL or price != 0
    limit = i8(s.rules.bid_limit)
    if i8(s.rules.forbids_overbids) != 0:
        limit = min(limit, max(0, i8(s.players[bidder].score)))
    if n_owned(s, bidder) > 0 or not 0 <= price <= limit or phase == codes.BAZAAR_PICK:
        return True
    if phase == codes.BAZAAR_DEAL:
        return decider != chooser or bidder == chooser
    return places_between(s, chooser, decider) <= places_between(s, chooser, bidder)


@kernel(b1(State))
def has_rests_of_bazaar(s):
    """Between bazaars nothing is on offer, owned or waiting."""
    for lot in range(MAX_PLAYERS):
        if i8(s.bazaar.lots[lot].owner) != NO_SEAT:
            return True
    has_sale = i8(s.bazaar.chooser) != NO_SEAT or i8(s.bazaar.bidder) != NO_SEAT
    has_sale |= i8(s.is_bought) != 0 or i8(s.bazaar.owed_part) != NO_TILE
    return has_sale or n_on_offer(s) != 0 or i8(s.bazaar.n_delayed) != 0


@kernel(b1(State))
def has_wrong_face_down(s):
    """Tiles that lie face down belong to nobody, and their bazaar to the turn player (BAZ-21)."""
    for seat in range(i8(s.rules.n_players)):
        if n_owned(s, seat) > 0:
            return True
    starter, is_second = i8(s.bazaar.starter), i8(s.first_part) != NO_TILE
    if starter != i8(s.turn_player) or starter != i8(s.bazaar.resumes) or not is_second:
        return True
    has_sale = i8(s.bazaar.chooser) != NO_SEAT or i8(s.bazaar.lot) != NO_LOT
    return has_sale or i8(s.rules.builder_first) == 0 or n_on_offer(s) != i8(s.rules.n_players)


@kernel(b1(State))
def has_wrong_bazaar(s):
    """Compare the bazaar with the phase: who chooses, which tile is for sale, and its price."""
    phase = i8(s.phase)
    is_choice = codes.BAZAAR_PICK <= phase <= codes.BAZAAR_DEAL
    if i8(s.bazaar.starter) == NO_SEAT:
        return is_choice or has_rests_of_bazaar(s)
    if i8(s.bazaar.waits) != 0:
        return is_choice or has_wrong_face_down(s)
    is_sale = phase in (codes.BAZAAR_BID, codes.BAZAAR_DEAL)
    takes = i8(s.bazaar.takes) != 0
    is_bought_turn = i8(s.first_part) == NO_TILE
    if phase == codes.GAME_OVER or (phase == codes.DRAW_OR_ABBEY and is_bought_turn):
        return True
    if takes and is_sale:
        return True
    if i8(s.last_round) != NO_ROUND or (is_choice and i8(s.is_bought) != 0):
        return True
    may_take = i8(s.rules.bazaar_takes) != 0 or i8(s.rules.forbids_overbids) != 0
    if takes != may_take and (takes or i8(s.rules.bazaar_takes) != 0):
        return True
    if is_auction(s) != (i8(s.bazaar.chooser) != NO_SEAT):
        return True
    if is_sale != (i8(s.bazaar.lot) != NO_LOT) or has_wrong_offer(s):
        return True
    if not is_auction(s):
        has_bid = i8(s.bazaar.bidder) != NO_SEAT or i8(s.bazaar.price) != 0
        return has_bid or (is_choice and i8(s.decider) != i8(s.turn_player))
    if is_sale and not is_for_sale(s, i8(s.bazaar.lot)):
        return True
    return i8(s.turn_player) != i8(s.bazaar.starter) or has_wrong_bids(s)


@kernel(b1(State))
def leaves_view(s):
    """Tell whether a tile lies outside of the view."""
    for tile in range(i8(s.n_tiles)):
        if not in_view(s, i8(s.tiles[tile].cell)):
            return True
    return False


@kernel(b1(State))
def has_wrong_part(s):
    """Second parts belong to builders, and there is one at most in a turn (TRA-07, TRA-08)."""
    phase, is_second = i8(s.phase), i8(s.first_part) != NO_TILE
    has_owed = i8(s.bazaar.owed_part) != NO_TILE or i8(s.bazaar.waits) != 0
    is_extended = i8(s.extends) != 0
    if i8(s.rules.owned[codes.BUILDER]) == 0:
        return is_second or is_extended or has_owed
    has_placed = codes.ACTION <= phase <= codes.WAGON_SPOT
    has_acted = codes.ASK_CASTLE <= phase <= codes.WAGON_SPOT
    if is_second and (phase >= codes.BAZAAR_PICK or i8(s.is_bought) != 0):
        return True
    if is_extended and (is_second or not has_acted):
        return True
    n_before = i8(s.n_tiles) - has_placed
    return i8(s.first_part) >= n_before or i8(s.bazaar.owed_part) >= i8(s.n_tiles)


@kernel(b1(State))
def has_wrong_turn(s):
    """Compare the phase with the tile in hand, the players and the bag."""
    phase, n_players = i8(s.phase), i8(s.rules.n_players)
    if not (0 <= i8(s.turn_player) < n_players and 0 <= i8(s.decider) < n_players):
        return True
    if phase == codes.GAME_OVER and i8(s.n_bag) != 0:
        return True
    moves_wagon = phase in (codes.WAGON_MOVE, codes.WAGON_SPOT)
    if moves_wagon and i8(s.players[i8(s.decider)].wagon_from) == NO_SEGMENT:
        return True
    if (phase == codes.WAGON_SPOT) != (i8(s.wagon_cell) != NO_CELL):
        return True
    may_wait = moves_wagon or phase in (codes.ASK_CASTLE, codes.CASTLE_CHOICE)
    for seat in range(n_players):
        waits = i8(s.players[seat].wagon_from) != NO_SEGMENT
        if waits and (not may_wait or i8(s.players[seat].supply[codes.WAGON]) == 0):
            return True
    if (phase in (codes.ASK_CASTLE, codes.CASTLE_CHOICE)) != (i8(s.town) != NO_SEGMENT):
        return True
    is_placing = phase in (codes.ACTION, codes.ASK_BRIDGE)
    if i8(s.has_bridged) != 0 and not is_placing and i8(s.rules.one_bridge_a_turn) == 0:
        return True
    if has_wrong_part(s):
        return True
    if i8(s.has_bridged) > i8(s.rules.bridges) - i8(s.players[i8(s.turn_player)].bridges):
        return True
    if i8(s.last_round) != NO_ROUND and phase != codes.GAME_OVER:
        is_played = i8(s.rules.abbeys) > 0 and i8(s.n_bag) == 0
        if not is_played or not 0 <= i8(s.last_round) < n_players:
            return True
    return (phase == codes.PLACE_TILE) != (i8(s.hand) != NO_DESIGN)


@kernel(b1(State))
def has_unscored(s):
    """After the figure phase no complete feature holds figures, no barn's field farmers."""
    for figure in range(MAX_FIGURES):
        segment = i8(s.figures[figure].segment)
        if segment == NO_SEGMENT:
            continue
        feature = feature_of(s, segment)
        has_barn = find_figure(s, feature, ANY, codes.BARN) != NO_FIGURE
        has_farmer = has_barn and find_figure(s, feature, ANY, NO_BARN) != NO_FIGURE
        if is_complete(s, feature) or has_farmer:
            return i8(s.phase) not in (codes.ACTION, codes.ASK_BRIDGE, codes.ASK_CASTLE)
    return False


@kernel(i8(State))
def find_problems(s):
    """Return the sum of the :class:`Problem` flags that apply; 0 for a sound state."""
    found = 0
    if has_mismatched_edges(s):
        found |= EDGE_PROBLEM
    if has_wrong_frontier(s):
        found |= FRONTIER_PROBLEM
    if has_wrong_features(s):
        found |= FEATURE_PROBLEM
    if has_wrong_figures(s):
        found |= FIGURE_PROBLEM
    if has_wrong_tiles(s) or has_wrong_abbeys(s):
        found |= TILE_PROBLEM
    if has_wrong_stock(s) or has_wrong_goods(s):
        found |= STOCK_PROBLEM
    if has_wrong_castles(s):
        found |= CASTLE_PROBLEM
    if has_wrong_bazaar(s):
        found |= BAZAAR_PROBLEM
    if leaves_view(s):
        found |= VIEW_PROBLEM
    if has_wrong_turn(s):
        found |= TURN_PROBLEM
    if has_unscored(s):
        found |= UNSCORED_PROBLEM
    for word in range(s.seen.shape[0]):
        if i8(s.seen[word]) != 0:
            found |= SCRATCH_PROBLEM
    return found
