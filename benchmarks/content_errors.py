"""How often errors of content are found: ``python benchmarks/content_errors.py``.

Percent of translations in which each column of ``ContentErrors`` is not 0, and with a flag:
in translations that annotators ranked best and last of four or more, on WMT13 and WMT15 into
English, and in references in which ``corrupt`` has changed a number, a name or a negation. Then
microseconds per candidate, 12 systems of WMT12 de-en in one thread.
"""

import os
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pandas as pd

from sklearn_mteval import BLEUComp
from sklearn_mteval.datasets import corrupt, load_wmt
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.features import ContentErrors, content_flags

CAMPAIGNS = [("wmt13", "fr-en"), *(("wmt15", f"{s}-en") for s in ("cs", "de", "fi", "fr", "ru"))]
KINDS = [
    "number", "name", "negation", "opposite", "quantifier", "modality", "focus", "date", "unit",
    "roles", "lowercased", "entities", "mojibake", "wrapped",
]  # fmt: skip
MOST = 1000  # translations of each kind and campaign


def tables(data, campaign, pair):
    """Yield translations by what they are."""
    X, y = load_wmt(data / campaign, pair, return_X_y=True)
    last = y.groupby(level=["segment", "ranking"]).transform("max")
    for name, chosen in (("ranked best", y == 1), ("ranked last", y == last)):
        found = X[chosen & (last >= 4)].drop_duplicates()
        yield name, found.sample(min(MOST, len(found)), random_state=0)
    references = X.groupby(level="segment").head(1)
    references = references.assign(hypothesis=references["reference"])
    corrupted = corrupt(references, KINDS)
    for kind in KINDS:
        found = corrupted.xs(kind, level="corruption")
        found = found[found["hypothesis"] != found["reference"]]
        yield f"reference, {kind} changed", found.iloc[:MOST]


def rates(X):
    """Return the percentages of columns that are not 0, and of flags."""
    errors = ContentErrors(features="all").set_output(transform="pandas").fit_transform(X)
    found = errors.ne(0).mean()
    found["a number"] = errors.filter(regex="^number").any(axis=1).mean()
    found["a name"] = errors.filter(regex="^name").any(axis=1).mean()
    found["a negation"] = errors.filter(regex="^negation").any(axis=1).mean()
    found["a contradiction"] = (
        errors.filter(regex="^(opp|quant|date|unit_c|roles)").any(axis=1).mean()
    )
    found["a flag"] = content_flags(X).map(bool).mean()
    return 100 * found


def seconds(transformer, X):
    """Return the least time of some runs."""
    transformer.fit(X)
    times = []
    for _ in range(7):
        start = perf_counter()
        transformer.transform(X)
        times.append(perf_counter() - start)
    return min(times)


def main():
    """Print."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    found = {}
    for campaign, pair in CAMPAIGNS:
        for name, X in tables(data, campaign, pair):
            found.setdefault(name, []).append(rates(X))
    means = pd.DataFrame(
        {name: pd.concat(rows, axis=1).mean(axis=1) for name, rows in found.items()}
    )
    print("| column | " + " | ".join(means) + " |\n" + "| --- " + "| ---: " * means.shape[1] + "|")
    for column, row in means.iterrows():
        print(f"| `{column}` | " + " | ".join(f"{rate:.1f}" for rate in row) + " |")
    X = load_wmt_translations(data / "wmt12", "de-en")
    systems = X.index.unique("system")[:12]
    segments = X.index.get_level_values("segment") <= 400
    X = X[segments & X.index.isin(systems, level="system")]
    for transformer in (ContentErrors(), ContentErrors(features="all"), BLEUComp()):
        microseconds = seconds(transformer, X) / len(X) * 1e6
        print(f"{transformer}: {microseconds:.1f} µs per candidate")


if __name__ == "__main__":
    main()
