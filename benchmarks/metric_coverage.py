"""How often intervals of metrics' agreement hold the truth, and equal metrics are told apart.

Campaigns are drawn with replacement, by whole documents, from judged ones, whose own statistics are
the truth. For false alarms, the scores of two metrics, standardised, are exchanged in half of the
documents, or segments, so that both are equally good. Intervals and tests take documents, or
segments, for what varies together. Run ``python benchmarks/metric_coverage.py --draws 400``, with
SKLEARN_MTEVAL_DATA set; ``--campaigns`` chooses.
"""

import argparse
import os
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from sklearn_mteval.datasets import load_esa, load_judgements
from sklearn_mteval.evaluation import evaluate_metrics
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import permutation_test
from sklearn_mteval.metrics.system.permutation import system_permutation_test

DATA = Path(os.environ.get("SKLEARN_MTEVAL_DATA", ""))
METRICS = ("BLEU", "COMET", "GEMBA-MQM", "XCOMET-Ensemble")
SYSTEM = ("pearson", "kendall", "accuracy", "spa")


def wmt23(lang_pair):
    """Return penalties of WMT23, scores of metrics of its task, and documents."""
    given = {"lang_pair": lang_pair, "metric_scores": list(METRICS)}
    loaded = load_judgements(DATA / "wmt23", "mtme", **given)
    scores = pd.DataFrame(dict(loaded.scores.items())).loc[loaded.y.index]
    return loaded.y, scores, loaded.documents


def wmt24(lang_pair):
    """Return WMT24's ESA, scores of metrics computed here, and documents."""
    path = DATA / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    loaded = load_esa(path, lang_pair, texts=DATA / "wmt24", average_judges=True)
    metrics = MetricScores(["chrf", "bleu", "ter"]).set_output(transform="pandas")
    return loaded.y, metrics.fit_transform(loaded.X), loaded.documents


CAMPAIGNS = {
    "wmt23 zh-en": (wmt23, "zh-en"),
    "wmt23 he-en": (wmt23, "he-en"),
    "wmt24 en-cs": (wmt24, "en-cs"),
    "wmt24 en-ja": (wmt24, "en-ja"),
}


class Campaign:
    """Judgements and scores of systems that were judged everywhere, and their documents."""

    def __init__(self, y, scores, documents):
        table = y.rename("y").reset_index().pivot_table("y", "segment", "system")
        systems = table.columns[table.notna().mean() > 0.9]
        segments = table.index[table[systems].notna().all(axis=1)]
        shape = len(segments), len(systems)
        rows = pd.MultiIndex.from_product([segments, systems], names=["segment", "system"])
        self.systems, self.names = systems, list(scores)
        self.y = y.loc[rows].to_numpy(dtype=float).reshape(shape)
        self.scores = scores.loc[rows].to_numpy(dtype=float).reshape(*shape, -1)
        of_segment = documents.groupby(level="segment").first()[segments]
        self.documents = pd.factorize(of_segment)[0]
        self.places = [np.flatnonzero(self.documents == k) for k in range(self.documents.max() + 1)]

    def tables(self, segments):
        """Return y and scores of some segments, each a copy of its own."""
        rows = pd.MultiIndex.from_product(
            [range(len(segments)), self.systems], names=["segment", "system"]
        )
        flat = self.scores[segments].reshape(len(rows), -1)
        return pd.Series(self.y[segments].ravel(), rows), pd.DataFrame(flat, rows, self.names)

    def drawn(self, rng):
        """Draw documents with replacement: the segments, and numbers of the documents drawn."""
        parts = [self.places[k] for k in rng.integers(len(self.places), size=len(self.places))]
        return np.concatenate(parts), np.repeat(np.arange(len(parts)), list(map(len, parts)))

    def exchanged(self, pair, units, rng):
        """Return scores of two metrics, standardised, those of half of the units exchanged."""
        two = self.scores[..., list(pair)]
        two = (two - two.mean(axis=(0, 1))) / two.std(axis=(0, 1))
        flips = rng.random(units.max() + 1) < 0.5
        return np.where(flips[units][:, np.newaxis, np.newaxis], two[..., ::-1], two)


