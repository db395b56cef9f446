"""The documentation is true: its code runs, its links lead somewhere, its commands exist.

Each page is run from top to bottom in one namespace: ``python`` blocks as they stand, ``pycon``
blocks as doctests, whose output is compared. An HTML comment in the line before a block changes
that: ``<!-- test: skip, why -->`` leaves the block out, ``<!-- test: 200_000 -> 256, why -->`` runs
it with another text in place of the first.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from carc_env.envs import naming
from carc_env.layout import encodings

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    page
    for page in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")))
    if not page.name.startswith(".")
]

NEEDS = {"sb3_contrib": "sb3_contrib", "resvg_py": "_png"}
"""Packages of extras, and the word in a block that shows that it needs one."""

_FENCE = re.compile(r"^```(\w*)\s*$")
_MARKER = re.compile(r"^<!-- test: (?P<what>.+?), (?P<why>.+) -->$")
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|<img[^>]*\bsrc=\"(?P<source>[^\"]+)\"")
_MAKE = re.compile(r"(?:`|^\s*)make ([a-z][\w-]*)", re.MULTILINE)
_COMMAND = re.compile(r"python (?:-m (?P<module>[a-z_][\w.]*)|(?P<script>[\w/]+\.py))")
_CITED_PAGE = re.compile(r"(?<![\w*./-])(?P<page>\w[\w/-]*\.md)\b(?:, (?P<id>[A-Z]{2,4}-\d\d))?")


class Block(NamedTuple):
    """A block of code; ``line`` is that of its first line, ``marker`` what the comment says."""

    language: str
    code: str
    line: int
    marker: str


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    language, first, marker, code = None, 0, "", []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if fence := _FENCE.match(line):
            if language is None:
                language, first, code = fence[1], number + 1, []
            else:
                yield Block(language, "\n".join(code) + "\n", first, marker)
                language, marker = None, ""
        elif language is not None:
            code.append(line)
        elif line.strip():
            found = _MARKER.match(line.strip())
            marker = found["what"] if found else ""
    assert language is None, f"{page.name}: the block at line {first} is not closed"


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def marked(block: Block) -> str | None:
    """The code to run, None to skip it."""
    if block.marker == "skip":
        return None
    old, arrow, new = block.marker.partition(" -> ")
    if not arrow:
        assert not block.marker, f"unknown marker {block.marker!r}"
        return block.code
    assert old in block.code, f"{old!r} is not in the block"
    return block.code.replace(old, new)


def run(block: Block, code: str, page: Path, names: dict[str, Any]) -> None:
    """Run a block; tracebacks name the line of the page."""
    if block.language == "python":
        exec(compile("\n" * (block.line - 1) + code, str(page), "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), block.line - 1)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(report)


def id_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(encodings, "ENCODINGS", {**encodings.ENCODINGS})  # a page registers one
    monkeypatch.setattr(naming, "ENTRY_POINTS", {**naming.ENTRY_POINTS})  # and one an agent
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language not in ("python", "pycon"):
            continue
        for package, word in NEEDS.items():
            if word in block.code:
                pytest.importorskip(package)
        if "sb3_contrib" in block.code:
            pytest.importorskip("torch").set_num_threads(1)  # other tests may keep the cores busy
        if (code := marked(block)) is not None:
            run(block, code, page, names)


def anchors(page: Path) -> set[str]:
    """The anchors of the headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_links_and_pictures_lead_somewhere(page):
    for match in _LINK.finditer(prose(page)):
        target = match["target"] or match["source"]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{target} does not exist"
        assert file.is_relative_to(ROOT), f"{target} is outside of the repository"
        if anchor:
            assert anchor in anchors(file), f"{target}: no such heading"


@pytest.mark.parametrize("folder", ["agents", "carc_env", "scripts", "tests"])
def test_the_pages_and_rules_that_code_cites_exist(folder):
    n_cited = 0
    for file in sorted((ROOT / folder).rglob("*.py")):
        for match in _CITED_PAGE.finditer(file.read_text(encoding="utf-8")):
            n_cited += 1
            page = ROOT / match["page"]
            assert page.is_file(), f"{id_of(file)} cites {match['page']}, which does not exist"
            if match["id"]:
                text = page.read_text(encoding="utf-8")
                assert match["id"] in text, f"{match['page']} has no {match['id']}: {id_of(file)}"
    assert n_cited or folder == "agents"


def test_the_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    named = set(_MAKE.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {"demo", "test"} <= named
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_the_scripts_and_modules_of_commands_exist(page):
    for match in _COMMAND.finditer(page.read_text(encoding="utf-8")):
        if script := match["script"]:
            assert (ROOT / script).exists(), script
        elif (package := match["module"].split(".")[0]) in ("tests", "agents", "carc_env"):
            path = ROOT / match["module"].replace(".", "/")
            assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), package


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_a_long_page_has_a_table_of_contents(page):
    text = page.read_text(encoding="utf-8")
    if page.name != "CHANGELOG.md" and len(text.split()) > 1500:
        assert "<!-- table: contents -->" in text, "after the introduction; make docs fills it"


def test_nothing_leads_to_a_place_on_one_machine():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])/(home|root|work|tmp|Users)/", text), page.name
