"""Scores that can be averaged over segments: absolute ones (2017 paper, section 6.1)."""

import warnings
from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn.pipeline import FeatureUnion, Pipeline

from sklearn_mteval._helpers.fitting import unwrapped
from sklearn_mteval._helpers.progress import working
from sklearn_mteval.candidates import (
    comparable_groups,
    content_keys,
    is_float64,
    standalone_columns,
)
from sklearn_mteval.pairwise.answers import strengths
from sklearn_mteval.pairwise.consensus import is_consensus
from sklearn_mteval.pairwise.pairs import plain_columns
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline, transformers_in
from sklearn_mteval.text.transformer import TableTransformer, TextTransformer


def apply_steps(model, X):
    """Return what the last step of a fitted pipeline is given of X, and that step."""
    model = unwrapped(model)
    if isinstance(model, Pipeline) and len(model) > 1:
        found = (part for _, step in model.steps[:-1] for _, part in transformers_in(step))
        parts = sum(isinstance(part, TextTransformer) for part in found)
        with working("features", parts=parts):
            for _, step in model.steps[:-1] if isinstance(model, RankingPipeline) else ():
                X = _applied(step, X)
            return (X if isinstance(model, RankingPipeline) else model[:-1].transform(X)), model[-1]
    return X, model


def _applied(step, X):
    """Apply a step that returns tables; those of texts' features and of a union of such are made
    here: each one that scikit-learn makes, checks and joins takes as long as a translation.
    """
    named = [("", step)]
    if type(step) is FeatureUnion and step.transformer_weights is None and step.n_jobs is None:
        named = [(f"{name}__", part) for name, part in step.transformer_list]
    kinds = [type(part) for _, part in named]
    plain = all(issubclass(kind, TextTransformer) for kind in kinds)
    plain = plain and not any(issubclass(kind, TableTransformer) for kind in kinds)
    if not plain or not getattr(step, "verbose_feature_names_out", True):
        return step.transform(X) if hasattr(step, "transform") else X  # "passthrough"
    values = [part._computed(X) for _, part in named]
    names = [prefix + name for prefix, part in named for name in part._output_names()]
    if any(array.dtype != np.float64 for array in values):
        return step.transform(X)
    return pd.DataFrame(np.hstack(values), X.index, _columns(tuple(names)), copy=False)


@lru_cache(maxsize=32)
def _columns(names):
    """Make the Index of some names once: it takes longer than what it names, and of other types
    than object, listing them takes as long.
    """
    return pd.Index(names, dtype=object)


def distinct_rows(X, table):
    """Find rows no two of which are copies in their group, and for each row which it copies."""
    comparable_groups(table)  # of arrays nothing says what is comparable
    if len(X) == 1:
        return np.zeros((2, 1), dtype=np.int64)
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
    if head is not None:
        ranker, table = head, _chosen(table, head.feature_names_in_.tolist())
    elif not can_score(ranker, table):
        raise ValueError(
            "The model can rank, not score: all of its columns compare competing systems, so that "
            "nothing is said of one translation. Give it features of the translation itself, or "
            "rank with it."
        )
    elif len(own := standalone_columns(table.columns)) < table.shape[1]:
        warnings.warn(
            "The model has no stand-alone head (it was trained by an earlier version, or with "
            "standalone=False): its scores depend on competing systems, which "
            f"{table.shape[1] - len(own)} of its {table.shape[1]} columns compare. Train it again "
            "to have scores that do not.",
            stacklevel=3,
        )
    if isinstance(ranker, RankRecomposer):
        asked = object.__new__(type(ranker))  # copy() would check it as what is loaded
        vars(asked).update(vars(ranker), recomposition="absolute", _trained=None)  # no leaks
        return strengths(asked, table)
    rows = np.arange(len(table))
    alone = pd.MultiIndex.from_arrays(
        [rows, rows], names=["segment", getattr(ranker, "item_level", None) or "system"]
    )
    found = strengths(ranker, table.set_axis(alone))
    return found / (1 + np.abs(found))


def _chosen(table, names):
    """Choose columns by name, of numbers as an array, which takes a tenth of the time."""
    if not is_float64(table) or not table.columns.is_unique:
        return table[names]
    place = {name: k for k, name in enumerate(table.columns.tolist())}
    values = np.take(table.to_numpy(), [place[name] for name in names], axis=1)
    return pd.DataFrame(values, table.index, _columns(tuple(names)), copy=False)
