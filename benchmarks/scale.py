"""Partitions on one process, on two and on a Dask cluster of two workers: rates, memory, a plan.

``python benchmarks/scale.py ../shared/data`` prints Markdown, with ``OMP_NUM_THREADS=1`` and
nothing else on the machine. Candidates are all translations of WMT15 cs-en, de-en, fi-en and ru-en,
as often as ``--candidates`` asks for, each copy with other texts: the words of a sentence, of its
reference and its source turned round by some places. Models are loaded, and kernels compiled, by a
few parts before the clock starts. Candidates a second of processor time, of all processes, say how
much work there is, whatever else the machine does; the times of one process need an idle one.
``--spark`` asks a session of pyspark, where it is installed.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
from joblib.externals.loky import get_reusable_executor

from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.models import open_model, rank_candidates
from sklearn_mteval.scale import Partitions, map_partitions, system_table, write_partitions
from sklearn_mteval.scale.engines import open_client
from sklearn_mteval.scale.tasks import _open

PAIRS = ("cs-en", "de-en", "fi-en", "ru-en")
BILLION = 10**9


def campaign(data):
    """Return all translations of four language pairs, segments named after their pair."""
    tables = {pair: load_wmt_translations(data / "wmt15", pair) for pair in PAIRS}
    for pair, X in tables.items():
        segments = [f"{pair}:{segment}" for segment in X.index.get_level_values("segment")]
        systems = [f"{k}" for k in X.groupby(level="segment").cumcount()]
        X.index = pd.MultiIndex.from_arrays([segments, systems], names=["segment", "system"])
    return pd.concat(tables.values())


def copies(X, n_candidates):
    """Generate tables of about so many candidates in all, none of the same texts."""
    n_done, turn = 0, 0
    while n_done < n_candidates:
        part = X.iloc[: n_candidates - n_done]
        index = part.index.set_levels(
            [f"{turn}:{segment}" for segment in part.index.levels[0]], level=0
        )
        yield part.map(turned, turn=turn).set_axis(index)
        n_done, turn = n_done + len(part), turn + 1


def turned(text, turn):
    """Turn the words of a text round by some places."""
    words = text.split()
    at = turn % max(1, len(words))
    return " ".join([*words[at:], *words[:at], *["again"] * (turn // max(1, len(words)))])


def seconds(function, *arguments, **options):
    """Return how long a call takes, and how much processor time of this process."""
    start, worked = time.perf_counter(), time.process_time()
    function(*arguments, **options)
    return time.perf_counter() - start, time.process_time() - worked


def resident():
    """Return the resident memory of this process now, in MiB; runs on workers, too."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def size(folder, pattern):
    """Return how many bytes files have."""
    return sum(path.stat().st_size for path in folder.glob(pattern))


