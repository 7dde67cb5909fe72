"""Sentences about contradictions, by hand; each row by itself."""

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ContentErrors, content_flags


def flags(hypothesis, reference=None, source=None):
    texts = {"source": [source], "reference": [reference], "hypothesis": [hypothesis]}
    texts = {column: cells for column, cells in texts.items() if cells != [None]}
    return content_flags(pd.DataFrame(texts))[0]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("at nine", "at 9", "um 9"), []),
        (
            ("at 7 am", "at 9 am", "um 9 Uhr"),
            ["number 9 in the source, 7 am here"],
        ),
        (
            ("at 7", "at 9", "um neun"),
            ["number 9 in the reference, 7 here"],
        ),
        # The reference alone has another number than the source.
        (("aged 19", "aged 18", "im Alter von 19"), []),
        (("soon", "in two years", "bald"), []),
        # Small numbers are said in other ways, too ("every day").
        (("soon", "in 2 years"), []),
        (("soon", "in 25 years"), ["number 25 of the reference is missing"]),
        (("in 25 years", "soon"), ["number 25 is not in the reference"]),
        (
            ("at 9 or 25", "at 18 or 99"),
            [
                "number 18 of the reference is missing",
                "number 99 of the reference is missing",
                "number 9 is not in the reference",
                "number 25 is not in the reference",
            ],
        ),
        (("in 1987", None, "bald"), ["number 1987 is not in the source"]),
        (("soon", None, "1987"), ["number 1987 of the source is missing"]),
        (("he met her", "he met Obama", "er traf Obama"), []),
        (("he met her", "he met Obama", "он встретил Обаму"), []),
        (
            ("he met Putin", "he met Obama", "он встретил Обаму"),
            ["name Obama in the reference, Putin here"],
        ),
        (
            ("he met Putin", "he met Obama"),
            ["name Obama in the reference, Putin here"],
        ),
        (("the Federal Bank Union", "the State House Office of Duma"), []),
        (
            ("The patient is allergic.", "The patient is not allergic.", "nicht allergisch"),
            ["negation: not allergic in the reference, allergic here"],
        ),
        (("it is not true", "it is true"), ["negation: true in the reference, not true here"]),
        (("it has gone out of fashion", "it is no longer modern"), []),
        (
            ("the Schnee and hagel fell on it", "snow fell", "der Schnee und Hagel fiel auf es"),
            ["2 words of the source are untranslated: hagel, schnee"],
        ),
        (("the tour ended", "the journey ended", "die Tour endete"), []),
        (("sein Beruf ist hart", "seine Karriere ist nicht leicht und lang"), []),
        (
            ("der Beruf von Putin ist ein Spiel", "die Karriere von Obama ist ein Spiel", "Obama"),
            ["name Obama in the reference, Putin here"],
        ),
        (("Obama met Merkel and Sarkozy", None, "Obama traf Merkel und Sarkozy"), []),
        (("", "he met her at 25", "er traf sie um 25"), ["text: nothing is said here"]),
    ],
)
def test_by_hand(texts, expected):
    assert flags(*texts) == expected


def test_of_many_the_first_are_said():
    (said,) = flags("", None, "1 12 13 14 15 16 17 18 19 21")[4:]
    assert said == "number 17 of the source is missing, and 3 more"


def test_the_kindest_reference_counts_in_any_order():
    references = ["it is at 9", "it is at 7", "it is not at 7"]
    assert flags("it is at 7", references) == flags("it is at 7", references[::-1]) == []
    assert flags("it is at 8", references) == ["number 7 in the reference, 8 here"]


def test_a_row_is_a_matter_of_its_texts():
    X = load_sample(return_X_y=True)[0]
    found = content_flags(X)
    assert found.index.equals(X.index) and found.name == "flags"
    assert 0.01 < found.map(bool).mean() < 0.6
    shuffled = X.sample(frac=1, random_state=0)
    assert content_flags(shuffled).equals(found[shuffled.index])
    assert content_flags(X.iloc[[7]]).tolist() == found.iloc[[7]].tolist()
    assert content_flags(X.iloc[:0]).empty
    # What is said is counted.
    counted = ContentErrors(features="all").fit_transform(X).any(axis=1)
    assert counted[found.map(bool).to_numpy()].all()


