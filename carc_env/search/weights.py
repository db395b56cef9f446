"""The weights of the learned value that come with the package, and which are for what rules."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import prod
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from carc_env.rules import Rules
from carc_env.search.features import LABELS, TABLES, VERSION

UNIT = 128
"""Weights are kept in parts of a point."""
SUFFIX = ".npz"


@dataclass(frozen=True, eq=False)
class Weights:
    """What a value has learned.

    Attributes
    ----------
    rules : Rules
        What it was learned on.
    values : ndarray of float32, shape (N_WEIGHTS,)
        One for each entry of the tables.
    about : dict
        How it was learned: games, seconds.
    """

    rules: Rules
    values: npt.NDArray[np.float32]
    about: dict[str, Any]


def pack(weights: Weights) -> bytes:
    """The content of a file of weights: a compressed archive of numpy arrays, without pickles."""
    meta = {
        "features": VERSION,
        "labels": {table: labels for table, (_, labels) in LABELS.items()},
        "rules": weights.rules.to_dict(),
        "about": weights.about,
    }
    limits = np.iinfo(np.int16)
    values = np.clip(np.rint(weights.values * UNIT), limits.min, limits.max).astype(np.int16)
    content = io.BytesIO()
    np.savez_compressed(content, meta=np.array(json.dumps(meta)), values=values)
    return content.getvalue()


def unpack(name: str, content: bytes) -> Weights:
    """What :func:`pack` made.

    Raises
    ------
    ValueError
        It is no file of weights, or one for other features than those of this version.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            meta, values = json.loads(str(found["meta"])), found["values"]
        version, rules = meta["features"], Rules.from_dict(meta["rules"])
        about, labels = dict(meta["about"]), meta.get("labels", {})
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile) as error:
        raise ValueError(f"{name} holds no weights: {error}") from error
    values = _relabelled(values, labels) if version == VERSION else None
    if values is None:
        raise ValueError(
            f"{name} holds weights for features of version {version}, this is version {VERSION}: "
            "train them anew"
        )
    return Weights(rules, values.astype(np.float32) / UNIT, about)


def _relabelled(values: Any, labels: dict[str, list[str]]) -> Any:
    """Values in the order of today's tables, 0 for what came later; None if they do not fit."""
    found, start = [], 0
    for table, sizes in TABLES.items():
        axis, current = LABELS.get(table, (0, []))
        own = labels.get(table, [])
        shape = [len(own) if current and k == axis else n for k, n in enumerate(sizes)]
        end = start + prod(shape)
        if end > values.size or values.ndim != 1:
            return None
        block = values[start:end].reshape(shape)
        if current != own:
            block = np.moveaxis(block, axis, 0)
            zeros = np.zeros_like(block[0])
            rows = dict(zip(own, block, strict=True))
            block = np.moveaxis(np.array([rows.get(label, zeros) for label in current]), 0, axis)
        found.append(block.ravel())
        start = end
    return np.concatenate(found) if start == values.size else None


@cache
def shipped() -> dict[str, Weights]:
    """All weights that come with the package, by name."""
    folder = files("carc_env.search") / "shipped"
    found = sorted((f for f in folder.iterdir() if f.name.endswith(SUFFIX)), key=lambda f: f.name)
    return {f.name.removesuffix(SUFFIX): unpack(f.name, f.read_bytes()) for f in found}


def distance(rules: Rules, other: Rules) -> int:
    """How far rules are from each other: sets and systems that only one has, and players."""
    return 2 * len(_parts(rules) ^ _parts(other)) + abs(rules.n_players - other.n_players)


def _parts(rules: Rules) -> set[str]:
    """The sets and switched-on systems of rules, by name."""
    switches = {name for name, value in rules.to_dict().items() if value is True}
    return switches | set(rules.sets)


def weights_for(rules: Rules) -> Weights:
    """The shipped weights whose rules are nearest to some rules."""
    return min(shipped().values(), key=lambda weights: distance(rules, weights.rules))
