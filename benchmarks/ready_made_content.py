"""Add columns that see errors of content to ready-made models: the second stage of their training.

``python benchmarks/ready_made_content.py static-en any any-encoder --encoder FOLDER --work FOLDER
--reader FILE`` adds to each model how many errors of content are flagged, and to any-encoder what a
reader says that ``content_reader.py`` has trained. What a model has learnt stays; only weights of
the new columns are learnt, as log-odds next to its own: on segments that the reader has not seen,
judged by annotators, and sound translations with corruptions of their references. ``--dry`` prints
the weights and stores nothing in the package.
"""

import argparse
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
from content_reader import second_table
from scipy.optimize import minimize
from scipy.special import expit, logit

from sklearn_mteval import load_pretrained
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.persistence import save_model

FOLDERS = Path(__file__).parents[1] / "sklearn_mteval" / "models" / "ready_made_files"
RIDGE = 1e-3
MOST = 8.0  # log-odds of a flag: a false one must not put a translation below garbage
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


def insert(ranker, at, name, theta, empty, scale):
    """Give a ranker a column, at a place, with a weight in log-odds for each unit."""
    ensemble = ranker.estimator_
    linear, trees = ensemble.estimators_
    unit = ensemble.slope_ * ensemble.factors_[0]
    linear.coef_ = np.insert(linear.coef_, at, theta * scale / unit, axis=1)
    linear.n_features_in_ += 1
    feature = np.where(trees.feature >= at, trees.feature + 1, trees.feature)
    trees = replace(trees, n_features=trees.n_features + 1, feature=feature.astype(np.int32))
    ensemble.estimators_ = [linear, trees]
    ensemble.scale_ = np.insert(ensemble.scale_, at, scale)
    names = list(ranker.feature_names_in_)
    names.insert(at, name)
    ranker.feature_names_in_ = np.array(names, dtype=object)
    ranker.n_features_in_ += 1
    pairs = [f"{t}__{name}" for t in ("t1", "t2") for name in names]
    ensemble.feature_names_in_ = np.array(pairs, dtype=object)
    ensemble.n_features_in_ += 2
    ranker.empty_ = np.insert(ranker.empty_, at, empty, axis=-1)
    ranker.shared_features_ = np.insert(ranker.shared_features_, at, False)


def extended(name, model, X, y, reader, given):
    """Add the columns to a model."""
    pipeline = model.estimator
    union, ranker = pipeline.named_steps["features"], pipeline[-1]
    normalized, columns = pipeline[0].transform(X), pipeline[:-1].transform(X)
    errors = dict(union.transformer_list)["contenterrors"]
    if "flagged" in errors.get_feature_names_out():
        raise ValueError(f"{name} has these columns already: take the first stage's file.")
    errors.features = [*errors.get_feature_names_out(), "flagged"]
    more = {"contenterrors": errors} | ({"crossencoder": reader} if reader is not None else {})
    added, empty = {}, {}
    for label, transformer in more.items():
        transformer.set_output(transform="pandas")
        found = transformer.transform(normalized).iloc[:, -1]
        added[f"{label}__{found.name}"] = found.to_numpy()
        # Nothing is wrong in the empty texts that scores are compared with: they are only worse.
        some = normalized[:: max(1, len(X) // 100)].assign(hypothesis="")
        empty[f"{label}__{found.name}"] = transformer.transform(some).iloc[:, -1].mean()
    empty["contenterrors__flagged"] = 0.0
    better, worse, made = pairs_of(y)
    weights = np.where(made, given.balance / made.sum(), 1 / (~made).sum()) * len(made)
    values = np.column_stack(list(added.values()))
    differences = values[better] - values[worse]
    scale = np.sqrt((differences**2).mean(axis=0))
    signs = [-1 if column.endswith("flagged") else 1 for column in added]
    for part in (ranker, ranker.standalone_):
        offsets = log_odds(part, columns, better, worse)
        theta = weights_of(offsets, differences, weights, signs)
        theta[0] = max(theta[0] * given.times, -MOST)
        margins = offsets + differences @ theta
        print(name, dict(zip(added, theta.round(2).tolist(), strict=True)))
        for kind, there in {"corrupted": made, "judged": ~made}.items():
            right = [f"{100 * (m[there] > 0).mean():.1f} %" for m in (offsets, margins)]
            print(f"  {kind}: {there.sum()} pairs, right {' -> '.join(right)}", flush=True)
        names = [str(n) for n in part.feature_names_in_]
        last = max(k for k, n in enumerate(names) if n.startswith("contenterrors__"))
        for at, (column, weight, size) in zip(
            (last + 1, len(names) + 1), zip(added, theta, scale, strict=True), strict=False
        ):
            insert(part, at, column, weight, empty[column], size)
    if reader is not None:
        union.transformer_list = [*union.transformer_list, ("crossencoder", reader)]
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
    parser.add_argument("--times", type=float, default=3.0, help="more weight of flags than learnt")
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
        model = extended(name, model, X, y, reader, given)
        joblib.dump(model, given.work / f"{name}.joblib")
        if not given.dry:
            store(name, model, X, y, given.work)


def store(name, model, X, y, work):
    """Save a model where the package has it, with the hub's name of its encoder."""
    pipeline = model.estimator
    for _, transformer in pipeline.named_steps["features"].transformer_list:
        if hasattr(transformer, "encoder"):  # no folder of this machine
            transformer.set_params(encoder=READY_MADE[name].encoder.hub, dtype="auto")
    save_model(pipeline, work / name, X=X, y=y)
    # The first stage's data are what the model is of: of the second come one weight or two.
    signatures = FOLDERS / name / "signature.json", work / name / "signature.json"
    before, now = (json.loads(path.read_text(encoding="utf-8")) for path in signatures)
    now |= {key: before[key] for key in ("training_data", "n_candidates")}
    signatures[1].write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
    for file in (FOLDERS / name).glob("model-*.skops"):
        file.unlink()
    shutil.copytree(work / name, FOLDERS / name, dirs_exist_ok=True)  # next to its card


if __name__ == "__main__":
    main()
