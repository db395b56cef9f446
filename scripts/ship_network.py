"""Ship the part of a checkpoint needed to play: the network, without optimiser, games or curve.

    python scripts/ship_network.py runs/imitation-base/best.ckpt agents/shipped/imitation.ckpt
    python scripts/ship_network.py runs/td/td.pt agents/shipped/corrected.pt

The files in ``agents/shipped/`` come with the package and are available by name in
``carc_env.agents``. An existing file is never replaced.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import torch
from carc_env.agents.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from carc_env.agents.network_agent import NETWORK, read_setting

from carc_env.files import user_path


def ship(source: Path, target: Path) -> None:
    """Write a checkpoint's network and its number of training steps.

    Raises
    ------
    CheckpointError
        The source is refused.
    FileExistsError
        The target already exists.
    """
    if target.exists():
        raise FileExistsError(f"{target} already exists")
    if source.suffix == ".pt":
        ship_recipe(source, target)
        return
    meta, arrays = read_checkpoint(source)
    read_setting(source, meta)
    kept = {name: meta[name] for name in ("rules", "network", "steps")}
    kept["about"] = {"kind": meta.get("kind", "ppo"), "config": without_folders(meta["config"])}
    network = {name: array for name, array in arrays.items() if name.startswith(NETWORK)}
    write_checkpoint(target, kept, network)


def ship_recipe(source: Path, target: Path) -> None:
    """Write the network of a recipe, in half precision, with its settings and last evaluation."""
    saved = torch.load(source, weights_only=True)
    network = {name: values.half() for name, values in saved["net"].items()}
    settings = without_folders(saved["settings"])
    torch.save({"settings": settings, "row": saved["row"], "net": network}, target)


def without_folders(config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration that keeps the names of files and folders but not their paths."""
    named = {key: Path(config[key]).name for key in ("folder", "init") if config.get(key)}
    data = [Path(folder).name for folder in config.get("data", ())]
    return {**config, **named, **({"data": data} if data else {})}


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    if len(arguments) != 2:
        print(__doc__)
        return 2
    try:
        ship(user_path(arguments[0]), user_path(arguments[1]))
    except (CheckpointError, OSError) as error:
        print(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
