"""The weights of the learned value that come with the package, and the rules for each of them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from importlib.resources import files
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.choices import check_choice
from carc_env.plain_arrays import TEXT, Form, read_arrays
from carc_env.plain_json import read_json
from carc_env.rules import Rules
from carc_env.search.features import LABELS, OFFSETS, TABLES, VERSION, starting_weights

UNIT = 128
"""Weights are stored in units of this fraction of a point."""
SUFFIX = ".npz"
FORMS: Mapping[str, Form] = {"meta": (TEXT, 0), "values": ("int16", 1)}
PLAIN, INSIGHT = "value", "insight"
"""The evaluations that have weights: the learned value and the value with insight."""
MAX_BYTES = 2**28
"""Size of the largest file that is read, in bytes; the tables and their description need a
hundredth of it."""


@dataclass(frozen=True, eq=False)
class Weights:
    """Learned weights of an evaluation.

    Attributes
    ----------
    rules : Rules
        The rules on which the weights were learned.
    values : ndarray of float32, shape (N_WEIGHTS,)
        One weight per table entry.
    about : dict
        How the weights were learned: games, seconds.
    evaluation : str
        The evaluation that the weights are for: ``value``, or ``insight``, which sees more.
    """

    rules: Rules
    values: npt.NDArray[np.float32]
    about: dict[str, Any]
    evaluation: str = PLAIN


def pack(weights: Weights) -> bytes:
    """Return the content of a weights file: a compressed archive of arrays without pickles."""
    meta = {
        "features": VERSION,
        "evaluation": weights.evaluation,
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
    """Return the weights that :func:`pack` wrote.

    Raises
    ------
    ValueError
        If the content is not a weights file, or its features differ from those of this version.
    """
    try:
        arrays = read_arrays(content, FORMS, MAX_BYTES)
        meta, values = read_json("meta", str(arrays["meta"])), arrays["values"]
        version, rules = meta["features"], Rules.from_dict(meta["rules"])
        about, evaluation = dict(meta["about"]), meta.get("evaluation", PLAIN)
        check_choice("evaluation", evaluation, (PLAIN, INSIGHT))
        if version == VERSION:
            tables, labels = _sizes(meta, len(values))
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{name} holds no weights: {error}") from error
    if version != VERSION:
        raise ValueError(
            f"{name} holds weights for features of version {version}, but this is version "
            f"{VERSION}: train them again"
        )
    points = values.astype(np.float32) / np.float32(UNIT)
    return Weights(rules, _laid_out(points, tables, labels), about, evaluation)


def _sizes(
    meta: dict[str, Any], n_values: int
) -> tuple[dict[str, list[int]], dict[str, list[str]]]:
    """Return the table sizes and labels in a file with the given number of values.

    Raises
    ------
    ValueError, KeyError, TypeError, IndexError
        If the file differs from what :func:`pack` writes.
    """
    tables = {table: [*sizes] for table, sizes in dict(meta["tables"]).items()}
    labels = {table: [*map(str, own)] for table, own in dict(meta["labels"]).items()}
    for table, own in labels.items():
        if table in LABELS:
            tables[table][LABELS[table][0]] = len(own)
    for table, sizes in tables.items():
        if any(type(size) is not int or size < 0 for size in sizes):
            raise ValueError(f"table {table} has sizes {sizes}")
        if table in TABLES and len(sizes) != len(TABLES[table]):
            raise ValueError(f"table {table} has {len(sizes)} axes, not {len(TABLES[table])}")
        if table in LABELS and len(set(labels[table])) != sizes[LABELS[table][0]]:
            raise ValueError(f"the labels of table {table} do not name its rows")
    if (n := sum(map(prod, tables.values()))) != n_values:
        raise ValueError(f"its tables have {n} entries, but there are {n_values} values")
    return tables, labels


def _laid_out(
    values: npt.NDArray[np.float32], tables: dict[str, list[int]], labels: dict[str, list[str]]
) -> npt.NDArray[np.float32]:
    """Return the weights in this version's layout, matching tables and labels by name.

    Entries that are newer than the file, such as the tiles of a new set, get their initial weights.
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
    """Return all weights that come with the package, by name."""
    folder = files("carc_env.search") / "shipped"
    found = sorted((f for f in folder.iterdir() if f.name.endswith(SUFFIX)), key=lambda f: f.name)
    return {f.name.removesuffix(SUFFIX): unpack(f.name, f.read_bytes()) for f in found}


def distance(rules: Rules, other: Rules) -> int:
    """Return the distance between two sets of rules: differing sets, systems and players."""
    return 2 * len(_parts(rules) ^ _parts(other)) + abs(rules.n_players - other.n_players)


@lru_cache(maxsize=256)
def _parts(rules: Rules) -> frozenset[str]:
    """Return the names of the sets and enabled systems in the rules."""
    switches = {f.name for f in fields(rules) if getattr(rules, f.name) is True}
    return frozenset(switches | set(rules.sets))


@cache
def _learned() -> dict[str, npt.NDArray[np.bool_]]:
    """Return, for all shipped weights of ``value`` by name, which entries differ from the start."""
    start = starting_weights()
    return {
        name: np.abs(own.values - start) > 0.5 / UNIT
        for name, own in shipped().items()
        if own.evaluation == PLAIN
    }


@lru_cache(maxsize=128)
def weights_for(rules: Rules, evaluation: str = PLAIN) -> Weights:
    """Return weights for the given rules: those learned on them, or else the closest ones combined.

    For ``insight``, these are its own weights if they were learned on these rules, and otherwise
    those of ``value``.

    If the closest weights have learned nothing about an entry, for example about towers because
    there were none, the entry is taken from the closest weights that have. ``about["from"]`` then
    lists all contributors, the closest first.
    """
    for found in shipped().values():
        if found.evaluation == evaluation and distance(rules, found.rules) == 0:
            return found
    if evaluation == INSIGHT:
        return weights_for(rules)
    values, sources = starting_weights(), []
    is_open = np.ones(len(values), np.bool_)
    for name in sorted(_learned(), key=lambda name: distance(rules, shipped()[name].rules)):
        taken = _learned()[name] & is_open
        if taken.any():
            np.copyto(values, shipped()[name].values, where=taken)
            is_open &= ~taken
            sources.append(name)
    return Weights(rules, values, {"from": sources})
