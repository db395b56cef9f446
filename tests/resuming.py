"""Helpers that run a training run to its end, or resume it from a checkpoint."""

from pathlib import Path
from typing import Any

RUN_FILES = {
    *("latest.ckpt", "best.ckpt", "config.yaml", "curve.csv", "curve.png", "times.csv"),
    "origin.yaml",
}
"""Files that every training run leaves in its folder."""


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def finished(learner: Any, checkpoint: Path | None = None, n_rows: int = 0) -> Any:
    """Continue a run to its end; save a checkpoint when the curve has ``n_rows`` rows."""
    while not learner.is_done:
        learner.update()
        if len(learner.curve) == n_rows:
            learner.save(checkpoint)
    learner.close()
    return learner


def check_resuming(whole: Any, checkpoint: Path) -> Any:
    """Resume a run; its curve and its bytes must equal those of the uninterrupted run."""
    resumed = type(whole).begin(whole.config, checkpoint)
    assert 0 < len(resumed.curve) < len(whole.curve)
    finished(resumed)
    assert resumed.curve == whole.curve
    paths = [checkpoint.with_name(name) for name in ("whole.ckpt", "resumed.ckpt")]
    for run, path in zip((whole, resumed), paths, strict=True):
        run.save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    return resumed
