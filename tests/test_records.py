"""Game records: round trip, verification, and refusal of truncated or edited text."""

import random
import re
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carc_env import Game, Rules
from carc_env.game import records
from carc_env.game.archive import Archive
from carc_env.game.notation import parse_position
from carc_env.words import NotationError
from tests.full_disk import full_disk


def played(seed, n_players=2, n_steps=10**6, **switches):
    rng = random.Random(seed)
    game = Game(Rules(n_players=n_players, **switches), seed=seed)
    for _ in range(n_steps):
        if game.is_over:
            break
        game.apply(rng.choice(game.legal_actions()))
    return game


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 200), st.booleans())
def test_records_round_trip(seed, n_players, n_steps, auto_single):
    game = played(seed, n_players, n_steps, auto_single=auto_single)
    text = records.format_record(game)
    again = records.load_record(text)
    assert again.moves == game.moves
    assert str(again) == str(game)
    assert records.format_record(again) == text


def test_players_keep_their_names():
    game = Game(seed=1)
    game.apply(game.legal_actions()[0])
    names = ("Ann [#1]", 'Zoë "B", 2')
    text = records.format_record(game, names)
    assert records.parse_record(text).players == names
    assert records.load_record(text).moves == game.moves
    assert records.parse_record(records.format_record(game)).players == ()
    with pytest.raises(ValueError, match="1 names for 2 players"):
        records.format_record(game, names[:1])
    for wrong in ('["Ann"]', "Ann, Ben", '["Ann", 2]', '["Ann", ""]', "[" * 10_000):
        line = re.sub(r"\[players .*\]", f"[players {wrong}]", text)
        with pytest.raises(NotationError, match=r"^line 4: .*names"):
            records.load_record(line)


def test_a_name_may_hold_every_character():
    every = [chr(k) for k in (*range(0x300), 0x2028, 0x2029, 0x3000, 0xFEFF, 0xE0001, 0x1F3B2)]
    names = ("".join(every), " ".join(reversed(every)))
    text = records.format_record(Game(seed=1), names)
    assert records.parse_record(text).players == names
    assert str(records.load_record(text)) == str(Game(seed=1))
    assert len(text.splitlines()) == text.count("\n")
    raw = text.replace(r"\u2028", "\u2028")  # as 0.2 wrote it
    assert records.parse_record(raw).players == names


def test_a_name_that_no_file_can_hold_is_refused():
    for names, problem in ((("A\ud800", "B"), "half of a character"), (("A", ""), "name is empty")):
        with pytest.raises(ValueError, match=problem):
            records.format_record(Game(seed=1), names)
    text = records.format_record(Game(seed=1), ("Ann", "Ben"))
    with pytest.raises(NotationError, match=r"line 4: the names.*half of a character"):
        records.load_record(text.replace("Ann", r"A\udfff"))


@pytest.mark.parametrize("order", ["bazaar_first", "builder_first"])
@pytest.mark.parametrize("seed", range(4))
def test_games_with_second_parts_are_recorded(seed, order):
    game = Game(Rules.preset("all", n_players=3, bazaar_builder_order=order), seed=seed)
    n_second_parts, n_face_down = 0, 0
    while not game.is_over:
        position = game.position()
        n_second_parts += position.first_part is not None
        if position.bazaar is not None and position.bazaar.waits:
            game.reshuffle(n_face_down)
            n_face_down += 1
        game.apply(game.greedy_action() if game.decider else game.random_action())
    assert n_second_parts > 0
    text = records.format_record(game)
    again = records.load_record(text)
    assert again.moves == game.moves
    assert str(again) == str(game)
    assert records.format_record(again) == text


def test_a_loaded_unfinished_game_goes_on_as_it_would_have():
    game = played(3, n_steps=40)
    again = records.load_record(records.format_record(game))
    rng = random.Random(0)
    while not game.is_over:
        action = rng.choice(game.legal_actions())
        game.apply(action)
        again.apply(action)
    assert str(again) == str(game)


def test_a_reshuffled_game_is_recorded_as_it_went_on():
    game = played(3, n_steps=40)
    game.reshuffle(99)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    assert str(records.load_record(records.format_record(game))) == str(game)


