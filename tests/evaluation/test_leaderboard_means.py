"""Leaderboards by mean and by win rate: closed forms, brute force, and what must not change."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.datasets import load_judgements, load_sample, make_rankings
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.evaluation.leaderboards import estimated as estimated_module
from sklearn_mteval.evaluation.leaderboards.estimated import Units, differences_of, estimate
from sklearn_mteval.evaluation.leaderboards.leaderboard import ESTIMANDS, _defaults
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import holm
from sklearn_mteval.metrics.system.paired import p_values_of, pairs_of

FEW = {"n_resamples": 20}


def judged(n_segments=40, n_systems=4, missing=0.0, seed=0):
    """Scores of 0 to 100, a table (n_segments, n_systems), some of them NaN."""
    rng = np.random.default_rng(seed)
    difficulty = rng.gamma(2, 8, (n_segments, 1))
    table = 95 - difficulty - rng.gamma(1, 4, (n_segments, n_systems)) - 2 * np.arange(n_systems)
    table[rng.random(table.shape) < missing] = np.nan
    return table.round(3)


def as_rows(table):
    """From a table of scores to X, y."""
    names = list("ABCDEFGHIJ")[: table.shape[1]]
    index = pd.MultiIndex.from_product([range(len(table)), names], names=["segment", "system"])
    y = pd.Series(0 - table.ravel(), index).dropna()
    return pd.DataFrame(index=y.index), y


def test_two_systems_are_compared_by_a_paired_t_test():
    """Oracle: scipy. n segments that both were judged on leave n - 1 degrees of freedom."""
    table = judged(n_systems=2)
    found = leaderboard(*as_rows(table), by="mean", **FEW)
    theirs = stats.ttest_rel(table[:, 0], table[:, 1])
    assert found.pairs["p_value"].tolist() == pytest.approx([theirs.pvalue], rel=1e-9)
    bounds = stats.ttest_rel(table[:, 0], table[:, 1]).confidence_interval()
    assert found.pairs[["low", "high"]].loc[0].tolist() == pytest.approx(bounds)
    assert found.pairs.loc[0, ["system", "other"]].tolist() == ["A", "B"]
    assert found.pairs.loc[0, "difference"] == pytest.approx(-np.diff(table.mean(axis=0))[0])
    for k, name in enumerate("AB"):
        row = found.table.loc[name]
        assert row["score"] == pytest.approx(table[:, k].mean())
        assert row["standard_error"] == pytest.approx(stats.sem(table[:, k]))
        low, high = stats.t.interval(0.95, 39, table[:, k].mean(), stats.sem(table[:, k]))
        assert row[["sandwich_low", "sandwich_high"]].tolist() == pytest.approx([low, high])
    assert found.table["wins"].loc["A"] == (table[:, 0] > table[:, 1]).sum()


def test_a_translation_judged_again_counts_once_by_its_mean():
    table = judged()
    X, y = as_rows(table)
    once = leaderboard(X, y, by="mean", **FEW)
    again = y.iloc[:7]
    labels = [(s, r, n) for r, part in enumerate((y, again)) for s, n in part.index]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    values = np.concatenate([y, again])
    values[:7] += 2
    values[len(y) :] -= 2
    twice = leaderboard(pd.DataFrame(index=index), values, by="mean", **FEW)
    np.testing.assert_allclose(once.table["score"], twice.table["score"])
    assert twice.counts["judgements"] == once.counts["judgements"] + 7
    assert twice.counts["translations"] == once.counts["translations"]


@pytest.mark.slow
def test_bootstrap_is_that_of_whole_segments():
    """Brute force: 20,000 resamples of whole rows, studentised (Hall 1988), within their noise."""
    table = judged(n_segments=60)
    found = leaderboard(*as_rows(table), by="mean", n_resamples=20_000).table
    rng = np.random.default_rng(9)
    means = np.nanmean(table, axis=0)
    drawn = [table[rng.integers(60, size=60)] for _ in range(20_000)]
    moved = [
        (np.nanmean(rows, axis=0) - means)
        / np.sqrt(np.nanvar(rows, axis=0) / (~np.isnan(rows)).sum(axis=0))
        for rows in drawn
    ]
    for k, name in enumerate("ABCD"):
        n = (~np.isnan(table[:, k])).sum()
        error = np.nanstd(table[:, k], ddof=1) / np.sqrt(n)
        quantiles = np.quantile(np.array(moved)[:, k], [0.975, 0.025]) * np.sqrt((n - 1) / n)
        low, high = means[k] - quantiles * error
        width = high - low
        assert abs(found.loc[name, "low"] - low) < 0.03 * width
        assert abs(found.loc[name, "high"] - high) < 0.03 * width


def test_scale_and_turn_change_nothing_but_the_scale():
    X, y = as_rows(judged(missing=0.1))
    plain = leaderboard(X, y, by="mean", **FEW)
    scaled = leaderboard(X, 8 * y + 512, by="mean", **FEW)
    for column in ("letters", "rank_low", "rank_high", "win_rate", "wins"):
        assert plain.table[column].tolist() == scaled.table[column].tolist()
    bounds = ["score", "sandwich_low", "sandwich_high"]
    np.testing.assert_allclose(8 * plain.table[bounds] - 512, scaled.table[bounds])
    np.testing.assert_allclose(plain.paired.p_values, scaled.paired.p_values)
    turned = leaderboard(X, -y, by="mean", **FEW).table
    assert turned.index.tolist() == plain.table.index[::-1].tolist()
    assert turned["rank_low"].tolist() == (5 - plain.table["rank_high"][::-1]).tolist()


@pytest.mark.parametrize("by", ["mean", "win-rate"])
def test_neither_order_nor_names_change_a_bit(by):
    X, y = as_rows(judged(missing=0.2))
    scores = pd.Series(np.random.default_rng(3).normal(size=len(y)), y.index, name="m").to_frame()
    systems = dict(zip("ABCD", "zyxw", strict=True))
    rows = np.random.default_rng(7).permutation(len(X))
    renamed = pd.MultiIndex.from_tuples(
        [(f"s{7 * s % 83}", systems[n]) for s, n in X.index], names=X.index.names
    )
    for given in ({}, {"scores": scores}):
        found = leaderboard(X, y, by=by, **given, **FEW)
        moved = {name: part.set_axis(renamed).iloc[rows] for name, part in given.items()}
        X2, y2 = X.set_axis(renamed).iloc[rows], y.set_axis(renamed).iloc[rows]
        other = leaderboard(X2, y2, by=by, **moved, **FEW)
        back = other.table.rename(index={new: old for old, new in systems.items()})
        pd.testing.assert_frame_equal(found.table, back, check_exact=True)


def test_win_rates_by_hand():
    """Of three segments A wins all of one, loses one, ties one; clusters pull by their sums."""
    outcomes = {1: [1, 1], 2: [-1], 3: [0, 1, 1]}
    labels, y = [], []
    for segment, list_ in outcomes.items():
        for k, outcome in enumerate(list_):
            labels += [(segment, k, "A"), (segment, k, "B")]
            y += [1 + (outcome < 0), 1 + (outcome > 0)]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    found = leaderboard(pd.DataFrame(index=index), y, by="win-rate", **FEW)
    rate = 4.5 / 6
    assert found.table["score"].to_dict() == pytest.approx({"A": rate, "B": 1 - rate})
    pulls = [sum((o + 1) / 2 - rate for o in list_) / 6 for list_ in outcomes.values()]
    pulls *= (1 - 1 / 3) / (1 - np.array([2, 1, 3]) / 6)  # what a large one draws to itself
    error = np.sqrt(np.square(pulls).sum() * 3 / 2)
    assert found.table["standard_error"].tolist() == pytest.approx([error, error])
    p = 2 * stats.t.sf((2 * rate - 1) / (2 * error), 36 / 14 - 1)
    assert found.paired.p_values[0, 1] == pytest.approx(p)
    assert found.table[["wins", "losses", "ties"]].loc["A"].tolist() == [4, 1, 1]
    # Bounds do not leave [0, 1].
    assert found.table["sandwich_high"]["A"] == 1 and found.table["sandwich_low"]["B"] == 0


def test_win_rates_are_those_of_the_table():
    X, y = make_rankings(40, 5, random_state=2)
    found = leaderboard(X, y, by="win-rate", **FEW).table
    np.testing.assert_allclose(found["score"], found["win_rate"])
    strengths = leaderboard(X, y, **FEW).table
    for column in ("wins", "losses", "ties", "segments", "win_rate"):
        pd.testing.assert_series_equal(found[column].sort_index(), strengths[column].sort_index())


def test_who_always_won_may_have_been_lucky():
    """Five segments, all won: with a rate of .025^(1/5) that happens once in 40 times."""
    index = pd.MultiIndex.from_product([range(5), list("AB")], names=["segment", "system"])
    found = leaderboard(pd.DataFrame(index=index), [1, 2] * 5, by="win-rate", **FEW)
    least = 0.025 ** (1 / 5)
    for column in ("low", "sandwich_low"):
        assert found.table[column].tolist() == pytest.approx([least, 0])
    assert found.table["high"].tolist() == pytest.approx([1, 1 - least])
    assert found.paired.p_values[0, 1] == pytest.approx(2 / 2**5)


def test_means_that_always_differ_by_the_same():
    index = pd.MultiIndex.from_product([range(5), list("AB")], names=["segment", "system"])
    y = -np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6], [0.2, 0.3], [0.9, 1.0]]).ravel()
    found = leaderboard(pd.DataFrame(index=index), y, by="mean", **FEW)
    assert found.paired.p_values[0, 1] == pytest.approx(2 / 2**5)
    same = leaderboard(pd.DataFrame(index=index), np.repeat(y[::2], 2), by="mean", **FEW)
    assert same.paired.p_values[0, 1] == 1


def test_ranks_have_no_mean():
    for X, y in (load_sample(return_X_y=True), make_rankings(10, 4)):
        with pytest.raises(CandidateError, match="by='mean' needs scores, y seems to hold ranks"):
            leaderboard(X, y, by="mean")
    X, y = as_rows(judged())
    assert leaderboard(X, (y / 10).round() - 1000, by="mean", **FEW).table["score"].max() > 1000


BAD = [
    ({"by": "median"}, ValueError, "by must be"),
    ({"by": "mean", "ties": "model"}, ValueError, "ties='model' is of the model of by='strength'"),
    ({"by": "mean", "scale": "elo"}, ValueError, "scale='elo' is of the model"),
    ({"by": "win-rate", "covariates": ["x"]}, ValueError, "covariates=.* is of the model"),
    ({"by": "win-rate", "judge_model": "discrimination"}, ValueError, "judge_model="),
    ({"by": "mean", "judges": ["a"]}, ValueError, "nothing reads them"),
    ({"automatic_judges": ["a"]}, ValueError, "is of means over segments"),
    ({"scores": pd.DataFrame()}, ValueError, "scores is of means"),
    ({"by": "mean", "automatic_judges": "gpt"}, ValueError, "list of names"),
    ({"by": "mean", "automatic_judges": ["a", "a"]}, ValueError, "twice"),
    ({"by": "mean", "automatic_judges": ["a"]}, CandidateError, "pass judges"),
    ({"by": "mean", "selection": pd.DataFrame()}, CandidateError, "selection must be"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        leaderboard(*as_rows(judged()), **options)


def test_options_are_refused_by_name_and_described():
    X, y = as_rows(judged())
    with pytest.raises(TypeError, match="unexpected keyword argument 'weights'"):
        leaderboard(X, y, weights=[1])
    with pytest.raises(TypeError, match="unexpected keyword argument 'inference'"):
        leaderboard(X, y, inference=None)
    # What asks for nothing is not refused: a command gives all that it knows.
    given = {"ties": "half", "covariates": [], "judge_weights": None, "both_bad": [False] * len(y)}
    plain = leaderboard(X, y, by="mean", **FEW)
    assert leaderboard(X, y, by="mean", **given, **FEW).signature == plain.signature
    for function in ESTIMANDS.values():
        for name in _defaults(function):
            assert name in leaderboard.__doc__


def test_one_segment_and_huge_scores():
    table = judged()
    with pytest.raises(CandidateError, match="two are needed"):
        leaderboard(*as_rows(table[:1]), by="mean")
    with pytest.raises(CandidateError, match="must lie between"):
        leaderboard(*as_rows(table * 1e150), by="mean")
    X, y = as_rows(table)
    with pytest.raises(ValueError, match="both_bad is of comparisons"):
        leaderboard(X, y, by="mean", both_bad=np.ones(len(X), dtype=bool))
    # A system of one segment has a mean, and nothing that says how sure it is.
    table[1:, 3] = np.nan
    found = leaderboard(*as_rows(table), by="mean", **FEW)
    assert np.isfinite(found.table.loc["D", "score"])
    assert found.table.loc["D", ["low", "sandwich_high", "standard_error"]].isna().all()
    assert found.table.loc["D", "rank_high"] == 4


@pytest.mark.slow
@pytest.mark.parametrize("by", ["mean", "win-rate"])
def test_of_equal_systems_few_are_told_apart(by):
    """Holm's tests of five equal systems: some pair apart in 5 % of samples, at most."""
    apart = 0
    for seed in range(200):
        table = np.random.default_rng(seed).gamma(1, 3, (25, 1)) + np.random.default_rng(
            seed + 1000
        ).gamma(1, 2, (25, 5))
        found = leaderboard(*as_rows(table), by=by, n_resamples=1)
        apart += found.paired.differ.any()
    assert apart <= 17  # more have a chance of 1 % at 5 %


