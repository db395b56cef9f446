"""Observation encodings: each is a class, chosen by name.

============ =================================================================================
``planes``   ``board``, uint8 (n_planes, view, view): for convolutions. Memory order is cell by
             cell (*channels last*), so that only changes are written again. Flat, as the Gymnasium
             environments return it, its order is (row, column, plane).
``tokens``   ``tokens``, uint8 (max_tiles, n_planes + 2): a row for each tile in the order of
             placement, with its planes and its row and column in the view; zero after the last.
             For transformers.
``sparse``   ``indices``, int32 (max_active,): the nonzero planes as (row * view + column) *
             n_planes + plane, padded with view * view * n_planes; ``weights``, uint8
             (max_active,): their values, padded with 0; ``n_active``, int32 (1,). For embedding
             bags.
``features`` ``tokens`` as above; ``features``, uint8 (max_links, n_columns): a row for each
             feature, in the order of their first segments; ``links``, int16 (max_links, 3): for
             each segment, the rows of its tile and its feature, and its places on the tile as
             bits; padded with -1; ``n_features`` and ``n_links``, int32 (1,). For graph networks.
============ =================================================================================

Tokens and sparse planes omit the candidate cells for the tile in hand, since the list of legal
actions contains them. All encodings have ``globals``, float32 (n_globals,). Optionally, they add
``action_mask``, int8 (n_actions,), and the list of legal actions: ``legal``, int32 (max_legal,),
padded with -1, and ``n_legal``, int32 (1,). Names and sizes are in
:mod:`carc_env.layout.observations`.

To write your own encoding, subclass :class:`Encoding` or one of the built-in encodings. Pass it
wherever these are accepted, as a class, as an object, or by the name given to
:func:`register_encoding`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from carc_env.choices import check_choice
from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.core.sizes import MAX_SEGMENTS
from carc_env.engine.sight.entities import CENTRE_BIT, N_LINK_COLUMNS, Entities
from carc_env.engine.sight.globals import MAX_POINTS_SHOWN
from carc_env.engine.sight.lanes import Canvas
from carc_env.engine.sight.show import NO_LEGAL
from carc_env.engine.sight.shown import SHOWN
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import (
    board_shape,
    feature_names,
    global_names,
    max_active,
    max_legal,
    max_links,
    max_tiles,
    token_names,
)
from carc_env.layout.rule_globals import rule_numbers
from carc_env.layout.shared import most_own_globals, runs_of
from carc_env.rules import Rules

observe_features = without_lookup(entry.observe_features)

GLOBAL_LIMIT = MAX_POINTS_SHOWN / 100
"""Upper bound for all globals; the largest are scores, which are given in hundreds."""

CACHE_LINE = 64
"""Size of a cache line, in bytes."""

Arrays = dict[str, npt.NDArray[Any]]
Boxes = dict[str, spaces.Box]


class Encoding:
    """Base class of all encodings; on its own, it shows at most the legal actions.

    A subclass names its arrays in :meth:`boxes`. Arrays that the engine draws come from
    :meth:`canvas` and :meth:`drawn`. The subclass writes all other arrays itself: in :meth:`write`,
    one game at a time, or in ``write_many``, for many games at once (:class:`BatchEncoding`).

    Parameters
    ----------
    rules : Rules
        The rules of the game.
    flat_board : bool
        Return the planes as one vector. Stable-Baselines3 treats every three-dimensional uint8 box
        as an image and would transpose it and divide it by 255.
    action_mask, legal_list : bool
        Whether observations include the mask, and the padded list, of legal actions.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        flat_board: bool = False,
        action_mask: bool = False,
        legal_list: bool = False,
    ) -> None:
        self.rules, self.flat_board = rules, flat_board
        self.has_mask, self.has_list = action_mask, legal_list

    def boxes(self) -> Boxes:
        """Return the space of each array in a single observation, except the legal actions."""
        return {}

    def canvas(self, n: int, *, masks: bool = False) -> Canvas:
        """Return new buffers for n observations; ``masks`` adds masks even if not observed."""
        n_actions = action_layout(self.rules).n_actions if masks or self.has_mask else 0
        n_listed = max_legal(self.rules) if self.has_list else 0
        return no_canvas(n)._replace(
            masks=np.zeros((n, n_actions), np.int8),
            legal=np.full((n, n_listed), NO_LEGAL, np.int32),
        )

    def drawn(self, canvas: Canvas) -> Arrays:
        """Return the arrays that the engine draws, by name: canvas views, one row per observation.

        The engine keeps them up to date; do not change them.
        """
        return {}

    def write(self, rows: Arrays, table: Any, seat: int) -> None:
        """Write the arrays in an observation that the engine does not draw.

        It is called once per observation, after the engine has drawn its arrays.

        Parameters
        ----------
        rows : dict of ndarray
            The arrays that the engine has drawn and the arrays to write, by name. The latter still
            hold the previous values, initially zeros.
        table : Table
            The game; do not change it: clone it to play on it.
        seat : int
            The observer.
        """
        raise NotImplementedError(
            f"{type(self).__name__}.boxes() names arrays that the engine does not draw: define "
            "write(rows, table, seat) to fill them"
        )

    @cached_property
    def shapes(self) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
        """Shape and dtype of each array in :meth:`boxes`."""
        return {name: (box.shape, box.dtype) for name, box in self.boxes().items()}

    def tell_rules(self, canvas: Canvas, i: int, rules: Rules) -> None:
        """Prepare row i of a canvas for a game under the given rules of the layout."""
        if canvas.places.shape[1] == 0:
            return
        runs, told = runs_of(rules), rule_numbers(rules)
        canvas.shown["n_own"][i], canvas.shown["n_runs"][i] = runs[:, 1].sum(), len(runs)
        canvas.places[i, : runs.size] = runs.ravel()
        canvas.globals[i] = 0
        canvas.globals[i, canvas.globals.shape[1] - len(told) :] = told

    def check_rules(self, rules: Rules) -> None:
        """Raise a ``ValueError`` if a game has different rules and does not share the layout."""
        if rules.layout is not None and rules.layout == self.rules.layout:
            return
        if rules != self.rules:
            raise ValueError(
                "the encoding has other rules than the game, and they share no layout; a network "
                "plays the rules on which it was trained (encoding -> game): "
                f"{self.rules.differences(rules)}"
            )

    def space(self) -> spaces.Dict:
        """Return the space of a single observation."""
        found = self.boxes()
        if self.has_mask:
            n_actions = action_layout(self.rules).n_actions
            found["action_mask"] = spaces.Box(0, 1, (n_actions,), np.int8)
        if self.has_list:
            last, room = action_layout(self.rules).n_actions - 1, max_legal(self.rules)
            found["legal"] = spaces.Box(NO_LEGAL, last, (room,), np.int32)
            found["n_legal"] = spaces.Box(0, room, (1,), np.int32)
        return spaces.Dict({**found})

    def legal_actions(self, canvas: Canvas) -> Arrays:
        """Return the canvas arrays for the legal actions, as far as they are observed."""
        found: Arrays = {"action_mask": canvas.masks} if self.has_mask else {}
        if self.has_list:
            found |= {"legal": canvas.legal, "n_legal": canvas.n_legal}
        return found