def test_a_delayed_bazaar_is_recorded_for_the_seat_that_holds_it():
    """BAZ-18: A's bought tile fits nowhere, and the tile drawn instead starts a bazaar."""
    rules = Rules(sets=("base", "bridges"), bazaars=True, auto_single=False)
    other = Game(rules, seed=1)
    bag = [*other.drawn, *other.position().bag]
    first = ["bg-cap", "bcb-bazaar", *["bcb-city4-bazaar"] * 2, "bcb-road-bazaar-inn", "bg-curve"]
    for tile in first:
        bag.remove(tile)
    game = Game(rules, draw=[*first, *bag])
    for move in ("bg-cap 0,-1 r2", "pass", "bcb-bazaar 0,1 r0", "pass", "pick 1", "bid 0", "pass"):
        game.apply(move)
    while game.phase.name != "BAZAAR_PICK":
        game.apply(game.legal_actions()[-1])
    bazaar = game.position().bazaar
    assert (bazaar.starter, bazaar.resumes, game.turn_player) == (0, 1, 0)
    for _ in range(30):
        game.apply(game.legal_actions()[0])
    text = records.format_record(game)
    assert str(records.load_record(text)) == str(game)
    assert records.format_record(records.load_record(text)) == text


def test_files_are_written_whole_and_read_back(tmp_path):
    game = played(5)
    path = tmp_path / "game.carc"
    records.write_record(path, game)
    assert str(records.read_record(path)) == str(game)
    assert [p.name for p in tmp_path.iterdir()] == ["game.carc"]


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "game.carc"
    path.write_text("old")
    with pytest.raises(TypeError):
        records.replace_file(path, "text instead of bytes")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["game.carc"]


def test_a_game_from_the_middle_has_no_record():
    game = Game.from_position(parse_position(str(played(5, n_steps=30))))
    with pytest.raises(ValueError, match="a record needs a game from its beginning"):
        records.format_record(game)


@pytest.mark.parametrize(
    ("old", "new"),
    [("[scores 0:0]", "[scores 3:0]"), ("[turn A", "[turn B"), ("r0", "r0: A meeple N")],
)
def test_a_game_from_an_odd_beginning_has_no_record(old, new):
    text = str(Game(Rules(auto_single=False), seed=5))
    assert old in text
    game = Game.from_position(parse_position(text.replace(old, new)))
    with pytest.raises(ValueError, match="a record needs a game from its beginning"):
        records.format_record(game)


TEXT = records.format_record(played(1))
LINES = TEXT.splitlines()


def edited(line, old, new):
    lines = LINES.copy()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "\n".join(lines)


def with_scores_of(line, scores):
    head, _, _ = LINES[line - 1].rpartition(" = ")
    return "\n".join([*LINES[: line - 1], f"{head} = {scores}", *LINES[line:]])


@pytest.mark.parametrize("n_lines", range(0, len(LINES), 7))
def test_a_record_that_is_cut_off_is_refused(n_lines):
    with pytest.raises(NotationError, match=r"line \d+: (expected|the record ends without)"):
        records.load_record("\n".join(LINES[:n_lines]))


def test_a_record_that_is_cut_off_inside_a_line_is_refused():
    for n_bytes in range(1, len(TEXT) - 2, 61):
        with pytest.raises(NotationError):
            records.load_record(TEXT[:n_bytes])


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (edited(1, "game 1", "game 9"), 1, "expected [carc_env game 1]"),
        (edited(2, "{}", "{n_players: 3}"), 4, "expected 3 numbers"),
        (edited(2, "{}", "{n_players: 7}"), 2, "n_players must be"),
        (edited(3, "[draw ", "[draw bg-curve "), 3, "draw must hold the 71 tiles"),
        (edited(3, "[draw ", "[draw dragon "), 3, "unknown tile 'dragon'"),
        (edited(4, "1 A ", "1 B "), 4, "the record has turn 1, B"),
        (edited(10, "7 A ", "8 A "), 10, "the record has turn 8"),
        (edited(4, " r", " r7"), 4, "is not legal"),
        (edited(20, ",", ",,"), 20, "is not legal"),
        (with_scores_of(30, "99:0"), 30, "the record has 99:0"),
        (edited(len(LINES) - 1, "result", "unfinished"), len(LINES) - 1, "the record has False"),
        (edited(len(LINES) - 1, "[result ", "[result 1"), len(LINES) - 1, "the record has"),
        (edited(len(LINES), "[check ", "[check 0"), len(LINES), "it was edited"),
    ],
)
def test_an_edited_record_is_refused_with_line_and_reason(text, line, reason):
    with pytest.raises(NotationError) as caught:
        records.load_record(text)
    assert reason in str(caught.value)
    assert caught.value.line == line


