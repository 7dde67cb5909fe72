import os
import subprocess
import sys

import pytest
from skips import ALLOWED, allowed_reasons, unexpected_skips


def test_reasons_that_are_not_allowed():
    reasons = ["Skipped: needs a GPU", "no WordNet: apt-get", "no WordNet: apt-get", "needs a GPU"]
    assert unexpected_skips(reasons, ["needs a GPU"]) == {"no WordNet: apt-get": 2}
    assert not unexpected_skips([], [])
    assert "needs a GPU" in allowed_reasons()
    assert not [reason for reason in allowed_reasons() if reason.startswith("#")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "checked", "status"),
    [
        ("no such program", True, 1),
        ("no such program", False, 0),
        ("needs a GPU: none here", True, 0),
    ],
)
def test_a_skip_that_is_not_allowed_fails_the_run(tmp_path, reason, checked, status):
    (tmp_path / "test_it.py").write_text(
        f"import pytest\ndef test_a(): pytest.skip({reason!r})\ndef test_b(): pass\n"
    )
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.insert(0, {str(ALLOWED.parent)!r})\n"
        "from skips import check_skips\n"
        "def pytest_sessionfinish(session): check_skips(session)\n"
    )
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    environment["CHECK_SKIPS"] = "1" if checked else ""
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == status, found.stdout + found.stderr
    assert ("not allowed" in found.stdout) == bool(status)
