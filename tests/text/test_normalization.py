"""Normalised texts: the table of the docstring by hand, properties on texts drawn at random."""

import html
import re
import unicodedata

import numpy as np
import pytest

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.text.normalization import normalize_text

BY_HAND = [
    ("", ""),
    ("plain text, as it is: 'a' \"b\" c-d ... (e)", None),
    ("&quot;a&quot; &amp; &lt;b&gt;", '"a" & <b>'),
    ("&amp;quot;a&amp;amp;quot;", '"a"'),
    ("&#39;a&#x27; &#8220;b&#8221; &#147;c&#148;", '\'a\' "b" "c"'),
    ("&nbsp;a&amp;nbsp;b&#32;&Tab;", "&nbsp;a&nbsp;b&#32;&Tab;"),
    ("&mdash; a &ndash; b&hellip;", "- a - b..."),
    ("AT&T; R&D &pipe; &copy 2 ?a=1&lt=2 &; &#; &#x; &quot", None),
    ("&#0;&#x110000;&#xD800;", "\ufffd\ufffd\ufffd"),
    ("&a&#109;p;&quot;", '&"'),  # one entity is made by another within it
    ("&am&#8203;p;&num;39;", "'"),
    ("‘a’ ‚b‛ ‹c› 5′ `d´ \x91e\x92", "'a' 'b' 'c' 5' 'd' 'e'"),
    ("“a” „b‟ «c» 5″ ``d'' \x93e\x94", '"a" "b" "c" 5" "d" "e"'),
    ("don’t l’eau", "don't l'eau"),
    ("'''a''' ''''", '"\'a"\' ""'),
    ("a‐b‑c‒d–e−f\x96g", "a-b-c-d-e-f-g"),
    ("a—b―c\x97d--e---f", "a - b - c - d - e - f"),
    ("a -- b — c", "a - b - c"),
    ("-- a --", "- a -"),
    ("a ---- b ----- c", None),
    ("‑‑", "-"),
    ("a… b . . . c .  .\t. d . . . .", "a... b ... c ... d ... ."),
    (" \t a\u3000b\u2028c\x85d\x0b\x1ce  \n", "a b c d e"),
    ("a\x00b\x1b[0m\x7f\x9f", "ab[0m"),
    ("\ufeffa\u200bb\xadc\u2060d\u200ee\u202bf\u2066g\u2069", "abcdefg"),
    ("نمی\u200cخواهم 👩\u200d👧 ʼn Ukraїna m\u02bcяч", None),
    ("e\u0301 é \u212b \u037e ﬁ ½ ² °", None),  # NFC would change some
    ("「日本」、。！？ （a） ～ ；", None),
    ("\ud800 a\udfff", None),
]


@pytest.mark.parametrize(("text", "expected"), BY_HAND)
def test_by_hand(text, expected):
    assert normalize_text(text) == (text if expected is None else expected)


PIECES = [
    *"aÉß1'\"-. \t&#;x3`", "\u0301", "amp", "quot", "&amp;", "&quot;", "&#39;", "&#x26;", "#38;",
    "&num;", "&semi;", "&zwnj;", "&ZeroWidthSpace;", "&hellip;", "&shy;", "--", "—", "…", "’", "«",
    "\u200b", "\xa0", "\x00", "\x91", "\ud800", "\udfff", "🙂", "日本", "\u2028", "&nGt;", "&#10;",
]  # fmt: skip


def drawn(n_texts, most=14):
    rng = np.random.default_rng(0)
    return ["".join(rng.choice(PIECES, rng.integers(most))) for _ in range(n_texts)]


def test_to_normalise_again_changes_nothing():
    for text in [*drawn(20_000), *load_sample(return_X_y=True)[0]["hypothesis"]]:
        once = normalize_text(text)
        assert normalize_text(once) == once, ascii(text)


def test_entities_are_undone_as_often_as_it_takes():
    """The oracle undoes all that it sees, again and again, until it sees none."""
    n_nested = 0
    for text in drawn(20_000):
        undone, before, times = re.sub("[\u200b\x00\xad]", "", text), None, 0
        while undone != before:
            before, times = undone, times + 1
            undone = re.sub("&[#A-Za-z0-9]{1,32};", entity, undone)
        n_nested += times > 2
        assert normalize_text(text) == normalize_text(undone), ascii(text)
    assert n_nested > 100


def entity(match):
    found = html.unescape(match[0])
    found = match[0] if found.endswith(";") and found != ";" else found  # of its beginning only
    found = match[0] if found.isspace() else found
    return found.replace("\u200b", "").replace("\xad", "")


def test_letters_digits_and_marks_stay():
    for text in drawn(5_000):
        text = text.replace("&", "")
        kept = [c for c in text if unicodedata.category(c)[0] in "LNM"]
        assert [c for c in normalize_text(text) if unicodedata.category(c)[0] in "LNM"] == kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&" + "amp;" * 200_000, "&"),
        ("&" * 200_000, None),
        ("&#4&#5&#5&#5&#5" * 20_000 + "8" + ";" * 100_000, None),  # each digit is an entity
    ],
)
def test_nesting_takes_no_longer_than_length(text, expected):
    """Quadratic time would be minutes."""
    found = normalize_text(text)
    assert found == (text if expected is None else expected) or len(found) < len(text)
    assert normalize_text(found) == found
