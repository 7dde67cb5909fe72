"""A page on paper: a browser that is there prints it into a PDF."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn_mteval._helpers.platforms import WINDOWS, end_group
from sklearn_mteval._helpers.shown import printable

VARIABLE = "SKLEARN_MTEVAL_BROWSER"
# What Chromium and those made of it are called; Firefox prints only for somebody who looks at it.
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "microsoft-edge-stable", "msedge", "brave-browser",
)  # fmt: skip
_NOT_ON_PATH = (  # of Windows and macOS
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
LIMIT = 180  # seconds
_LONGEST_FOLDER = 60  # characters
_FLAGS = (
    "--headless", "--disable-gpu", "--no-pdf-header-footer", "--no-first-run",
    "--no-default-browser-check", "--disable-extensions", "--disable-sync", "--disable-breakpad",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
_BY_HAND = "Or write the page with --html, open it, and choose 'print', 'save as PDF'."


def find_browser() -> str:
    """Return the path of the browser that prints: the environment's, else the first on PATH.

    A FileNotFoundError says what to do if there is none.
    """
    named = os.environ.get(VARIABLE)
    names = [named] if named else BROWSERS + _NOT_ON_PATH
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        where = f"{VARIABLE} names {named!r}, which is no program." if named else (
            "expected Chromium, Google Chrome or Microsoft Edge on PATH, found none of them: "
            f"install one (apt-get install chromium), or name its program in {VARIABLE}."
        )  # fmt: skip
        raise FileNotFoundError(f"--pdf needs a browser, which prints the page: {where} {_BY_HAND}")
    return found


def printed(html: str, folder: str | Path, *, limit: float = LIMIT) -> bytes:
    """Print a page, which needs no other file, as a browser does; return the PDF.

    The browser has a profile of its own and no network. The page lies in ``folder`` while it is
    printed, since browsers that are packed as snaps see no other temporary files; nothing is left
    there. OSError: no browser is there, it fails, writes no PDF or takes over ``limit`` seconds.
    """
    browser = find_browser()
    with (
        TemporaryDirectory(prefix="mteval-print-", dir=folder) as work,
        TemporaryDirectory(prefix="mteval-browser-", ignore_cleanup_errors=True) as profile,
    ):
        page, pdf = Path(work, "page.html").resolve(), Path(work, "page.pdf").resolve()
        page.write_bytes(html.encode("utf-8", "surrogateescape"))
        command = [
            browser, *_FLAGS, *_unsandboxed(), f"--user-data-dir={profile}",
            f"--print-to-pdf={pdf}", page.as_uri(),
        ]  # fmt: skip
        status, said = _run(command, Path(work, "said"), limit)
        found = pdf.read_bytes() if pdf.is_file() else b""
    if status == 0 and found.startswith(b"%PDF-"):
        return found
    how = {None: f"took longer than {limit:g} seconds, and was ended", 0: "wrote no PDF"}.get(
        status, f"failed with status {status}"
    )
    raise OSError(f"--pdf: the browser {browser} {how}. {_last_words(said)}{_BY_HAND}")


def _unsandboxed():
    """Return what lets Chromium run as root, as in containers, where it refuses otherwise.

    The sandbox guards against what strangers put into pages; this page is our own, its policy lets
    nothing but our script run, by its hash, and there is no network.
    """
    return ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []


def _run(command, log, limit):
    """Run a command with all that it starts; return its status, None: too slow, and its errors."""
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            start_new_session=True, env=_environment(),
        )  # fmt: skip
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:  # its helpers, too, also where somebody has interrupted us
            end_group(process)
            process.wait()
    return status, log.read_text(encoding="utf-8", errors="replace")


def _environment():
    """Return the environment, with a short folder for temporary files: the browser puts a socket
    there, whose path has 107 characters at most.
    """
    is_long = not WINDOWS and len(tempfile.gettempdir()) > _LONGEST_FOLDER
    return os.environ | ({"TMPDIR": "/tmp"} if is_long and os.path.isdir("/tmp") else {})


def _last_words(said):
    """Quote the end of what a program has said."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"Its last words: {printable(' / '.join(lines[-3:]), 500)} " if lines else ""
