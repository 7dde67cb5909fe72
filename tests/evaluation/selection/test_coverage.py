"""What judgements of a drawn part say of all: errors and intervals, simulated and on real data."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.datasets import load_mtme
from sklearn_mteval.evaluation import leaderboard, select_segments
from sklearn_mteval.metrics.core.assisted_means import assisted_means

RANDOM = {"method": "random"}


def drawn_means(human, scores, size, n_draws, helped, **options):
    """Return errors of systems' means in draws, and whether 95 % intervals hold the truth."""
    n, n_systems = human.shape
    target, cluster = np.tile(np.arange(n_systems), n), np.repeat(np.arange(n), n_systems)
    sizes = {"n_targets": n_systems, "n_clusters": n, "finite": True}
    truth, rng, errors, covered = human.mean(axis=0), np.random.RandomState(0), [], []
    for _ in range(n_draws):
        found = select_segments(scores, size, random_state=rng, **options)
        values = np.where(found["chosen"].to_numpy()[:, None], human, np.nan).ravel()
        means = assisted_means(
            target, cluster, values, scores.to_numpy() if helped else None,
            probability=found["probability"].to_numpy(), **sizes,
            stratum=found["stratum"].to_numpy() if "stratum" in found else None,
        )  # fmt: skip
        errors.append(means.estimates - truth)
        reach = stats.t.ppf(0.975, means.degrees) * np.sqrt(np.diag(means.covariance))
        covered.append(np.abs(errors[-1]) <= reach)
    return np.sqrt(np.mean(np.square(errors))), np.mean(covered)


def simulated(n_documents=30, length=6, n_systems=4):
    """Skewed penalties whose size a metric sees, with effects of documents."""
    rng = np.random.default_rng(5)
    n = n_documents * length
    documents = np.repeat(np.arange(n_documents), length)
    hard = rng.gamma(1, 1, n) * rng.uniform(0.5, 1.5, n_documents)[documents]
    errors = rng.gamma(1, 1, (n, n_systems)) * np.linspace(0.5, 1.5, n_systems)
    human = -hard[:, None] * errors - rng.normal(0, 1, n_documents)[documents][:, None]
    metric = 0.7 * human + rng.normal(0, 0.7, human.shape)
    rows = pd.MultiIndex.from_product([range(n), range(n_systems)], names=["segment", "system"])
    return human, pd.DataFrame({"metric": metric.ravel()}, rows), pd.Series(documents)


@pytest.mark.slow
def test_simulated_parts():
    """200 draws; the error of a coverage is at most 1.5 %."""
    human, scores, documents = simulated()
    random, covered = drawn_means(human, scores, 0.3, 200, False, **RANDOM)
    assert covered == pytest.approx(0.95, abs=0.03)
    spread, covered = drawn_means(human, scores, 0.3, 200, True)
    assert covered == pytest.approx(0.95, abs=0.03) and spread < 0.8 * random
    by_document, covered = drawn_means(human, scores, 0.3, 200, True, documents=documents)
    assert covered == pytest.approx(0.955, abs=0.03) and by_document < spread


@pytest.mark.slow
def test_real_parts(data_dir):
    """WMT23, Hebrew-English MQM: 300 draws of a quarter, by two learned metrics."""
    loaded = load_mtme(data_dir / "wmt23", "he-en", metric_scores=["XCOMET-Ensemble", "MetricX-23"])
    documents = loaded.documents.groupby(level="segment").first()
    y, scores = (0 - loaded.y).sort_index(), loaded.X[loaded.metrics].sort_index()
    human = y.to_numpy().reshape(len(documents), -1)
    random, _ = drawn_means(human, scores, 0.25, 300, False, **RANDOM)
    spread, covered = drawn_means(human, scores, 0.25, 300, True, documents=documents)
    assert spread < 0.8 * random and covered == pytest.approx(0.955, abs=0.02)


def test_leaderboards_know_the_strata():
    human, scores, documents = simulated()
    found = select_segments(scores, 0.3, documents=documents)
    rows = found["chosen"].to_numpy()
    y = pd.Series(-human.ravel(), scores.index)[np.repeat(rows, human.shape[1])]
    X = pd.DataFrame(index=y.index)
    given = {"by": "mean", "question": "test-set", "n_resamples": 20}
    table = leaderboard(X, y, selection=found, **given).table
    n, n_systems = human.shape
    means = assisted_means(
        np.tile(np.arange(n_systems), n), np.repeat(np.arange(n), n_systems),
        np.where(rows[:, None], human, np.nan).ravel(), n_targets=n_systems, n_clusters=n,
        probability=found["probability"].to_numpy(), stratum=found["stratum"].to_numpy(),
        finite=True,
    )  # fmt: skip
    reach = stats.t.ppf(0.975, means.degrees) * np.sqrt(np.diag(means.covariance))
    systems = table.loc[range(n_systems)]
    np.testing.assert_allclose(systems["score"], means.estimates)
    np.testing.assert_allclose(systems["sandwich_high"] - systems["score"], reach)
    alike = leaderboard(X, y, selection=found.drop(columns="stratum"), **given).table
    assert (alike["sandwich_high"] > table["sandwich_high"]).all()  # documents explain much
    # Neither the order of segments nor the numbers of strata change a bit.
    other = found.assign(stratum=99 - found["stratum"]).sample(frac=1, random_state=0)
    order = np.random.default_rng(0).permutation(len(y))
    again = leaderboard(X.iloc[order], y.iloc[order], selection=other, **given).table
    pd.testing.assert_frame_equal(again, table, check_exact=True)
