import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def nothing_left_behind():
    """Close figures, and see to it that drawing has changed no settings and shown nothing."""
    settings = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == settings


@pytest.fixture
def ax():
    """Axes of the caller's own: two side by side, so that a wrong one shows."""
    _, (other, own) = plt.subplots(1, 2)
    yield own
    assert not other.has_data()


@pytest.fixture
def whiskers():
    """From a LineCollection to (position, low, high) of each, by the axis along which it lies."""

    def ends(collection, along):
        segments = np.array(collection.get_segments())
        return np.column_stack([segments[:, 0, 1 - along], segments[:, :, along]])

    return ends
