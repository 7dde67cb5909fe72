"""Choose which segments to judge, given translations of the systems and metric scores of them.

By default segments are drawn by chance: given scores of learned metrics, those in which scores of
the systems vary more with a higher probability, else all with the same one. Writes a table with
a row for each segment: whether it is chosen, and with which probability, from which 'leaderboard
--selection' estimates what judgements of all segments would say. Judgements are not asked for:
segments that have been judged may be named, and others are chosen to go with them. 'next' chooses
comparisons of two systems instead, given judgements so far.
"""

from sklearn_mteval.cli import _plots
from sklearn_mteval.cli._documents import documents_of_file
from sklearn_mteval.cli._options import add, add_shared, options_for, target_of
from sklearn_mteval.cli._output import check_paths, say, write
from sklearn_mteval.cli._parser import OUTPUT
from sklearn_mteval.cli._scores import read_scores
from sklearn_mteval.evaluation.option_values import SELECTIONS
from sklearn_mteval.features.overlap.registry import METRICS

MORE = "selection"
EXAMPLES = (
    "sklearn-mteval select -t mine.en other.en -r reference.en -n 20 -o chosen.tsv",
    "sklearn-mteval select -t mine.en other.en --scores comet.txt --lines",
)

_DEFAULT = ("bleu", "chrf")
_WITHOUT_SCORES = (
    "No scores of a learned metric are given (--scores FILE), as 'score' or another tool writes "
    "them: segments are drawn at random, since overlap metrics say little of where judgements "
    "vary.\n"
)
_BY_DOCUMENT = "--documents FILE makes estimates more precise: some segments of each document.\n"


def add_arguments(parser):
    """Declare the arguments."""
    add_shared(parser, "--translations", help="system outputs, one segment a line, two or more")
    add_shared(parser, "--source", "--reference", "--lang-pair")
    which = parser.add_argument_group("how many segments, and which")
    scores = parser.add_argument_group("scores of metrics, by which they are chosen")
    more = parser.add_argument_group("strata, costs and diversity", rare=True)
    output = parser.add_argument_group(**OUTPUT)
    add(scores, "--metrics METRIC",
        f"computed here: {', '.join(METRICS)} (default without --scores: "
        f"{' '.join(_DEFAULT)}); they read -r", nargs="+", choices=list(METRICS))  # fmt: skip
    add(scores, "--scores FILE ...",
        "scores by any tool, as for 'evaluate'; higher is better; systems are named after "
        "their files")  # fmt: skip
    add(which, "-n, --size N",
        "how many segments, those judged included: a number, or a proportion below 1; with "
        "--costs, an amount, or a proportion of it (default: 0.5)", 0.5, type=_size)  # fmt: skip
    add(which, "--method",
        "spread and random draw by chance, with known probabilities; balanced draws by "
        "chance and exchanges; the others take what a criterion puts first (default: spread; "
        "random without --scores)", choices=[*SELECTIONS])  # fmt: skip
    add(which, "--documents FILE",
        "the document of each segment, one label a line: about the same proportion of each is "
        "chosen")  # fmt: skip
    add(more, "--whole-documents", "choose documents as a whole")
    add(more, "--strata FILE",
        "a label of each segment, such as its domain, one a line: about the same proportion "
        "of each is chosen")  # fmt: skip
    add(more, "--costs FILE",
        "what judging each segment costs, a positive number a line; or the word 'words', of "
        "the source")  # fmt: skip
    add(which, "--judged FILE", "line numbers of segments that are judged, one a line")
    add(more, "--similarity", "of two translations, for diversity (default: chrf)", "chrf",
        choices=["chrf", "unigram"])  # fmt: skip
    add(more, "--encoder FOLDER",
        "for diversity: the similarity is the dot product of embeddings by this "
        "encoder")  # fmt: skip
    add(output, "--lines", "write only the line numbers of the segments to judge, one a line")
    add(output, "--save-scores FILE",
        "write the scores of all translations, for 'leaderboard --scores'; with -s, the "
        "source's number of words too, which says something of scores as well")  # fmt: skip
    add_shared(parser, "--plots",
        help="also draw how far the metrics' means on a part are from those on all, by this method "
        "and by chance, for parts of any size: selection.png, and as SVG; needs "
        "matplotlib")  # fmt: skip
    add_shared(parser, "--seed", "--output", "--jobs")


