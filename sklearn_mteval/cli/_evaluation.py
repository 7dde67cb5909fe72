"""What the commands that evaluate metrics share: judgements, scores, options, output."""

from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _html, _judgements, _reports
from sklearn_mteval.cli._options import add, add_shared, number_above, options_for
from sklearn_mteval.cli._output import naming_options
from sklearn_mteval.cli._scores import SCORES_HELP, named
from sklearn_mteval.datasets.formats._registry import format_of
from sklearn_mteval.evaluation.option_values import GROUPINGS, LEVELS
from sklearn_mteval.features.overlap.registry import METRICS
from sklearn_mteval.metrics.core.statistics import AVERAGES, STATISTICS
from sklearn_mteval.report.summaries.phrases import listed

_MANY = 100_000  # translations of which scores are computed sooner by two processes than by one


def add_arguments(parser):
    """Declare the arguments that ``evaluate`` and ``compare`` have."""
    _judgements.add_arguments(parser)
    add_scores(parser)
    _add_statistics(parser)
    _reports.add_output(
        parser,
        digits="; tsv and json have all digits, the others statistics x 100",
        plots="there: agreement of metrics, scores of systems, calibration of models and, of a "
        "comparison, its tests",
    )
    add_jobs(parser)


def add_jobs(parser):
    """Declare how many processes compute scores."""
    add_shared(parser, "--jobs", default=None, type=int,
        help="processes and threads (default: 2; 1 to compute scores of fewer than "
        f"{_MANY:,} translations); results do not depend on it")  # fmt: skip


def _jobs(arguments, n_translations=_MANY):
    """Return how many processes or threads to work with."""
    return arguments.n_jobs or (2 if n_translations >= _MANY else 1)


def add_scores(parser):
    """Declare where scores of metrics come from."""
    scores = parser.add_argument_group("metrics to evaluate, at least one")
    add(scores, "--scores [NAME=]FILE ...",
        f"{SCORES_HELP}; systems are named as in the judgements")  # fmt: skip
    add(scores, "--metrics METRIC ...", f"computed here, with references: {', '.join(METRICS)}",
        choices=list(METRICS))  # fmt: skip
    add(scores, "--model [NAME=]MODEL ...",
        "folders that 'train' saved, or names of ready-made models; they should not have seen "
        "these judgements")  # fmt: skip
    add(scores, "--lower-is-better NAME ...",
        "metrics of --scores of which lower is better, such as TER")  # fmt: skip
    more = parser.add_argument_group("models as metrics", rare=True)
    add(more, "--stand-alone",
        "also evaluate what 'score' says of translations by each model, which looks at no "
        "other system, as NAME:score; at segment level a model is its strengths, which look at all "
        "systems of the segment whose translations are at hand, judged or not")  # fmt: skip
    add_shared(more, "--no-windows", "--device", "--dtype")


def _add_statistics(parser):
    """Declare what is computed."""
    statistics = parser.add_argument_group("how agreement is measured")
    more = parser.add_argument_group("what is compared, and what ties", rare=True)
    pooled = [name for name, statistic in STATISTICS.items() if statistic.average == "pairs"]
    thresholded = [name for name, statistic in STATISTICS.items() if statistic.threshold]
    add(statistics, "--statistic NAME",
        "of segments, and what to sort by: wmt12, Kendall's tau in which a metric's tie is an "
        f"error (the default), or {', '.join(name for name in STATISTICS if name != 'wmt12')}",
        "wmt12", choices=list(STATISTICS))  # fmt: skip
    add(statistics, "--level", "segments, systems, or both (default: both)", "both", choices=LEVELS)
    add(more, "--grouping",
        "what is compared: translations of one segment (and ranking task), of one system, or "
        "all (default: segment)", "segment", choices=GROUPINGS)  # fmt: skip
    add(more, "--average",
        "pool the pairs of all groups, or average over groups (default: pairs for "
        f"{listed(pooled, most=len(pooled))}, groups for others)",
        choices=AVERAGES)  # fmt: skip
    add(more, "--threshold POINTS",
        f"for {', '.join(thresholded)}: judgements that differ by less than this tie (default: 25)",
        25.0)  # fmt: skip
    add(more, "--epsilon EPSILON",
        "for acc_eq: scores that differ by at most this tie (default: calibrate, the best for "
        "each metric on these very judgements)", "calibrate", type=_epsilon)  # fmt: skip
    add_shared(parser, "--missing", "--confidence", "--resamples", "--permutations", "--seed")


def _epsilon(text):
    """Read --epsilon: a number, or the word."""
    expected = "calibrate, or a number from 0 on"
    return text if text == "calibrate" else number_above(text, -1e-300, expected)


