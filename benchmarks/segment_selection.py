"""How well a part of the segments, chosen by metric scores only, recovers the systems' order.

``python benchmarks/segment_selection.py ../shared/data`` prints Markdown tables: into English of
WMT15 (rankings) and WMT24 (ESA, documents known), for some proportions of the segments and each way
of choosing them. What is compared with the leaderboard of all judgements: *order*, the proportion
of pairs of systems ordered alike; *tiers*, that of pairs put alike into one tier or two; *told
apart*, of the pairs that all judgements tell apart, the proportion that the part does, too;
*error*, the root mean square difference of the log-odds. "random" and "balanced" are means over
draws, with the standard error of the difference from random ones. The choice never sees judgements.
"""

import argparse
from pathlib import Path

import numpy as np

from sklearn_mteval.datasets import load_esa, load_wmt, load_wmt_translations
from sklearn_mteval.evaluation import SELECTIONS, select_segments
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import holm
from sklearn_mteval.metrics.significance.multiple_comparisons import cluster_numbers
from sklearn_mteval.metrics.system.comparisons import comparisons_of
from sklearn_mteval.metrics.system.strengths import estimate_strengths

WMT15 = ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
WMT24 = ("en-cs", "en-ja")
METRICS = ["bleu", "chrf", "ter"]
DRAWN = ("random", "balanced")
COLUMNS = ["order", "tiers", "told apart", "error", "judgements"]


class Judged:
    """Judgements of a language pair, and the metric scores of its translations."""

    def __init__(self, X, y, translations, documents=None):
        segments = X.index.get_level_values("segment")
        there = translations.index.get_level_values("segment").isin(segments)
        there &= translations.index.get_level_values("system").isin(X.index.unique("system"))
        metrics = MetricScores(METRICS).set_output(transform="pandas")
        self.scores = metrics.fit_transform(translations[there])
        self.documents = documents
        self.compared = comparisons_of(X, y)
        self.all = self.leaderboard(segments.unique())

    def leaderboard(self, segments):
        """Return strengths, tiers and who is told apart, systems in the order of their labels."""
        compared = self.compared.of_segments(segments)
        rng = np.random.RandomState(0)
        found = estimate_strengths(compared, ties=False, confidence=0.95, n_resamples=1, rng=rng)
        by_label = np.argsort(compared.systems)
        strengths = found.strengths[by_label]
        p_values = found.p_values[np.ix_(by_label, by_label)]
        order = np.argsort(-strengths, kind="stable")
        above = np.triu(np.ones(p_values.shape, dtype=bool), 1)
        better = holm(np.where(above, p_values[np.ix_(order, order)], np.nan)) <= 0.05
        tiers = np.empty(len(order), dtype=np.int64)
        tiers[order] = cluster_numbers(better)
        apart = np.zeros_like(better)
        apart[np.ix_(order, order)] = better
        return strengths, tiers, apart, len(compared.outcome)

    def recovered(self, segments):
        """Compare the leaderboard of some segments with that of all."""
        strengths, tiers, apart, size = self.leaderboard(segments)
        of_all, tiers_of_all, apart_of_all, size_of_all = self.all
        pairs = np.triu_indices(len(strengths), 1)

        def signs(values):
            return np.sign(values[:, None] - values)[pairs]

        def same(labels):
            return (labels[:, None] == labels)[pairs]

        return [
            100 * np.mean(signs(strengths) == signs(of_all)),
            100 * np.mean(same(tiers) == same(tiers_of_all)),
            100 * (apart & apart_of_all).sum() / apart_of_all.sum(),
            np.sqrt(np.mean((strengths - of_all) ** 2)),
            100 * size / size_of_all,
        ]

    def draws(self, method, size, n_draws):
        """Return what each draw recovers, (n_draws, 5); one row where nothing is drawn."""
        n_draws = n_draws if method in DRAWN else 1
        given = {"method": method, "documents": self.documents if method == "balanced" else None}
        return np.array(
            [
                self.recovered(select_segments(self.scores, size, random_state=k, **given))
                for k in range(n_draws)
            ]
        )


def wmt15(data, pair):
    """Load rankings of WMT15."""
    X, y = load_wmt(data / "wmt15", pair, return_X_y=True)
    return Judged(X, y, load_wmt_translations(data / "wmt15", pair))


def wmt24(data, pair):
    """Load ESA scores of WMT24; of a translation judged twice, the mean."""
    path = data / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    loaded = load_esa(path, pair, texts=data / "wmt24", average=True)
    documents = load_esa(path, pair).documents
    documents = documents.groupby(level="segment").first()
    return Judged(loaded.X, loaded.y, loaded.X, documents)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.1, 0.25, 0.5, 0.75])
    parser.add_argument("--pairs", nargs="+", default=[*WMT15, *WMT24])
    arguments = parser.parse_args()
    found = {}
    for pair in arguments.pairs:
        judged = (wmt15 if pair in WMT15 else wmt24)(arguments.data, pair)
        for size in arguments.sizes:
            for method in SELECTIONS:
                draws = judged.draws(method, size, arguments.draws)
                found[pair, size, method] = draws
    for campaign, pairs in (("WMT15", WMT15), ("WMT24", WMT24)):
        pairs = [pair for pair in pairs if pair in arguments.pairs]
        for name, group in [(pair, [pair]) for pair in pairs] + [("mean", pairs)]:
            print(f"\n{campaign} {name}\n\n| segments | choice | {' | '.join(COLUMNS)} | "
                  "order - random | error / random |")  # fmt: skip
            print("| ---: | --- |" + " ---: |" * (len(COLUMNS) + 2))
            for size in arguments.sizes if group else []:
                random = np.mean([found[pair, size, "random"] for pair in group], axis=0)
                for method in SELECTIONS:
                    draws = np.mean([found[pair, size, method] for pair in group], axis=0)
                    print(row(size, method, draws, random))


def row(size, method, draws, random):
    """Write one line: means, and differences from random choice."""
    cells = [f"{value:.3f}" if k == 3 else f"{value:.1f}" for k, value in enumerate(draws.mean(0))]
    difference = (draws[:, 0] - random[: len(draws), 0]) if len(draws) > 1 else None
    if difference is None:
        more = f"{draws[0, 0] - random[:, 0].mean():+.2f}"
    else:
        more = f"{difference.mean():+.2f} ± {difference.std() / np.sqrt(len(difference)):.2f}"
    ratio = draws[:, 3].mean() / random[:, 3].mean()
    return f"| {size:.0%} | {method} | {' | '.join(cells)} | {more} | {ratio:.3f} |"


if __name__ == "__main__":
    main()
