"""Leaderboards that automatic judges help, and those of a part of the segments."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.assisted_means import assisted_means

FEW = {"n_resamples": 20}
NAMES = list("ABC")


def tables(n_segments=200, seed=0, noise=3.0):
    """What people would say of all, and a metric, (n_segments, 3) each."""
    rng = np.random.default_rng(seed)
    people = 90 - rng.gamma(2, 8, (n_segments, 1)) - rng.gamma(1, 5, (n_segments, 3))
    people -= [0, 0.5, 1.5]
    return people, 0.01 * people + rng.normal(0, 0.01 * noise, people.shape)


def rows(table, name=None):
    index = pd.MultiIndex.from_product([range(len(table)), NAMES], names=["segment", "system"])
    return pd.Series(np.ravel(table), index, name=name)


def board(people, **options):
    if "selection" in options:
        options = {"question": "test-set"} | options
    y = -rows(people).dropna()
    return leaderboard(pd.DataFrame(index=y.index), y, **({"by": "mean"} | FEW | options))


def test_one_metric_is_the_closed_form():
    """PPI++ (Angelopoulos et al. 2023, equation 3) with two regressors, of 50 judged of 200.

    θ = mean of judged (v - Σ λ_k a_k) + Σ λ_k mean of all a_k, a_1 the segment's mean score, a_2
    what a score differs from it; λ solves the normal equations of the clusters' pulls.
    """
    people, metric = tables()
    people[50:] = np.nan
    found = board(people, scores=rows(metric, "m").to_frame())
    halves = [np.repeat(metric.mean(axis=1), 3).reshape(-1, 3)]
    halves.append(metric - halves[0])
    n, m = 50, len(metric)

    def pulls(table, judged):
        weight = np.where(judged, 1.0, 0.0)[:, None] / judged.sum()
        return weight * (table - table[judged].mean(axis=0))

    judged, everything = np.arange(m) < n, np.ones(m, dtype=bool)
    own = np.nan_to_num(pulls(people, judged))
    taken = np.array([(pulls(a, judged) - pulls(a, everything)).ravel() for a in halves])
    slopes = np.linalg.lstsq(taken.T, own.ravel(), rcond=None)[0]
    assert found.automatic.loc["m", ["of_segments", "of_differences"]].tolist() == pytest.approx(
        slopes
    )
    corrected = people[:n] - sum(c * a[:n] for c, a in zip(slopes, halves, strict=True))
    theta = corrected.mean(axis=0)
    theta = theta + sum(c * a.mean(axis=0) for c, a in zip(slopes, halves, strict=True))
    assert found.table["score"][NAMES].tolist() == pytest.approx(theta)
    rest = own - np.tensordot(slopes, taken.reshape(2, m, 3), 1)
    variance = (rest**2).sum(axis=0) * n / (n - 3)
    assert found.table["standard_error"][NAMES].tolist() == pytest.approx(np.sqrt(variance))
    difference = theta[0] - theta[2]
    spread = ((rest[:, 0] - rest[:, 2]) ** 2).sum() * n / (n - 3)
    raw = 2 * stats.t.sf(abs(difference) / np.sqrt(spread), n - 3)
    corrected = found.paired.p_values[0, 2]
    assert corrected == pytest.approx(min(1, 3 * raw)) or corrected >= raw
    alone = people[:n].var(axis=0, ddof=1).sum() / n
    assert found.counts["worth"] == round(150 * alone / variance.sum())


def test_a_judge_is_as_good_as_a_metric_of_the_same_scores():
    people, metric = tables()
    people[50:] = np.nan
    by_scores = board(people, scores=rows(metric, "m").to_frame())
    human = rows(people).dropna()
    both = pd.concat([human, rows(metric)], keys=["anna", "m"], names=["ranking"])
    both = both.reorder_levels(["segment", "ranking", "system"])
    judges = both.index.get_level_values("ranking")
    given = {"judges": judges, "automatic_judges": ["m"], "by": "mean"}
    found = leaderboard(pd.DataFrame(index=both.index), -both, **given, **FEW)
    pd.testing.assert_frame_equal(found.table, by_scores.table, check_exact=True)
    pd.testing.assert_frame_equal(found.automatic, by_scores.automatic, check_exact=True)
    assert found.counts == by_scores.counts


def test_a_perfect_judge_of_all_is_as_good_as_people_of_all():
    people, _ = tables()
    part, chosen = people.copy(), np.arange(200) < 50
    part[50:] = np.nan
    scores = rows(7 - 0.1 * people, "m").to_frame()
    whole, helped = board(people), board(part, scores=scores)
    off = np.abs(helped.table["score"] - whole.table["score"])
    assert (off < 0.05 * whole.table["standard_error"]).all()
    # but for the degrees of freedom that two coefficients take
    wider = np.sqrt(50 / 47 * 199 / 200)
    errors = helped.table["standard_error"] / whole.table["standard_error"]
    np.testing.assert_allclose(errors, wider, rtol=0.02)
    # Of these 200 segments, and no others, nothing is left unknown.
    found = board(part, scores=scores, selection=selection_of(chosen, np.full(200, 0.25)))
    np.testing.assert_allclose(found.table["score"], whole.table["score"])
    np.testing.assert_allclose(found.table["standard_error"], 0, atol=1e-9)


def test_useless_and_constant_judges_do_no_harm():
    people, _ = tables()
    people[60:] = np.nan
    alone = board(people)
    constant = board(people, scores=rows(np.full(people.shape, 3.0), "c").to_frame())
    np.testing.assert_allclose(alone.table["score"], constant.table["score"])
    np.testing.assert_allclose(alone.table["standard_error"], constant.table["standard_error"])
    assert constant.automatic["of_segments"].tolist() == [0]
    worse = []
    for seed in range(30):
        noise = np.random.default_rng(seed).normal(size=people.shape)
        helped = board(people, scores=rows(noise, "n").to_frame(), n_resamples=1)
        worse.append(helped.table["standard_error"].mean() / alone.table["standard_error"].mean())
    assert max(worse) < 1.03 and np.mean(worse) < 1.02


@pytest.mark.slow
def test_of_few_segments_noise_does_little_harm():
    """400 samples of 12 segments: the error about the truth is that of people alone, or nearly."""
    target, cluster = np.tile(np.arange(3), 60), np.repeat(np.arange(60), 3)
    errors = []
    for seed in range(400):
        people, metric = tables(60, seed=seed, noise=0)
        noise = np.random.default_rng(seed).normal(size=metric.shape)
        people[12:] = np.nan
        sizes = {"n_targets": 3, "n_clusters": 60}
        halves = [np.repeat(noise.mean(axis=1), 3), (noise - noise.mean(axis=1)[:, None]).ravel()]
        found = [
            assisted_means(target, cluster, people.ravel(), automatic, **sizes).estimates
            for automatic in (None, np.transpose(halves))
        ]
        errors.append(np.array(found) - (90 - 16 - 5 - np.array([0, 0.5, 1.5])))
    alone, helped = np.square(errors).mean(axis=(0, 2))
    assert helped < 1.07 * alone
    part, _ = tables(60)
    part[6:] = np.nan
    few = board(part, scores=rows(noise, "n").to_frame())
    assert few.automatic["of_segments"].tolist() == [0]


def test_win_rates_are_corrected_by_wins():
    """One pair of systems: mean of people's wins less λ (mean of judged less of all wins)."""
    rng = np.random.default_rng(1)
    n, m = 60, 300
    strength = rng.normal(0.3, 1, m)
    person, machine = (strength + rng.logistic(size=m) * s > 0 for s in (0.5, 0.7))
    labels = [(s, j, name) for s in range(m) for j in ("gpt", "eve") for name in "AB"]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    won = np.column_stack([machine, person]).ravel()
    y = pd.Series(np.column_stack([2 - won, 1 + won]).ravel().astype(float), index)
    judges = pd.Series(index.get_level_values("ranking"), index)
    kept = (judges == "gpt") | (index.get_level_values("segment") < n)
    given = {"by": "win-rate", "automatic_judges": ["gpt"], "judges": judges[kept]}
    found = leaderboard(pd.DataFrame(index=index)[kept.to_numpy()], y[kept], **given, **FEW)
    v, a, whole = person[:n] * 1.0, machine[:n] * 1.0, machine * 1.0
    own = np.append((v - v.mean()) / n, np.zeros(m - n))
    taken = np.append((a - a.mean()) / n, np.zeros(m - n)) - (whole - whole.mean()) / m
    slope = own @ taken / (taken @ taken)
    theta = v.mean() - slope * (a.mean() - whole.mean())
    assert found.automatic.loc["gpt", "coefficient"] == pytest.approx(slope)
    assert found.table["score"].to_dict() == pytest.approx({"A": theta, "B": 1 - theta})
    error = np.sqrt(((own - slope * taken) ** 2).sum() * n / (n - 2))
    assert found.table["standard_error"].tolist() == pytest.approx([error, error])
    assert found.counts["comparisons"] == n and found.automatic.loc["gpt", "scored"] == m


