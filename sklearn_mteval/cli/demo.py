"""Show the package at work on its bundled sample, in a few seconds.

Compares a pipeline that is trained by cross-validation, a ready-made model and two metrics by how
well they rank translations, and shows a segment in which they differ. With --files it writes the
sample as files to try the other commands with, and does nothing else.
"""

import textwrap
from pathlib import Path

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval.cli._options import add
from sklearn_mteval.cli._output import show

MORE = "rank_and_score"
EXAMPLES = ("sklearn-mteval demo", "sklearn-mteval demo --files sample")

_READY_MADE = "static-en"
_PIPELINE = "a pipeline, trained"
_SEGMENT = 100  # of the sample: a metric of letters does not see what is wrong with a number
_BEFORE = """\
The sample: {segments} German-English segments, each translated by {systems} systems. Its texts and
ranks were written for this package by a language model, not by human annotators.

How far do a model of your own, one that comes with the package and two metrics agree with them?
"""
_AFTER = f"""\
tau: Kendall's tau x 100, from -100 (all pairs the other way round) to 100, with its 95 % interval.
The pipeline learns from ranks: BLEU's components and lexical features of translations, logistic
regression of pairs; it was trained in five folds, each time on the segments of the other four.
{_READY_MADE} comes with the package and has not seen the sample.

Segment {_SEGMENT}, in which {_READY_MADE} finds the wrong number, and chrF does not:
"""
_NEXT = f"""\
What to do next, with your own files, or with those that "demo --files FOLDER" writes:
  sklearn-mteval rank {_READY_MADE} -s source.de -r reference.en -t online.en neural.en
  sklearn-mteval evaluate judgements.csv --better lower --metrics bleu chrf --model {_READY_MADE}
  sklearn-mteval train judgements.csv --better lower -o my-model"""


def add_arguments(parser):
    """Declare the arguments."""
    add(parser, "--files FOLDER", "write the sample as files into this folder, and end")


def run(arguments):
    """Run the demo."""
    if arguments.files is not None:
        return _write_files(Path(arguments.files))
    from sklearn_mteval.datasets import load_sample
    from sklearn_mteval.models.agreement import measure_agreement
    from sklearn_mteval.report.formats import align

    X, y = load_sample(return_X_y=True)
    show(_BEFORE.format(**{f"{name}s": X.index.unique(name).size for name in X.index.names}))
    strengths, rows = _strengths(X, y), []
    for name, values in strengths.items():
        found = measure_agreement(name, X, y, values)
        tau, low, high = (f"{100 * value:.1f}" for value in (found.tau, found.low, found.high))
        rows.append([name, tau, f"[{low}, {high}]", f"{100 * found.accuracy:.1f} %"])
    show(align(["", "tau", "95 % interval", "pairs ranked rightly"], rows))
    show(f"\n{_AFTER}")
    segment = X.loc[_SEGMENT].assign(sample=y.loc[_SEGMENT])
    for name in (_READY_MADE, "chrF"):
        segment[name] = strengths[name].loc[_SEGMENT].rank(ascending=False)
    for name in ("source", "reference"):
        show(_wrapped(f"{name:<11}{segment[name].iloc[0]}"))
    show(f"\nsample  {_READY_MADE}  chrF  translation")
    for system, row in segment.sort_values("sample").iterrows():
        ranks = f"{row['sample']:>6.0f}{row[_READY_MADE]:>11.0f}{row.chrF:>6.0f}"
        show(_wrapped(f"{ranks}  {row.hypothesis} ({system})", indent=25))
    show(f"\n{_NEXT}")


def _strengths(X, y):
    """Return how strong each translation is, by who says so."""
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_union
    from sklearn.preprocessing import StandardScaler

    from sklearn_mteval.features import BLEUComp, LexicalFeatures, MetricScores
    from sklearn_mteval.models import open_model
    from sklearn_mteval.pairwise import RankRecomposer, SegmentKFold, make_ranking_pipeline

    features = make_union(BLEUComp(), LexicalFeatures())
    ranker = RankRecomposer(LogisticRegression(C=0.01))
    pipeline = make_ranking_pipeline(features, StandardScaler(), ranker)
    folds = {"cv": SegmentKFold(5), "method": "decision_function"}
    bleu, chrf = MetricScores(["bleu", "chrf"]).fit_transform(X).T
    found = {
        _PIPELINE: cross_val_predict(pipeline, X, y, **folds),
        _READY_MADE: open_model(_READY_MADE).decision_function(X),
        "chrF": chrf,
        "BLEU": bleu,
    }
    return {name: pd.Series(values, X.index) for name, values in found.items()}


def _write_files(folder):
    """Write the sample as files, of which none may be there with another content."""
    from sklearn_mteval.datasets.sample import sample_files

    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file: name a folder after --files.")
    files = {folder / name: content for name, content in sample_files().items()}
    for path, content in files.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != content.encode()):
            raise FileExistsError(
                f"{path} exists, and is not the sample's. Name another folder after --files."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        write_atomically(path, content.encode())
    show(f"{folder}: {', '.join(path.name for path in files)}")


def _wrapped(text, indent=11):
    """Wrap a paragraph for the terminal."""
    return textwrap.fill(text, 96, subsequent_indent=" " * indent)
