"""The public names of ``carc_env``: their list is complete, and the documentation uses it."""

import re
import subprocess
import sys
from types import ModuleType

import pytest

import carc_env
from tests.test_readme import PAGES, ROOT, blocks, id_of

pytestmark = pytest.mark.once

_IMPORT = re.compile(r"from carc_env\.[\w.]+ import (?P<names>[\w, ]+)")


def test_the_list_of_public_names_is_complete():
    shown = {
        name
        for name, member in vars(carc_env).items()
        if not name.startswith("_") and not isinstance(member, ModuleType)
    }
    assert sorted(shown) == carc_env.__all__


def test_gymnasium_knows_the_environments_once_carc_env_is_imported():
    """docs/faq.md describes this."""
    code = "import gymnasium; gymnasium.make('carc_env/Carcassonne-v1')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "NamespaceNotFound: Namespace carc_env not found." in done.stderr
    subprocess.run([sys.executable, "-c", f"import carc_env, {code[7:]}"], check=True)


def test_the_docstring_names_what_is_public():
    named = re.findall(r":(?:class|func):`(\w+)`", carc_env.__doc__)
    assert sorted(named) == carc_env.__all__


def test_the_reference_documents_every_public_name():
    page = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
    documented = re.findall(
        r"^\.\. auto(?:class|function|exception):: carc_env\.(\w+)$", page, re.M
    )
    assert sorted(documented) == carc_env.__all__
    assert {"carc_env.tasks", "carc_env.render"} <= {*re.findall(r"automodule:: (\S+)", page)}


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_examples_import_public_names_from_the_top(page):
    for block in blocks(page):
        for match in _IMPORT.finditer(block.code):
            names = set(match["names"].split(", "))
            assert not names & set(carc_env.__all__), f"{page.name}:{block.line}: {match[0]}"
