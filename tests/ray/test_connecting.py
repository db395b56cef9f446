"""Connecting to a cluster: valid addresses, and the error messages for other addresses."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from carc_env.agents import cluster
from carc_env.agents.arena import TABLES_AT_ONCE

ray = pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` runs these tests")
pytestmark = pytest.mark.once

EVALUATE = (sys.executable, "-m", "carc_env", "evaluate")


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[str]:
    """Start a cluster of two nodes with one CPU each and yield its address."""
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes.add_node(num_cpus=1)
    yield nodes.address
    nodes.shutdown()


def test_evaluate_script_on_a_cluster(two_nodes: str, tmp_path: Path) -> None:
    command = [*EVALUATE, "greedy", "random", "--games", str(2 * TABLES_AT_ONCE + 6)]
    command += ["--rules", "{view: 16}", "--json"]
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    for options in ([str(here)], [str(there), "--ray", "--address", two_nodes]):
        done = subprocess.run(
            [*command, *options], capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
    results = [json.loads(path.read_bytes()) for path in (here, there)]
    for result in results:
        assert {*result.pop("seconds_a_move")} == {"greedy", "random"}
    assert results[0] == results[1]


def test_clusters_that_are_too_small_are_refused(two_nodes: str) -> None:
    with (
        pytest.raises(ValueError, match=f"{two_nodes} has 2 CPUs but 3 are needed"),
        cluster.connected(two_nodes, n_cpus=3),
    ):
        pass
    with (
        pytest.raises(ValueError, match=f"machine of .* {two_nodes} has 1 CPUs but a task needs 2"),
        cluster.connected(two_nodes, n_cpus=2, on_one=2),
    ):
        pass
    assert not ray.is_initialized()


@pytest.mark.parametrize(
    "address", ["nonsense", ":6379", "ray://127.0.0.1:10001", "127.0.0.1:many"]
)
def test_addresses_that_are_none_are_refused(address: str) -> None:
    with pytest.raises(ValueError, match="host:port"), cluster.connected(address):
        pass


def test_addresses_where_nothing_answers_are_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, but it does not listen
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with (
            pytest.raises(ConnectionError, match=f"no Ray cluster answers at {address}"),
            cluster.connected(address),
        ):
            pass


def test_evaluate_script_explains_what_is_wrong() -> None:
    command = [*EVALUATE, "greedy", "random", "--ray", "--address", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error: the address of a cluster is host:port" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
