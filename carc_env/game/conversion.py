"""Between positions as people see them and the records of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.board import STEP
from carc_env.engine.core.codes import CORNER_SPOTS, FIRST_CORNER, Figure, Kind, Phase, Spot
from carc_env.engine.core.state import (
    BOARD,
    CENTRE_LINE,
    FIGURE_SLOTS,
    MAX_BAG,
    MAX_BAZAARS,
    NO_CELL,
    NO_CORNER,
    NO_DESIGN,
    NO_LOT,
    NO_ROUND,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    states_from_bytes,
)
from carc_env.engine.core.tiles import (
    ABBEY_DESIGN,
    AXES,
    BRIDGE_AXIS,
    BRIDGED,
    DESIGN,
    NO_AXIS,
    NO_FORM,
    PRINTED,
    SEGMENT_SPOT,
    SPOT_SEGMENT,
    TILE_ID,
)
from carc_env.engine.problems import Problem
from carc_env.game.position import (
    Bazaar,
    Castle,
    Lot,
    Place,
    PlacedFigure,
    PlacedTile,
    Position,
    halves_of,
)
from carc_env.layout.template import (
    check_bag_order,
    difference,
    legal_buffer,
    template,
    total_in_bag,
)
from carc_env.rules import Rules

MAX_SCORE = 1_000_000
"""More than any game brings, and little enough for the record to add what a game brings."""
MAX_CASTLE_POINTS = 10_000
ABBEY_ID = TILE_ID[ABBEY_DESIGN]


LEAST, MOST = 1 - CENTRE_LINE, BOARD - 2 - CENTRE_LINE
"""The coordinates of the cells on which a tile can lie: the rim stays empty."""


def cell_of(x: int, y: int) -> int:
    """The cell of the engine's table for table coordinates, the start tile being (0, 0)."""
    return (y + CENTRE_LINE) * BOARD + x + CENTRE_LINE


def coordinates_of(cell: int) -> tuple[int, int]:
    """Table coordinates (x, y) of a cell of the engine's table."""
    row, column = divmod(cell, BOARD)
    return column - CENTRE_LINE, row - CENTRE_LINE


def cell_from_view(s: Any, view_cell: int) -> int:
    """The cell of the engine's table for a cell number of a game's view."""
    row, column = divmod(view_cell, int(s.rules.view_size))
    return (row + int(s.view_row)) * BOARD + column + int(s.view_column)


def read_position(rules: Rules, states: npt.NDArray[Any], i: int) -> Position:
    """The position of game i, with the order of its bag."""
    s = states[i]
    placed = s.tiles[: int(s.n_tiles)]
    tiles = tuple(_placed_tile(*tile) for tile in _rows(placed, "design", "rotation", "cell"))
    hand = None if s.hand == NO_DESIGN else TILE_ID[s.hand]
    n_all = total_in_bag(rules)
    drawn = Counter(TILE_ID[design] for design in s.bag[int(s.n_bag) : n_all])
    bazaar = _bazaar(s)
    on_offer = [lot.tile for lot in bazaar.offer] if bazaar else []
    gone = Counter(_from_bag(tiles)) + Counter([hand] if hand else []) + Counter(on_offer)
    return Position(
        rules=rules,
        tiles=tiles,
        figures=tuple(_figures_on_board(s, tiles)),
        scores=tuple(int(player.score) for player in s.players[: rules.n_players]),
        phase=Phase(int(s.phase)),
        turn_player=int(s.turn_player),
        decider=int(s.decider),
        tile_in_hand=hand,
        aside=tuple((drawn - gone).elements()),
        bag=tuple(TILE_ID[design] for design in s.bag[: int(s.n_bag)][::-1]),
        abbeys=tuple(int(p.abbeys) for p in s.players[: rules.n_players] if rules.abbeys),
        wagons=tuple(_waiting_wagons(s)),
        wagon_target=None if s.wagon_cell == NO_CELL else coordinates_of(int(s.wagon_cell)),
        last_round=_last_round(s),
        rolled=tuple(_rolled_over(states, i)),
        bridges=tuple(int(p.bridges) for p in s.players[: rules.n_players] if rules.bridges),
        has_bridged=bool(s.has_bridged),
        castles=tuple(
            Castle(*_named(s, int(c.segment)), int(c.points)) for c in s.castles[: int(s.n_castles)]
        ),
        tokens=tuple(int(p.tokens) for p in s.players[: rules.n_players] if rules.castles),
        town=None if s.town == NO_SEGMENT else _named(s, int(s.town)),
        bazaar=bazaar,
        is_bought=bool(s.is_bought),
        delayed=tuple(int(seat) for seat in s.bazaar.delayed[: int(s.bazaar.n_delayed)]),
        goods=tuple(tuple(p.goods.tolist()) for p in s.players[: rules.n_players] if rules.goods),
        first_part=_cell_of_tile(s, int(s.first_part)),
        has_extended=bool(s.extends),
    )


