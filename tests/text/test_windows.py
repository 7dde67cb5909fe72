"""Candidate tables parted into windows: which texts, which weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.text.sentences import sentences, width
from sklearn_mteval.text.windows import windows_of

CAT = "The cat sat quietly on the mat."
DOG = "A dog barked at every stranger."
RAIN = "It rained for the whole afternoon."
BUS = "Nobody knew when the bus would come."
KATZE = "Die Katze sass still auf der Matte."
HUND = "Ein Hund bellte alle Fremden an."


def joined(*texts):
    return " ".join(texts)


def table(*rows, names=("segment", "system"), columns=("reference", "hypothesis")):
    """Make a candidate table of rows (*labels, *cells)."""
    index = pd.MultiIndex.from_tuples([row[: len(names)] for row in rows], names=names)
    cells = [dict(zip(columns, row[len(names) :], strict=True)) for row in rows]
    return pd.DataFrame(cells, index, columns=list(columns))


def of(X, anchor="reference", longest=900):
    return windows_of(X, anchor=anchor, longest=longest)


def texts(windows, row, weight="own", columns=("reference", "hypothesis")):
    """Return the texts of a row's windows that have a weight, and these weights."""
    take = (windows.row == row) & (getattr(windows, weight) > 0)
    cells = windows.table.loc[take, list(columns)].to_numpy().tolist()
    return list(map(tuple, cells)), getattr(windows, weight)[take].tolist()


def test_rows_of_one_sentence_are_those_of_the_table():
    X = table((1, "a", CAT, "A cat."), (1, "b", CAT, ""), (2, "a", f" {DOG}\n", DOG))
    windows = of(X)
    assert windows.table is X
    assert windows.row.tolist() == [0, 1, 2] and not windows.parted.any()
    assert windows.own.tolist() == windows.shared.tolist() == [1, 1, 1]
    assert windows.lost.tolist() == windows.added.tolist() == [0, 0, 0]


@pytest.mark.parametrize("column", ["reference", "hypothesis"])
def test_tables_without_the_texts_are_not_parted(column):
    X = table((1, "a", joined(CAT, DOG), joined(CAT, DOG))).drop(columns=column)
    assert of(X).table is X


def test_sentence_by_sentence():
    reference = joined(CAT, DOG, RAIN)
    X = table((1, "a", reference, joined(CAT, "A dog barked.", RAIN)), (2, "a", BUS, BUS))
    windows = of(X)
    assert windows.parted.tolist() == [True, False]
    expected = (
        [(CAT, CAT), (DOG, "A dog barked."), (RAIN, RAIN)],
        list(map(width, (CAT, DOG, RAIN))),
    )
    assert texts(windows, 0) == texts(windows, 0, "shared") == expected
    assert texts(windows, 1) == texts(windows, 1, "shared") == ([(BUS, BUS)], [1])
    segments = windows.table.index.get_level_values("segment")
    assert len(segments.unique()) == 4


def test_an_omission_is_lost_in_the_score_and_blank_in_the_ranking():
    X = table(
        (1, "a", joined(CAT, DOG, RAIN), joined(CAT, RAIN)),
        (1, "b", joined(CAT, DOG, RAIN), joined(CAT, DOG, RAIN)),
    )
    windows = of(X)
    assert texts(windows, 0)[0] == [(CAT, CAT), (RAIN, RAIN)]
    assert texts(windows, 0, "shared")[0] == [(CAT, CAT), (DOG, ""), (RAIN, RAIN)]
    assert windows.lost.tolist() == [width(DOG), 0] and windows.added.tolist() == [0, 0]


def test_an_addition_is_lost_in_both():
    X = table((1, "a", joined(CAT, RAIN), joined(CAT, BUS, RAIN)))
    windows = of(X)
    assert texts(windows, 0)[0] == [(CAT, CAT), (RAIN, RAIN)]
    assert windows.lost.tolist() == windows.added.tolist() == [width(BUS)]


def test_an_addition_within_a_window_is_not_in_it():
    # The source has one sentence for the first two of the reference: one window.
    X = table(
        (1, "a", f"{KATZE[:-1]}, und ein Hund bellte alle Fremden an.", joined(CAT, DOG),
         joined(CAT, BUS, DOG)),
        columns=("source", "reference", "hypothesis"),
    )  # fmt: skip
    windows = of(X)
    assert texts(windows, 0)[0] == [(joined(CAT, DOG), joined(CAT, DOG))]
    assert windows.lost.tolist() == [width(BUS)]


def test_windows_have_their_source():
    X = table(
        (1, "a", joined(KATZE, HUND), joined(CAT, DOG), joined(CAT, "A dog.")),
        (1, "b", joined(KATZE, HUND), joined(CAT, DOG), f"{CAT[:-1]}, and {DOG}"),
        columns=("source", "reference", "hypothesis"),
    )
    windows, columns = of(X), ("source", "reference", "hypothesis")
    own = texts(windows, 0, columns=columns)[0]
    assert own == [(KATZE, CAT, CAT), (HUND, DOG, "A dog.")]
    # b's one sentence makes one window of both, for a as well.
    shared = [texts(windows, row, "shared", columns)[0] for row in (0, 1)]
    assert shared == [[tuple(row)] for row in X.to_numpy().tolist()]
    assert list(windows.table.columns) == list(columns)


