"""Trees: the table that comes out, with a parser that stands in for the shipped ones."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from stand_in_parser import StandInParser, stand_in  # noqa: F401

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ParserStatistics
from sklearn_mteval.linguistic.trees import transformer
from sklearn_mteval.linguistic.trees.parses import TIMEOUT
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS
from sklearn_mteval.trees import BracketedTrees, Parses, Trees, read_brackets

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.fixture
def table():
    index = pd.MultiIndex.from_tuples([(1, "b"), (1, "a"), (0, "b")], names=["segment", "system"])
    return pd.DataFrame(
        {
            "note": [1, None, "x"],
            "hypothesis": ["a b", "", "c ( d"],
            "reference": [["a b", "e"], "a b", ("e",)],
        },
        index=index,
    )


def test_the_columns_that_come_out(table):
    before = table.copy(deep=True)
    found = Trees("shallow").fit_transform(table)
    expected = table.assign(
        hypothesis_tree=["(S (X a) (X b))", "()", "(S (X c) (X -LRB-) (X d))"],
        reference_tree=[
            ["(S (X a) (X b))", "(S (X e))"],
            "(S (X a) (X b))",
            ["(S (X e))"],
        ],
    )
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)  # object, not str
    pd.testing.assert_frame_equal(table, before)
    assert found["hypothesis_tree"].dtype == object


def test_each_distinct_text_is_parsed_once(table, stand_in):  # noqa: F811
    Trees().fit(table).transform(pd.concat([table, table]))
    assert sorted(stand_in) == ["", "a b", "c ( d", "e"]


def test_fitting_parses_nothing(table, stand_in):  # noqa: F811
    Trees().fit(table)
    assert stand_in == []


@pytest.mark.parametrize("kind", KINDS)
def test_kind_and_model_reach_the_parser(table, kind, monkeypatch):
    made = []
    monkeypatch.setattr(
        "sklearn_mteval.linguistic.trees.shipped.parsers.parser_of",
        lambda *given: made.append(given) or StandInParser(*given),
    )
    found = Trees(kind, parser_model="folder").fit_transform(table)
    assert set(made) == {(kind, "folder")}
    expected = StandInParser(kind).parse(table["hypothesis"])
    assert found["hypothesis_tree"].tolist() == expected


@pytest.mark.parametrize("cached", [False, True])
def test_any_number_of_processes_gives_the_same(tmp_path, monkeypatch, cached, capfd):
    monkeypatch.setattr(transformer, "_BATCH", 7)
    X = pd.DataFrame({"hypothesis": [f"{k % 50} ( {k % 7}" for k in range(300)]})
    options = {"columns": ["hypothesis"], "cache": tmp_path if cached else None}
    found = Trees(**options, n_jobs=2, progress=True).fit_transform(X)
    assert "300 of 300 sentences" in capfd.readouterr().err
    assert StandInParser.asked == []  # but in other processes
    monkeypatch.setattr(StandInParser, "asked", [])
    alone = Trees(**options).fit_transform(X)
    pd.testing.assert_frame_equal(found, alone)
    assert len(StandInParser.asked) == (0 if cached else 300)  # the cache has all of them
    assert "pars" not in capfd.readouterr().err


def test_a_parser_of_ones_own(table, tmp_path, stand_in):  # noqa: F811
    own = BracketedTrees({"a b": [(-2, "(S  (NP a)\n (VP b))"), (-3, "(S a)")], "e": "(())"})
    found = Trees(own, cache=tmp_path).fit_transform(table)
    assert found["hypothesis_tree"].tolist() == ["(S (NP a) (VP b))", "()", "()"]
    assert found["reference_tree"].tolist() == [
        ["(S (NP a) (VP b))", "()"],
        found.iloc[0, 3],
        ["()"],
    ]
    again = Trees(own, cache=tmp_path).fit_transform(table)
    pd.testing.assert_frame_equal(again, found)
    assert stand_in == []
    assert any(tmp_path.iterdir())


class Bad:
    """Stopped at empty texts, and makes trees that are none of the others."""

    signature = "bad"

    def __init__(self, tree):
        self.tree = tree

    def parse_nbest(self, sentences, n):
        for sentence in sentences:
            yield Parses("parsed", 1, np.zeros(0), self.tree) if sentence else Parses(TIMEOUT)


@pytest.mark.parametrize("tree", ["", "no tree", "(S (X a)", "(S a) (S b)"])
def test_a_parser_that_gives_no_tree(table, tree):
    with pytest.raises(ValueError, match="gave no tree in brackets for 'a b', but"):
        Trees(Bad(tree)).fit_transform(table)


def test_a_parser_that_was_stopped(table):
    found = Trees(Bad("(S x)")).fit_transform(table)
    assert found["hypothesis_tree"].tolist() == ["(S x)", "()", "(S x)"]


def test_a_table_need_not_have_the_columns_of_the_fit(table):
    fitted = Trees().fit(table)
    names = ["hypothesis_tree", "reference_tree"]
    assert list(fitted.get_feature_names_out()) == [*table, *names]
    for given in (table.iloc[:0], table.drop(columns="note"), table.reset_index(drop=True)):
        found = fitted.set_output(transform="pandas").transform(given)
        assert list(found) == [*given, *names]
        pd.testing.assert_index_equal(found.index, given.index)


def test_rows_in_any_order_and_repeated(table):
    fitted = Trees().fit(table)
    expected = fitted.transform(table)
    rows = [2, 0, 2, 1]
    pd.testing.assert_frame_equal(fitted.transform(table.iloc[rows]), expected.iloc[rows])


@pytest.mark.parametrize(
    ("options", "change", "problem"),
    [
        ({}, lambda X: X.drop(columns="reference"), "one column 'reference', found 0"),
        ({}, lambda X: X.assign(hypothesis=[None, "a", "b"]), "'hypothesis', row 0"),
        ({}, lambda X: X.assign(hypothesis=[["a"], "a", "b"]), "'hypothesis', row 0"),
        ({}, lambda X: X.assign(reference=["a", ["b", 1], "c"]), "'reference', row 1"),
        ({}, lambda X: X.to_numpy(), "Expected a pandas DataFrame"),
        ({}, lambda X: pd.concat([X, X], axis=1), "one column 'hypothesis', found 2"),
        (
            {"columns": ["hypothesis"]},
            lambda X: X.assign(hypothesis_tree="()"),
            r"column 'hypothesis_tree' already.*leave 'hypothesis' out of columns=, or rename",
        ),
    ],
)
def test_tables_that_are_refused(table, options, change, problem):
    with pytest.raises(CandidateError, match=problem):
        Trees(**options).fit(change(table))
    with pytest.raises(CandidateError, match=problem):
        Trees(**options).fit(table).transform(change(table))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"kind": "trees"}, r"kind .*\['shallow', .* or a parser.*found 'trees'"),
        ({"kind": None}, r"kind .*found "),
        ({"kind": ["shallow"]}, r"kind .*found "),
        ({"kind": StandInParser}, r"kind .*found "),
        ({"kind": StandInParser(), "parser_model": "folder"}, "leave one of them out"),
        ({"columns": "hypothesis"}, "columns must be a non-empty list or tuple"),
        ({"columns": []}, "columns must be a non-empty list or tuple"),
        ({"columns": ["hypothesis"] * 2}, "columns must be a non-empty list or tuple"),
        ({"n_jobs": 0}, "n_jobs must be None or an integer"),
    ],
)
def test_parameters_that_are_refused(table, options, problem):
    with pytest.raises(ValueError, match=problem):
        Trees(**options).fit(table)


def test_before_fit(table):
    with pytest.raises(NotFittedError):
        Trees().transform(table)
    with pytest.raises(NotFittedError):
        Trees().get_feature_names_out()


def test_saved_cloned_and_in_a_pipeline(table, tmp_path):
    trees = {"a b": "(S (NP (X a)) (VP (X b)))"}
    parts = Trees(BracketedTrees(trees), ["hypothesis"], cache=tmp_path / "cache")
    model = make_pipeline(parts, ParserStatistics("hypothesis_tree")).fit(table)
    expected = model.transform(table)
    assert expected[0, 4:7].tolist() == [1, 1, 0]  # NP, VP, PP
    save_model(model, tmp_path / "model")
    for again in (load_model(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.transform(table), expected)
    np.testing.assert_array_equal(clone(model).fit_transform(table), expected)
    save_model(Trees("dependency").fit(table), tmp_path / "shipped")
    found = load_model(tmp_path / "shipped").transform(table)["hypothesis_tree"]
    assert found.tolist() == StandInParser("dependency").parse(table["hypothesis"])


def test_hostile_texts_survive(tmp_path):
    texts = ["\ud800 (", ")( -LRB-", "a\x00b", "\u2028", "\x85 x", "日本", "a " * 3000]
    X = pd.DataFrame({"hypothesis": texts}, dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Trees(columns=["hypothesis"], cache=tmp_path).fit_transform(X)["hypothesis_tree"]
    for text, line in zip(texts, found, strict=True):
        [tree] = read_brackets(line)
        assert [word for _, word in tree.tagged_words()] == text.split()
        assert "\n" not in line
