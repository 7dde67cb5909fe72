"""What the commands ``rank`` and ``score`` share: a model, texts of systems, output."""

from sklearn_mteval.cli._options import add_output_format, add_shared, options_for
from sklearn_mteval.cli._parser import OUTPUT
from sklearn_mteval.cli._scores import SCORES_HELP, named, with_scores
from sklearn_mteval.report.formats import formats_of

__all__ = ["add_arguments", "ask", "of_systems", "write_tables"]


def add_arguments(parser, *, n_systems, output):
    """Declare the arguments; ``n_systems`` are wanted, ``output`` is "scores" or "ranks"."""
    formats = formats_of(output)
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="folder that 'train' saved, or the name of a ready-made model (default: the best one "
        "that is installed for the files given)",
    )
    add_shared(parser, "--source", "--reference")
    add_shared(parser, "--translations", help=f"system outputs, {n_systems} or more")
    parser.add_argument_group("models that read scores of metrics", rare=True).add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="[NAME=]FILE",
        help=f"for a model that was trained beside other metrics, {SCORES_HELP}; systems have the "
        "names of the files of -t",
    )
    place = parser.add_argument_group(**OUTPUT)
    place.add_argument(
        "--flags",
        action="store_true",
        help="say which numbers, names and negations of source or reference a translation "
        "contradicts, and which words are untranslated: a column 'flags'",
    )
    default = formats[0] if formats[0] == "tsv" else f"{formats[0]}, with --flags tsv"
    add_output_format(parser, formats, note=default)
    parser.set_defaults(formats=formats)
    add_shared(
        parser,
        "--output",
        help=f"where to write {output} of segments (default: standard output)",
    )
    place.add_argument(
        "--systems",
        metavar="FILE",
        help="where to write the table of systems, as TSV (default: to standard error, to read)",
    )
    add_shared(parser, "--confidence", "--resamples", "--seed")


def ask(arguments, function, *, min_systems):
    """Call a function with the model and the texts that the arguments name.

    Returned are what it says and, if they are asked for, the flags of the translations. Where no
    format is chosen, the arguments get one.
    """
    from sklearn_mteval._helpers.options import check_draws, check_proportion
    from sklearn_mteval.cli._models import open_ranker
    from sklearn_mteval.cli._output import check_paths, naming_options, say
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.features import content_flags
    from sklearn_mteval.models import recommended_model
    from sklearn_mteval.models.opening import with_source

    check_proportion("--confidence", arguments.confidence)
    check_draws("--resamples", arguments.n_resamples)
    if arguments.output_format is None:
        arguments.output_format = "tsv" if arguments.flags else arguments.formats[0]
    if arguments.flags and arguments.output_format == "seg":
        raise ValueError("--flags: the format seg has no place for flags: choose -f tsv or jsonl.")
    if arguments.flags and arguments.source is None and not arguments.reference:
        raise ValueError(
            "--flags compares translations with a source or a reference: give -s or -r."
        )
    inputs = [*arguments.translations, *arguments.reference]
    inputs += [] if arguments.source is None else [arguments.source]
    inputs += [path for _, path in map(named, arguments.scores)]
    outputs = {"-o": arguments.output, "--systems": arguments.systems}
    check_paths(outputs, inputs, [] if arguments.model is None else [arguments.model])
    X = load_translations(
        arguments.translations, arguments.source, arguments.reference, min_systems=min_systems
    )
    flags = content_flags(X) if arguments.flags else None
    name = arguments.model
    if name is None:
        name = recommended_model(X)
        say(f"model: {name}\n")
    model = open_ranker(name)
    completed = with_source(X, name)
    if completed is not X:
        say("no -s: words that were left untranslated are not noticed\n")
    completed = with_scores(completed, model, arguments.scores)
    with naming_options(X, {"reference": "-r", "source": "-s"}):
        return function(model, completed), flags


def of_systems(arguments, function, found, flags):
    """Summarise by a function what was found of translations; the table shows what is undefined."""
    import warnings

    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        systems = function(found, **options_for(arguments, function))
    if flags is None:
        return systems
    return systems.assign(flagged=flags.map(bool).groupby(level="system").sum())


def write_tables(arguments, segments, systems, as_text):
    """Write the text of segments, and the table of systems as TSV or, by a function, as text."""
    from sklearn_mteval.cli._output import say, write
    from sklearn_mteval.report.formats import tab_separated

    write(segments, arguments.output)
    if arguments.systems is None:
        say(as_text(systems))
    else:
        write(tab_separated(systems), arguments.systems)
