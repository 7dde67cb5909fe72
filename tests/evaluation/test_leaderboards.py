"""Leaderboards: against choix, by hand, in simulation, and what must not change a bit."""

import choix
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sklearn_mteval.datasets import load_wmt, make_rankings
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import holm, system_clusters
from sklearn_mteval.metrics.paired_comparisons.regression import fit, paired_data

FEW = {"n_resamples": 50}


def battles(rows):
    """From (segment, system, other, 1 / 0 / -1 as the first is better) to X, y."""
    labels, ranks = [], []
    for k, (segment, system, other, outcome) in enumerate(rows):
        labels += [(segment, k, system), (segment, k, other)]
        ranks += [1 + (outcome < 0), 1 + (outcome > 0)]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "ranking", "system"])
    return pd.DataFrame(index=index), pd.Series(ranks, index)


def drawn(seed=0, n=600, n_systems=6, n_segments=80, p_tie=0.2, spread=1.0):
    rng = np.random.default_rng(seed)
    strengths = np.linspace(spread, -spread, n_systems)
    one = rng.integers(n_systems, size=n)
    other = (one + 1 + rng.integers(n_systems - 1, size=n)) % n_systems
    won = rng.random(n) < 1 / (1 + np.exp(strengths[other] - strengths[one]))
    outcome = np.where(rng.random(n) < p_tie, 0, np.where(won, 1, -1))
    segments = rng.integers(n_segments, size=n)
    names = np.array(list("ABCDEFGHIJ"))
    return list(zip(segments, names[one], names[other], outcome, strict=True))


def test_scores_are_those_of_choix():
    rows = drawn(p_tie=0)
    found = leaderboard(*battles(rows), **FEW).table["score"]
    order = "ABCDEF"
    wins = [
        (order.index(a), order.index(b)) if o > 0 else (order.index(b), order.index(a))
        for _, a, b, o in rows
    ]
    theirs = choix.opt_pairwise(6, wins, alpha=0, method="Newton-CG", tol=1e-12)
    assert found[list(order)].to_numpy() == pytest.approx(theirs - theirs.mean(), abs=1e-6)
    # Half a win for each of a tie: everything twice, a tie once each way.
    rows = drawn()
    found = leaderboard(*battles(rows), **FEW).table["score"]
    wins = []
    for _, a, b, o in rows:
        i, j = order.index(a), order.index(b)
        wins += [(i, j), (i, j)] if o > 0 else [(j, i), (j, i)] if o < 0 else [(i, j), (j, i)]
    theirs = choix.ilsr_pairwise(6, wins, alpha=0, tol=1e-12)
    assert found[list(order)].to_numpy() == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_every_column_by_hand():
    # Two systems in four segments: A wins 5 comparisons, loses 2, ties 1; log-odds of 5.5 to 2.5.
    results = {1: [1, 1, -1], 2: [1, 0], 3: [1, 1], 4: [-1]}
    rows = [(segment, "A", "B", o) for segment, outcomes in results.items() for o in outcomes]
    found = leaderboard(*battles(rows), **FEW)
    table, p = found.table, 5.5 / 8
    assert list(table.index) == ["A", "B"] and found.table.index.name == "system"
    score = np.log(5.5 / 2.5) / 2
    assert table["score"].tolist() == pytest.approx([score, -score])
    # The difference d has the information 8 p (1 - p); a segment's score is its sum of y - p, the
    # more the more it draws p to itself.
    sizes = np.array([3, 2, 2, 1])
    of_segments = [sum((o + 1) / 2 - p for o in outcomes) for outcomes in results.values()]
    of_segments *= (1 - 1 / 4) / (1 - sizes / 8)
    degrees = 8**2 / (sizes**2).sum() - 1
    variance = np.square(of_segments).sum() / (8 * p * (1 - p)) ** 2 * 4 / 3
    error = np.sqrt(variance) / 2  # of half the difference
    assert table["standard_error"].tolist() == pytest.approx([error, error])
    reach = stats.t.ppf(0.975, degrees) * error
    assert table["sandwich_low"].tolist() == pytest.approx([score - reach, -score - reach])
    assert table["sandwich_high"].tolist() == pytest.approx([score + reach, -score + reach])
    p_value = 2 * stats.t.sf(2 * score / np.sqrt(variance), degrees)
    assert found.pairs["p_value"].tolist() == pytest.approx([p_value])
    assert p_value > 0.05 and table["letters"].tolist() == ["a", "a"]
    assert table["rank_low"].tolist() == [1, 1] and table["rank_high"].tolist() == [2, 2]
    assert table["win_rate"].tolist() == pytest.approx([p, 1 - p])
    assert table[["wins", "losses", "ties"]].to_numpy().tolist() == [[5, 2, 1], [2, 5, 1]]
    assert table["both_bad"].tolist() == [0, 0] and table["segments"].tolist() == [4, 4]
    assert found.win_rates.loc["A", "B"] == pytest.approx(p)
    assert np.isnan(found.win_rates.loc["A", "A"])
    assert found.comparisons.loc["B", "A"] == 8
    counts = {"comparisons": 8, "ties": 1, "both_bad": 0, "segments": 4, "systems": 2}
    assert found.counts == counts and found.tie_proportion is None


