"""Conversion between human-readable positions and the engine's records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import CORNER_SPOTS, FIRST_CORNER, Figure, Phase, Spot, Stock
from carc_env.engine.core.state import (
    BOARD,
    CENTRE_LINE,
    FIGURE_SLOTS,
    NO_CORNER,
    NO_DESIGN,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    states_from_bytes,
)
from carc_env.engine.core.tiles import (
    ABBEY,
    ABBEY_DESIGN,
    AXES,
    BRIDGE_AXIS,
    BRIDGED,
    DESIGN,
    LAYER,
    NO_AXIS,
    NO_FORM,
    PRINTED,
    SEGMENT_SPOT,
    TILE_ID,
)
from carc_env.game.reasons import reasons
from carc_env.layout.template import (
    difference,
    legal_buffer,
    template,
    total_in_bag,
)
from carc_env.position import MAX_SCORE, UNKNOWN_TILE, PlacedFigure, PlacedTile, Position
from carc_env.rules import Rules
from carc_env.systems import SYSTEMS, phases_of, systems_in
from carc_env.systems.declaring import Fields, System
from carc_env.systems.designs import check_bag_order, start_tiles
from carc_env.systems.places import (
    cell_of,
    coordinates_of,
    design_of,
    rows_of,
    segment_under,
)

LEAST, MOST = 1 - CENTRE_LINE, BOARD - 2 - CENTRE_LINE
"""Range of coordinates for cells that can hold a tile: the rim stays empty."""


def read_position(rules: Rules, states: npt.NDArray[Any], i: int) -> Position:
    """Return game i's position, including its bag order; the result is cached."""
    return _position(rules.plain, states[i : i + 1].tobytes())


@lru_cache(maxsize=16)
def _position(rules: Rules, record: bytes) -> Position:
    states = states_from_bytes(record)
    s = states[0]
    placed = s.tiles[: int(s.n_tiles)]
    tiles = tuple(_placed_tile(*tile) for tile in rows_of(placed, "design", "rotation", "cell"))
    fields = _read(systems_in(rules), states) | _absent(rules)
    bazaar, hand = fields["bazaar"], None if s.hand == NO_DESIGN else TILE_ID[s.hand]
    gone = Counter([*_from_bag(rules, tiles), *([hand] if hand else [])])
    gone += Counter(fields["hidden"])
    gone += Counter(lot.tile for lot in bazaar.offer) if bazaar else Counter()
    bag, n_bag = s.bag[: total_in_bag(rules)].tolist(), int(s.n_bag)
    drawn = Counter(TILE_ID[design] for design in bag[n_bag:])
    return Position(
        rules=rules,
        tiles=tiles,
        figures=tuple(_figures_on_board(s, tiles)),
        scores=tuple(s.players["score"][: rules.n_players].tolist()),
        phase=Phase(int(s.phase)),
        turn_player=int(s.turn_player),
        decider=int(s.decider),
        tile_in_hand=hand,
        aside=tuple((drawn - gone).elements()),
        bag=tuple(TILE_ID[design] for design in reversed(bag[:n_bag])),
        **fields,
    )


def _read(systems: Iterable[System], states: npt.NDArray[Any]) -> Fields:
    fields: Fields = {}
    for system in systems:
        if system.record:
            fields |= system.record.read(states, 0)
    return fields


@lru_cache(maxsize=64)
def _absent(rules: Rules) -> Fields:
    """Return the fields of systems that the rules disable: they never change in a game."""
    return _read([system for system in SYSTEMS if not system.is_on(rules)], template(rules))


@lru_cache(1 << 14)
def _placed_tile(design: int, rotation: int, cell: int) -> PlacedTile:
    axis = int(BRIDGE_AXIS[design, rotation])
    bridge = None if axis == NO_AXIS else AXES[axis]
    return PlacedTile(TILE_ID[PRINTED[design]], *coordinates_of(cell), rotation, bridge)


def _from_bag(rules: Rules, tiles: tuple[PlacedTile, ...]) -> list[str]:
    """Return the tiles on the board that came from the bag."""
    return [tile.tile for tile in tiles[len(start_tiles(rules)) :] if tile.tile != ABBEY["id"]]


