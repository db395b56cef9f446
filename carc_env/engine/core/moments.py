"""The moments at which sets act without the core knowing about them.

Sets link their kernels to moments, in the order of ``carc_env.sets.SETS``.
"""

from carc_env.engine.compiler.jit import b1, i8, void
from carc_env.engine.compiler.moments import (
    ALL,
    CASE,
    COUNT,
    FIRST,
    FLAGS,
    SUM,
    THREAD,
    moment,
)
from carc_env.engine.core.codes import Figure, Stock
from carc_env.engine.core.state import State


def owns(figure: Figure) -> str:
    """Return the switch for links that need a certain figure kind."""
    return f"owned[{figure:d}]"


def has(stock: Stock) -> str:
    """Return the switch for links that need an item that players initially have in stock."""
    return f"stock[{stock:d}]"


@moment(void(State, i8))
def tile_laid(s, tile):
    """A tile lies on the table and its segments are numbered, but they are not joined yet."""


@moment(void(State))
def tile_placed(s):
    """The tile in hand has been placed and joined; no question has been asked about it yet."""


@moment(void(State))
def figures_begin(s):
    """The tile and all its effects are done; the figure action is next."""


@moment(void(State))
def features_join(s):
    """Features are about to become one without a tile joining them."""


@moment(i8(State), SUM)
def features_joined(s):
    """Features have become one without a tile joining them: above 0 if that raises a question."""


@moment(i8(State, i8, i8[::1]), THREAD)
def touched_elsewhere(s, n, features):
    """The most recent tile touches n features: add the features that it changed elsewhere."""


@moment(i8(State, i8, i8), THREAD)
def leads_on(s, segment, beyond):
    """A road leads from a segment to one not beside it: return that one unless it is ``beyond``."""


@moment(i8(State, i8), SUM)
def may_be_shared(s, segment):
    """A segment's feature has figures: above 0 if a meeple may still be placed there."""


@moment(i8(State, i8), SUM)
def is_taken_otherwise(s, segment):
    """A segment's feature has no figures: above 0 if a meeple may still not be placed there."""


@moment(i8(State, i8), SUM)
def n_open_besides(s, segment):
    """Number of a road or city segment's open ends in addition to its sides."""


@moment(void(State))
def scoring_begins(s):
    """The features completed by the tile just placed are scored next; their figures still stand."""


@moment(void(State))
def scoring_ends(s):
    """The features completed by the tile just placed have been scored, including castles."""


@moment(void(State, i8))
def town_taken(s, town):
    """All seats have decided on a town that becomes a castle; no seat has been paid for it yet."""


@moment(void(State))
def dragon_moved(s):
    """The dragon has moved to a tile and eaten the figures that stood there."""


@moment(void(State, i8))
def figure_scored(s, figure):
    """A figure goes home because its feature was scored; it still stands there."""


@moment(void(State, i8))
def figure_removed(s, figure):
    """A figure leaves the board, for any reason; the record still tells where it stood."""


@moment(void(State, i8, i8))
def meeple_gone(s, seat, cell):
    """A seat's meeple is no longer on the tower, or in the trap, on a cell."""


@moment(i8(State, i8, i8), SUM)
def figures_away(s, seat, kind):
    """Number of a seat's figures of a kind that are neither in the supply nor on a tile."""


@moment(void(State, i8))
def feature_scored(s, feature):
    """A feature has been scored; its figures still stand there."""


@moment(void(State, i8, i8, i8, i8))
def points_awarded(s, kind, seat, points, feature):
    """A seat has scored for a feature, or for a kind of points that no tile shows."""


@moment(i8(State, i8), SUM)
def points_of_monastery(s, feature):
    """Points for a complete monastery in addition to its nine."""


@moment(i8(State, i8), SUM)
def points_around(s, feature):
    """Points for a monastery, garden or lines in addition to those for tiles, complete or not."""


@moment(i8(State, i8), SUM)
def points_of_lines(s, feature):
    """Points for the row and column of a special monastery."""


@moment(i8(State, i8), SUM)
def lacks_monks(s, feature):
    """A monastery is surrounded: above 0 if it still counts as unfinished (XGM-05)."""


@moment(i8(State, i8, i8), THREAD)
def feature_valued(s, feature, n):
    """A road or city is worth n points for tiles and coats of arms: return its final value."""


WITH_MAGIC, BEHIND_MAGIC = 1, 2
"""Link ranks that follow the effects of tiles: first the mage and witch, then whatever these two
leave unchanged (X2-01)."""


@moment(i8(State, i8, i8, i8), SUM)
def points_of_field(s, field, each, more):
    """Points for a field in addition to ``each`` per city, plus ``more`` for a seat with pigs."""


@moment(i8(State, i8, i8), SUM)
def points_of_city(s, field, seat):
    """Extra points for each complete city, for a seat that leads in a field."""


@moment(i8(State, i8), SUM)
def points_of_city_for_barns(s, field):
    """Extra points for each complete city, for a barn that lies in a field at the end."""