def _cell_of_tile(s: Any, tile: int) -> tuple[int, int] | None:
    return None if tile == NO_TILE else coordinates_of(int(s.tiles[tile].cell))


def _rows(records: Any, *names: str) -> list[tuple[int, ...]]:
    """Some fields of many records as plain numbers: reading records one by one is slow."""
    return list(zip(*(records[name].tolist() for name in names), strict=True))


def _placed_tile(design: int, rotation: int, cell: int) -> PlacedTile:
    axis = int(BRIDGE_AXIS[design, rotation])
    bridge = None if axis == NO_AXIS else AXES[axis]
    return PlacedTile(TILE_ID[PRINTED[design]], *coordinates_of(cell), rotation, bridge)


def _bazaar(s: Any) -> Bazaar | None:
    bazaar = s.bazaar
    if bazaar.starter == NO_SEAT:
        return None
    has_chooser, has_lot = bazaar.chooser != NO_SEAT, bazaar.lot != NO_LOT
    has_bid = bazaar.bidder != NO_SEAT
    return Bazaar(
        starter=int(bazaar.starter),
        resumes=int(bazaar.resumes),
        offer=tuple(
            Lot(TILE_ID[lot.design], None if lot.owner == NO_SEAT else int(lot.owner))
            for lot in bazaar.lots
            if lot.design != NO_DESIGN
        ),
        takes=bool(bazaar.takes),
        chooser=int(bazaar.chooser) if has_chooser else None,
        lot=int(bazaar.lot) if has_lot else None,
        price=int(bazaar.price) if has_bid else None,
        bidder=int(bazaar.bidder) if has_bid else None,
        waits=bool(bazaar.waits),
        owed=_cell_of_tile(s, int(bazaar.owed_part)),
        owed_bridged=bool(bazaar.owed_bridged),
    )


def _from_bag(tiles: tuple[PlacedTile, ...]) -> list[str]:
    """The tiles on the board that were drawn from the bag."""
    return [tile.tile for tile in tiles[1:] if tile.tile != ABBEY_ID]


def _named(s: Any, segment: int) -> Place:
    """The cell and the spot that name a segment."""
    tile, spot = _place_of(s, segment)
    return *coordinates_of(int(s.tiles[tile].cell)), spot


def _place_of(s: Any, segment: int) -> tuple[int, Spot]:
    """Number of the tile that a segment is part of, and the spot that names it."""
    tile = int(s.segments[segment].tile)
    placed = s.tiles[tile]
    j = segment - int(placed.first_segment)
    return tile, Spot(int(SEGMENT_SPOT[placed.design, placed.rotation, j]))


def _waiting_wagons(s: Any) -> Iterator[PlacedFigure]:
    n_players = int(s.rules.n_players)
    for k in range(n_players):
        seat = (int(s.turn_player) + k) % n_players
        segment = int(s.players[seat].wagon_from)
        if segment != NO_SEGMENT:
            yield PlacedFigure(seat, Figure.WAGON, *_named(s, segment))


def _last_round(s: Any) -> int | None:
    is_on = s.last_round != NO_ROUND and s.phase != Phase.GAME_OVER
    return int(s.last_round) if is_on else None


def _rolled_over(states: npt.NDArray[Any], i: int) -> Iterator[Place]:
    s = states[i]
    if s.rolled.any():
        for feature in range(int(s.n_segments)):
            if entry.is_rolled_over(states, i, feature):
                first = int((s.segments["feature"] == feature).argmax())
                yield _named(s, first)