def spark_seconds(model, source, target):
    """Return how long Spark takes for the recipe of the guide, and to start."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    start = time.perf_counter()
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "1g").getOrCreate()
    started = time.perf_counter() - start
    parts = Partitions(source)

    def rank(batches):
        opened, parts = open_model(model), Partitions(source)
        for batch in batches:
            for k in batch["k"]:
                yield rank_candidates(opened, parts[k][0]).reset_index()

    files = session.createDataFrame([(k,) for k in range(len(parts))], "k long")
    columns = "segment string, system string, rank long, strength double, score double"
    ranked = files.repartition(len(parts)).mapInPandas(rank, columns)
    taken, _ = seconds(ranked.write.parquet, str(target))
    session.stop()
    return taken, started


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="static-en")
    parser.add_argument("--candidates", type=int, default=400_000)
    parser.add_argument("--segments-per-file", type=int, default=1000)
    parser.add_argument("--folder", help="where partitions are written; default: a temporary one")
    parser.add_argument("--spark", action="store_true")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"{datetime.now():%Y-%m-%d %H:%M}, {platform.processor() or platform.machine()}, "
          f"{os.cpu_count()} cores, load {load:.2f} before\n")  # fmt: skip
    X = campaign(given.data)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        measure(given, X, Path(folder))


def measure(given, X, folder):
    """Write, rank and compare."""
    cut = {"segments_per_file": given.segments_per_file}
    start = time.perf_counter()
    parts = write_partitions(copies(X, given.candidates), folder / "texts", **cut)
    wrote = time.perf_counter() - start
    n_rows = sum(part.rows for part in parts.manifest.parts)
    in_bytes = size(folder / "texts", "*.parquet") / n_rows
    write_partitions(copies(X, 20_000), folder / "few", segments_per_file=100)
    source = folder / "texts"
    print(f"{n_rows:,} candidates in {len(parts)} files; model {given.model}\n")
    print("| | candidates a second | of processor time | resident memory, MiB |\n|---|---|---|---|")
    print(f"| written, tables made of the copies | {n_rows / wrote:,.0f} | | {resident():,.0f} |")

    map_partitions(given.model, folder / "few", folder / "warm")
    alone, worked = seconds(map_partitions, given.model, source, folder / "one")
    rate = f"{n_rows / alone:,.0f} | {n_rows / worked:,.0f}"
    print(f"| one process | {rate} | {resident():,.0f} |", flush=True)
    _open.cache_clear()

    map_partitions(given.model, folder / "few", folder / "warm2", n_jobs=2)
    both, _ = seconds(map_partitions, given.model, source, folder / "two", n_jobs=2)
    print(f"| `n_jobs=2` | {n_rows / both:,.0f}, {alone / both:.2f} times | | |", flush=True)
    get_reusable_executor().shutdown(wait=True)

    started = time.perf_counter()
    with open_client(n_workers=2) as client:
        started = time.perf_counter() - started
        warmed, _ = seconds(
            map_partitions, given.model, folder / "few", folder / "warm3", client=client
        )
        before, clocks = client.run(resident), client.run(time.process_time)
        cluster, own = seconds(map_partitions, given.model, source, folder / "dask", client=client)
        after, ends = client.run(resident), client.run(time.process_time)
        work = own + sum(ends.values()) - sum(clocks.values())
        rate = f"{n_rows / cluster:,.0f}, {alone / cluster:.2f} times | {n_rows / work:,.0f}"
        memory = "; ".join(f"{before[k]:,.0f} before, {after[k]:,.0f} after" for k in after)
        print(f"| Dask, two workers | {rate} | {memory} |", flush=True)
        again, _ = seconds(map_partitions, given.model, source, folder / "dask", client=client)
        calls = 2000
        overhead = seconds(client.gather, client.map(abs, range(calls)))[0] / calls
    same = all(
        path.read_bytes() == (folder / "dask" / path.name).read_bytes()
        for path in (folder / "one").iterdir()
    )
    if given.spark:
        taken, session = spark_seconds(given.model, str(source), folder / "spark")
        print(f"| Spark, `local[2]` | {n_rows / taken:,.0f}, {alone / taken:.2f} times | | |")
        print(f"\nSpark: {session:.1f} s to start, {taken:.1f} s for all.")
    table, _ = seconds(system_table, folder / "dask")
    out_bytes = size(folder / "dask", "part-*") / n_rows
    print(
        f"\nThe same bytes from one process and the cluster: {same}. The cluster takes "
        f"{started:.1f} s to start, {warmed:.1f} s for its first 20,000 candidates; a second "
        f"call {again:.2f} s; a task of Dask's own {1000 * overhead:.2f} ms; the table of systems "
        f"{table:.2f} s."
    )
    print(
        f"\nA billion candidates at this rate: {BILLION * worked / n_rows / 3600:,.1f} core hours; "
        f"{BILLION * in_bytes / 1e9:,.0f} GB of texts in parquet ({in_bytes:.0f} bytes a "
        f"candidate), {BILLION * out_bytes / 1e9:,.0f} GB of ranks ({out_bytes:.0f} bytes)."
    )
    rates = np.array([20, 75])
    hours = BILLION / rates / 3600
    print(
        f"With an encoder, at 20 to 75 texts a second a core: {hours[1]:,.0f} to {hours[0]:,.0f} "
        "core hours for the translations alone."
    )


if __name__ == "__main__":
    main()
