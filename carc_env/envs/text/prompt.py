"""The rules of the sets in play, as the system prompt of a language model.

Each set's rules are in its room, in ``prompt.txt``; those of the base game are in
``carc_env/systems/prompt.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache, lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from carc_env.plain_yaml import read_yaml
from carc_env.rules import PRESETS, Rules
from carc_env.sets import SETS
from carc_env.systems import QUESTIONS, actions_of, phases_of, systems_in
from carc_env.systems.declaring import Anchor, System, title_of
from carc_env.web.texts import texts

FILE = "prompt.txt"
UNTOLD = ("n_players", "sets", "view", "auto_single")
"""Switches that change no rule in words."""
TURN = "turn A "


@lru_cache(maxsize=64)
def rules_text(rules: Rules) -> str:
    """Return the rules of a game in words, and how to read and to answer its questions."""
    rules = rules.plain
    base = (files("carc_env.systems") / FILE).read_text(encoding="utf-8")
    parts = [base, *(told for told, systems in _told() if _are_in(systems, rules))]
    for title, lines in (
        ("Lines in brackets", _headers(rules)),
        ("Actions", _actions(rules)),
        ("This game", _variants(rules)),
    ):
        if listed := "\n".join(f"- {line}" for line in lines):
            parts.append(f"## {title}\n\n{listed}\n")
    return "\n".join(parts)


@cache
def _told() -> tuple[tuple[str, tuple[System, ...]], ...]:
    """Return the text of each room, with the systems that it explains."""
    found = []
    for room in SETS:
        surface = vars(import_module(f"carc_env.sets.{room}.surface"))
        text = files("carc_env.sets").joinpath(*room.split("."), FILE).read_text(encoding="utf-8")
        found.append((text, tuple(one for one in surface.values() if isinstance(one, System))))
    return tuple(found)


def _are_in(systems: tuple[System, ...], rules: Rules) -> bool:
    return any(system in systems_in(rules) for system in systems)


def _headers(rules: Rules) -> Iterator[str]:
    """Yield the headers of positions that can occur, with their meanings."""
    words = {word for one in systems_in(rules) if one.text for word in one.text.words}
    words |= {"rules", "scores", "aside", "over"}
    verbs = {QUESTIONS[phase].verb for phase in phases_of(rules)}
    listed = (files("carc_env.game") / "headers.yaml").read_text(encoding="utf-8")
    for told in read_yaml("headers of positions", listed).values():
        for example, meaning in told.items():
            word, _, rest = example[1:-1].partition(" ")
            if word in words or (word == "turn" and _verb_of(rest) in verbs):
                yield f"`{example}`: {meaning.partition('; you can also')[0]}"


def _verb_of(turn: str) -> str:
    """Return the verb of a turn such as ``A acts at 3,4``, without what it is about."""
    words = turn.split(" ")[1:]
    return " ".join(word for word in words if not any(c in word for c in ",-0123456789"))


PARTS = (
    ("cell", "X,Y"),
    ("rotation", "rN"),
    ("spot", "SPOT"),
    ("axis", "SIDES"),
    ("number", "N"),
    ("seat", "from SEAT"),
    ("quarter", "QUARTER"),
)
"""The parts of an action's name, in order, with what stands for them."""


def _actions(rules: Rules) -> Iterator[str]:
    """Yield the form of each kind of action, with its meaning."""
    yield "`TILE X,Y rN`: place this tile at a cell, in a rotation"
    if rules.chooses_cells:
        yield "`to X,Y`: choose a tile on the board, for what the question asks"
    for actions in actions_of(rules):
        title = title_of(actions.block)
        if title in ("tile", "accept", "decline"):
            continue
        first = actions.at(0, rules)
        form = [actions.word or first.kind]
        if first.figure is not None and first.figure.name.lower() != first.kind:
            form.append("FIGURE")
        if actions.anchor is Anchor.MOUTH:
            form.append("X,Y")
        form += [told for part, told in PARTS if getattr(first, part) is not None]
        form = [*dict.fromkeys(form)]
        yield f"`{' '.join(form)}`: {_without_order(actions.meaning)}"


def _without_order(meaning: str) -> str:
    """Return an action's meaning without what only concerns action numbers."""
    return meaning.partition(": ")[0]


def _variants(rules: Rules) -> Iterator[str]:
    """Yield the switches that differ from the usual rules, in the words of the page."""
    told = texts("en")
    yield f"{rules.n_players} players"
    toggles = {name for preset in PRESETS.values() for name, on in preset.items() if on is True}
    for field in fields(Rules):
        value: Any = getattr(rules, field.name)
        if value == field.default or field.name in UNTOLD or field.name in toggles:
            continue
        text = {None: "null", True: "true", False: "false"}.get(value, str(value))
        words = told.get(f"value.{field.name}.{text}", told.get(f"value.{text}", str(value)))
        yield f"{told[f'switch.{field.name}']}: {words}"
