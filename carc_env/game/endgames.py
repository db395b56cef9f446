"""Solved endgames: decisions near the end of a game, with the exact value of each action.

A set of endgames is one file, a compressed archive of numpy arrays without pickles. Positions and
actions are text, as in :mod:`carc_env.game.notation`, so a set survives changes to the engine and
to action numbers, and other programs can read it. ``docs/endgames.md`` describes the format.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.game.game import Game
from carc_env.game.notation import format_position, parse_position
from carc_env.plain_arrays import TEXT, Form, read_arrays
from carc_env.plain_json import read_json
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.words import NotationError

FORMAT, VERSION = "carc_env endgames", 1
SUFFIX = ".npz"
ALMOST = 1e-9
"""Values that differ by at most this many points count as equal."""
FORMS: Mapping[str, Form] = {
    "meta": (TEXT, 0),
    "positions": ("uint8", 1),
    "actions": ("uint8", 1),
    "n_actions": ("int32", 1),
    "numbers": ("int64", 1),
    "values": ("float64", 1),
}
MAX_BYTES = 2**30
"""Size limit for files that are read, in bytes; an endgame takes a few thousand."""


@dataclass(frozen=True, eq=False)
class Endgame:
    """A decision near the end of a game, solved exactly.

    Attributes
    ----------
    position : str
        The position as text. The bag tiles are sorted by name; this order has no meaning.
    actions : tuple of str
        The names of all legal actions, in the order of their numbers.
    values : ndarray of float64, shape (len(actions),)
        For each action, the decider's expected final lead over the strongest opponent, in points:
        the mean over all orders of the remaining tiles, provided that all players maximize their
        own lead.
    number : int
        Number assigned to the position when its set was made; unique within the set.
    """

    position: str
    actions: tuple[str, ...]
    values: npt.NDArray[np.float64]
    number: int = 0

    def parsed(self) -> Position:
        """Return the parsed position.

        Raises
        ------
        ValueError
            The text is not a valid position.
        """
        return parse_position(self.position)

    def game(self, seed: int = 0) -> Game:
        """Return a game that begins in this position; the seed shuffles its hidden tiles.

        Raises
        ------
        ValueError
            The position breaks a rule, or its legal actions differ from those that were solved.
        """
        try:
            game = Game.from_position(self.parsed(), seed=seed)
        except NotationError as error:
            raise ValueError(f"endgame {self.number} holds no valid position: {error}") from error
        game.reshuffle(seed)
        if (names := tuple(map(game.name, game.legal_actions()))) != self.actions:
            odd = sorted({*names} ^ {*self.actions}) or ["their order"]
            raise ValueError(
                f"endgame {self.number} was solved under other rules: {len(self.actions)} "
                f"actions were legal then, {len(names)} are now; they differ by "
                f"{', '.join(odd[:4])}"
            )
        return game

    def under(self, rules: Rules) -> Endgame:
        """Return the same endgame for a different view, with actions in the order of the new rules.

        Raises
        ------
        ValueError
            The legal actions differ there: the board or a move exceeds the view.
        """
        position = replace(self.parsed(), rules=rules)
        game = Game.from_position(position)
        names = tuple(map(game.name, game.legal_actions()))
        if {*names} != {*self.actions}:
            raise ValueError(f"endgame {self.number} has other actions in a view of {rules.view}")
        values = dict(zip(self.actions, self.values.tolist(), strict=True))
        return Endgame(
            format_position(position), names, np.array([values[n] for n in names]), self.number
        )

    def regret(self, action: int) -> float:
        """Return an action's regret in points, given its index in ``actions``."""
        return float(self.values.max() - self.values[action])