def _figures_on_board(s: Any, tiles: tuple[PlacedTile, ...]) -> list[PlacedFigure]:
    found = []
    for number, (segment, corner) in enumerate(_rows(s.figures, "segment", "corner")):
        if segment == NO_SEGMENT:
            continue
        seat, slot = divmod(number, SLOTS_PER_SEAT)
        tile, spot = _place_of(s, segment)
        if corner != NO_CORNER:
            spot = CORNER_SPOTS[corner]
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
    for castle in position.castles:
        _found_castle(states, position, castle)
    for figure in position.figures:
        _put_figure(states, position, figure)
    _write_players(s, position)
    _write_turn(s, position)
    _write_bazaar(s, position)
    _write_rolled(states, position)
    _fill_bag(states, position)
    if flags := entry.problems(states, 0):
        detail = _name_unscored(states) if flags & Problem.UNSCORED else ""
        raise ValueError(f"the position is not sound: {Problem(flags)!r}{detail}")
    _check_choices(states, position)
    return states


def _name_unscored(states: npt.NDArray[Any]) -> str:
    """Which feature should have been scored: the one under the first such figure."""
    s = states[0]
    figure = int(entry.unscored(states, 0))
    segment = int(s.figures[figure].segment)
    x, y, spot = _named(s, segment)
    kind = Kind(int(s.features[int(s.segments[segment].feature)].kind))
    why = "a barn lies in" if kind == Kind.FIELD else "complete is"
    return (
        f": {why} the {kind.name.lower()} at {x},{y} {spot.name}, whose figures were scored and "
        f"sent home at once; only what the tile just placed touches can wait for that"
    )


def _write_players(s: Any, position: Position) -> None:
    rules = position.rules
    if len(position.scores) != rules.n_players:
        raise ValueError(f"{len(position.scores)} scores for {rules.n_players} players")
    for seat, score in enumerate(position.scores):
        if abs(score) > MAX_SCORE:
            raise ValueError(f"score {score} of seat {seat} is out of range")
        s.players[seat].score = score
    if len(position.abbeys) != rules.n_players * rules.abbeys:
        raise ValueError(f"{len(position.abbeys)} numbers of abbeys for {rules.n_players} players")
    n_laid = sum(tile.tile == ABBEY_ID for tile in position.tiles)
    if sum(position.abbeys) + n_laid != len(position.abbeys) or set(position.abbeys) - {0, 1}:
        raise ValueError(
            f"abbeys {position.abbeys} in hand and {n_laid} on the board: every seat has one in all"
        )
    for seat, n in enumerate(position.abbeys):
        s.players[seat].abbeys = n
    _write_stock(s, position)
    _write_goods(s, position)


def _write_stock(s: Any, position: Position) -> None:
    """Bridges and castle tokens in hand."""
    rules, seats = position.rules, position.rules.n_players
    for what, stock, each in (
        ("bridges", position.bridges, rules.bridges_each),
        ("tokens", position.tokens, rules.tokens_each),
    ):
        if len(stock) != seats * (each > 0):
            raise ValueError(f"{len(stock)} numbers of {what} for {seats} players")
        if any(not 0 <= n <= each for n in stock):
            raise ValueError(f"{what} {stock} in hand: every seat has 0 to {each}")
        for seat, n in enumerate(stock):
            s.players[seat][what] = n
    n_laid = sum(tile.bridge is not None for tile in position.tiles)
    if sum(position.bridges) + n_laid != rules.bridges_each * seats:
        raise ValueError(
            f"bridges {position.bridges} in hand and {n_laid} on the board: every seat has "
            f"{rules.bridges_each} in all"
        )
    for seat, n in enumerate(position.tokens):
        n_castles = sum(_has_paid(position, castle, seat) for castle in position.castles)
        if n_castles > rules.tokens_each - n:
            raise ValueError(f"seat {seat} holds {n_castles} castles, but has {n} tokens in hand")
    if sum(position.tokens) + len(position.castles) > rules.tokens_each * seats:
        raise ValueError(
            f"tokens {position.tokens} in hand and {len(position.castles)} castles: every seat has "
            f"{rules.tokens_each} in all"
        )


