"""What the commands ``evaluate`` and ``compare`` share: judgements, scores, options, output."""

from pathlib import Path

from sklearn_mteval.metrics.core.statistics import STATISTICS

__all__ = [
    "add_arguments",
    "evaluation_options",
    "load_judged_scores",
    "write_found",
]

# As in features.metric_scores, which --help should not have to load.
METRICS = ("bleu", "nist", "ter", "meteor", "chrf", "chrf++")


def add_arguments(parser):
    """Declare the arguments that both commands have.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of the sub-command.
    """
    people = parser.add_argument_group("human judgements").add_mutually_exclusive_group(
        required=True
    )
    people.add_argument(
        "--wmt",
        metavar="DIR",
        help="rankings: a campaign's folder with rankings/, sources/, references/, "
        "system-outputs/; needs --lang-pair",
    )
    people.add_argument("--mqm", metavar="FILE", help="MQM annotations as published, one TSV file")
    parser.add_argument("--lang-pair", metavar="SRC-TRG", help="with --wmt, e.g. de-en")
    parser.add_argument(
        "--reference-system",
        nargs="+",
        default=[],
        metavar="NAME",
        help="with --mqm: which systems are references; they are not evaluated",
    )
    scores = parser.add_argument_group("metrics to evaluate, at least one")
    scores.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="[NAME=]FILE",
        help="scores by any tool: lines 'SYSTEM SCORE', the k-th line of a system for its segment "
        "k; or a CSV or TSV with the columns system, segment (from 1) and one or more columns of "
        "scores (NAME= reads one of them). 'None' is a missing score",
    )
    scores.add_argument(
        "--metrics",
        nargs="+",
        default=[],
        choices=METRICS,
        metavar="METRIC",
        help=f"computed here, higher is better for all: {', '.join(METRICS)}",
    )
    scores.add_argument(
        "--model",
        nargs="+",
        default=[],
        metavar="NAME=FOLDER",
        help="rankers that 'train' saved; make sure that they have not seen these judgements",
    )
    scores.add_argument(
        "--lower-is-better",
        nargs="+",
        default=[],
        metavar="NAME",
        help="metrics of score files whose sign is to be changed, such as TER",
    )
    figures = parser.add_argument_group("figures")
    figures.add_argument(
        "--statistic",
        default="wmt12",
        choices=STATISTICS,
        metavar="NAME",
        help=f"of segment level, and what to sort by: {', '.join(STATISTICS)} (default: wmt12, "
        "strict tau: a metric tie counts as discordant)",
    )
    figures.add_argument(
        "--level", default="both", choices=["both", "segment", "system"], help="default: both"
    )
    figures.add_argument(
        "--grouping",
        default="segment",
        choices=["segment", "system", "none"],
        help="what is compared: translations of one segment (and ranking task), of one system, or "
        "all (default: segment)",
    )
    figures.add_argument(
        "--average",
        choices=["pairs", "groups"],
        help="pool the pairs of all groups, or average over groups (default: pairs for wmt12, "
        "wmt13, wmt14 and darr, groups for others)",
    )
    figures.add_argument(
        "--threshold",
        type=float,
        default=25.0,
        metavar="POINTS",
        help="for darr: judgements that differ by less than this tie (default: 25)",
    )
    figures.add_argument(
        "--ties",
        type=_ties,
        default="calibrate",
        metavar="EPSILON",
        help="for acc_eq: scores that differ by at most this tie (default: calibrate, the best for "
        "each metric on these very judgements)",
    )
    figures.add_argument(
        "--missing",
        default="error",
        choices=["error", "skip"],
        help="what a judged translation without score does (default: error)",
    )
    figures.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals (default: 0.95)"
    )
    figures.add_argument(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="bootstrap samples of segments (default: 1000)",
    )
    figures.add_argument(
        "--permutations",
        type=int,
        default=1000,
        metavar="N",
        help="of permutation tests and soft pairwise accuracy (default: 1000)",
    )
    figures.add_argument("--seed", type=int, default=0, help="default: 0")
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        default="text",
        choices=["text", "tsv", "json", "latex", "markdown"],
        help="text, latex and markdown show figures x 100; tsv and json all digits (default: text)",
    )
    output.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="default: -, i.e. stdout"
    )
    output.add_argument(
        "--plots",
        metavar="FOLDER",
        help="also draw agreement.png (the figure that metrics are sorted by), systems.png (scores "
        "of systems by people and by the best metric) and, of a comparison, significance.png; "
        "needs matplotlib",
    )
    parser.add_argument(
        "--n-jobs",
        type=int,
        default=2,
        help="processes and threads (default: 2); results do not depend on it",
    )


def _ties(text):
    """Read --ties: a number, or the word."""
    return text if text == "calibrate" else float(text)


