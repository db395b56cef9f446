"""The Russian promos: a hut and two traps ([rules](../rules/russian-promos.md)).

Figures in traps stand on no segment. The record stores their number by seat and kind, since no rule
distinguishes a seat's equal figures. The hut is scored together with monasteries.
"""

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import DONE
from carc_env.engine.core.bitset import Bits, add, has
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Block, Figure, Kind
from carc_env.engine.core.elsewhere import add_once, clear_top, let_go, n_trapped, trap_at
from carc_env.engine.core.features import (
    cell_of,
    feature_of,
    kind_of,
    list_ways_on,
    segment_beside,
)
from carc_env.engine.core.fief import touches
from carc_env.engine.core.figures import figure_kind, is_lord_of, is_meeple, seat_of, take_off
from carc_env.engine.core.moments import (
    bars_figures,
    do_action,
    dragon_moved,
    end_projected,
    figure_removed,
    figures_away,
    game_ends,
    meeple_leaves,
    meeples_joined,
    offer_figure,
    tile_laid,
    tile_placed,
)
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.sizes import MAX_SEGMENTS, N_WORDS
from carc_env.engine.core.state import (
    MAX_FIGURES,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import SEGMENT_SIDES, SIDE_SEGMENT
from carc_env.sets.russian_promos.record import (
    ALL,
    N_CAUGHT,
    N_TRAPS,
    NO_TRAP,
    TRAP,
    TREE,
    WATER,
)

POINTS_IN_WATER = 2  # RUS-13
LAST_OF_ALL = len(Figure)
"""Rank of actions that replace placing a figure on the tile just placed."""
BEHIND_OTHERS = 2
"""Rank of traps after a tile's other effects, and of losses after points."""


# The tree, and its road.


@kernel(i8(State))
def road_of_tree(s):
    """Return the road behind the tree, or NO_SEGMENT before its tile is placed (RUS-06)."""
    tile = s.traps[TREE]
    return NO_SEGMENT if tile == NO_TILE else feature_of(s, s.tiles[tile].first_segment)


@kernel(i8(State, i8))
def n_on(s, feature):
    """Return how many figures stand on a feature."""
    entry, n = s.features[feature].figure, 0
    figure = entry
    while figure != NO_FIGURE:
        n += 1
        figure = s.figures[figure].next
        if figure == entry:
            break
    return n


@at(tile_laid, "russian_promos")
@kernel(void(State, i8))
def note_trap(s, tile):
    """Record the trap on a new tile; the tree spares no figure on a road that grows (RUS-07)."""
    placed = s.tiles[tile]
    trap = TRAP[placed.design]
    if trap != NO_TRAP:
        s.traps[trap] = tile
    if s.spared == 0:
        return
    for side in range(N_SIDES):
        if SIDE_SEGMENT[placed.design, placed.rotation, side] < 0:
            continue
        beside = segment_beside(s, placed.cell, side)
        if beside != NO_SEGMENT and feature_of(s, beside) == road_of_tree(s):
            s.spared = 0


@at(figure_removed, "russian_promos")
@kernel(void(State, i8))
def forget_spared(s, figure):
    """Forget a spared figure that leaves the tree's road."""
    if s.spared > 0 and feature_of(s, s.figures[figure].segment) == road_of_tree(s):
        s.spared = min(s.spared, n_on(s, road_of_tree(s)))


# Figures that the traps take.


@kernel(void(State, i8, i8))
def keep(s, figure, trap):
    """Put a figure that has just come home into a trap."""
    seat, kind = seat_of(figure), figure_kind(figure)
    s.players[seat].supply[kind] -= 1
    s.players[seat].trapped[trap, kind] += 1


@kernel(void(State, i8, i8))
def catch(s, figure, trap):
    """Take a figure into a trap; a builder or pig left alone goes home (RUS-08, RUS-09).

    First note whether the tile extends the builder's feature (XW-02).
    """
    meeple_leaves(s)
    take_off(s, figure)
    keep(s, figure, trap)


@kernel(i8(State, Bits, i8, i8[::1]))
def list_standing(s, segments, n, figures):
    """Add the figures on some segments to n figures; return how many there are then."""
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and has(segments, segment):
            n = add_once(figure, n, figures)
    return n


@kernel(i8(State, i8, i8, i8[::1]))
def list_nearest_from(s, first, n, figures):
    """Add the nearest figures on a road, from a segment away from the tree, to n figures.

    If the road branches, all figures at the same distance count. Return how many figures there are
    then (RUS-07).
    """
    ways, seen = room_for(MAX_SEGMENTS), words_for(N_WORDS)
    add(seen, s.tiles[s.traps[TREE]].first_segment)
    add(seen, first)
    ways[0], begin, end = first, 0, 1
    while begin < end:
        here = words_for(N_WORDS)
        for k in range(begin, end):
            add(here, ways[k])
        n_found = list_standing(s, here, n, figures)
        if n_found > n:
            return n_found
        n_ways = end
        for k in range(begin, end):
            n_ways = list_ways_on(s, ways[k], seen, n_ways, ways)
        begin, end = end, n_ways
    return n


@kernel(i8(State, i8[::1]))
def list_nearest(s, figures):
    """Write the figures that the tree takes: those at it, or the nearest each way (RUS-07)."""
    tile, here = s.tiles[s.traps[TREE]], words_for(N_WORDS)
    add(here, tile.first_segment)
    n = list_standing(s, here, 0, figures)
    if n > 0:
        return n
    for side in range(N_SIDES):
        if SEGMENT_SIDES[tile.design, tile.rotation, 0] >> side & 1 != 0:
            beside = segment_beside(s, tile.cell, side)
            if beside != NO_SEGMENT:
                n = list_nearest_from(s, beside, n, figures)
    return n


@kernel(i8(State, i8, i8[::1]))
def list_all(s, road, figures):
    """Write all figures on a road; return how many."""
    entry, n = s.features[road].figure, 0
    figure = entry
    while figure != NO_FIGURE:
        figures[n] = figure
        n += 1
        figure = s.figures[figure].next
        if figure == entry:
            break
    return n


@kernel(void(State))
def take_from_road(s):
    """Let the tree take figures if its road has grown or a figure came (RUS-06 to RUS-08).

    Builders are taken first: without their meeples, they would go home.
    """
    road = road_of_tree(s)
    if road == NO_SEGMENT or n_on(s, road) <= s.spared:
        s.spared = 0 if road == NO_SEGMENT else n_on(s, road)
        return
    figures = room_for(MAX_FIGURES)
    takes_all = s.rules.russian_promos == ALL
    n = list_all(s, road, figures) if takes_all else list_nearest(s, figures)
    for k in range(n):
        if figure_kind(figures[k]) == Figure.BUILDER:
            catch(s, figures[k], TREE)
    for k in range(n):
        if is_meeple(figures[k]):
            catch(s, figures[k], TREE)
    s.spared = n_on(s, road)


@kernel(void(State, i8))
def take_from_tower(s, tower):
    """Let Vodyanoy take the meeple on a tower, which reopens (RUS-09)."""
    top = s.towers[tower]
    s.players[top.seat].trapped[WATER, top.figure] += 1
    clear_top(s, tower)


@kernel(void(State))
def take_from_neighbours(s):
    """Let Vodyanoy take all meeples except lords around its tile (RUS-09)."""
    if s.traps[WATER] == NO_TILE:
        return
    cell = s.tiles[s.traps[WATER]].cell
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        segment = s.figures[figure].segment
        if segment == NO_SEGMENT or kind_of(s, segment) == Kind.CASTLE:
            continue
        if is_meeple(figure) and not is_lord_of(s, figure, feature_of(s, segment)):
            if cell_of(s, segment) != cell and touches(cell_of(s, segment), cell):
                catch(s, figure, WATER)
    for tower in range(s.n_towers):
        if s.towers[tower].figure != NO_FIGURE:
            if touches(s.tiles[s.towers[tower].tile].cell, cell):
                take_from_tower(s, tower)


@at(meeples_joined, "russian_promos")
@at(tile_placed, "russian_promos", BEHIND_OTHERS)
@kernel(void(State))
def spring_traps(s):
    """Trigger both traps: after a tile, and after each figure and what follows it (RUS-10).

    If both can reach a figure, the one that was placed first takes it.
    """
    is_tree_first = s.traps[TREE] < s.traps[WATER]
    if is_tree_first:
        take_from_road(s)
    take_from_neighbours(s)
    if not is_tree_first:
        take_from_road(s)


# Vodyanoy's tile.


@at(bars_figures, "russian_promos")
@kernel(i8(State))
def is_in_water(s):
    """Return whether the tile just placed is Vodyanoy's: only a barn may go there (RUS-14)."""
    return s.traps[WATER] == s.n_tiles - 1


# Leaving a trap.


@kernel(i8(State, i8, i8, i8, i8[::1]))
def offer_kinds(s, trap, first, n, actions):
    """Add the kinds of the decider's figures in a trap, unless it was just placed (RUS-12)."""
    if s.traps[trap] == s.n_tiles - 1:
        return n
    for kind in range(N_CAUGHT):
        if s.players[s.decider].trapped[trap, kind] > 0:
            actions[n] = first + kind
            n += 1
    return n


@at(offer_figure, "russian_promos", LAST_OF_ALL)
@kernel(i8(State, i8, i8[::1]))
def offer_release(s, n, actions):
    """Add the decider's figures in traps, which may come home instead of a placement (RUS-11)."""
    n = offer_kinds(s, TREE, s.rules.first_action[Block.FREE_TREE], n, actions)
    return offer_kinds(s, WATER, s.rules.first_action[Block.FREE_WATER], n, actions)


@at(do_action, key=Block.FREE_TREE)
@kernel(i8(State, i8))
def free_from_tree(s, action):
    """Free one of the decider's figures from the tree."""
    let_go(s, s.decider, TREE, action - s.rules.first_action[Block.FREE_TREE])
    return DONE


@at(do_action, key=Block.FREE_WATER)
@kernel(i8(State, i8))
def free_from_water(s, action):
    """Free one of the decider's figures from the water."""
    let_go(s, s.decider, WATER, action - s.rules.first_action[Block.FREE_WATER])
    return DONE


@at(dragon_moved, "russian_promos")
@kernel(void(State))
def eat_trapped(s):
    """Let the dragon eat all figures in a trap on its tile (RUS-15)."""
    trap = trap_at(s, s.dragon)
    if trap == NO_TRAP:
        return
    for seat in range(s.rules.n_players):
        for kind in range(N_CAUGHT):
            if kind != Figure.WAGON or s.rules.wagon_safe == 0:  # HOUSE-03
                while s.players[seat].trapped[trap, kind] > 0:
                    let_go(s, seat, trap, kind)


# End of the game.


@kernel(i8(State, i8, i8))
def lost_in_water(s, seat, points):
    """Return the points that a seat with a given score loses for meeples in the water (RUS-13)."""
    lost = POINTS_IN_WATER * n_trapped(s, WATER, seat)
    return min(lost, max(points, 0)) if s.rules.score_floor != 0 else lost


@at(game_ends, "russian_promos", BEHIND_OTHERS)
@kernel(void(State))
def score_water(s):
    """Subtract points for meeples in the water at the end of the game (RUS-13)."""
    for seat in range(s.rules.n_players):
        lost = lost_in_water(s, seat, s.players[seat].score)
        if lost > 0:
            award_for(s, Kind.TRAP, seat, -lost, NO_SEGMENT)


@at(end_projected, "russian_promos", BEHIND_OTHERS)
@kernel(void(State, i8[::1]))
def take_for_water(s, points):
    """Subtract what meeples in the water would cost at the end (RUS-13)."""
    for seat in range(s.rules.n_players):
        points[seat] -= lost_in_water(s, seat, points[seat])


# Invariants.


@at(figures_away, "russian_promos")
@kernel(i8(State, i8, i8))
def n_away(s, seat, kind):
    """Return how many figures of a kind a seat has in traps."""
    n = 0
    if kind < N_CAUGHT:
        for trap in range(N_TRAPS):
            n += s.players[seat].trapped[trap, kind]
    return n
