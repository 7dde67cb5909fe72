"""The figures of the ready-made models: ``python benchmarks/ready_made_figures.py``.

Prints Markdown tables of strict tau x 100 (variant wmt12, pairs of translations pooled), with 95 %
intervals (bootstrap over segments):

1. the model against the best single feature and chrF, the differences by paired bootstrap. The best
   single feature is the column, or its negative, with the highest tau on the training part;
2. the model's stand-alone scores: soft pairwise accuracy of systems, by means over their judged
   translations, beside chrF's; tau of segments;
3. calibration of the probabilities of pairs: expected calibration error before and after;
4. learning curve by number of judgements, and by campaign;
5. ablation: each family of columns left out, and each alone. Strict tau counts a model's ties as
   discordant: what tells few translations apart is far below 0 alone.

Features see all systems of a segment whose translations are at hand, as in ``evaluate``; with
``--columns`` those of the judged task. Strengths are among the systems of a task. Everything is
measured on language pairs that were not trained on: one of WMT15's five at a time, trained on WMT13
fr-en and the other four (the ablation leaves out two or three at a time, which takes fewer fits).
With ``--test`` it is WMT12's pairs, trained on all of WMT13 and WMT15: to be looked at once, when
nothing is to be chosen any more.

Transformers are fitted on the training part; then columns, and parts of the segments, are selected.
So a learning curve that trains on a tenth has its inverse document frequencies, and whatever else
a transformer learns, from the whole training part. The package's vectors have seen the rankings of
WMT13 and WMT15: ``--words word-table.npz`` (``ready_made.py words`` makes it) learns them anew for
each split. Without it they are the distilled ones of the data, which saw no rankings. ``--columns``
takes what ``ready_made.py`` computed for training, cross-fitted by segment: minutes instead of
hours, but vectors and aligners were learnt from other segments of the pairs that are left out.
"""

import argparse
import json
import os
from copy import copy
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from ready_made_features import Features, Part, Split, StoredColumns, load, union_of
from ready_made_output import TITLES, calibration_error, draw, show

from sklearn_mteval import RankRecomposer, kendall_tau
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.evaluation import evaluate_metrics
from sklearn_mteval.features import MetricScores
from sklearn_mteval.features.lexical._columns import GROUPS
from sklearn_mteval.features.recommendation import RECOMMENDED
from sklearn_mteval.metrics import agreement_interval, paired_bootstrap
from sklearn_mteval.pairwise.absolute import can_score, standalone_scores

WMT13 = ("wmt13 fr-en",)
WMT15 = tuple(f"wmt15 {source}-en" for source in ("cs", "de", "fi", "fr", "ru"))
WMT12 = ("wmt12 cs-en", "wmt12 de-en", "wmt12 en-de")
GROUP_OF = {
    column: group for group, columns in GROUPS.items() for names in columns for column in names
}
PROPORTIONS = (0.1, 0.3)


def learner(calibrate=True):
    """Build the learner of all models."""
    return RankRecomposer(PairEnsemble(calibrate=calibrate))


def family(column):
    """Name the family of a column: its group of lexical features, or else its transformer."""
    transformer, _, name = column.rpartition("__")
    return GROUP_OF.get(name, transformer)


def fit(part, columns=slice(None), calibrate=True):
    """Train on some columns."""
    return learner(calibrate).fit(part.X.loc[:, columns], part.y)


def tau(y, strengths, interval=True):
    """Compute tau x 100, and the bounds of its interval."""
    groups = comparable_groups(y.to_frame())
    found = [kendall_tau(y, strengths, groups=groups)]
    if interval:
        segments = y.index.get_level_values("segment")
        found += agreement_interval(y, strengths, groups=groups, documents=segments)
    return [100 * value for value in found]


def differences(y, strengths):
    """Compare metrics of a mapping: [i, j] is tau x 100 of i less that of j, and its bounds."""
    groups, segments = comparable_groups(y.to_frame()), y.index.get_level_values("segment")
    found = paired_bootstrap(y, strengths, groups=groups, documents=segments)
    return 100 * np.dstack([found.differences, found.low, found.high])


def with_bounds(name, values):
    """Name a value and its bounds, as columns of a table."""
    return dict(zip([name, f"{name}: low", f"{name}: high"], values, strict=True))


def ablation(splits, features, jobs):
    """Leave each family out, and take each alone."""
    columns = features(splits[0])[0].X.columns
    families = list(dict.fromkeys(map(family, columns)))
    chosen = {"everything": list(columns)}
    for name in families if len(families) > 1 else ():
        chosen[f"without {name}"] = [c for c in columns if family(c) != name]
        chosen[f"{name} alone"] = [c for c in columns if family(c) == name]
    ys, strengths = [], []
    for split in splits:
        training, tests = features(split)
        models = joblib.Parallel(n_jobs=jobs)(
            joblib.delayed(fit)(training, some, calibrate=False) for some in chosen.values()
        )
        ys.append(tests.y)
        strengths.append(
            [
                model.decision_function(tests.X[some])
                for model, some in zip(models, chosen.values(), strict=True)
            ]
        )
    y, strengths = pd.concat(ys), dict(zip(chosen, np.hstack(strengths), strict=True))
    less_everything = differences(y, strengths)[:, 0]
    rows = []
    for (name, some), difference in zip(chosen.items(), less_everything, strict=True):
        row = {"columns": name, "number": len(some), **with_bounds("tau", tau(y, strengths[name]))}
        if name != "everything":
            row |= with_bounds("less everything's", difference)
        rows.append(row)
    return pd.DataFrame(rows)


