"""The battery that every text transformer must pass (scikit-learn's own checks pass vacuously)."""

import inspect
import pickle
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from encoder_model import one_layer_model
from sklearn.base import clone
from sklearn.pipeline import make_union

from sklearn_mteval import BLEUComp, EmbeddingAverager, features, load_model, save_model
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import (
    ChrFComp,
    ContrastiveScore,
    METEORComp,
    MetricScores,
    NISTScore,
    ScoreColumn,
    SentenceEncoder,
    TokenAlignment,
    WordVectorAlignment,
)
from sklearn_mteval.features.base import TextTransformer
from sklearn_mteval.features.reference_free._sides import SideTransformer
from sklearn_mteval.text.language_models import estimate
from sklearn_mteval.text.parsing import BracketedTrees

SAMPLE = load_sample(return_X_y=True)[0]
TEXTS = [text.lower() for column in ("source", "reference") for text in SAMPLE[column]]
WORDS = sorted({word for text in TEXTS for word in re.findall(r"\w+|[^\w\s]", text)})
KNOWN = [word for k, word in enumerate(WORDS) if k % 3]
VECTORS = dict(zip(KNOWN, np.random.default_rng(0).normal(size=(len(KNOWN), 5)), strict=True))

# Stand-ins of parsers: trees of some sentences; any other fails.
TREES = {
    text: [
        (-float(k), f"(S (NP {text.count('z') * '(NN x) '}(NN x)) (VP (VB x)))")
        for k in range(len(text) % 5)
    ]
    for text in SAMPLE["hypothesis"][:60]
}

# One line for each transformer; add yours here.
TRANSFORMERS = [
    BLEUComp(),
    BLEUComp(max_ngram_order=2, tokenize="char", lowercase=True),
    ChrFComp(),
    ChrFComp(char_order=2, word_order=2, lowercase=True, whitespace=True),
    EmbeddingAverager(VECTORS),
    NISTScore(),
    NISTScore(max_ngram_order=2, tokenize="char", lowercase=False),
    EmbeddingAverager(VECTORS, columns=["source", "reference"], oov="skip"),
    METEORComp(),
    MetricScores(),
    MetricScores(["ter", "nist"], options={"nist": {"max_ngram_order": 2}}),
    METEORComp(alpha=0.5, beta=1.0, gamma=0.3, tokenize="none", lowercase=False, wordnet=None),
    features.LanguageModelScore(corpus=TEXTS[:100], source_corpus=TEXTS[100:], ratios=True),
    features.LanguageModelScore(estimate(TEXTS[:100], order=2, tokenize="char")),
    features.SurfaceCounts(ratios=True),
    features.SurfaceCounts(features=["tokens_ratio", "source_dots"], lowercase=False, min_count=1),
    features.ParserStatistics(BracketedTrees(TREES)),
    features.ParserStatistics(BracketedTrees(TREES), source_parser=BracketedTrees({}), ratios=True),
    features.TERComp(),
    features.TERComp(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
    SentenceEncoder(one_layer_model(), similarity=True),
    TokenAlignment(one_layer_model()),
    EmbeddingAverager(VECTORS, oov="mean", limit=50, similarity=True),
    WordVectorAlignment(VECTORS),
    WordVectorAlignment(VECTORS, idf=False, lowercase=False, limit=0),
    ContrastiveScore(),
    ContrastiveScore("nist", references="all", options={"max_ngram_order": 2}),
    ContrastiveScore(BLEUComp()),
]
HAS_STYLE = bool(shutil.which("style"))
if HAS_STYLE:
    TRANSFORMERS.append(features.LanguageCheck("de_DE", checks=["style"]))
    TRANSFORMERS.append(
        features.LanguageCheck(source_language="de", checks=["diction", "style"], ratios=True)
    )

# A translation's rivals are the other rows of its segment: these need an index that names each
# row once, and a row means nothing alone. Tests of their own are in test_contrastive.py.
ROW_BY_ROW = [t for t in TRANSFORMERS if not isinstance(t, ContrastiveScore)]

# Pairs of hypothesis and reference(s) that have broken tools before.
HOSTILE = [
    ("", ""),
    ("", "a"),
    ("a", ""),
    (" ", "a b"),
    ("\t\n", "\u200b"),
    ("a", ["", "a"]),
    ("word", ["word", "word", "other"]),
    ("... !!! ???", ", ; :"),
    ("日本語のテキスト。", "日本の文章。"),
    ("שלום עולם", "مرحبا بالعالم"),
    ("e\u0301te\u0301", "été"),
    ("\u0301\u0301", "\u0301"),
    ("a\x00b\x1b[0m\x07", "a\x00b"),
    ("\ud800", "\udfff lone surrogates"),
    ("🙂👩‍👩‍👧", "🙂"),
    ("a" * 3000, "a" * 2999 + "b"),
    ("line\nfeed\rreturn\u2028separator", "line feed"),
    ("&quot;x&amp;<skipped>-\n", '"x&-'),
]


def label(transformer):
    """Name a transformer and its short parameters: the repr of word vectors takes seconds."""
    parameters = transformer.get_params(deep=False).values()
    short = [str(value) for value in parameters if isinstance(value, str | int | float)]
    return "-".join([type(transformer).__name__, *short])[:60]


each = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=label)
each_row_by_row = pytest.mark.parametrize("transformer", ROW_BY_ROW, ids=label)