def test_one_wrong_number_is_warned_of():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(30), ["A", "B"]], names=["segment", "system"])
    y = pd.Series(-rng.uniform(0, 100, 60), index)
    leaderboard(y.to_frame(), y, by="mean")
    y.iloc[7] = -7000.0
    with pytest.warns(UserWarning, match="1 score.* far from all others, 7000 first, of segment 3"):
        leaderboard(y.to_frame(), y, by="mean")


def test_means_are_those_that_the_campaign_published(data_dir):
    """MQM of TED talks, Chinese-English (Freitag et al. 2021, metrics task)."""
    judged = load_judgements(data_dir / "mqm" / "mqm_ted_zhen.tsv", "mqm")
    found = leaderboard(judged.X, judged.y, by="mean", **FEW).table["score"]
    published = {
        "DIDI-NLP": 1.65, "metricsystem2": 1.76, "MiSS": 1.97, "Borderline": 2.40,
        "Online-W": 2.93, "ref": 5.52, "refB": 0.42,
    }  # fmt: skip
    for name, value in published.items():
        assert -found[name] == pytest.approx(value, abs=0.0101), name


def test_how_often_mean_and_strength_disagree_on_wmt23(data_dir):
    """The figures of docs/leaderboards.md, by counting pairs."""
    for pair, of_pairs in {"he-en": (4, 66), "zh-en": (3, 105)}.items():
        judged = load_judgements(
            data_dir / "wmt23", "mtme", lang_pair=pair, human_systems=False, metric_scores=False
        )
        boards = [leaderboard(judged.X, judged.y, by=by, **FEW) for by in ("mean", "strength")]
        mean, strength = (board.table["score"].sort_index().to_numpy() for board in boards)
        i, j = np.triu_indices(len(mean), 1)
        other = (mean[i] > mean[j]) != (strength[i] > strength[j])
        assert (other.sum(), len(other)) == of_pairs


