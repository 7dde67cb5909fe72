"""Word vectors: alignment against numpy pair by pair, averages against gensim."""

import numpy as np
import pandas as pd

from sklearn_mteval import EmbeddingAverager
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import WordVectorAlignment
from sklearn_mteval.text.vectors.word_vectors import load_word_vectors

from .common import data_dir, seconds

N_PEER = 4000  # pairs for the slow peers


def _tokenizer():
    """Make sacreBLEU's tokeniser with its caches empty, as they are for new texts."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()
    return Tokenizer13a()


def _tokenized(X):
    """Tokenise pair by pair."""
    tokenize = _tokenizer()
    for hypothesis, reference in zip(X["hypothesis"], X["reference"], strict=True):
        yield tokenize(hypothesis.lower()).split(), tokenize(reference.lower()).split()


def _align_with_numpy(X, row_of, units):
    """Align as one would write it down: one matrix product for each pair, no idf."""
    results = []
    for left, right in _tokenized(X):
        rows = [np.array([row_of.get(word, -1) for word in words]) for words in (left, right)]
        cosines = units[rows[0]] @ units[rows[1]].T
        cosines[np.array(left)[:, np.newaxis] == np.array(right)] = 1
        forward, backward = cosines.max(axis=1), cosines.max(axis=0)
        precision, recall = forward.clip(0).mean(), backward.clip(0).mean()
        distances = [np.sqrt((2 - 2 * best).clip(0)).mean() for best in (forward, backward)]
        results.append((precision, recall, max(distances)))
    return np.array(results)


class RealTexts:
    """20,000 distinct hypotheses of WMT15, 100-dimensional vectors."""

    def setup_cache(self):
        tables = [
            load_wmt(data_dir() / "wmt15", pair, return_X_y=True)[0]
            for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
        ]
        X = pd.concat(tables).drop_duplicates("hypothesis")
        return X[X["hypothesis"] != ""].iloc[:20000]

    def setup(self, X):
        self.path = data_dir() / "vectors" / "distilled-en-100d.txt.gz"
        self.vectors = load_word_vectors(self.path)

    def track_alignment_pairs(self, X):
        fitted = WordVectorAlignment(self.vectors).fit(X)
        return len(X) / seconds(lambda: fitted.transform(X))

    track_alignment_pairs.unit = "pairs a second"

    def track_alignment_ratio_to_numpy(self, X):
        X = X.iloc[:N_PEER]
        matrix = np.vstack([self.vectors.matrix, np.zeros((1, 100))])  # -1: unknown words
        units = matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-30)
        row_of = {word: row for row, word in enumerate(self.vectors.words)}
        fitted = WordVectorAlignment(self.vectors, idf=False).fit(X)
        found = fitted.transform(X)[:, [0, 1, 3]]
        np.testing.assert_allclose(found, _align_with_numpy(X, row_of, units), atol=1e-6)
        peer = seconds(lambda: _align_with_numpy(X, row_of, units), repeat=1)
        return peer / seconds(lambda: fitted.transform(X))

    track_alignment_ratio_to_numpy.unit = "times as fast"

    def track_alignment_ratio_of_two_jobs_to_one(self, X):
        one = WordVectorAlignment(self.vectors).fit(X)
        two = WordVectorAlignment(self.vectors, n_jobs=2).fit(X)
        return seconds(lambda: one.transform(X)) / seconds(lambda: two.transform(X))

    track_alignment_ratio_of_two_jobs_to_one.unit = "times as fast"

    def track_averages_ratio_to_gensim(self, X):
        """Averages and their cosine, against gensim's n_similarity, which gives the cosine only."""
        from gensim.models import KeyedVectors

        X = X.iloc[:N_PEER]
        keyed = KeyedVectors(vector_size=100)
        keyed.add_vectors(self.vectors.words, self.vectors.matrix)

        def loop():
            for pair in _tokenized(X):
                left, right = ([word for word in words if word in keyed] for words in pair)
                if left and right:
                    keyed.n_similarity(left, right)

        fitted = EmbeddingAverager(self.vectors, similarity=True).fit(X)
        return seconds(loop, repeat=1) / seconds(lambda: fitted.transform(X))

    track_averages_ratio_to_gensim.unit = "times as fast"

    def peakmem_alignment(self, X):
        WordVectorAlignment(self.path).fit_transform(X)


class Growth:
    """Time for each pair of texts of so many words; the dot products grow with its square."""

    unit = "milliseconds for each pair"
    params = (25, 200, 2000)
    param_names = ("n_words",)

    def track_time_for_each(self, n_words):
        rng = np.random.default_rng(0)
        words = [f"w{k}" for k in range(5000)]
        vectors = dict(zip(words, rng.normal(size=(5000, 100)), strict=True))
        texts = [" ".join(rng.choice(words, size=n_words)) for _ in range(40)]
        X = pd.DataFrame({"hypothesis": texts[:20], "reference": texts[20:]})
        fitted = WordVectorAlignment(vectors).fit(X)
        return 1e3 * seconds(lambda: fitted.transform(X)) / 20
