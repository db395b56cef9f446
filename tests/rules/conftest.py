"""Register the marker that ties a test to entries of the rule catalogue."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(*ids): the entries of the rule catalogue it states")
