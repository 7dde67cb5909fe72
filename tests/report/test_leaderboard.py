"""Reports of leaderboards: read by eye once, and read back."""

import io
import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.report import html_report, report_text
from sklearn_mteval.report.formats import formats_of


def table(n_systems=3, n_segments=12):
    """A beats all others, which take turns."""
    names = ["A_1", *(f"B&{k}" for k in range(1, n_systems))]
    index = pd.MultiIndex.from_product([range(n_segments), names], names=["segment", "system"])
    ranks = [
        [1, *(2 + (k + shift) % (n_systems - 1) for k in range(n_systems - 1))]
        for shift in range(n_segments)
    ]
    return pd.DataFrame(index=index), pd.Series(np.ravel(ranks), index)


@pytest.fixture
def found():
    return leaderboard(*table(), scale="elo")


TEXT = """A_1 is better than B&1 (p = .0015; 2 of 3 pairs differ).

Bradley-Terry scores (elo) with 95 % intervals, higher is better

system  score     bootstrap      sandwich  letters  ranks  win rate  wins  losses  ties
------  -----  ------------  ------------  -------  -----  --------  ----  ------  ----
A_1         ∞  [1178,    ∞]  [1178,    ∞]  a          1-1     100.0    24       0     0
B&1      1000  [ 860, 1140]  [ 885, 1115]  b          2-3      25.0     6      18     0
B&2      1000  [ 860, 1140]  [ 885, 1115]  b          2-3      25.0     6      18     0

Differences of two systems, with the interval of each by itself and Holm's p

system  other  difference     interval      p  more segments
------  -----  ----------  -----------  -----  -------------
A_1     B&1             ∞  [   –,   –]  .0015
A_1     B&2             ∞  [   –,   –]  .0015
B&1     B&2             0  [-231, 231]      1        > 1,200

Win rates x 100 of the row's system against the column's, a tie half a win

place  system    1      2      3
-----  ------  ---  -----  -----
    1  A_1          100.0  100.0
    2  B&1     0.0          50.0
    3  B&2     0.0   50.0

The score says how often a system is preferred, as odds, and not by how much; by mean, systems
  may rank otherwise.
Intervals are by resampled segments (bootstrap), and by a covariance clustered by segment
  (sandwich). Which document a segment is of is not known; if several are of one, intervals are
  too narrow (name documents with --documents).
Systems that share a letter are not told apart; ranks are what the tests of all pairs leave (p
  <= 0.05, Holm's correction).
With so many more segments two systems are told apart with a chance of 80 %, if the true
  difference is the one that was found, and segments vary and are judged as these. The
  difference is uncertain, and so is the number.
∞ stands for a system that won, or lost, all against the rest, and – for one with nothing to
  compare with.

model:bradley-terry|scale:elo|"""


def test_text(found):
    assert report_text(found).startswith(TEXT)


def test_tsv_reads_back(found):
    read = pd.read_csv(io.StringIO(report_text(found, "tsv")), sep="\t", index_col=0)
    assert read.pop("signature").unique().tolist() == [found.signature]
    rates = read[[f"win_rate_against_{name}" for name in found.table.index]]
    np.testing.assert_array_equal(rates, found.win_rates)
    p_values = read[[f"p_value_against_{name}" for name in found.table.index]]
    np.testing.assert_array_equal(p_values, found.paired.p_values)
    assert read["difference_against_B&1"].tolist()[::2] == [np.inf, 0]
    pd.testing.assert_frame_equal(read[found.table.columns], found.table, check_exact=True)


def test_json_holds_all(found):
    read = json.loads(report_text(found, "json"))
    assert read["systems"][0]["score"] == "inf" and read["systems"][0]["standard_error"] is None
    assert read["systems"][1]["low"] == found.table["low"].iloc[1]
    assert read["systems"][1]["win_rates"] == {"A_1": 0, "B&2": 0.5}
    assert read["pairs"][0]["low"] is None
    assert read["pairs"][0]["more_segments"] is None and read["pairs"][2] == {
        **found.pairs.iloc[2].to_dict(), "more_segments": "inf"
    }  # fmt: skip
    assert read["comparisons"] == 36 and read["signature"] == found.signature
    assert read["options"]["scale"] == "elo" and read["covariates"] == []
    assert read["tie_proportion"] is None


