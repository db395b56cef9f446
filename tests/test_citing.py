"""The citation and the pages name the version of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import carc_env
from tests.test_readme import PAGES, blocks

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def bibtex(page: str) -> str:
    (found,) = (block.code for block in blocks(ROOT / page) if block.language == "bibtex")
    return found


def test_the_citation_is_of_this_version():
    assert CITATION["version"] == carc_env.__version__
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    head = f"## [{carc_env.__version__}] - {CITATION['date-released']}"
    assert head in changelog.splitlines()


def test_bibtex_says_what_the_citation_says():
    entry = bibtex("README.md")
    assert entry == bibtex("docs/citing.md")
    fields = dict(re.findall(r"^  (\w+) *= \{(.*)\},?$", entry, re.M))
    plain = {key: re.sub(r"[{}\\]", "", value) for key, value in fields.items()}
    assert plain["title"] == CITATION["title"]
    assert plain["author"] == CITATION["authors"][0]["name"]
    assert plain["version"] == CITATION["version"]
    assert plain["year"] == CITATION["date-released"][:4]
    assert plain["license"] == CITATION["license"]


@pytest.mark.parametrize("page", ["docs/tasks.md", "docs/first-result.md"])
def test_a_result_that_is_cited_as_an_example_is_of_this_version(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.findall(r"`, carc_env (\d+\.\d+\.\d+),", text) == [carc_env.__version__]


def test_archives_that_pages_name_are_of_this_version():
    named = [
        version
        for page in PAGES
        for version in re.findall(r"carc_env-(\d+\.\d+\.\d+)", page.read_text(encoding="utf-8"))
    ]
    assert named and {*named} == {carc_env.__version__}
