"""Sieges (docs/rules/siege.md): which cities are besieged, and who escapes from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Phase, Spot
from carc_env.position import PlacedFigure, Position

from . import dragon, shrines
from .board import MEEPLES, Feature, around, features
from .tiles import FACTS, Cell


def shows_siege(tile_id: str) -> bool:
    """Return whether the only city of a tile is besieged (SIE-01)."""
    return any(city.get("besieged") for city in FACTS[tile_id].get("cities", ()))


def sieges(position: Position, city: Feature) -> set[Cell]:
    """Return the cells of a city whose tiles show a siege (SIE-02); castles have none (SIE-19)."""
    if not position.rules.siege or city.kind != Kind.CITY:
        return set()
    shown = {(tile.x, tile.y) for tile in position.tiles if shows_siege(tile.tile)}
    return shown & city.tiles


def points_lost(position: Position, city: Feature) -> int:
    """Return the points that a siege costs a city: 1 per tile and coat of arms (SIE-03)."""
    return len(city.tiles) + city.coats if sieges(position, city) else 0


def doubled(position: Position, field: Feature, per_city: int, by_pigs: int) -> int:
    """Return a field's extra points for complete besieged cities (SIE-06, SIE-07).

    Under a switch, the points that pigs add are not doubled.
    """
    n = sum(city.is_complete and bool(sieges(position, city)) for city in field.cities)
    return n * (per_city + by_pigs * (position.rules.siege_field_double == "all"))


# --- Escapes ------------------------------------------------------------------------------------


def has_way_out(position: Position, city: Feature) -> bool:
    """Return whether knights can escape from a city (SIE-10 to SIE-13).

    They need a monastery, an abbey or a shrine on or around a siege tile, or around any tile of the
    city under a switch.
    """
    found = sieges(position, city)
    if found and position.rules.siege_escape == "any_tile":
        found = set(city.tiles)
    monastic = {
        (tile.x, tile.y)
        for tile in position.tiles
        if shrines.is_monastery(tile.tile) or shrines.is_shrine(tile.tile)
    }
    return any(monastic & {cell, *around(*cell)} for cell in found)


def escapers(position: Position) -> set[PlacedFigure]:
    """Return the turn player's knights that may escape: only meeples (SIE-16, SIE-19)."""
    return {
        figure
        for city in features(position)
        for figure in city.figures
        if figure.figure in MEEPLES and figure.seat == position.turn_player
        if has_way_out(position, city)
    }


def asks(position: Position) -> bool:
    """Return whether a knight may escape now: at the end of a part or of the turn (SIE-15)."""
    if position.rules.escape_per == "turn" and position.has_extended:
        return False
    return bool(escapers(position))


def escaped(position: Position, figure: Figure, spot: Spot) -> Position:
    """Return a knight on the chosen cell to supply (SIE-09), and a lone builder (SIE-16)."""
    assert position.chosen_cell is not None
    gone = PlacedFigure(position.turn_player, figure, *position.chosen_cell, spot)
    return dragon.without(replace(position, chosen_cell=None), [gone])


def wrong_escapes(position: Position) -> Iterator[str]:
    """Report escape phases without a knight that may escape now."""
    if position.phase not in (Phase.ESCAPE, Phase.ESCAPE_SPOT):
        return
    cells = {(figure.x, figure.y) for figure in escapers(position)}
    if not cells or not asks(position):
        yield f"seat {position.turn_player} cannot let anybody escape"
    elif position.phase == Phase.ESCAPE_SPOT and position.chosen_cell not in cells:
        yield f"nobody escapes from {position.chosen_cell}"
