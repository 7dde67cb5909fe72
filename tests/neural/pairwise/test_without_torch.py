"""Without the extra [neural]: in a process in which torch and skorch cannot be imported."""

import json
import sys

import network_texts
import numpy as np
import pytest
import torch
from network_on_sample import halves, trained
from refused_imports import run_refusing

from sklearn_mteval import PairwiseNN, load_model, save_model

PROGRAM = """
import json, sys
from pathlib import Path

import numpy as np
from network_on_sample import halves, trained
from network_texts import pairs

from sklearn_mteval import PairwiseNN, load_model, save_model
from sklearn_mteval.neural import EncoderOptions
from sklearn_mteval.neural.encoders.options import check_options

made = repr(EncoderOptions())
asked_by_options = list(asked)

folder = Path(sys.argv[1])
X, y, others = halves()
save_model(trained(X, y), folder / "network")
model = load_model(folder / "network")
np.save(folder / "strengths.npy", model.decision_function(others))
np.save(folder / "ranks.npy", model.predict(others))
asked_by_the_compiled_solver = asked[len(asked_by_options) :]

texts, labels = pairs()
numbers = np.random.default_rng(0).normal(size=(len(labels), 4))
plain = dict(architecture="single-layer", validation_fraction=None, max_epochs=1)
needs_torch = {
    "solver": lambda: PairwiseNN(solver="torch", **plain).fit(numbers, labels),
    "device": lambda: PairwiseNN(device="cuda", **plain).fit(numbers, labels),
    "name": lambda: PairwiseNN(encoder="average", **plain).fit(texts, labels),
    "options": lambda: check_options(EncoderOptions("cnn")),
    "frozen": lambda: PairwiseNN(
        encoder=EncoderOptions(fine_tuning="frozen"), solver="numba", **plain
    ).fit(texts, labels),
    "saved": lambda: load_model(folder / "encoder"),
}
said = {}
for name, call in needs_torch.items():
    try:
        call()
    except ImportError as error:
        said[name] = str(error)
options = [made, asked_by_options]
print(json.dumps({"asked": asked_by_the_compiled_solver, "said": said, "options": options}))
"""
CALLS = ["solver", "device", "name", "options", "frozen", "saved"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the program left, and what it is to be compared with."""
    folder = tmp_path_factory.mktemp("without_torch")
    X, y = network_texts.pairs()
    encoding = PairwiseNN(encoder="average", max_epochs=1, validation_fraction=None)
    save_model(encoding.fit(X, y), folder / "encoder")
    run = run_refusing(["torch", "skorch"], PROGRAM, folder)
    assert run.returncode == 0, run.stderr
    (folder / "said.json").write_text(run.stdout)
    return folder


@pytest.mark.slow
def test_the_compiled_solver_gives_the_same_numbers(folder):
    X, y, others = halves()
    here = trained(X, y)
    assert here["rankrecomposer"].estimator_.solver_ == "numba"
    assert torch.__version__  # which is installed here
    for model in (here, load_model(folder / "network")):
        strengths = model.decision_function(others)
        np.testing.assert_array_equal(strengths, np.load(folder / "strengths.npy"))
        np.testing.assert_array_equal(model.predict(others), np.load(folder / "ranks.npy"))
    assert len(np.unique(strengths)) > 200


@pytest.mark.slow
def test_the_compiled_solver_does_not_ask_for_torch(folder):
    assert json.loads((folder / "said.json").read_text())["asked"] == []


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_what_needs_torch_says_how_to_install_it(folder, call):
    said = json.loads((folder / "said.json").read_text())["said"][call]
    what = "torch solver" if call in ("solver", "device") else "encoder of texts"
    assert said == (
        f"PairwiseNN's {what} needs torch (No module named 'torch'): "
        'pip install "sklearn-mteval[neural]".'
    )


def test_skorch_may_be_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "skorch", None)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 4)), np.arange(20) % 2
    net = PairwiseNN(solver="torch", architecture="single-layer", validation_fraction=None)
    with pytest.raises(ImportError, match=r'needs skorch .*: pip install "sklearn-mteval\[neural'):
        net.fit(X, y)


@pytest.mark.slow
def test_options_can_be_made_without_torch(folder):
    assert json.loads((folder / "said.json").read_text())["options"] == ["EncoderOptions()", []]
