"""Whether a saved record is one that a game can have.

Kernels check no index, so nothing in a record is followed before it is known where it leads. First
every number is within its limits. Then the position that the record shows is set up anew, which
refuses what breaks a rule. The two records must be the same, up to what depends on the history: the
numbers of features, figures and free cells, the order of their rings and of the tiles drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import N_CORNERS, N_ROTATIONS, Figure, Kind, Phase
from carc_env.engine.core.figures import SHEPHERD_SLOT
from carc_env.engine.core.state import (
    BOARD,
    DRAGON_STEPS,
    FIGURE_SLOTS,
    MAX_BAG,
    MAX_BAZAARS,
    MAX_CASTLES,
    MAX_EVENTS,
    MAX_FIGURES,
    MAX_FRONTIER,
    MAX_HILLS,
    MAX_SEGMENTS,
    MAX_TILES,
    MAX_TOWERS,
    NO_CELL,
    NO_CORNER,
    NO_DESIGN,
    NO_FIGURE,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    NO_TOWER,
    SLOTS_PER_SEAT,
    STATE,
)
from carc_env.engine.core.tiles import ABBEY_DESIGN, N_FORMS, N_SEGMENTS
from carc_env.game.conversion import read_position, set_up
from carc_env.layout.template import template, total_in_bag
from carc_env.rules import Rules

HISTORY = ("rng", "turn", "n_events", "events", "token")
"""Fields that no position tells."""


def check_record(rules: Rules, states: npt.NDArray[Any]) -> None:
    """Refuse the record of a single game unless a game under the rules can have it.

    Parameters
    ----------
    rules : Rules
        The rules of the game.
    states : numpy.ndarray of STATE, shape (1,)
        The record, of any content.

    Raises
    ------
    ValueError
        The record is not sound; the message names the field, or what is wrong with its position.
    """
    if not _same(states["rules"], template(rules)["rules"]):
        raise ValueError("its rules are not written as this version writes them")
    s = states[0]
    _check_limits(s, rules)
    _check_segments_named(s)
    rebuilt = set_up(read_position(rules, states, 0))[0]
    if odd := _differing(s, rebuilt):
        raise ValueError(f"not what its tiles and figures say: {', '.join(odd)}")


def _limits(s: Any, rules: Rules) -> dict[str, tuple[int, int]]:
    """The least and the largest number of every field that is followed, inclusive."""
    seat, tile, segment = rules.n_players - 1, int(s.n_tiles) - 1, int(s.n_segments) - 1
    design, figure = ABBEY_DESIGN - 1, MAX_FIGURES - 1
    return {
        "phase": (0, int(Phase.GAME_OVER)),
        "turn": (0, 2 * MAX_TILES),
        "turn_player": (0, seat),
        "decider": (0, seat),
        "hand": (NO_DESIGN, design),
        "first_part": (NO_TILE, tile),
        "town": (NO_SEGMENT, segment),
        "pig_herd": (NO_SEGMENT, segment),
        "chosen_cell": (NO_CELL, BOARD * BOARD - 1),
        "dragon": (NO_CELL, BOARD * BOARD - 1),
        "n_flown": (0, DRAGON_STEPS),
        "flown": (NO_CELL, BOARD * BOARD - 1),
        "fairy": (NO_CELL, BOARD * BOARD - 1),
        "fairy_figure": (NO_FIGURE, figure),
        "fairy_top": (0, 1),
        "n_bag": (0, total_in_bag(rules)),
        "n_tiles": (1, MAX_TILES),
        "n_segments": (1, MAX_SEGMENTS),
        "n_frontier": (0, MAX_FRONTIER),
        "n_castles": (0, MAX_CASTLES),
        "n_towers": (0, MAX_TOWERS),
        "tower": (NO_TOWER, int(s.n_towers) - 1),
        "towers.tile": (0, tile),
        "towers.seat": (NO_SEAT, seat),
        "towers.figure": (NO_FIGURE, len(Figure) - 1),
        "players.prisoners": (0, SLOTS_PER_SEAT),
        "n_hidden": (0, MAX_HILLS),
        "hidden": (0, MAX_BAG - 1),
        "n_events": (0, MAX_EVENTS),
        "players.wagon_from": (NO_SEGMENT, segment),
        "bag": (0, design),
        "tiles.design": (0, N_FORMS - 1),
        "tiles.rotation": (0, N_ROTATIONS - 1),
        "segments.tile": (0, tile),
        "segments.feature": (0, segment),
        "segments.next": (0, segment),
        "features.figure": (NO_FIGURE, figure),
        "figures.segment": (NO_SEGMENT, segment),
        "figures.next": (NO_FIGURE, figure),
        "figures.corner": (NO_CORNER, N_CORNERS - 1),
        "castles.segment": (0, segment),
        "bazaar.place": (0, MAX_BAG - 1),
        "bazaar.owed_part": (NO_TILE, tile),
        "bazaar.n_delayed": (0, MAX_BAZAARS),
        "bazaar.lots.design": (NO_DESIGN, design),
    }


def _check_limits(s: Any, rules: Rules) -> None:
    for path, (low, high) in _limits(s, rules).items():
        found = s
        for name in path.split("."):
            found = found[name]
        odd = np.ravel(found)[(np.ravel(found) < low) | (np.ravel(found) > high)]
        if odd.size:
            raise ValueError(f"{path} is {odd[0]}, but must be {low} to {high}")


def _is_on_tile(s: Any) -> npt.NDArray[np.bool_]:
    """Shape (MAX_SEGMENTS,): which numbers belong to a segment that its tile shows."""
    tile: Any = s.tiles[s.segments["tile"]]
    place = np.arange(MAX_SEGMENTS) - tile["first_segment"]
    is_numbered = np.arange(MAX_SEGMENTS) < s.n_segments
    is_shown = (0 <= place) & (place < N_SEGMENTS[tile["design"]])
    shown: npt.NDArray[np.bool_] = is_shown & is_numbered
    return shown


def _rolled(s: Any) -> npt.NDArray[np.int64]:
    """The features in the set ``rolled``."""
    return np.flatnonzero(np.unpackbits(s.rolled.view(np.uint8), bitorder="little"))


def _check_segments_named(s: Any) -> None:
    """Figures, castles, towns and wagons must name segments that a tile shows."""
    named = [s.figures["segment"], s.castles["segment"][: int(s.n_castles)], [s.town]]
    named += [s.players["wagon_from"], _rolled(s)]
    segments = np.concatenate(named)
    segments = segments[segments != NO_SEGMENT]
    if odd := set(segments.tolist()) - set(np.flatnonzero(_is_on_tile(s)).tolist()):
        raise ValueError(f"no tile shows segment {min(odd)}")


def _same(one: Any, other: Any) -> bool:
    """Whether two records or arrays of them hold the same numbers; padding does not count."""
    if one.dtype.names is None:
        return bool(np.array_equal(one, other))
    return all(_same(one[name], other[name]) for name in one.dtype.names)


def _has_same_bazaar(s: Any, rebuilt: Any) -> bool:
    """What lies face down was drawn from ``place`` downwards."""
    for name in s.bazaar.dtype.names:
        if name != "place" and not _same(s.bazaar[name], rebuilt.bazaar[name]):
            return False
    place, first = int(s.bazaar.place), int(s.bazaar.place) - int(s.rules.n_players) + 1
    if not s.bazaar.waits:
        return place == 0
    lots = s.bazaar.lots["design"][: place - first + 1]
    return first >= s.n_bag and _same(s.bag[first : place + 1][::-1], lots)


def _has_same_board(s: Any, rebuilt: Any) -> bool:
    """The same cells are free, and the board leads to them and to the tiles."""
    n_tiles, n = int(s.n_tiles), int(s.n_frontier)
    listed, others = (x.frontier[:n].tolist() for x in (s, rebuilt))
    if sorted(listed) != sorted(others):
        return False
    board = np.zeros_like(s.board)
    board[s.tiles["cell"][:n_tiles]] = np.arange(1, n_tiles + 1)
    board[s.frontier["cell"][:n]] = -np.arange(1, n + 1)
    return _same(s.board, board) and _same(s.frontier[n:], rebuilt.frontier[n:])


def _first_alike(labels: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """For each label where it occurs first: the same for the same partition."""
    _, first, which = np.unique(labels, return_index=True, return_inverse=True)
    return first[which]


def _has_same_features(s: Any, rebuilt: Any) -> bool:
    """The same segments are linked in rings, and features at their own numbers count the same."""
    is_shown = _is_on_tile(rebuilt)
    own, other = (x.segments["feature"][is_shown] for x in (s, rebuilt))
    numbers = np.unique(own)
    return (
        _same(s.segments["tile"], rebuilt.segments["tile"])
        and _same(s.segments[~is_shown], rebuilt.segments[~is_shown])
        and _same(_first_alike(own), _first_alike(other))
        and _same(s.segments["feature"][numbers], numbers)
        and _same(np.flatnonzero(s.features["n_segments"]), numbers)
        and _has_same_counts(s.features[own], rebuilt.features[other])
        and _has_rings_of_segments(s)
    )


def _has_same_counts(found: Any, others: Any) -> bool:
    """Nothing asks for the tiles of fields."""
    counts = ("kind", "n_segments", "n_open", "shields", "bonus")
    is_field = found["kind"] == Kind.FIELD
    return all(_same(found[name], others[name]) for name in counts) and _same(
        found["n_tiles"][~is_field], others["n_tiles"][~is_field]
    )


def _hides_the_same(s: Any, rebuilt: Any) -> bool:
    """The same tiles lie under hills in the same order."""
    n = int(s.n_hidden)
    under, others = (x.bag[x.hidden[:n]] for x in (s, rebuilt))
    return _same(under, others) and not s.hidden[n:].any()


def _is_ring(following: list[int], entry: int, members: set[int]) -> bool:
    """Whether the links lead from a member through all the others and back."""
    walked = [entry]
    while len(walked) < len(members):
        walked.append(following[walked[-1]])
    return set(walked) == members and following[walked[-1]] == entry


def _members(groups: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """The members of each feature, from pairs of both."""
    found = defaultdict(set)
    for feature, member in groups:
        found[feature].add(member)
    return found


def _has_rings_of_segments(s: Any) -> bool:
    """Every feature's segments are linked in a ring."""
    shown = np.flatnonzero(_is_on_tile(s)).tolist()
    feature, following = s.segments["feature"].tolist(), s.segments["next"].tolist()
    found = _members((feature[segment], segment) for segment in shown)
    return all(_is_ring(following, number, members) for number, members in found.items())