def _figures_on_board(s: Any, tiles: tuple[PlacedTile, ...]) -> list[PlacedFigure]:
    slots = np.flatnonzero(s.figures["segment"] != NO_SEGMENT)
    segments, corners = s.figures["segment"][slots], s.figures["corner"][slots]
    under = s.segments["tile"][segments]
    placed = s.tiles[under]
    places = segments - placed["first_segment"]
    spots = SEGMENT_SPOT[placed["design"], placed["rotation"], places]
    found = []
    for number, tile, spot, corner in zip(
        *map(_plain, (slots, under, spots, corners)), strict=True
    ):
        seat, slot = divmod(number, SLOTS_PER_SEAT)
        named = Spot(spot) if corner == NO_CORNER else CORNER_SPOTS[corner]
        found.append((tile, named, seat, Figure(FIGURE_SLOTS[slot])))
    return [
        PlacedFigure(seat, figure, tiles[tile].x, tiles[tile].y, spot)
        for tile, spot, seat, figure in sorted(found)
    ]


def _plain(numbers: npt.NDArray[Any]) -> list[int]:
    found: list[int] = numbers.tolist()
    return found


def set_up(position: Position, seed: int = 0) -> npt.NDArray[Any]:
    """Return an array with one game in the given position.

    Parameters
    ----------
    position : Position
        The tiles must be in an order in which each fits next to earlier ones, starting with the
        start tile. If ``bag`` is None, the seed shuffles the remaining tiles.
    seed : int
        Also seeds all later random draws.

    Raises
    ------
    ValueError
        The position breaks a rule; the message names the tile or figure and the reason.
    """
    states = lay_out(position)
    deal(states, position, seed)
    return states


def deal(states: npt.NDArray[Any], position: Position, seed: int) -> None:
    """Shuffle the bag if its order is unknown, and seed later random draws."""
    states[0].rng = seed
    if position.bag is None:
        entry.shuffle_bag(states, 0, np.uint64(seed))


def lay_out(position: Position) -> npt.NDArray[Any]:
    """Return an array with one game, as :func:`set_up` does, but leave out all random parts."""
    states = states_from_bytes(template(position.rules).tobytes())
    s = states[0]
    start = start_tiles(position.rules)
    if tuple(replace(tile, bridge=None) for tile in position.tiles[: len(start)]) != start:
        expected = ", ".join(f"{t.tile} {t.x},{t.y} r{t.rotation}" for t in start)
        raise ValueError(f"the first tile{'s' * (len(start) > 1)} must be {expected}")
    for number, tile in enumerate(position.tiles):
        _lay_tile(states, tile, is_drawn=number >= len(start))
    for figure in position.figures:
        _put_figure(states, position, figure)
    _write_scores(s, position)
    _write_turn(s, position)
    for system in SYSTEMS:
        if system.record:
            system.record.write(states, position)
    _fill_bag(states, position)
    if flags := entry.problems(states, 0):
        raise ValueError(f"the position is not sound: {reasons(flags, states, position)}")
    _check_choices(states, position)
    return states


def _write_scores(s: Any, position: Position) -> None:
    if len(position.scores) != position.rules.n_players:
        raise ValueError(f"{len(position.scores)} scores for {position.rules.n_players} players")
    for seat, score in enumerate(position.scores):
        if abs(score) > MAX_SCORE:
            raise ValueError(f"score {score} of seat {seat} is out of range")
        s.players[seat].score = score


def _write_turn(s: Any, position: Position) -> None:
    for name in ("turn_player", "decider"):
        seat = getattr(position, name)
        if seat not in range(position.rules.n_players):
            raise ValueError(f"{name}: there is no seat {seat}")
        s[name] = seat
    s.phase = position.phase
    if position.tile_in_hand is not None:
        s.hand = design_of(position.tile_in_hand)


def _check_choices(states: npt.NDArray[Any], position: Position) -> None:
    """Raise a ``ValueError`` if the decider can only pass, or if a system objects."""
    if position.phase not in phases_of(position.rules):
        raise ValueError(f"phase {position.phase.name} cannot occur under these rules")
    n = entry.legal(states, 0, legal_buffer())
    if position.phase == Phase.PLACE_TILE and n == 0:
        raise ValueError(f"{position.tile_in_hand} is in hand but fits nowhere")
    for system in SYSTEMS:
        if system.check:
            system.check(states, position, n)


def _lay_tile(states: npt.NDArray[Any], tile: PlacedTile, *, is_drawn: bool) -> None:
    where = f"{tile.tile} at {tile.x},{tile.y} r{tile.rotation}"
    if not (LEAST <= tile.x <= MOST and LEAST <= tile.y <= MOST):
        raise ValueError(f"{where}: off the table, on which x and y run from {LEAST} to {MOST}")
    design, cell = design_of(tile.tile), cell_of(tile.x, tile.y)
    if tile.rotation not in range(4):
        raise ValueError(f"{where}: a rotation must be 0, 1, 2 or 3")
    form = _bridged_form(states, tile, where) if tile.bridge else design
    if is_drawn and not _fits(states, form, tile.rotation, cell):
        raise ValueError(f"{where}: does not fit there beside the earlier tiles")
    entry.lay(states, 0, form, tile.rotation, cell)


