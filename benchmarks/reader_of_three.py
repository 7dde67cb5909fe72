"""Which judgements teach an encoder that reads source, reference and translation together.

``python benchmarks/reader_of_three.py TRIAL … --encoder FOLDER --work FOLDER`` trains one reader
for each trial of ``TRIALS``, and prints, as rows of Markdown, acc_eq x 100 (threshold calibrated)
of its scores on documents that were held out of WMT21 zh-en and en-de and of TED zh-en, and on a
biomedical pair that is left out. "baselines" prints chrF, the encoder's alignment and any-encoder,
"mixes" what scores of all that is in the folder add to chrF and alignment. Human translations are
left out: where a reference is read, another one's wording with the best penalty would teach that to
differ is good. ``SKLEARN_MTEVAL_DATA`` names the data. A trial takes some ten minutes of one core.
"""

import argparse
import os
from hashlib import blake2b
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from ready_made_training import load_training

from sklearn_mteval import load_pretrained
from sklearn_mteval.datasets import load_mlqe, load_mqm
from sklearn_mteval.features import ChrFComp, CrossEncoder, NormalizeText, TokenAlignment
from sklearn_mteval.metrics import calibrate_ties, kendall_tau
from sklearn_mteval.models import score_candidates
from sklearn_mteval.models.ready_made import reader_of

MQM = {  # to the human translation that is the reference
    "wmt20 en-de": ("mqm_newstest2020_ende.tsv.gz", "Human-A.0"),
    "wmt20 zh-en": ("mqm_newstest2020_zhen.tsv.gz", "Human-A.0"),
    # Not ref.C, nor ref.D: the file gives their texts with sources of other segments.
    "wmt21 en-de": ("mqm_newstest2021_ende.tsv.gz", "ref.A"),
    "wmt21 en-ru": ("mqm_newstest2021_enru.tsv.gz", "ref.A"),
    "wmt21 zh-en": ("mqm_newstest2021_zhen.tsv.gz", "ref.B"),
    **{
        f"bio {pair[:2]}-{pair[2:]}": (f"mqm_bio2021_{pair}.tsv.gz", "reference")
        for pair in ("ende", "enes", "enru", "esen", "fren", "ruen", "zhen")
    },
    "ted zh-en": ("mqm_ted_zhen.tsv", "refB"),
}
RANKED = ("wmt13 fr-en", *(f"wmt15 {p}" for p in ("de-en", "ru-en", "fi-en", "en-de", "en-ru")))
ASSESSED = ("da en-hi", "da en-ta", "da en-gu")
HUMAN = ("Human-", "ref")  # what names of human translations begin with
TESTS = ("wmt21 zh-en", "wmt21 en-de", "ted zh-en", "bio fr-en")
LEFT_OUT = {"bio fr-en"}  # no document of it is trained on
HELD_OUT = 0.3  # of documents
TEST_SEGMENTS, TEST_SYSTEMS = 60, 7
SYSTEMS = 5  # of a segment that is trained on
WORST = 25  # penalties beyond are as bad: that of a translation that is none
TWO = {"columns": ("reference", "hypothesis")}
THREE = {"columns": ("source", "reference", "hypothesis"), "text_dropout": 0.15, "margin": 0.5}
SHIPPED = {"warm_start": True, "learning_rate": 0.0004}  # from no-reference-encoder's reader
ALONE = 1500  # translations of a set that is looked at by itself
MIX = dict.fromkeys(sorted(set(MQM) - LEFT_OUT - {"wmt21 en-de"}), 220)
LARGER = dict.fromkeys(MIX, 880)
ALL_KINDS = {**MIX, **dict.fromkeys((*RANKED, *ASSESSED), 220)}
TRIALS = {
    **{f"alone {name}": ({name: ALONE}, TWO) for name in (*MQM, *RANKED)},
    **{f"alone {name}": ({name: ALONE}, THREE) for name in ASSESSED},
    "two, mix": (MIX, TWO),
    "three, mix": (MIX, THREE),
    "three, mix, from the shipped reader": (MIX, {**THREE, **SHIPPED}),
    "three, mix, larger, from the shipped reader": (LARGER, {**THREE, **SHIPPED}),
    "three, all kinds, from the shipped reader": (ALL_KINDS, {**THREE, **SHIPPED}),
    "source, mix, from the shipped reader": (MIX, SHIPPED),
    "source, the shipped reader": ({}, SHIPPED),
}


