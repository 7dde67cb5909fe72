"""The README's commands, and the files that they name, made of the bundled sample.

``python tests/readme.py FOLDER`` writes the files and prints the commands as a script for the shell
(``.ci/run``).
"""

import re
import sys
from itertools import combinations
from pathlib import Path

import pandas as pd

from sklearn_mteval.datasets import load_sample

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
    X, y = load_sample(return_X_y=True)
    table = X.assign(rank=y).reset_index()
    names = {f"{system}.en": rows["hypothesis"] for system, rows in table.groupby("system")}
    first = table.drop_duplicates("segment")
    names |= {"source.de": first["source"], "reference.en": first["reference"]}
    for name, texts in names.items():
        (folder / name).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    table.to_csv(folder / "mine.csv", index=False)
    battles = [
        (segment, a, b, "A" if rank_a < rank_b else "B" if rank_b < rank_a else "tie")
        for segment, rows in table.groupby("segment")
        for (a, rank_a), (b, rank_b) in combinations(rows[["system", "rank"]].to_numpy(), 2)
    ]
    columns = ["segment", "system_a", "system_b", "winner"]
    pd.DataFrame(battles, columns=columns).to_csv(folder / "battles.csv", index=False)


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
    print("\n".join(commands()))
