"""Agents that play with a trained network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from carc_env.game.table import Table
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import Planes
from carc_env.rules import Layout, Rules

from .checkpoint import SUFFIX, Arrays, CheckpointError, read_checkpoint
from .networks import Lens, Network, NetworkConfig, Words

NETWORK = "network/"
"""Prefix of the checkpoint arrays that are the network's parameters and words."""
WORDS = f"{NETWORK}words."
"""Prefix of the checkpoint arrays that are the network's words, in UTF-8, one per line."""
MAX_ENCODINGS = 32
"""Most encodings that an agent keeps."""
SHIPPED = "imitation"
"""Name of the network that comes with the package."""


class NetworkAgent:
    """Plays the legal action with the highest logit, under any rules that the network knows.

    Parameters
    ----------
    network : Network
        Shared, not copied.
    rules : Rules
        The rules to play. Tables may have others.

    Raises
    ------
    ValueError
        The network does not know something in the rules; the message names it.
    """

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.rules = network, rules
        self._encodings: dict[Layout | Rules, Planes] = {}
        network.lens(rules)

    @classmethod
    def load(cls, path: str | os.PathLike[str], rules: Rules | None = None) -> Self:
        """Load an agent from a checkpoint.

        Parameters
        ----------
        path : path
            A checkpoint written by training.
        rules : Rules, optional
            The rules to play, in any layout. Default: the first rules it was trained on. They may
            differ from these if the network knows all their planes, globals and actions.

        Raises
        ------
        CheckpointError
            The file is truncated, was edited, is not a checkpoint, or has another version, or the
            network does not know something in the rules; the message names it.
        """
        network, rules = network_in(path, rules)
        return cls(network, rules)

    def act(self, table: Table) -> int:
        """Return the legal action with the highest logit."""
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return the legal action with the highest logit for each table.

        Tables in the same layout share a forward pass.

        Raises
        ------
        ValueError
            The network does not know something in a table's rules; the message names it.
        """
        by_id = {id(table.rules): table.rules for table in tables}  # hashing each takes long
        found = {key: self.network.lens(rules) for key, rules in by_id.items()}
        lenses = [found[id(table.rules)] for table in tables]
        actions: dict[int, int] = {}
        for lens in dict.fromkeys(lenses):
            which = [k for k, one in enumerate(lenses) if one is lens]
            chosen = self._choose([tables[k] for k in which], lens)
            actions |= zip(which, chosen, strict=True)
        return [actions[k] for k in range(len(tables))]

    def _choose(self, tables: Sequence[Table], lens: Lens) -> list[int]:
        encoding = self._encoding(tables[0].rules)
        seen = [table.observe(encoding=encoding) for table in tables]
        masks = np.stack([table.action_mask() for table in tables])
        logits = self._logits(
            np.stack([s["board"] for s in seen]), np.stack([s["globals"] for s in seen]), lens
        )
        legal = torch.from_numpy(masks).bool()
        actions: list[int] = logits.masked_fill(~legal, -torch.inf).argmax(1).tolist()
        return actions

    def _encoding(self, rules: Rules) -> Planes:
        form = rules.layout or rules
        if form not in self._encodings:
            if len(self._encodings) > MAX_ENCODINGS:
                self._encodings.clear()
            self._encodings[form] = Planes(rules, flat_board=True)
        return self._encodings[form]

    @torch.no_grad()
    def _logits(self, board: Any, numbers: Any, lens: Lens) -> Tensor:
        device = next(self.network.parameters()).device
        logits, _ = self.network(
            torch.from_numpy(board).to(device), torch.from_numpy(numbers).to(device), lens
        )
        on_cpu: Tensor = logits.float().cpu()
        return on_cpu


def shipped() -> Path:
    """Return the path of the checkpoint that comes with the package."""
    return Path(str(files("carc_env.agents"))) / "shipped" / f"{SHIPPED}{SUFFIX}"


def imitation(rules: Rules | None = None) -> NetworkAgent:
    """Return the network that imitates ``value`` without search, for the two-player base game.

    carc_env 0.1.0 trained it.

    Raises
    ------
    CheckpointError
        The network does not know something in the rules.
    """
    return NetworkAgent.load(shipped(), rules)


def read_setting(
    path: str | os.PathLike[str], meta: dict[str, Any]
) -> tuple[tuple[Rules, ...], NetworkConfig]:
    """Return a checkpoint's training rules and network configuration.

    Raises
    ------
    CheckpointError
        They are missing or invalid in this version.
    """
    try:
        rules = meta["rules"] if isinstance(meta["rules"], list) else [meta["rules"]]
        if not rules:
            raise ValueError("it names no rules")
        return tuple(map(Rules.from_dict, rules)), NetworkConfig(**meta["network"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(path, f"its rules or network are not valid here: {error}") from error


def network_in(path: str | os.PathLike[str], rules: Rules | None = None) -> tuple[Network, Rules]:
    """Return a checkpoint's network and the rules to play. Default: its first rules.

    Raises
    ------
    CheckpointError
        The file is refused, or the network does not know something in the rules.
    """
    meta, arrays = read_checkpoint(path)
    trained_on, config = read_setting(path, meta)
    rules = rules or trained_on[0].plain
    network = _made_of(path, trained_on, config, arrays, rules)
    try:
        network.lens(rules)
    except ValueError as error:
        raise CheckpointError(path, str(error)) from error
    return network, rules


def _made_of(
    path: str | os.PathLike[str],
    rules: tuple[Rules, ...],
    config: NetworkConfig,
    arrays: Arrays,
    wanted: Rules,
) -> Network:
    """Return a checkpoint's network; memory is allocated only after its arrays are checked.

    Parameters
    ----------
    path : path
        The checkpoint.
    rules, config, arrays
        Its training rules, network configuration and arrays.
    wanted : Rules
        The rules to play.

    Raises
    ------
    CheckpointError
        A parameter is missing, unexpected or has another shape, or there is no such network.
    """
    words = words_in(path, arrays)
    try:
        if words is None:
            words = Words.of(rules)
            arrays = arrays | words_as_arrays(words) | _moved(arrays, _rows_by_place(rules, wanted))
        with torch.device("meta"):
            outline = Network(rules, config, words=words)
    except (KeyError, ValueError) as error:
        raise CheckpointError(path, f"its network is not valid here: {error}") from error
    state = _parameters(path, outline, arrays)
    network = Network(rules, config, words=words)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})
    return network


def words_as_arrays(words: Words) -> Arrays:
    """Return a network's words as checkpoint arrays."""
    lines = {f.name: "\n".join(getattr(words, f.name)) for f in fields(words)}
    return {WORDS + kind: np.frombuffer(text.encode(), np.uint8) for kind, text in lines.items()}


