"""Select a few cases that together show everything that all cases show, for the quick run."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def cover(shown: Mapping[K, set[Hashable]]) -> set[K]:
    """Choose cases greedily: each one shows the most of what is still missing."""
    missing, chosen = set[Hashable]().union(*shown.values()), set[K]()
    while missing:
        best = max(shown, key=lambda case: len(shown[case] & missing))
        chosen.add(best)
        missing -= shown[best]
    return chosen
