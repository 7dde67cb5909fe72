"""Models of trusted types with crafted numbers in them: refused, or harmless."""

import importlib
import json
import subprocess
import sys
from collections import Counter
from copy import copy
from pathlib import Path

import numpy as np
import pytest
import skops.io
from crafted_models import MODELS, is_checked, made, parts, state_of
from model_files import forge

from sklearn_mteval import RankRecomposer, load_model, save_model
from sklearn_mteval.exceptions import ModelFolderError
from sklearn_mteval.persistence import TRUSTED_PACKAGES

SCRIPT = Path(__file__).with_name("crafted_models.py")
# Classes that hold parameters only, which are asked of the table or checked where they are used.
HOLD_NOTHING = {
    "BracketTree", "BracketedTrees", "CachedParser", "ConlluSentence",
    "ConstituencyParser", "DependencyParser", "DiscourseMerge", "EncoderOptions", "GroupRanker",
    "LinkGrammar",
    "PairDifference", "Parser", "Parses", "PartialTreeKernel", "RankingPipeline", "Recomposition",
    "SegmentKFold", "SentenceDiscourse", "ShallowParser", "SubsetTreeKernel",
    "SubtreeKernel",
}  # fmt: skip


def verdicts(names, n_cases, seed):
    """Craft models in a process of its own; count the verdicts. A crash names its case."""
    run = subprocess.run(
        [sys.executable, SCRIPT, ",".join(names), str(n_cases), str(seed)],
        capture_output=True,
        text=True,
    )
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, (lines[-1:], run.stderr[-1000:])
    cases = list(zip(lines[::2], (line["verdict"] for line in lines[1::2]), strict=True))
    wrong = [case for case in cases if case[1] not in ("refused", "answered", "error")]
    assert not wrong
    return Counter(verdict for _, verdict in cases)


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_many_crafted_models_are_refused_or_harmless(half):
    counts = verdicts(list(MODELS)[half::2], 120, 1 + half)
    assert counts.total() > 1000 and min(counts["refused"], counts["answered"]) > 100


def test_all_classes_that_hold_numbers_look_at_them():
    found = set()
    for package in map(importlib.import_module, TRUSTED_PACKAGES):
        classes = (getattr(package, name) for name in package.__all__)
        found |= {kind for kind in classes if isinstance(kind, type)}
    assert {kind.__name__ for kind in found if not is_checked(kind)} <= HOLD_NOTHING
    assert {"KNN", "PairwiseNN", "WordVectors"} <= {kind.__name__ for kind in found}


def changed(array, at, value):
    array = array.copy()
    array[at] = value
    return array