def draw(name):
    """Draw a number in [0, 1) of a name: the same on any machine."""
    return int.from_bytes(blake2b(name.encode(), digest_size=7).digest()) / 2**56


def load_set(data, name):
    """Load a set of MQM: texts, penalties, and which rows are of documents held out."""
    file, reference = MQM[name]
    found = load_mqm(data / "mqm" / file)
    systems = found.X.index.get_level_values("system")
    human = found.X[systems == reference].drop_duplicates("source").set_index("source")
    references = found.X["source"].map(human["hypothesis"])
    kept = ~systems.str.startswith(HUMAN) & references.notna()  # not each segment has one
    X = NormalizeText().fit_transform(found.X.assign(reference=references)[kept])
    labels = X.index.to_frame(index=False).astype(str)
    labels["segment"] = f"{name}:" + labels["segment"]
    X.index = pd.MultiIndex.from_frame(labels)
    held_out = held_out_documents(name, found.documents[kept])
    return X, found.y[kept].set_axis(X.index).clip(upper=WORST), held_out


def held_out_documents(name, documents):
    """Tell which rows of a set are of documents that are held out."""
    names = (f"{name}:" + documents.astype(str)).to_numpy()
    return np.array([draw(d) < HELD_OUT for d in names]) | (name in LEFT_OUT)


def load_ranked(data, name):
    """Load rankings as such a set, none of it held out, each ranking with the others' ranks."""
    X, y, _ = load_training(data, [tuple(name.split())])
    return X, y, np.full(len(X), False)


def load_assessed(data, name):
    """Load direct assessments as such a set: one translation a source, no reference."""
    file = data / "da" / f"{name.removeprefix('da ')}.train.tsv.gz"
    X, y = load_mlqe(file, gold="da_mean", return_X_y=True)
    X = NormalizeText().fit_transform(X[["source", "hypothesis"]].assign(reference=""))
    labels = X.index.to_frame(index=False).astype(str)
    labels["segment"] = f"{name}:" + labels["segment"]
    X.index = pd.MultiIndex.from_frame(labels)
    return X, y.set_axis(X.index), np.full(len(X), False)


def load_any(data, name):
    """Load a set of any kind."""
    if name in MQM:
        return load_set(data, name)
    return (load_ranked if name in RANKED else load_assessed)(data, name)


def sampled(X, n_rows, n_systems, salt=""):
    """Tell which rows to take: some systems of each segment, of segments until rows suffice."""
    labels = X.index.to_frame(index=False)
    order = labels["segment"].map({s: draw(salt + s) for s in labels["segment"].unique()})
    names = labels["segment"] + ":" + labels["system"].astype(str)
    place = names.map({name: draw(salt + name) for name in names.unique()})
    few = place.groupby([labels[name] for name in labels if name != "system"]).rank()
    there = (few <= n_systems).to_numpy()
    sizes = pd.Series(there).groupby(order.to_numpy()).sum().cumsum()
    last = sizes.index[min(np.searchsorted(sizes.to_numpy(), n_rows), len(sizes) - 1)]
    return there & (order <= last).to_numpy()


def tests(data, work):
    """Return the tables that readers are compared on: name → (X, penalties)."""
    stored = work / "tests.joblib"
    if not stored.exists():
        found = {}
        for name in TESTS:
            X, y, held_out = load_set(data, name)
            X, y = X[held_out], y[held_out]
            there = sampled(X, TEST_SEGMENTS * TEST_SYSTEMS, TEST_SYSTEMS, "test")
            found[name] = X[there], y[there]
        joblib.dump(found, stored)
    return joblib.load(stored)


