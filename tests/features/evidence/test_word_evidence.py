import math
import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from evidence_by_loops import Loops
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval import load_model, save_model
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import WordEvidence
from sklearn_mteval.features.evidence import _kernel
from sklearn_mteval.text import load_word_vectors

# Lengths other than 1: a weight of 1 but for rounding would be one of the spelling's.
VECTORS = {
    "a": [0.5, 0.0, 0.0, 0.0],
    "the": [0.4, 0.3, 0.0, 0.0],
    "dog": [0.0, 2.0, 0.5, 0.0],
    "cat": [0.1, 0.2, 0.7, 0.1],
    "no": [-3.0, -1.0, 0.0, 1.0],
    "void": [0.0, 0.0, 0.0, 0.0],
    ".": [0.01, 0.01, 0.0, 0.2],
    "hund": [0.3, 0.1, 0.5, 0.0],
}
PIECES = {**VECTORS, "ba": [0.2, 0.1, 0.0, 0.9], "##rks": [0.0, 0.5, 0.1, 0.0]}


def table(rows):
    """Make a candidate table of (segment, system, source, reference, hypothesis)."""
    segments, systems, *texts = zip(*rows, strict=True)
    index = pd.MultiIndex.from_arrays([segments, systems], names=["segment", "system"])
    names = ("source", "reference", "hypothesis")
    return pd.DataFrame(dict(zip(names, texts, strict=True)), index=index, dtype=object)


def records(X):
    return [
        {"segment": segment, **row}
        for segment, row in zip(X.index.get_level_values(0), X.to_dict("records"), strict=True)
    ]


def evidence(X, *args, fitted_on=None, **options):
    """Fit and transform to a DataFrame."""
    transformer = WordEvidence(*args, **options).set_output(transform="pandas")
    return transformer.fit(X if fitted_on is None else fitted_on).transform(X)


def assert_equals_loops(X, train, **options):
    """Compare all columns; return how many numbers could be compared."""
    found = evidence(X, fitted_on=train, **options)
    loops = Loops(**options).fit(records(train))
    n_compared = 0
    for (_, row), choices in zip(found.iterrows(), loops.transform(records(X)), strict=True):
        expected = np.array([[values[name] for name in found.columns] for values in choices])
        close = np.isclose(row.to_numpy(), expected, rtol=0, atol=2e-6) | np.isnan(expected)
        best = close.sum(axis=1).argmax()
        wrong = [
            (name, row[name], value)
            for name, value, is_close in zip(found, expected[best], close[best], strict=True)
            if not is_close
        ]
        assert not wrong, (wrong, X.to_dict("records"))
        n_compared += np.isfinite(expected[best]).sum()
    return n_compared


WORDS = st.sampled_from(
    (
        *PIECES,
        *("barks", "rex", "Hund", "haus", "HAUS", "it's", "3", "3,5", "!", "x²", "é\ud800", "日本"),
    )
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
CELLS = st.one_of(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))


@st.composite
def tables(draw):
    """Segments of several systems, some of which say the same, some alone."""
    rows = []
    for segment in range(draw(st.integers(1, 3))):
        source, reference = draw(TEXTS), draw(CELLS)
        said = draw(st.lists(TEXTS, min_size=1, max_size=4))
        for system in range(draw(st.integers(1, 4))):
            hypothesis = draw(st.sampled_from(said))
            rows.append((segment, f"s{system}", source, reference, hypothesis))
    return table(draw(st.permutations(rows)))


@settings(max_examples=150)
@given(
    tables(),
    tables(),
    st.sampled_from([None, VECTORS, PIECES]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["idf", "length"]),
)
def test_equal_to_plain_loops(X, train, vectors, reference, lowercase, weights):
    assert_equals_loops(
        X,
        train,
        vectors=vectors,
        reference=reference,
        lowercase=lowercase,
        weights="idf" if vectors is None else weights,
    )


def test_equal_to_plain_loops_on_the_sample(sample):
    X = sample[0].iloc[:60]
    for options in ({}, {"vectors": VECTORS, "reference": False}):
        n_compared = assert_equals_loops(X, X.iloc[:30], **options)
        n_columns = evidence(X, **options).shape[1]
        assert n_compared > 0.9 * len(X) * n_columns


