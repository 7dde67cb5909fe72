import numpy as np
import pandas as pd
import pytest
from corrupted_texts import corrupted, seeds, table

from sklearn_mteval.datasets import corrupt, load_wmt, make_rankings
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS
from sklearn_mteval.exceptions import CandidateError

ENGLISH = [kind for kind, its in CORRUPTIONS.items() if its.languages == ("en",)]
# Each text has something to empty, shuffle …, but not each a number, a clause or a word of a table.
NOT_ALWAYS = {"number", "mojibake", "clause_dropped", "roles", "date", "focus", *ENGLISH}
NOT_ALWAYS |= {kind for kind, its in CORRUPTIONS.items() if its.languages}


def as_set(table):
    return set(zip(table.index, table["hypothesis"], strict=True))


def test_one_row_for_each_row_and_kind_that_applies(sample):
    X, _ = sample
    before = X.copy()
    found = corrupt(X)
    pd.testing.assert_frame_equal(X, before)
    assert found.columns.equals(X.columns)
    assert found.index.names == [*X.index.names, "corruption"] and found.index.is_unique
    assert list(found.index.unique("corruption")) == list(CORRUPTIONS)
    originals = X.loc[found.index.droplevel("corruption")]
    assert (found[["source", "reference"]].to_numpy() == originals[["source", "reference"]]).all(
        axis=None
    )
    hypotheses = originals["hypothesis"].to_numpy()
    assert (found["hypothesis"].to_numpy() != hypotheses).all()
    assert (found["hypothesis"] != found["reference"]).all()
    sizes = found.groupby(level="corruption").size()
    always = set(CORRUPTIONS) - NOT_ALWAYS
    assert (sizes[list(always)] == len(X)).all()
    assert (sizes[list(NOT_ALWAYS)] < len(X)).all()


def test_neither_order_nor_labels_count(sample):
    X, _ = sample
    found = corrupt(X, random_state=3)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = corrupt(X.iloc[order], random_state=3)
    assert as_set(found) == as_set(shuffled)
    new = {label: f"S{k}" for k, label in enumerate(reversed(X.index.unique("system")))}
    renamed = X.set_axis(
        pd.MultiIndex.from_tuples(
            [(("s", 900 - segment), new[system]) for segment, system in X.index],
            names=X.index.names,
        )
    )
    assert found["hypothesis"].tolist() == corrupt(renamed, random_state=3)["hypothesis"].tolist()


def test_other_rows_do_not_count_but_for_words_of_other_segments(sample):
    X, _ = sample
    taking = {"other_segment", "name", "content_word_replaced", "clause_added", "roles"}
    alone = [kind for kind in CORRUPTIONS if kind not in taking]
    part = X.iloc[7:40]
    whole = corrupt(X, alone)
    keep = whole.index.droplevel("corruption").isin(part.index)
    assert as_set(corrupt(part, alone)) == as_set(whole[keep])
    every = as_set(corrupt(part))
    for kind in CORRUPTIONS:
        assert as_set(corrupt(part, kind)) == {row for row in every if row[0][-1] == kind}


def test_equal_texts_are_corrupted_alike(sample):
    X, _ = sample
    twin = X[X.index.get_level_values("system") == "neural"].rename(
        index={"neural": "twin"}, level="system"
    )
    both = corrupt(pd.concat([X, twin]))
    pd.testing.assert_frame_equal(
        both.xs("neural", level="system"), both.xs("twin", level="system")
    )


def test_seeds(sample):
    X, _ = sample
    zero, one = (corrupt(X, "shuffled", random_state=seed)["hypothesis"] for seed in (0, 1))
    assert (zero != one).mean() > 0.9
    state = np.random.RandomState(5)
    again = corrupt(X, "shuffled", random_state=np.random.RandomState(5))
    assert corrupt(X, "shuffled", random_state=state).equals(again)
    assert not corrupt(X, "shuffled", random_state=state).equals(again)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_is_made_of_an_empty_translation(text):
    found = corrupt(table(text, others=["Another one stands here ."]))
    assert set(found.index.get_level_values("segment")) == {1}


def test_a_reference_never_comes_out():
    text = "He has seen 7 whales and a boat"
    for kind, reference in [
        ("dropped_third", "He has seen 7 whales"),
        ("empty", " "),
        ("halves_swapped", ["x", "whales and a boat He has seen 7"]),
        ("negation", "He has not seen 7 whales and a boat"),
    ]:
        assert corrupted(kind, text) is not None
        assert (corrupted(kind, text, reference=reference) is None) == (kind != "empty")


def test_numbers_that_the_reference_has_are_not_put_in():
    """All but one digit stand around: the one left is put in."""
    assert seeds("number", "the 7 of 2", reference="12 7 ; 1 3 4 5 6 8 2") == {
        "the 9 of 2", "the 7 of 9",
    }  # fmt: skip


