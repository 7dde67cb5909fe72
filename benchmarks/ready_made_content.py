"""Add columns that see errors of content to ready-made models: the second stage of their training.

``python benchmarks/ready_made_content.py static-en any any-encoder --encoder FOLDER --work FOLDER
--reader FILE`` adds to each model what its translations contradict of the reference
(``content_flags``), and to models with that encoder what a reader says that was trained by
``content_reader.py``. What a model has learnt stays; only weights of the new columns are learnt, as
log-odds next to its own: on pairs of segments that the reader has not seen, half of them judged by
annotators, half of them sound translations and corruptions of their references. ``--dry`` prints
the weights and changes nothing.
"""

import argparse
import os
import shutil
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from content_reader import second_table
from scipy.optimize import minimize
from scipy.special import expit, logit

from sklearn_mteval import load_pretrained
from sklearn_mteval.features import ContentErrors
from sklearn_mteval.persistence import save_model

FOLDERS = Path(__file__).parents[1] / "sklearn_mteval" / "models" / "ready_made_files"
RIDGE = 1e-3
ENGLISH = ("static-en", "encoder-en", "encoder-large-en")


def pairs_of(y):
    """Return rows (better, worse) of each ranking, and whether the worse is a corruption."""
    labels = y.index.to_frame(index=False)
    groups = labels.groupby(["segment", "ranking"], sort=False).indices
    ranks, systems = y.to_numpy(), labels["system"].astype(str)
    made = systems.str.startswith(("reference ", "winner ")).to_numpy()
    found = [(i, j) for rows in groups.values() for i in rows for j in rows if ranks[i] < ranks[j]]
    better, worse = np.array(found).T
    return better, worse, made[worse]


def log_odds(ranker, columns, better, worse):
    """Return the log-odds that the better one is better, by what a ranker has learnt."""
    values = columns[list(ranker.feature_names_in_)].to_numpy()
    proportions = ranker.estimator_.predict_proba(np.hstack([values[better], values[worse]]))
    return logit(np.clip(proportions[:, 1], 1e-9, 1 - 1e-9))


def weights_of(offsets, differences, weights, signs):
    """Learn the weights of columns next to log-odds that are known."""

    def loss(theta):
        margins = offsets + differences @ theta
        slopes = -weights * expit(-margins)
        value = (weights * np.logaddexp(0, -margins)).sum() + RIDGE * theta @ theta
        return value, differences.T @ slopes + 2 * RIDGE * theta

    bounds = [(0, None) if sign > 0 else (None, 0) for sign in signs]
    return minimize(loss, np.zeros(len(signs)), jac=True, bounds=bounds).x


def append(ranker, names, theta, empty, scale):
    """Give a ranker columns with weights in log-odds for each unit."""
    ensemble = ranker.estimator_
    linear, trees = ensemble.estimators_
    n = len(names)
    unit = ensemble.slope_ * ensemble.factors_[0]
    linear.coef_ = np.concatenate([linear.coef_, [theta * scale / unit]], axis=1)
    linear.n_features_in_ += n
    ensemble.estimators_ = [linear, replace(trees, n_features=trees.n_features + n)]
    ensemble.scale_ = np.concatenate([ensemble.scale_, scale])
    old = list(ranker.feature_names_in_)
    ranker.feature_names_in_ = np.array([*old, *names], dtype=object)
    ranker.n_features_in_ += n
    ensemble.feature_names_in_ = np.array(
        [f"{t}__{name}" for t in ("t1", "t2") for name in (*old, *names)], dtype=object
    )
    ensemble.n_features_in_ += 2 * n
    ranker.empty_ = np.concatenate(
        [ranker.empty_, np.broadcast_to(empty, (*ranker.empty_.shape[:-1], n))], axis=-1
    )
    ranker.shared_features_ = np.concatenate([ranker.shared_features_, np.zeros(n, dtype=bool)])


