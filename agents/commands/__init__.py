"""The commands of ``carc-env``, each a module with a ``main``; the scripts call them, too."""
