"""What a RankRecomposer must hold after loading."""

import numpy as np

from sklearn_mteval._helpers.restored import check_restored, is_array, is_count

__all__ = ["check_restored_ranker"]


def check_restored_ranker(ranker):
    """Raise unless what was loaded can be what ``fit`` leaves; for ``__setstate__``."""
    check_restored(ranker, lambda: _is_whole(ranker))


def _is_whole(ranker):
    shape = (ranker.n_features_in_,)
    empty = np.where(np.isnan(ranker.empty_), 0.0, ranker.empty_)  # NaN: a column of texts
    return (
        is_array(ranker.empty_ if not np.isnan(ranker.empty_).any() else empty, shape)
        and is_array(ranker.shared_features_, shape, bool)
        and is_count(ranker.n_pairs_, 1)
        and is_count(ranker.n_tied_pairs_)
        and hasattr(ranker.estimator_, "predict")
        and not isinstance(ranker.estimator_, type)
    )
