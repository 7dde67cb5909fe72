"""Two systems compared: by hand, by scipy, by ``rank_systems``, and mirrored."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models import duel, open_model, rank_candidates, score_systems
from sklearn_mteval.models.segment_kinds import segment_kinds


def table(first, second, texts=None, names=("A", "B"), **columns):
    """Scores of two systems, and their candidate table."""
    rows = pd.MultiIndex.from_product(
        [range(1, len(first) + 1), list(names)], names=["segment", "system"]
    )
    scores = pd.Series(np.column_stack([first, second]).ravel().astype(float), rows)
    X = pd.DataFrame({"hypothesis": texts or [f"text {k}" for k in range(len(rows))]}, rows)
    return scores, X.assign(**{k: np.repeat(v, 2) for k, v in columns.items()})


def test_three_segments_by_hand():
    """Differences .2, -.1 and 0: their mean is 1/30, its variance 7/900."""
    texts = ["x", "y", "x", "y", "same", "same"]
    scores, X = table([0.4, 0.1, 0.3], [0.2, 0.2, 0.3], texts)
    found = duel(scores, X, "A", "B")
    assert found.difference == pytest.approx(1 / 30)
    half = stats.t.ppf(0.975, 2) * np.sqrt(7 / 900)
    assert (found.low, found.high) == pytest.approx((1 / 30 - half, 1 / 30 + half))
    assert found.counts == {
        "segments": 3, "better": 1, "equal": 1, "worse": 1, "identical": 1, "documents": None,
    }  # fmt: skip
    assert list(found.segments.index) == [1, 3, 2]
    assert found.segments["difference"].tolist() == pytest.approx([0.2, 0, -0.1])
    assert found.p_value == pytest.approx(stats.ttest_1samp([0.2, -0.1, 0], 0).pvalue)


def test_as_systems_are_compared():
    """On documents, too, with segments that one of both has not."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 60)).clip(-1, 1)
    first[7], second[11] = np.nan, np.nan
    scores, X = table(first, second)
    documents = pd.Series([f"d{k // 5}" for k in range(60)], range(1, 61))
    for given in (None, documents):
        found = duel(scores, X, "A", "B", documents=given, confidence=0.9)
        _, pairs = score_systems(scores, documents=given, confidence=0.9, return_pairs=True)
        row = pairs.iloc[0]
        sign = 1 if row["system"] == "A" else -1
        bounds = sorted([sign * row["low"], sign * row["high"]])
        assert [found.difference, found.low, found.high, found.p_value] == pytest.approx(
            [sign * row["difference"], *bounds, row["p_value"]]
        )
        assert found.counts["segments"] == 58
        assert found.counts["documents"] == (None if given is None else 12)


def test_kinds_are_tests_of_their_own():
    """Each by scipy on its segments, corrected by Holm's method written out."""
    rng = np.random.default_rng(1)
    references = [f"word {'7' * (k % 2)} {'?' * (k % 3 == 0)}" for k in range(40)]
    scores, X = table(*rng.normal(0.1, 1, size=(2, 40)), reference=references)
    found = duel(scores, X, "A", "B").themes
    differences = (scores.xs("A", level="system") - scores.xs("B", level="system")).to_numpy()
    masks = {
        ("numbers", "with numbers"): np.arange(40) % 2 == 1,
        ("questions", "without questions"): np.arange(40) % 3 != 0,
    }
    kinds = segment_kinds(X)
    assert set(found.index) == set(kinds) > set(masks)
    for key, mask in masks.items():
        assert found.loc[key, "segments"] == mask.sum()
        assert found.loc[key, "difference"] == pytest.approx(differences[mask].mean())
        assert found.loc[key, "adds"] == pytest.approx(differences[mask].sum() / 40)
    tests = [stats.ttest_1samp(differences[kinds[key].to_numpy()], 0) for key in found.index]
    assert found["low"].tolist() == pytest.approx([t.confidence_interval().low for t in tests])
    largest, n = 0.0, len(tests)
    for k, place in enumerate(np.argsort([test.pvalue for test in tests])):
        largest = min(1.0, max(largest, (n - k) * tests[place].pvalue))
        assert found["p_value"].iloc[place] == pytest.approx(largest)
    for theme in found.index.unique("theme"):
        assert found.xs(theme)["adds"].sum() == pytest.approx(differences.mean())


