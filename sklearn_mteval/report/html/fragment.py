"""What notebooks show: HTML without a script, Markdown and plain text, from the same values.

A notebook that is not trusted drops styles. As in scikit-learn's diagrams, the plain text is then
what is seen, for the rest is hidden until the style shows it.
"""

from functools import singledispatch

from sklearn import get_config
from sklearn.utils import Bunch, estimator_html_repr

from sklearn_mteval.datasets import Judgements
from sklearn_mteval.models.explanations.explain import Explanation
from sklearn_mteval.pairwise.fitted_facts import fitted_facts
from sklearn_mteval.pairwise.ranker import RankRecomposer
from sklearn_mteval.pairwise.ranking_pipeline import RankingPipeline
from sklearn_mteval.report.cells import shown
from sklearn_mteval.report.formats import Table, markdown_text, write
from sklearn_mteval.report.html.templating import rendered, table_of
from sklearn_mteval.report.html.views.data import view_of_data, view_of_judgements
from sklearn_mteval.report.html.views.ranked import view_of_segments
from sklearn_mteval.report.html.views.view import View, shortened, simple_report
from sklearn_mteval.report.results import RESULTS

_LEAST = 0.005  # of a family's value: less would be shown as 0.00


@singledispatch
def view_of(found):
    """Return the view of an object of a type that has one."""
    raise TypeError(f"there is no view of {type(found).__name__}.")


def view_of_result(found):
    """Return the view of a result of any type of ``RESULTS``."""
    made = RESULTS[type(found)]
    said = made.summary(found), made.warnings(found)
    return View(made.title, made.report(found), *said, picture=made.picture(found))


def view_of_explanation(found):
    """Return the view of an Explanation: what it says, families, words and flags."""
    families = found.families[found.families["value"].abs() >= _LEAST]
    # A stable sort of pairs in their order: the rows of each stand together, the weightiest first.
    families = families.sort_values("value", ascending=False, key=abs)
    place = found.pairs.index.get_indexer(families.index.droplevel("family"))
    families = families.iloc[place.argsort(kind="stable")].reset_index()
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


for _type in RESULTS:
    view_of.register(_type, view_of_result)
view_of.register(Bunch, view_of_data)
view_of.register(Judgements, view_of_judgements)
view_of.register(Explanation, view_of_explanation)


def forms_of(found):
    """Return HTML, Markdown and plain text by their type, as IPython asks for them."""
    view = shortened(view_of(found))
    text = _text(view)
    return {
        "text/plain": text.removesuffix("\n"),
        "text/markdown": _markdown(view),
        "text/html": _html(view, text),
    }


bundle_of = singledispatch(forms_of)


@bundle_of.register(RankRecomposer)
@bundle_of.register(RankingPipeline)
def _of_estimator(estimator):
    """Put what is known of a ranker below scikit-learn's diagram, unless that is not wanted."""
    bundle = {"text/plain": repr(estimator)}
    if get_config()["display"] == "diagram":
        diagram, ranker = estimator_html_repr(estimator), estimator
        if isinstance(estimator, RankingPipeline):
            ranker = estimator.steps[-1][1] if estimator.steps else None
        if isinstance(ranker, RankRecomposer):
            view = shortened(view_of_ranker(ranker))
            diagram += _html(view, _text(view))
        bundle["text/html"] = diagram
    return bundle


def text_of(found):
    """Write a result as the terminal shows it: its report, long tables cut."""
    return write(shortened(view_of(found)).report, "text").removesuffix("\n")


def html_of_segments(part, texts, n_rows):
    """Show the ranks or scores of some of ``n_rows`` rows with their texts."""
    view = shortened(view_of_segments(part, texts, n_rows))
    return _html(view, f"{view.summary[0]}\n\n{part}")


def _text(view):
    """Write sentences, then what is below them, as plain text."""
    sentences = [shown(sentence) for sentence in [*view.summary, *view.warnings]]
    lines = "".join(f"{sentence}\n" for sentence in sentences)
    if view.text:
        return f"{lines}{view.text}\n"
    tables = write(view.report, "text").strip("\n")
    rest = f"\n… and {sum(view.more):,} more rows" * bool(sum(view.more))
    return f"{lines}\n{tables}{rest}\n".lstrip("\n")


def _markdown(view):
    """Write the same as Markdown; a drawing is its text."""
    sentences = [markdown_text(sentence) for sentence in [*view.summary, *view.warnings]]
    if view.text:
        lines = [f"    {shown(line)}" for line in view.text.splitlines()]
        return "\n\n".join([*sentences, "\n".join(lines)]) + "\n"
    rest = [f"… and {sum(view.more):,} more rows"] * bool(sum(view.more))
    tables = write(view.report, "markdown").removesuffix("``\n").strip("\n")
    return "\n\n".join([*sentences, tables, *rest]) + "\n"


def _html(view, text):
    """Fill the template."""
    return rendered(
        "fragment.html.jinja",
        title=view.title,
        summary=view.summary,
        drawn=view.picture,
        warnings=view.warnings,
        tables=[
            {"table": table_of(table), "more": more}
            for table, more in zip(view.report.tables, view.more, strict=True)
        ],
        notes=[note for note in view.report.notes if note],
        signature=view.report.signature,
        segments=view.segments,
        drawing=view.drawing,
        text="" if view.drawing else view.text,
        plain=text,
    )
