"""Evaluations against direct calls, a worked example, and what must not change a number."""

import numpy as np
import pandas as pd
import pytest
from random_judgements import judgements
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_mteval import kendall_tau
from sklearn_mteval.datasets import load_mqm, load_wmt
from sklearn_mteval.evaluation import compare_metrics, evaluate_metrics
from sklearn_mteval.evaluation.join import RankerScores
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import sentence_bleu
from sklearn_mteval.metrics import (
    agreement_interval,
    calibrate_ties,
    holm,
    human_system_scores,
    kendall_tau_counts,
    pairwise_accuracy,
    pearson,
    permutation_test,
    soft_pairwise_accuracy,
    spearman,
    system_agreement,
)
from sklearn_mteval.metrics.system.tables import score_table
from sklearn_mteval.report import report_text

FEW = {"n_resamples": 20, "n_permutations": 50}


@pytest.fixture(params=[True, False], ids=["rankings", "penalties"])
def data(request):
    return judgements(request.param)


def by_row(y, scores):
    rest = [name for name in y.index.names if name not in scores.index.names]
    return scores.reindex(y.index.droplevel(rest)).set_index(y.index)


def test_worked_by_hand():
    # Segment 1: annotators A < B < C; metric m agrees on A-B, opposes B-C, ties A-C.
    # Segment 2: annotators A = B < C; m ties A-B, agrees on A-C and B-C.
    rows = pd.MultiIndex.from_product([[1, 2], list("ABC")], names=["segment", "system"])
    y = pd.Series([0, 1, 5, 2, 2, 3], index=rows)
    m = pd.Series([4.0, 2, 4, 9, 9, 1], index=rows)
    found = evaluate_metrics(y, {"m": m}, epsilon=0, **FEW)
    row = found.table.loc["m"]
    assert row["wmt12"] == pytest.approx((3 - 1 - 1) / 5)
    assert row["metric_ties"] == pytest.approx(1 / 5)
    assert row["acc_eq"] == pytest.approx((1 / 3 + 3 / 3) / 2)
    # Human means -1, -1.5, -4; metric means 6.5, 5.5, 2.5: the same order.
    assert row["system_kendall"] == pytest.approx(1)
    assert row["system_accuracy"] == 1
    expected = np.corrcoef([-1, -1.5, -4], [6.5, 5.5, 2.5])[0, 1]
    assert row["system_pearson"] == pytest.approx(expected)
    assert found.counts == {"rows": 6, "pairs": 6, "segments": 2, "systems": 3}


@pytest.mark.parametrize("statistic", ["wmt12", "wmt14", "eq", "tau-b", "acc_eq"])
def test_segment_statistics_are_those_of_direct_calls(data, statistic):
    y, scores = data
    found = evaluate_metrics(y, scores, statistic=statistic, level="segment", **FEW)
    groups, segments = y.index.droplevel("system"), y.index.get_level_values("segment")
    for name, score in by_row(y, scores).items():
        row = found.table.loc[name]
        best = calibrate_ties(y, score, groups=groups)
        accuracy = pairwise_accuracy(y, score, groups=groups, epsilon=best.epsilon)
        assert (row["epsilon"], row["acc_eq"]) == (best.epsilon, pytest.approx(accuracy))
        counts = kendall_tau_counts(y, score, groups=groups)
        assert row["metric_ties"] == counts.tied_metric / sum(counts[:3])
        average = "pairs" if statistic.startswith("wmt") else "groups"
        given = {"groups": groups, "average": average}
        if statistic != "acc_eq":
            tau = kendall_tau(y, score, statistic=statistic, **given)
            assert row[statistic] == pytest.approx(tau, abs=1e-12)
        epsilon = best.epsilon if statistic == "acc_eq" else 0
        bounds = agreement_interval(
            y,
            score,
            documents=segments,
            statistic=statistic,
            epsilon=epsilon,
            n_resamples=FEW["n_resamples"],
            **given,
        )
        assert (row[f"{statistic}_low"], row[f"{statistic}_high"]) == bounds
    assert found.table[statistic].is_monotonic_decreasing


