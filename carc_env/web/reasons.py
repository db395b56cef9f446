"""Why something on the board is not possible now, according to the engine.

A reason is a dict: ``why`` names the page's sentence, and the other entries are its parameters.
"""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import SIDE_SPOTS, Figure, Kind, Phase
from carc_env.engine.core.figures import MAY_STAND, STRENGTH
from carc_env.engine.core.state import BOARD
from carc_env.engine.core.tiles import DESIGN, EDGES, N_SEGMENTS, SEGMENT_KIND, SEGMENT_SPOT
from carc_env.game.game import Game
from carc_env.position import Cell
from carc_env.sets import said_in
from carc_env.systems.places import cell_of, figures_on
from carc_env.web.deeds import PLACING

Reason = dict[str, Any]
RIVER = "RIVER"
EDGE_NAMES = {1: Kind.FIELD.name, 2: Kind.ROAD.name, 4: Kind.CITY.name, 8: RIVER}
"""Required edges on a side, by bit; a wall shows a road and a city."""
WHY_NOT = said_in("page", "why_not")
BOTH_WAYS = (Kind.MONASTERY, Kind.LINES)
"""Standing or lying on a special monastery: a meeple that does either occupies both places."""


def why_not(
    game: Game, cell: Cell, segment: int | None = None, figure: Figure | None = None
) -> Reason | None:
    """Return why a click does nothing; None if it does something.

    Parameters
    ----------
    game : Game
        The game; it must not be over.
    cell : tuple of int
        The cell of the click.
    segment : int, optional
        Number of the segment that was clicked, on that cell's tile.
    figure : Figure, optional
        The figure to place. Default: a meeple.
    """
    number = _number_of(cell)
    if number is None:
        return {"why": "table"}
    if game.phase in PLACING:
        return _why_no_place(game, cell, number)
    if game.phase == Phase.FIGURE:
        return _why_no_figure(game, cell, segment, Figure.MEEPLE if figure is None else figure)
    if _is_offered(game, cell):
        return None
    return _why_in_a_room(game, number) or {"why": "unlit"}


def figure_called(name: str) -> Figure:
    """Return the figure with the given name.

    Raises
    ------
    ValueError
        There is no such figure.
    """
    if name not in Figure.__members__:
        raise ValueError(f"there is no figure {name!r}")
    return Figure[name]


def _number_of(cell: Cell) -> int | None:
    """Return a cell's number on the engine's table; None on or beyond the rim."""
    row, column = divmod(cell_of(0, 0), BOARD)
    is_inside = 0 < row + cell[1] < BOARD - 1 and 0 < column + cell[0] < BOARD - 1
    return cell_of(*cell) if is_inside else None


def _is_offered(game: Game, cell: Cell) -> bool:
    """Return whether a click anywhere on a cell does something, not just one on a certain spot."""
    choices = map(game.choice, game.legal_actions())
    return any(c.cell == cell and c.spot is None and c.axis is None for c in choices)


def _why_in_a_room(game: Game, number: int) -> Reason | None:
    """Return the sets' reasons why no action is possible on a cell."""
    reasons = (why(game, number) for why in WHY_NOT)
    return next(filter(None, reasons), None)


# Tile placement.


def _why_no_place(game: Game, cell: Cell, number: int) -> Reason | None:
    s = game.states[0]
    if _is_offered(game, cell):
        return None
    if int(s.board[number]) > 0:
        return {"why": "taken"}
    if reason := _why_in_a_room(game, number):
        return reason
    if int(s.board[number]) == 0:
        return {"why": "alone"}
    if not _is_in_view(game, number):
        return {"why": "table"}
    design = DESIGN[game.tile_in_hand]
    required = int(s.frontier[-int(s.board[number]) - 1].edges)
    sides = [required >> 4 * side & 15 for side in range(len(SIDE_SPOTS))]
    if not any(_shows(design, rotation, sides) for rotation in range(4)):
        needs = [[SIDE_SPOTS[k].name, _edge_name(bits)] for k, bits in enumerate(sides) if bits]
        return {"why": "sides", "needs": needs}
    return {"why": "river"}


def _shows(design: int, rotation: int, sides: list[int]) -> bool:
    """Return whether each side of a tile matches what is already there (BASE-04)."""
    edges = int(EDGES[design, rotation])
    return all(not bits or edges >> 4 * k & 15 == bits for k, bits in enumerate(sides))


def _edge_name(bits: int) -> str:
    return EDGE_NAMES.get(bits, "WALL")


def _is_in_view(game: Game, number: int) -> bool:
    s, size = game.states[0], int(game.rules.view)
    row, column = divmod(number, BOARD)
    return 0 <= row - int(s.view_row) < size and 0 <= column - int(s.view_column) < size


# Figure placement.


def _why_no_figure(game: Game, cell: Cell, segment: int | None, figure: Figure) -> Reason | None:
    s = game.states[0]
    placed = s.tiles[int(s.n_tiles) - 1]
    if int(placed.cell) != cell_of(*cell):
        return None if _is_offered(game, cell) else {"why": "elsewhere"}
    name = {"figure": figure.name}
    if segment is None or segment >= int(N_SEGMENTS[placed.design]):
        return {"why": "no_place", **name}
    choices = [game.choice(action) for action in game.legal_actions()]
    spot = int(SEGMENT_SPOT[placed.design, placed.rotation, segment])
    mine = [c.spot for c in choices if c.figure == figure and c.spot is not None]
    is_at_corners = not MAY_STAND[figure].any()
    if spot in mine or (is_at_corners and mine):
        return None
    if not game.supply(game.decider).get(figure, 0):
        return {"why": "none_left", **name}
    if is_at_corners:
        return {"why": figure.name.lower()}
    if not any(c.kind == "pass" for c in choices):
        return {"why": "must"}
    if reason := _why_in_a_room(game, int(placed.cell)):
        return reason
    kind = Kind(int(SEGMENT_KIND[placed.design, segment]))
    if not MAY_STAND[figure, kind]:
        return {"why": "unsuitable", **name, "kind": kind.name}
    if not STRENGTH[figure]:  # it joins other figures, or keeps away from them
        return {"why": figure.name.lower()}
    places = [segment]
    if kind in BOTH_WAYS:  # MON-07
        kinds = SEGMENT_KIND[placed.design, : int(N_SEGMENTS[placed.design])].tolist()
        places = [k for k, other in enumerate(kinds) if other in BOTH_WAYS]
    features = [int(s.segments[int(placed.first_segment) + k].feature) for k in places]
    seats = sorted({seat for feature in features for seat in _seats_on(game, feature)})
    return {"why": "occupied", "kind": kind.name, "seats": seats}


def _seats_on(game: Game, feature: int) -> list[int]:
    """Return the seats whose figures occupy a feature; shepherds do not occupy any (HS-27)."""
    return sorted({seat for seat, _ in figures_on(game.states[0], feature)})
