"""Wagons, including those that wait for their owners, and the tile chosen for one."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import Position
from carc_env.render import palette
from carc_env.render.declaring import Drawing, Form

# A covered wagon from the side: the hood, the box, the shaft, and two wheels.
_WHEELS = ((-6.8, 8), (6.8, 8))
_WHEEL_RADIUS = 4.5
_PATH = (
    "M-12.4,0.8C-14.4,-6.6 -12.6,-11.4 -8.4,-11.4L8.4,-11.4C12.6,-11.4 14.4,-6.6 12.4,0.8"
    "L16,0.8L16,3.2L11.9,3.2L11,6.6L-11,6.6Z"
) + "".join(
    f"M{x - _WHEEL_RADIUS},{y}a{_WHEEL_RADIUS},{_WHEEL_RADIUS} 0 1 1 {2 * _WHEEL_RADIUS},0"
    f"a{_WHEEL_RADIUS},{_WHEEL_RADIUS} 0 1 1 {-2 * _WHEEL_RADIUS},0Z"
    for x, y in _WHEELS
)
_DETAILS = (
    '<path d="M-12.3,0.9H15.2V2.4H11.4L10.5,6.6H-10.5L-11.4,2.4Z" fill="{dark}"/>'
    '<path d="M-7.6,-10.8C-9.6,-7 -9.6,-3 -8.6,0.6M7.6,-10.8C9.6,-7 9.6,-3 8.6,0.6" fill="none"'
    ' stroke="{dark}" stroke-width="1" stroke-opacity="0.65"/>'
) + "".join(
    f'<circle cx="{x}" cy="{y}" r="{_WHEEL_RADIUS - 0.5}" fill="{palette.WHEEL}" stroke="{{dark}}"'
    f' stroke-width="1.5"/><path d="M{x - 3},{y}H{x + 3}M{x},{y - 3}V{y + 3}" stroke="{{dark}}"'
    f' stroke-width="1"/><circle cx="{x}" cy="{y}" r="1.2" fill="{{dark}}"/>'
    for x, y in _WHEELS
)


def _task(position: Position) -> str:
    if position.phase not in (Phase.WAGON, Phase.WAGON_SPOT):
        return ""
    wagon = position.wagons[0]
    task = f"moves the wagon from {wagon.x},{wagon.y} {wagon.spot.name}"
    if position.wagon_target is not None:
        task += " to {},{}".format(*position.wagon_target)
    return task


DRAWING = Drawing(
    figures={Figure.WAGON: Form(_PATH, _DETAILS, letter_y=-2.2, letter_size=6.2, brackets="[]")},
    waiting=lambda position: position.wagons,
    target=lambda position: position.wagon_target,
    task=_task,
)