def test_the_signature_says_which_systems_rankers_compare():
    y, scores = judgements(rankings=True)
    column = scores["noise"]
    for competitors, said in (("at-hand", "|competitors:at-hand|"), ("", "|average:pairs|acc_eq")):
        ranker = RankerScores(by_row(y, scores)["noise"], column, competitors)
        assert said in evaluate_metrics(y, {"m": ranker, "n": column}, **FEW).signature
    assert "competitors" not in evaluate_metrics(y, {"n": column}, **FEW).signature


@pytest.mark.parametrize("grouping", ["system", "none"])
def test_other_groupings(grouping):
    y, scores = judgements(rankings=False)
    groups = y.index.get_level_values("system") if grouping == "system" else None
    for statistic, function in (("pearson", pearson), ("spearman", spearman)):
        found = evaluate_metrics(
            y, scores, statistic=statistic, grouping=grouping, level="segment", **FEW
        )
        for name, score in by_row(y, scores).items():
            expected = function(y, score, groups=groups)
            assert found.table.loc[name, statistic] == pytest.approx(expected, abs=1e-12)


def test_ranks_of_different_tasks_are_not_compared():
    y, scores = judgements(rankings=True)
    with pytest.raises(ValueError, match="say nothing about other segments"):
        evaluate_metrics(y, scores, grouping="none", **FEW)


def test_system_statistics_are_those_of_direct_calls(data):
    y, scores = data
    found = evaluate_metrics(y, scores, level="system", **FEW)
    ranked = y.index.nlevels == 3
    if ranked:
        human = human_system_scores(y.to_frame(), y)
    else:
        human = (-y).groupby(level="system").mean()
    for name, score in scores.items():
        metric = score.groupby(level="system").mean()
        row = found.table.loc[name]
        for statistic in ("pearson", "spearman", "kendall", "accuracy"):
            expected = system_agreement(human, metric, statistic=statistic)
            assert row[f"system_{statistic}"] == pytest.approx(expected)
            low, high = row[f"system_{statistic}_low"], row[f"system_{statistic}_high"]
            assert low <= high
        if not ranked:
            labels = scores.index.get_level_values("segment"), scores.index.get_level_values(1)
            metric_table = score_table(score, *labels)
            table = score_table(-y, y.index.get_level_values(0), y.index.get_level_values(1))
            expected = soft_pairwise_accuracy(
                table.reindex(metric_table.index), metric_table, n_permutations=50
            )
            assert row["system_spa"] == pytest.approx(expected)
        pd.testing.assert_series_equal(
            found.systems[name].sort_index(), metric, check_names=False, check_index_type=False
        )
    assert (found.table["translations"] == len(scores)).all()
    assert list(found.systems) == ["human", *found.table.index]
    assert found.systems["human"].is_monotonic_decreasing
    pd.testing.assert_series_equal(
        found.systems["human"].sort_index(), human.sort_index(), check_names=False
    )


def test_neither_order_nor_neighbours_nor_names_change_a_number(data):
    y, scores = data
    found = evaluate_metrics(y, scores, **FEW)
    shuffled = evaluate_metrics(
        y.sample(frac=1, random_state=1),
        scores.sample(frac=1, random_state=2)[["noise", "smooth", "rough"]],
        **FEW,
    )
    pd.testing.assert_frame_equal(found.table, shuffled.table, check_exact=True)
    pd.testing.assert_frame_equal(found.systems, shuffled.systems, check_exact=True)
    assert found.signature == shuffled.signature
    alone = evaluate_metrics(y, scores[["rough"]], **FEW)
    pd.testing.assert_frame_equal(found.table.loc[["rough"]], alone.table, check_exact=True)
    assert alone.signature != found.signature
    new = {
        "segment": lambda s: f"s{(7 * s) % 31}",
        "system": dict(zip("ABCDE", "vzxwy", strict=True)).get,
    }

    def renamed(table):
        frame = table.index.to_frame(index=False)
        for level, rename in new.items():
            frame[level] = frame[level].map(rename)
        return table.set_axis(pd.MultiIndex.from_frame(frame))

    other = evaluate_metrics(renamed(y), renamed(scores), **FEW)
    pd.testing.assert_frame_equal(found.table, other.table, check_exact=True)
    same = found.systems.rename(new["system"]).loc[other.systems.index]
    pd.testing.assert_frame_equal(same, other.systems, check_exact=True)
    assert other.signature.split("|data:")[0] == found.signature.split("|data:")[0]
    assert other.signature != found.signature


