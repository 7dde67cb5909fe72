"""Features and classifiers by name."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion

from sklearn_mteval import KNN, BLEUComp, PairwiseNN, features
from sklearn_mteval.classifiers import NaiveBayes, PairEnsemble
from sklearn_mteval.features import ChrFComp, SurfaceCounts
from sklearn_mteval.models.short_names import (
    CLASSIFIERS,
    SHORT_NAMES,
    make_classifier,
    make_features,
)


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_short_names_are_of_transformers(name):
    made = make_features(name)
    assert isinstance(made, getattr(features, SHORT_NAMES[name][0]))


def test_one_and_several():
    assert isinstance(make_features("BLEUComp"), BLEUComp)
    assert isinstance(make_features(["BLEUComp"]), BLEUComp)
    assert make_features("chrf++").word_order == 2
    assert make_features({"name": "chrf++", "word_order": 1}).word_order == 1
    mine = ChrFComp(char_order=3)
    assert make_features(mine) is mine
    union = make_features(["bleu", {"name": "SurfaceCounts", "ratios": True}, mine, "chrf"])
    assert isinstance(union, FeatureUnion)
    names, made = zip(*union.transformer_list, strict=True)
    assert names == ("bleucomp", "surfacecounts", "chrfcomp-1", "chrfcomp-2")
    assert isinstance(made[1], SurfaceCounts) and made[1].ratios is True and made[2] is mine


@pytest.mark.parametrize("kind", ["static", "encoder", "no-reference", "any"])
def test_recommended_features(kind, monkeypatch):
    asked = []

    def recommended(kind="static", *, vectors=None, **options):
        asked.append((kind, vectors, options))
        return ChrFComp()

    monkeypatch.setattr(features, "recommended", recommended)
    assert isinstance(make_features(kind), ChrFComp)
    make_features([{"name": kind, "vectors": "file", "other": 1}])
    assert asked == [(kind, None, {}), (kind, "file", {"other": 1})]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("blue", r"features: expected one of \['static', .*'bleu'.*, found 'blue'. Did you mean"),
        ("feature_set", "expected one of"),
        ("NormalizeText", "expected one of"),
        ([], "expected at least one"),
        (BLEUComp, "expected a name"),
        (5, "expected a name"),
        ({"max_ngram_order": 3}, "expected a name"),
        (["bleu", ["chrf"]], "expected a name"),
        ({"name": "bleu", "order": 3}, r"'bleu', option: expected one of .'max_ngram_order'.* 'or"),
        ("EmbeddingAverager", "the option 'vectors' must be given"),
    ],
)
def test_features_that_are_none(given, problem):
    with pytest.raises(ValueError, match=problem):
        make_features(given)


KINDS = {
    "ensemble": PairEnsemble,
    "knn": KNN,
    "logreg": LogisticRegression,
    "naive-bayes": NaiveBayes,
    "nn": PairwiseNN,
}


def last(classifier):
    return classifier[-1] if hasattr(classifier, "steps") else classifier


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name):
    made, tried = make_classifier(name)
    assert isinstance(last(made), KINDS[name])
    assert set(tried) <= set(made.get_params())
    assert make_classifier(name)[0] is not made


def test_options_of_classifiers():
    made, tried = make_classifier({"name": "logreg", "C": 7})
    assert made[-1].C == 7 and tried == {}
    assert "logisticregression__C" in make_classifier({"name": "logreg", "tol": 1e-3})[1]
    made, _ = make_classifier({"name": "ensemble", "cv": 5, "logreg__C": 2})
    assert (made.cv, made.get_params()["logreg__C"]) == (5, 2)
    mine = KNN()
    assert make_classifier(mine) == (mine, {})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("forest", r"classifier: expected one of \['ensemble', .*, found 'forest'"),
        ("log-reg", "Did you mean 'logreg'"),
        ({"name": "knn", "k": 3}, "classifier 'knn', option: expected one of .*n_neighbors"),
        ({"name": "ensemble", "boosting__C": 3}, "classifier 'ensemble', option"),
        (KNN, "expected a name"),
        (None, "expected a name"),
    ],
)
def test_classifiers_that_are_none(given, problem):
    with pytest.raises(ValueError, match=problem):
        make_classifier(given)
