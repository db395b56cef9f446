"""Carcassonne in TextArena: two to six players, each of whom answers by text.

    import textarena as ta
    import carc_env.envs.text.textarena  # registers the environment

    env = ta.make("Carcassonne-v0", rules="tower")
    env.reset(num_players=3, seed=7)

Install it with ``pip install 'carc_env[textarena]'``.
"""

from __future__ import annotations

from typing import Any

from carc_env.envs.text.game import TRIES, TextGame
from carc_env.envs.text.view import Length
from carc_env.extras import extras_named
from carc_env.rules import Rules, RulesLike
from carc_env.words import SEATS

with extras_named():
    import textarena as ta
    from textarena.envs.registration import register_with_versions
    from textarena.wrappers import LLMObservationWrapper

ID = "Carcassonne-v0"


class CarcassonneEnv(ta.Env):  # type: ignore[misc]
    """A game between two to six players; the reward is the final rank, from 1 to -1.

    An illegal answer is told to its player, who answers again. After the last try, a random legal
    action is played, and the game goes on.

    Parameters
    ----------
    rules : Rules, str or dict, optional
        Rules or what :meth:`Rules.of` accepts, except for the number of players.
    length, strict, tries
        See :class:`carc_env.envs.text.TextGame`.
    """

    def __init__(
        self,
        rules: RulesLike = None,
        length: Length = "short",
        strict: bool = False,
        tries: int = TRIES,
    ) -> None:
        super().__init__()
        self.rules = Rules.of(rules)
        self._options: dict[str, Any] = {"length": length, "strict": strict, "tries": tries}

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a game."""
        rules = self.rules.replace(n_players=num_players)
        self.game = TextGame(rules, seed=seed, **self._options)
        self.state = ta.FFAMultiPlayerState(num_players=num_players, seed=seed)
        self.state.reset(game_state={}, player_prompt_function=self._prompt)
        self._ask()

    def _prompt(self, player_id: int, game_state: dict[str, Any]) -> str:
        return f"{self.game.system}\n\nYou are player {SEATS[player_id]}."

    def _ask(self) -> None:
        seat = self.state.current_player_id = self.game.seat
        prompt = self.game.prompt(remembers=True)
        self.state.add_observation(prompt, ta.ObservationType.GAME_BOARD, to_id=seat)

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the player who was asked."""
        seat = self.state.current_player_id
        kind = ta.ObservationType.PLAYER_ACTION
        self.state.add_observation(action, kind, from_id=seat, to_id=seat)
        self.game.answer(action)
        if self.game.is_over:
            scores = self.game.game.scores
            self.state.set_game_outcome(ranks_of(scores), f"The final scores are {scores}.")
        else:
            self._ask()
        done, info = self.state.step(rotate_player=False)
        return bool(done), dict(info)


def ranks_of(scores: tuple[int, ...]) -> dict[int, float]:
    """Return each seat's final rank, from 1 for a sole winner to -1 for a sole last place."""
    others = len(scores) - 1
    return {
        seat: (sum(own > x for x in scores) - sum(own < x for x in scores)) / others
        for seat, own in enumerate(scores)
    }


register_with_versions(
    id=ID, entry_point=CarcassonneEnv, wrappers={"default": [LLMObservationWrapper]}
)
