"""Workflow files run what the Makefile runs, on the versions of setup.cfg, with few rights."""

import os
import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))


def workflow(name):
    return yaml.safe_load((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))


def steps(found):
    return [step for job in found["jobs"].values() for step in job["steps"]]


def commands(found):
    return [step["run"] for step in steps(found) if "run" in step]


def made_by(target):
    """What ``make TARGET`` would run, in the environment's own words, without its folder."""
    command = ["make", "--dry-run", "--always-make", target, "VENV=folder", "PYTEST_OPTIONS="]
    outer = {name: os.environ[name] for name in os.environ if not name.startswith("MAKE")}
    printed = subprocess.check_output(command, cwd=ROOT, env=outer, text=True)
    return [shlex.split(line.replace("folder/bin/", "")) for line in printed.splitlines()]


def test_there_are_two():
    assert [path.stem for path in FILES] == ["release", "tests"]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_tests_run_what_make_runs():
    made = made_by("demo") + made_by("test")
    found = [shlex.split(line) for line in commands(workflow("tests"))]
    core = "tests/windows_like/core.py"
    assert (ROOT / core).exists()
    assert len(found) == 5
    assert [line for line in found if line not in made] == [["python", f"$GITHUB_WORKSPACE/{core}"]]


def test_each_target_of_make_that_a_workflow_calls_is_there():
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    called = [
        name
        for path in FILES
        for line in commands(workflow(path.stem))
        for name in re.findall(r"\bmake ([\w-]+)", line)
    ]
    assert called == ["release-check"]
    assert set(called) <= set(targets)


def test_the_versions_of_python_are_those_that_setup_cfg_asks_for_and_one_to_come():
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    named = re.findall(r":: (3\.\d+)$", config["metadata"]["classifiers"], re.MULTILINE)
    versions = workflow("tests")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert versions[: len(named)] == named
    assert versions[len(named) :] == ["3.14"]
    assert config["options"]["python_requires"] == f">={versions[0]}"
    systems = workflow("tests")["jobs"]["tests"]["strategy"]["matrix"]["os"]
    assert [name.partition("-")[0] for name in systems] == ["ubuntu", "macos", "windows"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_actions_are_pinned_and_texts_of_events_are_no_code(path):
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert len(used) == len([step for step in steps(found) if "uses" in step]) > 1
    for line in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    assert not [line for line in commands(found) if "${{" in line]
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_only_the_job_that_needs_a_right_has_it():
    assert workflow("tests")["permissions"] == {"contents": "read"}
    release = workflow("release")
    assert release["permissions"] == {}
    rights = {name: job["permissions"] for name, job in release["jobs"].items()}
    assert rights == {
        "build": {"contents": "read", "id-token": "write", "attestations": "write"},
        "upload": {"id-token": "write"},
        "announce": {"contents": "write"},
    }
    assert release["jobs"]["upload"]["environment"] == "release"
    (tags,) = release[True]["push"].values()  # YAML reads "on" as a truth value
    assert tags == ["v[0-9]+.[0-9]+.[0-9]+"]