def test_what_neighbours_scored_does_not_change_a_number(data):
    y, scores = data
    judged = scores.index.get_level_values("segment").isin(y.index.unique("segment"))
    few = scores.loc[judged, "smooth"]
    both, noise = {"few": few, "noise": scores["noise"]}, scores[["noise"]]
    alone = evaluate_metrics(y, {"few": few}, **FEW)
    assert len(scores) > len(few)
    for rows in ("own", "common"):
        together = evaluate_metrics(y, both, rows=rows, **FEW)
        pd.testing.assert_frame_equal(together.table.loc[["few"]], alone.table, check_exact=True)
        pd.testing.assert_frame_equal(
            together.systems[["human", "few"]], alone.systems, check_exact=True
        )
        its_own = evaluate_metrics(y, noise[judged] if rows == "common" else noise, **FEW)
        columns = [name for name in its_own.table if name != "left_out"]
        pd.testing.assert_frame_equal(
            together.table.loc[["noise"], columns], its_own.table[columns], check_exact=True
        )
        pd.testing.assert_frame_equal(
            together.systems[["human", "noise"]], its_own.systems, check_exact=True
        )
        assert f"|on:{rows}-rows|" in together.signature


def test_systems_are_scored_on_common_translations_by_hand():
    rows = pd.MultiIndex.from_product([[1, 2, 3], list("AB")], names=["segment", "system"])
    y = pd.Series([0, 1, 2, 3], index=rows[:4])  # nobody judged segment 3
    whole = pd.Series([1.0, 2.0, 3.0, 5.0, 80.0, 11.0], index=rows)
    part = pd.Series([2.0, 1.0, 4.0, 3.0, np.nan, 9.0], index=rows)
    found = evaluate_metrics(y, {"whole": whole, "part": part}, **FEW)
    assert found.systems["whole"].to_dict() == {"A": (1 + 3) / 2, "B": (2 + 5 + 11) / 3}
    assert found.table["translations"].to_dict() == {"whole": 5, "part": 5}
    assert found.table["left_out"].to_dict() == {"whole": 1, "part": 0}
    assert "left out: 1 of whole." in report_text(found)
    own = evaluate_metrics(y, {"whole": whole, "part": part}, rows="own", **FEW)
    assert own.systems["whole"]["A"] == (1 + 3 + 80) / 3
    assert own.table["translations"].to_dict() == {"whole": 6, "part": 5}
    assert "left out" not in report_text(own)
    with pytest.raises(CandidateError, match="No judged row has a score of every metric"):
        evaluate_metrics(
            y, {"a": whole.mask(y < 2), "b": whole.mask(y >= 2)}, missing="skip", **FEW
        )
    with pytest.raises(ValueError, match=r"rows .* found 'all'"):
        evaluate_metrics(y, {"whole": whole}, rows="all", **FEW)
    with pytest.raises(ValueError, match="one of common rows, found rows='own'"):
        compare_metrics(y, {"whole": whole, "part": part}, rows="own", **FEW)


