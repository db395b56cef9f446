"""Phases, kinds, figures and spots: plain ints for kernels, enums for people.

A kernel says ``codes.PLACE_TILE``; printing says ``Phase(int(s.phase)).name``.
"""

from enum import IntEnum


class Phase(IntEnum):
    """The question that the decider has to answer (RULES TURN-01)."""

    PLACE_TILE = 0
    ACTION = 1
    GAME_OVER = 2


class Kind(IntEnum):
    """What a segment of a tile is. ``NOTHING`` pads tables."""

    NOTHING = 0
    FIELD = 1
    ROAD = 2
    CITY = 3
    MONASTERY = 4
    GARDEN = 5


class Figure(IntEnum):
    """What a player can put on the board."""

    MEEPLE = 0
    ABBOT = 1


class Spot(IntEnum):
    """Where on a placed tile a figure can stand, in board orientation.

    Cities and roads are named by their first side, fields by their first half-edge (clockwise from
    the north-west corner), monasteries and gardens by ``mid``; fields that touch no edge of the
    tile are ``in0`` and ``in1``.
    """

    N = 0
    E = 1
    S = 2
    W = 3
    Nw = 4
    Ne = 5
    En = 6
    Es = 7
    Se = 8
    Sw = 9
    Ws = 10
    Wn = 11
    mid = 12
    in0 = 13
    in1 = 14


PLACE_TILE, ACTION, GAME_OVER = (int(p) for p in Phase)
NOTHING, FIELD, ROAD, CITY, MONASTERY, GARDEN = (int(k) for k in Kind)
MEEPLE, ABBOT = (int(f) for f in Figure)

N_KINDS = len(Kind)
N_FIGURES = len(Figure)
N_SPOTS = len(Spot)
FIRST_HALF = int(Spot.Nw)
MID = int(Spot.mid)
FIRST_ENCLOSED = int(Spot.in0)

# The kind of an edge: one bit each, so that the four of a tile fit into sixteen bits.
EDGE_FIELD, EDGE_ROAD, EDGE_CITY, EDGE_RIVER = 1, 2, 4, 8

MAX_PLAYERS = 6
