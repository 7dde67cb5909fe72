"""Makers of the ready-made models' columns: each returns a fitted transformer, and its columns.

What is learnt from a segment is never used to describe that segment to what learns from the
description: where a transformer learns from rankings, its columns are cross-fitted by segment.
A maker is called with the workshop, the name of the model, the training table and the encoder.
"""

from functools import partial

import joblib
import numpy as np
import pandas as pd
from ready_made_training import N_FOLDS
from sklearn.base import clone

from sklearn_mteval.features import LearnedTokenAlignment, LexicalFeatures
from sklearn_mteval.models.cards import READY_MADE as shipped
from sklearn_mteval.text import WordVectors
from sklearn_mteval.text.vectors.shipped import read_vectors


def fitted(transformer):
    """Return the maker of a transformer that does not learn from rankings."""
    return partial(_fitted, transformer)


def by_words(**options):
    """Return the maker of LexicalFeatures on the package's vectors, cross-fitted."""
    return partial(_by_words, options)


def aligned(**options):
    """Return the maker of a learned token alignment with these options, cross-fitted."""
    return partial(_aligned, options)


def _fitted(transformer, workshop, name, training, encoder):
    transformer = clone(transformer).set_output(transform="pandas").fit(workshop.X)
    return transformer, transformer.transform(training.X)


def _by_words(options, workshop, name, training, encoder):
    options = {"weights": "length", **options}
    final = LexicalFeatures("english", **options).set_output(transform="pandas").fit(workshop.X)
    parts = []
    for k in range(N_FOLDS):
        words, matrix, _ = read_vectors(workshop.work / f"fold-{k}.vectors")
        lexical = LexicalFeatures(WordVectors(words, matrix), **options)
        lexical.set_output(transform="pandas").fit(workshop.X[workshop.fold == k])
        parts.append(lexical.transform(training.X[training.fold == k]))
    order = np.concatenate([np.flatnonzero(training.fold == k) for k in range(N_FOLDS)])
    return final, pd.concat(parts).iloc[np.argsort(order)]


def _aligned(options, workshop, name, training, encoder):
    stored = workshop.work / f"{name}.aligned.joblib"
    table = training.X
    if not stored.exists():
        cache = workshop.work / "embeddings"  # survives what is killed
        aligner = LearnedTokenAlignment(encoder, dtype="bfloat16", cache=cache, **options)
        # From judgements only; corruptions are described by the fold of what they are made of.
        folds = aligner._learn(workshop.X, workshop.y, n_folds=N_FOLDS)
        model, known = aligner._fitted_model(), folds[0][1]._known
        more = sorted({*table["hypothesis"], *table["reference"]} - set(known))
        known |= aligner._encode(more, model)
        columns = np.empty((len(table), len(aligner._output_names())))
        for rows, scorer in folds:
            there = np.isin(training.origin, rows)
            columns[there] = scorer._transform(table[there])
        joblib.dump((aligner, columns), stored)
    aligner, columns = joblib.load(stored)
    # Used in what the user's machine computes fast; no folder of this one.
    hub = shipped[name].encoder.hub
    aligner.set_params(progress=False, cache=None, encoder=hub, dtype="auto")
    return aligner, pd.DataFrame(columns, table.index, aligner._output_names())
