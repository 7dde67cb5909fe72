"""Every text transformer passes the public battery, ``sklearn_mteval.testing``."""

import inspect
import os
import pickle
import re
import shutil

import numpy as np
import pytest
from batteries import run_battery
from encoder_model import one_layer_model

from sklearn_mteval import BLEUComp, EmbeddingAverager, features
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import (
    ChrFComp,
    ContrastiveScore,
    LearnedTokenAlignment,
    METEORComp,
    MetricScores,
    NISTScore,
    NormalizeText,
    ScoreColumn,
    SentenceEncoder,
    TokenAlignment,
    WordVectorAlignment,
)
from sklearn_mteval.linguistic.quality_estimation._sides import SideTransformer
from sklearn_mteval.testing import text_transformer_checks
from sklearn_mteval.text import estimate
from sklearn_mteval.text.transformer import TextTransformer
from sklearn_mteval.trees import BracketedTrees

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

TREEBANK = ["(ROOT (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .)))", "(NP (DT A) (NN dog))"]

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
    METEORComp(wordnet="auto"),
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
    features.ContentErrors(),
    features.ContentErrors(use_references=False),
    features.SurfaceErrors(),
    WordVectorAlignment(VECTORS),
    WordVectorAlignment(VECTORS, idf=False, lowercase=False, limit=0),
    ContrastiveScore(),
    ContrastiveScore("nist", references="all", options={"max_ngram_order": 2}),
    ContrastiveScore(BLEUComp()),
    features.LexicalFeatures(VECTORS),
    features.LexicalFeatures(
        VECTORS, weights="length", limit=50, lowercase=False, use_references=False
    ),
    features.LexicalFeatures(features=["alignment", "order", "ngrams", "unknown", "small"]),
    features.LexicalFeatures(VECTORS, features=["source", "unknown"], use_references=False),
]
# The same with other parameters, for which the battery is long: it is slow.
LONG = [
    features.SyntacticVectors(),
    TokenAlignment(one_layer_model(), layers=[0, 1], dtype="auto", position_penalty=0.5),
    features.SyntacticVectors("random", columns=["reference"]),
    features.SyntacticVectors(treebank=TREEBANK, vectors=VECTORS, max_epochs=2),
]
HAS_STYLE = bool(shutil.which("style"))
if HAS_STYLE:
    TRANSFORMERS.append(features.LanguageCheck("de_DE", checks=["style"]))
    TRANSFORMERS.append(
        features.LanguageCheck(source_language="de", checks=["diction", "style"], ratios=True)
    )


def label(transformer):
    """Name a transformer and its short parameters, but no paths: workers of xdist differ there."""
    parameters = transformer.get_params(deep=False).values()
    short = [str(value) for value in parameters if isinstance(value, str | int | float)]
    return "-".join([type(transformer).__name__, *(text for text in short if "/" not in text)])


def options(transformer):
    """Say what the battery is to know."""
    found = {"row_by_row": not isinstance(transformer, ContrastiveScore), "trusted": ()}
    if isinstance(transformer, features.LexicalFeatures):
        found["row_by_row"] = transformer.features is not None  # no group of those above compares
        found["columns"] = ["source", "reference", "hypothesis"]
        if not transformer.use_references:
            found["columns"].remove("reference")
    if isinstance(transformer, features.ContentErrors):
        found["columns"] = ["hypothesis", *(["reference"] if transformer.use_references else [])]
    if isinstance(transformer, features.SurfaceCounts):
        found["columns"] = ["source", "hypothesis"]
    elif isinstance(transformer, SideTransformer | ContrastiveScore | features.SurfaceErrors):
        found["columns"] = ["hypothesis"]
    return found


@pytest.mark.skipif(not HAS_STYLE, reason="style is missing: apt-get install diction")
def test_language_check_is_in_the_battery():
    assert any(isinstance(t, features.LanguageCheck) for t in TRANSFORMERS)


def test_no_transformer_is_forgotten():
    exported = [getattr(features, name) for name in features.__all__]
    classes = {c for c in exported if inspect.isclass(c) and issubclass(c, TextTransformer)}
    # The first reads no text, the second makes no numbers, the others need ranks: their tests are
    # their own.
    classes -= {ScoreColumn, NormalizeText, LearnedTokenAlignment}
    classes -= {features.CrossEncoder, features.CrossFitScore, features.ReValScore}
    if not HAS_STYLE:  # the test above is skipped, visibly
        classes.remove(features.LanguageCheck)
    assert classes == {type(transformer) for transformer in [*TRANSFORMERS, *LONG]}


@pytest.mark.parametrize(
    "transformer",
    [*TRANSFORMERS, *(pytest.param(long, marks=pytest.mark.slow) for long in LONG)],
    ids=label,
)
def test_battery(transformer):
    run_battery(text_transformer_checks(transformer, **options(transformer)))


def test_a_path_is_saved_as_a_str(tmp_path):
    for given in (METEORComp(wordnet=tmp_path), MetricScores(), SentenceEncoder(tmp_path)):
        state = given.__getstate__()
        assert not [name for name, value in state.items() if isinstance(value, os.PathLike)]
        assert state.keys() == vars(given).keys()
    assert pickle.loads(pickle.dumps(METEORComp(wordnet=tmp_path))).wordnet == str(tmp_path)
