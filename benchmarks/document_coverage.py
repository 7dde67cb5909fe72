"""How often intervals of leaderboards hold the truth, and how often equal systems are told apart.

Campaigns are drawn with replacement, by whole documents, from judged ones, whose own scores are the
truth. For false alarms, systems' labels are permuted within each document. Run
``python benchmarks/document_coverage.py --draws 2000``, with SKLEARN_MTEVAL_DATA set; ``--by`` and
``--campaigns`` choose, ``--segments`` takes segments for independent, to compare, and ``--missing
0.4`` leaves out that proportion of each document's systems, at random, in what is drawn.
"""

import argparse
import csv
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from sklearn_mteval.datasets import load_esa, load_mtme
from sklearn_mteval.evaluation import leaderboard

DATA = Path(os.environ.get("SKLEARN_MTEVAL_DATA", ""))


def wmt23(lang_pair):
    """Return judgements of WMT23's MQM, and documents."""
    loaded = load_mtme(DATA / "wmt23", lang_pair)
    return loaded.y, loaded.documents


def wmt24(lang_pair):
    """Return judgements of WMT24's ESA, and documents."""
    path = DATA / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
    loaded = load_esa(path, lang_pair, average_judges=True)
    return loaded.y, loaded.documents


def wmt21(name):
    """Return penalties of WMT21's MQM, the campaign's weights, and documents."""
    path = DATA / "mqm" / f"mqm_newstest2021_{name}.tsv.gz"
    rows = pd.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False)
    severity, category = rows["severity"].str.lower(), rows["category"].str.lower()
    rows["points"] = np.select(
        [
            category.str.contains("non-translation"),
            severity.eq("critical"),
            severity.eq("major"),
            severity.eq("minor") & category.str.contains("punctuation"),
            severity.eq("minor"),
        ],
        [25, 10, 5, 0.1, 1],
        0.0,
    )
    rows["segment"] = rows["doc"] + ":" + rows["seg_id"].astype(str)
    by_rater = rows.groupby(["segment", "system", "rater", "doc"])["points"].sum()
    y = by_rater.groupby(["segment", "system", "doc"]).mean().reset_index("doc")
    return y["points"], y["doc"]


CAMPAIGNS = {
    "wmt23 zh-en": (wmt23, "zh-en"),
    "wmt23 he-en": (wmt23, "he-en"),
    "wmt24 en-cs": (wmt24, "en-cs"),
    "wmt24 en-ja": (wmt24, "en-ja"),
    "wmt21 en-de": (wmt21, "ende"),
    "wmt21 zh-en": (wmt21, "zhen"),
}


def parts_of(y, documents):
    """List the table of scores (n_segments, n_systems) of each document, and the systems.

    Of systems that no segment connects, the most are kept.
    """
    table = y.rename("y").reset_index().pivot_table("y", "segment", "system")
    there = table.notna().to_numpy(dtype=float)
    part = connected_components(there.T @ there, directed=False)[1]
    table = table.loc[:, part == np.bincount(part).argmax()].dropna(how="all")
    of_segment = documents.groupby(level="segment").first().loc[table.index]
    parts = [table[of_segment == name].to_numpy() for name in of_segment.unique()]
    return parts, table.columns


def board(parts, systems, by, clustered):
    """Make the leaderboard of documents."""
    values = np.concatenate(parts)
    document = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    segment, system = np.nonzero(~np.isnan(values))
    index = pd.MultiIndex.from_arrays([segment, systems[system]], names=["segment", "system"])
    documents = [f"d{k}" for k in document[segment]] if clustered else None
    X, y = pd.DataFrame(index=index), values[segment, system] - 1000  # no ranks
    return leaderboard(X, y, by=by, documents=documents, n_resamples=500)


def thinned(part, missing, rng):
    """Return a document without the scores of a proportion of its systems, at least two left."""
    n = part.shape[1]
    left_out = rng.permutation(n)[: min(round(missing * n), n - 2)]
    part = part.copy()
    part[:, left_out] = np.nan
    return part


def coverage(parts, systems, by, clustered, draws, rng, missing=0.0):
    """Return coverage by bootstrap and by sandwich, and false alarms, in campaigns drawn."""
    truth = board(parts, systems, by, True).table["score"]
    held, alarms = [], []
    for _ in range(draws):
        drawn = [parts[k] for k in rng.integers(len(parts), size=len(parts))]
        if missing:
            drawn = [thinned(part, missing, rng) for part in drawn]
        table = board(drawn, systems, by, clustered).table
        expected = truth.loc[table.index]
        held.append(
            [
                ((table[f"{kind}low"] <= expected) & (expected <= table[f"{kind}high"])).mean()
                for kind in ("", "sandwich_")
            ]
        )
        permuted = [part[:, rng.permutation(len(systems))] for part in drawn]
        alarms.append(board(permuted, systems, by, clustered).paired.differ.any())
    return (*np.mean(held, axis=0), np.mean(alarms))


def main():
    """Print a line for each campaign and score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--by", nargs="+", default=["mean", "win-rate", "strength"])
    parser.add_argument("--campaigns", nargs="+", default=list(CAMPAIGNS))
    parser.add_argument("--segments", action="store_true")
    parser.add_argument("--missing", type=float, default=0.0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("campaign     by        documents  bootstrap  sandwich  false alarms")
    for name in arguments.campaigns:
        load, which = CAMPAIGNS[name]
        parts, systems = parts_of(*load(which))
        for by in arguments.by:
            rng = np.random.default_rng(0)
            given = not arguments.segments, arguments.draws, rng, arguments.missing
            found = coverage(parts, systems, by, *given)
            numbers = [f"{100 * x:.1f}" for x in found]
            print(
                f"{name:12} {by:9} {len(parts):9}  {numbers[0]:>9}  {numbers[1]:>8}  {numbers[2]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
