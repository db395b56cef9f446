"""Run the documentation's notebooks and store their outputs (``make docs``).

    python scripts/run_notebooks.py            run them and write their outputs
    python scripts/run_notebooks.py --check    run them and only check for changed text

Outputs are stored in the notebooks, so that code hosts and the site can show them without running
anything. Pictures and times may differ between machines; text may not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import tyro
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
SECONDS = 900
"""Time limit per cell, in seconds; the first cell may have to compile the engine."""


def run(path: Path) -> Any:
    """Run a notebook in a kernel with this Python; return it with the new outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=SECONDS, record_timing=False)
    client.execute(cwd=str(path.parent))
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        # stderr describes only this run, for example that the engine is being compiled.
        cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def texts(notebook: Any) -> list[list[str]]:
    """Return the text that each cell prints and returns, without pictures."""
    found = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        printed = "".join(out["text"] for out in outputs if out["output_type"] == "stream")
        shown = [out["data"] for out in outputs if "data" in out]
        is_text = [data["text/plain"] for data in shown if set(data) == {"text/plain"}]
        found.append([printed, *is_text])
    return found


def main(check: bool = False) -> int:
    """Run all notebooks.

    Parameters
    ----------
    check
        Write nothing.
    """
    stale = []
    for path in NOTEBOOKS:
        before, after = nbformat.read(path, as_version=4), run(path)
        if texts(before) != texts(after):
            stale.append(path.name)
        if not check:
            nbformat.write(after, path)
    if stale:
        print(f"{'not up to date' if check else 'changed'}: {', '.join(stale)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
