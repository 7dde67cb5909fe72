import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from sklearn_mteval import RankRecomposer
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.evaluation.challenge_pairs import KINDS
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContrastiveScore, MetricScores
from sklearn_mteval.models import bleu_pipeline, rank_candidates, score_candidates
from sklearn_mteval.pairwise import RankingPipeline
from sklearn_mteval.report import report_text


class Judge(BaseEstimator):
    """A ranker whose strengths a function of a table gives."""

    def __init__(self, function):
        self.function = function

    def decision_function(self, X):
        return np.asarray(self.function(X), dtype=np.float64)


def known(X, table):
    """Which rows of a table stand in X, whatever their labels."""
    pairs = set(zip(X["source"], X["hypothesis"], strict=True))
    return np.array(
        [pair in pairs for pair in zip(table["source"], table["hypothesis"], strict=True)]
    )


def knows(X):
    """A judge who prefers what stands in X."""
    return Judge(lambda table: known(X, table))


@pytest.fixture(scope="module")
def model(sample):
    X, y = sample
    return bleu_pipeline().fit(X.iloc[:300], y.iloc[:300])


@pytest.fixture(scope="module")
def found(model, sample):
    X, y = sample
    return challenge(model, X, y, n_segments=12)


def test_the_judge_who_knows_wins_all_and_who_is_wrong_none(sample):
    X, _ = sample
    right = challenge(knows(X), X, metrics=()).table
    assert (right["proportion"] == 1).all() and (right["won"] == right["n"]).all()
    assert list(right.index.unique("setting")) == ["alone", "two", "many"]
    assert list(right.index.unique("kind")) == list(KINDS)
    wrong = Judge(lambda table: ~known(X, table))
    wrong = challenge(wrong, X, metrics=()).table
    assert (wrong[["won", "tied"]] == 0).all(axis=None)
    same = challenge(Judge(lambda X: np.zeros(len(X))), X, metrics=()).table
    assert (same["tied"] == same["n"]).all() and (same["proportion"] == 0).all()


def test_settings(sample):
    """What a judge is shown: two, or all systems of the segment and the corruption."""
    X, _ = sample
    sizes = set()

    def crowded(table):
        size = table["hypothesis"].groupby(level="segment").transform("size")
        sizes.update(size)
        return known(X, table) * np.where(size > 2, 1, -1)

    table = challenge(Judge(crowded), X, kinds=["garbage", "reference_number"], metrics=()).table
    won = table["proportion"].xs("model", level="judge")
    assert (won.drop("many", level="setting") == 0).all()
    assert (won.xs("many", level="setting") == 1).all()
    # Equal translations count once, with each other and with the reference.
    assert max(sizes) == 6 and min(sizes) == 1


def test_intervals_are_wilsons(found):
    for row in found.table.itertuples():
        assert 0 < row.n <= 12 and row.proportion == row.won / row.n
        p, n, z = row.proportion, row.n, 1.959963984540054
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        assert (row.low, row.high) == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_intervals_by_document(found, model, sample):
    """Copies of segments in one document tell as much as one of them."""
    X, y = sample
    options = {"kinds": ["number", "negation"], "metrics": [], "n_segments": None}
    labels = X.index.get_level_values("segment") // 4
    by_document = challenge(model, X, y, documents=labels, **options)
    alone = challenge(model, X, y, documents=[""] * len(X), **options)
    by_segment = challenge(model, X, y, **options)
    assert (by_document.clusters, alone.clusters) == ("documents", "segments")
    pd.testing.assert_frame_equal(alone.table, by_segment.table)
    columns = ["won", "tied", "n", "proportion"]
    pd.testing.assert_frame_equal(by_document.table[columns], by_segment.table[columns])
    widths = [found.table["high"] - found.table["low"] for found in (by_document, by_segment)]
    assert (widths[0] >= widths[1] - 1e-12).all() and (widths[1] > 0).all()
    assert "clusters:documents" in by_document.signature


