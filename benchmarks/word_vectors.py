"""Word vectors on real data, as tables: ``python benchmarks/word_vectors.py``.

1. Each column of alignment and of averages alone, without learning: Kendall's tau x 100 on WMT12
   cs-en / de-en, variant wmt12 (strict), pairs pooled; idf weights are of the same references.
2. Together with BLEU's components: logistic regression on differences, trained on WMT13 fr-en.
3. ``--memory``: peak memory and time of reading a synthetic file of 1 GB, whole and trimmed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import BLEUComp, EmbeddingAverager, PairDifference, RankRecomposer, kendall_tau
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import WordVectorAlignment, sentence_bleu
from sklearn_mteval.text import load_word_vectors
from sklearn_mteval.text.tokens import load_tokenizer

TESTS = ("cs-en", "de-en")
FILES = (
    "distilled-en-50d.txt",
    "distilled-en-100d.txt.gz",
    "glove-twitter-25d-excerpt.txt",
)


def tau(y, strength):
    """Strict tau x 100, pooled."""
    return 100 * kendall_tau(y, strength, groups=y.index.droplevel("system"))


def change_unknown(X, vectors, column, change):
    """Rewrite the words without a vector in one column."""
    tokenize = load_tokenizer("13a")
    known = set(vectors.words)

    def rewrite(text):
        words = tokenize(text.lower()).split()
        return " ".join(word if word in known else change(word) for word in words)

    return X.assign(**{column: X[column].map({text: rewrite(text) for text in set(X[column])})})


def unlearned(data, sets):
    """Print the first table."""
    rows = {"BLEU": [tau(y, sentence_bleu(X)) for X, y in sets]}
    for name in FILES:
        vectors = load_word_vectors(data / "vectors" / name)
        for X, y in sets:

            def note(label, *strengths, y=y, name=name):
                for strength in strengths:
                    rows.setdefault(f"{name}: {label}", []).append(tau(y, strength))

            aligner = WordVectorAlignment(vectors).fit(X)
            with warnings.catch_warnings():  # that the sources are of another language
                warnings.simplefilter("ignore", UserWarning)
                reader = EmbeddingAverager(vectors, columns=("source", "reference")).fit(X)
            table = 100 * reader.coverage(X)[["proportion", "distinct_proportion"]]
            for (column, kind), value in table.stack().items():
                rows.setdefault(f"{name}: {column}, {kind} x 100", []).append(value)
            precision, recall, f, distance = aligner.transform(X).T
            note("alignment_f", f)
            note("alignment_precision", precision)
            note("alignment_recall", recall)
            note("alignment_rwmd, negated", -distance)
            note(
                "alignment_f, idf=False",
                WordVectorAlignment(vectors, idf=False).fit_transform(X).T[2],
            )
            apart = change_unknown(X, vectors, "hypothesis", lambda word: f"unknown{word}")
            note("alignment_f, unknown words like nothing", aligner.transform(apart).T[2])
            without = change_unknown(X, vectors, "hypothesis", lambda word: "")
            without = change_unknown(without, vectors, "reference", lambda word: "")
            note("alignment_f, unknown words left out", aligner.transform(without).T[2])
            for oov in ("zero", "skip", "mean"):
                averages = EmbeddingAverager(vectors, oov=oov, similarity=True).fit_transform(X)
                note(f"similarity_cosine, oov={oov!r}", averages[:, -3])
                note(f"similarity_euclidean, negated, oov={oov!r}", -averages[:, -2])
    show(rows)


def learned(data, sets):
    """Print the second table."""
    path = data / "vectors" / FILES[0]
    aligned = WordVectorAlignment(data / "vectors" / FILES[1])
    features = {
        "BLEU components": [BLEUComp()],
        "alignment": [aligned],
        "BLEU components, alignment": [BLEUComp(), aligned],
    }
    for oov in ("zero", "skip", "mean"):
        averages = EmbeddingAverager(path, oov=oov)
        features[f"BLEU components, averages, oov={oov!r}"] = [BLEUComp(), averages]
    for limit in (0, 5000, 20_000):
        averages = EmbeddingAverager(path, limit=limit)
        features[f"BLEU components, averages, limit={limit}"] = [BLEUComp(), averages]
    similar = EmbeddingAverager(path, similarity=True)
    features["BLEU components, averages, similarity"] = [BLEUComp(), similar]
    features["BLEU components, averages, similarity, alignment"] = [BLEUComp(), similar, aligned]
    X, y = load_wmt(data / "wmt13", "fr-en", return_X_y=True)
    inner = make_pipeline(PairDifference(), StandardScaler(), LogisticRegression())
    for name, transformers in features.items():
        pipeline = Pipeline(
            [("features", make_union(*transformers)), ("rank", RankRecomposer(inner))]
        )
        pipeline.set_output(transform="pandas").fit(X, y)
        show({name: [tau(y, pipeline.decision_function(X)) for X, y in sets]})


def show(rows):
    """Print lines of a Markdown table."""
    for name, numbers in rows.items():
        print(f"| {name} | {' / '.join(f'{number:.1f}' for number in numbers)} |", flush=True)


READ = """
import json, re, sys, time
from pathlib import Path
from sklearn_mteval.text import load_word_vectors

def status(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # forget the peak of the imports
began = time.perf_counter()
vectors = load_word_vectors(sys.argv[1], **json.load(sys.stdin))
seconds = time.perf_counter() - began
size = vectors.matrix.nbytes / 2**20
print(
    f"{len(vectors.words)} words, vectors {size:.0f} MiB, "
    f"peak {status('VmHWM') - before:.0f} MiB, {seconds:.0f} s"
)
"""


def memory():
    """Read a large file in fresh processes, which say how much their peak has grown (Linux)."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        text, binary = (Path(folder) / name for name in ("large.txt", "large.bin"))
        n_words, n_dimensions = 400_000, 300
        matrix = rng.normal(size=(1000, n_dimensions)).astype("<f4")
        lines = [" ".join(f"{number:.5f}" for number in row) for row in matrix]
        with open(text, "w", encoding="utf-8") as file:
            file.writelines(f"word{k} {lines[k % 1000]}\n" for k in range(n_words))
        with open(binary, "wb") as file:
            file.write(b"%d %d\n" % (n_words, n_dimensions))
            file.writelines(b"word%d %s" % (k, matrix[k % 1000].tobytes()) for k in range(n_words))
        in_use = [f"word{k}" for k in range(0, n_words, 40)]
        cases = {
            "all words": {},
            "limit=20_000": {"limit": 20_000},
            "and 10,000 words in use": {"limit": 20_000, "vocabulary": in_use},
        }
        for path in (text, binary):
            print(f"{path.name}, {path.stat().st_size / 1e6:.0f} MB, {n_dimensions} dimensions")
            for name, options in cases.items():
                run = [sys.executable, "-c", READ, str(path)]
                found = subprocess.check_output(run, input=json.dumps(options), text=True)
                print(f"  {name}: {found.strip()}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", action="store_true", help="only measure memory")
    if parser.parse_args().memory:
        memory()
    else:
        folder = Path(os.environ["SKLEARN_MTEVAL_DATA"])
        test_sets = [load_wmt(folder / "wmt12", pair, return_X_y=True) for pair in TESTS]
        unlearned(folder, test_sets)
        learned(folder, test_sets)
