"""Agreement of annotators and of metrics, in every campaign at hand.

``python benchmarks/meta_evaluation.py`` prints, as Markdown: agreement of the annotators with
each other and the ceilings that it sets; Kendall's tau of metrics and of a ranker that was trained
on WMT13 fr-en; the quality of their rankings. ``--campaigns wmt12 wmt13 wmt15``;
``SKLEARN_MTEVAL_DATA`` names the data. Some minutes.
"""

import argparse
import os
from pathlib import Path

from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.evaluation import evaluate_metrics
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import (
    agreement_ceiling,
    annotator_agreement,
    annotator_ceiling,
    best_system_rate,
    disagreements,
    err,
    kendall_tau,
    mrr,
    ndcg,
)
from sklearn_mteval.models import bleu_pipeline

LANG_PAIRS = {
    "wmt12": ("cs-en", "de-en", "en-de"),
    "wmt13": ("fr-en",),
    "wmt15": ("cs-en", "de-en", "fi-en", "fr-en", "ru-en"),
}
TRAINING = ("wmt13", "fr-en")
QUALITIES = (ndcg, mrr, err, best_system_rate)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", nargs="+", default=list(LANG_PAIRS), choices=LANG_PAIRS)
    campaigns = parser.parse_args().campaigns
    data = Path(os.environ["SKLEARN_MTEVAL_DATA"])
    loaded = {
        (campaign, pair): load_wmt(data / campaign, pair)
        for campaign in campaigns
        for pair in LANG_PAIRS[campaign]
    }
    print_annotators(loaded)
    print_metrics(
        loaded, bleu_pipeline().fit(*load_wmt(data / TRAINING[0], TRAINING[1], return_X_y=True))
    )


def print_annotators(loaded):
    """Print kappa, disagreements and ceilings."""
    print("| | inter [95 %] | intra | disagree | order (wmt12) | bound (wmt12) | (acc_eq) |")
    print("|---|---|---|---|---|---|---|")
    ceilings = ["\n| | pairs | agreed | annotator | ceiling |", "|---|---|---|---|---|"]
    for (campaign, pair), wmt in loaded.items():
        # WMT15 gives the rank of a translation to every system that has it.
        texts = wmt.X["hypothesis"] if campaign == "wmt15" else None
        inter, intra = (
            annotator_agreement(wmt.y, wmt.judges, kind=kind, texts=texts, n_resamples=2000)
            for kind in ("inter", "intra")
        )
        tau, accuracy = (
            agreement_ceiling(wmt.y, statistic=name, texts=texts) for name in ("wmt12", "acc_eq")
        )
        disagreeing = 100 * disagreements(wmt.y, texts=texts).proportion
        print(
            f"| {campaign.upper()} {pair} | {inter.kappa:.2f} "
            f"[{inter.low:.2f}, {inter.high:.2f}] | {intra.kappa:.2f} | {disagreeing:.0f} % | "
            f"{100 * tau.reached:.1f} | {100 * tau.ceiling:.1f} | {100 * accuracy.ceiling:.1f} |",
            flush=True,
        )
        found = annotator_ceiling(wmt.y, annotators=wmt.judges, texts=wmt.X["hypothesis"])
        values = (
            "{:.1f} [{:.1f}, {:.1f}]".format(*(100 * x for x in values))
            for values in (found[6:9], found[3:6], found[:3])
        )
        ceilings.append(f"| {campaign.upper()} {pair} | {found.n_pairs:,} | {' | '.join(values)} |")
    print("\n".join(ceilings))


def print_metrics(loaded, ranker):
    """Print how well metrics agree with the annotators."""
    tables = {"tau": [], "quality": []}
    for (campaign, pair), wmt in loaded.items():
        X, y = wmt.X, wmt.y
        scores = (
            MetricScores(("bleu", "chrf", "ter")).set_output(transform="pandas").fit_transform(X)
        )
        scores.columns = [name.removesuffix("_score") for name in scores.columns]
        if (campaign, pair) != TRAINING and pair.endswith("-en"):
            scores["ranker"] = ranker.decision_function(X)
        found = evaluate_metrics(y, scores, level="segment").table
        cells = [
            "-"
            if name not in found.index
            else "{:.1f} [{:.1f}, {:.1f}]".format(
                *(100 * found.loc[name, f"wmt12{part}"] for part in ("", "_low", "_high"))
            )
            for name in ("bleu", "chrf", "ter", "ranker")
        ]
        groups = X.index.droplevel("system")
        ter = 100 * kendall_tau(y, scores["ter"], groups=groups, statistic="wmt14")
        label = f"{campaign.upper()} {pair}"
        tables["tau"].append([label, *cells, f"{ter:.1f}"])
        chance = [0] * len(y)
        tables["quality"].append(
            [
                label,
                *(
                    " / ".join(
                        f"{100 * quality(y, metric, groups=groups):.0f}"
                        for metric in (chance, scores["bleu"], scores["chrf"])
                    )
                    for quality in QUALITIES
                ),
            ]
        )
    print("\n| tau x 100 | BLEU | chrF | TER | ranker | TER (wmt14) |\n|" + "---|" * 6)
    for row in tables["tau"]:
        print("| " + " | ".join(row) + " |")
    names = " | ".join(quality.__name__ for quality in QUALITIES)
    print(f"\n| chance / BLEU / chrF, x 100 | {names} |\n|" + "---|" * 5)
    for row in tables["quality"]:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