def test_bad_tables_are_refused():
    with pytest.raises(CandidateError, match="a column 'source' or 'reference'"):
        content_flags(pd.DataFrame({"hypothesis": ["a"]}))
    with pytest.raises(CandidateError, match="'hypothesis'"):
        content_flags(pd.DataFrame({"reference": ["a"]}))
    with pytest.raises(CandidateError, match="'reference', row 0"):
        content_flags(pd.DataFrame({"reference": [np.nan], "hypothesis": ["a"]}))
    with pytest.raises(CandidateError, match="DataFrame"):
        content_flags([["a"]])


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("met Putin at home", "met Obama at home"), ["name Obama in the reference, Putin here"]),
        # Between other words; in a longer name; two spellings; an abbreviation; two names of one.
        (("we saw Putin at home", "we met Obama at home"), []),
        (("the Companies Act of May", "the Companies Law of May"), []),
        (("we met Jeltsin at home", "we met Yeltsin at home"), []),
        (("we met SME at home", "we met Small at home"), []),
        (("he lives in Britain now", "he lives in Großbritannien now"), []),
        (("from the USA to here", "from the Amerika to here"), []),
        # The source has the name: in Cyrillic letters, too; of other scripts there is no telling.
        (("we met Putin at home", "we met Obama at home", "мы встретили Обаму дома"),
         ["name Obama in the reference, Putin here"]),
        (("we met Obamov at home", "we met Halom at home", "мы встретили Обамова дома"), []),
        (("we met Huzir at home", "we met Obama at home", "我们在家遇到了胡"), []),
        # German nouns are no names: the source does not have them.
        (("Wir haben im Haus gewohnt", "Wir haben im Heim gewohnt", "we lived in the home"), []),
    ],
)  # fmt: skip
def test_names_in_the_same_place(texts, expected):
    assert flags(*texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        # Chinese numbers stand beside letters, and their powers are ten thousand and its square.
        (("15,000 soldiers, 219 ships", "15000 men, 219 ships", "共有1.5万军人、219艘舰艇"), []),
        (("RMB41.662 billion", "41.662 billion yuan", "以416.62亿元接手"), []),
        (("it cost 329,200 yuan", "it cost 3,292,900 yuan", "花费329.29万元"),
         ["number 329.29万 in the source, 329,200 here"]),
        (("USD7.64 million", "7,640,000 dollars", "764万美元"), []),
        (("call 859 93119 at 19:54", "call 85993119 at 19", "电话85993119, 19时54分"), []),
        (("es ist und bleibt eine Billion", "es ist 1 Billionen wert", "it is $1 trillion"), []),
        (("the COVID-19 epidemic", "the epidemic", "疫情"), []),
        (("Il dure 1,81 jours", "Il dure 1,81 jours", "It lasts 1·81 days"), []),
        (("Das dauert zweieinhalb Wochen", "Das dauert 2 ½ Wochen", "It takes 3 weeks"), []),
        (("3 Jahrzehnte lang", "30 Jahre lang", "for 30 years"), []),
        (("Das kostet 100 Mio.", "Das kostet 100 Millionen", "It costs 100 million"), []),
        # A number of the reference only may be converted, and a word of another language none.
        (("in 24 Metern", "in 25 Metern", "at 80 feet"), []),
        (("ten muž je dobrý", "muž je dobrý", "the man is good"), []),
        (("Seit 74 Jahren.", "Vor vierundsiebzig Jahren.", "Seventy-four years ago."), []),
    ],
)  # fmt: skip
def test_numbers_of_other_languages(texts, expected):
    assert flags(*texts) == expected


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("The company sold the shares.", "The company bought the shares.",
         ["opposite: bought in the reference, sold here"]),
        ("It begins on Monday.", "It begins on Friday.",
         ["date: Friday in the reference, Monday here"]),
        ("It is 5 miles to it.", "It is 5 km to it.", ["unit: km in the reference, miles here"]),
        ("It costs 45 pounds now.", "It costs 45 euros now.",
         ["unit: euro in the reference, pound here"]),
        ("At most 30 of them died.", "At least 30 of them died.",
         ["quantifier: At least in the reference, At most here"]),
        ("They saw three of the men.", "They saw only three of the men.",
         ["quantifier: only in the reference, nothing here"]),
        ("The customer sued the bank.", "The bank sued the customer.",
         ["roles: bank sued the customer in the reference, customer sued the bank here"]),
        # A reference is often less exact, and a participle with a place no active.
        ("It rose by 3 percentage points.", "It rose by 3 percent.", []),
        ("It rose by 3 percent.", "It rose by 3 percentage points.",
         ["unit: percentage points in the reference, percent here"]),
        ("requirements stipulated in the laws", "requirements stipulated by laws", []),
        # Excused by another word: "too", "the first time".
        ("The sounds are so small that we can't hear them.", "It is too small for us to hear.", []),
        ("Most boarded a ship for the first time.", "Most had never boarded a ship.", []),
        # A particle, in texts that differ otherwise.
        ("That is a further blow against them, says the man.",
         "This was one more blow for them, he said.", []),
        ("Some of them were only 5 years old.", "Some of them were only 5 years young.", []),
    ],
)  # fmt: skip
def test_contradictions_say_what_they_compared(hypothesis, reference, expected):
    assert flags(hypothesis, reference) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("es heißt „No justice“ hier", "es heißt „Kein Recht“ hier", "it says no justice"), []),
        (("siehe www.net.de/index und lies", "da ist es", "see www.net.de/index"), []),
        # French and English share words, but seldom two side by side.
        (("the situation is a unique moral", "it is rare", "la situation est moral; unique"), []),
        (("the situation morale is unique now", "it is rare", "la situation morale est unique"),
         ["3 words of the source are untranslated: morale, situation, unique"]),
        # Names that keep their capitals, and words that the reference has in another form.
        (("der Liberal Party Convention", "der Liberalen", "of the Liberal Party Convention"), []),
        (("Orban schlug ukraine vor", "Orbán schlug Ukrainer vor", "Orban proposed ukraine"), []),
        (("das network income steigt", "das Einkommen steigt", "the network income rises"),
         ["2 words of the source are untranslated: income, network"]),
    ],
)  # fmt: skip
def test_names_and_loans_are_translated(texts, expected):
    assert flags(*texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("the&nbsp;old house", "the old house"),
         ["text: &nbsp; is in neither source nor reference"]),
        (("the &amp; sign", "the sign &amp;"), []),
        (("das schöne Haus", "das schöne Haus"), []),
        (("das schÃ¶ne Haus", "das schöne Haus"), ["text: Ã¶ is in neither source nor reference"]),
        (("it isnâ€™t so", "it isn't so"), ["text: â€™ is in neither source nor reference"]),
        (("Ã la carte", "à la carte"), []),
        (("the old house stands there now", "The old house stands there now"),
         ["text: no capital letters here"]),
        (("25 per cent of the homes have it now", "Of the homes 25 % have it"), []),
        (("the old house stands there now", "the old house stands there now"), []),
        (("the old house stands there now", None, "Das alte Haus steht jetzt dort"),
         ["text: no capital letters here"]),
        (("the old house stands there now", None, "古い家が今そこに立っています"), []),
        (("古い家が今そこに立っています。古い家が今そこに", None, "The old house is there."), []),
    ],
)  # fmt: skip
def test_garbled_texts(texts, expected):
    assert flags(*texts) == expected


