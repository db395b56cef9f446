"""The scripts that measure and draw the documentation's figures. No test checks any speed."""

import io
import math

import complexity
import pytest
import throughput
from carc_env.agents.commands import workloads
from diagram import observation_diagram
from PIL import Image

from carc_env import Rules, Table
from tests.test_readme import ROOT

pytestmark = pytest.mark.once


def test_throughput_is_measured_for_all_sizes_and_threads(monkeypatch):
    monkeypatch.setattr(workloads, "SLICE_SECONDS", 0.001)
    monkeypatch.setattr(workloads, "LONGEST_GAME", 3)
    rows = throughput.measure((1, 2), (1, 2), 1)
    assert [(row["games"], row["threads"]) for row in rows] == [(1, 1), (2, 1), (2, 2)]
    assert min(row["steps"] for row in rows) > 0
    assert {*rows[0]} == {*throughput.read_throughput()["rows"][0]}


def test_the_pictures_have_the_sizes_of_those_in_the_docs():
    drawn = {
        "throughput.png": throughput.throughput_plot(throughput.read_throughput()),
        "observation.png": observation_diagram(),
    }
    for name, content in drawn.items():
        with Image.open(ROOT / "docs/images" / name) as shown:
            assert Image.open(io.BytesIO(content)).size == shown.size


def test_the_tree_multiplies_draws_and_choices():
    rules = Rules(deck_size=1)
    n_places = len(Table(rules, seed=0).legal_actions())
    found = complexity.measure(rules, 1)
    assert found["decisions"] == 2  # the tile, and a figure
    n_figures = 2 * found["legal"] - n_places
    assert found["tree"] == pytest.approx(math.log10(n_places * n_figures))  # one tile can be drawn
    assert complexity.measure(rules.replace(deck_size=2), 1)["tree"] > found["tree"]
