"""Reading one's own judgements: a million comparisons of 130 systems, and ranks of both layouts."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_rankings

_ROWS = 1_000_000


def _comparisons():
    """Make comparisons of 50,000 segments by 500 annotators."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, 130, _ROWS)
    second = (first + rng.integers(1, 130, _ROWS)) % 130
    names = np.array([f"model-{k}" for k in range(130)])
    return pd.DataFrame(
        {
            "segment": rng.integers(0, 50_000, _ROWS),
            "judge": np.array([f"judge-{k}" for k in range(500)])[rng.integers(0, 500, _ROWS)],
            "system_a": names[first],
            "system_b": names[second],
            "winner": rng.choice(["a", "b", "tie", "both_bad"], _ROWS),
        }
    )


def _ranks():
    """Make 1,000,000 ranks: 200,000 tasks of five systems."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(_ROWS // 5), 5)
    systems = np.tile([f"system-{k}" for k in range(5)], _ROWS // 5)
    ranks = rng.integers(1, 6, _ROWS)
    return pd.DataFrame({"segment": tasks, "system": systems, "rank": ranks})


def _tasks():
    """Make the same ranks, a row for each task."""
    ranks = _ranks()["rank"].to_numpy().reshape(-1, 5)
    table = pd.DataFrame(ranks, columns=[f"rank_system-{k}" for k in range(5)])
    return table.rename_axis("segment").reset_index()


_TABLES = {"pairwise": _comparisons, "long": _ranks, "wide": _tasks}
_WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
}
_PEERS = {  # which read cells, and do not ask what they mean
    "csv": pd.read_csv,
    "jsonl": partial(pd.read_json, orient="records", lines=True),
    "parquet": pd.read_parquet,
}


def _seconds(function):
    """Time a call in seconds of the processor: the better of two, after one."""
    times = []
    for _ in range(3):
        start = process_time()
        function()
        times.append(process_time() - start)
    return min(times[1:])


class OwnJudgements:
    """Each layout, from each kind of file."""

    params = (tuple(_TABLES), tuple(_WRITERS))
    param_names = ("format", "file")
    timeout = 300

    def setup(self, format, file):
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / f"mine.{file}"
        _WRITERS[file](_TABLES[format](), self.path)
        self.better = None if format == "pairwise" else "lower"

    def teardown(self, format, file):
        self.folder.cleanup()

    def peakmem_load(self, format, file):
        load_rankings(self.path, format=format, better=self.better)

    def track_seconds(self, format, file):
        return _seconds(lambda: self.peakmem_load(format, file))

    def track_ratio(self, format, file):
        return self.track_seconds(format, file) / _seconds(lambda: _PEERS[file](self.path))

    track_seconds.unit = "seconds of the processor"
    track_ratio.unit = "times as long as pandas takes to read the file"
