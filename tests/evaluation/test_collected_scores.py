"""Scores of metrics brought together: files, computed metrics, models."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sacrebleu.metrics import BLEU
from sklearn.pipeline import make_union

from sklearn_mteval import RankRecomposer, kendall_tau, make_ranking_pipeline, save_model
from sklearn_mteval.datasets import Judgements
from sklearn_mteval.evaluation import (
    collect_scores,
    compare_metrics,
    evaluate_metrics,
    metrics_task,
)
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContrastiveScore, MetricScores, sentence_bleu
from sklearn_mteval.models import bleu_pipeline, rank_candidates
from sklearn_mteval.pairwise import blocks


@pytest.fixture
def judgements(rankings):
    """Of the first 20 of 30 segments."""
    X, y = rankings
    judged = X.index.get_level_values("segment") <= 20
    return Judgements(X[judged], y[judged], X, 30, ("ref",))


@pytest.fixture
def file(judgements, tmp_path):
    lines = [f"{k},{s},{k}.5,-{k}" for k, s in judgements.translations.index] + ["1,ref,7,7"]
    (tmp_path / "two.csv").write_text("\n".join(["segment,system,one,other", *lines]))
    return tmp_path / "two.csv"


def test_all_columns_of_a_file(judgements, file):
    found = collect_scores(judgements, files=[(None, file)])
    assert list(found) == ["one", "other"]
    segments = judgements.translations.index.get_level_values("segment")
    # In the file's order, without what is no translation at hand.
    assert found["one"].index.equals(judgements.translations.index)
    assert found["one"].tolist() == [segment + 0.5 for segment in segments]


def test_one_column_of_a_file_by_name(judgements, file):
    found = collect_scores(judgements, files=[("other", file)])
    assert list(found) == ["other"] and (found["other"] < 0).all()
    with pytest.raises(ValueError, match="has no column 'none', but 'one', 'other'"):
        collect_scores(judgements, files=[("none", file)])


def test_a_file_of_one_column_takes_any_name(judgements, tmp_path):
    systems = judgements.X.index.unique("system")
    lines = [f"{system} 0.{k % 10}" for system in systems for k in range(30)]
    (tmp_path / "m.seg.score").write_text("\n".join(lines))
    found = collect_scores(judgements, files=[("mine", tmp_path / "m.seg.score")])
    assert list(found) == ["mine"]
    assert found["mine"][12, systems[0]] == 0.1


@pytest.mark.parametrize("judged_only", [False, True])
def test_metrics_are_computed_of_all_translations_or_judged_ones(judgements, judged_only):
    found = collect_scores(judgements, metrics=["bleu", "bleu"], judged_only=judged_only)
    X = judgements.X if judged_only else judgements.translations
    assert list(found) == ["bleu"] and found["bleu"].index.equals(X.index)
    np.testing.assert_array_equal(found["bleu"], sentence_bleu(X))


def unwarned(model):
    """A model that has forgotten what it was trained on, as saved ones have."""
    return pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("judged_only", [False, True])
def test_models_are_asked_about_judged_rows_and_about_all_translations(
    judgements, tmp_path, judged_only
):
    model = bleu_pipeline().fit(judgements.X, judgements.y)
    save_model(model, tmp_path / "m")
    models = [(None, tmp_path / "m"), ("ours", unwarned(model))]
    found = collect_scores(judgements, models=models, judged_only=judged_only)
    assert list(found) == ["m", "ours"]
    for strengths, scores, competitors in found.values():
        assert competitors == "at-hand"
        expected = unwarned(model).decision_function(judgements.X)
        pd.testing.assert_series_equal(strengths, pd.Series(expected, judgements.X.index))
        X = judgements.X if judged_only else judgements.translations
        absolute = unwarned(model).set_params(rank__recomposition="absolute").decision_function(X)
        # Rows of one translation, in several rankings, are one.
        expected = pd.Series(absolute, X.index).groupby(level=["segment", "system"]).first()
        pd.testing.assert_series_equal(scores.sort_index(), expected, check_names=False)


def test_models_see_all_systems_of_judged_segments(judgements):
    columns = make_union(ContrastiveScore(), MetricScores(["chrf"]))
    seen = make_ranking_pipeline(columns, RankRecomposer())
    seen.fit(judgements.translations, judgements.translations["hypothesis"].str.len())
    few = judgements._replace(X=judgements.X.iloc[::2], y=judgements.y.iloc[::2])
    every, judged = (
        collect_scores(few, models=[("m", unwarned(seen))], judged_only=judged_only)["m"]
        for judged_only in (False, True)
    )
    pd.testing.assert_series_equal(every.strengths, judged.strengths)
    pd.testing.assert_series_equal(every.scores[judged.scores.index], judged.scores)
    assert len(judged.scores) == 80 and len(every.scores) == 120


@pytest.mark.parametrize(("judged_only", "block"), [(False, 8192), (True, 8192), (False, 20)])
def test_equal_texts_of_a_segment_are_ranked_once_as_for_users(
    judgements, judged_only, block, monkeypatch
):
    monkeypatch.setattr(blocks, "BLOCK", block)
    model = bleu_pipeline().fit(judgements.X, judgements.y)
    # In each segment two systems say what the first one says; one of the three is not judged.
    X = judgements.translations
    first, second, third, *_ = X.index.unique("system")
    said = X.xs(first, level="system")["hypothesis"]
    system, segment = (X.index.get_level_values(level) for level in ("system", "segment"))
    X = X.assign(hypothesis=X["hypothesis"].mask(system.isin([second, third]), said[segment].array))
    few = judgements.X.index[judgements.X.index.get_level_values("system") != third]
    copied = judgements._replace(X=X.loc[few], y=judgements.y[few], translations=X)
    found = collect_scores(copied, models=[("m", unwarned(model))], judged_only=judged_only)["m"]
    ranked = rank_candidates(unwarned(model), X)
    expected = ranked["strength"].reindex(few)
    pd.testing.assert_series_equal(found.strengths, expected, check_names=False)
    # They keep a row each, and a copy is no competitor: without copies strengths are the same.
    alone = X[~X.index.get_level_values("system").isin([second, third])]
    alone = rank_candidates(unwarned(model), alone)["strength"]
    expected = alone[alone.index.isin(few)]
    pd.testing.assert_series_equal(
        found.strengths[expected.index], expected, check_names=False, check_exact=True
    )


def test_annotators_who_saw_some_systems_do_not_change_strengths(judgements):
    model = bleu_pipeline().fit(judgements.X, judgements.y)
    shown = [judgements.X.iloc[start::4].assign(ranking=start) for start in range(4)]
    X = pd.concat(shown).set_index("ranking", append=True)
    X = X.reorder_levels(["segment", "ranking", "system"])
    several = judgements._replace(X=X, y=pd.Series(1.0, X.index))
    found = collect_scores(several, models=[("m", unwarned(model))])["m"].strengths
    ranked = rank_candidates(unwarned(model), judgements.translations)["strength"]
    expected = ranked.reindex(X.index.droplevel("ranking"))
    assert found.index.equals(X.index)
    np.testing.assert_array_equal(found, expected)


def test_stand_alone_scores_are_a_metric_of_their_own(judgements):
    models = [("m", unwarned(bleu_pipeline().fit(judgements.X, judgements.y)))]
    found = collect_scores(judgements, models=models, stand_alone=True)
    assert list(found) == ["m", "m:score"]
    pd.testing.assert_series_equal(found["m"].scores, found["m:score"])
    with pytest.raises(ValueError, match="two metrics are named 'm:score'"):
        collect_scores(judgements, models=[*models, ("m:score", models[0][1])], stand_alone=True)


def test_models_that_can_rank_only(judgements):
    ranks = make_ranking_pipeline(ContrastiveScore(), RankRecomposer())
    models = [("m", unwarned(ranks.fit(judgements.X, judgements.y)))]
    found = collect_scores(judgements, models=models, judged_only=True)["m"]
    table = evaluate_metrics(judgements.y, {"m": found}, level="segment", n_resamples=5).table
    groups = judgements.y.index.droplevel("system")
    assert table["wmt12"].iloc[0] == kendall_tau(judgements.y, found.strengths, groups=groups)
    for options in ({}, {"judged_only": True, "stand_alone": True}):
        with pytest.raises(ValueError, match="can rank, not score"):
            collect_scores(judgements, models=models, **options)


def test_models_that_cannot_be_asked(judgements):
    model = bleu_pipeline().fit(judgements.X, judgements.y)
    with pytest.raises(ValueError, match="a fitted model needs a name"):
        collect_scores(judgements, models=[(None, model)])
    less = judgements._replace(translations=judgements.translations.iloc[1:])
    with pytest.raises(CandidateError, match=r"\(1, 'system1'\) is judged, but not among"):
        collect_scores(less, models=[("m", unwarned(model))])


def test_two_metrics_of_one_name(judgements, file):
    with pytest.raises(ValueError, match="two metrics are named 'one'"):
        collect_scores(judgements, files=[(None, file), (None, file)])


def chinese(**known):
    """Two judged segments in Chinese, by two systems."""
    rows = [
        (1, "A", "今天天气很好。", "今天的天气很好。"),
        (1, "B", "今天下雨。", "今天的天气很好。"),
        (2, "A", "谢谢你的帮助。", "谢谢您的帮助！"),
        (2, "B", "我不知道。", "谢谢您的帮助！"),
    ]
    X = pd.DataFrame(rows, columns=["segment", "system", "hypothesis", "reference"])
    X = X.set_index(["segment", "system"])
    return Judgements(X, pd.Series([1, 2, 1, 2], X.index), X, 2, **known)


@pytest.mark.parametrize("language", ["zh", ""])
def test_words_are_those_of_the_target_language_or_script(language):
    judgements = chinese(target_language=language)
    found = collect_scores(judgements, metrics=["bleu", "chrf", "ter"])
    metric = BLEU(effective_order=True, tokenize="zh")
    texts = judgements.X[["hypothesis", "reference"]].to_numpy()
    expected = [metric.sentence_score(text, [reference]).score for text, reference in texts]
    assert found["bleu"].tolist() == pytest.approx(expected) and expected[0] > 30
    table = evaluate_metrics(judgements.y, found, level="segment", n_resamples=20)
    assert "|tok:tercom-normalized-asian,zh|" in table.signature
    assert table.table.loc["bleu", "wmt12"] == 1
    compared = compare_metrics(judgements.y, found, level="segment", n_resamples=20)
    assert "|tok:tercom-normalized-asian,zh|" in compared.evaluation.signature


def test_words_of_another_language():
    found = collect_scores(chinese(target_language="de"), metrics=["bleu"])
    table = evaluate_metrics(chinese().y, found, level="segment", n_resamples=20)
    assert "|tok:13a|" in table.signature
    found = collect_scores(chinese(), metrics=["chrf"])
    table = evaluate_metrics(chinese().y, found, level="segment", n_resamples=20)
    assert "tok:" not in table.signature


def test_tasks_say_what_parts_words():
    campaigns = {
        name: (chinese().y, collect_scores(chinese(), metrics=metrics))
        for name, metrics in (("x", ["chrf", "bleu"]), ("y", ["bleu", "chrf"]))
    }
    options = {"system_statistic": None, "n_permutations": 20}
    assert "|tok:x=zh+y=zh|" in metrics_task(campaigns, **options).signature
