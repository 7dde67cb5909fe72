import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from pages import chromium
from skips import check_skips
from stale_kernels import drop_stale_kernels

import sklearn_mteval
from sklearn_mteval import RankRecomposer, save_model
from sklearn_mteval._helpers import _interpreted
from sklearn_mteval.datasets import load_sample, make_rankings

# Commands say nothing of how long they take: what they print does not depend on the machine.
os.environ["TQDM_DISABLE"] = "1"
# On however slow and busy a machine: the same examples in every CI run, new ones at the desk.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("desk", patient)
settings.register_profile("ci", patient, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")

LONG = 5  # seconds


class _Figures:
    """Close what tests and docstrings' examples have drawn: too many are warned of."""

    def pytest_runtest_teardown(self):
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")


def pytest_configure(config):
    config.pluginmanager.register(_Figures())
    config.pluginmanager.register(_Processor())
    _interpreted.SMALL = -1  # what tests of kernels run is machine code, however small the data
    if not hasattr(config, "workerinput"):  # once, before pytest-xdist starts its workers
        drop_stale_kernels(Path(sklearn_mteval.__file__).parent)


def pytest_ignore_collect(collection_path):
    """Helpers have no doctests, for which pytest would import them all, a user's script too."""
    is_helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if is_helper else None


@pytest.hookimpl(tryfirst=True)  # before pytest deselects what is slow
def pytest_collection_modifyitems(config, items):
    """Real data is slow; so are all examples of hypothesis, of which quick runs take a fifth."""
    quick, by_hypothesis = config.option.markexpr == "not slow", set()
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")
        test = getattr(item, "obj", None)
        if getattr(test, "is_hypothesis_test", False):
            by_hypothesis.add(test)
            if not quick:
                item.add_marker("slow")
    for test in by_hypothesis if quick else ():
        known = test._hypothesis_internal_use_settings
        fewer = settings(known, max_examples=max(5, known.max_examples // 5))
        test._hypothesis_internal_use_settings = fewer


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        check_skips(session)


class _Processor:
    """Note the processor's seconds of each part of a test, its processes' included."""

    def pytest_runtest_logstart(self):
        self.before = sum(os.times()[:4])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        before, self.before = self.before, sum(os.times()[:4])
        report.user_properties.append(("processor", self.before - before))
        return report


def pytest_terminal_summary(terminalreporter):
    """Report what should be marked as slow, or made quick; however busy the machine is."""
    reports = [one for reports in terminalreporter.stats.values() for one in reports]
    long = [
        f"{dict(report.user_properties)['processor']:.1f} s: {report.when} of {report.nodeid}"
        for report in reports
        if "slow" not in getattr(report, "keywords", "slow")
        and dict(getattr(report, "user_properties", ())).get("processor", 0) > LONG
    ]
    if long:
        terminalreporter.section(f"not marked as slow, but longer than {LONG} s of the processor")
        terminalreporter.write_line("\n".join(sorted(set(long))))


@pytest.fixture(scope="session")
def data_dir():
    """The folder of real data, or a visible skip."""
    folder = os.environ.get("SKLEARN_MTEVAL_DATA")
    if not folder:
        pytest.skip("SKLEARN_MTEVAL_DATA is not set: no real data")
    return Path(folder)


@pytest.fixture(scope="session")
def sample():
    """The bundled sample as (X, y). Not to be changed in place."""
    return load_sample(return_X_y=True)


@pytest.fixture(scope="session")
def rankings():
    """Synthetic rankings as (X, y). Not to be changed in place."""
    return make_rankings(30, 4, random_state=3)


@pytest.fixture
def no_encoders(monkeypatch):
    """No ready-made model's encoder is on this machine, whatever is installed."""
    monkeypatch.setattr(
        "sklearn_mteval.models.opening.encoder_problem",
        lambda card: card.encoder and "its encoder is not here.",
    )


@pytest.fixture
def numbers():
    """Numeric features of 12 segments with 2 to 5 systems each, and ranks with ties."""
    rng = np.random.default_rng(0)
    tuples = [(s, f"sys{k}") for s in range(12) for k in range(rng.integers(2, 6))]
    index = pd.MultiIndex.from_tuples(tuples, names=["segment", "system"])
    X = pd.DataFrame(rng.normal(size=(len(index), 3)), index=index, columns=["a", "b", "c"])
    y = pd.Series(np.ceil(-2 * X["a"] + rng.normal(size=len(X))), index=index)
    return X, y


@pytest.fixture(scope="module")
def ranker():
    return RankRecomposer(item_level=None).fit([[1.0], [2.0], [4.0]], [3, 2, 1])


@pytest.fixture
def folder(ranker, tmp_path):
    save_model(ranker, tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def ranked():
    """Three systems on two segments; a and c tie on the second."""
    return pd.DataFrame(
        {
            "rank": [1, 3, 2, 2, 1, 2],
            "strength": [2.0, -1.25, 0.5, -1 / 3, 3.0, -1 / 3],
            "score": [0.5, -0.25, 0.0, 0.125, 0.75, 0.125],
        },
        index=pd.MultiIndex.from_product([[1, 2], ["a", "b", "ç"]], names=["segment", "system"]),
    )


@pytest.fixture(scope="session")
def browser():
    """Chromium, once a process: playwright cannot be started in itself."""
    with chromium() as started:
        yield started
