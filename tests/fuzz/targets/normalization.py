"""Normalised texts: stable, and no letter lost."""

import unicodedata

import pandas as pd

from fuzz import call, check, target
from fuzz.draw import WORDS
from sklearn_mteval.features import NormalizeText

_PIECES = [*WORDS, *"&;#x39amp", "&amp;", "&#39;", "&nbsp;", "—", "…", "’", "&zwj;", "''"]


def letters(text):
    """Keep letters, digits and marks."""
    return [char for char in text if unicodedata.category(char)[0] in "LNM"]


@target(weight=4)
def normalised_texts(draw):
    n = draw.size()
    columns = draw.one([None, ["hypothesis"], ("source", "reference")])
    text = lambda: "".join(draw.some(_PIECES, 9))  # noqa: E731
    X = pd.DataFrame(
        {
            "source": [text() for _ in range(n)],
            "hypothesis": [text() for _ in range(n)],
            "reference": [text() if draw.chance() else [text(), text()] for _ in range(n)],
            "note": [text() for _ in range(n)],
        },
        dtype=object,
    )
    transformer = call(NormalizeText, columns)
    found = call(transformer.fit_transform, X, legal=True)
    check(found.index.equals(X.index) and list(found) == list(X), found)
    pd.testing.assert_frame_equal(call(transformer.transform, found, legal=True), found)
    chosen = columns or ("source", "reference", "hypothesis")
    for name in X:
        for before, after in zip(X[name], found[name], strict=True):
            texts = [before], [after]
            if isinstance(before, list):
                texts = before, after
            for old, new in zip(*texts, strict=True):
                check(name in chosen or new == old, name, old, new)
                check("&" in old or letters(old) == letters(new), old, new)
                check("  " not in new or name not in chosen, old, new)
    spoiled = X.assign(hypothesis=draw.one([None, 1.0, [["a"]] * n, [b"a"] * n]))
    call(NormalizeText(draw.option([None])[0]).fit_transform, spoiled if draw.chance() else X)
