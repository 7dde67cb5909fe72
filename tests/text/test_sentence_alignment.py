"""Aligned sentences: by hand, and against all alignments that there are of small texts."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.text.sentence_alignment import (
    OF_ONE_LANGUAGE,
    OF_TWO_LANGUAGES,
    SHORT,
    align_sentences,
)
from sklearn_mteval.text.sentences import width

CAT = "The cat sat quietly on the mat."
DOG = "A dog barked at every stranger."
RAIN = "It rained for the whole afternoon."
BUS = "Nobody knew when the bus would come."


def steps(first, second, weights=OF_ONE_LANGUAGE, **options):
    return align_sentences(first, second, weights, **options)[0]


def one_to_one(n):
    return [(k, k + 1, k, k + 1) for k in range(n)]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param([CAT, DOG, RAIN], [CAT, DOG, RAIN], one_to_one(3), id="equal"),
        pytest.param([CAT, DOG], [CAT, f"{DOG} {RAIN}"], one_to_one(2), id="longer"),
        pytest.param(
            [CAT, DOG, RAIN], [CAT, RAIN], [(0, 1, 0, 1), (1, 2, 1, 1), (2, 3, 1, 2)], id="omitted"
        ),
        pytest.param(
            [CAT, RAIN], [CAT, DOG, RAIN], [(0, 1, 0, 1), (1, 1, 1, 2), (1, 2, 2, 3)], id="added"
        ),
        pytest.param(
            [CAT, DOG, RAIN], [f"{CAT[:-1]}, and {DOG}", RAIN], [(0, 2, 0, 1), (2, 3, 1, 2)],
            id="two in one",
        ),
        pytest.param(
            [f"{CAT[:-1]}, and {DOG}", RAIN], [CAT, DOG, RAIN], [(0, 1, 0, 2), (1, 2, 2, 3)],
            id="one as two",
        ),
        pytest.param([], [CAT, DOG], [(0, 0, 0, 1), (0, 0, 1, 2)], id="nothing on one side"),
        pytest.param([], [], [], id="nothing at all"),
    ],
)  # fmt: skip
def test_by_hand(first, second, expected):
    assert steps(first, second) == expected


def test_a_doubled_text_is_aligned_once():
    found = steps([CAT, DOG, RAIN], [CAT, DOG, RAIN] * 2)
    aligned = [step for step in found if step[0] < step[1]]
    assert [step[:2] for step in aligned] == [(0, 1), (1, 2), (2, 3)]
    assert all(step[3] - step[2] == 1 for step in aligned)
    assert sum(step[0] == step[1] for step in found) == 3  # the others are additions


def test_lengths_tell_what_words_cannot():
    long, short = "外" * 30 + "。", "内" * 4 + "。"
    english = ["A sentence of many words, which goes on and on, as translations of long ones do: "
               "it has about as many letters as that needs.", "Only a few words."]  # fmt: skip
    assert steps([long, short], english, OF_TWO_LANGUAGES) == one_to_one(2)
    assert steps([short, long], english[::-1], OF_TWO_LANGUAGES) == one_to_one(2)


def test_gain_is_highest_of_equal_texts():
    texts = [CAT, DOG, RAIN]
    gains = [
        align_sentences(texts, other)[1]
        for other in (texts, [CAT, RAIN, DOG], [CAT, BUS, RAIN], [BUS, BUS, BUS])
    ]
    assert gains[0] > max(gains[1:]) and gains[-1] == min(gains)
    # Of equal texts the Dice coefficient is 1, and both sides are as long.
    expected = OF_ONE_LANGUAGE.likeness - OF_ONE_LANGUAGE.threshold + OF_ONE_LANGUAGE.length
    expected += OF_ONE_LANGUAGE.equal
    assert gains[0] == pytest.approx(expected)


def test_several_with_several_up_to_the_longest_width():
    first, second = [CAT, DOG], [DOG, CAT]  # exchanged: one window of both
    whole = width(CAT) + width(DOG)
    assert steps(first, second, longest=whole) == [(0, 2, 0, 2)]
    assert (0, 2, 0, 2) not in steps(first, second, longest=whole - 1)


def test_several_with_one_that_is_as_wide():
    one = f"{CAT[:-1]}, and {DOG}"
    assert width(CAT) + width(DOG) < width(one)
    assert steps([CAT, DOG], [one], longest=1.0) == [(0, 2, 0, 1)]
    assert steps([one], [CAT, DOG], longest=1.0) == [(0, 1, 0, 2)]
    more = f"{RAIN[:-1]}, and once more"
    assert (0, 3, 0, 1) not in steps([CAT, DOG, more], [one], longest=1.0)
    assert steps([CAT], [CAT], longest=1.0) == one_to_one(1)  # of one sentence all is read


SENTENCES = st.lists(
    st.sampled_from([CAT, DOG, RAIN, BUS, "Yes.", "No.", "猫坐在垫子上。", "3.14", f"{CAT} {DOG}"]),
    max_size=4,
)


def is_allowed(a, c):
    """Tell which numbers of sentences a step may have."""
    if a == 0 or c == 0:
        return a + c == 1
    return max(a, c) <= 3 or (min(a, c) == 1 and max(a, c) <= 8)


def ngrams(text, n):
    """Count the n-grams of a text, with a blank around it."""
    read = f" {' '.join(text.lower().split())} "
    return Counter(read[k : k + n] for k in range(len(read) - n + 1))


class AllAlignments:
    """What each alignment gains, by the documented formulas, in loops over strings."""

    def __init__(self, first, second, weights, longest):
        self.weights, self.longest = weights, longest
        self.widths = [list(map(width, texts)) for texts in (first, second)]
        is_wide = sum(map(sum, self.widths)) > 15 * sum(map(len, [*first, *second]))
        n = 2 if is_wide else 4
        self.texts = [[" ".join(text.split()) for text in texts] for texts in (first, second)]
        self.grams = [[ngrams(text, n) for text in texts] for texts in (first, second)]
        in_texts = [Counter(gram for grams in side for gram in grams) for side in self.grams]
        self.weight = {
            gram: 1 / n if (n := max(side[gram] for side in in_texts)) <= 8 else 0
            for gram in in_texts[0] | in_texts[1]
        }

    def mass(self, grams):
        return sum(n * self.weight[gram] for gram, n in grams.items())

    def gain(self, i, i2, j, j2):
        w, sides = self.weights, (self.widths[0][i:i2], self.widths[1][j:j2])
        if i == i2 or j == j2:
            left = max(*sides, key=len)[0]
            return -w.leaving * left - w.leaving_short * min(left, SHORT) - w.leaving_one
        if len(sides[0]) > 1 < len(sides[1]) and max(map(sum, sides)) > self.longest:
            return None
        for several, one in (sides, sides[::-1]):
            if len(several) > len(one) == 1 and sum(several) > max(self.longest, 1.2 * one[0]):
                return None
        masses = [
            sum(map(self.mass, grams)) for grams in (self.grams[0][i:i2], self.grams[1][j:j2])
        ]
        shared = sum(
            self.mass(one & other) for one in self.grams[0][i:i2] for other in self.grams[1][j:j2]
        )
        dice = 2 * min(shared, *masses) / sum(masses) if sum(masses) else 0
        r, h = map(sum, sides)
        short = [[min(one, SHORT) for one in side] for side in sides]
        merged = sum(sum(side) - max(side) for side in short)
        alike = (w.likeness * dice - w.threshold) * (r + h) + 2 * w.length * min(r, h)
        equal = i2 - i == 1 == j2 - j and self.texts[0][i] == self.texts[1][j]
        return alike + w.equal * equal * (r + h) - w.merging * merged

    def gains(self, i=0, j=0):
        """Yield what each alignment from a position on gains."""
        n, m = map(len, self.widths)
        if (i, j) == (n, m):
            yield 0.0
        for i2 in range(i, n + 1):
            for j2 in range(j, m + 1):
                if is_allowed(i2 - i, j2 - j):
                    gain = self.gain(i, i2, j, j2)
                    if gain is not None:
                        yield from (gain + rest for rest in self.gains(i2, j2))


@given(SENTENCES, SENTENCES, st.sampled_from([OF_ONE_LANGUAGE, OF_TWO_LANGUAGES]))
@pytest.mark.parametrize("longest", [400.0, 9000.0])
def test_the_best_of_all_alignments_is_found(longest, first, second, weights):
    every = AllAlignments(first, second, weights, longest)
    found, gain = align_sentences(first, second, weights, longest=longest)
    total = sum(map(sum, every.widths))
    best = max(every.gains()) / total if total else 0.0
    assert gain == pytest.approx(best, abs=1e-9)
    steps_gain = sum(every.gain(*step) for step in found) / total if total else 0.0
    assert steps_gain == pytest.approx(best, abs=1e-9)


@given(SENTENCES, SENTENCES)
def test_steps_follow_each_other(first, second):
    found = steps(first, second)
    ends = [(0, 0), *((step[1], step[3]) for step in found)]
    assert ends[-1] == (len(first), len(second))
    assert [(step[0], step[2]) for step in found] == ends[:-1]
    assert all(is_allowed(i2 - i, j2 - j) for (i, j), (i2, j2) in pairwise(ends))


@given(SENTENCES, SENTENCES)
def test_sides_and_directions_are_alike(first, second):
    gain = align_sentences(first, second)[1]
    assert align_sentences(second, first)[1] == pytest.approx(gain, abs=1e-9)
    assert align_sentences(first[::-1], second[::-1])[1] == pytest.approx(gain, abs=1e-9)


def test_backwards_is_mirrored():
    first, second = [CAT, DOG, RAIN, BUS], [CAT, f"{DOG[:-1]}; {RAIN}", BUS, "One more comes now."]
    found, n, m = steps(first, second), len(first), len(second)
    mirrored = [(n - i2, n - i, m - j2, m - j) for i, i2, j, j2 in found[::-1]]
    assert steps(first[::-1], second[::-1]) == mirrored


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=8, unique=True))
def test_equal_texts_are_aligned_one_to_one(texts):
    found = steps(texts, texts)
    assert all(step[:2] == step[2:] for step in found)


def numbered(n):
    return [f"Line {k * 7919 % 10007} tells of thing {k * k % 10007}." for k in range(n)]


def test_more_than_are_looked_at_at_once():
    texts = numbered(700)
    found, gain = align_sentences(texts, texts)
    assert found == one_to_one(700)
    assert gain == pytest.approx(align_sentences(texts[:100], texts[:100])[1])
    less = [*texts[:300], *texts[310:]]
    found = steps(texts, less)
    assert [step[2:] for step in found if step[0] < 300] == [(k, k + 1) for k in range(300)]
    assert [step[:2] for step in found if step[2] == step[3]] == [
        (k, k + 1) for k in range(300, 310)
    ]
    assert steps(texts, []) == [(k, k + 1, 0, 0) for k in range(700)]
    assert steps(["Yes."], texts)[-1][1::2] == (1, 700)


def test_all_sentences_equal():
    found = steps([CAT] * 30, [CAT] * 30)
    assert found == one_to_one(30)
