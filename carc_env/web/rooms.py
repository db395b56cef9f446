"""What the rooms of sets say to the page: functions in their ``page.py``.

``docs/developers/adding-a-system.md`` lists their names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carc_env.sets import import_all


def said(name: str) -> list[Callable[..., Any]]:
    """The functions of a name, in the order of sets."""
    return [getattr(page, name) for page in import_all("page") if hasattr(page, name)]