def _write_goods(s: Any, position: Position) -> None:
    rules = position.rules
    if position.goods and not rules.goods:
        raise ValueError("seats have trade goods, but none are in play")
    if len(position.goods) != rules.n_players * rules.goods:
        raise ValueError(f"goods of {len(position.goods)} seats for {rules.n_players} players")
    for seat, tokens in enumerate(position.goods):
        if any(not 0 <= n <= MAX_BAG for n in tokens):
            raise ValueError(f"goods {tokens} of seat {seat} are out of range")
        s.players[seat].goods[:] = tokens


def _has_paid(position: Position, castle: Castle, seat: int) -> bool:
    """Whether a seat is lord of a castle and does not decide on it still (CAS-36)."""
    both = halves_of((castle.x, castle.y, castle.spot))
    last = position.tiles[-1]
    is_new = (last.x, last.y) in {(x, y) for x, y, _ in both}
    if is_new and position.phase == Phase.CASTLE:
        return False
    return any(f.seat == seat and (f.x, f.y, f.spot) in both for f in position.figures)


def _tile_on(position: Position, cell: tuple[int, int] | None) -> int:
    """Number of the tile placed in the first part of a turn, NO_TILE for None."""
    if cell is None:
        return NO_TILE
    for number, tile in enumerate(position.tiles[1:], start=1):
        if (tile.x, tile.y) == cell:
            return number
    raise ValueError(f"no tile was placed at {cell[0]},{cell[1]} in the first part of the turn")


def _write_turn(s: Any, position: Position) -> None:
    for name in ("turn_player", "decider"):
        seat = getattr(position, name)
        if seat not in range(position.rules.n_players):
            raise ValueError(f"{name}: there is no seat {seat}")
        s[name] = seat
    s.phase = position.phase
    s.has_bridged, s.is_bought = position.has_bridged, position.is_bought
    s.first_part, s.extends = _tile_on(position, position.first_part), position.has_extended
    if position.town is not None:
        x, y, spot = position.town
        s.town = _segment_at(s, position, position.town, f"town at {x},{y} {spot.name}")[1]
    if position.tile_in_hand is not None:
        s.hand = _design(position.tile_in_hand)
    if position.phase == Phase.GAME_OVER:
        s.last_round = 0
    if position.last_round is not None:
        if not 0 <= position.last_round < position.rules.n_players:
            raise ValueError(f"last round {position.last_round}: fewer seats than players are left")
        s.last_round = position.last_round
    if position.wagons and not position.rules.wagons:
        raise ValueError("wagons wait, but none are in play")
    if len({wagon.seat for wagon in position.wagons}) < len(position.wagons):
        raise ValueError("two wagons of the same seat wait; everybody has one")
    for wagon in position.wagons:
        _, segment = _find_segment(s, position, wagon)
        s.players[wagon.seat].wagon_from = segment
    if position.phase == Phase.CASTLE and position.town is not None:
        last = position.tiles[-1]
        if position.town[:2] != (last.x, last.y):
            raise ValueError("a town is decided on when its last tile has just been placed")
    if position.wagon_target is not None:
        if position.wagon_target not in {(tile.x, tile.y) for tile in position.tiles}:
            raise ValueError(f"no tile lies at {position.wagon_target}, where the wagon is to go")
        s.wagon_cell = cell_of(*position.wagon_target)


def _write_rolled(states: npt.NDArray[Any], position: Position) -> None:
    moves = position.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if position.rolled and not (position.rules.house_wagon_roll and moves):
        raise ValueError("no wagon rolls, but features are named that it has left (HOUSE-01)")
    for x, y, spot in position.rolled:
        rolled = PlacedFigure(position.decider, Figure.WAGON, x, y, spot)
        entry.roll_over(states, 0, _find_segment(states[0], position, rolled)[1])


