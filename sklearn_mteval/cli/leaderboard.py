"""Score systems by judgements of their outputs, and test which of them differ.

Prints which system is better, in words, and a table of systems, best first: strengths, means or win
rates with two kinds of intervals, letters, which systems share that are not told apart, and the
ranks that the tests leave; then the matrix of win rates, and one signature line that says how the
numbers were made. FILE is a table of your own, such as battles.csv, or a campaign.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _html, _judgements, _reports
from sklearn_mteval.cli._options import add, add_shared, number_above, options_for
from sklearn_mteval.cli._output import naming_options
from sklearn_mteval.cli._scores import named
from sklearn_mteval.datasets.formats._registry import format_of
from sklearn_mteval.evaluation.option_values import BY, JUDGE_MODELS, QUESTIONS, SCALES, TIES

MORE = "leaderboards"
EXAMPLES = (
    "sklearn-mteval leaderboard battles.csv",
    "sklearn-mteval leaderboard battles.csv --by win-rate --plots plots",
    "sklearn-mteval leaderboard judged.csv --better higher --by mean",
)

_COVARIATES = ("length", "position", "self")


def add_arguments(parser):
    """Declare the arguments."""
    _judgements.add_arguments(parser, without=["metric_scores"])
    model = parser.add_argument_group("how systems are scored")
    more = parser.add_argument_group("judges, covariates and scale", rare=True)
    add(model, "--by",
        "how often a system is preferred, as odds (strength, Bradley-Terry) or a proportion "
        "(win-rate), or how good its translations are on average (mean); systems may rank "
        "otherwise by mean (default: strength)", "strength", choices=BY)  # fmt: skip
    add(model, "--without SYSTEM ...", "leave systems out")
    add(model, "--question",
        "of a --selection: which system is better on texts like these, or on this test set "
        "(default: texts)", "texts", choices=QUESTIONS)  # fmt: skip
    add(model, "--ties",
        "what a tie is: half a win for each, or decided by a parameter of its own, which is "
        "fitted (Davidson's model); default: half", "half", choices=TIES)  # fmt: skip
    add(more, "--both-bad-as-ties",
        "count comparisons judged 'both bad' as ties; otherwise they are only counted")  # fmt: skip
    add(more, "--covariates NAME ...",
        "what scores are to be controlled for: length, log(1 + characters) of the "
        "translation; position, whether it is the first of two; self, whether the judge has the "
        "system's name", choices=_COVARIATES)  # fmt: skip
    add(more, "--judge-model",
        "judges are alike, or each discriminates (and is swayed by covariates) "
        "differently, which is reported; default: alike", "alike",
        choices=JUDGE_MODELS)  # fmt: skip
    add(more, "--judge-weights JUDGE=W",
        "what a comparison of a judge counts, above 0, as in gpt-4=0.3 (default: 1)", nargs="+",
        type=_weight)  # fmt: skip
    add(more, "--scale",
        "log-odds with mean 0, or Elo points with mean 1000, 400 of which are odds of ten to "
        "one (default: log-odds)", "log-odds", choices=SCALES)  # fmt: skip
    # What extends annotators' judgements to what they did not judge.
    parts = parser.add_argument_group("judgements of a part (--by mean, win-rate)", rare=True)
    add(parts, "--automatic-judges JUDGE ...",
        "judges that are models or metrics: their judgements help to estimate what "
        "annotators, who judged a part, would say of all")  # fmt: skip
    add(parts, "--scores [NAME=]FILE ...",
        "scores of metrics, which help likewise, as for 'evaluate'; higher is better")  # fmt: skip
    add(parts, "--metric-scores NAME", "with mtme: metrics of the folder, which help likewise",
        nargs="+")  # fmt: skip
    add(parts, "--selection FILE",
        "what 'select' wrote when it drew the judged segments: scores then speak of the whole "
        "test set (of strengths, too)")  # fmt: skip
    add_shared(parser, "--confidence", "--resamples", "--alpha", "--seed")
    _reports.add_output(
        parser,
        plots="leaderboard.png there and, where several judges are known, how far they agree",
    )


def _weight(text):
    """Read JUDGE=W."""
    name, _, number = text.rpartition("=")
    return name, number_above(number if name else "", 1e-9, "JUDGE=W, W above 0")


def run(arguments):
    """Load judgements, score the systems, write the report and draw the plot."""
    _reports.run(arguments, _work)


def _work(arguments, path, kind):
    """Score the systems of one language pair."""
    from sklearn_mteval.evaluation.annotators import annotators_of
    from sklearn_mteval.evaluation.leaderboards.leaderboard import ESTIMANDS, leaderboard

    files = [path for _, path in map(named, arguments.scores)]
    files += [] if arguments.selection is None else [arguments.selection]
    _reports.check(arguments, path, kind, files)
    metrics = {"metric_scores": arguments.metric_scores or False}
    judged = _judgements.load_judged(path, kind, vars(arguments) | metrics)
    X = _with_covariates(judged, arguments.covariates)
    both_bad = None if arguments.both_bad_as_ties else judged.both_bad
    kept = _kept(X, arguments.without)
    with naming_options(X, format_of(kind).texts_by):
        found = leaderboard(
            X[kept],
            judged.y[kept],
            both_bad=None if both_bad is None else both_bad[kept],
            **options_for(arguments, leaderboard, *ESTIMANDS.values())
            | {"documents": None if judged.documents is None else judged.documents[kept]}
            | _judges_for(arguments, judged, kept)
            | _of_parts(arguments, judged),
        )
    found = replace(found, annotators=annotators_of(judged))
    of_rows = {"y": judged.y, "spans": judged.spans, "judges": judged.judges}
    of_rows = {name: None if some is None else some[kept] for name, some in of_rows.items()}
    contents = partial(_contents, judged._replace(**of_rows), found)
    title, plots = f"Leaderboard of {Path(path).name}", _audit(arguments, judged)
    return _reports.Work(found, title, contents, plots)


def _contents(judged, found, **all_segments):
    """Return segments and themes of the page."""
    systems = found.table.index
    there = judged.translations.index.isin(systems, level="system")
    for_page = judged._replace(translations=judged.translations[there])
    return _html.contents_of_judgements({"": (for_page, None)}, systems=systems, **all_segments)


def _audit(arguments, judged):
    """List the plot of how far judges agree, if plots are drawn and several judges are known."""
    if judged.judges is None or not _reports.draws(arguments):
        return []
    known = judged.judges.ne("").to_numpy()
    if judged.judges[known].nunique() < 2:
        return []
    from sklearn_mteval.evaluation import audit_judges
    from sklearn_mteval.report.plots_of_results import of_audit

    return [of_audit(audit_judges(judged.y[known], judged.judges[known], scores=False))]


def _of_parts(arguments, judged):
    """Return scores of metrics and the selection."""
    from sklearn_mteval.datasets.selections import read_selection
    from sklearn_mteval.evaluation.collected_scores import all_scores

    given = {"scores": None, "selection": judged.selection}
    if arguments.scores or judged.scores is not None:
        given["scores"] = all_scores(judged, map(named, arguments.scores))
    if arguments.selection is not None:
        given["selection"] = read_selection(arguments.selection)
    return given


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


def _judges_for(arguments, judged, kept):
    """Return the options of a leaderboard that say who judged."""
    pairs = arguments.judge_weights
    weights = None if pairs is None else dict(pairs)
    if pairs is not None and len(weights) < len(pairs):
        raise ValueError("--judge-weights names a judge twice.")
    if pairs is None and arguments.judge_model == "alike" and not arguments.automatic_judges:
        return {}
    if judged.judges is None:
        raise ValueError(
            "--judge-model, --judge-weights and --automatic-judges: these judgements name no "
            "judges."
        )
    return {"judges": judged.judges[kept], "judge_weights": weights}


def _with_covariates(judged, names):
    """Return the candidates, with columns of the covariates that judgements say."""
    import pandas as pd

    X = judged.X
    if "position" in names:
        if judged.shown_first is None:
            raise ValueError("--covariates position: only comparisons of two have a first one.")
        X = X.assign(position=judged.shown_first.to_numpy(dtype=float))
    if "self" in names:
        if judged.judges is None:
            raise ValueError("--covariates self: these judgements name no judges.")
        systems = X.index.get_level_values("system").astype(str)
        own = pd.DataFrame({"self": (judged.judges.to_numpy() == systems).astype(float)}, X.index)
        X = pd.concat([X, own], axis=1)
    return X