def test_latex_and_markdown(found):
    latex = report_text(found, "latex")
    assert r"\begin{tabular}{lrrrlrrrrr}" in latex
    assert r"A\_1 & $\infty$ & [1178, $\infty$] & [1178, $\infty$] & a & 1-1 &" in latex
    assert "% A_1 is better than B&1" in latex
    markdown = report_text(found, "markdown")
    assert "| --- | ---: | ---: |" in markdown and "| B&1 | 1000 | [ 860, 1140] |" in markdown
    assert markdown.startswith("A_1 is better than B&1")


def test_minus_infinity_in_latex():
    X, y = table()
    assert r"& $-\infty$ & [ $-\infty$, 822]" in report_text(
        leaderboard(X, -y, scale="elo"), "latex"
    )


@pytest.fixture
def campaign():
    """A beats B in 22 of 36 segments; Ann took half an hour and looked, Bob neither."""
    index = pd.MultiIndex.from_product([range(36), ["A", "B"]], names=["segment", "system"])
    y = pd.Series(np.ravel([[-80, -70.5] if k < 22 else [-60, -70.5] for k in range(36)]), index)
    annotators = pd.DataFrame(
        {
            "judgements": [70, 10], "minutes": [30.0, np.nan], "asked": [3.0, np.nan],
            "passed": [2.0, np.nan], "pairs_with_others": [4.0, 4.0],
            "agreement_with_others": [0.75, 0.75], "scores_with_others": [8.0, 8.0],
            "correlation": [0.5, 0.5], "difference": [-3.25, 3.25],
        },
        index=pd.Index(["ann", "bob"], name="judge"),
    )  # fmt: skip
    return replace(leaderboard(pd.DataFrame(index=index), y, by="mean"), annotators=annotators)


def test_what_annotators_did_and_what_more_would_cost(campaign):
    """By hand: differences are 9.5 (22 times) and -10.5, of mean 1.722 and variance 97.8."""
    needed = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2 * 97.7778 / 1.72222**2
    more = math.ceil(needed + stats.norm.isf(0.025) ** 2 / 2 - 36)
    assert campaign.pairs["more_segments"].tolist() == [more]
    text = " ".join(report_text(campaign).split())
    assert "ann 70 30.0 25.7 2 of 3 75.0 (4) 0.50 (8) -3.2 (8)" in text
    assert "bob 10 – – – 75.0 (4) 0.50 (8) +3.2 (8)" in text
    minutes = f"{more * 30 / 36:,.0f}"
    assert (
        f"To tell A from B, about {more} more segments would have to be judged ({minutes} " in text
    )
    assert "Annotators took 30.0 minutes for 80 judgements" in text
    page = html_report(campaign)
    assert "2 of 3" in page and f"({minutes} minutes)" in page
    read = json.loads(report_text(campaign, "json"))
    assert read["annotators"][0]["minutes"] == 30 and read["annotators"][1]["passed"] is None
    assert read["pairs"][0]["more_segments"] == more
    tsv = pd.read_csv(io.StringIO(report_text(campaign, "tsv")), sep="\t", index_col=0)
    assert tsv["more_segments_against_B"].iloc[0] == more
    alike = leaderboard(campaign_of_equals(), campaign_of_equals()["y"], by="mean")
    said = " ".join(report_text(alike).split())
    assert "A and B are so nearly alike that no number of judgements is worth" in said


def campaign_of_equals():
    """Two systems whose differences have a mean of 0."""
    index = pd.MultiIndex.from_product([range(8), ["A", "B"]], names=["segment", "system"])
    return pd.DataFrame({"y": [-1.5, -2.5, -2.5, -1.5] * 4}, index)


@pytest.mark.parametrize("form", formats_of("report"))
def test_covariates_ties_and_both_bad(form):
    rng = np.random.default_rng(0)
    rows = [(k, s) for k in range(60) for s in rng.choice(list("ABC"), 2, replace=False)]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    X = pd.DataFrame({"x": rng.normal(size=120)}, index)
    y = pd.Series(rng.integers(1, 3, 120), index)
    bad = np.repeat(np.arange(60) < 2, 2)
    y[bad] = 1
    found = leaderboard(X, y, both_bad=bad, covariates=["x"], ties="model")
    written = report_text(found, form)
    assert found.signature in written.replace(r"\_", "_")
    if form == "text":
        assert "Davidson scores" in written and "\nx  " in written and "both bad" in written
        assert f"tie in {100 * found.tie_proportion:.1f} %" in written
        assert "alike in: x." in written
    if form == "json":
        read = json.loads(written)
        assert read["covariates"][0]["effect"] == found.effects["effect"].iloc[0]
        assert read["both_bad"] == 2