def run(arguments, title, evaluate):
    """Load what the arguments name, evaluate it, write the report and draw the plots."""
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    from sklearn_mteval.evaluation import evaluate_metrics
    from sklearn_mteval.report.summaries.agreement import turned

    def work(given, path, kind):
        judgements, scores = load_scored(given, path, kind)
        # The report shows what is undefined.
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            options = options_for(given, evaluate_metrics, evaluate)
            options["ceiling"] = _ceiling(given, judgements)
            if "n_jobs" in options:
                options["n_jobs"] = _jobs(given)
            options["documents"] = judgements.documents
            found = evaluate(judgements.y, scores, **options)
        for sentence in turned(getattr(found, "evaluation", found)):
            warnings.warn(sentence, stacklevel=2)
        return _reports.Work(
            found,
            f"{title} on {Path(path).name}",
            partial(_contents, given, getattr(found, "evaluation", found), judgements, scores),
            _calibration(given, judgements, scores),
        )

    _reports.run(arguments, work)


def _contents(arguments, evaluation, judgements, scores, **all_segments):
    """Return segments and themes of the page."""
    best = evaluation.table.index
    models = {name: model for name, model in _models(arguments) if name in best}
    systems = None if evaluation.systems is None else evaluation.systems.index
    return _html.contents_of_judgements(
        {"": (judgements, scores)},
        order=best,
        systems=systems,
        lower_is_better=arguments.lower_is_better,
        model=next((models[name] for name in best if name in models), None),
        **all_segments,
    )


def _calibration(arguments, judgements, scores):
    """List the plot of the models' probabilities, if plots are drawn and there are any."""
    if not arguments.model or not _reports.draws(arguments):
        return []
    from sklearn_mteval.cli._calibration import calibration_on

    return calibration_on(judgements, dict(_models(arguments)), scores)


def _models(arguments):
    """Yield the name of each model, and the model."""
    from sklearn_mteval.models.opening import open_ranker

    for name, model in map(named, arguments.model):
        yield name or Path(model).name, open_ranker(model, windows=arguments.windows)


def load_scored(arguments, path, kind):
    """Check arguments, load judgements of a format, and collect the scores of all metrics."""
    judgements = load_checked(arguments, path, kind)
    judged_only = arguments.level == "segment"
    return judgements, collect_given(arguments, kind, judgements, judged_only=judged_only)


def load_checked(arguments, path, kind, marked=()):
    """Check arguments, and load judgements; ``marked`` are files of errors, metrics as well."""
    given = bool(arguments.scores or arguments.metrics or arguments.model or marked)
    if not (given or arguments.dry_run or format_of(kind).has_scores):
        raise ValueError(f"no metric to evaluate: {_to_give(arguments)}.")
    for name in arguments.lower_is_better:
        if name in arguments.metrics:
            raise ValueError(
                f"--lower-is-better {name}: of the --metrics computed here higher is better, "
                "TER too."
            )
    scores, models = (
        [path for _, path in map(named, each)] for each in (arguments.scores, arguments.model)
    )
    _reports.check(arguments, path, kind, [*scores, *marked], models)
    judgements = _judgements.load_judged(path, kind, vars(arguments))
    if not given and judgements.scores is None:
        raise ValueError(f"no metric in the folder: {_to_give(arguments)}.")
    return judgements


def collect_given(arguments, kind, judgements, *, judged_only=False):
    """Collect the scores of the metrics that arguments name."""
    from sklearn_mteval.evaluation import collect_scores

    with naming_options(judgements.X, format_of(kind).texts_by):
        return collect_scores(
            judgements,
            files=map(named, arguments.scores),
            metrics=arguments.metrics,
            models=_models(arguments),
            stand_alone=arguments.stand_alone,
            judged_only=judged_only,
            n_jobs=_jobs(arguments, len(judgements.translations)),
        )


def _ceiling(arguments, judgements):
    """Estimate the ceiling of the statistic of segment level, where there is one."""
    from sklearn_mteval.evaluation.ceiling import ceiling_of_judgements

    if (
        arguments.level == "system"
        or arguments.grouping != "segment"
        or arguments.average == "groups"
    ):
        return None
    names = ("statistic", "confidence", "n_resamples", "random_state")
    return ceiling_of_judgements(judgements, **{name: vars(arguments)[name] for name in names})


def _to_give(arguments):
    """Say which options a metric comes from."""
    if "spans" in arguments:
        return "give --scores, --metrics, --model or --spans"
    return "give --scores, --metrics or --model"
