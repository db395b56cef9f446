"""The page's texts by key: its own texts, and those of every set.

Its own texts are in ``static/lang``, one file per language. A set's texts are in the set folder, as
``carc_env/sets/<set>/words.json``, by language.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from carc_env.sets import ROOMS, read_all

LANGUAGES = ("en", "de")


@cache
def texts(language: str) -> dict[str, str]:
    """Return all texts in one of ``LANGUAGES``."""
    own = files("carc_env.web") / f"static/lang/{language}.json"
    found: dict[str, str] = json.loads(own.read_text(encoding="utf-8"))
    for told in read_all("words.json", ROOMS):
        found |= told[language]
    return found
