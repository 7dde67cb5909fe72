import importlib
import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import skops.io
from model_files import SIGNATURE, forge, model_file, sign, strengths
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_mteval import RankRecomposer, __version__, load_model, save_model
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.persistence import TRUSTED_PACKAGES, TRUSTED_TYPES


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.system, (f"touch {self.file}",)


def edited(model, change=lambda node: node, array=None):
    """Return a model's archive, each node of its schema changed, its arrays replaced."""

    def walk(node):
        if isinstance(node, dict):
            return {key: walk(value) for key, value in change(node).items()}
        return [walk(value) for value in node] if isinstance(node, list) else node

    old, buffer = zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))), io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as new:
        new.writestr("schema.json", json.dumps(walk(json.loads(old.read("schema.json")))))
        for name in set(old.namelist()) - {"schema.json"}:
            new.writestr(name, old.read(name) if array is None else array)
    return buffer.getvalue()


def function_inside(file):
    return skops.io.dumps(make_pipeline(FunctionTransformer(os.system)))


def keys_evaluated(file):
    """The loader makes each key with its type: eval("…") instead of str("…")."""
    code = f"__import__('os').system('touch {file}')"

    def change(node):
        if code in (node.get("content") or ()):
            evil = {"__class__": "eval", "__module__": "builtins", "__loader__": "TypeNode"}
            node["key_types"]["content"] = [evil]
        return node

    return edited(FunctionTransformer(kw_args={code: 1}), change)


def list_called(file):
    """The loader makes a list with its class: subprocess.call([…]) instead of list([…])."""

    def change(node):
        if node.get("__class__") == "list" and "touch" in str(node["content"]):
            return node | {"__class__": "call", "__module__": "subprocess"}
        return node

    return edited(FunctionTransformer(kw_args={"key": ["touch", str(file)]}), change)


def pickled_array(file):
    array = io.BytesIO()
    np.save(array, np.array([Touch(file)], dtype=object), allow_pickle=True)
    return edited(FunctionTransformer(kw_args={"a": np.ones(1)}), array=array.getvalue())


HOSTILE = {
    "pickle": (lambda file: pickle.dumps(Touch(file)), "not a skops model"),
    "function": (function_inside, r"not trusted: \w+.system"),
    "keys evaluated": (keys_evaluated, r"not trusted: builtins.eval"),
    "list called": (list_called, r"not trusted: subprocess.call"),
    "pickled array": (pickled_array, "pickled objects, which could run code"),
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_strangers_file_runs_no_code(folder, tmp_path, attack):
    make, words = HOSTILE[attack]
    forge(folder, make(tmp_path / "touched"))
    with pytest.raises(ModelFolderError, match=words):
        load_model(folder)
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    ("attack", "trusted"), [(keys_evaluated, "builtins.eval"), (list_called, "subprocess.call")]
)
def test_the_attacks_are_real(folder, tmp_path, attack, trusted):
    forge(folder, attack(tmp_path / "touched"))
    load_model(folder, trusted=[trusted])
    assert (tmp_path / "touched").exists()


def test_a_strangers_module_is_not_imported(folder, tmp_path, monkeypatch, ranker):
    (tmp_path / "strange_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    strange = {"__module__": "strange_module"}
    forge(folder, edited(ranker, lambda node: node | strange if "__module__" in node else node))
    with pytest.raises(ModelFolderError, match=r"not trusted: strange_module\."):
        load_model(folder)
    assert "strange_module" not in sys.modules


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("sklearn_mteval.features.overlap.bleu", "sentence_bleu"),  # exported, but a function
        ("sklearn_mteval.linguistic.quality_estimation.feature_sets", "FEATURE_SETS"),  # no class
        ("sklearn_mteval.persistence.models", "_IndexesToArrays"),  # a class, but not exported
        ("sklearn_mteval.evaluation.evaluate", "Evaluation"),  # exported by another package
        ("sklearn_mteval.features", "BLEUComp"),  # not where the class says that it stands
        ("os", "BLEUComp"),
    ],
)
def test_only_exported_classes_are_trusted(folder, ranker, package, name):
    other = {"__module__": package, "__class__": name}

    def change(node):
        return node | other if node.get("__class__") == "RankRecomposer" else node

    forge(folder, edited(ranker, change))
    with pytest.raises(ModelFolderError, match=f"not trusted: {package}.{name}"):
        load_model(folder)


def test_exported_transformers_and_classifiers_are_trusted():
    packages = [importlib.import_module(package) for package in TRUSTED_PACKAGES]
    names = {(package, name) for package in packages for name in package.__all__}
    classes = [getattr(*pair) for pair in names]
    found = {c.__name__ for c in classes if isinstance(c, type) and issubclass(c, BaseEstimator)}
    assert {"BLEUComp", "KNN", "PairwiseNN", "RankRecomposer", "ScoreColumn"} < found
    # Functions and types that stand in the list must be there, and be what they are called.
    for full in TRUSTED_TYPES:
        module, _, name = full.rpartition(".")
        assert getattr(importlib.import_module(module), name).__qualname__ == name


