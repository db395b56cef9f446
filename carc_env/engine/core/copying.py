"""Copy a game quickly: only the parts of its arrays that are in use."""

from typing import Any

from numba.core import cgutils
from numba.core import types as kinds
from numba.extending import intrinsic

from carc_env.engine.compiler.jit import JIT, i8, kernel, void
from carc_env.engine.core.state import BOARD, STATE, State

_MARGIN = 2
"""Rows past the last tile that a placement can write to."""

FIELDS: Any = STATE.fields


def _offset(name: str) -> int:
    return int(FIELDS[name][1])


def _item(name: str) -> int:
    return int(STATE[name].base.itemsize)


def _behind(name: str) -> int:
    """Return the offset of the field that follows the named one."""
    return min(_offset(other) for other in FIELDS if _offset(other) > _offset(name))


_TILES, _SEGMENTS, _FEATURES = _offset("tiles"), _offset("segments"), _offset("features")
_FRONTIER, _BOARD, _EVENTS = _offset("frontier"), _offset("board"), _offset("events")
_TILE, _SEGMENT, _FEATURE = _item("tiles"), _item("segments"), _item("features")
_ENTRY, _ROW = _item("frontier"), BOARD * _item("board")
_BEHIND_TILES, _BEHIND_SEGMENTS = _behind("tiles"), _behind("segments")
_BEHIND_FEATURES, _BEHIND_FRONTIER = _behind("features"), _behind("frontier")
_BEHIND_BOARD, _EVENT = _behind("board"), _item("events")


@intrinsic
def _copy_bytes(  # pragma: no cover: compiled code only, like its callers
    _: Any, to: Any, source: Any, first: Any, end: Any
) -> Any:
    """Copy a range of bytes between two records, from one offset up to another."""

    def build(_: Any, builder: Any, __: Any, args: Any) -> Any:
        byte = cgutils.voidptr_t
        target, origin = (
            builder.gep(builder.bitcast(pointer, byte), [args[2]]) for pointer in args[:2]
        )
        cgutils.raw_memcpy(builder, target, origin, builder.sub(args[3], args[2]), 1)
        return cgutils.get_null_value(byte)

    return kinds.none(State, State, i8, i8), build


copy_bytes: Any = _copy_bytes


def _copy_all(to: Any, source: Any) -> None:
    for name in FIELDS:
        to[name] = source[name]


@kernel(void(State, State))
def _copy_parts(to, source):  # pragma: no cover: replaces _copy_all with the JIT
    n_segments = source.n_segments
    first = max(min(to.min_row, source.min_row) - _MARGIN, 0)
    end = min(max(to.max_row, source.max_row) + _MARGIN + 1, BOARD)
    copy_bytes(to, source, 0, _TILES + source.n_tiles * _TILE)
    copy_bytes(to, source, _BEHIND_TILES, _SEGMENTS + n_segments * _SEGMENT)
    copy_bytes(to, source, _BEHIND_SEGMENTS, _FEATURES + n_segments * _FEATURE)
    copy_bytes(to, source, _BEHIND_FEATURES, _FRONTIER + source.n_frontier * _ENTRY)
    copy_bytes(to, source, _BEHIND_FRONTIER, _BOARD)
    copy_bytes(to, source, _BOARD + first * _ROW, _BOARD + end * _ROW)
    copy_bytes(to, source, _BEHIND_BOARD, _EVENTS + source.n_events * _EVENT)


copy_in_use: Any = _copy_parts if JIT else _copy_all
"""``copy_in_use(to, source)``: make one record the same game as another; parts that no game uses
keep their content."""
