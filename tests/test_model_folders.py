"""Folders that a model cannot be saved into or loaded from: one clear error, nothing lost."""

import errno
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from model_files import SIGNATURE, model_file, sign, strengths
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_mteval import BLEUComp, RankRecomposer, load_model, save_model
from sklearn_mteval._helpers.atomic import TEMPORARY_SUFFIX
from sklearn_mteval.cli import train
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.persistence import check_model_folder, folders

needs_links = pytest.mark.skipif(os.name == "nt", reason="no links without rights")
needs_fcntl = pytest.mark.skipif(folders.fcntl is None, reason="no locks on folders")


@pytest.fixture
def newer():
    return RankRecomposer(item_level=None).fit([[1.0], [2.0]], [1, 2])


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def content_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("moment", range(4))  # fsync of: model, folder, signature, folder
def test_a_full_disk_leaves_the_old_model(folder, newer, monkeypatch, moment):
    before, calls = content_of(folder), iter(range(99))
    monkeypatch.setattr(os, "fsync", lambda _: full() if next(calls) == moment else None)
    with pytest.raises(ModelFolderError, match=r"cannot be saved \(No space left on device\)"):
        save_model(newer, folder)
    monkeypatch.undo()
    if moment < 3:
        assert content_of(folder) == before
    load_model(folder)  # whichever: it is whole


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("moment", range(3))
def test_a_first_save_that_fails_leaves_nothing(tmp_path, newer, monkeypatch, moment, error):
    def fail(_):
        if next(calls) == moment:
            raise error

    calls = iter(range(99))
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((ModelFolderError, KeyboardInterrupt)):
        save_model(newer, tmp_path / "new" / "folder")
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine").mkdir()
    calls = iter(range(99))
    with pytest.raises((ModelFolderError, KeyboardInterrupt)):
        save_model(newer, tmp_path / "mine" / "folder")
    assert list(tmp_path.rglob("*")) == [tmp_path / "mine"]  # was there before
    monkeypatch.undo()
    with pytest.raises(ModelFolderError, match="name too long"):
        save_model(newer, tmp_path / "new" / ("x" * 300))
    assert not (tmp_path / "new").exists()
    save_model(newer, tmp_path / "mine")
    assert strengths(load_model(tmp_path / "mine")) == strengths(newer)


@needs_fcntl
def test_a_saver_that_waits_for_one_that_fails_makes_the_folder_again(tmp_path, newer, monkeypatch):
    """Its folder is gone when its turn comes."""

    def lock(handle, how):
        monkeypatch.undo()
        folder.rmdir()

    folder = tmp_path / "model"
    folder.mkdir()
    monkeypatch.setattr(folders.fcntl, "flock", lock)
    save_model(newer, folder)
    assert strengths(load_model(folder)) == strengths(newer)


