"""Environments that draw rules for each game: which rules, and how games follow each other."""

import pickle
import warnings
from collections import Counter
from functools import partial

import gymnasium
import numpy as np
import pytest
from carc_env.agents import arena, make_agent, play_match
from gymnasium.vector import AutoresetMode

from carc_env import Rules, Table, read_record
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.distributions import (
    Dealer,
    Everything,
    OneOf,
    RulesDistribution,
    Subsets,
    Switches,
    read_rules,
)
from carc_env.envs.naming import AgentSpec
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.text import TextGame, rules_text
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout.observations import global_names
from carc_env.rules import PRESETS, Layout
from carc_env.tasks import task, training_on

SMALL = Layout({"view": 12})
MIXED = OneOf([{"view": 12, "deck_size": 4, "n_players": n} for n in (2, 3, 4)])


def drawn(distribution, n=200, seed=0):
    rng = np.random.default_rng(seed)
    return [distribution.sample(rng) for _ in range(n)]


def test_one_of_draws_by_weight():
    weighted = OneOf(["base", "inns", "traders"], weights=[3, 1, 0])
    counts = Counter(rules.plain for rules in drawn(weighted))
    assert counts.keys() == {Rules(), Rules.preset("inns")}
    assert 2 < counts[Rules()] / counts[Rules.preset("inns")] < 4.5
    assert weighted.layout == Layout("base", "inns", "traders")


@pytest.mark.parametrize("weights", [[1], [0, 0], [1, -1], [float("nan"), 1], 3, ["a", 1]])
def test_one_of_refuses_weights_that_are_none(weights):
    with pytest.raises(ValueError, match="weights must be 2 numbers, one for each of the rules"):
        OneOf(["base", "inns"], weights=weights)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: OneOf([]), "rules are missing"),
        (lambda: Everything(()), "n_players must be a number of players, or several"),
        (lambda: Subsets(["inns"], n_parts=(1,)), "n_parts must be a number of the 1 expansions"),
        (lambda: Subsets(["inns"], n_parts=0.5), "n_parts must be a number of the 1 expansions"),
        (lambda: Subsets({"x": "inns"}), "'x' must be the fields of Rules that it changes"),
        (lambda: Switches({"deck_size": []}), "deck_size has no values to draw"),
        (lambda: Switches({"deck_size": 6}), "deck_size must be a list, got 6"),
        (lambda: Subsets("inns"), "parts must be a list, got 'inns'"),
        (lambda: OneOf("base"), "rules must be a list, got 'base'"),
        (lambda: read_rules("Everything"), "did you mean 'everything'"),
        (lambda: read_rules("{one_of: }"), "one_of: .*missing .* 'rules'"),
        (lambda: read_rules("{sets: {base: 1}}"), "sets must be a tuple of names"),
        (
            lambda: Switches({"deck_size": [30]}, without=[{"deck_sise": 30}]),
            "without leaves out deck_sise: 30, which is never drawn",
        ),
        (
            lambda: Switches({"deck_size": [30]}, without=[{"deck_size": 31}]),
            "without leaves out deck_size: 31, which is never drawn",
        ),
    ],
)
def test_a_distribution_refuses_what_it_cannot_draw(make, problem):
    with pytest.raises(ValueError, match=problem):
        make()


def test_one_of_needs_a_layout_with_room():
    with pytest.raises(ValueError, match="no room for the set 'traders'"):
        OneOf(["traders"], layout=Layout("inns"))


def test_subsets_draw_all_combinations_but_those_left_out():
    deal = Subsets(["inns", "river"], n_players=(2, 3), without=[("inns", "river")])
    sets = Counter((rules.sets, rules.n_players) for rules in drawn(deal))
    expected = [("base",), ("base", "river1"), ("base", "inns")]
    assert sorted(sets) == sorted((one, n) for one in expected for n in (2, 3))
    assert min(sets.values()) > 15
    held_out = deal.of("inns", "river", n_players=3)
    assert held_out.plain == Rules.preset("inns", sets=("base", "river1", "inns"), n_players=3)
    assert Table(held_out, seed=1).rules == held_out


