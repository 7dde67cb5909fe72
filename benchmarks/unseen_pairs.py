"""How good models are on unseen pairs and domains: ``python benchmarks/unseen_pairs.py``.

Expert MQM judgements of WMT20 and WMT21 (``$SKLEARN_MTEVAL_DATA/mqm``): news, and biomedical
abstracts. Without arguments: tau of chrF, and by how much ranks and scores of static-en and any are
better than it. ``unseen_pairs.py ru-en fr-en`` trains a model on the abstracts of each pair that is
named, from nothing and from static-en, a fifth of the documents held out, and prints what ``train``
says, and tau of the model, of static-en, and their difference on each other pair. Intervals are by
bootstrap over documents.
"""

import os
import sys
from pathlib import Path

import numpy as np

from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_mqm
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import paired_bootstrap
from sklearn_mteval.models import rank_candidates, train_on_campaign
from sklearn_mteval.models.opening import open_model
from sklearn_mteval.report.training import training_report

PAIRS = ("ru-en", "fr-en", "es-en", "zh-en")
READY = "static-en"
# Sets by name: the system that is the reference, and how names of human translations begin.
NEWS = {
    "newstest2020 zh-en": ("Human-A.0", "Human"),
    "newstest2021 zh-en": ("ref.A", "ref"),
    "newstest2020 en-de": ("Human-A.0", "Human"),
    "newstest2021 en-ru": ("ref.A", "ref"),
}
BIO = ("reference", "reference")
SETS = NEWS | {f"bio2021 {pair}": BIO for pair in (*PAIRS, "en-de", "en-es", "en-ru")}


def load(name):
    """Load one set: X, y, documents."""
    reference, human = SETS[name]
    path = Path(os.environ["SKLEARN_MTEVAL_DATA"], "mqm")
    campaign, pair = name.split()
    file = path / f"mqm_{campaign}_{pair.replace('-', '')}.tsv.gz"
    found = load_mqm(file, reference_system=reference)
    kept = ~found.X.index.get_level_values("system").str.startswith(human)
    return found.X[kept], found.y[kept], found.documents[kept]


def against_chrf(name):
    """Print tau of chrF on a set, and how much better ready-made models are."""
    X, y, documents = load(name)
    told = {"chrF": MetricScores(["chrf"]).fit_transform(X)[:, 0]}
    for model in ("static-en", "any") if name.endswith("-en") else ("any",):
        found = rank_candidates(open_model(model), X)
        told |= {f"{model} ranks": found["strength"], f"{model} scores": found["score"]}
    told = {of: np.asarray(values) for of, values in told.items()}
    found = paired_bootstrap(y, told, groups=comparable_groups(X), documents=documents)
    rows = 100 * np.dstack([found.differences, found.low, found.high])[1:, 0]
    less = (
        f"{of} {value:+.1f} [{low:.1f}, {high:.1f}]"
        for of, (value, low, high) in zip(list(told)[1:], rows, strict=True)
    )
    print(f"{name}: chrF {100 * found.values[0]:.1f}; {'; '.join(less)}", flush=True)


def main():
    """Train, and test."""
    if not sys.argv[1:]:
        for name in SETS:
            against_chrf(name)
        return
    data, ready = {pair: load(f"bio2021 {pair}") for pair in PAIRS}, open_model(READY)
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
