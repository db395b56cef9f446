"""Games under different rules in one layout: the games do not change, and share all shapes."""

import pickle
import random
import warnings

import numpy as np
import pytest

from carc_env import Game, Rules, Table
from carc_env.engine.core.state import STATE
from carc_env.envs.naming import make_agent
from carc_env.game.notation import format_position
from carc_env.game.records import format_record
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import make_encoding
from carc_env.layout.observations import (
    describe_globals,
    feature_names,
    global_names,
    own_global_names,
    plane_names,
)
from carc_env.layout.rule_globals import rule_names, rule_numbers
from carc_env.layout.screens import Screen
from carc_env.layout.shared import check_layout
from carc_env.rules import CHOICES, PRESETS, TILE_SETS, Layout
from tests.soak import random_rules

EVERYTHING = Layout.everything((2, 3, 4))
SMALL = Layout("base", Rules.preset("inns", n_players=3))
MOST = EVERYTHING.covers[3]

QUICK = {
    "base for 3": Rules(n_players=3),
    "first edition": Rules.preset("first-edition"),
    "bridges": Rules.preset(
        "bridges", castle_choice="ask", bridge_timing="any_time_before_scoring"
    ),
    "all for 4": Rules.preset("all", n_players=4),
    "minis": Rules.preset("minis"),
    "dragon and towers": Rules.preset(
        "princess-dragon", sets=("base", "tower", "princess", "flier"), towers=True, flier=True
    ),
    "lying, beside towers without rules": Rules(
        sets=("base", "tower", "count", "russian", "gold", "monasteries"),
        count_with_river="allow",
        wagons=True,
        special_monasteries="add",
    ),
    "tunnels for 3": Rules.preset("tunnel", tunnel_breaks_road=True, n_players=3),
    "decisions with one choice": Rules.preset("corn-circles", festival=False, auto_single=False),
}
LONG = {
    **{name: Rules.preset(name) for name in PRESETS},
    "winter for 4": Rules.preset("winter", n_players=4, winter_gardens="none"),
    "everything": MOST,
    "festival and flier": Rules.preset(
        "festival", sets=("base", "festival", "flier", "count"), flier=True, count=True
    ),
}
SETS = [pytest.param(rules, id=name) for name, rules in QUICK.items()] + [
    pytest.param(rules, id=name, marks=pytest.mark.long) for name, rules in LONG.items()
]


class Twins:
    """A game in its own layout and the same game in a shared layout, compared by names."""

    def __init__(self, rules, seed, layout=EVERYTHING):
        self.own = rules
        self.shared = rules.replace(layout=layout)
        self.tables = [Table(one, seed=seed) for one in (self.own, self.shared)]
        own, shared = (action_layout(one) for one in (self.own, self.shared))
        index = {shared.name(a): a for a in range(shared.n_actions)}
        self.action = np.array([index[own.name(a)] for a in range(own.n_actions)])
        self.plane = places(plane_names(self.own), plane_names(self.shared))
        self.column = places(feature_names(self.own), feature_names(self.shared))
        self.number = places(own_global_names(self.own), global_names(self.shared))
        told = range(len(global_names(self.shared)))[-len(rule_names(layout)) :]
        self.no_plane = sorted({*range(len(plane_names(self.shared)))} - {*self.plane})
        self.no_number = sorted({*range(told.start)} - {*self.number})
        self.told = slice(told.start, None)
        self.screens = [
            [Screen(make_encoding(one, kind, action_mask=True)) for kind in ("planes", "features")]
            for one in (self.own, self.shared)
        ]

    def step(self, action):
        self.tables[0].step(action)
        self.tables[1].step(int(self.action[action]))

    def play(self):
        """Compare a whole random game, and every sixth position as two seats see it."""
        rng, k = np.random.default_rng(3), 0
        while not self.tables[0].is_over:
            self.check_state()
            if k % 6 == 0:
                for seat in {self.tables[0].decider, int(rng.integers(self.own.n_players))}:
                    self.check_view(seat)
            legal = self.tables[0].legal_actions()
            self.step(legal[int(rng.integers(len(legal)))])
            k += 1
        self.check_state()
        self.check_view(0)

    def check_state(self):
        own, shared = self.tables
        assert shared.legal_actions() == sorted(self.action[own.legal_actions()].tolist())
        assert (own.phase, own.decider, own.scores) == (shared.phase, shared.decider, shared.scores)
        assert own.standings == shared.standings
        assert beside_rules(own) == beside_rules(shared)
        assert own.in_layout(self.shared.layout).states.tobytes() == shared.states.tobytes()
        assert shared.in_layout(None).states.tobytes() == own.states.tobytes()

    def check_view(self, seat):
        for kind in range(2):
            for table, screens in zip(self.tables, self.screens, strict=True):
                table.show(screens[kind], seat)
        (own, own_tokens), (shared, shared_tokens) = (
            [screen.rows for screen in screens] for screens in self.screens
        )
        np.testing.assert_array_equal(shared["board"][self.plane], own["board"])
        assert not shared["board"][self.no_plane].any()
        np.testing.assert_array_equal(shared["globals"][self.number], own["globals"])
        assert not shared["globals"][self.no_number].any()
        np.testing.assert_array_equal(
            shared["globals"][self.told], np.array(rule_numbers(self.shared), np.float32)
        )
        legal = self.action[np.flatnonzero(own["action_mask"])]
        assert sorted(np.flatnonzero(shared["action_mask"])) == sorted(legal)
        n, kept = len(own_tokens["tokens"]), [*self.plane, -2, -1]
        for name in ("n_features", "n_links"):
            assert own_tokens[name] == shared_tokens[name]
        features = shared_tokens["features"][:, self.column]
        np.testing.assert_array_equal(
            features[: len(own_tokens["features"])], own_tokens["features"]
        )
        assert not np.delete(shared_tokens["features"], self.column, 1).any()
        np.testing.assert_array_equal(shared_tokens["tokens"][:n, kept], own_tokens["tokens"])
        assert not shared_tokens["tokens"][n:].any()


