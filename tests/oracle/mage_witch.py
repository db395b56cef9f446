"""Mage & Witch (docs/rules/mage-witch.md): where they may go, and how they change points."""

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
    """Return the places of the mage and the witch, if they are on the board."""
    found = {"mage": position.mage, "witch": position.witch}
    return {who: place for who, place in found.items() if place is not None}


def are_on(position: Position, feature: Feature) -> set[str]:
    """Return which of the two are on a feature (MW-25)."""
    return {who for who, place in on_board(position).items() if place in feature.segments}


def changed(position: Position, feature: Feature, points: int) -> int:
    """Change the points of a road or city: first the mage (MW-08), then the witch (MW-09)."""
    there = are_on(position, feature)
    if "mage" in there:
        points += len(feature.tiles)
    return -(-points // 2) if "witch" in there else points


def meet(position: Position) -> bool:
    """Return whether both are on the same feature (MW-06)."""
    places = on_board(position)
    return len(places) == 2 and places["witch"] in feature_at(position, *places["mage"]).segments


def targets(position: Position) -> set[Place]:
    """Return where both may go: open roads and cities without either (MW-02 to MW-04, MW-23)."""
    return {
        place
        for feature in features(position)
        if feature.kind in (Kind.ROAD, Kind.CITY) and not feature.is_complete
        if not are_on(position, feature)
        for place in feature.segments
    }


def by_cell(position: Position) -> dict[Cell, set[str]]:
    """Return the names of the possible moves to each cell."""
    found = defaultdict(set)
    for x, y, spot in targets(position):
        found[x, y] |= {f"{who} {x},{y} {spot.name}" for who in ("mage", "witch")}
    return found


def legal(position: Position) -> set[str]:
    """Return the names of the target cells, or of removals if there are none (MW-05)."""
    cells = {f"to {x},{y}" for x, y in by_cell(position)}
    return cells or {f"{who} off" for who in on_board(position)}


# --- Asking for a move --------------------------------------------------------------------------


def asked(position: Position, joined: str | None) -> Position:
    """Ask for a move of the mage or the witch, if there is a choice (MW-05)."""
    if len(on_board(position)) < 2 and not targets(position):
        return replace(position, mage=None, witch=None)
    return replace(position, phase=Phase.MAGIC, joined=joined)


def called(position: Position) -> Position:
    """Ask for a move after a symbol tile, or if a tile joins the two (MW-02, MW-06, MW-07)."""
    if not position.rules.mage_witch or position.phase != Phase.FIGURE:
        return position
    is_symbol = FACTS[position.tiles[-1].tile].get("magic", False)
    return asked(position, None) if is_symbol or meet(position) else position


def parted(position: Position, joined: str | None = None) -> Position:
    """Ask for a move if a token or a ferry has brought the two together (MW-06)."""
    return asked(position, joined) if meet(position) else position


def moved(position: Position, name: str) -> Position:
    """Move the mage or the witch, or remove it from the board; the phase does not change."""
    who, where, *rest = name.split()
    place = None
    if where != "off":
        x, y = map(int, where.split(","))
        place = (x, y, Spot[rest[0]])
    return replace(position, **{who: place}, chosen_cell=None)


# --- Off the board ------------------------------------------------------------------------------


def sent_home(position: Position) -> Position:
    """Remove the mage and the witch from complete features (MW-13, MW-14)."""
    for who, place in on_board(position).items():
        if feature_at(position, *place).is_complete:
            position = replace(position, **{who: None})
    return position


def out_of_town(position: Position, town: Feature) -> Position:
    """Remove the mage and the witch from a town that becomes a castle (MW-18)."""
    return replace(position, **dict.fromkeys(are_on(position, town)))


def eaten(position: Position) -> Position:
    """Remove the mage and the witch from the dragon's cell (MW-19)."""
    if not position.rules.dragon_eats_magic:
        return position
    here = [who for who, place in on_board(position).items() if place[:2] == position.dragon]
    return replace(position, **dict.fromkeys(here))


# --- Impossible positions -----------------------------------------------------------------------


def going_on(position: Position) -> Phase:
    """Return the current phase, or during a mage or witch move, the phase that continues."""
    if position.phase not in ASKED:
        return position.phase
    behind = {"early token": Phase.SECOND, "token": Phase.TUNNEL, "ferry": Phase.FERRIES}
    return behind.get(position.joined, Phase.FIGURE)


def wrong_magic(position: Position) -> Iterator[str]:
    """Report impossible places of the mage and the witch, and moves without a reason."""
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
    """Report the two together although no move is asked for, and moves without a reason."""
    if position.phase not in ASKED:
        if position.joined is not None:
            yield f"nobody is asked what becomes of a {position.joined}"
        if meet(position) and position.phase != Phase.INGOT:  # The ingot comes first.
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
    """Return whether features that the tile just placed completed may still be scored."""
    if position.phase == Phase.FLIGHT and position.rules.dragon_timing == "after_scoring":
        return False
    scoring = position.phase in (Phase.CASTLE_CHOICE, Phase.SHARE)
    return is_placed(position) and (is_unscored(position) or scoring)
