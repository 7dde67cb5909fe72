"""LanguageModelScore: which model describes what; numbers have the models' own tests."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from sklearn_mteval import load_model, save_model
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import LanguageModelScore
from sklearn_mteval.linguistic.language_models import file_model
from sklearn_mteval.text import estimate, write_arpa

X = load_sample(return_X_y=True)[0].iloc[:40]
REFERENCES = list(dict.fromkeys(load_sample(return_X_y=True)[0]["reference"]))
SOURCES = list(dict.fromkeys(X["source"]))


def output(transformer, table):
    return transformer.set_output(transform="pandas").fit_transform(table)


def test_worked_by_hand():
    """Corpus "a b", "a c", bigrams: see the tests of language models.

    P(a b) = 0.6 * 0.35 * 0.65, two words and an end; P(x b) = 0.05 * 0.2 * 0.65, x is unknown;
    P() = 0.15. Of the source's own model, corpus "a", P(a) = P(a | <s>) P(</s> | a): unigram counts
    a 1, </s> 1 and discounts 0.5: P(a) = 0.25 + 0.5 / 3 = 5 / 12, P(a | <s>) = 0.5 + 5 / 24.
    """
    table = pd.DataFrame({"source": ["a", "x", ""], "hypothesis": ["A b", "x B", " "]})
    score = LanguageModelScore(
        corpus=["A b", "a c"], source_corpus=["a"], order=2, ratios=True
    )  # fmt: skip
    found = output(score, table)
    target = np.log10([0.6 * 0.35 * 0.65, 0.05 * 0.2 * 0.65, 0.15])
    # </s> after a: like a after <s>. x: half of P(<unk>) = 0.5 / 3, then P(</s>) alone.
    source = np.log10([(17 / 24) ** 2, 1 / 12 * 5 / 12, 0.5 * 5 / 12])
    expected = {
        "source_log_probability": source,
        "source_word_log_probability": source / [2, 2, 1],
        "source_oov": [0, 1, 0],
        "hypothesis_log_probability": target,
        "hypothesis_word_log_probability": target / [3, 3, 1],
        "hypothesis_oov": [0, 1, 0],
        "log_probability_ratio": target / source,
        "word_log_probability_ratio": target / [3, 3, 1] / source * [2, 2, 1],
        "oov_ratio": [1, 1, 1],
    }
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected), check_dtype=False, rtol=1e-6)


def test_without_a_source_model_no_source_is_read():
    found = output(LanguageModelScore(corpus=REFERENCES, order=2), X.drop(columns="source"))
    assert list(found) == [
        "hypothesis_log_probability",
        "hypothesis_word_log_probability",
        "hypothesis_oov",
    ]
    with pytest.raises(ValueError, match="ratios=True needs source and hypothesis"):
        LanguageModelScore(corpus=REFERENCES, ratios=True).fit(X)


def test_model_corpus_and_file_agree(tmp_path):
    pytest.importorskip("kenlm")
    (tmp_path / "corpus.txt").write_text("\n".join(REFERENCES), encoding="utf-8")
    model = estimate(REFERENCES, order=3)
    write_arpa(model, tmp_path / "x.arpa")
    expected = LanguageModelScore(model).fit_transform(X)
    for options in ({"corpus": REFERENCES}, {"corpus": tmp_path / "corpus.txt"}):
        found = LanguageModelScore(order=3, **options).fit_transform(X)
        np.testing.assert_array_equal(found, expected)
    found = LanguageModelScore(tmp_path / "x.arpa").fit_transform(X)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_model_object_uses_its_own_tokeniser():
    model = estimate(REFERENCES, order=2, tokenize="char", lowercase=False)
    score = LanguageModelScore(model, tokenize="none").fit(X)
    np.testing.assert_array_equal(score.transform(X)[:, 0], model.score(X["hypothesis"])[0])


def test_a_saved_model_needs_no_corpus(tmp_path):
    (tmp_path / "corpus.txt").write_text("\n".join(REFERENCES), encoding="utf-8")
    for corpus in (tmp_path / "corpus.txt", REFERENCES):
        score = LanguageModelScore(corpus=corpus, source_corpus=SOURCES, order=3).fit(X)
        expected = score.transform(X)
        save_model(score, tmp_path / "model")
        loaded = load_model(tmp_path / "model")
        np.testing.assert_array_equal(loaded.transform(X), expected)
        # Sentences are replaced by what was made of them; fitting again gives the same.
        assert isinstance(loaded.corpus, str | None) and loaded.source_corpus is None
        np.testing.assert_array_equal(clone(loaded).fit_transform(X), expected)


def test_options_set_after_fit_are_kept():
    score = LanguageModelScore(corpus=REFERENCES, order=3).fit(X).set_params(order=2)
    again = pickle.loads(pickle.dumps(score))
    expected = LanguageModelScore(corpus=REFERENCES, order=2).fit_transform(X)
    np.testing.assert_array_equal(again.fit_transform(X), expected)


def test_corpus_of_pandas_or_numpy(tmp_path):
    expected = LanguageModelScore(corpus=REFERENCES, order=2).fit_transform(X)
    for corpus in (pd.Series(REFERENCES), np.array(REFERENCES, dtype=object), tuple(REFERENCES)):
        score = clone(LanguageModelScore(corpus=corpus, order=2))
        np.testing.assert_array_equal(score.fit_transform(X), expected)
        save_model(score, tmp_path / "model")
        np.testing.assert_array_equal(load_model(tmp_path / "model").transform(X), expected)


def test_a_corpus_set_after_fit_is_kept():
    score = LanguageModelScore(corpus=REFERENCES, order=2).fit(X).set_params(corpus=["a b"])
    expected = LanguageModelScore(corpus=["a b"], order=2).fit_transform(X)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(score))))
    np.testing.assert_array_equal(again.transform(X), score.transform(X))
    np.testing.assert_array_equal(again.fit_transform(X), expected)


def test_a_saved_model_refuses_another_file(tmp_path):
    pytest.importorskip("kenlm")
    path = tmp_path / "x.arpa"
    write_arpa(estimate(REFERENCES, order=2), path)
    score = LanguageModelScore(path).fit(X)
    expected = score.transform(X)
    save_model(score, tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").transform(X), expected)
    write_arpa(estimate(REFERENCES[:20], order=2), path)
    file_model._open.cache_clear()
    with pytest.raises(ValueError, match=r"x\.arpa: this is not the language model of the fit"):
        load_model(tmp_path / "model").transform(X)


def test_bad_options(tmp_path):
    for options, message in [
        ({}, "needs one of the target language"),
        ({"source_corpus": ["a"]}, "needs one of the target language"),
        (
            {"language_model": "x", "corpus": ["a"]},
            "Of language_model and corpus, one must be None",
        ),
        (
            {"corpus": ["a"], "source_language_model": "x", "source_corpus": ["a"]},
            "Of source_language_model and source_corpus, one must be None",
        ),
        ({"language_model": 3}, "language_model must be the path of an ARPA"),
        ({"language_model": tmp_path / "missing.arpa"}, "cannot be read"),
        ({"corpus": ["a"], "order": 9}, "order must be an integer >= 1 and <= 6"),
        ({"corpus": ["a"], "tokenize": "14a"}, r"tokenize .*found "),
        ({"corpus": ["a"], "lowercase": "yes"}, "lowercase must be True or False"),
        ({"corpus": []}, "at least one sentence"),
        ({"corpus": 3}, "A corpus must be a path or sentences, found 3"),
        ({"corpus": b"a b"}, "A corpus must be a path or sentences, found b'a b'"),
    ]:
        with pytest.raises(ValueError, match=message):
            LanguageModelScore(**options).fit(X)


def test_without_kenlm(monkeypatch, tmp_path):
    (tmp_path / "x.arpa").write_text("anything")
    monkeypatch.setitem(sys.modules, "kenlm", None)
    file_model._open.cache_clear()
    with pytest.raises(ImportError, match=r'pip install "sklearn-mteval\[lm\]"'):
        LanguageModelScore(tmp_path / "x.arpa").fit(X)
