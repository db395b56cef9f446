"""Cards: short explanations of figures and sets, with pictures.

Each card is in its set folder, as ``carc_env/sets/<set>/cards.json``; the base game's cards are in
``carc_env/systems``. The same English text is the introduction of the set's page in ``docs/rules``.
One card per page has a pattern, ``named``: the terms with which other sets' pages refer to it.
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
    """A short explanation for newcomers.

    Attributes
    ----------
    name
        The card's name.
    page
        The page in ``docs/rules`` with the full explanation, without its extension.
    about
        The things that the card explains, by their names on the page: text keys such as
        ``figure.BARN``, ``set.abbey``, ``stock.wine`` or ``ask.FLIGHT``, ``word.floor`` for actions
        with that word, and ``tile.ic`` for tiles with that prefix.
    pictures
        Drawing keys, see :mod:`carc_env.web.art`.
    see
        Names of other cards to read next.
    words
        By language: ``asks``, the question that the card answers, and ``says``, the answer.
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
        There are no cards in that language.
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
    """Return the introductory paragraphs of a page in ``docs/rules``, with its first card first."""
    first, *others = (card.words["en"] for card in all_cards().values() if card.page == page)
    return [first["says"], *(f"**{words['asks']}** {words['says']}" for words in others)]