def training(data, work, parts):
    """Return X, ranks and targets of a mix: name of a set → number of translations."""
    tables, ranks, targets = [], [], []
    for name, n in parts.items():
        stored = work / f"set {name}.joblib"
        if not stored.exists():
            joblib.dump(load_any(data, name), stored)
        X, y, held_out = joblib.load(stored)
        X, y = X[~held_out], y[~held_out]
        there = sampled(X, n, SYSTEMS)
        X, y = X[there], y[there]
        if "ranking" not in X.index.names:
            X = X.assign(ranking="one").set_index("ranking", append=True)
            X = X.reorder_levels(["segment", "ranking", "system"])
        known = {"mqm": -np.sqrt(y)} if name in MQM else {"da": -y} if name in ASSESSED else {}
        tables.append(X)
        ranks.append(pd.Series(y.to_numpy(), X.index))
        known = {target: values.to_numpy() for target, values in known.items()}
        targets.append(pd.DataFrame(known, X.index, columns=["mqm", "da"], dtype=float))
    X, y, targets = map(pd.concat, (tables, ranks, targets))
    return X, y, targets.dropna(axis=1, how="all")


def agreement(tables, scores):
    """Return tau x 100 and acc_eq x 100 of each test, then their means, as texts."""
    found = []
    for name, (_, penalties) in tables.items():
        groups = penalties.index.get_level_values("segment")
        tau = kendall_tau(penalties, scores[name], groups=groups)
        found.append((tau, calibrate_ties(penalties, scores[name], groups=groups).accuracy))
    found.append(np.mean(found, axis=0))
    return [f"{100 * tau:.1f}, {100 * accuracy:.1f}" for tau, accuracy in found]


def row(label, cells, more=""):
    """Print a row of the table."""
    print(f"| {label} | {' | '.join(cells)} | {more} |", flush=True)


def baselines(tables, work, encoder):
    """Return scores of what compares already, name → test → scores."""
    stored = work / "baselines.joblib"
    if not stored.exists():
        chrf = ChrFComp().set_output(transform="pandas")
        aligned = TokenAlignment(encoder, dtype="bfloat16").set_output(transform="pandas")
        model = load_pretrained("any-encoder", encoder=encoder)
        found = {"chrF": {}, "alignment": {}, "any-encoder": {}}
        for name, (X, _) in tables.items():
            found["chrF"][name] = chrf.fit_transform(X)["chrf_score"].to_numpy()
            columns = aligned.fit_transform(X)
            found["alignment"][name] = columns.filter(like="_f").iloc[:, 0].to_numpy()
            found["any-encoder"][name] = np.asarray(score_candidates(model, X))
        joblib.dump(found, stored)
    return joblib.load(stored)


def shipped_reader(encoder):
    """Return the cross-encoder of no-reference-encoder, which has seen rankings and corruptions."""
    return reader_of(load_pretrained("no-reference-encoder", encoder=encoder, windows=False))


def trained(data, work, label, encoder):
    """Return scores of a trial's reader on the tests, and what its training took."""
    stored = work / f"trial {label}.joblib"
    if not stored.exists():
        parts, options = TRIALS[label]
        reader, began, took = CrossEncoder(encoder), process_time(), ""
        if options.get("warm_start"):
            reader = shipped_reader(encoder)
        reader.set_params(dtype="bfloat16", cv=None, checkpoint=work / "checkpoints", **options)
        if parts:
            X, y, targets = training(data, work, parts)
            reader.fit(X, y, targets if len(targets.columns) else None)
            minutes = (process_time() - began) / 60
            took = f"{len(X)} rows, {minutes:.0f} min, {reader.losses_.round(3)}"
        tables = tests(data, work)
        reader.set_params(batch_size=32)
        joblib.dump(
            ({n: np.asarray(reader.transform(X)) for n, (X, _) in tables.items()}, took, reader),
            stored,
        )
    return joblib.load(stored)


def main():
    """Run the trials that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", nargs="+", metavar="TRIAL", choices=[*TRIALS, "baselines"])
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    tables = tests(data, given.work)
    known = baselines(tables, given.work, given.encoder)
    for label in given.trials:
        if label == "baselines":
            for name, scores in known.items():
                row(name, agreement(tables, scores))
            continue
        columns, took, _ = trained(data, given.work, label, given.encoder)
        row(label, agreement(tables, {name: found[:, 0] for name, found in columns.items()}), took)
        if next(iter(columns.values())).shape[1] > 1:
            row(f"{label}, expected", agreement(tables, {n: f[:, 1] for n, f in columns.items()}))
        both = {
            n: sum(s / s.std() for s in (f[:, 0], known["alignment"][n], known["chrF"][n]))
            for n, f in columns.items()
        }
        row(f"{label}, with alignment and chrF", agreement(tables, both))


if __name__ == "__main__":
    main()
