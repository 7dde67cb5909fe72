"""How good the model without references is: ``python benchmarks/without_references.py``.

``--columns FILE`` is what ``ready_made.py no-reference-encoder`` left in its working folder:
columns of language pairs of which the cross-encoder has seen no language but English, in no
direction. The ranker is trained on the other languages, so that each language is new to both.
Printed are strict tau x 100 (variant wmt12) of scores, which see one translation, and of ranks; in
how many percent the reference has a higher score than a translation, and pairs of systems are
ordered as by the annotators; and how often scores prefer a translation to its
corruption.

``--judge FILE`` (``no-reference-encoder.held-out.joblib``) measures that cross-encoder's expected
direct assessment on MLQE-PE's development sets of languages that it has not seen, and its
probability of critical errors. ``--model NAME`` measures a model's scores on all of these sets.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from ready_made_source import CRITICAL, HELD_OUT, MLQE
from scipy.stats import pearsonr
from sklearn.metrics import roc_auc_score

from sklearn_mteval import RankRecomposer, kendall_tau, load_pretrained
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.datasets import load_mlqe
from sklearn_mteval.features import NormalizeText
from sklearn_mteval.metrics import agreement_interval, human_system_scores, system_agreement
from sklearn_mteval.models import score_candidates
from sklearn_mteval.pairwise.absolute import standalone_scores


def by_language(columns):
    """Leave each language out of the ranker's training; return a row for each language pair."""
    y = columns.pop("rank")
    labels = columns.index.to_frame(index=False)
    pair = labels["segment"].str.extract(r"^(\w+\.[a-z]{2}-[a-z]{2})")[0].to_numpy()
    corrupted = labels["segment"].str.contains("#").to_numpy()
    of_reference = (labels["ranking"] == "reference").to_numpy()
    rows, won = [], []
    for language in sorted(HELD_OUT):
        here = np.array([language in name.partition(".")[2].split("-") for name in pair])
        if not here.any():
            continue
        ranker = RankRecomposer(PairEnsemble(), standalone=True).fit(columns[~here], y[~here])
        for name in sorted(set(pair[here])):
            judged = (pair == name) & ~corrupted & ~of_reference
            X, ranks = columns[judged], y[judged]
            row = {"pair": name, "judged": len(X)}
            for what, values in (
                ("scores", standalone_scores(ranker, X)),
                ("ranks", ranker.decision_function(X)),
            ):
                row[what] = 100 * kendall_tau(ranks, values, groups=comparable_groups(X))
                low, high = agreement_interval(
                    ranks, values, groups=comparable_groups(X),
                    documents=X.index.get_level_values("segment"),
                )  # fmt: skip
                row[f"{what}: 95 %"] = f"[{100 * low:.1f}, {100 * high:.1f}]"
            scores = pd.Series(np.asarray(standalone_scores(ranker, X)), X.index)
            means = scores.groupby(level="system").mean()
            human = human_system_scores(X, ranks)[means.index]
            row["systems ordered"] = 100 * system_agreement(human, means)
            beside = (pair == name) & of_reference
            row["reference wins"] = 100 * np.mean(_wins(ranker, columns[beside], y[beside]))
            rows.append(row)
            pairs = (pair == name) & corrupted & (labels["ranking"] == "pair").to_numpy()
            kinds = columns[pairs].index.get_level_values("segment").str.split("#").str[1]
            scored = pd.Series(standalone_scores(ranker, columns[pairs])).to_numpy()
            table = pd.DataFrame({"kind": kinds, "score": scored, "rank": y[pairs].to_numpy()})
            table["segment"] = columns[pairs].index.get_level_values("segment")
            sides = table.sort_values(["segment", "rank"])
            better, worse = (sides["score"].to_numpy()[k::2] for k in (0, 1))
            won.append(pd.DataFrame({"kind": sides["kind"].to_numpy()[::2], "won": better > worse}))
    kinds = pd.concat(won).groupby("kind")["won"].agg(["mean", "size"])
    return pd.DataFrame(rows), kinds.assign(mean=100 * kinds["mean"])


def _wins(ranker, X, y):
    """Tell of each translation beside a reference whether the reference has a higher score."""
    segments = X.index.get_level_values("segment")
    scores = np.asarray(standalone_scores(ranker, X))
    table = pd.DataFrame({"segment": segments, "score": scores, "y": y.to_numpy()})
    best = table[table["y"] == 0].groupby("segment")["score"].max()
    others = table[table["y"] > 0]
    return others["segment"].map(best).to_numpy() > others["score"].to_numpy()


def on_assessments(data, judge, unseen):
    """Correlate with direct assessments, and tell critical errors.

    ``judge(X)`` gives quality, and what says that there is an error, and that there is none.
    """
    rows = []
    folder = Path(data) / "mlqe"
    for pair in MLQE:
        if unseen and HELD_OUT.isdisjoint(pair.split("-")):
            continue
        X, y = load_mlqe(folder / f"{pair}.dev.tsv.gz", gold="da_z", return_X_y=True)
        quality, _, sound = judge(X)
        row = {"pair": pair, "n": len(X), "Pearson": pearsonr(quality, -y).statistic}
        if sound is not None:
            edits = load_mlqe(folder / f"{pair}.dev.tsv.gz", gold="hter", return_X_y=True)[1]
            row |= {"error-free": (edits == 0).mean(), "expected": sound.mean()}
            row["ECE"] = calibration_error(sound, (edits == 0).to_numpy(dtype=float))
        rows.append(row)
    for pair in CRITICAL:
        if unseen and HELD_OUT.isdisjoint(pair.split("-")):
            continue
        file = folder / f"critical.{pair}.dev.tsv.gz"
        X, y = load_mlqe(file, gold="critical", return_X_y=True)
        rows.append({"pair": pair, "n": len(X), "AUC": roc_auc_score(y, judge(X)[1])})
    return pd.DataFrame(rows)


def calibration_error(expected, observed, n_bins=10):
    """Average how far probabilities lie from proportions, in bins of equal width."""
    bins = np.minimum((expected * n_bins).astype(int), n_bins - 1)
    total = 0
    for k in np.unique(bins):
        there = bins == k
        total += there.sum() * abs(expected[there].mean() - observed[there].mean())
    return total / len(expected)


def main():
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("SKLEARN_MTEVAL_DATA"))
    parser.add_argument("--columns")
    parser.add_argument("--judge")
    parser.add_argument("--model")
    parser.add_argument("--encoder")
    given = parser.parse_args()
    if given.columns:
        for table in by_language(pd.read_pickle(given.columns)):
            print(table.round(1).to_string(), "\n", flush=True)
    if given.judge:
        cross_encoder = joblib.load(given.judge).set_params(progress=False, batch_size=32)
        cross_encoder.set_output(transform="pandas")

        def columns_of(X):
            found = cross_encoder.transform(NormalizeText().fit_transform(X))
            names = ("da", "critical", "error_free")
            return [found[f"crossencoder_{name}"].to_numpy() for name in names]

        print(on_assessments(given.data, columns_of, unseen=True).round(3).to_string(), "\n")
    if given.model:
        model = load_pretrained(given.model, encoder=given.encoder)

        def scores_of(X):
            scores = score_candidates(model, X).loc[X.index].to_numpy()
            return scores, -scores, None

        print(on_assessments(given.data, scores_of, unseen=False).round(3).to_string())


if __name__ == "__main__":
    main()
