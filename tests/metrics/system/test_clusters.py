"""TrueSkill against published numbers, rank ranges and clusters against plain loops."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from sklearn_mteval._helpers.order import system_order
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import human_system_scores, system_clusters, trueskill_scores
from sklearn_mteval.metrics.system.clusters import _rank_ranges
from sklearn_mteval.metrics.system.trueskill_kernel import BETA, DEVIATION, MEAN, rate
from sklearn_mteval.metrics.system.wins import expected_wins, win_counts

METHODS = ("expected-wins", "bradley-terry", "trueskill")


def table(skills, n_segments=60, seed=0, noise=1.0, digits=0):
    """Rankings of all systems on every segment, by skill and noise."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [range(n_segments), list(skills)], names=["segment", "system"]
    )
    skill = np.tile(list(skills.values()), n_segments)
    y = pd.Series(-(skill + noise * rng.normal(size=len(index))).round(digits), index=index)
    return pd.DataFrame(index=index), y


def one_match(tied, draw_probability):
    margin = stats.norm.ppf((draw_probability + 1) / 2) * 2**0.5 * BETA
    means, deviations = rate(np.array([0]), np.array([1]), np.array([tied]), 2, margin)
    return *means, *deviations


def test_published_numbers():
    # Two newcomers, 10 % draws: the figures that TrueSkill's calculators show.
    assert one_match(False, 0.1) == pytest.approx((29.396, 20.604, 7.171, 7.171), abs=6e-4)
    assert one_match(True, 0.1) == pytest.approx((25, 25, 6.458, 6.458), abs=1e-3)
    assert (MEAN, DEVIATION, BETA) == (25, 25 / 3, 25 / 6)


@pytest.mark.parametrize("tied", [False, True])
def test_an_update_has_the_moments_of_the_posterior(tied):
    margin = 3.0
    better, worse = np.array([0, 0, 1]), np.array([1, 2, 2])
    before, spread = rate(better[:2], worse[:2], np.array([False] * 2), 3, margin)
    after, narrowed = rate(better, worse, np.array([False, False, tied]), 3, margin)
    # The difference of performances, given the skill of system 1, integrated over that skill.
    rest = (2 * BETA**2 + spread[2] ** 2) ** 0.5

    def likelihood(skill):
        gap = skill - before[2]
        if tied:
            return stats.norm.cdf((margin - gap) / rest) - stats.norm.cdf((-margin - gap) / rest)
        return stats.norm.cdf((gap - margin) / rest)

    moments = [
        integrate.quad(
            lambda s, k=k: s**k * likelihood(s) * stats.norm.pdf(s, before[1], spread[1]),
            before[1] - 9 * spread[1],
            before[1] + 9 * spread[1],
        )[0]
        for k in range(3)
    ]
    mean = moments[1] / moments[0]
    assert after[1] == pytest.approx(mean, abs=1e-6)
    assert narrowed[1] == pytest.approx((moments[2] / moments[0] - mean**2) ** 0.5, abs=1e-6)


def test_surprises_stay_finite():
    # Ten thousand wins make a gap; then the other wins, and they tie.
    better, worse = (
        np.append(np.zeros(10_000, int), [1, 0]),
        np.append(np.ones(10_000, int), [0, 1]),
    )
    tied = np.arange(10_002) == 10_001
    means, deviations = rate(better, worse, tied, 2, 1e-6)
    assert means[0] > means[1]
    assert np.isfinite([means, deviations]).all()
    assert (deviations > 0).all()


def test_trueskill_orders_simulated_systems():
    X, y = table({"c": 0.0, "a": 1.0, "b": 2.0, "d": 3.0})
    ratings = trueskill_scores(X, y)
    assert list(ratings.index) == list("abcd")
    assert list(ratings["mean"].sort_values().index) == ["c", "a", "b", "d"]
    assert ratings["deviation"].between(0.1, DEVIATION).all()
    assert not trueskill_scores(X, y, random_state=1).equals(ratings)
    more_draws = trueskill_scores(X, y, draw_probability=0.9)
    assert np.ptp(more_draws["mean"]) > np.ptp(ratings["mean"])


def test_rank_ranges_by_loops():
    samples = np.random.default_rng(0).integers(0, 6, (40, 5)).astype(float)
    samples[3, 2] = np.nan
    low, high = _rank_ranges(samples, 0.9)
    kept = [row for row in samples if not np.isnan(row).any()]
    for system in range(5):
        best = sorted(1 + sum(x > row[system] for x in row) for row in kept)
        worst = sorted(sum(x >= row[system] for x in row) for row in kept)
        # 39 samples: 5 % at either end are less than two of them.
        assert low[system] == best[1]
        assert high[system] == worst[-2]


