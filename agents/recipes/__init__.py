"""Algorithms, each in one file to copy and change; ``carc-env recipe`` lists them and copies one.

The files import only public names of ``carc_env``, torch and numpy; ``maskable_ppo`` imports
Stable-Baselines3, too. Each file has a network, loop, evaluation and log, and a class ``Agent``
that plays with what was learned; only ``best_response``, ``psro`` and ``zero`` build on ``td``.
"""
