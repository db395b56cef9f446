"""A room for each optional system of rules, with all code and data of that system.

The name of a file is its floor. ``LAYERS`` in ``tests/engine/test_structure.py`` lists which floors
it may import:

``record.py``
    The set's fields in the record of a game, as a ``PART`` of it, and the names of its numbers.
    Every kernel may import it.
``kernels.py``
    Legal actions, their effects and scoring, compiled with the engine. It imports
    ``carc_env.engine.core`` and records, never kernels of another set. The engine calls its kernels
    through moments.
``invariants.py``
    The invariants of its part of the record; also compiled.
``sight.py``
    Its planes and globals; also compiled.
``value.py``
    Its entries of the learned value, with their tables of weights; also compiled.
``surface.py``
    The declaration, :class:`carc_env.systems.declaring.System`: switches, questions, actions,
    planes, supplies, and the text of positions.
``page.py``
    What the web page cannot read from the declaration: the points of features, and why a click does
    nothing.
``peer.json``
    The names of its tiles, figures, elements and rules in JCloisterZone 5, for saves of its games.
``drawing.py``
    Its look, :class:`carc_env.render.declaring.Drawing`: on tiles, on the board, in the panel and
    as plain text.
``cards.json``
    Short explanations in English and German, for the web page and the head of its page in
    ``docs/rules``. Explanations of a box are in the room of the box. ``named`` matches the terms by
    which the pages of other sets refer to it.
``prompt.txt``
    Its rules in 100 to 200 words, for the system prompt of language models.
``words.json``
    Its texts on the web page, in English and German: names, questions and messages.
``tiles.json``
    The tiles of its box, in the room of the box or of the set that its tiles are named after.

Only ``surface.py`` and ``prompt.txt`` are required, but every set also has ``record.py``,
``words.json``, ``cards.json`` and ``peer.json`` so far. This package imports nothing, so that any
floor can import it.
"""

from __future__ import annotations

import json
from functools import cache
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
"""The files with compiled code, or with sources that it is made from."""


def import_all(floor: str) -> tuple[ModuleType, ...]:
    """Import the files of one floor, such as ``"kernels"``, of all sets that have one."""
    names = (f"{__name__}.{name}.{floor}" for name in SETS)
    return tuple(import_module(name) for name in names if find_spec(name))


@cache
def said_in(floor: str, name: str) -> tuple[Any, ...]:
    """Return what the files of one floor, of all sets that have one, define under a name."""
    return tuple(getattr(file, name) for file in import_all(floor) if hasattr(file, name))


def read_all(name: str, rooms: tuple[str, ...] = SETS) -> tuple[dict[str, Any], ...]:
    """Return the contents of the files with a name, such as ``"peer.json"``, of all rooms."""
    found = (files(__name__).joinpath(*room.split("."), name) for room in rooms)
    return tuple(json.loads(file.read_text(encoding="utf-8")) for file in found if file.is_file())
