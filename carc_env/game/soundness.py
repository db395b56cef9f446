"""Check that a saved record could occur in a game.

Kernels do not check indices, so no number in a record may be followed before it is validated.
First, every number must be within its limits. Then the position that the record shows is set up
anew, which refuses anything that breaks a rule. A record has 25,056 numbers, most of them indices,
so a list of everything that must agree would never be complete. Instead, the saved record and the
rebuilt one must be identical except for what depends on history: the numbering of features, figures
and free cells, and the order of their rings and of the drawn tiles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.fields import is_same, with_numbers
from carc_env.engine.core.sizes import MAX_SEGMENTS
from carc_env.engine.core.state import (
    COUNTED,
    FIGURE_SLOTS,
    GAME,
    NO_FIGURE,
    SLOTS_PER_SEAT,
)
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.game.conversion import read_position, set_up
from carc_env.layout.template import template
from carc_env.rules import Rules
from carc_env.systems import SYSTEMS


def check_record(rules: Rules, states: npt.NDArray[Any]) -> None:
    """Refuse the record of a single game unless the record can occur under the rules.

    Parameters
    ----------
    rules : Rules
        The rules of the game.
    states : numpy.ndarray of STATE, shape (1,)
        The record, with any content.

    Raises
    ------
    ValueError
        The record is not sound; the message names the field, or what is wrong with its position.
    """
    if not is_same(states["rules"], template(rules)["rules"]):
        raise ValueError("its rules are not written as this version writes them")
    s = states[0]
    _check_limits(s, rules)
    _check_segments_named(s)
    rebuilt = set_up(replace(read_position(rules, states, 0), rules=rules))[0]
    if odd := _differing(s, rebuilt):
        raise ValueError(f"its fields contradict its tiles and figures: {', '.join(odd)}")


def _n_counted(s: Any, rules: Rules, what: str) -> int:
    """Return the size of the list that a field's numbers index into."""
    counted = COUNTED | {"players": rules.n_players}
    return counted[what] if what in counted else int(s[f"n_{what}"])


def _check_limits(s: Any, rules: Rules) -> None:
    """Refuse a number outside the limits of its field."""
    for path, field, numbers in with_numbers(s, GAME):
        if field.most is None:
            continue
        low = min(field.empty, 0) if field.least is None else field.least
        high = field.most
        if isinstance(high, str):
            high = _n_counted(s, rules, high) - 1
        odd = numbers[(numbers < low) | (numbers > high)]
        if odd.size:
            raise ValueError(f"{path} is {odd[0]}, but must be {low} to {high}")


def _is_on_tile(s: Any) -> npt.NDArray[np.bool_]:
    """Return which segment numbers belong to a segment on a tile, shape (MAX_SEGMENTS,)."""
    tile: Any = s.tiles[s.segments["tile"]]
    place = np.arange(MAX_SEGMENTS) - tile["first_segment"]
    is_numbered = np.arange(MAX_SEGMENTS) < s.n_segments
    is_shown = (0 <= place) & (place < N_SEGMENTS[tile["design"]])
    shown: npt.NDArray[np.bool_] = is_shown & is_numbered
    return shown


def _check_segments_named(s: Any) -> None:
    """Refuse a reference to a segment that is on no tile."""
    is_shown = np.append(_is_on_tile(s), True)  # NO_SEGMENT comes last
    for _, field, numbers in with_numbers(s, GAME):
        if field.most == "segments" and not (shown := is_shown[numbers]).all():
            raise ValueError(f"no tile shows segment {numbers[~shown].min()}")


def _has_same_board(s: Any, rebuilt: Any) -> bool:
    """Return whether the same cells are free, and the board points to them and to the tiles."""
    n_tiles, n = int(s.n_tiles), int(s.n_frontier)
    listed, others = (x.frontier[:n].tolist() for x in (s, rebuilt))
    if sorted(listed) != sorted(others):
        return False
    board = np.zeros_like(s.board)
    board[s.tiles["cell"][:n_tiles]] = np.arange(1, n_tiles + 1)
    board[s.frontier["cell"][:n]] = -np.arange(1, n + 1)
    return is_same(s.board, board) and is_same(s.frontier[n:], rebuilt.frontier[n:])


