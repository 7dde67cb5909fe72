"""Whether an encoder that reads two translations together compares better than one that reads each.

``python benchmarks/reading_pairs.py TRIAL … --encoder FOLDER --work FOLDER`` trains one reader for
each trial of ``TRIALS`` and prints, as rows of Markdown, tau x 100 and acc_eq x 100 on the tests of
``reader_of_three.py``, five systems of a segment. All learn from the same translations, WMT15's
rankings, MQM of WMT20 and of biomedical texts, of which they are told only who is better:
`CrossEncoder` reads each translation once, `PairwiseCrossEncoder` pairs drawn from them, in both
orders, as many readings in as many steps; "all pairs" reads all that there are.
"""

import argparse
import os
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
from reader_of_three import MQM, RANKED, agreement, row, tests, training

from sklearn_mteval import RankRecomposer
from sklearn_mteval.features import CrossEncoder
from sklearn_mteval.pairwise import PairwiseCrossEncoder

SETS = (*RANKED[1:], *(name for name in MQM if name.startswith(("wmt20", "bio"))))
LEFT_OUT = "bio fr-en"
MIX = {name: 200 for name in SETS if name != LEFT_OUT}
TEST_SYSTEMS = 5
OPTIONS = {"dtype": "bfloat16", "batch_size": 32}
TRIALS = {
    f"{context}, {reader}": (context, reader)
    for context in ("source", "reference")
    for reader in ("each", "pairs", "all pairs")
}


class SomePairs(PairwiseCrossEncoder):
    """Trained on so many of the pairs, drawn at random."""

    n_pairs = None

    def fit(self, X, y):
        some = np.random.default_rng(0).permutation(len(X))[: self.n_pairs]
        return super().fit(X.iloc[some], y[some])


def scores_of_each(encoder, context, X, y, tables):
    """Train a reader of single translations; return CPU minutes, and scores of the tests."""
    began = process_time()
    reader = CrossEncoder(encoder, columns=(context, "hypothesis"), cv=None, **OPTIONS).fit(X, y)
    minutes = (process_time() - began) / 60
    return minutes, {n: np.asarray(reader.transform(table))[:, 0] for n, table in tables.items()}


def scores_of_pairs(encoder, context, X, y, tables, kind):
    """Train a reader of pairs; return CPU minutes, and strengths in the tests."""
    began, columns = process_time(), [context, "hypothesis"]
    ranker = RankRecomposer(kind(encoder, columns=columns, **OPTIONS)).fit(X[columns], y)
    minutes = (process_time() - began) / 60
    return minutes, {n: ranker.decision_function(table[columns]) for n, table in tables.items()}


def trained(data, work, label, encoder):
    """Return CPU minutes of a trial's training, and scores of the tests."""
    stored = work / f"pairs {label}.joblib"
    if not stored.exists():
        context, reader = TRIALS[label]
        X, y, _ = training(data, work, MIX)
        tables = {name: table for name, (table, _) in few(tests(data, work)).items()}
        given = encoder, context, X, y, tables
        if reader == "each":
            found = scores_of_each(*given)
        else:
            SomePairs.n_pairs = len(X) // 2
            kind = PairwiseCrossEncoder if reader == "all pairs" else SomePairs
            found = scores_of_pairs(*given, kind)
        joblib.dump(found, stored)
    return joblib.load(stored)


def few(tables):
    """Keep the first systems of each segment."""
    place = {n: X.groupby(level="segment").cumcount().to_numpy() for n, (X, _) in tables.items()}
    return {
        n: (X[place[n] < TEST_SYSTEMS], y[place[n] < TEST_SYSTEMS]) for n, (X, y) in tables.items()
    }


def main():
    """Run the trials that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", nargs="+", metavar="TRIAL", choices=TRIALS)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    for label in given.trials:
        minutes, scores = trained(data, given.work, label, given.encoder)
        row(label, agreement(few(tests(data, given.work)), scores), f"{minutes:.0f} min")


if __name__ == "__main__":
    main()
