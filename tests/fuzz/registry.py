"""The targets, by name."""

import pkgutil
from importlib import import_module

TARGETS = {}


def target(function=None, *, weight=2):
    """Register a target; of ``weight`` cases in a round, as many as its speed allows."""
    if function is None:
        return lambda function: target(function, weight=weight)
    assert function.__name__ not in TARGETS, function.__name__
    function.weight = weight
    TARGETS[function.__name__] = function
    return function


def load_targets(name="fuzz.targets"):
    """Import a module of targets, or all modules of a package; return the targets by name."""
    found = import_module(name)
    for module in pkgutil.iter_modules(getattr(found, "__path__", ())):
        import_module(f"{name}.{module.name}")
    return TARGETS


def schedule(names):
    """Return an endless list of cases: the k-th is the (target, number) at place k."""
    names = [name for name in names for _ in range(TARGETS[name].weight)]
    first = {name: names.index(name) for name in names}

    def case(k):
        turn, place = divmod(k, len(names))
        name = names[place]
        return name, turn * TARGETS[name].weight + place - first[name]

    return case
