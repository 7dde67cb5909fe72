"""Tell how often annotators agree with a score difference, and how large it must be for that.

Of pairs of systems, or of translations of a segment, prints what proportion annotators order as the
metric does, by the difference of its scores, with intervals; which difference is needed for 80, 90
and 95 %; and what was observed. A curve between systems needs eight of them. With --fitted, prints
how well an earlier table holds here.
"""

from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _evaluation, _html, _judgements, _reports
from sklearn_mteval.cli._options import add, add_shared, options_for
from sklearn_mteval.evaluation.decisions.curves import CURVES
from sklearn_mteval.evaluation.option_values import DECISION_LEVELS, DECISION_TIES

MORE = "decisions"
EXAMPLES = (
    "sklearn-mteval decision-table wmt23 --lang-pair zh-en --metric chrF",
    "sklearn-mteval decision-table wmt23 --lang-pair he-en --metric BLEU -f json",
)


def add_arguments(parser):
    """Declare the arguments."""
    _judgements.add_arguments(parser)
    _evaluation.add_scores(parser)
    table = parser.add_argument_group("table")
    more = parser.add_argument_group("the curve", rare=True)
    add(table, "--metric NAME", "which of the metrics (default: the only one)")
    add(table, "--level", "pairs of systems, or of translations of a segment (default: system)",
        "system", choices=DECISION_LEVELS)  # fmt: skip
    add(more, "--curve",
        "logistic, or with a plateau below 100 %% (default: logistic for systems, plateau for "
        "segments)", choices=list(CURVES))  # fmt: skip
    add(more, "--ties", "pairs that annotators tie: dropped, or half an agreement (default: drop)",
        "drop", choices=DECISION_TIES)  # fmt: skip
    add(table, "--differences D", "to be shown (default: chosen)", nargs="+", type=float)
    add(table, "--agreements P ...",
        "proportions whose difference is asked for (default: 0.8 0.9 0.95)", [0.8, 0.9, 0.95],
        type=float)  # fmt: skip
    add(table, "--fitted FILE",
        "JSON that this command wrote of other judgements: check its curve, fit none")  # fmt: skip
    add(more, "--factor X", "multiply scores by it (default: 1)", 1.0)
    add(more, "--n-bins N", "of what is observed (default: 10, of systems 5)", type=int)
    add_shared(parser, "--missing", "--confidence")
    _reports.add_output(parser, plots="decisions.png there")
    _evaluation.add_jobs(parser)


def run(arguments):
    """Load judgements and scores, make the table, write the report and draw the plot."""
    _reports.run(arguments, _work)


def _work(arguments, path, kind):
    """Make the table of one language pair."""
    from sklearn_mteval.evaluation import decision_table
    from sklearn_mteval.evaluation.decisions.files import read_decision_table

    options = options_for(arguments, decision_table)
    if arguments.fitted is not None:
        options["fitted"] = read_decision_table(arguments.fitted)
    judgements, scores = _evaluation.load_scored(arguments, path, kind)
    name = _chosen(arguments.metric, scores)
    column = scores[name]
    if not hasattr(column, "rename"):  # a model's: strengths within a segment, scores of systems
        column = column.strengths if arguments.level == "segment" else column.scores
    options["documents"] = judgements.documents
    found = decision_table(column.rename(name), judgements, **options)
    title = f"Differences that annotators agree with, {Path(path).name}"
    given, lower = {"": (judgements, scores)}, arguments.lower_is_better
    contents = partial(_html.contents_of_judgements, given, order=[name], lower_is_better=lower)
    return _reports.Work(found, title, contents)


def _chosen(name, scores):
    """Return the name of the metric that is meant."""
    if name is None and len(scores) == 1:
        return next(iter(scores))
    if name not in scores:
        given = "found none" if name is None else f"found {name}"
        raise ValueError(f"--metric must be one of {', '.join(scores)}; {given}.")
    return name
