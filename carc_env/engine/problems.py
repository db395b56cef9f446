"""What is wrong with a state: everything that the engine keeps up to date, counted anew."""

from enum import IntFlag

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel
from carc_env.engine.board import N_SIDES, STEP, in_view, tile_at
from carc_env.engine.expansions.barn import corner_field
from carc_env.engine.features import N_NEIGHBOURS, feature_of, is_complete, kind_of, neighbour
from carc_env.engine.figures import MAY_STAND, figure_kind, find_figure, seat_of
from carc_env.engine.state import (
    BOARD,
    FIGURE_SLOTS,
    MAX_FIGURES,
    NO_CELL,
    NO_DESIGN,
    NO_FIGURE,
    NO_ROUND,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.tiles import ABBEY_DESIGN, EDGES, SEGMENT_SIDES, SHIELDS, START_DESIGN


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


EDGE_PROBLEM, FRONTIER_PROBLEM, FEATURE_PROBLEM, FIGURE_PROBLEM = 1, 2, 4, 8
TILE_PROBLEM, VIEW_PROBLEM, TURN_PROBLEM, UNSCORED_PROBLEM, SCRATCH_PROBLEM = 16, 32, 64, 128, 256


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
def is_miscounted(s, feature):
    """Count a feature by walking through its segments."""
    n_segments, n_tiles, n_open, shields = 0, 0, 0, 0
    segment = feature
    is_field = i8(s.features[feature].kind) == codes.FIELD
    while n_segments <= i8(s.n_segments):
        placed = s.tiles[i8(s.segments[segment].tile)]
        if feature_of(s, segment) != feature:
            return True
        if kind_of(s, segment) != i8(s.features[feature].kind):
            return True
        n_segments += 1
        n_open += count_open(s, segment)
        shields += i8(SHIELDS[i8(placed.design), segment - i8(placed.first_segment)])
        n_tiles += not is_field and is_first_of_its_tile(s, feature, segment)
        segment = i8(s.segments[segment].next)
        if segment == feature:
            break
    return (
        n_segments != i8(s.features[feature].n_segments)
        or n_open != i8(s.features[feature].n_open)
        or shields != i8(s.features[feature].shields)
        or (not is_field and n_tiles != i8(s.features[feature].n_tiles))
    )


@kernel(b1(State))
def has_wrong_features(s):
    """Count all features; every segment must belong to exactly one."""
    n_segments = 0
    for feature in range(i8(s.n_segments)):
        if i8(s.features[feature].n_segments) > 0:
            n_segments += i8(s.features[feature].n_segments)
            if is_miscounted(s, feature):
                return True
    return n_segments != i8(s.n_segments)


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
    elif not MAY_STAND[figure_kind(figure), kind_of(s, segment)]:
        return True  # GAR-01, ABT-03, MAY-02, WAG-02
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
    """How many tiles of a design are on the board or in hand."""
    n = i8(i8(s.hand) == design)
    for tile in range(i8(s.n_tiles)):
        n += i8(s.tiles[tile].design) == design
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
        n_copies = n_drawn = i8(design == START_DESIGN)
        for i in range(n_in_all - 1):
            n_copies += i8(s.bag[i]) == design
            n_drawn += i8(s.bag[i]) == design and i >= i8(s.n_bag)
        n_used = count_used(s, design)
        n_used_in_all += n_used
        if n_copies != i8(s.rules.copies[design]) or n_used > n_drawn:
            return True
    return n_used_in_all != i8(s.n_tiles) + (i8(s.hand) != NO_DESIGN)


@kernel(b1(State))
def leaves_view(s):
    """Tell whether a tile lies outside of the view."""
    for tile in range(i8(s.n_tiles)):
        if not in_view(s, i8(s.tiles[tile].cell)):
            return True
    return False


@kernel(b1(State))
def has_wrong_turn(s):
    """Compare the phase with the tile in hand, the players and the bag."""
    phase, n_players = i8(s.phase), i8(s.rules.n_players)
    if not (0 <= i8(s.turn_player) < n_players and 0 <= i8(s.decider) < n_players):
        return True
    if phase == codes.GAME_OVER and i8(s.n_bag) != 0:
        return True
    moves_wagon = phase in (codes.WAGON_MOVE, codes.WAGON_SPOT)
    if moves_wagon != (i8(s.players[i8(s.decider)].wagon_from) != NO_SEGMENT):
        return True
    if (phase == codes.WAGON_SPOT) != (i8(s.wagon_cell) != NO_CELL):
        return True
    for seat in range(n_players):
        waits = i8(s.players[seat].wagon_from) != NO_SEGMENT
        if waits and (not moves_wagon or i8(s.players[seat].supply[codes.WAGON]) == 0):
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
        has_barn = find_figure(s, feature, True) != NO_FIGURE
        has_farmer = has_barn and find_figure(s, feature, False) != NO_FIGURE
        if is_complete(s, feature) or has_farmer:
            return i8(s.phase) != codes.ACTION
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
