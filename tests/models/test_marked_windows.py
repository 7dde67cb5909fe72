"""Marks in long texts: the same as of their sentences by themselves, at the places in the text."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from sklearn_mteval.models.marks import marks_of
from sklearn_mteval.text.sentences import width

LONG = 7500  # tenths of a letter


class Reader(BaseEstimator):
    """Marks words with an x, and knows only as many letters as an encoder reads."""

    def __init__(self, columns=("source", "hypothesis"), longest=LONG):
        self.reader, self.longest = SimpleNamespace(columns=columns), longest

    def mark_and_judge(self, X):
        self.asked, rows, labels, free = X, [], [], []
        for label, source, text in zip(X.index, X["source"], X["hypothesis"], strict=True):
            assert width(source) + width(text) <= self.longest
            words = [word.span() for word in re.finditer(r"\w*x\w*", text)]
            rows += [(*span, "minor", 0.5) for span in words]
            labels += [label] * len(words)
            free.append(0.4 ** len(words))
        index = X.index[X.index.get_indexer(labels)] if labels else X.index[:0]
        table = pd.DataFrame(rows, index, ["start", "end", "severity", "probability"])
        return table, pd.Series(free, X.index)


def paragraph(rng, n, letters="abcde"):
    """Sentences with numbers, by which they can be aligned; one word in ten is wrong."""
    sentences = []
    for k in range(n):
        words = ["".join(rng.choice(list(letters), 6)) for _ in range(rng.integers(5, 12))]
        words[0] = f"Nr {1000 + k} {words[0]}"
        if rng.random() < 0.5:
            words[2] += "x😀"
        sentences.append(" ".join(words).capitalize() + ".")
    return sentences


def table(texts):
    rows = pd.MultiIndex.from_product([range(len(texts)), ["A"]], names=["segment", "system"])
    return pd.DataFrame(texts, rows, ["source", "hypothesis"], dtype=object)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("between", [" ", "\n\n"])
def test_marks_of_a_paragraph_are_those_of_its_words(seed, between):
    rng = np.random.default_rng(seed)
    texts = []
    for n in (20, 1, 40, 0, 3):
        source, text = paragraph(rng, n, "fghij"), paragraph(rng, n)
        texts.append((between.join(source), between.join(text)))
    X = table(texts)
    marker = Reader()
    found = marks_of(marker, X)
    assert len(marker.asked) > 5
    for label, text in X["hypothesis"].items():
        spans = [word.span() for word in re.finditer(r"\w*x\w*", text)]
        mine = found.table[found.table.index == label]
        assert list(zip(mine["start"], mine["end"], strict=True)) == spans
        if text:
            assert found.error_free[label] == pytest.approx(0.4 ** len(spans))
    # Sentences of a window are those of its source.
    for source, text in marker.asked[["source", "hypothesis"]].itertuples(index=False):
        assert re.findall(r"\d+", source) == re.findall(r"\d+", text)


def test_short_texts_and_readers_of_references_are_asked_as_they_stand():
    rng = np.random.default_rng(0)
    X = table([("Nr 1 abc.", "Nr 1 x."), ("", "x")])
    marker = Reader()
    marks_of(marker, X)
    pd.testing.assert_frame_equal(marker.asked, X)
    X = table([(" ".join(paragraph(rng, 40)), " ".join(paragraph(rng, 40)))])
    for columns in (("source", "reference", "hypothesis"), ()):
        marker = Reader(columns, longest=1e9)
        marks_of(marker, X)
        pd.testing.assert_frame_equal(marker.asked, X)


@pytest.mark.parametrize("text", ["", " ", "x", "wordx " * 300, "字x" * 400, "x😀" * 2000])
@pytest.mark.parametrize("source", ["", "a " * 900, "Ein Satz. " * 80])
def test_lopsided_texts(source, text):
    found = marks_of(Reader(), table([(source, text), ("a", "b")]))
    n = len(re.findall(r"\w*x\w*", text))
    assert len(found.table) >= n and found.error_free.iloc[1] == 1
    assert "".join(found.table["words"]) == "".join(re.findall(r"\w*x\w*", text))


class Sure(Reader):
    """Marks words with an x, but thinks that those with a y in their window are no errors."""

    def mark_and_judge(self, X):
        marks, free = super().mark_and_judge(X)
        return marks, free.where(~X["hypothesis"].str.contains("y"), 0.9)


def test_windows_that_are_error_free_have_no_marks():
    sentences = [f"Nr {1000 + k} abc {'x' if k % 3 else 'bc'} de." for k in range(120)]
    sentences[60] = "Nr 1060 abc yx de."
    text = "\n\n".join(sentences)
    marker = Sure()
    found = marks_of(marker, table([(text.replace("x", "a"), text), ("a", "a yx")]))
    windows = [window for window in marker.asked["hypothesis"] if "x" in window]
    sure = [window for window in windows if "y" in window]
    assert len(windows) > 2 == len(sure)
    n_marks = sum(len(re.findall("x", window)) for window in windows if window not in sure)
    assert len(found.table) == n_marks > 0 and "yx" not in [*found.table["words"]]
    assert found.error_free.tolist() == pytest.approx([0.9 * 0.4**n_marks, 0.9], abs=1e-9)
