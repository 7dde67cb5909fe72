"""How good a model without references is: ``python benchmarks/without_references.py MODEL``.

Printed for each set, of segments that neither its cross-encoder nor its ranker was trained on
(``without_reference_texts.py``): strict tau x 100 of ranks and of scores; in how many of a hundred
cases a human translation has a higher score than a system's; which percentage of good translations
the most successful of some sentences beats that would do anywhere; and how often a good translation
beats what was damaged of it, by the score and in a ranking of both.

``--assessed`` prints how scores correlate with MLQE-PE's direct assessments, instead. ``--encoder``
names the folder of the encoder.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from reader_of_three import MQM, draw
from ready_made_source import MLQE
from scipy.stats import pearsonr
from without_reference_texts import STOCK, best_of, damages, first_segments, load_part

from sklearn_mteval import kendall_tau, load_pretrained
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_mlqe
from sklearn_mteval.models import score_candidates
from sklearn_mteval.pairwise.absolute import apply_steps, standalone_scores
from sklearn_mteval.persistence import load_model

SETS = (
    "wmt15 en-de", "wmt15 en-cs", "wmt15 en-ru", "wmt15 en-fi", "wmt15 en-fr", "wmt15 de-en",
    "wmt20 en-de", "wmt20 zh-en", "wmt21 en-de", "wmt21 zh-en", "wmt21 en-ru",
)  # fmt: skip
SEGMENTS, SYSTEMS, RANKINGS = 50, 6, 3  # of a set; of a segment of MQM; of one of WMT15


def tested(data, name):
    """Return translations of a set, by systems and people, and their ranks."""
    X, y = load_part(data, name, "test")
    there = X.index.isin(first_segments(X, SEGMENTS), level="segment")
    X, y = X[there], y[there]
    systems = X.index.get_level_values("system")
    human = systems.str.startswith("human")
    if name in MQM:
        there = human | systems.isin(sorted(set(systems[~human]), key=draw)[:SYSTEMS])
    else:
        labels = X.index.to_frame(index=False)
        drawn = labels["ranking"].map({v: draw(v) for v in labels["ranking"].unique()})
        there = (drawn.groupby(labels["segment"]).rank("dense") <= RANKINGS).to_numpy()
    return X[there], y[there]


def damaged_pairs(best):
    """Return of each set a table: its segments, kinds of damage, and pairs of good and bad texts.

    ``best`` maps names of sets to the best translations of their segments.
    """
    elsewhere = {}
    for name, table in best.items():
        for source, text in zip(table["source"], table["hypothesis"], strict=True):
            elsewhere.setdefault(source, {})[name.split("-")[1]] = text
    found = {}
    for name, table in best.items():
        language, good = name.split("-")[1], table["hypothesis"].tolist()
        pool = [
            t for other in best if not other.endswith(language) for t in best[other]["hypothesis"]
        ]
        foreign = []
        for k, source in enumerate(table["source"]):
            same = [text for of, text in elsewhere[source].items() if of != language]
            foreign.append(same[0] if same else pool[k % len(pool)])
        kinds = damages(table, good[1:] + good[:1], foreign)
        kinds |= {f"anywhere {k}": [text] * len(good) for k, text in enumerate(STOCK[language])}
        rows = [
            (f"{kind}:{k}", source, text)
            for kind, made in kinds.items()
            for k, (source, was, bad) in enumerate(zip(table["source"], good, made, strict=True))
            if bad is not None
            for text in (was, bad)
        ]
        pairs = pd.DataFrame(rows, columns=["segment", "source", "hypothesis"])
        pairs["system"] = np.tile(["good", "bad"], len(pairs) // 2)
        found[name] = pairs.set_index(["segment", "system"])
    return found


def human_above_systems(X, scores):
    """Return in how many of a hundred pairs a human translation scores above a system's."""
    human = X.index.get_level_values("system").str.startswith("human")
    won = []
    for rows in X.groupby("segment").indices.values():
        is_human = human[rows]
        differences = np.subtract.outer(scores[rows][is_human], scores[rows][~is_human])
        won += list((np.sign(differences).ravel() + 1) / 2)
    return 100 * np.mean(won) if won else np.nan


def measured(model, X, y, pairs):
    """Return one row of the first table, and the percentages of won pairs by kind of damage."""
    system = ~X.index.get_level_values("system").str.startswith("human")
    columns, ranker = apply_steps(model, X)
    groups, scores = comparable_groups(X[system]), np.asarray(standalone_scores(ranker, columns))
    own, _ = apply_steps(model, X[system])
    found = {
        "tau of ranks": 100 * kendall_tau(y[system], ranker.decision_function(own), groups=groups),
        "tau of scores": 100 * kendall_tau(y[system], scores[system], groups=groups),
        "human above": human_above_systems(X, scores),
    }
    columns, _ = apply_steps(model, pairs)
    said = {"score": standalone_scores(ranker, columns), "rank": ranker.decision_function(columns)}
    won = {of: np.asarray(values)[::2] > np.asarray(values)[1::2] for of, values in said.items()}
    kinds = pairs.index.get_level_values("segment")[::2].str.partition(":").get_level_values(0)
    won = 100 * pd.DataFrame(won).groupby(kinds.to_numpy()).mean()
    anywhere = won.index.str.startswith("anywhere")
    best = 100 - won[anywhere].min()
    found |= {"anywhere beats, score": best["score"], "anywhere beats, rank": best["rank"]}
    return found, won[~anywhere]


def on_assessments(data, model):
    """Correlate scores with direct assessments of MLQE-PE's development sets."""
    for pair in MLQE:
        X, y = load_mlqe(data / "mlqe" / f"{pair}.dev.tsv.gz", gold="da_z", return_X_y=True)
        scores = score_candidates(model, X).loc[X.index]
        print(f"{pair}: {pearsonr(scores, -y).statistic:.2f} of {len(X)}", flush=True)


def main():
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="name of a ready-made model, or folder of a saved one")
    parser.add_argument("--encoder")
    parser.add_argument("--assessed", action="store_true")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    given = parser.parse_args()
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    if Path(given.model).exists():
        model = load_model(given.model)
    else:
        model = load_pretrained(given.model, encoder=given.encoder, windows=False)
    if given.assessed:
        on_assessments(data, model)
        return
    tables = {name: tested(data, name) for name in given.sets}
    pairs = damaged_pairs({name: best_of(*table) for name, table in tables.items()})
    rows, kinds = {}, {}
    for name, table in tables.items():
        rows[name], kinds[name] = measured(model, *table, pairs[name])
    table = pd.DataFrame(rows).T
    print(pd.concat([table, table.mean().to_frame("mean").T]).round(1).to_string(), "\n")
    kinds = pd.concat(kinds, axis=1).swaplevel(axis=1)
    scores = kinds["score"].assign(mean=kinds["score"].mean(axis=1))
    print(scores.assign(ranks=kinds["rank"].mean(axis=1)).round(0).to_string())


if __name__ == "__main__":
    main()
