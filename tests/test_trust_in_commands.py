"""What a command's process trusts in a model file is what any other process trusts."""

import json
import os
import subprocess
import sys

import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from skops.io import _trusted_types

from sklearn_mteval._helpers.lazy import process_is_ours
from sklearn_mteval.cli import main
from sklearn_mteval.persistence.trust import _USUAL, types_in

PROGRAM = """
import json, sys
from sklearn_mteval._helpers.lazy import take_process
take_process()
from sklearn_mteval.persistence.trust import skops_io, trust_estimators
from sklearn_mteval.persistence.trust import types_in
skops_io()
from skops.io._trusted_types import SKLEARN_ESTIMATOR_TYPE_NAMES as names
before = len(names)
found = types_in(open(sys.argv[1], "rb").read(), [])
walked = len(names)
trust_estimators()
trust_estimators()
torch = [name for name in sys.modules if "compat.torch" in name]
print(json.dumps([before, walked, found, names, torch]))
"""


def in_a_command(path):
    run = subprocess.run([sys.executable, "-c", PROGRAM, path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


MODELS = {
    "usual": LogisticRegression(),
    "unusual": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "hostile": make_pipeline(FunctionTransformer(os.system), KNeighborsClassifier()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_command_trusts_neither_more_nor_less(tmp_path, name):
    content = skops.io.dumps(MODELS[name])
    (tmp_path / "model").write_bytes(content)
    before, walked, (known, unknown), names, torch = in_a_command(tmp_path / "model")
    assert before == 0 and bool(walked) == (name != "usual")
    # Of a new process: this one may have enabled estimators that are experimental.
    told = "from skops.io import _trusted_types as t; print(*t.SKLEARN_ESTIMATOR_TYPE_NAMES)"
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert sorted(names) == sorted(run.stdout.split())
    expected_known, expected_unknown = types_in(content, [])
    assert unknown == expected_unknown
    assert set(known) - {*_USUAL} == set(expected_known)
    assert (unknown != []) == (name == "hostile")
    assert torch == []


def test_what_is_usual_is_what_skops_trusts_itself():
    assert set(_USUAL) < set(_trusted_types.SKLEARN_ESTIMATOR_TYPE_NAMES)


def test_a_command_called_from_python_leaves_the_process_alone(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert not process_is_ours()
