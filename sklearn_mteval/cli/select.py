"""Choose which segments to judge, given translations of the systems and metric scores of them.

By default segments are drawn by chance, those in which metrics' scores of the systems vary more
with a higher probability; without references and scores, all with the same one. Writes a table with
a row for each segment: whether it is chosen, and with which probability, from which 'leaderboard
--selection' estimates what judgements of all segments would say. Judgements are not asked for:
segments that have been judged may be named, and others are chosen to go with them. With --next, the
command chooses comparisons of two systems instead, given judgements so far.
"""

from sklearn_mteval.cli import _next
from sklearn_mteval.cli._options import add_shared, given_options, options_for
from sklearn_mteval.cli._parser import OUTPUT
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.features.overlap.registry import METRICS

MORE = "selection"
EXAMPLES = (
    "sklearn-mteval select -t mine.en other.en -r reference.en -n 20 -o chosen.tsv",
    "sklearn-mteval select -t mine.en other.en --scores comet.txt --lines",
    "sklearn-mteval select --next battles.csv -n 20",
)

_DEFAULT = ("bleu", "chrf")
_WITHOUT_SCORES = (
    "Neither -r nor --scores is given: segments are drawn at random. To draw by scores, give those "
    "of metrics, or of a model that reads no reference, as 'score' writes them: --scores FILE.\n"
)
_BY_DOCUMENT = "--documents FILE makes estimates more precise: some segments of each document.\n"


def add_arguments(parser):
    """Declare the arguments."""
    add_shared(
        parser,
        "--translations",
        required=False,
        help="system outputs, one segment a line, two or more",
    )
    add_shared(parser, "--source", "--reference")
    which = parser.add_argument_group("how many segments, and which")
    scores = parser.add_argument_group("scores of metrics, by which they are chosen")
    more = parser.add_argument_group("strata, costs and diversity", rare=True)
    output = parser.add_argument_group(**OUTPUT)
    scores.add_argument(
        "--metrics",
        nargs="+",
        choices=list(METRICS),
        metavar="METRIC",
        help=f"computed here: {', '.join(METRICS)} (default without --scores: "
        f"{' '.join(_DEFAULT)}); they read -r",
    )
    scores.add_argument(
        "--scores",
        nargs="+",
        default=[],
        metavar="FILE",
        help="scores by any tool, as for 'evaluate'; higher is better; systems are named after "
        "their files",
    )
    more.add_argument(
        "--target-language",
        metavar="LANG",
        help="whose tokeniser the metrics take, such as zh or ja (default: by the script of the "
        "reference)",
    )
    which.add_argument(
        "-n",
        "--size",
        type=_size,
        default=0.5,
        metavar="N",
        help="how many segments, those judged included: a number, or a proportion below 1; with "
        "--costs, an amount, or a proportion of it (default: 0.5)",
    )
    which.add_argument(
        "--method",
        choices=[*SELECTIONS],
        help="spread and random draw by chance, with known probabilities; balanced draws by "
        "chance and exchanges; the others take what a criterion puts first (default: spread; "
        "random where neither -r nor --scores is given)",
    )
    which.add_argument(
        "--documents",
        metavar="FILE",
        help="the document of each segment, one label a line: about the same proportion of each is "
        "chosen",
    )
    more.add_argument("--whole-documents", action="store_true", help="choose documents as a whole")
    more.add_argument(
        "--strata",
        metavar="FILE",
        help="a label of each segment, such as its domain, one a line: about the same proportion "
        "of each is chosen",
    )
    more.add_argument(
        "--costs",
        metavar="FILE",
        help="what judging each segment costs, a positive number a line; or the word 'words', of "
        "the source",
    )
    which.add_argument(
        "--judged",
        metavar="FILE",
        help="line numbers of segments that are judged, one a line",
    )
    more.add_argument(
        "--similarity",
        default="chrf",
        choices=["chrf", "unigram"],
        help="of two translations, for diversity (default: chrf)",
    )
    more.add_argument(
        "--encoder",
        metavar="FOLDER",
        help="for diversity: the similarity is the dot product of embeddings by this encoder",
    )
    output.add_argument(
        "--lines",
        action="store_true",
        help="write only the line numbers of the segments to judge, one a line",
    )
    output.add_argument(
        "--save-scores",
        metavar="FILE",
        help="write the scores of all translations, for 'leaderboard --scores'; with -s, the "
        "source's number of words too, which says something of scores as well",
    )
    add_shared(
        parser,
        "--plots",
        help="also draw how far the metrics' means on a part are from those on all, by this method "
        "and by chance, for parts of any size: selection.png; needs matplotlib",
    )
    add_shared(parser, "--seed", "--output")
    _next.add_arguments(parser)


