"""Agents play games whose rules change from game to game, with and without a shared layout."""

import pickle
from dataclasses import replace
from itertools import product

import pytest
from carc_env.agents.arena import play_match

from carc_env.envs.naming import make_agent
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.rules import Layout, Rules
from carc_env.web.coach import judge, losses

KINDS = [Rules(), *(Rules.preset(name) for name in ("inns", "tower", "abbey-mayor"))]
LAYOUT = Layout(*KINDS, Rules.preset("monasteries", n_players=3))
N_DECISIONS = 10


@pytest.mark.once
@pytest.mark.parametrize(
    "spec",
    [
        *("value", "insight", "weakened:noise=3", "one-ply:evaluation=insight"),
        *("search:sims=200", "mcts:sims=8"),
    ],
)
def test_an_agent_plays_each_game_as_one_made_for_its_rules(spec: str) -> None:
    anywhere = make_agent(spec)
    copied = pickle.loads(pickle.dumps(anywhere))
    tables = [[Table(r.replace(layout=own), seed=3) for own in (None, LAYOUT)] for r in KINDS]
    made = [make_agent(spec, rules) for rules in KINDS]
    for _ in range(N_DECISIONS):
        for (plain, shared), own in zip(tables, made, strict=True):
            chosen = [
                (table.layout.name(agent.act(table)), table)
                for agent, table in product((own, anywhere, copied), (plain, shared))
            ]
            assert len({name for name, _ in chosen}) == 1
            for name, table in chosen[:2]:
                table.step(table.layout.index(name))


def test_weights_are_those_of_the_game() -> None:
    """A player made for no particular rules uses the weights of each game, which all differ."""
    agent = make_agent("value")
    for rules in KINDS:
        own = make_agent("value", rules).evaluation  # type: ignore[attr-defined]
        found = agent.evaluation.under(rules.replace(layout=LAYOUT))  # type: ignore[attr-defined]
        assert found is own
    assert len({id(agent.evaluation.under(rules).weights) for rules in KINDS}) == 4  # type: ignore[attr-defined]


def test_the_coach_says_the_same_in_every_layout() -> None:
    for rules in KINDS[1:3]:
        games = [Game(rules.replace(layout=layout), seed=5) for layout in (None, LAYOUT)]
        for _ in range(4):
            lines = [losses(game) for game in games]
            plain, shared = ([(x["name"], x["lost"]) for x in found] for found in lines)
            assert plain == shared and len(plain) > 1
            verdicts = [
                judge(game, 0, found[-1]["action"])
                for game, found in zip(games, lines, strict=True)
            ]
            plain, shared = (replace(found, best_action=0) for found in verdicts if found)
            assert plain == shared
            for game, found in zip(games, lines, strict=True):
                game.step(found[0]["action"])


def test_a_match_does_not_depend_on_the_layout() -> None:
    specs = ["weakened:noise=2", "insight"]
    agents = [make_agent(spec) for spec in specs]
    for rules in KINDS:
        plain, shared = (
            play_match(agents, specs, rules.replace(layout=layout), 4).scores.tolist()
            for layout in (None, LAYOUT)
        )
        assert plain == shared
