"""Files from elsewhere: whatever is wrong with a file, its reader raises the documented error.

Every reader gets real files with random changes: flipped bits, missing ends, other numbers and
words, and other JSON values. Some changed files have a correct checksum again.
"""

import io
import json
import random
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carc_env.agents import CheckpointError, read_checkpoint, write_checkpoint
from carc_env.agents.arena import Arena
from carc_env.agents.curve import read_csv, write_csv
from carc_env.agents.dataset import Recipe, describe, write_file
from carc_env.agents.positions import Positions
from carc_env.agents.tournament import GameFile, heading
from carc_env.agents.value_config import ValueConfig

from carc_env import Game, NotationError, Rules, Table, load_record, parse_position
from carc_env.game import endgames
from carc_env.game.interchange import game_from_json, game_to_json
from carc_env.game.jcz import SaveError, load_jcz
from carc_env.game.records import format_record
from carc_env.plain_arrays import read_arrays
from carc_env.plain_json import read_json
from carc_env.search import weights
from carc_env.web.journal import Journal
from carc_env.web.play import Play, Start, sitters_for

pytestmark = pytest.mark.once

QUICK, LONG = 40, 1_000
"""Changed files of each kind, in a quick and in a long test."""
ODD_WORDS = (
    *("٣", "-0", "007", "9" * 30, "9" * 5_000, "1e999", "NaN", "-Infinity", "", "-1", "0", "2.5"),
    *("null", "true", "[" * 300, '"', "\x00", "?", "[]", "{}", "A", "wolf", "\u2028", ","),
)
ODD_VALUES: tuple[Any, ...] = (
    *(
        None,
        -1,
        0,
        3,
        10**30,
        2**63,
        0.5,
        1e300,
        "",
        "x",
        "٣",
        "A",
        True,
        [],
        {},
        [[]],
        [0],
        {"": 0},
    ),
    json.loads("[" * 500 + "]" * 500),
)


# Changes to a file.


def flipped(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]


def cut(rng: random.Random, content: bytes) -> bytes:
    first, last = sorted(rng.choices(range(len(content)), k=2))
    return rng.choice((content[:first], content[last:], content[:first] + content[last:]))


def reworded(rng: random.Random, content: bytes) -> bytes:
    """Replace a number, a word or a sign; numbers are twice as likely."""
    text = content.decode()
    wanted = rng.choice((r"-?\d+", r"-?\d+", r"\w+", r"[^\w\s]"))
    found = [*re.finditer(wanted, text)]
    if not found:
        return content
    match = rng.choice(found)
    other = rng.choice((*ODD_WORDS, rng.choice(found)[0]))
    return (text[: match.start()] + other + text[match.end() :]).encode()


def exchanged(rng: random.Random, value: Any) -> Any:
    """Return plain values with one part replaced or removed, at any depth."""
    whole = place = json.loads(json.dumps(value))
    while isinstance(place, dict | list) and place:
        key = rng.choice([*place] if isinstance(place, dict) else range(len(place)))
        if rng.random() < 0.3 or not isinstance(place[key], dict | list) or not place[key]:
            if rng.random() < 0.2:
                del place[key]
            else:
                place[key] = rng.choice(ODD_VALUES)
            break
        place = place[key]
    return whole


def exchanged_line(rng: random.Random, content: bytes) -> bytes:
    """Return JSON lines with a part of one line exchanged."""
    lines = content.decode().splitlines()
    k = rng.randrange(len(lines))
    lines[k] = json.dumps(exchanged(rng, json.loads(lines[k])))
    return "\n".join((*lines, "")).encode()


def resealed(rng: random.Random, content: bytes) -> bytes:
    """Change a record and give it a correct checksum again."""
    lines = reworded(rng, content).decode().splitlines()[:-1]
    check = zlib.crc32("\n".join(lines).encode())
    return "\n".join((*lines, f"[check {check:08x}]\n")).encode()


def repacked(rng: random.Random, content: bytes) -> bytes:
    """Return an archive with another ``meta`` or another array."""
    with np.load(io.BytesIO(content)) as found:
        arrays = {name: found[name] for name in found.files}
    name = rng.choice([*arrays])
    if name == "meta":
        arrays[name] = np.array(json.dumps(exchanged(rng, json.loads(str(arrays[name])))))
    else:
        arrays[name] = rng.choice(ODD_ARRAYS)(arrays[name])
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    return packed.getvalue()


