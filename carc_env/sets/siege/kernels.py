"""Sieges: the points of a besieged city, and escapes from it ([rules](../rules/siege.md)).

A city does not store its siege: callers check each of its tiles.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import END, PENDING, add_pass
from carc_env.engine.core.bitset import add
from carc_env.engine.core.board import N_SIDES, cell_around, cell_of_place
from carc_env.engine.core.codes import N_MEEPLES, Block, Kind, Phase
from carc_env.engine.core.elsewhere import add_cell, forget_cell, spot_of
from carc_env.engine.core.features import cell_of, feature_of, is_complete, tile_of
from carc_env.engine.core.figures import figure_kind, is_meeple, take_off
from carc_env.engine.core.moments import answered, feature_valued, offer, points_of_field
from carc_env.engine.core.rivals import building_at
from carc_env.engine.core.sizes import N_WORDS
from carc_env.engine.core.state import NO_FIGURE, NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import CITIES_TOUCHED, IS_BESIEGED, NO_BUILDING

N_CELLS = 9
N_ESCAPES = N_MEEPLES * N_SIDES
"""Size of the block of escape actions: kinds of meeples times the sides that name a city."""


@kernel(b1(State, i8))
def shows_siege(s, tile):
    """Return whether a tile's city is besieged, and with it every city that it joins (SIE-02)."""
    return IS_BESIEGED[s.tiles[tile].design]


@kernel(b1(State, i8))
def is_besieged(s, city):
    """Return whether any of a city's tiles shows the siege (SIE-02)."""
    segment = city
    while not shows_siege(s, tile_of(s, segment)):
        segment = s.segments[segment].next
        if segment == city:
            return False
    return True


# Points of besieged cities.


@at(feature_valued, "siege")
@kernel(i8(State, i8, i8))
def lose_points(s, feature, n):
    """Subtract a point for each tile and coat of arms in a besieged city (SIE-03 to SIE-05)."""
    is_road = s.features[feature].kind == Kind.ROAD
    if n == 0 or is_road or not is_besieged(s, feature):
        return n
    return n - s.features[feature].n_tiles - s.features[feature].shields


@kernel(i8(State, i8))
def n_besieged(s, field):
    """Return how many complete besieged cities border a field, not counting castles (SIE-07)."""
    counted = words_for(N_WORDS)
    n, segment = 0, field
    while True:
        tile = s.tiles[tile_of(s, segment)]
        city = tile.first_segment
        touched = CITIES_TOUCHED[tile.design, segment - city]
        while touched != 0:
            beside = feature_of(s, city)
            if touched & 1 and is_complete(s, beside) and add(counted, beside):
                n += is_besieged(s, beside)
            touched >>= 1
            city += 1
        segment = s.segments[segment].next
        if segment == field:
            return n


@at(points_of_field, "siege")
@kernel(i8(State, i8, i8, i8))
def double_besieged(s, field, each, more):
    """Double the points of besieged cities for a field by adding them again (SIE-06, SIE-08)."""
    if s.features[field].shields == 0:
        return 0
    return n_besieged(s, field) * (each if s.rules.siege_without_pigs != 0 else each + more)


# Escapes.


@kernel(b1(State, i8))
def is_near_monastery(s, tile):
    """Return whether there is a monastery on a tile or around it (SIE-10 to SIE-13)."""
    for i in range(N_CELLS):
        if building_at(s, cell_around(s.tiles[tile].cell, i)) != NO_BUILDING:
            return True
    return False


@kernel(b1(State, i8))
def has_way_out(s, city):
    """Return whether a city is besieged, with a monastery where knights can reach it (SIE-10)."""
    is_city_besieged, leads_out, segment = False, False, city
    while True:
        tile = tile_of(s, segment)
        shows = shows_siege(s, tile)
        is_city_besieged |= shows
        if not leads_out and (shows or s.rules.escapes_anywhere != 0):
            leads_out = is_near_monastery(s, tile)
        segment = s.segments[segment].next
        if segment == city:
            return is_city_besieged and leads_out


@kernel(b1(State, i8))
def may_escape(s, figure):
    """Return whether a figure is a meeple in a besieged city with a way out (SIE-16, SIE-19)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    feature = feature_of(s, segment)
    return s.features[feature].kind == Kind.CITY and has_way_out(s, feature)


@kernel(i8(State, i8))
def escape_action(s, figure):
    """Return the action that lets a knight escape from the chosen cell."""
    spot = spot_of(s, s.figures[figure].segment)
    return s.rules.first_action[Block.ESCAPE] + N_SIDES * figure_kind(figure) + spot


@kernel(i8(State, i8[::1]))
def offer_knights(s, actions):
    """Write the cells from which the turn player's knights can escape; return how many."""
    first, n = SLOTS_PER_SEAT * s.turn_player, 0
    for figure in range(first, first + SLOTS_PER_SEAT):
        if may_escape(s, figure):
            n = add_cell(s, cell_of(s, s.figures[figure].segment), n, actions)
    return n


@at(offer, key=Phase.ESCAPE)
@kernel(i8(State, i8[::1]))
def offer_escape(s, actions):
    """Write the cells from which a knight can escape, and passing (SIE-09)."""
    return add_pass(s, offer_knights(s, actions), actions)


@kernel(i8(State, i8))
def knight_of(s, action):
    """Return the knight on the chosen cell that an action lets escape, or NO_FIGURE."""
    first = SLOTS_PER_SEAT * s.turn_player
    for figure in range(first, first + SLOTS_PER_SEAT):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and cell_of(s, segment) == s.chosen_cell:
            if may_escape(s, figure) and escape_action(s, figure) == action:
                return figure
    return NO_FIGURE


@at(offer, key=Phase.ESCAPE_SPOT)
@kernel(i8(State, i8[::1]))
def offer_spots(s, actions):
    """Write which knights can escape from the chosen cell; equal ones in a city share an action."""
    first, n = s.rules.first_action[Block.ESCAPE], 0
    for action in range(first, first + N_ESCAPES):
        if knight_of(s, action) != NO_FIGURE:
            actions[n] = action
            n += 1
    return n


@kernel(b1(State))
def ask_to_escape(s):
    """At the end of this part, ask the turn player whether a knight escapes (SIE-09, SIE-17).

    A switch can exclude the first part of a turn that has a second part (SIE-15).
    """
    if s.rules.escapes_last != 0 and s.extends != 0 and s.first_part == NO_TILE:
        return False
    if offer_knights(s, room_for(SLOTS_PER_SEAT)) == 0:
        return False
    s.decider, s.phase = s.turn_player, Phase.ESCAPE
    return True


@at(answered, key=Phase.ESCAPE)
@kernel(i8(State, i8))
def choose_knights_cell(s, action):
    """Choose the cell from which a knight escapes, or none."""
    if action == s.rules.first_action[Block.PASS]:
        return END
    s.chosen_cell, s.phase = cell_of_place(s, action), Phase.ESCAPE_SPOT
    return PENDING


@at(answered, key=Phase.ESCAPE_SPOT)
@kernel(i8(State, i8))
def let_escape(s, action):
    """Take the escaping knight home (SIE-14)."""
    take_off(s, knight_of(s, action))
    forget_cell(s)
    return END
