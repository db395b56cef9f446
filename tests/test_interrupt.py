"""Signals as requests, and the files and folders to which training may write."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from carc_env.agents.claim import changing, claimed
from carc_env.agents.curve import read_csv
from carc_env.agents.interrupt import SIGNALS, Interruption
from carc_env.agents.run_folder import Times, claim_folder

from carc_env.game.records import leftovers, replace_file

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).parent.parent / "scripts"


def long(*names):
    """Return parameter values that only the long tests use."""
    return [pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.mark.parametrize("second", SIGNALS)
@pytest.mark.parametrize("first", SIGNALS)
def test_the_first_signal_is_a_wish_and_the_second_an_end(first, second, capfd):
    before = [signal.getsignal(number) for number in SIGNALS]
    with Interruption() as stop:
        assert not stop.wanted and stop.status == 0
        signal.raise_signal(first)
        assert stop.wanted and stop.status == 128 + first
        assert "Stopping as soon as everything is saved" in capfd.readouterr().err
        with pytest.raises(SystemExit) as end:
            signal.raise_signal(second)
    assert end.value.code == 128 + second
    assert "Ended at once" in capfd.readouterr().err
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.mark.skipif(sys.platform == "win32", reason="the status is that of a signal")
def test_an_interrupt_elsewhere_leaves_no_traceback():
    quiet = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "from carc_env.agents.interrupt import end_quietly; end_quietly()\n"
    )
    program = quiet + "try: signal.raise_signal(signal.SIGINT)\nfinally: print('tidy')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT
    assert done.stdout == "tidy\n"
    assert done.stderr.strip() == "Ended at once; what was saved before is whole."
    program = quiet + "raise ValueError(5)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1 and "ValueError: 5" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="the status is that of a signal")
@pytest.mark.parametrize(
    "script",
    ["matches", *long("ladder")],
)
def test_an_interrupt_while_a_script_is_loaded_leaves_nothing(script, tmp_path):
    assert interrupted_by_tyro(tmp_path, SCRIPTS / f"{script}.py") == (-signal.SIGINT, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="the status is that of a signal")
@pytest.mark.parametrize(
    "command", ["train maskable-ppo", *long("train value", "tournament", "evaluate")]
)
def test_an_interrupt_while_a_command_is_loaded_leaves_no_traceback(command, tmp_path):
    status, *said = interrupted_by_tyro(tmp_path, "-m", "carc_env", *command.split())
    assert status == -signal.SIGINT
    assert said == ["", "\nEnded at once; what was saved before is whole.\n"]


def interrupted_by_tyro(tmp_path, *call):
    """Return the exit status and output of a program that gets Ctrl-C as it imports tyro."""
    (tmp_path / "tyro.py").write_text("import signal; signal.raise_signal(signal.SIGINT)")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, *call], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_signal_right_behind_the_renaming_leaves_the_new_file(tmp_path, monkeypatch):
    rename = os.replace

    def rename_and_end(source, target):
        rename(source, target)
        raise SystemExit(143)

    monkeypatch.setattr("os.replace", rename_and_end)
    with pytest.raises(SystemExit):
        replace_file(tmp_path / "a", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"new"}


# Run folders.


def files_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def make_files(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(name)


def test_a_run_begins_where_there_is_nothing(tmp_path):
    folder = tmp_path / "some" / "run"
    for _ in range(2):
        with claim_folder(folder, None, overwrite=False):
            assert {*files_of(folder)} == {"run.lock"}
    assert files_of(folder) == {}


def test_only_what_a_killed_writer_left_is_removed(tmp_path):
    ours = [".latest.ckpt.ab_d12gh", ".curve.csv.zzzzzzzz"]
    others = [
        ".latest.ckpt.mine",
        ".latest.ckpt.ABCDEFGH",
        ".notes.txt.abcdefgh",
        "latest.ckpt.old",
    ]
    make_files(tmp_path / "free", *ours)
    with claim_folder(tmp_path / "free", None, overwrite=False):
        pass
    assert files_of(tmp_path / "free") == {}
    make_files(tmp_path / "used", "latest.ckpt", "notes.txt", *ours, *others)
    with (
        pytest.raises(ValueError, match="already contains a run"),
        claim_folder(tmp_path / "used", None, overwrite=False),
    ):
        pass
    assert len(files_of(tmp_path / "used")) == 8  # the run may still be going on
    with claim_folder(tmp_path / "used", tmp_path / "used" / "latest.ckpt", overwrite=False):
        pass
    assert {*files_of(tmp_path / "used")} == {"latest.ckpt", "notes.txt", *others}


def test_times_go_on_from_the_checkpoint(tmp_path):
    make_files(tmp_path / "run", "latest.ckpt")
    (tmp_path / "run" / "times.csv").write_text(
        "steps,seconds,processor_seconds\n0.0,1.5,0.5\n8.0,100.0,90.0\n16.0,200.0,180.0\n"
    )
    again = Times(tmp_path / "run", tmp_path / "run" / "latest.ckpt", 8)
    again.note(8, 1.0)
    again.note(24, 3.0)
    first, second, third = read_csv(tmp_path / "run" / "times.csv")
    assert first == {"steps": 0, "seconds": 1.5, "processor_seconds": 0.5}
    assert second == {"steps": 8, "seconds": 100, "processor_seconds": 90}
    assert third["steps"] == 24 and 100 <= third["seconds"] < 150
    assert third["processor_seconds"] == 93


def test_a_run_that_knows_no_times_goes_on_without(tmp_path):
    make_files(tmp_path / "run", "latest.ckpt")
    Times(tmp_path / "run", tmp_path / "run" / "latest.ckpt", 8).note(16, 2.0)
    assert {*files_of(tmp_path / "run")} == {"latest.ckpt"}
    make_files(tmp_path / "new")
    Times(tmp_path / "new", None, 0).note(0, 0.0)
    assert {*files_of(tmp_path / "new")} == {"times.csv"}


def test_leftovers_are_those_of_a_name(tmp_path):
    make_files(tmp_path / "x", ".a.ckpt.abcdefgh", ".aa.ckpt.abcdefgh", ".a.ckpt.abcdefghi")
    assert [path.name for path in leftovers(tmp_path / "x", "a.ckpt")] == [".a.ckpt.abcdefgh"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ("latest.ckpt", "config.yaml"),
            r"already contains a run: continue it by passing .*--folder",
        ),
        (("config.yaml",), r"already contains files \(config\.yaml\): choose another --folder, or"),
        (
            ("notes.txt", "b", "c", "d"),
            r"\(b, c, d\): .* --overwrite, which replaces latest\.ckpt, ",
        ),
    ],
)
def test_other_files_are_neither_overwritten_nor_deleted(tmp_path, names, message):
    folder = tmp_path / "run"
    make_files(folder, *names)
    make_files(tmp_path / "other", "latest.ckpt")
    checkpoints = None, tmp_path / "other" / "latest.ckpt", folder / "step-000000128.ckpt"
    for checkpoint in checkpoints:
        with (
            pytest.raises(ValueError, match=message),
            claim_folder(folder, checkpoint, overwrite=False),
        ):
            pass
    with claim_folder(folder, None, overwrite=True):
        pass
    assert files_of(folder) == {name: name for name in names}


IN_USE = r"run is in use by process \d+ on .* since .*: wait for it to end, or choose another --f"


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("goes_on", [False, True])
def test_a_folder_has_one_run_at_a_time(tmp_path, goes_on, overwrite):
    folder = tmp_path / "run"
    checkpoint = folder / "latest.ckpt" if goes_on else None
    with claim_folder(folder, checkpoint, overwrite=overwrite):
        for _ in range(2):
            with (
                pytest.raises(ValueError, match=IN_USE),
                claim_folder(folder, checkpoint, overwrite=overwrite),
            ):
                pass
        assert f"process {os.getpid()} on" in (folder / "run.lock").read_text()
    with claim_folder(folder, checkpoint, overwrite=overwrite):
        pass
    assert files_of(folder) == {}


def test_of_threads_that_claim_a_folder_at_once_one_gets_it(tmp_path):
    inside, most, n_refused = 0, 0, 0
    start = threading.Barrier(4)

    def claim():
        nonlocal inside, most, n_refused
        start.wait()
        for _ in range(300):
            try:
                with claimed(tmp_path):
                    inside += 1
                    most = max(most, inside)
                    inside -= 1
            except ValueError:
                n_refused += 1

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 1) and n_refused > 0


def test_no_change_of_a_file_is_lost(tmp_path):
    path = tmp_path / "new" / "number"

    def count():
        for _ in range(40):
            with changing(path):
                number = int(path.read_text()) if path.exists() else 0
                replace_file(path, str(number + 1).encode())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "160" and [*path.parent.iterdir()] == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process")
def test_the_claim_of_a_killed_process_is_gone(tmp_path):
    program = (
        "import sys; from pathlib import Path; from carc_env.agents.claim import claimed\n"
        "with claimed(Path(sys.argv[1])): print('mine', flush=True); sys.stdin.read()"
    )
    held = subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "run"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with held:
        assert held.stdout.readline() == "mine\n"
        with pytest.raises(ValueError, match=f"process {held.pid} on"), claimed(tmp_path / "run"):
            pass
        held.kill()
    assert {*files_of(tmp_path / "run")} == {"run.lock"}
    with claim_folder(tmp_path / "run", None, overwrite=False):
        pass
    assert files_of(tmp_path / "run") == {}
