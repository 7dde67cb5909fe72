"""Test a model on corrupted translations: does the sound one win?

For each kind of corruption (empty, shuffled, another segment's, a number or negation changed, ...):
the percentage of segments, with an interval, in which the model prefers the sound translation:
scored by itself, of the two, and among all systems; the same of metrics. Without files it takes the
sample that comes with the package.
"""

from functools import partial

from sklearn_mteval.cli import _html, _plots, _reports
from sklearn_mteval.cli._documents import DOCUMENTS, documents_of_file
from sklearn_mteval.cli._options import (
    add,
    add_model,
    add_shared,
    options_for,
    take_model,
    target_of,
)
from sklearn_mteval.cli._output import check_paths, naming_options, say

MORE = "challenges"
EXAMPLES = (
    "sklearn-mteval challenge static-en",
    "sklearn-mteval challenge my-model -s source.de -r reference.en -t mine.en",
)


def add_arguments(parser):
    """Declare the arguments."""
    add_model(parser)
    texts = parser.add_argument_group("texts", "UTF-8, one segment per line (default: the sample)")
    add_shared(texts, "--source", "--reference", "--lang-pair")
    add_shared(texts, "--translations", required=False, default=[],
        help="system outputs, one or more")  # fmt: skip
    add(texts, "--documents FILE", DOCUMENTS)
    asked = parser.add_argument_group("what is asked")
    add(asked, "--kinds KIND", "of corruption (default: all that apply to the language)", nargs="+")
    add(asked, "--metrics METRIC",
        "to compare with (default: bleu chrf where there are references)", nargs="+")  # fmt: skip
    add(asked, "--segments N", "at most so many of each kind (default: 200)", 200,
        dest="n_segments")  # fmt: skip
    add_shared(parser, "--confidence", "--seed", "--no-windows", "--device", "--dtype")
    _reports.add_output(parser, plots="challenge.png there")


def run(arguments):
    """Ask the model, write the report and draw the plot."""
    from pathlib import Path

    from sklearn_mteval.evaluation import challenge
    from sklearn_mteval.evaluation.challenge_pairs import kinds_of_any_language
    from sklearn_mteval.models.opening import is_english, open_ranker, with_source

    if take_model(arguments) is None:
        arguments.misunderstood("expected the MODEL to ask.")
    inputs = [*arguments.translations, *arguments.reference]
    inputs += [path for path in (arguments.source, arguments.documents) if path is not None]
    outputs = {"-o": arguments.output} | _html.check(arguments)
    check_paths(outputs, inputs, [arguments.model])
    _plots.prepare(arguments.plots)
    X, y, note = _texts(arguments, inputs)
    model = open_ranker(arguments.model, windows=arguments.windows)
    X = with_source(X, arguments.model)
    into = target_of(arguments.lang_pair) or ("en" if is_english(X, "hypothesis") else "")
    if arguments.kinds is None and into != "en":
        arguments.kinds = kinds_of_any_language(X.columns)
        note += "the translations are not English: kinds that are for English only are left out\n"
    given = options_for(arguments, challenge) | {
        "documents": documents_of_file(arguments.documents, X.index.unique("segment"))
    }
    with naming_options(X, {"reference": "-r", "source": "-s"}):
        found = challenge(model, X, y, name=Path(arguments.model).name, **given)
    say(note)
    title = f"Sound and corrupted translations, asked {found.model}"
    contents = partial(_contents, arguments, found, X)
    _reports.write(arguments, _reports.Work(found, title, contents))


def _contents(arguments, found, X, **all_segments):
    """Return the segments of the page, and how far to believe the model."""
    from sklearn_mteval.models.belief import belief_line, languages_of
    from sklearn_mteval.report.html.contents import contents_of_challenge

    languages = languages_of(X, arguments.lang_pair)
    belief = belief_line(arguments.model, languages=languages)
    return contents_of_challenge(found, X, **all_segments) | {"belief": belief}


def _texts(arguments, inputs):
    """Load the files, or the sample with its ranks; return what is to be said of them, too."""
    from sklearn_mteval.datasets import load_sample, load_translations

    if not inputs:
        note = "no -t: the sample of 128 German-English segments that comes with the package\n"
        return *load_sample(return_X_y=True), note
    if not arguments.translations:
        raise ValueError("-s, -r or --documents without -t: name the system outputs, too.")
    files = (arguments.translations, arguments.source, arguments.reference)
    note = "" if arguments.source else "no -s: nothing is appended or left untranslated\n"
    return load_translations(*files, min_systems=1), None, note