# Each group by hand. Words are orthogonal (a, b, d), but for "the": 0.8 like a, 0.6 like b.
PLANE = {"a": [1.0, 0.0, 0.0], "b": [0.0, 3.0, 0.0], "the": [1.6, 1.2, 0.0], "d": [0.0, 0.0, 0.5]}
REFERENCES = table(
    [(k, "x", "", text, "") for k, text in enumerate(["the b", "the d", "the", "the"])]
)


def by_hand(hypothesis, reference, *names, vectors=PLANE, source=""):
    X = table([(0, "x", source, reference, hypothesis)])
    found = evidence(X, vectors, features=list(names), fitted_on=REFERENCES)
    return found.iloc[0].tolist()


def harmonic(p, r):
    return 2 * p * r / (p + r)


def test_alignment():
    """Three distinct references: weights 0 (the), 1/2 (b, d) and 1 (a)."""
    found = by_hand("a b", "the b b", "alignment")
    expected = [
        *(1.8 / 2, 2.8 / 3, harmonic(1.8 / 2, 2.8 / 3)),
        *(1.3 / 1.5, 1, harmonic(1.3 / 1.5, 1)),  # a 1, b 1/2; the 0, b 1/2
        *(1, 1.8 / 2, harmonic(1, 1.8 / 2)),  # a 0, b 1/2; the 1, b 1/2
        0.5 / math.sqrt(1.25),  # a + b/2 and b
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    # All weights are 0, or 1 less them: plain means, and no sum that could be compared.
    names = [
        f"{kind}{side}" for side in ("precision", "recall") for kind in ("weighted_", "common_")
    ]
    np.testing.assert_allclose(by_hand("the", "the the", *names, "similarity"), [1, 1, 1, 1, 0])
    np.testing.assert_allclose(by_hand("a", "the", *names), [0.8] * 4, rtol=1e-6)


def test_cosines_below_0_count_as_0():
    vectors = {"a": [1.0, 0.0], "no": [-1.0, 0.1], "d": [0.0, 1.0]}
    names = ("alignment", "order", "first")
    found = dict(zip(range(21), by_hand("a", "no", *names, vectors=vectors), strict=True))
    assert [k for k, value in found.items() if value] == [18, 19]  # monotone and adjacent
    # Sums, too, are compared by c: a + no is 2 words that are not alike, d is a little like one.
    weighed = math.sqrt(2) * math.hypot(1, 0.1)
    found = by_hand("a no", "d", "similarity", vectors=vectors)
    np.testing.assert_allclose(found, [0.1 / weighed], rtol=1e-5)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        # position_precision, position_recall, pairs_f, context_f, monotone, adjacent
        ("a b", "b a", [0.75, 0.75, 0, 0.5, 0.5, 0]),
        ("a b d", "a b d", [1, 1, 1, 2.5 / 3, 1, 1]),
        ("a d", "a b d", [23 / 24, 2 / 3 * 23 / 24, 0.5, harmonic(0.5, 1.25 / 3), 1, 0.5]),
        ("b", "b", [1, 1, 0, 0.5, 1, 1]),
        ("b", "a", [0, 0, 0, 0, 1, 1]),
        # b stands as far from the first as from the last: the first of equals.
        ("a b d", "b a b", [5 / 9, None, None, None, 2 / 3, 0]),
    ],
)
def test_order(hypothesis, reference, expected):
    names = (
        "position_precision",
        "position_recall",
        "pairs_f",
        "context_f",
        "monotone",
        "adjacent",
    )
    for found, value in zip(by_hand(hypothesis, reference, *names), expected, strict=True):
        assert value is None or found == pytest.approx(value, rel=1e-6)


