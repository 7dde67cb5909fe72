"""How good a model of one campaign is on others: ``python benchmarks/unseen_pairs.py ru-en fr-en``.

Biomedical abstracts (MQM, WMT21, folder ``$SKLEARN_MTEVAL_DATA/mqm``) in four languages, translated
into English. A model is trained on each pair that is named, from nothing and from static-en, a
fifth of the documents held out. Printed are what ``train`` says, and, for each other pair, tau of
the model, of static-en, and their difference, with an interval by bootstrap over documents.
"""

import csv
import gzip
import os
import sys
import tempfile
from pathlib import Path

from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_mqm
from sklearn_mteval.metrics import paired_bootstrap
from sklearn_mteval.models import train_on_campaign
from sklearn_mteval.models.opening import open_model
from sklearn_mteval.report.training import training_report

PAIRS = ("ru-en", "fr-en", "es-en", "zh-en")
READY = "static-en"
REFERENCES = ["reference", "reference_r1"]


def load(pair):
    """Load one pair: X, y, documents; a critical error counts as a major one."""
    name = f"mqm_bio2021_{pair.replace('-', '')}.tsv.gz"
    path = Path(os.environ["SKLEARN_MTEVAL_DATA"], "mqm", name)
    text = gzip.decompress(path.read_bytes()).decode().replace("\tCritical", "\tMajor")
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    categories = {row["category"] for row in rows}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mqm.tsv")
        file.write_text(text, encoding="utf-8")
        found = load_mqm(file, reference_system=REFERENCES[0], allow_categories=categories)
    kept = ~found.X.index.get_level_values("system").isin(REFERENCES)
    return found.X[kept], found.y[kept], found.documents[kept]


def main():
    """Train, and test."""
    data, ready = {pair: load(pair) for pair in PAIRS}, open_model(READY)
    for trained in sys.argv[1:]:
        X, y, documents = data[trained]
        for start in (None, READY):
            options = {"start_from": start, "features": None if start else "static"}
            result = train_on_campaign(
                X, y, classifier="ensemble", segments=documents.rename("document"), windows=True,
                normalize=True, campaigns=[f"bio2021 {trained}"], progress=False, **options,
            )  # fmt: skip
            print(f"trained on {trained}, from {start or 'nothing'}", training_report(result))
            for pair in set(PAIRS) - {trained}:
                X_other, y_other, of_documents = data[pair]
                models = {"new": result.model, READY: ready}
                found = paired_bootstrap(
                    y_other,
                    {name: model.decision_function(X_other) for name, model in models.items()},
                    groups=comparable_groups(X_other),
                    documents=of_documents,
                )
                new, old = 100 * found.values
                low, high = 100 * found.low[0, 1], 100 * found.high[0, 1]
                print(f"{pair}: {new:.1f} {old:.1f} {new - old:+.1f} [{low:.1f}, {high:.1f}]")


if __name__ == "__main__":
    main()
