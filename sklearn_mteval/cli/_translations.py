"""What ``rank`` and ``score`` share: their options, and what they write, block by block."""

from collections import deque
from functools import partial

from sklearn_mteval.cli import _html, _partitions, _plots, _translation_page
from sklearn_mteval.cli._documents import DOCUMENTS
from sklearn_mteval.cli._options import (
    add,
    add_model,
    add_output_format,
    add_shared,
    options_for,
    take_model,
)
from sklearn_mteval.cli._output import check_paths, say, write, write_pieces
from sklearn_mteval.cli._parser import OUTPUT, TEXTS
from sklearn_mteval.cli._results import Block, Results, blocks_of
from sklearn_mteval.cli._scores import SCORES_HELP, named
from sklearn_mteval.report.formats import BINARY, formats_of

MARKS = (
    "mark words that are in an error, minor or major, each with its probability, and say how "
    "probable it is that a translation has none; by the ready-made error-marker, or the folder of "
    "one of your own"
)
JOBS = "processes, each with a model of its own (default: 1); results do not depend on it"


def add_arguments(parser, *, n_systems, output):
    """Declare the arguments; ``n_systems`` are wanted, ``output`` is "scores" or "ranks"."""
    formats = formats_of(output)
    add_model(parser, "(default: the best one that is installed for the files given)")
    add_shared(parser, "--source", "--reference", "--lang-pair")
    texts = parser.add_argument_group(**TEXTS)
    given = texts.add_mutually_exclusive_group()
    add_shared(given, "--translations", required=False, help=f"system outputs, {n_systems} or more")
    add(given, "--candidates FILE",
        "instead of text files, a table with a row for each translation: segment, system, "
        "hypothesis and, if there are any, source, reference and document; JSON lines and parquet "
        "may be of any size, rows of a segment together")  # fmt: skip
    add(texts, "--columns NAME=COLUMN ...",
        "columns of --candidates with other names than the usual ones, e.g. "
        "segment=id")  # fmt: skip
    add(texts, "--documents FILE",
        f"{DOCUMENTS} (default: the column 'document' of --candidates)")  # fmt: skip
    add(parser.add_argument_group("models that read scores of metrics", rare=True),
        "--scores [NAME=]FILE ...",
        f"for a model that was trained together with other metrics, {SCORES_HELP}; systems "
        "have the names of the files of -t; all is held in memory")  # fmt: skip
    place = parser.add_argument_group(**OUTPUT)
    add(place, "--flags",
        "say which numbers, names and negations of source or reference a translation "
        "contradicts, and which words are untranslated: a column 'flags'")  # fmt: skip
    add(place, "--flagged-lose",
        "put what --flags flags below all else: ranks, and scores of at most -0.5")  # fmt: skip
    add(place, "--to LANGUAGE",
        "what is translated into, as de or zh_TW: flag what is in another language")  # fmt: skip
    add(place, "--marks MODEL", MARKS, nargs="?", const=True)
    plain = "seg" if "seg" in formats else "tsv"
    default = plain if plain == "tsv" else f"{plain}, with --flags tsv"
    add_output_format(parser, formats, note=f"{default}, with --marks text, in a file tsv")
    parser.set_defaults(plain_format=plain)
    add_shared(parser, "--output",
        help=f"where to write {output} of segments (default: standard output)")  # fmt: skip
    add(place, "--systems FILE",
        "where to write the table of systems, as TSV (default: to standard error, to "
        "read)")  # fmt: skip
    add(place, "--pairs FILE",
        "where to write, as TSV, by how much each two systems differ, with interval and "
        "p-value")  # fmt: skip
    drawn = "the systems' scores and how the scores of their translations are distributed"
    add_shared(parser, "--plots",
        help=f"also draw {drawn}: systems.png, scores.png, and as SVG; needs "
        "matplotlib")  # fmt: skip
    add_shared(parser, "--html", "--pdf")
    add_shared(parser, "--confidence", "--resamples", "--seed")
    add_shared(parser, "--jobs", default=1, help=JOBS)
    add_shared(parser, "--no-windows", "--device", "--dtype")
    _partitions.add_arguments(parser, output)


def run(arguments, found, *, min_systems):
    """Find "ranks" or "scores", and write them block by block, then the table of systems."""
    from sklearn_mteval.models.score_counts import ScoreCounts
    from sklearn_mteval.report.formats import writer
    from sklearn_mteval.report.scores import FOUND

    _check(arguments, found)
    _plots.prepare(arguments.plots)
    page = None
    if arguments.partitions is None:
        results = Results(arguments, found, min_systems)
        of_systems, belief = results.systems, lambda: results.belief
        if _html.wanted(arguments):
            page = _translation_page.TranslationPage(arguments, found, results)
    else:
        from sklearn_mteval.models.system_sums import SystemSums
        from sklearn_mteval.scale.mapping import systems_of

        blocks = blocks_of(arguments, min_systems) if _given(arguments) else None
        partitions = _partitions.run(arguments, found, blocks)
        results = (Block(None, X if found == "ranks" else X["score"]) for X, _ in partitions)
        options = options_for(arguments, SystemSums.result)
        of_systems = partial(systems_of, partitions.folder, **options)
        belief = partial(_translation_page.belief_of, arguments, found)
    counts, (as_written, _) = ScoreCounts(), FOUND[found]
    parts = (as_written(*some) for some in _noted(arguments, results, counts, page))
    if arguments.partitions is None or arguments.output != "-":
        write_pieces(writer(arguments.output_format, found)(parts), arguments.output)
    elif arguments.plots is not None:
        deque(parts, maxlen=0)  # to be counted
    _write_systems(arguments, found, of_systems(), counts, page, belief())


