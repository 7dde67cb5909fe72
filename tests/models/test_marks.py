"""Marks beside scores: their places, words and probabilities, whatever the texts."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from word_marker import WordMarker

from sklearn_mteval.candidates import check_columns
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import span_agreement
from sklearn_mteval.models import score
from sklearn_mteval.models.lists import _table
from sklearn_mteval.models.marks import marks_of, open_marker

SYSTEMS = {"A": ["the dog barks", "", "ok"], "B": ["a doggy barks", "x", "ok"]}
REFERENCES = ["the dog barks", "", "ok"]


def test_scores_and_a_table_of_marks():
    scores, marks = score(None, SYSTEMS, REFERENCES, model="static-en", marks=WordMarker())
    plain = score(None, SYSTEMS, REFERENCES, model="static-en")
    pd.testing.assert_frame_equal(scores[["score"]], plain)
    assert scores["error_free"].tolist() == pytest.approx([1, 1 / 5, 1, 1 / 3, 1, 1])
    assert list(marks) == ["start", "end", "severity", "probability", "words"]
    assert marks.index.tolist() == [(1, "B"), (1, "B"), (2, "B")]
    assert marks["words"].tolist() == ["a", "doggy", "x"]
    assert marks[["start", "end"]].to_numpy().tolist() == [[0, 1], [2, 7], [0, 1]]
    assert marks["severity"].tolist() == ["minor", "major", "minor"]
    assert marks["probability"].tolist() == pytest.approx([1 / 2, 5 / 6, 1 / 2])


def test_nothing_is_said_of_what_is_blank_everywhere():
    scores, marks = score(["", "x"], ["", "y"], ["", "z"], model="static-en", marks=WordMarker())
    assert scores["error_free"].isna().tolist() == [True, False]
    assert marks.index.tolist() == [(2, "translation")]
    scores, marks = score([""], [" "], [""], model="static-en", marks=WordMarker())
    assert scores.isna().all(axis=None) and len(marks) == 0 and "words" in marks


PIECES = [
    "<v>", "</v>", "<script>", "&amp;", "😀", "👩‍👩‍👧", "é",
    "\u0301", "\u00a0", "你好", "。", "שלום",
    "\u202e", "\r", "\t", "\u2028", " ", " ", " ", "word", "\ud800"[:0], "'", '"', "\x00",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_marks_lie_within_the_text_as_it_was_given(seed):
    rng = np.random.default_rng(seed)

    def text():
        return "".join(rng.choice(PIECES, rng.integers(0, 12)))

    n = int(rng.integers(1, 9))
    systems = {name: [text() for _ in range(n)] for name in "ABC"[: rng.integers(1, 4)]}
    systems["copy"] = systems["A"]
    X = _table(None, systems, [text() for _ in range(n)])
    found = marks_of(WordMarker(), X)
    covered = {}
    for label, mark in zip(found.table.index, found.table.to_dict("records"), strict=True):
        given = X.loc[[label], "hypothesis"].iloc[0]
        assert given[mark["start"] : mark["end"]] == mark["words"] != ""
        places = covered.setdefault(label, [])
        places += range(mark["start"], mark["end"])
    for label, places in covered.items():
        assert len(places) == len(set(places)) <= len(X.loc[[label], "hypothesis"].iloc[0])
    assert found.error_free.index.equals(X.index)
    # Neither the order of rows nor other systems matter.
    order = rng.permutation(len(X))
    again = marks_of(WordMarker(), X.iloc[order])
    pd.testing.assert_frame_equal(again.table.sort_index(kind="stable"), found.table.sort_index())
    one = X[X.index.get_level_values("system") == "copy"]
    alone = marks_of(WordMarker(), one).table.droplevel("system")
    pd.testing.assert_frame_equal(
        alone, found.table[found.table.index.get_level_values("system") == "A"].droplevel("system")
    )


class Careless(WordMarker):
    """A marker whose marks are changed by hand."""

    def __init__(self, change=None, certainty=0.4):
        self.change = change
        self.certainty = certainty

    def mark(self, X):
        return super().mark(X) if self.change is None else self.change(super().mark(X))

    def mark_and_judge(self, X):
        return self.mark(X), [self.certainty] * len(X)


@pytest.mark.parametrize(
    "change",
    [
        {"start": -1}, {"end": 99}, {"end": 0}, {"severity": "bad"}, {"severity": None},
        {"probability": 1.2}, {"probability": float("nan")}, {"start": 2, "end": 3},
    ],
)  # fmt: skip
def test_marks_that_are_none_are_refused(change):
    """The last change lets two marks of one translation overlap."""

    def changed(marks):
        marks = marks.astype({"severity": object})
        for name, value in change.items():
            marks.iloc[0, marks.columns.get_loc(name)] = value
        return marks

    with pytest.raises(CandidateError, match=r"the marker's mark \{'start'"):
        score(None, SYSTEMS, REFERENCES, model="static-en", marks=Careless(changed))


class TwoMinded(BaseEstimator):
    """Says what it is told of each translation: its spans, and the probability of no error."""

    def __init__(self, said):
        self.said = said

    def mark_and_judge(self, X):
        said = [self.said[text] for text in X["hypothesis"]]
        rows = [(k, *span, "minor", 0.9) for k, (spans, _) in enumerate(said) for span in spans]
        table = pd.DataFrame(rows, columns=["row", "start", "end", "severity", "probability"])
        rows = table.pop("row").to_numpy(dtype=int)
        return table.set_axis(X.index[rows]), [free for _, free in said]


def test_what_is_error_free_is_not_marked():
    said = {
        "a wrong 7": ([(2, 7), (8, 9)], 0.73), "just so": ([(0, 4)], 0.5),
        "not so": ([(0, 3)], 0.4999), "lacks": ([], 0.1), "fine": ([], 0.9),
    }  # fmt: skip
    texts = [*said, ""]
    X = _table(None, {"A": texts}, texts)
    found = marks_of(TwoMinded(said), X)
    assert found.table["words"].tolist() == ["not"]
    assert found.error_free.tolist()[:-1] == [free for _, free in said.values()]
    found = marks_of(TwoMinded(said), X, threshold=0.7)
    assert found.table["words"].tolist() == ["just", "not"]
    assert marks_of(TwoMinded(said), X, threshold=0).table.empty


@pytest.mark.parametrize("seed", range(10))
def test_nothing_is_both_marked_and_error_free_and_nothing_else_goes(seed):
    rng = np.random.default_rng(seed)
    texts = [f"{k} word" for k in range(int(rng.integers(1, 30)))]
    said = {
        text: ([(0, 1), (2, 5)][: rng.integers(3)], float(rng.choice([0, 0.2, 0.5, 0.6, 1])))
        for text in texts
    }
    X = _table(None, {"A": texts, "B": texts[::-1]}, texts)
    found = marks_of(TwoMinded(said), X)
    free = found.error_free >= 0.5
    assert not free[found.table.index].any()
    n_marked = found.table.groupby(level=[*range(X.index.nlevels)]).size()
    expected = pd.Series([len(said[text][0]) for text in X["hypothesis"]], X.index)[~free]
    assert n_marked.reindex(expected.index, fill_value=0).tolist() == expected.tolist()


class Reads(WordMarker):
    """A marker that cannot do without sources."""

    def mark(self, X):
        check_columns(X, ["source"])
        return super().mark(X)


def test_an_empty_source_for_the_model_is_none_for_the_marker():
    assert len(score(["x"], ["a"], ["b"], model="any", marks=Reads())[1]) == 1
    with pytest.raises(CandidateError, match="column 'source'"):
        score(None, ["a"], ["b"], model="any", marks=Reads())


def test_what_is_no_marker_and_probabilities_that_are_none():
    wrong = Careless(certainty=1.5)
    with pytest.raises(CandidateError, match=r"probabilities of no error must lie in \[0, 1\]"):
        score(None, SYSTEMS, REFERENCES, model="static-en", marks=wrong)
    elsewhere = Careless(lambda marks: marks.set_axis([(9, "A")] * len(marks)))
    with pytest.raises(CandidateError, match="of a translation that it was asked about"):
        score(None, SYSTEMS, REFERENCES, model="static-en", marks=elsewhere)
    with pytest.raises(ValueError, match="static-en marks no errors: expected an ErrorMarker"):
        score(None, SYSTEMS, REFERENCES, marks="static-en")
    with pytest.raises(ValueError, match="there is no folder 'nowhere'"):
        score(None, SYSTEMS, REFERENCES, marks="nowhere")
    assert isinstance(open_marker(WordMarker()), WordMarker)


def test_a_table_of_marks_is_compared_with_annotators():
    _, marks = score(None, SYSTEMS, REFERENCES, model="static-en", marks=WordMarker())
    index = pd.MultiIndex.from_product([[1, 2, 3], ["A", "B"]], names=["segment", "system"])
    people = pd.Series([[(0, 3, "minor")], [(2, 7, "major")], [], [], [], []], index)
    lists = [[], [(0, 1, "minor"), (2, 7, "major")], [], [(0, 1, "minor")], [], []]
    expected = span_agreement(people, pd.Series(lists, index), severity_credit=0.5)
    pd.testing.assert_frame_equal(span_agreement(people, marks, severity_credit=0.5), expected)
    assert expected["value"].tolist() == pytest.approx([1 / 3, 1 / 2, 2 / 5])
    # A row for each of two annotators' rankings.
    twice = people.set_axis(
        pd.MultiIndex.from_tuples(
            [(k, "r", s) for k, s in index], names=["segment", "ranking", "system"]
        )
    )
    assert span_agreement(twice, marks)["value"].tolist() == pytest.approx([1 / 3, 1 / 2, 2 / 5])
    with pytest.raises(CandidateError, match=r"found a mark of \(2, 'B'\), which is not there"):
        span_agreement(people.iloc[:2], marks)
    with pytest.raises(CandidateError, match="needs the columns start, end and severity"):
        span_agreement(people, marks.drop(columns="severity"))
    with pytest.raises(CandidateError, match="y_true must be a Series"):
        span_agreement(list(people), marks)
    with pytest.raises(CandidateError, match="expected levels of"):
        span_agreement(people, marks.rename_axis(["segment", "model"]))