def test_p_values_by_hand():
    """Of Student's t with as many degrees; and where nothing varies, by how many say the same."""
    differences, variances = np.array([3.0, 3, 3, 3, 0, 3]), np.array([2.25, 0, 0, np.nan, 0, 1])
    degrees = np.array([7, 4, 1, 5, 3, 0])
    found = p_values_of(differences, variances, degrees)
    expected = [2 * stats.t.sf(2.0, 7), 2 / 2**5, 2 / 2**2, np.nan, 1.0, np.nan]
    np.testing.assert_allclose(found, expected)
    found = p_values_of(differences, variances, degrees, all_judged=True)
    np.testing.assert_allclose(found, [expected[0], 0, 0, np.nan, 1.0, np.nan])


def test_a_difference_has_the_degrees_of_the_one_judged_less():
    """What is helped, or a sample, is tested so: of each two the fewer degrees of freedom."""
    stand_in = SimpleNamespace(
        scores=np.array([5.0, 3, 1]), degrees=np.array([9, 4, 2]), variances=np.full((3, 3), 1.0)
    )
    differences, variances, n_clusters = differences_of(stand_in)
    assert differences[0].tolist() == [0, 2, 4] and n_clusters[0].tolist() == [10, 5, 3]
    moments = differences, variances, n_clusters
    found = pairs_of(pd.Index(list("ABC")), *moments, confidence=0.9, alpha=0.05)
    raw = 2 * stats.t.sf([2, 4, 2], [4, 2, 2])
    assert found.table()["p_value"].tolist() == pytest.approx(holm(raw))
    reach = found.table()["high"] - found.table()["difference"]
    assert reach.tolist() == pytest.approx(stats.t.ppf(0.95, [4, 2, 2]))
    np.testing.assert_array_equal(found.low, -found.high.T)