def test_subsets_draw_so_many_expansions():
    deal = Subsets(["inns", "river", "traders", "shrines"], n_parts=(2, 3))
    sizes = Counter(len(rules.sets) - 1 for rules in drawn(deal))
    assert sizes.keys() == {2, 3}
    assert min(sizes.values()) > 70


def test_subsets_of_parts_of_ones_own():
    deal = Subsets({"small": {"small_city_points": 2}, "herd": {"sets": ["river2"]}}, base="inns")
    rules = deal.of("small", "herd")
    assert (rules.sets, rules.small_city_points) == (("base", "inns", "river2"), 2)
    assert rules.inns


def test_subsets_never_draw_parts_that_contradict_each_other():
    deal = Subsets(["first-edition", "winter", "inns"])
    found = {(rules.edition, rules.inns) for rules in drawn(deal)}
    assert found == {(one, inns) for one in ("C1", "WE3", "C2") for inns in (False, True)}
    with pytest.raises(ValueError, match="expansions set edition to different values"):
        deal.of("first-edition", "winter")


def test_everything_plays_in_a_layout_of_its_own():
    hidden = Layout.everything(np.int64(2), view=24, shows_rules=False)
    deal = Everything(layout=hidden)
    assert {(rules.layout, rules.view) for rules in drawn(deal, 20)} == {(hidden, 24)}


def test_subsets_name_an_unknown_expansion():
    with pytest.raises(ValueError, match="no expansion is called 'inn'"):
        Subsets(["inns"]).of("inn")
    with pytest.raises(ValueError, match="did you mean 'inns'"):
        Subsets(["inn"])


def test_switches_draw_values_but_those_left_out():
    deal = Switches(
        {"small_city_points": [2, 4], "deck_size": range(30, 33)},
        without=[{"small_city_points": 2, "deck_size": 30}],
    )
    found = Counter((rules.small_city_points, rules.deck_size) for rules in drawn(deal))
    assert sorted(found) == [(2, 31), (2, 32), (4, 30), (4, 31), (4, 32)]
    assert {rules.layout for rules in drawn(deal)} == {deal.layout}


@pytest.mark.parametrize(
    "nothing",
    [
        Subsets(["inns"], without=[(), ("inns",)]),
        Switches({"goods": [True]}, base="traders", without=[{"goods": True}]),
    ],
    ids=["subsets", "switches"],
)
def test_a_distribution_without_anything_left_says_so(nothing):
    with pytest.raises(ValueError, match="that `without` leaves out"):
        nothing.sample(np.random.default_rng(0))


@pytest.mark.filterwarnings("error")  # a switch without effect would warn
def test_everything_draws_presets_combinations_switches_and_short_decks():
    found = drawn(Everything((2, 3)))
    assert {rules.layout for rules in found} == {Layout.everything((2, 3))}
    assert {rules.n_players for rules in found} == {2, 3}
    presets = {Rules.preset(name, n_players=n).plain for name in PRESETS for n in (2, 3)}
    is_preset = [rules.plain in presets for rules in found]
    has_short_deck = [rules.deck_size is not None for rules in found]
    assert 20 < sum(is_preset) < 180 and 10 < sum(has_short_deck) < 100
    assert len({rules.sets for rules in found}) > len(PRESETS)
    assert drawn(Everything((2, 3))) == found


class Alternating:
    """A custom distribution that alternates between games for two and for three players."""

    def __init__(self, layout=None):
        self.layout = layout or MIXED.layout
        self.kinds = [MIXED.rules[0], MIXED.rules[1]]
        self.n = 0

    def sample(self, rng):
        self.n += 1
        return self.kinds[self.n % 2]


def test_a_distribution_of_ones_own():
    assert isinstance(Alternating(), RulesDistribution)
    env = CarcassonneEnv(Alternating())
    seen = [env.reset(seed=3)[1]["n_players"], *(env.reset()[1]["n_players"] for _ in range(3))]
    assert seen == [3, 2, 3, 2]


