"""What tiles show, in words."""

from __future__ import annotations

from typing import Any

SHOWN = {"box", "castle", "classic", "crossing", "edges", "fields", "id", "links", "n", "note"}
SHOWN |= {"per_player", "rot", "set", "supply", "cities", "roads", "promo"}
"""Tile keys that :func:`looks_of` omits, or for which it has special words."""
NAMED = {"shields": "coats of arms", "start": "start tile"}
"""Words for keys."""


def looks_of(row: dict[str, Any]) -> str:
    """Return what a tile shows besides fields, such as ``city NE (shields 1), road SW``."""

    def told(facts: dict[str, Any], left_out: set[str]) -> list[str]:
        shown = {key: fact for key, fact in facts.items() if key not in left_out}
        named = {NAMED.get(key, key.replace("_", " ")): fact for key, fact in shown.items()}
        return [
            name
            if value is True
            else f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in named.items()
        ]

    parts = []
    for key, name in (("cities", "city"), ("roads", "road")):
        for part in row.get(key, ()):
            more = told(part, {"at", "castle"})
            parts.append(f"{name} {part['at']}" + (f" ({', '.join(more)})" if more else ""))
    return ", ".join([*parts, *told(row, SHOWN)])


def fields_of(row: dict[str, Any]) -> str:
    """Return a tile's fields by their half sides, each with the cities that it touches.

    ``En-Es(N), Ws-Wn(N,S)``: the first field touches the city at the north side, the second one
    both cities. A field inside the tile is ``inside``.
    """
    cities = [city["at"] for city in row.get("cities", ())]

    def told(field: dict[str, Any]) -> str:
        touched = ",".join(cities[k] for k in field["cities"])
        return ("-".join(field["at"].split()) or "inside") + (f"({touched})" if touched else "")

    return ", ".join(map(told, row["fields"]))