def test_gains_are_how_many_times_as_many_judgements_would_do():
    """The variance of people alone, over that with a metric which is about right."""
    rng = np.random.default_rng(3)
    values, n = rng.normal(size=(200, 1)), 50
    scores = values + rng.normal(0, 0.5, values.shape)
    values[n:] = np.nan
    units = Units(np.zeros(200, dtype=int), np.arange(200), values.ravel(), scores, 1, 200)
    options = {"confidence": 0.95, "n_resamples": 50, "random_state": 0}
    found = estimate(units, options)
    alone = estimate(units._replace(automatic=np.empty((200, 0))), options)
    assert alone.gain == 1.0
    assert found.gain == pytest.approx((alone.errors / found.errors)[0] ** 2)
    assert found.gain > 1.5


def test_percentiles_are_those_of_so_many_judged_segments(monkeypatch):
    """Resamples 1 to 20,000: bounds are places, by Student's t of 13 segments (Hesterberg)."""
    places = iter(np.arange(1.0, 20_001))

    def next_places(found, counts, finite):
        return np.array([[next(places)] for _ in counts])

    monkeypatch.setattr(estimated_module, "_resampled_means", next_places)
    rng = np.random.default_rng(0)
    values = rng.normal(size=40)
    automatic = (values + rng.normal(0, 0.1, 40))[:, None]
    values[13:] = np.nan
    units = Units(np.zeros(40, dtype=int), np.arange(40), values, automatic, 1, 40)
    options = {"confidence": 0.95, "n_resamples": 20_000, "random_state": 0}
    found = estimate(units, options)
    n = found.degrees[0] + 1
    assert n == 12  # a coefficient takes one
    tail = stats.norm.cdf(stats.t.ppf(0.025, n - 1) * np.sqrt(n / (n - 1)))
    low = int(20_001 * tail)
    assert 150 < low < 300
    assert found.bootstrap.tolist() == [[low, 20_001 - low]]