def evaluation_options(arguments):
    """Return the options of ``evaluate_metrics``.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared.

    Returns
    -------
    dict
        Keyword arguments.
    """
    return {
        "statistic": arguments.statistic,
        "level": arguments.level,
        "grouping": arguments.grouping,
        "average": arguments.average,
        "threshold": arguments.threshold,
        "ties": arguments.ties,
        "lower_is_better": arguments.lower_is_better,
        "missing": arguments.missing,
        "confidence": arguments.confidence,
        "n_resamples": arguments.resamples,
        "n_permutations": arguments.permutations,
        "random_state": arguments.seed,
    }


def load_judged_scores(arguments):
    """Read judgements and bring together all the scores asked for.

    Parameters
    ----------
    arguments : argparse.Namespace
        As declared.

    Returns
    -------
    y : Series
        Judgements, lower is better.
    scores : dict of str to Series
        Scores of each metric.
    """
    if not (arguments.scores or arguments.metrics or arguments.model):
        raise ValueError("no metric to evaluate: give --scores, --metrics or --model.")
    if arguments.plots is not None:  # rather now than after minutes
        from sklearn_mteval.cli._plots import prepare

        prepare(arguments.plots)
    computed = [name for name in arguments.lower_is_better if name in arguments.metrics]
    if computed:
        raise ValueError(
            f"--lower-is-better {computed[0]}: of the --metrics computed here higher is better, "
            "TER too."
        )
    X, y, translations, n_segments, others = _judgements(arguments)
    scores = {}
    for name, path in map(_named, arguments.scores):
        _add(scores, _from_file(name, path, X, translations, n_segments, others))
    if arguments.metrics:
        _add(scores, _computed(arguments, X if arguments.level == "segment" else translations))
    for name, path in map(_named, arguments.model):
        _add(scores, _strengths(name, path, X))
    return y, scores


def _judgements(arguments):
    """Return candidates, judgements, all translations, lines (None: any), and further systems."""
    from sklearn_mteval.datasets import (
        load_mqm,
        load_wmt,
        load_wmt_translations,
        wmt_system_names,
    )

    if arguments.wmt is not None:
        if arguments.lang_pair is None or arguments.reference_system:
            raise ValueError("--wmt needs --lang-pair, and takes no --reference-system.")
        wmt = load_wmt(arguments.wmt, arguments.lang_pair)
        translations = load_wmt_translations(arguments.wmt, arguments.lang_pair)
        others = wmt_system_names(arguments.wmt, arguments.lang_pair)
        return wmt.X, wmt.y, translations, wmt.n_segments, others
    if arguments.lang_pair is not None:
        raise ValueError("--lang-pair belongs to --wmt; an MQM file is of one language pair.")
    if arguments.metrics and not arguments.reference_system:
        raise ValueError("--metrics with --mqm needs --reference-system.")
    references = arguments.reference_system
    X, y = load_mqm(arguments.mqm, reference_system=references or None, return_X_y=True)
    return X, y, X, None, references


def _named(text):
    """Split NAME=FILE; a file whose name has the sign is found, too."""
    name, sign, path = text.partition("=")
    return (None, text) if not sign or Path(text).exists() else (name, path)


def _add(scores, more):
    """Add metrics, each under a name of its own."""
    for name, column in more.items():
        if name in scores:
            raise ValueError(f"two metrics are named {name!r}: name one otherwise, NAME=FILE.")
        scores[name] = column


def _from_file(name, path, X, translations, n_segments, others):
    """Read a file of scores, of translations that are at hand, as all metrics' are."""
    from sklearn_mteval.datasets import load_scores

    table = load_scores(path, X.index.unique("system"), n_segments, others=others)
    table = table[table.index.isin(translations.index)]
    if name is None:
        return dict(table.items())
    if name in table.columns:
        return {name: table[name]}
    if table.shape[1] > 1:
        raise ValueError(
            f"{path} has no column {name!r}, but {', '.join(map(repr, table.columns))}."
        )
    return {name: table.iloc[:, 0]}


def _computed(arguments, X):
    """Compute metrics."""
    from sklearn_mteval.features import MetricScores

    metrics = list(dict.fromkeys(arguments.metrics))
    transformer = MetricScores(metrics, n_jobs=arguments.n_jobs).set_output(transform="pandas")
    return {
        name.removesuffix("_score"): column for name, column in transformer.fit_transform(X).items()
    }


def _strengths(name, path, X):
    """Ask a saved ranker."""
    import pandas as pd

    from sklearn_mteval.persistence import load_model

    strengths = load_model(path).decision_function(X)
    return {name or Path(path).name: pd.Series(strengths, index=X.index)}


def write_found(report, draw, arguments):
    """Write a report, whole or not at all, and the pictures asked for.

    Parameters
    ----------
    report : str
        What to print or write to a file.
    draw : callable
        Given a folder, draws.
    arguments : argparse.Namespace
        As declared.
    """
    import sys

    from sklearn_mteval._helpers.atomic import write_atomically

    if arguments.output == "-":
        sys.stdout.write(report)
    else:
        write_atomically(arguments.output, report.encode("utf-8", "surrogateescape"))
    if arguments.plots is not None:
        draw(arguments.plots)
