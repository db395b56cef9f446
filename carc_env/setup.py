"""Between people and the engine: rules to the record of a new game, positions both ways."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.actions import action_layout
from carc_env.engine import batch, codes
from carc_env.engine.codes import Figure, Phase, Spot
from carc_env.engine.legal import MAX_LEGAL
from carc_env.engine.problems import Problem
from carc_env.engine.state import (
    BOARD,
    CENTRE_LINE,
    FIGURE_SLOTS,
    NO_DESIGN,
    NO_FIGURE,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    new_states,
    states_from_bytes,
)
from carc_env.engine.tiles import (
    DESIGN,
    SEGMENT_SPOT,
    SPOT_SEGMENT,
    START_DESIGN,
    TILE_ID,
    tile_counts,
)
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules


@lru_cache(maxsize=64)
def tile_ids(rules: Rules) -> tuple[str, ...]:
    """The designs in play, in the order of the tile facts."""
    counts = tile_counts(rules.sets, rules.tile_column)
    return tuple(TILE_ID[design] for design in np.flatnonzero(counts))


@lru_cache(maxsize=64)
def template(rules: Rules) -> npt.NDArray[Any]:
    """A read-only array with one record: full supplies, an unshuffled bag, an empty table."""
    states = new_states(1)
    s = states[0]
    layout = action_layout(rules)
    s.rules.n_players = rules.n_players
    s.rules.view_size = rules.view
    s.rules.abbot = rules.abbot
    s.rules.small_city_points = rules.small_city_points
    s.rules.abbot_recall_completed = rules.abbot_recall_completed == "allow"
    s.rules.auto_single = rules.auto_single
    s.rules.meeple_block = layout.first("meeple")
    s.rules.abbot_block = layout.first("abbot")
    s.rules.recall_action = layout.first("recall")
    s.rules.pass_action = layout.first("pass")
    s.rules.n_actions = layout.n_actions
    s.hand = NO_DESIGN
    s.min_row = s.max_row = s.min_column = s.max_column = CENTRE_LINE
    figures = [kind for kind in FIGURE_SLOTS if rules.abbot or kind != codes.ABBOT]
    for seat in range(rules.n_players):
        for kind in figures:
            s.players[seat].supply[kind] += 1
    s.figures["segment"] = NO_SEGMENT
    s.figures["next"] = NO_FIGURE
    s.features["figure"] = NO_FIGURE
    counts = tile_counts(rules.sets, rules.tile_column)
    s.rules.n_designs = np.count_nonzero(counts)
    s.rules.design_slot[counts > 0] = np.arange(s.rules.n_designs)
    s.rules.copies[:] = counts
    counts[START_DESIGN] -= 1
    s.n_bag = counts.sum()
    s.bag[: s.n_bag] = np.repeat(np.arange(len(counts)), counts)
    states.flags.writeable = False
    return states


def total_in_bag(rules: Rules) -> int:
    """Tiles in the bag at the start of a game."""
    return int(template(rules)[0].n_bag)


def cell_of(x: int, y: int) -> int:
    """The cell of the engine's table for table coordinates, the start tile being (0, 0)."""
    return (y + CENTRE_LINE) * BOARD + x + CENTRE_LINE


def coordinates_of(cell: int) -> tuple[int, int]:
    """Table coordinates (x, y) of a cell of the engine's table."""
    row, column = divmod(cell, BOARD)
    return column - CENTRE_LINE, row - CENTRE_LINE


def read_position(rules: Rules, states: npt.NDArray[Any], i: int) -> Position:
    """The position of game i, with the order of its bag."""
    s = states[i]
    placed = s.tiles[: int(s.n_tiles)]
    tiles = tuple(
        PlacedTile(TILE_ID[t.design], *coordinates_of(int(t.cell)), int(t.rotation)) for t in placed
    )
    hand = None if s.hand == NO_DESIGN else TILE_ID[s.hand]
    n_all = total_in_bag(rules)
    drawn = [TILE_ID[design] for design in s.bag[int(s.n_bag) : n_all][::-1]]
    gone = Counter(tile.tile for tile in tiles[1:]) + Counter([hand] if hand else [])
    aside = []
    for tile in reversed(drawn):
        if gone[tile] > 0:
            gone[tile] -= 1
        else:
            aside.append(tile)
    return Position(
        rules=rules,
        tiles=tiles,
        figures=tuple(_figures_on_board(s, tiles)),
        scores=tuple(int(player.score) for player in s.players[: rules.n_players]),
        phase=Phase(int(s.phase)),
        turn_player=int(s.turn_player),
        decider=int(s.decider),
        tile_in_hand=hand,
        aside=tuple(reversed(aside)),
        bag=tuple(TILE_ID[design] for design in s.bag[: int(s.n_bag)][::-1]),
    )


