"""TextArena, verifiers and OpenEnv: each if it is installed, with scripted models."""

import asyncio

import pytest

from carc_env.envs.naming import make_agent
from carc_env.envs.text import read_view
from carc_env.envs.text.tasks import reward_of, text_task
from tests.chat_server import chat_server


def greedy(prompt):
    game = read_view(prompt)
    return f"[[{game.name(make_agent('greedy').act(game))}]]"


@pytest.mark.parametrize(("preset", "n_players"), [("base", 2), ("tower", 3), ("inns", 6)])
def test_textarena_plays_a_game(preset, n_players):
    ta = pytest.importorskip("textarena")
    from carc_env.envs.text.textarena import ID

    env = ta.make(ID, rules={"preset": preset, "deck_size": 12})
    env.reset(num_players=n_players, seed=7)
    seat, observation = env.get_observation()
    assert "# Carcassonne" in observation and f"You are {'ABCDEF'[seat]}." in observation
    done, _ = env.step("No idea")
    again, observation = env.get_observation()
    assert again == seat and "Tries left: 2." in observation
    while not done:
        done, _ = env.step(greedy(observation))
        if not done:
            _, observation = env.get_observation()
    assert env.game.n_illegal == 1
    rewards, info = env.close()
    assert sorted(rewards) == list(range(n_players)) and max(rewards.values()) <= 1
    assert sum(rewards.values()) == pytest.approx(0) and "final scores" in info[0]["reason"]


def first_action(messages):
    return greedy(next(m["content"] for m in messages[::-1] if "[carc_env pos" in m["content"]))


def test_verifiers_asks_a_model_about_an_endgame_and_rewards_it():
    vf = pytest.importorskip("verifiers.v1")
    from carc_env.envs.text.verifiers import load_environment

    env = load_environment("text-endgames-v1")
    (task, *_) = env.taskset.take(1)
    assert task.data.name == text_task("text-endgames-v1").items()[0].name
    with chat_server(first_action) as (url, requests):
        client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
        context = vf.ModelContext(model="stub", client=client, sampling=vf.SamplingConfig())

        async def play():
            async with env.serving():
                return await env.run_episode(task, context)

        episode = asyncio.run(play())
    (trace,) = episode.traces
    assert episode.ok, episode.errors
    assert len(requests) == 1 and trace.metrics["answers"] == 1
    assert trace.reward == pytest.approx(-trace.metrics["regret"])


def test_openenv_serves_endgames():
    pytest.importorskip("openenv")
    from fastapi.testclient import TestClient

    from carc_env.envs.text.openenv import TextAction, TextEnvironment, app

    env = TextEnvironment("text-endgames-v1")
    seen = env.reset(seed=3)
    assert seen.system.startswith("# Carcassonne") and not seen.done
    seen = env.step(TextAction(text="?"))
    assert not seen.done and "Tries left: 2" in seen.prompt
    seen = env.step(TextAction(text=greedy(env.reset(seed=3).prompt)))
    assert seen.done and seen.reward == -seen.result["regret"] and env.state.step_count == 1
    with pytest.raises(ValueError, match="call reset"):
        env.step(TextAction(text="?"))
    with TestClient(app) as client:
        answer = client.post("/reset", json={"seed": 1}).json()
        assert "[carc_env position 1]" in answer["observation"]["prompt"]


@pytest.mark.parametrize("name", ["text-endgames-v1", "text-base-v1"])
def test_what_is_learned_from_is_not_evaluated(name):
    task = text_task(name)
    lessons = task.lessons()
    names = {item.name for item in task.items()}
    first = next(lessons)
    if task.kind == "endgames":
        assert names.isdisjoint({first.name, *(item.name for item in lessons)})
    else:
        starts = {item.start().game.draw for item in [first, *(next(lessons) for _ in range(5))]}
        assert starts.isdisjoint(item.start().game.draw for item in task.items()[:6])
    with pytest.raises(ValueError, match="no items to learn from"):
        next(text_task("text-rules-v1").lessons())


def test_rewards():
    assert reward_of({"regret": 2.5, "best": 0.0}) == -2.5
    assert reward_of({"right": 1.0}) == reward_of({"won": 1.0, "margin": 3}) == 1.0
