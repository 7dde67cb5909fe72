"""The README's commands, and the files that they name, made of the bundled sample.

``python tests/readme.py`` prints the commands of its second block as a script for the shell;
with ``checkout`` those of the first as well, without the tests (``.ci/run`` runs both).
"""

import re
import sys
from pathlib import Path

from sklearn_mteval.datasets.sample import sample_files

README = Path(__file__).parent.parent / "README.md"


def blocks(language):
    """Return the fenced blocks of a language."""
    text = README.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def lines():
    """Return each line of the blocks for the shell."""
    return "".join(blocks("sh")).splitlines()


def commands():
    """Return each line that calls the package's program; the first one writes files."""
    return [line for line in lines() if line.startswith("sklearn-mteval ")]


def write_files(folder):
    """Write the files that the commands read."""
    for name, content in sample_files().items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    checkout = [line for line in lines() if not line.startswith("make test")]
    print("\n".join(checkout if sys.argv[1:] == ["checkout"] else commands()))