def some_segments(part, proportion):
    """Draw a part of the segments; smaller draws are parts of larger ones."""
    labels = part.y.index.get_level_values("segment")
    segments = np.random.default_rng(0).permutation(np.unique(labels))
    rows = labels.isin(segments[: max(2, round(proportion * len(segments)))])
    return Part(part.X[rows], part.y[rows])


def learning_curve(splits, features, models, jobs):
    """Train on a part of the segments, on one campaign, on one language pair."""
    chosen = {
        **{f"{100 * p:.0f} % of the segments": p for p in PROPORTIONS},
        "100 %: WMT13 and WMT15": None,
        "WMT13 only": WMT13,
        "WMT15 only": WMT15,
        **{f"{pair} only": (pair,) for pair in WMT15},
    }
    rows = []
    for name, what in chosen.items():
        parts = [
            (split, features(split)[0].of(what) if isinstance(what, tuple) else features(split)[0])
            for split in splits
            if what is None or isinstance(what, float) or set(what) & set(split.training)
        ]
        if isinstance(what, float):
            parts = [(split, some_segments(part, what)) for split, part in parts]
        fitted = (
            [models[split] for split, _ in parts]
            if what is None
            else joblib.Parallel(n_jobs=jobs)(joblib.delayed(fit)(part) for _, part in parts)
        )
        measured = [
            (features(split)[1], model.decision_function(features(split)[1].X))
            for (split, _), model in zip(parts, fitted, strict=True)
        ]
        y = pd.concat([tests.y for tests, _ in measured])
        strengths = pd.Series(np.concatenate([s for _, s in measured]), y.index)
        row = {"trained on": name, "pairs": round(np.mean([m.n_pairs_ for m in fitted]))}
        for pair in [pair for split in splits for pair in split.tests]:
            on_pair = Part(strengths, y).of([pair])
            row[pair] = tau(on_pair.y, on_pair.X, interval=False)[0] if len(on_pair.y) else np.nan
        row["mean"] = np.mean([row[pair] for split in splits for pair in split.tests])
        rows.append(row | with_bounds("pooled", tau(y, strengths)))
    return pd.DataFrame(rows)


def decided_pairs(model, part):
    """Return (1 iff t1 is better, P(t1 better)) of pairs that annotators decided, both ways."""
    found = model.compare(part.X)["probability"]
    first, second = (
        part.y.reindex(found.index.droplevel(f"system_{other}")).to_numpy() for other in (2, 1)
    )
    decided = first != second
    return (first < second)[decided].astype(np.float64), found.to_numpy()[decided]