def test_order_against_competing_systems():
    """Against each other: of words that stand equally far, the first is the counterpart."""
    for one, other in [("a b d", "b a b"), ("b a d", "a b a"), ("d a", "a d b")]:
        X = table([(0, "A", "", other, one), (0, "B", "", one, other)])
        alone = evidence(X, PLANE, features=["order"])
        X = X.assign(reference="the")
        found = evidence(X, PLANE, features=["competing"])[[f"competing_{name}" for name in alone]]
        np.testing.assert_allclose(
            found.drop(columns=[n for n in found if "weighted" in n]),
            alone.drop(columns=[n for n in alone if "weighted" in n]),
        )


def test_ngrams():
    found = by_hand("a a b", "a b b", "ngrams")
    np.testing.assert_allclose(found, [2 / 3, 1 / 2, 0, 0, 2 / 3, 1 / 2, 0, 0])
    found = by_hand("a b the d a", "b the d a", "ngrams")
    np.testing.assert_allclose(found, [4 / 5, 3 / 4, 2 / 3, 1 / 2, 1, 1, 1, 1])


def test_unknown_and_copied_words():
    names = ("unknown", "unknown_copied", "source_copied", "copied")
    assert evidence(REFERENCES, PLANE, features=["unknown"]).columns.tolist() == list(names)
    # Not in the vocabulary: haus, am, hund; of 6 words, 3 and ! have no letter.
    source, reference = "Haus am 3 Hund XY ! der", "house a hund"
    found = by_hand("haus a am 3 hund !", reference, "unknown", source=source)
    np.testing.assert_allclose(found, [3 / 6, 2 / 6, 2 / 6, 1 / 6])
    X = table([(0, "x", source, reference, "haus a am 3 hund !")])
    found = evidence(X.drop(columns="reference"), PLANE, features=["unknown"], reference=False)
    assert found.columns.tolist() == [*names[:3]]
    np.testing.assert_allclose(found.iloc[0], [3 / 6, 3 / 6, 2 / 6])
    found = evidence(X, features=["unknown"])
    assert found.columns.tolist() == [*names[2:]] and found.to_numpy().tolist() == [[2 / 6, 1 / 6]]
    # Letters only, more than three.
    found = by_hand(
        "it's 1234 hund2 der haus", "", "source_copied", source="it's 1234 hund2 der haus"
    )
    assert found == [1 / 5]


def test_digits_punctuation_and_the_rest():
    found = by_hand("3 dogs , 4 4", "3 cats . 4", "small")
    length = math.log(5 / 4)
    np.testing.assert_allclose(found, [1 / 5, 1 / 4, 2 / 4, 1, 1, length, length])
    found = by_hand("a d", "the the b b", "small")
    np.testing.assert_allclose(found, [-0.5, 0, 0, 0.8, 0, -math.log(2), math.log(2)], rtol=1e-6)
    found = by_hand("3 x", "", "source", source="3 , 3")
    np.testing.assert_allclose(found, [math.log(2 / 3), math.log(3 / 2), 1 / 2, 1 / 2])


def test_empty_texts():
    names = ["repetition", "digits", "punctuation", "first", "last", "length", "length_difference"]
    nothing = [*range(-28, 0)]
    for texts, small in [
        (("", "3 3 ."), [-1 / 3, 2 / 3, 1 / 3, 0, 0, -math.log(3), math.log(3)]),
        (("3 3 .", ""), [1 / 3, 2, 1, 0, 0, math.log(3), math.log(3)]),
        (("", ""), [0] * 7),
    ]:
        found = by_hand(*texts, *names, "alignment", "order", "ngrams", "unknown")
        np.testing.assert_allclose(found[:7], small)
        assert not any(found[7:]) and len(found) == 7 + len(nothing) + 4
    assert by_hand("a", "a", "source") == [0] * 4
    expected = [-math.log(2), math.log(2), 0, 0]
    np.testing.assert_allclose(by_hand("", "a", "source", source="3 ,")[:2], expected[:2])


