"""Draw the fragments of the page on tree kernels: ``python docs/make_fragment_picture.py DATA``.

DATA holds ``wmt13``, whose French-English rankings the model learns from.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from sklearn_mteval import RankRecomposer
from sklearn_mteval.datasets import load_wmt
from sklearn_mteval.kernels import PreferenceKernelSVC, RelatedTrees
from sklearn_mteval.plots import FragmentDisplay

if __name__ == "__main__":
    X, y = load_wmt(Path(sys.argv[1]) / "wmt13", "fr-en", return_X_y=True)
    segments = X.index.get_level_values("segment")
    some = segments.isin(segments.unique()[:1000])
    machine = PreferenceKernelSVC(calibration_folds=None)
    ranker = RankRecomposer(machine, recomposition="hard")
    ranker.fit(RelatedTrees(match="lower").fit_transform(X[some]), y[some])
    display = FragmentDisplay.from_estimator(ranker, n_fragments=12, max_nodes=5)
    display.figure_.savefig(Path(__file__).parent / "images" / "fragments.png", dpi=110)
