"""Samples with known probabilities: by hand, by repetition, and means that they leave unbiased."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selection_scores import chosen, scores

from sklearn_mteval.evaluation import select_segments
from sklearn_mteval.evaluation.selection import sampling


def spread_by_loops(table):
    """Mean over metrics of the standard deviation over systems, each about 1."""
    deviations = table.groupby(level="segment").std(ddof=0)
    return (deviations / deviations.mean()).mean(axis=1)


def test_half_of_the_probability_is_uniform_and_half_the_spread():
    table = scores()
    found = select_segments(table, 15)
    expected = 15 / 60 * (0.5 + 0.5 * spread_by_loops(table))
    np.testing.assert_allclose(found["probability"], expected)
    assert found["chosen"].sum() == 15 and list(found) == ["chosen", "probability"]
    random = select_segments(table, 15, method="random")
    np.testing.assert_allclose(random["probability"], 0.25)


def test_probabilities_stop_at_one():
    """By hand: sizes 4, 1, 1, 1, 1, three to draw: the first is certain, the others share two."""
    found = sampling._probabilities(np.array([1.0, 4, 1, 1, 1]), np.ones(5), 3)
    np.testing.assert_allclose(found, [0.5, 1, 0.5, 0.5, 0.5])
    # Three times: sizes 8, 4, 2, 1, three to draw: 8 and 4 are certain, 2 and 1 share one.
    found = sampling._probabilities(np.array([8.0, 4, 2, 1]), np.ones(4), 3)
    np.testing.assert_allclose(found, [1, 1, 2 / 3, 1 / 3])
    # Costs 1, 3 and a budget of 2: factor 2 / (1 + 3).
    found = sampling._probabilities(np.ones(2), np.array([1.0, 3]), 2)
    np.testing.assert_allclose(found, [0.5, 0.5])
    assert sampling._probabilities(np.ones(2), np.array([1.0, 3]), 4).tolist() == [1, 1]


@settings(deadline=None)
@given(n=st.integers(1, 30), seed=st.integers(0, 999), part=st.floats(0.01, 0.99))
def test_the_expected_cost_is_the_budget(n, seed, part):
    rng = np.random.default_rng(seed)
    sizes, costs = rng.uniform(0.01, 5, n) ** 2, rng.uniform(0.1, 9, n)
    found = sampling._probabilities(sizes, costs, part * costs.sum())
    assert found @ costs == pytest.approx(part * costs.sum())
    assert (found > 0).all() and (found <= 1).all()
    below = found < 1
    factors = found[below] / sizes[below]
    assert np.ptp(factors) <= 1e-9 * max(factors, default=0)
    assert (sizes[~below] * max(factors, default=0) >= 1 - 1e-9).all() or not below.any()


@settings(deadline=None, max_examples=60)
@given(n=st.integers(1, 60), seed=st.integers(0, 999), n_labels=st.integers(1, 20))
def test_strata_have_two_draws_and_whole_numbers(n, seed, n_labels):
    rng = np.random.default_rng(seed)
    labels = np.unique(rng.integers(0, n_labels, n), return_inverse=True)[1]
    domains = (labels * 7) % 3
    probabilities = rng.uniform(0.05, 1, n)
    strata = sampling._strata(labels, domains, probabilities, rng.normal(size=n))
    assert set(strata) == set(range(strata.max() + 1))
    sums = np.bincount(strata, probabilities)
    assert (sums >= 2 - 1e-9).all() or len(sums) == 1
    for label in range(labels.max() + 1):  # no document is parted
        assert len(set(strata[labels == label])) == 1
    found = sampling._with_whole_numbers(probabilities, strata)
    numbers = np.bincount(strata, found)
    if len(sums) > 1:
        np.testing.assert_allclose(numbers, numbers.round(), atol=1e-9)
        assert numbers.sum() == pytest.approx(round(probabilities.sum()))
        assert (np.abs(numbers - sums) < 1 + 1e-9).all()
    assert (found > 0).all() and (found <= 1).all()
    drawn = sampling._drawn(found, strata, labels, np.random.RandomState(seed))
    assert (np.abs(np.bincount(strata, drawn) - numbers) < 1 - 1e-9 * (len(sums) > 1)).all()


def test_domains_are_not_joined_where_they_are_large_enough():
    labels = np.arange(12)
    domains = np.repeat([0, 1, 2], [5, 5, 2])
    strata = sampling._strata(labels, domains, np.full(12, 0.5), np.zeros(12))
    # 2.5, 2.5 and 1 are expected: the last domain goes with the second.
    assert strata.tolist() == [0] * 5 + [1] * 7


@pytest.mark.slow
@pytest.mark.parametrize("documents", [None, "strata", "whole"])
def test_each_segment_is_drawn_with_its_probability(documents):
    """2,000 draws; four standard errors."""
    table = scores(24)
    labels = pd.Series(np.arange(24) // 4, range(24))
    given = {} if documents is None else {"documents": labels}
    given["whole_documents"] = documents == "whole"
    given["costs"] = pd.Series(np.arange(24) % 5 + 1, range(24))
    n, rng = 2000, np.random.RandomState(0)
    draws = [select_segments(table, 0.4, random_state=rng, **given) for _ in range(n)]
    probability = draws[0]["probability"]
    assert all(draw["probability"].equals(probability) for draw in draws)
    often = np.mean([draw["chosen"] for draw in draws], axis=0)
    errors = np.sqrt(probability * (1 - probability) / n)
    assert (np.abs(often - probability) <= 4 * errors + 1e-12).all()
    # What it costs is what was asked for, but for whole numbers of segments in strata.
    whole_numbers = 0.1 if documents == "strata" else 1e-9
    budget = 0.4 * given["costs"].sum()
    assert probability @ given["costs"] == pytest.approx(budget, rel=whole_numbers)


def test_one_unit_is_drawn_at_least():
    """Of costs that no budget pays for, and whole documents that are longer than the size."""
    table = scores(12)
    costs = pd.Series(np.arange(12) % 3 + 3.0, range(12))
    documents = pd.Series(np.arange(12) // 6, range(12))
    expected = (0.5 + 0.5 * spread_by_loops(table)) / np.sqrt(costs)
    for seed in range(20):
        found = select_segments(table, 1.5, costs=costs, random_state=seed)
        assert found["chosen"].sum() == 1
        np.testing.assert_allclose(found["probability"], expected / expected.sum())
        given = {"documents": documents, "whole_documents": True, "method": "random"}
        found = select_segments(table, 2, random_state=seed, **given)
        assert found["chosen"].sum() == 6 and found["probability"].tolist() == [0.5] * 12
    assert sampling._with_whole_numbers(np.full(4, 0.25), np.zeros(4, dtype=int)).tolist() == (
        [0.25] * 4
    )


def test_probabilities_are_divided_by_the_root_of_costs():
    table = scores()
    costs = pd.Series(np.arange(60) % 7 + 1.0, range(60))
    found = select_segments(table, 0.3, costs=costs)["probability"]
    expected = (0.5 + 0.5 * spread_by_loops(table)) / np.sqrt(costs)
    ratios = found / expected
    assert np.ptp(ratios) < 1e-9
    assert found @ costs == pytest.approx(0.3 * costs.sum())
    equal = select_segments(table, 30.0, costs=pd.Series(1.0, range(60)))
    pd.testing.assert_frame_equal(equal, select_segments(table, 30))


@pytest.mark.parametrize("method", ["random", "balanced", "spread"])
def test_documents_are_shared_out(method):
    table = scores(100)
    documents = pd.Series(np.repeat(list("abcdefghij"), 10), range(100))
    for size, each in ((50, 5), (0.2, 2)):
        found = chosen(
            select_segments(table, size, method=method, documents=documents, random_state=3)
        )
        counts = documents[found].value_counts()
        assert len(counts) >= 9 and ((counts - each).abs() <= 1).all() and counts.sum() == 10 * each


def test_documents_drawn_whole():
    table = scores(60)
    documents = pd.Series([f"d{k // 6}" for k in range(60)], range(60))
    given = {"documents": documents, "whole_documents": True}
    found = select_segments(table, 18, **given)
    by_document = found.groupby("document")
    assert (by_document["chosen"].min() == by_document["chosen"].max()).all()
    assert (by_document["probability"].min() == by_document["probability"].max()).all()
    assert found["chosen"].sum() == 18 and "stratum" not in found
    domains = pd.Series(np.arange(60) // 30, range(60))
    found = select_segments(table, 24, strata=domains, method="random", **given)
    assert found.groupby("stratum")["chosen"].sum().tolist() == [12, 12]
    # Of a document that was begun only the rest is drawn.
    found = select_segments(table, 24, judged=[0, 1, 59], **given)
    assert found["document"][[0, 1, 2, 59]].tolist() == ["", "", "d0", ""]
    assert (found["probability"][[0, 1, 59]] == 1).all() and found["probability"][2] < 1


@pytest.mark.slow
def test_means_are_unbiased_by_weights_and_biased_without():
    """Horvitz and Thompson's means of 3,000 draws, half of the segments judged before."""
    table = scores(40, n_metrics=1, seed=2)
    human = np.exp(spread_by_loops(table)).to_numpy()
    judged = list(range(8))
    rng, sums, plain = np.random.RandomState(0), [], []
    for _ in range(3000):
        found = select_segments(table, 20, judged=judged, random_state=rng)
        rows = found["chosen"].to_numpy()
        sums.append((human[rows] / found["probability"].to_numpy()[rows]).sum() / 40)
        plain.append(human[rows].mean())
    error = np.std(sums) / np.sqrt(len(sums))
    assert np.mean(sums) == pytest.approx(human.mean(), abs=4 * error)
    assert abs(np.mean(plain) - human.mean()) > 10 * error