def test_competing_systems():
    rows = [(0, "A", "", "a d b", "a b"), (0, "B", "", "a d b", "a x"), (0, "C", "", "a d b", "b")]
    found = evidence(table(rows), {**PLANE, "x": [0.0, 0.0, -1.0]}, features=["competing"])
    log2 = math.log(2)
    expected = pd.DataFrame(
        {
            "competing_1gram_support": [1 / 2, 1 / 4, 1 / 2],  # a in B, b in C; a in A; b in A
            "competing_2gram_support": [0, 0, 0],
            "competing_unsupported": [0, 1 / 2, 0],
            # Of a, d and b: A lacks d, which nobody has; B b, which both have; C a.
            "competing_missed": [0, 1 / 3, 1 / 3],
            "competing_length": [log2 / 2, log2 / 2, -log2],
            "competing_length_difference": [log2 / 2, log2 / 2, log2],
            "competing_first": [1 / 2, 1 / 2, 0],
            "competing_precision": [1 / 2, 1 / 4, 1 / 2],
            "competing_recall": [3 / 4, 1 / 4, 1 / 4],
            "competing_f": [(1 / 2 + 2 / 3) / 2, 1 / 4, 1 / 3],
        },
        index=found.index,
        dtype=float,
    )
    pd.testing.assert_frame_equal(found[expected.columns], expected, rtol=1e-6)


def test_alone_a_translation_has_the_means_of_the_training_translations():
    rows = [
        *[(0, "A", "s", "a d", "a b"), (0, "B", "s", "a d", "a"), (0, "C", "s", "a d", "d d d")],
        *[(1, "A", "s", "b", "b"), (2, "A", "s", "the", "a"), (2, "B", "s", "the", "a")],
    ]
    X = table(rows)
    fitted = WordEvidence(PLANE).set_output(transform="pandas").fit(X)
    found = fitted.transform(X)
    competing = [name for name in found if name.startswith("competing_")]
    assert len(competing) == 29
    expected = found[competing].iloc[:3].mean().to_numpy()
    assert np.ptp(found["competing_f"].iloc[:3]) > 0
    np.testing.assert_allclose(found[competing].iloc[3:], [expected] * 3)  # equal texts are one
    # Whatever else the table has: a segment of one candidate is as far from knowing.
    np.testing.assert_array_equal(
        fitted.transform(X.iloc[[0]])[competing], found[competing].iloc[[3]]
    )
    np.testing.assert_array_equal(fitted.transform(X.iloc[[0]])["f"], found["f"].iloc[[0]])
    none = evidence(X.iloc[[0]], PLANE, features=["competing"])
    assert not none.to_numpy().any()


def test_of_several_references_the_one_with_the_highest_f_counts():
    references = ["d", "the b", "", "a the", "a the", "x"]
    X = table([(0, "A", "", references, "a b"), (0, "B", "", references, "a")])
    names = ["f", "1gram_recall", "length", "copied", "competing_missed"]
    found = evidence(X, PLANE, features=names, fitted_on=REFERENCES)
    each = [
        evidence(X.assign(reference=text), PLANE, features=names, fitted_on=REFERENCES)
        for text in references
    ]
    for row in range(2):
        best = max(range(6), key=lambda k: each[k].iloc[row, 0])
        assert best == [1, 3][row]
        np.testing.assert_array_equal(found.iloc[row], each[best].iloc[row])
    # The first of equals, F = 0 too.
    X = table([(0, "A", "", ["d", "d d", "the"], "b")])
    assert evidence(X.assign(reference=[["d", "d d"]]), PLANE, features=["length"]).iloc[0, 0] == 0
    # No competitor, nor the reference that counts, has it: another reference does not help.
    X = table([(0, "A", "", ["a b", "d"], "a d"), (0, "B", "", ["a b", "d"], "b")])
    found = evidence(X, PLANE, features=["f", "competing_unsupported"])
    assert found["competing_unsupported"].tolist() == [1 / 2, 0]


def test_rows_of_other_references_do_not_compete():
    X = table([(0, "A", "", "a", "a b"), (0, "B", "", "a", "a"), (0, "C", "", "b", "a b d")])
    found = evidence(X, PLANE, features=["competing"], fitted_on=X)
    pairs = evidence(X.iloc[:2], PLANE, features=["competing"], fitted_on=X)
    pd.testing.assert_frame_equal(found.iloc[:2], pairs)
    free = evidence(X, PLANE, features=["competing"], reference=False, fitted_on=X)
    assert free["competing_length"].iloc[0] == pytest.approx(math.log(2) - math.log(3) / 2)


