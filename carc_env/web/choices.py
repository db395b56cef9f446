"""What the dialogue of a new game offers: all sets and switches, as the rules declare them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.rules import MAX_BID_LIMIT, MAX_VIEW, MIN_PLAYERS, MIN_VIEW, PRESETS, SETS, Rules
from carc_env.systems import SYSTEMS

RANGES = {
    "view": (MIN_VIEW, MAX_VIEW, 2),
    "bazaar_bid_limit": (1, MAX_BID_LIMIT, 1),
    "deck_size": (1, MAX_BAG, 1),
}
"""Lowest and highest value and step of switches that are numbers."""
ELSEWHERE = ("n_players", "sets")
"""Fields that the dialogue asks for in a way of their own."""


def switches() -> list[dict[str, Any]]:
    """All switches in the order of the systems: name, system, default, and what they can be."""
    hints = get_type_hints(Rules)
    default = Rules().to_dict()
    known = {field.name for field in fields(Rules)}
    found = []
    for system in SYSTEMS:
        for name in system.switches:
            if name in known and name not in ELSEWHERE:
                row = {"name": name, "system": system.name, "default": default[name]}
                found.append(row | _kind(name, hints[name]))
    return found


def _kind(name: str, hint: Any) -> dict[str, Any]:
    if hint is bool:
        return {"kind": "switch"}
    if name in RANGES:
        low, high, step = RANGES[name]
        return {"kind": "number", "low": low, "high": high, "step": step}
    return {"kind": "choice", "values": _values(hint)}


def _values(hint: Any) -> list[Any]:
    """The values of a Literal, or of one that may be None."""
    if get_origin(hint) is Literal:
        return [*get_args(hint)]
    values: list[Any] = []
    for part in get_args(hint):
        values += [None] if part is type(None) else _values(part)
    return values


def rules_offered() -> dict[str, Any]:
    """Sets, switches, presets, and how many can play."""
    presets = {name: Rules.preset(name).to_dict() for name in PRESETS}
    return {
        "sets": list(SETS),
        "switches": switches(),
        "presets": presets,
        "players": [MIN_PLAYERS, MAX_PLAYERS],
    }