def _size(text):
    """Read -n: a number of segments, an amount, or a proportion."""
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def run(arguments):
    """Score, choose, write, and say what the choice serves."""
    import pandas as pd

    from sklearn_mteval.datasets import load_translations
    from sklearn_mteval.evaluation import select_segments

    costs_file = None if arguments.costs == "words" else arguments.costs
    _check(arguments, costs_file)
    for_user = _choose_method(arguments)
    if arguments.plots is not None:
        if not arguments.metrics and not arguments.scores:
            raise ValueError("--plots: errors are of metrics' scores: give -r, or --scores.")
        _plots.prepare(arguments.plots)
    X = load_translations(arguments.translations, arguments.source, arguments.reference)
    segments = X.index.unique("segment")
    scores = _scores(arguments, X)
    costs = _of_segments(costs_file, segments, _positive, "a number")
    if arguments.costs == "words":
        costs = source_words(X)
    options = options_for(arguments, select_segments) | {
        "documents": documents_of_file(arguments.documents, segments),
        "strata": _of_segments(arguments.strata, segments),
        "costs": costs,
        "judged": [],
        "translations": X,
    }
    if arguments.judged is not None:
        options["judged"] = _read(arguments.judged, _line_number, "the number of a line")
    if arguments.encoder is not None:
        from sklearn_mteval.features import SentenceEncoder

        options["similarity"] = SentenceEncoder(arguments.encoder, columns=("hypothesis",))
    of_metrics = pd.DataFrame({"none": 0.0}, X.index) if scores is None else scores
    found = select_segments(of_metrics, arguments.size, **options)
    to_judge = found.index[found["chosen"]].difference(pd.Index(options["judged"]))
    if arguments.save_scores is not None:
        table = pd.DataFrame(index=X.index) if scores is None else scores
        write(_score_table(table, X), arguments.save_scores)
    _write_choice(arguments, found, to_judge)
    cost = "" if costs is None else f", of the cost {costs[to_judge].sum():g} of {costs.sum():g}"
    say(f"{len(to_judge)} segments to judge{cost}.\n")
    say(f"This choice ({arguments.method}) serves {SELECTIONS[arguments.method]}.\n")
    if arguments.plots is not None:
        _draw(of_metrics, found, options, arguments.plots)
    _advise(arguments, for_user)


def _check(arguments, costs_file):
    """Raise, before any work, for what cannot be read or written."""
    inputs = [*arguments.translations, *arguments.reference, *arguments.scores]
    inputs += [arguments.source, arguments.documents, arguments.strata, costs_file]
    inputs += [arguments.judged]
    check_paths({"-o": arguments.output, "--save-scores": arguments.save_scores}, inputs)
    if arguments.costs == "words" and arguments.source is None:
        raise ValueError("--costs words are words of the source: give -s.")


def _write_choice(arguments, found, to_judge):
    """Write the lines to judge, or the table of all segments."""
    from sklearn_mteval.datasets.selections import selection_text

    if arguments.lines:
        write("".join(f"{segment}\n" for segment in to_judge), arguments.output)
    else:
        comment = f"sklearn-mteval select {found.attrs['signature']}"
        write(selection_text(found, comment), arguments.output)


def _advise(arguments, for_user):
    """Say what would make the choice better."""
    if for_user:
        say(_WITHOUT_SCORES + ("" if arguments.documents else _BY_DOCUMENT))
    if arguments.method == "spread" and not arguments.scores:
        say(
            "Overlap metrics say little of where judgements vary: give scores of a learned metric "
            "(--scores), or leave --method out.\n"
        )


