"""Kinds of segments by what is to be translated: length, numbers, names, negation, domain."""

from collections import Counter

import numpy as np
import pandas as pd

from sklearn_mteval.candidates import as_texts, segment_codes
from sklearn_mteval.features.content.traits import TRAITS, traits_of
from sklearn_mteval.text.tokenizers import parts_by_length, words_of

_THIRDS = 3
_MOST_DOMAINS = 10
_NAMES = {"number": "numbers", "name": "names", "negation": "negation", "question": "questions"}


def segment_kinds(X, domains=None):
    """Tell of which kinds each segment of a candidate table is: a DataFrame of bool, by segment.

    Its columns are themes and their kinds; a theme has two kinds or more that occur. What is to be
    translated is the first reference, or without references the source; ``domains`` are labels of
    the rows, "" where unknown.
    """
    codes = segment_codes(X)
    first = np.unique(codes, return_index=True)[1]
    rows = X.iloc[first]
    found = {}
    column = next((name for name in ("reference", "source") if name in X), None)
    if column is not None:
        texts = [(as_texts(cell) or ("",))[0] for cell in rows[column].tolist()]
        words = words_of(texts)
        parts = parts_by_length([len(words(text)) for text in texts], _THIRDS)
        found |= {("length", kind): mask for kind, mask in parts.items()}
        traits = list(map(traits_of, texts))
        for trait in TRAITS:
            has = np.array([trait in some for some in traits], dtype=bool)
            theme = _NAMES[trait]
            found |= {(theme, f"with {theme}"): has, (theme, f"without {theme}"): ~has}
    if domains is not None:
        labels = np.array([str(label) for label in np.asarray(domains, dtype=object)[first]])
        sizes = Counter(label for label in labels.tolist() if label)
        for label, _ in sizes.most_common(_MOST_DOMAINS):
            found["domain", label] = labels == label
    there = [key for key, mask in found.items() if mask.any()]
    several = Counter(theme for theme, _ in there)
    kept = [key for key in there if several[key[0]] > 1]
    columns = pd.MultiIndex.from_tuples(kept, names=["theme", "kind"]) if kept else None
    values = np.column_stack([found[key] for key in kept]) if kept else np.empty((len(rows), 0))
    segments = rows.index.get_level_values("segment")
    return pd.DataFrame(values.astype(bool), segments, columns)
