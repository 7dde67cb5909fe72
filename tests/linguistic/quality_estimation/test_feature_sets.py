"""The feature sets of Avramidis 2012, Table 3, with trees and models made by hand."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_mteval import (
    LogReg,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import (
    ContrastiveScore,
    LanguageCheck,
    LanguageModelScore,
    ParserStatistics,
    SurfaceCounts,
    feature_set,
)
from sklearn_mteval.linguistic.quality_estimation.feature_sets import FEATURE_SETS
from sklearn_mteval.linguistic.quality_estimation.language_check import CHECKS
from sklearn_mteval.linguistic.trees.shipped import parsers
from sklearn_mteval.trees import BracketedTrees

X, Y = load_sample(return_X_y=True)
X, Y = X.iloc[:150], Y.iloc[:150]
# One to three trees of each text, whatever its words.
TREES = {
    text: [(-k - len(text), "(S (NP (NN a)) (VP (VB b) (NP (NN c))) (. .))")
           for k in range(1 + len(text) % 3)]
    for column in ("source", "hypothesis") for text in X[column]
}  # fmt: skip


def everything():
    parser = BracketedTrees(TREES)
    sources, references = list(X["source"]), list(X["reference"])
    return {
        "language_model": LanguageModelScore(corpus=references, source_corpus=sources, order=3),
        "parser": ParserStatistics(parser, source_parser=parser),
    }


# What Table 3 prints, in its order: features of the source, then of the target.
TABLE_3 = {
    "1": (
        ["characters_per_token", "log_probability", "tokens", "noun_phrases"],
        ["log_likelihood", "unknown_words"],
        ["verb_phrases", "prepositional_phrases", "noun_phrases", "verbs", "tokens"],
        None,
    ),
    "2": (
        ["unknown_words"],
        ["unknown_words"],
        ["tokens", "parses", "verb_phrases", "log_likelihood"],
        None,
    ),
    "3": (
        ["unknown_words", "tokens", "dots", "commas", "characters_per_token", "log_probability"],
        ["log_probability"],
        [],
        "bleu",
    ),
    "2.1": (
        *[["unknown_words", "tokens", "parses", "verb_phrases", "log_likelihood"]] * 2,
        [],
        None,
    ),
    "2.2": (
        *[["unknown_words", "tokens", "parses", "verb_phrases", "noun_phrases", "log_likelihood"]]
        * 2,
        [],
        None,
    ),
    "2.4": (
        *[["unknown_words", "tokens", "parses", "verb_phrases", "log_likelihood"]] * 2,
        [],
        "meteor",
    ),
}
TABLE_3["4"] = TABLE_3["3"]


@pytest.mark.parametrize("name", TABLE_3)
def test_the_features_of_table_3(name):
    source, target, ratios, metric = TABLE_3[name]
    union = feature_set(name, **everything()).set_output(transform="pandas")
    found = union.fit_transform(X)
    columns = [column.split("__")[1] for column in found]
    expected = [f"source_{n}" for n in source] + [f"hypothesis_{n}" for n in target]
    expected += [f"{n}_ratio" for n in ratios]
    expected += [f"contrastive_{metric}_score"] if metric else []
    assert sorted(columns) == sorted(expected)
    pd.testing.assert_index_equal(found.index, X.index)
    assert np.isfinite(found).all(axis=None)


def test_every_set_of_the_paper_is_there():
    assert set(FEATURE_SETS) == {*TABLE_3, "2.3"}


def test_numbers_are_those_of_the_transformers():
    union = feature_set("2.4", **everything()).set_output(transform="pandas")
    found = union.fit_transform(X)
    alone = SurfaceCounts().set_output(transform="pandas").fit_transform(X)
    np.testing.assert_array_equal(found["surface__hypothesis_tokens"], alone["hypothesis_tokens"])
    alone = ContrastiveScore("meteor").fit_transform(X)
    np.testing.assert_array_equal(found.iloc[:, -1], alone[:, 0])


@pytest.fixture
def shipped(monkeypatch):
    """Put a parser of all the sample's texts into the place of the shipped one."""
    monkeypatch.setattr(parsers, "ConstituencyParser", lambda: BracketedTrees(TREES))


def test_what_is_lacking_is_said(shipped):
    parser = ParserStatistics(BracketedTrees(TREES))
    with pytest.warns(UserWarning, match="source_parses.* are missing.*describes the source too"):
        union = feature_set("2.1", parser=parser)
    [_, (step, transformer)] = union.transformer_list
    assert step == "parser"
    assert transformer.features == [f"hypothesis_{n}" for n in TABLE_3["2.1"][1][2:]]
    with pytest.warns(UserWarning, match="'2': .*_ratio.* missing: pass parser=ParserStat"):
        union = feature_set("2")
    assert [step for step, _ in union.transformer_list] == ["surface"]
    assert "tokens_ratio" in union.transformer_list[0][1].features
    with pytest.warns(UserWarning, match="language_check=LanguageCheck"):
        union = feature_set("2.3")
    assert [step for step, _ in union.transformer_list] == ["surface", "parser", "contrastive"]


