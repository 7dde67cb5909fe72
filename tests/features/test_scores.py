import pickle
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union

from sklearn_mteval import (
    BLEUComp,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    kendall_tau_scorer,
    load_model,
    save_model,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ScoreColumn, sentence_bleu
from sklearn_mteval.features.scores import columns_of_scores


def table(keys, names=("segment", "system")):
    return pd.DataFrame(index=pd.MultiIndex.from_tuples(keys, names=names))


@pytest.fixture
def X():
    """Three segments, two systems, a level between, rows in disorder, one row missing."""
    keys = [(2, "j1", "B"), (1, "j1", "A"), (3, "j2", "A"), (1, "j2", "A"), (2, "j1", "A")]
    return table([*keys, (1, "j1", "B")], names=["segment", "ranking", "system"])


A, B = [0.5, -1.0, 2e-3], [7.0, 8.0, 9.0]
EXPECTED = [8.0, 0.5, 2e-3, 0.5, -1.0, 7.0]


@pytest.fixture
def write(tmp_path):
    def write(text, name="scores"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


BY_PAIR = {(k + 1, s): v for s, values in (("A", A), ("B", B)) for k, v in enumerate(values)}
LEVELS = pd.MultiIndex.from_tuples([(s, k) for k, s in BY_PAIR], names=["system", "segment"])


@pytest.mark.parametrize(
    "scores",
    [
        "A\t0.5\nA\t-1\nA\t0.002\nB\t7\nB\t8\nB\t9\n",
        "B 7\nA 0.5\nA -1\nB 8\r\nB 9.0\nA 2e-3\n\n\n",
        "\ufeffA  0.5\nA   -1\nA  .2e-2\nB  7\nB  8\nB  9",
        {"A": A, "B": np.array(B), "C": [1]},
        {"A": tuple(A), "B": pd.Series(B)},
        BY_PAIR,
        pd.Series(list(BY_PAIR.values()), index=LEVELS)[::-1],
    ],
)
def test_each_kind_of_scores(X, write, scores):
    given = write(scores) if isinstance(scores, str) else scores
    transformer = ScoreColumn(given, name="comet").set_output(transform="pandas").fit(X)
    found = transformer.transform(X)
    pd.testing.assert_frame_equal(found, pd.DataFrame({"comet": EXPECTED}, index=X.index))
    lower = ScoreColumn(given, higher_is_better=False).fit_transform(X)
    assert lower.tolist() == [[-value] for value in EXPECTED]
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(transformer.transform(X.iloc[order]), found.iloc[order])
    assert ScoreColumn(given).fit(X).transform(X.iloc[:0]).shape == (0, 1)


def test_the_cures_that_errors_name(X):
    """A Series or mapping for each system is put together as the errors say."""
    labels = pd.Index([3, 2, 1], name="segment")
    scores = {"A": pd.Series(A[::-1], labels), "B": pd.Series(B[::-1], labels)}
    for given in (scores, {system: dict(column) for system, column in scores.items()}):
        columns = {system: pd.Series(given[system]) for system in given}
        together = pd.concat(columns, names=["system", "segment"])
        assert ScoreColumn(together).fit_transform(X).ravel().tolist() == EXPECTED


def test_one_score_per_line(X, write):
    path = write("0.5\n-1\n0.002\n")
    both = {"A": path, "B": str(write("7\n8\n9", "B"))}
    assert ScoreColumn(both).fit_transform(X).ravel().tolist() == EXPECTED
    alone = X[X.index.get_level_values("system") == "A"]
    assert ScoreColumn(path).fit_transform(alone).ravel().tolist() == [0.5, 0.002, 0.5, -1]
    with pytest.raises(ValueError, match=r"one score per line, but X has 2 systems: write"):
        ScoreColumn(path).fit(X)


def test_system_names_with_spaces(write):
    X = table([(1, "my system"), (1, "b c")])
    found = ScoreColumn(write("my system\t1\nb c\t2")).fit_transform(X)
    assert found.ravel().tolist() == [1, 2]
    found = ScoreColumn(write("my system 1\nb c 2")).fit_transform(X)
    assert found.ravel().tolist() == [1, 2]


def test_segments_that_are_no_line_numbers():
    X = table([("doc1:1", "A"), ("doc1:1", "B")])
    found = ScoreColumn({("doc1:1", "A"): 1, ("doc1:1", "B"): 2}).fit_transform(X)
    assert found.ravel().tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"segment 'doc1:1' of 'A'.*from \(segment, system\)"):
        ScoreColumn({"A": [1], "B": [2]}).fit(X)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A 1\nA 2\nB 7\nB 8\nB 9", "2 scores of 'A' and 3 of 'B'"),
        ("A 1\nA 2\nB 1\nB 2", "segment 3 of 'A', but there are scores of 2 other segment"),
        ("A 1\nB 2", "scores of whole systems"),
        ("A 1\nA 2\nA 3", "X holds the system 'B', but there are scores only of 'A'"),
        ("A 1\nA None\nA 3", r"scores, line 2: expected a system and a finite score.*'A None'"),
        ("A 1\nA nan", "line 2: expected"),
        ("A 1\nA inf", "line 2: expected"),
        ("A 1\n\nA 2", "line 2: expected a system and a finite score, found ''"),
        ("A 1\n2", "line 2: expected a system"),
        ("A 1_000", "line 1: expected a system"),
        ("1\n2\n", "but X has 2 systems"),
        ("1\nA 2\n", "line 2: expected a finite score, found 'A 2'"),
        ("", "empty file"),
        ("\n \n", "empty file"),
        (b"A 1\nA \xff", "UTF-8"),
        ("A 1".encode("utf-16"), "line 1: looks like UTF-16"),
    ],
)
def test_bad_files(X, write, text, message):
    with pytest.raises(ValueError, match=message):
        ScoreColumn(write(text)).fit(X)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (None, "scores must be a path"),
        ({}, "non-empty mapping"),
        ([1, 2], "scores must be a non-empty list or tuple of different names"),
        ([], "scores must be a non-empty list"),
        (["a", "a"], "scores must be a non-empty list or tuple of different names"),
        (["a", "b"], "The scores of 'a', 'b' are missing: .* give --scores a=FILE"),
        ("missing.txt", "missing.txt: cannot be read"),
        ({"A": A, "B": [1, 2, float("nan")]}, "of 'B', segment 3: expected a finite number"),
        ({"A": A, "B": [1, None, 3]}, "of 'B', segment 2: expected a finite number, found None"),
        ({"A": A, "B": [1, "2", 3]}, "'B'"),
        ({"A": A, "B": 5}, "scores of 'B' must be a path or a sequence"),
        ({"A": A, "B": [[1, 2, 3]]}, "scores of 'B' must be"),
        ({**BY_PAIR, (3, "A"): True}, "'A', segment 3: expected a finite number, found True"),
        ({k: v for k, v in BY_PAIR.items() if k != (2, "B")}, "2 of 'B', but .* of 2 other"),
        ({"A": A, "B": {1: 1.0, 3: 2.0}}, "scores of 'B' have labels.*else one Series"),
        ({"C": A, "D": [1]}, "X holds the system 'B', but there are scores only of 'C', 'D'"),
        ({(1, "A"): 1.0}, "X holds the system 'B'"),
        ({(1, "j", "A"): 1.0}, r"Expected \(segment, system\) as keys"),
        ({"A": A, "B": [1, Decimal(2), 3]}, "of 'B', segment 2: expected a finite number, found D"),
        ({"A": A, "B": [1, 10**400, 3]}, "of 'B', segment 2: expected a finite number, found 1000"),
        ({"A": A, "B": [1, 2j, 3]}, "of 'B', segment 1: expected a finite number"),
        ({"A": A, "B": np.ma.array(B, mask=[0, 1, 0])}, "'B', segment 2: expected .* masked"),
        ({"A": A, "B": pd.Series(B, index=[3, 2, 1])}, "of 'B' have labels.*list; .*concat"),
        ({"A": A, "B": pd.Series(B, index=LEVELS[:3])}, "of 'B' have labels.*list; .*concat"),
        (
            {"A": A, "B": pd.Series(B, index=pd.Index([1, 2, 3], name="segment"))},
            "of 'B' have labels.*concat",
        ),
        (pd.Series([1.0, 2.0]), "must be indexed by 'segment' and 'system'"),
        (pd.Series([1.0, 2.0], index=LEVELS[[0, 0]]), "two scores of segment 1 by 'A'"),
    ],
)
def test_bad_scores(X, scores, message):
    with pytest.raises(ValueError, match=message):
        ScoreColumn(scores).fit(X)


