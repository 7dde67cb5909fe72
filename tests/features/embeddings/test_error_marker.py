"""Marking errors: words learnt from annotators' marks, by a reader of the first layer of MiniLM."""

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import multilingual_model, one_layer_model
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_mteval import load_model, load_pretrained, save_model
from sklearn_mteval._helpers.error_spans import error_spans_of
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import CrossEncoder, ErrorMarker
from sklearn_mteval.features.embeddings._annotated_words import shares_of
from sklearn_mteval.features.embeddings._cross_encoder_network import CrossNetwork
from sklearn_mteval.features.embeddings._error_head import (
    JudgedWords,
    best_threshold,
    spans_of,
    weighted_logistic,
)
from sklearn_mteval.features.embeddings._word_states import WordReader, group_tokens

GOOD, MINOR, MAJOR = ["fine", "clear", "right"], ["bad", "murky"], ["wrong", "false"]
WORDS = [*GOOD, *GOOD, *MINOR, *MAJOR]


def judged(n, seed):
    """Texts of random words, with the errors of each: the words that are not good."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for segment in range(n):
        for system in "AB":
            words = rng.choice(WORDS, rng.integers(3, 8))
            rows.append((f"Satz {segment}", f"reference {segment}", " ".join(words)))
            labels.append((segment, system))
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    X = pd.DataFrame(rows, index, columns=["source", "reference", "hypothesis"])
    return X, X["hypothesis"].map(errors_in).rename("marks")


def errors_in(text):
    """List (start, end, severity) of the words that are not good."""
    found, start = [], 0
    for word in text.split(" "):
        if word in MINOR or word in MAJOR:
            found.append((start, start + len(word), "minor" if word in MINOR else "major"))
        start += len(word) + 1
    return found


def reader(columns=("source", "hypothesis"), **options):
    """Train a reader on which of two texts has fewer errors."""
    X, marks = judged(8, seed=5)
    judge = CrossEncoder(
        one_layer_model(), columns=columns, n_frozen_layers=0, adapter_rank=2, **options
    )
    return judge.fit(X, marks.map(len).astype(float))


@pytest.fixture(scope="module")
def fitted():
    return ErrorMarker(reader()).fit(*judged(60, seed=0))


def words_of(text, tokens):
    return [text[start:end] for start, end, *_ in group_tokens(text, tokens)]


@pytest.mark.parametrize(
    ("text", "tokens", "words"),
    [
        ("a bc", [(0, 1), (1, 3), (3, 4)], ["a", "bc"]),  # " b" begins with white space
        ("a\u00a0b\u3000c", [(0, 1), (1, 3), (3, 5)], ["a", "b", "c"]),
        ("12,345.6kg.", [(0, 2), (2, 3), (3, 6), (6, 8), (8, 10), (10, 11)], ["12,345.6kg", "."]),
        ("it's (so)", [(0, 2), (2, 3), (3, 4), (5, 6), (6, 8), (8, 9)], ["it's", "(", "so", ")"]),
        ("他们说，好", [(0, 2), (2, 3), (3, 4), (4, 5)], ["他们", "说", "，", "好"]),
        ("e\u0301te\u0301 x", [(0, 4), (5, 7)], ["e\u0301te\u0301", "x"]),  # an accent is left out
        ("😀😀b", [(0, 1), (0, 1), (1, 2), (2, 3)], ["😀", "😀", "b"]),  # bytes of one character
        ("a  ", [(0, 1), (1, 2), (2, 3)], ["a"]),
        ("", [], []),
    ],
)
def test_words_are_what_people_see(text, tokens, words):
    assert words_of(text, tokens) == words


def test_tokens_of_a_word_are_its_own():
    assert group_tokens("a bcd", [(0, 1), (1, 2), (2, 4), (4, 5)]) == [[0, 1, 0, 0], [2, 5, 2, 3]]


def test_shares_by_hand():
    """Three annotators: who marks a word twice counts once, and as a major error."""
    ranges = np.array([[0, 3], [4, 7], [8, 11]])
    lists = [[(0, 2, "minor"), (4, 11, "major")], [(5, 6, "minor"), (5, 7, "critical")], []]
    found = shares_of(ranges, [error_spans_of(errors) for errors in lists])
    np.testing.assert_allclose(found, np.array([[1, 0], [0, 2], [0, 1]]) / 3)


def test_the_threshold_is_the_best_of_all():
    rng = np.random.default_rng(0)
    error, lengths = rng.random(50).round(1), rng.integers(1, 9, 50)
    shares = rng.dirichlet([1, 1, 1], 50)[:, :2]

    def f(threshold):
        right = (lengths * shares.sum(axis=1))[error >= threshold].sum()
        return (
            2 * right / (lengths[error >= threshold].sum() + (lengths * shares.sum(axis=1)).sum())
        )

    threshold = best_threshold(error, shares, lengths)
    assert f(threshold) == pytest.approx(max(map(f, np.unique(error))))


def test_runs_of_words_are_spans():
    ranges = np.array([[0, 3], [4, 7], [8, 11], [12, 15]])
    found = JudgedWords(ranges, np.array([0.5, 0.7, 0.1, 0.4]), np.array([0.9, 0.2, 1, 0.1]), 0.0)
    assert spans_of(found, 0.4) == [(0, 7, "minor", 0.6), (12, 15, "minor", 0.4)]
    assert spans_of(found, 0.55) == [(4, 7, "minor", 0.7)]
    assert spans_of(found._replace(major=np.full(4, 0.5)), 0.1)[0][:3] == (0, 15, "major")


def test_a_curve_of_one_label_is_its_proportion():
    coefficients, intercept = weighted_logistic(np.ones((3, 2)), np.zeros(3), np.ones(3))
    assert not coefficients.any()
    assert intercept < -1


def test_it_marks_what_annotators_mark(fitted):
    X, marks = judged(20, seed=1)
    found = fitted.mark(X)
    assert list(found) == ["start", "end", "severity", "probability"]
    assert found.index.names == ["segment", "system"]
    assert found["probability"].between(fitted.threshold_, 1).all()
    for label, errors in marks.items():
        text = X["hypothesis"][label]
        spans = found[found.index == label][["start", "end", "severity"]].to_numpy()
        told = {k for start, end, _ in spans for k in range(start, end) if text[k] != " "}
        assert told == {k for start, end, _ in errors for k in range(start, end)}
        for start, end, severity in spans:
            if text[start:end] in MINOR + MAJOR:  # neighbours are one error
                assert (start, end, severity) in errors
    free = fitted.error_free(X)
    assert free.between(0, 1).all()
    sound = marks.map(len) == 0
    assert free[sound].min() > 0.5 > free[~sound].max()


def test_other_rows_change_no_bit(fitted):
    X, _ = judged(12, seed=2)
    spans, free = fitted.mark_and_judge(X)
    assert fitted.error_free(X).equals(free)
    for some in (X.iloc[::-1], X.iloc[3:5], pd.concat([X, X])):
        marked, said = fitted.mark_and_judge(some)
        for label in some.index.unique():
            pd.testing.assert_frame_equal(
                marked.loc[[label]].drop_duplicates() if label in marked.index else marked[:0],
                spans.loc[[label]] if label in spans.index else spans[:0],
                check_exact=True,
            )
            assert set(said[[label]]) == set(free[[label]])


def test_characters_are_those_of_the_text_as_it_was_given(fitted):
    texts = ["😀  fine\u00a0wrong ", "\twrong", "fine &quot;wrong&quot; “wrong”", "wrong" * 3]
    X = pd.DataFrame({"source": "Satz", "hypothesis": texts})
    for row, start, end in fitted.mark(X)[["start", "end"]].itertuples():
        assert 0 <= start < end <= len(texts[row])
        marked = texts[row][start:end]
        assert marked == marked.strip()
    first = fitted.mark(X.iloc[:1])
    assert "wrong" in [texts[0][a:b] for a, b in first[["start", "end"]].to_numpy()]


def test_nothing_to_read(fitted):
    X = pd.DataFrame({"source": ["Satz", "", " "], "hypothesis": ["", "", "\n"]})
    spans, free = fitted.mark_and_judge(X)
    assert spans.empty
    assert spans["start"].dtype == int
    assert free.tolist() == [0, 1, 1]
    assert fitted.mark(X[:0]).empty
    assert fitted.error_free(X[:0]).empty


@pytest.mark.filterwarnings("error")
def test_what_is_cut_is_unmarked_and_said(fitted):
    text = "fine " * 300 + "wrong wrong"
    X = pd.DataFrame({"source": ["Satz"], "hypothesis": [text]})
    with pytest.warns(UserWarning, match="reads 256 tokens"):
        found = fitted.mark(X)
    assert (found["end"] < 5 * 256).all()


def test_several_annotators_and_any_order():
    X, marks = judged(24, seed=3)
    lazy = marks.map(lambda errors: errors[:1])
    both = pd.concat({"ann": marks, "bob": lazy}, names=["rater"])
    marker = ErrorMarker(reader()).fit(X, both)
    again = ErrorMarker(marker.reader).fit(X.iloc[::-1], both.reorder_levels([1, 0, 2])[::-1])
    assert again.threshold_ == marker.threshold_
    for name, array in marker.weights_.items():
        np.testing.assert_array_equal(array, again.weights_[name])
    # What only one of two marks is less certain than what both do.
    spans = marker.mark(X)
    assert spans["probability"].between(0.3, 0.9).any()


def test_three_texts_and_the_best_reference():
    judge = reader(("source", "reference", "hypothesis"), text_dropout=0.2)
    X, marks = judged(24, seed=4)
    marker = ErrorMarker(judge).fit(X, marks)
    several = X.assign(reference=[[a, "fine clear right"] for a in X["reference"]])
    each = [X.assign(reference=[c[k] for c in several["reference"]]) for k in (0, 1)]
    scores = np.stack([judge.transform(table)[:, 0] for table in each])
    free = np.stack([marker.error_free(table) for table in each])
    best = free[scores.argmax(axis=0), np.arange(len(X))]
    np.testing.assert_array_equal(marker.error_free(several), best)
    assert len(marker.error_free(X.drop(columns="source"))) == len(X)


def test_slopes_are_those_of_autograd():
    """Each output's derivative by the mean of the translation's tokens."""
    judge = reader(("source", "reference", "hypothesis"))
    words = WordReader(*judge._trained())
    rng = np.random.default_rng(0)
    means = [torch.from_numpy(rng.normal(size=(2, 384))) for _ in range(3)]
    means[2].requires_grad_()
    parts = [*means]
    for other in means[:2]:
        parts += [(other - means[2]).abs(), other * means[2]]
    network: CrossNetwork = words.network
    seen = torch.cat(parts, dim=1).float()
    output = network.output(torch.tanh(network.hidden(seen)))[:, 0]
    (expected,) = torch.autograd.grad(output.sum(), means[2])
    numbers = seen.detach().numpy()
    found = words._slopes(numbers, network.judged(numbers)[1])
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-4, atol=1e-6)


def test_a_saved_marker_marks_the_same(fitted, tmp_path):
    X, _ = judged(5, seed=6)
    save_model(fitted, tmp_path / "whole")
    pd.testing.assert_frame_equal(load_model(tmp_path / "whole").mark(X), fitted.mark(X))
    alone = clone(fitted)
    alone.__dict__.update({**vars(fitted), "reader": None})
    save_model(alone, tmp_path / "head")
    loaded = load_model(tmp_path / "head")
    with pytest.raises(ValueError, match="reader must be a fitted CrossEncoder, found None"):
        loaded.mark(X)
    loaded.set_params(reader=fitted.reader)
    pd.testing.assert_frame_equal(loaded.mark(X), fitted.mark(X))


@pytest.mark.parametrize(
    "damage",
    [
        {"threshold_": np.nan}, {"reader_": 3}, {"weights_": []}, {"weights_": {}},
        {"hidden": np.zeros((2, 2, 2), np.float32)}, {"output": np.zeros((3, 2), np.float32)},
        {"free_bias": np.array([np.inf], np.float32)}, {"hidden_bias": np.zeros(32, complex)},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_marker_is_refused(fitted, damage):
    state = {**fitted.__getstate__(), **damage}
    if not set(damage) <= set(vars(fitted)):
        state = fitted.__getstate__() | {"weights_": fitted.weights_ | damage}
    with pytest.raises(ValueError, match="does not hold what a fit leaves"):
        clone(fitted).__setstate__(state)


@pytest.mark.parametrize(
    "change", [{"free": np.zeros(9, np.float32)}, {"hidden": np.zeros((3, 32), np.float32)}]
)
def test_weights_of_another_reader_are_refused(fitted, change):
    marker = clone(fitted)
    marker.__setstate__(fitted.__getstate__() | {"weights_": fitted.weights_ | change})
    with pytest.raises(ValueError, match="do not fit what its reader says: fit the marker again"):
        marker.mark(judged(2, seed=0)[0])


def test_a_clone_shares_the_reader(fitted):
    copied = clone(fitted.set_params(max_words=200))
    fitted.set_params(max_words=300_000)
    assert copied.reader is fitted.reader
    assert copied.max_words == 200
    assert not hasattr(copied, "weights_")
    with pytest.raises(NotFittedError):
        copied.mark(judged(1, seed=0)[0])


def test_few_words_are_drawn_where_there_are_many(fitted):
    X, marks = judged(24, seed=3)
    marker = ErrorMarker(fitted.reader, max_words=60).fit(X, marks)
    assert marker.threshold_ != ErrorMarker(fitted.reader).fit(X, marks).threshold_


def test_bad_input_is_named(fitted):
    X, marks = judged(6, seed=0)
    cases = {
        "marks must be a Series": (X, marks.tolist()),
        "'system' is not among": (X, marks.droplevel("system")),
        r"no entry for 12 translations": (X, marks[:0]),
        "no entry for 1 translations": (X, marks[1:]),
        "an error ends at 999": (X, marks.map(lambda errors: [(0, 999, "minor")])),
        "expected a span": (X, marks.map(lambda errors: [3])),
        "of .* words 0 are marked": (X, marks.map(lambda errors: [(0, 1, "neutral")])),
        "two sources at least": (X[:2], marks),
        "expected a string": (X.assign(hypothesis=3), marks),
    }
    for message, given in cases.items():
        with pytest.raises(CandidateError, match=message):
            ErrorMarker(fitted.reader).fit(*given)
    with pytest.raises(ValueError, match="reader must be a fitted CrossEncoder"):
        ErrorMarker("reader").fit(X, marks)
    with pytest.raises(NotFittedError, match="reader must be fitted"):
        ErrorMarker(CrossEncoder(one_layer_model())).fit(X, marks)
    with pytest.raises(ValueError, match="max_words"):
        ErrorMarker(fitted.reader, max_words=0).fit(X, marks)
    other = clone(fitted)
    vars(other).update(vars(fitted), reader=reader(random_state=1))
    with pytest.raises(ValueError, match="not that of the fit"):
        other.mark(X)


@pytest.mark.slow
def test_the_ready_made_marker():
    """What is plainly wrong is less likely to be free of errors than what is sound."""
    marker = load_pretrained("error-marker", encoder=multilingual_model())
    source = "In Berlin leben 3,7 Millionen Menschen, sagte der Bürgermeister am Montag."
    texts = {
        "sound": "3.7 million people live in Berlin, the mayor said on Monday.",
        "other": "The parliament has rejected the new tax law again.",
        "exchanged": "3.7 million people live in banana, the mayor said on Monday.",
        "garbage": "asdf qwer zxcv",
        "copied": source,
        "empty": "",
    }
    index = pd.MultiIndex.from_product([[1], texts], names=["segment", "system"])
    X = pd.DataFrame({"source": source, "hypothesis": list(texts.values())}, index)
    marks, free = marker.mark_and_judge(X)
    marks, free = marks.droplevel("segment"), free.droplevel("segment")
    worse = [free[name] for name in ("other", "exchanged", "garbage", "copied")]
    assert free["sound"] > max(worse) + 0.1
    assert free["sound"] > 2 * max(free["garbage"], free["copied"])
    assert free["empty"] == 0
    assert set(marks.index) == {"other", "exchanged", "garbage", "copied"}
    assert texts["exchanged"][slice(*marks.loc["exchanged", ["start", "end"]])] == "banana"
