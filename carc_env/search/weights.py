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
from carc_env.search.features import (
    LABELS,
    OFFSETS,
    TABLES,
    VERSION,
    starting_weights,
)

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
        "rules": weights.rules.to_dict(),
        "about": weights.about,
        "tables": TABLES,
        "labels": {table: labels for table, (_, labels) in LABELS.items()},
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
        about = dict(meta["about"])
        tables, labels = dict(meta["tables"]), dict(meta["labels"])
        for table, own in labels.items():
            tables[table][LABELS[table][0]] = len(own)
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile) as error:
        raise ValueError(f"{name} holds no weights: {error}") from error
    if version != VERSION or values.shape != (sum(map(prod, tables.values())),):
        raise ValueError(
            f"{name} holds weights for features of version {version}, this is version {VERSION}: "
            "train them anew"
        )
    return Weights(rules, _laid_out(values.astype(np.float32) / UNIT, tables, labels), about)


def _laid_out(
    values: npt.NDArray[np.float32], tables: dict[str, list[int]], labels: dict[str, list[str]]
) -> npt.NDArray[np.float32]:
    """Weights as this version lays them out, by the names of tables and their labels.

    What came later than the file, such as tiles of a new set, has the starting weights.
    """
    found, first = starting_weights(), 0
    for table, sizes in tables.items():
        old = values[first : first + prod(sizes)].reshape(sizes)
        first += prod(sizes)
        if table not in TABLES:
            continue
        start = OFFSETS[table]
        new = found[start : start + prod(TABLES[table])].reshape(TABLES[table])
        places = tuple(np.arange(min(pair)) for pair in zip(sizes, TABLES[table], strict=True))
        own, its = list(places), list(places)
        if table in LABELS:
            axis, current = LABELS[table]
            both = [label for label in labels[table] if label in current]
            own[axis] = np.array([current.index(label) for label in both])
            its[axis] = np.array([labels[table].index(label) for label in both])
        new[np.ix_(*own)] = old[np.ix_(*its)]
    return found


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
