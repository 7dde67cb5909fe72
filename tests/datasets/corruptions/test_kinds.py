"""Each kind by hand."""

import re
from pathlib import Path
from random import Random

import pandas as pd
import pytest
from corrupted_texts import corrupted, seeds, table

from sklearn_mteval.datasets import corrupt
from sklearn_mteval.datasets.corruptions.corrupt import _Pool as Pool
from sklearn_mteval.datasets.corruptions.registry import CORRUPTIONS


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("empty", "Yes .", ""),
        ("doubled", "Yes .", "Yes . Yes ."),
        ("dropped_third", "One two .", None),
        ("dropped_third", "One two three .", "One two"),
        ("dropped_third", "One, two; three, four, five.", "One, two; three,"),
        ("dropped_third", "我喜歡看書吧。", "我喜歡看"),
        ("halves_swapped", "One two three.", None),
        ("halves_swapped", "One, two three four!", "three four One, two!"),
        ("halves_swapped", "a a a a .", None),
        ("halves_swapped", "我喜歡看書。", "看書我喜歡。"),
        ("shuffled", "One two two .", None),
        ("foreign_appended", "Yes .", "Yes . Das ist die Quelle . 0"),
        ("source_copied", "Yes .", "Das ist die Quelle . 0"),
        ("source_copied", "Das ist die Quelle . 0", None),
    ],
)
def test_whole_texts(kind, text, expected):
    assert corrupted(kind, text) == expected


def test_shuffled():
    found = seeds("shuffled", "We saw (three) grey whales, yes!", others=[])
    assert len(found) > 5
    for text in found:
        assert text.endswith("!") and text != "We saw (three) grey whales, yes!"
        words = ["We", "saw", "(three)", "grey", "whales,", "yes"]
        assert sorted(text.removesuffix("!").split()) == sorted(words)


def test_garbage():
    text = "The Bundestag passed the controversial heating law by a narrow majority ."
    for found in seeds("garbage", text):
        assert re.fullmatch("[a-z ]+", found) and not set(found.split()) & set(text.split())
        assert abs(len(text) - len(found)) <= 10


def test_foreign_appended_where_the_source_is_the_translation():
    text = "Das ist die Quelle . 0"
    assert corrupted("foreign_appended", text) is None
    found = corrupted("foreign_appended", text, others=["x"])
    assert found == "Das ist die Quelle . 0 Das ist die Quelle . 1"


def test_other_segment_is_of_like_length():
    """Of eight draws from three texts, nearly all have each: the nearest in length is taken."""
    others = ["Yes .", "Four five six .", "nine " * 9]
    found = of_seeds("other_segment", "One two three .", others)
    assert found.count("Four five six .") > 15
    found = of_seeds("other_segment", "ten " * 8, others)
    assert found.count("nine " * 9) > 15


def test_a_content_word_is_replaced_by_one_of_the_same_ending():
    """Only "trees" can be: "pears" shares one letter of the end, "knees" three."""
    others = ["treat the pears and knees"]
    found = of_seeds("content_word_replaced", "It is the trees .", others)
    assert found.count("It is the knees .") > 15


def test_content_words_have_four_letters_and_stand_once():
    assert corrupted("content_word_dropped", "The cat saw dogs .") == "The cat saw ."
    assert corrupted("content_word_dropped", "The cat saw dogs and dogs .") is None


def test_segments_that_share_a_source_are_one():
    X = table("One two .", others=["Three four ."]).assign(source="the same")
    assert not len(corrupt(X, "other_segment"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We saw whales .", None),
        ("Room B12 on the 1st , 20kg", None),
        ("We saw 7 .", r"We saw [1-689] \."),
        ("In 1997 , yes", r"In 199[1-689] , yes"),
        ("In 1990", r"In 19[1-8]0"),
        ("3.5%", r"3\.[1-46-9]%"),
        ("$1,000 .", r"\$[2-9],000 \."),
        ("at 10:30", r"at 10:3[1-9]"),
        ("0 points", "[1-9] points"),
        ("Seven whales", "(Two|Three|Four|Five|Six|Eight|Nine|Ten|Eleven|Twelve) whales"),
        ("fifteen", "(thir|four|six|seven|eigh|nine)teen"),
        ("twenty-five", r"(thir|for|fif|six|seven|eigh|nine)ty-five|twenty-\w+"),
        ("a million", "a (hundred|thousand|billion)"),
    ],
)
def test_numbers(text, expected):
    found = seeds("number", text)
    assert bool(found) == (expected is not None)
    assert all(re.fullmatch(expected, one) and one != text for one in found)