def sealed(lines):
    """Return a record of these lines with a valid checksum."""
    return "\n".join((*lines, f"[check {records._checksum(lines)}]"))


def aside():
    """Return the lines of a record in which a tile was put aside, and the index of that line."""
    for seed in count():
        lines = records.format_record(played(seed, view=12)).splitlines()[:-1]
        for k, line in enumerate(lines):
            if "aside " in line:
                return lines, k


def test_tiles_put_aside_are_those_that_had_no_place():
    lines, k = aside()
    assert records.load_record(sealed(lines)).is_over
    tile = lines[k].partition("aside ")[2].partition(",")[0]
    for edit in (
        lines[k].replace(f"aside {tile}, ", "", 1),
        lines[k].replace(f"aside {tile}", "aside nonsense", 1),
        lines[k].replace(f"aside {tile}", f"aside {tile}, aside {tile}", 1),
    ):
        with pytest.raises(NotationError, match="the turn is ") as caught:
            records.load_record(sealed([*lines[:k], edit, *lines[k + 1 :]]))
        assert caught.value.line == k + 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("1 A ", "\u0661 A ", "expected a turn such as"),
        ("1 A ", "01 A ", "expected a turn such as"),
        ("= 0:0", "= -0:0", "expected 2 numbers"),
        ("= 0:0", "= \u0660:0", "expected 2 numbers"),
        (" = ", ", aside bg-curve = ", "the turn is "),
        ("1 A ", "1 A A: ", "the turn is "),
        (" = ", "= ", "expected a turn such as"),
    ],
)
def test_a_turn_is_written_as_we_write_it(old, new, reason):
    lines = LINES[:-1]
    assert old in lines[3]
    lines[3] = lines[3].replace(old, new, 1)
    with pytest.raises(NotationError, match=reason) as caught:
        records.load_record(sealed(lines))
    assert caught.value.line == 4


def test_a_turn_without_a_decision_is_refused():
    for line in ("1 A aside bg-curve = 900:0", "1 A aside bg-curve = 0:0"):
        with pytest.raises(NotationError, match="the turn is ") as caught:
            records.load_record(sealed([*LINES[:3], line, *LINES[3:-1]]))
        assert caught.value.line == 4


def test_an_edit_that_keeps_the_game_legal_is_refused_too():
    lines = LINES.copy()
    lines[1] = "[rules {auto_single: true}]"
    with pytest.raises(NotationError, match="it was edited"):
        records.load_record("\n".join(lines))


def test_blanks_and_comments_are_no_edits():
    text = "# played on a rainy day\n" + TEXT.replace("\n", "   # so it was\n")
    assert str(records.load_record(text)) == str(records.load_record(TEXT))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "game.carc"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NotationError, match="is not a text file"):
        records.read_record(path)


def test_a_full_disk_names_the_file_and_what_is_whole(tmp_path):
    archive, game = Archive(tmp_path), played(1)
    first = archive.keep(game)
    whole = first.read_bytes()
    with full_disk(), pytest.raises(OSError, match="the previous file is intact") as failed:
        archive.keep(game)
    assert failed.value.filename == str(tmp_path / f"000002-{first.name.partition('-')[2]}")
    assert [*tmp_path.iterdir()] == [first] and first.read_bytes() == whole


def test_a_message_about_another_file_is_short():
    with pytest.raises(NotationError, match="line 1: expected") as refused:
        records.load_record('{"setup": [' + "1, " * 1000)
    assert len(str(refused.value)) < 300
