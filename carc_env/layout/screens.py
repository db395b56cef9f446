"""Encoding buffers: for one game after another, or for many at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from carc_env.choices import check_choice
from carc_env.engine.sight.show import NO_LEGAL
from carc_env.layout.encodings import Arrays, BatchEncoding, Encoding
from carc_env.rules import Rules


class Buffers:
    """Buffers for many observations: for kernels, and by name. Nothing is copied.

    Parameters
    ----------
    encoding : Encoding
        The observation encoding.
    n : int
        Number of observations, the size of every buffer's first axis.
    masks : bool
        Keep masks even if they are not observed.
    out : mapping of str to ndarray, optional
        The caller's arrays for observations, by name; the remaining arrays are allocated here.

    Raises
    ------
    ValueError
        An array in ``out`` does not match the observation with its name, or is read-only.

    Attributes
    ----------
    canvas : Canvas
        The buffers that the engine draws into.
    seen : dict of ndarray
        The observations.
    has_own : bool
        Whether the engine leaves some arrays to the encoding; if so, call :meth:`write_own`.
    """

    def __init__(
        self, encoding: Encoding, n: int, *, masks: bool = False, out: Arrays | None = None
    ) -> None:
        self._encoding = encoding
        self.canvas = encoding.canvas(n, masks=masks)
        given = out or {}
        shown = encoding.drawn(self.canvas) | encoding.legal_actions(self.canvas)
        for name, array in given.items():
            self._take(name, array, shown, n)
        drawn, shapes = encoding.drawn(self.canvas), encoding.shapes
        own = {
            name: given.get(name, np.zeros((n, *shape), dtype))
            for name, (shape, dtype) in shapes.items()
            if name not in drawn
        }
        self.has_own, self._arrays = bool(own), drawn | own
        legal = encoding.legal_actions(self.canvas)
        self.seen: Arrays = {name: self._arrays[name] for name in shapes} | legal

    def _take(self, name: str, array: npt.NDArray[Any], shown: Arrays, n: int) -> None:
        """Use this array for the observation with the given name from now on."""
        space = self._encoding.space().spaces
        check_choice("a name in out", name, space)
        shape, dtype = (n, *(space[name].shape or ())), space[name].dtype
        if array.shape != shape or array.dtype != dtype:
            raise ValueError(
                f"out[{name!r}] must be {dtype} of shape {shape}, got {array.dtype} of shape "
                f"{array.shape}"
            )
        flags = array.flags
        if not (flags.c_contiguous and flags.writeable and flags.aligned):
            raise ValueError(f"out[{name!r}] must be C-contiguous, aligned and writeable")
        if name not in shown:
            array[:] = 0  # the encoding writes it
            return
        if not shown[name].flags.c_contiguous:
            raise ValueError(
                f"out[{name!r}]: the planes lie in memory cell by cell, pass flat_board=True"
            )
        array[:] = shown[name]
        (field,) = (
            field
            for field, rows in self.canvas._asdict().items()
            if np.may_share_memory(rows, shown[name])
        )
        rows = array.reshape(getattr(self.canvas, field).shape)
        self.canvas = self.canvas._replace(**{field: rows})

    def check_rules(self, rules: Rules) -> None:
        """Raise a ``ValueError`` if the encoding is not for games under the given rules."""
        self._encoding.check_rules(rules)

    def tell_rules(self, i: int, rules: Rules) -> None:
        """Prepare observation i for a new game under the given rules of the layout."""
        self._encoding.tell_rules(self.canvas, i, rules)

    def show_one(self, which: Any, action: int) -> None:
        """Show a single legal action in some observations, for example after a game ends.

        Parameters
        ----------
        which : index of the first axis
            The observations.
        action : int
            The action.
        """
        self.canvas.masks[which] = 0
        self.canvas.masks[which, action] = 1
        self.canvas.legal[which] = NO_LEGAL
        self.canvas.legal[which, :1] = action
        self.canvas.n_legal[which] = 1

    def write_own(
        self,
        states: npt.NDArray[Any],
        seats: npt.NDArray[np.int64],
        which: npt.NDArray[np.intp],
        table_of: Callable[[int], object],
    ) -> None:
        """Let the encoding write the arrays that the engine does not draw.

        Parameters
        ----------
        states, seats, which
            As for :meth:`BatchEncoding.write_many`.
        table_of : callable
            Returns a game's table by the game's index.
        """
        if isinstance(self._encoding, BatchEncoding):
            self._encoding.write_many(self._arrays, states, seats, which)
            return
        for i in which.tolist():
            rows = {name: array[i] for name, array in self._arrays.items()}
            self._encoding.write(rows, table_of(i), int(seats[i]))


class Screen(Buffers):
    """Observations of a table for successive observers; only changes are written again.

    Parameters
    ----------
    encoding : Encoding
        The observation encoding.

    Attributes
    ----------
    rows : dict of ndarray
        The most recent observation.
    mask : ndarray of int8, shape (n_actions,)
        The observer's legal actions.
    """

    def __init__(self, encoding: Encoding) -> None:
        super().__init__(encoding, 1, masks=True)
        self._game = object()
        self.rows = {name: rows[0] for name, rows in self.seen.items()}
        self.mask = self.canvas.masks[0]

    def turn_to(self, game: object, rules: Rules) -> None:
        """Prepare for a game, identified by any object; a different game is drawn from scratch.

        Raises
        ------
        ValueError
            The encoding has different rules.
        """
        if game is self._game:
            return
        self._encoding.check_rules(rules)
        self._game, self.canvas.shown["n_tiles"] = game, 0
        self.tell_rules(0, rules)

    def write_own_of(self, table: Any, seat: int) -> None:
        """Call :meth:`write_own` for a seat's view of a table."""
        first = np.zeros(1, np.intp)
        self.write_own(table.states, np.array([seat]), first, lambda _: table)

    def hide_actions(self) -> None:
        """Show no legal actions, as for a player who has lost."""
        self.mask[:] = 0
        if self.canvas.legal.size:
            self.canvas.legal[:] = NO_LEGAL
        self.canvas.n_legal[:] = 0

    def copy(self) -> Arrays:
        """Return a copy of the most recent observation."""
        return {name: row.copy(order="K") for name, row in self.rows.items()}

    def __reduce__(self) -> tuple[type[Screen], tuple[Encoding]]:
        # A copy shows nothing yet, since its rows must be views of its own canvas.
        return Screen, (self._encoding,)


def space_of_many(space: spaces.Dict, n: int) -> spaces.Dict:
    """Return the space of n observations, like ``batch_space``; all rows share their bounds.

    The bounds are read-only views, while ``batch_space`` writes four numbers for each number
    observed.
    """
    batch: spaces.Dict = batch_space(space, 1)  # type: ignore[assignment]
    for box in batch.values():
        assert isinstance(box, spaces.Box)
        box._shape = (n, *box.shape[1:])
        for name in ("low", "high", "bounded_below", "bounded_above"):
            setattr(box, name, np.broadcast_to(getattr(box, name), box.shape))
    return batch
