"""Features and classifiers by the names of a command line; importing this loads none of them."""

from collections.abc import Mapping
from difflib import get_close_matches
from inspect import Parameter, isclass, signature
from pkgutil import resolve_name

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
    """Make an unfitted transformer of what a user asks for; a list becomes a union.

    ``given`` is a kind, a short name, the name of a class of ``features``, a mapping of one of
    these as ``name`` and its options, or a transformer.
    """
    several = given if isinstance(given, list | tuple) else [given]
    made = [_one_transformer(item) for item in several]
    if not made:
        raise ValueError("features: expected at least one, found none.")
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


_LOGISTIC = "sklearn.linear_model:LogisticRegression"
# Where the class of each is, its presets, whether it sees differences of features, and which values
# of its parameters are tried.
CLASSIFIERS = {
    "ensemble": ("sklearn_mteval.classifiers:PairEnsemble", {}, False, {}),
    "knn": ("sklearn_mteval.classifiers:KNN", {}, True, {}),
    "logreg": (_LOGISTIC, {"max_iter": 1000}, True, {"C": [0.1, 1, 10]}),
    "naive-bayes": ("sklearn_mteval.classifiers:NaiveBayes", {}, True, {}),
    "nn": ("sklearn_mteval.neural:PairwiseNN", {"symmetric": True, "random_state": 0}, False, {}),
}


def make_classifier(given):
    """Make an unfitted classifier of pairs; return it and {parameter: values to try}."""
    if hasattr(given, "fit") and not isclass(given):
        return given, {}
    name, options = _name_and_options("classifier", given)
    if name not in CLASSIFIERS:
        _refuse("classifier", name, CLASSIFIERS)
    home, presets, of_differences, grid = CLASSIFIERS[name]
    classifier = resolve_name(home)(**presets)
    known = classifier.get_params()
    for option in options:
        if option not in known:
            _refuse(f"classifier {name!r}, option", option, known)
    classifier.set_params(**options)
    tried = {key: values for key, values in grid.items() if key not in options}
    if not of_differences:
        return classifier, tried
    from sklearn.pipeline import make_pipeline

    from sklearn_mteval.pairwise.difference import PairDifference

    step = type(classifier).__name__.lower()
    tried = {f"{step}__{key}": values for key, values in tried.items()}
    return make_pipeline(PairDifference(), classifier), tried


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
    named = {p.name: p.default for p in parameters if not p.kind.name.startswith("VAR_")}
    if len(named) == len(parameters):
        for option in options:
            if option not in named:
                _refuse(f"features {name!r}, option", option, named)
    missing = [key for key, value in named.items() if value is Parameter.empty]
    if missing := [key for key in missing if key not in options]:
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