@pytest.mark.parametrize("reference", ["7 whales", "Seven whales", "007 and 7"])
def test_a_number_must_be_right_to_be_made_wrong(reference):
    found = seeds("number", "We saw 7 whales and 12 boats", reference=reference)
    assert found and all("12 boats" in text for text in found)
    assert corrupted("number", "We saw 8 whales", reference=reference) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He met Obama .", {"He met Merkel ."}),
        ("In NATO", {"In EU"}),
        ("Obama left .", {"Merkel left ."}),  # stands within a sentence elsewhere
        ("Yesterday I left . Perhaps on Monday , Mr .", set()),
        ("“ Yesterday ” they said : Perhaps", set()),
        ("He said: 'Yesterday' ; Tomorrow\u2026 Perhaps", set()),
        ("Obama and Obama", {"Merkel and Obama", "Obama and Merkel"}),
    ],
)
def test_names(text, expected):
    others = ["they saw Merkel of the EU", "say Obama", "and Merkel and EU and EU"]
    found = seeds("name", text, others=others)
    # A draw may meet none of the kind: then it is one of the list.
    assert bool(found) == bool(expected)
    assert len(found & expected) == len(expected) or not expected


def test_names_of_a_list_where_no_other_segment_has_one():
    found = seeds("name", "He met Obama and the WHO")
    assert found and "He met Obama and the WHO" not in found
    assert all("Obama" in text or "WHO" in text for text in found)


def test_a_name_must_be_right_to_be_made_wrong():
    found = seeds("name", "He met Obama and Putin", reference="Putin met him")
    assert found and all("met Obama and" in text and "Putin" not in text for text in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do not open .", {"Do open ."}),
        ("I did n't see it .", {"I did see it ."}),
        ("I didn\u2019t see it .", {"I did see it ."}),
        ("He cannot go .", {"He can go ."}),
        ("He can't go .", {"He can go ."}),
        ("We won't go", {"We will go"}),
        ("Never say so", {"Say so"}),
        ("There is no way .", {"There is way ."}),
        ("Nobody left .", {"Everybody left ."}),
        ("No one saw nothing", {"Everybody saw nothing", "No one saw everything"}),
        ("without salt", {"with salt"}),
        ("I think not .", {"I think ."}),
        ("He is here .", {"He is not here ."}),
        ("He can go", {"He cannot go"}),
        ("It was and will be", {"It was not and will be", "It was and will not be"}),
        ("Not only he saw it", set()),
        ("Will saw a may-fly", set()),
        ("There is only one", set()),
    ],
)
def test_negations(text, expected):
    assert seeds("negation", text) == expected


def test_polarity_must_be_right_to_be_made_wrong():
    assert corrupted("negation", "He is here", reference="He never left") is None
    assert corrupted("negation", "He is here", reference=["He never left", "He was"]) is not None
    assert corrupted("negation", "He isn't here", reference="He left") is None


@pytest.mark.parametrize(
    "text", ["Ab cd " * 40_000, "A'b " * 60_000, "1." * 120_000, " \n" * 99999]
)
def test_long_texts_take_a_second(text):
    """Nothing is looked for from the beginning for every word."""
    assert len(corrupt(table(text + "x y z", others=["Some Other text ."]))) > 9


def of_seeds(kind, text, others):
    """The corruption of one text with each of twenty seeds."""
    X = table(text, others=others)
    tables = [corrupt(X, kind, random_state=seed) for seed in range(20)]
    return [t.xs(0, level="segment")["hypothesis"].iloc[0] for t in tables]


def test_other_segment():
    X = table("One two .", others=["Three four .", "Five six ."])
    more = X.rename(index={"it": "other"}, level="system")
    more["hypothesis"] = ["One two .", "One two .", "Something else ."]
    found = corrupt(pd.concat([X, more]), "other_segment")["hypothesis"]
    # "One two ." was said of this segment: it is no error here.
    assert found[0, "it", "other_segment"] in {"Three four .", "Five six .", "Something else ."}


def test_content_words():
    text = "The house, which the Garden had, was 1930s: a house with world's trees"
    assert seeds("content_word_dropped", text) == {text.removesuffix(" trees")}
    assert corrupted("content_word_dropped", text, reference="a house") is None
    others = ["many apples and some pears that were eaten", "Nothing here had been"]
    found = seeds("content_word_replaced", text, others=others)
    # The same ending, -s, is preferred.
    assert found <= {text.replace("trees", word) for word in ("apples", "pears", "eaten")}
    assert text.replace("trees", "pears") in found or text.replace("trees", "apples") in found
    assert corrupted("content_word_replaced", text) is None


