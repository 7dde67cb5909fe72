"""Does reranking beat the best single system? ``python benchmarks/rerank_by_annotators.py``.

The outputs of all systems of a segment are its list. Whatever chooses sees no judgement of these
segments; annotators' rankings tell how good the choices are, so that no utility is judged by
itself:

- *won*: of the pairs that annotators ranked, (chosen translation, another one of the same ranking
  task), the proportion that the chosen one wins, a tie being half a win. A translation taken at
  random wins half. Texts count, not systems: whoever has the chosen text is chosen.
- *difference*: won less what the best single system wins, with a 95 % interval (bootstrap over
  segments). The best single system is the one that annotators prefer **on these very segments**
  (an oracle; the row says so), which is the harder one to beat.
- *against the best system*: of the tasks in which both stand with different texts, the proportion
  that the chosen one wins; and in how many percent of segments both are one text.

``--campaign wmt15`` (default) and ``wmt13`` train models without the pair that they are measured
on, on WMT13 fr-en and the other pairs of WMT15, and take the distilled vectors of the data, which
have seen no ranking. ``--campaign wmt12`` takes the models and vectors of the package, which have
not seen WMT12: to be looked at once. ``--without WORD`` leaves systems out, such as those of the
tuning task of WMT15 cs-en, which are variants of one system. ``--output FILE`` writes the numbers
as JSON, of which ``docs/make_rerank_picture.py`` makes the picture.
"""

import argparse
import json
import os
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from ready_made_features import load

from sklearn_mteval import RankRecomposer, load_pretrained, make_ranking_pipeline
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.features import WordVectorAlignment, recommended
from sklearn_mteval.models import rerank
from sklearn_mteval.text import load_word_vectors

CAMPAIGNS = {
    "wmt12": ("cs-en", "de-en"),
    "wmt13": ("fr-en",),
    "wmt15": ("cs-en", "de-en", "fi-en", "fr-en", "ru-en"),
}
TRAINING = ["wmt13 fr-en", *(f"wmt15 {pair}" for pair in CAMPAIGNS["wmt15"])]
ORACLE = "best single system (oracle)"
N_RESAMPLES = 2000


class Alignment:
    """Soft alignment of words by vectors, as a utility that is a function."""

    def __init__(self, vectors):
        table = pd.DataFrame({"hypothesis": ["a"], "reference": ["a"]})
        self.aligned = WordVectorAlignment(load_word_vectors(vectors), idf=False).fit(table)

    def __call__(self, hypotheses, references):
        """Align each hypothesis with its reference."""
        table = pd.DataFrame({"hypothesis": hypotheses, "reference": references})
        return self.aligned.transform(table)[:, 2]


def models_for(campaign, pair, data, max_pairs):
    """Return a model that reads references, one that does not or None, a utility of words."""
    if campaign == "wmt12":
        return load_pretrained("static-en"), None, "alignment"
    vectors = str(data / "vectors" / "distilled-en-100d.txt.gz")
    training = load(data, [name for name in TRAINING if name != f"{campaign} {pair}"], None)
    fitted = []
    for kind in ("static", "no-reference"):
        ranker = RankRecomposer(PairEnsemble(), max_pairs=max_pairs)
        pipeline = make_ranking_pipeline(recommended(kind, vectors=vectors), ranker)
        fitted.append(pipeline.fit(training.X, training.y))
    return *fitted, Alignment(vectors)


