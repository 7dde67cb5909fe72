"""Alignment with the source in the place of the reference."""

import numpy as np
import pandas as pd
import pytest
from letter_alignment import by_loops, judged_by_a_and_b, learner, letters, units

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import LearnedTokenAlignment, TokenAlignment

ORDERS = [("source", "hypothesis"), ["hypothesis", "source"]]


def judged_by_sources():
    """The same rankings, what was the reference being the source; references say nothing."""
    X, y = judged_by_a_and_b(20)
    X = X.rename(columns={"reference": "source"})
    return X.assign(reference=[["gh", text[:1]] for text in X["hypothesis"]]), y


def by_hand(hypothesis, source):
    """Precision, recall and F by plain loops; the order of the two texts matters."""
    h, s = (units(vectors) for vectors in letters([hypothesis, source]))
    precision = np.mean([max(u @ v for v in s) for u in h])
    recall = np.mean([max(u @ v for u in h) for v in s])
    return [precision, recall, 2 * precision * recall / (precision + recall)]


@pytest.mark.parametrize("columns", ORDERS)
def test_translations_are_aligned_with_sources_by_loops(columns):
    X, _ = judged_by_sources()
    X = X[X["hypothesis"] != ""]
    aligner = TokenAlignment(letters, columns=columns)
    found = aligner.fit_transform(X)
    expected = [by_hand(h, s) for h, s in zip(X["hypothesis"], X["source"], strict=True)]
    np.testing.assert_allclose(found, expected, atol=2e-3)
    assert list(aligner.get_feature_names_out()) == [
        f"tokenalignment_source_{part}" for part in ("precision", "recall", "f")
    ]
    np.testing.assert_array_equal(aligner.fit_transform(X.drop(columns="reference")), found)


@pytest.mark.parametrize("against", ["reference", "both"])
def test_learning_from_sources_is_learning_from_references_of_these_texts(against):
    X, y = judged_by_sources()
    other = X.assign(reference=X["source"])
    options = {"against": against, "max_epochs": 2}
    plain = learner(**options)
    expected = plain.fit_transform(other, y)
    for columns in ORDERS:
        fitted = learner(columns=columns, **options)
        np.testing.assert_array_equal(fitted.fit_transform(X, y), expected)
        np.testing.assert_array_equal(fitted.transform(X), plain.transform(other))
    names = [name.replace("_source", "") for name in fitted.get_feature_names_out()]
    assert names == list(plain.get_feature_names_out())
    assert sum("_source_" in name for name in fitted.get_feature_names_out()) == 4
    state = fitted.projection_, fitted.token_weights_, fitted.coefficients_[0]
    for row, (hypothesis, source) in enumerate(zip(X["hypothesis"][:8], X["source"], strict=False)):
        if hypothesis:
            loops = by_loops(*map(units, letters([hypothesis, source])), *state)
            np.testing.assert_allclose(fitted.transform(X)[row, :4], loops, atol=5e-3)


def test_what_competes_needs_no_source():
    X, y = judged_by_sources()
    fitted = learner(columns=ORDERS[0], against="competing", max_epochs=1)
    fitted.fit(X.drop(columns=["source", "reference"]), y)
    assert all("competing" in name for name in fitted.get_feature_names_out())


@pytest.mark.parametrize("made", [TokenAlignment, LearnedTokenAlignment])
@pytest.mark.parametrize(
    "columns", [("source", "reference"), ("hypothesis",), "source", ("hypothesis", "hypothesis")]
)
def test_other_columns_are_refused(made, columns):
    X, y = judged_by_sources()
    with pytest.raises(ValueError, match="columns must be 'hypothesis' and either 'reference' or"):
        made(letters, columns=columns).fit(X, y)


def test_a_table_without_sources_is_refused():
    X, _ = judged_by_sources()
    aligner = TokenAlignment(letters, columns=ORDERS[0])
    with pytest.raises(CandidateError, match="'source'"):
        aligner.fit(X.drop(columns="source"))
    with pytest.raises(CandidateError, match="'source', row 1"):
        aligner.fit(X).transform(X.assign(source=[X["source"].iloc[0], None, *X["source"][2:]]))


def test_the_column_is_saved(tmp_path):
    from encoder_model import one_layer_model

    X = pd.DataFrame({"hypothesis": ["a cat sat"], "source": ["the cat"], "reference": ["no"]})
    aligner = TokenAlignment(one_layer_model(), columns=ORDERS[0]).fit(X)
    save_model(aligner, tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(X), aligner.transform(X))
    assert again.transform(X)[0, 2] != TokenAlignment(one_layer_model()).fit_transform(X)[0, 2]


def test_a_source_may_have_a_lone_surrogate():
    X = pd.DataFrame({"source": ["a \ud800"], "hypothesis": ["b"]}, dtype=object)
    aligner = TokenAlignment(lambda texts: [np.eye(2)] * len(texts), columns=ORDERS[0])
    assert np.allclose(aligner.fit_transform(X), 1)
