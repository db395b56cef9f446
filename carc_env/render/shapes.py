"""Plane geometry of a tile: Bézier curves, rotations, distances. A tile is the square 0..100."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Point = tuple[float, float]
Points = npt.NDArray[np.float64]
"""Shape (n, 2): x to the east, y to the south."""

SIZE = 100.0
"""Width of a tile; all drawing units are hundredths of a tile."""

CENTRE: Point = (50.0, 50.0)
CORNERS: tuple[Point, ...] = ((0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0))
"""North-west first, clockwise: side k of ``NESW`` runs from corner k to corner k + 1."""

MIDDLES: tuple[Point, ...] = ((50.0, 0.0), (100.0, 50.0), (50.0, 100.0), (0.0, 50.0))
"""Midpoints of the sides N, E, S, W, where roads and rivers cross the edge."""

INWARD: tuple[Point, ...] = ((0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0))
"""Unit vectors from the sides N, E, S, W into the tile."""

SAMPLES_PER_BEND = 16


def turn(point: Point, rotation: int) -> Point:
    """Return a point after ``rotation`` clockwise quarter turns of its tile."""
    x, y = point
    for _ in range(rotation % 4):
        x, y = SIZE - y, x
    return x, y


def number(value: float) -> str:
    """Return a coordinate as short text."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def mix(a: Point, b: Point, t: float) -> Point:
    """Return the point at fraction ``t`` of the way from ``a`` to ``b``."""
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t


def shift(a: Point, direction: Point, by: float) -> Point:
    """Return the point ``by`` units away from ``a`` in a direction."""
    return a[0] + direction[0] * by, a[1] + direction[1] * by


@dataclass(frozen=True)
class Curve:
    """A chain of cubic Bézier segments: a start, then (control, control, end) per segment."""

    start: Point
    bends: tuple[tuple[Point, Point, Point], ...]

    @property
    def end(self) -> Point:
        """The last point."""
        return self.bends[-1][2]

    @cached_property
    def points(self) -> Points:
        """The curve as a polyline, both ends included."""
        t = np.linspace(0.0, 1.0, SAMPLES_PER_BEND + 1)[1:, None]
        parts = [np.array([self.start])]
        a = np.array(self.start)
        for control_a, control_b, end in self.bends:
            b, c, d = np.array(control_a), np.array(control_b), np.array(end)
            parts.append(
                (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
            )
            a = d
        return np.concatenate(parts)

    @property
    def path(self) -> str:
        """The curve as SVG path data."""
        return f"M{_pair(self.start)}" + self.continued

    @property
    def continued(self) -> str:
        """SVG path data that continues from the start without moving to it."""
        return "".join(f"C{_pair(a)} {_pair(b)} {_pair(c)}" for a, b, c in self.bends)

    def turned(self, rotation: int) -> Curve:
        """Return the curve after clockwise quarter turns of its tile."""
        bends = tuple(
            (turn(a, rotation), turn(b, rotation), turn(c, rotation)) for a, b, c in self.bends
        )
        return Curve(turn(self.start, rotation), bends)

    def at(self, share: float) -> Point:
        """Return the point at a fraction (0..1) of the length."""
        ((x, y),) = self.all_at(np.array([share])).tolist()
        return x, y

    def all_at(self, shares: npt.NDArray[np.float64]) -> Points:
        """Return the points at fractions of the length, shape (n, 2)."""
        goals = shares * self._walked[-1]
        columns = [np.interp(goals, self._walked, column) for column in self.points.T]
        return np.stack(columns, axis=1)

    @cached_property
    def _walked(self) -> npt.NDArray[np.float64]:
        """Each point's distance along the curve."""
        steps = np.hypot(*np.diff(self.points, axis=0).T)
        return np.concatenate([[0.0], np.cumsum(steps)])

    def heading(self, share: float) -> Point:
        """Return the unit vector along the curve at a fraction of the length."""
        a, b = self.at(max(0.0, share - 0.02)), self.at(min(1.0, share + 0.02))
        length = float(np.hypot(b[0] - a[0], b[1] - a[1])) or 1.0
        return (b[0] - a[0]) / length, (b[1] - a[1]) / length

    def nearest_share(self, point: Point) -> float:
        """Return the fraction of the length at which the curve comes closest to a point."""
        shares = np.linspace(0.0, 1.0, 61)
        away = self.all_at(shares) - np.array(point)
        return float(shares[np.argmin(np.hypot(*away.T))])


def bend(start: Point, a: Point, b: Point, end: Point) -> Curve:
    """Return a single Bézier segment."""
    return Curve(start, ((a, b, end),))


def straight(start: Point, end: Point) -> Curve:
    """Return a straight line as a curve."""
    return bend(start, mix(start, end, 1 / 3), mix(start, end, 2 / 3), end)


def chain(*curves: Curve) -> Curve:
    """Return several curves as one; each must start where the previous one ends."""
    return Curve(curves[0].start, tuple(b for curve in curves for b in curve.bends))


def distance_to_line(spots: Points, line: Points) -> npt.NDArray[np.float64]:
    """Return every spot's distance to a polyline, shape (n,)."""
    (ax, ay), (dx, dy) = line[:-1].T, np.diff(line, axis=0).T
    length = np.maximum(dx * dx + dy * dy, 1e-9)
    x, y = spots[:, :1] - ax, spots[:, 1:] - ay
    t = np.clip((x * dx + y * dy) / length, 0.0, 1.0)
    x -= t * dx
    y -= t * dy
    nearest: npt.NDArray[np.float64] = np.sqrt((x * x + y * y).min(axis=1))
    return nearest


def is_inside(spots: Points, outline: Points) -> npt.NDArray[np.bool_]:
    """Return which spots lie inside a closed polygon (even-odd rule), shape (n,)."""
    x, y = spots[:, :1], spots[:, 1:]
    ax, ay = outline[:, 0], outline[:, 1]
    bx, by = np.roll(ax, -1), np.roll(ay, -1)
    spans = (ay > y) != (by > y)
    rise = np.where(by == ay, 1e-9, by - ay)
    crossed = spans & (x < (bx - ax) * (y - ay) / rise + ax)
    inside: npt.NDArray[np.bool_] = crossed.sum(axis=1) % 2 == 1
    return inside


def outline_path(curves: Sequence[Curve]) -> str:
    """Return a closed SVG path along consecutive curves."""
    return curves[0].path + "".join(c.continued for c in curves[1:]) + "Z"


def _pair(point: Point) -> str:
    return f"{number(point[0])},{number(point[1])}"
