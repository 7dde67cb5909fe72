"""Leaderboards that know who judged: by simulation, against plain ones, and with bad input."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import CandidateError

NAMES = np.array(["u", "v", "w", "x"])
JUDGES = np.array(["good", "fair", "chance", "wrong"])
OF_JUDGES = np.array([1.5, 1.0, 0.0, -1.0])


def battles(n=4000, seed=0, n_segments=800, position=0.0):
    """Draw battles: X with who was shown first, ranks, judges."""
    rng = np.random.default_rng(seed)
    one = rng.integers(4, size=n)
    other = (one + rng.integers(1, 4, size=n)) % 4
    judge = rng.choice(4, size=n, p=[0.4, 0.4, 0.1, 0.1])
    strengths = np.array([1.0, 0.3, -0.3, -1.0])
    odds = OF_JUDGES[judge] * (strengths[one] - strengths[other]) + position * (judge == 1)
    won = rng.random(n) < 1 / (1 + np.exp(-odds))
    y = np.column_stack([np.where(won, 1, 2), np.where(won, 2, 1)]).ravel()
    levels = [
        np.repeat(rng.integers(n_segments, size=n), 2),
        np.repeat(np.arange(n), 2),
        NAMES[np.column_stack([one, other])].ravel(),
    ]
    index = pd.MultiIndex.from_arrays(levels, names=["segment", "ranking", "system"])
    X = pd.DataFrame({"position": np.tile([1.0, 0.0], n)}, index=index)
    return X, pd.Series(y, index=index), pd.Series(np.repeat(JUDGES[judge], 2), index=index)


def test_it_finds_who_discriminates_and_who_answers_the_wrong_way_round():
    X, y, judges = battles(position=0.7)
    options = {"judges": judges, "judge_model": "discrimination", "n_resamples": 50}
    found = leaderboard(X, y, covariates=["position"], **options)
    assert list(found.table.index) == ["u", "v", "w", "x"]
    assert list(found.judges.index) == list(JUDGES)
    of_judges = found.judges
    assert np.exp(np.log(of_judges["discrimination"].iloc[:2]).mean()) == pytest.approx(1, abs=0.01)
    truth = OF_JUDGES / np.sqrt(1.5)
    assert ((of_judges["low"] < truth) & (truth < of_judges["high"])).all()
    assert of_judges.loc["wrong", "high"] < 0 < of_judges.loc["fair", "low"]
    # A difference of positions is 1 or -1, so its deviation is 1.
    fair = of_judges.loc["fair"]
    assert fair["bias_position_low"] < 0.7 < fair["bias_position_high"]
    assert of_judges.loc["good", "bias_position"] == pytest.approx(0, abs=0.2)
    assert of_judges["comparisons"].sum() == 4000 and (of_judges["weight"] == 1).all()
    assert found.counts["judges"] == 4 and "|judge_model:discrimination|" in found.signature
    plain = leaderboard(X, y, n_resamples=50)
    spread = [table["score"].max() - table["score"].min() for table in (found.table, plain.table)]
    assert spread[0] > 1.3 * spread[1]  # chance and contrariness no longer water it down


def test_neither_order_nor_names_change_a_bit():
    X, y, judges = battles(600)
    options = {"judge_model": "discrimination", "n_resamples": 30}
    found = leaderboard(X, y, judges=judges, **options)
    rows = np.random.default_rng(1).permutation(len(X))
    again = leaderboard(X.iloc[rows], y.iloc[rows], judges=judges.iloc[rows], **options)
    pd.testing.assert_frame_equal(again.table, found.table, check_exact=True)
    pd.testing.assert_frame_equal(again.judges, found.judges, check_exact=True)
    assert again.signature == found.signature
    other = judges.map({"good": "z", "fair": "y", "chance": "x", "wrong": "w"})
    renamed = leaderboard(X, y, judges=other, **options)
    pd.testing.assert_frame_equal(renamed.table, found.table, check_exact=True)


def test_one_judge_is_a_leaderboard_without_judges():
    X, y, _ = battles(1500)
    plain = leaderboard(X, y, n_resamples=50)
    found = leaderboard(X, y, judges=["a"] * 3000, judge_model="discrimination", n_resamples=50)
    columns = ["score", "sandwich_low", "sandwich_high"]
    assert found.table[columns].to_numpy() == pytest.approx(
        plain.table[columns].to_numpy(), abs=1e-4
    )
    assert found.judges["discrimination"].tolist() == pytest.approx([1])


@pytest.mark.parametrize("judge_model", ["alike", "discrimination"])
@pytest.mark.parametrize("covariates", [(), ("position",)])
def test_a_weight_of_two_is_what_two_copies_are(judge_model, covariates):
    X, y, judges = battles(500, n_segments=60)
    chosen = (judges == "good").to_numpy()
    copies = X[chosen].index.set_levels(1000 + X.index.levels[1], level="ranking")
    twice = (
        pd.concat([X, X[chosen].set_axis(copies)]),
        pd.concat([y, y[chosen].set_axis(copies)]),
    )
    of_both = pd.concat([judges, judges[chosen].set_axis(copies)])
    options = {"judge_model": judge_model, "covariates": covariates, "n_resamples": 20}
    found = leaderboard(X, y, judges=judges, judge_weights={"good": 2}, **options)
    copied = leaderboard(*twice, judges=of_both, judge_weights={"good": 1}, **options)
    columns = ["score", "standard_error", "sandwich_low", "sandwich_high"]
    columns = columns if not covariates else columns[:1]  # deviations of covariates differ
    values = copied.table[columns].to_numpy()
    assert found.table[columns].to_numpy() == pytest.approx(
        values, rel=1e-9, abs=0.02 * bool(covariates)
    )
    assert found.judges["weight"].to_dict() == {"good": 2, "fair": 1, "chance": 1, "wrong": 1}


def test_equal_weights_say_nothing():
    X, y, judges = battles(500)
    plain = leaderboard(X, y, n_resamples=20)
    weights = dict.fromkeys(JUDGES, 0.25)
    found = leaderboard(X, y, judges=judges, judge_weights=weights, n_resamples=20)
    columns = ["score", "sandwich_low", "sandwich_high", "rank_low"]
    assert found.table[columns].to_numpy() == pytest.approx(plain.table[columns].to_numpy())
    assert list(found.judges.columns) == ["comparisons", "weight"]


def test_a_system_that_never_lost_is_infinite_and_judges_of_others_only_are_undefined():
    X, y, judges = battles(500)
    best = np.repeat((X.index.get_level_values("system") == "u").reshape(-1, 2).any(axis=1), 2)
    is_best = X.index.get_level_values("system") == "u"
    y = y.where(~best, np.where(is_best, 1, 2))
    judges = judges.where(best | (judges != "wrong"), "good")
    found = leaderboard(X, y, judges=judges, judge_model="discrimination", n_resamples=20)
    assert found.table.loc["u", "score"] == np.inf and np.isfinite(found.table["score"][1:]).all()
    assert np.isnan(found.judges.loc["wrong", "discrimination"])
    assert found.judges.index[-1] == "wrong"


def test_bad_input():
    X, y, judges = battles(50)
    with pytest.raises(ValueError, match="judge_model needs judges"):
        leaderboard(X, y, judge_model="discrimination")
    with pytest.raises(ValueError, match="judge_weights needs judges"):
        leaderboard(X, y, judge_weights={"good": 2})
    with pytest.raises(ValueError, match=r"nothing reads them.*take by='win-rate'"):
        leaderboard(X, y, judges=judges)
    with pytest.raises(ValueError, match="ties must be 'half'"):
        leaderboard(X, y, judges=judges, judge_model="discrimination", ties="model")
    with pytest.raises(ValueError, match=r"judge_weights\['good'\]"):
        leaderboard(X, y, judges=judges, judge_weights={"good": 0})
    with pytest.raises(ValueError, match="names 'best', who judged no comparison"):
        leaderboard(X, y, judges=judges, judge_weights={"best": 2})
    with pytest.raises(ValueError, match="must map"):
        leaderboard(X, y, judges=judges, judge_weights=[1])
    given = {"judge_model": "discrimination"}
    with pytest.raises(CandidateError, match="found '' in row 3"):
        leaderboard(X, y, judges=[*judges[:3], "", *judges[4:]], **given)
    with pytest.raises(CandidateError, match="found nan in row 0"):
        leaderboard(X, y, judges=[np.nan, *judges[1:]], **given)
    with pytest.raises(CandidateError, match="each of the 100 rows"):
        leaderboard(X, y, judges=judges.to_numpy()[:5], **given)
    with pytest.raises(CandidateError, match="different indices"):
        leaderboard(X, y, judges=judges[::-1], **given)
    with pytest.raises(CandidateError, match="two judges judged them"):
        leaderboard(X, y, judges=["good", "fair"] * 50, **given)