def test_win_rates_of_many_systems_are_for_programs():
    found = leaderboard(*table(21, 40), n_resamples=5)
    assert "Win rates" not in report_text(found)
    assert "win rates of more than 20 systems: see TSV or JSON." in report_text(found)
    assert "win_rate_against_B&20" in report_text(found, "tsv")


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
def test_judges_and_who_answers_the_wrong_way_round(form):
    index = pd.MultiIndex.from_product(
        [range(80), ["just", "wrong"], ["A", "B"]], names=["segment", "ranking", "system"]
    )
    rng = np.random.default_rng(0)
    judges = index.get_level_values("ranking")
    best = (index.get_level_values("system") == "A") == (judges == "just")
    y = np.where(best, 1.0, 2.0) + rng.choice([0.0, 1.5], size=len(index))
    X = pd.DataFrame({"tone": rng.normal(size=len(index))}, index=index)
    options = {"judges": judges, "judge_weights": {"just": 2}, "n_resamples": 20}
    model = {"judge_model": "discrimination", "covariates": ["tone"]}
    text = report_text(leaderboard(X, y, **options, **model), form)
    assert "interval of tone" in text and "answer the wrong way round: wrong." in text
    plain = report_text(leaderboard(X, y, **options), form)
    assert "Judges" in plain and "discrimination" not in plain.replace("judge_model", "")


def scored(n_segments=30):
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([range(n_segments), list("AB")], names=["segment", "system"])
    y = -rng.normal(70, 10, len(index)).round(1) - 3.0 * (index.get_level_values(1) == "B")
    return pd.DataFrame(index=index), y


def test_means_and_win_rates_say_which_question_they_answer():
    X, y = scored()
    found = leaderboard(X, y, by="mean")
    text = report_text(found).replace("\n  ", " ")
    assert "\n\nMean scores with 95 % intervals, higher is better\n" in text and " mean " in text
    assert text.startswith("B is better than A by ")
    assert "The mean says how good a system's translations are" in text
    assert "on which proportion of segments its mean is higher" in text
    assert f"{found.table['score'].iloc[0]:.1f}" in text  # to the second digit of the least error
    part = leaderboard(X.iloc[1:], y[1:], by="mean")
    adjusted = report_text(part).replace("\n  ", " ")
    assert "judged on different segments: means are of all 30, adjusted for which" in adjusted
    rates = leaderboard(X, y, by="win-rate")
    text = report_text(rates).replace("\n  ", " ")
    assert "\n\nWin rates x 100" in text and "is the proportion of its comparisons" in text
    assert f"{100 * rates.table['score'].iloc[0]:.1f}" in text


@pytest.mark.parametrize("form", formats_of("report"))
def test_automatic_judges_and_samples(form):
    X, y = scored()
    scores = pd.DataFrame({"m_1": -y / 100}, X.index)
    kept = X.index.get_level_values("segment") < 12
    selection = pd.DataFrame({"chosen": np.arange(30) < 14, "probability": np.full(30, 0.5)})
    given = {"by": "mean", "scores": scores, "selection": selection.rename_axis("segment")}
    found = leaderboard(X[kept], y[kept], **given)
    written = report_text(found, form)
    assert found.signature in written.replace(r"\_", "_")
    if form == "text":
        text = written.replace("\n  ", " ")
        assert "what judgements of all 30 segments of the test set would say; 12 are" in text
        assert "2 chosen segments are not judged" in text
        assert f"24 translations that they judged are worth {found.counts['worth']} with" in text
        assert "of differences" in text
    if form == "json":
        read = json.loads(written)
        assert read["automatic"][0]["name"] == "m_1" and read["not_judged"] == 2
        coefficient = found.automatic["of_segments"].iloc[0]
        assert read["automatic"][0]["of_segments"] == coefficient
