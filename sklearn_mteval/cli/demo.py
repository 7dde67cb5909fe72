"""Show the package at work on its bundled sample, in under a minute.

Scores the sample with a ready-made model, which needs no training. Then trains one: grid-searches
a pipeline by cross-validation, compares recompositions with BLEU on held-out segments, and ranks
a segment that the model has not seen. With --files it writes the sample as files to try the other
commands with, and does nothing else.
"""

import textwrap
from pathlib import Path

from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval.cli._options import add, add_shared
from sklearn_mteval.cli._output import show

MORE = "rank_and_score"
EXAMPLES = ("sklearn-mteval demo", "sklearn-mteval demo --files sample")

_READY_MADE = "static-en"
_NEXT = f"""\
What to do next, with your own files, or with those that "demo --files FOLDER" writes:
  sklearn-mteval rank {_READY_MADE} -s source.de -r reference.en -t online.en neural.en
  sklearn-mteval evaluate judgements.csv --better lower --metrics bleu chrf --model {_READY_MADE}
  sklearn-mteval train judgements.csv --better lower -o my-model"""


def add_arguments(parser):
    """Declare the arguments."""
    add_shared(parser, "--jobs", help="threads (default: 2)")
    add(parser, "--files FOLDER", "write the sample as files into this folder, and end")


def run(arguments):
    """Run the demo."""
    if arguments.files is not None:
        return _write_files(Path(arguments.files))
    from sklearn_mteval.datasets import load_sample
    from sklearn_mteval.models import rank_candidates
    from sklearn_mteval.models.experiment import cross_validated_experiment
    from sklearn_mteval.report.training import agreement_report

    X, y = load_sample(return_X_y=True)
    n_segments = X.index.get_level_values("segment").nunique()
    show(
        f"Sample: {n_segments} German-English segments, {len(X)} translations. Texts and ranks\n"
        "were written for this package by a language model, not by human annotators.\n\n"
        f"The ready-made model {_READY_MADE}, not trained on the sample, against two metrics:\n"
    )
    show(agreement_report(_without_training(X, y)))

    show("Now models that are trained on the sample, by cross-validation:\n")
    table, test, model = cross_validated_experiment(X, y, n_jobs=arguments.n_jobs, progress=False)
    show("On held-out segments (4 folds, each model tuned and trained on the other three):\n")
    show(agreement_report(table, note=False))

    show(
        "Logistic regression on differences of features is transitive, so that all\n"
        "recompositions agree. The neighbours' votes are not: hard recomposition ties what\n"
        "soft recomposition can tell apart (Avramidis 2012, Table 1)."
    )
    unseen = y.iloc[test].groupby(level="segment")
    segment = (unseen.nunique() == unseen.size()).idxmax()
    X_segment = X.loc[[segment]]
    ranked = rank_candidates(model, X_segment).assign(judged=y.loc[[segment]])
    show(f"\nSegment {segment}, which the model has not seen:\n")
    for name in ("source", "reference"):
        show(_wrapped(f"{name:<11}{X_segment[name].iloc[0]}"))
    show("\njudged  predicted  translation")
    for (_, system), row in ranked.sort_values("judged").iterrows():
        text = X_segment.loc[(segment, system), "hypothesis"]
        show(_wrapped(f"{row.judged:>6.0f}  {row['rank']:>9.0f}  {text} ({system})", indent=19))
    show(f"\n{_NEXT}")


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


def _without_training(X, y):
    """Measure how well the ready-made model, BLEU and chrF agree with the ranks."""
    from sklearn_mteval.features import MetricScores
    from sklearn_mteval.models import open_model
    from sklearn_mteval.models.agreement import measure_agreement

    bleu, chrf = MetricScores(["bleu", "chrf"]).fit_transform(X).T
    ready_made = open_model(_READY_MADE).decision_function(X)
    strengths = {_READY_MADE: ready_made, "BLEU": bleu, "chrF": chrf}
    return [measure_agreement(name, X, y, values) for name, values in strengths.items()]


def _wrapped(text, indent=11):
    """Wrap a paragraph for the terminal."""
    return textwrap.fill(text, 96, subsequent_indent=" " * indent)