@pytest.mark.parametrize("name", [name for name in TABLE_3 if name not in ("2", "3", "4")])
def test_without_a_parser_the_shipped_one_parses_the_translations(shipped, name):
    """And no source, which may be of any language: what needs it is named as missing."""
    given = {"language_model": everything()["language_model"]}
    with pytest.warns(UserWarning, match="are missing: pass") as warned:
        union = feature_set(name, **given)
    wanted = FEATURE_SETS[name]["parser"]
    translations = [feature for feature in wanted if feature.startswith("hypothesis_")]
    [message] = [str(warning.message) for warning in warned]
    sources = [feature for feature in wanted if feature not in translations]
    assert f"Feature set {name!r}: {sources} are missing: pass" in message
    assert "parser=ParserStatistics(…)" in message and "describes the source too" in message
    found = union.set_output(transform="pandas").fit_transform(X)
    own = ParserStatistics(BracketedTrees(TREES), features=translations)
    columns = [column for column in found if column.startswith("parser__")]
    assert columns == [f"parser__{feature}" for feature in translations]
    np.testing.assert_array_equal(found[columns], own.fit_transform(X))


@pytest.mark.parametrize("name", ["3", "2.1"])
def test_the_shipped_parser_is_not_asked_for_where_it_is_not_needed(monkeypatch, name):
    def refuse():
        raise AssertionError

    monkeypatch.setattr(parsers, "ConstituencyParser", refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        feature_set(name, **everything())


def test_parts_that_are_given(shipped):
    given = {"surface": SurfaceCounts(min_count=7), "contrastive": ContrastiveScore("chrf")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        union = feature_set("2.1", **given)
    steps = dict(union.transformer_list)
    assert steps["surface"].min_count == 7 and given["surface"].features is None
    assert steps["contrastive"].metric == "chrf"
    union = clone(union).set_params(contrastive="drop", parser="drop")
    union.set_output(transform="pandas")
    assert all(column.startswith("surface__") for column in union.fit_transform(X))


def test_an_unknown_set():
    with pytest.raises(ValueError, match=r"name .*\['1', .*found '5'"):
        feature_set("5")


@pytest.mark.slow
def test_in_a_grid_search_and_saved(tmp_path):
    union = feature_set("2.4", **everything())
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogReg(stepwise=True)))
    pipe = make_pipeline(union, ranker).set_output(transform="pandas")
    grid = {
        "featureunion__contrastive__metric": ["chrf", "bleu"],
        "rankrecomposer__recomposition": ["hard", "soft"],
    }
    search = GridSearchCV(pipe, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(3)).fit(X, Y)
    assert len(search.cv_results_["mean_test_score"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    save_model(search.best_estimator_, tmp_path / "model")
    found = load_model(tmp_path / "model").decision_function(X)
    np.testing.assert_array_equal(found, search.best_estimator_.decision_function(X))


def test_the_checkers_of_set_2_3():
    """Asked of the machine: with all tools nothing is missing, and each part is named."""
    parser = BracketedTrees(TREES)
    checks = LanguageCheck("en_US", source_language="de_DE", parser=parser, source_parser=parser)
    if len(checks.possible_features()) < 3 * sum(map(len, CHECKS.values())):
        pytest.skip("enchant, a dictionary of en_US or de_DE, style or diction is missing")
    parts = {"parser": everything()["parser"], "language_check": checks}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        union = feature_set("2.3", **parts)
    found = union.set_output(transform="pandas").fit_transform(X.iloc[:20])
    surface = ["unknown_words", "tokens", "dots", "commas"]
    language = ["misspelt_words", "skipped_words", "passive_sentences", "nominal_sentences"]
    names = [*surface, "parses", *language, "wordy_phrases"]
    expected = [f"{side}_{name}" for side in ("source", "hypothesis") for name in names]
    columns = [column.split("__")[1] for column in found]
    assert sorted(columns) == sorted([*expected, "contrastive_meteor_score"])
    # A parser of one side only: grammar is checked there.
    parts["language_check"] = checks.set_params(source_parser=None)
    with pytest.warns(UserWarning, match=r"\['source_skipped_words'\] are missing"):
        union = feature_set("2.3", **parts)
    assert "hypothesis_skipped_words" in dict(union.transformer_list)["language_check"].features
    assert union.fit_transform(X.iloc[:20]).shape == (20, len(columns) - 1)


@pytest.mark.parametrize("name", [["1"], {}, None, 1, "5"])
def test_what_is_no_name_of_a_set_is_refused(name):
    with pytest.raises(ValueError, match=r"name .*found "):
        feature_set(name)
