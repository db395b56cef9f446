"""Games and data sets have the form that their schemas define, and no other."""

import json
from pathlib import Path

import pytest
from carc_env.agents.dataset import Recipe, describe, write_file
from jsonschema import Draft202012Validator, ValidationError
from write_schemas import FOLDER, SCHEMAS, text_of

from carc_env import Game, Rules, format_record, read_record
from carc_env.game.interchange import game_from_json, game_to_json

pytestmark = pytest.mark.once

GOLDEN = sorted(Path(__file__).with_name("golden").glob("*.carc"))


def schema(name):
    return Draft202012Validator(json.loads((FOLDER / name).read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def played():
    game = Game(Rules(n_players=3), seed=1)
    while game.n_tiles_left > 50:
        game.apply(game.greedy_action())
    return game_to_json(game, {"players": ["a", "b", "c"], "club": "Carcassonne"})


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_up_to_date(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == text_of(name), "make docs"
    Draft202012Validator.check_schema(json.loads(text_of(name)))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_records_become_json_and_games_again(path):
    game = read_record(path)
    found = json.loads(json.dumps(game_to_json(game)))
    schema("game.schema.json").validate(found)
    assert format_record(game_from_json(found)) == format_record(game)


def test_what_is_said_about_a_game_is_kept(played):
    schema("game.schema.json").validate(played)
    assert played["about"]["club"] == "Carcassonne"
    assert not game_from_json(played).is_over


def changed(played, **parts):
    return json.loads(json.dumps({**played, **parts}))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"version": 2}, "version 2"),
        ({"rules": {"n_players": 9}}, "n_players must be"),
        ({"turns": [{"turn": 1}]}, "not a game as JSON: turns.0.player: Field required"),
        ({"turns": 3}, "not a game as JSON: turns: Input should be a valid list"),
        ({"turns": [None]}, "not a game as JSON: turns.0: "),
        ({"moves": []}, "not a game as JSON: moves: Extra inputs are not permitted"),
        ({"about": {"deep": json.loads("[" * 99 + "]" * 99)}}, "nested more than 64 deep"),
        ({"draw": ["bg-cap"]}, "turn 0: "),
        ({"scores": [900, 0, 0]}, "the record has"),
        ({"finished": True}, "the record has True"),
    ],
)
def test_other_games_are_refused_with_the_reason(played, parts, said):
    with pytest.raises(ValueError, match=said):
        game_from_json(changed(played, **parts))


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (
            {"player": 1},
            "turn 1: the replayed game has .*'player': 0.*, the file has .*'player': 1",
        ),
        ({"player": 9}, "turns.0.player: Input should be less than 6"),
        ({"player": True}, "turns.0.player: Input should be a valid integer"),
        ({"scores": [0, 0]}, "the scores are 4:0:0, but the record has 0:0"),
        ({"decisions": [{"seat": 9, "name": "pass"}]}, "turns.0.decisions.0.seat: "),
        ({"decisions": [{"seat": 0, "name": 3}]}, "turns.0.decisions.0.name: "),
    ],
)
def test_what_a_turn_says_is_checked(played, turn, said):
    broken = changed(played)
    broken["turns"][0] |= turn
    with pytest.raises(ValueError, match=said):
        game_from_json(broken)


@pytest.mark.parametrize("k", [0, 5, -1])
def test_a_turn_without_decisions_is_refused(played, k):
    broken = changed(played)
    idle = {"turn": broken["turns"][k]["turn"], "player": 2, "decisions": [], "scores": [90, 0, 0]}
    broken["turns"].insert(k, idle)
    with pytest.raises(
        ValueError, match=f"turn {idle['turn']}: the replayed game has .*, the file has "
    ):
        game_from_json(broken)


@pytest.mark.parametrize(
    "parts",
    [
        {"version": 2},
        {"format": "chess"},
        {"rules": {"edition": "C9"}},
        {"rules": {"speed": 3}},
        {"draw": [1]},
        {"turns": [{"turn": 1, "player": 0, "decisions": [], "scores": [0, 0]}]},
        {"moves": []},
    ],
)
def test_the_schema_refuses_other_forms(played, parts):
    with pytest.raises(ValidationError):
        schema("game.schema.json").validate(changed(played, **parts))


def test_a_game_from_a_position_has_no_json():
    game = Game.from_position(Game(seed=1).position(), seed=1)
    game.apply(game.greedy_action())
    middle = Game.from_position(game.position(), seed=1)
    with pytest.raises(ValueError, match="needs its beginning"):
        game_to_json(middle)


def test_a_data_set_has_the_form_of_its_schema(tmp_path):
    recipe = Recipe(Rules(view=20), agents=("greedy",), teacher="value", games=1)
    path = tmp_path / "games-00000.npz"
    write_file(path, recipe, recipe.make(0))
    found = json.loads(json.dumps(describe(path)))
    schema("dataset.schema.json").validate(found)
    found["arrays"]["values"]["dtype"] = "float64"
    with pytest.raises(ValidationError):
        schema("dataset.schema.json").validate(found)