def test_weights_are_lengths():
    vectors = {"a": [0.5, 0.0], "b": [0.0, 0.25], "long": [3.0, 4.0]}
    X = table([(0, "x", "", "a a", "a b long unheard")])
    names = ["weighted_precision", "common_precision"]
    found = evidence(X, vectors, weights="length", features=[*names, "precision"])
    long = 3 / 5  # its cosine with a
    unheard = found["precision"].iloc[0] * 4 - 1 - long
    np.testing.assert_allclose(
        found[names].iloc[0],
        [(0.5 + long + unheard) / (0.5 + 0.25 + 1 + 1), 0.5 / (0.5 + 0.75)],
        rtol=1e-6,
    )
    assert WordEvidence(vectors, weights="length").fit(X).word_weights_ == {}


def test_inverse_document_frequencies():
    fitted = WordEvidence(PLANE).fit(REFERENCES)
    assert fitted.word_weights_ == pytest.approx({"the": 0, "b": 0.5, "d": 0.5})
    X = table([(0, "A", "", "x", "a b"), (0, "B", "", "x", "b"), (1, "A", "", "x", "b")])
    fitted = WordEvidence(PLANE, reference=False).fit(X)
    assert fitted.word_weights_ == pytest.approx({"a": math.log(3 / 2) / math.log(3), "b": 0})


def test_limit_keeps_the_first_vectors_and_those_of_the_fit():
    X = table([(0, "A", "d", "b", "zzz")])
    fitted = WordEvidence(PLANE, limit=1).fit(X)
    assert fitted.vectors_.words == ["a", "b"]
    later = table([(0, "A", "", "b", "a b d")])
    found = fitted.set_output(transform="pandas").transform(later)
    assert found["unknown"].iloc[0] == 1 / 3
    whole = evidence(later, PLANE, fitted_on=X)
    assert whole["unknown"].iloc[0] == 0
    assert list(WordEvidence(PLANE, limit=0).fit(X).vectors_.words) == ["b"]


# What the numbers may not depend on.


def messy(sample):
    """Several rankings of a segment, equal texts, lone systems, several references."""
    X = sample[0].iloc[:90]
    X = X.assign(reference=[[text, text[::2]] for text in X["reference"]])
    frame = X.index.to_frame(index=False)
    frame["segment"] = [f"{segment} {k % 2}" for k, segment in enumerate(frame["segment"])]
    X.index = pd.MultiIndex.from_frame(frame[["segment", "system"]])
    X.loc[X.index[::7], "hypothesis"] = X["hypothesis"].iloc[0]
    return X


def numbers(transformer, X):
    return transformer.transform(X).to_numpy()


@pytest.fixture(scope="module")
def fitted(sample):
    X = messy(sample)
    return WordEvidence(VECTORS).set_output(transform="pandas").fit(X), X


def test_order_and_names_do_not_matter(fitted):
    transformer, X = fitted
    expected = numbers(transformer, X)
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_array_equal(numbers(transformer, X.iloc[order]), expected[order])
    again = WordEvidence(VECTORS).set_output(transform="pandas").fit(X.iloc[order])
    np.testing.assert_array_equal(numbers(again, X), expected)
    np.testing.assert_array_equal(again.means_, transformer.means_)
    segments = X.index.get_level_values("segment")
    names = pd.MultiIndex.from_arrays(
        [segments.map(hash), [-k for k in range(len(X))]], names=["segment", "system"]
    )
    np.testing.assert_array_equal(numbers(transformer, X.set_axis(names)), expected)


def test_other_segments_do_not_matter(fitted):
    transformer, X = fitted
    expected = transformer.transform(X)
    segments = X.index.get_level_values("segment")
    for segment in segments.unique()[:8]:
        alone = transformer.transform(X[segments == segment])
        np.testing.assert_array_equal(alone, expected[segments == segment])


