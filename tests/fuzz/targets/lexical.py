"""Lexical features of hostile texts: as plain loops have it, whatever stands around."""

import warnings

import numpy as np
import pandas as pd
from lexical_by_loops import Loops, words_of

from fuzz import call, check, target
from fuzz.draw import WORDS
from fuzz.targets.transformers import VECTORS, same_bits
from sklearn_mteval.features import LexicalFeatures

GROUPS = ["alignment", "order", "ngrams", "unknown", "competing", "small", "source"]


def lexical(draw):
    """Draw a transformer with legal parameters."""
    options = {"use_references": draw.chance(), "lowercase": draw.chance()}
    if draw.chance(0.7):
        weights = draw.one(["idf", "length"])
        options.update(vectors=VECTORS, weights=weights, limit=draw.one([None, 0, 5]))
    known = GROUPS if options["use_references"] else GROUPS[3:]
    names = sorted(set(draw.some(known, 3)), key=known.index)
    return LexicalFeatures(features=names or None, **options)


def one_source(X):
    """Give a table an index of segments and systems, and each segment one source and reference."""
    rows = [("only" if k % 3 else k, f"s{k}") for k in range(len(X))]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    return X.assign(source=pd.Series(X["source"].iloc[0], X.index, dtype=object)).set_axis(index)


@target(weight=6)
def lexical_features(draw):
    X = draw.texts(8)
    if draw.chance() and len(X):
        X = one_source(X)
    chosen = lexical(draw)
    none = call(call(chosen.fit, X.iloc[:0], legal=True).transform, X.iloc[:0], legal=True)
    check(len(none) == 0, none)
    found = call(call(chosen.fit, X, legal=True).transform, X, legal=True)
    names = call(chosen.get_feature_names_out, legal=True)
    check(found.shape == (len(X), len(names)) and len(set(names)) == len(names), found, names)
    check(found.dtype == np.float64 and np.isfinite(found).all(), chosen, found, X)
    order = draw.rng.permutation(len(X))
    refitted = call(chosen.fit, X.iloc[order], legal=True).transform(X.iloc[order])
    check(same_bits(refitted, found[order]), "order", chosen, found, refitted, X)
    first = X.index.get_level_values("segment") == X.index.get_level_values("segment")[0]
    alone = call(chosen.transform, X[first], legal=True)
    check(same_bits(alone, found[first]), "alone", chosen, found, alone, X)


@target(weight=3)
def word_lexical_by_loops(draw):
    X = draw.texts(5)
    chosen = lexical(draw).set_params(limit=None)
    names = ("vectors", "use_references", "weights", "lowercase")
    cells = [cell for column in X for cell in X[column]]
    texts = [text for cell in cells for text in ([cell] if isinstance(cell, str) else cell)]
    if any(len(words_of(text)) > 60 for text in texts):
        return
    found = call(chosen.fit_transform, X, legal=True)
    segments = X.index.get_level_values("segment")
    rows = [
        {"segment": segment, **row}
        for segment, row in zip(segments, X.to_dict("records"), strict=True)
    ]
    loops = Loops(**{name: getattr(chosen, name) for name in names}).fit(rows)
    names = chosen.get_feature_names_out()
    for row, choices in zip(found, loops.transform(rows), strict=True):
        expected = np.array([[values[name] for name in names] for values in choices])
        close = np.isclose(row, expected, rtol=0, atol=1e-5) | np.isnan(expected)
        check(close.all(axis=1).any(), chosen, row, expected, X.to_dict("list"))


@target(weight=1)
def lexical_features_of_long_texts(draw):
    """Many words, few or many of them distinct: no crash, and other rows do not matter."""
    pool = [*WORDS, *map(str, range(draw.one([3, 300, 5000])))]
    text = lambda: " ".join(draw.rng.choice(pool, size=draw.integer(0, 10_000)))  # noqa: E731
    source, reference = text(), text()
    said = [text() for _ in range(draw.integer(1, 4))]
    index = pd.MultiIndex.from_product([[0], range(len(said))], names=["segment", "system"])
    texts = {"source": source, "reference": reference, "hypothesis": said}
    X = pd.DataFrame(texts, index=index, dtype=object)
    chosen = lexical(draw)
    found = call(chosen.fit_transform, X, legal=True)
    check(np.isfinite(found).all(), chosen)
    chosen.set_params(features=["small", "source", "unknown"])
    found = call(chosen.fit(X).transform, X, legal=True)
    alone = call(chosen.transform, X.iloc[[-1]], legal=True)
    check(same_bits(alone, found[[-1]]), "alone", chosen)


@target(weight=1)
def options_of_lexical_features(draw):
    X = draw.texts()
    chosen = lexical(draw)
    name = draw.one([*chosen.get_params()])
    strange = draw.one([
        None, True, 0, -1, 1.5, np.nan, 10**30, "", "x", b"x", [], ["x"], ["f", 1], ["f", "f"],
        ["competing", "first"], {}, {"x": 1}, {"x": [1.0]}, (), object(), "length", int,
    ])  # fmt: skip
    chosen.set_params(**{name: strange})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(chosen.fit, X)
        found = call(chosen.transform, X)
    check(np.isfinite(found).all(), chosen, X, found)
