"""What the encoder that reads sources learns from: rankings, post-edits, graded judgements.

Rankings of WMT13, WMT15 and IT into and out of English; the references of these, better than the
translations; corrupted translations, worse; MLQE-PE's post-edits, direct assessments and critical
errors. Segments are sampled, because each pair of texts takes a fiftieth of a second.
"""

import argparse
import os
from functools import partial
from hashlib import blake2b
from importlib.resources import as_file
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from ready_made_training import ANY_DIRECTION, load_training, with_corruptions

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_mlqe
from sklearn_mteval.features import CrossEncoder, NormalizeText
from sklearn_mteval.models.cards import READY_MADE as shipped
from sklearn_mteval.pairwise.ranking_pipeline import transformers_in
from sklearn_mteval.persistence import load_model

MLQE = ("en-de", "ro-en", "et-en", "ne-en", "si-en")
CRITICAL = ("en-de", "en-cs")
TARGETS = ["da", "error_free", "critical"]
SEGMENTS = 220  # of each campaign and language pair, of WMT13's three times as many
ASSESSED, POST_EDITED = 1_400, 700  # of each of MLQE's language pairs
COMPARED_WITH_REFERENCE = 2  # translations of a segment
CORRUPTED = {"proportion": 0.2, "reference_proportion": 0.03}


def kept(part):
    """Return the maker of a part of the shipped model that is kept to the bit, and its columns."""
    return partial(_kept, part)


def _kept(part, workshop, name, training, encoder):
    stored = workshop.work / f"{name}.{part}.joblib"
    if not stored.exists():
        model = load_pretrained(name, encoder=encoder, windows=False)
        joblib.dump(_part(model, part).set_params(batch_size=32).transform(training.X), stored)
    with as_file(shipped[name].files) as folder:
        return _part(load_model(folder), part), joblib.load(stored).set_axis(training.X.index)


def _part(model, name):
    """Return the transformer whose columns have a prefix that ends in a name."""
    prefix = f"{name}__"
    return next(step for of, step in transformers_in(model) if of.endswith(prefix))


def train_reader(data, encoder, file):
    """Train the cross-encoder as that of the shipped model was."""
    X, y, targets = source_training(data)
    judge = CrossEncoder(encoder, dtype="bfloat16", progress=True).fit(X, y, targets)
    joblib.dump(judge, file)


def source_training(data, campaigns=ANY_DIRECTION):
    """Make the table that a cross-encoder is trained on, with its ranks and targets."""
    X, y, _ = load_training(data, campaigns)
    X, y = sampled(X, y, SEGMENTS)
    columns = ["source", "reference", "hypothesis"]
    tables, ranks, targets = [], [], []

    def add(table, rank, **known):
        tables.append(table[["source", "hypothesis"]])
        ranks.append(pd.Series(rank, table.index))
        targets.append(pd.DataFrame(known, index=table.index, columns=TARGETS, dtype=float))

    judged, judged_ranks = with_references(X[columns], y)
    n = len(judged)
    sound = np.r_[np.full(len(X), np.nan), judged_ranks[len(X) :] == 0]
    of_reference = np.where(sound == 1, 1.0, np.nan)
    add(judged, judged_ranks.to_numpy(), error_free=of_reference, critical=1 - of_reference)
    corrupted, corrupted_ranks, _ = with_corruptions(judged, judged_ranks, **CORRUPTED)
    # Pairs only: what competes beside them tells nothing.
    pair = corrupted.index.get_level_values("ranking") == "pair"
    pair[:n] = False
    worse = corrupted_ranks[pair].to_numpy()
    worse = np.where(worse > worse.min(), 1.0, np.nan)
    add(corrupted[pair], corrupted_ranks[pair].to_numpy(), error_free=1 - worse, critical=worse)
    for lang_pair in MLQE:
        _add_mlqe(add, Path(data) / "mlqe", lang_pair)
    for lang_pair in CRITICAL:
        file = Path(data) / "mlqe" / f"critical.{lang_pair}.train.tsv.gz"
        table, critical = load_mlqe(file, gold="critical", return_X_y=True)
        order = np.array([_draw(str(s)) for s in table.index.get_level_values("segment")])
        errors = critical.to_numpy() > 0
        limit = np.sort(order[~errors])[errors.sum()]
        there = errors | (order < limit)
        table = _named(table[there], f"critical.{lang_pair}")
        add(table, 0.0, critical=critical[there].to_numpy())
    normalize = NormalizeText()
    table = pd.concat(tables)
    return normalize.fit_transform(table), pd.concat(ranks), pd.concat(targets)