def test_recipes_train_on_a_distribution_from_a_file(tmp_path):
    code = "from carc_env import OneOf\ndeal = OneOf(['base', 'inns'])\n"
    code += "class Deal(OneOf):\n    def __init__(self):\n        super().__init__(['inns'])\n"
    (tmp_path / "mine.py").write_text(code)
    for name, sets in (("deal", {("base",), ("base", "inns")}), ("Deal", {("base", "inns")})):
        asked, rng = training_on(rules=f"{tmp_path / 'mine.py'}:{name}"), np.random.default_rng(0)
        assert {asked.sample(rng).sets for _ in range(20)} == sets
        assert {rules.sets for rules in asked.test_rules} == sets
        assert {rules.layout for rules in asked.test_rules} == {asked.rules.layout}
    with pytest.raises(ValueError, match="has no 'dael'; did you mean"):
        training_on(rules=f"{tmp_path / 'mine.py'}:dael")
    with pytest.raises(ValueError, match="there is no file none"):
        training_on(rules="none.py:deal")


def test_recipes_train_on_a_task_or_on_rules():
    rng = np.random.default_rng(0)
    assert training_on("short-greedy-v1") is task("short-greedy-v1")
    assert training_on(rules="inns", opponents="greedy").sample(rng) == Rules.preset("inns")
    assert isinstance(training_on(rules="everything").rules, Everything)
    assert training_on(rules="inns").fixed_rules == Rules.preset("inns")
    with pytest.raises(ValueError, match="each game would draw its rules"):
        _ = training_on("mix-players-v1").fixed_rules
    found = training_on(rules="{subsets: {parts: [inns], n_parts: 1, n_players: 3}}")
    assert found.sample(rng).plain == Rules.preset("inns", n_players=3)
    with pytest.raises(ValueError, match=r"argument of subsets must be one of.*'partes'"):
        training_on(rules="{subsets: {partes: [inns]}}")
    with pytest.raises(ValueError, match=r"OneOf', called without arguments: .*'rules'"):
        training_on(rules="carc_env:OneOf")


def test_rules_that_are_drawn_must_have_the_layout():
    env = CarcassonneEnv(Alternating(layout=Layout({"view": 12})))
    with pytest.raises(ValueError, match=r"Alternating.sample gave rules with another layout"):
        env.reset(seed=1)


class Wrong:
    """A custom distribution whose draws do not fit."""

    layout = SMALL

    def __init__(self, drawn):
        self.drawn = drawn

    def sample(self, rng):
        return self.drawn


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        (Rules.preset("tower", view=12, layout=SMALL), "rules that do not fit: the layout has no"),
        ("base", "Wrong.sample must return Rules, got 'base'"),
        (None, "Wrong.sample must return Rules, got None"),
    ],
    ids=["too large", "text", "nothing"],
)
@pytest.mark.parametrize("kind", [CarcassonneEnv, CarcassonneAEC, partial(CarcassonneVectorEnv, 2)])
def test_what_is_drawn_must_be_rules_that_fit(kind, drawn, words):
    env = kind(Wrong(drawn))
    with pytest.raises(ValueError, match=words):
        env.reset(seed=1)


@pytest.mark.parametrize("kind", [CarcassonneEnv, CarcassonneAEC, partial(CarcassonneVectorEnv, 2)])
def test_rules_that_do_not_fit_into_their_layout_are_refused(kind):
    with pytest.raises(ValueError, match="the layout has no room for the set 'tower'"):
        kind(Rules.preset("tower", view=12, layout=SMALL))


@pytest.mark.parametrize(
    "deal",
    [
        OneOf(["base", "inns"]),
        Subsets(["inns", "river"]),
        Switches({"deck_size": [24, 36], "sets": [["base"], ["base", "inns"]]}),
        read_rules("{everything: }"),
    ],
)
def test_distributions_go_to_other_processes(deal):
    sent = pickle.loads(pickle.dumps(deal))
    for seed in range(5):
        one, other = (d.sample(np.random.default_rng(seed)) for d in (deal, sent))
        assert one == other


def test_each_deck_of_a_match_draws_its_rules(tmp_path):
    deal = OneOf([{"deck_size": 8}, {"deck_size": 12, "sets": ["base", "inns"]}])
    players = [make_agent("greedy"), make_agent("random")]
    match = play_match(players, ["a", "b"], deal, 20, records=tmp_path)
    assert {*match.rules} == {rules.plain for rules in deal.rules}
    assert match.to_dict()["rules"] == [rules.to_dict() for rules in match.rules]
    played = [read_record(path).rules for path in sorted(tmp_path.iterdir())]
    assert played == [rules for rules in match.rules for _ in range(2)]


