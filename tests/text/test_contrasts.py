"""Words that contradict each other."""

import pytest

from sklearn_mteval.text.contrasts import (
    LANGUAGES,
    contrast_table,
    contrasts_in,
    language_by_words,
)

SENTENCES = {
    "en": "The bank has bought the house, and it is not for sale.",
    "de": "Die Bank hat das Haus gekauft, und es ist nicht zu verkaufen.",
    "cs": "Banka koupila dům, který se nachází v centru, a není na prodej.",
    "fr": "La banque a acheté la maison, et elle est dans le centre.",
    "es": "El banco compró la casa, y no se vende por ahora.",
    "ru": "Банк купил этот дом, и он не продаётся.",
}


def said(text, language):
    """List what is found as (kind, the text's words, a word of each other side)."""
    found = []
    for start, end, contrast, side, form in contrasts_in(text, language):
        others = [s[min(form, len(s) - 1)] for k, s in enumerate(contrast.sides) if k != side]
        found.append((contrast.kind, text[start:end], *others))
    return found


def test_each_file_is_read_whole():
    for language in LANGUAGES:
        table = contrast_table(language)
        assert len(table.words) > 15
        contrasts = {entry[2] for entries in table.entries.values() for entry in entries}
        assert len(contrasts) > 50
        assert {c.kind for c in contrasts} >= {"opposite", "quantifier", "bound", "weekday", "unit"}
        for kind, sides in contrasts:
            assert len(sides) > 1 or kind == "focus", (language, sides)
            forms = [form for side in sides for form in set(side)]
            assert all(form.strip() == form != "" for form in forms), (language, sides)
            assert not set("*~^+%|,") & set("".join(forms)), (language, sides)
            assert len(forms) == len(set(forms)), (language, sides)


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_told_by_its_frequent_words(language):
    assert language_by_words(SENTENCES[language]) == language


@pytest.mark.parametrize("text", ["", "42", "Xqzw vrrp lnng", "他买了房子。"])
def test_other_texts_are_of_none(text):
    assert language_by_words(text) == ""


def test_forms_stand_for_forms_of_the_other_side():
    assert said("She sold it.", "en")[0][:3] == ("opposite", "sold", "bought")
    assert ("opposite", "größten", "kleinsten") in said("die größten Städte", "de")
    assert ("opposite", "vyšší", "nižší") in said("ceny jsou vyšší", "cs")
    assert ("opposite", "forbidden", "allowed") in said("It is forbidden.", "en")


def test_the_longest_form_counts():
    found = said("At least five people came.", "en")
    assert ("bound", "At least", "at most") in found
    assert all(words == "At least" or words == "came" for _, words, *_ in found)


def test_capitals_of_days_and_small_units():
    assert said("on Monday", "en")[0][:2] == ("weekday", "Monday")
    assert not said("am montag", "de")  # as German writes no day
    assert said("5 km", "en") == [("unit", "km", "m", "cm", "miles")]
    assert not said("the km of it", "en")
