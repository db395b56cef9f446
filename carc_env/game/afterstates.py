"""All afterstates of many games at once, as inputs of a network that judges them.

An *afterstate* is the game right after one decision. Whatever is drawn next is put back, so the
decider's view of it contains nothing that the decider cannot know.

Most of an afterstate is the same as the game before the decision, the *base*. Each base is written
in full, and each afterstate as the items that differ. There are two kinds of items: *places*, which
are cells with a tile or beside one, and *features*. A network that adds up what all items say
computes each base once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.state import STATE, new_states
from carc_env.layout.encodings import Tokens
from carc_env.layout.observations import feature_names, global_names, n_seats, plane_names
from carc_env.layout.turning import turned_names
from carc_env.rules import Rules, RulesLike

N_SHEETS = 256
"""Rules of one layout for which an encoder is prepared at the same time."""


class AfterstateBatch(NamedTuple):
    """Afterstates of many decisions, as views that the encoder's next call overwrites.

    Sizes: D decisions, A actions, N afterstates (more than actions only where chance outside the
    bag decides), S seats (those of the layout), T tiles, P places, F features. Numbers in ``near``
    count from 1; 0 is no tile.

    Attributes
    ----------
    n_actions : int32 (D,)
        Legal actions of each decision.
    before : float32 (D, n_globals)
        The globals before the decision.
    base_of : int32 (D,)
        The decision whose base it shares: the first one with the same base, or itself.
    actions : int64 (A,)
        The legal actions, decision by decision.
    globals : float32 (N, n_globals)
        The globals of each afterstate; spots are those that it shows to the decider.
    scores : float32 (N, S)
        Each seat's points if the game ended there, clockwise from the decider; 0 for absent seats.
    weights : float32 (N,)
        The probability of the afterstate, given the action.
    is_over : uint8 (N,)
        1: the game is over, so the scores are final.
    action_of, decision_of : int32 (N,)
        The index of the afterstate's action in ``actions``, and of its decision.
    tiles : uint8 (T, n_planes)
        The planes of a tile, as in ``tokens``.
    tile_decision : int32 (T,)
        The tile's decision.
    near : int32 (P, 5)
        A place's own tile, then those to the north, east, south and west, as numbers of rows.
    fits : uint8 (P,)
        How many unseen tiles fit at a free cell by their edges, in some rotation; 0 at a tile.
    place_decision, place_afterstate : int32 (P,)
        The place's decision, and its afterstate, or -1 if it belongs to the base.
    lost_places : int32 (n, 2)
        A place of the base, and an afterstate that lacks it.
    features, feature_decision, feature_afterstate, lost_features
        Likewise for features; ``features`` is uint8 (F, n_columns).
    openings : int32 (n, 2)
        A feature, and the place of a free cell at which it is open: roads and cities that a side
        of the cell shows, monasteries and gardens around it. In the order of features.

    Places and features of the base are in the order of decisions, and all others in that of
    afterstates, so that sums can be taken over runs of rows.
    """

    n_actions: npt.NDArray[np.int32]
    before: npt.NDArray[np.float32]
    base_of: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int64]
    globals: npt.NDArray[np.float32]
    scores: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    is_over: npt.NDArray[np.uint8]
    action_of: npt.NDArray[np.int32]
    decision_of: npt.NDArray[np.int32]
    tiles: npt.NDArray[np.uint8]
    tile_decision: npt.NDArray[np.int32]
    near: npt.NDArray[np.int32]
    fits: npt.NDArray[np.uint8]
    place_decision: npt.NDArray[np.int32]
    place_afterstate: npt.NDArray[np.int32]
    lost_places: npt.NDArray[np.int32]
    features: npt.NDArray[np.uint8]
    feature_decision: npt.NDArray[np.int32]
    feature_afterstate: npt.NDArray[np.int32]
    lost_features: npt.NDArray[np.int32]
    openings: npt.NDArray[np.int32]

    def split(self) -> list[AfterstateBatch]:
        """Return the decisions of a batch that :meth:`AfterstateEncoder.whole` made, as copies.

        All of them are views of the same arrays: many small ones would scatter the memory.
        """
        n = len(self.n_actions)
        ends = {
            "": np.arange(n + 1),
            "tile": np.searchsorted(self.tile_decision, np.arange(n + 1)),
            "place": np.searchsorted(self.place_decision, np.arange(n + 1)),
            "feature": np.searchsorted(self.feature_decision, np.arange(n + 1)),
            "lost": np.zeros(n + 1, np.int64),
        }
        ends["opening"] = np.searchsorted(self.openings[:, 0], ends["feature"])
        numbered = [(array.copy(), ends[_KINDS[name][0]]) for name, array in self._asdict().items()]
        found = []
        for k in range(n):
            one = AfterstateBatch(*(array[end[k] : end[k + 1]] for array, end in numbered))
            one.action_of[:] = one.decision_of[:] = one.tile_decision[:] = one.base_of[:] = 0
            one.place_decision[:] = one.feature_decision[:] = 0
            one.near[one.near > 0] -= np.int32(ends["tile"][k])
            one.openings[:] -= np.array([ends["feature"][k], ends["place"][k]], np.int32)
            found.append(one)
        return found

    def tensors(self, device: Any = "cpu") -> AfterstateBatch:
        """Return a batch of torch tensors; on the CPU, they share memory with the arrays."""
        import torch

        arrays: Any = (torch.from_numpy(array).to(device) for array in self)
        return AfterstateBatch(*arrays)

    @classmethod
    def join(cls, batches: Sequence[AfterstateBatch]) -> AfterstateBatch:
        """Return one batch with the decisions of several, in order."""
        sizes = {
            "decision": [len(b.n_actions) for b in batches],
            "action": [len(b.actions) for b in batches],
            "afterstate": [len(b.scores) for b in batches],
            "tile": [len(b.tiles) for b in batches],
            "place": [len(b.near) for b in batches],
            "feature": [len(b.features) for b in batches],
        }
        firsts = {what: np.cumsum([0, *n[:-1]], dtype=np.int32) for what, n in sizes.items()}
        joined = {}
        for name, (_, counted) in _KINDS.items():
            arrays = [getattr(b, name) for b in batches]
            whole = joined[name] = np.concatenate(arrays)
            if counted:
                add = [firsts[what] for what in counted]
                shift = np.repeat(np.stack(add, 1), [len(array) for array in arrays], axis=0)
                shift = shift if whole.ndim > 1 else shift[:, 0]
                whole += np.where(whole >= (name == "near"), shift, 0)
        return cls(**joined)


_KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "n_actions": ("", ()),
    "before": ("", ()),
    "base_of": ("", ("decision",)),
    "actions": ("", ()),
    "globals": ("", ()),
    "scores": ("", ()),
    "weights": ("", ()),
    "is_over": ("", ()),
    "action_of": ("", ("action",)),
    "decision_of": ("", ("decision",)),
    "tiles": ("tile", ()),
    "tile_decision": ("tile", ("decision",)),
    "near": ("place", ("tile",)),
    "fits": ("place", ()),
    "place_decision": ("place", ("decision",)),
    "place_afterstate": ("place", ("afterstate",)),
    "lost_places": ("lost", ("place", "afterstate")),
    "features": ("feature", ()),
    "feature_decision": ("feature", ("decision",)),
    "feature_afterstate": ("feature", ("afterstate",)),
    "lost_features": ("lost", ("feature", "afterstate")),
    "openings": ("opening", ("feature", "place")),
}
"""What each array of a whole batch has one row for, apart from decisions; what it numbers."""


class AfterstateEncoder:
    """Encodes the afterstates of many games, under the same rules or rules of one layout.

    ``tables, states = Table.side_by_side("base", range(64))`` begins 64 games, and
    ``AfterstateEncoder("base").changes(states, range(64))`` encodes all their afterstates.

    Parameters
    ----------
    rules : Rules, str or dict, optional
        The rules of the games, see :meth:`Rules.of`, or others with their layout.

    Attributes
    ----------
    plane_names, global_names, feature_names : tuple of str
        The columns of ``tiles``, ``globals`` and ``features``.
    n_seats : int
        The columns of ``scores``: the seats of the rules, or of their layout.
    """

    def __init__(self, rules: RulesLike = None) -> None:
        self.rules = Rules.of(rules)
        self.plane_names = plane_names(self.rules)
        self.global_names = global_names(self.rules)
        self.feature_names = feature_names(self.rules)
        self.n_seats = n_seats(self.rules)
        self._turned = turned_names(self.plane_names)
        from carc_env.search import packing  # compiles kernels that few programs need

        self._kernels, self._tokens = packing, Tokens(self.rules)
        self._sheets: dict[Rules, int] = {}
        self._desk = packing.new_desk(self._tokens.canvas(0), len(self.feature_names))
        names = self.plane_names, self.global_names, self.feature_names
        self._widths = *(len(columns) for columns in names), self.n_seats
        self._counts = np.zeros(packing.N_COUNTS, np.int64)
        self._room: tuple[int, ...] = packing.FIRST_ROOM
        self._pack = packing.new_pack(self._widths, self._room)
        self._followers = new_states(0)

    def _packed(self, write: Any, *arguments: Any) -> AfterstateBatch:
        """Return what a kernel writes, in larger buffers if it lacks room."""
        self._counts[:] = 0
        while not write(*arguments, self._desk, self._pack, self._counts):
            self._room = tuple(2 * n for n in self._room)
            self._pack = self._kernels.new_pack(self._widths, self._room)
            self._counts[:] = 0
        return AfterstateBatch(*self._kernels.in_use(self._pack, self._counts))

    def _sheets_of(
        self, games: npt.NDArray[np.int64], rules: Sequence[Rules] | None
    ) -> npt.NDArray[np.int64]:
        """Return the sheet of the canvas that shows each game's rules."""
        played = [self.rules] * len(games) if rules is None else rules
        if len(played) != len(games):
            raise ValueError(f"rules must name the rules of {len(games)} games, got {len(played)}")
        if missing := dict.fromkeys(played).keys() - self._sheets.keys():
            self._prepare(set(played), missing)
        return np.array([self._sheets[one] for one in played], np.int64)

    def _prepare(self, played: set[Rules], missing: set[Rules]) -> None:
        """Prepare sheets for missing rules; if there are too few, begin anew."""
        for rules in missing:
            self._tokens.check_rules(rules)
        if len(self._sheets) + len(missing) > len(self._desk.canvas.globals):
            self._sheets.clear()
            missing = played
            n = max(len(played), N_SHEETS if self.rules.layout else 1)
            self._desk = self._desk._replace(canvas=self._tokens.canvas(n))
        for rules in missing:
            sheet = self._sheets[rules] = len(self._sheets)
            self._tokens.tell_rules(self._desk.canvas, sheet, rules)

    def __reduce__(self) -> tuple[type[AfterstateEncoder], tuple[Rules]]:
        return AfterstateEncoder, (self.rules,)  # buffers are made anew

    def changes(
        self,
        states: npt.NDArray[Any],
        which: npt.ArrayLike,
        rules: Sequence[Rules] | None = None,
        bases: tuple[npt.NDArray[Any], npt.ArrayLike] | None = None,
    ) -> AfterstateBatch:
        """Return all afterstates of some games, as changes of the games before the decision.

        Parameters
        ----------
        states : ndarray of STATE, shape (n,)
            Games at a decision, such as ``table.states``.
        which : array_like of int
            The indices of the games to look at.
        rules : sequence of Rules, optional
            The rules of each of these games, of the encoder's layout. Default: the encoder's.
        bases : (ndarray of STATE, array_like of int), optional
            Games that :meth:`follow` went on from, and the index of each game's: afterstates are
            then changes of these, and games in succession share a base. Default: the games
            themselves.

        Raises
        ------
        ValueError
            The states or bases are not an array of game records, or have no such index; the rules
            have another layout; there are more or fewer rules or bases than games.
        """
        games = _games(states, which)
        roots, of = (states, games) if bases is None else (bases[0], _games(*bases))
        if len(of) != len(games):
            raise ValueError(f"bases must name the bases of {len(games)} games, got {len(of)}")
        sheets = self._sheets_of(games, rules)
        return self._packed(self._kernels.pack_changes, states, games, roots, of, sheets)

    def whole(
        self,
        states: npt.NDArray[Any],
        which: npt.ArrayLike,
        actions: npt.ArrayLike,
        rules: Sequence[Rules] | None = None,
    ) -> AfterstateBatch:
        """Return one afterstate of each of some games in full: all its items are base items.

        The actions must be legal. If chance outside the bag decides, it is the afterstate that the
        action will really lead to: learn from it, but don't choose by it.
        """
        games, chosen = _games(states, which), np.ascontiguousarray(actions, np.int64)
        sheets = self._sheets_of(games, rules)
        return self._packed(self._kernels.pack_whole, states, games, sheets, chosen)

    def turned(self, batch: AfterstateBatch, turns: int) -> AfterstateBatch:
        """Return a batch with all boards turned clockwise by quarters: other tiles and neighbours.

        The globals stay the same, so those of spots no longer fit: leave them out.
        """
        near = batch.near[:, [0, *(1 + (side - turns) % 4 for side in range(4))]]
        return batch._replace(tiles=batch.tiles[:, self._turned[turns % 4]], near=near)

    def follow(
        self, states: npt.NDArray[Any], which: npt.ArrayLike, actions: npt.ArrayLike
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """Carry out an action in a copy of each of some games; return the copies, and which go on.

        The actions must be legal. A game goes on if the same seat decides next and nothing was
        drawn, as in the figure action after a placement. The next call overwrites the copies.
        """
        games, chosen = _games(states, which), np.ascontiguousarray(actions, np.int64)
        if len(games) > len(self._followers):
            self._followers = new_states(len(games))
        goes_on = np.zeros(len(games), np.int64)
        self._kernels.follow_actions(states, games, chosen, self._followers, goes_on)
        return self._followers, np.flatnonzero(goes_on)


def _games(states: npt.NDArray[Any], which: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the indices of games, checked, because kernels do not check them."""
    games = np.ascontiguousarray(which, np.int64)
    if states.dtype != STATE or states.ndim != 1 or not states.flags.c_contiguous:
        raise ValueError("states must be a contiguous array of STATE records, shape (n,)")
    if len(games) and not 0 <= games.min() <= games.max() < len(states):
        raise ValueError(f"which must hold numbers from 0 to {len(states) - 1}")
    return games