def test_references_as_candidates(sample):
    X, _ = sample
    references = X.groupby(level="segment").head(1)
    found = corrupt(references.assign(hypothesis=references["reference"]))
    assert (found["hypothesis"] != found["reference"]).all()
    assert (found.groupby(level="corruption").size() >= 7).all()


def test_several_references_and_none():
    text = "Only Ann has not seen all 7 km of the café by Ben on Monday, but she bought houses ."
    X = table(text, others=["Tom sold the Berlin shops and cars, which were old and red ."])
    assert set(corrupt(X).index.unique("corruption")) == set(CORRUPTIONS)
    X["reference"] = [["quite another", "Nobody , Ann : 7 houses"], "x"]
    kinds = corrupt(X).loc[0].index.unique("corruption")
    assert {"number", "negation", "content_word_dropped"} <= set(kinds)
    X["reference"] = [["quite another", ""], "x"]
    kinds = corrupt(X).loc[0].index.unique("corruption")
    assert not {"number", "name", "negation", "content_word_dropped"} & set(kinds)


def test_without_sources():
    X = table("One text is here .", others=["Another is there ."]).drop(columns="source")
    assert not {"foreign_appended", "source_copied"} & set(corrupt(X).index.unique("corruption"))
    with pytest.raises(CandidateError, match=r"needs the column 'source'.*does not have"):
        corrupt(X, ["empty", "source_copied"])


def test_other_columns_and_levels_stay():
    X = table("One text is here .", others=["Another is there ."]).assign(extra=[0.5, 1.5])
    X = pd.concat({"wmt": X}, names=["ranking"]).reorder_levels(["segment", "ranking", "system"])
    found = corrupt(X, "empty")
    assert found.index.names == ["segment", "ranking", "system", "corruption"]
    assert found["extra"].tolist() == [0.5, 1.5] and found["hypothesis"].tolist() == ["", ""]


def test_a_table_of_no_rows():
    X = table("a", others=["b"]).iloc[:0]
    found = corrupt(X)
    assert found.shape == (0, 2) and found.index.names == ["segment", "system", "corruption"]


@pytest.mark.parametrize(
    ("kinds", "match"),
    [
        ("typo", "kinds must be of empty, dropped_third.*found 'typo'"),
        (["empty", 3], "found 3"),
        (["empty", "empty"], "distinct"),
        ([], "one at least"),
    ],
)
def test_wrong_kinds(kinds, match):
    with pytest.raises(ValueError, match=match):
        corrupt(table("a"), kinds)


def test_wrong_tables(sample):
    X, _ = sample
    with pytest.raises(CandidateError, match="already"):
        corrupt(corrupt(X, "empty"))
    with pytest.raises(CandidateError, match="'hypothesis'"):
        corrupt(X.drop(columns="hypothesis"))
    with pytest.raises(CandidateError, match="row 1"):
        corrupt(table("a", others=["b"]).assign(hypothesis=["a", None]))
    with pytest.raises(CandidateError, match="DataFrame"):
        corrupt(X.to_numpy())


def test_lone_surrogates():
    found = corrupt(table("a \ud800 seven c d", others=["e f \udfff g"]))
    assert {"shuffled", "number", "other_segment"} <= set(found.index.unique("corruption"))


def test_linear_in_segments_alike():
    """Nothing is searched for long where all segments say the same."""
    index = pd.MultiIndex.from_product([range(3000), ["a"]], names=["segment", "system"])
    found = corrupt(pd.DataFrame({"hypothesis": "Yes , we can ."}, index=index), "other_segment")
    assert not len(found)


def test_synthetic_tables():
    X, _ = make_rankings(20, 3)
    assert len(corrupt(X)) > 8 * len(X)


def test_real_data(data_dir):
    """WMT15 from Czech: nearly every translation has each kind that any text has."""
    X = load_wmt(data_dir / "wmt15", lang_pair="cs-en").X[:4000]
    found = corrupt(X)
    sizes = found.groupby(level="corruption").size() / len(X)
    for kind, at_least in {
        "empty": 1, "dropped_third": 0.95, "doubled": 1, "foreign_appended": 0.99, "shuffled": 0.95,
        "halves_swapped": 0.9, "other_segment": 0.99, "garbage": 1, "source_copied": 0.99,
        "number": 0.05, "name": 0.2, "negation": 0.3, "content_word_dropped": 0.7,
        "content_word_replaced": 0.7,
    }.items():  # fmt: skip
        assert sizes[kind] >= at_least, kind
    again = corrupt(X.sample(frac=1, random_state=0))
    assert as_set(again) == as_set(found)
