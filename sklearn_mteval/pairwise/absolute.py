"""Scores that can be averaged over segments: absolute ones (2017 paper, section 6.1)."""

import warnings
from copy import copy

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from sklearn_mteval._helpers.fitting import unwrapped
from sklearn_mteval._helpers.progress import working
from sklearn_mteval.candidates import comparable_groups, content_keys, standalone_columns
from sklearn_mteval.pairwise.answers import strengths
from sklearn_mteval.pairwise.consensus import is_consensus
from sklearn_mteval.pairwise.pairs import plain_columns
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import transformers_in
from sklearn_mteval.text.transformer import TextTransformer


def apply_steps(model, X):
    """Return what the last step of a fitted pipeline is given of X, and that step."""
    model = unwrapped(model)
    if isinstance(model, Pipeline) and len(model) > 1:
        parts = sum(isinstance(step, TextTransformer) for _, step in transformers_in(model[:-1]))
        with working("features", parts=parts):
            return model[:-1].transform(X), model[-1]
    return X, model


def distinct_rows(X, table):
    """Find rows no two of which are copies in their group, and for each row which it copies."""
    comparable_groups(table)  # of arrays nothing says what is comparable
    keys = pd.DataFrame({"group": comparable_groups(X)})
    if "hypothesis" in X.columns:
        keys["text"] = content_keys(X["hypothesis"].to_numpy(dtype=object), "hypothesis")
    repeated = np.flatnonzero(keys.duplicated(keep=False))
    first = np.arange(len(X))
    if len(repeated):
        columns = [keys[name].to_numpy()[repeated] for name in keys]
        alike = pd.DataFrame(dict(enumerate([*columns, *plain_columns(table.iloc[repeated])])))
        codes = alike.groupby(list(alike), dropna=False, sort=False).ngroup()
        first[repeated] = pd.Series(repeated).groupby(codes.to_numpy()).transform("min")
    return np.unique(first, return_inverse=True)


def can_score(ranker, table):
    """Tell whether anything in a table speaks of one translation, not of competing systems."""
    return getattr(ranker, "standalone_", None) is not None or bool(
        standalone_columns(table.columns)
    )


def only_ranks(model, ranker, table):
    """Tell whether a model, whose last step is given a table, says nothing of one translation."""
    return is_consensus(model) or not can_score(ranker, table)


def standalone_scores(ranker, table):
    """Score translations, each by its own row alone, in [−1, 1], higher is better: "absolute"
    strengths, of the stand-alone head where there is one, or s / (1 + |s|) of the strength s
    without competitors.
    """
    head = getattr(ranker, "standalone_", None)
    own = standalone_columns(table.columns)
    if head is not None:
        ranker, table = head, table[list(head.feature_names_in_)]
    elif not can_score(ranker, table):
        raise ValueError(
            "The model can rank, not score: all of its columns compare competing systems, so that "
            "nothing is said of one translation. Give it features of the translation itself, or "
            "rank with it."
        )
    elif len(own) < table.shape[1]:
        warnings.warn(
            "The model has no stand-alone head (it was trained by an earlier version, or with "
            "standalone=False): its scores depend on competing systems, which "
            f"{table.shape[1] - len(own)} of its {table.shape[1]} columns compare. Train it again "
            "to have scores that do not.",
            stacklevel=3,
        )
    if isinstance(ranker, RankRecomposer):
        return strengths(copy(ranker).set_params(recomposition="absolute"), table)
    rows = np.arange(len(table))
    alone = pd.MultiIndex.from_arrays(
        [rows, rows], names=["segment", getattr(ranker, "item_level", None) or "system"]
    )
    found = strengths(ranker, table.set_axis(alone))
    return found / (1 + np.abs(found))
