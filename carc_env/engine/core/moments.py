"""The moments at which sets have something to do that the core does not know of.

Sets link their kernels to them, in the order of ``carc_env.sets.SETS``.
"""

from carc_env.engine.compiler.jit import i8, void
from carc_env.engine.compiler.moments import FLAGS, SUM, THREAD, moment
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
def scoring_begins(s):
    """What the tile just placed completed is scored next; its figures still stand there."""


@moment(void(State, i8))
def figure_scored(s, figure):
    """A figure goes home since its feature was scored; it still stands there."""


@moment(void(State, i8))
def figure_removed(s, figure):
    """A figure is no longer on the board, for whatever reason."""


@moment(void(State, i8))
def feature_scored(s, feature):
    """A feature has brought its points; its figures still stand there."""


@moment(i8(State, i8), SUM)
def points_of_monastery(s, feature):
    """What a complete monastery is worth besides its nine points."""


@moment(i8(State, i8, i8), SUM)
def points_of_city(s, field, seat):
    """How much more each complete city is worth to a seat that leads in a field."""


@moment(i8(State, i8), SUM)
def points_of_city_for_barns(s, field):
    """How much more each complete city is worth to a barn that lies in a field at the end."""


@moment(i8(State, i8, i8), THREAD)
def break_tie(s, feature, tied):
    """Several seats lead on a feature: those of them, as bits, that get the points."""


@moment(void(State))
def turn_begins(s):
    """The turn player is about to draw, or to place a tile of a bazaar."""


@moment(void(State))
def game_ends(s):
    """What is left on the board has brought its points."""


@moment(void(State, i8[::1]))
def end_projected(s, points):
    """What every seat would have if the game were over now, features included."""


@moment(i8(State), FLAGS)
def find_wrong(s):
    """The record is looked through: the sum of the flags of whatever does not hold."""


@moment(i8(State, i8), SUM)
def tiles_beside(s, design):
    """How many tiles of a design were drawn and are neither on the board nor in hand."""
