"""The public surface is annotated, lazy names too; a user's script runs and is sound."""

import ast
import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from test_docstrings import ROOT, public

SCRIPT = ROOT / "tests/typing/user_script.py"
LAZY = [
    path
    for path in sorted((ROOT / "sklearn_mteval").rglob("__init__.py"))
    if "lazy_names(" in path.read_text(encoding="utf-8")
]


def not_annotated():
    """Parameters and returns of public functions and methods of ours without a type."""
    for name, thing in public().items():
        if isinstance(thing, property):
            thing = thing.fget
        function = inspect.unwrap(thing.__init__ if inspect.isclass(thing) else thing)
        if not str(getattr(function, "__module__", "")).startswith("sklearn_mteval"):
            continue
        given = dict(inspect.get_annotations(getattr(function, "__func__", function)))
        given |= {"return": None} if inspect.isclass(thing) else {}
        for option in [*inspect.signature(function).parameters, "return"]:
            if option not in given and option not in ("self", "cls"):
                yield f"{name}: {option}"


def test_public_names_are_annotated():
    assert not list(not_annotated())


def test_lazy_names_are_those_of_the_stub():
    for init in LAZY:
        package = import_module(".".join(init.relative_to(ROOT).parent.parts))
        stub = ast.parse(init.with_suffix(".pyi").read_text(encoding="utf-8")).body
        homes = {alias.name: node.module for node in stub for alias in node.names}
        # "as" the same name: without it, a type checker takes the name for private.
        assert all(alias.name == alias.asname for node in stub for alias in node.names)
        assert package.__all__ == sorted(homes)
        for name, home in homes.items():
            assert getattr(package, name) is getattr(import_module(home), name)


@pytest.mark.slow
def test_the_users_script_runs(tmp_path):
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "MPLBACKEND": "agg"}
    command = [sys.executable, "-W", "error", str(SCRIPT)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (run.returncode, run.stderr) == (0, ""), run.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "code"),
    [
        ("kendall_tau([1, 2], [2, 1], group=None)", "call-arg"),
        ("tau: str = kendall_tau([1, 2], [2, 1], groups=None)", "assignment"),
        ("BLEUComp(lowercase='no')", "arg-type"),
        ("from sklearn_mteval import nothing", "attr-defined"),
    ],
)
def test_the_checker_finds_a_users_mistake(tmp_path, monkeypatch, mistake, code):
    api = pytest.importorskip("mypy.api")
    script = Path(tmp_path, "script.py")
    script.write_text(f"from sklearn_mteval import BLEUComp, kendall_tau\n{mistake}\n")
    monkeypatch.chdir(ROOT)
    options = ["--config-file", "setup.cfg", "--cache-dir", str(tmp_path), str(script)]
    said, errors, status = api.run(options)
    assert (status, errors) == (1, "")
    assert f"[{code}]" in said
