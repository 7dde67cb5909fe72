"""Errors of content by hand: what must be seen, and what must not be taken for an error."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContentErrors
from sklearn_mteval.features.content._facts import Facts
from sklearn_mteval.features.content._names import are_alike

OF_REFERENCE = [
    "number_missing", "number_extra", "unit_missing", "unit_extra", "name_missing", "name_extra",
    "negation_missing", "negation_extra", "number_contradicted", "name_contradicted",
]  # fmt: skip
OF_SOURCE = [
    "source_number_missing", "source_number_extra", "source_number_contradicted", "untranslated",
]  # fmt: skip


FORM = ("beginning_small", "ending_open")


def errors(hypothesis, reference, source=""):
    """Return the columns that are not 0."""
    texts = {"source": [source], "reference": [reference], "hypothesis": [hypothesis]}
    X = pd.DataFrame(texts, dtype=object)
    found = ContentErrors().set_output(transform="pandas").fit_transform(X)
    return {name: int(count) for name, count in found.iloc[0].items() if count and name not in FORM}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("cat the sat", "The cat sat.", [1, 1]),
        ("the cat sat .", "the cat sat.", [0, 0]),
        ("9 cats sat", '"Nine cats" (they) sat', [0, 0]),
        ('"«élan" he said?!”)', "Élan. He said so…", [1, 0]),
        ("", "A cat.", [0, 1]),
        ("猫。", "A cat.", [0, 0]),
    ],
)
def test_how_a_sentence_begins_and_ends(hypothesis, reference, expected):
    X = pd.DataFrame({"source": "", "reference": [reference], "hypothesis": [hypothesis]})
    assert ContentErrors(features=list(FORM)).fit_transform(X).tolist() == [expected]


def test_columns_are_named_in_one_order():
    X = pd.DataFrame({"reference": ["a"], "hypothesis": ["b"]})
    assert ContentErrors().fit(X).get_feature_names_out().tolist() == [
        *OF_REFERENCE,
        *FORM,
        *OF_SOURCE,
    ]
    without = ContentErrors(use_references=False).fit(X[["hypothesis"]])
    assert without.get_feature_names_out().tolist() == OF_SOURCE


# Two ways to say the same: neither is missing, in either direction.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000 men", "1.000 men"),
        ("1 000 men", "a thousand men"),
        ("1\u202f000\u00a0000 men", "a million men"),
        ("3.50 metres", "3,5 metres"),
        ("2.5 million", "2,500,000"),
        ("$2.5m", "2.5 million dollars"),
        ("1.6bn", "1,600,000,000"),
        ("5-6 million", "5 million to 6 million"),
        ("the 9th of May", "the ninth of May"),
        ("twenty-one years", "21 years"),
        ("two hundred and five", "205"),
        ("three million five hundred thousand", "3.5 million"),
        ("at 7 pm", "at 19:00"),
        ("at half past five", "at 5:30 a.m."),
        ("at half past five", "at 17:30"),
        ("at quarter to three", "at 2.45 pm"),
        ("at quarter past twelve", "at 12:15 pm"),
        ("at 7.30 p.m.", "at 19:30"),
        ("at 9am", "at 9 a.m."),
        ("at 12:30 am", "at 0:30"),
        ("at noon", "at 12"),
        ("a dozen eggs", "12 eggs"),
        ("both men", "the two men"),
        ("the 1990s", "the nineties"),
        ("chapter IV", "chapter 4"),
        ("ten-fold", "tenfold"),
        ("50 %", "50 percent"),
        ("50 per cent", "50%"),
        ("it isn't so", "it is not so"),
        ("it is n't so", "it isn\u2019t so"),
        ("I can't go", "I cannot go"),
        ("it is impossible", "it is not possible"),
        ("he was unable to go", "he could not go"),
        ("not only here but there", "here and also there"),
        ("we met Obama", "we met OBAMA"),
        ("we met Obama", "we met obama"),
        ("the house of Obama", "then Obama's house"),
        ("the U.S. army", "the US army"),
        ("said Yeltsin", "said Jeltsin"),
        ("in Germany", "in the German land"),
        ("the Minister spoke", "the minister spoke"),
        ("Yesterday he came", "He came yesterday"),
        ("he left. Then it rained", "he left, then it rained"),
    ],
)
def test_the_same_in_other_words(one, other):
    assert not errors(one, other), one
    assert not errors(other, one), other


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("at 7 am", "at 9 am", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        ("at 9 pm", "at 9 am", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        ("3.5 km", "35 km", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        ("5bn", "5m", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        ("some men", "30 men", {"number_missing": 1}),
        ("in 30 years", "in years", {"number_extra": 1}),
        ("2 or 2", "2 or 3", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        ("a 4", "a 1", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        (
            "2.5 hundred",
            "2.5 million",
            {"number_missing": 1, "number_extra": 1, "number_contradicted": 1},
        ),
        (
            "I left on 2 May",
            "I left on 1 May",
            {"number_missing": 1, "number_extra": 1, "number_contradicted": 1},
        ),
        ("6 May", "5 May", {"number_missing": 1, "number_extra": 1, "number_contradicted": 1}),
        ("5 euros", "5 %", {"unit_missing": 1, "unit_extra": 1}),
        ("$5", "5 dollars and 6%", {"number_missing": 1, "unit_missing": 1}),
        (
            "he met Putin",
            "he met Obama",
            {"name_missing": 1, "name_extra": 1, "name_contradicted": 1},
        ),
        ("he met her", "he met Obama", {"name_missing": 1}),
        ("he met Obama", "he met her", {"name_extra": 1}),
        ("Do open it", "Do not open it", {"negation_missing": 1}),
        ("he is not allergic", "he is allergic", {"negation_extra": 1}),
        ("he isn't allergic", "he is allergic", {"negation_extra": 1}),
        ("only ten", "not only ten", {"negation_missing": 1}),
        ("everybody knows", "nobody knows, never", {"negation_missing": 2}),
    ],
)
def test_against_the_reference(hypothesis, reference, expected):
    assert errors(hypothesis, reference) == expected


@pytest.mark.parametrize(
    ("hypothesis", "source", "expected"),
    [
        ("at nine", "um 9 Uhr", {}),
        ("at 7 pm", "um 19.00 Uhr", {}),
        ("at 9", "um neun Uhr", {}),
        ("for 50 years", "seit fünfzig Jahren", {}),
        ("2.5 million", "2,5 miljoonaa", {}),
        ("2.5 million men", "2,5 Mio. Männer", {}),
        ("on October 3 we", "am 3.10. haben", {}),
        ("on October 23, 2010", "am 23. 10. 2010", {}),
        ("at 7", "um 9", dict.fromkeys(OF_SOURCE[:3], 1)),
        ("soon", "um 9", {"source_number_missing": 1}),
        ("in 1987", "bald", {"source_number_extra": 1}),
        ("ten is good", "ten muž je dobrý", {}),  # Czech: that
        ("of the Bundesrat yesterday", "des Bundesrat gestern", {"untranslated": 1}),
    ],
)
def test_against_the_source(hypothesis, source, expected):
    assert errors(hypothesis, hypothesis, source).keys() <= {"source_number_missing"}
    X = pd.DataFrame({"source": [source], "hypothesis": [hypothesis]})
    found = ContentErrors(use_references=False).fit_transform(X)
    assert {n: c for n, c in zip(OF_SOURCE, found[0], strict=True) if c} == expected


def test_the_source_tells_names_and_excuses_what_it_has():
    assert errors("it met Putin", "Obama met him", "Obama traf ihn") == {
        "name_missing": 1, "name_extra": 1, "name_contradicted": 1,
    }  # fmt: skip
    assert errors("he met Obama", "he met him", "er traf Obama") == {"untranslated": 1}
    assert not errors("in 1987", "in 1987", "im Jahr siebenundachtzig")


def test_several_references_and_no_source():
    one, other = "he met Obama at 9", "he did not meet anyone"
    X = pd.DataFrame(
        {"reference": [[one, other], [other, one]], "hypothesis": "he met no one at 9"}
    )
    found = ContentErrors().fit_transform(X)
    alone = [
        ContentErrors().fit_transform(X.assign(reference=reference)) for reference in (one, other)
    ]
    np.testing.assert_array_equal(found, np.minimum(*alone))
    assert not found[:, len(OF_REFERENCE) :].any()
    with_source = ContentErrors().fit_transform(X.assign(source=""))
    np.testing.assert_array_equal(found, with_source)


def test_a_bad_option_or_source_is_refused():
    X = pd.DataFrame({"source": [1.0], "reference": ["a"], "hypothesis": ["b"]})
    with pytest.raises(CandidateError, match="'source', row 0"):
        ContentErrors().fit(X)
    with pytest.raises(ValueError, match="use_references must be True or False"):
        ContentErrors(use_references=1).fit(X)


# What numbers, marks, cases and scripts come together in.
PIECES = """
    9 10 1,000 1.000,5 3.5 7:30 am pm % $ € million two hundred and first not n't isn't no never
    only Obama Mr. U.S. İstanbul ΣΑΣ'Α ß iPhone A320 XIV Praha . ! " - ' ٩ ² ½ 日本
