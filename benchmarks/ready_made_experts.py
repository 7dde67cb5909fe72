"""What the encoder that reads sources learns from in its second stage: expert MQM, and damage.

``python benchmarks/ready_made_experts.py --encoder FOLDER --work FOLDER`` goes on from the reader
of ``ready_made_source.py`` with translations of WMT20, WMT21, the biomedical task and TED talks,
human ones among them; with direct assessments into Hindi, Tamil and Gujarati; with damaged copies,
which lose; and with a part of the first stage, lest that is forgotten. The documents that
``reader_of_three.py`` holds out, and one biomedical pair, stay unread. ``--measure`` prints tau and
acc_eq x 100 on these, of the shipped reader and of the folder's, with paired intervals by document.
"""

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from reader_of_three import (
    ASSESSED,
    HUMAN,
    LEFT_OUT,
    MQM,
    draw,
    held_out_documents,
    load_assessed,
    load_set,
    sampled,
    shipped_reader,
)
from ready_made_source import MLQE, TARGETS, source_training

from sklearn_mteval.datasets import load_mlqe, load_mqm
from sklearn_mteval.features import CrossEncoder, NormalizeText
from sklearn_mteval.metrics import calibrate_ties, kendall_tau, paired_bootstrap

READ = sorted(set(MQM) - LEFT_OUT - {"wmt21 en-de"})  # by itself that set teaches nothing
TRANSLATIONS, SYSTEMS = 640, 6  # of a set, and of a segment
REHEARSED, ASSESSMENTS, DAMAGED = 3600, 350, 42  # readings; of a pair; segments of a set
SYSTEMS_TESTED, TESTED = 8, {"wmt": 120, "ted": 120, "bio": 80}  # of a segment; segments
SEVERE, SLIGHT = 10, 1  # penalties from and up to which a translation is critically wrong, or not
WRAPPERS = (
    "Sure! Here is the translation: {}", "Translation: {}", '"{}"', "Translated text:\n\n{}",
    "{} (translated by AI)", "```{}```", "{} I hope this helps!",
)  # fmt: skip


def translations(data, name, *, held_out=False):
    """Load all translations of a set, human ones among them, that may be read, or may not."""
    found = load_mqm(data / "mqm" / MQM[name][0])
    X = NormalizeText().fit_transform(found.X[["source", "hypothesis"]])
    labels = X.index.to_frame(index=False).astype(str)
    labels = labels.assign(segment=f"{name}:" + labels["segment"], ranking="one")
    there = held_out_documents(name, found.documents) == held_out
    index = pd.MultiIndex.from_frame(labels[["segment", "ranking", "system"]])
    return X.set_axis(index)[there], found.y.set_axis(index)[there]


def damaged(text, source, other, kind):
    """Return a translation that anybody would think worse; ``other`` is of another segment."""
    words = text.split()
    half = len(text) // 2
    return {
        "lowercase": text.lower(),
        "other": other,
        "copied": source,
        "wrapped": WRAPPERS[len(text) % len(WRAPPERS)].format(text),
        "entities": "&nbsp;".join(words),
        "encoding": text.encode().decode("latin-1"),
        "halved": text[:half],
        "doubled": f"{text} {text}",
        "with another": f"{text} {other}",
        "shuffled": " ".join(sorted(words, key=draw)),
    }[kind]


DAMAGES = (
    "lowercase", "other", "copied", "wrapped", "entities", "encoding", "halved", "doubled",
    "with another", "shuffled",
)  # fmt: skip