def test_a_rankers_strengths_and_scores_stand_at_their_own_level(data):
    y, scores = data
    strengths = by_row(y, scores)["smooth"]
    both = evaluate_metrics(y, {"m": RankerScores(strengths, scores["noise"])}, **FEW)
    segments = evaluate_metrics(y, {"m": strengths}, level="segment", **FEW)
    systems = evaluate_metrics(y, {"m": scores["noise"]}, level="system", **FEW)
    for other in (segments, systems):
        pd.testing.assert_frame_equal(both.table[list(other.table)], other.table, check_exact=True)
    pd.testing.assert_frame_equal(both.systems, systems.systems, check_exact=True)
    turned = RankerScores(-strengths, -scores["noise"])
    negated = evaluate_metrics(y, {"m": turned}, lower_is_better=["m"], **FEW)
    pd.testing.assert_frame_equal(negated.table, both.table)
    other = {"m": RankerScores(strengths, scores["noise"]), "n": scores["rough"]}
    compared = compare_metrics(y, other, level="system", **FEW)
    plain = compare_metrics(y, {"m": scores["noise"], "n": scores["rough"]}, level="system", **FEW)
    pd.testing.assert_frame_equal(compared.p_values, plain.p_values)
    short = scores["noise"][scores.index.get_level_values("system") != "A"]
    with pytest.raises(CandidateError, match="'m' has no score of the system 'A'"):
        evaluate_metrics(y, {"m": RankerScores(strengths, short)}, **FEW)


def test_scores_indexed_like_judgements():
    y, scores = judgements(rankings=True)
    rows = by_row(y, scores)
    found = evaluate_metrics(
        y, {"a": rows["smooth"], "b": scores["smooth"]}, level="segment", **FEW
    )
    a, b = (found.table.loc[name] for name in "ab")
    pd.testing.assert_series_equal(a, b, check_names=False)


def test_lower_is_better(data):
    y, scores = data
    found = evaluate_metrics(y, scores, lower_is_better=["rough"], **FEW)
    expected = evaluate_metrics(y, scores.assign(rough=-scores["rough"]), **FEW)
    pd.testing.assert_frame_equal(found.table, expected.table)
    assert "|negated:rough|" in found.signature
    with pytest.raises(ValueError, match="no metric 'ter', only smooth, rough, noise"):
        evaluate_metrics(y, scores, lower_is_better=["ter"], **FEW)