@pytest.mark.parametrize("method", METHODS)
def test_clusters_of_clear_differences(method):
    # A seed for which chance does not part p and q, as it does in one of twenty.
    X, y = table({"x": 0.0, "p": 3.0, "q": 3.0, "y": 0.0, "z": 0.0, "top": 6.0}, 100, seed=2)
    found = system_clusters(X, y, method=method, n_resamples=200)
    assert list(found) == ["score", "rank_low", "rank_high", "cluster"]
    assert found["score"].is_monotonic_decreasing
    assert found["cluster"].to_dict() == {"top": 1, "p": 2, "q": 2, "x": 3, "y": 3, "z": 3}
    assert tuple(found.loc["top", ["rank_low", "rank_high"]]) == (1, 1)
    for _, members in found.groupby("cluster"):
        assert members["rank_low"].min() == found.index.get_indexer(members.index).min() + 1


def test_clusters_end_where_no_range_overlaps():
    X, y = table(dict(zip("abcdefgh", np.arange(8) / 4, strict=True)), n_segments=60)
    found = system_clusters(X, y, n_resamples=300)
    expected = human_system_scores(X, y).round(9)
    pd.testing.assert_series_equal(
        found["score"].sort_index(), expected, check_names=False, atol=1e-12
    )
    ranges = [set(range(a, b + 1)) for a, b in found[["rank_low", "rank_high"]].to_numpy()]
    cluster = 1
    for k in range(1, 8):
        cluster += max(set().union(*ranges[:k])) < min(set().union(*ranges[k:]))
        assert found["cluster"].iloc[k] == cluster
    wider = system_clusters(X, y, n_resamples=300, confidence=0.999)
    assert (wider["rank_low"] <= found["rank_low"]).all()
    assert (wider["rank_high"] >= found["rank_high"]).all()
    assert not wider.equals(found)


@pytest.mark.parametrize("method", METHODS)
def test_order_and_names_change_nothing(method):
    X, y = table(dict(zip("abcde", [0, 0.1, 0.2, 0.3, 0.4], strict=True)), n_segments=25)
    found = system_clusters(X, y, method=method, n_resamples=50)
    names = dict(zip("abcde", "dacEb", strict=True))
    other = y.sample(frac=1, random_state=0).rename(index=names, level="system")
    other = other.rename(index=lambda s: f"s{s * 7 % 25}", level="segment")
    again = system_clusters(other.to_frame(), other, method=method, n_resamples=50)
    pd.testing.assert_frame_equal(found.rename(index=names), again, check_names=False)
    seeds = [system_clusters(X, y, method=method, n_resamples=5, random_state=s) for s in range(5)]
    assert not all(other.equals(seeds[0]) for other in seeds)


@pytest.mark.slow
def test_ranges_are_those_of_tables_put_together():
    X, y = table(dict(zip("abcd", [0, 0.2, 0.4, 0.6], strict=True)), n_segments=30)
    found = system_clusters(X, y, n_resamples=400)
    rng = np.random.default_rng(9)
    ranks = []
    wins = win_counts(X, y).wins
    for _ in range(400):
        ranks.append(stats.rankdata(-expected_wins(wins[rng.integers(0, 30, 30)].sum(axis=0))))
    ranks = pd.DataFrame(ranks, columns=list("abcd"))
    low, high = ranks.quantile(0.025).round(), ranks.quantile(0.975).round()
    # Another 400 samples: the ends of a range can differ by one.
    assert (found["rank_low"].sort_index() - low).abs().max() <= 1
    assert (found["rank_high"].sort_index() - high).abs().max() <= 1


