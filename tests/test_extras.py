"""If an extra is not installed, the code that needs it says how to install it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from carc_env.__main__ import main
from carc_env.extras import EXTRA_OF, check_installed, extras_named

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]

NAMED = {"open_spiel": "pyspiel", "pillow": "PIL"}
"""Distribution -> package, where their names differ."""
EXTRAS = (
    *("render", "arena", "train", "ray", "jax", "minari"),
    *("text", "textarena", "verifiers", "openenv", "openspiel"),
)
BROUGHT = {"torch"}
"""Packages that are only dependencies of the packages that their extra lists."""


def declared() -> dict[str, set[str]]:
    """Return the packages that each user extra lists, by import name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = project["optional-dependencies"]
    return {
        extra: {
            NAMED.get(name, name.replace("-", "_"))
            for name in (Requirement(line).name for line in lists[extra])
        }
        - {"carc_env"}
        for extra in EXTRAS
    }


def test_every_package_of_an_extra_is_known() -> None:
    lists = declared()
    assert {*EXTRA_OF} == set.union(*lists.values()) | BROUGHT
    assert [p for p, extra in EXTRA_OF.items() if p not in lists[extra] | BROUGHT] == []


@pytest.mark.parametrize("package", EXTRA_OF)
def test_a_missing_package_names_its_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"{package}, .* pip install 'carc_env\[\w+\]'$"):
        check_installed(package)


def test_other_packages_are_left_alone() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'nosuch'$"), extras_named():
        import nosuch  # noqa: F401


def test_an_agent_that_needs_torch_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "carc_env.agents.network_agent", raising=False)
    monkeypatch.setattr("tyro.cli", lambda kind, args, **_: kind(tuple(args)))  # it asks for torch
    assert main(["evaluate", "imitation", "greedy"]) == 1
    assert "this needs torch" in (said := capsys.readouterr().out)
    assert said.endswith("pip install 'carc_env[train]'\n")


def test_a_tournament_asks_for_its_report_before_it_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "choix", None)
    assert main(["tournament", "greedy", "random", "--folder", str(tmp_path / "games")]) == 1
    assert "pip install 'carc_env[arena]'" in capsys.readouterr().out
    assert [*tmp_path.iterdir()] == []


def test_tasks_are_listed_without_what_learns() -> None:
    """Listing tasks imports no learning code, whose compilation at the first start is slow."""
    asked = "import sys; from carc_env.__main__ import main; main(['task', 'list']); "
    told = f"{asked}print([m for m in sys.modules if m.startswith('carc_env.search.l')])"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
