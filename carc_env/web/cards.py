"""Cards: every figure and every set in a few words, with a picture.

Each is in the room of its set, ``carc_env/sets/<set>/cards.json``; those of the base game in
``carc_env/systems``. The same English text is the head of the set's page in ``docs/rules``. One
card of each page has a pattern, ``named``: the terms by which the pages of other sets refer to it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from carc_env.sets import ROOMS, read_all
from carc_env.web.texts import LANGUAGES


@dataclass(frozen=True)
class Card:
    """A short explanation of a thing for newcomers.

    Attributes
    ----------
    name
        Its own name.
    page
        The page in ``docs/rules`` that explains it fully, without its ending.
    about
        The page's names of the things that it explains: keys of texts such as ``figure.BARN``,
        ``set.abbey``, ``stock.wine`` or ``ask.FLIGHT``, ``word.floor`` for an action of that word,
        ``tile.ic`` for tiles whose names begin so.
    pictures
        Keys of drawings, see :mod:`carc_env.web.art`.
    see
        Names of other cards that continue from here.
    words
        By language: ``asks``, the question that it answers, and ``says``.
    """

    name: str
    page: str
    about: tuple[str, ...]
    pictures: tuple[str, ...]
    see: tuple[str, ...]
    words: dict[str, dict[str, str]]


@cache
def all_cards() -> dict[str, Card]:
    """Return all cards by name: the base game, then set by set."""
    base = files("carc_env.systems").joinpath("cards.json").read_text(encoding="utf-8")
    found: dict[str, Card] = {}
    for room in (json.loads(base), *read_all("cards.json", ROOMS)):
        for name, told in room.items():
            words = {language: told[language] for language in LANGUAGES}
            about, pictures, see = (tuple(told[key]) for key in ("about", "pictures", "see"))
            found[name] = Card(name, told["page"], about, pictures, see, words)
    return found


def cards_told(language: str) -> list[dict[str, Any]]:
    """Return the page's data about all cards in a language.

    Raises
    ------
    KeyError
        The cards are not written in that language.
    """
    return [
        {
            "name": card.name,
            "about": card.about,
            "pictures": card.pictures,
            "see": card.see,
            **card.words[language],
        }
        for card in all_cards().values()
    ]


def head_of(page: str) -> list[str]:
    """Return the paragraphs at the head of a page in ``docs/rules``, its first card first."""
    first, *others = (card.words["en"] for card in all_cards().values() if card.page == page)
    return [first["says"], *(f"**{words['asks']}** {words['says']}" for words in others)]
