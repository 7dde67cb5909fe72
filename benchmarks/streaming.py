"""What ``rank`` takes of time and memory as texts grow, in one process and in several.

Texts are distinct: halves of two translations of WMT15 fi-en, and a number. Each size is one call
of the command; with --jobs a second one in so many processes must write the same bytes.

    python benchmarks/streaming.py --segments 1000 10000 100000 --jobs 2
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations

SYSTEMS = 10


def put_texts(folder, root, n_segments):
    """Write a reference, a source and ten systems of so many segments."""
    X = load_wmt_translations(root, "fi-en")
    outputs = X["hypothesis"].unstack("system").dropna(axis=0).iloc[:, :SYSTEMS]
    given = X[["reference", "source"]].groupby(level="segment").first().loc[outputs.index]
    lines = {"ref": given["reference"], "src": given["source"]}
    lines |= {f"sys{k}": outputs.iloc[:, k] for k in range(SYSTEMS)}
    halves = {}
    for name, texts in lines.items():
        words = [text.split() for text in texts]
        cuts = [(len(part) + 1) // 2 for part in words]
        pairs = list(zip(words, cuts, strict=True))
        halves[name] = [[" ".join(w[:c]) for w, c in pairs], [" ".join(w[c:]) for w, c in pairs]]
    n = len(next(iter(lines.values())))
    for name, (first, second) in halves.items():
        rng = random.Random(0)  # the same choice for all files
        with open(folder / name, "w") as file:
            for k in range(n_segments):
                one, other = rng.randrange(n), rng.randrange(n)
                file.write(f"{first[one]} {second[other]} {k}.\n")


def ranked(folder, model, jobs):
    """Run the command; return seconds, its peak memory in MiB, and the hash of what it wrote."""
    systems = [str(folder / f"sys{k}") for k in range(SYSTEMS)]
    texts = ["-s", str(folder / "src"), "-r", str(folder / "ref"), "-t", *systems]
    more = ["--jobs", str(jobs), "-o", str(folder / "ranks.tsv"), "--no-progress"]
    begin = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "sklearn_mteval", "rank", model, *texts, *more],
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - begin
    assert status == 0, f"rank ended with {status}"
    with open(folder / "ranks.tsv", "rb") as file:
        written = sha256()
        while piece := file.read(1 << 20):
            written.update(piece)
    return seconds, used.ru_maxrss / 1024, written.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", nargs="+", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--model", default="static-en")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--root", default=os.environ.get("SKLEARN_MTEVAL_DATA", "../shared/data"))
    arguments = parser.parse_args()
    print("| candidates | processes | s | candidates a second | peak of the first process, MiB |")
    print("|---:|---:|---:|---:|---:|")
    for n in arguments.segments:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            put_texts(folder, Path(arguments.root, "wmt15"), n)
            found = set()
            for jobs in sorted({1, arguments.jobs}):
                seconds, memory, written = ranked(folder, arguments.model, jobs)
                found.add(written)
                rate = n * SYSTEMS / seconds
                print(f"| {n * SYSTEMS:,} | {jobs} | {seconds:.1f} | {rate:,.0f} | {memory:.0f} |")
            assert len(found) == 1, "the bytes differ"


if __name__ == "__main__":
    main()