def test_margins_are_those_of_the_public_functions(found, model, sample):
    X, _ = sample
    for (_, segment), row in list(found.pairs.iterrows())[::7]:
        two = X.loc[[(segment, row["system"])] * 2].set_axis(
            pd.MultiIndex.from_tuples([("new", "sound"), ("new", "corrupted")], names=X.index.names)
        )
        two["hypothesis"] = [row["sound"], row["corrupted"]]
        for name, values in (
            ("model_alone", score_candidates(model, two)),
            ("model_two", rank_candidates(model, two)["strength"]),
            ("bleu_alone", MetricScores(["bleu"]).fit_transform(two)[:, 0]),
            ("chrf_alone", MetricScores(["chrf"]).fit_transform(two)[:, 0]),
        ):
            values = np.asarray(values)
            assert row[name] == pytest.approx(values[0] - values[1], abs=1e-9), name
        many = pd.concat([X.loc[[segment]].rename(index={segment: "new"}), two.iloc[[1]]])
        strength = rank_candidates(model, many)["strength"]
        margin = strength["new", row["system"]] - strength["new", "corrupted"]
        assert row["model_many"] == pytest.approx(margin, abs=1e-9)


def test_counts_are_those_of_the_margins(found):
    for (kind, setting, judge), row in found.table.iterrows():
        margins = found.pairs.loc[[kind], f"{judge}_{setting}"]
        assert row["won"] == (margins > 0).sum() and row["tied"] == (margins == 0).sum()


def test_corruptions_are_those_of_the_table(found, sample):
    X, _ = sample
    for (_, segment), row in found.pairs.iterrows():
        assert row["sound"] == X.loc[(segment, row["system"]), "hypothesis"]
        assert row["corrupted"] != row["sound"]
    assert found.pairs.index.is_unique
    pairs = found.pairs.loc["reference_number"]
    for segment, row in pairs.iterrows():
        reference = X.loc[segment, "reference"].iloc[0]
        changed = [
            pair
            for pair in zip(reference.split(), row["corrupted"].split(), strict=True)
            if pair[0] != pair[1]
        ]
        assert len(changed) == 1
    assert (found.pairs.loc["empty", "corrupted"] == "").all()


def test_the_best_judged_translation_is_the_sound_one(sample):
    X, y = sample
    judge = Judge(lambda X: np.arange(len(X)))
    pairs = challenge(judge, X, y, kinds="empty", metrics=()).pairs
    best = y.groupby(level="segment").min()
    assert all(y[segment, row["system"]] == best[segment] for (_, segment), row in pairs.iterrows())
    assert len(pairs) == 128
    unjudged = challenge(judge, X, kinds="empty", metrics=()).pairs
    assert unjudged["system"].nunique() == 5


def test_neither_order_nor_labels_count(model, sample, found):
    X, y = sample
    order = np.random.default_rng(1).permutation(len(X))
    again = challenge(model, X.iloc[order], y.iloc[order], n_segments=12)
    pd.testing.assert_frame_equal(again.table, found.table)
    renamed = X.set_axis(
        pd.MultiIndex.from_tuples(
            [(f"s{900 - s}", t[::-1]) for s, t in X.index], names=X.index.names
        )
    )
    again = challenge(model, renamed, y.to_numpy(), n_segments=12)
    pd.testing.assert_frame_equal(again.table, found.table)
    assert again.signature.split("|data")[0] == found.signature.split("|data")[0]
    other = challenge(model, X, y, n_segments=12, random_state=1)
    assert set(other.pairs["sound"]) != set(found.pairs["sound"])


def test_ranking_tasks_are_joined(sample):
    X, y = sample
    one = challenge(knows(X), X, y, n_segments=5, metrics=["chrf"])
    tasks = [pd.concat({k: part}, names=["ranking"]) for k, part in ((1, X[::2]), (2, X))]
    ranks = [pd.concat({k: part}, names=["ranking"]) for k, part in ((1, y[::2]), (2, y))]
    both = challenge(
        knows(X), pd.concat(tasks), pd.concat(ranks), n_segments=5,
        metrics=["chrf"],
    )  # fmt: skip
    pd.testing.assert_frame_equal(one.table, both.table)