FILLED = """
import resource, sys
from sklearn_mteval import load_model, save_model
model = load_model(sys.argv[1]).set_params(recomposition="hard")
for n_bytes in (0, 1000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))
    try:
        save_model(model, sys.argv[1])
    except ValueError as error:
        print(type(error).__name__, error)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no limit on sizes of files")
def test_a_limit_on_the_size_of_files_leaves_the_old_model(folder):
    before = content_of(folder)
    command = [sys.executable, "-c", FILLED, folder]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    said = run.stdout.splitlines()
    assert len(said) == 2 and all(line.startswith("ModelFolderError") for line in said)
    assert all("cannot be saved (File too large)" in line for line in said)
    assert content_of(folder) == before


def test_a_folder_that_cannot_be_written(folder, newer):
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    before = content_of(folder)
    folder.chmod(0o500)
    try:
        with pytest.raises(ModelFolderError, match="Permission denied"):
            save_model(newer, folder)
        assert content_of(folder) == before
        assert strengths(load_model(folder))
    finally:
        folder.chmod(0o700)


def test_a_refusal_to_write_is_explained(folder, newer, monkeypatch):
    def refused(path, flags, *mode):
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, flags, *mode)

    opened, before = os.open, content_of(folder)
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(ModelFolderError, match=r"cannot be saved \(Permission denied\)"):
        save_model(newer, folder)
    monkeypatch.undo()
    assert content_of(folder) == before


def looped(path):
    path.symlink_to(path)
    return path


def linked(path):
    path.symlink_to(path.with_name("nowhere"))
    return path


def below_a_file(path):
    path.write_text("a file")
    return path / "model"


def a_file(path):
    path.write_text("a file")
    return path


PATHS = {
    "a file": (a_file, "is a file: a model is saved as a folder", "is no folder"),
    "below a file": (below_a_file, "a part of this path is a file", "is no folder"),
    "a loop": (looped, "cannot be used: Too many levels", "Too many levels"),
    "a link to nothing": (linked, "is a link to what is not there", "there is no such folder"),
    "a missing folder": (lambda path: path, None, "holds no model: there is no such folder"),
    "NUL": (lambda path: f"{path}\0", "cannot be used: .*embedded null", "embedded null"),
    "a long name": (lambda path: f"{path}{'x' * 300}", "name too long", "name too long"),
}


@needs_links
@pytest.mark.parametrize("kind", PATHS)
def test_paths_that_are_no_folders(tmp_path, ranker, kind):
    make, saving, loading = PATHS[kind]
    path = make(tmp_path / "model")
    with pytest.raises(ModelFolderError, match=loading):
        load_model(path)
    if saving is None:
        save_model(ranker, path)
        return
    for use in (lambda: save_model(ranker, path), lambda: check_model_folder(path)):
        with pytest.raises(ModelFolderError, match=saving):
            use()


def as_folder(file):
    file.mkdir()


def as_pipe(file):
    os.mkfifo(file)


def as_device(file):
    file.symlink_to("/dev/zero")


def as_loop(file):
    file.symlink_to(file)


IRREGULAR = [as_folder, as_pipe, as_device, as_loop]


@needs_links
@pytest.mark.parametrize("make", IRREGULAR)
@pytest.mark.parametrize("which", ["signature", "model"])
def test_files_that_are_none_are_neither_read_nor_written(folder, ranker, newer, make, which):
    file = folder / SIGNATURE if which == "signature" else model_file(folder)
    file.unlink()
    make(file)
    with pytest.raises(ModelFolderError, match="cannot be read"):
        load_model(folder)
    with pytest.raises(ModelFolderError, match="cannot be saved"):
        save_model(ranker, folder)
    if which == "model":  # another one has another name
        save_model(newer, folder)
        assert strengths(load_model(folder)) == strengths(newer)


@needs_links
def test_a_link_in_the_folder_is_not_written_through(folder, newer, tmp_path):
    mine = tmp_path / "mine"
    mine.write_bytes((folder / SIGNATURE).read_bytes())
    (folder / SIGNATURE).unlink()
    (folder / SIGNATURE).symlink_to(mine)
    load_model(folder)
    with pytest.raises(ModelFolderError, match=r"signature\.json is a link or no regular file"):
        save_model(newer, folder)
    assert "RankRecomposer" in mine.read_text() and len(list(folder.iterdir())) == 2


def test_files_that_cannot_be_read(folder):
    if os.name == "nt" or os.geteuid() == 0:
        pytest.skip("root may read everything")
    for file in (model_file(folder), folder / SIGNATURE):
        file.chmod(0)
        with pytest.raises(ModelFolderError, match="Permission denied"):
            load_model(folder)


SIGNATURES = {
    "sha256": [None, 5, "x", "a" * 63, []],
    "estimator": [None, 5, "a\x1b[2Jb", "x" * 300],
    "parameters": [None, [], "text"],
    "versions": [None, [], {"sklearn_mteval": 5}, {"sklearn_mteval": "\x1b[2J"}],
    "training_data": [5, []],
    "n_candidates": ["5", 1.5, True],
    "scores": [None, 5, []],
}


@pytest.mark.parametrize("key", SIGNATURES)
def test_signatures_of_other_values_are_refused(folder, key):
    text = (folder / SIGNATURE).read_text()
    for value in SIGNATURES[key]:
        (folder / SIGNATURE).write_text(text)
        sign(folder, **{key: value})
        with pytest.raises(ModelFolderError, match=f"is damaged: '{key}' is missing or has"):
            load_model(folder)
    signature = json.loads(text)
    del signature[key]
    (folder / SIGNATURE).write_text(json.dumps(signature))
    with pytest.raises(ModelFolderError, match=f"is damaged: '{key}' is missing"):
        load_model(folder)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" " * (1 << 23), "8,388,608 bytes, more than 4,194,304"),
        ("[" * 10**6, "nested too deeply"),
        ('{"a":' * 10**5, "nested too deeply"),
        ("9" * 10**5, "is damaged"),
        ('{"format": 1e999}', "expected a signature of format 1"),
    ],
)
def test_signatures_that_are_large_or_deep(folder, text, words):
    (folder / SIGNATURE).write_text(text)
    with pytest.raises(ModelFolderError, match=words):
        load_model(folder)


def test_a_signature_that_could_not_be_read_is_not_written(tmp_path, ranker):
    with pytest.raises(ValueError, match="scores are for a few numbers and texts"):
        save_model(ranker, tmp_path / "model", scores={"text": "x" * (1 << 22)})
    assert not (tmp_path / "model").exists()


def test_a_folder_that_lost_its_model_is_repaired_by_the_next_save(folder, ranker):
    model_file(folder).unlink()
    with pytest.raises(ModelFolderError, match="cannot be read"):
        load_model(folder)
    check_model_folder(folder)
    save_model(ranker, folder)
    assert strengths(load_model(folder)) == strengths(ranker)


@needs_fcntl
def test_a_saver_waits_for_its_turn(folder, newer, monkeypatch):
    handle = os.open(folder, os.O_RDONLY)
    folders.fcntl.flock(handle, folders.fcntl.LOCK_EX)
    try:
        monkeypatch.setattr(folders, "_WAIT", 0.05)
        with pytest.raises(ModelFolderError, match="another process has locked the folder"):
            save_model(newer, folder)
        monkeypatch.setattr(folders, "_WAIT", 60)
        saving = threading.Thread(target=save_model, args=(newer, folder))
        saving.start()
        load_model(folder)  # readers do not wait
        saving.join(0.2)
        assert saving.is_alive()
    finally:
        folders.fcntl.flock(handle, folders.fcntl.LOCK_UN)
        os.close(handle)
    saving.join(60)
    assert strengths(load_model(folder)) == strengths(newer)


@pytest.mark.parametrize("locks", ["none", "not on this disk"])
def test_without_locks_only_old_files_are_deleted(folder, newer, monkeypatch, locks):
    def unsupported(*_):
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    if locks == "none":
        monkeypatch.setattr(folders, "fcntl", None)
    elif folders.fcntl is None:
        pytest.skip("no locks on folders")
    else:
        monkeypatch.setattr(folders.fcntl, "flock", unsupported)
    old = model_file(folder)
    for name, age in ((f".a{TEMPORARY_SUFFIX}", 10), (f".b{TEMPORARY_SUFFIX}", 4000)):
        (folder / name).write_text("of another saver")
        os.utime(folder / name, (time.time() - age,) * 2)
    save_model(newer, folder)
    assert {path.name for path in folder.iterdir()} == {
        SIGNATURE, old.name, model_file(folder).name, f".a{TEMPORARY_SUFFIX}"
    }  # fmt: skip


class Stateless(BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X


X, Y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1]
UNFITTED = [
    bleu_pipeline(),
    make_pipeline(StandardScaler(), LogisticRegression().fit(X, Y)),
    make_pipeline(StandardScaler().fit(X), LogisticRegression()),
    make_pipeline(make_pipeline(StandardScaler()), LogisticRegression().fit(X, Y)),
    GridSearchCV(LogisticRegression(), {"C": [1]}),
    RankRecomposer(),
    BLEUComp(),
    StandardScaler(),
]


@pytest.mark.parametrize("model", UNFITTED, ids=lambda model: type(model).__name__)
def test_what_is_not_fitted_is_not_saved(tmp_path, model):
    with pytest.raises(NotFittedError, match=r"This \w+ is not fitted: call fit before save_model"):
        save_model(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


FITTED = [
    GridSearchCV(LogisticRegression(), {"C": [1]}, cv=2).fit(X, Y),
    make_pipeline(FunctionTransformer(), "passthrough", LogisticRegression()).fit(X, Y),
    FunctionTransformer(),
    make_pipeline(Stateless(), LogisticRegression()).fit(X, Y),
    Stateless(),
]


@pytest.mark.parametrize("model", FITTED, ids=lambda model: type(model).__name__)
def test_what_is_fitted_or_needs_no_fit_is_saved(tmp_path, model):
    of_search = ("metrics._scorer._PassthroughScorer", "model_selection._split.StratifiedKFold")
    trusted = [f"{__name__}.Stateless", *(f"sklearn.{name}" for name in of_search)]
    save_model(model, tmp_path / "model", trusted=trusted)
    assert repr(load_model(tmp_path / "model", trusted=trusted)) == repr(model)


def test_paths_may_be_texts(ranker, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_model(ranker, "model")
    assert strengths(load_model("model")) == strengths(load_model(Path("model")))


def test_what_a_folder_holds_is_told(tmp_path, newer, capsys):
    folder = tmp_path / "model"
    assert check_model_folder(folder) is False
    folder.mkdir()
    assert check_model_folder(folder) is False
    for ending in ("\n", ", which replaces the older model there\n"):
        train._save(newer, folder, None, None, None)
        assert capsys.readouterr().out == f"Saved: {folder}{ending}"
    assert check_model_folder(folder) is True
