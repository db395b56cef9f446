"""Ship the part of a recipe's checkpoint needed to play: the network, without optimiser or games.

    python scripts/ship_network.py runs/td/td.pt agents/shipped/corrected.pt

The files in ``agents/shipped/`` come with the package and are available by name in
``carc_env.agents``. An existing file is never replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch


def ship(source: Path, target: Path) -> None:
    """Write the network in half precision, with its settings and last evaluation.

    Raises
    ------
    FileExistsError
        The target already exists.
    """
    if target.exists():
        raise FileExistsError(f"{target} already exists")
    saved = torch.load(source, weights_only=True)
    network = {name: values.half() for name, values in saved["net"].items()}
    settings = saved["settings"]
    named = {key: Path(settings[key]).name for key in ("folder", "init") if settings.get(key)}
    kept = {"rules": saved["rules"], "row": saved["row"], "net": network}
    torch.save({"settings": {**settings, **named}, **kept}, target)


if __name__ == "__main__":
    ship(Path(sys.argv[1]), Path(sys.argv[2]))
