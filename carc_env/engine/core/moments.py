"""The moments at which sets have something to do that the core does not know of.

Sets link their kernels to them, in the order of ``carc_env.sets.SETS``.
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
    """The switch of what needs a kind of figure."""
    return f"owned[{figure:d}]"


def has(stock: Stock) -> str:
    """The switch of what needs something that players have in stock from the beginning."""
    return f"stock[{stock:d}]"


@moment(void(State, i8))
def tile_laid(s, tile):
    """A tile lies, and its segments are numbered, but not joined yet."""


@moment(void(State))
def tile_placed(s):
    """The tile in hand lies and is part of what it joins; nothing has been asked about it yet."""


@moment(void(State))
def figures_begin(s):
    """The tile lies with all that it brings, and the figure action comes next."""


@moment(void(State))
def features_join(s):
    """Features are about to become one though no tile joins them."""


@moment(i8(State), SUM)
def features_joined(s):
    """Features have become one though no tile joins them: above 0 if that raises a question."""


@moment(i8(State, i8, i8[::1]), THREAD)
def touched_elsewhere(s, n, features):
    """The tile placed last touches n features: add those that were changed with it elsewhere."""


@moment(i8(State, i8, i8), THREAD)
def leads_on(s, segment, beyond):
    """A road leads on from a segment to one not beside it: which one, if another than beyond."""


@moment(i8(State, i8), SUM)
def may_be_shared(s, segment):
    """Figures stand on what a segment is part of: above 0 if a meeple may stand there as well."""


@moment(i8(State, i8), SUM)
def is_taken_otherwise(s, segment):
    """Nobody is on what a segment is part of: above 0 if no meeple may come there all the same."""


@moment(i8(State, i8), SUM)
def n_open_besides(s, segment):
    """How many ends of a road or city are open on a segment besides its sides."""


@moment(void(State))
def scoring_begins(s):
    """What the tile just placed completed is scored next; its figures still stand there."""


@moment(void(State))
def scoring_ends(s):
    """What the tile just placed completed is scored, castles included."""


@moment(void(State, i8))
def town_taken(s, town):
    """All have decided on a town that becomes a castle; nobody who scores it has been paid yet."""


@moment(void(State))
def dragon_moved(s):
    """The dragon has come to a tile and has eaten the figures that stand there."""


@moment(void(State, i8))
def figure_scored(s, figure):
    """A figure goes home since its feature was scored; it still stands there."""


@moment(void(State, i8))
def figure_removed(s, figure):
    """A figure leaves the board, for whatever reason; only that it stood there is still known."""


@moment(void(State, i8, i8))
def meeple_gone(s, seat, cell):
    """A meeple of a seat is no longer on the tower, or in the trap, on a cell."""


@moment(i8(State, i8, i8), SUM)
def figures_away(s, seat, kind):
    """How many figures of a kind a seat has neither in the supply nor on a tile."""


@moment(void(State, i8))
def feature_scored(s, feature):
    """A feature has brought its points; its figures still stand there."""


@moment(void(State, i8, i8, i8, i8))
def points_awarded(s, kind, seat, points, feature):
    """A seat has got points for a feature, or for what a kind that no tile shows stands for."""


@moment(i8(State, i8), SUM)
def points_of_monastery(s, feature):
    """What a complete monastery is worth besides its nine points."""


@moment(i8(State, i8), SUM)
def points_around(s, feature):
    """What a monastery, garden or lines are worth besides the tiles, complete or not."""


@moment(i8(State, i8), SUM)
def points_of_lines(s, feature):
    """What the row and the column of a special monastery are worth."""


@moment(i8(State, i8), SUM)
def lacks_monks(s, feature):
    """A monastery is surrounded: above 0 if it counts as unfinished all the same (XGM-05)."""


@moment(i8(State, i8, i8), THREAD)
def feature_valued(s, feature, n):
    """A road or city brings n points by its tiles and coats of arms: how many after all."""


WITH_MAGIC, BEHIND_MAGIC = 1, 2
"""Ranks of its links behind what tiles bring: mage and witch, what they leave whole (X2-01)."""


@moment(i8(State, i8, i8, i8), SUM)
def points_of_field(s, field, each, more):
    """What a field is worth besides ``each`` points for a city, and ``more`` for who has pigs."""


@moment(i8(State, i8, i8), SUM)
def points_of_city(s, field, seat):
    """How much more each complete city is worth to a seat that leads in a field."""


@moment(i8(State, i8), SUM)
def points_of_city_for_barns(s, field):
    """How much more each complete city is worth to a barn that lies in a field at the end."""


@moment(i8(State, i8, i8), THREAD)
def break_tie(s, feature, tied):
    """Several seats lead on a feature: those of them, as bits, that get the points."""


@moment(i8(State, i8), SUM)
def waits_for_scoring(s, feature):
    """Figures are where they would have been scored: above 0 if that is done later."""


@moment(void(State))
def turn_interrupted(s):
    """A bazaar is held before the second part of the turn."""


@moment(void(State))
def turn_resumed(s):
    """The bazaar is over: the turn that it interrupted, or the next one, goes on."""


@moment(void(State))
def turn_begins(s):
    """The turn player is about to draw, or to place a tile of a bazaar."""


@moment(void(State))
def game_ends(s):
    """What is left on the board has brought its points."""


@moment(void(State, i8[::1]))
def end_projected(s, points):
    """What every seat would have if the game were over now, features included."""


@moment(void(State, i8[::1]))
def end_estimated(s, points):
    """What every seat is likely to end with, besides what it would have if the game were over."""


@moment(i8(State), FLAGS)
def find_wrong(s):
    """The record is looked through: the sum of the flags of whatever does not hold."""


@moment(i8(State, i8), SUM)
def tiles_beside(s, design):
    """How many tiles of a design were drawn and are neither on the board nor in hand."""


# What may be done, and what it does. Links write actions in the order of their ranks.


@moment(i8(State, i8, i8[::1]), CASE)
def offer(s, phase, actions):
    """Somebody is asked in a phase of a set: write what they can choose; return how many."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_place(s, n, actions):
    """The tile in hand has n places on the board as it is: leave out some, add what else is."""


