"""What is seen on the surface of a translation, by hand: damage, and what is none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import SurfaceErrors

ENGLISH = "President Obama met Merkel in Berlin on Monday."
GERMAN = "Präsident Obama traf Merkel am Montag in Berlin."
# What says something of any pair.
LENGTHS = {"shorter", "longer", "names_missing"}


def table(source, *hypotheses):
    return pd.DataFrame({"source": source, "hypothesis": list(hypotheses)}, dtype=object)


def errors(source, hypothesis):
    """Return the columns that are not 0, lengths aside."""
    found = SurfaceErrors().set_output(transform="pandas").fit_transform(table(source, hypothesis))
    return {name: value for name, value in found.iloc[0].items() if value and name not in LENGTHS}


@pytest.mark.parametrize(
    ("source", "hypothesis"),
    [
        (ENGLISH, GERMAN),
        (GERMAN, ENGLISH),
        ("奥巴马总统星期一在柏林会见了默克尔。", ENGLISH),
        (ENGLISH, "奥巴马总统星期一在柏林会见了默克尔。"),
        (ENGLISH, "Президент Обама встретился с Меркель в Берлине в понедельник."),
        ("Obama met Merkel & Co.", "Obama traf Merkel & Co."),
        ("a &lt; b &quot;c&quot;", "a &lt; b &quot;c&quot;"),
        ("<p>One <b>word</b>.</p>", "<p>Ein <b>Wort</b>.</p>"),
        ("and so on", "und so weiter"),
        ("BREAKING NEWS", "EILMELDUNG"),
        ("Is it \u201cfun\u201d?", "Macht es \u201eSpa\xdf\u201c?"),
        ("L'\xe9t\xe9 \xab\xe0 la Fran\xe7aise\xbb.", "Der Sommer \xbb\xe0 la Fran\xe7aise\xab."),
        ("Is it fun?", "\u697d\u3057\u3044\u3067\u3059\u304b\uff1f"),
        ("TV \u0438 iPhone.", "TV and iPhone."),
        (ENGLISH, ENGLISH),
    ],
)
def test_a_sound_translation_has_none(source, hypothesis):
    assert errors(source, hypothesis) == {}


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        (GERMAN.lower(), {"capitals_missing": 1, "beginning_small": 1}),
        (GERMAN.upper(), {"capitals_only": 1}),
        (GERMAN.replace(" ", "&nbsp;"), {"markup_extra": 3}),
        (f"<p>{GERMAN}</p>", {"markup_extra": 2}),
        (f"**{GERMAN}**", {"markup_extra": 2}),
        (GERMAN.encode().decode("latin-1"), {"misread": 1}),
        (GERMAN.encode().decode("cp1252"), {"misread": 1}),
        (GERMAN.replace("ä", "\ufffd"), {"misread": 1}),
        (f"Übersetzung: {GERMAN}", {"colons_extra": 1}),
        (f"Gerne! {GERMAN}", {"sentences_extra": 1}),
        (f"Übersetzung\n\n{GERMAN}", {"lines_extra": 2}),
        (f'"{GERMAN}"', {"quotes_extra": 2}),
        (f"{GERMAN} (übersetzt)", {"brackets_extra": 2, "ending_open": 1}),
        (GERMAN.rstrip("."), {"ending_open": 1}),
        (f"{GERMAN} {GERMAN}", {"repeated": pytest.approx(5 / 13), "sentences_extra": 1}),
        (GERMAN.replace("Obama", "\u041ebama"), {"other_script": pytest.approx(2 / 40)}),
        (GERMAN.replace("Berlin", "柏林柏林"), {"other_script": pytest.approx(4 / 38)}),
    ],
)
def test_damage_is_seen_where_it_is(hypothesis, expected):
    found = errors(ENGLISH, hypothesis)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("f\u00fcr".encode().decode("latin-1"), 1),
        ("\u041c\u043e\u0441\u043a\u0432\u0430".encode().decode("latin-1"), 6),
        ("\u4e2d\u6587".encode().decode("latin-1"), 2),
        ("it\u2019s".encode().decode("cp1252"), 1),
        ("\u201eSpa\u00df\u201c, \u00c9t\u00e9\u00bb, \u00e0 la \u00c9, S\u00e3o", 0),
    ],
)
def test_characters_that_were_read_as_another_encoding(text, count):
    assert errors("", text).get("misread", 0) == min(count, 3)


def test_lengths_and_names_are_shares():
    found = (
        SurfaceErrors()
        .set_output(transform="pandas")
        .fit_transform(
            table(ENGLISH, "Obama.", ENGLISH + " " + ENGLISH, "\u5965\u5df4\u9a6c\u3002")
        )
    )
    width = 10 * len(ENGLISH)  # in tenths of a letter; a Chinese one is as wide as four
    assert found["shorter"].tolist() == pytest.approx(
        [np.log((width + 1) / 61), 0, np.log((width + 1) / 131)]
    )
    assert found["longer"].tolist() == pytest.approx([0, np.log((2 * width + 11) / (width + 1)), 0])
    assert found["names_missing"].tolist() == [0.75, 0, 0]  # of Obama, Merkel, Berlin, Monday


def test_without_a_source_only_what_needs_none_is_told():
    texts = pd.DataFrame({"hypothesis": ["ein&nbsp;wort (oder: zwei)", "Ein Wort"]})
    found = SurfaceErrors().set_output(transform="pandas").fit_transform(texts)
    told = {name for name in found if found[name].any()}
    assert told == {"capitals_missing", "beginning_small", "markup_extra"}
    assert found.equals(
        SurfaceErrors().set_output(transform="pandas").fit_transform(texts.assign(source=""))
    )


def test_columns_are_chosen_by_name():
    X = load_sample(return_X_y=True)[0][:20]
    every = SurfaceErrors().set_output(transform="pandas").fit_transform(X)
    names = ["longer", "misread"]
    some = SurfaceErrors(features=names).set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(some, every[names])
    with pytest.raises(ValueError, match="features must be of"):
        SurfaceErrors(features=["length"]).fit(X)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_has_finite_columns_and_a_copy_has_no_further_error(source, hypothesis):
    found = SurfaceErrors().fit_transform(table(source, hypothesis, source))
    assert np.isfinite(found).all() and (found >= 0).all()
    names = SurfaceErrors().fit(table("", "")).get_feature_names_out()
    copied = dict(zip(names, found[1], strict=True))
    relative = {name for name in names if name not in {"capitals_missing", "other_script"}}
    assert not any(copied[name] for name in relative)
