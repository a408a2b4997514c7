"""Least squares on real workers, each a process of its own."""

import os
import signal
import time
from multiprocessing import forkserver

import numpy as np
import pytest
import torch

import fens
from fens import zoo
from fens._support.progress import listening
from fens.errors import EvaluationError, SettingError
from fens.lstsq.cluster import Cluster, Distributed, packed, unpacked
from fens.reproduce import command
from fens.reproduce.cells import Cell
from fens.reproduce.results import Results

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")

pytestmark = [  # one cluster for all; sockets that distributed leaves to the garbage collector
    pytest.mark.xdist_group("cluster"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def imported():
    """Processes that come from one that has imported everything, once for all of them."""
    forkserver.set_forkserver_preload(["distributed", "fens.api", "fens.reproduce.command"])
    forkserver.ensure_running()
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        yield


@pytest.fixture(scope="module")
def client(imported):
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def test_the_same_answer_as_on_one_machine(client):
    known = zoo.helmholtz()
    here, there = (fens.solve(known.problem, features=350, cluster=c) for c in (None, client))
    x, y = np.random.default_rng(0).random((2, 500))
    assert np.abs(here(x, y) - there(x, y)).max() < 1e-12
    assert there.error.verdict == here.error.verdict
    assert there.settings.cluster is None  # a connection is nothing to be kept


@pytest.fixture
def deserted(monkeypatch):
    """A cluster without workers, and little patience with it."""
    monkeypatch.setattr("fens.lstsq.cluster.PATIENCE", 0.2)
    options = {"n_workers": 0, "processes": False, "dashboard_address": ":0", "silence_logs": 50}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


def test_a_cluster_without_workers_says_so(deserted):
    with pytest.raises(SettingError, match="no workers, and none came in"):
        fens.solve(zoo.helmholtz().problem, features=60, cluster=deserted)


def test_so_does_one_that_has_lost_them(deserted):
    with pytest.raises(EvaluationError, match="lost all its workers"):
        Cluster(deserted).map(abs, [-1], label="values")


def test_a_nonlinear_problem(client):
    known = zoo.bratu()
    options = {"features": 100, "scale": fens.ScaleGrid(1, 3, 2), "estimate": False}  # each trial is an iteration
    here, there = (fens.solve(known.problem, cluster=c, **options) for c in (None, client))
    x = np.random.default_rng(0).uniform(0.1, 0.9, (len(known.problem.coordinates), 100))
    assert np.abs(here(*x) - there(*x)).max() < 1e-11


def test_a_search_of_scales_as_tasks(client):
    known = zoo.helmholtz()
    options = {"features": 60, "scale": fens.ScaleGrid(1, 7, 2), "estimate": False}
    here, there = (fens.solve(known.problem, cluster=c, **options) for c in (None, client))
    assert there.search.scales == here.search.scales
    assert there.search.losses == pytest.approx(here.search.losses, rel=1e-6)


class Slow:
    """Rows that take their time, so that there is some in which to end a worker."""

    def __init__(self, A, b, height=20):
        self.A, self.rhs, self.height = A, b, height
        self.shape = tuple(A.shape)

    def blocks(self, height=None):
        return (Slow(A, b) for A, b in zip(self.A.split(20), self.rhs.split(20), strict=True))

    def __iter__(self):
        time.sleep(0.1)
        yield self.A, self.rhs

    def matvec(self, weights):
        return self.A @ weights


def test_progress_is_told(client):
    said = []
    A = torch.as_tensor(np.random.default_rng(0).standard_normal((100, 5)))
    with listening(said.append):
        Distributed(Cluster.of(client)).factorise(Slow(A, A[:, 0])).solve()
    assert any(line.startswith("cluster: rows folded, 1 of 9 tasks") for line in said)


def test_views_travel_without_what_they_are_views_of():
    whole = torch.zeros(10**6, dtype=torch.float64)
    data = packed({"part": whole[7:17]})
    assert len(data) < 1000
    assert torch.equal(unpacked(data)["part"], whole[7:17])


def test_what_is_no_client():
    with pytest.raises(SettingError, match=r"must be a distributed\.Client"):
        fens.solve(zoo.helmholtz().problem, cluster="tcp://10.0.0.1:8786")


def test_a_client_that_is_closed():
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0", silence_logs=50) as cluster:
        client = distributed.Client(cluster)
        client.close()
        with pytest.raises(SettingError, match="The client of the cluster is closed"):
            fens.solve(zoo.helmholtz().problem, cluster=client)


def test_cells_of_the_reproduction_as_tasks(client, tmp_path):
    results = Results(tmp_path / "results.jsonl").prepared()
    cells = [Cell("heat", "fens", name, 400, 20) for name in ("cos", "sin")]
    command.run_missing(cells, results, 16, 1, client.scheduler.address)
    assert [r["outcome"]["status"] for r in results.records()] == ["done", "done"]


def test_no_scheduler_there(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "CONNECTING", "0.3s")
    results = Results(tmp_path / "results.jsonl").prepared()
    with pytest.raises(SettingError, match="no Dask scheduler at tcp://127"):
        command.run_missing([Cell("heat", "fens", "cos", 400, 20)], results, 16, 1, "tcp://127.0.0.1:1")


def test_a_lost_worker_costs_time_and_not_the_result(client):  # the last one here: another worker takes its place
    A = torch.as_tensor(np.random.default_rng(0).standard_normal((600, 10)))
    w = torch.arange(10, dtype=torch.float64)
    victim = next(iter(client.run(os.getpid).values()))
    lost = []

    def end(what):
        if not lost and "3 of" in what:
            lost.append(victim)
            os.kill(victim, signal.SIGKILL)

    with listening(end):
        found = Distributed(Cluster.of(client)).factorise(Slow(A, A @ w)).solve()
    assert lost
    assert float((found.weights - w).abs().max()) < 1e-12
