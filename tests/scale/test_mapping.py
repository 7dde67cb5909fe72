import errno
import json
import os
import shutil

import numpy as np
import pandas as pd
import pytest
from consensus_model import consensus_model

from sklearn_mteval import RankRecomposer, load_pretrained, save_model
from sklearn_mteval._helpers.devices import computing
from sklearn_mteval.exceptions import CandidateError, DataFileError, ModelFolderError
from sklearn_mteval.models import (
    bleu_pipeline,
    rank_candidates,
    rank_systems,
    score_candidates,
    score_systems,
    system_sums,
)
from sklearn_mteval.scale import (
    Partitions,
    collect,
    map_partitions,
    mapping,
    system_table,
    tasks,
    write_partitions,
)


@pytest.fixture(scope="module")
def model(sample):
    return bleu_pipeline().fit(*(table.iloc[:100] for table in sample))


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "bleu"
    save_model(model, folder)
    return folder


@pytest.fixture(scope="module")
def texts(sample, tmp_path_factory):
    X, y = (table.iloc[100:] for table in sample)
    folder = tmp_path_factory.mktemp("texts")
    write_partitions(X, folder, y=y, segments_per_file=20)
    return folder


@pytest.fixture(scope="module")
def X(sample):
    return sample[0].iloc[100:]


