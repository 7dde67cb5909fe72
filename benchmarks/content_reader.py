"""Train a reader of reference and translation to prefer sound paraphrases to errors of content.

``python benchmarks/content_reader.py data --work FOLDER`` makes the training table, ``… train
--encoder FOLDER --work FOLDER`` trains. Of each segment a sound translation in other words wins:
another human translation, a system's without any marked error, or one that annotators ranked first.
It is preferred to corruptions of the *reference*, which keep the reference's wording, and to a
corruption of itself. The rest are the penalties and rankings that systems were given. Documents
that ``reader_of_three`` holds out are not read, nor are WMT12, WMT23 and WMT24.
``SKLEARN_MTEVAL_DATA`` names the data.
"""

import argparse
import os
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from reader_of_three import HUMAN, MQM, WORST, draw, held_out_documents, shipped_reader
from ready_made_training import load_training

from sklearn_mteval.datasets import corrupt, load_mqm
from sklearn_mteval.features import ChrFComp, NormalizeText

SEGMENTS = {  # of each set at most
    **{f"wmt15 {pair}": 90 for pair in ("de-en", "cs-en", "ru-en", "fr-en", "en-de")},
    "wmt15 en-cs": 700,
    "wmt16it en-cs": 80,
    "wmt20 zh-en": 1100,
    "wmt21 zh-en": 600,
    "ted zh-en": 400,
    "wmt20 en-de": 600,
    "wmt21 en-de": 400,
    "wmt21 en-ru": 250,
    "bio en-de": 150,
    **{f"bio {pair}": 130 for pair in ("zh-en", "ru-en", "es-en", "en-es", "en-ru")},
}
NEAR_ENOUGH = 50  # chrF of what annotators ranked first: the best may be bad
ONE_SEGMENT = 20  # chrF: below, one of the two is of another segment
# How often each kind of corruption is drawn where it applies.
CONTENT = {
    "roles": 4, "opposite": 4, "quantifier": 4, "modality": 2, "unit": 6, "date": 6, "focus": 2,
    "number": 4, "negation": 4, "name": 3, "clause_dropped": 2, "clause_added": 2,
    "content_word_replaced": 2, "content_word_dropped": 1, "other_segment": 0.5,
}  # fmt: skip
FORM = {
    "shuffled": 0.8, "halves_swapped": 0.4, "doubled": 0.4, "garbage": 0.2, "lowercased": 0.4,
    "wrapped": 0.5, "entities": 0.4, "mojibake": 0.3, "foreign_appended": 0.5, "dropped_third": 0.5,
    "empty": 0.1,
}  # fmt: skip
OF_REFERENCE, OF_WINNER = 2, 1  # corruptions of each
SYSTEMS = 4  # of a segment, with the penalties that they were given


def marked(data, name):
    """Load a set of MQM: sound translations with their references, and systems with penalties."""
    file, reference = MQM[name]
    found = load_mqm(data / "mqm" / file)
    systems = found.X.index.get_level_values("system")
    human = found.X[systems == reference].drop_duplicates("source").set_index("source")
    X = found.X.assign(reference=found.X["source"].map(human["hypothesis"]))
    kept = X["reference"].notna() & (systems != reference)
    kept &= ~held_out_documents(name, found.documents)
    X, y = X[kept], found.y[kept].clip(upper=WORST)
    X = NormalizeText().fit_transform(X)
    human = X.index.get_level_values("system").str.startswith(HUMAN)
    # Human translations are not annotated in all sets; small penalties of theirs may be taste.
    chrf = ChrFComp().set_output(transform="pandas").fit_transform(X)["chrf_score"].to_numpy()
    sound = ((y <= 0) | (human & ~(y > 2))) & (X["hypothesis"] != X["reference"])
    sound &= chrf >= ONE_SEGMENT
    return X[sound], X[~human], y[~human]


def ranked(data, name):
    """Load rankings: of each segment the translation that won most, and all systems."""
    X, y, _ = load_training(data, [tuple(name.split())])
    index = X.index.droplevel("ranking")
    means = y.set_axis(index).groupby(level=["segment", "system"]).mean()
    table = X.set_axis(index)
    table = table[~index.duplicated()]
    best = means[table.index].groupby(level="segment").rank(method="first") == 1
    sound = table[best.to_numpy() & (table["hypothesis"] != table["reference"]).to_numpy()]
    chrf = ChrFComp().set_output(transform="pandas").fit_transform(sound)["chrf_score"]
    sound = sound[chrf.to_numpy() >= NEAR_ENOUGH]
    return sound, table, means[table.index]


def renamed(X, name):
    """Name segments after their set, systems by text."""
    labels = X.index.to_frame(index=False)[["segment", "system"]].astype(str)
    labels["segment"] = f"{name}:" + labels["segment"]
    return X.set_axis(pd.MultiIndex.from_frame(labels))


def some_segments(X, some, salt):
    """Keep the rows of a slice of the segments, in an order that is drawn by their names."""
    segments = X.index.get_level_values("segment")
    return X[segments.isin(sorted(segments.unique(), key=lambda s: draw(salt + s))[some])]


