"""The types that a model may hold."""

from importlib import import_module

from sklearn_mteval.persistence.skops_io import skops_io, trust_estimators

# scikit-learn's, numpy's and scipy's own types are trusted by skops. Of this package, a model may
# hold the classes that these packages export, ...
TRUSTED_PACKAGES = (
    "sklearn_mteval.classifiers",
    "sklearn_mteval.features",
    "sklearn_mteval.kernels",
    "sklearn_mteval.neural",
    "sklearn_mteval.pairwise",
    "sklearn_mteval.text",
    "sklearn_mteval.trees",
)
# ... what these hold in turn, and paths, as of a cache.
TRUSTED_TYPES = (
    "pathlib.PosixPath",
    "pathlib.WindowsPath",
    "sklearn_mteval.classifiers._prior_ensemble.PriorEnsemble",
    "sklearn_mteval.classifiers._trees.BoostedTrees",
    "sklearn_mteval.features.overlap._nist_weights.NISTWeights",
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
    known = [
        name for name in found if name in (*TRUSTED_TYPES, *_USUAL, *trusted) or _is_exported(name)
    ]
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