def _figures_on_board(s: Any, tiles: tuple[PlacedTile, ...]) -> list[PlacedFigure]:
    found = []
    for number, figure in enumerate(s.figures):
        if figure.segment == NO_SEGMENT:
            continue
        seat, slot = divmod(number, SLOTS_PER_SEAT)
        tile = int(s.segments[figure.segment].tile)
        placed = s.tiles[tile]
        j = int(figure.segment) - int(placed.first_segment)
        spot = Spot(int(SEGMENT_SPOT[placed.design, placed.rotation, j]))
        found.append((tile, spot, seat, Figure(FIGURE_SLOTS[slot])))
    return [
        PlacedFigure(seat, figure, tiles[tile].x, tiles[tile].y, spot)
        for tile, spot, seat, figure in sorted(found)
    ]


def set_up(position: Position, seed: int = 0) -> npt.NDArray[Any]:
    """An array with one game that stands as the position says.

    Parameters
    ----------
    position : Position
        Tiles in an order in which each fits beside the ones before, the start tile first. With
        ``bag=None`` the tiles that are left are shuffled by the seed.
    seed : int
        Also the seed of what the game draws at random later.

    Raises
    ------
    ValueError
        The position breaks a rule; the message says which tile or figure and why.
    """
    rules = position.rules
    states = states_from_bytes(template(rules).tobytes())
    s = states[0]
    s.rng = seed
    for number, tile in enumerate(position.tiles):
        _lay_tile(states, number, tile)
    for figure in position.figures:
        _put_figure(states, position, figure)
    if len(position.scores) != rules.n_players:
        raise ValueError(f"{len(position.scores)} scores for {rules.n_players} players")
    for seat, score in enumerate(position.scores):
        s.players[seat].score = score
    s.phase = position.phase
    s.turn_player, s.decider = position.turn_player, position.decider
    if position.tile_in_hand is not None:
        s.hand = _design(position.tile_in_hand)
    _fill_bag(states, position)
    if flags := batch.problems(states, 0):
        raise ValueError(f"the position is not sound: {Problem(flags)!r}")
    if position.phase == Phase.PLACE_TILE and not batch.legal(states, 0, legal_buffer()):
        raise ValueError(f"{position.tile_in_hand} is in hand but fits nowhere")
    return states


def legal_buffer() -> npt.NDArray[np.int64]:
    """A new buffer that entry points of the engine write legal actions to."""
    return np.empty(MAX_LEGAL, np.int64)


def _design(tile: str) -> int:
    if tile not in DESIGN:
        raise ValueError(f"unknown tile {tile!r}")
    return DESIGN[tile]


def _lay_tile(states: npt.NDArray[Any], number: int, tile: PlacedTile) -> None:
    where = f"{tile.tile} at {tile.x},{tile.y} r{tile.rotation}"
    design, cell = _design(tile.tile), cell_of(tile.x, tile.y)
    if tile.rotation not in range(4):
        raise ValueError(f"{where}: a rotation is 0, 1, 2 or 3")
    if number == 0:
        if (design, tile.x, tile.y) != (START_DESIGN, 0, 0):
            raise ValueError(f"{where}: the first tile must be {TILE_ID[START_DESIGN]} at 0,0")
    elif not 0 <= cell < BOARD * BOARD or not batch.can_place(
        states, 0, design, tile.rotation, cell
    ):
        raise ValueError(f"{where}: does not fit there beside the tiles named before it")
    batch.lay(states, 0, design, tile.rotation, cell)


def _put_figure(states: npt.NDArray[Any], position: Position, figure: PlacedFigure) -> None:
    s = states[0]
    name = figure.figure.name.lower()
    where = f"{name} of seat {figure.seat} at {figure.x},{figure.y} {figure.spot.name}"
    if not 0 <= figure.seat < position.rules.n_players:
        raise ValueError(f"{where}: there are {position.rules.n_players} seats")
    number = next(
        (k for k, t in enumerate(position.tiles) if (t.x, t.y) == (figure.x, figure.y)), None
    )
    if number is None:
        raise ValueError(f"{where}: no tile lies there")
    placed = s.tiles[number]
    if SPOT_SEGMENT[placed.design, placed.rotation, figure.spot] < 0:
        raise ValueError(f"{where}: no segment of the tile is named by this spot")
    if s.players[figure.seat].supply[figure.figure] == 0:
        raise ValueError(f"{where}: no {name} is left in the supply")
    batch.put(states, 0, figure.seat * len(Figure) + figure.figure, number, figure.spot)


def _fill_bag(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    drawn = [tile.tile for tile in position.tiles[1:]] + list(position.aside)
    if position.tile_in_hand is not None:
        drawn.append(position.tile_in_hand)
    left = Counter(TILE_ID[design] for design in s.bag[: int(s.n_bag)])
    left.subtract(drawn)
    for tile, n in left.items():
        if n < 0:
            raise ValueError(f"{tile}: {-n} more than the set has")
    bag = list(left.elements()) if position.bag is None else list(position.bag)
    if Counter(bag) != +left:
        odd = next(iter((Counter(bag) - left) + (left - Counter(bag))))
        raise ValueError(f"the bag does not hold the tiles that are left, see {odd}")
    s.n_bag = len(bag)
    order = [_design(tile) for tile in [*reversed(bag), *reversed(drawn)]]
    s.bag[: len(order)] = order
    if position.bag is None:
        batch.reshuffle(states, 0, s.rng)