@moment(i8(State, i8, i8), THREAD)
def break_tie(s, feature, tied):
    """Several seats tie for the lead on a feature: return as bits the seats that score."""


@moment(i8(State, i8), SUM)
def waits_for_scoring(s, feature):
    """Figures stand where they would have been scored: above 0 if they are scored later."""


@moment(void(State))
def turn_interrupted(s):
    """A bazaar interrupts the turn before its second part."""


@moment(void(State))
def turn_resumed(s):
    """The bazaar is over: the turn that it interrupted, or the next turn, continues."""


@moment(void(State))
def turn_begins(s):
    """The turn player is about to draw a tile or to place a tile from a bazaar."""


@moment(void(State))
def game_ends(s):
    """The features left on the board have been scored."""


@moment(void(State, i8[::1]))
def end_projected(s, points):
    """Add to every seat's points what it would gain if the game ended now, features included."""


@moment(void(State, i8[::1]))
def end_estimated(s, points):
    """Add to ``points`` what each seat is likely to gain from sets by the end of the game."""


@moment(i8(State), FLAGS)
def find_wrong(s):
    """The record is being checked: return the sum of the flags of all violated invariants."""


@moment(i8(State, i8), SUM)
def tiles_beside(s, design):
    """Number of a design's tiles that were drawn and are neither on the board nor in hand."""


# The possible actions and their effects. Links write actions in rank order.


@moment(i8(State, i8, i8[::1]), CASE)
def offer(s, phase, actions):
    """A player is asked in a set's phase: write the possible actions; return how many."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_place(s, n, actions):
    """The tile in hand fits in n places on the current board: remove some, or add others."""


@moment(i8(State), SUM)
def counts_as_scored(s):
    """Other players are consoled: above 0 if the turn player scored by merely placing the tile."""


@moment(i8(State), SUM)
def bars_figures(s):
    """A figure could stand on the tile just placed: above 0 if that is forbidden."""


@moment(i8(State, i8[::1]), FIRST)
def offer_only(s, actions):
    """A figure action, or an action on a cell, is being chosen: write the forced ones, if any."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_figure(s, n, actions):
    """Add to the n actions those possible on the tile just placed, each figure at its rank."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_cells(s, n, actions):
    """Add the cells where a figure can be placed, or where something can happen to a figure."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_spots(s, n, actions):
    """Add the actions that are possible on the chosen cell."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_cells_to_second(s, n, actions):
    """Add cells for the decider's second figure, and flying machines that can carry it."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_spots_to_second(s, n, actions):
    """Add the spots on the chosen cell where the second figure can be placed."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_besides(s, n, actions):
    """Add actions that can precede the figure action, which is then asked for again."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_besides_second(s, n, actions):
    """Add actions that can precede the second figure, which is then asked for again."""


@moment(i8(State, i8, i8), CASE)
def do_action(s, block, action):
    """Carry out a figure action in a block: ``DONE``, or ``ASKED`` if it raises a question."""


@moment(i8(State, i8, i8), CASE)
def answered(s, phase, action):
    """Carry out the answer to a phase's question; return where the placement continues."""


@moment(i8(State, i8), SUM)
def leads_like_another(s, action):
    """An earlier action leads to nearly the same result: above 0 if players can ignore this one."""


@moment(void(State, i8))
def chosen_cell_used(s, action):
    """A figure action on the chosen cell is about to be carried out."""


@moment(void(State))
def meeple_leaves(s):
    """A figure action is about to take a meeple off the board."""


@moment(void(State))
def meeples_joined(s):
    """A seat has moved all the meeples that it wanted to move out of Carcassonne."""


@moment(i8(State, i8), SUM)
def meeple_taken(s, figure):
    """A figure action sent a meeple home: ``ASKED`` if it raises another question."""


# Hidden information.


@moment(void(State, i8))
def bag_shuffled(s, end):
    """The tiles below a bag position were shuffled; a river lies above them."""


@moment(void(State))
def draw_begins(s):
    """The tile on top of the bag is drawn next."""


@moment(b1(State, i8), ALL)
def may_draw(s, design):
    """Whether a tile of a design in the bag may be drawn next."""


@moment(i8(State, i8[::1]), COUNT)
def list_face_down(s, places):
    """Tiles lie face down beside the bag: write their ``bag`` positions, the last tile first.

    They keep the positions from which they were drawn. Returns the number of tiles.
    """


@moment(b1(State, i8, i8), ALL)
def may_lie_face_down(s, k, design):
    """Whether the k-th tile put face down may be of the given design."""


@moment(void(State))
def unseen_exchanged(s):
    """Tiles that nobody can see have been swapped."""


@moment(void(State, State))
def draws_concealed(s, before):
    """Tiles drawn since a given state are taken back, out of the hand and into the bag."""


# Chance outside the bag.


@moment(i8(State, i8), SUM)
def outcomes_of(s, action):
    """Chance outcomes of an action of the decider, as bits; 0 if it does not depend on chance."""


@moment(i8(State, i8), SUM)
def chances_of(s, outcome):
    """Number of chances of an outcome, relative to the other possible outcomes."""