def test_other_bad_input(X):
    scores = {"A": A, "B": B}
    with pytest.raises(ValueError, match="name must be a non-empty string"):
        ScoreColumn(scores, name="").fit(X)
    with pytest.raises(ValueError, match="higher_is_better must be"):
        ScoreColumn(scores, higher_is_better="no").fit(X)
    with pytest.raises(ValueError, match=r"set_output\(transform='pandas'\)"):
        ScoreColumn(scores).fit(X.reset_index(drop=True))
    with pytest.raises(ValueError, match="not fitted"):
        ScoreColumn(scores).transform(X)
    fitted = ScoreColumn(scores).fit(X)
    with pytest.raises(ValueError, match="holds segment 0"):
        fitted.transform(table([(0, "A")]))


@pytest.mark.parametrize("kind", ["path", "lists", "pairs", "Series", "columns", "ranges"])
def test_clone_pickle_and_saving(X, write, tmp_path, kind):
    series = pd.Series(BY_PAIR).rename_axis(["segment", "system"])
    path = write("A 0.5\nA -1\nA 0.002\nB 7\nB 8\nB 9")
    scores = {
        "path": path,
        "lists": {"A": A, "B": B},
        "pairs": BY_PAIR,
        "Series": series,
        "columns": {"A": pd.Series(A), "B": pd.Series(B)},
        "ranges": {"A": pd.array(A, dtype="Float64"), "B": range(7, 10)},
    }[kind]
    fitted = ScoreColumn(scores, name="x").fit(X)
    assert clone(fitted).fit_transform(X).ravel().tolist() == EXPECTED
    save_model(fitted, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "model")):
        assert again.transform(X).ravel().tolist() == EXPECTED
        assert again.fit(X).get_feature_names_out().tolist() == ["x"]


