"""What a decision changes besides what was chosen: things spent or received, and points paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from carc_env.engine import entry
from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import AXES, BRIDGE_AXIS, NO_AXIS
from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.systems import markers_of, supplies_of, systems_in
from carc_env.systems.declaring import System

NAMED_RETURNS = ("recall", "return", "reap", "fetch", "ransom", "exchange", "free", "home")
"""First words of actions whose log line already tells that a figure returns."""
Held = list[dict[str, int]]
"""What each seat has: the number of each thing, by the key of its text."""
_NO_MARKERS = next(field.default for field in fields(System) if field.name == "markers")


def stock(game: Game, seat: int) -> dict[str, int]:
    """Return what else a seat holds, by drawing; collected things only if there are any."""
    had, found = game.stock(seat), dict[str, int]()
    for supply in supplies_of(game.rules):
        n, begun = had[supply.name], supply.each(game.rules)
        if supply.symbol and (n or begun):
            found[supply.symbol] = found.get(supply.symbol, 0) + n * supply.worth
    return found


def held(game: Game) -> Held:
    """Return what every seat has."""
    has_markers = any(system.markers is not _NO_MARKERS for system in systems_in(game.rules))
    position = game.position() if has_markers else None
    found = []
    for seat in range(game.rules.n_players):
        mine = {f"stock.{name}": n for name, n in stock(game, seat).items()}
        mine |= {f"figure.{figure.name}": n for figure, n in game.supply(seat).items()}
        if position is not None:
            mine |= {f"marker.{name}": 1 for name in markers_of(position, seat)}
        found.append(mine)
    return found


def side_effects(before: Held, after: Held, line: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the things that seats have more or less of, except those that the log line names.

    Figures that come back are listed if nothing was scored; nobody doubts where figures go.
    """
    move = line["move"]
    named = f"{move['word']} {move.get('tile', '')}"
    found = []
    for seat, (old, new) in enumerate(zip(before, after, strict=True)):
        for thing in {**old, **new}:
            n = new.get(thing, 0) - old.get(thing, 0)
            kind, _, name = thing.partition(".")
            is_told = seat == line["seat"] and name.rpartition("-")[2] in named
            is_return = n > 0 and not line["gained"] and not move["word"].startswith(NAMED_RETURNS)
            if kind == "figure" and not is_return:
                continue
            if n and not is_told:
                found.append({"seat": seat, "thing": thing, "n": n})
    return found


def paid(before: Sequence[int], line: dict[str, Any]) -> list[dict[str, int]]:
    """Return the points that seats gained or lost other than by scoring."""
    rest = [new - old for old, new in zip(before, line["scores"], strict=True)]
    for gained in line["gained"]:
        rest[gained["seat"]] -= gained["points"]
    return [{"seat": seat, "points": n} for seat, n in enumerate(rest) if n]


def bridge_of_tile(game: Game, position: Position, action: int) -> list[Any] | None:
    """Return the bridge that placing a tile builds because the tile fits only with it.

    The bridge is given as its column, row and axis.
    """
    if not stock(game, game.decider).get("bridge"):
        return None
    states, n = game.states.copy(), len(position.tiles)
    entry.apply(states, 0, action)
    before, after = game.states["tiles"][0][:n], states["tiles"][0][: n + 1]
    changed = np.flatnonzero(before["design"] != after["design"][:n])
    k = int(changed[0]) if len(changed) else n
    axis = int(BRIDGE_AXIS[after["design"][k], after["rotation"][k]])
    if axis == NO_AXIS:
        return None
    tile = position.tiles[k] if k < n else None
    x, y = (tile.x, tile.y) if tile else game.choice(action).cell or (0, 0)
    return [x, y, AXES[axis]]


def worth(game: Game, action: int) -> int:
    """Return the points for a small city that nobody makes a castle, or those a castle takes."""
    then = game.clone()
    then.apply(action)
    if game.phase == Phase.CASTLE_CHOICE:
        return next(s.points for s in then.last_scores if s.kind == Kind.CASTLE)
    scores = [*then.last_scores]
    while then.phase == Phase.CASTLE and then.decider != game.decider:
        then.apply("score")
        scores += then.last_scores
    return max((s.points for s in scores if s.kind == Kind.CITY), default=0)
