"""``any`` on languages that it has not seen: ``python benchmarks/left_out_languages.py LANGUAGE``.

One language is left out of training at a time, in both directions, and ``it``: the help-desk
answers of WMT16's IT task. Columns are those that ``ready_made.py any`` leaves in its folder
(``--columns``); models learn from 400 groups of each language pair (some 100 segments and 300
corrupted translations), without calibration, and are adjusted as ``any`` is. Printed is tau x 100
of chrF, and by how much ranks and scores are better than it, with 95 % intervals by bootstrap over
segments; "before" is without the adjustment.
"""

import argparse
from copy import deepcopy

import numpy as np
import pandas as pd
from ready_made import RECIPES, adjusted
from ready_made_source import sampled

from sklearn_mteval import RankRecomposer
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.metrics import paired_bootstrap
from sklearn_mteval.pairwise.absolute import standalone_scores

LANGUAGES = ("it", "cs", "de", "es", "fi", "fr", "nl", "ru")


def measure(X, y, model):
    """Return the tau of chrF, and what the ranks and scores of a model before and after gain."""
    after = adjusted(deepcopy(model), RECIPES["any"].chrf)
    strengths = {
        "chrF": X["chrfcomp__chrf_score"].to_numpy(),
        "ranks before": model.decision_function(X),
        "ranks": after.decision_function(X),
        "scores before": standalone_scores(model, X),
        "scores": standalone_scores(after, X),
    }
    segments = y.index.get_level_values("segment")
    found = paired_bootstrap(
        y, strengths, groups=comparable_groups(y.to_frame()), documents=segments
    )
    rows = 100 * np.dstack([found.differences, found.low, found.high])[1:, 0]
    gains = (f"{name} {d:+.1f} [{low:.1f}, {high:.1f}]" for name, (d, low, high) in zip(
        list(strengths)[1:], rows, strict=True
    ))  # fmt: skip
    return "; ".join([f"chrF {100 * found.values[0]:.1f}", *gains])


def main():
    """Leave out, train, measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--columns", default="build/ready-made/any.columns.pkl")
    options = parser.parse_args()
    X = pd.read_pickle(options.columns)
    y = X.pop("rank")
    judged = ~X.index.get_level_values("ranking").str.match("beside|pair")
    names = X.index.get_level_values("segment").str.extract(r"(?:^|:| )(wmt\w+)\.(\w\w)-(\w\w):")
    campaign, source, target = (names[k].to_numpy() for k in range(3))
    for language in options.languages:
        left = (
            campaign == "wmt16it"
            if language == "it"
            else (source == language) | (target == language)
        )
        training = sampled(X[~left], y[~left], 400)
        model = RankRecomposer(PairEnsemble(calibrate=False)).fit(*training)
        test = left & judged & (campaign != "wmt13")
        for of in sorted(set(zip(campaign[test], source[test], target[test], strict=True))):
            there = test & (campaign == of[0]) & (source == of[1]) & (target == of[2])
            found = measure(X[there], y[there], model)
            print(f"without {language}: {of[0]} {of[1]}-{of[2]}: {found}", flush=True)


if __name__ == "__main__":
    main()
