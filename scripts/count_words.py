"""Count the words of the documentation, page by page (``make docs``), or draw sentences to judge.

*All* counts the words written by hand, and *prose* those outside tables and code. Generated tables,
the rules pages and the generated reference are not counted. ``--sentences 100`` prints sentences
drawn at random from the documentation and docstrings, for a reader to judge.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import tyro
from rich.console import Console
from rich.table import Table as Grid

ROOT = Path(__file__).resolve().parents[1]
README, DOCS = ROOT / "README.md", ROOT / "docs"
NOT_COUNTED = ("rules", "reference")
CODE = ("carc_env", "agents", "scripts")
_GENERATED = re.compile(
    r"^<!-- (table: |figures of ).*? -->\n.*?^<!-- end of .*? -->$", re.M | re.S
)
_CODE = re.compile(r"^( *)(```+).*?^\1\2$", re.M | re.S)
_TABLE = re.compile(r"^ *\|.*$", re.M)
_HEADING = re.compile(r"^#.*$", re.M)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_SENTENCE = re.compile(r"(?<!\S)[A-Z][^.!?|]{15,400}[.!?](?=\s|$)")


def words(text: str) -> int:
    """Return the number of words, counted like ``wc -w``."""
    return len(text.split())


def count(page: Path) -> tuple[int, int]:
    """Return a page's number of words written by hand, and how many of them are prose."""
    text = _COMMENT.sub("", _GENERATED.sub("", page.read_text(encoding="utf-8")))
    return words(text), words(_TABLE.sub("", _CODE.sub("", text)))


def site() -> dict[str, tuple[int, int]]:
    """Return the counts for each page of the site, by path in ``docs``."""
    pages = {page.relative_to(DOCS): page for page in sorted(DOCS.rglob("*.md"))}
    return {
        str(name): count(page) for name, page in pages.items() if name.parts[0] not in NOT_COUNTED
    }


def texts() -> Iterator[tuple[Path, str]]:
    """Yield the prose of each page of the site and each docstring, with its file."""
    for page in [README, *(DOCS / name for name in site())]:
        text = _COMMENT.sub("", _GENERATED.sub("", page.read_text(encoding="utf-8")))
        yield page, _HEADING.sub("", _TABLE.sub("", _CODE.sub("", text)))
    for module in (path for name in CODE for path in sorted((ROOT / name).rglob("*.py"))):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                yield module, ast.get_docstring(node) or ""


def main(sentences: int = 0, seed: int = 0) -> None:
    """Print the counts for the README, each page and the whole site, or draw sentences.

    Parameters
    ----------
    sentences : int
        Number of sentences to draw instead of counting, half from pages and half from docstrings.
    seed : int
        The seed for drawing sentences.
    """
    if sentences:
        found: dict[bool, list[str]] = {True: [], False: []}
        for file, text in texts():
            for sentence in (one for one in _SENTENCE.findall(text) if "---" not in one):
                where, words_of_it = file.relative_to(ROOT), " ".join(sentence.split())
                found[file.suffix == ".md"].append(f"{where}: {words_of_it}")
        draw = random.Random(seed)
        for group in found.values():
            print(*draw.sample(group, sentences // 2), sep="\n")
        return
    pages = site()
    total = tuple(map(sum, zip(*pages.values(), strict=True)))
    readme = (words(README.read_text(encoding="utf-8")), count(README)[1])
    grid = Grid("page", "all", "prose")
    for name, (written, prose) in {"README.md": readme, **pages, "site": total}.items():
        grid.add_row(name, f"{written:,}", f"{prose:,}")
    Console().print(grid)


if __name__ == "__main__":
    tyro.cli(main)
