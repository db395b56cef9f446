"""The Princess & the Dragon (docs/rules/princess-dragon.md): dragon, fairy, princesses, portals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Spot
from carc_env.position import PlacedFigure, Position

from . import labyrinth, mage_witch
from .board import MEEPLES, Feature, feature_at, features, occupied_cells, trap_cells
from .shrines import would_draw
from .tiles import FACTS, Cell, across

STEPS_OF_A_FLIGHT = 6
POINTS_FOR_A_FEATURE = 3


def shows(position: Position, what: str) -> bool:
    """Return whether the tile just placed shows a volcano, a dragon or a portal."""
    return bool(FACTS[position.tiles[-1].tile].get(what))


def last_cell(position: Position) -> Cell:
    """Return the cell of the tile just placed."""
    return position.tiles[-1].x, position.tiles[-1].y


def without(position: Position, gone: Iterable[PlacedFigure]) -> Position:
    """Remove figures, and builders and pigs that then have no meeple left (PD-19, PD-59)."""
    left = list(position.figures)
    for figure in gone:
        left.remove(figure)
    for feature in features(position):
        if not any(figure in gone for figure in feature.figures):
            continue
        staying = {f.seat for f in feature.meeples if f in left}
        for figure in feature.figures:
            is_companion = figure.figure in (Figure.BUILDER, Figure.PIG)
            if is_companion and figure.seat not in staying and figure in left:
                left.remove(figure)
    return replace(position, figures=tuple(left))


# --- The dragon ---------------------------------------------------------------------------------


def brought(position: Position) -> Position:
    """Move the dragon to a volcano just placed (PD-03)."""
    if position.rules.dragon and shows(position, "volcano"):
        return replace(position, dragon=last_cell(position))
    return position


def bars_meeples(position: Position) -> bool:
    """Return whether no meeple, builder, pig or shepherd may go onto the tile just placed.

    This is so for a volcano (PD-03, PD-05) and for Vodyanoy (RUS-14).
    """
    return last_cell(position) in barred(position)


def barred(position: Position) -> set[Cell | None]:
    """Return the cells that no figure may go to: the dragon's (PD-06) and Vodyanoy's (RUS-14)."""
    return {position.dragon, trap_cells(position).get("water")}


def steps(position: Position) -> set[Cell]:
    """Return the cells that the dragon may enter now (PD-11, PD-12, PD-14).

    The middle of Carcassonne is closed to it (COU-24).
    """
    assert position.dragon is not None
    beside = {across(*position.dragon, side)[:2] for side in "NESW"}
    closed = {(tile.x, tile.y) for tile in position.tiles if FACTS[tile.tile].get("closed")}
    return (beside & occupied_cells(position)) - {*position.flown, position.fairy} - closed


def flies(position: Position) -> bool:
    """Return whether the tile just placed starts a flight (PD-08)."""
    return position.dragon is not None and shows(position, "dragon")


def can_fly_on(position: Position) -> bool:
    """Return whether the flight has a step left and a cell to enter (PD-10, PD-13)."""
    return len(position.flown) <= STEPS_OF_A_FLIGHT and bool(steps(position))


def decider_of_step(position: Position) -> int:
    """Return the seat that takes the next step: clockwise from the turn player (PD-10)."""
    return (position.turn_player + len(position.flown) - 1) % position.rules.n_players


def is_eaten(position: Position, figure: PlacedFigure, cell: Cell) -> bool:
    """Return whether the dragon eats a figure (PD-15, PD-16, XPD-01, XPD-13, HOUSE-03)."""
    if (figure.x, figure.y) != cell or figure.figure == Figure.BARN:
        return False
    if figure.figure == Figure.WAGON and position.rules.house_wagon_safe:
        return False
    return feature_at(position, figure.x, figure.y, figure.spot).kind != Kind.CASTLE


def entered(position: Position, cell: Cell) -> Position:
    """Take a step and return the eaten figures; their sheep go back into the bag (PD-15)."""
    eaten = [figure for figure in position.figures if is_eaten(position, figure, cell)]
    herds = {figure.seat for figure in eaten if figure.figure == Figure.SHEPHERD}
    sheep = tuple(() if seat in herds else flock for seat, flock in enumerate(position.sheep))
    position = replace(position, dragon=cell, flown=(*position.flown, cell), sheep=sheep)
    return mage_witch.eaten(fairy_left(without(position, eaten)))


# --- The fairy ----------------------------------------------------------------------------------


def beside_fairy(position: Position, figure: PlacedFigure) -> bool:
    """Return whether a meeple is the one beside the fairy, or any meeple on her tile (PD-31)."""
    if figure.figure not in MEEPLES or (figure.x, figure.y) != position.fairy:
        return False
    if position.fairy_seat not in (None, figure.seat):  # XW-05
        return False
    return position.rules.fairy_placement == "on_tile" or figure.spot == position.fairy_beside


def fairy_left(position: Position) -> Position:
    """Leave the fairy on her cell if her meeple has gone (PD-40)."""
    if not any(beside_fairy(position, figure) for figure in position.figures):
        position = replace(position, fairy_beside=None)
    if len(seats_at_fairy(position)) < 2 and not is_in_trap(position):
        position = replace(position, fairy_seat=None)
    return replace(position, fairy_on_top=is_on_top(position))


def trapped_at(position: Position, cell: Cell | None) -> list[int]:
    """List the owners of the meeples in the trap on a cell, if there is a trap."""
    here = {trap for trap, where in trap_cells(position).items() if where == cell}
    return [t.seat for t in position.trapped if t.trap in here and t.figure in MEEPLES]


def is_on_top(position: Position) -> bool:
    """Return whether the fairy is still beside the meeple on a tower or in a trap (PD-40)."""
    if position.fairy in trap_cells(position).values():
        return position.fairy_on_top and position.fairy_seat in trapped_at(position, position.fairy)
    return position.fairy_on_top and position.fairy in tops(position)


def fairy_traps(position: Position) -> set[Cell]:
    """Return the traps where the fairy may move to one of the decider's meeples (RUS-15)."""
    rules = position.rules
    own = {
        cell
        for cell in trap_cells(position).values()
        if rules.fairy and position.decider in trapped_at(position, cell)
    }
    if rules.fairy_placement == "on_tile":
        return own - {position.fairy} - {cell for cell, _ in fairy_targets(position)}
    is_there = position.fairy_on_top and position.fairy_seat == position.decider
    return own - ({position.fairy} if is_there else set())


