"""A room for each optional system of rules, with all that is its own.

The name of a file says on which floor of the house it lies:

``record.py``
    What it keeps in the record of a game, a ``PART`` of it, and the names of its numbers. Every
    kernel may import it.
``kernels.py``
    What may be done, what it does and what it scores, compiled with the engine. It imports
    ``carc_env.engine.core``, never kernels of another set; those linked to a moment are called
    from there.
``invariants.py``
    What can be wrong with its part of the record, compiled, too.
``sight.py``
    What seats see of it: planes and globals, compiled, too.
``value.py``
    What the learned value sees of it: tables of weights and their entries, compiled, too.
``surface.py``
    The declaration, :class:`carc_env.systems.declaring.System`: switches, questions, actions,
    planes, supplies, and the text of positions.
``page.py``
    What the page is told of it besides what is a loop over declarations, what features are worth by
    it, and why a click does nothing.
``peer.json``
    What JCloisterZone 5 calls its tiles, figures, elements and rules, for saves of its games.
``drawing.py``
    How it looks, :class:`carc_env.render.declaring.Drawing`: on tiles, on the board, in the panel
    and as plain text.
``cards.json``
    What its things are, in a few words in every language, for the page and the head of its page in
    ``docs/rules``; that of a box in the room of the box. ``named`` are the words by which the pages
    of other sets speak of it.
``words.json``
    What the page calls it, and asks and tells about it, in every language.
``tiles.json``
    The tiles of its box, in the room of the box or of the set that its tiles are named after.

A set has the files that it needs. This package imports nothing, so that any floor may ask it.
"""

from __future__ import annotations

import json
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from types import ModuleType
from typing import Any

SETS = (
    "abbot",
    "inns",
    "abbey",
    "bridges",
    "castles",
    "traders.goods",
    "river",
    "mayor",
    "tunnel",
    "ferries",
    "wagon",
    "traders.builder",
    "traders.pigs",
    "barn",
    "bazaars",
    "king_robber",
    "shrines",
    "river2",
    "hills_sheep.hills",
    "hills_sheep.shepherd",
    "princess_dragon.dragon",
    "princess_dragon.fairy",
    "princess_dragon.princess",
    "princess_dragon.portal",
    "tower",
    "count",
    "festival",
    "phantom",
    "gold",
    "siege",
    "flier",
    "mage_witch",
    "watchtowers",
    "wind_roses",
    "corn_circles",
    "darmstadt",
    "little_buildings",
    "russian_promos",
    "labyrinth",
    "monasteries",
)
"""The rooms, in the order of supplies and numbers in the globals and of links to moments."""

BOXES = (
    "river",
    "inns",
    "traders",
    "abbey",
    "bazaars",
    "king_robber",
    "shrines",
    "river2",
    "hills_sheep",
    "princess_dragon",
    "tower",
    "count",
    "festival",
    "gold",
    "siege",
    "flier",
    "tunnel",
    "ferries",
    "mage_witch",
    "watchtowers",
    "wind_roses",
    "corn_circles",
    "darmstadt",
    "russian_promos",
    "labyrinth",
    "monasteries",
)
"""The rooms with tiles, in the order of the numbers of their designs; a new one comes last."""

ROOMS = tuple(sorted({*SETS, *BOXES}))
"""All of them, in alphabetical order."""

COMPILED = "record", "kernels", "invariants", "sight", "value"
"""The files with compiled code, or with what it is made from."""


def import_all(floor: str) -> tuple[ModuleType, ...]:
    """The files of one floor, such as ``"kernels"``, of all sets that have one."""
    names = (f"{__name__}.{name}.{floor}" for name in SETS)
    return tuple(import_module(name) for name in names if find_spec(name))


def said_in(floor: str, name: str) -> list[Any]:
    """What the files of one floor, of all sets that have one, say under a name."""
    return [getattr(file, name) for file in import_all(floor) if hasattr(file, name)]


def read_all(name: str, rooms: tuple[str, ...] = SETS) -> tuple[dict[str, Any], ...]:
    """What the files of a name say, such as ``"peer.json"``, of all rooms that have one."""
    found = (files(__name__).joinpath(*room.split("."), name) for room in rooms)
    return tuple(json.loads(file.read_text(encoding="utf-8")) for file in found if file.is_file())
