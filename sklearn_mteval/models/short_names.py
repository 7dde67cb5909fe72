"""Features and classifiers by the names that a command line or a configuration gives them.

Importing this loads none of them, so that a command line can list them.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from inspect import Parameter, isclass, signature

__all__ = ["CLASSIFIERS", "KINDS", "SHORT_NAMES", "make_classifier", "make_features"]

KINDS = ("static", "encoder", "no-reference", "any")  # of features.recommended
SHORT_NAMES = {
    "bleu": ("BLEUComp", {}),
    "chrf": ("ChrFComp", {}),
    "chrf++": ("ChrFComp", {"word_order": 2}),
    "contrastive": ("ContrastiveScore", {}),
    "meteor": ("METEORComp", {}),
    "nist": ("NISTScore", {}),
    "surface": ("SurfaceCounts", {}),
    "ter": ("TERComp", {}),
}


def make_features(given):
    """Make an unfitted transformer of what a user asks for.

    ``given`` is a kind, a short name, the name of a class of ``features``, a mapping of one of
    these as ``name`` and its options, a transformer, or a list of any of these, which becomes a
    union.
    """
    if not isinstance(given, list | tuple):
        return _one_transformer(given)
    if not given:
        raise ValueError("features: expected at least one, found none.")
    made = [_one_transformer(item) for item in given]
    if len(made) == 1:
        return made[0]
    from sklearn.pipeline import make_union

    return make_union(*made)


def _one_transformer(given):
    """Make one transformer."""
    import sklearn_mteval.features as features

    if hasattr(given, "transform") and not isclass(given):
        return given
    name, options = _name_and_options("features", given)
    if name in KINDS:
        return _called(name, features.recommended, options, name)
    short, preset = SHORT_NAMES.get(name, (name, {}))
    transformers = _transformers(features)
    if short not in transformers:
        _refuse("features", name, [*KINDS, *SHORT_NAMES, *transformers])
    return _called(name, transformers[short], {**preset, **options})


def _transformers(features):
    """List the classes that make numbers of texts, by name."""
    from sklearn_mteval.text.transformer import TextTransformer

    found = {name: getattr(features, name) for name in features.__all__}
    return {
        name: kind
        for name, kind in found.items()
        if isclass(kind) and issubclass(kind, TextTransformer) and name != "NormalizeText"
    }


def _logistic_regression():
    """Make the README's classifier."""
    from sklearn.linear_model import LogisticRegression

    return _on_differences(LogisticRegression(max_iter=1000))


def _nearest_neighbours():
    """Make the 2012 paper's nearest neighbours."""
    from sklearn_mteval.classifiers import KNN

    return _on_differences(KNN())


def _naive_bayes():
    """Make the 2012 paper's naive Bayes."""
    from sklearn_mteval.classifiers import NaiveBayes

    return _on_differences(NaiveBayes())


def _network():
    """Make the network of the 2017 paper, antisymmetric."""
    from sklearn_mteval.neural import PairwiseNN

    return PairwiseNN(symmetric=True, random_state=0)


def _ensemble():
    """Make logistic regression and boosted trees."""
    from sklearn_mteval.classifiers import PairEnsemble

    return PairEnsemble()


def _on_differences(classifier):
    """Let a classifier see differences of features."""
    from sklearn.pipeline import make_pipeline

    from sklearn_mteval.pairwise.difference import PairDifference

    return make_pipeline(PairDifference(), classifier)


# What makes each, and the values of which parameters are tried for it.
CLASSIFIERS = {
    "ensemble": (_ensemble, {}),
    "knn": (_nearest_neighbours, {}),
    "logreg": (_logistic_regression, {"logisticregression__C": [0.1, 1, 10]}),
    "naive-bayes": (_naive_bayes, {}),
    "nn": (_network, {}),
}


def make_classifier(given):
    """Make an unfitted classifier of pairs; return it and {parameter: values to try}.

    ``given`` is a name, a mapping of one as ``name`` and its options, which are not tried then, or
    a classifier.
    """
    if hasattr(given, "fit") and not isclass(given):
        return given, {}
    name, options = _name_and_options("classifier", given)
    if name not in CLASSIFIERS:
        _refuse("classifier", name, CLASSIFIERS)
    make, grid = CLASSIFIERS[name]
    classifier = make()
    last = classifier[-1] if hasattr(classifier, "steps") else classifier
    known = last.get_params()
    for option in options:
        if option not in known:
            _refuse(f"classifier {name!r}, option", option, known)
    last.set_params(**options)
    tried = {key: values for key, values in grid.items() if key.rpartition("__")[2] not in options}
    return classifier, tried


def _name_and_options(what, given):
    """Split what is given into a name and options."""
    options = dict(given) if isinstance(given, Mapping) else {"name": given}
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise ValueError(f"{what}: expected a name, found {given!r}.")
    return name, options


def _called(name, function, options, *arguments):
    """Call a class or function with options, all of which it must know."""
    parameters = list(signature(function).parameters.values())[len(arguments) :]
    known = [p.name for p in parameters if p.kind is not Parameter.VAR_KEYWORD]
    if len(known) == len(parameters):
        for option in options:
            if option not in known:
                _refuse(f"features {name!r}, option", option, known)
    missing = [
        p.name
        for p in parameters
        if p.default is Parameter.empty
        and p.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
        and p.name not in options
    ]
    if missing:
        raise ValueError(
            f"features {name!r}: the option {missing[0]!r} must be given, as in a configuration: "
            f'[[features]], name = "{name}", {missing[0]} = …'
        )
    return function(*arguments, **options)


def _refuse(what, name, known):
    """Raise an error that lists what there is."""
    close = get_close_matches(name, list(known), 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"{what}: expected one of {list(known)}, found {name!r}.{hint}")
