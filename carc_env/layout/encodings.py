"""The forms in which observations can be had, chosen by name: spaces, buffers, arrays.

========== ===================================================================================
``planes`` ``board``, uint8 (n_planes, view, view): for convolutions. Lies in memory cell by
           cell (*channels last*), so that only what changed is written again. Flat, as the
           Gymnasium environments give it, it has the order (row, column, plane).
``tokens`` ``tokens``, uint8 (max_tiles, n_planes + 2): a row for each tile in the order of
           placement, with its planes and its row and column in the view; zero behind the last.
           For transformers.
``sparse`` ``indices``, int32 (max_active,): the planes that are not zero as (row * view +
           column) * n_planes + plane, padded with view * view * n_planes; ``weights``, uint8
           (max_active,): what they are, padded with 0; ``n_active``, int32 (1,). For embedding
           bags.
========== ===================================================================================

Tokens and sparse planes leave out the candidates for the tile in hand: the list of legal actions
tells them. All forms have ``globals``, float32 (n_globals,), and on demand ``action_mask``, int8
(n_actions,), and the list: ``legal``, int32 (max_legal,), padded with -1, and ``n_legal``, int32
(1,). Names and sizes are in :mod:`carc_env.layout.observations`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from carc_env.choices import check_choice
from carc_env.engine.sight.globals import MAX_POINTS_SHOWN
from carc_env.engine.sight.lanes import Canvas
from carc_env.engine.sight.show import NO_LEGAL
from carc_env.engine.sight.shown import SHOWN
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import (
    board_shape,
    global_names,
    max_active,
    max_legal,
    max_tiles,
    token_names,
)
from carc_env.rules import Rules

EncodingName = Literal["planes", "tokens", "sparse"]
ENCODINGS: tuple[EncodingName, ...] = get_args(EncodingName)

GLOBAL_LIMIT = MAX_POINTS_SHOWN / 100
"""No global is larger: scores, which are shown in hundreds, are the largest of them."""

CACHE_LINE = 64
"""Bytes."""

Arrays = dict[str, npt.NDArray[Any]]


class Encoding:
    """How the observations of an environment look.

    Parameters
    ----------
    rules : Rules
        The rules of the game.
    name : {"planes", "tokens", "sparse"}
        See above.
    flat_board : bool
        Give the planes as one vector: Stable-Baselines3 takes every three-dimensional uint8 box
        for a picture and would transpose it and divide it by 255.
    action_mask, legal_list : bool
        Whether observations hold the mask, and the padded list, of legal actions.

    Raises
    ------
    ValueError
        There is no such encoding.
    """

    def __init__(
        self,
        rules: Rules,
        name: EncodingName = "planes",
        *,
        flat_board: bool = False,
        action_mask: bool = False,
        legal_list: bool = False,
    ) -> None:
        check_choice("encoding", name, ENCODINGS)
        self.rules, self.name, self.flat_board = rules, name, flat_board
        self.has_mask, self.has_list = action_mask, legal_list
        self._board = board_shape(rules)
        self._tokens = max_tiles(rules), len(token_names(rules))
        self._n_globals = len(global_names(rules))
        self._n_actions = action_layout(rules).n_actions
        self._max_legal = max_legal(rules)
        self._max_active = max_active(rules) if name == "sparse" else 0
        n_planes, view, _ = self._board
        self._rows = (view * view, n_planes) if name == "planes" else self._tokens

    @property
    def n_features(self) -> int:
        """How many indices ``sparse`` knows; the padding is one more."""
        return math.prod(self._board)

    def space(self) -> spaces.Dict:
        """The space of a single observation."""
        found: dict[str, spaces.Space[Any]] = {}
        if self.name == "planes":
            shape = (math.prod(self._board),) if self.flat_board else self._board
            found["board"] = spaces.Box(0, 255, shape, np.uint8)
        elif self.name == "tokens":
            found["tokens"] = spaces.Box(0, 255, self._tokens, np.uint8)
        else:
            found["indices"] = spaces.Box(0, self.n_features, (self._max_active,), np.int32)
            found["weights"] = spaces.Box(0, 255, (self._max_active,), np.uint8)
            found["n_active"] = spaces.Box(0, self._max_active, (1,), np.int32)
        found["globals"] = spaces.Box(-GLOBAL_LIMIT, GLOBAL_LIMIT, (self._n_globals,), np.float32)
        if self.has_mask:
            found["action_mask"] = spaces.Box(0, 1, (self._n_actions,), np.int8)
        if self.has_list:
            found["legal"] = spaces.Box(NO_LEGAL, self._n_actions - 1, (self._max_legal,), np.int32)
            found["n_legal"] = spaces.Box(0, self._max_legal, (1,), np.int32)
        return spaces.Dict(found)

    def canvas(self, n: int, *, masks: bool = False) -> Canvas:
        """New buffers for n observations; ``masks`` demands masks even if none is observed."""
        shown = np.zeros(n, SHOWN)
        shown["by_tile"] = self.name != "planes"
        bytes_, signed, numbers, _ = _none_of(n)
        is_sparse = self.name == "sparse"
        shape = n, *self._rows
        return Canvas(
            shown=shown,
            boards=_aligned(shape) if n > 1 else np.empty(shape, np.uint8),
            globals=np.empty((n, self._n_globals), np.float32),
            masks=np.zeros((n, self._n_actions), np.int8) if masks or self.has_mask else signed,
            legal=np.full((n, self._max_legal), NO_LEGAL, np.int32) if self.has_list else numbers,
            n_legal=np.zeros((n, 1), np.int32),
            indices=(
                np.full((n, self._max_active), self.n_features, np.int32) if is_sparse else numbers
            ),
            weights=np.zeros((n, self._max_active), np.uint8) if is_sparse else bytes_,
            n_active=np.zeros((n, 1), np.int32),
        )

    def observations(self, canvas: Canvas) -> Arrays:
        """The arrays of a canvas by name; the first axis counts observations. Nothing is copied."""
        found: Arrays = {}
        if self.name == "planes":
            found["board"] = self._as_planes(canvas.boards)
        elif self.name == "tokens":
            found["tokens"] = canvas.boards
        else:
            found |= {"indices": canvas.indices, "weights": canvas.weights}
            found["n_active"] = canvas.n_active
        found["globals"] = canvas.globals
        if self.has_mask:
            found["action_mask"] = canvas.masks
        if self.has_list:
            found |= {"legal": canvas.legal, "n_legal": canvas.n_legal}
        return found

    def _as_planes(self, boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        n_planes, view, _ = self._board
        if self.flat_board:
            return boards.reshape(len(boards), -1)
        return boards.reshape(-1, view, view, n_planes).transpose(0, 3, 1, 2)


def space_of_many(space: spaces.Dict, n: int) -> spaces.Dict:
    """The space of n observations, as ``batch_space`` gives it; bounds are kept once for all rows.

    They are read-only views, while ``batch_space`` writes four numbers for each one observed.
    """
    batch: spaces.Dict = batch_space(space, 1)  # type: ignore[assignment]
    for box in batch.values():
        assert isinstance(box, spaces.Box)
        box._shape = (n, *box.shape[1:])
        for name in ("low", "high", "bounded_below", "bounded_above"):
            setattr(box, name, np.broadcast_to(getattr(box, name), box.shape))
    return batch


def _aligned(shape: tuple[int, ...]) -> npt.NDArray[np.uint8]:
    """An uninitialized array that begins with a cache line, as rows of 64 planes then do too."""
    raw = np.empty(math.prod(shape) + CACHE_LINE, np.uint8)
    first = -raw.ctypes.data % CACHE_LINE
    return raw[first : first + math.prod(shape)].reshape(shape)


class Screen:
    """What a table shows to one observer after another; only what changes is written again.

    Parameters
    ----------
    encoding : Encoding
        The form of the observations.

    Attributes
    ----------
    canvas : Canvas
        The buffers, for kernels.
    rows : dict of ndarray
        The observation that was written last.
    mask : ndarray of int8, shape (n_actions,)
        The legal actions of its observer.
    """

    def __init__(self, encoding: Encoding) -> None:
        self._encoding, self._game = encoding, object()
        self.canvas = encoding.canvas(1, masks=True)
        self.rows = {name: rows[0] for name, rows in encoding.observations(self.canvas).items()}
        self.mask = self.canvas.masks[0]

    def turn_to(self, game: object, rules: Rules) -> None:
        """Make ready for a game, which any object names; everything is drawn again for another one.

        Raises
        ------
        ValueError
            The encoding is for other rules.
        """
        if game is self._game:
            return
        if rules != self._encoding.rules:
            raise ValueError(
                "the encoding is for other rules than the game has (encoding -> game): "
                f"{self._encoding.rules.differences(rules)}"
            )
        self._game, self.canvas.shown["n_tiles"] = game, 0

    def hide_actions(self) -> None:
        """Show no legal actions, as to somebody who has lost."""
        self.mask[:] = 0
        if self.canvas.legal.size:
            self.canvas.legal[:] = NO_LEGAL
        self.canvas.n_legal[:] = 0

    def copy(self) -> Arrays:
        """The observation that was written last, as arrays of its own."""
        return {name: row.copy(order="K") for name, row in self.rows.items()}

    def __reduce__(self) -> tuple[type[Screen], tuple[Encoding]]:
        # A copy shows nothing yet: its rows have to be views of its own canvas.
        return Screen, (self._encoding,)


@lru_cache(maxsize=64)
def default_encoding(rules: Rules) -> Encoding:
    """Planes and globals."""
    return Encoding(rules)


def no_canvas(n: int) -> Canvas:
    """Buffers for n games that nobody looks at: of size 0 but for what is shown and the counts."""
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
    )


@lru_cache(maxsize=8)
def _none_of(n: int) -> tuple[npt.NDArray[Any], ...]:
    """Arrays of shape (n, 0)."""
    return tuple(np.empty((n, 0), dtype) for dtype in (np.uint8, np.int8, np.int32, np.float32))