def calibration(splits, features, models, outcomes):
    """Measure calibration on pairs not trained on; add their outcomes and probabilities."""
    rows, pooled = [], {"before": [], "after": []}
    for split in splits:
        after = models[split]
        before = copy(after)
        before.estimator_ = copy(after.estimator_)
        before.estimator_.slope_ = 1.0
        for pair in split.tests:
            row = {"pair": pair, "slope": after.estimator_.slope_}
            for name, model in (("before", before), ("after", after)):
                found = decided_pairs(model, features(split)[1].of([pair]))
                row |= {"judgements": len(found[0]) // 2, f"ECE {name}": calibration_error(*found)}
                pooled[name].append(found)
            rows.append(row)
    outcomes |= {name: np.concatenate(found, axis=1) for name, found in pooled.items()}
    errors = {f"ECE {name}": calibration_error(*found) for name, found in outcomes.items()}
    total = {"pair": "all", "judgements": sum(row["judgements"] for row in rows), **errors}
    return pd.DataFrame([*rows, total])


def best_column(part):
    """Find the column with the highest tau on the training part, and its sign."""
    groups = comparable_groups(part.y.to_frame())
    found = {
        (column, sign): kendall_tau(part.y, sign * part.X[column], groups=groups)
        for column in part.X.columns
        for sign in (1, -1)
    }
    return max(found, key=found.get)


def against_single(splits, features, models, texts):
    """Compare the model with the best single feature and with chrF."""
    chrf = MetricScores(("chrf",))
    rows = []
    for split in splits:
        training, tests = features(split)
        column, sign = best_column(training)
        for pair in split.tests:
            part, X = tests.of([pair]), texts.of([pair]).X
            strengths = {
                "model": models[split].decision_function(part.X),
                "best": sign * part.X[column].to_numpy(),
                "chrF": chrf.fit_transform(X)[:, 0],
            }
            taus = {name: tau(part.y, strength) for name, strength in strengths.items()}
            _, less_best, less_chrf = differences(part.y, strengths)[0]
            row = {"pair": pair, **with_bounds("model", taus["model"])}
            row |= {"best single feature": ("-" if sign < 0 else "") + column}
            row |= {"its tau": taus["best"][0], **with_bounds("model less it", less_best)}
            row |= {"chrF": taus["chrF"][0], **with_bounds("model less chrF", less_chrf)}
            rows.append(row)
    return pd.DataFrame(rows)


def systems(splits, features, models, texts):
    """Measure what stand-alone scores say of systems and of segments."""
    rows, chrf = [], MetricScores(("chrf",))
    for split in splits:
        for pair in split.tests:
            part = features(split)[1].of([pair])
            scores = pd.DataFrame(
                {"chrF": chrf.fit_transform(texts.of([pair]).X)[:, 0]}, part.y.index
            )
            if can_score(models[split], part.X):
                scores["model"] = standalone_scores(models[split], part.X)
            found = evaluate_metrics(
                part.y, scores, level="both", system_statistics=("spa",), n_resamples=200
            ).table
            row = {"pair": pair}
            for name in scores:
                values = (
                    100 * found.loc[name, f"system_spa{end}"] for end in ("", "_low", "_high")
                )
                row |= with_bounds(f"SPA of {name}", values)
            rows.append(row | {f"tau of {name}": 100 * found.loc[name, "wmt12"] for name in scores})
    table = pd.DataFrame(rows)
    means = {name: table[name].mean() for name in table if name != "pair" and ": " not in name}
    return pd.concat([table, pd.DataFrame([{"pair": "mean", **means}])], ignore_index=True)


def splits_of(kind, test):
    """Return the splits of the ablation, and those of the other tables."""
    known = WMT13 + WMT15
    if test:
        pairs = tuple(pair for pair in WMT12 if kind == "any" or pair.endswith("-en"))
        return [Split(known, pairs)], [Split(known, pairs)]
    halves = (WMT15[::2], WMT15[1::2])
    return tuple(
        [Split(tuple(pair for pair in known if pair not in tests), tests) for tests in found]
        for found in (halves, [(pair,) for pair in WMT15])
    )


def main(arguments=None):
    """Print the tables."""
    options = parser().parse_args(arguments)
    if options.data is None:
        raise SystemExit("Where is the data? Pass --data, or set SKLEARN_MTEVAL_DATA.")
    if options.kind == "encoder" and options.encoder is None and options.columns is None:
        raise SystemExit(
            "--kind encoder needs --encoder, a folder of a sentence-transformers model."
        )
    halves, splits = splits_of(options.kind, options.test)
    pairs = sorted({pair for split in splits for names in split for pair in names})
    texts = load(options.data, pairs, options.segments)
    if options.columns is not None:
        features = StoredColumns(options.columns, texts)
    else:
        features = Features(union_of(options), texts, options.cache, options.data)
    wanted = splits if set(options.only) != {"ablation"} else []
    fitted = joblib.Parallel(n_jobs=options.jobs)(
        joblib.delayed(fit)(features(split)[0]) for split in wanted
    )
    models, outcomes = dict(zip(wanted, fitted, strict=True)), {}
    makers = {
        "against_single": partial(against_single, splits, features, models, texts),
        "systems": partial(systems, splits, features, models, texts),
        "calibration": partial(calibration, splits, features, models, outcomes),
        "learning_curve": partial(learning_curve, splits, features, models, options.jobs),
        "ablation": partial(ablation, halves, features, options.jobs),
    }
    print(f"\n# {options.kind}: {', '.join(pair for split in splits for pair in split.tests)}")
    tables = {}
    for name in options.only:
        tables[name] = makers[name]()
        show(name, tables[name], options.output)
    if options.output is not None:
        draw(tables, outcomes, options.output)


def parser():
    """Build the parser of the command line."""
    found = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("SKLEARN_MTEVAL_DATA")
    found.add_argument("--data", type=Path, default=data and Path(data), help="folder of campaigns")
    found.add_argument("--kind", choices=RECOMMENDED, default="static", help="which model")
    found.add_argument("--encoder", help="folder of a sentence-transformers model")
    found.add_argument(
        "--encoder-options", type=json.loads, default={}, help='such as {"layers": [5, 7, 8]}'
    )
    found.add_argument("--words", help="table that vectors are learnt from")
    found.add_argument("--columns", help="NAME.columns.pkl of ready_made.py: saves all features")
    found.add_argument("--test", action="store_true", help="measure on WMT12: once, at the end")
    found.add_argument("--segments", type=int, help="so many of each pair, to try things out")
    found.add_argument("--cache", type=Path, help="folder for computed features")
    found.add_argument("--output", type=Path, help="folder for TSV files and plots")
    found.add_argument("--only", nargs="+", choices=TITLES, default=list(TITLES), help="tables")
    found.add_argument("--jobs", type=int, default=1, help="fits at a time")
    return found


if __name__ == "__main__":
    main()
