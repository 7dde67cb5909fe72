"""Documents as what varies as a whole: brute force, properties, and coverage of a known truth."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import holm

BYS = ["mean", "win-rate", "strength"]
FEW = {"n_resamples": 60}


def campaign(n_documents=14, n_systems=3, seed=0, effect=0.7, gap=0.3):
    """Scores of systems in documents of 1 to 6 segments, in which all of a document vary."""
    rng = np.random.default_rng(seed)
    document = np.repeat(np.arange(n_documents), rng.integers(1, 7, n_documents))
    scores = rng.normal(size=(len(document), n_systems)) - gap * np.arange(n_systems)
    scores += effect * rng.normal(size=(n_documents, n_systems))[document]
    index = pd.MultiIndex.from_product(
        [range(len(document)), list("ABCDEFGH"[:n_systems])], names=["segment", "system"]
    )
    labels = np.array([f"d{k}" for k in document], dtype=object)
    return pd.DataFrame(index=index), pd.Series(-scores.ravel(), index), labels


def table_of(y):
    """Spread scores over segments and systems."""
    systems = y.index.unique("system")
    return pd.DataFrame(y.to_numpy().reshape(-1, len(systems)), columns=systems)


def as_rows(table):
    index = pd.MultiIndex.from_product([table.index, table.columns], names=["segment", "system"])
    return pd.Series(table.to_numpy().ravel(), index)


def of_rows(labels, X):
    return labels[X.index.get_level_values("segment")]


@pytest.mark.parametrize("by", BYS)
def test_order_and_names_and_who_says_what_a_document_is_change_no_bit(by):
    X, y, labels = campaign()
    y = y.round()  # many segments are alike, of one document or of two
    given = {"by": by, "n_resamples": 60}
    found = leaderboard(X, y, documents=of_rows(labels, X), **given)
    by_segment = pd.Series(labels, pd.RangeIndex(len(labels), name="segment"))
    more = pd.concat([by_segment.sample(frac=1, random_state=1), pd.Series({999: "else"})])
    order = np.random.default_rng(2).permutation(len(y))
    other = {f"d{k}": f"x{(7 * k) % 23}" for k in range(14)}
    for again in (
        leaderboard(X, y, documents=more, **given),
        leaderboard(X.iloc[order], y.iloc[order], documents=of_rows(labels, X)[order], **given),
        leaderboard(X, y, documents=[other[name] for name in of_rows(labels, X)], **given),
    ):
        pd.testing.assert_frame_equal(again.table, found.table, check_exact=True)
        pd.testing.assert_frame_equal(again.pairs, found.pairs, check_exact=True)
    assert "|clusters:documents|" in found.signature
    alone = leaderboard(X, y, **given)
    assert "|clusters:segments|" in alone.signature
    assert found.counts["documents"] == 14 and "documents" not in alone.counts
    # Documents of a segment each, or of unknown ones, are segments.
    for single in (range(len(labels)), [""] * len(labels), [None] * len(labels)):
        same = leaderboard(X, y, documents=pd.Series(single, by_segment.index), **given)
        pd.testing.assert_frame_equal(same.table, alone.table, check_exact=True)


def test_means_and_their_test_are_those_of_a_jackknife():
    """Brute force: each document left out in turn, Student's t of as many equal ones."""
    X, y, labels = campaign(n_documents=9)
    found = leaderboard(X, y, by="mean", documents=of_rows(labels, X), **FEW)
    scores = -table_of(y)
    names, sizes = np.unique(labels, return_counts=True)
    left = np.array([scores[labels != name].mean() for name in names])
    n = len(names)
    variance = (n - 1) / n * ((left - scores.mean().to_numpy()) ** 2).sum(axis=0)
    table = found.table.loc[scores.columns]
    np.testing.assert_allclose(table["standard_error"], np.sqrt(variance))
    degrees = sizes.sum() ** 2 / (sizes**2).sum() - 1
    reach = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    np.testing.assert_allclose(table["sandwich_high"] - table["score"], reach)
    # Nine are too few to resample.
    np.testing.assert_array_equal(table[["low", "high"]], table[["sandwich_low", "sandwich_high"]])
    raw = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        difference = scores.iloc[:, i].mean() - scores.iloc[:, j].mean()
        moved = left[:, i] - left[:, j] - difference
        t = abs(difference) / np.sqrt((n - 1) / n * (moved**2).sum())
        raw.append(2 * stats.t.sf(t, degrees))
    np.testing.assert_allclose(np.sort(found.pairs["p_value"]), np.sort(holm(raw)))