def _write_bazaar(s: Any, position: Position) -> None:
    bazaar, seats = position.bazaar, range(position.rules.n_players)
    if (bazaar is not None or position.is_bought) and not position.rules.bazaars:
        raise ValueError("a bazaar is going on, but none are in play")
    if bazaar is None:
        if position.delayed:
            raise ValueError("bazaars wait, but none is going on")
        return
    named = [bazaar.starter, bazaar.resumes, bazaar.chooser, bazaar.bidder, *position.delayed]
    named += [lot.owner for lot in bazaar.offer]
    if odd := [seat for seat in named if seat is not None and seat not in seats]:
        raise ValueError(f"bazaar: there is no seat {odd[0]}")
    if len(bazaar.offer) > len(seats):
        raise ValueError(f"bazaar: {len(bazaar.offer)} tiles on offer for {len(seats)} players")
    if bazaar.lot is not None and not 0 <= bazaar.lot < len(bazaar.offer):
        raise ValueError(f"bazaar: there is no tile {bazaar.lot + 1} on offer")
    if len(position.delayed) > MAX_BAZAARS:
        raise ValueError(f"bazaar: {len(position.delayed)} wait, but there are {MAX_BAZAARS}")
    if not 0 <= (bazaar.price or 0) <= position.rules.bazaar_bid_limit:
        raise ValueError(f"bazaar: no bid can be {bazaar.price}")
    record = s.bazaar
    record.starter, record.resumes, record.takes = bazaar.starter, bazaar.resumes, bazaar.takes
    for number, lot in enumerate(bazaar.offer):
        record.lots[number].design = _design(lot.tile)
        record.lots[number].owner = NO_SEAT if lot.owner is None else lot.owner
    record.chooser = NO_SEAT if bazaar.chooser is None else bazaar.chooser
    record.lot = NO_LOT if bazaar.lot is None else bazaar.lot
    record.price = bazaar.price or 0
    record.bidder = NO_SEAT if bazaar.bidder is None else bazaar.bidder
    record.waits, record.owed_bridged = bazaar.waits, bazaar.owed_bridged
    record.owed_part = _tile_on(position, bazaar.owed)
    record.n_delayed = len(position.delayed)
    record.delayed[: len(position.delayed)] = position.delayed


def _check_choices(states: npt.NDArray[Any], position: Position) -> None:
    """The decision of the position must have a choice other than to pass."""
    if position.phase not in position.rules.phases:
        raise ValueError(f"phase {position.phase.name} cannot occur under these rules")
    n = entry.legal(states, 0, legal_buffer())
    if position.phase == Phase.WAGON_SPOT and not entry.chooses_cell(states, 0):
        raise ValueError(
            "a cell is chosen for a wagon only under wagon_adjacency='C1', or from a castle under "
            "wagon_from_castle='neighbours' or castle_fief='row'"
        )
    if position.phase == Phase.PLACE_TILE and n == 0:
        raise ValueError(f"{position.tile_in_hand} is in hand but fits nowhere")
    if position.phase == Phase.DRAW_OR_ABBEY and n < 2:
        raise ValueError("no abbey can be placed: there is no hole, or none is in hand")
    if n < {Phase.WAGON: 2, Phase.WAGON_SPOT: 1}.get(position.phase, 0):
        raise ValueError("the wagon has nowhere to go")
    if position.phase == Phase.BRIDGE and n < 2:
        raise ValueError("no bridge can be built")
    if position.phase == Phase.CASTLE_CHOICE and n < 2:
        raise ValueError("the castle has no choice of features")
    if position.phase == Phase.CASTLE and not entry.has_town_to_decide(states, 0):
        raise ValueError("the town does not wait for a decision of this seat")


def _design(tile: str) -> int:
    if tile not in DESIGN:
        raise ValueError(f"unknown tile {tile!r}")
    return DESIGN[tile]


def _lay_tile(states: npt.NDArray[Any], number: int, tile: PlacedTile) -> None:
    where = f"{tile.tile} at {tile.x},{tile.y} r{tile.rotation}"
    if not (LEAST <= tile.x <= MOST and LEAST <= tile.y <= MOST):
        raise ValueError(f"{where}: off the table, on which x and y run from {LEAST} to {MOST}")
    design, cell = _design(tile.tile), cell_of(tile.x, tile.y)
    if tile.rotation not in range(4):
        raise ValueError(f"{where}: a rotation is 0, 1, 2 or 3")
    if number == 0:
        start = int(states[0].rules.start_design)
        if (design, tile.x, tile.y, tile.rotation) != (start, 0, 0, 0):
            raise ValueError(f"{where}: the first tile must be {TILE_ID[start]} 0,0 r0")
    form = _bridged_form(states, tile, where) if tile.bridge else design
    if number > 0 and not _fits(states, form, tile.rotation, cell):
        raise ValueError(f"{where}: does not fit there beside the tiles named before it")
    entry.lay(states, 0, form, tile.rotation, cell)