def _draw(scores, found, options, folder):
    """Draw the errors of the method and of chance; ``options`` are those of the choice."""
    from sklearn_mteval.report.plots_of_results import of_selection

    options = {name: value for name, value in options.items() if name != "judged"}
    methods = list(dict.fromkeys([options.pop("method"), "random"]))
    marked = found["chosen"].mean()
    _plots.draw([of_selection(scores, methods, marked=marked, **options)], folder)


def _choose_method(arguments):
    """Fill in the method and the metrics; tell whether nothing was there to choose by.

    Without scores of a learned metric the choice is random: neither overlap metrics nor how far
    systems' translations differ among themselves say where judgements vary.
    """
    given = arguments.reference or arguments.scores or arguments.metrics
    for_user = arguments.method is None and not arguments.scores
    if arguments.method is None:
        arguments.method = "spread" if arguments.scores else "random"
    _check_scores(arguments, given)
    if arguments.metrics is None and not arguments.scores and arguments.reference:
        arguments.metrics = _DEFAULT
    return for_user


def _check_scores(arguments, given):
    """Raise for scores that are missing."""
    if arguments.save_scores is not None and not given and arguments.source is None:
        raise ValueError("--save-scores: there are no scores to write: give -r, --scores or -s.")
    if arguments.method not in ("random", "diversity") and not given:
        raise ValueError(
            f"--method {arguments.method} needs scores of metrics: give -r, for bleu and chrf, or "
            "--scores of any that reads none; without both, take --method random or diversity."
        )
    if arguments.metrics and not arguments.reference:
        raise ValueError("the metrics read the reference: give -r, or --scores without --metrics.")


def _scores(arguments, X):
    """Return a table of the scores, computed and read; None without any."""
    from sklearn_mteval.features import MetricScores

    tables = []
    if arguments.metrics:
        metrics = MetricScores(
            list(dict.fromkeys(arguments.metrics)),
            language=target_of(arguments.lang_pair),
            n_jobs=arguments.n_jobs,
        )
        tables.append(metrics.set_output(transform="pandas").fit_transform(X))
    return read_scores(arguments.scores, X, tables)


def _score_table(scores, X):
    """Write scores as a table of tabs, and the length of sources."""
    scores = scores.rename(columns=lambda name: " ".join(str(name).split()))
    if "source" in X:
        words = source_words(X)
        scores["source_words"] = words[scores.index.get_level_values("segment")].to_numpy()
    return scores.reset_index().to_csv(sep="\t", index=False, lineterminator="\n")


def source_words(X):
    """Count the words of each segment's source, as its language parts them, one at least."""
    from sklearn_mteval.text.tokenizers import language_of, tokenizer_of
    from sklearn_mteval.text.tokens import load_tokenizer

    sources = X["source"].groupby(level="segment").first()
    tokenize = load_tokenizer(tokenizer_of(language_of(sources)))
    return sources.map(lambda text: max(1.0, float(len(tokenize(text).split()))))


def _of_segments(path, segments, read=lambda line: " ".join(line.split()), expected=None):
    """Read a line for each segment as a Series; None for None."""
    import pandas as pd

    if path is None:
        return None
    values = _read(path, read, expected)
    if len(values) != len(segments):
        raise ValueError(
            f"{path}: expected {len(segments)} lines, one for each segment, found {len(values)}."
        )
    return pd.Series(values, segments)


def _read(path, read, expected):
    """List what ``read`` makes of each line; None is an error."""
    from sklearn_mteval.datasets._files import read_lines
    from sklearn_mteval.exceptions import DataFileError

    lines = read_lines(path)
    values = list(map(read, lines))
    if None in values:
        line = values.index(None)
        raise DataFileError(path, f"expected {expected}, found {lines[line][:40]!r}.", line + 1)
    return values


def _positive(text):
    """Read a positive number; None for any other text."""
    from sklearn_mteval.datasets._score_lines import number

    value = number(text)
    return value if value is not None and value > 0 else None


def _line_number(text):
    """Read the number of a line; None for any other text."""
    return int(text) if text.strip().isdecimal() else None
