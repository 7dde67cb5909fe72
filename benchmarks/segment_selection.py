"""How well judgements of a part of the segments say what those of all would, by choice of the part.

``python benchmarks/segment_selection.py ../shared/data`` prints Markdown tables for WMT23 (MQM) and
WMT24 (ESA), 25 and 50 % of the segments. What people said of all is the truth; the choice never
sees it. *RMSE*: root mean square error of the systems' means, relative to random segments;
*differences*: the same of differences of two systems; *order*: proportion of pairs of systems in
the order of all, by means and by Bradley-Terry strengths (where all are judged on the same
segments, their order is that of win rates); *clusters*: how many subset2evaluate counts (its own
measure: systems by mean, a new one where a one-sided Wilcoxon test against the last of the cluster
is below .05), with it the number that all judgements give; *coverage*: of 95 % intervals, for what
all would say. Means of what is drawn are over ``--draws``; their relative errors have a standard
error of about 1 / sqrt(2 draws). "metrics help": scores of all segments are control variates, each
as the segment's mean and as differences from it. The table of probabilities is the package's; of
each draw means and intervals are computed here on dense arrays, and the first are compared with
``leaderboard``. ``--without-references --draws 400 --sizes 0.25`` takes the spread of each system's
mean chrF against its competing systems instead: nothing but the translations is read.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sklearn_mteval.cli.select import source_words
from sklearn_mteval.datasets import load_esa, load_mtme
from sklearn_mteval.evaluation import leaderboard, select_segments
from sklearn_mteval.evaluation.selection.sampling import _drawn
from sklearn_mteval.features import ContrastiveScore, MetricScores
from sklearn_mteval.metrics.system.tables import score_table

WMT23 = ("zh-en", "he-en")
WMT24 = ("en-cs", "en-ja")
LEXICAL = ["BLEU", "chrF"]
# Of a choice: method, documents ("strata", "whole"), whether metrics help, or the length, too.
CHANCE = {
    "random": ("random", None, False),
    "random, by document": ("random", "strata", False),
    "random, whole documents": ("random", "whole", False),
    "random, metrics help": ("random", None, True),
    "random, by document, metrics help": ("random", "strata", True),
    "random, by document, metrics and length help": ("random", "strata", "length"),
    "spread, weights only": ("spread", None, False),
    "spread, metrics help": ("spread", None, True),
    "spread, by document, metrics help": ("spread", "strata", True),
    "spread, whole documents, metrics help": ("spread", "whole", True),
}
WITHOUT_REFERENCES = ("random", "random, by document", "spread, weights only")
CRITERIA = ("variance", "average", "consistency", "disagreement", "diversity")
COLUMNS = ("RMSE", "differences", "order by mean", "order by strength", "clusters", "coverage")


class Pair(NamedTuple):
    """Judgements of a language pair, all segments by all systems."""

    human: pd.DataFrame  # (n_segments, n_systems), higher is better
    y: pd.Series  # the same, row by row, lower is better
    scores: pd.DataFrame  # of metrics, indexed by (segment, system)
    documents: pd.Series
    X: pd.DataFrame


def wmt23(data, pair, metrics):
    """Load MQM scores of WMT23, and the campaign's own metric scores."""
    loaded = load_mtme(data / "wmt23", pair, metric_scores=metrics)
    documents = loaded.documents.groupby(level="segment").first()
    return Pair(table_of(0 - loaded.y), loaded.y, loaded.X[loaded.metrics], documents, loaded.X)


def wmt24(data, pair):
    """Load ESA scores of WMT24; of a translation judged twice, the mean."""
    path = data / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    loaded = load_esa(path, pair, texts=data / "wmt24", average_judges=True)
    documents = load_esa(path, pair).documents.groupby(level="segment").first()
    metrics = MetricScores(["bleu", "chrf"], language=pair.partition("-")[2])
    scores = metrics.set_output(transform="pandas").fit_transform(loaded.X)
    return Pair(table_of(0 - loaded.y), loaded.y, scores, documents, loaded.X)


def table_of(scores):
    """Spread scores over segments and systems, the mean of those of one translation."""
    labels = [scores.index.get_level_values(level) for level in ("segment", "system")]
    return score_table(scores.to_numpy(), *labels, missing="skip")


