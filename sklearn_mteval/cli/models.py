"""List the models that come with the package: what each is for, reads and needs, and if it is here.

Any of these names can stand where a command asks for MODEL; so can a folder that 'train' saved.
Without MODEL, 'score' and 'rank' take the first of the list that fits the files and can be used.
"""

from sklearn_mteval._project import page

__all__ = ["EXAMPLES", "MORE", "add_arguments", "run"]

MORE = page("ready_made")
EXAMPLES = (
    "sklearn-mteval models",
    "sklearn-mteval score static-en -r reference.en -t mine.en",
)

_READS = {"needed": "{}", "used": "{} if given", "unused": ""}


def add_arguments(parser):
    """Declare the arguments: none."""


def run(arguments):
    """Look at each model's card, and for its encoder on this machine."""
    from sklearn_mteval.cli._output import write
    from sklearn_mteval.models.cards import READY_MADE
    from sklearn_mteval.models.opening import encoder_problem
    from sklearn_mteval.report.formats import align

    header = ["model", "into", "reads, besides translations", "gives", "encoder", "can be used"]
    rows, cures = [], []
    for name, card in READY_MADE.items():
        reads = [_READS[getattr(card, column)].format(column) for column in ("source", "reference")]
        problem = encoder_problem(card)
        if problem is not None:
            cures.append(problem)
        encoder = "" if card.encoder is None else card.encoder.hub.rpartition("/")[2]
        languages, reads = ", ".join(card.target_languages), ", ".join(filter(None, reads))
        gives = "ranks only" if card.output == "ranks" else "scores, ranks"
        rows.append([name, languages, reads or "nothing", gives, encoder, _yes(problem)])
    text = align(header, rows, left=range(len(header))) + "\n"
    write(text + "".join(f"\n{cure}\n" for cure in cures), "-")


def _yes(problem):
    """Say whether there is no problem."""
    return "yes" if problem is None else "no: see below"