def documents_of(y, numbers):
    """Return a Series of documents by segment, or None where segments are taken for them."""
    return None if numbers is None else pd.Series([f"d{k}" for k in numbers], y.index.unique(0))


def coverage(campaign, n_draws, rng):
    """Return {(unit, statistic): percentage of intervals, of all metrics, that hold the truth}."""
    everything = np.arange(len(campaign.documents))
    options = {"statistic": "wmt12", "system_statistics": SYSTEM, "n_permutations": 200}
    truth = evaluate_metrics(*campaign.tables(everything), **options, n_resamples=2)
    epsilon = truth.table["epsilon"].mean()  # the same for all, so that it is no estimate
    options |= {"epsilon": epsilon}
    truth = evaluate_metrics(*campaign.tables(everything), **options, n_resamples=2).table
    held = {}
    for _ in range(n_draws):
        segments, numbers = campaign.drawn(rng)
        y, scores = campaign.tables(segments)
        for unit, of in (("document", numbers), ("segment", None)):
            found = evaluate_metrics(
                y, scores, documents=documents_of(y, of), **options, n_resamples=400
            ).table.loc[truth.index]
            for name in ("wmt12", "acc_eq", *(f"system_{name}" for name in SYSTEM)):
                low, high = found[f"{name}_low"], found[f"{name}_high"]
                inside = (low - 1e-9 <= truth[name]) & (truth[name] <= high + 1e-9)
                held.setdefault((unit, name), []).append(inside.mean())
    return {key: 100 * np.mean(values) for key, values in held.items()}


def false_alarms(campaign, n_draws, rng):
    """Return {(unit that was exchanged, unit of the test, statistic): percentage p <= .05}."""
    alarms, everything = {}, np.arange(len(campaign.documents))
    pairs = list(combinations(range(len(campaign.names)), 2))
    human = -campaign.y.mean(axis=0)
    groups = np.repeat(everything, len(campaign.systems))
    drawn = {"n_permutations": 200, "random_state": 0}
    for draw in range(n_draws):
        for null, units in (("document", campaign.documents), ("segment", everything)):
            scores = campaign.exchanged(pairs[draw % len(pairs)], units, rng)
            rows, tables = scores.reshape(-1, 2), dict(enumerate(np.moveaxis(scores, -1, 0)))
            tables = {f"metric {k}": table for k, table in tables.items()}
            units = {"document": campaign.documents[groups], "segment": groups}
            for unit, of in (units | {"translation": np.arange(len(groups))}).items():
                for name, average in (("wmt12", "pairs"), ("acc_eq", "groups"), ("pdp", "pairs")):
                    given = {"groups": groups, "documents": of, "average": average}
                    found = permutation_test(
                        campaign.y.ravel(), rows, statistic=name, **given, **drawn
                    )
                    alarms.setdefault((null, unit, name), []).append(found.p_values[0, 1])
            for unit, of in (("document", campaign.documents), ("segment", everything)):
                found = system_permutation_test(human, tables, documents=of, **drawn)
                alarms.setdefault((null, unit, "system_pearson"), []).append(found.p_values[0, 1])
    return {key: 100 * np.mean(np.array(p) <= 0.05) for key, p in alarms.items()}


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--campaigns", nargs="+", choices=CAMPAIGNS, default=list(CAMPAIGNS))
    parser.add_argument("--part", choices=["coverage", "alarms"], nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.campaigns:
        load, lang_pair = CAMPAIGNS[name]
        campaign = Campaign(*load(lang_pair))
        n_documents = len(campaign.places)
        print(f"{name}: {len(campaign.documents)} segments of {n_documents} documents")
        rng = np.random.default_rng(0)
        for part, measure in (("coverage", coverage), ("alarms", false_alarms)):
            if part in (arguments.part or [part]):
                found = measure(campaign, arguments.draws, rng)
                print(f"{part}, %, of {arguments.draws} draws")
                for key, percentage in found.items():
                    print(f"{' '.join(key):40s} {percentage:5.1f}")


if __name__ == "__main__":
    main()
