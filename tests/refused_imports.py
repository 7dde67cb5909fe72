"""Libraries that cannot be imported, as where they are not installed."""

import os
import subprocess
import sys
from pathlib import Path


class Refused:
    """A finder, first in ``sys.meta_path``, that refuses libraries and notes who asked."""

    def __init__(self, *libraries):
        self.libraries, self.asked = libraries, []

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.libraries:
            self.asked.append(name)
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def refuse(*libraries):
    """Refuse libraries from now on; return the list of what is asked for."""
    sys.meta_path.insert(0, Refused(*libraries))
    return sys.meta_path[0].asked


def run_refusing(libraries, code, *arguments):
    """Run code in a process of its own: ``asked`` is what it has asked for of these libraries."""
    start = f"from refused_imports import refuse\nasked = refuse(*{list(libraries)!r})\n"
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-c", start + code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
