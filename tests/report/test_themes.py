"""Themes as tables: their order, their cells, and what has no number."""

import numpy as np
import pandas as pd

from sklearn_mteval.evaluation.characteristic_ngrams import characteristic_ngrams
from sklearn_mteval.evaluation.themes import spoilt_texts, themes_of
from sklearn_mteval.report.html.themes import ngram_table, spoilt_table, theme_tables


def made():
    index = pd.MultiIndex.from_product([range(8), ["A", "B"]], names=["segment", "system"])
    texts = [" ".join(["dog"] * (1 + k // 2)) for k in range(16)]
    X = pd.DataFrame({"hypothesis": texts, "reference": texts}, index=index)
    return X, pd.DataFrame({"m": np.tile([0.25, 0.5], 8), "none": np.nan}, index)


def test_the_best_system_is_first_and_kinds_keep_their_order():
    X, scores = made()
    length = themes_of(X, scores)[0]
    of_m, of_none = theme_tables(length)
    assert of_m.header == ["length", "B", "A"]
    assert [row[0] for row in of_m.rows] == [f"{k}–{k + 1} words (2)" for k in (1, 3, 5, 7)]
    flags = themes_of(X, scores, flags=[["number"], [], [], []] * 4)[-1]
    table = theme_tables(flags)[0]
    assert table.header == ["system", "with flags", "without flags"]  # systems have other numbers
    assert [row[0] for row in table.rows] == ["B", "A"]
    assert table.rows[0][1] == "– ± –; – % (0)" and table.rows[1][1].endswith("% (4)")
    documents = themes_of(X, scores, documents=[f"d{k // 4}" for k in range(16)])[-1]
    table = theme_tables(documents)[0]
    assert table.header == ["document", "B", "A"]
    assert table.rows[0] == ["d0 (2)", "0.500 ± 0.000; 100 %", "0.250 ± 0.000; 0 %"]
    assert "–" in of_none.rows[0][1]


def test_spoilt_texts_have_counts_and_proportions():
    X, _ = made()
    X.iloc[0, 0] = ""
    assert spoilt_table(spoilt_texts(X)).rows[0] == [
        "A", "8", "0 (0.0 %)", "0 (0.0 %)", "0 (0.0 %)", "1 (12.5 %)",
    ]  # fmt: skip


def test_ngrams_have_both_counts():
    X, _ = made()
    X["hypothesis"] = ["a cat", "the dog"] * 8
    table = ngram_table(characteristic_ngrams(X, "A", "B"), "A", "B")
    assert table.header == ["words", "A", "B", "log-odds", "z"]
    assert table.rows[0][:3] == ["a cat", "8", "0"] and table.rows[0][4].startswith("+")
