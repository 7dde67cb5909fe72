"""Score systems by comparisons or rankings of their outputs, and say which can be told apart.

Prints a table of systems, best first: Bradley-Terry (or Davidson) scores with two kinds of
intervals, tiers, and the ranks that the tests leave; then the matrix of win rates, and one
signature line that says how the numbers were made. FILE is a table of your own, such as
battles.csv, or a campaign.
"""

from sklearn_mteval.cli import _judgements
from sklearn_mteval.datasets.formats._registry import format_names, format_of
from sklearn_mteval.evaluation.option_values import SCALES, TIES
from sklearn_mteval.report.formats import formats_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser):
    """Declare the arguments."""
    _judgements.add_arguments(parser, without=["metric_scores"])
    model = parser.add_argument_group("model")
    model.add_argument(
        "--without", nargs="+", default=[], metavar="SYSTEM", help="leave systems out"
    )
    model.add_argument(
        "--ties",
        default="half",
        choices=TIES,
        help="half a win for each (Bradley-Terry), or a parameter of their own (Davidson); "
        "default: half",
    )
    model.add_argument(
        "--both-bad-as-ties",
        action="store_true",
        help="count comparisons judged 'both bad' as ties; otherwise they are only counted",
    )
    model.add_argument(
        "--covariates",
        nargs="+",
        default=[],
        choices=["length"],
        metavar="NAME",
        help="what scores are to be controlled for: length, log(1 + characters) of the translation",
    )
    model.add_argument(
        "--scale",
        default="log-odds",
        choices=SCALES,
        help="log-odds with mean 0, or Elo points with mean 1000, 400 of which are odds of ten to "
        "one (default: log-odds)",
    )
    model.add_argument(
        "--confidence", type=float, default=0.95, help="of the intervals (default: 0.95)"
    )
    model.add_argument(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="bootstrap samples of segments (default: 1000)",
    )
    model.add_argument(
        "--alpha", type=float, default=0.05, help="level of significance (default: 0.05)"
    )
    model.add_argument("--seed", type=int, default=0, help="default: 0")
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        action="append",
        choices=[*formats_of("report"), *format_names()],
        help=f"of the output: {', '.join(formats_of('report'))} (default: text); and of FILE: "
        f"{', '.join(format_names())} (default: what it is for certain)",
    )
    output.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="default: -, i.e. stdout"
    )
    output.add_argument(
        "--plots", metavar="FOLDER", help="also draw leaderboard.png there; needs matplotlib"
    )


def run(arguments):
    """Load judgements, score the systems, write the report and draw the plot."""
    from sklearn_mteval.cli._output import check_paths, naming_options, write
    from sklearn_mteval.evaluation import leaderboard
    from sklearn_mteval.report import leaderboard_report

    given = vars(arguments) | {"metric_scores": False}
    input_format, output_format = _judgements.split_formats(arguments.format, formats_of("report"))
    path, kind = _judgements.find_judgements(arguments, input_format)
    check_paths({"-o": arguments.output}, *_judgements.paths_read(path, given))
    if arguments.plots is not None:
        from sklearn_mteval.cli._plots import prepare

        prepare(arguments.plots)
    _judgements.check_options({kind}, vars(arguments))
    judged = _judgements.load_judged(path, kind, given)
    X, both_bad = judged.X, None if arguments.both_bad_as_ties else judged.both_bad
    kept = _kept(X, arguments.without)
    with naming_options(X, format_of(kind).texts_by):
        found = leaderboard(
            X[kept],
            judged.y[kept],
            both_bad=None if both_bad is None else both_bad[kept],
            ties=arguments.ties,
            covariates=arguments.covariates,
            scale=arguments.scale,
            confidence=arguments.confidence,
            n_resamples=arguments.resamples,
            alpha=arguments.alpha,
            random_state=arguments.seed,
        )
    write(leaderboard_report(found, output_format or "text"), arguments.output)
    if arguments.plots is not None:
        from sklearn_mteval.cli._plots import draw_leaderboard

        draw_leaderboard(found, arguments.plots)


def _kept(X, names):
    """Return a mask of the rows of all systems but some."""
    systems = X.index.get_level_values("system")
    known = systems.unique().sort_values()
    for name in names:
        if name not in known:
            raise ValueError(
                f"--without {name}: there is no such system, only {', '.join(map(str, known))}."
            )
    return ~systems.isin(names)
