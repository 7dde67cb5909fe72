"""Human judgements that a command is given: where they are, of which format, with what options."""

import argparse

from sklearn_mteval.cli import _tables
from sklearn_mteval.datasets.choices import FOUND_FORMATS, TABLE_FORMATS

__all__ = [
    "add_arguments", "check_options", "find_judgements", "load_judged", "named_format",
    "options_of_texts", "split_formats",
]  # fmt: skip

OWN = ("own", *TABLE_FORMATS)  # "own": one of them, as the header will say
# Which options go with which kind of judgements; others do with any.
_TAKEN = {
    "wmt": {"lang_pair"},
    "mqm": {"reference_system", "allow_categories"},
    "mtme": {"lang_pair", "reference_system", "human_systems", "gold", "metric_scores"},
    "esa": {"lang_pair", "reference_system", "human_systems", "texts"},
    "own": {*_tables.OPTIONS},
}


def add_arguments(parser):
    """Declare where human judgements come from."""
    judgements = parser.add_argument_group("human judgements")
    judgements = judgements.add_mutually_exclusive_group(required=True)
    judgements.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="judgements of any format that --format knows: a table of your own, a campaign's "
        "folder, what a tool for annotation wrote ('-': a table on stdin)",
    )
    judgements.add_argument(
        "--wmt",
        metavar="DIR",
        help="rankings: a campaign's folder with rankings/, sources/, references/, "
        "system-outputs/; needs --lang-pair",
    )
    judgements.add_argument(
        "--mqm", metavar="FILE", help="MQM annotations as published, one TSV file ('-': stdin)"
    )
    judgements.add_argument(
        "--mtme",
        metavar="DIR",
        help="a test set of the metrics tasks in mt-metrics-eval's layout, e.g. wmt23; needs "
        "--lang-pair. Its metrics are evaluated, too",
    )
    judgements.add_argument(
        "--esa", metavar="FILE", help="scores (ESA, DA) as Appraise exports them, CSV ('-': stdin)"
    )
    parser.add_argument(
        "--lang-pair", metavar="SRC-TRG", help="with --wmt, --mtme and --esa, e.g. de-en"
    )
    parser.add_argument(
        "--reference-system",
        nargs="+",
        default=[],
        metavar="NAME",
        help="which systems are references; they are not evaluated. With --mqm default none, with "
        "--mtme those that its metrics read, with --esa all that nobody judged",
    )
    parser.add_argument(
        "--human-systems",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="with --mtme and --esa: whether other references are evaluated as systems (default: "
        "with --mtme yes, as the campaigns do)",
    )
    parser.add_argument(
        "--gold",
        metavar="NAME",
        help="with --mtme: which human scores, such as mqm (default), da-sqm, esa, mqm.rater1",
    )
    parser.add_argument(
        "--texts",
        metavar="DIR",
        help="with --esa: folder of the texts in mt-metrics-eval's layout; for --metrics, --model",
    )
    parser.add_argument(
        "--allow-categories",
        nargs="+",
        default=[],
        metavar="LABEL",
        help="with --mqm: categories that are meant, though not of the typology",
    )
    _tables.add_arguments(parser)


def split_formats(given, outputs=()):
    """Tell the input format from the output format in what ``--format`` was given; None: neither.

    Raise ValueError if a kind is there twice.
    """
    found = []
    for what, names in (("input", FOUND_FORMATS), ("output", outputs)):
        of_kind = [name for name in given or () if name in names]
        if len(of_kind) > 1:
            raise ValueError(f"--format names two {what} formats, {' and '.join(of_kind)}.")
        found.append(of_kind[0] if of_kind else None)
    return tuple(found)


def named_format(path, format):
    """Return the format of a file or folder, as given or as it is certain; say what it is.

    A table of one's own is "own" unless its format is given: its header is read later.
    """
    from sklearn_mteval.cli._output import say
    from sklearn_mteval.datasets.found_format import find_format

    if format is not None:
        return format
    found = find_format(path)
    if found != "own":
        say(f"{path}: taken for --format {found}\n")
    return found


def find_judgements(arguments, format):
    """Return path and format of the judgements, named by an option or as FILE."""
    if arguments.file is not None:
        return arguments.file, named_format(arguments.file, format)
    if format is not None:
        raise ValueError(f"--format {format} is of FILE, which is not given.")
    kinds = ("wmt", "mqm", "mtme", "esa")
    kind = next(kind for kind in kinds if getattr(arguments, kind) is not None)
    return getattr(arguments, kind), kind


def check_options(formats, given):
    """Raise for an option of judgements that are of another format, or one that is missing."""
    formats = {"own" if format in OWN else format for format in formats}
    taken = set().union(*(_TAKEN.get(format, ()) for format in formats))
    for name in sorted(set().union(*_TAKEN.values()) - taken):
        if given.get(name) not in (None, []):
            kinds = [kind for kind, options in _TAKEN.items() if name in options]
            whose = " and ".join(f"--{kind}" for kind in kinds)
            if kinds == ["own"]:
                whose = "a table of your own judgements, FILE"
            raise ValueError(f"--{name.replace('_', '-')} belongs to {whose}.")
    for format in sorted(formats & {"wmt", "mtme"}):
        if not given["lang_pair"]:
            raise ValueError(f"--{format} needs --lang-pair.")


def options_of_texts(format):
    """Say which option gives a column of texts."""
    if format in OWN:
        return {"reference": "-r", "source": "-s", "hypothesis": "-t"}
    return {"reference": "--reference-system"}


def load_judged(path, format, given):
    """Load judgements of any format; ``given`` maps options to values, None where not given.

    With ``metric_scores=False`` scores of metrics are left alone.
    """
    from sklearn_mteval.datasets import load_pearmut
    from sklearn_mteval.evaluation import (
        esa_judgements,
        mqm_judgements,
        mtme_judgements,
        own_judgements,
        wmt_judgements,
    )

    if format in OWN:
        return own_judgements(_tables.load_own(path, format, given))
    if format == "pearmut":
        return own_judgements(load_pearmut(path, average=True))
    if format == "wmt":
        return wmt_judgements(path, given["lang_pair"])
    references = given["reference_system"] or None
    if format == "mqm":
        categories = given.get("allow_categories") or ()
        return mqm_judgements(path, reference_system=references or (), allow_categories=categories)
    options = {"reference": references}
    if given.get("human_systems") is not None:
        options["human_systems"] = given["human_systems"]
    if format == "esa":
        return esa_judgements(path, given["lang_pair"], texts=given["texts"], **options)
    scores = given.get("metric_scores")
    options["metric_scores"] = True if scores is None else scores
    options["gold"] = given.get("gold") or "mqm"
    return mtme_judgements(path, given["lang_pair"], **options)
