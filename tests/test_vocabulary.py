"""One word an option: what signatures of public functions and classes call their options."""

import inspect
from collections import defaultdict
from functools import cache

import pytest
from sklearn.pipeline import Pipeline
from test_docstrings import public

# Words that are not used, and the one that is.
OTHER_WORDS = {
    "lr": "learning_rate",
    "eta": "learning_rate",
    "epochs": "max_epochs",
    "n_epochs": "max_epochs",
    "n_workers": "n_jobs",
    "jobs": "n_jobs",
    "verbose": "progress",
    "quiet": "progress",
    "form": "format",
    "seed": "random_state",
    "rng": "random_state",
    "n_bootstraps": "n_resamples",
}
# What a word means, and the defaults that this leaves: "" where an argument must be given.
MEANINGS = {
    "learning_rate": ("size of the first steps of an optimiser", {0.01, 0.05, 0.0002, 0.0007}),
    "max_epochs": ("passes over the training data, at most", {1, 6, 10, 200}),
    "n_jobs": ("processes or threads, as joblib counts them", {None}),
    "progress": ("whether a progress bar is shown", {False, True}),
    "format": ("how a file or text is laid out", {None, "text", "seg", "tsv"}),
    "ties": ("what becomes of pairs that a human tied", {"drop", "half"}),
    "epsilon": ("scores that differ by at most this tie", {"calibrate", 0.0, None}),
    "average": ("whether sums over all groups are pooled", {"pairs", "groups", "micro", None}),
    "model": ("a fitted estimator; None: a ready-made one", {"", None}),
    "encoder": ("what makes vectors of texts", {"", None, "tree-lstm"}),
    "parser_model": ("what a parser has learnt: its folder", {None}),
    "reference": ("what becomes the column of references", {None}),
    "memory": ("scikit-learn's cache of the steps of a pipeline", {None}),
    "random_state": ("a seed: the same call gives the same result; None asks for chance", {0}),
    "cache": ("folder of what was computed once", {None, ""}),
}


@cache
def options():
    """From each option to its owners and their defaults; records of results have none."""
    found = defaultdict(dict)
    for name, thing in public().items():
        if isinstance(thing, property) or hasattr(thing, "_fields") or is_record(thing):
            continue
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        for option in inspect.signature(thing).parameters.values():
            default = "" if option.default is option.empty else option.default
            found[option.name][name] = default
    return found


def is_record(thing):
    return inspect.isclass(thing) and hasattr(thing, "__dataclass_fields__")


# Of scikit-learn's pipeline, as its subclass inherits them.
INHERITED = {"RankingPipeline": set(inspect.signature(Pipeline).parameters)}
INHERITED["make_ranking_pipeline"] = INHERITED["RankingPipeline"]


def test_no_option_has_two_names():
    wrong = {
        f"{owner}({option}): {OTHER_WORDS[option]}"
        for option, owners in options().items()
        if option in OTHER_WORDS
        for owner in owners
        if option not in INHERITED.get(owner.rpartition(".")[2], ())
    }
    assert not wrong


@pytest.mark.parametrize("option", MEANINGS)
def test_an_option_means_one_thing(option):
    meaning, defaults = MEANINGS[option]
    owners = options()[option]
    assert owners, option
    assert {owner: d for owner, d in owners.items() if d not in defaults} == {}, meaning
