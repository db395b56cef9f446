"""Devices for networks."""

from __future__ import annotations

import torch


def device_called(name: str) -> torch.device:
    """Return the torch device with the given name; "auto" is a GPU if there is one.

    Raises
    ------
    ValueError
        This machine has no such device.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return torch.empty(0, device=name).device
    except (RuntimeError, AssertionError) as error:  # builds without CUDA raise AssertionError
        (reason, *_) = str(error).splitlines()
        raise ValueError(
            f"torch has no device {name!r} here ({reason}): pass --device cpu, or install a "
            "build of torch for it"
        ) from error