@runtime_checkable
class BatchEncoding(Protocol):
    """An encoding that writes many observations at once, for example with its own kernel."""

    def write_many(
        self,
        arrays: Arrays,
        states: npt.NDArray[Any],
        seats: npt.NDArray[np.int64],
        which: npt.NDArray[np.intp],
    ) -> None:
        """Do for many games what :meth:`Encoding.write` does for one.

        Parameters
        ----------
        arrays : dict of ndarray
            As ``rows`` in :meth:`Encoding.write`, with games along the first axis.
        states : ndarray of STATE, shape (n,)
            The games, for kernels; do not change them.
        seats : ndarray of int64, shape (n,)
            The observer in each game.
        which : ndarray of int64, ascending
            The games with new observations; the other games are unchanged.
        """


class Planes(Encoding):
    """Planes in ``board``, for convolutions."""

    def boxes(self) -> Boxes:
        """Return the spaces of ``board`` and ``globals``."""
        shape: tuple[int, ...] = board_shape(self.rules)
        if self.flat_board:
            shape = (math.prod(shape),)
        return {"board": spaces.Box(0, 255, shape, np.uint8), "globals": _globals_box(self.rules)}

    def canvas(self, n: int, *, masks: bool = False) -> Canvas:
        """Return buffers with one board row per cell of the view."""
        n_planes, view, _ = board_shape(self.rules)
        empty = super().canvas(n, masks=masks)
        return _with_board(empty, self.rules, (view * view, n_planes), by_tile=False)

    def drawn(self, canvas: Canvas) -> Arrays:
        """Return ``board`` and ``globals``."""
        n_planes, view, _ = board_shape(self.rules)
        if self.flat_board:
            board = canvas.boards.reshape(len(canvas.boards), -1)
        else:
            board = canvas.boards.reshape(-1, view, view, n_planes).transpose(0, 3, 1, 2)
        return {"board": board, "globals": canvas.globals}


