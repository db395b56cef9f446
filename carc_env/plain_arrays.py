"""Untrusted archives of numpy arrays, whose bytes are checked before use.

``numpy.load`` allocates the memory that a file asks for before reading the contents, and a damaged
file raises an arbitrary error. Here, all array headers are compared with the expected headers and
with the sizes recorded in the archive before any array is created.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

TEXT = "str"
"""Stands for the dtype of a text of any length."""

Form = tuple[str, int]
"""A dtype name and the number of axes."""

_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    TypeError,
)
"""Errors that the standard library raises for damaged archives, besides ``ValueError``."""

_MAGIC = b"\x93NUMPY\x01\x00"
_HEAD = re.compile(
    rb"\{'descr': *'(?P<dtype>[<>|=][a-zA-Z][0-9]{1,9})', *"
    rb"'fortran_order': *(?P<order>True|False), *"
    rb"'shape': *\((?P<shape>(?:[0-9]{1,15}, ?)*(?:[0-9]{1,15})?)\),? *\} *\n"
)


def read_arrays(
    content: bytes | IO[bytes], forms: Mapping[str, Form], max_bytes: int
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays in an archive that ``numpy.savez`` wrote.

    Parameters
    ----------
    content : bytes or file
        The archive.
    forms : mapping of str to Form
        The arrays to read, and their expected forms.
    max_bytes : int
        The maximum total size of the arrays.

    Raises
    ------
    ValueError
        The content is damaged or not such an archive, an array is missing or has the wrong form, or
        the arrays are larger than ``max_bytes``.
    """
    file = io.BytesIO(content) if isinstance(content, bytes) else content
    try:
        with zipfile.ZipFile(file) as archive:
            members = {name: archive.getinfo(f"{name}.npy") for name in forms}
            n_bytes = sum(member.file_size for member in members.values())
            if n_bytes > max_bytes:
                raise ValueError(
                    f"it contains {n_bytes:,} bytes, but {max_bytes:,} are expected at most"
                )
            return {name: _array(archive, member, forms[name]) for name, member in members.items()}
    except _DAMAGES as error:
        raise ValueError(f"damaged or of an unexpected form: {error}") from error


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, form: Form) -> npt.NDArray[Any]:
    """Return an array from the archive; refuse it if its header or size is unexpected."""
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename} is packed in a way that numpy does not write")
    with archive.open(member) as file:
        start = file.read(len(_MAGIC) + 2)
        if len(start) < len(_MAGIC) + 2 or not start.startswith(_MAGIC):
            raise ValueError(f"{member.filename} is not an array")
        (size,) = struct.unpack("<H", start[len(_MAGIC) :])
        dtype, shape, order = _parse_head(member.filename, file.read(size), form)
        n_bytes = math.prod(shape) * dtype.itemsize
        if len(start) + size + n_bytes != member.file_size:
            raise ValueError(f"{member.filename} does not have the size that its header gives")
        return np.frombuffer(bytearray(file.read()), dtype).reshape(shape, order=order)


def _parse_head(
    name: str, head: bytes, form: Form
) -> tuple[np.dtype[Any], tuple[int, ...], Literal["C", "F"]]:
    if not (match := _HEAD.fullmatch(head)):
        raise ValueError(f"the header of {name} is not that of a plain array")
    dtype = np.dtype(match["dtype"].decode())
    shape = tuple(int(n) for n in match["shape"].split(b",") if n.strip())
    kind = TEXT if dtype.kind == "U" else dtype.name
    if (kind, len(shape)) != form:
        raise ValueError(f"{name} is {kind} with {len(shape)} axes, not {form[0]} with {form[1]}")
    return dtype, shape, "F" if match["order"] == b"True" else "C"