def words_in(path: str | os.PathLike[str], arrays: Arrays) -> Words | None:
    """Return the network's words in a checkpoint's arrays; None if it is of an earlier version.

    Raises
    ------
    CheckpointError
        They are not such words.
    """
    if not any(name.startswith(WORDS) for name in arrays):
        return None
    try:
        lines = [arrays[WORDS + f.name].tobytes().decode().split("\n") for f in fields(Words)]
    except (KeyError, UnicodeDecodeError) as error:
        raise CheckpointError(path, f"its network's words are not valid: {error}") from error
    if any(len({*kind}) < len(kind) for kind in lines):
        raise CheckpointError(path, "its network has a word twice")
    return Words(*map(tuple, lines))


def _moved(arrays: Arrays, rows: list[int]) -> Arrays:
    """Return the rows for actions of an earlier version's network, in the given order."""
    heads = (f"{NETWORK}figure_head.{part}" for part in ("weight", "bias"))
    known = {name: arrays[name] for name in heads if arrays.get(name, np.empty(())).ndim}
    return {name: rows_[rows] for name, rows_ in known.items() if len(rows_) == max(rows) + 1}


def _rows_by_place(rules: tuple[Rules, ...], wanted: Rules) -> list[int]:
    """Return the row of each action in a network of an earlier version, in the order of its words.

    Such a network has a row for each place in a block of actions. A place that means different
    actions under several rules is the row of each; if an action has several places, that under the
    wanted rules counts.
    """
    rows: dict[str, int] = {}
    found: list[dict[str, int]] = []
    for one in rules:
        layout = action_layout(one)
        others = [(title, run) for title, run in layout.blocks.items() if title != "tile"]
        places = [(f"{title} {k}", run.first + k) for title, run in others for k in range(run.size)]
        found.append({layout.name(k): rows.setdefault(p, len(rows)) for p, k in places})
    by_name: dict[str, int] = {}
    is_wanted = [one.plain == wanted.plain.replace(view=one.view) for one in rules]
    for k in sorted(range(len(rules)), key=lambda k: not is_wanted[k]):
        by_name = found[k] | by_name
    return [by_name[name] for name in Words.of(rules).actions]


def _parameters(path: str | os.PathLike[str], network: Network, arrays: Arrays) -> Arrays:
    """Return the arrays that are the network's parameters, by parameter name.

    Raises
    ------
    CheckpointError
        A parameter is missing, unexpected or has another shape.
    """
    names = (name for name in arrays if name.startswith(NETWORK) and not name.startswith(WORDS))
    state = {name.removeprefix(NETWORK): arrays[name] for name in names}
    wanted = network.state_dict()
    if unmatched := sorted(state.keys() ^ wanted.keys()):
        raise CheckpointError(path, f"parameters do not match the network: {unmatched}")
    for name, array in state.items():
        shape = tuple(wanted[name].shape)
        if array.shape != shape or array.dtype != np.float32:
            raise CheckpointError(
                path, f"parameter {name!r} is {array.dtype} {array.shape}, not float32 {shape}"
            )
    return state
