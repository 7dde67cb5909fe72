"""Tables 1 and 2 of the 2014 paper on the data at hand: ``python benchmarks/tree_kernels.py``.

Kendall's tau x 100, strict (wmt12), pairs pooled, of tree kernels as similarity and of preference
kernels, trained on WMT13 fr-en, WMT15 (five pairs into English) and both, next to the paper's rows,
which were trained on WMT11. With ``--select``, the test is WMT15 cs-en and de-en, and the training
is WMT13 and the other pairs of WMT15: what options were chosen by.
"""

import argparse
import os
from functools import cache, partial
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pandas as pd

from sklearn_mteval import RankRecomposer, kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import MetricScores
from sklearn_mteval.kernels import PreferenceKernelSVC, RelatedTrees, TreeSimilarity

STRUCTURES = ("SYN", "DIS", "DIS+POS", "DIS+SYN")
PAPER = {  # Table 1, cs and de; Table 2, trained on all
    ("similarity", "SYN"): (16.9, 18.8),
    ("similarity", "DIS"): (13.0, 17.4),
    ("similarity", "DIS+POS"): (13.5, 18.6),
    ("similarity", "DIS+SYN"): (15.6, 20.5),
    ("learnt", "SYN"): (19.0, 24.4),
    ("learnt", "DIS"): (17.6, 23.5),
    ("learnt", "DIS+POS"): (16.7, 23.2),
    ("learnt", "DIS+SYN"): (21.0, 25.1),
    ("learnt on all", "DIS+SYN"): (23.1, 25.8),
}
WMT13 = ("wmt13", "fr-en")
WMT15 = tuple(("wmt15", f"{language}-en") for language in ("cs", "de", "fi", "fr", "ru"))
METRICS = ["bleu", "nist", "ter", "meteor", "chrf"]


@cache
def campaign(data, name, pair):
    """Load one campaign; its segments are told apart from those of others."""
    X, y = load_wmt(data / name, pair, return_X_y=True)
    rows = X.index.to_frame()
    rows["segment"] = f"{name}.{pair}:" + rows["segment"].astype(str)
    X = X.set_axis(pd.MultiIndex.from_frame(rows))
    return X, y.set_axis(X.index)


@cache
def columns(data, name, pair, kind, match):
    """Make the columns of one campaign: trees of a structure, or metric scores."""
    X, _ = campaign(data, name, pair)
    if kind == "metrics":
        found = MetricScores(METRICS).set_output(transform="pandas").fit_transform(X)
        return found.astype(float)
    return RelatedTrees(kind, match=match).fit_transform(X)


def table(data, campaigns, kinds, match):
    """Join the columns of campaigns."""
    parts = [
        pd.concat([columns(data, *each, kind, match) for kind in kinds], axis=1)
        for each in campaigns
    ]
    return pd.concat(parts), pd.concat([campaign(data, *each)[1] for each in campaigns])


def tau(ranks, strengths):
    """Kendall's tau x 100."""
    groups = ranks.index.droplevel("system")
    return 100 * kendall_tau(ranks, strengths, groups=groups)


def show(row, kind, values, note="", paper=None):
    """Print one line of a table."""
    numbers = " ".join(f"{value:7.1f}" for value in values)
    beside = "" if paper is None else f"   paper {paper[0]:5.1f} {paper[1]:5.1f}"
    print(f"{row:22} {kind:9} {numbers}{beside}   {note}", flush=True)


def learnt(data, match, training, tests, kinds, options):
    """Train on some campaigns; return the tau of each test, and what it took."""
    X, y = table(data, training, kinds, match)
    start = perf_counter()
    machine = PreferenceKernelSVC(calibration_folds=None, random_state=0, **options)
    ranker = RankRecomposer(machine, recomposition="hard").fit(X, y)
    spent = perf_counter() - start
    fitted = ranker.estimator_
    values = []
    for each in tests:
        X, ranks = table(data, [each], kinds, match)
        values.append(tau(ranks, ranker.decision_function(X)))
    note = f"{fitted.n_candidates_} candidates, {len(fitted.dual_coef_)} support, {spent:.0f} s"
    return values, note


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with wmt12, wmt13 and wmt15")
    parser.add_argument("--select", action="store_true", help="leave WMT12 alone")
    parser.add_argument("--landmarks", type=int, default=1000, help="Nyström's")
    parser.add_argument("--C", type=float, default=None)
    parser.add_argument("--match", default="stem", choices=("stem", "lower", "lemma"))
    parser.add_argument("--only-numbers", action="store_true", help="the last table alone")
    parser.add_argument("--structures", nargs="+", default=STRUCTURES, choices=STRUCTURES)
    given = parser.parse_args()
    if given.only_numbers:
        given.structures = ()
    fixed = {} if given.C is None else {"C": given.C}
    large = {"n_components": given.landmarks}
    tests = [("wmt12", "cs-en"), ("wmt12", "de-en")]
    trainings = {"WMT13": [WMT13], "WMT15": WMT15, "all": [WMT13, *WMT15]}
    if given.select:
        tests = list(WMT15[:2])
        trainings = {"WMT13": [WMT13], "all": [WMT13, *WMT15[2:]]}
    fit = partial(learnt, given.data, given.match, tests=tests)
    print(f"{'':33}{'   '.join(pair for _, pair in tests)}")
    for structure in given.structures:
        values = []
        for each in tests:
            X, ranks = campaign(given.data, *each)
            values.append(tau(ranks, TreeSimilarity([structure]).fit_transform(X)[:, 0]))
        show("similarity", structure, values, paper=PAPER["similarity", structure])
        for name, training in trainings.items():
            values, note = fit(training, kinds=[structure], options=large | fixed)
            row = "learnt on all" if name == "all" and structure == "DIS+SYN" else "learnt"
            show(f"learnt on {name}", structure, values, note, PAPER[row, structure])
    print("\nTable 2: DIS+SYN trained on one language pair")
    for each in () if given.only_numbers else trainings["all"]:
        values, note = fit([each], kinds=["DIS+SYN"], options=large | fixed)
        show(" ".join(each), "DIS+SYN", values, note)
    if not given.only_numbers:
        values, note = fit([WMT13], kinds=["DIS+SYN"], options=fixed)
        show("wmt13 fr-en, exact", "DIS+SYN", values, note)
    print("\nTrees and metric scores in one kernel machine, trained on all")
    for kinds in (["metrics"], ["DIS+SYN"], ["DIS+SYN", "metrics"]):
        values, note = fit(trainings["all"], kinds=kinds, options=large | fixed)
        show("learnt on all", "+".join(kinds), values, note)


if __name__ == "__main__":
    main()
