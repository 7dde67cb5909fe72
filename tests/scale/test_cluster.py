"""Tasks on Dask: in threads of this process, and in processes that are killed."""

import os
import signal
import threading
import time

import joblib
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_mteval import SegmentKFold, kendall_tau_scorer
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.models import bleu_pipeline, rank_candidates, rank_systems
from sklearn_mteval.scale import (
    Partitions,
    collect,
    engines,
    map_partitions,
    system_table,
    write_partitions,
)
from sklearn_mteval.scale.engines import open_client

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(sample):
    return bleu_pipeline().fit(*(table.iloc[:100] for table in sample))


@pytest.fixture
def texts(sample, tmp_path):
    write_partitions(sample[0].iloc[100:], tmp_path / "texts", segments_per_file=5)
    return tmp_path / "texts"


def local_cluster(**options):
    """Two workers of a thread each, on any free port."""
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", **options)


@pytest.fixture(scope="module")
def threads():
    with local_cluster(processes=False) as cluster, Client(cluster) as client:
        yield client


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_client_gives_the_bytes_of_one_process(model, sample, texts, threads, tmp_path):
    map_partitions(model, texts, tmp_path / "here")
    map_partitions(model, texts, tmp_path / "there", client=threads)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    X = sample[0].iloc[100:]
    expected = rank_candidates(model, X)
    found = collect(tmp_path / "there").loc[X.index]
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    table = system_table(tmp_path / "there")
    pd.testing.assert_frame_equal(table, rank_systems(expected), check_exact=True)


def test_the_scheduler_sees_few_futures_at_a_time(threads, monkeypatch):
    monkeypatch.setattr(engines, "MOST_FUTURES", 3)
    most, waiting = [], []
    calls = ((k, (k,)) for k in range(40) if not waiting.append(k))
    found = {}
    for name, result in engines.on_cluster(str, calls, threads, 0):
        waiting.remove(name)
        most.append(len(waiting))
        found[name] = result
    assert found == {k: str(k) for k in range(40)}
    assert max(most) <= 3


def test_an_error_is_that_of_the_part_and_ends_the_call(model, texts, threads, tmp_path):
    (texts / "part-000003.parquet").write_bytes(b"")
    with pytest.raises(DataFileError, match=r"part-000003.parquet: damaged"):
        map_partitions(model, texts, tmp_path / "a", client=threads, retries=0)
    with pytest.raises(DataFileError, match=r"no partitions.json"):
        collect(tmp_path / "a")
    assert not threads.futures


def fails_at_first(folder, k):
    """Fail the first time that it is called with a number."""
    if not (folder / str(k)).exists():
        (folder / str(k)).touch()
        raise OSError("the network was away")
    return k


def test_what_fails_is_tried_again(threads, tmp_path):
    calls = [(k, (tmp_path, k)) for k in range(4)]
    assert dict(engines.on_cluster(fails_at_first, calls, threads, 1)) == {k: k for k in range(4)}
    with pytest.raises(OSError, match="the network was away"):
        list(engines.on_cluster(fails_at_first, [(9, (tmp_path, 9))], threads, 0))


def test_an_interrupt_takes_the_waiting_tasks_back(threads):
    found = engines.on_cluster(time.sleep, [(k, (0.01,)) for k in range(50)], threads, 0)
    next(found)
    found.close()
    assert len(threads.futures) <= 1  # the one that was done


@pytest.fixture(scope="module")
def processes():
    with local_cluster() as cluster, Client(cluster) as client:
        yield client


def kill_a_worker_when(client, is_time):
    """Kill a worker's process as soon as something is true."""
    [pid, *_] = client.run(os.getpid).values()

    def wait_and_kill():
        while not is_time():
            time.sleep(0.001)
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    return thread


def test_a_worker_that_is_killed_loses_nothing(model, texts, processes, tmp_path):
    map_partitions(model, texts, tmp_path / "here")
    target = tmp_path / "there"
    killer = kill_a_worker_when(processes, lambda: len(list(target.glob("*.record"))) > 3)
    map_partitions(model, texts, target, client=processes)
    killer.join()
    assert contents(target) == contents(tmp_path / "here")
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    map_partitions(model, texts, target, client=processes)
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before


def test_a_task_that_kills_its_workers_is_named(processes):
    with pytest.raises(RuntimeError, match="deadly: 4 workers died while they worked on it"):
        list(engines.on_cluster(os.abort, [("deadly", ())], processes, 0))


def test_searches_and_folds_are_the_same_on_a_cluster(sample, processes):
    """The recipe of the guide."""
    X, y = (table.iloc[:250] for table in sample)
    search = GridSearchCV(
        bleu_pipeline(),
        {"features__max_ngram_order": [2, 4]},
        cv=SegmentKFold(3),
        scoring=kendall_tau_scorer,
    )
    here = search.fit(X, y).cv_results_
    folds = cross_validate(bleu_pipeline(), X, y, cv=SegmentKFold(3), scoring=kendall_tau_scorer)
    with joblib.parallel_config("dask", client=processes, scatter=[X, y]):
        there = search.set_params(n_jobs=-1).fit(X, y).cv_results_
        folds_there = cross_validate(
            bleu_pipeline(), X, y, cv=SegmentKFold(3), scoring=kendall_tau_scorer, n_jobs=-1
        )
    assert there["mean_test_score"].tolist() == here["mean_test_score"].tolist()
    assert folds_there["test_score"].tolist() == folds["test_score"].tolist()


def test_real_judgements_on_a_cluster(data_dir, processes, tmp_path):
    from sklearn_mteval.datasets import load_wmt
    from sklearn_mteval.models import load_pretrained

    X = load_wmt(data_dir / "wmt15", "cs-en").X.iloc[:3000]
    write_partitions(X, tmp_path / "texts", segments_per_file=50)
    map_partitions("static-en", tmp_path / "texts", tmp_path / "ranks", client=processes)
    expected = rank_candidates(load_pretrained("static-en"), X)
    assert len(Partitions(tmp_path / "ranks")) > 2
    found = collect(tmp_path / "ranks").loc[X.index]
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    table = system_table(tmp_path / "ranks")
    pd.testing.assert_frame_equal(table, rank_systems(expected), check_exact=True)


def test_a_client_is_opened_only_where_one_is_asked_for():
    with open_client() as client:
        assert client is None
    with pytest.raises(ValueError, match="not both"), open_client("tcp://x", 2):
        pass
    with pytest.raises(ValueError, match="n_workers must be an integer"), open_client(None, 0):
        pass
    with pytest.raises(ValueError, match="the address of the scheduler is empty"), open_client(""):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere at all"])
def test_a_scheduler_that_does_not_answer_is_told(address, monkeypatch):
    monkeypatch.setattr(engines, "WAIT", 0.5)
    with pytest.raises(ValueError, match="no Dask scheduler answers at"), open_client(address):
        pass


def test_a_scheduler_that_answers_is_taken(threads):
    with open_client(threads.scheduler.address) as client:
        assert client.submit(str, 3).result() == "3"


def test_workers_are_started_and_ended(monkeypatch):
    # Dask leaves these of the clusters before in the environment, which goes before its settings.
    for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"):
        monkeypatch.delenv(name, raising=False)
    with open_client(n_workers=1) as client:
        [pid] = client.run(os.getpid).values()
        assert pid != os.getpid()
        [trim] = client.run(os.environ.get, "MALLOC_TRIM_THRESHOLD_").values()
        assert int(trim) > 1 << 20  # 64 KiB make workers slower by a tenth
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
