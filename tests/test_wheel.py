"""What a wheel installs: the environment, its data, and nothing beside it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.once, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[1]

PLAY = """
import sys
sys.path.insert(0, sys.argv[1])
import carc_env, carc_env.agents
assert carc_env.__file__.startswith(sys.argv[1]), carc_env.__file__
game = carc_env.Game(seed=1)
print(carc_env.agents.make_agent("greedy").act(game) in game.legal_actions())
"""


def pip(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", *map(str, arguments)], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    (found,) = folder.glob("*.whl")
    return found


def test_a_wheel_holds_one_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    about, package = sorted({name.partition("/")[0] for name in names}, reverse=True)
    assert package == "carc_env" and about.endswith(".dist-info")
    sources = [*(ROOT / "carc_env").rglob("*.py"), *(ROOT / "agents").rglob("*.py")]
    assert len([name for name in names if name.endswith(".py")]) == len(sources)
    data = ["py.typed", "engine/core/tiles/tiles.json", "game/solved/base-2.npz"]
    assert {f"carc_env/{name}" for name in data} <= {*names}


def test_what_a_wheel_installs_plays(wheel: Path, tmp_path: Path) -> None:
    pip("install", "--quiet", "--no-deps", "--target", tmp_path, wheel)
    run = subprocess.run(
        [sys.executable, "-I", "-c", PLAY, str(tmp_path)],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert run.stdout == "True\n"
