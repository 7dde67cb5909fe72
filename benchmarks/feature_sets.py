"""What each metric and each set of features is worth: ``python benchmarks/feature_sets.py``.

Kendall's tau x 100 on WMT12 cs-en and de-en, pairs pooled, strict (wmt12) and wmt14 variants. First
each score as it is; then feature sets with logistic regression on differences, soft recomposition,
trained on WMT13 fr-en and on this with WMT15 (five pairs into English); then what is lost by
leaving something out.
"""

import argparse
import os
import re
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import (
    BLEUComp,
    EmbeddingAverager,
    PairDifference,
    RankRecomposer,
    kendall_tau,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import (
    ChrFComp,
    METEORComp,
    MetricScores,
    SentenceEncoder,
    TERComp,
    TokenAlignment,
    WordVectorAlignment,
)

TESTS = (("wmt12", "cs-en"), ("wmt12", "de-en"))
TRAININGS = {
    "WMT13": [("wmt13", "fr-en")],
    "WMT13, WMT15": [
        ("wmt13", "fr-en"),
        *(("wmt15", pair) for pair in ("cs-en", "de-en", "fi-en", "fr-en", "ru-en")),
    ],
}
FOUR = ["bleu", "nist", "ter", "meteor"]
VARIANTS = ("wmt12", "wmt14")
MOST_COLUMNS = 300  # for WMT13 and WMT15 together: the pair table has twice as many


def extractors(data, encoder, cache):
    """Name the transformers."""
    vectors = data / "vectors" / "distilled-en-100d.txt.gz"
    found = {
        "scores": MetricScores(options={"meteor": {"wordnet": "auto"}}),
        "BLEUComp": BLEUComp(),
        "ChrFComp": ChrFComp(word_order=2),
        "TERComp": TERComp(),
        "METEORComp": METEORComp(wordnet="auto"),
        "alignment": WordVectorAlignment(vectors),
        "similarity": EmbeddingAverager(vectors, similarity=True),
    }
    if encoder:
        options = {"cache": cache, "progress": True}
        found["tokens"] = TokenAlignment(encoder, layers="last", **options)
        found["sentence"] = SentenceEncoder(encoder, similarity=True, **options)
    return found


def compute(transformers, data):
    """Return {(campaign, pair): (features, y)}; what is fitted is fitted on WMT13 fr-en."""
    wanted = (*TRAININGS["WMT13, WMT15"], *TESTS)
    loaded = {
        (campaign, pair): load_wmt(data / campaign, pair, return_X_y=True)
        for campaign, pair in wanted
    }
    n_rows = sum(len(y) for _, y in loaded.values())
    blocks = {key: {} for key in wanted}
    for name, transformer in transformers.items():
        began = perf_counter()
        transformer.set_output(transform="pandas").fit(loaded["wmt13", "fr-en"][0])
        for key, (X, _) in loaded.items():
            blocks[key][name] = transformer.transform(X)
        seconds = perf_counter() - began
        print(f"<!-- {name}: {n_rows} rows, {1e6 * seconds / n_rows:.0f} µs each -->", flush=True)
    return {key: (pd.concat(blocks[key], axis=1), loaded[key][1]) for key in wanted}


def taus(y, strength):
    """Compute both variants."""
    groups = y.index.droplevel("system")
    return [100 * kendall_tau(y, strength, groups=groups, statistic=v) for v in VARIANTS]


def show(name, rows):
    """Print a line of a Markdown table."""
    cells = ["{:.1f} ({:.1f})".format(*row) if row else "" for row in rows]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def feature_sets(columns):
    """Name sets of columns."""
    blocks = columns.get_level_values(0)

    def of(*names):
        return [c for c in columns if c[0] in names and "_emb" not in c[1]]

    scores = of("scores")
    components = ("BLEUComp", "ChrFComp", "TERComp", "METEORComp")
    sets = {
        "4 metrics (BLEU, NIST, TER, METEOR)": [c for c in scores if c[1].split("_")[0] in FOUR],
        "all metric scores": scores,
        **{name: of(name) for name in components},
        "all components": of(*components),
        "all scores, BLEU components": of("scores", "BLEUComp"),
        "all scores, all components": of("scores", *components),
        "… and word vectors' alignment": of("scores", *components, "alignment"),
        "… and averaged vectors' similarity": of("scores", *components, "alignment", "similarity"),
    }
    if "tokens" in blocks:
        lexical = ("scores", *components, "alignment")
        sets |= {
            "token alignment (3 columns)": of("tokens"),
            "all scores, BLEU components, token alignment": of("scores", "BLEUComp", "tokens"),
            "all scores, all components, both alignments": of(*lexical, "tokens"),
            "… and sentence similarity": of(*lexical, "tokens", "sentence"),
            "… and sentence embeddings": [
                c for c in columns if c[0] in (*lexical, "tokens", "sentence")
            ],
        }
    return sets


def main(encoder, cache, only):
    """Print the tables."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    tables = compute(extractors(data, encoder, cache), data)
    columns = tables[TESTS[0]][0].columns
    print("\n| score alone | " + " | ".join(pair for _, pair in TESTS) + " |\n|---|---|---|")
    for block, name in columns:
        similarity = name in ("similarity_cosine", "similarity_euclidean")
        if block in ("scores", "alignment", "tokens") or similarity:
            rows = []
            for test in TESTS:
                features, y = tables[test]
                sign = -1 if name.endswith(("rwmd", "euclidean")) else 1
                rows.append(taus(y, sign * features[block, name]))
            show(f"{block}: {name}", rows)
    heads = [f"{training}: {pair}" for training in TRAININGS for _, pair in TESTS]
    print("\n| feature set | " + " | ".join(heads) + " |\n" + "|---" * (len(heads) + 1) + "|")
    for name, wanted in feature_sets(columns).items():
        if re.search(only, name):
            show(f"{name} ({len(wanted)})", trained(tables, wanted))
    smaller = {"WMT13": TRAININGS["WMT13"]}
    print("\n| leaving out | " + " | ".join(heads[: len(TESTS)]) + " |\n|---|---|---|")
    for name, wanted in without(columns).items():
        if re.search(only, name):
            show(f"{name} ({len(wanted)})", trained(tables, wanted, smaller))


def without(columns):
    """Name what is left of a set when one block, or one metric, is taken out."""
    every = [c for c in columns if "_emb" not in c[1]]
    found = {"everything but embeddings": every}
    for block in dict.fromkeys(columns.get_level_values(0)):
        found[f"without {block}"] = [c for c in every if c[0] != block]
    scores = [c for c in every if c[0] == "scores"]
    found["all metric scores"] = scores
    for column in scores:
        found[f"without {column[1]}"] = [c for c in scores if c != column]
    return found


def trained(tables, wanted, trainings=TRAININGS):
    """Train on each training set, test on each test set; None where memory would not do."""
    rows = []
    for training in trainings.values():
        if len(wanted) > MOST_COLUMNS and len(training) > 1:
            rows += [None] * len(TESTS)
            continue
        X = flat(pd.concat([tables[key][0][wanted] for key in training]))
        y = pd.concat([tables[key][1] for key in training])
        learner = make_pipeline(PairDifference(), LogisticRegression(max_iter=1000))
        model = make_pipeline(StandardScaler(), RankRecomposer(learner))
        model.set_output(transform="pandas").fit(X, y)
        for test in TESTS:
            features, y = tables[test]
            rows.append(taus(y, model.decision_function(flat(features[wanted]))))
    return rows


def flat(X):
    """Join the two levels of the columns' names."""
    return X.set_axis(["__".join(names) for names in X.columns], axis=1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", help="folder of a sentence-transformers model")
    parser.add_argument("--cache", help="folder for its embeddings")
    parser.add_argument("--only", default="", help="regular expression of sets' names")
    main(**vars(parser.parse_args()))
