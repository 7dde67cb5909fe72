"""Estimate a large language model: ``python benchmarks/language_models.py [--sentences N]``.

Time and peak memory of ``estimate`` at order 5, from N sentences: real lines of WMT12, 13 and 15
(references and outputs into English) with splices of their halves up to N, and words chosen at
random by Zipf's law, nearly all of whose n-grams are new.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from sklearn_mteval.text import estimate

N_WORDS = 400_000  # of the random text


def spliced(n, rng):
    """List n distinct sentences: real ones, then halves of two of them."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    files = [
        *data.glob("wmt*/references/*.en"),
        *data.glob("wmt*/system-outputs/*/*-en/*"),
    ]
    lines = {line for file in files for line in file.read_text(encoding="utf-8").split("\n")}
    real = [line.split() for line in sorted(lines) if line.strip()]
    found = dict.fromkeys(" ".join(words) for words in real[:n])
    while len(found) < n:
        one, other = (real[k] for k in rng.integers(len(real), size=2))
        found[" ".join(one[: len(one) // 2] + other[len(other) // 2 :])] = None
    return list(found)


def random_words(n, rng):
    """List n sentences of 5 to 35 random words."""
    chances = np.cumsum(1 / np.arange(1, N_WORDS + 1))
    lengths = rng.integers(5, 36, size=n)
    words = np.searchsorted(chances / chances[-1], rng.random(lengths.sum()))
    ends = np.cumsum(lengths)
    return [
        " ".join(f"w{word}" for word in words[end - length : end])
        for length, end in zip(lengths, ends, strict=True)
    ]


def measure(corpus):
    """Print what estimating a model of a file costs; in a process that has done nothing else."""
    began, processor = perf_counter(), process_time()
    model = estimate(corpus, order=5)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{sum(model.sizes) / 1e6:.1f} million n-grams: {process_time() - processor:.0f} s of "
        f"processor time, {perf_counter() - began:.0f} s, peak {peak:.1f} GiB",
        flush=True,
    )


def main(n):
    """Make both corpora and measure each in a process of its own."""
    for name, make in (("real lines and splices", spliced), ("random words", random_words)):
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus"
            sentences = make(n, np.random.default_rng(0))
            corpus.write_text("\n".join(sentences) + "\n", encoding="utf-8")
            del sentences
            print(f"{name}, {n} sentences: ", end="", flush=True)
            subprocess.run([sys.executable, __file__, "--corpus", corpus], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.corpus:
        measure(arguments.corpus)
    else:
        main(arguments.sentences)