def test_a_match_needs_rules_or_a_distribution():
    with pytest.raises(ValueError, match="needs Rules or a distribution of rules, got 'inns'"):
        play_match([make_agent("greedy")] * 2, ["a", "b"], "inns", 2)


def test_a_match_needs_one_number_of_players(monkeypatch):
    players, mixed = [make_agent("greedy")] * 2, Switches({"n_players": [2, 3], "deck_size": [4]})
    with pytest.raises(ValueError, match=r"a match for each number; .* draws rules for \[2, 3\]"):
        play_match(players, ["a", "b"], mixed, 20)
    monkeypatch.setattr(arena, "N_DRAWN", 1)
    with pytest.raises(ValueError, match=r"deck \d+ has rules for [23], not [23]"):
        play_match([make_agent("greedy")] * 3, ["a", "b", "c"], mixed, 60, seed=1)


class Picky:
    """Plays the rules for which it was made, and no others."""

    def __init__(self, rules=None):
        self.rules = rules

    def act(self, table):
        assert table.rules == self.rules
        return table.legal_actions()[0]


def test_agents_are_made_for_the_rules_of_each_deck():
    layout = Layout.everything((2, 3), view=12)
    deal = OneOf([{"deck_size": 4, "view": 12}, {"preset": "inns", "view": 12}], layout=layout)
    players = [AgentSpec("picky", Picky), make_agent("greedy")]
    match = play_match(players, ["picky", "greedy"], deal, 12)
    assert {*match.rules} == {rules.plain for rules in deal.rules}


def test_a_text_game_draws_its_rules():
    deal = Subsets(["inns", "river"])
    one, same = (TextGame(deal, seed=3) for _ in range(2))
    assert one.rules == same.rules and one.system == rules_text(one.rules.plain)
    assert len({TextGame(deal, seed=seed).rules for seed in range(20)}) == 4


@pytest.mark.parametrize("given", [Wrong, type("Half", (), {"sample": None})()])
def test_what_is_no_distribution_is_told_what_it_lacks(given):
    with pytest.raises(ValueError, match="an object, not a class, with a layout and a method samp"):
        CarcassonneEnv(given)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Subsets(["tower"], base={"view": 12}, layout=SMALL),
        lambda: Switches({"n_players": [2, 3]}, base={"view": 12}, layout=SMALL),
    ],
)
def test_distributions_need_a_layout_with_room_for_all(make):
    with pytest.raises(ValueError, match="the layout has no room for"):
        make()


ENVS = {
    "single": lambda **more: CarcassonneEnv(MIXED, **more),
    "vector": lambda **more: CarcassonneVectorEnv(1, MIXED, **more),
    "aec": lambda **more: CarcassonneAEC(MIXED, **more),
}


def rules_of_games(env, n, **options):
    """Begin games; return the number of players and of earlier games of each."""
    found = []
    for k in range(n):
        env.reset(seed=5 if k == 0 else None, **options)
        if isinstance(env, CarcassonneAEC):
            info = env.infos[env.agent_selection]
        else:
            info = env._info()
        one = [info[key] for key in ("rules", "n_players", "n_games_before")]
        rules, players, before = [x[0] if isinstance(x, np.ndarray) else x for x in one]
        assert rules.n_players == players
        found.append((rules.n_players, int(before)))
    return found


@pytest.mark.parametrize("kind", ENVS)
def test_the_seed_decides_which_rules_follow(kind):
    first = rules_of_games(ENVS[kind](), 8)
    assert first == rules_of_games(ENVS[kind](), 8)
    assert len({n for n, _ in first}) > 1
    assert {before for _, before in first} == {0}


@pytest.mark.parametrize("kind", ENVS)
def test_rules_stay_for_several_games(kind):
    found = rules_of_games(ENVS[kind](games_per_rules=3), 18)
    assert [before for _, before in found] == [0, 1, 2] * 6
    assert all(len({n for n, _ in found[k : k + 3]}) == 1 for k in range(0, 18, 3))
    assert len({n for n, _ in found}) > 1