class Draws:
    """Many draws of a part, and what their judgements say."""

    def __init__(self, pair, choice, size, n_draws):
        method, documents, helped = CHANCE[choice]
        given = {} if documents is None else {"documents": pair.documents}
        given["whole_documents"] = documents == "whole"
        found = select_segments(pair.scores, size, method=method, **given)
        self.human = pair.human.to_numpy()
        self.probability = found["probability"].to_numpy()
        self.stratum = np.zeros(len(found), dtype=np.int64)
        if "stratum" in found:
            self.stratum = found["stratum"].to_numpy() - 1
        labels = pd.factorize(pair.documents.loc[found.index])[0]
        whole = documents == "whole"
        self.units = labels if whole else np.arange(len(found))
        helpers = pair.scores
        if helped == "length":
            lengths = source_words(pair.X)[helpers.index.get_level_values("segment")]
            helpers = helpers.assign(source_words=lengths.to_numpy())
        self.scores = control_variates(helpers, pair.human) if helped else []
        first = np.unique(self.units, return_index=True)[1]
        blocks = np.zeros(len(first), dtype=np.int64)
        if documents == "strata":
            blocks = labels
        rng, strata = np.random.RandomState(1), self.stratum[first]
        drawn_from = self.probability[first], strata, blocks, rng
        costs = np.bincount(self.units)[self.units[first]] if whole else None
        draws = [_drawn(*drawn_from, costs) for _ in range(n_draws)]
        self.draws = np.array(draws)[:, self.units]
        if not whole:
            self.compare(pair, found, helpers if helped else None)

    def compare(self, pair, found, scores):
        """Raise unless the first draw says what ``leaderboard`` says of it."""
        table = found.assign(chosen=self.draws[0])
        kept = pair.X.index.get_level_values("segment").isin(table.index[table["chosen"]])
        board = leaderboard(
            pair.X[kept], pair.y[kept], by="mean", selection=table, n_resamples=2,
            scores=scores, question="test-set",
        ).table.loc[pair.human.columns]  # fmt: skip
        means, errors, degrees = self.estimated(self.draws[0])
        reach = errors * stats.t.ppf(0.975, degrees)
        np.testing.assert_allclose(board["score"], means, rtol=1e-6)
        np.testing.assert_allclose(board["sandwich_high"] - board["score"], reach, rtol=1e-6)

    def estimated(self, drawn):
        """Return means, their errors and degrees of freedom, of one draw (a mask of segments)."""
        weights = 1 / self.probability[drawn]
        weights /= weights.sum()
        units = np.unique(self.units[drawn], return_inverse=True)[1]
        first = np.unique(units, return_index=True)[1]
        stratum = np.unique(self.stratum[drawn][first], return_inverse=True)[1]
        varies = 1 - self.probability[drawn][first]
        n, n_strata = (varies > 0).sum(), len(np.unique(stratum[varies > 0]))
        numbers = np.bincount(stratum[varies > 0], minlength=stratum.max() + 1)[stratum]
        varies = varies * numbers / np.maximum(numbers - 1, 1)
        shares = np.bincount(stratum, varies)

        def pulls(table):
            mean = weights @ table[drawn]
            pulls = weights[:, np.newaxis] * (table[drawn] - mean)
            of_units = np.zeros((len(first), table.shape[1]))
            np.add.at(of_units, units, pulls)
            sums = np.zeros((len(shares), table.shape[1]))
            np.add.at(sums, stratum, varies[:, np.newaxis] * of_units)
            centred = of_units - (sums / np.where(shares > 0, shares, 1)[:, np.newaxis])[stratum]
            return mean, np.sqrt(varies)[:, np.newaxis] * centred

        means, residual = pulls(self.human)
        found = [pulls(table) for table in self.scores]
        if found:
            taken = np.stack([part.ravel() for _, part in found], axis=1)
            scale = np.sqrt((taken**2).sum(axis=0))
            slopes = np.linalg.lstsq(taken / scale, residual.ravel(), rcond=1e-8)[0] / scale
            for slope, (mean, part), table in zip(slopes, found, self.scores, strict=True):
                means = means - slope * (mean - table.mean(axis=0))
                residual = residual - slope * part
        left = n - n_strata - len(found)
        squares = residual**2
        variance = squares.sum(axis=0) * (n - n_strata) / left
        kurtosis = (n * (squares**2).sum(axis=0) / squares.sum(axis=0) ** 2).mean()
        return means, np.sqrt(variance), left * min(1, 2 / (kurtosis - 1))

    def measured(self, n_clusters=30):
        """Return the errors of means (n_draws, n_systems), and what else is measured."""
        truth, errors, covered, strength = self.human.mean(axis=0), [], [], []
        wins = won(self.human)
        for drawn in self.draws:
            means, error, degrees = self.estimated(drawn)
            errors.append(means - truth)
            covered.append(np.abs(errors[-1]) <= stats.t.ppf(0.975, degrees) * error)
            of_draw = (wins[drawn] / self.probability[drawn][:, np.newaxis]).sum(axis=0)
            strength.append(ordered_alike(of_draw, wins.sum(axis=0)))
        by_mean = [ordered_alike(truth + error, truth) for error in errors]
        clusters = [n_clusters_of(self.human[drawn]) for drawn in self.draws[:n_clusters]]
        return np.array(errors), by_mean, strength, clusters, 100 * np.mean(covered)


