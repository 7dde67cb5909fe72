"""Run all benchmarks in this environment and print a table: ``python benchmarks/run.py``.

asv does the same for a history of commits; this needs nothing but the package.
"""

import importlib
import inspect
import itertools
import os
import platform
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent))
benchmarks = importlib.import_module("benchmarks")  # sets one thread before numpy loads

MODULES = (
    "bleu",
    "chrf",
    "nist",
    "ter",
    "meteor",
    "alignment",
    "contrastive",
    "surface",
    "language_checks",
    "trees",
    "tree_kernels",
    "encoders",
    "language_model",
    "tau",
    "annotators",
    "own_judgements",
    "campaigns",
    "leaderboards",
    "ties",
    "systems",
    "significance",
    "ranking",
    "reranking",
    "out_of_core",
    "classifiers",
    "ensemble",
    "ready_made",
    "neural",
    "reval",
    "syntactic_vectors",
    "quality",
)


def main(wanted=MODULES):
    """Print each track_ and time_ benchmark of the wanted modules."""
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        "one thread\n"
    )
    for name in wanted:
        module = importlib.import_module(f"benchmarks.{name}")
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if cls.__module__ != module.__name__:
                continue
            try:
                run_class(name, cls)
            except NotImplementedError as skipped:
                print(f"{name}.{cls.__name__}: skipped, {skipped}")


def run_class(module, cls):
    """Run one class as asv would: setup_cache once, setup before each benchmark."""
    methods = [m for m in dir(cls) if m.startswith(("track_", "time_"))]
    if not methods:  # a helper
        return
    suite = cls()
    cache = [suite.setup_cache()] if hasattr(suite, "setup_cache") else []
    params = getattr(cls, "params", ())
    several = len(getattr(cls, "param_names", ())) > 1  # then params holds a list for each
    combinations = list(itertools.product(*(params if several else [params] if params else [])))
    for method, combination in itertools.product(methods, combinations):
        arguments = [*cache, *combination]
        shown = f"{module}.{cls.__name__}.{method}" + "".join(f" {p}" for p in combination)
        try:
            if hasattr(suite, "setup"):
                suite.setup(*arguments)
        except NotImplementedError as skipped:
            print(f"{shown}: skipped, {skipped}")
            continue
        function = getattr(suite, method)
        start = perf_counter()
        value = function(*arguments)
        unit = getattr(function, "unit", getattr(cls, "unit", ""))
        if method.startswith("time_"):
            value, unit = perf_counter() - start, "seconds"
        print(f"{shown}: {value:.3g} {unit}", flush=True)
        if hasattr(suite, "teardown"):
            suite.teardown(*arguments)


if __name__ == "__main__":
    main(sys.argv[1:] or MODULES)
