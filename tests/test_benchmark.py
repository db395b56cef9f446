"""The benchmark: what it prints and writes. No test checks any speed."""

import json
import re
from pathlib import Path

import pytest
from carc_env.agents.commands import benchmark, workloads

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"[\d,.e-]+")
MARKS = ("<!-- figures of benchmark.py -->", "<!-- end of figures -->")
CHEAP = ("clone", "planes", "state")


@pytest.fixture
def short_slices(monkeypatch):
    monkeypatch.setattr(workloads, "SLICE_SECONDS", 0.001)
    monkeypatch.setattr(workloads, "LONGEST_GAME", 3)


def run(*options):
    benchmark.main(options)


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def table_of(page):
    """Return the table rows between the marks of a page, without the headings."""
    (found,) = benchmark.WRITTEN.finditer((ROOT / page).read_text(encoding="utf-8"))
    return [cells(line) for line in found[2].splitlines() if line.startswith("|")][2:]


def test_chosen_figures_are_measured_beside_the_yardstick(short_slices, tmp_path, capsys):
    out = tmp_path / "figures.json"
    run(*reversed(CHEAP), "--seconds", "0", "--markdown", "--json", str(out))
    heading, rule, *lines = capsys.readouterr().out.splitlines()
    assert cells(heading) == list(benchmark.HEADINGS)
    assert set(cells(rule)) == {"---", "--:"}
    clone, planes, state = map(cells, lines[:3])
    assert [clone[0], planes[0], state[0]] == list(CHEAP)
    assert NUMBER.fullmatch(clone[2].removesuffix(" µs")) and NUMBER.fullmatch(clone[3])
    assert NUMBER.fullmatch(planes[2].removesuffix(" decisions/s")) and NUMBER.fullmatch(planes[3])
    assert NUMBER.fullmatch(planes[4].removesuffix(" of base_decisions"))
    assert state[2:5] == [f"{workloads.new_states(1).itemsize:,} B", "", ""]
    assert lines[3].startswith("A pass of the yardstick took ")
    found = json.loads(out.read_text())
    assert list(found) == list(CHEAP) and min(found.values()) > 0


def test_the_table_for_the_terminal_holds_the_same(short_slices, capsys):
    run("clone", "--seconds", "0")
    assert re.search(r"clone .*µs", capsys.readouterr().out)


def test_all_names_are_listed(capsys):
    run("--list")
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == benchmark.NAMES
    assert len(set(names)) == len(names)
    assert {*benchmark.OPEN, "native"} == set(names)
    assert {*benchmark.ONCE, *benchmark.HEADLINES} <= set(names)
    assert {figure.share_of for figure in benchmark.FIGURES} <= {"", *names}


def test_an_unknown_name_is_refused_with_the_one_that_was_meant():
    with pytest.raises(SystemExit, match="got 'token'; did you mean 'tokens'"):
        run("token")


def test_a_part_of_the_table_is_not_written():
    with pytest.raises(SystemExit, match="leave the names out"):
        run("clone", "--write")


@pytest.mark.parametrize(
    ("passes", "is_steady"),
    [
        ([5.0, 5.7, 4.5, 5.1, 9.0], True),
        ([5.0, 5.8, 4.3, 5.1, 9.0], False),
        ([5.0] * 5 + [7.0] * 2, False),
    ],
)
def test_figures_are_written_from_a_quiet_machine_only(
    monkeypatch, tmp_path, short_slices, passes, is_steady
):
    figure = benchmark.FIGURES[0]
    measured = [benchmark.Measured(figure, 1.0, 1.0, 1.0, [one]) for one in passes]
    assert benchmark.is_steady(measured) == is_steady
    monkeypatch.setattr(benchmark, "FIGURES", (figure,))
    monkeypatch.setattr(benchmark, "NAMES", [figure.name])
    monkeypatch.setattr(benchmark, "measure", lambda *_: measured[0])
    monkeypatch.setattr(benchmark, "is_steady", lambda _: is_steady)
    written = []
    monkeypatch.setattr(benchmark, "write_pages", written.append)
    if is_steady:
        run("--write")
    else:
        with pytest.raises(SystemExit, match="the machine did other work meanwhile"):
            run("--write")
    assert bool(written) == is_steady


def test_what_is_not_there_is_left_out_with_a_message(short_slices, tmp_path, capsys):
    run("core", "native", "--seconds", "0", "--markdown", "--native", str(tmp_path / "none.cpp"))
    told = capsys.readouterr()
    assert "left out: native (" in told.err and "none.cpp" in told.err
    (core,) = (cells(line) for line in told.out.splitlines() if line.startswith("| core"))
    assert NUMBER.fullmatch(core[3]) and core[4] == ""


@pytest.mark.parametrize(
    ("unit", "expected"), [("games/s", 500.0), ("µs", 2_000_000.0), ("B", None), ("%", None)]
)
def test_a_figure_is_told_by_the_pass_of_the_yardstick(unit, expected):
    found = benchmark.per_pass(unit, 1_000.0 if unit == "games/s" else 1e6, 0.5)
    assert found == expected or (expected is None and benchmark.short(found) == "")


@pytest.mark.parametrize(
    ("value", "text"),
    [(36_941.0, "36,900"), (999.6, "1,000"), (0.17149, "0.171"), (2.5e-5, "2.5e-05")],
)
def test_three_digits_count(value, text):
    assert benchmark.short(value) == text


def test_pages_are_written_between_their_marks(monkeypatch, tmp_path):
    monkeypatch.setattr(benchmark, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    pages = [tmp_path / "README.md", tmp_path / "docs/performance.md"]
    for page in pages:
        page.write_text(f"before\n{MARKS[0]}\nold\n{MARKS[1]}\nafter\n")
    named = ("planes", "sparse", "vector")
    figures = [figure for figure in benchmark.FIGURES if figure.name in named]
    measured = [benchmark.Measured(figure, 1e6, 20.0, 0.25, [0.01]) for figure in figures]
    benchmark.write_pages(measured)
    readme, full = (page.read_text() for page in pages)
    for text in (readme, full):
        assert text.startswith(f"before\n{MARKS[0]}\n| ")
        assert text.endswith(f"\n{MARKS[1]}\nafter\n") and "old" not in text
    assert "| VectorEnv.step, 256 games, numpy chooses | 1,000,000 steps/s |" in readme
    assert "planes" not in readme
    assert full.count("| 1,000,000 decisions/s | 20 | 0.25 of base_decisions |") == 2
    assert "took 10 ms, four of five 10 to 10 ms." in full


def test_the_pages_hold_the_table_of_the_script_from_one_run():
    full = {line[0]: line for line in table_of("docs/performance.md")}
    told = {figure.name: figure for figure in benchmark.FIGURES}
    assert list(full) == list(told)
    assert [(line[1], line[5]) for line in full.values()] == [
        (f.what, f.bar) for f in told.values()
    ]
    headlines = [full[name][1:3] for name in told if name in benchmark.HEADLINES]
    assert table_of("README.md") == headlines


def test_the_page_names_the_bars_that_its_run_misses():
    missed = []
    for name, _, figure, _, share, bar in table_of("docs/performance.md"):
        sign, _, limit = bar.partition(" ")
        value = float((share or figure).split()[0].replace(",", ""))
        if sign in ("≥", "≤", "<"):
            distance = value - float(limit.replace(",", ""))
            missed += [name] if (distance < 0 if sign == "≥" else distance > 0) else []
    page = (benchmark.ROOT / "docs/performance.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"This run misses the bars of (.*)\.$", page, re.M)
    assert re.findall(r"`(\w+)`", sentence) == missed
