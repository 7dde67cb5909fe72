"""Lines that are blank everywhere are no translations; documents make intervals of their own."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import (
    open_model,
    rank_candidates,
    rank_systems,
    score_candidates,
    score_systems,
)
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.segments import blank_everywhere


@pytest.fixture(scope="module")
def padded():
    """A perfect system and another one, in five segments, and fifteen of blank texts around."""
    X, _ = load_sample(return_X_y=True)
    X = X[X.index.get_level_values("system").isin(["online", "rule"])][:10]
    X["hypothesis"] = X["hypothesis"].where(
        X.index.get_level_values("system") == "rule", X["reference"]
    )
    blank = pd.MultiIndex.from_product(
        [range(900, 915), ["online", "rule"]], names=["segment", "system"]
    )
    cells = {"source": " ", "reference": "", "hypothesis": "\t"}
    return X, pd.concat([pd.DataFrame(cells, blank), X]), open_model("static-en")


def test_blank_lines_change_no_system(padded):
    X, whole, model = padded
    expected, found = score_candidates(model, X), score_candidates(model, whole)
    pd.testing.assert_series_equal(found[X.index], expected, check_exact=True)
    assert found.drop(X.index).isna().all() and found.index.equals(whole.index)
    pd.testing.assert_frame_equal(score_systems(found), score_systems(expected), check_exact=True)
    ranked, before = rank_candidates(model, whole), rank_candidates(model, X)
    pd.testing.assert_frame_equal(ranked.loc[X.index], before, check_exact=True)
    blank = ranked.drop(X.index)
    assert (blank["rank"] == 1).all() and blank[["strength", "score"]].isna().all(axis=None)
    pd.testing.assert_frame_equal(rank_systems(ranked), rank_systems(before), check_exact=True)
    sums = SystemSums.of(ranked).result()
    assert (sums.segments, sums.blank) == (5, 15)


def test_a_text_that_is_there_counts(padded):
    """One source, reference or translation is enough; of several references one."""
    _, whole, model = padded
    for column, cell in (("source", "Ja."), ("reference", ["", "Yes."]), ("hypothesis", "Yes.")):
        given = whole.copy()
        given[column] = given[column].astype(object)
        given.at[(901, "rule"), column] = cell  # noqa: PD008, a cell may be a list
        there = given[~blank_everywhere(given)].index.unique("segment")
        assert 901 in there and len(there) == 6
    assert score_candidates(model, given).loc[901].notna().all()
    assert blank_everywhere(whole[["hypothesis"]]).sum() == 30


def test_nothing_but_blank_lines(padded):
    X, whole, model = padded
    blank = whole.drop(X.index)
    with pytest.raises(CandidateError, match="None of the 15 segments has a translation with a"):
        rank_systems(rank_candidates(model, blank))


@pytest.fixture
def of_documents():
    """Scores of three systems in nine documents of several sizes, one of a segment."""
    rng = np.random.default_rng(2)
    documents = np.repeat([*"abcdefghi"], [9, 8, 7, 6, 9, 8, 7, 6, 1])
    scores = rng.normal(size=(61, 3)) + rng.normal(size=(9, 3))[pd.factorize(documents)[0]]
    rows = pd.MultiIndex.from_product([range(61), list("ABC")], names=["segment", "system"])
    return pd.Series(scores.ravel(), rows), pd.Series(documents, range(61))


def test_intervals_and_pairs_by_document_are_the_jackknifes(of_documents):
    scores, documents = of_documents
    table, pairs = score_systems(scores, documents=documents, return_pairs=True)
    values = {name: part.droplevel("system") for name, part in scores.groupby(level="system")}
    for low, high, of in [
        *((table.loc[name, "low"], table.loc[name, "high"], values[name]) for name in "ABC"),
        *(
            (row.low, row.high, values[row.system] - values[row.other])
            for row in pairs.itertuples()
        ),
    ]:
        left = np.array([of[documents != name].mean() for name in documents.unique()])
        error = np.sqrt((8 / 9 * (left - of.mean()) ** 2).sum())
        sizes = documents.value_counts().to_numpy()
        degrees = sizes.sum() ** 2 / (sizes**2).sum() - 1
        assert [low, high] == pytest.approx(stats.t.interval(0.95, degrees, of.mean(), error))
    by_segment = score_systems(scores)
    assert by_segment["score"].equals(table["score"])
    assert (by_segment["high"] - by_segment["low"] < table["high"] - table["low"]).all()


def test_documents_of_rows_or_segments_in_any_order_and_in_parts(of_documents):
    scores, documents = of_documents
    expected = score_systems(scores, documents=documents)
    mixed = scores.sample(frac=1, random_state=1)
    labels = documents[mixed.index.get_level_values("segment")].to_numpy()
    pd.testing.assert_frame_equal(score_systems(mixed, documents=labels), expected)
    parts = [scores.loc[30:], scores.loc[:10], scores.loc[11:29]]
    sums = sum((SystemSums.of(part, documents) for part in parts), SystemSums())
    pd.testing.assert_frame_equal(sums.result().table, expected, check_exact=True)
    assert sums.result().documents == 9


def test_documents_of_other_segments(of_documents):
    scores, documents = of_documents
    with pytest.raises(CandidateError, match="documents has no label of segment 60"):
        score_systems(scores, documents=documents[:60])
    with pytest.raises(CandidateError, match="documents must be a label for each of the 183 rows"):
        rank_systems(scores.to_frame().assign(rank=1, strength=0.0), documents=["a", "b"])


def test_many_systems_are_not_compared():
    rows = pd.MultiIndex.from_product([range(3), range(201)], names=["segment", "system"])
    scores = pd.Series(np.arange(len(rows), dtype=float), rows)
    assert (score_systems(scores, n_resamples=2)["letters"] == "").all()
    with pytest.raises(CandidateError, match="201 systems, too many to compare"):
        score_systems(scores, n_resamples=2, return_pairs=True)
