import hashlib
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
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_mteval import (
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    __version__,
    kendall_tau_scorer,
    load_model,
    make_kendall_tau_scorer,
    save_model,
)
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.persistence import data_hash, read_signature
from sklearn_mteval.workflow import bleu_pipeline

SIGNATURE = "signature.json"
MODULE = __name__


def first_column(matrix):
    return matrix[:, 0]


def with_classifier(classifier):
    estimator = make_pipeline(PairDifference(), classifier)
    return bleu_pipeline().set_params(rank__estimator=estimator)


def search(scoring):
    grid = {"rank__recomposition": ["hard", "soft"]}
    return GridSearchCV(bleu_pipeline(), grid, scoring=scoring, cv=SegmentKFold(3))


FOREST = RandomForestClassifier(7, random_state=0)
MODELS = {  # model, types that the user must vouch for
    **{
        name: (bleu_pipeline(name), [])
        for name in ("hard", "soft", "expected", "bradley-terry", "absolute")
    },
    "callable": (bleu_pipeline(first_column), [f"{MODULE}.first_column"]),
    "neighbours": (with_classifier(KNeighborsClassifier(5)), []),
    "forest": (with_classifier(FOREST), ["sklearn.tree._tree.Tree"]),
    "search": (search(kendall_tau_scorer), []),
    "scorer made": (search(make_kendall_tau_scorer(variant="wmt14")), ["functools.partial"]),
}


@pytest.mark.parametrize("name", MODELS)
def test_predictions_survive_to_the_bit(rankings, tmp_path, name):
    X, y = rankings
    model, trusted = MODELS[name]
    model.fit(X, y)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model", trusted=trusted)
    for method in ("predict", "decision_function"):
        before, after = (getattr(m, method)(X) for m in (model, loaded))
        assert after.dtype == before.dtype and after.tobytes() == before.tobytes()
    assert loaded.score(X, y) == model.score(X, y)
    assert repr(loaded) == repr(model)


@pytest.fixture(scope="module")
def ranker():
    return RankRecomposer(item_level=None).fit([[1.0], [2.0], [4.0]], [3, 2, 1])


def strengths(model):
    return model.decision_function([[0.5], [3.0], [2.5]]).tobytes()


@pytest.fixture
def folder(ranker, tmp_path):
    save_model(ranker, tmp_path / "model")
    return tmp_path / "model"


def model_file(folder):
    return folder / read_signature(folder)["model"]


def sign(folder, **changed):
    """Change the signature as a forger would."""
    signature = json.loads((folder / SIGNATURE).read_text()) | changed
    (folder / SIGNATURE).write_text(json.dumps(signature))


def forge(folder, content):
    """Put other content under the model's name, rightly signed."""
    model_file(folder).write_bytes(content)
    sign(folder, sha256=hashlib.sha256(content).hexdigest())


def test_signature(rankings, tmp_path):
    X, y = rankings
    model = bleu_pipeline(C=0.25).fit(X, y)
    scores = {"tau": np.float64(0.5), "pairs": np.int64(7), "variant": "wmt12 – strict"}
    signature = save_model(model, tmp_path / "a" / "b", X=X, y=y, scores=scores)
    assert signature == read_signature(tmp_path / "a" / "b")
    assert signature["estimator"] == "Pipeline"
    assert signature["parameters"]["rank__estimator__logisticregression__C"] == "0.25"
    assert signature["parameters"]["rank__recomposition"] == "'soft'"
    assert signature["versions"]["sklearn_mteval"] == __version__
    assert signature["versions"]["numpy"] == np.__version__
    assert {"python", "scikit-learn", "skops", "sacrebleu"} <= set(signature["versions"])
    assert signature["training_data"] == data_hash(X, y)
    assert signature["n_candidates"] == len(X)
    assert signature["scores"] == {"tau": 0.5, "pairs": 7, "variant": "wmt12 – strict"}
    content = model_file(tmp_path / "a" / "b").read_bytes()
    assert signature["sha256"] == hashlib.sha256(content).hexdigest()
    assert len(list((tmp_path / "a" / "b").iterdir())) == 2


def test_hash_of_data_does_not_depend_on_the_order_of_rows_or_on_types(rankings):
    X, y = rankings
    expected = data_hash(X, y)
    assert len(expected) == 64 and set(expected) <= set("0123456789abcdef")
    order = np.random.default_rng(0).permutation(len(X))
    assert data_hash(X.iloc[order], y.iloc[order]) == expected
    assert data_hash(X.astype(object), y.tolist()) == expected
    assert data_hash(X, y.astype(float)) == expected


CHANGES = {
    "a text": lambda X, y: (X.replace({"hypothesis": {X["hypothesis"].iloc[5]: "x"}}), y),
    "texts of two columns": lambda X, y: (X[["reference", "source", "hypothesis"]], y),
    "a rank": lambda X, y: (X, y + (np.arange(len(y)) == 7)),
    "two ranks": lambda X, y: (X, y.to_numpy()[::-1]),
    "no ranks": lambda X, y: (X, None),
    "a segment": lambda X, y: (X.rename(index={3: 99}, level="segment"), y.to_numpy()),
    "a system": lambda X, y: (X.rename(index={"system1": "s"}, level="system"), y.to_numpy()),
    "a level's name": lambda X, y: (X.rename_axis(["segment", "engine"]), y.to_numpy()),
    "a column's name": lambda X, y: (X.rename(columns={"source": "src"}), y),
    "a column more": lambda X, y: (X.assign(more=""), y),
    "a row less": lambda X, y: (X.iloc[1:], y.iloc[1:]),
    "one reference in a list": lambda X, y: (X.assign(reference=[[t] for t in X["reference"]]), y),
}


@pytest.mark.parametrize("change", CHANGES)
def test_hash_of_data_changes_with_any_part_of_it(rankings, change):
    assert data_hash(*CHANGES[change](*rankings)) != data_hash(*rankings)


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
    "pickled array": (pickled_array, "cannot be built"),
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


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_leaves_a_whole_model(killed, ranker, moment):
    folder = Path(killed + moment)
    assert len(list(folder.iterdir())) == MOMENTS[moment]
    loaded = load_model(folder)
    assert loaded.recomposition == ("hard" if moment == "clean-up" else "soft")
    assert moment == "clean-up" or strengths(loaded) == strengths(ranker)
    save_model(loaded, folder)  # and the next one clears away what the kill left behind
    assert len(list(folder.iterdir())) == 2