def ways(static, consensus, words):
    """List what chooses: options of rerank, and whether it reads the reference."""
    single = {
        "MBR, chrF": {"utility": "chrf"},
        "MBR, BLEU": {"utility": "bleu"},
        "MBR, static alignment": {"utility": words},
        "MBR, ensemble of these three": {"utility": ["chrf", "bleu", words]},
        "MBR, chrF, aggregate": {"utility": "chrf", "approximation": "aggregate"},
        "MBR, chrF, low-rank (1/3)": {"utility": "chrf", "approximation": "low-rank"},
        "MBR, score of a static model": {"utility": static},
    }
    if consensus is not None:
        tournament = {"decision": "strength", "model": consensus}
        single["strength, consensus"] = tournament
        single["strength, consensus, sparse (1/3)"] = {**tournament, "approximation": "sparse"}
    reading = {
        "strength, static model": {"decision": "strength", "model": static},
        "score, static model": {"decision": "score", "model": static},
    }
    return [
        *((name, options, False) for name, options in single.items()),
        *((name, options, True) for name, options in reading.items()),
    ]


def tasks_of(data, campaign, pair, without=None):
    """Return all translations of judged segments, and the ranked texts of each ranking task.

    Systems with ``without`` in their names are left out.
    """
    ranked, y = load_wmt(data / campaign, pair, return_X_y=True)
    judged = ranked.index.get_level_values("segment")
    X = load_wmt_translations(data / campaign, pair)
    X = X[X.index.get_level_values("segment").isin(judged)]
    if without is not None:
        X, ranked, y = (
            table[~table.index.get_level_values("system").str.contains(without, regex=False)]
            for table in (X, ranked, y)
        )
    tasks = pd.DataFrame({"text": ranked["hypothesis"], "rank": y}).reset_index()
    return X, tasks.drop_duplicates(["ranking", "text"])


def outcomes(tasks, chosen, best=None):
    """Count wins and pairs of the chosen texts by segment: (n_segments, 2).

    ``chosen`` is a text of each segment. ``best``, if given, is what alone it is compared with.
    """
    own = tasks[tasks["text"] == tasks["segment"].map(chosen)]
    others = tasks if best is None else tasks[tasks["text"] == tasks["segment"].map(best)]
    pairs = own.merge(others, on=["segment", "ranking"], suffixes=("", "_other"))
    pairs = pairs[pairs["text"] != pairs["text_other"]]
    won = (pairs["rank"] < pairs["rank_other"]) + 0.5 * (pairs["rank"] == pairs["rank_other"])
    found = won.groupby(pairs["segment"]).agg(["sum", "size"])
    return found.reindex(chosen.index, fill_value=0).to_numpy(dtype=float)


def best_systems(X, tasks):
    """Return the text that each system has, by system, and what it wins over all segments."""
    texts = {name: part["hypothesis"].droplevel("system") for name, part in X.groupby("system")}
    rates = {}
    for name, of_system in texts.items():
        wins, pairs = outcomes(tasks, of_system).sum(axis=0)
        rates[name] = wins / max(pairs, 1)
    return texts, rates


def with_interval(sums, weights):
    """Return 100 x wins / pairs, and its bounds over resamples of segments; sums (n, 2)."""
    resampled = weights @ sums
    with np.errstate(invalid="ignore"):
        rates = 100 * resampled[:, 0] / resampled[:, 1]
    value = 100 * sums[:, 0].sum() / sums[:, 1].sum()
    return value, rates