ODD_ARRAYS: tuple[Callable[[Any], Any], ...] = (
    lambda array: array[: len(array) // 2],
    lambda array: array[None],
    lambda array: array.astype(np.float32),
    lambda array: array * 0 - 1,
    lambda array: np.full_like(array, np.iinfo(np.int8).max),
    lambda array: np.full(array.shape, np.nan, array.dtype if array.dtype.kind == "f" else float),
    lambda array: np.array("text"),
    lambda array: np.asfortranarray(array),
)


def with_header(member: str, head: str) -> bytes:
    """Return an archive whose array claims the size that its head states."""
    text = head.encode() + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{member}.npy", content)
    return packed.getvalue()


def declaring(content: bytes, member: str, size: int) -> bytes:
    """Return an archive whose directory states another size for a member, as zip bombs do."""
    at = content.rindex(f"{member}.npy".encode()) - 46
    assert content[at : at + 4] == b"PK\x01\x02"
    return content[: at + 24] + size.to_bytes(4, "little") + content[at + 28 :]


def crafted(meta: str = "{}", arrays: str = "{}", data: bytes = b"") -> bytes:
    """Return a checkpoint with the given text in its third line."""
    return sealed(f'{{"meta": {meta}, "arrays": {arrays}}}\n'.encode() + data)


# The readers.


@dataclass(frozen=True)
class Reader:
    """A file, the function that reads it, and the error that this function documents."""

    content: bytes
    read: Callable[[Path], object]
    error: type[Exception]
    changes: tuple[Callable[[random.Random, bytes], bytes], ...]
    name: str = "file"


BYTES = (flipped, cut)
TEXT = (*BYTES, reworded, reworded)
JSON = (*TEXT, exchanged_line, exchanged_line)
PACKED = (*BYTES, repacked)
RULES = Rules.preset("all", n_players=3)


def played(rules: Rules, n: int) -> Game:
    game = Game(rules, seed=5)
    while not game.is_over and len(game.moves) < n:
        game.apply(game.random_action())
    return game


def of_position(_: Path) -> Reader:
    def read(path: Path) -> None:
        try:
            position = parse_position(path.read_text(encoding="utf-8", errors="replace"))
        except NotationError:
            return
        Game.from_position(position)

    return Reader(str(played(RULES, 150)).encode(), read, ValueError, TEXT)


def of_record(_: Path) -> Reader:
    def read(path: Path) -> object:
        return load_record(path.read_text(encoding="utf-8", errors="replace"))

    content = format_record(played(RULES, 30)).encode()
    return Reader(content, read, NotationError, (*TEXT, resealed, resealed))


def of_json(_: Path) -> Reader:
    content = json.dumps(game_to_json(played(RULES, 30), {"players": ["a", "b", "c"]})).encode()

    def read(path: Path) -> object:
        return game_from_json(read_json("game", path.read_bytes()))

    return Reader(content + b"\n", read, ValueError, JSON)


def of_plain_values(_: Path) -> Reader:
    """As :func:`of_json`, but the values do not come from ``read_json``."""
    content = json.dumps(game_to_json(played(RULES, 20))).encode()
    return Reader(
        content + b"\n",
        lambda path: game_from_json(json.loads(path.read_text())),
        ValueError,
        (exchanged_line,),
    )


def of_save(_: Path) -> Reader:
    setup = {
        "sets": {"basic:2": 1},
        "elements": {"small-follower": 7, "farmers": True, "garden": True, "abbot": 1},
        "rules": {},
    }
    moves = [("PLACE_TILE", {"tileId": "BA/L", "rotation": "R0", "position": [0, 1]}), ("PASS", {})]
    replay = [{"type": kind, "payload": payload, "player": 0} for kind, payload in moves]
    save = {"setup": setup, "players": [{}, {}], "replay": replay}
    return Reader(
        json.dumps(save).encode(), lambda path: load_jcz(path.read_text()), SaveError, JSON[2:]
    )


def of_endgames(_: Path) -> Reader:
    whole = endgames.shipped_endgames()["base-2"]
    content = endgames.pack(endgames.Endgames(whole.rules, whole.endgames[:3], {"made": "here"}))

    def read(path: Path) -> None:
        for end in endgames.unpack(path.name, path.read_bytes()).endgames:
            end.game()

    return Reader(content, read, ValueError, PACKED)


def of_weights(_: Path) -> Reader:
    content = weights.pack(weights.weights_for(Rules()))
    return Reader(
        content, lambda path: weights.unpack(path.name, path.read_bytes()), ValueError, PACKED
    )


def of_checkpoint(folder: Path) -> Reader:
    write_checkpoint(folder / "a", {"steps": 3}, {"x": np.arange(4.0), "n": np.arange(3)})

    def craft(rng: random.Random, content: bytes) -> bytes:
        head, data = content.split(b"\n", 3)[2:]
        change = rng.choice((reworded, lambda rng, line: exchanged_line(rng, line)[:-1]))
        return sealed(change(rng, head) + b"\n" + data)

    return Reader(
        (folder / "a").read_bytes(), read_checkpoint, CheckpointError, (*BYTES, craft, craft)
    )


def sealed(body: bytes) -> bytes:
    """Return a checkpoint file with a correct checksum, which anyone can compute."""
    return f"carc_env checkpoint 1\n{sha256(body).hexdigest()} {len(body)}\n".encode() + body


def of_rules(_: Path) -> Reader:
    def read(path: Path) -> object:
        return Rules.from_yaml(path.read_text(encoding="utf-8", errors="replace"))

    return Reader(RULES.to_yaml().encode(), read, ValueError, TEXT)


def of_settings(_: Path) -> Reader:
    content = b"rules: {preset: base, view: 20}\nround_games: 16\neval_against: [greedy]\n"
    return Reader(content, ValueConfig.read, ValueError, TEXT)


def of_dataset(folder: Path) -> Reader:
    recipe = Recipe(Rules(view=20), agents=("greedy",), teacher="greedy", games=1)
    path = folder / "games-00000.npz"
    write_file(path, recipe, recipe.make(0))

    def read(path: Path) -> None:
        describe(path)
        assert all(len(batch["action"]) for batch in Positions([path.parent]).epoch())

    return Reader(path.read_bytes(), read, ValueError, PACKED, name=path.name)


def of_tournament(folder: Path) -> Reader:
    head = heading(Arena({"a": None, "b": None}, Rules()))  # type: ignore[dict-item]
    deck = {"line_up": ["a", "b"], "deck": 0, "scores": [[3, 4], [5, 6]], "decisions": [9, 9]}
    deck |= {"seconds": [0.5, 0.5], "slowest": [0.1, 0.1]}
    lines = [json.dumps(line) for line in (head, deck, deck)]

    def read(path: Path) -> None:
        GameFile(path, head)

    return Reader("\n".join((*lines, "")).encode(), read, ValueError, JSON)


def of_journal(folder: Path) -> Reader:
    journal, play = Journal(folder), Play(Start(Rules(), seed=3), sitters_for(2))
    for _ in range(10):
        play.act(play.game.legal_actions()[0])
    journal.write_all("0123456789", play)
    path = folder / "0123456789.jsonl"
    content = path.read_bytes() + b'{"undo": 4}\n{"seat": 1, "agent": "greedy"}\n'
    return Reader(content, lambda _: journal.read(path.stem), ValueError, JSON, path.name)


def of_curve(folder: Path) -> Reader:
    write_csv(folder / "a", [{"steps": 1.0, "score": 2.5}, {"steps": 2.0}])
    return Reader((folder / "a").read_bytes(), read_csv, ValueError, TEXT)


def of_state(_: Path) -> Reader:
    table = Table(Rules(), seed=1)

    def changed(rng: random.Random, content: bytes) -> bytes:
        head, _, rest = content.partition(b"\n")
        body = rng.choice(BYTES)(rng, rest.partition(b"\n")[2])
        return b"\n".join((head, f"{zlib.crc32(body):08x}".encode(), body))

    def read(path: Path) -> None:
        Table(Rules(), seed=1).load_state(path.read_bytes())

    return Reader(table.save_state(), read, ValueError, (*BYTES, changed))


READERS = {name: make for name, make in globals().items() if name.startswith("of_")}


def check(make: Callable[[Path], Reader], folder: Path, n: int) -> None:
    """Read a file in ``n`` changed forms: many are refused, and only with the documented error."""
    reader, rng, refused = make(folder), random.Random(make.__name__), 0
    path = folder / reader.name
    path.write_bytes(reader.content)
    reader.read(path)
    for k in range(n):
        content = rng.choice(reader.changes)(rng, reader.content)
        path.write_bytes(content)
        try:
            with warnings.catch_warnings(action="ignore"):
                reader.read(path)
        except reader.error:
            refused += 1
        except Exception as error:
            error.add_note(f"change {k} of {make.__name__}: {content[:2000]!r}")
            raise
    assert refused > n // 4


@pytest.mark.parametrize("make", READERS.values(), ids=READERS)
def test_a_changed_file_is_read_or_refused_as_documented(
    make: Callable[[Path], Reader], tmp_path: Path
) -> None:
    check(make, tmp_path, QUICK)


@pytest.mark.long
@pytest.mark.parametrize("make", READERS.values(), ids=READERS)
def test_many_changed_files_are_read_or_refused_as_documented(
    make: Callable[[Path], Reader], tmp_path: Path
) -> None:
    check(make, tmp_path, LONG)


# Files that only manual changes can produce.


@pytest.mark.parametrize("bit", range(8))
def test_every_flipped_bit_of_weights_ends_well(bit: int) -> None:
    """The test flips the bit in one byte of nine; flips in the other bytes are no different."""
    content = weights.pack(weights.weights_for(Rules()))
    for at in range(bit, len(content), 9 if len(content) < 20_000 else len(content) // 200):
        changed = content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]
        with suppress(ValueError):
            weights.unpack("x.npz", changed)


HEAD = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (with_header("values", HEAD.format("<i2", "(4294967296,)")), "does not have the size"),
        (with_header("values", HEAD.format("|O", "(1,)")), "is not that of a plain array"),
        (with_header("values", HEAD.format("<f4", "(0,)")), "float32 with 1 axes, not int16"),
        (with_header("values", HEAD.format("<i2", "(0, 1000000000000)")), "int16 with 2 axes"),
        (with_header("values", "[" * 500), "is not that of a plain array"),
        (with_header("others", HEAD.format("<i2", "(0,)")), "no item named 'values.npy'"),
        (
            declaring(with_header("values", HEAD.format("<i2", "(0,)")), "values", 2**32 - 2),
            "it contains 4,294,967,294 bytes, but 1,000 are expected at most",
        ),
    ],
)
def test_arrays_are_not_made_before_their_size_is_known(content: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_arrays(content, {"values": ("int16", 1)}, 1_000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[NaN]", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("[1e999]", "1e999 is too large"),
        ("9" * 301, "a number of 301 digits"),
        ("[" * 65 + "]" * 65, "nested more than 64 deep"),
        ("[" * 200_000, "not valid JSON"),
    ],
)
def test_json_that_no_other_program_reads_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"it: .*{said}"):
        read_json("it", text)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (crafted(meta="[]"), "not a mapping"),
        (crafted(meta='{"steps": Infinity}'), "Infinity is not a number"),
        (crafted(meta="[" * 200_000), "not valid JSON"),
        (crafted(arrays='{"a": {"dtype": "<f4", "shape": [1e300]}}'), "cannot have the shape"),
        (crafted(arrays='{"a": {"dtype": "<f4", "shape": [true]}}'), "cannot have the shape"),
        (crafted(arrays='{"a": {"dtype": "<f4", "shape": [0, 1' + "0" * 30 + "]}}"), "cannot have"),
        (
            crafted(arrays='{"a": {"dtype": "<f4", "shape": [1]}}', data=b"\x00\x00\xc0\x7f"),
            "array 'a' holds a value that is not a number, such as NaN",
        ),
    ],
)
def test_a_crafted_checkpoint_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=f"line 3 is not valid: .*{said}"):
        read_checkpoint(path)


def test_a_network_takes_no_memory_before_its_parameters_fit(tmp_path: Path) -> None:
    network_agent = pytest.importorskip("carc_env.agents.network_agent")
    path = tmp_path / "a.ckpt"
    network = {"extractor": "residual", "channels": 4096, "blocks": 4, "hidden": 4096}
    for changes, said in (
        ({"network": network}, "parameters do not match"),  # 5 GiB
        ({"network": network | {"extractor": "attention"}}, "'attention' only play in carc_env"),
        ({"network": []}, "not valid here"),
        ({"rules": []}, "it names no rules"),
        ({"rules": [[]]}, "not valid here"),
    ):
        meta = {"rules": Rules(view=12).to_dict(), "network": network} | changes
        write_checkpoint(path, meta, {"network/x": np.zeros(1, np.float32)})
        with pytest.raises(CheckpointError, match=said):
            network_agent.network_in(path)
