"""Does training on blocks find the model of all rows in memory? On WMT, with real judgements.

``python benchmarks/training_blocks.py`` prints a Markdown table, within half a minute. Models of
BLEU's and chrF's components are trained on WMT15's five pairs into English, each of which is a
block, and tested on WMT13 fr-en. Below the table: how far the weights lie apart, in log-odds of a
standard deviation, and which proportion of the predicted ranks differs.
"""

import os
from pathlib import Path

import pandas as pd
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import BLEUComp, PairDifference, RankRecomposer, kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import ChrFComp

DATA = Path(os.environ.get("SKLEARN_MTEVAL_DATA", ""))
PAIRS = ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")
EPOCHS = 5


def columns(campaign, pair, first=0):
    """Load components and ranks; line numbers begin at ``first``."""
    features = make_union(BLEUComp(), ChrFComp()).set_output(transform="pandas")
    X, y = load_wmt(DATA / campaign, pair, return_X_y=True)
    tables = features.fit_transform(X), y
    return [table.rename(index=lambda line: line + first, level="segment") for table in tables]


def ranker(classifier):
    """Make a ranker with the steps of the default one."""
    return RankRecomposer(make_pipeline(PairDifference(), StandardScaler(), classifier))


def main():
    """Print the table."""
    blocks = [columns("wmt15", pair, 100_000 * number) for number, pair in enumerate(PAIRS)]
    X, y = (pd.concat(parts) for parts in zip(*blocks, strict=True))
    new, annotators = columns("wmt13", "fr-en")
    models = {
        "`fit_blocks`": RankRecomposer().fit_blocks(blocks),
        "`fit`, Newton's method": ranker(
            LogisticRegression(solver="newton-cholesky", tol=1e-12)
        ).fit(X, y),
        "`fit`, the default solver": RankRecomposer().fit(X, y),
    }
    first, *others = models
    print("| trained on WMT15 into English by | WMT13 fr-en |\n|---|---|")

    def row(name, model):
        groups = new.index.droplevel("system")
        tau = kendall_tau(annotators, model.decision_function(new), groups=groups)
        print(f"| {name} | {100 * tau:.2f} |", flush=True)

    for name, model in models.items():
        row(name, model)
    stochastic = ranker(SGDClassifier(loss="log_loss", random_state=0))
    for epoch in range(EPOCHS):
        for block in blocks:
            stochastic.partial_fit(*block)
        if epoch in (0, EPOCHS - 1):
            row(f"`partial_fit` of `SGDClassifier`, epochs: {epoch + 1}", stochastic)

    weights = {name: model.estimator_[-1].coef_[0] for name, model in models.items()}
    ranks = {name: model.predict(new) for name, model in models.items()}
    print(f"\n{models[first].n_pairs_} pairs, {X.shape[1]} columns, largest weight "
          f"{abs(weights[first]).max():.2g}")  # fmt: skip
    for name in others:
        apart = abs(weights[name] - weights[first]).max()
        other = (ranks[name] != ranks[first]).mean()
        print(f"{name}: weights {apart:.2g} apart, other ranks {other:.1%}")


if __name__ == "__main__":
    main()