def measure(data, campaign, pairs, max_pairs, without):
    """Measure everything: rows of a table for each pair and for all."""
    collected, info = {}, []
    for pair in pairs:
        X, tasks = tasks_of(data, campaign, pair, without)
        given = models_for(campaign, pair, data, max_pairs)
        segments = X.index.unique("segment")
        texts, rates = best_systems(X, tasks)
        best = max(rates, key=rates.get)
        first = X["hypothesis"].groupby(level="segment").first()
        best_text = texts[best].reindex(segments).fillna(first)
        info.append(f"{pair}: {len(segments)} segments, {len(rates)} systems; best {best}")
        print(info[-1], flush=True)
        choices = {ORACLE: (best_text, 0.0, 0)}
        longest = X["hypothesis"].str.len().groupby(level="segment").idxmax()
        choices["the longest text"] = X["hypothesis"].loc[longest].droplevel("system"), 0.0, 0
        for name, options, reads in ways(*given):
            table = X if reads else X.drop(columns="reference")
            rerank(table.iloc[:200], **options)  # compiled, loaded
            begin = perf_counter()
            found = rerank(table, **options)
            took = perf_counter() - begin
            compared = int(found["compared"].groupby(level="segment").first().sum())
            chosen = X["hypothesis"][found["chosen"].to_numpy()].droplevel("system")
            choices[name] = chosen, took, compared
            print(f"  {name}: {took:.1f} s", flush=True)
        for name, (chosen, took, compared) in choices.items():
            entry = collected.setdefault(name, [])
            chosen = chosen.reindex(segments)
            entry.append(
                {
                    "pair": pair, "won": outcomes(tasks, chosen),
                    "against": outcomes(tasks, chosen, best_text),
                    "same": (chosen == best_text).to_numpy(), "seconds": took,
                    "compared": compared,
                }
            )  # fmt: skip
    rng = np.random.default_rng(0)
    sizes = [len(part["same"]) for part in collected[ORACLE]]
    drawn = [rng.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES) for n in sizes]
    rows = []
    scopes = [([k], pair) for k, pair in enumerate(pairs)] + [(range(len(pairs)), "all")]
    for some, scope in scopes:
        weights = np.hstack([drawn[k] for k in some])

        def joined(name, key, some=some):
            return np.concatenate([collected[name][k][key] for k in some])

        reference = with_interval(joined(ORACLE, "won"), weights)
        for name in collected:
            won, resampled = with_interval(joined(name, "won"), weights)
            difference = resampled - reference[1]
            row = {"pair": scope, "way": name, "won": won}
            row["difference"] = won - reference[0]
            row["low"], row["high"] = np.percentile(difference, [2.5, 97.5])
            against = joined(name, "against")
            if against[:, 1].sum():
                row["against"], bounds = with_interval(against, weights)
                row["against_low"], row["against_high"] = np.nanpercentile(bounds, [2.5, 97.5])
            row["pairs"] = int(joined(name, "won")[:, 1].sum())
            row["same"] = 100 * joined(name, "same").mean()
            n = sum(sizes[k] for k in some)
            row["seconds"] = 1000 / n * sum(collected[name][k]["seconds"] for k in some)
            row["compared"] = sum(collected[name][k]["compared"] for k in some) / n
            rows.append(row)
    return pd.DataFrame(rows), info


def show(rows):
    """Print a Markdown table of each scope."""
    for scope, part in rows.groupby("pair", sort=False):
        print(f"\n{scope}\n")
        print("| chosen by | won | difference | against the best system | same text | s |")
        print("|---|---|---|---|---|---|")
        for row in part.itertuples():
            direct = "-"
            if row.against == row.against:
                direct = f"{row.against:.1f} [{row.against_low:.1f}, {row.against_high:.1f}]"
            gap = f"{row.difference:+.1f} [{row.low:+.1f}, {row.high:+.1f}]"
            gap = "-" if row.way == ORACLE else gap
            print(
                f"| {row.way} | {row.won:.1f} | {gap} | {direct} | {row.same:.0f} % | "
                f"{row.seconds:.1f} |"
            )


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("SKLEARN_MTEVAL_DATA"), type=Path)
    parser.add_argument("--campaign", default="wmt15", choices=list(CAMPAIGNS))
    parser.add_argument("--pairs", nargs="+")
    parser.add_argument("--without", metavar="WORD")
    parser.add_argument("--max-pairs", type=int, default=30_000)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    pairs = given.pairs or CAMPAIGNS[given.campaign]
    rows, _ = measure(given.data, given.campaign, pairs, given.max_pairs, given.without)
    show(rows)
    if given.output:
        given.output.write_text(json.dumps(json.loads(rows.to_json(orient="records")), indent=1))


if __name__ == "__main__":
    main()