def _figures(s: Any) -> list[tuple[int, int, int, int]]:
    """Seat, kind, segment and corner of all figures, whatever their slots."""
    slots = enumerate(s.figures[["segment", "corner"]].tolist())
    return sorted(
        (number // SLOTS_PER_SEAT, FIGURE_SLOTS[number % SLOTS_PER_SEAT], *where)
        for number, where in slots
    )


def _has_same_figures(s: Any, rebuilt: Any) -> bool:
    """The same figures stand in the same places, and features lead to theirs."""
    is_shepherd = np.arange(MAX_FIGURES) % SLOTS_PER_SEAT == SHEPHERD_SLOT
    idle = (s.figures["segment"] == NO_SEGMENT) | is_shepherd  # those are in no ring
    standing = np.flatnonzero(~idle)
    features = s.segments["feature"][s.figures["segment"][standing]]
    found = _members(zip(features.tolist(), standing.tolist(), strict=True))
    entries, following = s.features["figure"].tolist(), s.figures["next"].tolist()
    return (
        _figures(s) == _figures(rebuilt)
        and bool((s.figures["next"][idle] == NO_FIGURE).all())
        and set(np.flatnonzero(s.features["figure"] != NO_FIGURE).tolist()) == set(found)
        and all(_is_ring(following, entries[k], members) for k, members in found.items())
    )


def _has_rolled_the_same(s: Any, rebuilt: Any) -> bool:
    """The wagon on the move has left the same features."""
    own, other = _rolled(s), _rolled(rebuilt)
    is_named_by_number = _same(s.segments["feature"][own], own)
    return is_named_by_number and _same(np.unique(rebuilt.segments["feature"][own]), other)


def _has_same_fairy(s: Any, rebuilt: Any) -> bool:
    """The same meeple is beside it, whichever of its owner's it is."""
    own, other = int(s.fairy_figure), int(rebuilt.fairy_figure)
    if NO_FIGURE in (own, other):
        return own == other
    same_seat = own // SLOTS_PER_SEAT == other // SLOTS_PER_SEAT
    return same_seat and int(s.figures[own].segment) == int(rebuilt.figures[other].segment)


NUMBERED: dict[tuple[str, ...], Callable[[Any, Any], bool]] = {
    ("bag",): lambda s, rebuilt: _same(np.sort(s.bag), np.sort(rebuilt.bag)),
    ("bazaar",): _has_same_bazaar,
    ("board", "frontier"): _has_same_board,
    ("fairy_figure",): _has_same_fairy,
    ("features", "segments"): _has_same_features,
    ("figures",): _has_same_figures,
    ("rolled",): _has_rolled_the_same,
    ("hidden",): _hides_the_same,
}
"""How to compare fields with numbers or an order that depend on the history."""


def _differing(s: Any, rebuilt: Any) -> list[str]:
    """The fields in which a record is not like the one that was built for the same position."""
    names = set(STATE.names or ()).difference(HISTORY, *NUMBERED)
    odd = [name for name in sorted(names) if not _same(s[name], rebuilt[name])]
    # The others are compared where tiles and counts are known to be the same.
    return odd or [" and ".join(k) for k, is_same in NUMBERED.items() if not is_same(s, rebuilt)]