def is_in_trap(position: Position) -> bool:
    """Return whether the fairy is beside a meeple in a trap (RUS-15)."""
    return is_on_top(position) and position.fairy in trap_cells(position).values()


def seats_at_fairy(position: Position) -> set[int]:
    """Return the seats with a meeple on the same spot as the fairy's meeple."""
    here = position.fairy and (*position.fairy, position.fairy_beside)
    return {f.seat for f in position.figures if (f.x, f.y, f.spot) == here and f.figure in MEEPLES}


def kept_apart(position: Position) -> Position:
    """Record the owner of the fairy's meeple before another meeple joins its spot (XW-05)."""
    if position.fairy_seat is None and (seats := seats_at_fairy(position)):
        (seat,) = seats
        return replace(position, fairy_seat=seat)
    return position


def tops(position: Position) -> dict[Cell, int]:
    """Return the cells of towers with a meeple on top, with its owner."""
    return {(t.x, t.y): t.seat for t in position.towers if t.seat is not None}


def fairy_tops(position: Position) -> set[Cell]:
    """Return the towers where the fairy may move to the decider's meeple (PD-42)."""
    rules = position.rules
    if not rules.fairy or rules.fairy_on_tower == "forbid":
        return set()
    own = {cell for cell, seat in tops(position).items() if seat == position.decider}
    if rules.fairy_placement == "on_tile":
        return own - {position.fairy} - {cell for cell, _ in fairy_targets(position)}
    return own - ({position.fairy} if position.fairy_on_top else set())


def fairy_targets(position: Position) -> set[tuple[Cell, Spot]]:
    """Return the places of meeples that the fairy may move to (PD-30, PD-32, PD-41, XPD-14)."""
    rules = position.rules
    in_castles = rules.fairy_in_castle
    if in_castles is None:
        in_castles = rules.edition != "C1"
    found = {
        ((f.x, f.y), f.spot)
        for f in position.figures
        if rules.fairy and f.seat == position.decider and f.figure in MEEPLES
        if not beside_fairy(position, f)
        if in_castles or feature_at(position, f.x, f.y, f.spot).kind != Kind.CASTLE
    }
    if rules.fairy_placement == "next_to":
        return found
    return {min(place for place in found if place[0] == cell) for cell, _ in found}


def at_turn(position: Position, seat: int) -> Position:
    """Score the fairy at the beginning of a seat's turn (PD-34, PD-35)."""
    own = [f for f in position.figures if f.seat == seat and beside_fairy(position, f)]
    if position.rules.fairy_placement == "next_to":
        own = own[:1]  # She is beside only one of the meeples that share a place.
    rules, scores = position.rules, list(position.scores)
    is_at_top = position.fairy_on_top or rules.fairy_placement == "on_tile"
    is_at_top &= rules.fairy_on_tower == "allow"
    if position.fairy is not None and is_at_top and tops(position).get(position.fairy) == seat:
        scores[seat] += 1  # PD-42
    scores[seat] += len(own)
    if rules.fairy_placement == "on_tile":
        scores[seat] += trapped_at(position, position.fairy).count(seat)
    elif is_in_trap(position):
        scores[seat] += position.fairy_seat == seat
    return replace(position, scores=tuple(scores))


