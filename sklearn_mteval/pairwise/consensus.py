"""Models that know only how far systems agree: they rank three systems or more, and score nothing.

Without reference, what distinguishes a translation for such a model is what other systems say. That
is evidence of a rank among them (Soricut, Bach and Wang 2012), none of one translation's quality.
"""

import warnings

import numpy as np
from sklearn.pipeline import Pipeline

from sklearn_mteval.candidates import standalone_columns
from sklearn_mteval.features.normalization import NormalizeText
from sklearn_mteval.text.transformer import TextTransformer

__all__ = ["check_competitors", "is_consensus", "refuse_scores"]

_FEWEST = 3  # of two translations each agrees with the other as much


def is_consensus(model):
    """Tell whether all features of a fitted pipeline compare with competing systems alone.

    Of ``LexicalFeatures(use_references=False)`` the few other columns (copied and unknown words)
    count as none: they say what is wrong in some translations, not how good the others are.
    """
    model = getattr(model, "best_estimator_", model)  # of a search
    if not isinstance(model, Pipeline) or len(model) < 2:
        return False
    features = list(_features_of(model[:-1]))
    return bool(features) and all(map(_asks_competitors, features))


def refuse_scores(model, instead="take this one's ranks"):
    """Raise ValueError for a model that can only rank; say what can be done instead."""
    if is_consensus(model):
        raise ValueError(
            "The model can rank, not score: it reads no reference, and judges a translation by how "
            "far it agrees with those of competing systems, which says nothing of one translation "
            "by itself. Give references and a model that reads them, such as static-en or any; or "
            f"train a model of your own that reads the source; or {instead}."
        )


def check_competitors(groups):
    """Warn of what ranks by consensus mean; ``groups`` of different translations, (n_distinct,).

    Raise ValueError if no segment has enough of them.
    """
    sizes = np.bincount(groups)
    if len(groups) and sizes.max() < _FEWEST:
        raise ValueError(
            f"The model ranks by agreement among systems, and needs {_FEWEST} or more that differ: "
            f"no segment has more than {sizes.max()} different translation(s). Give the outputs of "
            "further systems, or references and a model that reads them."
        )
    few = np.count_nonzero(sizes < _FEWEST)
    warnings.warn(
        "The model tells how far systems agree, not how good they are: outliers lose, better ones "
        "too, and an empty text or garbage can win."
        + (
            f" {few} of {len(sizes)} segments have fewer than {_FEWEST} different translations: "
            "their ranks say next to nothing."
            if few
            else ""
        ),
        stacklevel=3,
    )


def _features_of(step):
    """Yield the transformers in a pipeline or union that make numbers of texts."""
    if isinstance(step, Pipeline):
        for _, part in step.steps:
            if part not in (None, "passthrough") and not isinstance(part, NormalizeText):
                yield from _features_of(part)
                return  # what follows changes numbers only
    elif hasattr(step, "transformer_list"):
        for _, part in step.transformer_list:
            if part != "drop":
                yield from _features_of(part)
    else:
        yield step


def _asks_competitors(transformer):
    """Tell whether a transformer's columns compare with competing systems, not with references."""
    if not isinstance(transformer, TextTransformer):
        return False
    names = transformer.get_feature_names_out()
    own = standalone_columns(names)
    reads_none = getattr(transformer, "use_references", True) is False
    return len(own) < len(names) and (reads_none or not own)