def test_davidsons_model_gives_back_two_systems_proportions():
    rows = [(k, "A", "B", o) for k, o in enumerate([1] * 6 + [0] * 3 + [-1] * 2)]
    found = leaderboard(*battles(rows), ties="model", **FEW)
    assert found.table.loc["A", "score"] == pytest.approx(np.log(3) / 2)
    nu = 3 / np.sqrt(12)
    assert found.tie_proportion == pytest.approx(nu / (2 + nu))
    assert "|" in found.signature and found.signature.startswith("model:davidson|")
    without = leaderboard(*battles(drawn(p_tie=0)), ties="model", **FEW)
    assert without.tie_proportion == 0
    half = leaderboard(*battles(drawn(p_tie=0)), **FEW)
    pd.testing.assert_frame_equal(without.table, half.table)


def test_points_are_log_odds_on_another_scale():
    X, y = battles(drawn())
    odds, points = leaderboard(X, y, **FEW), leaderboard(X, y, scale="elo", **FEW)
    factor = 400 / np.log(10)
    for column in ("score", "low", "high", "sandwich_low", "sandwich_high"):
        expected = 1000 + factor * odds.table[column]
        pd.testing.assert_series_equal(points.table[column], expected)
    assert points.table["standard_error"].to_numpy() == pytest.approx(
        factor * odds.table["standard_error"].to_numpy()
    )
    assert points.table["letters"].equals(odds.table["letters"])