@pytest.mark.parametrize("kind", ENVS)
def test_a_reset_with_rules_plays_by_them(kind):
    env = ENVS[kind]()
    rules = {"n_players": 2, "view": 12, "deck_size": 3}
    assert {n for n, _ in rules_of_games(env, 5, options={"rules": rules})} == {2}
    with pytest.raises(ValueError, match="no room for the set 'inns'"):
        env.reset(options={"rules": Rules.preset("inns", view=12)})


@pytest.mark.parametrize("kind", ENVS)
def test_a_layout_alone_takes_other_rules_and_infos_state_them(kind, monkeypatch):
    monkeypatch.setattr(f"{__name__}.MIXED", MIXED.rules[0])
    env = ENVS[kind]()
    assert rules_of_games(env, 2) == [(2, 0), (2, 0)]
    assert {n for n, _ in rules_of_games(env, 2, options={"rules": MIXED.layout.covers[2]})} == {4}


@pytest.mark.parametrize("kind", ENVS)
def test_a_draw_that_fails_changes_nothing(kind, monkeypatch):
    deal = OneOf(MIXED.rules[:2], weights=[1, 0], layout=MIXED.layout)
    monkeypatch.setattr(f"{__name__}.MIXED", deal)
    env, sample = ENVS[kind](games_per_rules=3), deal.sample
    monkeypatch.setattr(deal, "sample", lambda rng: Rules())
    with pytest.raises(ValueError, match="sample gave rules with another layout"):
        env.reset(seed=1)
    monkeypatch.setattr(deal, "sample", sample)
    found = []
    for _ in range(4):
        env.reset()
        found.append((env._dealer.dealt[0].n_players, env._dealer.n_before[0]))
    assert found == [(2, 0), (2, 1), (2, 2), (2, 0)]


@pytest.mark.parametrize("kind", ENVS)
def test_a_state_brings_its_rules(kind):
    env, name = ENVS[kind](games_per_rules=2), "states" if kind == "vector" else "state"
    env.reset(seed=1, options={"rules": MIXED.rules[2]})
    env.reset(options={"rules": MIXED.rules[2]})
    position = Table(MIXED.rules[1].plain, seed=4).position()
    options = {name: [position] if kind == "vector" else position}
    with pytest.raises(ValueError, match=r"the state has other rules.*n_players: 3 ->"):
        env.reset(options=options | {"rules": MIXED.rules[2]})
    env.reset(options=options | {"rules": MIXED.rules[1]})
    assert (env._dealer.dealt[0].n_players, env._dealer.n_before) == (3, [0])
    env.reset(options=options)
    assert env._dealer.n_before == [0]  # no longer fixed by `rules`


def test_an_environment_for_one_set_of_rules_refuses_others():
    env = CarcassonneEnv({"view": 12})
    with pytest.raises(ValueError, match=r"has no layout for other rules.*view: 12 -> 32"):
        env.reset(options={"rules": "base"})
    env.reset(options={"rules": {"view": 12}})


def test_rows_fix_rules_of_their_own_until_the_next_reset():
    env = CarcassonneVectorEnv(4, MIXED, autoreset_mode=AutoresetMode.SAME_STEP)
    own = [MIXED.rules[2], None, MIXED.rules[0], None]
    _, info = env.reset(seed=1, options={"rules": own})
    for _ in range(30):
        assert info["n_players"][[0, 2]].tolist() == [4, 2]
        _, _, _, _, info = env.step(info["action_mask"].argmax(1))
    assert env.rules_of(0) == MIXED.rules[2]
    _, info = env.reset(seed=[7, 8, 9, 10])
    assert info["n_players"].tolist() != [4, 2, 2, 2]
    with pytest.raises(ValueError, match="3 rules for 4 games"):
        env.reset(options={"rules": own[:3]})


def test_absent_seats_are_zero():
    env = CarcassonneVectorEnv(6, MIXED, reward="margin", opponents="self")
    _, info = env.reset(seed=2)
    rng, several = np.random.default_rng(0), set()
    for _ in range(60):
        for i, n in enumerate(info["n_players"]):
            several.add(int(n))
            assert not info["scores"][i, n:].any()
            assert not info["rewards"][i, n:].any()
        actions = [int(rng.choice(np.flatnonzero(mask))) for mask in info["action_mask"]]
        _, _, _, _, info = env.step(np.array(actions))
    assert several == {2, 3, 4}