def for_feature(position: Position, feature: Feature) -> dict[int, int]:
    """Return each seat's fairy points when a feature is scored (PD-36 to PD-39)."""
    if position.rules.fairy_placement == "next_to":
        if any(beside_fairy(position, lord) for lord in position.lords):  # XW-05: only the lord
            return {}
    seats = {f.seat for f in feature.meeples if beside_fairy(position, f)}
    return dict.fromkeys(seats, POINTS_FOR_A_FEATURE)


def for_castle(position: Position, castle: Feature) -> dict[int, int]:
    """Return each seat's fairy points for a castle, if the fairy is allowed there (XPD-14)."""
    allowed = position.rules.fairy_in_castle
    if allowed is None:
        allowed = position.rules.edition != "C1"
    return for_feature(position, castle) if allowed else {}


# --- Princess and portal ------------------------------------------------------------------------


def knights(position: Position) -> set[PlacedFigure]:
    """Return the meeples in the city of the princess on the tile just placed (PD-52, PD-54)."""
    cities = FACTS[position.tiles[-1].tile].get("cities", [])
    if not position.rules.princesses:
        return set()
    for city in cities:
        if city.get("princess"):
            turned = position.tiles[-1].rotation
            side = "NESW"[("NESW".index(city["at"][0]) + turned) % 4]
            x, y = last_cell(position)
            found = next(
                feature
                for feature in features(position)
                if feature.kind in (Kind.CITY, Kind.CASTLE)
                and any(
                    (x, y) == place[:2] and side in sides_of(place, feature, position)
                    for place in feature.segments
                )
            )
            return set(found.meeples)
    return set()


def sides_of(place: tuple[int, int, Spot], feature: Feature, position: Position) -> str:
    """Return the sides of a tile that a city segment touches."""
    x, y, spot = place
    tile = next(tile for tile in position.tiles if (tile.x, tile.y) == (x, y))
    for city in FACTS[tile.tile].get("cities", []):
        sides = ["NESW"[("NESW".index(s) + tile.rotation) % 4] for s in city["at"]]
        if min(sides, key="NESW".index) == spot.name:
            return "".join(sides)
    return ""


def must_remove(position: Position) -> bool:
    """Return whether the princess must remove a knight (PD-51)."""
    return position.rules.princess_action == "must" and bool(knights(position))


def portal_places(
    position: Position, supply: dict[Figure, int], may_stand: dict[Figure, set[Kind]]
) -> set[tuple[Cell, Figure, Spot]]:
    """Return the places that the portal leads to (PD-65 to PD-70), never the dragon's (PD-06)."""
    if not (position.rules.portals and shows(position, "portal")):
        return set()
    return {
        ((x, y), figure, spot)
        for feature in features(position)
        if not feature.barns
        if not feature.is_complete or would_draw(position, feature)
        for x, y, spot in feature.segments
        if (x, y) not in {last_cell(position), *barred(position)}
        if labyrinth.is_free(position, feature, (x, y, spot))
        for figure in MEEPLES
        if feature.kind in may_stand[figure] and supply[figure] > 0
    }


# --- Impossible positions -----------------------------------------------------------------------


def wrong_fairy(position: Position) -> Iterator[str]:
    """Report impossible places of the fairy (PD-31, PD-40, PD-42)."""
    rules, cell = position.rules, position.fairy
    if cell is None or not rules.fairy:
        if cell is not None or position.fairy_beside is not None or position.fairy_on_top:
            yield f"the fairy is at {cell}"
        return
    if cell not in occupied_cells(position):
        yield f"the fairy is at {cell}, where no tile lies"
    is_beside = position.fairy_beside is not None or position.fairy_on_top
    if is_beside and rules.fairy_placement == "on_tile":
        yield "the fairy stands on a tile, and beside a meeple"
    if position.fairy_beside is not None and not any(
        beside_fairy(position, figure) for figure in position.figures
    ):
        yield "the fairy stands beside a meeple that is not there"
    if is_in_trap(position):
        return
    if position.fairy_on_top:
        if position.fairy_beside is not None or cell not in tops(position):
            yield "the fairy stands beside a meeple on a tower that is not there"
        if rules.fairy_on_tower == "forbid":
            yield "the fairy stands beside a meeple on a tower"