def test_what_no_metric_scores_is_as_likely_as_a_mean_spread():
    table = scores(20)
    table.loc[[3, 8]] = np.nan
    sizes = 0.5 + 0.5 * spread_by_loops(table).reindex(range(20)).fillna(1.0)
    found = select_segments(table, 6)["probability"]
    np.testing.assert_allclose(found, 6 * sizes / sizes.sum())


def test_long_documents_are_as_likely_as_short_ones():
    """By hand: of documents of 2, 4, 6 and 8 segments each is drawn with 10 / 20."""
    documents = pd.Series(np.repeat([0, 1, 2, 3], [2, 4, 6, 8]), range(20))
    given = {"documents": documents, "whole_documents": True, "method": "random"}
    assert select_segments(scores(20), 10, **given)["probability"].tolist() == [0.5] * 20


@pytest.mark.parametrize("seed", range(5))
def test_whole_documents_cost_no_more_than_said(seed):
    """By brute force: what is drawn never costs more, and at times as much."""
    rng = np.random.RandomState(seed)
    lengths = rng.randint(1, 15, 30)
    segments, labels = range(lengths.sum()), np.repeat(np.arange(30), lengths)
    documents = pd.Series(labels, segments)
    index = pd.MultiIndex.from_product([segments, ["A", "B"]], names=["segment", "system"])
    table = pd.DataFrame({"none": 0.0}, index)
    costs, most = [], None
    for again in range(60):
        found = select_segments(
            table, 50, method="random", documents=documents, whole_documents=True,
            random_state=again,
        )  # fmt: skip
        costs.append(found["chosen"].sum())
        of_documents = found["probability"].groupby(labels).first().to_numpy()
        most = sampling.highest_cost(of_documents, lengths.astype(float))
    assert max(costs) <= most <= 50 + lengths.max()
    assert max(costs) >= most - 3
    assert np.mean(costs) == pytest.approx(50, abs=2)  # the expected cost is as it was
