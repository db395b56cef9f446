"""The notebooks in the documentation run and print the output that they show."""

import nbformat
import pytest
from run_notebooks import NOTEBOOKS, run, texts

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.long] * (path.stem == "experiment"))
        for path in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
def test_a_notebook_prints_what_it_shows(path):
    assert texts(run(path)) == texts(nbformat.read(path, as_version=4)), "make docs"


def test_there_are_notebooks():
    assert {path.stem for path in NOTEBOOKS} >= {"experiment", "tour"}