@pytest.fixture
def candidates():
    return SAMPLE.iloc[:60].copy()


def frame(pairs, transformer):
    hypotheses, references = zip(*pairs, strict=True)
    columns = {"source": hypotheses, "hypothesis": hypotheses, "reference": references}
    if isinstance(transformer, ContrastiveScore):  # all rows are rivals: no sources that differ
        del columns["source"]
    rows = [(0, str(row)) for row in range(len(pairs))]
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    return pd.DataFrame(columns, index=index, dtype=object)


def output(transformer, X):
    return clone(transformer).set_output(transform="pandas").fit_transform(X)


@pytest.mark.skipif(not HAS_STYLE, reason="style is missing: apt-get install diction")
def test_language_check_is_in_the_battery():
    assert any(isinstance(t, features.LanguageCheck) for t in TRANSFORMERS)


def test_no_transformer_is_forgotten():
    exported = [getattr(features, name) for name in features.__all__]
    classes = {c for c in exported if inspect.isclass(c) and issubclass(c, TextTransformer)}
    classes.remove(ScoreColumn)  # reads no text; its tests are its own
    if not HAS_STYLE:  # the test above is skipped, visibly
        classes.remove(features.LanguageCheck)
    assert classes == {type(transformer) for transformer in TRANSFORMERS}


@each
def test_index_and_names(transformer, candidates):
    found = output(transformer, candidates)
    pd.testing.assert_index_equal(found.index, candidates.index)
    fitted = clone(transformer).fit(candidates)
    plain = fitted.transform(candidates)
    assert isinstance(plain, np.ndarray) and plain.dtype == np.float64
    assert list(found) == list(fitted.get_feature_names_out()) and len(set(found)) == found.shape[1]
    assert plain.shape == (60, found.shape[1])
    np.testing.assert_array_equal(found, plain)
    assert fitted.n_features_in_ == 3
    assert list(fitted.feature_names_in_) == list(candidates)
    assert plain.std(axis=0).any()  # or the tests below show little


@each
def test_row_order(transformer, candidates):
    order = np.random.default_rng(0).permutation(len(candidates))
    fitted = clone(transformer).fit(candidates)
    whole = fitted.transform(candidates)
    np.testing.assert_array_equal(fitted.transform(candidates.iloc[order]), whole[order])
    again = clone(transformer).fit(candidates.iloc[::-1])
    np.testing.assert_array_equal(again.transform(candidates), whole)


@each_row_by_row
def test_repetition(transformer, candidates):
    order = np.random.default_rng(0).integers(len(candidates), size=200)
    fitted = clone(transformer).fit(candidates)
    found = fitted.transform(candidates.iloc[order])
    np.testing.assert_array_equal(found, fitted.transform(candidates)[order])


@each_row_by_row
def test_a_row_does_not_depend_on_the_others(transformer, candidates):
    fitted = clone(transformer).fit(candidates)
    alone = [fitted.transform(candidates.iloc[[row]])[0] for row in range(6)]
    np.testing.assert_array_equal(alone, fitted.transform(candidates)[:6])


with_jobs = [t for t in TRANSFORMERS if "n_jobs" in t.get_params()]


@pytest.mark.parametrize("transformer", with_jobs, ids=label)
@pytest.mark.parametrize("size", [1, 60])
def test_n_jobs(transformer, candidates, size):
    part = candidates.iloc[:size]
    two = clone(transformer).set_params(n_jobs=2)
    pd.testing.assert_frame_equal(output(two, part), output(transformer, part), check_exact=True)