def extended(name, model, X, y, reader, balance, times):
    """Add the columns to a model; return it and what was learnt."""
    pipeline = model.estimator
    union, ranker = pipeline.named_steps["features"], pipeline[-1]
    names = ["flagged"]
    more = [("flags", ContentErrors(features=names))]
    more += [("reading", reader)] if reader is not None else []
    normalized = pipeline[0].transform(X)
    columns = pipeline[:-1].transform(X)
    added, empties = [], []
    for label, transformer in more:
        transformer.set_output(transform="pandas")
        if label == "flags":
            transformer.fit(normalized)
        added.append(transformer.transform(normalized).add_prefix(f"{label}__"))
        some = normalized[:: max(1, len(X) // 100)].assign(hypothesis="")
        empties.append(transformer.transform(some).mean().to_numpy())
    added, empty = pd.concat(added, axis=1), np.concatenate(empties)
    better, worse, made = pairs_of(y)
    weights = np.where(made, balance / made.sum(), 1 / (~made).sum()) * len(made)
    values = added.to_numpy()
    differences = values[better] - values[worse]
    signs = [1 if column.startswith("reading") else -1 for column in added]
    scale = np.sqrt((differences**2).mean(axis=0)) + 1e-3
    for part in (ranker, ranker.standalone_):
        offsets = log_odds(part, columns, better, worse)
        theta = weights_of(offsets, differences, weights, signs)
        theta[:1] *= times
        margins = offsets + differences @ theta
        print(name, dict(zip(added, theta.round(2), strict=True)))
        for kind, there in {"corrupted": made, "judged": ~made}.items():
            right = [f"{100 * (m[there] > 0).mean():.1f} %" for m in (offsets, margins)]
            print(f"  {kind}: {there.sum()} pairs, right {' -> '.join(right)}", flush=True)
        append(part, list(added), theta, empty, scale)
    union.transformer_list = [*union.transformer_list, *more]
    return model


def main():
    """Add the columns to the models that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--encoder")
    parser.add_argument("--reader", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--segments", type=int, default=120, help="of each set")
    parser.add_argument("--balance", type=float, default=1.0, help="weight of the corruptions")
    parser.add_argument("--times", type=float, default=1.0, help="more weight of flags")
    parser.add_argument("--dry", action="store_true")
    given = parser.parse_args()
    table = second_table(Path(os.environ["SKLEARN_MTEVAL_DATA"]), given.work, given.segments)
    for name in given.models:
        X, y = table
        if name in ENGLISH:
            english = X.index.get_level_values("segment").str.contains("-en:", regex=False)
            X, y = X[english], y[english]
        options = {"encoder": given.encoder} if "encoder" in name else {}
        model = load_pretrained(name, **options)
        reader = None
        if given.reader and name == "any-encoder":
            reader = joblib.load(given.reader).set_params(batch_size=32, progress=False)
        model = extended(name, model, X, y, reader, given.balance, given.times)
        joblib.dump(model, given.work / f"{name}.joblib")
        if not given.dry:
            store(name, model, X, y, given.work)


def store(name, model, X, y, work):
    """Save a model where the package has it, with the hub's name of its encoder."""
    pipeline = model.estimator
    old = load_pretrained(name).estimator.named_steps["features"]
    hubs = {p: t.encoder for p, t in old.transformer_list if hasattr(t, "encoder")}
    for part, transformer in pipeline.named_steps["features"].transformer_list:
        if hasattr(transformer, "encoder") and hubs:
            transformer.set_params(encoder=hubs.get(part, next(iter(hubs.values()))), dtype="auto")
    save_model(pipeline, work / name, X=X, y=y)
    for file in (FOLDERS / name).glob("model-*.skops"):
        file.unlink()
    shutil.copytree(work / name, FOLDERS / name, dirs_exist_ok=True)  # beside its card


if __name__ == "__main__":
    main()
