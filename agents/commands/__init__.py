"""The ``carc-env`` commands, each a module with a ``main``; scripts also call them."""
