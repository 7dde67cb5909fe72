"""Whether a process lacks what it must, and is refused what Windows would refuse it."""

import os
from pathlib import Path

LINES = """
import fcntl
import resource as r
from os import fork
import os; os.killpg
import os.path, os; os.uname
import select; select.poll
import signal; signal.SIGALRM
"""
ATTEMPTS = [
    lambda: Path("AUX.txt").write_bytes(b""),
    lambda: Path("A").write_bytes(b""),
    lambda: Path("x:y").mkdir(),
    lambda: Path("b.").mkdir(),
    lambda: Path("a").unlink(),
    lambda: Path("a").rename("b"),
    lambda: os.fork(),
]
package = {"__name__": "sklearn_mteval.module"}
Path("a").write_bytes(b"")
with open("a", "rb"):
    for attempt in [*LINES.strip().splitlines(), *ATTEMPTS]:
        try:
            exec(attempt, dict(package)) if isinstance(attempt, str) else attempt()
        except (ImportError, AttributeError, OSError, RuntimeError):
            continue
        raise SystemExit(f"nothing was raised: {attempt}")
exec("import os; assert (os.name, os.linesep) == ('nt', chr(13) + chr(10))", package)
assert os.name == "posix"
Path("c").write_bytes(b"")
Path("c").rename("a")  # closed again
print("\u00fc")