class Tokens(Encoding):
    """Tiles in ``tokens``, for transformers."""

    def boxes(self) -> Boxes:
        """Return the spaces of ``tokens`` and ``globals``."""
        tokens = spaces.Box(0, 255, _tokens_shape(self.rules), np.uint8)
        return {"tokens": tokens, "globals": _globals_box(self.rules)}

    def canvas(self, n: int, *, masks: bool = False) -> Canvas:
        """Return buffers with one board row per tile."""
        empty = super().canvas(n, masks=masks)
        return _with_board(empty, self.rules, _tokens_shape(self.rules), by_tile=True)

    def drawn(self, canvas: Canvas) -> Arrays:
        """Return ``tokens`` and ``globals``."""
        return {"tokens": canvas.boards, "globals": canvas.globals}


class Sparse(Encoding):
    """Sparse planes in ``indices``, ``weights`` and ``n_active``, for embedding bags."""

    @property
    def n_features(self) -> int:
        """Number of indices, without the padding index."""
        return math.prod(board_shape(self.rules))

    def boxes(self) -> Boxes:
        """Return the spaces of ``indices``, ``weights``, ``n_active`` and ``globals``."""
        room = max_active(self.rules)
        return {
            "indices": spaces.Box(0, self.n_features, (room,), np.int32),
            "weights": spaces.Box(0, 255, (room,), np.uint8),
            "n_active": spaces.Box(0, room, (1,), np.int32),
            "globals": _globals_box(self.rules),
        }

    def canvas(self, n: int, *, masks: bool = False) -> Canvas:
        """Return buffers with one board row per tile, and a list of nonzero planes."""
        room = max_active(self.rules)
        empty = (
            super()
            .canvas(n, masks=masks)
            ._replace(
                indices=np.full((n, room), self.n_features, np.int32),
                weights=np.zeros((n, room), np.uint8),
            )
        )
        return _with_board(empty, self.rules, _tokens_shape(self.rules), by_tile=True)

    def drawn(self, canvas: Canvas) -> Arrays:
        """Return ``indices``, ``weights``, ``n_active`` and ``globals``."""
        names = ("indices", "weights", "n_active", "globals")
        return {name: getattr(canvas, name) for name in names}


class Features(Tokens):
    """Tiles in ``tokens``, features in ``features``, and their ``links``, for graph networks."""

    def boxes(self) -> Boxes:
        """Return the spaces of the tokens, and those of features and links."""
        room, n_columns = max_links(self.rules), len(feature_names(self.rules))
        return {
            **super().boxes(),
            "features": spaces.Box(0, 255, (room, n_columns), np.uint8),
            "n_features": spaces.Box(0, room, (1,), np.int32),
            "links": spaces.Box(-1, max(room, 2 << CENTRE_BIT), (room, N_LINK_COLUMNS), np.int16),
            "n_links": spaces.Box(0, room, (1,), np.int32),
        }

    def write_many(
        self,
        arrays: Arrays,
        states: npt.NDArray[Any],
        seats: npt.NDArray[np.int64],
        which: npt.NDArray[np.intp],
    ) -> None:
        """Write the features and links, see :class:`BatchEncoding`."""
        scratch = np.empty((MAX_SEGMENTS, arrays["features"].shape[-1]), np.uint8)
        names = ("features", "n_features", "links", "n_links")
        shown = Entities(scratch, *(arrays[name] for name in names))
        observe_features(states, seats, which, shown)


def _globals_box(rules: Rules) -> spaces.Box:
    return spaces.Box(-GLOBAL_LIMIT, GLOBAL_LIMIT, (len(global_names(rules)),), np.float32)


def _tokens_shape(rules: Rules) -> tuple[int, int]:
    return max_tiles(rules), len(token_names(rules))


