"""Copying a game fast: only what is in use of the arrays of its record."""

from typing import Any

from numba.core import cgutils
from numba.core import types as kinds
from numba.extending import intrinsic

from carc_env.engine.compiler.jit import JIT, i8, kernel, void
from carc_env.engine.core.state import BOARD, STATE, State

_MARGIN = 2
"""Rows beyond the tiles that a placement can write to."""

FIELDS: Any = STATE.fields


def _offset(name: str) -> int:
    return int(FIELDS[name][1])


def _item(name: str) -> int:
    return int(STATE[name].base.itemsize)


_TILES, _SEGMENTS, _FEATURES = _offset("tiles"), _offset("segments"), _offset("features")
_FIGURES, _FRONTIER, _BOARD = _offset("figures"), _offset("frontier"), _offset("board")
_CASTLES, _EVENTS, _ROLLED = _offset("castles"), _offset("events"), _offset("rolled")
_TILE, _SEGMENT, _FEATURE = _item("tiles"), _item("segments"), _item("features")
_ENTRY, _CELL, _SIZE = _item("frontier"), _item("board"), STATE.itemsize


@intrinsic
def _copy_bytes(_: Any, to: Any, source: Any, first: Any, n: Any) -> Any:
    """Copy n bytes of a record from an offset on."""

    def build(_: Any, builder: Any, __: Any, args: Any) -> Any:
        byte = cgutils.voidptr_t
        target, origin = (
            builder.gep(builder.bitcast(pointer, byte), [args[2]]) for pointer in args[:2]
        )
        cgutils.raw_memcpy(builder, target, origin, args[3], 1)
        return cgutils.get_null_value(byte)

    return kinds.none(State, State, i8, i8), build


copy_bytes: Any = _copy_bytes


def _copy_all(to: Any, source: Any) -> None:
    for name in FIELDS:
        to[name] = source[name]


@kernel(void(State, State))
def _copy_parts(to, source):
    first = min(to.min_row, source.min_row) - _MARGIN
    end = max(to.max_row, source.max_row) + _MARGIN + 1
    first, end = max(first, 0), min(end, BOARD)
    row = BOARD * _CELL
    n_segments = source.n_segments
    copy_bytes(to, source, 0, _TILES + source.n_tiles * _TILE)
    copy_bytes(to, source, _SEGMENTS, n_segments * _SEGMENT)
    copy_bytes(to, source, _FEATURES, n_segments * _FEATURE)
    copy_bytes(to, source, _FIGURES, _FRONTIER - _FIGURES + source.n_frontier * _ENTRY)
    copy_bytes(to, source, _BOARD + first * row, (end - first) * row)
    copy_bytes(to, source, _CASTLES, _EVENTS - _CASTLES)
    copy_bytes(to, source, _ROLLED, _SIZE - _ROLLED)


copy_in_use: Any = _copy_parts if JIT else _copy_all
"""``copy_in_use(to, source)``: make a record the same game; what no game uses stays as it is."""
