"""Turn the board of a game of the independent engine, and mark tiles whose roads tunnels break.

Their start tile always has rotation 0; ours has the rotation that our layout of it calls 0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.peer.logs import Log
from tests.peer.translate import BROKEN, ENCLOSED, HALVES, SIDES, WHOLE, UnknownWord

_CLOCKWISE = str.maketrans("NESW", "ESWN")

_NAMES = {"".join(sorted(sides)): name for name, sides in SIDES.items()}
"""Sides -> their name for a road or city with these sides."""

_CORNER = "NL.WR"
"""The half-edges that a barn's field always includes on the tile that they name it by."""


def turned_log(log: Log, turns: int) -> Log:
    """Return a game with the whole board turned clockwise.

    Parameters
    ----------
    log : Log
        A game.
    turns : int
        Quarter turns about the start tile.
    """
    if turns % 4 == 0:
        return log
    header = {**log.header, "st": _state(log.header["st"], turns)}
    messages = [
        {
            **line,
            "act": action(line["act"], turns),
            "legal": [action(text, turns) for text in line["legal"]],
            "st": _state(line["st"], turns),
        }
        for line in log.messages
    ]
    placed = [_tile(row, turns) for row in log.end.get("placed", ())]
    return Log(header, messages, {**log.end, "placed": placed})


def with_broken_roads(log: Log) -> Log:
    """Return a game with separate names for tiles whose roads tunnels break (TUN-16)."""
    text = json.dumps((log.header, log.messages, log.end))
    for name in WHOLE:
        text = text.replace(name, name + BROKEN)
    return Log(*json.loads(text))


def cell(x: int, y: int, turns: int) -> tuple[int, int]:
    """Return where a cell is after quarter turns about (0, 0)."""
    for _ in range(turns % 4):
        x, y = -y, x
    return x, y


def place(feature: str, name: str, turns: int) -> str:
    """Return their name for a feature part after quarter turns of its tile."""
    for _ in range(turns % 4):
        name = _quarter(feature, name)
    return name


def _quarter(feature: str, name: str) -> str:
    if feature in ("Monastery", "Garden") or (feature == "Field" and name in ENCLOSED):
        return name
    if feature == "Field":
        order = list(HALVES)
        if unknown := set(name.split(".")) - HALVES.keys():
            raise UnknownWord("half-edge", sorted(unknown))
        numbers = sorted((order.index(half) + 2) % len(order) for half in name.split("."))
        return ".".join(order[number] for number in numbers)
    if name not in SIDES:
        raise UnknownWord(feature, name)
    return _NAMES["".join(sorted(SIDES[name].translate(_CLOCKWISE)))]


def _pointer(figure: str | None, pointer: Sequence[Any], turns: int) -> list[Any]:
    x, y, feature, name = pointer
    if figure == "Barn":
        return [*_corner(x, y, turns), feature, _CORNER]
    return [*cell(x, y, turns), feature, place(feature, name, turns)]


def _corner(x: int, y: int, turns: int) -> tuple[int, int]:
    """Return the tile whose north-west corner is the turned north-west corner of a tile."""
    for _ in range(turns % 4):
        x, y = 1 - y, x
    return x, y


def _tile(row: Sequence[Any], turns: int) -> list[Any]:
    name, x, y, rotation = row
    return [name, *cell(x, y, turns), (rotation + turns) % 4]


def _turn_tile(words: Sequence[str], turns: int) -> list[Any]:
    name, x, y, rotation, *bridge = words
    found = _tile([name, int(x), int(y), int(rotation)], turns)
    return [*found, bridge[0], *_turn_bridge(bridge[1:], turns)] if bridge else found


def _turn_figure(words: Sequence[str], turns: int) -> list[Any]:
    figure, x, y, feature, name = words
    return [figure, *_pointer(figure, (int(x), int(y), feature, name), turns)]


def _turn_return(words: Sequence[str], turns: int) -> list[Any]:
    source, meeple, x, y, feature, name = words
    return [source, meeple, *_pointer(None, (int(x), int(y), feature, name), turns)]


def _turn_bridge(words: Sequence[str], turns: int) -> list[Any]:
    x, y, direction = words
    return [*cell(int(x), int(y), turns), place("Road", direction, turns)]


def _turn_castle(words: Sequence[str], turns: int) -> list[Any]:
    x, y, name = words
    return [*cell(int(x), int(y), turns), place("Castle", name, turns)]


_ACTIONS: dict[str, Callable[[Sequence[str], int], list[Any]]] = {
    "TILE": _turn_tile,
    "MEEPLE": _turn_figure,
    "RETURN": _turn_return,
    "BRIDGE": _turn_bridge,
    "CASTLE": _turn_castle,
}


def action(text: str, turns: int) -> str:
    """Return their action after quarter turns of the board; unchanged if it names no place."""
    kind, *words = text.split()
    if kind in _ACTIONS:
        words = list(map(str, _ACTIONS[kind](words, turns)))
    return " ".join([kind, *words])


def _state(st: dict[str, Any], turns: int) -> dict[str, Any]:
    figures = [[name, seat, *_pointer(name, spot, turns)] for name, seat, *spot in st["figs"]]
    found = {**st, "figs": figures}
    if "flocks" in st:
        found["flocks"] = [
            [*_pointer(None, (x, y, "Field", at), turns)[:2], at, tokens]
            for x, y, at, tokens in st["flocks"]
        ]
    if "ev" in st:
        found["ev"] = [event(row, turns) for row in st["ev"]]
    return found


def event(row: Sequence[Any], turns: int) -> list[Any]:
    """Return their event after quarter turns of the board."""
    kind, *rest = row
    if kind == "tile":
        rest = _tile(rest, turns)
    elif kind in ("deployed", "returned"):
        rest[2] = _pointer(rest[0], rest[2], turns)
    elif kind in ("score", "score-final"):
        rest = [[*score[:3], score[3] and _pointer(None, score[3], turns)] for score in rest]
    elif kind == "token":
        rest[1] = _pointer(None, rest[1], turns)
    elif kind == "castle":
        rest = [_pointer(None, end, turns) for end in rest]
    return [kind, *rest]