def test_who_cannot_help_is_said():
    people, metric = tables(10)
    y = -rows(people)
    X, judges = pd.DataFrame(index=y.index), np.array(["eve", "gpt"] * 15, dtype=object)
    given = {"by": "mean", "judges": judges}
    with pytest.raises(CandidateError, match="No judge is named 'bob': there are 'eve', 'gpt'"):
        leaderboard(X, y, automatic_judges=["bob"], **given)
    with pytest.raises(CandidateError, match="All judges are automatic"):
        leaderboard(X, y, automatic_judges=["gpt", "eve"], **given)
    only = np.where(y.index.get_level_values("system") == "C", "gpt", "eve").astype(object)
    with pytest.raises(CandidateError, match="No annotator judged the system 'C'"):
        leaderboard(X, y, by="mean", judges=only, automatic_judges=["gpt"])
    with pytest.raises(CandidateError, match="no score of the system 'C'"):
        leaderboard(X, y, by="mean", scores=rows(metric, "m").to_frame().query("system != 'C'"))
    scores = rows(metric, "gpt").to_frame()
    with pytest.raises(ValueError, match="'gpt' is an automatic judge and a metric"):
        leaderboard(X, y, automatic_judges=["gpt"], scores=scores, **given)


def selection_of(chosen, probability, documents=None):
    table = {"chosen": chosen, "probability": np.asarray(probability, dtype=float)}
    if documents is not None:
        table["document"] = documents
    return pd.DataFrame(table, index=pd.RangeIndex(len(chosen), name="segment"))