def test_the_guide_lists_every_kind():
    page = (Path(__file__).parents[3] / "docs" / "corruptions.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE)
    assert [kind for kind, _ in rows] == list(CORRUPTIONS)
    for kind, text in rows:
        assert (CORRUPTIONS[kind].languages == ("en",)) == text.endswith("English only."), kind


@pytest.mark.parametrize("unit", range(4))
def test_values_are_drawn_of_all_other_units(unit):
    values = {0: ["a"], 1: ["b", "c"], 2: ["d"], 5: ["e", "f", "g"]}
    pool = Pool(*zip(*[(v, u) for u, some in values.items() for v in some], strict=True))
    drawn = pool.draw(unit, Random(0), n=200)
    assert set(drawn) == {v for u, some in values.items() if u != unit for v in some}


def test_a_changed_number_is_none_of_its_text():
    """Of the digits only 6 is left: another one would be there twice, and miss nothing."""
    found = seeds("number", "5 or 1 2 3 4 7 8 9 , not 0")
    assert found and all(text.count("6") == 1 for text in found)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("lowercased", "The UN met.", {"the un met."}),
        ("lowercased", "42", set()),
        ("entities", "One two three.", {"One&nbsp;two&nbsp;three."}),
        ("mojibake", "für", {"fÃ¼r"}),
        ("mojibake", "for", set()),
        ("opposite", "They sold it on the way.", {
            "They bought it on the way.", "They purchased it on the way.",
        }),
        ("opposite", "Die Preise sind in der Stadt gestiegen.", {
            "Die Preise sind in der Stadt gefallen.", "Die Preise sind in der Stadt gesunken.",
            "Die Preise sind in der Stadt zurückgegangen.",
        }),
        ("opposite", "Ceny v Praze se snížily a to je dobře.", {
            "Ceny v Praze se zvýšily a to je dobře.", "Ceny v Praze se snížily a to je špatně.",
        }),
        ("opposite", "Xy sold zz.", set()),  # of no language that is known
        ("quantifier", "It takes at least one of the days.", {
            "It takes at most one of the days.", "It takes up to one of the days.",
        }),
        ("modality", "Sie muss das Haus und den Hof räumen.", {
            "Sie darf das Haus und den Hof räumen.", "Sie kann das Haus und den Hof räumen.",
        }),
        ("unit", "It is 5 km to the town.", {
            "It is 5 m to the town.", "It is 5 cm to the town.", "It is 5 miles to the town.",
        }),
        ("unit", "It rose by 2 percentage points in the year.", {
            "It rose by 2 percent in the year.", "It rose by 2 per cent in the year.",
            "It rose by 2 percentage points in the month.",
            "It rose by 2 percentage points in the week.",
            "It rose by 2 percentage points in the day.",
        }),
        ("focus", "Only the boys of the town came.", {"The boys of the town came."}),
        ("focus", "He has the 12 of them.", {
            "He has the only 12 of them.", "He has the almost 12 of them.",
        }),
        ("focus", "It was in 1997 that he came to the US.", set()),
    ],
)  # fmt: skip
def test_words_of_tables(kind, text, expected):
    found = seeds(kind, text)
    assert found <= expected and bool(found) == bool(expected)


def test_only_what_a_reference_has_is_opposed():
    text = "They sold the old house and the car."
    assert (
        corrupted("opposite", text, reference="They parted with the building and the car.") is None
    )
    only = seeds("opposite", text, reference="Then the house was sold by them and the car.")
    assert only == {
        "They bought the old house and the car.", "They purchased the old house and the car."
    }  # fmt: skip


def test_dates():
    days = seeds("date", "He came on Monday.")
    assert days and all(
        re.fullmatch(r"He came on (Tues|Wednes|Thurs|Fri|Satur|Sun)day\.", d) for d in days
    )
    years = seeds("date", "Er kam 1997.")
    assert years and all(re.fullmatch(r"Er kam (19[89]\d|200\d)\.", y) for y in years)
    assert "Er kam 1997." not in years
    assert corrupted("date", "It cost 1997.50 or 19970.") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The customer sued the bank.", {"The bank sued the customer."}),
        ("She has told him about it.", {"He has told her about it."}),
        ("I was later followed by them.", {"They was later followed by me."}),
        ("Last year Ann helped Ben Ray.", {"Last year Ben Ray helped Ann."}),
        ("It was between Ann and Ben.", set()),  # a list
        ("He sat down.", set()),
    ],
)
def test_roles(text, expected):
    assert seeds("roles", text) == expected


def test_clauses():
    text = "The man, who had been away for years, came home because he was ill."
    assert seeds("clause_dropped", text) == {
        "The man, came home because he was ill.",
        "The man, who had been away for years, came home.",
    }
    assert corrupted("clause_dropped", "He was ill.") is None
    others = ["He left, but nobody in the house saw it.", "Short, too."]
    assert seeds("clause_added", "He was ill!", others=others) == {
        "He was ill, but nobody in the house saw it!"
    }
    assert corrupted("clause_added", "He was ill!", others=["Short, too."]) is None


def test_wrappers():
    found = seeds("wrapped", "He was ill.")
    assert len(found) > 3 and all("He was ill." in text for text in found)


def test_a_translation_keeps_a_side_that_a_reference_has_lost():
    keeps = CORRUPTIONS["opposite"].keeps
    sound, wrong = "They sold the house.", "They bought the house."
    assert keeps("The house was sold by them.", sound, wrong)
    assert not keeps("The house was bought by them.", sound, wrong)
    assert not keeps("They parted with the house.", sound, wrong)  # cannot be told


@pytest.mark.parametrize("kind", CORRUPTIONS)
def test_long_and_odd_texts_are_done_at_once(kind):
    for text in ("Ab " * 3000, " " * 5000 + "x", ", " * 5000, "the a the b " * 1000, "A" * 20000):
        corrupted(kind, text, others=["Tom sold the Berlin shops, which were old."])