@pytest.mark.parametrize("ties", ["half", "model"])
def test_neither_order_nor_names_change_a_bit(ties):
    X, y = battles(drawn())
    X["x"] = np.random.default_rng(5).normal(size=len(X))
    both_bad = pd.Series(np.repeat(np.random.default_rng(6).random(len(X) // 2) < 0.1, 2), X.index)
    both_bad &= (y == 1) & (y.groupby(level="ranking").transform("max") == 1)
    given = {"ties": ties, "covariates": ["x"], "both_bad": both_bad}
    found = leaderboard(X, y, **given, **FEW)
    assert found.counts["both_bad"] > 0
    rows = np.random.default_rng(7).permutation(len(X))
    systems = dict(zip("ABCDEF", "zyxwvu", strict=True))
    index = pd.MultiIndex.from_tuples(
        [(f"s{9 * s % 83}", -r, systems[n]) for s, r, n in X.index[rows]], names=X.index.names
    )
    other = leaderboard(
        X.iloc[rows].set_axis(index),
        y.iloc[rows].set_axis(index),
        **(given | {"both_bad": both_bad.iloc[rows].set_axis(index)}),
        **FEW,
    )
    renamed = other.table.rename(index={new: old for old, new in systems.items()})
    pd.testing.assert_frame_equal(found.table, renamed, check_exact=True)
    pd.testing.assert_frame_equal(found.effects, other.effects, check_exact=True)


def test_letters_and_ranks_follow_from_the_tests():
    X, y = battles(drawn(n=1500, spread=0.8))
    found = leaderboard(X, y, **FEW)
    n, differ = len(found.table), found.pairs["p_value"].to_numpy() <= 0.05
    letters, better = found.table["letters"].tolist(), np.zeros((n, n), dtype=bool)
    better[np.triu_indices(n, 1)] = differ
    assert 0 < differ.sum() < len(differ)
    for one, other, differs in zip(*np.triu_indices(n, 1), differ, strict=True):
        assert bool(set(letters[one]) & set(letters[other])) != differs
    assert found.table["rank_low"].tolist() == [1 + better[:, k].sum() for k in range(n)]
    assert found.table["rank_high"].tolist() == [n - better[k].sum() for k in range(n)]
    strict = leaderboard(X, y, alpha=1e-12, **FEW)
    assert strict.paired.differ.sum() < 2 * differ.sum()


def test_pairs_are_differences_of_strengths():
    """Two systems: their strengths are each other's negative, so is what they vary by."""
    X, y = battles(drawn(n_systems=2, n=300))
    for scale, factor in (("log-odds", 1.0), ("elo", 400 / np.log(10))):
        found = leaderboard(X, y, scale=scale, **FEW)
        (pair,), table = found.pairs.to_dict("records"), found.table
        assert pair["difference"] == pytest.approx(table["score"].iloc[0] - table["score"].iloc[1])
        width = table["sandwich_high"] - table["sandwich_low"]
        assert pair["high"] - pair["low"] == pytest.approx(width.sum())
        assert (pair["low"] + pair["high"]) / 2 == pytest.approx(pair["difference"])
        assert table["standard_error"].iloc[0] > 0.05 * factor


def test_strengths_that_differ_by_rounding_are_ordered_by_name():
    mirrored = dict(zip("ABCDEF", "BADCFE", strict=True))
    for seed in range(4):
        rows = drawn(seed, n=150)
        rows += [(k + 1000, mirrored[a], mirrored[b], o) for k, a, b, o in rows]
        found = "".join(leaderboard(*battles(rows), n_resamples=1).table.index)
        assert all(pair in found for pair in ("AB", "CD", "EF"))


@pytest.mark.slow
def test_some_of_equal_systems_are_told_apart_in_5_of_100():
    told_apart = 0
    for seed in range(200):
        X, y = battles(drawn(seed, n=200, spread=0.0))
        told_apart += leaderboard(X, y, n_resamples=1).paired.differ.any()
    assert 2 <= told_apart <= 17  # at 5 %, fewer have a chance of 1 in 3,000, more of 1 %


def test_both_bad_is_no_tie():
    rows = drawn()
    X, y = battles(rows)
    tied = np.repeat([o == 0 for *_, o in rows], 2)
    some = tied & (np.arange(len(tied)) // 2 % 2 == 0)
    found = leaderboard(X, y, both_bad=some, **FEW)
    without = leaderboard(X[~some], y[~some], **FEW)
    columns = [name for name in found.table.columns if name != "both_bad"]
    pd.testing.assert_frame_equal(found.table[columns], without.table[columns])
    assert found.table["both_bad"].sum() == 2 * found.counts["both_bad"] == some.sum()
    as_ties = leaderboard(X, y, **FEW)
    assert as_ties.counts["ties"] == found.counts["ties"] + found.counts["both_bad"]
    assert (as_ties.table["score"] != found.table["score"]).any()
    assert found.signature != as_ties.signature


def test_a_covariate_is_controlled_for():
    # Annotators like long translations; C, D, E write longer ones and are no better.
    rng, n = np.random.default_rng(0), 4000
    one = rng.integers(5, size=n)
    other = (one + 1 + rng.integers(4, size=n)) % 5
    lengths = rng.normal(size=(n, 2)) + np.column_stack([one, other]) * 0.5
    lead = 0.8 * (lengths[:, 0] - lengths[:, 1])
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-lead)), 1, -1)
    names = np.array(list("ABCDE"))
    X, y = battles(list(zip(rng.integers(500, size=n), names[one], names[other], outcome,
                            strict=True)))  # fmt: skip
    X["words"] = lengths.ravel()
    plain = leaderboard(X, y, **FEW)
    assert plain.table.index.tolist() == list("EDCBA") and plain.table["letters"].nunique() > 2
    found = leaderboard(X, y, covariates=["words"], **FEW)
    assert set(found.table["letters"]) == {"a"} and found.table["score"].abs().max() < 0.2
    effect = found.effects.loc["words"]
    # On the log-odds of one unit: 0.8.
    assert effect["low"] / effect["deviation"] < 0.8 < effect["high"] / effect["deviation"]
    assert effect["deviation"] == pytest.approx(
        np.sqrt(np.mean((lengths[:, 0] - lengths[:, 1]) ** 2))
    )
    assert effect["effect"] / effect["deviation"] == pytest.approx(0.8, abs=0.12)


def test_length_is_that_of_the_translation():
    X, y = make_rankings(40, 4, random_state=3)
    found = leaderboard(X, y, covariates=["length"], **FEW)
    own = X.assign(own=np.log1p([len(text) for text in X["hypothesis"]]))
    same = leaderboard(own, y, covariates=["own"], **FEW)
    assert found.effects.to_numpy() == pytest.approx(same.effects.to_numpy())
    pd.testing.assert_frame_equal(found.table, same.table)
    # A column of that name is what is meant.
    named = leaderboard(own.rename(columns={"own": "length"}) * 1, y, covariates=["length"], **FEW)
    assert named.effects.to_numpy() == pytest.approx(same.effects.to_numpy())


def test_a_system_that_never_lost():
    # A beats B and C in 12 segments each; B and C take turns.
    rows = [row for k in range(12) for row in [(k, "A", "B", 1), (k, "A", "C", 1),
                                               (k, "B", "C", 1 - 2 * (k % 2))]]  # fmt: skip
    found = leaderboard(*battles(rows), **FEW)
    table = found.table
    assert table["score"].tolist() == [np.inf, 0, 0]
    p = 0.025 ** (1 / 12)  # a segment's two comparisons count as one
    for low, high in (("low", "high"), ("sandwich_low", "sandwich_high")):
        assert table.loc["A", low] == pytest.approx(np.log(p / (1 - p)))
        assert table.loc["A", high] == np.inf
        assert np.isfinite(table.loc[["B", "C"], [low, high]]).all(axis=None)
    assert np.isnan(table.loc["A", "standard_error"])
    assert table["letters"].tolist() == ["a", "b", "b"]
    # Twice 2^-12, with Holm's factors; B and C are one pair of equals.
    p_values = [2 * 0.5**12, 2 * 0.5**12, 1.0]
    assert found.pairs["p_value"].tolist() == pytest.approx(holm(p_values))
    # Upside down, it never won.
    down = leaderboard(*battles([(k, a, b, -o) for k, a, b, o in rows]), **FEW).table
    assert down["score"].tolist() == [0, 0, -np.inf] and down.index[-1] == "A"
    assert down.loc["A", "high"] == pytest.approx(-table.loc["A", "low"])
    assert down.loc["A", "low"] == -np.inf


def test_few_wins_are_no_proof():
    rows = [(k, "B", "C", 1 - 2 * (k % 2)) for k in range(20)]
    rows += [(100, "A", "B", 1), (101, "A", "C", 1)]
    found = leaderboard(*battles(rows), **FEW).table
    assert found.loc["A", "score"] == np.inf and found["letters"].tolist() == ["a", "a", "a"]
    assert found.loc["A", ["rank_low", "rank_high"]].tolist() == [1, 3]


def test_a_chain_of_wins():
    rows = [(k, a, b, 1) for k in range(9) for a, b in ("AB", "BC")]
    found = leaderboard(*battles(rows), **FEW)
    assert found.table.index.tolist() == ["A", "B", "C"]
    scores = found.table["score"].to_numpy()
    assert scores[0] == np.inf and np.isnan(scores[1]) and scores[2] == -np.inf
    assert found.table[["low", "high", "standard_error"]].isna().all(axis=None)
    # A and C never met: only neighbours are tested, by 9 comparisons.
    expected = holm([2 * 0.5**9, 1.0, 2 * 0.5**9])
    assert found.pairs["p_value"].tolist() == pytest.approx(expected)


def pseudo_true(strengths, deviation, ties, nu):
    """Strengths that fit best where translations deviate from their systems, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    one, other = np.triu_indices(len(strengths), 1)
    d = (strengths[one] - strengths[other])[:, None] + np.sqrt(2) * deviation * nodes
    up, down = np.exp(d / 2), np.exp(-d / 2)
    won, tied = (part / (up + down + nu) @ weights / weights.sum() for part in (up, nu + 0 * d))
    counts = np.column_stack([np.ones(len(one)), won + tied / 2, tied])
    data = paired_data(
        np.arange(len(one)), one, other, np.ones(len(one)), np.zeros((len(one), 0)),
        n_systems=len(strengths), ties=ties,
    )  # fmt: skip
    return fit(data, counts).values[: len(strengths)]


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["half", "model"])
def test_both_intervals_cover_in_93_to_97_of_100(ties):
    # 60 prompts, 8 battles each, translations of a prompt deviating from their systems.
    rng, n, strengths, nu = np.random.default_rng(0), 5, np.linspace(1, -1, 5), 0.8
    truth = pseudo_true(strengths, 1.0, ties == "model", nu)
    covered = []
    for _ in range(200):
        segment = np.repeat(np.arange(60), 8)
        one = rng.integers(n, size=480)
        other = (one + 1 + rng.integers(n - 1, size=480)) % n
        of_texts = strengths + rng.normal(size=(60, n))
        d = of_texts[segment, one] - of_texts[segment, other]
        up, down, u = np.exp(d / 2), np.exp(-d / 2), rng.random(480)
        total = up + down + nu
        outcome = np.where(u < up / total, 1, np.where(u < (up + nu) / total, 0, -1))
        names = np.array(list("ABCDE"))
        rows = list(zip(segment, names[one], names[other], outcome, strict=True))
        table = leaderboard(*battles(rows), ties=ties, n_resamples=400).table.sort_index()
        for low, high in (("low", "high"), ("sandwich_low", "sandwich_high")):
            covered.append((table[low] <= truth) & (truth <= table[high]))
    covered = np.array(covered).reshape(200, 2, n).mean(axis=(0, 2))
    assert ((covered >= 0.93) & (covered <= 0.97)).all(), covered


def test_wmt15(data_dir):
    X, y = load_wmt(data_dir / "wmt15", "de-en", return_X_y=True)
    found = leaderboard(X, y, n_resamples=200)
    official = system_clusters(X, y)
    # The campaign's order, but for systems that it puts into one cluster.
    clusters = official.loc[found.table.index, "cluster"]
    assert clusters.is_monotonic_increasing and clusters.iloc[-1] == 4
    assert found.table["letters"].iloc[0] == "a" and found.paired.differ[0, 1:].all()
    assert found.table.index[0] == official.index[0]
    width = found.table["high"] - found.table["low"]
    other = found.table["sandwich_high"] - found.table["sandwich_low"]
    assert (width / other).between(0.85, 1.15).all()


BAD = [
    ({"ties": "drop"}, ValueError, r"ties .*\['half', 'model'\]"),
    ({"scale": "glicko"}, ValueError, r"scale .*found "),
    ({"confidence": 1.0}, ValueError, "confidence"),
    ({"alpha": 0.7}, ValueError, "alpha"),
    ({"n_resamples": 0}, ValueError, "n_resamples"),
    ({"random_state": None}, ValueError, "random_state"),
    ({"covariates": "x"}, ValueError, "found the string 'x'"),
    ({"covariates": ["x", "x"]}, ValueError, "'x' twice"),
    ({"covariates": ["nothing"]}, CandidateError, "column 'nothing', found 0"),
    ({"covariates": ["length"]}, CandidateError, "column 'hypothesis', found 0"),
    ({"covariates": ["text"]}, CandidateError, "Covariate 'text' must be numbers"),
    ({"covariates": ["gap"]}, CandidateError, "finite numbers, found nan in row 3"),
    ({"covariates": ["flat"]}, CandidateError, "'flat' never differs"),
    ({"covariates": ["of_system"]}, CandidateError, "the same for all translations of a system"),
    ({"covariates": ["x", "twice_x"]}, CandidateError, "made of others"),
    ({"covariates": ["rank"]}, CandidateError, "decides every comparison"),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD)
def test_bad_options(given, error, message):
    X, y = battles(drawn(p_tie=0))
    x = np.random.default_rng(0).normal(size=len(X))
    gap = np.where(np.arange(len(X)) == 3, np.nan, x)
    X = X.assign(x=x, twice_x=2 * x, text="1", gap=gap, flat=1.0, rank=y)
    X["of_system"] = [float(ord(name)) for name in X.index.get_level_values("system")]
    with pytest.raises(error, match=message):
        leaderboard(X, y, **(FEW | given))


SEPARATED = [
    [(k, "A", "B", 0) for k in range(6)] + [(7, "A", "B", 1)],
    [(k, "A", "B", 0) for k in range(6)] + [(k, "B", "C", 1) for k in range(6)],  # the core ties
]


@pytest.mark.parametrize("rows", SEPARATED)
def test_separated_ties_blame_no_covariates(rows):
    with pytest.raises(CandidateError, match=r"ties='model'.*Take ties='half'") as error:
        leaderboard(*battles(rows), ties="model", **FEW)
    assert "covariate" not in str(error.value)
    assert len(leaderboard(*battles(rows), **FEW).table) == len(
        {name for row in rows for name in row[1:3]}
    )


def test_bad_tables():
    X, y = battles([(1, "A", "B", 1), (1, "A", "B", -1)])
    with pytest.raises(CandidateError, match="two are needed"):
        leaderboard(X, y)
    X, y = battles([(1, "A", "B", 0), (2, "A", "B", 0)])
    with pytest.raises(CandidateError, match="No comparison is decided"):
        leaderboard(X, y)
    X, y = battles([(k, "A", "B", 1 - 2 * (k % 2)) for k in range(8)] + [(9, "C", "A", 1)])
    X["x"] = np.arange(len(X)) ** 2.0
    with pytest.raises(CandidateError, match="'C' and the rest do not"):
        leaderboard(X, y, covariates=["x"])
    with pytest.raises(CandidateError, match="aligned"):
        leaderboard(X, y[::-1])


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 999), n_systems=st.integers(2, 5), p_tie=st.sampled_from([0, 0.3]))
def test_counts_by_loops_bounds_and_mirrored_judgements(seed, n_systems, p_tie):
    rows = drawn(seed, n=200, n_systems=n_systems, n_segments=30, p_tie=p_tie, spread=0.5)
    board = leaderboard(*battles(rows), **FEW)
    table = board.table
    for system in table.index:
        signs = [o if system == a else -o for _, a, b, o in rows if system in (a, b)]
        counts = [signs.count(sign) for sign in (1, -1, 0)]
        assert table.loc[system, ["wins", "losses", "ties"]].tolist() == counts
        assert table.loc[system, "win_rate"] == (counts[0] + counts[2] / 2) / len(signs)
    assert table["score"].is_monotonic_decreasing
    assert table["score"].mean() == pytest.approx(0, abs=1e-9)
    assert (table["sandwich_low"] <= table["score"]).all()
    assert (table["score"] <= table["sandwich_high"]).all()
    places = np.arange(1, n_systems + 1)
    assert (table["rank_low"] <= places).all() and (places <= table["rank_high"]).all()
    # Who wins when all judgements are turned round: strengths change their signs.
    turned = leaderboard(*battles([(s, a, b, -o) for s, a, b, o in rows]), **FEW).table
    assert turned["score"][table.index].to_numpy() == pytest.approx(-table["score"], abs=1e-8)
