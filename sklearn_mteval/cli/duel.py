"""Compare two systems: which is better, by how much, how sure, and in which segments.

Reads the outputs of both, plain UTF-8 text, one segment per line, all files of equal length, and
scores them with a model, as 'rank' does. Prints the difference of their mean scores with interval
and p-value, that of kinds of segments (by length, numbers, names, negation, questions, domain), and
the segments that speak most for each.
"""

from sklearn_mteval.cli import _documents, _html, _translation_page, _translations
from sklearn_mteval.cli._options import add, add_output_format, add_shared, take_model
from sklearn_mteval.cli._output import check_paths, write
from sklearn_mteval.cli._parser import OUTPUT, TEXTS
from sklearn_mteval.cli._results import Results
from sklearn_mteval.report.formats import formats_of

MORE = "rank_and_score"
EXAMPLES = (
    "sklearn-mteval duel mine.en other.en -s source.de -r reference.en",
    "sklearn-mteval duel mine.en other.en -r reference.en --html duel.html",
)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="the outputs of both systems")
    texts = parser.add_argument_group(**TEXTS)
    add_shared(parser, "--source", "--reference", "--lang-pair")
    add_shared(parser, "--translations", required=False, help="the same as FILE FILE")
    add(texts, "--documents FILE", _documents.DOCUMENTS)
    add(texts, "--domains FILE", "the domain of each segment, a label a line, as a theme")
    add(parser.add_argument_group("model"), "--model MODEL",
        "folder that 'train' saved, or the name of a ready-made one (default: the best one that is "
        "installed for the files given)")  # fmt: skip
    formats = formats_of("report")
    add_output_format(parser, formats, formats[0])
    add_shared(parser, "--output")
    add(parser.add_argument_group(**OUTPUT), "--marks MODEL", _translations.MARKS, nargs="?",
        const=True)  # fmt: skip
    add_shared(parser, "--html", "--pdf", "--confidence")
    add_shared(parser, "--no-windows", "--device", "--dtype")
    add_shared(parser, "--jobs", default=1, help=_translations.JOBS)
    # What 'rank' asks for, and a duel does not.
    parser.set_defaults(
        named_model=None, candidates=None, columns=[], scores=[], flags=False,
        flagged_lose=False, to=None,
    )  # fmt: skip


def run(arguments):
    """Score both systems, compare them and write the report."""
    import pandas as pd

    from sklearn_mteval.models.duels import duel
    from sklearn_mteval.report.results import report_text

    arguments.translations = [*arguments.files, *arguments.translations]
    _check(arguments)
    results, blocks, page = Results(arguments, "ranks", 2), [], None
    if _html.wanted(arguments):
        page = _translation_page.TranslationPage(arguments, "ranks", results)
    for block in results:
        blocks.append(block)
        if page is not None:
            page.add(block)
    X, found = (pd.concat([block[k] for block in blocks]) for k in (0, 1))
    documents = [block.documents for block in blocks]
    known = all(one is not None for one in documents)
    given = {"documents": pd.concat(documents) if known else None}
    domains = _documents.documents_of_file(arguments.domains, X.index.unique("segment"))
    if domains is not None:
        given["domains"] = domains.reindex(X.index.get_level_values("segment")).to_numpy()
    result = duel(found, X, *X.index.unique("system"), confidence=arguments.confidence, **given)
    write(report_text(result, arguments.output_format), arguments.output)
    if page is not None:
        page.write_duel(result, results.belief)


def _check(arguments):
    """Raise, before any work, for what cannot be read or written."""
    n = len(arguments.translations)
    if n != 2:
        arguments.misunderstood(
            f"expected the outputs of two systems, found {n}: name both first, as in "
            "'duel mine.en other.en -r reference.en'."
        )
    take_model(arguments)
    texts = [*arguments.translations, *arguments.reference]
    inputs = [*texts, arguments.source, arguments.documents, arguments.domains]
    outputs = {"-o": arguments.output} | _html.check(arguments)
    models = [name for name in (arguments.model, arguments.marks) if isinstance(name, str)]
    check_paths(outputs, inputs, models)