def test_sentences_of_the_source_as_anchor():
    X = table(
        (1, "a", joined(KATZE, HUND), joined(CAT, DOG)), (1, "b", joined(KATZE, HUND), CAT),
        columns=("source", "hypothesis"),
    )  # fmt: skip
    windows = of(X, "source")
    assert texts(windows, 0, columns=X.columns)[0] == [(KATZE, CAT), (HUND, DOG)]
    assert texts(windows, 1, "shared", X.columns)[0] == [(KATZE, CAT), (HUND, "")]
    assert windows.lost.tolist() == [0, width(HUND)]


def test_each_row_has_the_reference_that_it_is_likest_to():
    one, other = (
        joined(CAT, DOG),
        joined("One cat was sitting on mats.", "Each stranger heard barks."),
    )
    X = table(
        (1, "a", [one, other], one), (1, "b", [other, one], other), (2, "a", [one, other], other)
    )
    windows = of(X)
    for row, reference in enumerate((one, other, other)):
        assert joined(*(own for own, _ in texts(windows, row)[0])) == reference
        assert windows.lost[row] == windows.added[row] == 0


def test_texts_of_one_sentence_keep_all_references():
    X = table((1, "a", [CAT, DOG], RAIN), (1, "b", [CAT, DOG], joined(CAT, DOG)))
    windows = of(X)
    assert texts(windows, 0) == ([([CAT, DOG], RAIN)], [1])
    assert windows.lost.tolist() == [0, width(DOG)]


@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_texts(blank):
    long = joined(CAT, DOG)
    X = table(
        (1, "a", long, blank), (1, "b", long, long), (2, "a", blank, long), (3, "a", blank, blank)
    )
    windows = of(X)
    assert texts(windows, 0) == ([], [])
    assert windows.lost.tolist() == [width(CAT) + width(DOG), 0, 0, 0]
    assert texts(windows, 0, "shared")[0] == [(CAT, ""), (DOG, "")]
    for row in (2, 3):  # there is nothing to align with
        assert texts(windows, row)[0] == texts(windows, row, "shared")[0]
        assert texts(windows, row)[0] == [tuple(X.iloc[row])]
    assert np.isin(np.arange(4), windows.row).all()


def test_a_blank_reference_beside_another_is_none():
    X = table((1, "a", ["", joined(CAT, DOG)], joined(CAT, DOG)))
    assert texts(of(X), 0)[0] == [(CAT, CAT), (DOG, DOG)]


def test_a_blank_source():
    rows = (1, "a", "", joined(CAT, DOG), joined(CAT, DOG))
    windows = of(table(rows, columns=("source", "reference", "hypothesis")))
    found = texts(windows, 0, columns=("source", "reference", "hypothesis"))[0]
    assert found == [("", CAT, CAT), ("", DOG, DOG)]


def test_rankings_of_a_segment_are_apart():
    names = ("segment", "ranking", "system")
    long = joined(CAT, DOG)
    X = table(
        (1, "x", "a", long, CAT), (1, "y", "a", long, long), (1, "y", "b", long, DOG), names=names
    )
    windows = of(X)
    index = windows.table.index[windows.row < len(X)]
    assert index.names == list(names)
    assert index.get_level_values("ranking").tolist() == ["x", "x", "y", "y", "y", "y"]
    assert len(index.droplevel("system").unique()) == 4
    assert index.get_level_values("system").tolist() == ["a", "a", "a", "a", "b", "b"]


def test_what_is_the_reference_less_something_is_bound_by_the_reference_itself():
    reference = joined(CAT, DOG)
    X = table(
        (1, "a", reference, CAT), (1, "b", reference, joined("The cat on the mat.", DOG)),
        (1, "c", reference, reference), (1, "d", reference, joined(CAT, BUS)),
        (1, "e", reference, joined(DOG, CAT)), (2, "a", CAT, "The cat."),
    )  # fmt: skip
    windows = of(X)
    assert windows.bound.tolist() == [6, 6, -1, -1, 6, -1]
    assert texts(windows, 6) == texts(windows, 2)
    assert texts(windows, 6, "shared") == ([], [])


def test_other_references_within_a_ranking_are_compared_whole():
    X = table(
        (1, "a", joined(CAT, DOG), joined(CAT, DOG)),
        (1, "b", joined(CAT, RAIN), joined(CAT, RAIN)),
        (1, "c", CAT, CAT),
    )
    windows = of(X)
    shared = windows.table[windows.shared > 0]
    assert shared.to_numpy().tolist() == X.to_numpy().tolist()
    assert len(shared.index.get_level_values("segment").unique()) == 1
    assert windows.added.tolist() == windows.lost.tolist() == [0, 0, 0]
    assert [len(texts(windows, row)[0]) for row in range(3)] == [2, 2, 1]


