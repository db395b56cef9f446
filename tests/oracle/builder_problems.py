"""Checks for impossible builders, pigs and trade goods in a position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Good, Kind, Phase
from carc_env.position import PlacedTile, Position

from . import bazaars, goods, mage_witch
from .board import MEEPLES, Feature, completed, features
from .phases import ACTING, is_placed, is_unscored
from .tiles import segments_of


def wrong_companions(position: Position) -> Iterator[str]:
    """Report builders and pigs on features without a meeple of their colour (TRA-06, TRA-16)."""
    for feature in features(replace(position, lords=())):
        for f in feature.figures:
            is_one = f.figure in (Figure.BUILDER, Figure.PIG)
            if is_one and not feature.has(f.seat, *MEEPLES):
                yield f"{f} stands there without a meeple"


def wrong_parts(position: Position) -> Iterator[str]:
    """Report contradictions about the parts of a turn (TRA-07, TRA-08)."""
    bazaar, phase = position.bazaar, position.phase
    is_owed = bazaar is not None and bazaar.owed is not None
    if (position.first_part or position.has_extended or is_owed) and not position.rules.builders:
        yield "there are no builders in this game"
    if position.has_extended:
        yield from wrong_extension(position)
    if position.first_part is None:
        return
    if position.has_extended or position.is_bought or position.last_round is not None:
        yield "there is no third part, and none with a bought tile or in the last round"
    if phase not in {Phase.DRAW_OR_ABBEY, Phase.PLACE_TILE} and not is_placed(position):
        yield f"a turn has a second part in phase {phase.name}"
    before = position.tiles[:-1] if is_placed(position) else position.tiles
    firsts = [tile for tile in before if (tile.x, tile.y) == position.first_part]
    if not firsts or not can_extend(firsts[0]):
        yield f"no tile at {position.first_part} can have extended anything"
    elif firsts[0] != before[-1] and not bazaars.is_bazaar_tile(firsts[0].tile):  # BAZ-20
        yield f"{before[-1]} came between the parts of the turn"


def wrong_extension(position: Position) -> Iterator[str]:
    """Report contradictions about the extension that earns a second part."""
    rules = position.rules
    may_lose = rules.towers or rules.princesses or rules.festival  # XW-02
    early = {Phase.INGOT, Phase.FIGURE} if may_lose else ACTING
    has_joined = position.dug_at is not None or position.ferried
    early = {Phase.INGOT} if has_joined else early  # TUN-12, FER-14
    early = set() if rules.russian_promos else early  # XW-02, by a trap after the tile
    if not is_placed(position) or mage_witch.going_on(position) in early:
        yield f"an extension is noted in phase {position.phase.name}"
    elif not can_extend(position.tiles[-1]):
        yield f"{position.tiles[-1]} has extended nothing"


def can_extend(tile: PlacedTile) -> bool:
    """Return whether a tile shows a road or a city; an abbey shows neither (TRA-10)."""
    return any(segment.kind in (Kind.ROAD, Kind.CITY) for segment in segments_of(tile))


def scored_cities(position: Position) -> list[Feature]:
    """List the complete cities that are already scored.

    Before scoring, this excludes the cities that the tile just placed completed.
    """
    due = completed(position) if is_unscored(position) else []
    return [f for f in features(position) if f.kind == Kind.CITY and f.is_complete and f not in due]


def wrong_goods(position: Position) -> Iterator[str]:
    """Report more tokens than the complete cities give (TRA-01)."""
    complete = [f for f in features(position) if f.kind == Kind.CITY and f.is_complete]
    for good, hands, given in tokens(position, complete):
        if sum(hands) > given or min(hands) < 0:
            yield f"{hands} tokens of {good.name} for {given} in complete cities"


def unplayed_goods(position: Position) -> Iterator[str]:
    """Report more or fewer tokens than the cities scored so far have given (TRA-01)."""
    for good, hands, given in tokens(position, scored_cities(position)):
        if sum(hands) != given:
            yield f"{hands} tokens of {good.name} for {given} in scored cities"


def tokens(
    position: Position, cities: list[Feature]
) -> Iterator[tuple[Good, tuple[int, ...], int]]:
    """Yield each good with all seats' tokens and the number of tokens that the cities show."""
    given = goods.shown(cities)
    for good, hands in zip(Good, zip(*position.goods, strict=True), strict=False):
        yield good, hands, given[good]
