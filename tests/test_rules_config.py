"""Rules: presets, YAML, and a clear word for everything that is not allowed."""

import pytest

from carc_env import Rules


def test_defaults_are_the_base_preset():
    assert Rules() == Rules.preset("base")
    assert Rules().abbot and Rules().n_players == 2 and Rules().sets == ("base",)


def test_keywords_override_a_preset():
    rules = Rules.preset("first-edition", n_players=4)
    assert (rules.edition, rules.abbot, rules.n_players) == ("C1", False, 4)


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules(n_players=6, view=24), Rules.preset("winter", winter_gardens="none")],
)
def test_yaml_round_trip(rules):
    assert Rules.from_yaml(rules.to_yaml()) == rules
    assert Rules.from_dict(rules.to_dict()) == rules


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        ({"n_players": 7}, ["n_players", "2 to 6", "7"]),
        ({"n_players": 1}, ["n_players", "2 to 6"]),
        ({"n_players": True}, ["n_players"]),
        ({"n_players": "2"}, ["n_players", "'2'"]),
        ({"view": 31}, ["view", "even"]),
        ({"view": 200}, ["view", "12 to 48"]),
        ({"sets": ("base", "dragons")}, ["sets", "'dragons'", "'base'"]),
        ({"sets": ()}, ["sets", "'base'"]),
        ({"sets": None}, ["sets", "('base',)"]),
        ({"sets": "base"}, ["sets", "('base',)"]),
        ({"wagon_adjacency": "C3"}, ["wagon_adjacency", "None", "'C1'"]),
        ({"abbey_endgame": "x"}, ["abbey_endgame", "'until_blocked'"]),
        ({"mayors": 1}, ["mayors", "True"]),
        ({"sets": ("base", "base")}, ["sets", "twice"]),
        ({"edition": "C3"}, ["edition", "'C1'", "'C2'", "'WE3'"]),
        ({"small_city_points": 3}, ["small_city_points", "4", "2"]),
        ({"abbot_recall_completed": "perhaps"}, ["abbot_recall_completed", "'allow'"]),
        ({"abbot_recall_second_part": "x"}, ["abbot_recall_second_part", "'forbid'"]),
        ({"abbot": "yes"}, ["abbot", "True"]),
        ({"edition": "C1"}, ["abbot", "C1"]),
        ({"winter_gardens": "none"}, ["winter_gardens", "WE3"]),
        ({"dragon": True}, ["unknown switch", "'dragon'", "n_players"]),
    ],
)
def test_what_is_not_allowed_is_refused_with_field_and_values(switches, words):
    with pytest.raises(ValueError) as caught:
        Rules.from_dict(switches)
    for word in words:
        assert word in str(caught.value)


def test_unknown_switches_are_refused_at_construction_too():
    with pytest.raises(ValueError, match="unknown switch 'dragon'; switches: n_players"):
        Rules(dragon=True)


def test_unknown_preset_names_the_known_ones():
    with pytest.raises(ValueError, match="unknown preset 'moon'; presets: base"):
        Rules.preset("moon")


@pytest.mark.parametrize("text", ["[", "- 1", "7", "{n_players: 9}"])
def test_bad_yaml_is_refused(text):
    with pytest.raises(ValueError, match=r"YAML|n_players"):
        Rules.from_yaml(text)