def drawn_corruptions(X, n, salt):
    """Corrupt each row n times, by kinds drawn with their weights; returned as in ``corrupt``."""
    kinds = {**CONTENT, **FORM}
    made = corrupt(X, list(kinds), random_state=len(salt))
    levels = made.index.to_frame(index=False)
    weights = levels["corruption"].map(kinds).to_numpy(dtype=float)
    names = salt + levels["segment"] + levels["system"] + levels["corruption"]
    # Exponential races: the n smallest of Exp(weight) are n weighted draws without replacement.
    times = -np.log(1 - np.array([draw(name) for name in names])) / weights
    place = pd.Series(times).groupby([levels["segment"], levels["system"]]).rank(method="first")
    return made[(place <= n).to_numpy()]


def set_of(data, name, some):
    """Return table and ranks of some of a set's segments: what wins, what loses, and systems as
    they were judged.
    """
    sound, systems, y = (marked if name in MQM else ranked)(data, name)
    sound, systems = renamed(sound, name), renamed(systems, name)
    y = y.set_axis(systems.index)
    sound = some_segments(sound, some, "sound")
    # One winner of a segment, a human translation if there is.
    systems_of = sound.index.get_level_values(1)
    order = np.array([draw(f"{s} {t}") for s, t in sound.index]) - systems_of.str.startswith(HUMAN)
    sound = sound[
        (pd.Series(order).groupby(sound.index.get_level_values(0)).rank() <= 1).to_numpy()
    ]
    tables, ranks = [], []

    def add(X, ranking, system, rank):
        segments = X.index.get_level_values("segment")
        labels = {"segment": segments, "ranking": ranking, "system": system}
        index = pd.MultiIndex.from_frame(pd.DataFrame(labels))
        tables.append(X.set_axis(index)[["source", "reference", "hypothesis"]])
        ranks.append(pd.Series(rank, tables[-1].index, dtype=float))

    winners = sound.index.get_level_values("system").to_numpy()
    add(sound, winners, winners, 1)
    # The reference itself wins as well: else to be near it, all but a word, would be what loses.
    first = sound.assign(hypothesis=sound["reference"])
    add(first, winners, "the reference", 1)
    for X, label, k in ((first, "reference", OF_REFERENCE), (sound, "winner", OF_WINNER)):
        made = drawn_corruptions(X, k, label)
        kinds = made.index.get_level_values("corruption").to_numpy()
        winner = made.index.get_level_values("system").to_numpy()
        add(made, winner, [f"{label} {w} {kind}" for w, kind in zip(winner, kinds, strict=True)], 2)
    there = systems.index.get_level_values("segment").isin(sound.index.get_level_values("segment"))
    systems, y = systems[there], y[there]
    order = np.array([draw(f"systems {s} {t}") for s, t in systems.index])
    few = pd.Series(order).groupby(systems.index.get_level_values(0)).rank() <= SYSTEMS
    systems, y = systems[few.to_numpy()], y[few.to_numpy()]
    add(systems, "judged", systems.index.get_level_values("system"), y.to_numpy())
    return pd.concat(tables), pd.concat(ranks)


def table_of(data, work):
    """Make the training table, or read it."""
    stored = work / "content.joblib"
    if not stored.exists():
        parts = [set_of(data, name, slice(n)) for name, n in SEGMENTS.items()]
        joblib.dump(tuple(map(pd.concat, zip(*parts, strict=True))), stored)
    return joblib.load(stored)


def second_table(data, work, n):
    """Make, or read, a table like that of training, of n further segments of each set."""
    stored = work / f"content-second-{n}.joblib"
    if not stored.exists():
        parts = [set_of(data, name, slice(k, k + n)) for name, k in SEGMENTS.items()]
        joblib.dump(tuple(map(pd.concat, zip(*parts, strict=True))), stored)
    return joblib.load(stored)


def main():
    """Make the table, or train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["data", "train"])
    parser.add_argument("--encoder")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a reader to go on from")
    parser.add_argument("--segments", type=float, default=1.0, help="proportion of the segments")
    given = parser.parse_args()
    X, y = table_of(Path(os.environ["SKLEARN_MTEVAL_DATA"]), given.work)
    kept = np.array([draw("of " + s) < given.segments for s in X.index.get_level_values(0)])
    X, y = X[kept], y[kept]
    print(len(X), "rows,", X.index.get_level_values(0).nunique(), "segments", flush=True)
    if given.task == "train":
        began = process_time()
        reader = joblib.load(given.start) if given.start else shipped_reader(given.encoder)
        reader.set_params(
            columns=("reference", "hypothesis"), warm_start=True, learning_rate=6e-4, cv=None,
            dtype="bfloat16", checkpoint=given.work / "checkpoints", progress=True,
        )  # fmt: skip
        reader.fit(X, y)
        print(f"{(process_time() - began) / 60:.0f} min", reader.losses_.round(3), flush=True)
        joblib.dump(reader, given.work / "reader.joblib")


if __name__ == "__main__":
    main()