def test_copies_of_a_system_change_no_number(fitted):
    transformer, X = fitted
    copy = X.set_axis(X.index.set_levels(X.index.levels[1].map("copy of {}".format), level=1))
    X2 = pd.concat([X, copy.iloc[::3]])
    found = numbers(transformer, X2)
    np.testing.assert_array_equal(found[: len(X)], numbers(transformer, X))
    np.testing.assert_array_equal(found[len(X) :], numbers(transformer, X)[::3])
    again = WordEvidence(VECTORS).set_output(transform="pandas").fit(X2)
    np.testing.assert_array_equal(numbers(again, X2), found)
    np.testing.assert_array_equal(again.means_, transformer.means_)


def test_rankings_of_a_segment_share_competitors(fitted):
    transformer, X = fitted
    frame = X.index.to_frame(index=False).assign(ranking=np.arange(len(X)) % 3)
    ranked = X.set_axis(pd.MultiIndex.from_frame(frame[["segment", "ranking", "system"]]))
    np.testing.assert_array_equal(numbers(transformer, ranked), numbers(transformer, X))


def test_a_plain_table_will_do_without_competing_systems(fitted):
    _, X = fitted
    plain = X.reset_index(drop=True)
    names = ["alignment", "order", "ngrams", "unknown", "small", "source"]
    found = WordEvidence(VECTORS, features=names).fit_transform(plain)
    np.testing.assert_array_equal(found, WordEvidence(VECTORS, features=names).fit_transform(X))
    for features in (["competing"], ["f", "competing_first"], None):
        with pytest.raises(
            CandidateError, match=r"level 'segment'.*set_index\(\['segment', 'system'"
        ):
            WordEvidence(features=features).fit(plain)
    fitted_before = WordEvidence(features=["competing_first"]).fit(X)
    with pytest.raises(CandidateError, match="level 'segment'"):
        fitted_before.transform(plain)


def test_a_segment_has_one_source(fitted):
    _, X = fitted
    bad = X.assign(source=[f"{text} {k}" for k, text in enumerate(X["source"])])
    with pytest.raises(CandidateError, match="another source"):
        WordEvidence(features=["competing_first"]).fit(bad)
    WordEvidence(features=["copied"]).fit(bad)


