"""Helper for tests of trade goods."""

from carc_env.engine.core.codes import Good


def goods_of(table, seat):
    """Return how many tokens of each kind a seat has."""
    stock = table.stock(seat)
    return {good: stock.get(good.name.lower(), 0) for good in Good}
