"""Count the words of the documentation, page by page (``make docs``).

*All* counts the words written by hand, *prose* those outside of tables and code. Generated tables,
the pages of the rules and the generated reference are not counted.
"""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

ROOT = Path(__file__).resolve().parents[1]
README, DOCS = ROOT / "README.md", ROOT / "docs"
NOT_COUNTED = ("rules", "reference")
_GENERATED = re.compile(
    r"^<!-- (table: |figures of ).*? -->\n.*?^<!-- end of .*? -->$", re.M | re.S
)
_CODE = re.compile(r"^( *)(```+).*?^\1\2$", re.M | re.S)
_TABLE = re.compile(r"^ *\|.*$", re.M)
_COMMENT = re.compile(r"<!--.*?-->", re.S)


def words(text: str) -> int:
    """Number of words, as ``wc -w`` counts them."""
    return len(text.split())


def count(page: Path) -> tuple[int, int]:
    """Number of words written by hand, and of those in prose."""
    text = _COMMENT.sub("", _GENERATED.sub("", page.read_text(encoding="utf-8")))
    return words(text), words(_TABLE.sub("", _CODE.sub("", text)))


def site() -> dict[str, tuple[int, int]]:
    """The counts of each page of the site, by its path in ``docs``."""
    pages = {page.relative_to(DOCS): page for page in sorted(DOCS.rglob("*.md"))}
    return {
        str(name): count(page) for name, page in pages.items() if name.parts[0] not in NOT_COUNTED
    }


def main() -> None:
    """Print the counts of the README, of each page and of the whole site."""
    pages = site()
    total = tuple(map(sum, zip(*pages.values(), strict=True)))
    readme = (words(README.read_text(encoding="utf-8")), count(README)[1])
    grid = Grid("page", "all", "prose")
    for name, (written, prose) in {"README.md": readme, **pages, "site": total}.items():
        grid.add_row(name, f"{written:,}", f"{prose:,}")
    Console().print(grid)


if __name__ == "__main__":
    main()
