"""Choose the best of each list of translations, such as an n-best list.

Reads lists, 'ID ||| TEXT ||| FEATURES ||| SCORE' in the order of their ids or JSON lines, and
outputs of systems, one segment per line, which join the lists; files may be pipes, and one of all
'-', standard input. Writes the chosen translations, one a line, as they are found, and says on
standard error what there was to choose. By default the translation is chosen that is most like all
the others (minimum Bayes risk by chrF), for which no model and no reference is needed.
"""

from sklearn_mteval.cli._options import add, add_output_format, add_shared, options_for, target_of
from sklearn_mteval.cli._output import check_paths, naming_options, say, write_pieces
from sklearn_mteval.models.reranking.option_values import (
    APPROXIMATIONS,
    DECISIONS,
    UTILITIES,
    WEIGHTS,
)
from sklearn_mteval.pairwise.recomposition import RECOMPOSITIONS
from sklearn_mteval.report.formats import formats_of

MORE = "rerank"
EXAMPLES = (
    "sklearn-mteval rerank lists.nbest -o best.en",
    "sklearn-mteval rerank lists.nbest -t mine.en --utility chrf bleu -f tsv",
    "sklearn-mteval rerank -t mine.en other.en -r reference.en --decision score",
)


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument("lists", nargs="*", metavar="LISTS", help="files of lists of candidates")
    add_shared(parser, "--translations", required=False, default=[],
        help="outputs of systems: one more candidate of each list, or the lists "
        "themselves")  # fmt: skip
    add_shared(parser, "--source", "--reference", "--lang-pair")
    choice = parser.add_argument_group("the choice")
    add(choice, "--decision DECISION", f"{_explained(DECISIONS)} (default: mbr)", "mbr",
        choices=list(DECISIONS))  # fmt: skip
    add(choice, "--utility UTILITY",
        f"of mbr: {_explained(UTILITIES)}; or a model's name or folder, whose score it is. Of "
        "several, candidates are ranked by their mean place (default: chrf)",
        nargs="+")  # fmt: skip
    add(choice, "--model MODEL",
        "of strength and score: a model's name or folder (default: the best one that is "
        "installed for the files given)")  # fmt: skip
    add(choice, "--weights WEIGHTS",
        f"how probable a candidate is as a reference: {_explained(WEIGHTS)} (default: count)",
        "count", choices=list(WEIGHTS))  # fmt: skip
    add(choice, "--keep-suspicious",
        "compare refusals, texts with words around a translation, copied sources, and other texts "
        "that are hardly translations, too; empty ones are left out anyway",
        dest="drop_suspicious", action="store_false")  # fmt: skip
    rare = parser.add_argument_group("scales and approximations", rare=True)
    add(rare, "--scale N",
        "of scores before the softmax: the smaller, the more equal the weights (default: 1)",
        1.0)  # fmt: skip
    add(rare, "--recomposition NAME",
        f"of strength: {', '.join(RECOMPOSITIONS)} (default: the model's own)",
        choices=list(RECOMPOSITIONS))  # fmt: skip
    add(rare, "--approximation NAME", f"{_explained(APPROXIMATIONS)} (default: exact)",
        choices=list(APPROXIMATIONS))  # fmt: skip
    add(rare, "--proportion P", "of what low-rank and sparse ask for (default: 1/3)", 1 / 3,
        type=float)  # fmt: skip
    add_output_format(
        parser, formats_of("choices"), "text",
        note="text, the chosen ones; tsv and jsonl have all candidates, ranked",
    )  # fmt: skip
    add_shared(parser, "--output", "--seed", "--device", "--dtype")


def run(arguments):
    """Read, choose and write, list by list."""
    from sklearn_mteval.datasets.nbest import candidate_tables
    from sklearn_mteval.datasets.suspicious.findings import Findings
    from sklearn_mteval.models.belief import belief_line, languages_of
    from sklearn_mteval.models.reranking.rerank import BLOCK, Reranker, rerank
    from sklearn_mteval.report.formats import writer
    from sklearn_mteval.report.reranking import ChoiceCounts, as_choices
    from sklearn_mteval.report.scores import wrapped

    given = arguments.lists, arguments.translations, arguments.source, arguments.reference
    lists, translations, source, references = given
    if not lists and not translations:
        raise ValueError("there is nothing to choose from: name files of lists, or give -t.")
    check_paths({"-o": arguments.output}, [*lists, *translations, *references, source])
    reranker = Reranker(**options_for(arguments, rerank))
    reranker.language = target_of(arguments.lang_pair)
    counts, findings = ChoiceCounts(), Findings(arguments.lang_pair)
    belief = []

    def parts():
        """Choose, a block of lists at a time."""
        for k, X in enumerate(candidate_tables(*given, n_pairs=BLOCK)):
            findings.add(X)
            with naming_options(X, {"reference": "-r", "source": "-s"}):
                ranked = reranker.ranked(X)
            if k == 0 and reranker.recommended is not None:
                say(f"model: {reranker.recommended}\n")
            if k == 0 and not reranker.by_agreement:
                model = arguments.model or reranker.recommended
                languages = languages_of(X, arguments.lang_pair)
                belief.append(belief_line(model, languages=languages, by=arguments.decision))
            texts = X["hypothesis"].to_numpy()
            counts.add(ranked, texts)
            yield as_choices(ranked, texts)

    write_pieces(writer(arguments.output_format, "choices")(parts()), arguments.output)
    findings.warn()
    say(counts.report(by_agreement=reranker.by_agreement))
    say("".join(f"{wrapped(line)}\n" for line in belief))


def _explained(values):
    """List the values of an option, each with what it is."""
    return ", ".join(f"{name} ({meaning})" for name, meaning in values.items())
