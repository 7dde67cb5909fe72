"""NormalizeText: the table that comes out, and what pipelines make of it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline, make_union

from sklearn_mteval import BLEUComp, RankRecomposer, load_model, make_ranking_pipeline, save_model
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ChrFComp, NormalizeText, normalization


@pytest.fixture
def table():
    index = pd.MultiIndex.from_tuples([(1, "b"), (1, "a")], names=["segment", "system"])
    return pd.DataFrame(
        {
            "note": ["&quot;", 3],
            "hypothesis": ["&quot;a&quot;", "b  c"],
            "reference": [["“a”", "—"], "b…"],
            "source": ["«s»", "«s»"],
        },
        index=index,
    )


def test_text_columns_are_normalised_and_nothing_else(table):
    before = table.copy(deep=True)
    found = NormalizeText().fit_transform(table)
    expected = table.assign(
        hypothesis=['"a"', "b c"], reference=[['"a"', "-"], "b..."], source=['"s"', '"s"']
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)  # object, not str
    pd.testing.assert_frame_equal(table, before)


@pytest.mark.parametrize("columns", [["hypothesis"], ("note", "reference")])
def test_columns_may_be_chosen(table, columns):
    table["note"] = table["hypothesis"]
    found = NormalizeText(columns).fit_transform(table)
    changed = {name for name in table if found[name].tolist() != table[name].tolist()}
    assert changed == set(columns)


@pytest.mark.parametrize("make", [tuple, lambda texts: np.array(texts, dtype=object)])
def test_several_references_in_other_containers(table, make):
    table["reference"] = pd.Series([make(["“a”", "b"])] * 2, index=table.index)
    assert NormalizeText().fit_transform(table)["reference"].tolist() == [['"a"', "b"]] * 2


def test_a_table_need_not_have_the_columns_of_the_fit(table):
    fitted = NormalizeText().fit(table)
    assert list(fitted.get_feature_names_out()) == list(table)
    for given in (table[["hypothesis"]], table.iloc[:0], table.reset_index(drop=True)):
        found = fitted.set_output(transform="pandas").transform(given)
        assert list(found) == list(given)
        pd.testing.assert_index_equal(found.index, given.index)


def test_each_distinct_text_is_normalised_once(table, monkeypatch):
    asked = []
    monkeypatch.setattr(normalization, "normalize_text", lambda text: asked.append(text) or text)
    NormalizeText().fit_transform(pd.concat([table, table]))
    assert len(asked) == len(set(asked)) == 6


@pytest.mark.parametrize(
    ("columns", "change", "problem"),
    [
        (None, lambda X: X[["note"]], r"one of the columns \['source', 'reference', 'hypothesis'"),
        (None, lambda X: X.to_numpy(), "Expected a pandas DataFrame"),
        (None, lambda X: X.assign(hypothesis=[None, "a"]), "'hypothesis', row 0"),
        (None, lambda X: X.assign(hypothesis=[["a"], "a"]), "'hypothesis', row 0"),
        (None, lambda X: X.assign(reference=[["a", 1], "a"]), "'reference', row 0"),
        (["target"], lambda X: X, "one column 'target', found 0"),
        (None, lambda X: pd.concat([X, X[["source"]]], axis=1), "one column 'source', found 2"),
    ],
)
def test_tables_that_are_refused(table, columns, change, problem):
    transformer = NormalizeText(columns)
    with pytest.raises(CandidateError, match=problem):
        transformer.fit(change(table))
    if columns is None:
        with pytest.raises(CandidateError, match=problem):
            NormalizeText().fit(table).transform(change(table))


@pytest.mark.parametrize("columns", ["hypothesis", [], ["source", "source"], [1], {"source"}])
def test_columns_that_are_none(table, columns):
    with pytest.raises(ValueError, match="columns must be a non-empty list or tuple"):
        NormalizeText(columns).fit(table)


def test_before_fit(table):
    with pytest.raises(NotFittedError):
        NormalizeText().transform(table)
    with pytest.raises(NotFittedError):
        NormalizeText().get_feature_names_out()


def test_in_pipelines_and_unions(tmp_path):
    X, y = load_sample(return_X_y=True)
    spoilt = X.assign(hypothesis=["&quot;  " + text + "…" for text in X["hypothesis"]])
    plain = X.assign(hypothesis=['" ' + text.strip() + "..." for text in X["hypothesis"]])
    plain = NormalizeText().fit_transform(plain)
    ranker = RankRecomposer()
    expected = make_ranking_pipeline(ChrFComp(), ranker).fit(plain, y).decision_function(plain)
    model = make_ranking_pipeline(NormalizeText(), ChrFComp(), clone(ranker)).fit(spoilt, y)
    assert model.decision_function(spoilt).tolist() == expected.tolist()
    save_model(model, tmp_path / "model")
    for again in (load_model(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        given = spoilt[["hypothesis", "reference"]]  # no source
        assert again.decision_function(given).tolist() == expected.tolist()

    union = make_union(BLEUComp(), make_pipeline(NormalizeText(), ChrFComp()))
    found = union.set_output(transform="pandas").fit_transform(spoilt)
    raw = BLEUComp().set_output(transform="pandas").fit_transform(spoilt)
    normalised = ChrFComp().set_output(transform="pandas").fit_transform(plain)
    assert found.iloc[:, : raw.shape[1]].to_numpy().tolist() == raw.to_numpy().tolist()
    assert found.iloc[:, raw.shape[1] :].to_numpy().tolist() == normalised.to_numpy().tolist()
    pd.testing.assert_index_equal(found.index, X.index)
