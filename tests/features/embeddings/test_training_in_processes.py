"""A step of training that several processes share: the same bits, and no process that is left."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import torch
from encoder_model import one_layer_model

from sklearn_mteval.features import CrossEncoder
from sklearn_mteval.features.embeddings import _step_gradients as step_gradients
from sklearn_mteval.features.embeddings import _training_checkpoint as training_checkpoint
from sklearn_mteval.features.embeddings._cross_encoder_network import untrained_network
from sklearn_mteval.features.embeddings._cross_encoder_training import Example, _backward
from sklearn_mteval.features.embeddings._step_gradients import Crew, Lanes, _helper
from sklearn_mteval.features.embeddings._text_reader import TextReader


def judged(n=24):
    """Two translations of each segment, the better one of which says so; and a target."""
    rng = np.random.default_rng(0)
    labels = [(segment, system) for segment in range(n) for system in "AB"]
    index = pd.MultiIndex.from_tuples(labels, names=["segment", "system"])
    words = ["good " + "and so on " * k for k in rng.integers(9, size=n)]
    texts = [(f"Satz {k}", word + text) for k, text in enumerate(words) for word in ("", "not ")]
    X = pd.DataFrame(texts, index, columns=["source", "hypothesis"])
    y = pd.Series(np.tile([1.0, 2.0], n), index)
    return X, y, pd.DataFrame({"points": 10 * y})


def reader(**options):
    given = {"n_frozen_layers": 0, "adapter_rank": 4, "max_epochs": 3}
    return CrossEncoder(one_layer_model(), **(given | options))


def opened():
    """Return an untrained network and what reads texts for it."""
    model = reader()._open_model().loaded()
    network, _ = untrained_network(model, 1, reader(), 0, dtype="float32")
    return network, TextReader(model, 2)


@pytest.mark.parametrize("n_readings", [2, 21])
def test_who_does_it_changes_no_bit(n_readings, monkeypatch):
    """Other processes are played by functions, whose networks begin with other weights."""
    monkeypatch.setattr(step_gradients, "send", lambda work, job: answers.append(work(job)))
    monkeypatch.setattr(step_gradients, "receive", lambda work: answers.pop(0))
    own, answers, found = Lanes(*opened()), [], []
    pairs = [("ein Satz", "word " * (k * 17 % 60)) for k in range(n_readings)]
    odd = np.arange(1, n_readings, 2)
    example = Example(pairs, odd, odd - 1, np.ones(len(odd)), np.empty((n_readings, 0)))

    def another(options):
        network, texts = opened()
        with torch.no_grad():
            for part in Lanes(network, texts).trained:
                part.add_(1)
        return network, texts

    for n_others in (0, 1, 3):
        others = [_helper(another, reader()) for _ in range(n_others)]
        loss = _backward(Crew(own, others), [example], [], reader())
        found.append((loss, [part.grad.clone() for part in own.trained]))
        assert not answers
    for loss, slopes in found[1:]:
        assert loss == found[0][0]
        assert all(map(torch.equal, slopes, found[0][1]))
    assert any(slope.abs().max() > 0 for slope in found[0][1])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_training_in_two_processes_has_the_bits_of_one(dtype, tmp_path, monkeypatch):
    """Also one that goes on where another, in one process, was stopped."""
    data, options = judged(60), {"dtype": dtype}
    one = reader(**options).fit(*data)
    two = reader(**options, n_jobs=2).fit(*data)
    monkeypatch.setattr(training_checkpoint, "_SECONDS", 0)
    kept = training_checkpoint.Checkpoint.keep

    def stopped(self, *, finished):
        kept(self, finished=finished)
        if len(self.losses) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training_checkpoint.Checkpoint, "keep", stopped)
        with pytest.raises(KeyboardInterrupt):
            reader(**options, checkpoint=tmp_path).fit(*data)
    resumed = reader(**options, checkpoint=tmp_path, n_jobs=2).fit(*data)
    for name, array in one.weights_.items():
        np.testing.assert_array_equal(two.weights_[name], array)
        np.testing.assert_array_equal(resumed.weights_[name], array)
    np.testing.assert_array_equal(two.losses_, one.losses_)


SCRIPT = """
import os, sys
sys.path[:0] = {path!r}
import pandas as pd
from sklearn_mteval.features import CrossEncoder

print("once", flush=True)
index = pd.MultiIndex.from_product([range(60), list("AB")], names=["segment", "system"])
texts = [(f"Satz {{k}}", word) for k in range(60) for word in ("good", "bad")]
X = pd.DataFrame(texts, index, columns=["source", "hypothesis"])
CrossEncoder({encoder!r}, n_frozen_layers=0, max_epochs=5000, n_jobs=2).fit(X, [1, 2] * 60)
"""


def children(pid):
    """Return processes that a process has started."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return list(map(int, file.read().split()))


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="asks Linux for processes")
@pytest.mark.parametrize("who", ["helper", "interrupted"])
def test_no_process_is_left_waiting(who, tmp_path):
    """If the other one is killed, or this one interrupted: of a script without a guard."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(path=sys.path, encoder=one_layer_model()))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, script], **pipes)
    try:
        assert process.stdout.readline() == "once\n"
        while not (helpers := children(process.pid)) and process.poll() is None:
            time.sleep(0.2)
        assert helpers, process.stderr.read()
        time.sleep(1)
        os.kill(helpers[0] if who == "helper" else process.pid, HOW[who])
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert output == ""
    assert ("ChildProcessError" if who == "helper" else "KeyboardInterrupt") in errors
    assert not any(map(os.path.exists, (f"/proc/{pid}" for pid in helpers)))


HOW = {"helper": signal.SIGKILL, "interrupted": signal.SIGINT}
