"""Plan a campaign of annotation: which segments, judged by whom, checked how, with which tool.

Writes a campaign file that a tool takes (pearmut, Label Studio, a spreadsheet), and next to it the
key, campaign.key.json, which annotators must not see: systems have other names in the campaign.
Segments are chosen by chance with known probabilities, whole documents together; each annotator
judges about as many, some twice, and meets checks of attention: a sound translation and a spoilt
one. 'leaderboard' reads the results with the key, and 'train' makes a model of them.
"""

from pathlib import Path

from sklearn_mteval.cli._documents import documents_of_file
from sklearn_mteval.cli._options import add, add_shared, options_for
from sklearn_mteval.cli._output import check_paths, say, write
from sklearn_mteval.cli._parser import OUTPUT
from sklearn_mteval.cli._scores import read_scores
from sklearn_mteval.datasets.annotation.protocols import PROTOCOLS, TOOLS

MORE = "selection"
EXAMPLES = (
    "sklearn-mteval campaign -s source.de -t mine.en other.en --annotators 2",
    "sklearn-mteval campaign -t mine.en other.en --budget 20 --protocol cesa",
    "sklearn-mteval campaign -t mine.en other.en --tool sheet -o sheet.csv",
    "sklearn-mteval campaign -t mine.en other.en --follow trial.json -o second.json",
)


def add_arguments(parser):
    """Declare the arguments."""
    add_shared(parser, "--source", "--reference")
    add_shared(parser, "--translations", help="system outputs, one segment a line, two or more")
    which = parser.add_argument_group("how much is judged, and by whom")
    add(which, "--budget N",
        "how many segments are judged at most, all systems of each; those judged by two annotators "
        "count twice, and checks are not counted (default: 100)", 100)  # fmt: skip
    add(which, "--annotators N", "among how many the work is divided (default: 1)", 1)
    add(which, "--documents FILE",
        "the document of each segment, one label a line: documents are chosen and judged as a "
        "whole")  # fmt: skip
    add(which, "--scores FILE ...",
        "scores of learned metrics, as for 'select': segments in which systems differ more are "
        "chosen more often; higher is better")  # fmt: skip
    add(which, "--overlap P",
        "proportion of segments that two annotators judge, one at least if the budget has room "
        "(default: 0.1; 0: none)", 0.1)  # fmt: skip
    add(which, "--follow FILE",
        "the campaign before, whose key lies next to it: this is its next batch, of the same "
        "files; what was chosen there is not chosen again")  # fmt: skip
    how = parser.add_argument_group("how it is judged")
    add(how, "--tool",
        "what annotators work with: pearmut; label-studio (tasks, and the view as .xml); a sheet, "
        "a CSV file whose rows ask which of two translations is better (default: pearmut)",
        "pearmut", choices=list(TOOLS))  # fmt: skip
    add(how, "--protocol",
        "scores and marked errors, of translations side by side (cesa) or not (esa); scores (da); "
        "marked and classified errors (mqm); not of a sheet; default: esa",
        choices=list(PROTOCOLS))  # fmt: skip
    add(how, "--checks P",
        "checks of attention per segment, one for each annotator at least (default: 0.05; 0: none)",
        0.05)  # fmt: skip
    add(how, "--no-tutorial", "with pearmut: do not begin with a check that is explained",
        dest="tutorial", action="store_false")  # fmt: skip
    add(how, "--marks MODEL",
        "errors that this model marks (error-marker, or a folder) are there already, for "
        "annotators to change")  # fmt: skip
    add_shared(parser, "--seed", "--device", "--dtype")
    output = parser.add_argument_group(**OUTPUT)
    add(output, "-o, --output FILE", "the campaign's file (default: campaign.json, of a sheet "
        "campaign.csv)")  # fmt: skip