def _size(text):
    """Read -n: a number of segments, an amount, or a proportion."""
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def run(arguments):
    """Choose segments, or comparisons with --next."""
    given = given_options(arguments, add_arguments)
    if arguments.next is not None:
        _next.run(arguments, given)
        return
    _next.check_absent(given)
    if not arguments.translations:
        raise ValueError("give the translations of two systems or more: -t SYS SYS.")
    _choose_segments(arguments)


def _choose_segments(arguments):
    """Score, choose, write, and say what the choice serves."""
    import pandas as pd

    from sklearn_mteval.cli._output import check_paths, say, write
    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.datasets.selections import selection_text
    from sklearn_mteval.evaluation import select_segments

    costs_file = None if arguments.costs == "words" else arguments.costs
    files = [arguments.source, arguments.documents, arguments.strata, costs_file, arguments.judged]
    inputs = [*arguments.translations, *arguments.reference, *arguments.scores]
    inputs += [path for path in files if path is not None]
    check_paths({"-o": arguments.output, "--save-scores": arguments.save_scores}, inputs)
    if arguments.costs == "words" and arguments.source is None:
        raise ValueError("--costs words are words of the source: give -s.")
    chosen_for_user = _choose_method(arguments)
    if arguments.plots is not None:
        from sklearn_mteval.cli._plots import prepare

        if not arguments.metrics and not arguments.scores:
            raise ValueError("--plots: errors are of metrics' scores: give -r, or --scores.")
        prepare(arguments.plots)
    X = load_translations(arguments.translations, arguments.source, arguments.reference)
    segments = X.index.unique("segment")
    scores = _scores(arguments, X)
    costs = None
    if costs_file is not None:
        costs = _labels(costs_file, segments, _number, "a number")
    elif arguments.costs is not None:
        costs = source_words(X)
    options = options_for(arguments, select_segments) | {
        "documents": _labels(arguments.documents, segments),
        "strata": _labels(arguments.strata, segments),
        "costs": costs,
        "judged": [] if arguments.judged is None else _numbers(arguments.judged),
        "translations": X,
        "similarity": _similarity(arguments),
    }
    of_metrics = pd.DataFrame({"none": 0.0}, X.index) if scores is None else scores
    found = select_segments(of_metrics, arguments.size, **options)
    to_judge = found.index[found["chosen"]].difference(pd.Index(options["judged"]))
    if arguments.save_scores is not None:
        write(
            _score_table(pd.DataFrame(index=X.index) if scores is None else scores, X),
            arguments.save_scores,
        )
    if arguments.lines:
        write("".join(f"{segment}\n" for segment in to_judge), arguments.output)
    else:
        comment = f"sklearn-mteval select {found.attrs['signature']}"
        write(selection_text(found, comment), arguments.output)
    say(f"{len(to_judge)} segments to judge{_costs(costs, to_judge)}.\n")
    say(f"This choice ({arguments.method}) serves {SELECTIONS[arguments.method]}.\n")
    if arguments.plots is not None:
        _draw(of_metrics, found, options, arguments.plots)
    if chosen_for_user:
        say(_WITHOUT_SCORES + ("" if arguments.documents else _BY_DOCUMENT))
    if arguments.method == "spread" and not arguments.scores:
        say(
            "Overlap metrics say little of where judgements vary: give scores of a learned metric "
            "(--scores), or take --method random.\n"
        )


def _draw(scores, found, options, folder):
    """Draw the errors of the method and of chance; ``options`` are those of the choice."""
    from sklearn_mteval.cli._plots import draw
    from sklearn_mteval.report.plots_of_results import of_selection

    options = {name: value for name, value in options.items() if name != "judged"}
    methods = list(dict.fromkeys([options.pop("method"), "random"]))
    marked = found["chosen"].mean()
    draw([of_selection(scores, methods, marked=marked, **options)], folder)


