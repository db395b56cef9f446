"""A bazaar on the page."""

from __future__ import annotations

from typing import Any

from carc_env.game.game import Game
from carc_env.position import Position


def told(_: Game, position: Position) -> dict[str, Any]:
    """Return the current bazaar; if its tiles are face down, return only their number."""
    bazaar = position.bazaar
    if bazaar is None:
        return {"bazaar": None}
    lots = [{"tile": lot.tile, "owner": lot.owner} for lot in bazaar.offer]
    shown = {
        "starter": bazaar.starter,
        "waits": bazaar.waits,
        "faceDown": len(lots) if bazaar.waits else 0,
        "lots": [] if bazaar.waits else lots,
        "takes": bazaar.takes,
        "chooser": bazaar.chooser,
        "lot": bazaar.lot,
        "price": bazaar.price,
        "bidder": bazaar.bidder,
    }
    return {"bazaar": shown}
