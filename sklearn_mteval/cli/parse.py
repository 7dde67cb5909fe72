"""Parse English sentences, and show the trees or draw them.

Reads plain UTF-8 text, one sentence per line; '-' is standard input. Writes trees as
indented text, as one line of brackets for each sentence, as CoNLL-U, or as drawings: with
--against, of two sentences each, such as a translation and its reference, in which the words that
match are marked.
"""

from itertools import chain

from sklearn_mteval.cli._options import add, add_output_format
from sklearn_mteval.cli._output import check_paths, write
from sklearn_mteval.linguistic.trees.shipped.kinds import KINDS

MORE = "linguistic/trees"
EXAMPLES = (
    "sklearn-mteval parse mine.en",
    "sklearn-mteval parse mine.en --kind dependency -f conllu -o mine.conllu",
    "sklearn-mteval parse mine.en --against reference.en -f svg -o drawings",
)

_FORMATS = ("text", "brackets", "conllu", "svg")
_KIND = "shallow+discourse"


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", help="sentences, one per line")
    add_output_format(parser, _FORMATS, _FORMATS[0])
    add(parser, "--kind", f"of trees (default: {_KIND}; with -f conllu: dependency)", choices=KINDS)
    add(parser, "--model FOLDER", "a parser that you have trained (default: the shipped)")
    add(parser, "--against FILE",
        "with -f svg: sentences to draw below or next to those of the first file, line by "
        "line")  # fmt: skip
    add(parser, "-o, --output FILE",
        "default: -, i.e. stdout; for drawings of several sentences, a folder of files 1.svg, "
        "2.svg, ...", "-")  # fmt: skip


def run(arguments):
    """Parse and write."""
    from sklearn_mteval.datasets._files import check_same_length, read_lines
    from sklearn_mteval.linguistic.trees.transformer import parse_texts, parser_for

    inputs = [arguments.file] + ([] if arguments.against is None else [arguments.against])
    if arguments.against is not None and arguments.output_format != "svg":
        raise ValueError("--against is for drawings: add -f svg.")
    if arguments.output_format == "conllu" and arguments.kind not in (None, "dependency"):
        raise ValueError(
            f"-f conllu holds dependencies, found --kind {arguments.kind}: leave out one of them."
        )
    check_paths({}, inputs)  # standard input twice
    files = [read_lines(path) for path in inputs]
    check_same_length(inputs[-1], len(files[-1]), inputs[0], len(files[0]))
    names = [arguments.output]
    if arguments.output_format == "svg":
        names = _pictures(arguments, len(files[0]))
    outputs = {"-o": names[0]} | {f"-o, line {k}": name for k, name in enumerate(names[1:], 2)}
    check_paths(outputs, inputs, [arguments.model])
    kind = arguments.kind or ("dependency" if arguments.output_format == "conllu" else _KIND)
    lines = chain.from_iterable(files)
    tree_of = parse_texts(parser_for(kind, arguments.model), lines, n_jobs=arguments.n_jobs)
    trees = [[tree_of[line] for line in lines] for lines in files]
    if arguments.output_format == "svg":
        _draw(inputs[0], trees, names, arcs=kind == "dependency")
    else:
        write(_written(arguments.output_format, files[0], trees[0]), arguments.output)


def _written(form, lines, trees):
    """Write trees in a format that is text."""
    if form == "brackets":
        return "".join(f"{tree}\n" for tree in trees)
    if form == "conllu":
        from sklearn_mteval.linguistic.trees.treebanks.conllu import format_conllu
        from sklearn_mteval.trees import read_brackets

        return "".join(format_conllu(read_brackets(tree)[0]) for tree in trees)
    from sklearn_mteval.linguistic.pictures.text import tree_report

    return "\n".join(map(tree_report, trees))


def _pictures(arguments, n):
    """Return the paths of n drawings; make their folder."""
    from pathlib import Path

    from sklearn_mteval.cli._plots import load_matplotlib
    from sklearn_mteval.exceptions import DataFileError

    load_matplotlib("-f svg")
    output = arguments.output
    if n == 0:
        raise DataFileError(arguments.file, "the file is empty: there is nothing to draw.")
    if n == 1 and not Path(output).is_dir():
        return [output]
    if output == "-":
        raise ValueError(
            f"{arguments.file} has {n} lines, and each has a drawing of its own: name a folder for "
            "them with -o."
        )
    if Path(output).exists() and not Path(output).is_dir():
        raise NotADirectoryError(
            f"-o {output}: expected a folder for the drawings of {n} lines, found a file."
        )
    Path(output).mkdir(parents=True, exist_ok=True)
    return [str(Path(output) / f"{k:0{len(str(n))}}.svg") for k in range(1, n + 1)]


def _draw(path, trees, names, *, arcs):
    """Draw the trees of each line, one of each file, into a file of its own."""
    from sklearn_mteval.exceptions import CandidateError, DataFileError
    from sklearn_mteval.plots import TreeDisplay
    from sklearn_mteval.plots.drawing import drawn

    for line, (name, *row) in enumerate(zip(names, *trees, strict=True), 1):
        try:
            picture = drawn(TreeDisplay(*row, arcs=arcs), "svg")
        except CandidateError as error:
            raise DataFileError(path, str(error), line) from None
        write(picture.decode(), name)