def _bridged_form(states: npt.NDArray[Any], tile: PlacedTile, where: str) -> int:
    """The form of a tile with the bridge over it, as far as one can stand there."""
    s, cell = states[0], cell_of(tile.x, tile.y)
    if not s.rules.bridges:
        raise ValueError(f"{where}: it carries a bridge, but none are in play")
    if tile.bridge not in AXES:
        raise ValueError(f"{where}: a bridge runs NS or EW, not {tile.bridge!r}")
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


def _find_segment(s: Any, position: Position, figure: PlacedFigure) -> tuple[int, int]:
    """Number of the tile under a figure and the segment that its spot names, -1 for corners."""
    name = figure.figure.name.lower()
    where = f"{name} of seat {figure.seat} at {figure.x},{figure.y} {figure.spot.name}"
    if not 0 <= figure.seat < position.rules.n_players:
        raise ValueError(f"{where}: there are {position.rules.n_players} seats")
    if (figure.figure == Figure.BARN) != (figure.spot in CORNER_SPOTS):
        raise ValueError(f"{where}: barns, and only barns, stand on corners")
    return _segment_at(s, position, (figure.x, figure.y, figure.spot), where)


def _segment_at(s: Any, position: Position, place: Place, where: str) -> tuple[int, int]:
    """Number of a tile and the segment that a spot names there, -1 for corners."""
    x, y, spot = place
    number = next((k for k, t in enumerate(position.tiles) if (t.x, t.y) == (x, y)), None)
    if number is None:
        raise ValueError(f"{where}: no tile lies there")
    if spot in CORNER_SPOTS:
        return number, NO_SEGMENT
    placed = s.tiles[number]
    j = int(SPOT_SEGMENT[placed.design, placed.rotation, spot])
    if j < 0:
        raise ValueError(f"{where}: no segment of the tile is named by this spot")
    return number, int(placed.first_segment) + j


def _found_castle(states: npt.NDArray[Any], position: Position, castle: Castle) -> None:
    where = f"castle at {castle.x},{castle.y} {castle.spot.name}"
    if not position.rules.castles:
        raise ValueError(f"{where}: castles are not in play")
    place = (castle.x, castle.y, castle.spot)
    _, segment = _segment_at(states[0], position, place, where)
    if not entry.set_castle(states, 0, segment):
        raise ValueError(f"{where}: there is no city that can be a castle (CAS-02)")
    if not 0 <= castle.points <= MAX_CASTLE_POINTS:
        raise ValueError(f"{where}: {castle.points} points are out of range")
    states[0].castles[int(states[0].n_castles) - 1].points = castle.points


def _put_figure(states: npt.NDArray[Any], position: Position, figure: PlacedFigure) -> None:
    s = states[0]
    number, segment = _find_segment(s, position, figure)
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
    drawn = list(position.aside) + _from_bag(position.tiles)
    if position.bazaar is not None:
        drawn += [lot.tile for lot in position.bazaar.offer]
    if position.tile_in_hand is not None:
        drawn.append(position.tile_in_hand)
    left = Counter(TILE_ID[design] for design in s.bag[: int(s.n_bag)])
    left.subtract(drawn)
    for tile, n in left.items():
        if n < 0:
            raise ValueError(f"{tile}: {-n} more than the set has")
    bag = list(left.elements())[::-1] if position.bag is None else list(position.bag)
    if odd := difference(bag, left.elements()):
        raise ValueError(f"the bag does not hold the tiles that are left; {odd}")
    s.n_bag = len(bag)
    check_bag_order([_design(tile) for tile in bag])
    order = [_design(tile) for tile in [*reversed(bag), *reversed(drawn)]]
    s.bag[: len(order)] = order
    if position.bazaar is not None and position.bazaar.waits:
        n_behind = len(position.bazaar.offer) + (position.tile_in_hand is not None)
        s.bazaar.place = len(bag) + n_behind - 1
    if position.bag is None:
        entry.shuffle_bag(states, 0, s.rng)