@pytest.mark.parametrize("by", ["mean", "win-rate"])
def test_documents_copied_are_judged_once(by):
    """Each segment four times, as one document, is as sure as once."""
    X, y, _ = campaign(n_documents=40)
    scores = table_of(y)
    four = as_rows(pd.concat([scores] * 4, ignore_index=True))
    documents = pd.Series(np.tile(scores.index, 4))
    once = leaderboard(X, y, by=by, **FEW).table
    copied = leaderboard(pd.DataFrame(index=four.index), four, by=by, documents=documents, **FEW)
    columns = ["score", "standard_error", "sandwich_low", "sandwich_high"]
    pd.testing.assert_frame_equal(copied.table[columns], once[columns])
    taken_for_more = leaderboard(pd.DataFrame(index=four.index), four, by=by, **FEW).table
    assert (taken_for_more["standard_error"] < 0.6 * once["standard_error"]).all()


def test_a_question_about_texts_counts_segments_by_their_probability():
    """Of a selection: means are Hájek's; errors those of documents drawn from many like them."""
    X, y, labels = campaign(n_documents=30)
    n = len(labels)
    probability = np.linspace(0.3, 0.9, n)
    selection = pd.DataFrame(
        {"chosen": True, "probability": probability}, pd.RangeIndex(n, name="segment")
    )
    given = {"by": "mean", "selection": selection, **FEW}
    found = leaderboard(X, y, documents=of_rows(labels, X), **given)
    scores, weights = -table_of(y), 1 / probability
    means = np.average(scores, axis=0, weights=weights)
    np.testing.assert_allclose(found.table["score"].loc[scores.columns], means)
    left = []
    for name in np.unique(labels):
        kept = labels != name
        left.append(np.average(scores[kept], axis=0, weights=weights[kept]))
    moved = np.array(left) - means
    errors = np.sqrt(29 / 30 * (moved**2).sum(axis=0))
    np.testing.assert_allclose(found.table["standard_error"].loc[scores.columns], errors)
    assert "|question:texts|" in found.signature
    of_set = leaderboard(X, y, question="test-set", **given)
    assert "|question:test-set|" in of_set.signature
    assert (of_set.table["standard_error"] < 0.8 * found.table["standard_error"]).all()
    with pytest.raises(ValueError, match=r"^question "):
        leaderboard(X, y, question="segments", **given)
    with pytest.raises(ValueError, match="needs the selection"):
        leaderboard(X, y, by="mean", question="test-set")
    with pytest.raises(ValueError, match="of means over segments"):
        leaderboard(X, y, question="test-set", selection=selection)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("news", "a label for each of the 6 rows of X, .* found str"),
        (["d"] * 5, r"found list of shape \(5,\)"),
        (pd.Series("d", pd.RangeIndex(1)), "no label of segment 1"),
        (pd.Series("d", [0, 0, 1]), "another index than X"),
        ([*"aabb", "", "c"], None),
        (list("aabbba"), "Segment 2 is of two documents, 'b' and 'a'"),
    ],
)
def test_what_is_no_document(documents, message):
    index = pd.MultiIndex.from_product([range(3), list("AB")], names=["segment", "system"])
    if message is None:  # what one row says is known
        leaderboard(pd.DataFrame(index=index), [1.5, 2, 1, 2, 2, 1], documents=documents, by="mean")
        return
    with pytest.raises(CandidateError, match=message):
        leaderboard(pd.DataFrame(index=index), [1.5, 2, 1, 2, 2, 1], documents=documents, by="mean")


@pytest.mark.slow
@pytest.mark.parametrize("by", BYS)
def test_intervals_cover_and_equal_systems_are_rarely_told_apart(by):
    """300 campaigns of 40 documents, 95 %; labels of systems mean nothing."""
    covered, alarms = [], []
    for seed in range(300):
        X, y, labels = campaign(40, seed=seed, gap=0.0, effect=1.0)
        found = leaderboard(X, y, by=by, documents=of_rows(labels, X), n_resamples=300)
        truth = 0.5 if by == "win-rate" else 0.0
        for kind in ("", "sandwich_"):
            low, high = found.table[f"{kind}low"], found.table[f"{kind}high"]
            covered.append((low <= truth) & (truth <= high))
        alarms.append(found.paired.differ.any())
    assert 0.93 <= np.mean(covered) <= 0.965
    assert np.mean(alarms) <= 0.07
