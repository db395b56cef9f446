"""The content of a release: its archives, and what a wheel can do without the checkout."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.tags import sys_tags
from packaging.utils import parse_wheel_filename
from packaging.version import Version

from carc_env.engine.compiler.cache import SUBFOLDER, cache_root
from carc_env.engine.compiler.processors import COMMON, common_processor

pytestmark = [pytest.mark.once, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[1]
CORE = (
    *(
        "rules/test_base.py",
        "engine/test_perft.py",
        "test_aec.py",
        "test_game.py",
        "test_golden.py",
    ),
    *("test_notation.py", "test_records.py", "test_rules_config.py", "test_single_agent.py"),
)
"""The tests that an installed wheel passes with only its required dependencies."""

TESTING = ("hypothesis", "pytest")
"""What these tests need in addition."""


def test_the_lowest_versions_are_those_of_the_core():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lowest = re.findall("^(.+)==(.+)$", (ROOT / "constraints-lowest.txt").read_text(), re.M)
    needs = [Requirement(line) for line in project["dependencies"]]
    assert [name for name, _ in lowest] == [need.name for need in needs]
    for need, (_, version) in zip(needs, lowest, strict=True):
        assert Version(version) == min(Version(part.version) for part in need.specifier)


PLAY = """
import carc_env
from carc_env.agents import make_agent
assert "site-packages" in carc_env.__file__, carc_env.__file__
game = carc_env.Game(seed=1)
for name in ("greedy", "value", "search:seconds=0.05"):
    print(name, make_agent(name).act(game) in game.legal_actions())
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Return what a command prints; if it fails, show its errors."""
    return run_with({}, *command, cwd=cwd).stdout


def run_with(
    variables: dict[str, str], *command: str | Path, cwd: Path
) -> subprocess.CompletedProcess[str]:
    """Run a command with these environment variables; return its output and its errors."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def install(archives: Path, folder: Path) -> Path:
    """Install the wheel from the archives in an empty environment; return its programs' folder."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    (wheel,) = archives.glob("*.whl")
    # Python compiles modules on import; few of the many in numba and scipy are imported.
    pip = (programs / "python", "-m", "pip", "install", "--quiet", "--no-compile")
    run(*pip, "--constraint", ROOT / "constraints.txt", wheel, *TESTING, cwd=folder)
    return programs


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source archive and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def installed(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs' folder of a new environment with the wheel."""
    return install(archives, tmp_path_factory.mktemp("installed"))


