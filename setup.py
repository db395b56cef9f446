"""The packages of the wheel; all else is in pyproject.toml.

The folder ``agents`` is installed as ``carc_env.agents``, and ``configs`` within it: many packages
call something ``agents``, and only one of them could have the name for itself.
"""

from setuptools import find_packages, setup

OURS = {
    "carc_env.agents": "agents",
    "carc_env.agents.commands": "agents/commands",
    "carc_env.agents.configs": "configs",
}

setup(packages=[*find_packages(include=["carc_env*"]), *OURS], package_dir=OURS)
