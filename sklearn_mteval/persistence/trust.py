"""The types that a model may hold; ``skops.io``, loaded on use, without torch or a long walk."""

import contextlib
import sys
from importlib import import_module
from threading import Lock

from sklearn import utils

from sklearn_mteval._helpers.lazy import process_is_ours

# scikit-learn's, numpy's and scipy's own types are trusted by skops. Of this package, a model may
# hold the classes that these packages export, ...
TRUSTED_PACKAGES = (
    "sklearn_mteval.classifiers", "sklearn_mteval.features", "sklearn_mteval.kernels",
    "sklearn_mteval.neural", "sklearn_mteval.pairwise", "sklearn_mteval.text",
    "sklearn_mteval.trees"
)  # fmt: skip
# ... what these hold in turn, and paths, as of a cache.
TRUSTED_TYPES = (
    "pathlib.PosixPath",
    "pathlib.WindowsPath",
    "sklearn_mteval.classifiers._prior_ensemble.PriorEnsemble",
    "sklearn_mteval.classifiers._trees.BoostedTrees",
    "sklearn_mteval.features.overlap._nist_weights.NISTWeights",
    "sklearn_mteval.linguistic.language_models.file_model.FileModel",
    "sklearn_mteval.linguistic.language_models.model.NgramModel",
    "sklearn_mteval.pairwise.scorers._KendallTauScorer",
    "sklearn_mteval.pairwise.scorers.kendall_tau_scorer",
    "sklearn_mteval.pairwise.scorers.pairwise_accuracy_scorer",
    "sklearn_mteval.stacking.model_columns.ModelColumns",
)
# Of what skops trusts itself, what ready-made models hold: for others, a command has to walk
# through scikit-learn before skops knows them.
_USUAL = ("sklearn.linear_model._logistic.LogisticRegression", "sklearn.pipeline.FeatureUnion")


def types_in(content, trusted):
    """List the types in a skops file that skops does not trust: those that we do, and others."""
    found = sorted(skops_io().get_untrusted_types(data=content))
    if any(name.startswith("sklearn.") and name not in _USUAL for name in found):
        trust_estimators()
        found = sorted(skops_io().get_untrusted_types(data=content))
    ours = {*TRUSTED_TYPES, *_USUAL, *trusted}
    known = [name for name in found if name in ours or _is_exported(name)]
    return known, [name for name in found if name not in known]


def _is_exported(name):
    """Tell whether a full name is that of a class, not a function, that we export."""
    short = name.rpartition(".")[2]
    for package in map(import_module, TRUSTED_PACKAGES):
        if short in package.__all__:
            value = getattr(package, short)
            if isinstance(value, type) and f"{value.__module__}.{value.__qualname__}" == name:
                return True
    return False


# To list scikit-learn's estimators, which it trusts, skops walks through all its packages, of which
# this one imports torch: a second and more, for nothing. One that cannot be imported is left out.
_IMPORTS_TORCH = "sklearn.externals.array_api_compat.torch"
_IMPORTING = Lock()


def skops_io():
    """Import skops.io; in a process that is ours, it trusts no estimator of scikit-learn yet."""
    with _IMPORTING, _without_torch("skops.io" not in sys.modules) as hidden:
        walk = utils.all_estimators
        try:
            if hidden and process_is_ours():
                utils.all_estimators = list  # what the walk finds is an empty list
            import skops.io
        finally:
            if utils.all_estimators is not walk:
                utils.all_estimators = walk
    return skops.io


def trust_estimators():
    """Let skops trust the estimators of scikit-learn that it trusts where it walked at once."""
    from skops.io import _trusted_types

    with _IMPORTING, _without_torch(not _trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES) as hidden:
        if hidden:
            names = (_trusted_types.get_type_name(found) for _, found in utils.all_estimators())
            _trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES.extend(
                name for name in names if name.startswith("sklearn.")
            )


@contextlib.contextmanager
def _without_torch(wanted):
    """Hide scikit-learn's adapter for torch if it is wanted and not there; say whether it was."""
    hidden = wanted and _IMPORTS_TORCH not in sys.modules
    if hidden:
        sys.modules[_IMPORTS_TORCH] = None  # it cannot be imported
    try:
        yield wanted
    finally:
        if hidden:
            del sys.modules[_IMPORTS_TORCH]
