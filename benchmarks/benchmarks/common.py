"""What the benchmarks share."""

import os
from importlib import import_module
from pathlib import Path
from time import perf_counter


def seconds(function, repeat=3):
    """Time a call: the best of some repetitions, the first of which is thrown away."""
    function()
    best = float("inf")
    for _ in range(repeat):
        start = perf_counter()
        function()
        best = min(best, perf_counter() - start)
    return best


def data_dir():
    """Return the folder of real data, or tell asv to skip."""
    folder = os.environ.get("SKLEARN_MTEVAL_DATA")
    if not folder:
        raise NotImplementedError("SKLEARN_MTEVAL_DATA is not set: no real data")
    return Path(folder)


def mt_metrics_eval(module):
    """Import a module of Google's mt-metrics-eval, or tell asv to skip."""
    try:
        return import_module(f"mt_metrics_eval.{module}")
    except ImportError:
        raise NotImplementedError(
            "mt_metrics_eval is not installed; it is not on the registry"
        ) from None