class Places:
    """Rewards each entry with its index; records the numbers of seats that it was asked about."""

    def __init__(self):
        self.widths = set()

    def rewards(self, scores_before, scores_after, standings_before, standings_after, is_over):
        self.widths.add(scores_after.shape[1])
        return np.arange(scores_after.size, dtype=float).reshape(scores_after.shape)


def test_own_rewards_see_only_the_seats_of_a_game():
    scheme = Places()
    env = CarcassonneVectorEnv(6, MIXED, reward=scheme, opponents="self")
    _, info = env.reset(seed=2)
    for _ in range(20):
        _, _, _, _, info = env.step(info["action_mask"].argmax(1))
    assert scheme.widths == {2, 3, 4}


def test_the_seat_must_exist_in_every_game():
    env = CarcassonneEnv(MIXED, seat=3)
    with pytest.raises(ValueError, match="seat must be 0 to"):
        for k in range(20):
            env.reset(seed=k)


def test_opponents_for_each_seat_fill_those_of_a_game():
    env = CarcassonneEnv(MIXED, opponents=["greedy", "random", "value"])
    for k in range(12):
        _, info = env.reset(seed=k)
        assert len(env.opponents) == info["n_players"] - 1
    with pytest.raises(ValueError, match="there are 3 seats to fill, got 2 players"):
        CarcassonneEnv(MIXED, opponents=["greedy", "random"])


def test_games_begin_at_states_under_any_rules_of_the_layout():
    positions = [Table(rules.plain, seed=4).position() for rules in MIXED.rules]
    env = CarcassonneVectorEnv(3, MIXED, opponents="self")
    _, info = env.reset(seed=1, options={"states": positions})
    assert info["n_players"].tolist() == [2, 3, 4]
    saved = [env.table(i).save_state() for i in range(3)]
    env.reset(seed=2)
    _, info = env.reset(options={"states": saved[::-1]})
    assert info["n_players"].tolist() == [4, 3, 2]
    assert [env.table(i).position() for i in range(3)] == positions[::-1]


def test_records_of_drawn_rules_can_be_read(tmp_path):
    from carc_env.game.records import load_record

    env = CarcassonneVectorEnv(4, MIXED, records=tmp_path, opponents="random")
    _, info = env.reset(seed=1)
    for _ in range(40):
        _, _, _, _, info = env.step(info["action_mask"].argmax(1))
    games = [load_record(path.read_text("utf-8")) for path in tmp_path.iterdir()]
    assert {game.rules.n_players for game in games} == {2, 3, 4}
    assert all(game.rules.layout is None for game in games)


def test_pettingzoo_accepts_drawn_rules():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.test import api_test

        api_test(CarcassonneAEC(MIXED), num_cycles=200)


def test_agents_of_the_aec_environment_are_those_of_the_game():
    env = CarcassonneAEC(MIXED)
    seen = set()
    for seed in range(12):
        env.reset(seed=seed)
        n = env.rules.n_players
        assert env.agents == env.possible_agents[:n]
        assert env.num_agents == n
        with pytest.raises(ValueError, match="no agent is called 'player_4'"):
            env.observe("player_4")
        for agent in env.agent_iter():
            observation, _, terminated, _, info = env.last()
            assert info["n_players"] == n
            assert env.observation_space(agent).contains(observation)
            env.step(None if terminated else observation["action_mask"].argmax())
        seen.add(n)
    assert seen == {2, 3, 4}


def test_the_registered_environments_take_distributions():
    envs = gymnasium.make_vec("carc_env/Carcassonne-v1", 3, rules=MIXED, opponents="greedy")
    observation, info = envs.reset(seed=1)
    assert observation["globals"].shape == (3, len(global_names(MIXED.rules[0])))
    assert info["rules"].shape == (3,)
    env = gymnasium.make("carc_env/Carcassonne-v1", rules=MIXED)
    assert env.observation_space.contains(env.reset(seed=1)[0])


@pytest.mark.parametrize("n", [0, -1, 1.5, True])
def test_games_per_rules_is_a_positive_number(n):
    with pytest.raises(ValueError, match="games_per_rules must be a positive int"):
        Dealer("base", games_per_rules=n)
