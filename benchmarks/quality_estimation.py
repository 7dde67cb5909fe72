"""The tables of Avramidis 2012 on this data: ``python benchmarks/quality_estimation.py``.

Ranking without references. Training on WMT13 fr-en and WMT15 (five pairs into English), test on
WMT12; all judgements of a segment are one ranking (``aggregate_rankings``). Table 1: each feature
set with each learner: classification accuracy (CA: cross-validated by segment on 500 segments of
the training data), then tau x 100 by hard and by soft recomposition, pooled over pairs and averaged
over segments, with the number of pairs that the model ties. Table 2: rankings learned without
references against metrics that see them. Tau is strict (wmt12) throughout.
"""

import argparse
import os
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from nltk.metrics import edit_distance
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_mteval import (
    KNN,
    LogReg,
    NaiveBayes,
    PairDifference,
    RankRecomposer,
    SegmentKFold,
    aggregate_rankings,
    kendall_tau,
)
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.features import (
    ContrastiveScore,
    LanguageCheck,
    LanguageModelScore,
    MetricScores,
    ParserStatistics,
    SurfaceCounts,
    TokenAlignment,
)
from sklearn_mteval.linguistic.quality_estimation.feature_sets import FEATURE_SETS
from sklearn_mteval.metrics import kendall_tau_counts
from sklearn_mteval.pairwise import decompose
from sklearn_mteval.trees import CachedParser, LinkGrammar, read_brackets

TRAINING = [("wmt13", "fr-en"), *(("wmt15", f"{s}-en") for s in ("cs", "de", "fi", "fr", "ru"))]
TESTS = [("wmt12", "de-en"), ("wmt12", "cs-en")]
CA_SEGMENTS = 500  # of the training data; k nearest neighbours take the square of it
LEARNERS = {"kNN": KNN(), "Naive": NaiveBayes(), "LogReg": LogReg(stepwise=True)}


def load(data, n_segments):
    """Return {(campaign, pair): (translations, ranks, single judgements X, y)}."""
    loaded = {}
    for campaign, pair in (*TRAINING, *TESTS):
        X, y = load_wmt(data / campaign, pair, return_X_y=True)
        if n_segments and (campaign, pair) in TRAINING:
            segments = X.index.get_level_values("segment")
            some = np.random.default_rng(0).permutation(np.unique(segments))[:n_segments]
            X, y = X[segments.isin(some)], y[segments.isin(some)]
        label = f"{campaign}.{pair}:"  # lines are numbered alike in all of them
        X.index = X.index.set_levels([f"{label}{k}" for k in X.index.levels[0]], level="segment")
        y.index = X.index
        loaded[campaign, pair] = (*aggregate_rankings(X, y), X, y)
    return loaded


def describe(loaded, transformers):
    """Compute every feature once; return {(campaign, pair): features} with (step, name) columns."""
    training = pd.concat([loaded[key][0] for key in TRAINING])
    n_rows = sum(len(X) for X, *_ in loaded.values())
    blocks = {key: {} for key in loaded}
    for name, transformer in transformers.items():
        began = perf_counter()
        if not isinstance(transformer, dict):
            transformer = dict.fromkeys(("wmt13", "wmt15", "wmt12"), transformer)
        for fitted in {id(t): t for t in transformer.values()}.values():
            fitted.set_output(transform="pandas").fit(training)
        for key, (X, *_) in loaded.items():
            blocks[key][name] = transformer[key[0]].transform(X)
        seconds = perf_counter() - began
        print(f"<!-- {name}: {n_rows} rows, {seconds:.0f} s -->", flush=True)
    return {key: pd.concat(found, axis=1) for key, found in blocks.items()}


def language_models(loaded, gum, **options):
    """Make a language model for each campaign.

    A model that knows a training segment's reference would tell what the test cannot: that of
    each training campaign is estimated from the other campaign's references, that of the test from
    both; all of them know GUM.
    """
    references = {
        year: [t for k in TRAINING if k[0] == year for t in loaded[k][0]["reference"].unique()]
        for year in ("wmt13", "wmt15")
    }
    sources = [text for key in TRAINING for text in loaded[key][0]["source"].unique()]
    corpora = {
        "wmt13": references["wmt15"],
        "wmt15": references["wmt13"],
        "wmt12": references["wmt13"] + references["wmt15"],
    }
    return {
        campaign: LanguageModelScore(corpus=corpus + gum, source_corpus=sources, **options)
        for campaign, corpus in corpora.items()
    }


def gum_sentences(data):
    """Read the words of GUM's trees."""
    files = sorted((data / "gum" / "const").glob("*.ptb"))
    trees = [tree for file in files for tree in read_brackets(file.read_text(encoding="utf-8"))]
    return [" ".join(word for _, word in tree.tagged_words()) for tree in trees]


