"""Features of the ready-made models for each split of the language pairs."""

import hashlib
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import joblib
import numpy as np
import pandas as pd
from ready_made_training import folds_of
from ready_made_words import WordTable
from sklearn.base import BaseEstimator, TransformerMixin, clone

import sklearn_mteval
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.features import LexicalFeatures
from sklearn_mteval.features.recommendation import recommended


class Split(NamedTuple):
    """Names of language pairs to train on, and to measure on."""

    training: tuple
    tests: tuple


class Part(NamedTuple):
    """Features and ranks of some language pairs, rows labelled (pair, segment, …) as one table."""

    X: pd.DataFrame
    y: pd.Series

    def of(self, pairs):
        """Select language pairs."""
        rows = self.y.index.get_level_values("segment").str.partition(":").get_level_values(0)
        return Part(*(table[rows.isin(pairs)] for table in self))


class LearnedWords(TransformerMixin, BaseEstimator):
    """Lexical features on vectors that are learnt from rankings, as the package's are.

    ``fit_transform`` describes each segment by vectors that were learnt from other ones.
    """

    def __init__(self, table, reference=True):
        self.table = table
        self.reference = reference

    def fit(self, X, y):
        """Learn from all segments."""
        self.lexical_ = self._lexical(X, y).fit(X)
        return self

    def fit_transform(self, X, y):
        """Learn from all segments; return columns that are cross-fitted."""
        self.fit(X, y)
        fold = folds_of(X)
        columns = np.empty((len(X), len(self.get_feature_names_out())))
        for k in np.unique(fold):
            there = fold == k
            lexical = self._lexical(X[~there], y[~there])
            columns[there] = lexical.fit_transform(X[there])
        return columns

    def transform(self, X):
        """Return the columns of other segments."""
        return self.lexical_.transform(X)

    def get_feature_names_out(self, input_features=None):
        """Name the columns."""
        return self.lexical_.get_feature_names_out()

    def _lexical(self, X, y):
        vectors = WordTable(self.table).learned_vectors(X, y)
        return LexicalFeatures(vectors, use_references=self.reference, weights="length")


def union_of(options):
    """Build the transformers of a kind of model."""
    given = {"vectors": str(options.data / "vectors" / "distilled-en-100d.txt.gz")}
    if options.encoder is not None:
        cache = options.cache and str(options.cache / "embeddings")
        given |= {"encoder": options.encoder, "cache": cache, **options.encoder_options}
    union = recommended(options.kind, **given)
    if options.words is not None:
        reference = options.kind != "no-reference"
        union[-1].set_params(lexicalfeatures=LearnedWords(options.words, reference))
    return union


def load(data, pairs, n_segments):
    """Load texts and ranks of language pairs as one table whose segments bear the pair's name."""
    tables = []
    for pair in pairs:
        X, y = load_wmt(data / pair.split()[0], pair.split()[1], return_X_y=True)
        segments = np.unique(X.index.get_level_values("segment"))
        if n_segments is not None:
            segments = np.random.default_rng(0).permutation(segments)[:n_segments]
        kept = X.index.get_level_values("segment").isin(segments)
        tables.append([named(pair, table[kept]) for table in (X, y)])
    return Part(*map(pd.concat, zip(*tables, strict=True)))


def named(pair, table):
    """Put the pair's name before the labels of segments."""
    labels = table.index.to_frame(index=False)
    labels["segment"] = f"{pair}:" + labels["segment"].astype(str)
    return table.set_axis(pd.MultiIndex.from_frame(labels))


class StoredColumns:
    """The columns that ``ready_made.py`` left in its working folder, for each split.

    They are cross-fitted by segment over all pairs: what was learnt from rankings is not left out
    by pair. All systems at hand compete (of models with an encoder those of the judged task), and
    training parts have corrupted translations, too.
    """

    def __init__(self, path, texts):
        columns = pd.read_pickle(path)
        labels = columns.index.to_frame(index=False)[texts.y.index.names]
        labels["segment"] = labels["segment"].str.replace(".", " ", n=1)
        columns.index = pd.MultiIndex.from_frame(labels)
        added = labels["segment"].str.contains("#") | labels["ranking"].str.startswith("beside")
        judged, more = columns[~added.to_numpy()], columns[added.to_numpy()]
        if list(judged.index.get_level_values("segment")) != list(
            texts.y.index.get_level_values("segment")
        ):
            raise SystemExit(f"{path} has other rows than the data.")
        self.judged = Part(judged.drop(columns="rank").set_axis(texts.y.index), texts.y)
        self.more = Part(more.drop(columns="rank"), more["rank"])

    def __call__(self, split):
        """Return training and test parts."""
        training = zip(self.judged.of(split.training), self.more.of(split.training), strict=True)
        return Part(*map(pd.concat, training)), self.judged.of(split.tests)


class Features:
    """Features of each split, by transformers that are fitted on its training part.

    In the test part all systems of a segment compete whose translations are at hand, judged or not,
    as in ``evaluate``.
    """

    def __init__(self, union, texts, cache, data):
        self.union, self.texts, self.cache, self.data = union, texts, cache, data
        self.found = {}

    def __call__(self, split):
        """Return training and test parts."""
        if split not in self.found:
            began = perf_counter()
            self.found[split] = self._read_or_compute(split)
            n, seconds = sum(len(part.y) for part in self.found[split]), perf_counter() - began
            print(f"<!-- {n:,} rows without {', '.join(split.tests)}: {seconds:.0f} s -->")
        return self.found[split]

    def _read_or_compute(self, split):
        if self.cache is None:
            return self._compute(split)
        # Transformers, texts, code and what the package brings: a change of any is another name.
        content = hashlib.sha256(joblib.hash((self.union, self.texts, split)).encode())
        for file in sorted(Path(sklearn_mteval.__file__).parent.rglob("*")):
            if file.is_file() and file.suffix not in (".pyc", ".nbi", ".nbc"):
                content.update(file.read_bytes())
        file = self.cache / f"features-{content.hexdigest()[:16]}.joblib"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            joblib.dump(self._compute(split), file)
        return joblib.load(file)

    def _compute(self, split):
        training, tests = self.texts.of(split.training), self.texts.of(split.tests)
        union = clone(self.union).set_output(transform="pandas")
        # Not fit and transform: a transformer that learns from ranks cross-fits these rows.
        learnt = union.fit_transform(*training)
        return Part(learnt, training.y), Part(self._of_tests(union, split, tests.y), tests.y)

    def _of_tests(self, union, split, y):
        """Compute the columns of judged rows among all translations of their segments."""
        found = []
        for pair in split.tests:
            X = named(pair, load_wmt_translations(self.data / pair.split()[0], pair.split()[1]))
            found.append(X[X.index.isin(y.index.unique("segment"), level="segment")])
        columns = union.transform(pd.concat(found))
        return columns.loc[y.index.droplevel("ranking")].set_axis(y.index)
