"""Which phases have something in common."""

from carc_env.engine.core.codes import Phase
from carc_env.position import Position

#: The tile of the placement that is going on lies on the board, but see :func:`is_placed`.
PLACED = {
    Phase.INGOT,
    Phase.MAGIC,
    Phase.MAGIC_SPOT,
    Phase.FIGURE,
    Phase.ELSEWHERE,
    Phase.LANDING,
    Phase.CAPTURE,
    Phase.EXCHANGE,
    Phase.BRIDGE,
    Phase.SECOND,
    Phase.SECOND_SPOT,
    Phase.TUNNEL,
    Phase.FERRY,
    Phase.FERRIES,
    Phase.FLOCK,
    Phase.FLIGHT,
    Phase.CASTLE,
    Phase.JOIN,
    Phase.JOIN_SPOT,
    Phase.CASTLE_CHOICE,
    Phase.SHARE,
    Phase.WAGON,
    Phase.WAGON_SPOT,
    Phase.ENTER,
    Phase.COUNT,
    Phase.CIRCLE,
    Phase.SOW,
    Phase.SOW_SPOT,
    Phase.REAP,
    Phase.REAP_SPOT,
    Phase.ESCAPE,
    Phase.ESCAPE_SPOT,
}
#: The figure action, with what it leads to, the ingot, mage or witch before it, or the bridge,
#: second figure, token or ferries behind it.
ACTING = {
    *(Phase.INGOT, Phase.FIGURE, Phase.ELSEWHERE, Phase.CAPTURE, Phase.EXCHANGE, Phase.BRIDGE),
    *(Phase.LANDING, Phase.SECOND, Phase.SECOND_SPOT, Phase.TUNNEL, Phase.FERRY, Phase.FERRIES),
    *(Phase.MAGIC, Phase.MAGIC_SPOT),
}
#: Nothing has been scored yet, but see :func:`is_unscored`.
UNSCORED = {*ACTING, *(Phase.FLOCK, Phase.FLIGHT, Phase.CASTLE, Phase.JOIN, Phase.JOIN_SPOT)}
#: The tiles of a bazaar are chosen.
BAZAAR = {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL}


def is_placed(position: Position) -> bool:
    """Tell whether the tile of a placement that is going on lies on the board."""
    return position.phase in PLACED and not position.leaves_last  # COU-19


def is_unscored(position: Position) -> bool:
    """Tell whether a placement is going on that has not been scored yet."""
    return position.phase in UNSCORED and not position.leaves_last
