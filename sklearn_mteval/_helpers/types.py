"""Types that signatures share; shapes stand in the docstrings."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = Any  # matplotlib is an extra, and slow to import

PathLike = str | os.PathLike[str]
Seed = int | np.random.RandomState | None
