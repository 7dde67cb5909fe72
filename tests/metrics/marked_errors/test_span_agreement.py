"""Agreement of marked errors, worked by hand and against a search of all matchings."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from sklearn_mteval._helpers.error_spans import ErrorSpan
from sklearn_mteval.datasets import load_judgements
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics import span_agreement
from sklearn_mteval.metrics.marked_errors import span_matching


def values(true, predicted, **options):
    return tuple(span_agreement(true, predicted, **options)["value"])


# True errors, predicted ones, and precision and recall by hand.
CASES = {
    "the same": ([(2, 6, "minor")], [(2, 6, "minor")], 1, 1),
    "a half of a longer one": ([(0, 4, "minor")], [(0, 8, "minor")], 4 / 8, 1),
    "overlap": ([(0, 4, "")], [(3, 5, "")], 1 / 2, 1 / 4),
    "neighbours": ([(0, 4, "")], [(4, 8, "")], 0, 0),
    "one of two": ([(0, 4, ""), (10, 20, "")], [(10, 15, "")], 1, (0 + 5 / 10) / 2),
    "two for one": ([(0, 10, "")], [(0, 5, ""), (5, 10, "")], (1 + 0) / 2, 5 / 10),
    # The first predicted one fits the second true one worse than the other does.
    "who gets whom": (
        [(0, 4, ""), (4, 8, "")],
        [(2, 8, ""), (5, 8, "")],
        (2 / 6 + 3 / 3) / 2,
        (2 / 4 + 3 / 4) / 2,
    ),
    "omissions": ([(None, None, ""), (0, 2, "")], [(None, None, "")], 1, 1 / 2),
    "omission and text": ([(None, None, "")], [(0, 2, "")], 0, 0),
    "source and text": ([ErrorSpan(0, 2, place="source")], [(0, 2, "")], 0, 0),
    "both sources": ([ErrorSpan(0, 2, place="source")], [ErrorSpan(1, 2, place="source")], 1, 0.5),
    "none marked": ([(0, 2, "")], [], 1, 0),
    "none there": ([], [(0, 2, "")], 0, 1),
    "none at all": ([], [], 1, 1),
}


@pytest.mark.parametrize("case", CASES)
def test_by_hand(case):
    true, predicted, precision, recall = CASES[case]
    total = precision + recall
    f = 2 * precision * recall / total if total else 0
    for average in ("micro", "macro"):
        assert values([true], [predicted], average=average) == pytest.approx((precision, recall, f))
    # The other way round it is the other way round.
    assert values([predicted], [true])[:2] == pytest.approx((recall, precision))


def test_averages():
    true = [[(0, 4, "")], [(0, 4, ""), (4, 8, ""), (8, 12, "")], []]
    predicted = [[], [(0, 4, "")], []]
    assert values(true, predicted) == pytest.approx((1, 1 / 4, 2 / 5))
    # Macro: translations in which nothing is marked count as much as those with many errors.
    by_translation = [(1, 0, 0), (1, 1 / 3, 1 / 2), (1, 1, 1)]
    expected = tuple(np.mean(by_translation, axis=0))
    assert values(true, predicted, average="macro") == pytest.approx(expected)


def test_severities():
    true = [[(0, 4, "major"), (10, 14, "minor"), (None, None, "minor"), (None, None, "major")]]
    predicted = [
        [(0, 4, "Minor "), (10, 12, "minor"), (None, None, "major"), (None, None, "major")]
    ]
    assert values(true, predicted)[:2] == pytest.approx(((1 + 1 + 2) / 4, (1 + 0.5 + 2) / 4))
    half = values(true, predicted, severity_credit=0.5)
    assert half[:2] == pytest.approx(((0.5 + 1 + 1.5) / 4, (0.5 + 0.5 + 1.5) / 4))
    none = values(true, predicted, severity_credit=0)
    assert none[:2] == pytest.approx(((0 + 1 + 1) / 4, (0 + 0.5 + 1) / 4))
    # Severities decide which of two is matched.
    true, predicted = [[(0, 4, "major"), (2, 6, "minor")]], [[(2, 4, "minor")]]
    assert values(true, predicted, severity_credit=0.5)[0] == 1


def test_characters():
    true = [[(0, 4, "major"), (10, 20, "minor")]]
    predicted = [[(2, 6, "minor"), (10, 20, "minor"), (None, None, "minor")]]
    # 2 of "major" and 10 of "minor" are shared, of 14 and of 4 + 10 + 1.
    options = {"measure": "characters"}
    assert values(true, predicted, **options)[:2] == pytest.approx((12 / 15, 12 / 14))
    found = values(true, predicted, **options, severity_credit=0.5)
    assert found[:2] == pytest.approx((11 / 15, 11 / 14))
    # What is marked twice counts twice.
    assert values([[(0, 2, "")]], [[(0, 2, ""), (0, 2, "")]], **options)[:2] == (0.5, 1)


def test_a_long_error_takes_no_longer_than_a_short_one():
    true, predicted = [[(0, 10**15, "major")]], [[(10**14, 10**15, "minor")]]
    found = values(true, predicted, measure="characters", severity_credit=0.5)
    assert found[:2] == pytest.approx((0.5, 0.45))


def brute_force(true, predicted, credit):
    """The best matching of all: F of its precision and recall."""
    best = 0.0
    swapped = len(true) > len(predicted)
    short, long = (predicted, true) if swapped else (true, predicted)
    for chosen in itertools.permutations(range(len(long)), len(short)):
        sums = [0.0, 0.0]
        for one, k in zip(short, chosen, strict=True):
            t, p = (long[k], one) if swapped else (one, long[k])
            shared = len(set(range(*t[:2])) & set(range(*p[:2]))) * (1 if t[2] == p[2] else credit)
            sums[0] += shared / (p[1] - p[0])
            sums[1] += shared / (t[1] - t[0])
        precision = sums[0] / len(predicted) if predicted else 1
        recall = sums[1] / len(true) if true else 1
        total = precision + recall
        best = max(best, 2 * precision * recall / total if total else 0)
    return best


spans = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 5), st.sampled_from(["minor", "major"])).map(
        lambda s: (s[0], s[0] + s[1], s[2])
    ),
    max_size=5,
)


@settings(max_examples=200, deadline=None)
@given(true=spans, predicted=spans, credit=st.sampled_from([0, 0.5, 1]))
def test_the_best_of_all_matchings(true, predicted, credit):
    found = values([true], [predicted], severity_credit=credit)
    assert found[2] == pytest.approx(brute_force(true, predicted, credit), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(true=spans, predicted=spans, seed=st.integers(0, 9))
def test_what_changes_nothing(true, predicted, seed):
    rng = np.random.default_rng(seed)
    shuffled = [[cell[k] for k in rng.permutation(len(cell))] for cell in (true, predicted)]
    for measure in ("mpp", "characters"):
        found = values([true, [], predicted], [predicted, [], true], measure=measure)
        again = values(
            [shuffled[1], shuffled[0], []], [shuffled[0], shuffled[1], []], measure=measure
        )
        assert found == again


def test_very_many_overlapping_spans_are_assigned(monkeypatch):
    rng = np.random.default_rng(0)
    cells = [
        [(int(a), int(a + n), "") for a, n in rng.integers([0, 5], [40, 30], size=(14, 2))]
        for _ in range(2)
    ]
    exact = values(*[[cell[:6]] for cell in cells])
    monkeypatch.setattr(span_matching, "_OPEN", 1)
    assigned = values(*[[cell[:6]] for cell in cells])
    assert exact[2] - 0.02 <= assigned[2] <= exact[2] + 1e-12
    assert 0 < values(*[[cell] for cell in cells])[2] <= 1
    same = values([cells[0] * 9], [cells[0] * 9])
    assert same == (1, 1, 1)


def test_intervals_are_of_segments():
    rng = np.random.default_rng(1)
    rows = pd.MultiIndex.from_product([range(60), ["A", "B"]], names=["segment", "system"])
    true = pd.Series([[(0, 4, "")] * int(k) for k in rng.integers(0, 2, 120)], index=rows)
    predicted = pd.Series([[(0, 4, "")] * int(k) for k in rng.integers(0, 2, 120)], index=rows)
    found = span_agreement(true, predicted)
    assert ((found["low"] < found["value"]) & (found["value"] < found["high"])).all()
    order = rng.permutation(120)
    again = span_agreement(true.iloc[order], predicted.iloc[order])
    pd.testing.assert_frame_equal(found, again, check_exact=True)
    by_row = span_agreement(list(true), list(predicted))
    assert by_row["value"].equals(found["value"])
    assert not by_row["low"].equals(found["low"])
    labels = [f"x{k}" for k in rows.get_level_values("segment")]
    other = span_agreement(list(true), list(predicted), segments=labels)
    pd.testing.assert_frame_equal(found, other, check_exact=True)
    assert span_agreement([[]], [[]])[["low", "high"]].isna().all(axis=None)


def test_intervals_are_never_points():
    """What is right everywhere may be wrong elsewhere: the more segments, the less."""
    widths = []
    for n in (1, 5, 50):
        row = span_agreement([[(0, 4, "")]] * n, [[(0, 4, "")]] * n).loc["precision"]
        assert (row["value"], row["high"]) == (1, 1)
        assert row["low"] == pytest.approx(binomtest(n, n).proportion_ci(method="wilson").low)
        widths.append(1 - row["low"])
    assert widths[0] > widths[1] > widths[2]
    together = span_agreement([[(0, 4, "")]] * 50, [[(0, 4, "")]] * 50, segments=[0] * 50)
    assert together.loc["precision", "low"] == pytest.approx(1 - widths[0])


BAD = {
    "a number": ([5], "y_true, translation 0: expected a list of spans, found 5"),
    "text": (["abc"], "expected a list of spans"),
    "an error that is none": ([["x"]], r"expected a span \(start, end, severity\)"),
    "backwards": ([[(4, 2, "")]], "expected 0 <= start <= end"),
    "negative": ([[(-1, 2, "")]], "expected 0 <= start <= end"),
    "half a character": ([[(0.5, 2, "")]], "expected whole numbers"),
    "True": ([[(True, 2, "")]], "expected whole numbers"),
    "another name": ([[{"start_i": 0, "end_i": 2}]], "expected a span with the names"),
    "a severity": ([[(0, 2, 5)]], "severity must be text"),
    "a place": ([[{"start": 0, "end": 2, "place": "target"}]], "place one of"),
    "no place": ([[ErrorSpan(0, 0, place="unknown")]], "an error has no place"),
    "too few": ([], "y_true has 0 translations, y_pred 1"),
    "all of it": ("abc", "must have a list of errors for each translation"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    given, message = BAD[case]
    with pytest.raises(CandidateError, match=message):
        span_agreement(given, [[]])


def test_bad_options():
    with pytest.raises(CandidateError, match="y_pred, translation 0: an error has no severity"):
        span_agreement([[]], [[(0, 2)]], severity_credit=0.5)
    for bad in (2, -1, "0.5", float("nan"), True):
        with pytest.raises(ValueError, match="severity_credit must be a number from 0 to 1"):
            span_agreement([[]], [[]], severity_credit=bad)
    with pytest.raises(ValueError, match=r"measure .*found "):
        span_agreement([[]], [[]], measure="f1")
    with pytest.raises(CandidateError, match="different indices"):
        span_agreement(pd.Series([[]], [0]), pd.Series([[]], [1]))


def test_raters_of_wmt23(data_dir):
    """Two raters of the same translations, each against the other; who is first does not matter."""
    raters = [
        load_judgements(data_dir / "wmt23", lang_pair="zh-en", gold=f"mqm.rater{k}").spans
        for k in (1, 2)
    ]
    both = raters[0].index.intersection(raters[1].index)
    one, other = (spans.loc[both] for spans in raters)
    found, turned = span_agreement(one, other), span_agreement(other, one)
    assert found["value"]["precision"] == turned["value"]["recall"]
    assert found.loc["f_score", "value"] == turned.loc["f_score", "value"]
    assert 0.1 < found.loc["f_score", "value"] < 0.6
    assert span_agreement(one, one)["value"].tolist() == [1, 1, 1]


@settings(max_examples=200, deadline=None)
@given(true=spans, predicted=spans)
def test_characters_are_those_of_sets(true, predicted):
    sets = [
        Counter((k, severity) for start, end, severity in some for k in range(start, end))
        for some in (true, predicted)
    ]
    shared, sizes = (sets[0] & sets[1]).total(), [some.total() for some in sets]
    found = values([true], [predicted], measure="characters", severity_credit=0)[:2]
    assume(all(sizes))
    assert found == pytest.approx((shared / sizes[1], shared / sizes[0]))