def test_one_system_and_no_references(sample):
    X, _ = sample
    one = X.xs("neural", level="system", drop_level=False).drop(columns="reference")
    found = challenge(knows(X), one)
    assert found.metrics == () and not found.table.index.unique("kind").str.startswith("ref").any()
    assert set(found.table.index.unique("kind")) == set(CORRUPTIONS)


def test_a_model_that_can_rank_only(sample):
    X, y = sample
    model = RankingPipeline([("features", ContrastiveScore()), ("rank", RankRecomposer())])
    model.fit(X[:300], y[:300])
    with pytest.warns(UserWarning, match="how far systems agree"):
        found = challenge(model, X[300:], kinds="empty", metrics=["bleu"])
    assert found.table.index.droplevel("kind").tolist() == [("many", "model"), ("alone", "bleu")]
    assert found.pairs.columns[3:].tolist() == ["model_many", "bleu_alone"]
    text = report_text(found)
    assert "The model can rank only" in text and "alone:" not in text
    one = X.xs("neural", level="system", drop_level=False)
    with pytest.raises(ValueError, match="no segment has more than 2 different"):
        challenge(model, one, kinds="empty")


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"kinds": "typo"}, ValueError, "reference_unit, found 'typo'"),
        ({"kinds": [["empty"]]}, ValueError, "found"),
        ({"kinds": []}, ValueError, "one at least"),
        ({"kinds": ["empty", "empty"]}, ValueError, "distinct"),
        ({"metrics": ["typo"]}, ValueError, "metrics"),
        ({"metrics": "bleu"}, ValueError, "metrics"),
        ({"metrics": ["bleu"], "name": "bleu"}, ValueError, "model's name"),
        ({"n_segments": 0}, ValueError, "n_segments"),
        ({"confidence": 1}, ValueError, "confidence"),
    ],
)
def test_wrong_options(sample, change, error, match):
    X, _ = sample
    with pytest.raises(error, match=match):
        challenge(knows(X), X, **change)


def test_wrong_tables(sample):
    X, y = sample
    judge = knows(X)
    no_reference = X.drop(columns="reference")
    for table, ranks, options, match in (
        (no_reference, None, {"kinds": "reference_name"}, "'reference_name' needs the column"),
        (no_reference, None, {"metrics": ["bleu"]}, "reference"),
        (X.assign(hypothesis=""), None, {}, "no kind of empty, .* applies"),
        (X, y.iloc[1:], {}, "y has 639"),
        (X.to_numpy(), None, {}, "DataFrame"),
        (X.drop(columns="hypothesis"), None, {}, "hypothesis"),
    ):
        with pytest.raises(CandidateError, match=match):
            challenge(judge, table, ranks, **options)
    twice = pd.concat([X, X.assign(source="other")], keys=["a", "b"], names=["ranking"])
    with pytest.raises(CandidateError, match="another source than a row before it"):
        challenge(judge, twice)
    with pytest.raises(TypeError, match="decision_function"):
        challenge(MetricScores(), X)


def test_real_data(data_dir):
    """WMT15: what no reader would prefer, chrF does not, either; of changed references it does."""
    X, y = load_wmt(data_dir / "wmt15", lang_pair="cs-en", return_X_y=True)
    found = challenge(bleu_pipeline().fit(X[:4000], y[:4000]), X[4000:], y[4000:], n_segments=60)
    chrf = found.table["proportion"].xs("chrf", level="judge").droplevel("setting")
    assert (found.table["n"] == 60).all()
    assert (chrf[["empty", "garbage", "other_segment"]] >= 0.98).all()
    assert (chrf[["reference_number", "reference_name", "reference_negation"]] < 0.15).all()
