"""A ranker that is kept, and members that have learnt what it cannot see, as one ranker.

What the ranker of ``no-reference-encoder`` says of sound translations it has learnt from far more
judgements than are left of segments that its cross-encoder has not seen. Its members and columns
stay as they are; members on these and further columns are put next to them, of less weight.
"""

import copy
import dataclasses

import numpy as np

from sklearn_mteval.classifiers._trees import BoostedTrees


def with_further(ranker, further, weight, candidates):
    """Put the members of another ranker, ``weight`` times, next to those of a ranker, and heads.

    ``further`` has all columns of the ranker that compare no systems, and more; ``candidates`` is a
    table of sound translations, whose means the empty translation has in the new columns.
    """
    own, theirs = ([str(name) for name in r.feature_names_in_] for r in (ranker, further))
    new = [name for name in theirs if name not in own]
    names, part, added = [*own, *new], ranker.estimator_, further.estimator_
    places = np.array([names.index(name) for name in theirs])
    scale = np.r_[part.scale_, added.scale_[[theirs.index(name) for name in new]]]
    both = copy.deepcopy(ranker)
    both.estimator_.scale_ = scale
    same = _placed(part, np.arange(len(own)), scale)
    both.estimator_.estimators_ = [*same, *_placed(added, places, scale)]
    more = weight * added.factors_ * added.slope_ / part.slope_
    both.estimator_.factors_ = np.r_[part.factors_, more]
    of_pairs = [f"{side}__{name}" for side in ("t1", "t2") for name in names]
    both.estimator_.feature_names_in_ = np.array(of_pairs, dtype=object)
    both.estimator_.n_features_in_ = len(of_pairs)
    both.feature_names_in_, both.n_features_in_ = np.array(names, dtype=object), len(names)
    means = candidates[new].mean().to_numpy()
    means = np.broadcast_to(means, (*ranker.empty_.shape[:-1], len(new)))
    both.empty_ = np.concatenate([ranker.empty_, means], axis=-1)
    both.shared_features_ = np.r_[ranker.shared_features_, np.full(len(new), False)]
    if ranker.standalone_ is not None:
        both.standalone_ = with_further(ranker.standalone_, further, weight, candidates)
    return both


def without_further(ranker, names, n_members=2):
    """Take a ranker's first columns, under these names, and first members out of it."""
    n, first = len(names), copy.deepcopy(ranker)
    ensemble = first.estimator_
    ensemble.estimators_ = [_cut(member, n) for member in ensemble.estimators_[:n_members]]
    ensemble.factors_, ensemble.scale_ = ensemble.factors_[:n_members], ensemble.scale_[:n]
    first.feature_names_in_, first.n_features_in_ = np.array(names, dtype=object), n
    first.empty_, first.shared_features_ = first.empty_[..., :n], first.shared_features_[:n]
    if ranker.standalone_ is not None:
        own = [name for name in names if "competing_" not in name]
        first.standalone_ = without_further(ranker.standalone_, own, n_members)
    return first


def _placed(ensemble, places, scale):
    """Return an ensemble's members on other columns of another scale."""
    found = []
    # A column that never differed has no scale: nothing looks at it.
    by = np.where(np.isfinite(ensemble.scale_), ensemble.scale_ / scale[places], 1.0)
    for member in ensemble.estimators_:
        if isinstance(member, BoostedTrees):
            inner = member.feature >= 0
            value, feature = member.value.copy(), member.feature.copy()
            value[inner] *= by[feature[inner]]
            feature[inner] = places[feature[inner]]
            trees = {"n_features": len(scale), "feature": feature, "value": value}
            found.append(dataclasses.replace(member, **trees))
        else:
            coef = np.zeros((1, len(scale)))
            coef[0, places] = member.coef_[0] / by
            found.append(_regression(member, coef))
    return found


def _cut(member, n):
    """Return a member that looks at the first columns only, without the others."""
    if isinstance(member, BoostedTrees):
        return dataclasses.replace(member, n_features=n)
    return _regression(member, member.coef_[:, :n])


def _regression(member, coef):
    """Return a logistic regression with other coefficients."""
    found = copy.deepcopy(member)
    found.coef_, found.n_features_in_ = coef, coef.shape[1]
    return found
