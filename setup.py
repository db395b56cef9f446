"""The packages of the wheel; all else is in pyproject.toml.

The folder ``agents`` is installed as ``carc_env.agents``: many packages call something ``agents``,
and only one of them could have the name for itself.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["carc_env*"]), "carc_env.agents", "carc_env.agents.commands"],
    package_dir={"carc_env.agents": "agents"},
)
