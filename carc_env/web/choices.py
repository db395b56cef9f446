"""The choices in the new-game dialogue: all sets and switches, as the rules declare them."""

from __future__ import annotations

from functools import cache
from typing import Any

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.rules import (
    CHOICES,
    MAX_BID_LIMIT,
    MAX_VIEW,
    MIN_PLAYERS,
    MIN_VIEW,
    PRESETS,
    SWITCHES,
    TILE_SETS,
    Rules,
)
from carc_env.systems import SYSTEMS

RANGES = {
    "view": (MIN_VIEW, MAX_VIEW, 2),
    "bazaar_bid_limit": (1, MAX_BID_LIMIT, 1),
    "deck_size": (1, MAX_BAG, 1),
}
"""Lowest value, highest value and step of numeric switches."""
ELSEWHERE = ("n_players", "sets")
"""Fields that the dialogue asks for separately."""


def switches() -> list[dict[str, Any]]:
    """Return all switches in the order of the systems: name, system, default, and values."""
    default = Rules().to_dict()
    found = []
    for system in SYSTEMS:
        for name in system.switches:
            if name in SWITCHES and name not in ELSEWHERE:
                row = {"name": name, "system": system.name, "default": default[name]}
                found.append(row | _kind(name))
    return found


def _kind(name: str) -> dict[str, Any]:
    if CHOICES.get(name) == (False, True):
        return {"kind": "switch"}
    if name in RANGES:
        low, high, step = RANGES[name]
        return {"kind": "number", "low": low, "high": high, "step": step}
    return {"kind": "choice", "values": [*CHOICES[name]]}


def boxes() -> list[dict[str, Any]]:
    """Return the boxes that can be added to the base game, with what usually comes with them.

    A box is the difference between a preset and all earlier presets: at most one set of tiles, and
    systems with the switches that turn them on. Presets that add more, or that play another
    edition, are not boxes.
    """
    base = Rules()
    known_sets, known = {*base.sets}, {*systems_of(base)}
    found: list[dict[str, Any]] = []
    usual = base.to_dict()
    for preset in PRESETS:
        rules = Rules.preset(preset)
        content = rules.to_dict()
        changed = [name for name in content if content[name] != usual[name] and name != "sets"]
        sets = [name for name in rules.sets if name not in known_sets]
        systems = [name for name in systems_of(rules) if name not in known]
        if (
            len(sets) > 1
            or not (sets or systems)
            or any(content[name] is not True for name in changed)
        ):
            continue
        on = [name for name in changed if not any(name in box["on"] for box in found)]
        title = f"set.{sets[0]}" if sets else f"preset.{preset}"
        found.append({"title": title, "sets": sets, "on": on, "systems": systems})
        known_sets.update(sets)
        known.update(systems)
    return found


def systems_of(rules: Rules) -> list[str]:
    """Return the names of the systems in play, without duplicates."""
    return [*dict.fromkeys(system.name for system in SYSTEMS if system.is_on(rules))]


@cache
def rules_offered() -> dict[str, Any]:
    """Return the sets, boxes, switches, presets and possible numbers of players."""
    presets = {name: Rules.preset(name).to_dict() for name in PRESETS}
    return {
        "sets": list(TILE_SETS),
        "boxes": boxes(),
        "switches": switches(),
        "presets": presets,
        "players": [MIN_PLAYERS, MAX_PLAYERS],
    }
