"""Write the JSON schemas of games and data sets into ``docs/schemas`` (``make docs``).

    python scripts/write_schemas.py            rewrite them
    python scripts/write_schemas.py --check    only check that they are up to date

The schema of the rules is generated from the fields of ``Rules``, and the arrays of data sets from
their dtypes.
"""

from __future__ import annotations

import json
import sys
from copy import copy
from dataclasses import fields, make_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import tyro
from carc_env.agents.dataset import DTYPES, FORMAT, SPLITS, VERSION, Recipe
from carc_env.agents.intervals import Estimate
from carc_env.agents.task_results import Result, Summary
from pydantic import TypeAdapter

from carc_env.game.interchange import FORMAT as GAME_FORMAT
from carc_env.game.interchange import VERSION as GAME_VERSION
from carc_env.game.records import replace_file
from carc_env.rules import Layout, Rules

FOLDER = Path(__file__).resolve().parents[1] / "docs/schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT = {"type": "string"}
SEAT = {"type": "integer", "minimum": 0, "maximum": 5}
SCORES = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 6}


def thing(properties: dict[str, Any], *optional: str, **more: Any) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties, some of them optional."""
    required = [name for name in properties if name not in optional]
    found = {"type": "object", "properties": properties, "required": required}
    return {**found, "additionalProperties": False, **more}


def plain(kind: Any) -> Any:
    """Return a dataclass for files: its rules have no shared layout."""
    hints = get_type_hints(kind)
    members = [
        (one.name, plain(Rules) if hints[one.name] is Rules else hints[one.name], copy(one))
        for one in fields(kind)
        if hints[one.name] != Layout | None
    ]
    return make_dataclass(kind.__name__, members)


def of_type(kind: Any) -> dict[str, Any]:
    """Return a dataclass's schema, in which missing properties have their defaults."""
    found: dict[str, Any] = bare(TypeAdapter(plain(kind)).json_schema())
    return {**found, "additionalProperties": False}


def bare(schema: Any) -> Any:
    """Return a schema without titles and docstrings, which are meant for Python."""
    if isinstance(schema, list):
        return [bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    words = ("title", "description")
    return {
        key: bare(part)
        for key, part in schema.items()
        if not (key in words and isinstance(part, str))
    }


def game() -> dict[str, Any]:
    """Return the schema of games as written by ``carc_env.game.interchange``."""
    token = {"enum": [0, 1, 2, 3, 4], "description": "sheep on the token drawn, 0: the wolf"}
    name = {**TEXT, "description": "as in the notation"}
    decision = thing({"seat": SEAT, "name": name, "token": token}, "token")
    turn = thing(
        {
            "turn": {"type": "integer", "minimum": 1},
            "player": SEAT,
            "decisions": {"type": "array", "items": decision, "minItems": 1},
            "scores": {**SCORES, "description": "of every seat after the turn"},
        }
    )
    about = {
        "type": "object",
        "description": "its origin; further properties are kept",
        "properties": {
            "players": {"type": "array", "items": TEXT, "description": "a name for each seat"},
            "source": TEXT,
            "licence": TEXT,
            "date": TEXT,
        },
    }
    return {
        "$schema": DIALECT,
        "title": "a game of carc_env",
        **thing(
            {
                "format": {"const": GAME_FORMAT},
                "version": {"const": GAME_VERSION},
                "rules": of_type(Rules),
                "draw": {
                    "type": "array",
                    "items": TEXT,
                    "description": "all tiles but the start tile, in the order of the bag",
                },
                "turns": {"type": "array", "items": turn},
                "scores": SCORES,
                "finished": {"type": "boolean"},
                "about": about,
            },
            "about",
        ),
    }


def dataset() -> dict[str, Any]:
    """Return the schema of what ``carc_env.agents.dataset.describe`` returns for a file."""
    arrays = {
        name: thing(
            {
                "dtype": {"const": dtype},
                "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            }
        )
        for name, dtype in DTYPES.items()
    }
    recipe = of_type(Recipe)
    return {
        "$schema": DIALECT,
        "title": "a file of a data set of carc_env",
        "$defs": recipe.pop("$defs", {}),
        **thing(
            {
                "meta": thing(
                    {
                        "format": {"const": FORMAT},
                        "version": {"const": VERSION},
                        "splits": {"const": {name: [*part] for name, part in SPLITS.items()}},
                        "recipe": recipe,
                    }
                ),
                "arrays": thing(arrays),
            }
        ),
    }


def result() -> dict[str, Any]:
    """Return the schema of task results as written by ``carc_env.agents.task_results``."""
    form = of_type(Result)
    parts = form.pop("$defs")
    parts |= {"Estimate": of_type(Estimate), "Summary": of_type(Summary)}
    del parts["Summary"]["$defs"]
    form["properties"] |= {
        "summary": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Summary"}},
        "regret": {"anyOf": [{"$ref": "#/$defs/Estimate"}, {"type": "null"}]},
    }
    required = [name for name in form["properties"] if name != "definition"]
    shares = {"type": "object", "additionalProperties": {"type": "number"}}
    form["properties"] |= {  # of tasks with test rules
        "score": {"$ref": "#/$defs/Estimate"},
        "rates": {"type": "object", "additionalProperties": shares},
        "rating": {"type": "number"},  # of tasks with anchors
    }
    return {
        "$schema": DIALECT,
        "title": "a result of a task of carc_env",
        "$defs": parts,
        **form,
        "required": required,
    }


SCHEMAS = {"game.schema.json": game, "dataset.schema.json": dataset, "result.schema.json": result}


def text_of(name: str) -> str:
    """Return the text of a schema file."""
    return json.dumps(SCHEMAS[name](), indent=1) + "\n"


def main(check: bool = False) -> int:
    """Write all schemas.

    Parameters
    ----------
    check
        Write nothing; the exit status is 1 if a schema is not up to date.
    """
    FOLDER.mkdir(exist_ok=True)
    stale = [
        name
        for name in SCHEMAS
        if not (FOLDER / name).exists()
        or (FOLDER / name).read_text(encoding="utf-8") != text_of(name)
    ]
    for name in stale if not check else ():
        replace_file(FOLDER / name, text_of(name).encode())
    if stale:
        print(f"{'not up to date' if check else 'written'}: {', '.join(stale)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
