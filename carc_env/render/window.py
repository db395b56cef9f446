"""An on-screen window for ``render_mode="human"``."""

from __future__ import annotations

import os
from types import ModuleType, TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from carc_env.extras import extras_named


class Window:
    """Shows pictures in one window, which opens with the first picture.

    Parameters
    ----------
    title
        Text for the window's title bar.

    Raises
    ------
    ImportError
        The ``carc_env[render]`` extra is not installed.
    """

    def __init__(self, title: str = "Carcassonne") -> None:
        self._pygame: Any = load_pygame()
        self._title = title
        self._screen: Any = None
        self._was_closed = False

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen."""
        return self._screen is not None

    def show(self, rgb: npt.NDArray[np.uint8]) -> None:
        """Show a picture of shape (height, width, 3), dtype uint8.

        The window is sized to fit the picture. Once the user has closed it, nothing more is shown,
        and a training run continues without it.

        Raises
        ------
        ValueError
            The array has a different shape or dtype.
        """
        if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
            raise ValueError(
                f"rgb must have shape (height, width, 3) and dtype uint8, "
                f"got {rgb.shape} and {rgb.dtype}"
            )
        if self._was_closed:
            return
        size = (rgb.shape[1], rgb.shape[0])
        if self._screen is None:
            self._pygame.display.init()
            self._pygame.display.set_caption(self._title)
        if self._screen is None or self._screen.get_size() != size:
            self._screen = self._pygame.display.set_mode(size)
        self._pygame.surfarray.blit_array(self._screen, rgb.swapaxes(0, 1))
        self._pygame.display.flip()
        self._handle_events()

    def close(self) -> None:
        """Close the window; closing it twice does no harm."""
        self._was_closed = True
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()

    def _handle_events(self) -> None:
        """Keep the window responsive, and let the user close it."""
        for event in self._pygame.event.get():
            if event.type == self._pygame.QUIT:
                self.close()
                return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def load_pygame() -> ModuleType:
    """Import Pygame without its greeting message.

    Raises
    ------
    ImportError
        Pygame is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with extras_named():
        import pygame
    module: ModuleType = pygame
    return module
