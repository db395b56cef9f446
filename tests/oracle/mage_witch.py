"""Mage & Witch (docs/rules/mage-witch.md): where they may go, and what they do to points."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Kind, Phase, Spot
from carc_env.position import Place, Position

from .board import Feature, feature_at, features
from .phases import is_placed, is_unscored
from .tiles import FACTS, Cell

ASKED = {Phase.MAGIC, Phase.MAGIC_SPOT}


def on_board(position: Position) -> dict[str, Place]:
    """Tell where those of the two are that are not beside the board."""
    found = {"mage": position.mage, "witch": position.witch}
    return {who: place for who, place in found.items() if place is not None}


def are_on(position: Position, feature: Feature) -> set[str]:
    """Tell who of the two is on a feature (MW-25)."""
    return {who for who, place in on_board(position).items() if place in feature.segments}


def changed(position: Position, feature: Feature, points: int) -> int:
    """Change the points of a road or city: first the mage (MW-08), then the witch (MW-09)."""
    there = are_on(position, feature)
    if "mage" in there:
        points += len(feature.tiles)
    return -(-points // 2) if "witch" in there else points


def meet(position: Position) -> bool:
    """Tell whether both are on one feature (MW-06)."""
    places = on_board(position)
    return len(places) == 2 and places["witch"] in feature_at(position, *places["mage"]).segments


def targets(position: Position) -> set[Place]:
    """List where both may go: open roads and cities without either (MW-02 to MW-04, MW-23)."""
    return {
        place
        for feature in features(position)
        if feature.kind in (Kind.ROAD, Kind.CITY) and not feature.is_complete
        if not are_on(position, feature)
        for place in feature.segments
    }


def by_cell(position: Position) -> dict[Cell, set[str]]:
    """Name who may go where on each cell."""
    found = defaultdict(set)
    for x, y, spot in targets(position):
        found[x, y] |= {f"{who} {x},{y} {spot.name}" for who in ("mage", "witch")}
    return found


def legal(position: Position) -> set[str]:
    """Name the cells, or, where there is none, who can leave the board (MW-05)."""
    cells = {f"to {x},{y}" for x, y in by_cell(position)}
    return cells or {f"{who} off" for who in on_board(position)}


# --- The question -------------------------------------------------------------------------------


def asked(position: Position, joined: str | None) -> Position:
    """Ask about them, if there is a choice (MW-05)."""
    if len(on_board(position)) < 2 and not targets(position):
        return replace(position, mage=None, witch=None)
    return replace(position, phase=Phase.MAGIC, joined=joined)


def called(position: Position) -> Position:
    """Ask behind a tile with a symbol, or one that brings them together (MW-02, MW-06, MW-07)."""
    if not position.rules.mage_witch or position.phase != Phase.FIGURE:
        return position
    is_symbol = FACTS[position.tiles[-1].tile].get("magic", False)
    return asked(position, None) if is_symbol or meet(position) else position


def parted(position: Position, joined: str | None = None) -> Position:
    """Ask who moves where a token or a ferry has brought them together (MW-06)."""
    return asked(position, joined) if meet(position) else position


def moved(position: Position, name: str) -> Position:
    """Move one of them, or take it off the board; the phase stays."""
    who, where, *rest = name.split()
    place = None
    if where != "off":
        x, y = map(int, where.split(","))
        place = (x, y, Spot[rest[0]])
    return replace(position, **{who: place}, chosen_cell=None)


# --- Off the board ------------------------------------------------------------------------------


def sent_home(position: Position) -> Position:
    """Take those off who were on what is complete (MW-13, MW-14)."""
    for who, place in on_board(position).items():
        if feature_at(position, *place).is_complete:
            position = replace(position, **{who: None})
    return position


def out_of_town(position: Position, town: Feature) -> Position:
    """Take those off a town that becomes a castle (MW-18)."""
    return replace(position, **dict.fromkeys(are_on(position, town)))


def eaten(position: Position) -> Position:
    """Take those off on whose cell the dragon is (MW-19)."""
    if not position.rules.dragon_eats_magic:
        return position
    here = [who for who, place in on_board(position).items() if place[:2] == position.dragon]
    return replace(position, **dict.fromkeys(here))


# --- What cannot be -----------------------------------------------------------------------------


def going_on(position: Position) -> Phase:
    """Tell which phase goes on behind the question about them, if that is asked."""
    if position.phase not in ASKED:
        return position.phase
    behind = {"early token": Phase.SECOND, "token": Phase.TUNNEL, "ferry": Phase.FERRIES}
    return behind.get(position.joined, Phase.FIGURE)


def wrong_magic(position: Position) -> Iterator[str]:
    """One of them where it cannot be, and questions without a reason."""
    if on_board(position) and not position.rules.mage_witch:
        yield "neither the mage nor the witch is in play"
        return
    segments = {place for feature in features(position) for place in feature.segments}
    for who, place in on_board(position).items():
        if place not in segments:
            yield f"the {who} is on no segment at {place}"
            return
        feature = feature_at(position, *place)
        if feature.kind not in (Kind.ROAD, Kind.CITY):
            yield f"the {who} is on a {feature.kind.name.lower()}"
        elif feature.is_complete and not is_due(position):
            yield f"the {who} is on something complete"
        if position.rules.dragon_eats_magic and place[:2] in position.flown[1:]:
            yield f"the dragon has eaten the {who}"
    yield from wrong_question(position)


def wrong_question(position: Position) -> Iterator[str]:
    """The two together though nobody is asked about them, or a question without a reason."""
    if position.phase not in ASKED:
        if position.joined is not None:
            yield f"nobody is asked what becomes of a {position.joined}"
        if meet(position) and position.phase != Phase.INGOT:  # which is asked first
            yield "mage and witch are on one feature"
        return
    is_symbol = FACTS[position.tiles[-1].tile].get("magic", False)
    if not meet(position) and not (is_symbol and position.joined is None):
        yield "nothing calls the mage or the witch"
    if not targets(position) and len(on_board(position)) < 2:
        yield "there is no choice about the mage and the witch"
    if position.phase == Phase.MAGIC_SPOT and not by_cell(position)[position.chosen_cell]:
        yield f"neither of them can go to {position.chosen_cell}"


def is_due(position: Position) -> bool:
    """Tell whether what the tile just placed has completed may still be scored."""
    if position.phase == Phase.FLIGHT and position.rules.dragon_timing == "after_scoring":
        return False
    scoring = position.phase in (Phase.CASTLE_CHOICE, Phase.SHARE)
    return is_placed(position) and (is_unscored(position) or scoring)
