"""External programs, run once for many texts: no shell, a time limit, nothing left behind."""

import contextlib
import os
import signal
import subprocess

# Messages and character classes as the programs' authors wrote them, whatever the user's language.
_LOCALE = {"LC_ALL": "C", "LC_CTYPE": "C", "LC_MESSAGES": "C", "LANG": "C"}


def run_program(arguments, content, *, timeout):
    """Run a program, no argument of which is a user's text, on bytes; return its output.

    After ``timeout`` seconds it is stopped, with all that it started: TimeoutError. OSError if it
    cannot be started, RuntimeError if it failed.
    """
    name = os.path.basename(arguments[0])
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **_LOCALE},
        start_new_session=True,
    )
    with process:
        try:
            output, complaints = process.communicate(content, timeout=timeout)
        except BaseException as error:  # an interrupt leaves nothing running either
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise TimeoutError(
                f"{name} did not finish within timeout={timeout} seconds and was stopped: does it "
                "hang, or is the machine slow? If so, raise timeout."
            ) from None
    if process.returncode:
        said = complaints.decode("utf-8", "replace").strip()[:200]
        raise RuntimeError(f"{name} failed with exit status {process.returncode}: {said!r}.")
    return output