def test_identical_systems_share_ranks():
    index = pd.MultiIndex.from_product([range(10), list("abc")], names=["segment", "system"])
    y = pd.Series(np.tile([1, 1, 2], 10), index=index)
    found = system_clusters(y.to_frame(), y, n_resamples=20)
    assert list(found["cluster"]) == [1, 1, 2]
    assert found.loc[["a", "b"], ["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 2]] * 2


def test_one_segment():
    index = pd.MultiIndex.from_product([[1], list("abc")], names=["segment", "system"])
    y = pd.Series([2, 1, 3], index=index)
    with pytest.raises(CandidateError, match="two are needed, found 1"):
        system_clusters(y.to_frame(), y, n_resamples=5)


def test_undecided_judgements():
    index = pd.MultiIndex.from_product([range(5), list("ab")], names=["segment", "system"])
    y = pd.Series(1, index=index)
    with pytest.raises(CandidateError, match=r"System '[ab]' never won or lost"):
        system_clusters(y.to_frame(), y)
    with pytest.raises(CandidateError, match="all are ties"):
        trueskill_scores(y.to_frame(), y)
    with pytest.raises(CandidateError, match="all are ties"):
        system_clusters(y.to_frame(), y, method="trueskill")
    found = system_clusters(y.to_frame(), y, method="bradley-terry", n_resamples=10)
    assert list(found["cluster"]) == [1, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "wins"}, r"method .*found "),
        ({"confidence": 1.0}, "confidence"),
        ({"n_resamples": 0}, "n_resamples"),
    ],
)
def test_bad_options(options, message):
    X, y = table({"a": 0, "b": 1}, n_segments=3)
    with pytest.raises(ValueError, match=message):
        system_clusters(X, y, **options)


@pytest.mark.parametrize("probability", [0, 1, -0.5, "x"])
def test_bad_draw_probability(probability):
    X, y = table({"a": 0, "b": 1}, n_segments=3)
    with pytest.raises(ValueError, match="draw_probability"):
        trueskill_scores(X, y, draw_probability=probability)


def test_clusters_of_the_campaign(data_dir):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    found = system_clusters(X, y)
    assert list(found.index[:2]) == ["onlineB", "uedin-wmt12"]
    assert found["cluster"].to_dict() == {
        "onlineB": 1,
        "uedin-wmt12": 2,
        "cu-bojar": 3,
        "onlineA": 3,
        "uk-dan-moses": 4,
        "jhu-heiro": 5,
    }
    ratings = trueskill_scores(X, y)["mean"]
    for a, b in itertools.pairwise(found.index):
        if found.loc[a, "cluster"] != found.loc[b, "cluster"]:
            assert ratings[a] > ratings[b]


def test_a_draw_probability_that_is_nearly_one():
    index = pd.MultiIndex.from_product([range(5), list("ab")], names=["segment", "system"])
    y = pd.Series([1, 2] * 5, index=index)
    found = trueskill_scores(y.to_frame(), y, draw_probability=np.nextafter(1, 0))
    assert found.loc["a", "mean"] > found.loc["b", "mean"]


@pytest.mark.parametrize("method", ["expected-wins", "bradley-terry", "trueskill"])
def test_systems_of_equal_sums_are_told_apart_by_whom_they_met(method):
    """Wins, losses and ties of segment 1 are those of a circle: names must not order it."""
    rows = [(1, 10, 0), (1, 12, 3), (1, 11, 2), (0, 0, 3), (1, 11, 1), (2, 20, 0), (2, 20, 1)]
    rows += [(0, 0, 4), (0, 0, 0), (1, 12, 1), (2, 20, 3)]
    y = np.array([3, 4, 5, 4, 3, 5, 5, 4, 2, 3, 1])
    options = {"method": method, "n_resamples": 9}
    found = []
    for seed in range(6):
        order, names = (np.random.default_rng(seed).permutation(n) for n in (len(rows), 5))
        index = pd.MultiIndex.from_tuples(
            [(rows[k][0], rows[k][1], names[rows[k][2]]) for k in order],
            names=["segment", "ranking", "system"],
        )
        found.append(system_clusters(pd.DataFrame(index=index), y[order], **options).to_numpy())
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_a_circle_of_systems_has_no_first():
    """Who beat whom in two segments, a circle each way round: any renaming gives the same."""
    wins = np.zeros((2, 4, 4))
    for k in range(4):
        wins[0, k, (k + 1) % 4] = wins[1, (k + 1) % 4, k] = 1
    wins[0, 0, 2] = wins[0, 2, 0] = 2
    wins[1, 1, 3] = wins[1, 3, 1] = 2
    tables = [wins.sum(axis=2), wins.sum(axis=1)]
    ordered = set()
    for names in itertools.permutations(range(4)):
        renamed = wins[:, names][:, :, names]
        order = system_order([table[:, names] for table in tables], lambda r=renamed: [r])
        assert sorted(order) == [0, 1, 2, 3]
        ordered.add(tuple(sorted(map(bytes, renamed[:, order][:, :, order]))))
    assert len(ordered) == 1