def test_other_columns_go_along():
    X = table((1, "a", joined(CAT, DOG), joined(CAT, DOG)), (2, "a", CAT, CAT)).assign(
        chrf=[0.5, 0.25]
    )
    windows = of(X)
    assert windows.table["chrf"].tolist() == [0.5, 0.5, 0.25]
    assert list(windows.table.columns) == ["reference", "hypothesis", "chrf"]


def test_what_has_no_marks_is_parted_by_length():
    words = joined(*(f"word{k}" for k in range(600)))
    X = table((1, "a", words, words))
    windows = of(X)
    found, _ = texts(windows, 0)
    assert windows.by_length == 1  # the text, which both have
    assert all(one == other and width(one) <= 4500 for one, other in found)
    assert joined(*(one for one, _ in found)) == words
    assert windows.lost.tolist() == [0] and len(found) >= 4200 // 450
    thai = "ภาษาไทยไม่มีช่องว่าง" * 100
    found, _ = texts(of(table((1, "a", thai, thai))), 0)
    assert "".join(one.replace(" ", "") for one, _ in found) == thai and len(found) > 3


def test_a_long_sentence_by_itself_stays_whole_up_to_the_longest():
    words = joined(*(f"word{k}" for k in range(60)))
    X = table((1, "a", words, words))
    assert 3000 < width(words) < 9000
    assert of(X).table is X
    assert of(X, longest=300).parted.all()
    # Beside another text of the same segment its score stays that of the whole, too.
    X = table((1, "a", words, words), (1, "b", words, joined(words, CAT)))
    assert texts(of(X), 0) == ([(words, words)], [1])


def test_a_thousand_sentences():
    lines = [f"Line {k * 7919 % 10007} tells of thing {k * k % 10007}." for k in range(1000)]
    X = table((1, "a", joined(*lines), joined(*lines[:500], *lines[501:])))
    windows = of(X)
    assert windows.lost.tolist() == [width(lines[500])]
    assert texts(windows, 0)[0] == [(line, line) for line in lines if line != lines[500]]


def test_whitespace_between_sentences_is_the_same():
    parts = [CAT, DOG, RAIN]
    expected = None
    for between in (" ", "  ", "\n", "\n\n", "\u3000"):
        X = table((1, "a", between.join(parts), between.join([CAT, BUS, RAIN])))
        windows = of(X)
        found = texts(windows, 0), texts(windows, 0, "shared"), windows.lost.tolist()
        expected = expected or found
        assert found == expected


SENTENCES = st.lists(
    st.sampled_from([CAT, DOG, RAIN, BUS, "Yes.", "The cat sat.", f"{CAT[:-1]}, and {DOG}"]),
    max_size=5,
).map(" ".join)


@given(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=4), st.data())
def test_own_windows_hang_on_own_texts_only(reference, hypotheses, data):
    references = [reference] * len(hypotheses)
    if data.draw(st.booleans(), "several references"):
        other = data.draw(SENTENCES)
        references = [[reference, other]] * len(hypotheses)
    X = table(*((1, k, *cells) for k, cells in enumerate(zip(references, hypotheses, strict=True))))
    together = of(X)
    for row in range(len(X)):
        alone = of(X.iloc[[row]])
        assert texts(together, row) == texts(alone, 0) or not alone.parted.any()
        if not alone.parted.any():  # the weight of a whole row is of no matter
            assert texts(together, row)[0] == texts(alone, 0)[0]
        assert together.lost[row] == alone.lost[0]


@given(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=4))
def test_weights_add_up(reference, hypotheses):
    X = table(*((1, k, reference, text) for k, text in enumerate(hypotheses)))
    windows = of(X)
    own, shared = (np.bincount(windows.row, weights) for weights in (windows.own, windows.shared))
    n = sum(map(width, sentence_texts(reference)))
    for row in range(len(X)):
        if not windows.parted[row]:
            continue
        found = texts(windows, row)[0]
        missing = n - sum(width(text) for one, _ in found for text in sentence_texts(one))
        kept = sum(width(text) for _, text in found for text in sentence_texts(text))
        more = sum(map(width, sentence_texts(hypotheses[row]))) - kept
        if own[row] != 1:
            assert own[row] + windows.lost[row] == n + more
            assert windows.lost[row] == missing + more
        assert shared[row] == n


@given(SENTENCES, st.lists(SENTENCES, min_size=2, max_size=4))
def test_a_ranking_shares_its_anchors(reference, hypotheses):
    X = table(*((1, k, reference, text) for k, text in enumerate(hypotheses)))
    windows = of(X)
    found = [[one for one, _ in texts(windows, row, "shared")[0]] for row in range(len(X))]
    assert all(one == found[0] for one in found)
    if windows.parted.any():
        assert joined(*found[0]).split() == reference.split()
    shared = windows.table[windows.shared > 0]
    anchors = shared.groupby(shared.index.get_level_values("segment"))["reference"]
    assert (anchors.agg(lambda cells: len(set(cells))) == 1).all() and (
        anchors.size() == len(X)
    ).all()


def sentence_texts(text):
    return [text[start:end] for start, end in sentences(text)]
