"""Translations a second of each model with an encoder, by device, threads and processes.

``python benchmarks/encoder_devices.py`` scores distinct translations of WMT15, a reference and a
source each, in partitions, and prints a row of Markdown for each model, device, number of threads
and of processes: translations a second, from the first file on, and the memory of all processes
together. ``--device cuda`` is for a machine that has one. ``--dtypes float32 bfloat16`` compares
the scores and ranks in two number types instead.
"""

import argparse
import contextlib
import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from sklearn_mteval._helpers.devices import _with_encoder
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.metrics import kendall_tau
from sklearn_mteval.models import open_model, rank_candidates
from sklearn_mteval.scale import map_partitions, write_partitions

MODELS = ("encoder-en", "any-encoder", "no-reference-encoder")
FILES = 8


def translations(n):
    """Return n distinct translations with their ranks."""
    X, y = load_wmt(Path(os.environ["SKLEARN_MTEVAL_DATA"], "wmt15"), "de-en", return_X_y=True)
    kept = ~X.duplicated("hypothesis")
    return X[kept][:n], y[kept][:n]


def memory(pid):
    """Add up the memory of a process and those that it has started, in GB (Linux)."""
    total = 0.0
    with contextlib.suppress(OSError):  # one that has just ended
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            total += int(line.split()[1]) / 1e6 if line.startswith("Pss:") else 0
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(map(memory, (task / "children").read_text().split()))
    return total


def measured(name, device, threads, processes, size):
    """Score translations: how many a second, and GB."""
    model = open_model(name, device=device)
    for part in _with_encoder(model):
        part.n_threads = threads
    X, _ = translations(size)
    most, ended = [0.0], threading.Event()

    def watch():
        while not ended.wait(0.3):
            most[0] = max(most[0], memory(os.getpid()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    with TemporaryDirectory() as folder:
        n_segments = -(-X.index.unique("segment").size // FILES)
        write_partitions(X, f"{folder}/texts", segments_per_file=n_segments)
        map_partitions(model, f"{folder}/texts", f"{folder}/s", what="score", n_jobs=processes)
        times = sorted(file.stat().st_mtime for file in Path(folder, "s").glob("*.parquet"))
    ended.set()
    watcher.join()
    # Until each process has written a file it has loaded its model, too.
    behind = len(times) - processes
    return len(X) * behind / len(times) / (times[-1] - times[processes - 1]), most[0]


def compare_dtypes(X, y, names, dtypes):
    """Print how far scores in two number types differ, and tau of the ranks in both."""
    for name in names:
        tables = [rank_candidates(open_model(name, dtype=dtype), X) for dtype in dtypes]
        gaps = np.abs(tables[0]["score"] - tables[1]["score"])
        groups = X.index.droplevel("system")
        taus = [100 * kendall_tau(y, table["strength"], groups=groups) for table in tables]
        print(
            f"{name}, {len(X)} translations in {' and '.join(dtypes)}: scores differ by "
            f"{gaps.max():.5f} at most and {gaps.mean():.5f} on average; tau x 100 is "
            f"{taus[0]:.2f} and {taus[1]:.2f}"
        )


def main():
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--device", nargs="+", default=["cpu"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--processes", nargs="+", type=int, default=[1])
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--dtypes", nargs=2)
    given = parser.parse_args()
    if given.dtypes:
        compare_dtypes(*translations(given.size), given.models, given.dtypes)
        return
    print("| model | device | threads | processes | a second | GB |")
    print("|---" * 6 + "|")
    for row in product(given.models, given.device, given.threads, given.processes):
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            rate, gigabytes = pool.submit(measured, *row, given.size).result()
        print("|", " | ".join(map(str, row)), f"| {rate:.1f} | {gigabytes:.1f} |", flush=True)
    print("load of the machine:", os.getloadavg())


if __name__ == "__main__":
    main()