def _write_systems(arguments, found, systems, counts, page, belief):
    """Write which system is better and the table of systems; draw plots, write the page."""
    from sklearn_mteval.report.formats import tab_separated
    from sklearn_mteval.report.scores import answer_of, system_text

    if arguments.systems is None:
        say(system_text(systems, found, belief))
    else:
        say("".join(f"{sentence}\n" for sentence in answer_of(systems)))
        write(tab_separated(systems.table), arguments.systems)
    if arguments.pairs is not None:
        if systems.pairs is None:
            raise ValueError(f"--pairs: {len(systems.table)} systems are too many to compare two.")
        write(tab_separated(systems.pairs.table().set_index("system")), arguments.pairs)
    if arguments.plots is not None:
        from sklearn_mteval.report.plots_of_results import of_systems

        _plots.draw(of_systems(systems.table, counts), arguments.plots)
    if page is not None:
        page.write(systems, counts, belief)


def _noted(arguments, results, counts, page):
    """Pass on what is written of results; count their scores, and add them to a page."""
    for block in results:
        if arguments.plots is not None or page is not None:
            counts.add(block.found if block.found.ndim == 1 else block.found["score"])
        if page is not None:
            page.add(block)
        yield block.found, block.flags if arguments.flags else None, block.marks


def _check(arguments, found):
    """Raise, before any work, for options that contradict each other, and paths."""
    take_model(arguments)
    in_parts = arguments.partitions is not None
    if not _given(arguments) and (not in_parts or arguments.source or arguments.reference):
        arguments.misunderstood("expected system outputs, -t, or a table, --candidates.")
    _partitions.check(arguments, found, _given(arguments))
    if arguments.output_format is None:
        arguments.output_format = _default_format(arguments)
    for contradicts, problem in _contradictions(arguments):
        if contradicts:
            raise ValueError(problem)
    inputs = [*arguments.translations, *arguments.reference]
    inputs += [arguments.source, arguments.candidates, arguments.documents]
    inputs += [path for _, path in map(named, arguments.scores)]
    outputs = {"-o": arguments.output, "--systems": arguments.systems, "--pairs": arguments.pairs}
    outputs |= _html.check(arguments)
    models = [name for name in (arguments.model, arguments.marks) if isinstance(name, str)]
    check_paths(outputs, inputs, models)


def _default_format(arguments):
    """Name the format of what is asked for."""
    if arguments.marks is not None:
        return "text" if arguments.output == "-" else "tsv"
    named = (arguments.flags, arguments.candidates is not None, arguments.partitions is not None)
    return "tsv" if any(named) else arguments.plain_format


def _contradictions(arguments):
    """List what options may contradict, each with whether they do."""
    in_table, in_parts = arguments.candidates is not None, arguments.partitions is not None
    texts = arguments.source is not None or bool(arguments.reference)
    format, seg = arguments.output_format, arguments.output_format == "seg"
    option = "--candidates" if in_table else "--partitions"
    flags = "--flagged-lose" if arguments.flagged_lose else "--flags"
    return [
        (arguments.to and not (arguments.flags or arguments.flagged_lose),
         "--to is for flags: give --flags or --flagged-lose."),
        (seg and (in_table or in_parts),
         f"{option}: the format seg has no place for names of segments: choose -f tsv or jsonl."),
        (seg and arguments.flags,
         "--flags: the format seg has no place for flags: choose -f tsv or jsonl."),
        (seg and arguments.marks is not None,
         "--marks: the format seg has no place for marks: choose -f text, tsv or jsonl."),
        (format in BINARY and arguments.output == "-",
         f"-f {format} is no text: name a file with -o."),
        (in_table and (texts or arguments.scores),
         "--candidates has sources and references in columns, and no --scores: leave out -s, -r "
         "and --scores."),
        (_html.wanted(arguments) and in_parts,
         "--html and --pdf show texts, which partitions keep to themselves: leave one out."),
        (arguments.columns and not in_table, "--columns is for a table: give --candidates."),
        ((arguments.flags or arguments.flagged_lose) and not in_table and not texts,
         f"{flags} compares translations with a source or a reference: give -s or -r."),
    ]  # fmt: skip


def _given(arguments):
    """Tell whether there is anything to judge."""
    return bool(arguments.translations) or arguments.candidates is not None
