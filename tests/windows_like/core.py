"""What most users do, in the folder that it is started in; numbers go to a file, too."""

import csv
import json
import random
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import RankRecomposer, load_model, make_ranking_pipeline, save_model
from sklearn_mteval._helpers.workers import in_order
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.features import BLEUComp

# What no file may be called where there are Windows's rules, nor two that differ by case only.
SYSTEMS = ["aux", "CON.txt", "a:b", "A", "a", "ends.", "s/t\\u", "x" * 300, '<"?*|>']
COMMANDS = """
demo --files sample
rank static-en -s sample/source.de -r sample/reference.en -t sample/online.en sample/hybrid.en
    --jobs 2 -o ranks.tsv --html ranks.html
score static-en -r returns.en -t sample/online.en -o scores.tsv --html scores.html
score static-en -r sample/reference.en -t sample/online.en -o plain.tsv
train judged.csv --better lower -o model
rank model -s sample/source.de -r sample/reference.en -t sample/online.en sample/rule.en -o own.tsv
evaluate judged.csv --better lower --metrics bleu chrf --model model -f json -o evaluation.json
leaderboard sample/battles.csv -f json -o battles.json
leaderboard systems.csv -f json -o systems.json --html systems.html
"""


def make():
    return lambda n: float(np.sqrt(n))


def write_inputs():
    """Files as programs on Windows write them: a byte order mark, and both signs at line ends."""
    for name, sample, n in (
        ("returns.en", "reference.en", None),
        ("judged.csv", "judgements.csv", 151),
    ):
        lines = Path("sample", sample).read_text(encoding="utf-8").splitlines(keepends=True)[:n]
        Path(name).write_text("".join(lines), encoding="utf-8-sig", newline="\r\n")
    random.seed(0)
    pairs = [(one, other, s) for one, other in combinations(SYSTEMS, 2) for s in range(6)]
    with open("systems.csv", "w", encoding="utf-8-sig", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["segment", "system_a", "system_b", "winner"])
        rows.writerows([s, *both, random.choice(both)] for *both, s in pairs)


def run():
    lines = COMMANDS.strip().replace("\n    ", " ").splitlines()
    for k, line in enumerate(lines):
        assert main(line.split()) == 0, line
        if k == 0:
            write_inputs()
    X, y = load_sample(return_X_y=True)
    X, y = X.iloc[:200], y.iloc[:200]
    model = make_ranking_pipeline(
        BLEUComp(n_jobs=2), StandardScaler(), RankRecomposer(LogisticRegression())
    )
    save_model(model.fit(X, y), "saved", X=X, y=y)
    save_model(model, "saved", X=X, y=y)  # over an older one
    found = {
        "strengths": load_model("saved").set_params(bleucomp__n_jobs=2).decision_function(X),
        "workers": list(in_order(make, range(9), 2)),
    }
    text = json.dumps({name: list(values) for name, values in found.items()})
    Path("numbers.json").write_bytes(text.encode())


if __name__ == "__main__":
    run()
