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
            ["number 9 of the source is missing", "number 7 am is in neither source nor reference"],
        ),
        (
            ("at 7", "at 9", "um neun"),
            [
                "number 9 of the reference is missing",
                "number 7 is in neither source nor reference",
            ],
        ),
        # The reference alone has another number than the source.
        (("aged 19", "aged 18", "im Alter von 19"), []),
        (("soon", "in two years", "bald"), []),
        (("soon", "in 2 years"), ["number 2 of the reference is missing"]),
        (("in 2 years", "soon"), ["number 2 is not in the reference"]),
        (("in 1987", None, "bald"), ["number 1987 is not in the source"]),
        (("soon", None, "1987"), ["number 1987 of the source is missing"]),
        (("he met her", "he met Obama", "er traf Obama"), ["name Obama of the source is missing"]),
        (("he met her", "he met Obama", "он встретил Обаму"), []),
        (
            ("he met Putin", "he met Obama", "он встретил Обаму"),
            [
                "name Obama of the reference is missing",
                "name Putin is in neither source nor reference",
            ],
        ),
        (
            ("he met Putin", "he met Obama"),
            ["name Obama of the reference is missing", "name Putin is not in the reference"],
        ),
        (("the Federal Bank Union", "the State House Office of Duma"), []),
        (
            ("The patient is allergic.", "The patient is not allergic.", "nicht allergisch"),
            ["negation of the reference is missing"],
        ),
        (("it is not true", "it is true"), ["negation is not in the reference"]),
        (("it has gone out of fashion", "it is no longer modern"), []),
        (
            ("the Schnee and hagel fell", "snow and hail fell", "Schnee und Hagel fiel"),
            ["2 words of the source are untranslated: hagel, schnee"],
        ),
        (("the tour ended", "the journey ended", "die Tour endete"), []),
        (("sein Beruf ist hart", "seine Karriere ist nicht leicht und lang"), []),
        (
            ("der Beruf von Putin ist ein Spiel", "die Karriere von Obama ist ein Spiel", "Obama"),
            ["name Obama of the source is missing"],
        ),
        (("Obama met Merkel and Sarkozy", None, "Obama traf Merkel und Sarkozy"), []),
        (("", "he met her at 9", "er traf sie um 9"), ["number 9 of the source is missing"]),
    ],
)
def test_by_hand(texts, expected):
    assert flags(*texts) == expected


def test_of_many_the_first_are_said():
    (said,) = flags("", None, "1 12 13 14 15 16 17 18")[4:]
    assert said == "number 15 of the source is missing, and 3 more"


def test_the_kindest_reference_counts_in_any_order():
    references = ["it is at 9", "it is at 7", "it is not at 7"]
    assert flags("it is at 7", references) == flags("it is at 7", references[::-1]) == []
    assert len(flags("it is at 8", references)) == 2


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
    counted = ContentErrors().fit_transform(X).any(axis=1)
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


def test_three_other_names_are_a_free_translation():
    for n, said in ((2, 4), (3, 0)):
        names = [" or ".join(some[:n]) for some in (["Anna", "Berta", "Carla"],
                                                    ["Xavier", "Ulf", "Zoltan"])]  # fmt: skip
        texts = [f"we did see what {name} wrote to us last week" for name in names]
        X = pd.DataFrame({"reference": texts[:1], "hypothesis": texts[1:]})
        (flags,) = content_flags(X)
        assert len(flags) == said and all(flag.startswith("name ") for flag in flags)