@each_row_by_row
def test_without_an_index(transformer, candidates):
    expected = clone(transformer).fit_transform(candidates)
    found = clone(transformer).fit_transform(candidates.reset_index(drop=True))
    np.testing.assert_array_equal(found, expected)


@each
def test_input_is_not_changed(transformer, candidates):
    before = candidates.copy(deep=True)
    output(transformer, candidates)
    pd.testing.assert_frame_equal(candidates, before)
    assert repr(clone(transformer).fit(candidates).get_params()) == repr(transformer.get_params())


@each
def test_hostile_texts_are_finite(transformer):
    X = frame(HOSTILE, transformer)
    found = clone(transformer).fit_transform(X)
    assert np.isfinite(found).all()
    fitted = clone(transformer).fit(SAMPLE)
    found = fitted.transform(X)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(fitted.transform(X.iloc[::-1])[::-1], found)


@each
def test_long_texts(transformer):
    rng = np.random.default_rng(0)
    words = np.array(WORDS[:200])
    texts = [" ".join(rng.choice(words, size=size)) for size in (2000, 2000, 1)]
    X = frame([(a, b) for a in texts for b in texts], transformer)
    found = clone(transformer).fit_transform(X)
    assert np.isfinite(found).all()


@each
def test_several_references(transformer, candidates):
    """A list of one is that one; lists, tuples and arrays are alike."""
    expected = clone(transformer).fit_transform(candidates)
    for make in (lambda t: [t], lambda t: (t,), lambda t: np.array([t], dtype=object)):
        X = candidates.assign(reference=[make(text) for text in candidates["reference"]])
        np.testing.assert_array_equal(clone(transformer).fit_transform(X), expected)
    X = candidates.assign(reference=[[text, "another one"] for text in candidates["reference"]])
    assert np.isfinite(clone(transformer).fit_transform(X)).all()


@each
def test_an_empty_table(transformer, candidates):
    fitted = clone(transformer).fit(candidates)
    found = fitted.transform(candidates.iloc[:0])
    assert found.shape == (0, len(fitted.get_feature_names_out()))


@each
def test_clone_pickle_and_saving(transformer, candidates, tmp_path):
    fitted = clone(transformer).fit(candidates)
    expected = fitted.transform(candidates)
    np.testing.assert_array_equal(clone(fitted).fit_transform(candidates), expected)
    save_model(fitted, tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "model")):
        np.testing.assert_array_equal(again.transform(candidates), expected)
        assert list(again.get_feature_names_out()) == list(fitted.get_feature_names_out())


@each
def test_in_a_union(transformer, candidates):
    union = make_union(clone(transformer), BLEUComp()).set_output(transform="pandas")
    found = union.fit_transform(candidates)
    pd.testing.assert_index_equal(found.index, candidates.index)


BAD_TABLES = [
    ("reference", lambda X: X["hypothesis"].tolist(), "Expected a pandas DataFrame with the"),
    ("reference", lambda X: X.drop(columns="reference"), "one column 'reference', found 0"),
    ("hypothesis", lambda X: X.assign(hypothesis=[["a"]] * len(X)), "passed as hypotheses"),
    ("hypothesis", lambda X: X.assign(hypothesis=1.0), "expected a string, found float"),
    ("reference", lambda X: X.assign(reference=[None, *X["reference"][1:]]), "ce', row 0"),
    ("reference", lambda X: X.assign(reference=[[]] * len(X)), "non-empty list of strings"),
]


def reads(transformer, column):
    if isinstance(transformer, SideTransformer | ContrastiveScore):
        return column == "hypothesis"
    return column in transformer.get_params().get("columns", ("hypothesis", "reference"))


@pytest.mark.parametrize(
    ("transformer", "change", "message"),
    [(t, *rest) for column, *rest in BAD_TABLES for t in TRANSFORMERS if reads(t, column)],
    ids=lambda value: label(value) if isinstance(value, TextTransformer) else "",
)
def test_bad_tables(transformer, candidates, change, message):
    fitted = clone(transformer).fit(candidates)
    for method in (clone(transformer).fit, fitted.transform):
        with pytest.raises(ValueError, match=message):
            method(change(candidates))


@each
def test_asked_before_fit(transformer, candidates):
    with pytest.raises(ValueError, match="not fitted"):
        clone(transformer).transform(candidates)
    with pytest.raises(ValueError, match="not fitted"):
        clone(transformer).get_feature_names_out()