@dataclass(frozen=True, eq=False)
class Endgames:
    """A set of solved endgames under the same rules.

    Attributes
    ----------
    rules : Rules
        The rules of the endgames.
    endgames : tuple of Endgame
        The endgames, sorted by number.
    about : dict
        How the endgames were made, as plain values.
    """

    rules: Rules
    endgames: tuple[Endgame, ...]
    about: dict[str, Any]

    def under(self, rules: Rules) -> Endgames:
        """Return the same endgames for a view of another size.

        Raises
        ------
        ValueError
            The rules differ in more than the view, or an endgame has different legal actions there.
        """
        if self.rules.replace(view=rules.view) != rules:
            raise ValueError(
                f"the endgames were solved under other rules: {self.rules.differences(rules)}"
            )
        return Endgames(rules, tuple(end.under(rules) for end in self.endgames), self.about)


def pack(found: Endgames) -> bytes:
    """Return the file content for solved endgames."""
    meta = {"format": FORMAT, "version": VERSION}
    meta |= {"rules": found.rules.plain.to_dict(), "about": found.about}
    ends = found.endgames
    content = io.BytesIO()
    np.savez_compressed(
        content,
        meta=np.array(json.dumps(meta)),
        positions=_text("\n".join(end.position for end in ends)),
        actions=_text("\n".join(name for end in ends for name in end.actions)),
        n_actions=np.array([len(end.actions) for end in ends], np.int32),
        numbers=np.array([end.number for end in ends], np.int64),
        values=np.concatenate([np.zeros(0), *(end.values for end in ends)]),
    )
    return content.getvalue()


def unpack(name: str, content: bytes) -> Endgames:
    """Return the endgames that :func:`pack` wrote; positions are parsed when first used.

    Raises
    ------
    ValueError
        The content is damaged, has another version, or is not an endgame file.
    """
    try:
        found = read_arrays(content, {"meta": FORMS["meta"]}, MAX_BYTES)
        meta = read_json("meta", str(found["meta"]))
        if meta["format"] != FORMAT:
            raise ValueError(f"its format is {meta['format']!r}")
        if meta["version"] == VERSION:
            return _read(meta, read_arrays(content, FORMS, MAX_BYTES))
        version = meta["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{name} holds no solved endgames: {error}") from error
    raise ValueError(
        f"{name} holds endgames of version {version}, but this is version {VERSION}: generate "
        "them again"
    )


def _read(meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Endgames:
    """Return the endgames from a file of the current version.

    Raises
    ------
    ValueError, KeyError, TypeError
        An array is missing, or the arrays have different lengths.
    """
    counts, numbers, values = (arrays[key] for key in ("n_actions", "numbers", "values"))
    names = _lines(arrays["actions"])
    positions = _lines(arrays["positions"], between="\n\n")
    ends = np.cumsum(counts)
    if not len(positions) == len(counts) == len(numbers):
        raise ValueError(
            f"{len(positions)} positions, {len(numbers)} numbers, actions of {len(counts)}"
        )
    if (counts < 1).any() or not counts.sum() == len(names) == len(values):
        raise ValueError(f"{counts.sum()} actions, {len(names)} names, {len(values)} values")
    if not np.isfinite(values).all():
        raise ValueError("a value is not a number of points")
    endgames = tuple(
        Endgame(f"{text}\n", tuple(names[end - n : end]), values[end - n : end], int(number))
        for text, n, end, number in zip(positions, counts, ends, numbers, strict=True)
    )
    return Endgames(Rules.from_dict(meta["rules"]), endgames, dict(meta["about"]))


def _text(text: str) -> npt.NDArray[np.uint8]:
    """Encode a text as UTF-8 bytes, since numpy strings use four bytes per character."""
    return np.frombuffer(text.encode(), np.uint8)


def _lines(array: npt.NDArray[Any], between: str = "\n") -> Sequence[str]:
    """Split a text that :func:`_text` encoded."""
    text = array.tobytes().decode().rstrip("\n")
    return text.split(between) if text else []


@cache
def shipped_endgames() -> dict[str, Endgames]:
    """Return all endgame sets that come with the package, by name.

    ::

        for endgame in shipped_endgames()["base-2"].endgames: ...
    """
    folder = files("carc_env.game") / "solved"
    found = sorted((f for f in folder.iterdir() if f.name.endswith(SUFFIX)), key=lambda f: f.name)
    return {f.name.removesuffix(SUFFIX): unpack(f.name, f.read_bytes()) for f in found}
