import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from model_files import model_file
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    SegmentKFold,
    __version__,
    kendall_tau_scorer,
    load_model,
    make_kendall_tau_scorer,
    save_model,
)
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.features import SurfaceCounts
from sklearn_mteval.models import bleu_pipeline
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS
from sklearn_mteval.persistence import data_hash, read_signature

MODULE = __name__


def first_column(matrix):
    return matrix[:, 0]


def with_classifier(classifier):
    estimator = make_pipeline(PairDifference(), classifier)
    return bleu_pipeline().set_params(rank__estimator=estimator)


def search(scoring):
    grid = {"rank__recomposition": ["hard", "soft"]}
    return GridSearchCV(bleu_pipeline(), grid, scoring=scoring, cv=SegmentKFold(3))


UNION = make_union(BLEUComp()).set_output(transform="pandas")  # keeps indexes of columns
FOREST = RandomForestClassifier(7, random_state=0)
MODELS = {  # model, types that the user must vouch for
    **{name: (bleu_pipeline(name), []) for name in RECOMPOSITIONS},
    "callable": (bleu_pipeline(first_column), [f"{MODULE}.first_column"]),
    "neighbours": (with_classifier(KNeighborsClassifier(5)), []),
    "forest": (with_classifier(FOREST), ["sklearn.tree._tree.Tree"]),
    "search": (search(kendall_tau_scorer), []),
    "union": (bleu_pipeline().set_params(features=UNION), []),
    "scorer made": (search(make_kendall_tau_scorer(statistic="wmt14")), []),
}


@pytest.mark.parametrize("name", MODELS)
def test_predictions_survive_to_the_bit(rankings, tmp_path, name):
    X, y = rankings
    model, trusted = MODELS[name]
    model.fit(X, y)
    save_model(model, tmp_path / "model", trusted=trusted)
    loaded = load_model(tmp_path / "model", trusted=trusted)
    for method in ("predict", "decision_function"):
        before, after = (getattr(m, method)(X) for m in (model, loaded))
        assert after.dtype == before.dtype and after.tobytes() == before.tobytes()
    assert loaded.score(X, y) == model.score(X, y)
    assert repr(loaded) == repr(model)


def test_signature(rankings, tmp_path):
    X, y = rankings
    model = bleu_pipeline(C=0.25).fit(X, y)
    scores = {"tau": np.float64(0.5), "pairs": np.int64(7), "variant": "wmt12 – strict"}
    signature = save_model(model, tmp_path / "a" / "b", X=X, y=y, scores=scores)
    assert signature == read_signature(tmp_path / "a" / "b")
    assert signature["estimator"] == "RankingPipeline"
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


@pytest.mark.parametrize(
    "unknown",
    [with_classifier(FOREST), bleu_pipeline(first_column), bleu_pipeline(lambda P: P[:, 0])],
)
def test_what_could_not_be_loaded_is_not_saved_over_a_good_model(rankings, folder, ranker, unknown):
    unknown.fit(*rankings)
    before = model_file(folder).read_bytes()
    with pytest.raises(ModelFolderError, match=r"does not trust: .*pass trusted=\[...\]"):
        save_model(unknown, folder)
    assert model_file(folder).read_bytes() == before


def test_paths_are_saved(tmp_path):
    """A path is a parameter like any other, such as a cache or a file of words."""
    words = tmp_path / "words"
    words.write_text("one\ntwo\n", encoding="utf-8")
    X = pd.DataFrame({"source": ["eins"], "hypothesis": ["one of three"]})
    model = SurfaceCounts(vocabulary=words, features=["hypothesis_unknown_words"]).fit(X)
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert Path(again.vocabulary) == words  # as a str, which loads on any system
    assert again.transform(X).tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("model", "path", "scores", "message"),
    [
        (None, None, None, "path must be the path of a folder, found None"),
        (None, 5, None, "path must be the path of a folder, found 5"),
        (KNeighborsClassifier, "model", None, "the class KNeighborsClassifier"),
        (None, "model", 5, "scores must be a dict, found 5"),
    ],
)
def test_arguments_of_another_kind(ranker, tmp_path, monkeypatch, model, path, scores, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match=message):
        save_model(ranker if model is None else model, path, scores=scores)
    for X in (5, np.zeros((2, 2)), [["a"]]):
        with pytest.raises(TypeError, match="X must be a candidate table"):
            save_model(ranker, tmp_path / "model", X=X)
    assert not list(tmp_path.iterdir())


SAVING = """if True:
    import sys
    from sklearn_mteval import BLEUComp, RankRecomposer, make_ranking_pipeline, save_model
    from sklearn_mteval.classifiers import KNN, PairEnsemble
    from sklearn_mteval.datasets import load_sample

    X, y = load_sample(return_X_y=True)
    ensemble = PairEnsemble(calibrate=False).set_params(boosting__max_iter=3)
    steps = BLEUComp(), RankRecomposer(ensemble)
    kept = [bytearray(int(sys.argv[2])) for _ in range(int(sys.argv[2]))]  # other addresses
    save_model(make_ranking_pipeline(*steps).fit(X[:100], y[:100]), sys.argv[1])"""


@pytest.mark.slow
def test_equal_models_are_equal_bytes(tmp_path, monkeypatch):
    """Saved here, and in a process of another hash seed and other addresses."""
    here, there = [str(tmp_path / "here"), "1"], [str(tmp_path / "there"), "222"]
    monkeypatch.setattr(sys, "argv", ["-c", *here])
    exec(SAVING, {})
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", SAVING, *there], check=True, env=environment)
    found = [{path.name: path.read_bytes() for path in Path(folder).iterdir()}
             for folder, _ in (here, there)]  # fmt: skip
    assert found[0] == found[1] and len(found[0]) == 2
    assert load_model(here[0])[-1].estimator_.estimators_
