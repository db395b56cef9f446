"""Questions about the rules in a position, made and answered by the engine.

There are four kinds. ``legal``: may this action be taken? ``points``: what are the scores after an
action? ``owner``: who has the majority of a feature? ``next``: which question follows an action?
``scripts/make_rules_questions.py`` makes the questions that come with the package.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

from pydantic import TypeAdapter

from carc_env.envs.text.answers import MAX_ANSWER
from carc_env.envs.text.view import board_view
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.plain_json import read_json
from carc_env.rules import Rules

FILE = "questions.json.gz"
Kind = Literal["legal", "points", "owner", "next"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Question:
    """A question about the rules.

    Attributes
    ----------
    about : str
        The room of the set that it is about.
    kind : str
        One of ``KINDS``.
    position : str
        The position in the notation, without hidden information.
    asks : str
        The question, with the form of its answer.
    answer : str
        The right answer, as it is written in double square brackets.
    """

    about: str
    kind: Kind
    position: str
    asks: str
    answer: str

    @property
    def rules(self) -> Rules:
        """The rules of the position."""
        return parse_position(self.position).rules

    def prompt(self) -> str:
        """Return the position and the question, for a model."""
        game = Game.from_position(parse_position(self.position))
        return f"{board_view(game)}\n\nQuestion: {self.asks}"

    def is_right(self, text: str) -> bool:
        """Return whether a text answers the question: its last double square brackets count."""
        _, _, last = text[-MAX_ANSWER:].rpartition("[[")
        given, closed, _ = last.partition("]]")
        return bool(closed) and _plain(given) == _plain(self.answer)


def _plain(answer: str) -> str:
    return " ".join(answer.casefold().replace(",", " ").split())


_FORM = TypeAdapter(tuple[Question, ...])


@cache
def shipped_questions() -> tuple[Question, ...]:
    """Return the questions that come with the package, ten for each set."""
    content = (files(__package__) / FILE).read_bytes()
    return _FORM.validate_python(read_json(FILE, gzip.decompress(content)))
