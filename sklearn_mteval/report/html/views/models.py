"""What is shown of explanations and rankers."""

from sklearn_mteval.pairwise.fitted_facts import fitted_facts
from sklearn_mteval.report.formats import Table
from sklearn_mteval.report.html.views.view import View, simple_report

_LEAST = 0.005  # less would be shown as 0.00


def view_of_explanation(found):
    """Return the view of an Explanation: what it says, families, words and flags."""
    families = found.families[found.families["value"].abs() >= _LEAST]
    families = families.sort_values("value", ascending=False, key=abs).reset_index()
    tables = [
        Table.of_columns(
            "What each family of columns adds to the decision for the first",
            {
                **{name: list(map(str, families[name])) for name in ("first", "second", "family")},
                "value": [f"{value:+.2f}" for value in families["value"]],
            },
            names="family",
            texts=("first", "second"),
        ),
        Table.of_columns(
            "Words without counterpart, and flags",
            {
                "translation": list(map(str, found.words.index)),
                "missing": [", ".join(map(str, words)) for words in found.words["missing"]],
                "its own": [", ".join(map(str, words)) for words in found.words["own"]],
                "flags": ["; ".join(map(str, flags)) for flags in found.flags],
            },
            names="translation",
            texts=("missing", "its own", "flags"),
        ),
    ]
    sentences = [line.strip() for line in str(found).splitlines()[: 3 * len(found.pairs)]]
    return View("Explanation", simple_report(tables), sentences)


def view_of_ranker(ranker):
    """Return the view of what scikit-learn's own diagram of a ranker does not tell."""
    facts = fitted_facts(ranker)
    columns = {"what": list(facts), "value": list(facts.values())}
    table = Table.of_columns(
        "What it does, and was trained on", columns, names="what", texts=("value",)
    )
    return View("Ranker", simple_report([table]))