@pytest.mark.parametrize(
    "options", [{}, {"reference": False}, {"vectors": None}, {"vectors": None, "reference": False}]
)
def test_chosen_columns_equal_those_of_all(fitted, options):
    _, X = fitted
    options = {"vectors": VECTORS, **options}
    whole = evidence(X, **options)
    groups = {"competing", "small", "source", "unknown"}
    if "reference" not in options:
        groups |= {"alignment", "order", "ngrams"}
    columns = [evidence(X, features=[group], **options).columns for group in sorted(groups)]
    assert sorted(name for names in columns for name in names) == sorted(whole.columns)
    for features in (["source_length"], ["competing_f", "small", "repetition"], ["source_copied"]):
        found = evidence(X, features=features, **options)
        pd.testing.assert_frame_equal(found, whole[found.columns], check_exact=True)
    if "reference" in options:
        pd.testing.assert_frame_equal(evidence(X.drop(columns="reference"), **options), whole)
    # In the order given, each once.
    names = evidence(X, features=["repetition", "small", "competing_first"], **options).columns
    assert names[0] == "repetition" and names[-1] == "competing_first"
    assert sorted(names[:-1]) == sorted(evidence(X, features=["small"], **options).columns)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": []}, "features must be a non-empty list or tuple of different names"),
        ({"features": "alignment"}, "features must be a non-empty list"),
        ({"features": ["f", "f"]}, "different names"),
        (
            {"features": ["bleu"]},
            r"groups of \['alignment'.*, without vectors, found 'bleu'",
        ),
        ({"features": ["f"], "reference": False}, r"groups of \['unknown'.*found 'f'"),
        ({"features": ["order"], "reference": False}, "without references and vectors, found"),
        ({"features": ["unknown_copied"]}, "without vectors, found 'unknown_copied'"),
        ({"weights": "idf2"}, "weights must be one of"),
        ({"weights": "length"}, "weights='length' is the length of vectors: give vectors"),
        ({"reference": 1}, "reference must be True or False, found 1"),
        ({"lowercase": None}, "lowercase must be True or False"),
        ({"vectors": PLANE, "limit": -1}, "limit must be None or an integer >= 0, found -1"),
        ({"vectors": "none.txt"}, "none.txt: cannot be read"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        WordEvidence(**options).fit(REFERENCES)


# Size


def test_the_first_1000_words_count():
    text = " ".join(f"{'abd'[k % 3]} {'the' if k % 5 else 'b'}" for k in range(500))
    X = table([(0, "A", text, text, text), (0, "B", text, text, f"{text[4:]} a b . !")])
    longer = X.map(lambda cell: f"{cell} d the 3 , 3 , unheard")
    found = evidence(X, PLANE, fitted_on=REFERENCES)
    longer = evidence(longer, PLANE, fitted_on=REFERENCES)
    assert found["f"].iloc[0] == 1 and found["length"].iloc[0] == 0
    np.testing.assert_array_equal(longer.iloc[0], found.iloc[0])


def test_words_beyond_those_whose_cosines_are_kept(fitted, monkeypatch):
    transformer, X = fitted
    expected = numbers(transformer, X)
    for most in (0, 40, 60):  # few segments, if any, have so few words
        monkeypatch.setattr(_kernel, "_MOST_SHARED", most)
        np.testing.assert_array_equal(numbers(transformer, X), expected)


def test_memory_is_bounded():
    """Cosines of all words of this segment would take 196 MB, words beyond the first 1,000 more."""
    texts = [" ".join(f"{k}" for k in range(1500 * s, 1500 * s + 1500)) for s in range(7)]
    rows = [(0, str(k), "", texts[0], text) for k, text in enumerate(texts)]
    transformer = WordEvidence({"0": [1.0, 0.5]}, features=["f", "competing_f"]).fit(REFERENCES)
    tracemalloc.start()
    found = transformer.transform(table(rows))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
    assert found[0, 0] == 1 and np.isfinite(found).all()


def test_extreme_vectors():
    vectors = {"big": [3e38, -3e38], "huge": [-3e38, 3e38], "tiny": [1e-45, 0], "": [1, 1]}
    vectors |= {"p": [3e38, 3e38], "##ieces": [3e38, 3e38]}
    names = ["precision", "recall"]
    X = table([(0, "x", "", "huge big", "big tiny"), (1, "x", "", "p pieces", "pieces")])
    found = evidence(X, vectors, features=names)
    half = math.sqrt(0.5)  # big and tiny; tiny and huge are opposite
    np.testing.assert_allclose(found, [[(1 + half) / 2, 0.5], [1, 1]], rtol=1e-6)
    for weights in ("idf", "length"):
        assert np.isfinite(evidence(X, vectors, weights=weights).to_numpy()).all()


def test_saving_keeps_the_weights(tmp_path):
    X = table([(0, "A", "", "a \ud800", "a the \ud800"), (0, "B", "", "a \ud800", "a 東京")])
    fitted = WordEvidence(PLANE).fit(X)
    save_model(fitted, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "model")):
        assert again.word_weights_ == fitted.word_weights_
        np.testing.assert_array_equal(again.transform(X), fitted.transform(X))


def test_texts_of_another_language_are_warned_of():
    words = ["der", "hund", "bellt", "dog", ",", "3"]
    german = ["wieder", "häuschen", "gestreichelt", "dog", ",", "3"]
    assert load_word_vectors("english").rows([*german[:3], "dog"]).tolist()[:3] == [-1, -1, -1]
    text = " ".join(german * 60)  # 240 words with letters, 60 of them known
    X = pd.DataFrame({"hypothesis": [text]})
    evidence = WordEvidence("english", features=["repetition"], reference=False)
    with pytest.warns(UserWarning, match="English vectors know only 25% .* another language"):
        evidence.fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evidence.transform(pd.DataFrame({"hypothesis": [" ".join(words)]}))  # too few to tell
        WordEvidence(VECTORS, features=["repetition"], reference=False).fit(X)