def test_a_sample_is_weighted_by_its_probabilities():
    people, _ = tables()
    probability = np.linspace(0.1, 0.9, 200)
    chosen = np.random.default_rng(4).random(200) < probability
    part = np.where(chosen[:, None], people, np.nan)
    found = board(part, selection=selection_of(chosen, probability))
    weights = 1 / probability[chosen]
    means = np.average(people[chosen], axis=0, weights=weights)
    assert found.table["score"][NAMES].tolist() == pytest.approx(means)
    pulls = weights[:, None] * (people[chosen] - means) / weights.sum()
    left = 1 - probability[chosen]
    centred = pulls - np.average(pulls, axis=0, weights=left)
    n = chosen.sum()
    errors = np.sqrt((left[:, None] * centred**2).sum(axis=0) * n / (n - 1))
    assert found.table["standard_error"][NAMES].tolist() == pytest.approx(errors)
    assert found.counts["of_segments"] == 200 and found.counts["not_judged"] == 0
    # The bootstrap knows, too, how much of all is judged.
    widths = (found.table["high"] - found.table["low"]) / (
        found.table["sandwich_high"] - found.table["sandwich_low"]
    )
    assert widths.between(0.6, 1.4).all()
    other = board(part, selection=selection_of(chosen, probability / 2))
    assert other.signature != found.signature


