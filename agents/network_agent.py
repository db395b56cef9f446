"""Agents that play with a trained network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor, nn

from carc_env.files import user_path
from carc_env.game.table import Table
from carc_env.layout.encodings import Planes
from carc_env.rules import Rules

from .checkpoint import SUFFIX, Arrays, CheckpointError, read_checkpoint
from .config import NetworkConfig
from .networks import Lens, Network

NETWORK = "network/"
"""Prefix of the checkpoint arrays that are the network's parameters."""
SHIPPED = "imitation"
"""Name of the network that comes with the package."""
MARGIN_UNIT = 30.0
"""Unit in which final margins are learned, in points; most of them then lie between -1 and 1."""


class NetworkAgent:
    """Plays the legal action with the highest logit.

    Parameters
    ----------
    network : Network
        Shared, not copied: the agent follows the training of the network.
    rules : Rules
        The rules to play, which must be among the network's. Tables may have another view.
    """

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.rules = network, rules
        self._looks = {rules.view: _look(network, rules)}

    @classmethod
    def load(cls, path: str | os.PathLike[str], rules: Rules | None = None) -> Self:
        """Load an agent from a checkpoint.

        Parameters
        ----------
        path : path
            A checkpoint written by training.
        rules : Rules, optional
            The rules to play. Default: the first rules it was trained on. The view may differ: no
            layer of the network depends on its width.

        Raises
        ------
        CheckpointError
            The file is truncated, was edited, is not a checkpoint, or has another version or other
            rules.
        """
        network, rules = network_in(path, rules)
        return cls(network, rules)

    def act(self, table: Table) -> int:
        """Return the legal action with the highest logit."""
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return the legal action with the highest logit for each table, using one forward pass.

        Raises
        ------
        ValueError
            A table's rules differ from the network's, or its view differs from the first table's.
        """
        view = tables[0].rules.view
        if view not in self._looks:
            self._looks[view] = _look(self.network, self.rules.replace(view=view))
        rules, lens, encoding = self._looks[view]
        for table in tables:
            if table.rules != rules:
                raise ValueError(
                    "the table has other rules than this agent plays (agent -> table): "
                    f"{rules.differences(table.rules)}"
                )
        seen = [table.observe(encoding=encoding) for table in tables]
        masks = np.stack([table.action_mask() for table in tables])
        logits = self._logits(
            np.stack([s["board"] for s in seen]), np.stack([s["globals"] for s in seen]), lens
        )
        legal = torch.from_numpy(masks).bool()
        actions: list[int] = logits.masked_fill(~legal, -torch.inf).argmax(1).tolist()
        return actions

    @torch.no_grad()
    def _logits(self, board: Any, numbers: Any, lens: Lens) -> Tensor:
        device = next(self.network.parameters()).device
        logits, _ = self.network(
            torch.from_numpy(board).to(device), torch.from_numpy(numbers).to(device), lens
        )
        on_cpu: Tensor = logits.float().cpu()
        return on_cpu


def _look(network: Network, rules: Rules) -> tuple[Rules, Lens, Planes]:
    """Return the rules, the network's lens for them, and the observation buffers."""
    return rules, network.lens(rules), Planes(rules, flat_board=True)


def shipped() -> Path:
    """Return the path of the checkpoint that comes with the package."""
    return Path(str(files("carc_env.agents"))) / "shipped" / f"{SHIPPED}{SUFFIX}"


def imitation(rules: Rules | None = None) -> NetworkAgent:
    """Return the network that imitates ``value`` without search, for the two-player base game.

    It was trained with the settings ``imitation-base``.

    Raises
    ------
    CheckpointError
        The rules are not those of the network.
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
    """Return a checkpoint's network and the rules to play, which are among its own up to the view.

    Raises
    ------
    CheckpointError
        The file is refused, or has other rules.
    """
    meta, arrays = read_checkpoint(path)
    trained_on, config = read_setting(path, meta)
    rules = rules or trained_on[0]
    if rules not in [one.replace(view=rules.view) for one in trained_on]:
        change = trained_on[0].replace(view=rules.view).differences(rules)
        raise CheckpointError(path, f"it has other rules (there -> here): {change}")
    return _made_of(path, trained_on, config, arrays), rules


def begin_with(
    init: str | os.PathLike[str], network: Network, config: NetworkConfig
) -> dict[str, Any]:
    """Initialize a new network with the parameters of a checkpoint from any kind of training.

    The rules may differ: parameters for shared inputs and outputs are copied by name; all others
    keep their initial values.

    Parameters
    ----------
    init : path or str
        The checkpoint, or ``SHIPPED``.
    network : Network
        The new network.
    config : NetworkConfig
        Its configuration.

    Returns
    -------
    dict
        The checkpoint's metadata about its run.

    Raises
    ------
    CheckpointError
        The file is refused, or holds another kind of network.
    """
    path = shipped() if init == SHIPPED else user_path(init)
    meta, arrays = read_checkpoint(path)
    rules, there = read_setting(path, meta)
    if there != config:
        raise CheckpointError(path, f"it holds another network: {there} -> {config}")
    network.adopt(_made_of(path, rules, there, arrays))
    return meta


def _made_of(
    path: str | os.PathLike[str], rules: tuple[Rules, ...], config: NetworkConfig, arrays: Arrays
) -> Network:
    """Return a checkpoint's network; memory is allocated only after its arrays are checked.

    Raises
    ------
    CheckpointError
        As for :func:`load_network`, or there is no such network.
    """
    try:
        with torch.device("meta"):
            outline = Network(rules, config)
    except ValueError as error:
        raise CheckpointError(path, f"its network is not valid here: {error}") from error
    _parameters(path, outline, arrays)
    network = Network(rules, config)
    load_network(path, network, arrays)
    return network


def load_network(path: str | os.PathLike[str], network: nn.Module, arrays: Arrays) -> None:
    """Load a checkpoint's arrays into a network of the same shape, either all of them or none.

    Raises
    ------
    CheckpointError
        A parameter is missing, unexpected or has another shape.
    """
    state = _parameters(path, network, arrays)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})


def _parameters(path: str | os.PathLike[str], network: nn.Module, arrays: Arrays) -> Arrays:
    """Return the arrays that are the network's parameters, by parameter name.

    Raises
    ------
    CheckpointError
        A parameter is missing, unexpected or has another shape.
    """
    state = {k.removeprefix(NETWORK): v for k, v in arrays.items() if k.startswith(NETWORK)}
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
