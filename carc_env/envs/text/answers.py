"""Read the action that a model names, and explain why an action is illegal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import BOARD
from carc_env.engine.core.tiles import SPOT_SEGMENT
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.systems import QUESTIONS
from carc_env.web.deeds import PLACING
from carc_env.web.reasons import why_not
from carc_env.web.texts import texts
from carc_env.words import CELL, FIGURE_OF, SEATS, SPOT_OF, TILE, parse_cell

MAX_ANSWER = 200_000
"""Only this many characters at the end of an answer are read."""
ON_THE_PAGE = ("unlit", "must", "elsewhere")
"""Reasons whose sentences only make sense beside a board on which one clicks."""
MAX_QUOTED = 60
"""Length limit for names that are quoted in reasons."""
FORMAT = "Answer with the name of one legal action in double square brackets, such as [[{}]]."
_BRACKETS = re.compile(r"\[\[([^\[\]]*)\]\]")
_ALONE = r"(?<![\w,-])(?:{})(?![\w,-])"
"""A name that is not part of a longer one."""
_PLACE = re.compile(_ALONE.format(rf"(?P<tile>{TILE}) (?P<cell>{CELL}) r\d"))
_FIGURE = re.compile(
    _ALONE.format(rf"(?P<figure>{'|'.join(FIGURE_OF)}) (?P<spot>{'|'.join(SPOT_OF)})")
)


@dataclass(frozen=True)
class Answer:
    """What a text answers: a legal action, or the reason why there is none."""

    action: int | None
    """The number of the action that it names; None if it names no legal action."""
    name: str = ""
    """The action that it names, legal or not; empty if it names none."""
    reason: str = ""
    """Why there is no action, for the model; empty if there is one."""


def read_answer(table: Table, text: str, strict: bool = False) -> Answer:
    """Return the last action that a text names.

    Never raises an exception, whatever the text is.

    Parameters
    ----------
    table : Table
        A game that is not over.
    text : str
        A model's answer.
    strict : bool
        Only read names in double square brackets, spelled exactly: ``[[bg-cap 0,-1 r2]]``. By
        default, a text without brackets may name the action anywhere, and case and extra blanks do
        not matter as long as the name is unique.
    """
    game = table if isinstance(table, Game) else Game.at(table.rules, table.states)
    legal = {game.name(action): action for action in game.legal_actions()}
    text = text[-MAX_ANSWER:]
    in_brackets = _BRACKETS.findall(text)
    if strict:
        name = in_brackets[-1] if in_brackets else ""
    else:
        name = _among(in_brackets[-1], legal) if in_brackets else ""
        if name not in legal:
            name = _among(_last_named(name or text, legal), legal) or name
    if name in legal:
        return Answer(legal[name], name)
    if not name:
        return Answer(None, reason=f"No action was named. {FORMAT.format(next(iter(legal)))}")
    return Answer(None, name, f"{name[:MAX_QUOTED]!r} is not legal. {_reason(game, name, legal)}")


def _among(name: str, legal: Iterable[str]) -> str:
    """Return the only legal name that differs in case and blanks alone, or the name itself."""
    name = " ".join(name.split())
    same = [one for one in legal if one.casefold() == name.casefold()]
    return name if name in same or len(same) != 1 else same[0]


def _last_named(text: str, legal: Iterable[str]) -> str:
    """Return the last part of a text that is a legal name, or looks like one; empty if none is."""
    found = [(match.end(), match.end() - match.start(), match[0]) for match in _names(text, legal)]
    return max(found)[2] if found else ""


def _names(text: str, legal: Iterable[str]) -> Iterable[re.Match[str]]:
    text = re.sub(r"\s+", " ", text)
    for pattern in (_names_of(tuple(sorted(legal))), _PLACE, _FIGURE):
        yield from pattern.finditer(text)


@lru_cache(maxsize=64)
def _names_of(legal: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(map(re.escape, sorted(legal, key=len, reverse=True)))
    return re.compile(_ALONE.format(words), re.IGNORECASE)


# Reasons.


def _reason(game: Game, name: str, legal: Iterable[str]) -> str:
    """Return why an action is not legal, and what is."""
    if (match := _PLACE.fullmatch(name)) and game.phase in PLACING:
        return _why_no_place(game, match, legal)
    figure = _FIGURE.fullmatch(name)
    if figure and game.phase == Phase.FIGURE:
        cell = (game.position().tiles[-1].x, game.position().tiles[-1].y)
        placed = game.states[0].tiles[int(game.states[0].n_tiles) - 1]
        segment = int(SPOT_SEGMENT[placed.design, placed.rotation, SPOT_OF[figure["spot"]]])
        kind = FIGURE_OF[figure["figure"]]
        reason = why_not(game, cell, None if segment < 0 else segment, kind)
        spots = sorted(n.partition(" ")[2] for n in legal if n.startswith(f"{figure['figure']} "))
        told = _sentence(reason) if reason else "This spot names no segment of the tile. "
        return f"{told}Spots for {figure['figure']}: {', '.join(spots) or 'none'}."
    return f"The question is: {QUESTIONS[game.phase].asks} {FORMAT.format(next(iter(legal)))}"


def _why_no_place(game: Game, match: re.Match[str], legal: Iterable[str]) -> str:
    if match["tile"] not in {one.partition(" ")[0] for one in legal}:
        return f"You hold {game.tile_in_hand}." if game.tile_in_hand else "You hold no tile."
    place = f"{match['tile']} {match['cell']} "
    if turns := [one.removeprefix(place) for one in legal if one.startswith(place)]:
        return f"At this cell, it fits only with {', '.join(turns)}."
    x, y = parse_cell(match["cell"])
    if max(abs(x), abs(y)) > BOARD:
        return texts("en")["why.table"]
    reason = why_not(game, (x, y))
    return _sentence(reason).rstrip() if reason else ""


def _sentence(reason: dict[str, Any]) -> str:
    """Return a reason as the page's sentence, with seats by their letters, and a blank."""
    if reason["why"] in ON_THE_PAGE:
        return ""
    told = texts("en")
    keys = (reason["why"], reason.get("kind"), reason.get("figure"))
    candidates = [f"why.{keys[0]}.{more}" for more in keys[1:] if more] + [f"why.{keys[0]}"]
    words = next(told[key] for key in candidates if key in told)
    sentence = words.format(
        figure=reason.get("figure", "").lower(),
        who=", ".join(SEATS[seat] for seat in reason.get("seats", ())),
        needs=", ".join(
            f"{told[f'edge.{edge}']} at {side}" for side, edge in reason.get("needs", ())
        ),
    )
    return f"{sentence} "
