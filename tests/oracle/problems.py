"""Checks that describe in words what is impossible in a position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.position import UNKNOWN_TILE, PlacedFigure, PlacedTile, Position

from . import (
    bridges,
    corn_circles,
    count,
    dragon,
    ferries,
    flier,
    labyrinth,
    mage_witch,
    monasteries,
    river,
    russian_promos,
    shrines,
    siege,
    tunnel,
)
from .bazaar_problems import unplayed_bazaar, wrong_bazaar
from .board import completed, features, occupied_cells
from .builder_problems import unplayed_goods, wrong_companions, wrong_goods, wrong_parts
from .castle_problems import wrong_bridges, wrong_castles
from .gold import wrong_gold
from .hills import wrong_flocks, wrong_hills
from .king_robber import wrong_markers
from .little_buildings import wrong_buildings
from .naive import (
    MAY_STAND,
    abbey_places,
    fits,
    has_abbey,
    holes,
    in_turn,
    is_on_table,
    matches,
    point,
    side_neighbours,
    supply,
    takes_barn,
)
from .phases import BAZAAR, is_placed, is_unscored
from .tiles import ABBEY, CORNERS, FACTS, SIDES, across, segments_of, tile_counts
from .tower import wrong_towers
from .wagons import wagon_targets


def problems(position: Position) -> list[str]:
    """List what is impossible in a position; the list is empty if play can reach the position.

    Consistent hand-made positions pass too, even if no game reaches them; see :func:`unplayed`.
    :func:`order_problems` checks the order of the tiles.
    """
    if found := list(unreadable(position)):
        return found
    return [
        *wrong_board(position),
        *wrong_counts(position),
        *wrong_figures(position),
        *wrong_abbeys(position),
        *wrong_bridges(position),
        *wrong_castles(position),
        *unscored(position),
        *wrong_wagons(position),
        *wrong_turn(position),
        *wrong_bazaar(position),
        *wrong_companions(position),
        *wrong_parts(position),
        *wrong_goods(position),
        *wrong_markers(position),
        *wrong_hills(position),
        *wrong_flocks(position),
        *dragon.wrong_fairy(position),
        *wrong_towers(position),
        *count.wrong_count(position),
        *wrong_gold(position),
        *siege.wrong_escapes(position),
        *flier.wrong_flights(position),
        *tunnel.wrong_tunnels(position),
        *ferries.wrong_ferries(position),
        *mage_witch.wrong_magic(position),
        *corn_circles.wrong_circles(position),
        *wrong_buildings(position),
        *russian_promos.wrong_traps(position),
        *labyrinth.wrong_thieves(position),
        *monasteries.wrong_monks(position),
    ]


def unplayed(position: Position) -> list[str]:
    """List reasons why no game reaches a position, although nothing in it is impossible."""
    return [
        *unplayed_river(position),
        *unplayed_figures(position),
        *unplayed_scores(position),
        *unplayed_bazaar(position),
        *unplayed_goods(position),
    ]


def unreadable(position: Position) -> Iterator[str]:
    """Report names and numbers out of range, which make all other checks impossible."""
    if not position.tiles:
        yield "no tile lies on the board"
    counts = tile_counts(position.rules)
    hand = [position.tile_in_hand] if position.tile_in_hand is not None else []
    names = [tile.tile for tile in position.tiles if tile.tile != ABBEY]
    names += [*position.aside, *hand, *(position.bag or ()), *offered(position)]
    names += [name for name in position.hidden if name != UNKNOWN_TILE]
    for name in sorted({*names} - set(counts)):
        yield f"tile {name} is not part of this game"
    for tile in position.tiles:
        if tile.tile in {*counts, ABBEY} and not 0 <= tile.rotation < FACTS[tile.tile]["rot"]:
            yield f"{tile} is turned by {tile.rotation}"
    for figure in (*position.figures, *position.wagons, *position.waiting, *position.trapped):
        if figure.figure not in MAY_STAND or not 0 <= figure.seat < position.rules.n_players:
            yield f"{figure} belongs to nobody"
    n_players = position.rules.n_players
    if len(position.scores) != n_players:
        yield f"{len(position.scores)} scores for {n_players} seats"
    if len(position.sheep) != (n_players if position.rules.shepherds else 0):
        yield f"{len(position.sheep)} flocks for {n_players} seats"
    if len(position.goods) != (n_players if position.rules.goods else 0):
        yield f"{len(position.goods)} hands of goods for {n_players} seats"
    if len(position.unbuilt) != (n_players if position.rules.little_buildings else 0):
        yield f"{len(position.unbuilt)} hands of little buildings for {n_players} seats"
    for what in ("abbeys", "bridges", "castles"):
        hands = getattr(position, "tokens" if what == "castles" else what)
        if len(hands) != (n_players if getattr(position.rules, what) else 0):
            yield f"{len(hands)} hands of {what} for {n_players} seats"
    if any(not 0 <= seat < n_players for seat in seats_of_bazaar(position)):
        yield f"{position.bazaar} or {position.delayed} names a seat that nobody has"
    cities = {
        segment.place
        for tile in position.tiles
        if tile.tile in FACTS
        for segment in segments_of(tile)
        if segment.kind == Kind.CITY
    }
    yield from ferries.wrong_places(position)
    for castle in position.castles:
        if not position.rules.castles or (castle.x, castle.y, castle.spot) not in cities:
            yield f"{castle} is no city of this game"
    for name in ("turn_player", "decider"):
        if not 0 <= getattr(position, name) < n_players:
            yield f"{name} is {getattr(position, name)}"


def offered(position: Position) -> list[str]:
    """List the tiles of a bazaar that are still on offer."""
    return [lot.tile for lot in position.bazaar.offer] if position.bazaar else []


def seats_of_bazaar(position: Position) -> Iterator[int]:
    """Yield all seats that the current bazaar and delayed bazaars name."""
    yield from position.delayed
    if position.bazaar is not None:
        named = [position.bazaar.chooser, position.bazaar.bidder]
        named += [lot.owner for lot in position.bazaar.offer]
        yield from (seat for seat in named if seat is not None)
        yield from (position.bazaar.starter, position.bazaar.resumes)


def wrong_board(position: Position) -> Iterator[str]:
    """Report tiles that cannot be placed like this in any order."""
    start, first = position.tiles[0], river.first_tiles(position.rules)
    laid = [(tile.tile, tile.x, tile.y) for tile in position.tiles[: len(first)]]
    if laid != [(tile.tile, tile.x, tile.y) for tile in first]:  # BASE-02, COU-01
        yield f"the first tile is {start}, or one of {len(first)} lies elsewhere"
    yield from wrong_river(position)
    for cell, n in Counter((tile.x, tile.y) for tile in position.tiles).items():
        if n > 1:
            yield f"{n} tiles lie on {cell}"
    for tile in position.tiles:
        if not is_on_table(position, tile.x, tile.y):
            yield f"{tile} lies beyond the rim of the table"
        for side, neighbour in side_neighbours(position, tile.x, tile.y):
            if side in "NE" and not matches(tile, side, neighbour):  # BASE-04
                yield f"{tile} and {neighbour} do not match"
    reached = {(start.x, start.y)}
    rim = [(start.x, start.y)]
    while rim:
        x, y = rim.pop()
        new = {across(x, y, side)[:2] for side in SIDES} & occupied_cells(position) - reached
        reached |= new
        rim.extend(new)
    for x, y in sorted(occupied_cells(position) - reached):
        yield f"the tile at {(x, y)} is not connected to the start"


def wrong_river(position: Position) -> Iterator[str]:
    """Report a broken or returning river (BASE-41), or a bag with misplaced river tiles."""
    for tile in position.tiles:
        if river.is_river_tile(tile.tile) and not river.goes_on(position, tile):
            yield f"{tile} does not continue the river"
    bag = position.bag or ()
    if list(bag) != sorted(bag, key=river.place_in_bag):
        yield f"the bag begins with {bag[:12]}"  # BASE-40, RIV2-02


def unplayed_river(position: Position) -> Iterator[str]:
    """Report land tiles drawn before the end of the river, or the lake before river tiles."""
    hand = [position.tile_in_hand] if position.tile_in_hand is not None else []
    first = [tile.tile for tile in river.first_tiles(position.rules)]
    seen = [tile.tile for tile in position.tiles[len(first) :] if tile.tile != ABBEY]
    seen += [*position.aside, *hand, *offered(position)]
    counts = Counter({k: n for k, n in tile_counts(position.rules).items() if "river" in FACTS[k]})
    to_come = counts - Counter([*first, *seen])
    if to_come and not all(map(river.is_river_tile, seen)):  # BASE-40
        yield f"land tiles were drawn, but {to_come.total()} river tiles are left"
    if to_come and any(river.is_lake(name) for name in seen):
        yield f"the lake was drawn, but {to_come.total()} river tiles are left"


def wrong_counts(position: Position) -> Iterator[str]:
    """Report more tiles than the game has or, if the bag is known, fewer."""
    seen = Counter(tile.tile for tile in position.tiles)
    seen.update(position.aside)
    seen.update(position.bag or ())
    seen.update(offered(position))
    seen.update(position.hidden if position.bag is not None else ())
    if position.tile_in_hand is not None:
        seen[position.tile_in_hand] += 1
    for name, n in tile_counts(position.rules).items():
        if seen[name] > n:
            yield f"{seen[name]} copies of {name}, the game has {n}"
        if seen[name] < n and position.bag is not None:
            yield f"{n - seen[name]} copies of {name} are lost"


def wrong_figures(position: Position) -> Iterator[str]:
    """Report more figures than a player owns, and figures on impossible places."""
    for seat in range(position.rules.n_players):
        for figure, n in supply(position, seat).items():
            if n < 0:
                yield f"seat {seat} has {-n} {figure.name} too many"
    kinds = {
        segment.place: segment.kind for tile in position.tiles for segment in segments_of(tile)
    }
    for f in position.figures:
        if f.figure == Figure.BARN:
            yield from wrong_barn(position, f)
            continue
        kind = kinds.get((f.x, f.y, f.spot))
        if kind is None:
            yield f"{f} stands on no segment"
        elif kind not in MAY_STAND[f.figure]:
            yield f"{f} stands on a {kind.name}"


def unplayed_figures(position: Position) -> Iterator[str]:
    """Report figures that no placement can have put on their tiles (TURN-03, BASE-06).

    Each placement puts one figure on the placed tile. A wagon may have moved there later.
    """
    start, last = position.tiles[0], position.tiles[-1]
    placed = Counter((f.x, f.y) for f in position.figures if f.figure != Figure.WAGON)
    for (x, y), n in placed.items():
        rules = position.rules
        # PD-65, COU-16, FLY-06, CRN-07
        if rules.portals or rules.count or rules.flier or rules.crop_circles:
            continue
        if n > 1 + position.rules.phantom:  # PHA-02
            yield f"{n} figures stand on the tile at {(x, y)}"
        if (x, y) == (start.x, start.y):
            yield "a figure stands on the start tile"
    if position.phase == Phase.FIGURE:
        if any((f.x, f.y) == (last.x, last.y) for f in position.figures):
            yield "a figure stands on the tile just placed before the figure action"


def wrong_barn(position: Position, barn: PlacedFigure) -> Iterator[str]:
    """Check that a barn stands where four tiles show nothing but field (BARN-03, ABB-17)."""
    if barn.spot not in CORNERS:
        yield f"{barn} stands at no corner"
        return
    field_corners = {
        (segment.x, segment.y, corner)
        for tile in position.tiles
        for segment in segments_of(tile)
        for corner in segment.corners
    }
    if not takes_barn(position, point(barn.x, barn.y, barn.spot), field_corners):
        yield f"{barn} stands at a corner that is not open field"


def wrong_abbeys(position: Position) -> Iterator[str]:
    """Report more or fewer abbeys than one per player, and abbeys that do not fill a hole."""
    laid = [tile for tile in position.tiles if tile.tile == ABBEY]
    n_players = position.rules.n_players if position.rules.abbeys else 0
    if len(laid) + sum(position.abbeys) != n_players:  # ABB-01
        yield f"{len(laid)} abbeys on the board and {position.abbeys} in hand"
    if any(n not in (0, 1) for n in position.abbeys):  # ABB-06
        yield f"{position.abbeys} abbeys in hand"
    for tile in laid:
        if len(list(side_neighbours(position, tile.x, tile.y))) < 4:  # ABB-03
            yield f"{tile} does not fill a hole"


def unscored(position: Position) -> Iterator[str]:
    """Report complete features with figures, unless the last tile completed them (BASE-18).

    Also report farmers that share a field with a barn, unless the last tile joined them (BARN-16,
    BARN-18).
    """
    last = position.tiles[-1]
    acts = is_unscored(position)
    due = completed(position) if acts else []
    for feature in features(position):
        if feature.is_complete and feature.figures and feature not in due:
            yield f"a complete {feature.kind.name} still holds {feature.figures}"
        is_joined = acts and (last.x, last.y) in feature.tiles
        is_joined |= position.leaves_last  # XCK-07
        if feature.barns and feature.meeples and not is_joined:
            yield f"{feature.meeples} share a field with {feature.barns}"


def wrong_wagons(position: Position) -> Iterator[str]:
    """Report contradictions about the wagons that wait for their moves."""
    moves = position.phase in (Phase.WAGON, Phase.WAGON_SPOT)
    if moves and not position.wagons:
        yield f"no wagon waits in phase {position.phase.name}"
    may_wait = moves or position.phase in (Phase.CASTLE_CHOICE, Phase.SHARE)
    if position.wagons and not may_wait:
        yield f"{len(position.wagons)} wagons wait in phase {position.phase.name}"
    if position.wagons != in_turn(position, position.wagons):  # WAG-11
        yield f"{position.wagons} wait in the wrong order"
    for seat, n in Counter(wagon.seat for wagon in position.wagons).items():
        if n > supply(position, seat)[Figure.WAGON]:
            yield f"seat {seat} has {n} wagons that wait and more on the board"
    found = features(position) if position.wagons else []
    here = (position.tiles[-1].x, position.tiles[-1].y)
    for wagon in position.wagons:
        if wagon.figure != Figure.WAGON:
            yield f"{wagon} waits among the wagons"
        place = (wagon.x, wagon.y, wagon.spot)
        stood = next((feature for feature in found if place in feature.segments), None)
        if stood is None or stood.kind not in {*MAY_STAND[Figure.WAGON], Kind.CASTLE}:
            yield f"{wagon} stood on nothing for wagons"
            return
        is_castle = stood.kind == Kind.CASTLE  # WAG-17
        is_shared = is_castle and here in stood.tiles  # CAS-37: Other seats have just converted it.
        has_lost = position.rules.challenge_loser_wagon and shrines.has_rival(position, stood)
        if not (stood.is_complete or is_castle or has_lost) or (
            stood.meeples and not is_shared
        ):  # WAG-04
            yield f"{wagon} waits, but its feature was not scored"
            return
    if moves and position.wagons:
        targets = wagon_targets(position, position.wagons[0])
        if not targets:  # WAG-10
            yield f"{position.wagons[0]} has nowhere to go"
        cells = {(x, y) for x, y, _ in targets}
        if position.phase == Phase.WAGON_SPOT and position.wagon_target not in cells:
            yield f"{position.wagons[0]} cannot go to {position.wagon_target}"
    if position.phase != Phase.WAGON_SPOT and position.wagon_target is not None:
        yield f"a wagon goes to {position.wagon_target} in phase {position.phase.name}"


def wrong_turn(position: Position) -> Iterator[str]:
    """Report contradictions about the turn player, the decider and the phase."""
    decider = position.turn_player
    if position.phase in (Phase.WAGON, Phase.WAGON_SPOT) and position.wagons:
        decider = position.wagons[0].seat  # WAG-11
    if position.phase == Phase.FLIGHT:
        decider = dragon.decider_of_step(position)
    leaves = position.phase in {Phase.JOIN, Phase.JOIN_SPOT}  # COU-14
    others = {*BAZAAR, *corn_circles.ASKS_ALL, Phase.SHARE, Phase.GAME_OVER}  # GOL-07, CRN-05
    is_asked = leaves or position.town is not None or position.phase in others
    if not is_asked and position.decider != decider:
        yield f"seat {position.decider} decides in the turn of seat {position.turn_player}"
    if position.phase != Phase.PLACE_TILE and position.tile_in_hand is not None:
        yield f"{position.tile_in_hand} is in hand in phase {position.phase.name}"
    if (
        position.phase == Phase.PLACE_TILE
        and position.rules.auto_single
        and position.tile_in_hand is not None
        and not bridges.all_placements(position, position.tile_in_hand)
    ):
        yield f"{position.tile_in_hand} fits nowhere and should be aside"  # BASE-05
    if position.phase == Phase.DRAW_OR_ABBEY and not abbey_places(position):  # ABB-05, ABB-06
        yield f"seat {position.decider} can place no abbey"
    n_first = len(river.first_tiles(position.rules))
    if is_placed(position) and len(position.tiles) == n_first:
        yield f"nothing but the start tile lies there in phase {position.phase.name}"
    if position.phase == Phase.GAME_OVER and position.bag:  # BASE-22
        yield f"the game is over with {len(position.bag)} tiles in the bag"
    if position.last_round is not None:
        yield from wrong_last_round(position)


def unplayed_scores(position: Position) -> Iterator[str]:
    """Report scores below 0 if no seat can have overbid (BAZ-12)."""
    rules = position.rules
    may_owe = rules.bazaars and (rules.bazaar_mode, rules.bazaar_overbid) == ("auction", "allow")
    may_owe |= rules.russian_promos and position.phase == Phase.GAME_OVER  # RUS-13
    if min(position.scores) < 0 and not may_owe:
        yield f"the scores are {position.scores}"


def wrong_last_round(position: Position) -> Iterator[str]:
    """Report contradictions in the last round, the round of abbeys (ABB-20)."""
    rules = position.rules
    if not rules.abbeys or rules.abbey_endgame == "none":
        yield "there is no last round in this game"
    if not 0 <= (position.last_round or 0) < rules.n_players:  # ABB-23
        yield f"{position.last_round} seats are still to be asked"
    if position.bag or position.bazaar or position.phase == Phase.PLACE_TILE:
        yield "the last round has begun with land tiles left"
    if is_placed(position) and position.tiles[-1].tile != ABBEY:
        yield f"{position.tiles[-1]} was placed in the last round"


def order_problems(position: Position) -> list[str]:
    """List contradictions to the order of the tiles, for positions that come from play.

    Each tile must fit the board before it, inside the view at that time; bridges count as if they
    had been built with their tiles. A figure belongs to the seat that placed its tile, because the
    seats take turns without exception, except in bazaars (BASE-03, BASE-05, BASE-06, ABB-02). A
    barn is recorded at a corner of the tile that it was placed with.
    """
    found = []
    n_first = len(river.first_tiles(position.rules))
    for i, tile in enumerate(position.tiles[n_first:], start=n_first):
        before = replace(position, tiles=position.tiles[:i])
        if not could_be_placed(before, tile):
            found.append(f"{tile} could not be placed as tile {i}")
    if position.phase == Phase.GAME_OVER or position.last_round is not None:
        return found  # The position does not record who had the last normal turn.
    if rules_of_guests(position):
        return found  # It does not record extra turns or figures from elsewhere either.
    n_players, n_tiles = position.rules.n_players, len(position.tiles)
    next_to_place = position.turn_player + is_placed(position)
    placed_by = {
        (tile.x, tile.y): (next_to_place - (n_tiles - i)) % n_players
        for i, tile in enumerate(position.tiles)
    }
    for figure in position.figures:
        if figure.figure == Figure.WAGON:
            continue  # It may have moved.
        if placed_by.get((figure.x, figure.y)) != figure.seat:
            found.append(f"{figure} stands on a tile that another seat has placed")
    for tile in position.tiles:
        if tile.tile == ABBEY and has_abbey(position, placed_by[tile.x, tile.y]):
            found.append(f"{tile} was placed by a seat that has its abbey in hand")
    return found


def rules_of_guests(position: Position) -> bool:
    """Return whether a seat may have an extra turn, or figures come from elsewhere."""
    rules = position.rules
    return rules.bazaars or rules.builders or rules.count or rules.flier


def could_be_placed(before: Position, tile: PlacedTile) -> bool:
    """Return whether a tile could be added to the board."""
    if tile.tile == ABBEY:
        cell = (tile.x, tile.y)
        return cell in holes(before) and shrines.keeps_apart(before, ABBEY, cell)
    is_free = (tile.x, tile.y) not in occupied_cells(before)
    is_placed_well = (
        fits(before, tile)
        and river.goes_on(before, tile)
        and shrines.keeps_apart(before, tile.tile, (tile.x, tile.y))
    )
    return is_free and is_on_table(before, tile.x, tile.y) and is_placed_well
