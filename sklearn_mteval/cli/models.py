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
_MEASURED = ("zh", "en")  # languages on which all were measured, on systems of today


def add_arguments(parser):
    """Declare the arguments: none."""


def run(arguments):
    """Look at each model's card, and for its encoder on this machine."""
    from sklearn_mteval.models.belief import belief
    from sklearn_mteval.models.cards import READY_MADE
    from sklearn_mteval.models.opening import encoder_problem
    from sklearn_mteval.report.formats import align

    header = ["model", "into", "reads", "agrees", "usable here"]
    measured = {name: belief(name, languages=_MEASURED) for name in READY_MADE}
    rows, cures = [], []
    for name, card in READY_MADE.items():
        reads = [_READS[getattr(card, column)].format(column) for column in ("reference", "source")]
        problem = encoder_problem(card)
        if problem is not None:
            cures.append(problem)
        languages, reads = ", ".join(card.target_languages), ", ".join(filter(None, reads))
        found = measured[name]
        agrees = "" if found is None else f"{100 * found.agreement:.0f} %"
        rows.append([name, languages, reads, agrees, "no: see below" if problem else "yes"])
    table = align(header, rows, left=range(len(header)))
    note = "Read are translations, what is named, and what is in brackets if it is given."
    best = next(filter(None, measured.values()))
    of_scores = (
        f"Agrees: in how many pairs of translations ({best.pair} {best.kind} of {best.year}) "
        "scores prefer what annotators do; these agree with each other in "
        f"{100 * best.annotators:.0f} %, by chance 50 %."
    )
    # What can be copied is not parted.
    whole = {"break_on_hyphens": False, "break_long_words": False}
    notes = [textwrap.fill(text, _WIDTH, **whole) for text in (note, of_scores, *cures)]
    write("\n\n".join([table, *notes]) + "\n", "-")
