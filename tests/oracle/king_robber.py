"""King and Robber Baron (docs/rules/king-robber.md): who gets them, and their points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Kind, Phase
from carc_env.position import Position

from .board import Feature, completed, features
from .phases import is_unscored

#: Position field with the holder of each marker, and the kind of feature that it is for (KR-02,
#: KR-06).
MARKERS = {"king": Kind.CITY, "robber": Kind.ROAD}


def complete(position: Position, kind: Kind) -> list[Feature]:
    """List the complete features of a kind (KR-10, KR-12), regardless of their owners (KR-05)."""
    return [f for f in features(position) if f.kind == kind and f.is_complete]


def size_of_largest(found: Iterable[Feature]) -> int:
    """Return the number of different tiles of the largest feature (KR-04, KR-07, KR-08)."""
    return max((len(feature.tiles) for feature in found), default=0)


def passed_on(position: Position) -> Position:
    """Give the markers to the turn player for features just completed (KR-02 to KR-08).

    This follows the scoring of the turn (KR-15). First, the previous holder gets the running points
    (KR-16).
    """
    if not position.rules.king_robber:
        return position
    for name, kind in MARKERS.items():
        new = [f for f in completed(position) if f.kind == kind]  # KR-14
        old = [f for f in complete(position, kind) if f not in new]
        holder = getattr(position, name)
        if position.rules.king_robber_scoring == "running" and holder is not None:
            scores = list(position.scores)
            scores[holder] += len(new)
            position = replace(position, scores=tuple(scores))
        if size_of_largest(new) > size_of_largest(old):  # KR-03, KR-13
            position = replace(position, **{name: position.turn_player})
    return position


def points(position: Position) -> tuple[int, ...]:
    """Return each player's points for the markers at the end (KR-09, KR-16, KR-17)."""
    n_players = position.rules.n_players
    scoring = position.rules.king_robber_scoring
    total = [0] * n_players
    has_city = "count" in position.rules.sets  # KR-11
    for name, kind in MARKERS.items():
        if (holder := getattr(position, name)) is not None:
            total[holder] += {
                "per_feature": len(complete(position, kind)) + (kind == Kind.CITY and has_city),
                "ten_each": 10,
                "fifteen_forty": 20 if position.king == position.robber else 15,
                "running": 0,
            }[scoring]
    return tuple(total)


def wrong_markers(position: Position) -> Iterator[str]:
    """Report markers that no seat can have, or that some seat should have (KR-17)."""
    for name, n_completed in completed_before(position).items():
        holder = getattr(position, name)
        if holder is None:
            if position.rules.king_robber and n_completed:
                yield f"nobody has the {name} after {n_completed} completed"
            continue
        may_be_split = name == "robber" and position.ferries  # FER-21
        if not position.rules.king_robber or (n_completed == 0 and not may_be_split):
            yield f"{holder} has the {name} after {n_completed} completed"
        if not 0 <= holder < position.rules.n_players:
            yield f"nobody is the seat {holder} that has the {name}"


def completed_before(position: Position) -> dict[str, int]:
    """Count for each marker the features that were complete before the current scoring."""
    is_late = position.phase == Phase.FLIGHT and position.rules.dragon_timing == "after_scoring"
    is_due = (is_unscored(position) and not is_late) or position.phase == Phase.CASTLE_CHOICE
    due = completed(position) if is_due else []
    return {
        name: len([f for f in complete(position, kind) if f not in due])
        for name, kind in MARKERS.items()
    }
