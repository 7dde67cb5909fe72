"""Plots as the commands write them: PNG and SVG files in a folder."""

import os
import sys
from pathlib import Path

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.extras import import_extra
from sklearn_mteval.cli._output import check_name


def load_matplotlib(option):
    """Load matplotlib, which an option needs; no display is needed to write files."""
    matplotlib = import_extra("matplotlib", "plots", option)
    if "matplotlib.pyplot" not in sys.modules:
        matplotlib.use("Agg")


def prepare(folder):
    """Make a folder for plots, if one is wanted."""
    if folder is None:
        return
    load_matplotlib("--plots")
    check_name("--plots", folder)
    if os.path.isfile(folder):
        raise NotADirectoryError(f"--plots {folder}: expected a folder, found a file.")
    Path(folder).mkdir(parents=True, exist_ok=True)


def draw(plots, folder):
    """Draw plots, and write each whole or not at all."""
    from sklearn_mteval.plots.drawing import drawn

    for plot in plots:
        for format in ("png", "svg"):
            path = Path(folder) / f"{plot.name}.{format}"
            write_atomically(path, drawn(plot.display, format, **plot.options))
