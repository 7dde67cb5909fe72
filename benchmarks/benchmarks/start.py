"""How long commands take to start: processor time, against ``import sklearn`` in the same run."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn_mteval.datasets import load_sample

TEXTS = ["-s", "source", "-r", "reference", "-o", "found", "-t", "online"]
COMMANDS = {
    "help": ["--help"],
    "score": ["score", "static-en", *TEXTS],
    "rank": ["rank", "static-en", *TEXTS, "neural", "hybrid"],
}


def processor_seconds(arguments, folder, **environment):
    """Take the processor time, user's and system's, of a process: the best of three."""
    best = float("inf")
    for _ in range(3):
        before = os.times()
        subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
        )
        after = os.times()
        spent = after.children_user - before.children_user
        best = min(best, spent + after.children_system - before.children_system)
    return best


class Start:
    """A command on ten lines of the sample, with machine code in the cache or without any."""

    params = (tuple(COMMANDS), ("warm", "cold"))
    param_names = ("command", "kernels")
    timeout = 600

    def setup(self, command, kernels):
        self.folder = TemporaryDirectory()
        X = load_sample(return_X_y=True)[0].loc[lambda X: X.index.isin(X.index.levels[0][:10], 0)]
        texts = {name: X[name].groupby(level="segment").first() for name in ("source", "reference")}
        for system in ("online", "neural", "hybrid"):
            texts[system] = X["hypothesis"].xs(system, level="system")
        for name, lines in texts.items():
            Path(self.folder.name, name).write_text("".join(f"{line}\n" for line in lines))

    def teardown(self, command, kernels):
        self.folder.cleanup()

    def track_ratio(self, command, kernels):
        """Divide by what importing scikit-learn takes; no run on ten lines fills the cache."""
        arguments = ["-m", "sklearn_mteval.cli", *COMMANDS[command]]
        cache = {"NUMBA_CACHE_DIR": self.folder.name} if kernels == "cold" else {}
        return processor_seconds(arguments, self.folder.name, **cache) / processor_seconds(
            ["-c", "import sklearn"], self.folder.name
        )

    track_ratio.unit = "times import sklearn"