def test_another_tools_scores_become_a_feature(rankings):
    """The strengths of sentence BLEU, handed over as a file's scores, are BLEU's own."""
    X, y = rankings
    scores = pd.Series(sentence_bleu(X), index=X.index)
    scores = scores.groupby(level=["segment", "system"]).first()
    column = ScoreColumn(scores).set_output(transform="pandas")
    np.testing.assert_array_equal(column.fit_transform(X)["score"], sentence_bleu(X))
    ranker = RankRecomposer(make_pipeline(PairDifference(), LogisticRegression()))
    pipe = make_pipeline(make_union(BLEUComp(), column), ranker).set_output(transform="pandas")
    grid = {"featureunion__scorecolumn__higher_is_better": [True, False]}
    search = GridSearchCV(pipe, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(3), n_jobs=2)
    assert search.fit(X, y).best_score_ > 0.2


def test_real_layout(data_dir, write):
    X, _ = load_wmt(data_dir / "wmt12", "cs-en", return_X_y=True)
    lines = []
    for system in X.index.unique("system"):
        lines += [f"{system}\t{len(system) + k / 7}" for k in range(1, 3004)]
    found = ScoreColumn(write("\n".join(lines))).fit_transform(X).ravel()
    expected = [len(system) + segment / 7 for segment, _, system in X.index]
    np.testing.assert_array_equal(found, expected)


def test_columns_of_the_table_are_standardised_and_averaged():
    """Worked by hand: means 2 and 20, deviations 1 and 10; a constant says nothing."""
    X = table([(1, "A"), (1, "B")]).assign(a=[1, 3], b=[30.0, 10.0], same=[7, 7])
    mean = ScoreColumn(["a", "b", "same"]).fit(X)
    np.testing.assert_array_equal(mean.mean_, [2, 20, 7])
    np.testing.assert_array_equal(mean.scale_, [1, 10, np.inf])
    assert mean.transform(X).ravel().tolist() == [0, 0]
    new = table([(5, "C"), (5, "A")]).assign(b=[20.0, 20.0], a=[5, -1], same=[9, 9])
    assert mean.transform(new).ravel().tolist() == [1, -1]
    worse = ScoreColumn(["a"], name="m", higher_is_better=False).fit(X)
    assert worse.transform(new).ravel().tolist() == [-3, 3]
    assert worse.get_feature_names_out().tolist() == ["m"]


def test_columns_that_are_missing_or_no_numbers():
    X = table([(1, "A"), (1, "B")]).assign(a=[1, 3], b=[30.0, 10.0])
    mean = ScoreColumn(["a", "b"]).fit(X)
    with pytest.raises(CandidateError, match="The scores of 'b' are missing: expected a column"):
        mean.transform(X[["a"]])
    for odd in (np.nan, np.inf, None, "x"):
        with pytest.raises(
            CandidateError, match=r"'b', row \(1, 'B'\): expected a score, .* 1 of 2"
        ):
            mean.transform(X.assign(b=pd.Series([30.0, odd], X.index, dtype=object)))


def test_columns_after_saving(tmp_path):
    rng = np.random.default_rng(0)
    X = table([(k, s) for k in range(9) for s in "AB"]).assign(
        **dict(zip("ab", rng.normal(size=(2, 18)), strict=True))
    )
    mean = ScoreColumn(["a", "b"]).fit(X)
    save_model(mean, tmp_path / "m")
    found = load_model(tmp_path / "m").transform(X)
    assert found.tobytes() == mean.transform(X).tobytes()
    assert clone(mean).scores == ["a", "b"]
    order = rng.permutation(18)
    again = ScoreColumn(["a", "b"]).fit(X.iloc[order]).transform(X)
    assert again.tobytes() == found.tobytes()


def test_which_columns_a_model_reads():
    mean, other = ScoreColumn(["b", "a"]), ScoreColumn({("x", 1): 2.0})
    union = make_union(ScoreColumn(["a", "c"]), make_pipeline(mean, BLEUComp()), other)
    assert columns_of_scores(make_pipeline(union, RankRecomposer())) == ["a", "c", "b"]
    assert columns_of_scores(make_pipeline(other, RankRecomposer())) == []
    assert columns_of_scores(RankRecomposer()) == []