def steps(loaded, data, parses, encoder, cache):
    """Name the transformers; what is learnt is learnt from the training campaigns."""
    gum = gum_sentences(data)
    parser = LinkGrammar(n_jobs=2)
    found = {
        "surface": SurfaceCounts(ratios=True),
        "language_model": language_models(loaded, gum, ratios=True),
        "trigram": language_models(loaded, gum, order=3),
        "parser": ParserStatistics(parser, cache=parses, progress=True),
        "language_check": LanguageCheck(parser=CachedParser(parser, parses)),
        "bleu": ContrastiveScore("bleu", references="all"),
        "meteor": ContrastiveScore("meteor", options={"wordnet": "auto"}),
        "chrf": ContrastiveScore("chrf"),
    }
    if encoder:
        found["tokens"] = ContrastiveScore(TokenAlignment(encoder, layers="last", cache=cache))
    return found


def columns_of(name, features):
    """List the (step, name) columns of one of the paper's sets, without contrastive scores."""
    wanted = []
    for block, names in FEATURE_SETS[name].items():
        if block == "contrastive":
            continue
        step = "trigram" if (name, block) == ("1", "language_model") else block
        wanted += [(step, feature) for feature in names]
    return [column for column in wanted if column in features.columns]  # no parser of sources


def sets(features):
    """Name the sets of columns of the table."""
    contrastive = ["bleu", "meteor", "chrf", *(["tokens"] if "tokens" in features else [])]
    scores = {step: [c for c in features.columns if c[0] == step] for step in contrastive}
    if "tokens" in scores:
        scores["tokens"] = [c for c in scores["tokens"] if c[1].endswith("_f")]
    found = {}
    for name, blocks in FEATURE_SETS.items():
        if name == "4":
            continue  # printed with the same features as 3
        plain = columns_of(name, features)
        found[f"#{name}", "none"] = plain
        for step in dict.fromkeys([blocks.get("contrastive"), "chrf"]):
            if step:
                found[f"#{name}", step] = plain + scores[step]
    target = [
        c for c in features.columns
        if c[0] in ("surface", "language_model", "parser", "language_check")
        and c[1].startswith("hypothesis_")
    ]  # fmt: skip
    found["all of the target", "none"] = target
    lexical = [c for step in ("bleu", "meteor", "chrf") for c in scores[step]]
    found["nothing else", "chrf"] = scores["chrf"]
    found["all of the target", "bleu, meteor, chrf"] = target + lexical
    if "tokens" in scores:
        found["nothing else", "tokens"] = scores["tokens"]
        found["all of the target", "all four"] = target + lexical + scores["tokens"]
    distinct = {tuple(columns): key for key, columns in reversed(found.items())}
    return {key: columns for key, columns in found.items() if distinct[tuple(columns)] == key}


def flat(features, columns):
    """Select columns and give them plain names."""
    return features[columns].set_axis([f"{step}__{name}" for step, name in columns], axis=1)


def agreement(ranks, strength):
    """Return tau x 100, the mean of segments' taus x 100, and the pairs that are tied."""
    groups = ranks.index.droplevel("system")
    pooled, mean = (
        100 * kendall_tau(ranks, strength, groups=groups, average=average)
        for average in ("pairs", "groups")
    )
    return pooled, mean, kendall_tau_counts(ranks, strength, groups=groups).tied_metric


def single(loaded, strength):
    """Return tau x 100 against the single judgements."""
    X, _, judged, y = loaded
    each = pd.Series(strength, index=X.index).reindex(judged.index.droplevel("ranking"))
    return 100 * kendall_tau(y, each.to_numpy(), groups=judged.index.droplevel("system"))


class Remembering(ClassifierMixin, BaseEstimator):
    """A classifier that is asked once: the recompositions ask three times about the same pairs."""

    def __init__(self, classifier):
        self.classifier = classifier

    def fit(self, X, y):
        self.classifier_ = clone(self.classifier).fit(X, y)
        self.classes_ = self.classifier_.classes_
        self.known_ = {}
        return self

    def predict_proba(self, X):
        key = hash(np.asarray(X).tobytes())
        if key not in self.known_:
            self.known_[key] = self.classifier_.predict_proba(X)
        return self.known_[key]

    def predict(self, X):
        better = self.predict_proba(X)
        return self.classes_[(better[:, 1] > better[:, 0]).astype(int)]  # as the learners do


