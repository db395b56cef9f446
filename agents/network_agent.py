"""A trained network that plays."""

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
"""Arrays of a checkpoint under this prefix are the parameters of the network."""
SHIPPED = "imitation"
"""The network that comes with the package."""
MARGIN_UNIT = 30.0
"""In points; final margins are learned in this unit, most of them from -1 to 1."""


class NetworkAgent:
    """Plays the legal action with the highest logit.

    Parameters
    ----------
    network : Network
        Shared, not copied: the agent follows the training of the network.
    rules : Rules
        The rules to play, among those of the network. Tables may have another view.
    """

    def __init__(self, network: Network, rules: Rules) -> None:
        self.network, self.rules = network, rules
        self._looks = {rules.view: _look(network, rules)}

    @classmethod
    def load(cls, path: str | os.PathLike[str], rules: Rules | None = None) -> Self:
        """Return the agent of a checkpoint.

        Parameters
        ----------
        path : path
            A file that training wrote.
        rules : Rules, optional
            The rules to play. Default: the first of its training. The view may be another one: no
            layer of the network depends on its width.

        Raises
        ------
        CheckpointError
            The file is cut off, edited, no checkpoint, of another version or of other rules.
        """
        network, rules = network_in(path, rules)
        return cls(network, rules)

    def act(self, table: Table) -> int:
        """Return the legal action with the highest logit."""
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return the legal action with the highest logit for each table, in one forward pass.

        Raises
        ------
        ValueError
            A table has other rules than the network, or another view than the first one.
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
    """Return the lens of a network for these rules, and the buffers of its observations."""
    return rules, network.lens(rules), Planes(rules, flat_board=True)


def shipped() -> Path:
    """Return the path of the checkpoint that comes with the package."""
    return Path(str(files("carc_env.agents"))) / "shipped" / f"{SHIPPED}{SUFFIX}"


def imitation(rules: Rules | None = None) -> NetworkAgent:
    """Return the network that imitates ``value``, without looking ahead, for the base game for two.

    The settings ``imitation-base`` trained it.

    Raises
    ------
    CheckpointError
        The rules are others.
    """
    return NetworkAgent.load(shipped(), rules)


def read_setting(
    path: str | os.PathLike[str], meta: dict[str, Any]
) -> tuple[tuple[Rules, ...], NetworkConfig]:
    """Return the training rules of a checkpoint, and its network configuration.

    Raises
    ------
    CheckpointError
        They are missing or not valid in this version.
    """
    try:
        rules = meta["rules"] if isinstance(meta["rules"], list) else [meta["rules"]]
        if not rules:
            raise ValueError("it names no rules")
        return tuple(map(Rules.from_dict, rules)), NetworkConfig(**meta["network"])
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(path, f"its rules or network are not valid here: {error}") from error


def network_in(path: str | os.PathLike[str], rules: Rules | None = None) -> tuple[Network, Rules]:
    """Return the network of a checkpoint, and the rules among its own to play, in any view.

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
    """Put the learned parameters of a checkpoint, of any kind of training, into a new network.

    The rules may differ: what both know is taken over, by name; the rest stays as initialized.

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
        The checkpoint's data about its run.

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
    """Return the network of a checkpoint; memory is allocated only once its arrays are checked.

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
    """Put the arrays of a checkpoint into a network of the same shape; all of them or none.

    Raises
    ------
    CheckpointError
        A parameter is missing, left over, or of another shape.
    """
    state = _parameters(path, network, arrays)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})


def _parameters(path: str | os.PathLike[str], network: nn.Module, arrays: Arrays) -> Arrays:
    """Return the arrays that are parameters of a network, by their names in it.

    Raises
    ------
    CheckpointError
        A parameter is missing, left over, or of another shape.
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