def _choose_method(arguments):
    """Fill in the method and the metrics; tell whether nothing was there to choose by.

    Without references and scores the choice is random: how far systems' translations differ among
    themselves does not say where judgements vary.
    """
    given = arguments.reference or arguments.scores or arguments.metrics
    for_user = arguments.method is None and not given
    if arguments.method is None:
        arguments.method = "spread" if given else "random"
    if arguments.save_scores is not None and not given and arguments.source is None:
        raise ValueError("--save-scores: there are no scores to write: give -r, --scores or -s.")
    needs_scores = arguments.method not in ("random", "diversity")
    if needs_scores and not given:
        raise ValueError(
            f"--method {arguments.method} needs scores of metrics: give -r, for bleu and chrf, or "
            "--scores of any that reads none; without both, take --method random or diversity."
        )
    if arguments.metrics is None and not arguments.scores and arguments.reference:
        arguments.metrics = _DEFAULT
    if arguments.metrics and not arguments.reference:
        raise ValueError("the metrics read the reference: give -r, or --scores without --metrics.")
    return for_user


def _costs(costs, chosen):
    """Say what the chosen segments cost together."""
    return "" if costs is None else f", of the cost {costs[chosen].sum():g} of {costs.sum():g}"


def _scores(arguments, X):
    """Return a table of the scores, computed and read; None without any."""
    import pandas as pd

    from sklearn_mteval.datasets import load_scores
    from sklearn_mteval.features import MetricScores

    tables = []
    if arguments.metrics:
        metrics = MetricScores(
            list(dict.fromkeys(arguments.metrics)), language=arguments.target_language
        )
        tables.append(metrics.set_output(transform="pandas").fit_transform(X))
    systems, n_segments = X.index.unique("system"), X.index.unique("segment").size
    for path in arguments.scores:
        # A campaign's file may have references and other systems, too.
        table = load_scores(path, systems, n_segments, others=None)
        there = {name for other in tables for name in other}
        if there & {*table}:  # two files with one metric's name
            table = table.add_prefix(f"{path}:")
        tables.append(table.reindex(X.index))
    return pd.concat(tables, axis=1) if tables else None


def _similarity(arguments):
    """Return what diversity compares translations by."""
    if arguments.encoder is None:
        return arguments.similarity
    from sklearn_mteval.features import SentenceEncoder

    return SentenceEncoder(arguments.encoder, columns=("hypothesis",))


def _score_table(scores, X):
    """Write scores as a table of tabs, and the length of sources."""
    import csv
    import io

    scores = scores.rename(columns=lambda name: " ".join(str(name).split()))
    if "source" in X:
        words = source_words(X)
        scores["source_words"] = words[scores.index.get_level_values("segment")].to_numpy()
    text = io.StringIO()
    scores.reset_index().to_csv(
        text, sep="\t", index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL
    )
    return text.getvalue()


def source_words(X):
    """Count the words of each segment's source, as its language parts them, one at least."""
    from sklearn_mteval.text.tokenizers import language_of, tokenizer_of
    from sklearn_mteval.text.tokens import load_tokenizer

    sources = X["source"].groupby(level="segment").first()
    tokenize = load_tokenizer(tokenizer_of(language_of(sources)))
    return sources.map(lambda text: max(1.0, float(len(tokenize(text).split()))))


def _labels(path, segments, read=None, expected=None):
    """Read a line for each segment, tabs as spaces, as a Series; None for None."""
    import pandas as pd

    from sklearn_mteval.datasets._files import read_lines
    from sklearn_mteval.exceptions import DataFileError

    if path is None:
        return None
    lines = read_lines(path)
    if len(lines) != len(segments):
        raise ValueError(
            f"{path}: expected {len(segments)} lines, one for each segment, found {len(lines)}."
        )
    if read is None:
        values = [" ".join(line.split()) for line in lines]
    else:
        values = [read(line) for line in lines]
        if None in values:
            line = values.index(None)
            raise DataFileError(path, f"expected {expected}, found {lines[line][:40]!r}.", line + 1)
    return pd.Series(values, segments)


def _number(text):
    """Read a positive number; None for any other text."""
    from sklearn_mteval.datasets._score_lines import number

    value = number(text)
    return value if value is not None and value > 0 else None


def _numbers(path):
    """Read line numbers."""
    from sklearn_mteval.datasets._files import read_lines
    from sklearn_mteval.exceptions import DataFileError

    numbers = []
    for line, text in enumerate(read_lines(path), 1):
        if not text.strip().isdecimal():
            raise DataFileError(path, f"expected the number of a line, found {text[:40]!r}.", line)
        numbers.append(int(text))
    return numbers
