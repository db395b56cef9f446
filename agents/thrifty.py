"""An agent that never bids, so that matches show how much bidding is worth."""

from __future__ import annotations

from carc_env import Phase, Rules
from carc_env.envs.naming import make_agent
from carc_env.game.table import Table


class Thrifty:
    """Plays like another agent, but opens auctions with 0, never overbids, and always sells.

    Parameters
    ----------
    agent : str
        The agent that it imitates otherwise.
    rules : Rules, optional
        The rules to play.

    Raises
    ------
    ValueError
        There is no such agent.
    """

    def __init__(self, agent: str = "value", rules: Rules | None = None) -> None:
        self._agent = make_agent(agent, rules)

    def act(self, table: Table) -> int:
        """Bid 0 or pass, sell if asked, and otherwise do what the other agent would do."""
        answers = {Phase.BAZAAR_BID: "pass", Phase.BAZAAR_DEAL: "decline"}
        if table.phase not in answers:
            return self._agent.act(table)
        answer = table.layout.index(answers[table.phase])
        return answer if table.is_legal(answer) else min(table.legal_actions())
