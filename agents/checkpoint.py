r"""Checkpoint files: an identity line, an integrity line, a line of JSON, then raw arrays.

::

    carc_env checkpoint 1
    <sha256 of everything that follows> <number of bytes that follow>
    {"meta": {...}, "arrays": {"network/...": {"dtype": "<f4", "shape": [24, 64]}, ...}}
    <the arrays, one after another, in C order>

A checkpoint contains no code and no pickles, so even one from a stranger can do no harm. The whole
file is checked before any of it is used.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.files import user_path
from carc_env.game.records import replace_file
from carc_env.plain_json import read_json
from carc_env.seeds import DECKS

FORMAT = "carc_env checkpoint"
VERSION = 1
SUFFIX = ".ckpt"
DTYPES = ("|u1", "<u4", "<i8", "<f4", "<f8")
MAX_HEADER = 200
MAX_LENGTH = 2**40
"""Maximum length of an array axis, even in an empty array."""

Arrays = dict[str, npt.NDArray[Any]]


class CheckpointError(ValueError):
    """A checkpoint file was refused; the message names the file and the reason."""

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(f"{os.fspath(path)}: {reason}")


def write_checkpoint(path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
    """Write a checkpoint; an existing file is replaced only once the new one is complete.

    Parameters
    ----------
    path : path
        The file; its folder must exist.
    meta : dict
        JSON-compatible values.
    arrays : dict of numpy arrays
        The arrays; their dtypes must be in ``DTYPES``.

    Raises
    ------
    ValueError
        An array has another dtype.
    """
    table = {}
    for name, array in arrays.items():
        if array.dtype.str not in DTYPES:
            raise ValueError(
                f"array {name!r} is of type {array.dtype}, but a checkpoint can only hold {DTYPES}"
            )
        table[name] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    head = json.dumps({"meta": meta, "arrays": table}, allow_nan=False).encode()
    body = b"".join([head, b"\n", *(array.tobytes() for array in arrays.values())])
    identity = f"{FORMAT} {VERSION}\n{hashlib.sha256(body).hexdigest()} {len(body)}\n"
    replace_file(user_path(path), identity.encode() + body)


def read_checkpoint(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read a checkpoint that :func:`write_checkpoint` wrote.

    Raises
    ------
    CheckpointError
        The file is not a checkpoint, has another version, is truncated or was edited.
    OSError
        The file cannot be read.
    """
    content = user_path(path).read_bytes()
    identity, _, rest = content.partition(b"\n")
    _check_identity(path, identity)
    integrity, _, body = rest[:MAX_HEADER].partition(b"\n")
    words = integrity.decode("ascii", "replace").split()
    if len(words) != 2 or not words[1].isdecimal():
        raise CheckpointError(path, "line 2 is not a checksum and a length: cut off or edited")
    body = rest[len(integrity) + 1 :]
    if len(body) < int(words[1]):
        raise CheckpointError(path, f"cut off: {len(body)} of {words[1]} bytes are there")
    if len(body) > int(words[1]) or hashlib.sha256(body).hexdigest() != words[0]:
        raise CheckpointError(path, "edited or damaged: the checksum in line 2 is wrong")
    head, _, data = body.partition(b"\n")
    try:
        fields = read_json("meta and arrays", head)
        return {**fields["meta"]}, _unpack(data, fields["arrays"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(path, f"line 3 is not valid: {error!r}") from error


def check_decks(path: str | os.PathLike[str], meta: dict[str, Any]) -> None:
    """Refuse to continue a run whose seeds produce different decks in this version.

    Raises
    ------
    CheckpointError
        ``meta["decks"]`` does not equal :data:`carc_env.seeds.DECKS`.
    """
    if (theirs := meta.get("decks", 0)) != DECKS:
        raise CheckpointError(
            path,
            f"its run has decks of version {theirs}, but here seeds mean those of version "
            f"{DECKS}, so it cannot continue exactly: begin a new run. You can still play with its "
            "weights, and the setting init takes them",
        )


def _check_identity(path: str | os.PathLike[str], identity: bytes) -> None:
    name, _, version = identity[:MAX_HEADER].decode("ascii", "replace").rpartition(" ")
    if name != FORMAT:
        raise CheckpointError(
            path,
            f"not a checkpoint: line 1 is not '{FORMAT} {VERSION}'. Files of torch.save or "
            "Stable-Baselines3 hold pickles, which can run any code; they are never loaded. For a "
            "recipe's checkpoint, name its class too: td.py:Agent?path=runs/td/td.pt. An "
            ".npz file holds parameters without the rules and the optimiser that belong to them",
        )
    if version != str(VERSION):
        raise CheckpointError(
            path, f"line 1 gives version {version}, but this carc_env only reads version {VERSION}"
        )


def _unpack(data: bytes, table: dict[str, dict[str, Any]]) -> Arrays:
    """Extract the arrays from the bytes; raise ValueError for wrong sizes or non-finite values."""
    arrays: Arrays = {}
    at = 0
    for name, entry in table.items():
        if entry["dtype"] not in DTYPES:
            raise ValueError(f"array {name!r} is of type {entry['dtype']!r}")
        dtype, shape = np.dtype(entry["dtype"]), [*entry["shape"]]
        if any(type(n) is not int or not 0 <= n <= MAX_LENGTH for n in shape):
            raise ValueError(f"array {name!r} cannot have the shape {shape}")
        size = math.prod(shape) * dtype.itemsize
        if at + size > len(data):
            raise ValueError(f"array {name!r} of shape {shape} reaches past the end")
        array = np.frombuffer(data[at : at + size], dtype).reshape(shape).copy()
        if dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds a value that is not a number, such as NaN")
        arrays[name] = array
        at += size
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes are left over")
    return arrays
