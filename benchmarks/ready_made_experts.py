"""What the encoder that reads sources learns from in its second stage: expert MQM, and damage.

``python benchmarks/ready_made_experts.py --encoder FOLDER --work FOLDER`` goes on from the reader
of ``ready_made_source.py`` with translations of WMT20, WMT21, the biomedical task and TED talks,
human ones among them; with direct assessments into Hindi, Tamil and Gujarati; with damaged copies,
which lose; and with a part of the first stage, lest that is forgotten. The documents that
``reader_of_three.py`` holds out, and one biomedical pair, stay unread.
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
    LEFT_OUT,
    MQM,
    draw,
    held_out_documents,
    load_assessed,
    sampled,
    shipped_reader,
)
from ready_made_source import TARGETS, source_training

from sklearn_mteval.datasets import load_mqm
from sklearn_mteval.features import CrossEncoder, NormalizeText

READ = sorted(set(MQM) - LEFT_OUT - {"wmt21 en-de"})  # by itself that set teaches nothing
TRANSLATIONS, SYSTEMS = 640, 6  # of a set, and of a segment
REHEARSED, ASSESSMENTS, DAMAGED = 3600, 350, 42  # readings; of a pair; segments of a set
SEVERE, SLIGHT = 10, 1  # penalties from and up to which a translation is critically wrong, or not
WRAPPERS = (
    "Sure! Here is the translation: {}", "Translation: {}", '"{}"', "Translated text:\n\n{}",
    "{} (translated by AI)", "```{}```", "{} I hope this helps!",
)  # fmt: skip


def translations(data, name):
    """Load all translations of a set, human ones among them, that may be read."""
    found = load_mqm(data / "mqm" / MQM[name][0])
    X = NormalizeText().fit_transform(found.X[["source", "hypothesis"]])
    labels = X.index.to_frame(index=False).astype(str)
    labels = labels.assign(segment=f"{name}:" + labels["segment"], ranking="one")
    there = ~held_out_documents(name, found.documents)
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


def main():
    """Train, and write the reader where it is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rate", type=float, default=0.0003)
    given = parser.parse_args()
    X, y, targets = expert_training(Path(os.environ["SKLEARN_MTEVAL_DATA"]))
    print(f"{len(X)} readings", flush=True)
    reader: CrossEncoder = shipped_reader(given.encoder)
    reader.set_params(
        dtype="bfloat16", cv=None, warm_start=True, learning_rate=given.rate,
        checkpoint=given.work / "checkpoints",
    )  # fmt: skip
    reader.fit(X, y, targets)
    print(reader.losses_.round(3))
    joblib.dump(reader, given.work / "reader of experts.joblib")


if __name__ == "__main__":
    main()
