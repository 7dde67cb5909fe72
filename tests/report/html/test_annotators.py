"""What annotators said stays with the one who said it."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval._helpers.error_spans import ErrorSpan
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.datasets.judgements import Judgements
from sklearn_mteval.report.html.annotators import Said, names_of, said_by_annotators
from sklearn_mteval.report.html.contents import contents_of_judgements

WRONG = [ErrorSpan(0, 1, "major")]


def table(names, labels):
    return pd.MultiIndex.from_tuples(labels, names=names)


@pytest.fixture
def X():
    index = table(["segment", "system"], [(1, "A"), (1, "B"), (2, "A"), (2, "B")])
    return pd.DataFrame({"hypothesis": list("wxyz")}, index)


def test_raters_of_means(X):
    """The second translation has only a mean, the third nothing, the fourth a mark alone."""
    y = pd.Series([3.0, 2.0], table(["segment", "system"], [(1, "A"), (1, "B")]))
    said = [(1, "ann", "A"), (1, "bob", "A"), (2, "ann", "B"), (7, "ann", "A")]
    index = table(["segment", "rater", "system"], said)
    marks = pd.Series([WRONG, [], WRONG, []], index, dtype=object)
    ratings = pd.Series([5.0, 1.0, np.nan, 0.0], index)
    judgements = Judgements(X=X.iloc[:2], y=y, translations=X, marks=marks, ratings=ratings)
    found = said_by_annotators(judgements, X)
    assert found["annotators"][:3] == [
        [Said("ann", 5.0, WRONG), Said("bob", 1.0, [])],
        [Said("", 2.0, [])],
        [],
    ]
    [(name, value, spans)] = found["annotators"][3]
    assert (name, spans) == ("ann", WRONG) and np.isnan(value)
    np.testing.assert_array_equal(found["human"], [-3.0, -2.0, np.nan, np.nan])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_judgements_of_their_own(X, sign):
    """Scores, which y has with a minus, are shown as they were given."""
    labels = [(1, "r", "A"), (1, "s", "A"), (2, "r", "B"), (9, "r", "A")]
    index = table(["segment", "ranking", "system"], labels)
    y = pd.Series([1.0, 3.0, 2.0, 1.0], index) * sign
    judges = pd.Series(["ann", "", "ann", "ann"], index)
    spans = pd.Series([WRONG, [], [], []], index, dtype=object)
    judgements = Judgements(X=X, y=y, translations=X, judges=judges, spans=spans)
    found = said_by_annotators(judgements, X)
    assert found["annotators"] == [
        [Said("ann", 1.0, WRONG), Said("", 3.0, [])], [], [], [Said("ann", 2.0, [])],
    ]  # fmt: skip
    np.testing.assert_array_equal(found["human"], [-2 * sign, np.nan, np.nan, -2 * sign])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], []),
        ([""], []),
        (["ann"], ["ann"]),
        (["", ""], ["annotator 1", "annotator 2"]),
        (["ann", "", "ann"], ["ann", "annotator 2", "ann (2)"]),
    ],
)
def test_names(given, expected):
    assert names_of([Said(name, 1.0, []) for name in given]) == expected


def test_raters_of_a_file(tmp_path):
    """MQM, as it is published: each rater's penalty and marks, by name."""
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = ["ann\ts\t<v>w</v>\tAccuracy/Addition\tMajor", "bob\ts\tw\tNo-error\tNo-error"]
    file = tmp_path / "mqm.tsv"
    file.write_text(header + "".join(f"A\td\t1\t1\t{row}\n" for row in rows))
    contents = contents_of_judgements({"": (load_judgements(file), None)})
    [segment] = json.loads("".join(contents["segments"]["data"]))["segments"]
    [translation] = segment["translations"]
    assert translation["judges"] == ["ann", "bob"] and translation["judged"] == [5, 0]
    [span] = translation["spans"]
    assert (span["judge"], span["start"], span["end"]) == ("ann", 0, 1)