def test_whole_numbers_from_1_to_10_are_ranks_however_few_systems():
    table = np.arange(30).reshape(15, 2) % 10 + 1.0
    X, y = as_rows(-table)
    with pytest.raises(CandidateError, match="whole numbers from 1 to 10"):
        leaderboard(X, y, by="mean", **FEW)
    assert len(leaderboard(X, y + 1, by="mean", **FEW).table) == 2


def test_systems_of_different_segments_are_adjusted_for_these():
    """B, judged on hard segments besides, is better on all that both have: it stands first."""
    rng = np.random.default_rng(0)
    easy = 80 + rng.normal(0, 1, (30, 1)) + [[0.0, 3.0]]
    easy[:, 0] += rng.normal(0, 0.5, 30)
    table = np.vstack([easy, np.column_stack([np.full(30, np.nan), np.full(30, 20.0)])])
    found = leaderboard(*as_rows(table), by="mean", **FEW)
    assert found.table.index.tolist() == ["B", "A"] and found.counts["missing"] == 30
    assert found.table["rank_low"].tolist() == [1, 2] and found.table["segments"]["A"] == 30
    theirs = stats.ttest_rel(easy[:, 1], easy[:, 0])
    difference = (easy[:, 1] - easy[:, 0]).mean()
    assert found.pairs["difference"].tolist() == pytest.approx([difference])
    assert found.pairs["p_value"].tolist() == pytest.approx([theirs.pvalue], rel=1e-6)
    bounds = found.pairs.loc[0, ["low", "high"]].tolist()
    assert bounds == pytest.approx(theirs.confidence_interval())
    assert found.table["score"]["B"] == pytest.approx(table[:, 1].mean())
    assert found.table["score"]["A"] == pytest.approx(table[:, 1].mean() - difference)
    assert "|missing:30|" in found.signature


def test_systems_that_no_segment_connects_are_refused():
    table = judged(n_systems=5)
    table[:20, :2] = table[20:, 2:] = np.nan
    with pytest.raises(CandidateError, match=r"2 parts .*'A', 'B' and the other 3 .*--without"):
        leaderboard(*as_rows(table), by="mean", **FEW)
    # What machines say of all connects them.
    scores = as_rows(judged(n_systems=5))[1].rename("m").to_frame()
    assert len(leaderboard(*as_rows(table), by="mean", scores=scores, **FEW).table) == 5
