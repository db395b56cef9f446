"""Systems declare their surface once, and everything that they declare exists."""

from collections import Counter
from pathlib import Path

import pytest
from write_tables import EVERYTHING, PAGES, TABLES, written

from carc_env.engine.core.codes import Block, Figure, Phase, Plane, Stock
from carc_env.layout.template import template
from carc_env.rules import SWITCHES, Rules
from carc_env.systems import QUESTIONS, SYSTEMS, systems_in
from tests import together

pytestmark = pytest.mark.once

DOCS = Path(__file__).resolve().parents[1] / "docs" / "rules"


def declared(what):
    return Counter(entry for system in SYSTEMS for entry in getattr(system, what))


def test_every_switch_belongs_to_one_system():
    assert declared("switches") == Counter(SWITCHES)


def test_every_figure_and_phase_belongs_to_one_system():
    assert declared("figures") == Counter(Figure)
    asked = Counter(question.phase for system in SYSTEMS for question in system.questions)
    assert asked == Counter(Phase)
    assert len({question.verb for question in QUESTIONS.values()}) == len(Phase)


def test_every_code_is_declared():
    blocks = {actions.block for system in SYSTEMS for actions in system.actions}
    assert blocks | {Block(Block.MEEPLE + figure) for figure in Figure} == {*Block}
    groups = [planes.group for system in SYSTEMS for planes in system.planes]
    assert sorted([*groups, Plane.SEATS]) == [*Plane]
    assert sorted(supply.stock for system in SYSTEMS for supply in system.supplies) == [*Stock]


def test_headers_have_different_words():
    words = [word for system in SYSTEMS if system.text for word in system.text.words]
    assert len(words) == len(set(words))


def test_every_system_has_a_page():
    assert [system.name for system in SYSTEMS if not (DOCS / f"{system.name}.md").exists()] == []


def test_the_tables_are_those_of_everything():
    assert systems_in(EVERYTHING) == SYSTEMS


SLOW = ("reference/observations", "reference/models")
"""Pages whose tables need the layouts or the weights of every preset."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=page.name,
            marks=[pytest.mark.long][not str(page.with_suffix("")).endswith(SLOW) :],
        )
        for page in PAGES
    ],
)
def test_the_tables_of_the_docs_are_up_to_date(page):
    assert written(page) == page.read_text(encoding="utf-8"), "make docs"


@pytest.mark.long
def test_the_file_of_pairs_has_every_system_and_is_up_to_date():
    assert {system.name for system in SYSTEMS} - {"base"} == set(together.WORDS)
    assert together.written() == together.FILE.read_text(encoding="utf-8"), "make docs"


@pytest.mark.parametrize(
    ("other", "ids"),
    [
        ("ferries", "BASE-40 BASE-42 RIV2-02 RIV2-06 RIV2-07 RIV2-11"),  # river lakes
        ("little-buildings", "HOUSE-01 HOUSE-02 HOUSE-03 HOUSE-05"),  # house rules
        ("tower", "LB-01 LB-08 WT-01 WT-02 WT-03 WT-05"),  # little buildings, watchtowers
        ("count", "WR-01 WR-02 WR-04"),  # quarters of a rose
        ("inns", "COU-03 COU-11 MON-10"),  # the cathedral of Carcassonne
        ("castles", "COU-03 COU-11"),  # the castle of Carcassonne
        ("traders", "RIV2-10 XPH-01"),  # pig-herds
    ],
)
def test_words_with_two_meanings_pair_no_sets(other, ids):
    paired = [
        {*together.all_ids(ids)}
        for pair, rows in together.said().items()
        if other in pair
        for _, ids, _ in rows
    ]
    assert {*ids.split()} & set().union(*paired) == set()


def test_the_file_of_pairs_repeats_no_rule():
    for pair, rows in together.said().items():
        words = [words for _, _, words in rows]
        assert len(words) == len({*words}), pair


def test_every_table_is_in_the_docs():
    everywhere = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in TABLES if f"<!-- table: {name} -->" not in everywhere] == []


@pytest.mark.parametrize(
    ("ceiling", "said"), [("WORD", "planes a seat: .* 2 to 6"), ("MAX_PLANES", "planes: .* 0 to 2")]
)
def test_a_system_that_needs_too_much_room_is_refused(ceiling, said, monkeypatch):
    monkeypatch.setattr(f"carc_env.layout.template.{ceiling}", 2)
    with pytest.raises(ValueError, match=said):
        template.__wrapped__(Rules())
