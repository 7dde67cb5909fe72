"""The reference that a tree is compared with, against a plain count of words."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.linguistic.kernels.related import closest_reference

texts = st.lists(st.sampled_from(["a", "b", "c", "d", "A", "B"]), max_size=6).map(" ".join)


def f1(hypothesis, reference):
    """Of distinct words, in whole numbers: precision and recall, then their harmonic mean."""
    ours, theirs = ({word.lower() for word in text.split()} for text in (hypothesis, reference))
    both = sum(word in theirs for word in ours)
    if not both:
        return Fraction(0)
    precision, recall = Fraction(both, len(ours)), Fraction(both, len(theirs))
    return 2 * precision * recall / (precision + recall)


@given(texts, st.lists(texts, min_size=1, max_size=4))
def test_it_shares_most_and_is_the_first_of_these(hypothesis, references):
    shares = [f1(hypothesis, reference) for reference in references]
    assert closest_reference(hypothesis, references) == references[shares.index(max(shares))]


@pytest.mark.parametrize(
    ("references", "closest"),
    [
        (["The cat sat on a mat", "the cat"], "the cat"),  # F1, not recall of the hypothesis
        (["cat", "the cat sat down"], "the cat sat down"),  # nor precision: 2/3 and 3/4
        (["dog", "bird"], "dog"),
        (["cat cat cat cat", "the cat sat"], "the cat sat"),  # distinct words
    ],
)
def test_by_hand(references, closest):
    hypothesis = "the cat" if references[0].startswith("The") else "the cat sat well"
    assert closest_reference(hypothesis, references) == closest
