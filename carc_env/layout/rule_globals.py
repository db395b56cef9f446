"""The globals of a shared layout that say which rules are played."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from carc_env.engine.core.tiles import TILE_ID
from carc_env.rules import CHOICES, MIN_PLAYERS, Layout, Rules
from carc_env.systems import systems_in

BOOLS = (False, True)
TILES_AS_ONE, COPIES_AS_ONE, LIMIT_AS_ONE = 100, 10, 100
"""Numbers of tiles, of copies of a tile and of points that the globals show as 1."""

RULE_MEANINGS = {
    "rule n_players=VALUE": "1: the game has this many players",
    "rule tiles": f"tiles of the sets, drawn or not, {TILES_AS_ONE} as 1",
    "rule deck_size": f"the switch `deck_size`, {TILES_AS_ONE} as 1; 0 if all tiles are drawn",
    "copies TILE": f"copies in the game, {COPIES_AS_ONE} as 1",
    "set NAME": "1: the tiles of this set are in the game",
    "rule SWITCH": f"the switch, 1 if it is on; `bazaar_bid_limit`: {LIMIT_AS_ONE} points as 1",
    "rule SWITCH=VALUE": "1: the switch has this value",
}
"""The meanings, by names in which words in capitals stand for any."""


def general_name(name: str) -> str:
    """Return the name in :data:`RULE_MEANINGS` that stands for the name of a rule or a set."""
    what, rest = name.split(" ", 1)
    if what in ("set", "copies"):
        return f"{what} {'NAME' if what == 'set' else 'TILE'}"
    if name in RULE_MEANINGS:
        return name
    switch, _, value = rest.partition("=")
    if switch == "n_players":
        return "rule n_players=VALUE"
    return "rule SWITCH=VALUE" if value else "rule SWITCH"


@lru_cache(maxsize=16)
def rule_names(layout: Layout) -> tuple[str, ...]:
    """Return the names of the globals that say which rules are played; none if it hides them."""
    if not layout.shows_rules:
        return ()
    room = layout.room
    names = [f"rule n_players={n}" for n in range(MIN_PLAYERS, layout.n_players + 1)]
    names += ["rule tiles", "rule deck_size"]
    names += [f"copies {TILE_ID[design]}" for design in np.flatnonzero(room.tile_counts)]
    names += [f"set {name}" for name in room.sets]
    systems = [system for one in layout.covers for system in systems_in(one)]
    switches = {name for system in systems for name in system.switches}
    for name in sorted(switches - {"n_players", "sets", "deck_size", "view", "auto_single"}):
        values = CHOICES.get(name, BOOLS)
        names += [f"rule {name}"] if values == BOOLS else [f"rule {name}={v}" for v in values]
    return tuple(names)


@lru_cache(maxsize=4096)
def rule_numbers(rules: Rules) -> tuple[float, ...]:
    """Return the values of :func:`rule_names` under rules in a shared layout."""
    if rules.layout is None:
        return ()
    counts = rules.tile_counts
    found: dict[str, float] = {
        f"rule n_players={rules.n_players}": 1.0,
        "rule tiles": int(counts.sum()) / TILES_AS_ONE,
        "rule deck_size": (rules.deck_size or 0) / TILES_AS_ONE,
        **{f"set {name}": 1.0 for name in rules.sets},
    }
    for design in np.flatnonzero(counts):
        found[f"copies {TILE_ID[design]}"] = int(counts[design]) / COPIES_AS_ONE
    for name, values in CHOICES.items():
        value = getattr(rules, name)
        if values == BOOLS:
            found[f"rule {name}"] = float(value)
        else:
            found[f"rule {name}={value}"] = 1.0
    found["rule bazaar_bid_limit"] = rules.bazaar_bid_limit / LIMIT_AS_ONE
    return tuple(found.get(name, 0.0) for name in rule_names(rules.layout))
