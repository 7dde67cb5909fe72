"""Models that know only how far systems agree: they rank three systems or more, and score nothing.

Agreement is evidence of a rank among systems (Soricut, Bach and Wang 2012), none of quality.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from sklearn_mteval._helpers.fitting import unwrapped
from sklearn_mteval.candidates import standalone_columns
from sklearn_mteval.features.normalization import NormalizeText
from sklearn_mteval.text.transformer import TextTransformer

_FEWEST = 3  # of two translations each agrees with the other as much


def is_consensus(model):
    """Tell whether a fitted pipeline's features compare with competing systems alone."""
    model = unwrapped(model)
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


class Competitors(NamedTuple):
    """How many different translations segments have; of several parts of a table they add up."""

    n_segments: int = 0
    n_few: int = 0  # of them with too few
    most: int = 0

    @classmethod
    def of(cls, groups):
        """Count them; ``groups`` of different translations, (n_distinct,)."""
        sizes = np.bincount(groups)
        return cls(len(sizes), int(np.count_nonzero(sizes < _FEWEST)), int(sizes.max(initial=0)))

    def __add__(self, other):
        totals = self.n_segments + other.n_segments, self.n_few + other.n_few
        return Competitors(*totals, max(self.most, other.most))

    def check(self):
        """Raise ValueError if no segment has enough of them."""
        if self.n_segments and self.most < _FEWEST:
            raise ValueError(
                f"The model ranks by agreement among systems, and needs {_FEWEST} or more that "
                f"differ: no segment has more than {self.most} different translation(s). Give the "
                "outputs of further systems, or references and a model that reads them."
            )

    def warn(self, stacklevel=3):
        """Warn of what ranks by consensus mean."""
        few = (
            f" {self.n_few} of {self.n_segments} segments have fewer than {_FEWEST} different "
            "translations: their ranks say next to nothing."
        )
        warnings.warn(
            "The model tells how far systems agree, not how good they are: outliers lose, better "
            "ones too, and an empty text or garbage can win." + few * (self.n_few > 0),
            stacklevel=stacklevel,
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
