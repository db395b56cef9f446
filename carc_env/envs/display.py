"""Render modes of the environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carc_env.choices import check_choice
from carc_env.position import Position

RENDER_MODES = ("rgb_array", "ansi", "human")
RENDER_OPTIONS = ("width", "height", "legal", "owners", "coordinates")
"""Picture options, see :class:`carc_env.render.Look`."""


class Renderer:
    """Renders positions in one mode; drawing libraries are loaded for the first picture.

    Parameters
    ----------
    mode : {"rgb_array", "ansi", "human"} or None
        The mode. If it is None, :meth:`render` raises an error.
    options : mapping, optional
        Options for pictures: ``width`` and ``height`` in pixels (default 960 x 720), ``legal`` to
        mark legal placements, ``owners`` to tint features by owner, ``coordinates`` to label the
        rim.

    Raises
    ------
    ValueError
        The mode or an option is unknown.
    """

    def __init__(self, mode: str | None, options: Mapping[str, Any] | None = None) -> None:
        self.mode = check_choice("render_mode", mode, (None, *RENDER_MODES))
        self.options = dict(options or {})
        for name in self.options:
            check_choice("a render option", name, RENDER_OPTIONS)
        self._window: Any = None

    def render(self, position: Position) -> Any:
        """Return an RGB uint8 array (height, width, 3) or text, or show a window and return None.

        Raises
        ------
        ValueError
            The environment was made without a render mode, or the size is too small.
        ImportError
            The ``render`` extra is not installed.
        """
        if self.mode is None:
            raise ValueError(
                "this environment has no render mode: make it with render_mode= "
                f"one of {RENDER_MODES}"
            )
        from carc_env import render

        if self.mode == "ansi":
            return render.board_text(position)
        frame = render.board_rgb(position, **self.options)
        if self.mode == "rgb_array":
            return frame
        if self._window is None:
            self._window = render.Window()
        self._window.show(frame)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "options": self.options, "_window": None}