def test_exchange_mirrors_all_numbers():
    X, _ = load_sample(return_X_y=True)
    X, model = X[~X.index.duplicated()][:300], open_model("static-en")
    one, other = duel(model, X, "neural", "rule"), duel(model, X, "rule", "neural")
    assert (one.difference, one.low, one.high) == (-other.difference, -other.high, -other.low)
    assert one.p_value == other.p_value
    assert one.counts["better"] == other.counts["worse"]
    assert one.themes["p_value"].tolist() == other.themes["p_value"].tolist()
    assert one.themes["low"].tolist() == (-other.themes["high"]).tolist()
    assert one.segments["difference"].tolist() == (-other.segments["difference"])[::-1].tolist()
    # The other systems say nothing of these two, and neither does the order of rows.
    ranked = rank_candidates(model, X)
    shuffled = X.sample(frac=1, random_state=0)
    for again in (duel(ranked, X, "neural", "rule"), duel(model, shuffled, "neural", "rule")):
        assert (again.difference, again.low, again.p_value) == (
            one.difference,
            one.low,
            one.p_value,
        )


def test_equal_systems_cannot_be_told_apart():
    scores, X = table([0.1, 0.5, 0.3], [0.1, 0.5, 0.3], ["a", "a", "b", "b", "c", "c"])
    found = duel(scores, X, "A", "B")
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)
    assert found.counts["equal"] == found.counts["identical"] == 3


def test_one_segment_has_no_test():
    found = duel(*table([0.5], [0.2]), "A", "B")
    assert found.difference == pytest.approx(0.3)
    assert np.isnan([found.low, found.high, found.p_value]).all()


def test_a_model_without_scores_is_compared_by_ranks():
    _, X = table([0, 0, 0], [0, 0, 0])
    ranks = pd.DataFrame({"rank": [1, 2, 1, 2, 2, 1], "strength": 0.0, "score": np.nan}, X.index)
    found = duel(ranks, X, "A", "B")
    assert found.by_rank and found.difference == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("A", "C"), "no system 'C' in X, only 'A', 'B'"),
        (("A", "A"), "of two systems, found 'A' twice"),
    ],
)
def test_wrong_systems(names, said):
    with pytest.raises(CandidateError, match=said):
        duel(*table([1, 0], [0, 1]), *names)


def test_nothing_in_common():
    scores, X = table([1, np.nan], [np.nan, 1])
    with pytest.raises(CandidateError, match="No segment has a score of both 'A' and 'B'"):
        duel(scores, X, "A", "B")
    with pytest.raises(CandidateError, match="must be of the rows of X"):
        duel(scores[::-1], X, "A", "B")


def test_what_segments_are_about():
    texts = ["Is it 5?", "No, she met Mary in Rome.", "a b c d e f g h i", "Er kam nicht zu uns."]
    _, X = table([0] * 4, [0] * 4, reference=texts)
    domains = np.repeat(["news", "", "talk", "news"], 2)
    found = segment_kinds(X, domains)
    expected = {
        ("numbers", "with numbers"): [1, 0, 0, 0], ("names", "with names"): [0, 1, 0, 0],
        ("negation", "with negation"): [0, 1, 0, 1], ("questions", "with questions"): [1, 0, 0, 0],
        ("domain", "news"): [1, 0, 0, 1], ("domain", "talk"): [0, 0, 1, 0],
    }  # fmt: skip
    for key, mask in expected.items():
        assert found[key].astype(int).tolist() == mask, key
    assert found["length"].sum(axis=1).eq(1).all()
    assert segment_kinds(X[["hypothesis"]]).shape == (4, 0)