# Name of the model, attribute, what becomes of it: each crashed, or gave NaN or garbage.
KNOWN = [
    ("KNN", "centre_", lambda a: changed(a, 0, np.nan)),
    ("KNN", "scale_", lambda a: changed(a, 0, np.nan)),
    ("KNN", "scale_", lambda a: changed(a, 0, 0)),
    ("KNN", "points_", lambda a: changed(a, (0, 0), np.nan)),
    ("KNN", "weights_", lambda a: a[:1]),
    ("KNN", "weights_", lambda a: a * 0),
    ("KNN", "n_neighbors_", lambda _: 10**9),
    ("KNN", "_is_whole", lambda _: np.int64),  # in the place of the check
    ("LogReg", "coef_", lambda a: changed(a, (0, 0), np.inf)),
    ("LogReg", "classes_", lambda _: np.array([np.nan, 1.0])),
    ("NaiveBayes", "class_prior_", lambda _: np.array([0.0, 1.0])),
    ("NgramModel", "suffixes", lambda a: a + 2**30),
    ("NgramModel", "suffixes", lambda a: a[:5]),
    ("NgramModel", "suffixes", lambda a: changed(a, -1, len(a) + 9)),  # itself: a cycle
    ("NgramModel", "first_children", lambda a: a[:5]),
    ("NgramModel", "next_words", lambda a: changed(a, 0, 2**30)),
    ("NgramModel", "sizes", lambda sizes: [*sizes[:-1], sizes[-1] + 1]),
    ("NgramModel", "_ids", lambda _: {"the": 10**12}),
    ("NISTScore", "first_child", lambda a: changed(a, 1, 2**40)),
    ("NISTScore", "max_ngram_order", lambda _: 10**12),
    ("EmbeddingAverager", "mean_vector_", lambda a: a[:1]),
    ("EmbeddingAverager", "matrix", lambda a: changed(a, (0, 0), np.nan)),
    ("WordVectorAlignment", "n_references_", lambda _: 10**12),
    ("PairEnsemble", "factors_", lambda a: a[:1]),
    ("PairEnsemble", "scale_", lambda a: a * 0),
    ("PairEnsemble", "slope_", lambda _: -1.0),
    ("PairEnsemble", "estimators_", lambda members: [*members[:1], 5]),
    ("PairEnsemble", "left", lambda a: a + 2**30),
    ("PairEnsemble", "right", lambda a: a * 0),  # back to the root: a cycle
    ("PairEnsemble", "feature", lambda a: a + 10),
    ("PairEnsemble", "roots", lambda a: a - 1),
    ("PairwiseNN", "column_roles_", lambda roles: {**roles, "similarity": np.array([10**9])}),
    ("ReValRegressor", "vectors_", lambda _: None),
    ("ReValRegressor", "encoder_", lambda _: "gru"),
    ("ReValRegressor", "history_", lambda _: 5),
    ("CrossFitScore", "estimator_", lambda _: 5),
    ("LearnedTokenAlignment", "projection_", lambda a: changed(a, (0, 0), np.inf)),
    ("LearnedTokenAlignment", "projection_", lambda a: a[:1].copy()),
    ("LearnedTokenAlignment", "token_weights_", lambda a: a * 1e30),
    ("LearnedTokenAlignment", "coefficients_", lambda a: changed(a, 0, np.nan)),
    ("LearnedTokenAlignment", "layers_", lambda _: [2, 1]),
    ("LearnedTokenAlignment", "layers_", lambda _: [10**12]),
    ("LearnedTokenAlignment", "encoder_weights_", lambda _: {"a": np.ones(1)}),
    ("LexicalFeatures", "means_", lambda a: a[:-1].copy()),
    ("LexicalFeatures", "means_", lambda a: a * np.nan),
    ("LexicalFeatures", "vectors_", lambda _: None),
    ("LexicalFeatures", "word_weights_", lambda parts: [parts[0], parts[1][:-1]]),
    ("LexicalFeatures", "word_weights_", lambda parts: [parts[0], parts[1] + 2]),
    ("LexicalFeatures", "word_weights_", lambda parts: [parts[0], parts[1] * np.nan]),
    ("LexicalFeatures", "word_weights_", lambda parts: {"the": 0.5}),
    ("LexicalFeatures", "weights", lambda _: "length"),
    ("LexicalFeatures", "features", lambda _: ["f"]),
    ("LexicalFeatures", "use_references", lambda _: 1),
    ("ParserStatistics", "failure_values_", lambda rows: {k: v * np.nan for k, v in rows.items()}),
]


@pytest.mark.parametrize(("name", "attribute", "change"), KNOWN)
def test_known_attacks_are_refused(tmp_path, name, attribute, change):
    model = made(name)[0]
    save_model(model, tmp_path / "model")
    holders = [thing for thing in parts(model, {}) if attribute in thing.__getstate__()]
    thing = holders[-1] if holders else next(t for t in parts(model, {}) if is_of(t, name))
    state = thing.__getstate__()
    with state_of(thing, {**state, attribute: change(state.get(attribute))}):
        content = skops.io.dumps(model)
    forge(tmp_path / "model", content)
    with pytest.raises(ModelFolderError, match=r"cannot be built .*(Train and|not what training)"):
        load_model(tmp_path / "model")


def is_of(thing, name):
    return type(thing).__name__ == name


@pytest.mark.parametrize(
    "crafted",
    [
        {"empty_": np.zeros(1)},
        {"empty_": np.array([0.0, np.inf])},
        {"empty_": "text"},
        {"shared_features_": np.zeros(2)},
        {"shared_features_": np.zeros(3, dtype=bool)},
        {"n_pairs_": -1},
        {"n_features_in_": 10**12},
        {"estimator_": RankRecomposer},
        {"predict": np.int64},
    ],
)
def test_a_crafted_ranker_is_refused(crafted):
    ranker = RankRecomposer(item_level=None).fit([[1.0, 5], [2.0, 3], [4.0, 1]], [3, 2, 1])
    copy(ranker)
    ranker.empty_[0] = np.nan  # as of a column of texts
    copy(ranker)
    vars(ranker).update(crafted)
    with pytest.raises(ValueError, match="The saved RankRecomposer does not hold"):
        copy(ranker)