def test_another_language():
    X = pd.DataFrame({
        "source": "The committee will decide on the proposal in the coming weeks.",
        "hypothesis": [
            "Der Ausschuss wird in den nächsten Wochen über den Vorschlag entscheiden.",
            "Valiokunta päättää ehdotuksesta tulevien viikkojen aikana.", "Ehdotus",
        ],
    })  # fmt: skip
    assert content_flags(X, language="de_AT").tolist() == [[], ["language: fi, not de_AT"], []]
    assert content_flags(X).map(len).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"language must be .* found 'xq'"):
        content_flags(X, language="xq")


def test_an_empty_text_is_flagged_where_something_was_to_say():
    X = pd.DataFrame({"reference": ["The 9 dogs.", " "], "hypothesis": [" ", ""]})
    assert content_flags(X).tolist() == [["text: nothing is said here"], []]


def test_what_language_models_say_is_flagged():
    texts = [
        "Translation: He is ill.",
        "I'm sorry, but I cannot translate this text.",
        "He is ill.",
    ]
    X = pd.DataFrame({"reference": "He is sick.", "hypothesis": texts})
    said = content_flags(X).map("; ".join).tolist()
    assert said[0] == "text: “Translation:” is no part of a translation"
    assert "text: a refusal to translate" in said[1] and said[2] == ""
    same = X.assign(reference=texts)
    assert content_flags(same).tolist() == [[], [], []]