@pytest.fixture(scope="module")
def ranks(saved, texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "ranks"
    map_partitions(saved, texts, folder)
    return folder


@pytest.fixture
def copy(ranks, tmp_path):
    return shutil.copytree(ranks, tmp_path / "copy")


@pytest.fixture
def texts_copy(texts, tmp_path):
    return shutil.copytree(texts, tmp_path / "texts")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def times(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_ranks_are_those_of_one_table(model, X, ranks):
    expected = rank_candidates(model, X)
    pd.testing.assert_frame_equal(collect(ranks).loc[X.index], expected, check_exact=True)
    pd.testing.assert_frame_equal(system_table(ranks), rank_systems(expected), check_exact=True)


def test_scores_are_those_of_one_table(model, saved, X, texts, tmp_path):
    map_partitions(saved, texts, tmp_path / "scores", what="score")
    expected = score_candidates(model, X)
    found = collect(tmp_path / "scores").loc[X.index, "score"]
    pd.testing.assert_series_equal(found, expected, check_exact=True)
    table = system_table(tmp_path / "scores", confidence=0.8, n_resamples=300, random_state=7)
    drawn = {"confidence": 0.8, "n_resamples": 300, "random_state": 7}
    pd.testing.assert_frame_equal(table, score_systems(expected, **drawn), check_exact=True)


def test_of_many_segments_the_table_is_made_of_sums_alone(model, X, ranks, monkeypatch):
    monkeypatch.setattr(system_sums, "MOST_RESAMPLED", 10)
    monkeypatch.setattr(mapping, "SystemSums", system_sums.SystemSums)
    monkeypatch.setattr(Partitions, "__iter__", None)
    expected = rank_systems(rank_candidates(model, X))
    pd.testing.assert_frame_equal(system_table(ranks), expected, check_exact=True)


def test_features_come_with_the_ranks_that_a_learner_needs(
    model, sample, X, saved, texts, tmp_path
):
    found = map_partitions(saved, texts, tmp_path / "features", what="transform")
    expected = model[:-1].transform(X)
    pd.testing.assert_frame_equal(collect(found.folder).loc[X.index], expected, check_exact=True)
    y = pd.concat([ranks for _, ranks in found]).loc[X.index]
    assert y.tolist() == sample[1].loc[X.index].tolist()
    with pytest.raises(DataFileError, match="expected ranks or scores"):
        system_table(found.folder)
    with pytest.raises(DataFileError, match="expected ranks or scores"):
        system_table(texts)


def test_a_transformer_makes_features_too(model, X, texts, tmp_path):
    found = map_partitions(model[:-1], texts, tmp_path / "features", what="transform")
    expected = model[:-1].transform(X)
    pd.testing.assert_frame_equal(collect(found.folder).loc[X.index], expected, check_exact=True)


def test_results_can_be_the_source_of_the_next_task(model, X, saved, texts, tmp_path):
    map_partitions(saved, texts, tmp_path / "features", what="transform")
    found = map_partitions(model[-1], tmp_path / "features", tmp_path / "ranks")
    expected = rank_candidates(model[-1], model[:-1].transform(X))
    pd.testing.assert_frame_equal(collect(found.folder).loc[X.index], expected, check_exact=True)


def test_an_estimator_is_saved_and_found_again(model, texts, ranks, tmp_path):
    map_partitions(model, texts, tmp_path / "a")
    assert {"model", "task.json", "partitions.json"} <= {p.name for p in (tmp_path / "a").iterdir()}
    assert contents(tmp_path / "a") == contents(ranks)
    before = times(tmp_path / "a")
    map_partitions(model, texts, tmp_path / "a")
    assert times(tmp_path / "a") == before


def test_a_second_call_does_nothing(saved, texts, copy, monkeypatch):
    before = times(copy)
    monkeypatch.setattr(tasks, "run_task", None)
    map_partitions(saved, texts, copy)
    assert times(copy) == before


def test_what_is_finished_is_not_done_again(saved, texts, ranks, tmp_path, monkeypatch):
    done, run_task = [], tasks.run_task

    def interrupted(*arguments):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(arguments[2].file)
        return run_task(*arguments)

    monkeypatch.setattr(tasks, "run_task", interrupted)
    with pytest.raises(KeyboardInterrupt):
        map_partitions(saved, texts, tmp_path / "a")
    with pytest.raises(DataFileError, match=r"no partitions.json in it. What writes it was inter"):
        collect(tmp_path / "a")
    first = times(tmp_path / "a")
    done.append("none")
    map_partitions(saved, texts, tmp_path / "a")
    assert contents(tmp_path / "a") == contents(ranks)
    now = times(tmp_path / "a")
    assert len(done) == 3 + len(Partitions(texts)) - 2
    assert all(now[path] == time for path, time in first.items() if path.name != "a")


def test_a_result_without_record_is_made_again(saved, texts, ranks, copy):
    (copy / "part-000001.record").unlink()
    (copy / "partitions.json").unlink()
    map_partitions(saved, texts, copy)
    assert contents(copy) == contents(ranks)


DAMAGE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "a digit": lambda path: path.write_bytes(path.read_bytes().replace(b"0", b"1", 1)),
    "another's": lambda path: shutil.copy(path.with_stem("part-000000"), path),
}


@pytest.mark.parametrize("suffix", [".parquet", ".record"])
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_result_is_refused_until_it_is_made_again(
    name, suffix, saved, texts, ranks, copy
):
    path = copy / f"part-000001{suffix}"
    DAMAGE[name](path)
    if suffix == ".parquet":
        with pytest.raises(DataFileError, match=r"part-000001.parquet"):
            collect(copy)
    with pytest.raises(DataFileError, match=r"part-000001"):
        system_table(copy)
    if (name, suffix) == ("missing", ".record"):  # as if it had not been finished
        map_partitions(saved, texts, copy)
    else:
        with pytest.warns(UserWarning, match=r"1 results are damaged .*part-000001.parquet"):
            map_partitions(saved, texts, copy)
    assert contents(copy) == contents(ranks)


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_source_is_refused_by_name(name, saved, texts_copy, tmp_path):
    DAMAGE[name](texts_copy / "part-000001.parquet")
    with pytest.raises(DataFileError, match=r"part-000001.parquet: (damaged|cannot be read)"):
        map_partitions(saved, texts_copy, tmp_path / "a")
    with pytest.raises(DataFileError, match=r"no partitions.json"):
        collect(tmp_path / "a")


def test_results_of_several_tasks_are_not_mixed(model, saved, texts, copy, sample, tmp_path):
    before = contents(copy)
    with pytest.raises(DataFileError, match="it has results of another kind of task: expected 's"):
        map_partitions(saved, texts, copy, what="score")
    other = bleu_pipeline().fit(*(table.iloc[:200] for table in sample))
    with pytest.raises(DataFileError, match="of another model"):
        map_partitions(other, texts, copy)
    with pytest.raises(DataFileError, match="of another model"):
        map_partitions("static-en", texts, copy)
    with (
        computing(dtype="float16"),
        pytest.raises(DataFileError, match=r"another number type: expected 'float16', found N"),
    ):
        map_partitions(saved, texts, copy)
    write_partitions(sample[0], tmp_path / "more", segments_per_file=20)
    with pytest.raises(DataFileError, match="of other partitions"):
        map_partitions(saved, tmp_path / "more", copy)
    task = json.loads((copy / "task.json").read_text())
    (copy / "task.json").write_text(json.dumps({**task, "version": "0.0"}))
    with pytest.raises(
        DataFileError, match=r"of another version of sklearn_mteval: .* found '0.0'"
    ):
        map_partitions(saved, texts, copy)
    (copy / "task.json").write_text("[]")
    with pytest.raises(DataFileError, match="of another kind of task"):
        map_partitions(saved, texts, copy)
    (copy / "task.json").write_text(json.dumps(task, indent=1) + "\n")
    assert contents(copy) == before


def test_a_folder_of_something_else_is_not_written_into(saved, texts, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataFileError, match=r"it holds 'notes.txt' already"):
        map_partitions(saved, texts, tmp_path)
    with pytest.raises(DataFileError, match="cannot be used as a folder"):
        map_partitions(saved, texts, tmp_path / "notes.txt")
    with pytest.raises(DataFileError, match=r"it holds 'part-000000.parquet' already"):
        map_partitions(saved, texts, texts)


def test_a_model_that_changes_meanwhile_is_refused(model, saved, texts, sample, tmp_path):
    """A worker opens the folder later than the caller has read its hash."""
    part = Partitions(texts).manifest.parts[0]
    folder = tmp_path / "changing"
    save_model(model, folder)
    given = tasks.Model(str(folder), tasks.hash_of_model(folder))
    save_model(bleu_pipeline().fit(*(table.iloc[:200] for table in sample)), folder)
    manifest = Partitions(texts).manifest
    task = tasks.Task("rank", given.sha256, "0" * 64)
    with pytest.raises(ModelFolderError, match="changing is another model here"):
        tasks.run_task(task, given, part, texts, tmp_path, manifest.columns, manifest.levels)
    with pytest.raises(ValueError, match=r"has sklearn_mteval 0.0, this one"):
        tasks.run_task(
            tasks.Task("rank", given.sha256, "0" * 64, "0.0"), given, part, texts, tmp_path,
            manifest.columns, manifest.levels,
        )  # fmt: skip


def test_sums_of_another_result_are_refused(saved, texts, copy, tmp_path):
    """A record that is whole, but of scores, in the place of one of ranks."""
    map_partitions(saved, texts, tmp_path / "scores", what="score")
    shutil.copy(tmp_path / "scores" / "part-000001.record", copy)
    with pytest.raises(DataFileError, match=r"part-000001.record: it is of another result"):
        system_table(copy)


def test_no_model(texts, tmp_path):
    with pytest.raises(ModelFolderError, match="nothing holds no model"):
        map_partitions(tmp_path / "nothing", texts, tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("nth", [1, 2, 5, 11])
def test_a_full_disk_is_told_and_the_next_call_goes_on(
    nth, saved, texts, ranks, tmp_path, monkeypatch
):
    calls = []

    def full(handle):
        calls.append(handle)
        if len(calls) == nth:
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        patch.delattr(os, "O_DIRECTORY")
        with pytest.raises(DataFileError, match=r"cannot be written \(No space left on device\)"):
            map_partitions(saved, texts, tmp_path / "a")
    expected = contents(ranks)
    assert contents(tmp_path / "a").items() <= expected.items()
    map_partitions(saved, texts, tmp_path / "a")
    assert contents(tmp_path / "a") == expected


def test_a_model_without_features_of_its_own_is_told(texts, tmp_path):
    plain = RankRecomposer(item_level=None).fit([[1.0], [2.0], [4.0]], [3, 2, 1])
    with pytest.raises(CandidateError, match="none before its last"):
        map_partitions(plain, texts, tmp_path / "b", what="transform")


@pytest.mark.parametrize("n_systems", [5, 2])
def test_what_a_consensus_needs_is_asked_of_all_segments(n_systems, sample, tmp_path):
    """Some parts have two translations of each segment, which is too few if all have."""
    X = sample[0].iloc[:50]
    systems = X.index.get_level_values("system")
    few = np.isin(systems, systems[:2])
    X = X[few | (np.arange(len(X)) < (10 if n_systems == 5 else 0))]
    write_partitions(X, tmp_path / "texts", segments_per_file=1)
    model = consensus_model()
    if n_systems == 2:
        for ask in (
            rank_candidates,
            lambda m, X: map_partitions(m, tmp_path / "texts", tmp_path / "a"),
        ):
            with pytest.raises(ValueError, match="no segment has more than 2 different"):
                ask(model, X)
        return
    with pytest.warns(UserWarning, match="8 of 10 segments have fewer") as expected:
        ranked = rank_candidates(model, X)
    with pytest.warns(UserWarning, match="8 of 10 segments have fewer") as warned:
        map_partitions(model, tmp_path / "texts", tmp_path / "a")
    assert [str(w.message) for w in warned] == [str(w.message) for w in expected]
    assert warned[0].filename == __file__
    pd.testing.assert_frame_equal(collect(tmp_path / "a").loc[X.index], ranked, check_exact=True)
    found, expected = system_table(tmp_path / "a"), rank_systems(ranked)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


class Lengths(RankRecomposer):
    """A class of one's own, which nobody trusts by itself."""


def test_types_of_ones_own_are_named_or_trusted(sample, X, texts, tmp_path):
    model = bleu_pipeline()
    model.steps[-1] = ("ranker", Lengths())
    model.fit(*(table.iloc[:100] for table in sample))
    with pytest.raises(ModelFolderError, match=r"does not trust: .*Lengths"):
        map_partitions(model, texts, tmp_path / "a")
    trusted = [f"{__name__}.Lengths"]
    map_partitions(model, texts, tmp_path / "a", trusted=trusted)
    expected = rank_candidates(model, X)
    pd.testing.assert_frame_equal(collect(tmp_path / "a").loc[X.index], expected)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"what": "guess"}, r"what .*found "),
        ({"retries": -1}, "retries must be an integer"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"client": "tcp://127.0.0.1:8786"}, "client must be a distributed.Client, found 'tcp"),
    ],
)
def test_options_are_checked(options, problem, texts, saved, tmp_path):
    with pytest.raises((ValueError, TypeError), match=problem):
        map_partitions(saved, texts, tmp_path / "a", **options)
    assert not (tmp_path / "a").exists()