def _with_board(canvas: Canvas, rules: Rules, shape: tuple[int, int], *, by_tile: bool) -> Canvas:
    """Return a canvas with globals and a board of the given shape, for the engine to draw."""
    n = len(canvas.shown)
    canvas.shown["by_tile"] = by_tile
    n_own = most_own_globals(rules.layout) if rules.layout else 0
    return canvas._replace(
        boards=_aligned((n, *shape)) if n > 1 else np.empty((n, *shape), np.uint8),
        globals=np.empty((n, len(global_names(rules))), np.float32),
        own=np.empty((n, n_own), np.float32),
        places=np.zeros((n, 2 * n_own), np.int32),
    )


def _aligned(shape: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    """Return an uninitialized array aligned to a cache line; rows of 64 planes then are, too."""
    raw = np.empty(math.prod(shape) + CACHE_LINE, np.uint8)
    first = -raw.ctypes.data % CACHE_LINE
    return raw[first : first + math.prod(shape)].reshape(shape)


def no_canvas(n: int) -> Canvas:
    """Return buffers for n games without observations: empty except for ``shown`` and counts."""
    bytes_, signed, numbers, floats = _none_of(n)
    return Canvas(
        shown=np.zeros(n, SHOWN),
        boards=bytes_.reshape(n, 0, 0),
        globals=floats,
        masks=signed,
        legal=numbers,
        n_legal=np.zeros((n, 1), np.int32),
        indices=numbers,
        weights=bytes_,
        n_active=np.zeros((n, 1), np.int32),
        own=floats,
        places=numbers,
    )


@lru_cache(maxsize=8)
def _none_of(n: int) -> tuple[npt.NDArray[Any], ...]:
    """Return arrays of shape (n, 0)."""
    return tuple(np.empty((n, 0), dtype) for dtype in (np.uint8, np.int8, np.int32, np.float32))


# Encodings by name.

EncodingLike = str | Callable[..., Encoding] | Encoding
"""A name, a class (or another factory with the same arguments), or an object."""
ENCODINGS: dict[str, Callable[..., Encoding]] = {
    "planes": Planes,
    "tokens": Tokens,
    "sparse": Sparse,
    "features": Features,
}
"""Encoding factories by name."""


def register_encoding(name: str, encoding: Callable[..., Encoding]) -> None:
    """Register a name for an encoding in this process.

    Raises
    ------
    ValueError
        Another encoding already has the name.
    """
    if ENCODINGS.setdefault(name, encoding) is not encoding:
        raise ValueError(f"there is already an encoding {name!r}: {ENCODINGS[name]!r}")


def make_encoding(
    rules: Rules,
    encoding: EncodingLike = "planes",
    *,
    flat_board: bool = False,
    action_mask: bool = False,
    legal_list: bool = False,
) -> Encoding:
    """Return an encoding by name, an instance of a class, or the object itself.

    Parameters
    ----------
    rules : Rules
        The rules of the game.
    encoding : EncodingLike
        The encoding.
    flat_board, action_mask, legal_list : bool
        See :class:`Encoding`. An object is used unchanged and must include the requested arrays.

    Raises
    ------
    ValueError
        No encoding has the name, or the object is not an encoding, has different rules, or lacks
        the mask or the list.
    """
    if isinstance(encoding, str):
        encoding = ENCODINGS[check_choice("encoding", encoding, ENCODINGS)]
    if not isinstance(encoding, Encoding) and callable(encoding):
        encoding = encoding(
            rules, flat_board=flat_board, action_mask=action_mask, legal_list=legal_list
        )
    if not isinstance(encoding, Encoding):
        raise ValueError(
            f"encoding must be one of {', '.join(map(repr, ENCODINGS))}, or a subclass of "
            f"Encoding or an object of one; got {encoding!r}"
        )
    encoding.check_rules(rules)
    if action_mask > encoding.has_mask or legal_list > encoding.has_list:
        raise ValueError(
            f"observations should include the legal actions, but this {type(encoding).__name__} "
            "leaves them out: make it with action_mask=True or legal_list=True"
        )
    return encoding


@lru_cache(maxsize=64)
def shared_encoding(rules: Rules, encoding: str | Callable[..., Encoding] = "planes") -> Encoding:
    """Return the encoding with a name or class, without legal actions, shared by all callers."""
    return make_encoding(rules, encoding)
