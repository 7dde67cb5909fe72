"""The ready-made models' figures as Markdown, TSV and plots."""

import sys

import numpy as np
import pandas as pd

TITLES = {
    "against_single": "Against the best single feature and chrF",
    "systems": "Stand-alone scores: systems (SPA) and segments (tau)",
    "calibration": "Calibration of the probabilities of pairs",
    "learning_curve": "Learning curve",
    "ablation": "Ablation",
}


def calibration_error(better, probability, n_bins=10):
    """Compute the expected calibration error: Σ_b n_b / n · |observed_b − predicted_b|.

    Of the n probabilities, n_b are in bin b of equal width; predicted_b is their mean, observed_b
    the proportion of these pairs whose t1 annotators found better (Naeini, Cooper and Hauskrecht
    2015; Guo et al. 2017, equation 3).
    """
    bins = np.minimum((probability * n_bins).astype(np.int64), n_bins - 1)
    return np.abs(np.bincount(bins, better - probability)).sum() / len(bins)


def show(name, table, output):
    """Print a table as Markdown, and write it as TSV."""
    shown = pd.DataFrame(index=table.index)
    for column in table.columns:
        if column.endswith((": low", ": high")):
            continue
        digits = 3 if column.startswith(("ECE", "slope")) else 1
        bounds = [f"{column}: low", f"{column}: high"]
        wanted = [column, *(bounds if bounds[0] in table.columns else ())]
        shown[column] = [cell(*values, digits=digits) for values in table[wanted].to_numpy()]
    print(
        f"\n## {TITLES[name]}\n\n| {' | '.join(shown.columns)} |\n" + "|---" * shown.shape[1] + "|"
    )
    for row in shown.to_numpy():
        print(f"| {' | '.join(row)} |", flush=True)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        table.to_csv(output / f"{name}.tsv", sep="\t", index=False, float_format="%.4f")


def cell(value, low=None, high=None, *, digits):
    """Write a number, with its interval, or a text."""
    if isinstance(value, str):
        return value
    if np.isnan(value):
        return ""
    if value == int(value) and low is None:
        return f"{int(value):,}"
    bounds = "" if low is None or np.isnan(low) else f" [{low:.{digits}f}, {high:.{digits}f}]"
    return f"{value:.{digits}f}{bounds}"


def draw(tables, outcomes, output):
    """Draw the tables; without matplotlib say so."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("No plots: pip install matplotlib", file=sys.stderr)
        return
    from sklearn_mteval.plots import PairCalibrationDisplay

    shown = {
        "ablation": ("columns", "tau"),
        "learning_curve": ("trained on", "pooled"),
        "against_single": ("pair", "model"),
    }
    for name in shown.keys() & tables.keys():
        table, (label, value) = tables[name][::-1], shown[name]
        axes = Figure(figsize=(7, 1 + 0.3 * len(table)), layout="constrained").subplots()
        middle, low, high = (table[f"{value}{end}"] for end in ("", ": low", ": high"))
        axes.errorbar(
            middle, table[label], xerr=[middle - low, high - middle], fmt="o", label="model"
        )
        if name == "against_single":
            axes.plot(table["its tau"], table[label], "s", label="best single feature")
            axes.plot(table["chrF"], table[label], "^", label="chrF")
            axes.figure.legend(loc="outside upper center", ncols=3)
        axes.set_xlabel("Kendall's tau x 100 (wmt12) and its 95 % interval")
        axes.figure.savefig(output / f"{name}.png", dpi=120)
    if not outcomes:
        return
    axes = Figure(figsize=(5.4, 5.4), layout="constrained").subplots()
    for name, (better, probability) in outcomes.items():
        label = f"{name} calibration: ECE {calibration_error(better, probability):.3f}"
        PairCalibrationDisplay.from_predictions(better, probability, name=label, ax=axes)
    axes.figure.savefig(output / "calibration.png", dpi=120)