def _first_alike(labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the index of each label's first occurrence: equal for equal partitions."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return first[which]


def _has_same_features(s: Any, rebuilt: Any) -> bool:
    """Return whether rings link the same segments, and matching features have equal counts."""
    is_shown = _is_on_tile(rebuilt)
    own, other = (x.segments["feature"][is_shown] for x in (s, rebuilt))
    numbers = np.unique(own)
    return (
        is_same(s.segments["tile"], rebuilt.segments["tile"])
        and is_same(s.segments[~is_shown], rebuilt.segments[~is_shown])
        and is_same(_first_alike(own), _first_alike(other))
        and is_same(s.segments["feature"][numbers], numbers)
        and is_same(np.flatnonzero(s.features["n_segments"]), numbers)
        and _has_same_counts(s.features[own], rebuilt.features[other])
        and _has_rings_of_segments(s)
    )


def _has_same_counts(found: Any, others: Any) -> bool:
    """Return whether the counts agree; a field's tile count is never used."""
    counts = ("kind", "n_segments", "n_open", "shields", "bonus")
    is_field = found["kind"] == Kind.FIELD
    return all(is_same(found[name], others[name]) for name in counts) and is_same(
        found["n_tiles"][~is_field], others["n_tiles"][~is_field]
    )


def _is_ring(following: list[int], entry: int, members: set[int]) -> bool:
    """Return whether the links lead from a member through all the others and back."""
    walked = [entry]
    while len(walked) < len(members):
        walked.append(following[walked[-1]])
    return set(walked) == members and following[walked[-1]] == entry


def _members(groups: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Return each feature's members, from pairs of feature and member."""
    found = defaultdict(set)
    for feature, member in groups:
        found[feature].add(member)
    return found


def _has_rings_of_segments(s: Any) -> bool:
    """Return whether each feature's segments are linked in a ring."""
    shown = np.flatnonzero(_is_on_tile(s)).tolist()
    feature, following = s.segments["feature"].tolist(), s.segments["next"].tolist()
    found = _members((feature[segment], segment) for segment in shown)
    return all(_is_ring(following, number, members) for number, members in found.items())


def _figures(s: Any) -> list[tuple[int, ...]]:
    """Return each figure's seat, kind, segment, corner and whether it is linked, sorted."""
    slots = enumerate(s.figures[["segment", "corner", "next"]].tolist())
    return sorted(
        (number // SLOTS_PER_SEAT, FIGURE_SLOTS[number % SLOTS_PER_SEAT], *where, link != NO_FIGURE)
        for number, (*where, link) in slots
    )


def _has_same_figures(s: Any, rebuilt: Any) -> bool:
    """Return whether the same figures stand in the same places, and features link to them."""
    linked = np.flatnonzero(s.figures["next"] != NO_FIGURE)
    features = s.segments["feature"][s.figures["segment"][linked]]
    found = _members(zip(features.tolist(), linked.tolist(), strict=True))
    entries, following = s.features["figure"].tolist(), s.figures["next"].tolist()
    return (
        _figures(s) == _figures(rebuilt)
        and set(np.flatnonzero(s.features["figure"] != NO_FIGURE).tolist()) == set(found)
        and all(_is_ring(following, entries[k], members) for k, members in found.items())
    )


NUMBERED: dict[tuple[str, ...], Callable[[Any, Any], bool]] = {
    ("bag",): lambda s, rebuilt: is_same(np.sort(s.bag), np.sort(rebuilt.bag)),
    ("board", "frontier"): _has_same_board,
    ("features", "segments"): _has_same_features,
    ("figures",): _has_same_figures,
    **{
        (name,): is_alike
        for system in SYSTEMS
        if system.record
        for name, is_alike in system.record.same.items()
    },
}
"""Comparisons for fields whose numbering or order depends on history."""


def _differing(s: Any, rebuilt: Any) -> list[str]:
    """Return the fields in which a record differs from the one rebuilt for the same position."""
    told = {field.name for field in GAME if not field.is_history}.difference(*NUMBERED)
    odd = [name for name in sorted(told) if not is_same(s[name], rebuilt[name])]
    # The remaining fields are compared only after the tiles and counts have been found to agree.
    return odd or [" and ".join(k) for k, is_alike in NUMBERED.items() if not is_alike(s, rebuilt)]