def test_missing_scores(data):
    y, scores = data
    row = y.index[5]
    scores.loc[(row[0], row[-1]), "rough"] = np.nan
    with pytest.raises(CandidateError, match=r"'rough' has no score of \d+ of \d+ judged rows"):
        evaluate_metrics(y, scores, **FEW)
    found = evaluate_metrics(y, scores, missing="skip", rows="own", level="segment", **FEW)
    groups = y.index.droplevel("system")
    tau = kendall_tau(y, by_row(y, scores)["rough"], groups=groups, missing="skip")
    assert found.table.loc["rough", "wmt12"] == tau
    assert found.table.loc["smooth", "rows"] == len(y) > found.table.loc["rough", "rows"]
    absent = scores.drop(index=(row[0], row[-1]))
    pd.testing.assert_frame_equal(
        evaluate_metrics(y, absent, missing="skip", level="segment", **FEW).table.loc[["rough"]],
        found.table.loc[["rough"]],
    )
    common = evaluate_metrics(y, scores, missing="skip", level="segment", **FEW)
    pd.testing.assert_frame_equal(common.table.loc[["rough"]], found.table.loc[["rough"]])
    assert set(common.table["rows"]) == {found.table.loc["rough", "rows"]}
    compared = compare_metrics(y, scores, missing="skip", level="segment", **FEW)
    assert len(set(compared.evaluation.table["rows"])) == 1


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_comparison(data, test):
    y, scores = data
    found = compare_metrics(y, scores, test=test, level="segment", **FEW)
    table = found.evaluation.table
    pd.testing.assert_frame_equal(table, evaluate_metrics(y, scores, level="segment", **FEW).table)
    assert list(found.p_values.index) == list(found.p_values.columns) == list(table.index)
    assert set(found.clusters.index) == set(table.index)
    upper = found.p_values.to_numpy()[np.triu_indices(3, 1)]
    assert np.isnan(found.p_values.to_numpy()[np.tril_indices(3)]).all()
    raw = pd.DataFrame(found.comparison.p_values, *[found.comparison.names] * 2)
    raw = raw.loc[table.index, table.index].to_numpy()[np.triu_indices(3, 1)]
    np.testing.assert_allclose(upper, holm(raw))
    if test == "permutation":
        rows = by_row(y, scores)
        direct = permutation_test(
            y,
            rows[sorted(rows)],
            groups=y.index.droplevel("system"),
            documents=y.index.get_level_values("segment"),
            n_permutations=50,
        )
        np.testing.assert_array_equal(found.comparison.p_values, direct.p_values)
        made = f"|alternative:two-sided|permutations:{direct.n_permutations}|correction:holm|"
        assert f"|test:permutation{made}ranks:metrics-task|alpha:0.05|" in found.signature
        assert "|clusters:segments|" in found.signature
        documents = pd.Series(np.arange(y.index.unique("segment").size) // 2).astype(str)
        documents.index = y.index.unique("segment")
        options = {"test": test, "level": "segment", **FEW}
        by_document = compare_metrics(y, scores, documents=documents, **options)
        assert by_document.comparison.n_units == documents.nunique()
        assert "|clusters:documents|" in by_document.signature
        rows_of = documents.reindex(y.index.get_level_values("segment")).to_numpy()
        again = compare_metrics(y, scores, documents=rows_of, **options)
        np.testing.assert_array_equal(again.comparison.p_values, by_document.comparison.p_values)
        pd.testing.assert_frame_equal(again.evaluation.table, by_document.evaluation.table)


def test_comparison_of_systems_and_by_williams():
    y, scores = judgements(rankings=False)
    found = compare_metrics(y, scores, level="system", **FEW)
    assert found.evaluation.main_statistic == "system_pearson"
    values = dict(zip(found.comparison.names, found.comparison.values, strict=True))
    for name, value in found.evaluation.table["system_pearson"].items():
        assert values[name] == pytest.approx(value)
    williams = {"statistic": "pearson", "grouping": "none", "level": "segment"}
    found = compare_metrics(y, scores, test="williams", **williams, **FEW)
    raw = found.comparison.p_values[~np.eye(3, dtype=bool)]
    assert ((raw > 0) & (raw < 1)).all()
    with pytest.raises(ValueError, match="Pearson's correlation over all rows"):
        compare_metrics(y, scores, test="williams", **FEW)
    with pytest.raises(ValueError, match="level='system'"):
        compare_metrics(y, scores, test="bootstrap", level="system", **FEW)


def test_n_jobs_and_order_do_not_change_p_values(data):
    y, scores = data
    one = compare_metrics(y, scores, level="segment", n_jobs=1, **FEW)
    two = compare_metrics(
        y.sample(frac=1, random_state=3), scores[["noise", "rough", "smooth"]],
        level="segment", n_jobs=2, **FEW,
    )  # fmt: skip
    pd.testing.assert_frame_equal(one.p_values, two.p_values, check_exact=True)
    assert one.signature == two.signature


def test_order_of_rows_does_not_change_p_values_of_systems():
    y, scores = judgements(rankings=False)
    y = y + 0.1 * np.random.default_rng(3).normal(size=len(y))  # sums that differ in the last bit
    one = compare_metrics(y, scores, level="system", **FEW)
    for seed in range(4):
        other = compare_metrics(y.sample(frac=1, random_state=seed), scores, level="system", **FEW)
        pd.testing.assert_frame_equal(one.p_values, other.p_values, check_exact=True)


def test_undefined_statistics_are_nan_with_a_warning(data):
    y, scores = data
    scores = scores.assign(rough=1.0)
    with pytest.warns(UndefinedMetricWarning, match="system_pearson.* of rough"):
        found = evaluate_metrics(y, scores, **FEW)
    assert np.isnan(found.table.loc["rough", "system_pearson"])
    assert found.table.loc["rough", "wmt12"] == -1
    one = y[y.index.get_level_values("system") == "A"]
    with pytest.warns(UndefinedMetricWarning):
        found = evaluate_metrics(one, scores, **FEW)
    assert found.table[["wmt12", "acc_eq", "system_kendall"]].isna().to_numpy().all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y, s: (y.to_numpy(), s), "y must be a Series"),
        (lambda y, s: (y.iloc[:0], s), "no judgement"),
        (lambda y, s: (y.reset_index(drop=True), s), "MultiIndex"),
        (lambda y, s: (pd.concat([y, y]), s), "repeats the index"),
        (lambda y, s: (y.where(y > 1), s), "NaN or infinity"),
        (lambda y, s: (y, s.to_numpy()), "scores must be a DataFrame"),
        (lambda y, s: (y, {}), "at least one"),
        (lambda y, s: (y, {"m": [1]}), "must be a Series"),
        (lambda y, s: (y, {"a\nb": s["rough"]}), "printable"),
        (lambda y, s: (y, {"human": s["rough"]}), "cannot be named 'human'"),
        (lambda y, s: (y, s.set_axis(["a", "a", "b"], axis=1)), "several columns"),
        (lambda y, s: (y, s.assign(noise="x")), "'noise' must be numbers"),
        (lambda y, s: (y, s.assign(noise=np.inf)), "'noise' .* is infinite"),
        (lambda y, s: (y, s.assign(noise=-1e200)), r"'noise' .* is -1e\+200: .* 1e\+100"),
        (lambda y, s: (y, pd.concat([s, s.iloc[:1]])), "repeats the index"),
        (lambda y, s: (y, s.drop("C", level="system")), "no score of the system 'C'"),
        (lambda y, s: (y, s.drop(2, level="segment")), "Pass missing='skip'"),
        (lambda y, s: (y, s.rename_axis(["seg", "system"])), "index level 'segment' is missing"),
    ],
)
def test_bad_data(data, change, message):
    y, scores = change(*data)
    with pytest.raises(CandidateError, match=message):
        evaluate_metrics(y, scores, **FEW)