def run(arguments):
    """Plan and write the campaign and its key."""
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.datasets.annotation.key import read_key
    from sklearn_mteval.datasets.annotation.tools import campaign_paths, campaign_texts
    from sklearn_mteval.evaluation.annotation.campaign import annotation_campaign

    output = arguments.output or f"campaign{TOOLS[arguments.tool]}"
    paths = campaign_paths(output, arguments.tool)
    _check(arguments, paths)
    X = load_translations(arguments.translations, arguments.source, arguments.reference)
    segments = X.index.unique("segment")
    follow = None if arguments.follow is None else read_key(arguments.follow)
    options = options_for(arguments, annotation_campaign) | {
        "follow": follow,
        "scores": read_scores(arguments.scores, X),
        "documents": documents_of_file(arguments.documents, segments),
    }
    campaign = annotation_campaign(X, arguments.budget, **options)
    errors = None if arguments.marks is None else _errors(arguments.marks, X, campaign)
    protocol = arguments.protocol or "esa"
    texts = campaign_texts(campaign, arguments.tool, Path(output).stem, protocol, errors)
    for path, text in zip(paths, texts, strict=True):
        write(text, path)
    items = campaign.items[campaign.items["kind"] == "judged"]
    n_shown = items.groupby("segment")["system"].transform("nunique")
    if arguments.tool == "sheet":  # nobody compares what is equal
        items = items[n_shown > 1]
    shares = items.groupby("annotator")["segment"].nunique()
    n_twice = shares.sum() - items["segment"].nunique()
    n_checks = (campaign.items["kind"] == "check").sum() // 2
    say(
        f"{output}: {shares.sum()} segments of {X.index.unique('system').size} systems "
        f"for {len(shares)} of {arguments.annotators} annotators, {shares.min()} to {shares.max()} "
        f"each; {n_twice} of them are judged a second time, and there are {n_checks} checks.\n"
        f"{paths[-1]}: the key; annotators must not see it.\n"
        f"Next: {_NEXT[arguments.tool].format(*paths)} Then: sklearn-mteval leaderboard RESULTS "
        f"{'--batches EARLIER-RESULTS ' * (follow is not None)}--campaign {output}"
        f"{' --by mean' * (arguments.tool != 'sheet')}\n"
    )


_NEXT = {
    "pearmut": "pearmut add {0}; pearmut run.",
    "label-studio": "create a project with the view {1}, import {0}; export as JSON.",
    "sheet": "annotators write a, b or tie into the column 'winner' of a copy of {0}.",
}


def _check(arguments, paths):
    """Raise, before any work, for what cannot be read or written."""
    from sklearn_mteval.datasets.annotation.key import key_path

    inputs = [*arguments.translations, *arguments.reference, *arguments.scores]
    inputs += [arguments.source, arguments.documents]
    inputs += [] if arguments.follow is None else [key_path(arguments.follow)]
    names = ["-o", *("the view next to it" for _ in paths[2:]), "the key next to it"]
    check_paths(dict(zip(names, paths, strict=True)), inputs)
    if paths[0] == "-":
        raise ValueError("-o -: a campaign is several files, it and its key: name it.")
    if arguments.tool == "sheet" and (arguments.protocol or arguments.marks):
        raise ValueError(
            "--tool sheet asks which of two translations is better: --protocol and --marks are for "
            "the other tools."
        )
    if Path(paths[-1]).exists():
        raise ValueError(
            f"{paths[-1]} is there already, and without it nobody can read the results of its "
            "campaign: name another file with -o, or delete it."
        )


def _errors(marker, X, campaign):
    """Return the errors that a model marks in the translations to judge, by segment and system."""
    from sklearn_mteval.models.marks import marks_of, open_marker

    segments = campaign.items["segment"][campaign.items["kind"] == "judged"].unique()
    table = marks_of(open_marker(marker), X[X.index.isin(segments, "segment")]).table
    errors = {}
    for label, row in zip(table.index, table.to_dict("records"), strict=True):
        errors.setdefault(label, []).append(row)
    return errors