def test_the_bootstrap_of_a_sample_varies_as_much_as_is_not_judged():
    """Brute force: whole rows of 30 of 60 segments are resampled; half of the variance is left."""
    people, n, n_resamples = tables(60)[0], 30, 4000
    chosen = np.arange(60) < n
    part = np.where(chosen[:, None], people, np.nan)
    given = {"selection": selection_of(chosen, np.full(60, n / 60)), "n_resamples": n_resamples}
    found = board(part, **given).table.loc[NAMES]
    rng = np.random.default_rng(9)
    means = np.array([people[rng.integers(n, size=n)].mean(axis=0) for _ in range(n_resamples)])
    centre = people[:n].mean(axis=0)
    off = (means - centre) * np.sqrt((1 - n / 60) * n / (n - 1))
    narrow = found["sandwich_high"] - found["sandwich_low"]
    # How much further than the normal's quantile the bounds reach: of Student's degrees of freedom.
    degrees = stats.t.isf(0.025, np.arange(1, n)) * found["standard_error"].iloc[0] * 2
    degrees = 1 + np.abs(degrees - narrow.iloc[0]).argmin()
    tail = stats.norm.cdf(stats.t.ppf(0.025, degrees) * np.sqrt((degrees + 1) / degrees))
    low, high = centre + np.quantile(off, [tail, 1 - tail], axis=0)
    np.testing.assert_allclose(found["low"], low, atol=0.05 * narrow.max())
    np.testing.assert_allclose(found["high"], high, atol=0.05 * narrow.max())


def test_the_bootstrap_of_a_helped_sample_lies_about_the_scores():
    """Systems far apart, so that what machines say of all is far from 0 for each."""
    people, metric = tables(60)
    people, metric = people - [0, 30, 60], metric - [0, 0.3, 0.6]
    chosen = np.arange(60) < 30
    part = np.where(chosen[:, None], people, np.nan)
    given = {"scores": rows(metric, "m").to_frame(), "n_resamples": 400}
    found = board(part, selection=selection_of(chosen, np.full(60, 0.5)), **given).table
    width, narrow = found["high"] - found["low"], found["sandwich_high"] - found["sandwich_low"]
    assert (width / narrow).between(0.8, 1.25).all()
    assert (((found["low"] + found["high"]) / 2 - found["score"]).abs() < 0.2 * narrow).all()


def test_all_chosen_leave_no_doubt():
    people, metric = tables(30)
    everything = selection_of(np.ones(30, dtype=bool), np.ones(30))
    for given in ({}, {"scores": rows(metric, "m").to_frame()}):
        found = board(people, selection=everything, **given)
        assert found.table["score"][NAMES].tolist() == pytest.approx(people.mean(axis=0))
        assert found.table["standard_error"].to_numpy() == pytest.approx(0, abs=1e-9)
        assert found.table["letters"].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("by", ["mean", "win-rate"])
def test_order_of_a_selection_says_nothing(by):
    people, metric = tables(60)
    documents = np.repeat([f"d{k}" for k in range(20)], 3)
    chosen = np.repeat(np.random.default_rng(1).random(20) < 0.5, 3)
    part = np.where(chosen[:, None], people.round(-1), np.nan)
    given = {"by": by, "scores": rows(metric, "m").to_frame()}
    selection = selection_of(chosen, np.full(60, 0.5), documents)
    found = board(part, selection=selection, **given)
    mixed = selection.sample(frac=1, random_state=0)
    mixed["document"] = mixed["document"].map(lambda name: f"x{7 * int(name[1:]) % 23}")
    given["scores"] = given["scores"].sample(frac=1, random_state=1)
    other = board(part, selection=mixed, **given)
    pd.testing.assert_frame_equal(found.table, other.table, check_exact=True)
    assert "clusters:documents" in found.signature
    single = board(part, selection=selection.drop(columns="document"), **given)
    assert "clusters:segments" in single.signature
    assert not np.allclose(single.table["standard_error"], found.table["standard_error"])


