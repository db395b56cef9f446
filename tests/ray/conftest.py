"""A local Ray cluster with two CPUs, for all tests of a module."""

from collections.abc import Iterator

import pytest
from carc_env.agents.cluster import connected


@pytest.fixture(scope="module")
def local_ray() -> Iterator[None]:
    with connected(n_cpus=2):
        yield
