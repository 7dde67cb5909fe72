"""The README's commands, and the files that they name, made of the bundled sample.

``python tests/readme.py FOLDER`` writes the files and prints the commands as a script for the shell
(``.ci/run``).
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


def commands():
    """Return each line of the blocks for the shell that calls the package's program."""
    lines = "".join(blocks("sh")).splitlines()
    return [line for line in lines if line.startswith("sklearn-mteval ")]


def write_files(folder):
    """Write the files that the commands read."""
    for name, content in sample_files().items():
        (folder / name).write_text(content, encoding="utf-8")
        if name == "judgements.csv":
            (folder / "mine.csv").write_text(content, encoding="utf-8")


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
    print("\n".join(commands()))