@pytest.mark.parametrize(
    "options",
    [
        {"statistic": "tau"},
        {"level": "document"},
        {"grouping": "task"},
        {"average": "mean"},
        {"missing": "drop"},
        {"epsilon": -1},
        {"epsilon": "best"},
        {"system_statistics": ()},
        {"system_statistics": ("tau",)},
        {"confidence": 1},
        {"n_resamples": 0},
        {"n_permutations": 1.5},
        {"random_state": None},
        {"test": "t"},
        {"alpha": 0},
    ],
)
def test_bad_options(data, options):
    name = next(iter(options))
    with pytest.raises(ValueError, match=name):
        compare_metrics(*data, **options)


def test_one_metric_cannot_be_compared(data):
    y, scores = data
    with pytest.raises(CandidateError, match="two metrics or more"):
        compare_metrics(y, scores[["noise"]], **FEW)


def test_bleu_of_wmt12(data_dir):
    X, y = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    bleu = pd.Series(sentence_bleu(X), index=X.index)
    found = evaluate_metrics(y, {"bleu": bleu}, level="segment", n_resamples=50)
    assert round(100 * found.table.loc["bleu", "wmt12"], 2) == 15.71
    assert found.table.loc["bleu", "wmt12_low"] < 0.157 < found.table.loc["bleu", "wmt12_high"]
    assert found.counts == {"rows": 6421, "pairs": 12775, "segments": 950, "systems": 6}


def test_mqm(data_dir):
    X, y = load_mqm(data_dir / "mqm" / "mqm_ted_zhen.tsv", reference_system="ref", return_X_y=True)
    bleu = pd.Series(sentence_bleu(X), index=X.index)
    found = evaluate_metrics(y, {"bleu": bleu}, n_resamples=20)
    human, metric = (-y).groupby(level="system").mean(), bleu.groupby(level="system").mean()
    assert found.table.loc["bleu", "system_pearson"] == pytest.approx(human.corr(metric))
    assert "|human_systems:mean|" in found.signature