def with_damage(X, y, n_segments):
    """Return the best translation of some segments, and two damaged copies of each."""
    best = y.groupby(level="segment").idxmin()
    best = best.loc[sorted(best.index, key=draw)[:n_segments]]
    rows, index = [], []
    for k, (segment, at) in enumerate(best.items()):
        source, text = X.loc[at, ["source", "hypothesis"]]
        other = X.loc[best.iloc[(k + 1) % len(best)], "hypothesis"]
        kinds = (DAMAGES[k % len(DAMAGES)], DAMAGES[(k // len(DAMAGES) + k + 1) % len(DAMAGES)])
        texts = [text, *(damaged(text, source, other, kind) for kind in kinds)]
        texts = [t for t in dict.fromkeys(texts) if t.strip()]
        rows += [(source, t) for t in texts]
        index += [(f"damaged:{segment}", "one", str(place)) for place in range(len(texts))]
    index = pd.MultiIndex.from_tuples(index, names=X.index.names)
    ranks = (index.get_level_values("system") != "0").astype(float)
    return pd.DataFrame(rows, index, columns=["source", "hypothesis"]), pd.Series(ranks, index)


def expert_training(data):
    """Make the table of the second stage, with its ranks and targets."""
    tables, ranks, targets = [], [], []

    def add(X, y, **known):
        tables.append(X[["source", "hypothesis"]])
        ranks.append(pd.Series(np.asarray(y, dtype=float), X.index))
        targets.append(pd.DataFrame(known, index=X.index, columns=TARGETS, dtype=float))

    for name in READ:
        X, y = translations(data, name)
        there = sampled(X, TRANSLATIONS, SYSTEMS)
        found = y[there].to_numpy()
        critical = np.select([found >= SEVERE, found <= SLIGHT], [1.0, 0.0], np.nan)
        add(X[there], found, error_free=(found == 0).astype(float), critical=critical)
        X, y = with_damage(X, y, DAMAGED)
        add(X, y, error_free=np.where(y > 0, 0, np.nan), critical=np.where(y > 0, 1, np.nan))
    for name in ASSESSED:
        X, y, _ = load_assessed(data, name)
        X = X.assign(ranking="one").set_index("ranking", append=True)
        X = X.reorder_levels(["segment", "ranking", "system"])
        there = sampled(X, ASSESSMENTS, 1)
        add(X[there], np.zeros(there.sum()), da=-(y - y.mean()).to_numpy()[there] / y.std())
    X, y, known = source_training(data)
    segments = pd.Series(X.index.get_level_values("segment"))
    order = segments.map({name: draw(name) for name in segments.unique()}).to_numpy()
    there = order <= np.sort(order)[REHEARSED]
    add(X[there], y[there], **{name: known.loc[there, name].to_numpy() for name in TARGETS})
    return pd.concat(tables), pd.concat(ranks), pd.concat(targets)


def held_out_translations(data, name):
    """Return translations by systems of held-out documents, their penalties and documents."""
    X, y, held_out = load_set(data, name)
    there = sampled(X[held_out], TESTED[name[:3]] * SYSTEMS_TESTED, SYSTEMS_TESTED, "test")
    documents = load_mqm(data / "mqm" / MQM[name][0]).documents
    of_segment = {f"{name}:{label[0]}": document for label, document in documents.items()}
    X, y = X[held_out][there], y[held_out][there]
    return X, y, [of_segment[segment] for segment in X.index.get_level_values("segment")]


def human_above_systems(data, name, reader):
    """Return in how many of a hundred pairs a human translation scores above a system's."""
    X, _ = translations(data, name, held_out=True)
    X = X.droplevel("ranking")
    segments = sorted(X.index.unique("segment"), key=draw)[:60]
    X = X[X.index.isin(segments, level="segment")]
    systems = X.index.get_level_values("system")
    human = systems.str.startswith(HUMAN)
    X = X[human | systems.isin(sorted(set(systems[~human]), key=draw)[:5])]
    won = []
    for _, part in pd.Series(np.asarray(reader.transform(X))[:, 0], X.index).groupby(
        level="segment"
    ):
        human = part.index.get_level_values("system").str.startswith(HUMAN)
        differences = np.subtract.outer(part[human].to_numpy(), part[~human].to_numpy())
        won += list((np.sign(differences).ravel() + 1) / 2)
    return 100 * np.mean(won)


def measure(data, readers):
    """Print what readers' scores are worth on what was held out, and by what the last is better."""
    differences, errors = [], []
    for name in MQM:
        X, y, documents = held_out_translations(data, name)
        scores = {r: np.asarray(readers[r].transform(X))[:, 0] for r in readers}
        scores = pd.DataFrame(scores, X.index)
        groups = y.index.get_level_values("segment")
        cells = [
            f"{100 * kendall_tau(y, scores[r], groups=groups):.1f}, "
            f"{100 * calibrate_ties(y, scores[r], groups=groups).accuracy:.1f}"
            for r in readers
        ]
        if len(readers) > 1:
            found = paired_bootstrap(y, scores, groups=groups, documents=documents)
            low, more, high = (100 * of[-1, 0] for of in (found.low, found.differences, found.high))
            differences.append(more)
            errors.append((high - low) / 2)
            cells.append(f"{more:+.1f} [{low:.1f}, {high:.1f}]")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if errors:
        more, error = np.mean(differences), np.linalg.norm(errors) / len(errors)
        print(f"| mean | {more:+.1f} [{more - error:.1f}, {more + error:.1f}] |")
    for name in ("wmt21 en-de", "wmt21 zh-en", "wmt21 en-ru"):
        found = [f"{human_above_systems(data, name, readers[r]):.1f}" for r in readers]
        print(f"| human above system, {name} | {' | '.join(found)} |", flush=True)
    for pair in MLQE:
        file = data / "mlqe" / f"{pair}.dev.tsv.gz"
        X, y = load_mlqe(file, gold="da_z", return_X_y=True)
        said = [np.asarray(readers[r].transform(X[:400]))[:, 1] for r in readers]
        found = [f"{np.corrcoef(of_one, -y[:400])[0, 1]:.2f}" for of_one in said]
        print(f"| Pearson, {pair} | {' | '.join(found)} |", flush=True)


def main():
    """Train, and write the reader where it is wanted; or measure one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rate", type=float, default=0.0003)
    parser.add_argument("--measure", action="store_true", help="a reader that was trained before")
    given = parser.parse_args()
    stored = given.work / "reader of experts.joblib"
    if given.measure:
        readers = {"shipped": shipped_reader(given.encoder)}
        if stored.exists():
            readers["second stage"] = joblib.load(stored)
        for reader in readers.values():
            reader.set_params(dtype="bfloat16", batch_size=32)
        measure(Path(os.environ["SKLEARN_MTEVAL_DATA"]), readers)
        return
    X, y, targets = expert_training(Path(os.environ["SKLEARN_MTEVAL_DATA"]))
    print(f"{len(X)} readings", flush=True)
    reader: CrossEncoder = shipped_reader(given.encoder)
    reader.set_params(
        dtype="bfloat16", cv=None, warm_start=True, learning_rate=given.rate,
        checkpoint=given.work / "checkpoints",
    )  # fmt: skip
    reader.fit(X, y, targets)
    print(reader.losses_.round(3))
    joblib.dump(reader, stored)


if __name__ == "__main__":
    main()
