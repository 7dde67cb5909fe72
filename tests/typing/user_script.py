"""What a user writes: tests/test_typing.py runs it, and the type checker reads it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_union

from sklearn_mteval import (
    KNN,
    BLEUComp,
    RankRecomposer,
    SegmentKFold,
    kendall_tau,
    kendall_tau_scorer,
    load_model,
    load_pretrained,
    make_ranking_pipeline,
    save_model,
    segment_train_test_split,
)
from sklearn_mteval.datasets import load_rankings, load_sample
from sklearn_mteval.evaluation import evaluate_metrics, leaderboard
from sklearn_mteval.evaluation.evaluate import Evaluation
from sklearn_mteval.features import ChrFComp, MetricScores
from sklearn_mteval.metrics import agreement_interval, permutation_test
from sklearn_mteval.metrics.significance.comparison import MetricComparison
from sklearn_mteval.models import rank_candidates, score_candidates
from sklearn_mteval.plots import AgreementDisplay, LeaderboardDisplay
from sklearn_mteval.report import report_text

# Loaders
X, y = load_sample(return_X_y=True)
table = pd.DataFrame({"segment": [1, 1], "system": ["a", "b"], "rank": [1, 2]})
assert len(load_rankings(table, format="long", judgement="rank", better="lower").y) == 2

# A pipeline in a grid
X_train, X_test, y_train, y_test = segment_train_test_split(X, y, test_size=0.5, random_state=0)
features = make_union(BLEUComp(n_jobs=1), ChrFComp(word_order=2))
pipeline = make_ranking_pipeline(features, RankRecomposer(KNN(), recomposition="soft"))
grid = {"rankrecomposer__estimator__n_neighbors": [3, 9]}
search = GridSearchCV(pipeline, grid, scoring=kendall_tau_scorer, cv=SegmentKFold(2))
best = search.fit(X_train, y_train).best_estimator_

# Models: one's own and ready-made
strengths: np.ndarray = best.decision_function(X_test)
with TemporaryDirectory() as folder:
    path, notes = Path(folder, "model"), {"tau": best.score(X_test, y_test)}
    save_model(best, path, X=X_train, y=y_train, scores=notes)
    assert (load_model(path).predict(X_test) == best.predict(X_test)).all()
ranked: pd.DataFrame = rank_candidates(load_pretrained("any"), X_test)
scores: pd.Series = score_candidates(load_pretrained("any"), X_test)

# Statistics
groups = y_test.index.droplevel("system")
tau: float = kendall_tau(y_test, strengths, groups=groups, statistic="wmt14", average="groups")
low, high = agreement_interval(y_test, strengths, groups=groups, n_resamples=100)
metrics = MetricScores(metrics=["bleu", "chrf"]).set_output(transform="pandas").fit_transform(X)
test: MetricComparison = permutation_test(y, metrics, groups=y.index.get_level_values("segment"))
found: Evaluation = evaluate_metrics(y, metrics, n_resamples=100, n_permutations=50)
print(report_text(found, format="markdown"), f"{low:.2f} {tau:.2f} {high:.2f}", test.names)

# Plots
display = AgreementDisplay.from_predictions(y_test, metrics.loc[y_test.index], groups=groups)
display.plot(references={"ours": tau}).ax_.figure.clear()
LeaderboardDisplay.of(leaderboard(X, y, n_resamples=100)).plot().figure_.clear()
