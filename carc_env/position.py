"""A position as people see it: tiles, figures, scores, who is to move. Plain values, no engine.

Coordinates are absolute: the start tile lies at (0, 0), x grows to the east, y to the south.
"""

from __future__ import annotations

from dataclasses import dataclass

from carc_env.engine.codes import Figure, Phase, Spot
from carc_env.rules import Rules

Place = tuple[int, int, Spot]
"""A segment on the board: the cell of its tile and the spot that names it there."""


@dataclass(frozen=True, slots=True)
class PlacedTile:
    """A tile on the board; ``rotation`` counts clockwise quarter turns of the stored layout."""

    tile: str
    x: int
    y: int
    rotation: int


@dataclass(frozen=True, slots=True)
class PlacedFigure:
    """A figure on the board; ``spot`` names its segment in board orientation."""

    seat: int
    figure: Figure
    x: int
    y: int
    spot: Spot


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that the players can see, and the order of the bag where it is known.

    ``tiles`` are in the order of placement: under ``Phase.ACTION`` the last one has just been
    placed. ``figures`` are ordered by tile, spot, seat and kind. ``aside`` are tiles out of the
    game (BASE-05). ``bag`` is the draw order, first tile first, or ``None`` when it is unknown
    (then a game made from the position shuffles it).

    ``abbeys`` are the abbeys in hand by seat, empty without abbeys in play. ``wagons`` were scored
    just now and wait for their owners, where they stood and in the order in which they move; each
    counts in its owner's supply. ``wagon_target`` is the cell chosen in ``Phase.WAGON_SPOT``.
    ``rolled`` names the features that the first of them has left in this move (HOUSE-01).
    ``last_round`` is the number of seats still to be asked after this turn in the round of abbeys
    that follows the last land tile, ``None`` before it (ABB-20).
    """

    rules: Rules
    tiles: tuple[PlacedTile, ...]
    figures: tuple[PlacedFigure, ...]
    scores: tuple[int, ...]
    phase: Phase
    turn_player: int
    decider: int
    tile_in_hand: str | None = None
    aside: tuple[str, ...] = ()
    bag: tuple[str, ...] | None = None
    abbeys: tuple[int, ...] = ()
    wagons: tuple[PlacedFigure, ...] = ()
    wagon_target: tuple[int, int] | None = None
    last_round: int | None = None
    rolled: tuple[Place, ...] = ()
