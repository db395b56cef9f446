"""Learned state as checkpoint arrays: parameters, Adam's averages, random number states."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer

from .checkpoint import Arrays
from .network_agent import NETWORK, words_as_arrays
from .networks import Network

AVERAGES = ("exp_avg", "exp_avg_sq")
"""Names of Adam's averages for each parameter; Adam also stores a step count."""


def network_arrays(network: nn.Module) -> Arrays:
    """Return parameters and words by name, with the prefix that :func:`load_network` looks for."""
    state = network.state_dict().items()
    words = words_as_arrays(network.words) if isinstance(network, Network) else {}
    return {NETWORK + name: tensor.cpu().numpy() for name, tensor in state} | words


def adam_arrays(optimizer: Optimizer) -> Arrays:
    """Return Adam's averages and step count for each parameter, by number."""
    arrays: Arrays = {}
    for k, entry in optimizer.state_dict()["state"].items():
        arrays |= {f"adam/{k}/{name}": entry[name].cpu().numpy() for name in AVERAGES}
        arrays[f"adam/{k}/step"] = np.array(float(entry["step"]))
    return arrays


def restore_adam(optimizer: Optimizer, arrays: Arrays) -> None:
    """Load the result of :func:`adam_arrays` into Adam.

    Raises
    ------
    KeyError, ValueError
        An average is missing or has another shape.
    """
    state: dict[int, Any] = {}
    for k, parameter in enumerate(optimizer.param_groups[0]["params"]):
        if f"adam/{k}/step" not in arrays:
            continue  # saved before the first update
        state[k] = {name: torch.from_numpy(arrays[f"adam/{k}/{name}"]) for name in AVERAGES}
        if any(average.shape != parameter.shape for average in state[k].values()):
            raise ValueError(f"the averages of parameter {k} have another shape")
        state[k]["step"] = torch.tensor(float(arrays[f"adam/{k}/step"]))
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def random_numbers() -> tuple[dict[str, Any], Arrays]:
    """Return the states of torch's and numpy's random generators, as plain values and arrays."""
    state = np.random.get_state(legacy=False)
    plain = {name: state[name] for name in ("has_gauss", "gauss")} | {"pos": state["state"]["pos"]}
    arrays = {"torch": torch.get_rng_state().numpy(), "numpy": state["state"]["key"]}
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        arrays["cuda"] = torch.cuda.get_rng_state().numpy()
    return plain, arrays


def restore_random(plain: dict[str, Any], arrays: Arrays) -> None:
    """Restore the result of :func:`random_numbers`.

    Raises
    ------
    KeyError, TypeError, ValueError, RuntimeError
        The values are not such a state.
    """
    state = {**plain, "bit_generator": "MT19937"}
    state["state"] = {"pos": state.pop("pos"), "key": arrays["numpy"]}
    np.random.set_state(state)
    torch.set_rng_state(torch.from_numpy(arrays["torch"]))
    if "cuda" in arrays and torch.cuda.is_available():
        torch.cuda.set_rng_state(torch.from_numpy(arrays["cuda"]))