def places(names, among):
    where = {name: k for k, name in enumerate(among)}
    return [where[name] for name in names]


def beside_rules(table):
    record = np.frombuffer(table.states.tobytes(), np.uint8).copy()
    kind, start = STATE.fields["rules"][:2]
    record[start : start + kind.itemsize] = 0
    return record.tobytes()


@pytest.mark.parametrize("rules", SETS)
def test_a_game_is_the_same_in_a_shared_layout(rules):
    Twins(rules, seed=3).play()


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(k, marks=pytest.mark.long) for k in range(3, 40))]
)
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_random_games_are_the_same_in_a_layout_of_random_rules(seed):
    rng = random.Random(seed)
    drawn = [random_rules(rng, view=20) for _ in range(rng.randint(2, 5))]
    Twins(drawn[0], seed, Layout(*drawn)).play()


def test_one_screen_shows_games_under_different_rules():
    screen = Screen(make_encoding(Rules(layout=EVERYTHING)))
    for rules in (MOST, Rules(), Rules(n_players=4), Rules.preset("all")):
        table = Table(rules.replace(layout=EVERYTHING), seed=1)
        for _ in range(30):
            table.step(table.random_action())
        table.show(screen)
        fresh = table.observe()
        for name, row in screen.rows.items():
            np.testing.assert_array_equal(row, fresh[name], err_msg=name)


@pytest.mark.parametrize("agent", ["greedy", "value", "insight", "search:sims=60", "mcts:sims=20"])
def test_agents_choose_the_same_in_a_shared_layout(agent):
    rules = Rules.preset("abbey-mayor")
    twins = Twins(rules, seed=5)
    players = [make_agent(agent, one, seed=1) for one in (twins.own, twins.shared)]
    for _ in range(12):
        chosen = [player.act(table) for player, table in zip(players, twins.tables, strict=True)]
        assert twins.action[chosen[0]] == chosen[1]
        twins.step(chosen[0])


def test_states_are_saved_with_the_layout_and_texts_without():
    rules = Rules.preset("inns", layout=EVERYTHING)
    table, own = Game(rules, seed=2), Game(rules.plain, seed=2)
    for _ in range(20):
        choice = own.name(own.random_action())
        own.apply(choice)
        table.apply(choice)
    again = Table(rules, seed=9)
    again.load_state(table.save_state())
    for copy in (again, table.clone(), pickle.loads(pickle.dumps(table))):
        assert copy.states.tobytes() == table.states.tobytes()
        assert copy.legal_actions() == table.legal_actions()
    assert len(table.save_state()) < len(own.save_state()) + 40
    assert format_position(table.position()) == format_position(own.position())
    assert format_record(table) == format_record(own)
    with pytest.raises(ValueError, match="saved in another layout"):
        own.load_state(table.save_state())
    with pytest.raises(ValueError, match="saved in another layout"):
        Table(rules.replace(layout=SMALL), seed=1).load_state(table.save_state())


def test_a_layout_is_read_from_yaml_and_pickled():
    rules = Rules.preset("inns", layout=SMALL)
    assert Rules.from_yaml(rules.to_yaml()) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert Rules.from_dict(rules.to_dict()).layout == SMALL
    with pytest.raises(ValueError, match="a layout must be a Layout or a list of rules, got 'all'"):
        Rules(layout="all")