def test_progress_is_counted(saved, texts, tmp_path, capsys):
    map_partitions(saved, texts, tmp_path / "a", progress=True)
    assert "partitions, 6 of 6 files" in capsys.readouterr().err
    (tmp_path / "a" / "part-000001.record").unlink()  # what is finished counts, too
    map_partitions(saved, texts, tmp_path / "a", progress=True)
    assert "partitions, 6 of 6 files" in capsys.readouterr().err


def test_a_manifest_of_fewer_results_is_written_anew(saved, texts, ranks, copy):
    path = copy / "partitions.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "parts": manifest["parts"][:-1]}))
    map_partitions(saved, texts, copy)
    assert path.read_bytes() == (ranks / "partitions.json").read_bytes()


@pytest.mark.slow
def test_a_ready_made_model_in_two_processes(X, texts, tmp_path):
    map_partitions("static-en", texts, tmp_path / "a", n_jobs=2)
    expected = rank_candidates(load_pretrained("static-en"), X)
    found = collect(tmp_path / "a").loc[X.index]
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    (texts / "part-000000.parquet").rename(tmp_path / "gone")
    try:
        with pytest.raises(DataFileError, match=r"part-000000.parquet"):
            map_partitions("static-en", texts, tmp_path / "b", n_jobs=2)
    finally:
        (tmp_path / "gone").rename(texts / "part-000000.parquet")