def test_a_wheel_holds_one_package(archives: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    package, about, module = sorted({name.partition("/")[0] for name in names})
    assert package == "carc_env" and about.endswith(".dist-info")
    assert module == "carc_env_text.py"  # verifiers finds a taskset by its module's name
    sources = [*(ROOT / "carc_env").rglob("*.py"), *(ROOT / "agents").rglob("*.py"), module]
    assert len([name for name in names if name.endswith(".py")]) == len(sources)
    data = [
        *("py.typed", "engine/core/tiles/tiles.json", "sets/tower/tiles.json"),
        *(
            "game/solved/base-2.npz",
            "agents/configs/value-demo.yaml",
            "agents/shipped/imitation.ckpt",
            "agents/shipped/corrected.pt",
        ),
        *("agents/configs/experiments/results.yaml", "agents/results/runs.csv"),
        "agents/results/test_rules.csv",
    ]
    assert {f"carc_env/{name}" for name in data} <= {*names}


def test_the_source_archive_holds_what_git_holds(archives: Path) -> None:
    if not (shutil.which("git") and (ROOT / ".git").exists()):
        pytest.skip("not a checkout of git")
    (path,) = archives.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tracked = run("git", "ls-files", cwd=ROOT).splitlines()
    assert {name for name in tracked if not name.startswith(".")} <= held


EDITABLE = "import sys; from setuptools import build_meta; build_meta.build_editable(sys.argv[1])"
WHERE = """
import sys, site
sys.path[:] = [sys.argv[1], *(path for path in sys.path if "site-packages" not in path)]
site.addsitedir(sys.argv[2])
from importlib.util import find_spec
print(find_spec("carc_env").origin)
"""


def test_an_editable_install_is_found_beside_a_clone_of_its_name(tmp_path: Path) -> None:
    clone, built, site = (tmp_path / name for name in ("carc_env", "built", "site"))
    for name in ("agents", "carc_env", "configs", "docs/results"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("*.npz"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    built.mkdir()
    run(sys.executable, "-c", EDITABLE, built, cwd=clone)
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    told = run(sys.executable, "-I", "-S", "-c", WHERE, tmp_path, site, cwd=tmp_path)
    assert Path(told.strip()) == clone / "carc_env/__init__.py"


def test_what_is_installed_plays(installed: Path, tmp_path: Path) -> None:
    told = run(installed / "python", "-I", "-c", PLAY, cwd=tmp_path)
    assert told.split() == ["greedy", "True", "value", "True", "search:seconds=0.05", "True"]


def test_what_is_installed_has_settings_by_name(installed: Path, tmp_path: Path) -> None:
    told = run(installed / "carc-env", "train", "value", "value-demo", "--help", cwd=tmp_path)
    assert "carc-env train value value-demo" in told and "runs/demo-value" in told


def test_what_is_installed_prints_recipes(installed: Path, tmp_path: Path) -> None:
    for path in (ROOT / "agents/recipes").glob("[!_]*.py"):
        told = run(installed / "carc-env", "recipe", path.stem, cwd=tmp_path)
        assert told == path.read_text()


FROM_WHEEL = """
import runpy, sys
site, name, *options = sys.argv[1:]
sys.path.insert(0, site)  # torch is beside the checkout
sys.argv = [name, *options]
runpy.run_path(name, run_name="__main__")
import carc_env
assert carc_env.__file__.startswith(site), carc_env.__file__
"""
SHORT = ("--decisions", "128", "--eval-every", "128", "--eval-games", "2")
RECIPES = {
    **dict.fromkeys(("td", "ppo", "dqn", "zero", "best_response"), SHORT),
    **dict.fromkeys(("bc", "iql"), (*SHORT, "--games", "50", "--teacher", "greedy")),
    "maskable_ppo": (*SHORT, "--games", "4", "--steps", "16", "--batch", "32"),
    "psro": (*SHORT, "--iterations", "1", "--decks", "2"),
}


@pytest.mark.parametrize("name", [path.stem for path in (ROOT / "agents/recipes").glob("[!_]*.py")])
def test_a_recipe_trains_from_a_wheel(name: str, archives: Path, tmp_path: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    shutil.copy(tmp_path / f"site/carc_env/agents/recipes/{name}.py", tmp_path)
    run(
        *(sys.executable, "-c", FROM_WHEEL, tmp_path / "site", f"{name}.py"),
        *(*RECIPES[name], "--folder", "runs/mine"),
        cwd=tmp_path,
    )
    assert (tmp_path / "runs/mine/log.jsonl").read_text().strip()


def test_the_page_is_served(installed: Path, tmp_path: Path) -> None:
    command = [installed / "carc-env", "play", "--no-browser", "--data", tmp_path / "games"]
    with subprocess.Popen([*map(str, command)], cwd=tmp_path, stdout=subprocess.PIPE) as server:
        try:
            told = server.stdout.readline().decode() if server.stdout else ""
            (address,) = re.findall(r"http://\S+", told)
            with urllib.request.urlopen(address) as page:
                assert b"<title>" in page.read()
        finally:
            server.terminate()


def test_the_core_tests_pass_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    for name in ("tests", "scripts", "configs", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    tests = [tmp_path / "tests" / name for name in CORE]
    told = run(installed / "python", "-m", "pytest", *tests, cwd=tmp_path)
    assert " passed" in told and "failed" not in told


runs_common_code = pytest.mark.skipif(
    common_processor() is None, reason=f"this processor is no {COMMON}, or another is asked for"
)


@pytest.fixture(scope="module")
def archives_with_kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a wheel that contains compiled kernels."""
    folder = tmp_path_factory.mktemp("dist-with-kernels")
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder)
    run_with({"CARC_ENV_WITH_KERNELS": "1"}, *build, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def installed_with_kernels(
    archives_with_kernels: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the programs' folder of a new environment with that wheel."""
    return install(archives_with_kernels, tmp_path_factory.mktemp("installed-with-kernels"))


@pytest.mark.anew
@runs_common_code
def test_a_wheel_with_kernels_is_for_one_python_and_platform(archives_with_kernels: Path) -> None:
    (wheel,) = archives_with_kernels.glob("*.whl")
    _, _, _, tags = parse_wheel_filename(wheel.name)
    assert tags <= {*sys_tags()}
    assert {tag.interpreter for tag in tags} == {f"cp{sys.version_info[0]}{sys.version_info[1]}"}
    assert "any" not in {tag.platform for tag in tags}
    about = f"{wheel.name.partition('-cp')[0]}.dist-info/WHEEL"
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(about).decode()


@pytest.mark.anew
@runs_common_code
def test_with_such_a_wheel_nothing_is_compiled(
    installed_with_kernels: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    own = {"CARC_ENV_CACHE_DIR": str(cache)}
    done = run_with(own, installed_with_kernels / "python", "-I", "-c", PLAY, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.split() == ["greedy", "True", "value", "True", "search:seconds=0.05", "True"]
    for name in ("tests", "scripts"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    golden = (installed_with_kernels / "python", "-m", "pytest", tmp_path / "tests/test_golden.py")
    done = run_with(own, *golden, cwd=tmp_path)
    assert " passed" in done.stdout and "failed" not in done.stdout
    assert [*cache.rglob("kernels*")] == []


@pytest.mark.anew
@runs_common_code
def test_such_a_wheel_compiles_for_the_own_processor_when_asked(
    installed_with_kernels: Path, tmp_path: Path
) -> None:
    own = {"CARC_ENV_CACHE_DIR": str(tmp_path / "cache")}
    doctor = (installed_with_kernels / "carc-env", "doctor")
    told = run_with(own, *doctor, cwd=tmp_path).stdout
    assert f"compiled for {COMMON} processors" in told and "doctor --compile" in told
    # The cache now has the engine from `make kernels`, but not what users compile with it.
    shutil.copytree(cache_root(), tmp_path / "cache" / SUBFOLDER)
    told = run_with(own, *doctor, cwd=tmp_path).stdout
    assert f"compiled for {COMMON} processors" not in told and "doctor --compile" not in told
    said = run_with(own, *doctor, "--compile", cwd=tmp_path).stderr
    assert "compiling carc_env.search" in said and "compiling carc_env.engine" not in said
    assert run_with(own, *doctor, "--compile", cwd=tmp_path).stderr == ""
