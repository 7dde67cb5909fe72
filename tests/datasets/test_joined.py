"""Neighbouring segments joined to longer ones, to train on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.datasets import add_corruptions, load_sample
from sklearn_mteval.datasets.joined import joined_judgements
from sklearn_mteval.exceptions import CandidateError

X, Y = load_sample(return_X_y=True)


def table_of(rows, levels=("segment", "system"), columns=("hypothesis",)):
    """Make a table and its ranks of rows (labels, texts, rank)."""
    labels, texts, ranks = zip(*rows, strict=True)
    index = pd.MultiIndex.from_tuples(labels, names=levels)
    return pd.DataFrame(texts, index, columns=list(columns)), pd.Series(ranks, index, name="rank")


def test_texts_are_joined_in_order_with_the_mean_of_mean_ranks():
    columns = ("source", "reference", "hypothesis")
    rows = [
        # 10 comes after 9; a system that one of them lacks is left out.
        (("d:10", "x", "s"), ("Zwei.", ["Two.", "II."], " Two! "), 1),
        (("d:10", "x", "t"), ("Zwei.", ["Two.", "II."], "To."), 2),
        (("d:10", "y", "t"), ("Zwei.", ["Two.", "II."], "To."), 1),
        (("d:9", "x", "s"), ("Eins.", ["One.", "I.", "1."], "One."), 2),
        (("d:9", "x", "t"), ("Eins.", ["One.", "I.", "1."], "On."), 1),
        (("d:9", "x", "u"), ("Eins.", ["One.", "I.", "1."], "Un."), 1),
    ]
    table, ranks = table_of(rows, ("segment", "ranking", "system"), columns)
    more, y, made_of = joined_judgements(table, ranks, proportion=0.5, longest=3)
    expected = pd.DataFrame(
        [
            ("Eins. Zwei.", ["One. Two.", "I. II."], "One. Two!"),
            ("Eins. Zwei.", ["One. Two.", "I. II."], "On. To."),
        ],
        pd.MultiIndex.from_tuples(
            [("d:9#joined#0", "joined", "s"), ("d:9#joined#0", "joined", "t")],
            names=table.index.names,
        ),
        columns=list(columns),
    )
    pd.testing.assert_frame_equal(more, expected, check_dtype=False)
    # t: 1 of the first, 1.5 of the second
    pd.testing.assert_series_equal(y, pd.Series([1.5, 1.25], expected.index, name="rank"))
    assert made_of.tolist() == [[3, 0, 0], [4, 1, 1]]


@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        (("天气很好。", "我们走吧。"), "天气很好。我们走吧。"),
        (("いい天気です。", "行きましょう。"), "いい天気です。行きましょう。"),
        (("天气很好。", "NASA说。", "3天。"), "天气很好。NASA说。3天。"),
        (("날씨가 좋다.", "가자."), "날씨가 좋다. 가자."),
        (("Schön.", ""), "Schön."),
    ],
)
def test_blanks_stand_where_the_script_has_them(texts, joined):
    rows = [((k, s), (text,), r) for k, text in enumerate(texts) for r, s in enumerate("st")]
    more, _, _ = joined_judgements(*table_of(rows), proportion=0.1, longest=8, random_state=1)
    assert more["hypothesis"].tolist() == [joined, joined]


def test_segments_whose_labels_begin_otherwise_are_no_neighbours():
    rows = [((f"{d}:1", s), ("A.",), r) for d in "abc" for r, s in enumerate("st")]
    more, y, made_of = joined_judgements(*table_of(rows), proportion=0.9)
    assert len(more) == len(y) == 0 and made_of.shape == (0, 8)
    assert more.columns.tolist() == ["hypothesis"] and more.index.names == ["segment", "system"]


def test_segments_are_left_out_at_the_end_while_too_few_systems_have_all():
    systems = ["st", "stu", "tu", "uv"]
    rows = [((k, s), (f"{k}{s}",), 1) for k, some in enumerate(systems) for s in some]
    more, _, _ = joined_judgements(*table_of(rows), proportion=0.9, random_state=1)
    assert set(more["hypothesis"]) <= {"0s 1s", "0t 1t", "1t 2t", "1u 2u"}


def test_labels_are_new():
    segments = ["1", "2", *(f"1#joined#{number}" for number in range(5))]
    rows = [((k, s), (f"{k}{s}",), r) for k in segments for r, s in enumerate("st")]
    table, ranks = table_of(rows)
    more, _, _ = joined_judgements(table, ranks, proportion=0.99, longest=2)
    found = more.index.unique("segment")
    assert {f"1#joined#{number}#" for number in range(5)} & {*found}
    assert not pd.concat([table, more]).index.duplicated().any()
    assert not table.index.unique("segment").isin(found).any()


def test_corruptions_can_be_added():
    more, y, _ = joined_judgements(X, Y)
    both, _ = add_corruptions(pd.concat([X, more]), pd.concat([Y, y]), kinds="empty")
    assert both.index.unique("segment").str.contains("#joined#.*#empty#", na=False).any()


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 2**31),
    proportion=st.floats(0.05, 0.95),
    longest=st.integers(2, 12),
    kept=st.floats(0.3, 1.0),
)
def test_properties(seed, proportion, longest, kept):
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(X))[: int(kept * len(X))])
    table, ranks = X.iloc[rows], Y.iloc[rows]
    before = table.copy()
    options = {"proportion": proportion, "longest": longest, "random_state": seed}
    more, y, made_of = joined_judgements(table, ranks, **options)
    pd.testing.assert_frame_equal(table, before)
    order = rng.permutation(len(table))
    again, y_again, _ = joined_judgements(table.iloc[order], ranks.iloc[order], **options)
    pd.testing.assert_frame_equal(again, more)
    np.testing.assert_allclose(y_again, y, rtol=1e-12)  # sums in another order
    assert more.index.unique("segment").size <= np.ceil(
        proportion * table.index.unique("segment").size
    )
    assert (more.groupby(level="segment").size() >= 2).all()
    segments, systems = (table.index.get_level_values(name) for name in table.index.names)
    numbers = np.unique(segments)
    for place, own in enumerate(made_of):
        own = list(dict.fromkeys(own.tolist()))
        assert 2 <= len(own) <= longest
        assert set(systems[own]) == {more.index[place][1]}
        at = np.searchsorted(numbers, segments[own])
        assert (np.diff(at) == 1).all()  # neighbours, in their order
        for column in ("source", "reference", "hypothesis"):
            assert more[column].iloc[place] == " ".join(table[column].iloc[own])
        assert y.iloc[place] == pytest.approx(ranks.iloc[own].mean())


def test_rankings_of_a_system_count_once():
    several = pd.concat(dict.fromkeys(range(2), X), names=["ranking"])
    ranks = pd.concat({0: Y, 1: 6 - Y}, names=["ranking"])
    _, y, _ = joined_judgements(several, ranks)
    np.testing.assert_allclose(y, 3.0)


def test_what_is_wrong_is_said():
    for options, words in (({"proportion": 0}, "proportion"), ({"longest": 1}, "longest")):
        with pytest.raises(ValueError, match=words):
            joined_judgements(X, Y, **options)
    with pytest.raises(CandidateError, match="y"):
        joined_judgements(X, Y[:-1])
    with pytest.raises(CandidateError, match="source"):
        joined_judgements(X.assign(source=None), Y)
