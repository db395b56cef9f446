"""Translate their draw order, stacks, dice and sheep for our engine.

They draw the tiles of a bazaar after the second part of the turn that started it. We set them aside
before that part (BAZ-21), so these tiles swap places with the tiles of the second part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carc_env.engine.core.tiles import FACTS
from tests.peer.logs import Log
from tests.peer.translate import brought, rolled, tile_id

_FACTS = {row["id"]: row for row in FACTS}

_BAZAARS = {row["id"] for row in FACTS if row.get("bazaar")}

Line = dict[str, Any]


def draw_order(log: Log) -> list[str]:
    """Return our draw order for a game, as our tile ids."""
    order = [tile_id(name) for name in log.header["draw"]]
    n_left = _left(log.header["st"])
    for index, line in enumerate(log.messages):
        if (shown := waiting_bazaar(log.messages, index)) is not None:
            first = len(order) - n_left
            last = len(order) - _left(log.messages[shown]["st"])
            start = last - len(log.messages[shown]["st"]["bazaar"])
            order[first:last] = order[start:last] + order[first:start]
        n_left = _left(line["st"])
    return order


def _left(st: Line) -> int:
    """Return the number of tiles left in all.

    This includes dragon tiles, which are in no stack while they wait for a volcano.
    """
    return int(st.get("pack_all", st["pack"]))


def waiting_bazaar(messages: Sequence[Line], index: int) -> int | None:
    """Return the index of the message that opens the bazaar that a second part delays.

    The message at ``index`` begins the second part. None if it begins no second part, or if no
    bazaar waits for that part.
    """
    if "double-turn" not in event_names(messages[index]) or not opens_bazaar(messages, index):
        return None
    for later in range(index + 1, len(messages)):
        if messages[later]["st"]["phase"] == "BazaarPhase":
            return later
        if "turn" in event_names(messages[later]):
            return None
    return None


def opens_bazaar(messages: Sequence[Line], index: int) -> bool:
    """Return whether the last tile up to a message is a bazaar outside another bazaar's round."""
    return "bazaar" not in messages[index]["st"] and has_placed_bazaar(messages, index)


def has_placed_bazaar(messages: Sequence[Line], index: int) -> bool:
    """Return whether the last tile placed up to a message is a bazaar."""
    acts = (messages[k]["act"].split() for k in range(index, -1, -1))
    return next(tile_id(act[1]) for act in acts if act[0] == "TILE") in _BAZAARS


def begins_second_part(messages: Sequence[Line], index: int) -> int | None:
    """Return the index of the message that begins the second part of a turn.

    The message at ``index`` places a tile in the first or the second part of that turn. None if the
    turn has only one part.
    """
    for numbers, which in ((range(index, len(messages)), 0), (range(index - 1, -1, -1), -1)):
        begins = ((k, name) for k in numbers if (name := _begun(messages[k], which)))
        number, name = next(begins, (0, "turn"))
        if name == "double-turn":
            return number
    return None


def _begun(line: Line, which: int) -> str | None:
    """Return what began first (0) or last (-1) in a message: a turn, a second part or neither."""
    names = [name for name in event_names(line) if name in ("turn", "double-turn")]
    return names[which] if names else None


def event_names(line: Line) -> list[str]:
    """Return the names of the events in a message."""
    return [event[0] for event in line["st"].get("ev", [])]


def stack_sizes(order: Sequence[str]) -> tuple[int, int, int]:
    """Return the number of tiles in each of their stacks: river, lake and land tiles."""
    roles = [(_FACTS[tile]["set"], _FACTS[tile].get("river_role")) for tile in order]
    n_lakes = sum(role == "lake" for _, role in roles)
    n_river = sum(name in ("river1", "river2") for name, _ in roles) - n_lakes
    return n_river, n_lakes, len(order) - n_river - n_lakes


def n_in_stack(n_left: int, sizes: Sequence[int]) -> int:
    """Return the size of the stack that they draw from next, given the number of tiles left."""
    below = 0
    for size in reversed(sizes):
        if n_left <= below + size:
            return n_left - below
        below += size
    raise ValueError(f"{n_left} tiles left of {below}")


def sheep_at(messages: Sequence[Line], index: int) -> int:
    """Return the index of the message that draws a new shepherd's sheep, after all figures."""
    for later in range(index, len(messages)):
        if brought(messages[later]["st"].get("ev", [])) is not None:
            return later
        if messages[later]["phase"] == "CommitActionPhase":
            break
    return index


def chance(messages: Sequence[Line], index: int, name: str) -> int | None:
    """Return the die roll or the sheep that one of our actions gets; None if there is no chance.

    A message may contain both the die roll of a flight and the sheep of an earlier shepherd.
    """
    verb = name.partition(" ")[0]
    if verb == "fly":
        return rolled(messages[index]["st"].get("ev", []))
    if verb not in ("shepherd", "grow"):
        return None
    drawn = sheep_at(messages, index) if verb == "shepherd" else index
    return brought(messages[drawn]["st"].get("ev", []))