@moment(i8(State), SUM)
def counts_as_scored(s):
    """Others are consoled: above 0 if the turn player got points as soon as the tile lay."""


@moment(i8(State), SUM)
def bars_figures(s):
    """A figure could stand on the tile just placed: above 0 if that is forbidden."""


@moment(i8(State, i8[::1]), FIRST)
def offer_only(s, actions):
    """A figure action, or what happens on a cell, is chosen: write what must be done, if any."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_figure(s, n, actions):
    """Add to n actions what can be done on the tile just placed, each figure at its rank."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_cells(s, n, actions):
    """Add the cells where a figure can be put, or something can happen to one."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_spots(s, n, actions):
    """Add what can be done on the chosen cell."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_cells_to_second(s, n, actions):
    """Add the cells where the decider can put the second figure, and machines for it."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_spots_to_second(s, n, actions):
    """Add where on the chosen cell the second figure can be put."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_besides(s, n, actions):
    """Add what may be done before the figure action, which is asked for again behind it."""


@moment(i8(State, i8, i8[::1]), THREAD)
def offer_besides_second(s, n, actions):
    """Add what may be done before the second figure, which is asked for again behind it."""


@moment(i8(State, i8, i8), CASE)
def do_action(s, block, action):
    """A figure action of a block is carried out: ``DONE``, or ``ASKED`` if it asks for more."""


@moment(i8(State, i8, i8), CASE)
def answered(s, phase, action):
    """Carry out the answer to the question of a phase; return where the placement goes on."""


@moment(i8(State, i8), SUM)
def leads_like_another(s, action):
    """Another action before it leads to much the same: above 0 if players need not look at it."""


@moment(void(State, i8))
def chosen_cell_used(s, action):
    """A figure action on the chosen cell is about to be carried out."""


@moment(void(State))
def meeple_leaves(s):
    """A meeple is about to be taken off the board, for a figure action."""


@moment(void(State))
def meeples_joined(s):
    """A seat has moved all the meeples out of Carcassonne that it wanted to."""


@moment(i8(State, i8), SUM)
def meeple_taken(s, figure):
    """A meeple was sent home by a figure action: ``ASKED`` if more is asked about it."""


# What nobody can see.


@moment(void(State, i8))
def bag_shuffled(s, end):
    """The tiles below a place of the bag are in random order; a river lies above them."""


@moment(void(State))
def draw_begins(s):
    """The tile on top of the bag is drawn next."""


@moment(b1(State, i8), ALL)
def may_draw(s, design):
    """Whether a tile of a design, if one is in the bag, may be drawn next."""


@moment(i8(State, i8[::1]), COUNT)
def list_face_down(s, places):
    """Tiles lie face down beside the bag: write where in ``bag`` they are, the last one first.

    They stay in the places from which they were drawn. Returns how many they are.
    """


@moment(b1(State, i8, i8), ALL)
def may_lie_face_down(s, k, design):
    """Whether the k-th tile that was put face down may be of a design."""


@moment(void(State))
def unseen_exchanged(s):
    """Tiles that nobody can see have changed places."""


@moment(void(State, State))
def draws_concealed(s, before):
    """What was drawn since a state is taken back: out of the hand and into the bag."""


# Chance beside the bag.


@moment(i8(State, i8), SUM)
def outcomes_of(s, action):
    """What chance can bring in an action of the decider: outcomes as bits; 0 without chance."""


@moment(i8(State, i8), SUM)
def chances_of(s, outcome):
    """How many chances an outcome has, among others that are possible."""
