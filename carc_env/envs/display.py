"""The render modes of the environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carc_env.choices import check_choice
from carc_env.position import Position

RENDER_MODES = ("rgb_array", "ansi", "human")
RENDER_OPTIONS = ("width", "height", "legal", "owners", "coordinates")
"""Options of pictures, see :class:`carc_env.render.Look`."""


class Renderer:
    """Renders positions in one mode; it loads drawing libraries at the first picture.

    Parameters
    ----------
    mode : {"rgb_array", "ansi", "human"} or None
        With None, :meth:`render` raises an error.
    options : mapping, optional
        The look of pictures: ``width`` and ``height`` in pixels (960 x 720), ``legal`` places
        marked, a tint of ``owners``, ``coordinates`` at the rim.

    Raises
    ------
    ValueError
        Unknown mode or option.
    """

    def __init__(self, mode: str | None, options: Mapping[str, Any] | None = None) -> None:
        self.mode = check_choice("render_mode", mode, (None, *RENDER_MODES))
        self.options = dict(options or {})
        for name in self.options:
            check_choice("a render option", name, RENDER_OPTIONS)
        self._window: Any = None

    def render(self, position: Position) -> Any:
        """Return an RGB array (height, width, 3) of uint8, text, or None after showing a window.

        Raises
        ------
        ValueError
            The environment was made without a render mode, or the size is too small.
        ImportError
            The libraries of the extra ``render`` are not installed.
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
