"""List the models of the package: what each is for, reads and needs, and whether it is installed.

Any of these names can stand where a command asks for MODEL; so can a folder that 'train' saved.
Without MODEL, 'score' and 'rank' take the first of the list that fits the files and can be used.
"""

import textwrap

from sklearn_mteval.cli._output import write

MORE = "ready_made"
EXAMPLES = ("sklearn-mteval models", "sklearn-mteval score static-en -r reference.en -t mine.en")

_READS = {"needed": "{}", "used": "({})", "unused": ""}
_WIDTH = 80


def add_arguments(parser):
    """Declare the arguments: none."""


def run(arguments):
    """Look at each model's card, and for its encoder on this machine."""
    from sklearn_mteval.models.cards import READY_MADE
    from sklearn_mteval.models.opening import encoder_problem
    from sklearn_mteval.report.formats import align

    header = ["model", "into", "reads", "usable here"]
    rows, cures = [], []
    for name, card in READY_MADE.items():
        reads = [_READS[getattr(card, column)].format(column) for column in ("reference", "source")]
        problem = encoder_problem(card)
        if problem is not None:
            cures.append(problem)
        languages, reads = ", ".join(card.target_languages), ", ".join(filter(None, reads))
        rows.append([name, languages, reads, "no: see below" if problem else "yes"])
    table = align(header, rows, left=range(len(header)))
    note = "Read are translations, what is named, and what is in brackets if it is given."
    # What can be copied is not parted.
    whole = {"break_on_hyphens": False, "break_long_words": False}
    notes = [textwrap.fill(text, _WIDTH, **whole) for text in (note, *cures)]
    write("\n\n".join([table, *notes]) + "\n", "-")
