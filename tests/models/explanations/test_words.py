"""Words without counterpart and where they stand, against exhaustive search and by hand."""

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval._helpers.error_spans import unit_places, unit_ranges
from sklearn_mteval.models.explanations._word_kernel import MOST_WORDS, align_words
from sklearn_mteval.models.explanations.words import (
    WordMarks,
    marked_words,
    unmatched_words,
    word_marks,
)
from sklearn_mteval.text import load_word_vectors


def shown(text, ranges):
    """What stands in ranges of a text."""
    return [text[start:end] for start, end in ranges]


def marks(reference, hypothesis, vectors=None):
    """The texts of what is marked: own, missing, moved."""
    [found] = marked_words([[reference]], [hypothesis], vectors)
    return (
        shown(hypothesis, found.own),
        shown(reference, found.missing),
        shown(hypothesis, found.moved),
    )


def is_subsequence(short, long):
    rest = iter(long)
    return all(word in rest for word in short)


def most_in_order(reference, hypothesis):
    """Length of the longest common subsequence, by trying all."""
    return max(
        n
        for n in range(len(hypothesis) + 1)
        for part in combinations(hypothesis, n)
        if is_subsequence(part, reference)
    )


def test_equal_words_are_counterparts_as_an_exhaustive_search_says():
    rng = np.random.default_rng(0)
    units = np.zeros((4, 2), dtype=np.float32)
    for _ in range(300):
        texts = [rng.integers(0, 4, rng.integers(0, 8)) for _ in range(2)]
        bounds = [np.array([0, len(text)]) for text in texts]
        partner, moved = align_words(
            texts[0], bounds[0], texts[1], bounds[1], np.array([[0, 0]]), units, 0.5
        )
        found = partner[partner >= 0]
        assert len(set(found)) == len(found)
        assert (texts[0][found] == texts[1][partner >= 0]).all()
        assert len(found) == (Counter(texts[0].tolist()) & Counter(texts[1].tolist())).total()
        assert (
            not moved[partner < 0].any() and (np.diff(partner[(partner >= 0) & ~moved]) > 0).all()
        )
        assert (~moved[partner >= 0]).sum() >= most_in_order(*(text.tolist() for text in texts))


def test_similar_words_are_counterparts_the_most_similar_first():
    angles = np.radians([0.0, 10.0, 50.0, 200.0])
    units = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    bounds = np.array([0, 2])
    pair = np.array([[0, 0]])
    # 1 is nearer to 0 than 2 is, and 2 is nearer to 1 than to nothing.
    partner, moved = align_words(
        np.array([0, 3]), bounds, np.array([2, 1]), bounds, pair, units, 0.5
    )
    assert partner.tolist() == [-1, 0] and not moved.any()
    partner, moved = align_words(
        np.array([0, 2]), bounds, np.array([2, 1]), bounds, pair, units, 0.5
    )
    assert partner.tolist() == [1, 0] and moved.sum() == 1


def test_half_is_similar_enough():
    units = np.array([[1, 0], [0.5, 0.75**0.5], [0.46875, 0.78125]], dtype=np.float32)
    one, bounds, pair = np.array([0]), np.array([0, 1]), np.array([[0, 0]])
    for other, partner in ((1, 0), (2, -1)):
        found, _ = align_words(one, bounds, np.array([other]), bounds, pair, units, 0.5)
        assert found.tolist() == [partner]


def test_words_of_a_cosine_above_half_are_counterparts():
    """By the vectors: hospital and nurse 0.56, hospital and doctor 0.46; a and the 0.6 or more."""
    vectors = load_word_vectors("english")
    assert unmatched_words("hospital", "nurse", vectors) == [[], []]
    assert unmatched_words("hospital", "doctor", vectors) == [["hospital"], ["doctor"]]
    assert unmatched_words("a dog", "the dog", vectors) == [[], []]  # of one letter, but known
    assert unmatched_words("a dog", "the dog", None) == [["a"], ["the"]]


def test_of_several_references_the_nearest_counts():
    for references, nearest in ((("quite another", "the dog"), 1), (("the dog", "other"), 0)):
        (found,) = marked_words([references], ["the dog barks"], None)
        assert found.reference == nearest
        assert shown("the dog barks", found.own) == ["barks"] and found.missing == []