def classification_accuracy(estimator, X, y):
    """Cross-validate the proportion of right decisions on the pairs of some training segments."""
    segments = X.index.get_level_values("segment")
    some = np.random.default_rng(0).permutation(segments.unique())[:CA_SEGMENTS]
    pairs, labels = decompose(X[segments.isin(some)], y[segments.isin(some)])
    folds = SegmentKFold(5)
    return cross_val_score(clone(estimator), pairs, labels, cv=folds, scoring="accuracy").mean()


def table_1(loaded, features, only, raw):
    """Print set by set and learner by learner; return {(set, contrastive, learner): model}."""
    X = pd.concat([features[key] for key in TRAINING])
    y = pd.concat([loaded[key][1] for key in TRAINING])
    test = TESTS[0]
    translations, ranks, *_ = loaded[test]
    same = pd.factorize(translations["hypothesis"])[0]
    counts = kendall_tau_counts(ranks, same, groups=ranks.index.droplevel("system"))
    print(
        f"\n{len(y)} translations to learn from, {len(ranks)} to rank; {counts.tied_metric} of "
        "their decided pairs are two equal texts.\n\n| set | contrastive | learner | CA | hard: τ "
        f"| τ seg | ties | soft: τ | τ seg | ties | soft, single judgements |\n|{'---|' * 11}"
    )
    models = {}
    for (name, contrastive), columns in sets(features[test]).items():
        for learner, estimator in LEARNERS.items():
            if only and learner not in only:
                continue
            training = flat(X, columns)
            classifier = clone(estimator) if raw else make_pipeline(PairDifference(), estimator)
            ranker = RankRecomposer(Remembering(classifier)).fit(training, y)
            models[name, contrastive, learner] = ranker, columns
            accuracy = classification_accuracy(classifier, training, y)
            cells = []
            for recomposition in ("hard", "soft"):
                ranker.set_params(recomposition=recomposition)
                strength = ranker.decision_function(flat(features[test], columns))
                cells += agreement(ranks, strength)
            print(
                f"| {name} | {contrastive} | {learner} | {100 * accuracy:.1f} | "
                "{:.1f} | {:.1f} | {} | {:.1f} | {:.1f} | {} | ".format(*cells)
                + f"{single(loaded[test], strength):.1f} |",
                flush=True,
            )
    return models


def levenshtein(X):
    """Score by minus the edit distance of words to the reference, per word of the reference."""
    pairs = zip(X["hypothesis"].str.split(), X["reference"].str.split(), strict=True)
    return np.array([-edit_distance(h, r) / max(len(r), 1) for h, r in pairs])


def table_2(loaded, features, models):
    """Compare what sees the reference with what does not."""
    names = [f"{pair}{end}" for _, pair in TESTS for end in ("", ", single judgements")]
    print(f"\n| | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")

    def show(name, strength_of):
        cells = []
        for test in TESTS:
            strength = strength_of(test)
            cells += [agreement(loaded[test][1], strength)[0], single(loaded[test], strength)]
        print(f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} |", flush=True)

    options = {"meteor": {"wordnet": "auto"}}
    references = MetricScores(["bleu", "meteor", "chrf"], options=options)
    references.fit(pd.concat([loaded[key][0] for key in TRAINING]))
    scores = {test: references.transform(loaded[test][0]) for test in TESTS}
    for k, name in enumerate(("BLEU", "METEOR", "chrF")):
        show(f"{name} with the reference", lambda test, k=k: scores[test][:, k])
    show("Levenshtein with the reference", lambda test: levenshtein(loaded[test][0]))
    for step in ("bleu", "meteor", "chrf", "tokens"):
        if step in features[TESTS[0]]:
            show(
                f"contrastive {step}, not learned",
                lambda test, step=step: features[test][step].iloc[:, -1].to_numpy(),
            )
    for (name, contrastive, learner), (ranker, columns) in models.items():
        if learner == "LogReg":
            show(
                f"{name}, contrastive: {contrastive}, {learner}, soft",
                lambda test, r=ranker, c=columns: r.decision_function(flat(features[test], c)),
            )


def main(parses, encoder, cache, n_segments, only, raw):
    """Print both tables."""
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    loaded = load(data, n_segments)
    features = describe(loaded, steps(loaded, data, parses, encoder, cache))
    table_2(loaded, features, table_1(loaded, features, only, raw))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parses", type=Path, required=True, help="folder that keeps parses")
    parser.add_argument("--encoder", help="folder of a sentence-transformers model")
    parser.add_argument("--cache", type=Path, help="folder that keeps embeddings")
    parser.add_argument("--segments", type=int, help="of each training campaign; default all")
    parser.add_argument("--only", nargs="*", choices=LEARNERS, help="learners; default all")
    parser.add_argument("--raw", action="store_true", help="pairs of features, not differences")
    a = parser.parse_args()
    main(a.parses, a.encoder, a.cache, a.segments, a.only, a.raw)
