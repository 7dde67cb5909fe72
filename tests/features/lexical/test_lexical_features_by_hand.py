import math

import numpy as np
import pandas as pd
import pytest
from lexical_tables import PLANE, REFERENCES, lexical, table

from sklearn_mteval.features import LexicalFeatures

# Lengths other than 1: a weight of 1 but for rounding would be one of the spelling's.


def by_hand(hypothesis, reference, *names, vectors=PLANE, source=""):
    X = table([(0, "x", source, reference, hypothesis)])
    found = lexical(X, vectors, features=list(names), fitted_on=REFERENCES)
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
        alone = lexical(X, PLANE, features=["order"])
        X = X.assign(reference="the")
        found = lexical(X, PLANE, features=["competing"])[[f"competing_{name}" for name in alone]]
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
    assert lexical(REFERENCES, PLANE, features=["unknown"]).columns.tolist() == list(names)
    # Not in the vocabulary: haus, am, hund; of 6 words, 3 and ! have no letter.
    source, reference = "Haus am 3 Hund XY ! der", "house a hund"
    found = by_hand("haus a am 3 hund !", reference, "unknown", source=source)
    np.testing.assert_allclose(found, [3 / 6, 2 / 6, 2 / 6, 1 / 6])
    X = table([(0, "x", source, reference, "haus a am 3 hund !")])
    found = lexical(X.drop(columns="reference"), PLANE, features=["unknown"], use_references=False)
    assert found.columns.tolist() == [*names[:3]]
    np.testing.assert_allclose(found.iloc[0], [3 / 6, 3 / 6, 2 / 6])
    found = lexical(X, features=["unknown"])
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
    found = lexical(table(rows), {**PLANE, "x": [0.0, 0.0, -1.0]}, features=["competing"])
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
    fitted = LexicalFeatures(PLANE).set_output(transform="pandas").fit(X)
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
    none = lexical(X.iloc[[0]], PLANE, features=["competing"])
    assert not none.to_numpy().any()


def test_of_several_references_the_one_with_the_highest_f_counts():
    references = ["d", "the b", "", "a the", "a the", "x"]
    X = table([(0, "A", "", references, "a b"), (0, "B", "", references, "a")])
    names = ["f", "1gram_recall", "length", "copied", "competing_missed"]
    found = lexical(X, PLANE, features=names, fitted_on=REFERENCES)
    each = [
        lexical(X.assign(reference=text), PLANE, features=names, fitted_on=REFERENCES)
        for text in references
    ]
    for row in range(2):
        best = max(range(6), key=lambda k: each[k].iloc[row, 0])
        assert best == [1, 3][row]
        np.testing.assert_array_equal(found.iloc[row], each[best].iloc[row])
    # The first of equals, F = 0 too.
    X = table([(0, "A", "", ["d", "d d", "the"], "b")])
    assert lexical(X.assign(reference=[["d", "d d"]]), PLANE, features=["length"]).iloc[0, 0] == 0
    # No competitor, nor the reference that counts, has it: another reference does not help.
    X = table([(0, "A", "", ["a b", "d"], "a d"), (0, "B", "", ["a b", "d"], "b")])
    found = lexical(X, PLANE, features=["f", "competing_unsupported"])
    assert found["competing_unsupported"].tolist() == [1 / 2, 0]


def test_rows_of_other_references_do_not_compete():
    X = table([(0, "A", "", "a", "a b"), (0, "B", "", "a", "a"), (0, "C", "", "b", "a b d")])
    found = lexical(X, PLANE, features=["competing"], fitted_on=X)
    pairs = lexical(X.iloc[:2], PLANE, features=["competing"], fitted_on=X)
    pd.testing.assert_frame_equal(found.iloc[:2], pairs)
    free = lexical(X, PLANE, features=["competing"], use_references=False, fitted_on=X)
    assert free["competing_length"].iloc[0] == pytest.approx(math.log(2) - math.log(3) / 2)


def test_weights_are_lengths():
    vectors = {"a": [0.5, 0.0], "b": [0.0, 0.25], "long": [3.0, 4.0]}
    X = table([(0, "x", "", "a a", "a b long unheard")])
    names = ["weighted_precision", "common_precision"]
    found = lexical(X, vectors, weights="length", features=[*names, "precision"])
    long = 3 / 5  # its cosine with a
    unheard = found["precision"].iloc[0] * 4 - 1 - long
    np.testing.assert_allclose(
        found[names].iloc[0],
        [(0.5 + long + unheard) / (0.5 + 0.25 + 1 + 1), 0.5 / (0.5 + 0.75)],
        rtol=1e-6,
    )
    assert LexicalFeatures(vectors, weights="length").fit(X).word_weights_ == {}


def test_inverse_document_frequencies():
    fitted = LexicalFeatures(PLANE).fit(REFERENCES)
    assert fitted.word_weights_ == pytest.approx({"the": 0, "b": 0.5, "d": 0.5})
    X = table([(0, "A", "", "x", "a b"), (0, "B", "", "x", "b"), (1, "A", "", "x", "b")])
    fitted = LexicalFeatures(PLANE, use_references=False).fit(X)
    assert fitted.word_weights_ == pytest.approx({"a": math.log(3 / 2) / math.log(3), "b": 0})


def test_limit_keeps_the_first_vectors_and_those_of_the_fit():
    X = table([(0, "A", "d", "b", "zzz")])
    fitted = LexicalFeatures(PLANE, limit=1).fit(X)
    assert fitted.vectors_.words == ["a", "b"]
    later = table([(0, "A", "", "b", "a b d")])
    found = fitted.set_output(transform="pandas").transform(later)
    assert found["unknown"].iloc[0] == 1 / 3
    whole = lexical(later, PLANE, fitted_on=X)
    assert whole["unknown"].iloc[0] == 0
    assert list(LexicalFeatures(PLANE, limit=0).fit(X).vectors_.words) == ["b"]


# What the numbers may not depend on.
