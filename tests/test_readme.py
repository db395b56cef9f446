"""The documentation is correct: its code runs, its links work, and its commands exist.

Each page runs from top to bottom in one namespace: ``python`` blocks as they are, ``pycon`` blocks
as doctests, whose output is compared. An HTML comment in the line before a block changes this:
``<!-- test: skip, why -->`` skips the block, and ``<!-- test: 200_000 -> 256, why -->`` replaces
the first text with the second before the block runs; `` and `` joins several replacements.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import count_words
import pytest
from carc_env.agents.commands.benchmark import WRITTEN
from carc_env.agents.named_settings import settings_of_the_package
from write_tables import ENGINE, ROOMS

from carc_env.__main__ import COMMANDS
from carc_env.envs import naming
from carc_env.layout import encodings
from carc_env.rules import TILE_SETS

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    page
    for page in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md")))
    if not page.name.startswith(".")
]

RULES = ROOT / "docs/rules/README.md"
TILES = [*(ROOT / "carc_env").rglob("tiles.json")]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
MAX_WORDS_OF_README, MAX_WORDS, MAX_PROSE = 1_000, 30_000, 20_000
"""Word limits for the README, for the site, and for the site outside code and tables."""

NEEDS = {
    **{"sb3_contrib": "sb3_contrib", "_png": "resvg_py", "jax.": "jax"},
    **{".transitions(": "torch", "import torch": "torch", "torchrl": "torchrl"},
}
"""Words that show that a block needs an optional package, with that package."""

_FENCE = re.compile(r"^```([\w{}-]*)\s*$")
_MARKER = re.compile(r"^<!-- test: (?P<what>.+?), (?P<why>.+) -->$")
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|<img[^>]*\bsrc=\"(?P<source>[^\"]+)\"")
_MAKE = re.compile(r"(?:`|^\s*)make ([a-z][\w-]*)", re.MULTILINE)
_COMMAND = re.compile(r"python (?:-m (?P<module>[a-z_][\w.]*)|(?P<script>[\w/]+\.py))")
_CITED_PAGE = re.compile(r"(?<![\w*./-])(?P<page>\w[\w/-]*\.md)\b(?:, (?P<id>[A-Z]{2,4}-\d\d))?")


class Block(NamedTuple):
    """A block of code, with the number of its first line and the marker from the comment."""

    language: str
    code: str
    line: int
    marker: str


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
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
    """Return a page without its code blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def marked(block: Block) -> str | None:
    """Return the code to run, or None to skip it."""
    if block.marker == "skip":
        return None
    code = block.code
    for change in filter(None, block.marker.split(" and ")):
        old, arrow, new = change.partition(" -> ")
        assert arrow, f"unknown marker {block.marker!r}"
        assert old in code, f"{old!r} is not in the block"
        code = code.replace(old, new)
    return code


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
    monkeypatch.setattr(naming, "ENTRY_POINTS", {**naming.ENTRY_POINTS})  # and an agent
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language not in ("python", "pycon"):
            continue
        for word, package in NEEDS.items():
            if word in block.code:
                pytest.importorskip(package)
        if "sb3_contrib" in block.code:
            pytest.importorskip("torch").set_num_threads(1)  # other tests may keep the cores busy
        if (code := marked(block)) is not None:
            run(block, code, page, names)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings, as code hosts make them."""
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
            assert any((ROOT / at / script).exists() for at in ("", "agents/recipes")), script
        elif (package := match["module"].split(".")[0]) in ("tests", "agents", "carc_env"):
            path = ROOT / match["module"].replace("carc_env.agents", "agents").replace(".", "/")
            assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), package


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_a_long_page_has_a_table_of_contents(page):
    text = page.read_text(encoding="utf-8")
    if page.name != "CHANGELOG.md" and len(text.split()) > 1500:
        assert "<!-- table: contents -->" in text, "after the introduction; make docs fills it"


def test_the_documentation_is_short():
    assert len(count_words.README.read_text(encoding="utf-8").split()) <= MAX_WORDS_OF_README
    written, prose = map(sum, zip(*count_words.site().values(), strict=True))
    assert written <= MAX_WORDS
    assert prose <= MAX_PROSE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Three words here.", (3, 3)),
        ("One\n\n| a | b |\n| - | - |\n\ntwo\n", (12, 2)),
        ("One\n```python\nx = 1\n```\ntwo <!-- not counted -->\n", (7, 2)),
        ("One\n<!-- table: NAME -->\n| a |\n<!-- end of table -->\ntwo\n", (2, 2)),
    ],
)
def test_words_are_counted(tmp_path, text, expected):
    page = tmp_path / "page"
    page.write_text(text, encoding="utf-8")
    assert count_words.count(page) == expected


def test_pages_that_moved_have_a_new_place():
    code = ast.parse((ROOT / "docs/conf.py").read_text(encoding="utf-8"))
    (redirects,) = (
        ast.literal_eval(node.value)
        for node in code.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "REDIRECTS"
    )
    for old, new in redirects.items():
        assert not (ROOT / f"docs/{old}.md").exists(), f"{old} has not moved"
        path, _, anchor = new.partition("#")
        page = (ROOT / "docs" / path).with_suffix(".md")
        assert page.exists(), f"{old} moved to {new}, which does not exist"
        assert not anchor or anchor in anchors(page), f"{old} moved to {new}: no such heading"


# Lists that are maintained by hand are complete.


def section(page: Path, title: str) -> str:
    """Return a section of a page, without its heading."""
    text = page.read_text(encoding="utf-8")
    return re.split(r"^## ", text.partition(f"\n## {title}\n")[2], flags=re.M)[0]


@pytest.mark.parametrize(
    "words", [section(ROOT / "README.md", "What is included"), RULES.read_text("utf-8")]
)
def test_the_tables_of_sets_name_every_set(words):
    files = [json.loads(file.read_text(encoding="utf-8")) for file in TILES]
    sets = {name: head for file in files for name, head in file["sets"].items()}
    assert {*sets} == {*TILE_SETS}
    titles = [sets[name]["name"].partition(" (")[0].lower() for name in TILE_SETS]
    assert [title for title in titles if title not in words.lower()] == []


@pytest.mark.parametrize(
    ("index", "pages"),
    [
        ("docs/index.md", "docs/*.md"),
        ("docs/index.md", "docs/notebooks/*.ipynb"),
        ("docs/rules/README.md", "docs/rules/*.md"),
        ("docs/developers/README.md", "docs/developers/*.md"),
        ("docs/reference/README.md", "docs/reference/*.md"),
    ],
)
def test_an_index_lists_every_page(index, pages):
    page = ROOT / index
    listed = {
        (page.parent / target).resolve() for target in re.findall(r"\]\(([^)#]+)", prose(page))
    }
    assert {*ROOT.glob(pages)} - {page} <= listed


def test_all_commands_are_on_the_page_about_them():
    words = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if not re.search(rf"^carc-env {name}\b", words, re.M)] == []


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_settings_and_extras_that_a_page_names_exist(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(
        r"(?:scripts/train_[a-z]+\.py|carc-env train [a-z]+) ([a-z][a-z-]+)(?![\w./-])", text
    )
    assert {*named} <= {*settings_of_the_package()}
    extras = re.findall(r"install (?:-e )?'(?:\.|carc_env)\[([\w,]+)\]'", text)
    assert {name for found in extras for name in found.split(",")} <= {*EXTRAS}


def test_the_rooms_of_the_engine_are_all_in_its_table():
    rooms = {path.name for path in ENGINE.iterdir()} - {"__init__.py", "__pycache__"}
    assert {room.rstrip("/") for room in ROOMS if not room.startswith("..")} == rooms


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_the_speed_of_pettingzoos_loop_is_told_by_the_benchmark_alone(page):
    by_hand = WRITTEN.sub("", page.read_text(encoding="utf-8"))
    for paragraph in re.split(r"\n\s*\n", by_hand):
        if re.search(r"PettingZoo|raw_env|connect_four", paragraph):
            assert not re.search(r"\d steps(/s| a second)|\| steps/s", paragraph), paragraph


def test_nothing_leads_to_a_place_on_one_machine():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])/(home|root|work|tmp|Users)/", text), page.name
