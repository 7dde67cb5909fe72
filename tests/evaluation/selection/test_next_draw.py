"""A draw after another one: both together are one sample with known probabilities."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import leaderboard, select_segments
from sklearn_mteval.exceptions import CandidateError

SYSTEMS = ["A", "B", "C"]


def population(n=80, n_documents=20):
    """Judgements of a test set whose documents and segments differ, and metric scores near them."""
    rng = np.random.default_rng(5)
    document = np.sort(rng.integers(0, n_documents, n))
    spread = rng.gamma(1.5, 1.0, n)[:, None]
    values = rng.normal(0, 1, n_documents)[document][:, None] - 0.6 * spread
    values = values + spread * (np.array([0.6, 0, -0.5]) + rng.normal(0, 0.6, (n, 3)))
    index = pd.MultiIndex.from_product([range(1, n + 1), SYSTEMS], names=["segment", "system"])
    y = pd.Series(values.ravel(), index)
    scores = pd.DataFrame({"metric": y + rng.normal(0, 0.6, len(y))})
    return y, scores, pd.Series([f"d{k}" for k in document], range(1, n + 1))


def draws(scores, documents, method, sizes, seed):
    """Return the selection after draws that make samples of such sizes."""
    options = {"method": method, "random_state": seed}
    if documents is not None:
        options |= {"documents": documents, "whole_documents": True}
    found = select_segments(scores, sizes[0], **options)
    for size in sizes[1:]:
        found = select_segments(scores, size, judged=found, **options)
    return found


def test_probabilities_by_hand():
    rows = pd.MultiIndex.from_product([range(1, 5), ["A", "B"]], names=["segment", "system"])
    scores = pd.DataFrame({"chrf": [9, 1, 5, 5, 5, 5, 1, 9]}, index=rows)
    # Two of four, then one of the two that are left: 1 - 1/2 · 1/2.
    alike = draws(scores, None, "random", [2, 3], 0)
    assert alike["probability"].tolist() == [0.75] * 4
    # 3/4 and 1/4, of sizes 3 : 1. What the first draw lacks is drawn with p and p / 3, one on
    # average: 2 · 1/4 · p + 2 · 3/4 · p / 3 = 1, p = 1; 1 - 3/4 · 2/3 = 1/2.
    spread = draws(scores, None, "spread", [2, 3], 0)
    assert spread["probability"].tolist() == pytest.approx([1, 0.5, 0.5, 1])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["random", "spread"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("sizes", [[6, 12], [4, 8, 14]])
def test_segments_are_drawn_as_often_as_said(method, whole, sizes):
    _, scores, documents = population(24, 8)
    documents = documents if whole else None
    n, counts, said = 600, 0.0, None
    for seed in range(n):
        found = draws(scores, documents, method, sizes, seed)
        counts = counts + found["chosen"].to_numpy()
        if said is None:
            said = found["probability"].to_numpy()
        # They say nothing of what was drawn before.
        np.testing.assert_allclose(found["probability"], said, rtol=1e-12)
    assert said.sum() == pytest.approx(sizes[-1])
    error = np.sqrt(said * (1 - said) / n) + 1e-9
    assert np.abs(counts / n - said).max() < 4.5 * error.max()
    assert (np.abs(counts / n - said) / error).max() < 4.5


@pytest.mark.slow
@pytest.mark.parametrize("method", ["random", "spread"])
@pytest.mark.parametrize("whole", [False, True])
def test_means_of_all_batches_are_unbiased_and_intervals_cover(method, whole):
    # Of whole documents sixteen are judged: of half as many, intervals cover some 91 %.
    factor = 2 if whole else 1
    y, scores, documents = population(80 * factor, 20 * factor)
    sizes = [16 * factor, 32 * factor]
    truth, n = y.groupby(level="system").mean(), 300
    X = pd.DataFrame({"hypothesis": "a"}, y.index)
    errors, covered = [], []
    for seed in range(n):
        found = draws(scores, documents if whole else None, method, sizes, seed)
        judged = y.index.isin(found.index[found["chosen"]], level="segment")
        options = {"question": "test-set", "n_resamples": 200, "random_state": seed}
        table = leaderboard(X[judged], -y[judged], by="mean", selection=found, **options).table
        table = table.loc[truth.index]
        errors.append(table["score"] - truth)
        covered.append((table["low"] <= truth) & (truth <= table["high"]))
    errors = np.array(errors)
    # A ratio of two sums is unbiased but for a term of 1 / n.
    bias = np.abs(errors.mean(axis=0)) - 0.1 * errors.std(axis=0)
    assert (bias < 3 * errors.std(axis=0) / np.sqrt(n)).all()
    # 95 %, less three standard errors of the proportion.
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / n)


def test_both_draws_are_worth_more_than_the_second():
    # With probability 1 the first ones would stand for themselves alone.
    y, scores, _ = population()
    truth, errors = y.groupby(level="system").mean(), {"joined": [], "certain": []}
    for seed in range(200):
        first = select_segments(scores, 16, method="random", random_state=seed)
        judged = {"joined": first, "certain": first.index[first["chosen"]]}
        for name, given in judged.items():
            options = {"method": "random", "random_state": 10_000 + seed}
            found = select_segments(scores, 32, judged=given, **options)
            weights = found["chosen"] / found["probability"]
            weights = y.index.get_level_values("segment").map(weights)
            means = (y * weights).groupby(level="system").sum() / (weights.to_numpy().sum() / 3)
            errors[name].append(means - truth)
    joined, certain = (np.sqrt(np.mean(np.square(errors[name]))) for name in errors)
    assert joined < 0.9 * certain


def test_what_is_no_earlier_draw():
    _, scores, documents = population(12, 4)
    first = select_segments(scores, 4, method="random")
    again = select_segments(scores, 8, method="random", judged=first.iloc[::-1])
    assert again["chosen"][first["chosen"]].all() and again["chosen"].sum() == 8
    assert select_segments(scores, 12, judged=first)["probability"].eq(1).all()
    for options, error, said in [
        ({"method": "variance"}, ValueError, "'spread' and 'random'"),
        ({"strata": documents}, ValueError, "without strata"),
        ({"documents": documents, "whole_documents": True}, ValueError, "whole_documents must be"),
        ({"judged": first.iloc[1:]}, CandidateError, "of these segments"),
        ({"judged": first.assign(probability=np.nan)}, CandidateError, "with probabilities"),
        ({"judged": first[["chosen"]]}, CandidateError, "'probability'"),
    ]:
        with pytest.raises(error, match=said):
            select_segments(scores, 8, **{"judged": first} | options)
    with pytest.raises(ValueError, match="leaves nothing to choose"):
        select_segments(scores, 4, judged=first)
