"""Make the questions about the rules of all sets, ten for each, and write them into the package.

    python scripts/make_rules_questions.py --out questions.json.gz

The same version makes the same questions. Those in the package belong to the frozen task
``text-rules-v1``, so an existing file is never replaced.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict
from pathlib import Path

import tyro
from carc_env.agents.rules_questions import ROOMS_ASKED, make_questions

from carc_env.envs.text.questions import Question


def packed(questions: list[Question]) -> bytes:
    """Return the content of a file of questions."""
    text = json.dumps([asdict(question) for question in questions], indent=0)
    return gzip.compress(text.encode(), mtime=0)


def main(out: Path, seed: int = 0) -> None:
    """Make all questions.

    Parameters
    ----------
    out : Path
        The file to write; it must not exist.
    seed : int
        Seed of the choices.
    """
    made = []
    for room in ROOMS_ASKED:
        made += make_questions(room, seed)
        print(f"{len(made):4} {room}", flush=True)
    with out.open("xb") as file:
        file.write(packed(made))
    print(f"{len(made)} questions: {out}")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