def test_strengths_count_by_probability():
    """A segment of half the probability counts like the same segment twice."""
    people, _ = tables(40)
    chosen = np.ones(40, dtype=bool)
    y = -rows(people)
    X = pd.DataFrame(index=y.index)
    probability = np.where(np.arange(40) < 20, 0.4, 0.8)
    found = leaderboard(X, y, selection=selection_of(chosen, probability), **FEW)
    twice = pd.concat([y, y[y.index.get_level_values("segment") < 20]], keys=[0, 1])
    twice.index = twice.index.set_names(["ranking", "segment", "system"])
    twice = twice.reorder_levels(["segment", "ranking", "system"])
    other = leaderboard(pd.DataFrame(index=twice.index), twice, **FEW)
    np.testing.assert_allclose(found.table["score"], other.table["score"], atol=1e-8)
    np.testing.assert_allclose(
        found.table["standard_error"], other.table["standard_error"], rtol=1e-6
    )
    # What was drawn by documents varies by documents.
    documents = np.repeat([f"d{k}" for k in range(10)], 4)
    drawn = selection_of(chosen, np.full(40, 0.5), documents)
    one = leaderboard(X, y, selection=drawn, **FEW)
    other = leaderboard(X, y, documents=pd.Series(documents, drawn.index), **FEW)
    pd.testing.assert_frame_equal(one.table, other.table)
    assert "clusters:documents" in one.signature


def test_judgements_and_selection_that_do_not_go_together():
    people, metric = tables(30)
    chosen = np.arange(30) < 15
    selection = selection_of(chosen, np.full(30, 0.5))
    part = np.where(chosen[:, None], people, np.nan)
    with pytest.raises(CandidateError, match="did not choose 15 of the 30 segments"):
        board(people, selection=selection)
    with pytest.raises(CandidateError, match="does not know 1 of the 15 segments that were judged"):
        board(part, selection=selection.iloc[1:])
    with pytest.raises(CandidateError, match="does not know 5 of the 30 segments that were scored"):
        board(part, selection=selection.iloc[:25], scores=rows(metric, "m").to_frame())
    for by in ("mean", "win-rate"):
        scores = rows(metric, "m").to_frame().query("segment != 17")
        with pytest.raises(CandidateError, match=r"'m' has no score of 1 of the 30 .* such as 17"):
            board(part, by=by, selection=selection, scores=scores)
    with pytest.raises(CandidateError, match="no probabilities"):
        board(part, selection=selection.assign(probability=np.nan))
    # Chosen segments that are not judged yet: counted, and means are of those that are.
    part[10:] = np.nan
    found = board(part, selection=selection)
    assert found.counts["not_judged"] == 5
    assert found.table["score"][NAMES].tolist() == pytest.approx(people[:10].mean(axis=0))
    errors = np.sqrt(people[:10].var(axis=0, ddof=1) / 10 * (1 - 10 / 30))
    assert found.table["standard_error"][NAMES].tolist() == pytest.approx(errors)


def test_of_strata_judged_in_part_each_counts_by_its_own():
    """Numbers of strata are known, however many of each are judged so far."""
    people, _ = tables(90)
    stratum = np.repeat([1, 2, 3], 30)
    people += 100 * stratum[:, None]
    chosen = np.tile(np.arange(30) < 12, 3)
    selection = selection_of(chosen, np.full(90, 0.4)).assign(stratum=stratum)
    judged = chosen & ~np.isin(np.arange(90), [0, 1, 2, 3, 4, 5, 30, 31, 32, 60])
    found = board(np.where(judged[:, None], people, np.nan), selection=selection)
    parts = [people[judged & (stratum == k)] for k in (1, 2, 3)]
    means = np.mean([part.mean(axis=0) for part in parts], axis=0)
    assert found.table["score"][NAMES].tolist() == pytest.approx(means)
    variances = [part.var(axis=0, ddof=1) / len(part) * (1 - len(part) / 30) for part in parts]
    errors = np.sqrt(np.sum(variances, axis=0)) / 3
    assert found.table["standard_error"][NAMES].tolist() == pytest.approx(errors)
    # With none of a stratum judged, it is chance that they are none, and errors are large.
    judged &= stratum != 1
    found = board(np.where(judged[:, None], people, np.nan), selection=selection)
    assert found.table["score"][NAMES].tolist() == pytest.approx(people[judged].mean(axis=0))
    assert (found.table["standard_error"] > 8).all()