FLAWS = {  # what becomes of the model file, and what is said of it
    "cut": (lambda file: file.write_bytes(file.read_bytes()[:-9]), "damaged: .*signature"),
    "emptied": (lambda file: file.write_bytes(b""), "damaged: .*signature"),
    "one bit": (lambda file: file.write_bytes(b"Q" + file.read_bytes()[1:]), "damaged"),
    "gone": (lambda file: file.unlink(), "cannot be read"),
    "cut and signed": (lambda file: forge(file.parent, file.read_bytes()[:-9]), "not a skops"),
    "emptied and signed": (lambda file: forge(file.parent, b""), "not a skops"),
    "version 2": (lambda file: sign(file.parent, format=2), "signature of format 1"),
    "no versions": (lambda file: sign(file.parent, versions=None), "is damaged"),
    "no hash": (lambda file: sign(file.parent, sha256=None), "is damaged"),
    "no signature": (lambda file: (file.parent / SIGNATURE).unlink(), "holds no model"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_damaged_model_is_refused(folder, flaw):
    damage, words = FLAWS[flaw]
    damage(model_file(folder))
    with pytest.raises(ModelFolderError, match=words):
        load_model(folder)


@pytest.mark.parametrize(
    "text", [b"", b'{"format": 1', b"[]", b"null", b"\xff", b"{}", b"[" * 100_000]
)
def test_a_damaged_signature_is_refused(folder, text):
    (folder / SIGNATURE).write_bytes(text)
    with pytest.raises(ModelFolderError, match=r"signature.json(: expected a| is damaged)"):
        load_model(folder)


@pytest.mark.parametrize("name", ["../other/{}", "{0}/../{0}", "/{}", "{}\n", SIGNATURE, "", 5])
def test_the_signature_cannot_point_out_of_the_folder(folder, name):
    file = model_file(folder)
    file.parent.with_name("other").mkdir()
    file.parent.with_name("other").joinpath(file.name).write_bytes(file.read_bytes())
    sign(folder, model=name.format(file.name) if isinstance(name, str) else name)
    with pytest.raises(ModelFolderError, match="names no model file of this folder"):
        load_model(folder)


def test_another_version_is_warned_of(folder, ranker):
    sign(folder, versions={"sklearn_mteval": "0.0.1"})
    with pytest.warns(UserWarning, match=f"saved by sklearn_mteval 0.0.1; this is {__version__}"):
        assert strengths(load_model(folder)) == strengths(ranker)


@pytest.mark.parametrize("there", ["notes.txt", SIGNATURE])
def test_saving_over_a_folder_of_other_files_is_refused(ranker, tmp_path, there):
    (tmp_path / there).write_text('{"kept": true}')
    with pytest.raises(ModelFolderError, match="other files"):
        save_model(ranker, tmp_path)
    with pytest.raises(ModelFolderError, match="is a file: a model is saved as a folder"):
        save_model(ranker, tmp_path / there)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        (there, '{"kept": true}')
    ]


def test_saving_over_a_model_replaces_it(folder, ranker):
    (folder / "notes.txt").write_text("kept")
    newer = RankRecomposer(item_level=None).fit([[1.0], [2.0]], [1, 2])
    name = save_model(newer, folder)["model"]
    assert {path.name for path in folder.iterdir()} == {SIGNATURE, name, "notes.txt"}
    assert strengths(load_model(folder)) == strengths(newer) != strengths(ranker)


def test_a_model_that_cannot_be_saved_leaves_the_old_one(folder, ranker):
    with pytest.raises(TypeError, match="not a number or text"):
        save_model(ranker, folder, scores={"tau": object()})
    assert strengths(load_model(folder)) == strengths(ranker)
    assert len(list(folder.iterdir())) == 2


KILLED = """
import os, signal, sys
from sklearn_mteval import load_model, save_model
replace = os.replace
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
for moment in sys.argv[2:]:
    folder = sys.argv[1] + moment
    model = load_model(folder).set_params(recomposition="hard")
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        continue
    os.replace = lambda old, new: die() if new.name.startswith(moment) else replace(old, new)
    if moment == "clean-up":
        os.unlink = die
    save_model(model, folder)
"""
MOMENTS = {"model-": 3, SIGNATURE: 4, "clean-up": 3}  # killed before; files it leaves


@pytest.fixture(scope="module")
def killed(ranker, tmp_path_factory):
    """Models over which a process was saving when it was killed at each of the moments."""
    prefix = str(tmp_path_factory.mktemp("killed") / "at ")
    for moment in MOMENTS:
        save_model(ranker, prefix + moment)
    subprocess.run([sys.executable, "-c", KILLED, prefix, *MOMENTS], check=True)
    return prefix


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_leaves_a_whole_model(killed, ranker, moment):
    folder = Path(killed + moment)
    assert len(list(folder.iterdir())) == MOMENTS[moment]
    loaded = load_model(folder)
    assert loaded.recomposition == ("hard" if moment == "clean-up" else "soft")
    assert moment == "clean-up" or strengths(loaded) == strengths(ranker)
    save_model(loaded, folder)  # and the next one clears away what the kill left behind
    assert len(list(folder.iterdir())) == 2
