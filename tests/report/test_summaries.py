"""Summaries in words, of small tables whose sentences were written by hand."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.evaluation import compare_metrics, evaluate_metrics, leaderboard, metrics_task
from sklearn_mteval.evaluation.challenges import Challenge
from sklearn_mteval.models.system_sums import SystemSums
from sklearn_mteval.models.training_result import NEW, TrainingResult, recommended_of
from sklearn_mteval.report.results import RESULTS
from sklearn_mteval.report.summaries.agreement import (
    warnings_of_comparison,
    warnings_of_evaluation,
)
from sklearn_mteval.report.summaries.decisions import (
    summary_of_decisions,
    summary_of_marked_errors,
    warnings_of_decisions,
    warnings_of_marked_errors,
)
from sklearn_mteval.report.summaries.models import summary_of_challenge, warnings_of_challenge
from sklearn_mteval.report.summaries.phrases import (
    behind,
    counted,
    few_segments,
    listed,
    name_of,
)
from sklearn_mteval.report.summaries.systems import (
    summary_of_systems,
    warnings_of_leaderboard,
    warnings_of_systems,
)

NO_RESAMPLING = {"n_resamples": 20, "n_permutations": 99}
MARKUP = ["<script>alert(1)</script>", "a\nb", "\u202emirrored", "x" * 100_000]


def summary_of(found):
    return RESULTS[type(found)].summary(found)


def warnings_of(found):
    return RESULTS[type(found)].warnings(found)


def rows_of(n_segments, systems):
    return pd.MultiIndex.from_product(
        [range(n_segments), list(systems)], names=["segment", "system"]
    )


@pytest.fixture(scope="module")
def judged():
    """Forty segments of three systems: "good" orders them as annotators do, "bad" does not."""
    rows = rows_of(40, "ABC")
    scores = {"good": [9, 7, 4] * 40, "same": [9, 7, 4] * 40, "bad": [1, 2, 0] * 40}
    return pd.Series([0, 1, 5] * 40, index=rows), pd.DataFrame(scores, index=rows)


def test_every_result_with_a_summary_has_a_report():
    assert all(callable(part) for result in RESULTS.values() for part in result[1:])


def test_lists():
    assert listed(["A"]) == "A"
    assert listed(["A", "B"]) == "A and B"
    assert listed(["A", "B", "C"]) == "A, B and C"
    assert listed(range(6)) == "0, 1, 2, 3, 4 and 5"
    assert listed(range(1234)) == "0, 1, 2, 3, 4 and 1,229 others"


def test_numbers_with_their_nouns():
    assert counted(1, "segment") == "1 segment"
    assert counted(3003, "segment") == "3,003 segments"


def test_names_are_one_short_printable_line():
    for name in map(name_of, MARKUP):
        assert name.isprintable()
        assert len(name) <= 80
    assert name_of(MARKUP[0]) == MARKUP[0]  # who writes HTML escapes it


def test_few_segments():
    assert few_segments(20) == []
    assert few_segments(1)[0].startswith("There is only 1 segment: ")
    assert "There are only 19 segments: " in few_segments(19)[0]


@pytest.mark.parametrize(
    ("p_values", "sentences"),
    [
        ([0.01], ["A is significantly better than B (t)."]),
        ([0.06], ["A cannot be told apart from B (t)."]),
        ([np.nan], ["A cannot be told apart from B (t)."]),
        ([0.05, 0.01], ["A is significantly better than both others (t)."]),
        ([0.5, 0.01], ["A is significantly better than C (t); it cannot be told apart from B."]),
        ([0.01] * 3, ["A is significantly better than all 3 others (t)."]),
        ([0.5] * 7, ["A cannot be told apart from any of the 7 others (t)."]),
        ([], []),
    ],
)
def test_what_is_behind_the_first(p_values, sentences):
    names = list("ABCDEFGH")[: 1 + len(p_values)]
    assert behind(pd.Series([np.nan, *p_values], index=names), 0.05, "t") == sentences


def test_one_metric(judged):
    y, scores = judged
    found = evaluate_metrics(y, scores[["bad"]], level="segment", **NO_RESAMPLING)
    assert summary_of(found) == [
        "On segments, bad reaches a tau (wmt12) of 33.3 [33.3, 33.3] with annotators (x 100, 95 % "
        "interval).",
        "1 metric was compared with 120 human judgements of translations (3 systems, 40 segments), "
        "which make 120 pairs that can be compared.",
    ]
    assert warnings_of(found) == []


def test_metrics_that_tie(judged):
    found = evaluate_metrics(*judged, **NO_RESAMPLING)
    segments, systems, tested, subject = summary_of(found)
    assert subject.startswith("3 metrics were compared with 120 human judgements")
    assert segments == (
        "On segments, good and same agree best with annotators: tau (wmt12) of each is 100.0 "
        "[100.0, 100.0] (x 100, 95 % interval)."
    )
    assert systems.startswith(
        "On systems, good and same agree best with annotators: Pearson of each is "
    )
    assert "not tested here" in tested
    assert warnings_of(found)[0].startswith("Figures for systems rest on 3 systems")


def test_nothing_is_defined(judged):
    y, scores = judged
    with pytest.warns(UserWarning, match="undefined"):
        found = evaluate_metrics(0 * y, scores, level="segment", **NO_RESAMPLING)
    assert summary_of(found)[0] == (
        "On segments, tau (wmt12) is undefined for every metric, so that none is best."
    )
    assert warnings_of(found)[0] == (
        "tau (wmt12) of bad, good and same is undefined, because there are too few pairs or "
        "systems, or because all scores are equal."
    )


def test_ties_that_count_as_mistakes_are_told(judged):
    y, scores = judged
    half = scores.assign(coarse=[1, 1, 0] * 40)[["good", "coarse"]]
    options = {"level": "segment", **NO_RESAMPLING}
    expected = (
        "coarse gives equal scores in 33.3 % of the pairs in which annotators prefer one "
        "translation; tau (wmt12) counts each of them as a mistake."
    )
    assert warnings_of(evaluate_metrics(y, half, **options)) == [expected]
    assert warnings_of(evaluate_metrics(y, half, statistic="wmt14", **options)) == []


def test_comparison(judged):
    found = compare_metrics(*judged, level="segment", **NO_RESAMPLING)
    better, cluster, best, subject = summary_of(found)
    assert best.startswith("On segments, good and same agree best with annotators: ")
    assert better == (
        "good is significantly better than bad (permutation test, Holm's correction, 5 % level); "
        "it cannot be told apart from same."
    )
    assert subject.startswith("3 metrics were compared with 120 human judgements")
    assert cluster.startswith("The first cluster has 2 metrics, not all of which can")
    assert cluster.endswith(": good and same.")


def test_a_test_that_cannot_find_any_difference(judged):
    """Of 3 tests at the 5 % level, 6 documents give 3 · 2 / 2⁶ > .05 at least, 7 give .047."""
    y, scores = judged
    scores = scores.assign(same=scores["good"] + scores["bad"] / 100)  # no two are equal
    segments = y.index.unique("segment")
    options = {"level": "segment", "n_resamples": 20}
    found, enough = (
        compare_metrics(y, scores, documents=documents, **options)
        for documents in (pd.Series(np.arange(len(segments)) % n, segments) for n in (6, 7))
    )
    first = warnings_of(found)[0]
    assert "exchanges of 6 documents or segments can give is 0.0938 after Holm's" in first
    assert (found.clusters == 1).all()
    assert summary_of(found)[0] == (
        "Which metric is better by more than chance cannot be tested here: 6 documents or segments "
        "are too few for any p-value to be small enough."
    )
    assert not any("significantly better" in sentence for sentence in summary_of(found))
    assert not any("exchanges" in warning for warning in warnings_of(enough))
    assert any("significantly better" in sentence for sentence in summary_of(enough))
    assert (enough.p_values <= 0.05).any(axis=None)


def evaluation_stand_in(n_systems, ties):
    """What warnings read of an evaluation, of one metric that ties in a share of the pairs."""
    table = {"wmt12": [0.5], "wmt12_high": [0.6], "metric_ties": [ties], "rows": [9]}
    table = pd.DataFrame(table, index=["m"])
    return SimpleNamespace(
        table=table, statistics=["wmt12"], counts={"segments": 20, "systems": n_systems},
        options=SimpleNamespace(level="all", statistic="wmt12"),
    )  # fmt: skip


def test_an_evaluation_at_the_borders():
    """Ten systems are enough, and one tie in twenty pairs is few."""
    assert warnings_of_evaluation(evaluation_stand_in(10, 0.05)) == []
    few, ties = warnings_of_evaluation(evaluation_stand_in(9, 0.06))
    assert few.startswith("Figures for systems rest on 9 systems: with fewer than 10")
    assert ties.startswith("m gives equal scores in 6.0 % of the pairs")


def test_exchanges_that_can_just_find_a_difference():
    """Of 4 tests, exchanges of 7 documents give 4 · 2 / 2⁷ = 1/16, which may be the level."""
    p_values = np.full((4, 4), np.nan)
    p_values[0], p_values[1, 2] = [np.nan, 0.5, 0.5, 0.5], 0.5
    found = SimpleNamespace(
        evaluation=evaluation_stand_in(10, 0), alpha=1 / 16,
        comparison=SimpleNamespace(n_units=7), p_values=pd.DataFrame(p_values),
    )  # fmt: skip
    assert warnings_of_comparison(found) == []
    found.alpha = 0.06
    (warning,) = warnings_of_comparison(found)
    assert "exchanges of 7 documents" in warning and "at the 6 % level" in warning


def test_metrics_that_are_turned(judged):
    y, scores = judged
    scores = scores.assign(turned=-scores["good"], constant=1)
    options = {"n_resamples": 20, "level": "segment"}
    found = evaluate_metrics(y, scores[["good", "turned", "constant"]], **options)
    said = [line for line in warnings_of_evaluation(found) if "below 0" in line]
    assert said == [
        "tau (wmt12) of turned is below 0, and so is its whole interval: if lower scores are "
        "better, say so with --lower-is-better NAME or lower_is_better=[NAME]."
    ]  # the ties of "constant" count against it whatever its sign
    found = evaluate_metrics(-y, scores[["good", "same"]], **options)
    (said,) = (line for line in warnings_of_evaluation(found) if "below 0" in line)
    assert said.startswith("tau (wmt12) of good and same is below 0")
    assert said.endswith("; if the judgements are read upside down, with --better or better=.")
    for other in ({"level": "system"}, {"statistic": "acc_eq"}):
        found = evaluate_metrics(-y, scores[["good", "same"]], **options | other)
        assert not any("below 0" in line for line in warnings_of_evaluation(found))


def test_task(judged):
    y, scores = judged
    found = metrics_task({"de-en": (y, scores), "en-de": (y, scores)}, n_permutations=99)
    better, best, *_, subject = summary_of(found)
    assert subject == (
        "3 metrics were compared with human judgements in 4 tasks: SPA on systems and acc_eq on "
        "segments of de-en and en-de."
    )
    average = f"{100 * found.table['average'].iloc[0]:.1f}"
    assert best == f"good and same have the highest average over all tasks, {average} (x 100)."
    assert better.startswith("good is significantly better than bad (permutation test of the ")
    assert warnings_of(found) == []


def test_leaderboard_of_forty_systems():
    """The first wins always, the others are alike."""
    rng, names = np.random.default_rng(0), [f"s{k}" for k in range(40)]
    index = rows_of(30, names)
    ranks = np.array([[1, *rng.permutation(39) + 2] for _ in range(30)]).ravel()
    found = leaderboard(pd.DataFrame(index=index), ranks, n_resamples=50)
    answer, *more = summary_of(found)
    assert answer.startswith("s0 is better than ") and "39 of 780 pairs differ" in answer
    assert more == [
        f"s0 has the highest strength, ∞ [{found.table['low'].iloc[0]:.3f}, ∞] (in log-odds, 95 % "
        "interval).",
        "This rests on 23,400 comparisons of 40 systems on 30 segments.",
    ]
    assert warnings_of(found) == [
        "s0 won all comparisons with the rest, so that the score is infinite and its interval has "
        "one bound only."
    ]


def test_leaderboard_of_two_that_tie():
    index = rows_of(4, ["A", "B"])
    y = [-90, -80, -70, -80, -80, -90, -80, -70]
    found = leaderboard(pd.DataFrame(index=index), y, by="mean", n_resamples=50)
    apart, best, subject = summary_of(found)
    assert subject == ("This rests on 8 judgements of 8 translations by 2 systems, of 4 segments.")
    assert best.startswith(f"{' and '.join(found.table.index)} share the highest mean score, 80")
    assert "on the scale of the judgements, 95 % interval" in best
    one, other = found.table.index
    assert apart.startswith(f"{one} cannot be told apart from {other}: the difference is 0.0 [")
    assert "only 4 segments" in warnings_of(found)[0]


def test_systems_by_score():
    rows = rows_of(50, "ABC")
    found = SystemSums.of(pd.Series([0.5, 0.4, -0.5, 0.4, 0.5, -0.7] * 25, rows)).result()
    answer, best, subject = summary_of_systems(found, "scores", "any")
    assert answer.startswith(
        "A cannot be told apart from B: the difference is 0.0000 [-0.0287, 0.0287] (p = 1; 2 of 3 "
        "pairs differ); it is better than C by 1.0500 [1.0"
    )
    assert subject == "any scored 3 systems on 50 segments."
    assert best.startswith("A and B share the highest mean score, +0.4500 [")
    assert warnings_of_systems(found.table, "scores") == []


def test_what_all_names_share_is_said_in_tables_only():
    """Files of a campaign have long names, of which sentences need what differs."""
    rows = rows_of(50, ["nt12.de-en.A", "nt12.de-en.B"])
    found = SystemSums.of(pd.Series([0.5, 0.1, 0.5, 0.3] * 25, rows)).result()
    sentences = summary_of_systems(found, "scores", "any")
    assert sentences[0].startswith("A is better than B by 0.3000 [")
    assert sentences[1].startswith("A has the highest mean score")
    found = leaderboard(pd.DataFrame(index=rows), [1, 2] * 50, by="win-rate", n_resamples=20)
    assert not any("nt12" in sentence for sentence in summary_of(found))
    assert list(found.table.index) == ["nt12.de-en.A", "nt12.de-en.B"]


def test_one_system_of_one_segment():
    with pytest.warns(UserWarning, match="fewer than two segments"):
        found = SystemSums.of(pd.Series([0.5], rows_of(1, "A"))).result()
    assert summary_of_systems(found, "scores") == [
        "A has a mean score of +0.5000, on a scale from -1 to 1.",
        "The model scored 1 system on 1 segment.",
    ]
    few, interval = warnings_of_systems(found.table, "scores")
    assert few.startswith("There is only 1 segment")
    assert interval.startswith("The score of A has no interval")


def test_leaderboard_of_judges_who_cannot_be_told_from_chance():
    """An interval of discriminations around 0 says nothing; one below 0, that all is turned."""
    found = SimpleNamespace(
        table=pd.DataFrame({"score": [1.0, 0.0], "segments": [20, 21]}, index=["A", "B"]),
        counts={"segments": 21, "missing": 1}, options={"by": "mean"},
        judges=pd.DataFrame(
            {"discrimination": [-0.5, -1.0], "low": [-1.1, -1.5], "high": [0.1, -0.5]},
            index=["anna", "eve"],
        ),
    )  # fmt: skip
    different, wrong = warnings_of_leaderboard(found)
    assert different.startswith("Systems were judged on different segments: means are of all 21,")
    assert wrong.startswith("eve answers the wrong way round")


def test_systems_of_a_model_that_ranks_only():
    """A ranks first in 29 of 30 segments: 28/30 better, with a standard error of 1/15."""
    ranks = {"rank": [1, 2] * 29 + [2, 1], "strength": 1.0, "score": np.nan}
    found = SystemSums.of(pd.DataFrame(ranks, index=rows_of(30, "AB"))).result()
    assert summary_of_systems(found, "ranks", "mine") == [
        "A is better than B by 0.933 [0.797, 1.070] in mean rank (p < .001).",
        "A has the best mean rank, 1.033, and is ranked best in 96.7% of the segments.",
        "The model gives no scores: it only tells how systems rank within a segment.",
        "mine ranked 2 systems on 30 segments.",
    ]
    assert warnings_of_systems(found.table, "ranks") == []


def challenge_of(rows):
    columns = ["won", "tied", "n", "proportion", "low", "high"]
    index = pd.MultiIndex.from_tuples(rows, names=["kind", "setting", "judge"])
    table = pd.DataFrame(list(rows.values()), index=index, columns=columns)
    return Challenge(table, pd.DataFrame(), "mine", ("bleu",), 0.95, "")


def test_challenge():
    found = challenge_of({
        ("empty", "alone", "mine"): (30, 0, 30, 1.0, 0.89, 1.0),
        ("empty", "alone", "bleu"): (27, 3, 30, 0.9, 0.74, 0.97),
        ("negation", "alone", "mine"): (3, 6, 30, 0.1, 0.03, 0.26),
        ("negation", "alone", "bleu"): (3, 0, 30, 0.1, 0.03, 0.26),
        ("name", "alone", "mine"): (5, 0, 10, 0.5, 0.24, 0.76),
        ("name", "alone", "bleu"): (6, 0, 10, 0.6, 0.31, 0.83),
    })  # fmt: skip
    assert summary_of(found) == [
        "mine prefers the sound translation to the corrupted one least often for negation (in "
        "10.0 % [3, 26] of segments), most often for empty (100.0 % [89, 100]).",
        "For negation, it prefers the sound translation in fewer than half of the segments.",
        "For name, it may as well be guessing.",
        "Compared with bleu, it prefers the sound translation more often for 1 of 3 kinds of "
        "corruption, and less often for 1.",
        "3 kinds of corruption were tried, on up to 30 segments each; mine compared translations "
        "by their scores, each translation seen alone.",
    ]
    assert warnings_of(found) == [
        "name applies to fewer than 20 segments: their intervals are wide.",
        "mine often gives the sound and the corrupted translation the same score, which counts as "
        "a loss: for negation (6 of 30 segments).",
    ]


def test_challenge_at_the_borders():
    """Half is guessing, an interval that ends there too; 5 % of ties are few, 7.5 % are not."""
    found = challenge_of({
        ("empty", "alone", "mine"): (15, 2, 40, 0.375, 0.25, 0.5),
        ("name", "alone", "mine"): (25, 3, 40, 0.625, 0.5, 0.75),
        ("number", "alone", "mine"): (18, 0, 20, 0.9, 0.7, 0.97),
    })  # fmt: skip
    found = replace(found, metrics=())
    said = summary_of(found)
    assert "For empty and name, it may as well be guessing." in said
    assert not any("fewer than half" in sentence for sentence in said)
    assert warnings_of(found) == [
        "mine often gives the sound and the corrupted translation the same score, which counts as "
        "a loss: for name (3 of 40 segments)."
    ]


def test_challenge_of_a_model_that_ranks_only():
    row = (30, 0, 30, 1.0, 0.89, 1.0)
    found = challenge_of({("empty", "many", "mine"): row, ("empty", "alone", "bleu"): row})
    answer, subject = summary_of_challenge(found)
    assert answer == (
        "mine prefers the sound translation to the corrupted one in 100.0 % [89, 100] of segments "
        "(empty)."
    )
    assert subject.endswith("by strengths, among those of all systems of a segment.")
    assert warnings_of_challenge(found) == []


@pytest.fixture
def trained():
    columns = ["kind", "tau", "low", "high", "difference", "difference_low", "difference_high"]
    rows = {
        NEW: ("new", 0.3, 0.1, 0.5, np.nan, np.nan, np.nan),
        "static-en": ("ready-made", 0.2, 0.0, 0.4, 0.1, 0.05, 0.15),
        "TER": ("metric", 0.1, 0.0, 0.2, 0.2, 0.1, 0.3),
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    table = table.assign(
        p=0.01, ties=[0, 0, 10], pairs=100, accuracy=0.6, seen=[False, True, False]
    )
    better = pd.DataFrame(False, table.index, table.index)
    recommendation = recommended_of(table, better, 15)
    curve = table.iloc[:1].set_axis(pd.Index([200], name="segments"))
    return TrainingResult(None, table, np.arange(3), {}, curve, recommendation, 200, 15)


def test_training(trained):
    use, *rest, tau, more, subject = summary_of(trained)
    assert tau == (
        "The new model's agreement with annotators, Kendall's tau (x 100, variant wmt12), is 30.0 "
        "[10.0, 50.0] (95 % interval)."
    )
    assert subject == (
        "The new model was trained on 200 segments and compared on 15 segments that were held out."
    )
    assert " ".join([use, *rest]) == trained.recommendation.sentence
    assert use.count(". ") == 0 and use.endswith(".")
    assert more == "Segments are too few to tell whether more of them would help."
    few, seen, ties = warnings_of(trained)
    assert "only 15 segments" in few
    assert seen.startswith("static-en was trained on these judgements")
    assert ties.startswith("TER gives equal scores in 10.0 % of the pairs")


def test_the_report_of_a_training(trained):
    (table,) = (
        RESULTS[TrainingResult].report(trained).tables
    )  # a learning curve of one size is none
    assert table.rows[0] == ["new model", "30.0", "[10.0, 50.0]", "", ""]
    assert table.rows[1][0] == "static-en (ready-made), trained on these"


def test_sentences_are_whole_and_printable_whatever_names_are(judged):
    y, scores = judged
    names = {MARKUP[0]: scores["good"], MARKUP[-1]: scores["bad"]}  # metrics' must be printable
    options = {"level": "segment", **NO_RESAMPLING}
    for found in (
        evaluate_metrics(y, names, **options),
        compare_metrics(y, names, **options),
        leaderboard(
            pd.DataFrame(index=rows_of(12, MARKUP)), [1, 2, 3, 4] * 6 + [2, 1, 4, 3] * 6,
            n_resamples=20,
        ),
    ):  # fmt: skip
        sentences = summary_of(found) + warnings_of(found)
        for sentence in sentences:
            assert sentence.isprintable()
            assert sentence.endswith(".")
            assert len(sentence) < 1000
            assert not re.search(r"\bnan\b|\bNone\b|  ", sentence), sentence


def test_a_decision_table():
    """Two systems judged alike in every segment: no difference is ever enough, or the first."""
    needed = pd.DataFrame(
        {"difference": [1.25, np.inf], "low": [1.0, 2.0], "high": [1.5, np.inf],
         "observed": [False, False]},
        index=pd.Index([0.8, 0.95], name="agreement"),
    )  # fmt: skip
    found = SimpleNamespace(
        needed=needed,
        counts={"pairs": 3, "segments": 12, "systems": 3},
        options={"metric": "chrF", "level": "system"},
    )
    assert summary_of_decisions(found) == [
        "Annotators agree with chrF on which of two systems is better in 80.0 % of pairs that "
        "differ by 1.25 [1, 1.5] in chrF.",
        "No difference of chrF is enough for agreement in 95.0 % of pairs of systems.",
        "This is estimated from 3 pairs of systems (12 segments, 3 systems).",
    ]
    few, extrapolated = warnings_of_decisions(found)
    assert "only 12 segments" in few and "agreement of 80.0 %" in extrapolated
    for n in (99, 100):
        found.counts = {"rows": n}
        assert bool(warnings_of_marked_errors(found)) == (n < 100)


def test_marked_errors():
    spans = pd.DataFrame(
        {"f_score": [0.5, 0.75], "f_score_low": [0.4, 0.7], "f_score_high": [0.6, 0.8]},
        index=["a", "b"],
    )
    free = pd.DataFrame(
        {"average_precision": [np.nan], "average_precision_low": [np.nan],
         "average_precision_high": [np.nan]}, index=["a"],
    )  # fmt: skip
    spans.loc["everything marked"] = [0.9, 0.85, 0.95]  # a baseline, and not a metric
    counts = {"errors": 9, "translations": 40, "rows": 40, "error_free": 31, "baselines": 1}
    found = SimpleNamespace(spans=spans, error_free=free, counts=counts, rule="no error marked")
    assert summary_of_marked_errors(found) == [
        "The errors that b marks are most like those of annotators, with an F of 75.0 [70.0, 80.0] "
        "(x 100).",
        "Annotators marked 9 errors in 40 translations.",
        "31 of 40 translations (77.5 %, the average precision of guessing) count as error-free: "
        "they have no error marked.",
        "Whether metrics differ by more than chance is not tested here.",
    ]
    assert warnings_of_marked_errors(found) == [
        "There are only 40 translations, so that intervals are wide."
    ]


def test_one_metric_is_not_the_best_of_errors():
    """Of one metric nothing is said that needs another to be true."""
    names = ("f_score", "average_precision")
    columns = {f"{name}{end}": [0.5] for name in names for end in ("", "_low", "_high")}
    table = pd.DataFrame(columns, index=["a"])
    counts = {"errors": 9, "translations": 40, "rows": 40, "error_free": 31, "baselines": 0}
    found = SimpleNamespace(spans=table, error_free=table, counts=counts, rule="no error marked")
    marks, finds, _, _ = summary_of_marked_errors(found)  # nothing of a test
    assert marks == (
        "The errors that a marks are like those of annotators with an F of 50.0 [50.0, 50.0] "
        "(x 100)."
    )
    assert finds == (
        "a finds error-free translations with an average precision of 50.0 [50.0, 50.0] (x 100)."
    )