def test_a_layout_needs_rules_with_one_view():
    with pytest.raises(ValueError, match="a layout needs rules, all with the same view"):
        Layout()
    with pytest.raises(ValueError, match="a layout needs rules, all with the same view"):
        Layout({"view": 20}, {"view": 24})


@pytest.mark.parametrize(
    ("rules", "missing"),
    [
        (Rules.preset("tower"), "no room for the set 'tower', phase elsewhere, phase capture"),
        (Rules(n_players=4), "no room for 4 players, turn 3, decides 3, score 3, projected 3 and "),
        (Rules.preset("traders"), "no room for the set 'traders', builders 0"),
        (Rules(view=20), "view=20, but the layout has view=32"),
    ],
    ids=["sets", "seats", "tiles", "view"],
)
def test_rules_that_need_more_than_the_layout_has_are_refused(rules, missing):
    with pytest.raises(ValueError, match=missing):
        Table(rules.replace(layout=SMALL), seed=1)


def test_figures_that_lie_need_a_layout_in_which_they_can():
    lying = Rules.preset("abbey-mayor", sets=("base", "abbey", "monasteries"))
    with pytest.raises(ValueError, match="the layout has no room"):
        Table(lying.replace(layout=Layout("abbey-mayor")), seed=1)
    layout = Layout(lying, "abbey-mayor")
    moves = [action_layout(one.replace(layout=layout)) for one in (lying, Rules())]
    assert moves[0].name(moves[0].first("wagon move") + 5) == moves[1].name(
        moves[1].first("wagon move") + 5
    )


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_fits_into_everything(name):
    layout = Layout.everything(2)
    check_layout(Rules.preset(name, layout=layout))
    Table(Rules.preset(name, layout=layout), seed=1)


@pytest.mark.long
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_with_every_switch_fits_into_everything(name):
    layout, n = Layout.everything(2), 0
    for switch, values in CHOICES.items():
        for value in values:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    rules = Rules.preset(name, **{switch: value})
                except ValueError:
                    continue  # another switch or set forbids it
                check_layout(rules.replace(layout=layout))
            n += 1
    assert n > 200


def test_globals_state_the_rules():
    rules = Rules.preset("inns", n_players=3, layout=EVERYTHING)
    found = dict(zip(rule_names(EVERYTHING), rule_numbers(rules), strict=True))
    assert found["rule n_players=3"] == 1
    assert found["rule n_players=2"] == 0
    assert found["rule tiles"] == int(rules.tile_counts.sum()) / 100
    assert [name for name in TILE_SETS if found[f"set {name}"]] == ["base", "inns"]
    assert found["rule inns"] == 1
    assert found["rule towers"] == 0
    assert found["rule edition=C2"] == 1
    assert found["copies bg-curve"] == 0.8
    assert found["copies ic-cathedral"] == 0.2
    assert found["rule bazaar_bid_limit"] == 0.2
    seen = Table(rules, seed=1).observe()["globals"]
    assert seen[-len(found) :].tolist() == np.array([*found.values()], np.float32).tolist()


def test_a_layout_can_hide_the_rules():
    hidden = Layout(*SMALL.covers, shows_rules=False)
    names = global_names(Rules(layout=hidden))
    assert not [name for name in names if name.startswith(("rule", "set", "copies"))]
    assert len(names) + len(rule_names(SMALL)) == len(global_names(Rules(layout=SMALL)))
    assert hidden != SMALL
    assert Rules.from_yaml(Rules(layout=hidden).to_yaml()).layout == hidden
    assert "bg-curve" not in {one.name for one in describe_globals(Rules(layout=hidden))}


def test_rules_with_different_switches_have_different_numbers():
    numbers = {}
    for switch, values in CHOICES.items():
        for value in values:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    rules = MOST.replace(**{switch: value}, layout=EVERYTHING)
                except ValueError:
                    continue
            if rules.plain != MOST and switch not in ("view", "auto_single"):
                numbers[switch, value] = rule_numbers(rules)
    assert len(numbers) > 100
    base = rule_numbers(MOST.replace(layout=EVERYTHING))
    assert all(found != base for found in numbers.values())


def test_every_global_of_a_layout_is_described():
    described = describe_globals(Rules(layout=EVERYTHING))
    assert sum(one.n for one in described) == len(global_names(Rules(layout=EVERYTHING)))
    assert {"rule tiles", "copies TILE", "set NAME", "rule SWITCH"} <= {d.name for d in described}