def _bridged_form(states: npt.NDArray[Any], tile: PlacedTile, where: str) -> int:
    """Return the form of a tile with a bridge across it, if one can stand there."""
    s, cell = states[0], cell_of(tile.x, tile.y)
    if not s.rules.stock[Stock.BRIDGE]:
        raise ValueError(f"{where}: it carries a bridge, but the rules have no bridges")
    if tile.bridge not in AXES:
        raise ValueError(f"{where}: a bridge must run NS or EW, not {tile.bridge!r}")
    axis = AXES.index(tile.bridge)
    form = int(BRIDGED[DESIGN[tile.tile], tile.rotation, axis])
    if form == NO_FORM:
        raise ValueError(f"{where}: a bridge {tile.bridge} does not end on fields (BRI-05)")
    for side in (axis, axis + 2):
        number = int(s.board[cell + STEP[side]]) - 1
        if number >= 0 and s.tiles[number].design == ABBEY_DESIGN:
            raise ValueError(f"{where}: a bridge cannot end at an abbey (BRI-21)")
    return form


def _fits(states: npt.NDArray[Any], design: int, rotation: int, cell: int) -> bool:
    if design == ABBEY_DESIGN:
        return rotation == 0 and bool(entry.can_place_abbey_on(states, 0, cell))
    return bool(entry.can_place(states, 0, design, rotation, cell))


def _put_figure(states: npt.NDArray[Any], position: Position, figure: PlacedFigure) -> None:
    s = states[0]
    number, segment = segment_under(s, position, figure)
    name = figure.figure.name.lower()
    where = f"{name} of seat {figure.seat} at {figure.x},{figure.y} {figure.spot.name}"
    if s.players[figure.seat].supply[figure.figure] == 0:
        raise ValueError(f"{where}: no {name} is left in the supply")
    if segment == NO_SEGMENT and not entry.is_barn_point(
        states, 0, number, figure.spot - FIRST_CORNER
    ):
        raise ValueError(f"{where}: no four fields meet there")
    entry.put(states, 0, figure.seat * len(Figure) + figure.figure, number, int(figure.spot))


def _fill_bag(states: npt.NDArray[Any], position: Position) -> None:
    s = states[0]
    drawn = list(position.aside) + _from_bag(position.rules, position.tiles)
    if position.bazaar is not None:
        drawn += [lot.tile for lot in position.bazaar.offer]
    if position.tile_in_hand is not None:
        drawn.append(position.tile_in_hand)
    known = [] if position.bag is None else [t for t in position.hidden if t != UNKNOWN_TILE]
    left = Counter(TILE_ID[design] for design in s.bag[: int(s.n_bag)])
    left.subtract([*drawn, *known])
    for tile, n in left.items():
        if n < 0:
            raise ValueError(f"{tile}: {-n} more than the set has")
    rest = sorted(left.elements(), key=lambda tile: int(LAYER[design_of(tile)]))
    n_unknown = len(position.hidden) - len(known)
    if n_unknown > len(rest):
        raise ValueError(f"{n_unknown} tiles under hills, but only {len(rest)} tiles are left")
    if position.bag is None:
        unknown, bag = rest[:n_unknown], rest[n_unknown:][::-1]
    else:
        bag = list(position.bag)
        unknown = list((left - Counter(bag)).elements())[:n_unknown]
    if odd := difference([*bag, *unknown], rest):
        raise ValueError(f"the bag does not hold exactly the tiles that are left; {odd}")
    is_known = position.bag is not None
    under = [
        tile if is_known and tile != UNKNOWN_TILE else unknown.pop() for tile in position.hidden
    ]
    s.n_bag = len(bag)
    check_bag_order([design_of(tile) for tile in bag])
    order = [design_of(tile) for tile in [*reversed(bag), *reversed(drawn), *under]]
    s.bag[: len(order)] = order
    s.hidden[: len(under)] = range(len(order) - len(under), len(order))
    if position.bazaar is not None and position.bazaar.waits:
        n_behind = len(position.bazaar.offer) + (position.tile_in_hand is not None)
        s.bazaar.place = len(bag) + n_behind - 1