def _add_mlqe(add, folder, lang_pair):
    """Add direct assessments, standardised within the language pair, and post-edits."""
    file = folder / f"{lang_pair}.train.tsv.gz"
    table, assessed = load_mlqe(file, gold="da_z", return_X_y=True)
    edits = load_mlqe(file, gold="hter", return_X_y=True)[1]
    order = np.array([_draw(str(s)) for s in table.index.get_level_values("segment")])
    there = order <= np.sort(order)[ASSESSED - 1]
    da = -(assessed - assessed.mean()) / assessed.std()
    of = {"da": da[there].to_numpy(), "error_free": (edits[there] == 0).to_numpy(dtype=float)}
    add(_named(table[there], f"mlqe.{lang_pair}"), 0.0, **of)
    table, edits = load_mlqe(file, gold="post_edit", return_X_y=True)
    segments = table.index.get_level_values("segment")
    needed = segments.isin(table.index[(edits > 0).to_numpy()].unique("segment"))
    order = np.array([_draw(f"edit {s}") for s in segments])
    limit = np.sort(np.unique(order[needed]))[POST_EDITED]
    there = needed & (order < limit)
    sound = edits[there].to_numpy() == 0
    of = {"error_free": sound.astype(float), "critical": np.where(sound, 0.0, np.nan)}
    add(_named(table[there], f"edit.{lang_pair}"), edits[there].to_numpy(), **of)


def with_references(X, y):
    """Add the reference of each segment, in a ranking above some of its translations."""
    labels = X.index.to_frame(index=False)
    segments = X.reset_index(drop=True).groupby(labels["segment"].to_numpy(), sort=True)
    found, ranks, index = [X], [y.astype(float)], []
    rows, places = [], []
    for segment, part in segments:
        reference = part["reference"].iloc[0]
        if not reference.strip():
            continue
        texts = [text for text in dict.fromkeys(part["hypothesis"]) if text != reference]
        texts = sorted(texts, key=_draw)[:COMPARED_WITH_REFERENCE]
        for place, text in enumerate([reference, *texts]):
            rows.append((part["source"].iloc[0], reference, text))
            places.append(float(place > 0))
            index.append((segment, "reference", "reference" if not place else f"{place}"))
    index = pd.MultiIndex.from_tuples(index, names=X.index.names)
    found.append(pd.DataFrame(rows, index, columns=["source", "reference", "hypothesis"]))
    ranks.append(pd.Series(places, index))
    return pd.concat(found), pd.concat(ranks)


def sampled(X, y, n_segments):
    """Take some segments of each campaign and language pair, by a hash of their names."""
    names = X.index.get_level_values("segment")
    of = names.str.partition(":").get_level_values(0)
    draw = {name: _draw(name) for name in names.unique()}
    order = np.array([draw[name] for name in names])
    there = np.full(len(X), False)
    for campaign in of.unique():
        mine = of == campaign
        n = n_segments * (3 if campaign.startswith("wmt13") else 1)
        found = np.unique(order[mine])
        there |= mine & (order <= found[min(n, len(found)) - 1])
    return X[there], y[there]


def _named(table, name):
    """Put a name before the labels of segments; one level of rankings for all."""
    labels = table.index.to_frame(index=False)
    labels["segment"] = [f"{name}:{segment}" for segment in labels["segment"]]
    if "ranking" not in labels:
        labels["ranking"] = "one"
    labels = labels[["segment", "ranking", "system"]].astype(str)
    return table.set_axis(pd.MultiIndex.from_frame(labels))


def _draw(name):
    """Draw a number of a name: the same on any machine."""
    return int.from_bytes(blake2b(name.encode(), digest_size=7).digest())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--file", required=True, help="where the cross-encoder is written")
    given = parser.parse_args()
    train_reader(os.environ["SKLEARN_MTEVAL_DATA"], given.encoder, given.file)