@pytest.mark.parametrize("by", ["mean", "win-rate"])
def test_what_was_sure_to_be_judged_counts_once(by):
    """60 were judged before; of 20 chosen of the 100 others, 5 are judged so far."""
    people, _ = tables(160)
    before = np.arange(160) < 60
    people[before, 2] += 100
    chosen = np.arange(160) < 80
    judged = np.arange(160) < 65
    selection = selection_of(chosen, np.where(before, 1.0, 0.2))
    found = board(np.where(judged[:, None], people, np.nan), by=by, selection=selection)
    values = people
    if by == "win-rate":
        wins = (people[:, :, None] > people[:, None]) + (people[:, :, None] == people[:, None]) / 2
        values = (wins.sum(axis=2) - 0.5) / 2
    means = (60 * values[:60].mean(axis=0) + 100 * values[60:65].mean(axis=0)) / 160
    assert found.table["score"][NAMES].tolist() == pytest.approx(means)


def test_selections_of_other_strata_or_documents_have_other_signatures():
    people, _ = tables(40)
    chosen = np.arange(40) % 2 == 0
    part = np.where(chosen[:, None], people, np.nan)
    plain = selection_of(chosen, np.full(40, 0.5))
    kinds = [
        plain,
        plain.assign(stratum=np.arange(40) // 20),
        plain.assign(stratum=np.arange(40) // 10),
        plain.assign(document=[f"d{k % 20}" for k in range(40)]),
        plain.assign(document=[f"d{k % 10}" for k in range(40)]),
    ]
    marks = {board(part, selection=kind).signature for kind in kinds}
    assert len(marks) == len(kinds)
    mixed = kinds[1].sample(frac=1, random_state=0)
    assert board(part, selection=mixed).signature in marks


@pytest.mark.slow
@pytest.mark.parametrize("by", ["mean", "win-rate"])
@pytest.mark.parametrize("finite", [False, True])
def test_intervals_of_helped_scores_cover_the_truth(by, finite):
    """300 samples of 60 judged of 200 segments, three systems: 95 % with 3 standard errors."""
    rng, covered = np.random.default_rng(0), []
    people, metric = tables(seed=5)
    if by == "mean":
        truth = people.mean(axis=0) if finite else 90 - 16 - 5 - np.array([0, 0.5, 1.5])
    else:
        of_all = people if finite else tables(200_000, seed=77)[0]
        truth = (of_all[:, :, None] > of_all[:, None]).mean(axis=0).sum(axis=1) / 2
    for seed in range(300):
        if not finite:
            people, metric = tables(seed=seed)
        chosen = np.isin(np.arange(200), rng.permutation(200)[:60])
        part = np.where(chosen[:, None], people, np.nan)
        given = {"selection": selection_of(chosen, np.full(200, 0.3))} if finite else {}
        scores = rows(metric, "m").to_frame()
        found = board(part, by=by, scores=scores, n_resamples=100, **given).table.loc[NAMES]
        for low, high in (("low", "high"), ("sandwich_low", "sandwich_high")):
            covered.append((found[low] <= truth) & (truth <= found[high]))
    assert 0.92 <= np.mean(covered) <= 0.98


def test_strengths_mark_automatic_judges_of_a_model():
    people, metric = tables(60)
    both = pd.concat([rows(people), rows(metric)], keys=["anna", "gpt"], names=["ranking"])
    both = both.reorder_levels(["segment", "ranking", "system"])
    judges = both.index.get_level_values("ranking")
    given = {"judges": judges, "judge_model": "discrimination", "automatic_judges": ["gpt"]}
    found = leaderboard(pd.DataFrame(index=both.index), -both, **given, **FEW)
    assert found.judges["automatic"].to_dict() == {"anna": False, "gpt": True}
    given["automatic_judges"] = ["bob"]
    with pytest.raises(CandidateError, match="No judge is named 'bob'"):
        leaderboard(pd.DataFrame(index=both.index), -both, **given, **FEW)