"""
PIECES = st.sampled_from([*PIECES.split(), "e\u0301", "\u200b", "\ud800", "\u2028"])
TEXTS = st.one_of(
    st.lists(st.tuples(PIECES, st.sampled_from([" ", "", "\n", "\u00a0"])), max_size=12).map(
        lambda pairs: "".join(piece + gap for piece, gap in pairs)
    ),
    st.text(max_size=30),
)


@settings(max_examples=150)
@given(TEXTS, TEXTS)
def test_a_text_does_not_contradict_itself_and_lacks_what_the_other_has_alone(one, other):
    assert not errors(one, one, "")
    assert not {"number_missing", "source_number_missing"} & errors(one, one, one).keys()
    there, back = errors(one, other), errors(other, one)
    for column in ("number", "unit", "negation"):
        assert there.get(f"{column}_missing") == back.get(f"{column}_extra"), column
    assert there.get("number_contradicted") == back.get("number_contradicted")


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda n: "9" * n,
        lambda n: "1.000." * n,
        lambda n: "1 000 " * n,
        lambda n: "7: 30 " * n,
        lambda n: "Aa" * n,
        lambda n: " ".join(f"Name{k} {k}" for k in range(n)),
        lambda n: "million and " * n,
        lambda n: "not " * n,
        lambda n: "e\u0301" * n,
        lambda n: "U.S. " * n,
        lambda n: ". Ab" * n,
    ],
)
def test_time_grows_with_the_length_only(make):
    def seconds(n):
        texts = {"source": [make(n)], "hypothesis": [make(n)[::-1]], "reference": [make(n // 2)]}
        start = time.process_time()
        found = ContentErrors().fit_transform(pd.DataFrame(texts))
        assert np.isfinite(found).all()
        return time.process_time() - start

    assert seconds(40_000) < 2 + 40 * seconds(4_000)


def test_columns_can_be_chosen_in_an_order():
    X = pd.DataFrame({"source": "9", "reference": ["9 not"], "hypothesis": ["7"]})
    names = ["negation_missing", "number_extra"]
    chosen = ContentErrors(features=names).set_output(transform="pandas").fit_transform(X)
    whole = ContentErrors().set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(chosen, whole[names])
    with pytest.raises(ValueError, match=r"features must be of .* found 'negation_missing'"):
        ContentErrors(features=names, use_references=False).fit(X)


@pytest.mark.parametrize(
    ("other", "alike"),
    [("abcxy", True), ("abxyz", False), ("abcdxyz", True), ("abcxyzw", False), ("", False)],
)
def test_names_are_spelt_alike_where_half_of_the_bigrams_are_shared(other, alike):
    """abcde has four; of "abcxy" two of four are shared, which is half, of "abcxyzw" two of six."""
    assert are_alike("abcde", other) == are_alike(other, "abcde") == alike


def test_titles_have_no_names():
    """More than half of the words and one: two of three are no title, three of three are."""
    assert Facts("Obama met Merkel.").names == {"merkel": "Merkel"}
    assert Facts("Obama Meets Merkel.").names == {}


def test_what_a_negation_is_of():
    """The first word behind it that is no small one; in the other text nothing negates it."""
    house = Facts("It isn't really a house, nor is it a home.")
    assert house.negated_words() == [("really", "not really"), ("home", "nor is it a home")]
    assert Facts("These homes are nice.").affirms("home") == "homes"
    assert Facts("The holes are nice.").affirms("home") == ""
    assert Facts("The houses are nice.").affirms("house") == "houses"
    assert Facts("No nice houses are there.").affirms("house") == ""
    assert Facts("You cannot enter until noon.").negated_words() == []
