"""Groups of related phases."""

from carc_env.engine.core.codes import Phase
from carc_env.position import Position

#: Phases in which the tile of the current placement is on the board; see also :func:`is_placed`.
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
#: Phases of the figure action, the ingot, mage or witch before it, and the bridge, second figure,
#: token or ferries after it.
ACTING = {
    *(Phase.INGOT, Phase.FIGURE, Phase.ELSEWHERE, Phase.CAPTURE, Phase.EXCHANGE, Phase.BRIDGE),
    *(Phase.LANDING, Phase.SECOND, Phase.SECOND_SPOT, Phase.TUNNEL, Phase.FERRY, Phase.FERRIES),
    *(Phase.MAGIC, Phase.MAGIC_SPOT),
}
#: Phases before the scoring of a placement; see also :func:`is_unscored`.
UNSCORED = {*ACTING, *(Phase.FLOCK, Phase.FLIGHT, Phase.CASTLE, Phase.JOIN, Phase.JOIN_SPOT)}
#: Phases in which seats choose the tiles of a bazaar.
BAZAAR = {Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL}


def is_placed(position: Position) -> bool:
    """Return whether the tile of the current placement is on the board."""
    return position.phase in PLACED and not position.leaves_last  # COU-19


def is_unscored(position: Position) -> bool:
    """Return whether a placement is in progress and has not been scored yet."""
    return position.phase in UNSCORED and not position.leaves_last
