"""Positions written out by hand, for the tests of the oracle.

A tile is written ``"id x y rotation"``, with a bridge ``"id x y rotation EW"``; a figure ``"seat
meeple|abbot|... x y spot"``; a castle by one of its segments, ``"x y spot"``.
"""

from collections import Counter
from dataclasses import fields, replace

from carc_env.engine.core.codes import Figure, Good, Phase, Spot
from carc_env.position import Castle, PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules

from . import bridges, castles, goods, naive
from .board import feature_at
from .builder_problems import scored_cities
from .problems import problems
from .tiles import ABBEY

START = "bg-cap-straight 0 0 0"
SOURCE = "rv-source 0 0 0"

#: Four monasteries whose field touches two complete cities in the west; the last tile lies in the
#: south-east and makes the point in the middle of the four.
BLOCK = (
    START,
    "bg-monastery 0 1 0",
    "bg-cap -1 1 3",
    "bg-cap -2 1 1",
    "bg-cap -1 2 3",
    "bg-cap -2 2 1",
    "bg-monastery 0 2 0",
    "bg-monastery 1 1 0",
    "bg-monastery 1 2 0",
)

#: The field north of the road, with farmers, and the tile that joins it to that of ``BLOCK``.
NORTH = ("bg-straight 1 0 0", "bg-straight -1 0 0", "bg-straight -2 0 0")
JOINT = "bg-monastery-road 2 0 0"

SWITCHES = {field.name for field in fields(Rules)}
MEEPLE, LARGE, ABBOT, MAYOR, WAGON, BUILDER, PIG, BARN = Figure


def placed_tile(written):
    name, x, y, rotation, *bridge = written.split()
    return PlacedTile(name, int(x), int(y), int(rotation), *bridge)


def placed_figures(*written):
    made = []
    for seat, figure, x, y, spot in map(str.split, written):
        made.append(PlacedFigure(int(seat), Figure[figure.upper()], int(x), int(y), Spot[spot]))
    return tuple(made)


def place(written):
    x, y, spot = written.split()
    return int(x), int(y), Spot[spot]


def position(
    *tiles,
    figures=(),
    phase=Phase.FIGURE,
    player=0,
    hand=None,
    scores=None,
    abbeys_left=None,
    waiting=(),
    last_round=None,
    bridges_left=None,
    castles_at=(),
    tokens_left=None,
    **rest,
):
    """Make a position in which ``player`` is to move.

    ``rest`` are switches of ``Rules`` and fields of ``Position``. Abbeys on the board come from the
    last seats unless ``abbeys_left`` tells who has one; bridges and castles without lords from the
    first seat, unless ``bridges_left`` and ``tokens_left`` tell what everybody has. That seat has
    all trade goods that have been collected, too.
    """
    rules = Rules(**{name: rest.pop(name) for name in list(rest) if name in SWITCHES})
    made = tuple(map(placed_tile, tiles))
    wagons = placed_figures(*waiting)
    laid = sum(tile.tile == ABBEY for tile in made)
    if abbeys_left is None:
        abbeys_left = [1] * (rules.n_players - laid) + [0] * laid if rules.abbeys else ()
    if bridges_left is None:
        each = bridges.each(rules)
        spent = sum(tile.bridge is not None for tile in made)
        bridges_left = [each - spent] + [each] * (rules.n_players - 1) if each else ()
    written = {
        "rules": rules,
        "tiles": made,
        "figures": placed_figures(*figures),
        "scores": scores or (0,) * rules.n_players,
        "phase": phase,
        "turn_player": player,
        "decider": wagons[0].seat if wagons else player,
        "tile_in_hand": hand,
        "abbeys": tuple(abbeys_left),
        "wagons": wagons,
        "last_round": last_round,
        "bridges": tuple(bridges_left),
        "castles": tuple(Castle(*place(castle)) for castle in castles_at),
    }
    made = Position(**written | rest)
    if rules.goods and not made.goods:
        given = goods.shown(scored_cities(made))
        tokens = tuple(given[good] for good in Good)
        made = replace(made, goods=(tokens, *[(0, 0, 0)] * (rules.n_players - 1)))
    return replace(made, tokens=left(made) if tokens_left is None else tuple(tokens_left))


def left(made):
    """Count the tokens that everybody has left: the lords have built their castles (CAS-07)."""
    each = castles.each(made.rules)
    found = [castles.castle_of(made, castle) for castle in made.castles if each]
    spent = Counter(seat for f in found for seat in {lord.seat for lord in f.meeples} or {0})
    return tuple(each - spent[seat] for seat in range(made.rules.n_players)) if each else ()


def legal(*tiles, **rest):
    """Make a position and make sure that nothing in it is impossible."""
    made = position(*tiles, **rest)
    assert problems(made) == []
    return made


def worth(made, x, y, spot, final=False):
    return naive.value(made, feature_at(made, x, y, Spot[spot]), final)


def spots(choices, figure):
    return {spot.name for placed, spot in choices if placed == figure}