def chosen_once(pair, method, size, seeds=(0,)):
    """Measure what segments that have no probabilities say, by plain means."""
    human, results = pair.human.to_numpy(), []
    truth, wins = human.mean(axis=0), won(human)
    for seed in seeds:
        found = select_segments(
            pair.scores, size, method=method, translations=pair.X, random_state=seed,
            documents=pair.documents if method == "balanced" else None,
        )  # fmt: skip
        drawn = found["chosen"].to_numpy()
        means = human[drawn].mean(axis=0)
        results.append((
            means - truth, ordered_alike(means, truth),
            ordered_alike(wins[drawn].sum(axis=0), wins.sum(axis=0)), n_clusters_of(human[drawn]),
        ))  # fmt: skip
    errors, *others = zip(*results, strict=True)
    return np.array(errors), *others, np.nan


def control_variates(scores, human):
    """Split the scores of each metric into means of segments and the differences from them."""
    parts = []
    for name in scores:
        table = table_of(scores[name]).reindex_like(human).to_numpy()
        mean = np.repeat(table.mean(axis=1, keepdims=True), table.shape[1], axis=1)
        parts += [mean, table - mean]
    return [part for part in parts if np.abs(part).max() > 0]


def won(human):
    """Count, for each segment and system, wins minus losses."""
    return np.sign(human[:, :, np.newaxis] - human[:, np.newaxis]).sum(axis=2)


def ordered_alike(one, other):
    """Return the percentage of pairs that two scores order alike."""
    pairs = np.triu_indices(len(one), 1)
    signs = [np.sign(np.subtract.outer(s, s))[pairs] for s in (one.round(9), other.round(9))]
    return 100 * np.mean(signs[0] == signs[1])


def n_clusters_of(human):
    """Count clusters as subset2evaluate does (``evaluate.compute_clusters``)."""
    order = np.argsort(-human.mean(axis=0), kind="stable")
    n, last = 1, order[0]
    for system in order[1:]:
        differences = human[:, system] - human[:, last]
        same = not differences.any()
        if same or stats.wilcoxon(differences, alternative="less").pvalue < 0.05:
            n += 1
        last = system
    return n


def resemblance(pair):
    """Put the mean chrF against competing systems in the place of a pair's metrics."""
    score = ContrastiveScore("chrf").set_output(transform="pandas")
    return pair._replace(scores=score.fit_transform(pair.X))


def rows_of(pair, size, n_draws, choices):
    """Yield a name and cells for each choice."""
    random = None
    of_all = n_clusters_of(pair.human.to_numpy())
    for choice in choices:
        if choice in CHANCE:
            found = Draws(pair, choice, size, n_draws).measured()
        else:
            seeds = range(min(n_draws, 30)) if choice == "balanced" else (0,)
            found = chosen_once(pair, choice, size, seeds)
        errors, by_mean, strength, clusters, coverage = found
        centred = errors - errors.mean(axis=1, keepdims=True)
        values = np.sqrt([np.mean(errors**2), np.mean(centred**2)])
        random = values if random is None else random
        yield choice, [*(values / random), np.mean(by_mean), np.mean(strength), np.mean(clusters),
                       of_all, coverage]  # fmt: skip


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.25, 0.5])
    parser.add_argument("--pairs", nargs="+", default=[*WMT23, *WMT24])
    parser.add_argument(
        "--metrics", nargs="+", default=["XCOMET-Ensemble", "MetricX-23"], help="of WMT23"
    )
    parser.add_argument("--without-references", action="store_true")
    arguments = parser.parse_args()
    alone = arguments.without_references
    choices = WITHOUT_REFERENCES if alone else [*CHANCE, "balanced", *CRITERIA]
    found = {}
    for name in arguments.pairs:
        kinds = [("", arguments.metrics), (", BLEU and chrF", LEXICAL)]
        for kind, metrics in kinds[: 1 if alone else 2] if name in WMT23 else [("", None)]:
            pair = wmt24(arguments.data, name) if metrics is None else wmt23(
                arguments.data, name, metrics
            )  # fmt: skip
            pair = resemblance(pair) if alone else pair
            for size in arguments.sizes:
                print(f"\n{name}{kind}, {size:.0%}\n\n| choice | {' | '.join(COLUMNS)} |")
                print("| --- |" + " ---: |" * len(COLUMNS))
                for choice, cells in rows_of(pair, size, arguments.draws, choices):
                    found.setdefault((kind, choice), []).append(cells)
                    print(f"| {choice} | {written(cells)} |", flush=True)
    for kind in [""] if alone else ["", ", BLEU and chrF"]:
        print(f"\nmean{kind}\n\n| choice | {' | '.join(COLUMNS)} |")
        print("| --- |" + " ---: |" * len(COLUMNS))
        for (of_kind, choice), rows in found.items():
            if of_kind == kind:
                print(f"| {choice} | {written(np.mean(rows, axis=0))} |")


def written(cells):
    """Write a row."""
    rmse, differences, by_mean, strength, clusters, of_all, coverage = cells
    coverage = "" if np.isnan(coverage) else f"{coverage:.1f}"
    return (
        f"{rmse:.2f} | {differences:.2f} | {by_mean:.1f} | {strength:.1f} | "
        f"{clusters:.1f} of {of_all:.0f} | {coverage}"
    )


if __name__ == "__main__":
    main()