def test_of_equally_many_words_in_order_the_same_ones_are_always_said_to_move():
    """Of two words that changed places, the first in the translation moved."""
    assert marks("dog cat", "cat dog") == ([], [], ["cat"])


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("the dog barks", "the dog barks", ([], [], [])),
        ("The dog, barks.", "the DOG barks", ([], [], [])),
        ("the big, old dog", "the dog", ([], ["big, old"], [])),
        ("the dog", "the big dog is old", (["big", "is old"], [], [])),
        ("yesterday she came home", "she came home yesterday", ([], [], ["yesterday"])),
        ("9 Häuser", "7 Häusern", (["7"], ["9"], [])),
        ("a &amp; amp dog", "dog &quot; quot", (["quot"], ["a &amp; amp"], [])),
        ("one <skipped> skipped", "skipped\none", ([], [], ["skipped"])),
        ("", "the dog", (["the dog"], [], [])),
        ("the dog", "", ([], ["the dog"], [])),
        ("", "", ([], [], [])),
        ("...", "!", ([], [], [])),
        ("狗在叫。", "猫在叫。", (["猫"], ["狗"], [])),
        ("ขอบคุณที่มา", "ขอบคุณที่", ([], ["มา"], [])),
        ("\ud800 dog", "dog \U0001f600 \ud800x", (["\ud800x"], [], [])),
    ],
)
def test_marks_by_hand(reference, hypothesis, expected):
    assert marks(reference, hypothesis) == expected


def test_words_of_one_meaning_are_counterparts_by_vectors():
    vectors = load_word_vectors("english")
    doctor, physician = "The doctor came at 9.", "The physician came at 7 today."
    assert marks(doctor, physician, vectors) == (["7 today"], ["9"], [])
    assert marks(doctor, physician)[:2] == (["physician", "7 today"], ["doctor", "9"])


def test_ranges_hold_the_words_that_are_listed():
    rng = np.random.default_rng(1)
    words = ["the", "The", "dog", "dogs", "3,5", "3.5", "(cat)", "don't", "x-y", "&quot;", "é"]
    texts = [" ".join(rng.choice(words, rng.integers(0, 9))) for _ in range(200)]
    for reference, hypothesis in zip(texts[::2], texts[1::2], strict=True):
        own, missing, _ = marks(reference, hypothesis)
        for ranges, listed in zip((missing, own), unmatched_words(reference, hypothesis, None),
                                  strict=True):  # fmt: skip
            assert is_subsequence(listed, unmatched_words("", " ".join(ranges), None)[1])


def test_the_nearest_reference_counts_and_pairs_do_not_touch_each_other():
    references = [["a cat", "the dog barks"], [], ["the dog barks", "a cat"], ["the dog barks"]]
    hypotheses = ["the dog", "the dog", "the dog", "a cat"]
    found = marked_words(references, hypotheses, None)
    assert [one.reference for one in found] == [1, None, 0, 0]
    assert found[1] == WordMarks([], [], [])
    alone = [marked_words([r], [h], None)[0] for r, h in zip(references, hypotheses, strict=True)]
    assert found == alone
    assert found[0].missing == [(8, 13)]


def test_long_texts_take_linear_time_and_equal_words_only():
    many = " ".join(f"word{chr(97 + k % 26)}" for k in range(MOST_WORDS + 1))
    assert marks(many, many) == ([], [], [])
    assert marks(many + " Häuser", many + " Häusern")[:2] == (["Häusern"], ["Häuser"])
    long = "x" * 100_000
    assert marks(long, long[1:]) == ([long[1:]], [long], [])
    assert marks(" ".join("ab" * 50_000), " ".join("ba" * 50_000))[:2] == ([], [])


def test_a_table_without_references_has_no_marks_and_one_with_them_has_those_of_its_language():
    rows = pd.MultiIndex.from_product([[1], ["A", "B"]], names=["segment", "system"])
    X = pd.DataFrame({"hypothesis": ["The physician came.", "A cat."]}, index=rows)
    assert word_marks(X) == [WordMarks([], [], [])] * 2
    X["reference"] = "The doctor came."
    first, second = word_marks(X)
    assert first == WordMarks([], [], [], 0) and second.missing


def test_units_of_ranges_are_those_that_browsers_count():
    text = "a\U0001f600 b\ud800é\U0001f600"
    places = unit_places(text)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            [(first, last)] = unit_ranges(text, [(start, end)])
            assert (places[first], places[last - 1]) == (start, end - 1)
    assert unit_ranges("abc", [(0, 2)]) == [(0, 2)] and unit_ranges("", []) == []
