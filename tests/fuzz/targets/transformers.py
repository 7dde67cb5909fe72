"""Transformers of texts: each row by itself, in any order; scores as other libraries have them."""

import re
import warnings
from functools import cache

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER

from fuzz import call, check, target
from fuzz.draw import WORDS
from sklearn_mteval import features
from sklearn_mteval.linguistic.quality_estimation.feature_sets import FEATURE_SETS
from sklearn_mteval.testing import check_text_transformer
from sklearn_mteval.text import estimate
from sklearn_mteval.trees import BracketedTrees

VECTORS = {
    word.lower(): np.random.default_rng(k).normal(size=3) for k, word in enumerate(WORDS[::2])
}
TOKENIZERS = ["13a", "char", "intl", "none", "zh"]


def characters(texts):
    """Encode tokens: each character by its number, the spaces as zeros."""
    return [
        np.array([[ord(c) % 7, ord(c) % 5 - 2, 0.5] if c > " " else [0.0] * 3 for c in text])
        for text in texts
    ]


@cache
def model(order):
    """Estimate a language model of the hostile words."""
    return estimate([" ".join(WORDS[k : k + 6]) for k in range(40)], order=order)


def transformer(draw):
    """Draw a transformer with legal parameters, and whether its rows are independent."""
    flag, n = draw.chance, draw.integer
    words = {"lowercase": flag()}
    tokens = {"tokenize": draw.one(TOKENIZERS), **words}
    makers = [
        lambda: features.BLEUComp(max_ngram_order=n(1, 6), **tokens),
        lambda: features.ChrFComp(char_order=n(1, 7), word_order=n(0, 3), whitespace=flag(),
        beta=n(1, 3), **words),
        lambda: features.TERComp(normalized=flag(), no_punct=flag(), asian_support=flag(),
        case_sensitive=flag()),
        lambda: features.NISTScore(max_ngram_order=n(1, 6), **tokens),
        lambda: features.METEORComp(alpha=draw.one([0.9, 0.5, 0.0, 1.0]), beta=draw.one([3.0, 0.0]),
                                    gamma=draw.one([0.5, 0.0, 1.0]), **tokens),
        lambda: features.MetricScores(draw.one([["bleu", "nist", "ter", "meteor", "chrf",
        "chrf++"], ["ter"]])),
        lambda: features.SurfaceCounts(ratios=flag(), min_count=n(1, 3), **words),
        lambda: features.ContrastiveScore(draw.one(["bleu", "chrf", "ter", "nist", "meteor"]),
                                          references=draw.one(["each", "all"])),
        lambda: features.LanguageModelScore(model(n(1, 3)), source_language_model=model(2),
                                            ratios=flag()),
        lambda: features.EmbeddingAverager(VECTORS, oov=draw.one(["zero", "skip", "mean"]),
        similarity=flag(),
                                           limit=draw.one([None, 0, 5]), **words),
        lambda: features.WordVectorAlignment(VECTORS, idf=flag(), limit=draw.one([None, 0, 5]),
        **words),
        lambda: features.TokenAlignment(characters, batch_size=n(1, 9),
        position_penalty=draw.one([0.0, 0.5, 1])),
        lambda: features.ParserStatistics(BracketedTrees(trees(draw)),
        source_parser=BracketedTrees({}), ratios=flag()),
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return draw.one(makers)()


def trees(draw):
    """Draw trees of some texts."""
    labels = ["S", "NP", "VP", "NN", "VB", "-NONE-", "x", "é\ud800"]
    grow = lambda depth: f"({draw.one(labels)} {grow(depth - 1)} {grow(0)})" if depth else "(NN x)"  # noqa: E731
    some = [text for text in WORDS if "(" not in text and ")" not in text]
    return {
        text: draw.one(
            [grow(draw.integer(0, 4)), [(-draw.integer(0, 9) * 1.0, grow(2))] * 3, "(())", []]
        )
        for text in some
    }


def same_bits(found, expected):
    """Compare arrays to the bit."""
    return found.shape == expected.shape and found.tobytes() == expected.tobytes()


@target(weight=7)
def rows_of_texts(draw):
    X = draw.texts()
    chosen = transformer(draw)
    none = call(call(chosen.fit, X.iloc[:0], legal=True).transform, X.iloc[:0], legal=True)
    check(len(none) == 0, none)
    found = call(call(chosen.fit, X, legal=True).transform, X, legal=True)
    names = call(chosen.get_feature_names_out, legal=True)
    check(found.shape == (len(X), len(names)) and len(set(names)) == len(names), found, names)
    check(found.dtype == np.float64 and np.isfinite(found).all(), chosen, found, X)
    order = draw.rng.permutation(len(X))
    again = call(chosen.transform, X.iloc[order], legal=True)
    check(same_bits(again, found[order]), "order", chosen, found, again, X)
    refitted = call(chosen.fit, X.iloc[order], legal=True).transform(X)
    check(same_bits(refitted, found), "order of fit", chosen, found, refitted, X)
    if isinstance(chosen, features.ContrastiveScore):
        return
    row = draw.integer(0, len(X) - 1)
    alone = call(chosen.transform, X.iloc[[row]].reset_index(drop=True), legal=True)
    check(same_bits(alone, found[[row]]), "alone", chosen, found[row], alone, X.iloc[row].tolist())
    twice = call(chosen.transform, X.iloc[[row, *order, row]].reset_index(drop=True), legal=True)
    check(same_bits(twice, found[[row, *order, row]]), "among others", chosen, X)


@target(weight=2)
def learned_alignments(draw):
    X = draw.texts()
    y = draw.rng.integers(3, size=len(X)).astype(float)
    against = draw.one(["reference", "competing", "both"])
    options = {
        "against": against, "n_dimensions": draw.integer(1, 4), "max_epochs": draw.integer(1, 2),
        "validation_fraction": draw.one([None, 0.3]), "cv": draw.one([None, 2]),
    }  # fmt: skip
    chosen = features.LearnedTokenAlignment(characters, **options)
    found = call(chosen.fit_transform, X, y)
    width = 8 if against == "both" else 4
    check(found.shape == (len(X), width) and np.isfinite(found).all(), X, y, options, found)
    order = draw.rng.permutation(len(X))
    again = features.LearnedTokenAlignment(characters, **options)
    same = call(again.fit_transform, X.iloc[order], y[order], legal=True)
    check(same_bits(same, found[order]), "order", X, y, options, found, same)


@target(weight=6)
def scores_of_sacrebleu(draw):
    X = draw.texts(4)
    smoothed, case = draw.chance(), draw.chance()
    options = {"ter": {"normalized": smoothed, "case_sensitive": case}, "bleu": {"lowercase": case}}
    chosen = features.MetricScores(
        ["bleu", "chrf", "chrf++", "ter"], options=options, language="en"
    )
    found = call(chosen.fit_transform, X, legal=True)
    theirs = [
        BLEU(effective_order=True, lowercase=case),
        CHRF(),
        CHRF(word_order=2),
        TER(normalized=smoothed, case_sensitive=case),
    ]
    for row, hypothesis, references in zip(found, X["hypothesis"], X["reference"], strict=True):
        references = [references] if isinstance(references, str) else list(references)
        if any(len(text) > 2000 for text in [hypothesis, *references]):
            continue
        scores = [metric.sentence_score(hypothesis, references).score for metric in theirs]
        expected = np.array([*scores[:3], -scores[3]])
        check(
            np.allclose(row, expected, rtol=1e-9, atol=1e-9),
            row,
            expected,
            hypothesis,
            references,
            options,
        )
    plain = call(features.sentence_bleu, X, legal=True)
    if not case:
        check(np.allclose(plain, found[:, 0], rtol=1e-9), plain, found)


@target(weight=5)
def spoiled_texts(draw):
    X = draw.texts()
    chosen = transformer(draw)
    bad = draw.spoiled_texts(X)
    ways = [
        lambda: call(chosen.fit, bad),
        lambda: call(chosen.fit(X).transform, bad),
        lambda: call(features.sentence_bleu, bad),
    ]
    draw.one(ways)()


@target(weight=5)
def options_of_transformers(draw):
    X = draw.texts()
    chosen = transformer(draw)
    names = [
        name
        for name in chosen.get_params(deep=False)
        if name not in ("n_jobs", "parser", "source_parser", "progress", "cache")
    ]
    name = draw.one(names)
    strange = draw.one([None, True, 0, -1, 1.5, np.nan, np.inf, 10**30, 10**6, 10**9, 2**31, "",
    "x", b"x", [], ["x"], [1], {}, {"x": 1}, (), object(),
                        {"hypothesis"}, ["hypothesis", "hypothesis"], ["source"], "é\ud800",
                        "a\0b", draw.folder, int, 2**63, len])  # fmt: skip
    chosen.set_params(**{name: strange})
    call(chosen.fit, X)
    found = call(chosen.transform, X)
    check(np.isfinite(found).all(), chosen, X, found)


@target(weight=1)
def battery_of_transformers(draw):
    """Run the public battery on a table of hostile texts."""
    chosen = transformer(draw)
    row_by_row = not isinstance(chosen, features.ContrastiveScore)
    reads = {features.SurfaceCounts: ["source", "hypothesis"]}.get(type(chosen))
    if isinstance(
        chosen, features.LanguageModelScore | features.ParserStatistics | features.ContrastiveScore
    ):
        reads = ["hypothesis"]
    try:
        check_text_transformer(chosen, columns=reads, row_by_row=row_by_row)
    except AssertionError as error:
        alike = re.search(r"rows are the same|'output'|does not trust: fuzz", str(error))
        check(alike, chosen, error)


@target(weight=3)
def feature_sets(draw):
    name, legal = draw.option([*FEATURE_SETS])
    given = features.ParserStatistics(BracketedTrees(trees(draw)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        union = call(
            features.feature_set,
            name,
            language_model=features.LanguageModelScore(model(1), source_language_model=model(1)),
            parser=given if draw.chance() else None,
        )
    X = draw.texts()
    found = call(union.fit_transform, X)
    check(legal and np.isfinite(found).all(), name, found)
