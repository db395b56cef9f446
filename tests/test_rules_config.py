"""Rules: presets, YAML, and clear messages for everything that is not allowed."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carc_env import Game, Rules
from carc_env.choices import check_choice
from carc_env.engine.core.tiles import FACTS
from carc_env.layout.template import template
from carc_env.rules import PRESETS, TILE_SETS


def test_defaults_are_the_base_preset():
    assert Rules() == Rules.preset("base")
    assert Rules().abbot and Rules().n_players == 2 and Rules().sets == ("base",)


def test_keywords_override_a_preset():
    rules = Rules.preset("first-edition", n_players=4)
    assert (rules.edition, rules.abbot, rules.n_players) == ("C1", False, 4)


@pytest.mark.parametrize(
    "rules", [Rules(), Rules(n_players=6, view=24), Rules.preset("winter", winter_gardens="none")]
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
        ({"edition": "C1"}, ["Rules(edition='C1', abbot=False)", "{edition: C1, abbot: false}"]),
        ({"edition": "C1"}, ["Rules.preset('first-edition')"]),
        ({"preset": "first-edition", "abbot": True}, ["edition='C1' needs abbot=False"]),
        ({"winter_gardens": "none"}, ["winter_gardens", "WE3"]),
        ({"plague": True}, ["switch must be one of 'preset', 'n_players'", "'plague'"]),
        ({"festivall": True}, ["must be one of 'festival' and ", "; did you mean 'festival'?"]),
        ({"sets": ("base", "corn-circles")}, ["each of sets", "; did you mean 'corn'?"]),
        (
            {"sets": ("base", "phantom")},
            ["not a set of tiles but a switch: write phantom=True"],
        ),
        ({"sets": ("base", "river2", "count")}, ["COU-28", "count_with_river='allow'"]),
        ({"tunnel_breaks_road": "yes"}, ["tunnel_breaks_road", "False, True, None"]),
        ({"count_final": "castle"}, ["count_final", "None", "'market'", "'any'"]),
        ({1: 2}, ["switch must be one of", "got 1"]),
        ({None: 2}, ["switch must be one of", "got None"]),
        ({("view",): 12}, ["switch must be one of", "got ('view',)"]),
        ({"preset": "moon"}, ["preset must be one of 'base'", "'moon'"]),
        ({"preset": ["all"]}, ["preset must be one of 'base'", "['all']"]),
        ({"n_players": float("nan")}, ["n_players must be an int", "nan"]),
        ({"n_players": np.int64(3)}, ["n_players must be an int", "np.int64(3)"]),
        ({"n_players": [2]}, ["n_players must be an int", "[2]"]),
        ({"view": np.arange(3)}, ["view must be an int"]),
        ({"small_city_points": np.arange(3)}, ["small_city_points must be one of 4, 2"]),
        ({"small_city_points": 4.0}, ["small_city_points must be one of 4, 2", "4.0"]),
        ({"edition": ["C1"]}, ["edition must be one of", "['C1']"]),
        ({"edition": {}}, ["edition must be one of", "{}"]),
        ({"abbot": np.bool_(True)}, ["abbot must be one of False, True"]),
        ({"wagon_adjacency": float("nan")}, ["wagon_adjacency", "nan"]),
        ({"sets": {"base"}}, ["sets must be a tuple"]),
        ({"sets": ("base", ["inns"])}, ["each of sets", "['inns']"]),
        ({"sets": ("base", np.arange(2))}, ["each of sets"]),
        ({"sets": np.array(["base"])}, ["sets must be a tuple"]),
    ],
)
def test_what_is_not_allowed_is_refused_with_field_and_values(switches, words):
    with pytest.raises(ValueError) as caught:
        Rules.from_dict(switches)
    for word in words:
        assert word in str(caught.value)


def test_unknown_switches_are_refused_at_construction_too():
    with pytest.raises(ValueError, match=r"switch must be one of 'n_players', .*; got 'plague'$"):
        Rules(plague=True)


@pytest.mark.parametrize("name", ["moon", ["all"], None, np.array(["all"])])
def test_unknown_preset_names_the_known_ones(name):
    with pytest.raises(ValueError, match=r"preset must be one of 'base', .*'winter'; got"):
        Rules.preset(name)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[", "rules: not valid YAML: while parsing"),
        ("a: b: c", "not valid YAML"),
        ("\tn_players: 3", "not valid YAML"),
        ("\0", "not valid YAML"),
        ("{}\n---\n{}", "not valid YAML"),
        ("- 1", r"mapping of switches, got \[1\]"),
        ("7", "mapping of switches, got 7"),
        ("", "mapping of switches, got None"),
        ("{n_players: 9}", "n_players must be an int"),
        ("{1: 2}", "switch must be one of .*; got 1"),
        ("{[view]: 2}", "unhashable key"),
        ("{view: 12, view: 14}", "'view' is given twice"),
        ("{view: 0x_}", "not valid YAML"),
        ("{view: 2001-99-99}", "not valid YAML"),
        ("{view: 1" + ":59" * 200 + ".5}", "not valid YAML"),
        ("!!timestamp x", "tags are not allowed"),
        ("{view: !!int ''}", "tags are not allowed"),
        ("!!python/object/apply:os.getcwd []", "tags are not allowed"),
        ("{sets: &a [base], sets: *a}", "anchors and aliases are not allowed"),
        ("[" * 9_000, "nested more than 8 deep"),
        ("{a: " * 2_000, "nested more than 8 deep"),
        ("[" * 100_000, "rules of 100,000 characters, more than 10,000"),
        ("bridge", "preset must be one of .*; got 'bridge'; did you mean 'bridges'"),
        (b"{}", "rules must be YAML text, got b'{}'"),
        (None, "rules must be YAML text, got None"),
    ],
)
def test_bad_yaml_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        Rules.from_yaml(text)


@pytest.mark.filterwarnings("ignore:.* has no effect")
@given(
    st.text()
    | st.text("{}[]:,-!&*<=|>?'\"%@#~.0123456789_xbeinfaT \n\t")
    | st.builds("{{{}: {}}}".format, st.sampled_from(["view", "sets", "inns"]), st.text())
)
def test_any_text_is_rules_or_a_value_error(text):
    try:
        rules = Rules.from_yaml(text)
    except ValueError:
        return
    assert Rules.from_yaml(rules.to_yaml()) == rules


def test_the_order_of_sets_makes_no_other_game():
    canonical = Rules(sets=("base", "inns", "traders"))
    for sets in permutations(canonical.sets):
        rules = Rules(sets=sets)
        assert rules == canonical and hash(rules) == hash(canonical)
        assert rules.sets == ("base", "inns", "traders")
        assert rules.to_yaml() == canonical.to_yaml() == "{sets: [base, inns, traders]}"
        assert template(rules) is template(canonical)


def test_presets_are_named_wherever_rules_are():
    changed = Rules.preset("all", n_players=4)
    for name in PRESETS:
        assert Rules.of(name) == Rules.from_dict(name) == Rules.from_yaml(name)
        assert Rules.of(name) == Rules.of({"preset": name}) == Rules.preset(name)
    assert Rules.of({"preset": "all", "n_players": 4}) == changed
    assert Rules.from_yaml("{preset: all, n_players: 4}") == changed
    assert Rules.from_yaml("n_players: 4\npreset: all\n") == changed
    assert "preset" not in changed.to_yaml()
    assert Rules.from_yaml(changed.to_yaml()) == changed


# Systems without tiles.


def has(facts, switch):
    """Return whether a tile in the data file has something that the switch is about."""
    parts = [*facts.get("cities", []), *facts.get("roads", [])]
    words = {"inns": ("inn", "cathedral"), "goods": ("goods",), "bazaars": ()}[switch]
    return "bazaar" in facts if switch == "bazaars" else any(w in p for p in parts for w in words)


@pytest.mark.parametrize("edition", ["C1", "C2"])
@pytest.mark.parametrize("added", TILE_SETS[1:])
@pytest.mark.parametrize("switch", ["inns", "goods", "bazaars"])
def test_a_system_that_no_tile_in_play_is_about_is_warned_of(switch, added, edition, recwarn):
    sets = ("base", added)
    rules = Rules(sets=sets, edition=edition, abbot=edition == "C2", **{switch: True})
    in_play = [tile for tile in FACTS if tile["set"] in sets and tile["n"][edition]]
    messages = [str(warning.message) for warning in recwarn]
    assert getattr(rules, switch)
    assert len(messages) == (not any(has(tile, switch) for tile in in_play))
    assert all(m.startswith(f"{switch}=True has no effect: no tile of sets=") for m in messages)


def test_the_warning_says_which_sets_to_add():
    with pytest.warns(UserWarning, match="add 'inns' or 'bridges' or 'river2' to sets"):
        Rules(inns=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Rules(goods=True),
        lambda: Rules.preset("base", goods=True),
        lambda: Rules.of({"goods": True}),
        lambda: Rules.from_yaml("{goods: true}"),
        lambda: Rules().replace(goods=True),
        lambda: Game({"goods": True}, seed=1),
    ],
)
def test_the_warning_blames_whoever_calls_the_package(make):
    with pytest.warns(UserWarning, match="goods=True has no effect") as caught:
        make()
    assert [warning.filename for warning in caught] == [__file__]


def test_presets_and_systems_that_are_off_are_not_warned_of(recwarn):
    for name in PRESETS:
        Rules.preset(name)
    Rules(bazaar_mode="take", castle_choice="ask", wagon_adjacency="C1", bridges=True)
    assert not recwarn.list


# Messages.


@pytest.mark.parametrize(
    ("value", "allowed", "end"),
    [
        ("wagon", ("wagons", "barns"), "; did you mean 'wagons'?"),
        ("GREEDY", ("random", "greedy"), "; did you mean 'greedy'?"),
        ("dragon", ("wagons", "barns"), "got 'dragon'"),
        ("", ("wagons", "barns"), "got ''"),
        ("corn", ("barns", "corn-circles"), "; did you mean 'corn-circles'?"),
        ("mage_witch", ("barns", "mage"), "; did you mean 'mage'?"),
        (["wagons"], ("wagons", "barns"), "got ['wagons']"),
        ("true", (True, False), "got 'true'"),
    ],
)
def test_a_choice_that_was_probably_meant_is_named(value, allowed, end):
    with pytest.raises(ValueError) as caught:
        check_choice("name", value, allowed)
    assert str(caught.value).endswith(end)


def test_differences_name_the_fields_that_differ():
    rules = Rules(n_players=3)
    assert rules.differences(Rules(n_players=3)) == ""
    assert rules.differences(Rules(sets=("base", "inns"))) == (
        "n_players: 3 -> 2, sets: ('base',) -> ('base', 'inns')"
    )


@pytest.mark.parametrize(("breaks", "found"), [(None, True), (True, True), (False, False)])
def test_tunnels_break_roads_unless_rules_say_otherwise(breaks, found):
    rules = Rules.preset("tunnel", tunnel_breaks_road=breaks)
    assert (rules.breaks_roads, rules.tunnel_breaks_road) == (found, breaks)
    without = rules.replace(tunnels=False)
    assert not without.breaks_roads
    assert without == Rules(sets=("base", "tunnel"))  # files of 0.2.0 store False for all games


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_printed_makes_the_rules_again(name):
    rules = Rules.preset(name, n_players=3)
    assert eval(repr(rules)) == rules
    assert "goods=False" not in repr(rules)
