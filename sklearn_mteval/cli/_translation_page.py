"""The page of ``rank`` and ``score``: what it shows is collected while blocks are worked on."""

from functools import partial
from pathlib import Path

from sklearn_mteval.cli import _html


def belief_of(arguments, found, model=None, X=None):
    """Say how far to believe the "ranks" or "scores" of a model for a table, if it is known."""
    from sklearn_mteval.models.belief import belief_line, languages_of

    pair = arguments.lang_pair or _pair_of_names(arguments)
    source, target = ("", "") if X is None and not pair else languages_of(X, pair)
    if arguments.to and not pair:
        target = languages_of(X, f"-{arguments.to}")[1]
    by = {"ranks": "strength", "scores": "score"}[found]
    return belief_line(model or arguments.model, languages=(source, target), by=by)


def _pair_of_names(arguments):
    """Tell a language pair by names of files such as news.de and news.en; None: they do not."""
    from sklearn_mteval.models.belief import measurements

    known = {code for row in measurements() for code in row.pair.split("-")}
    files = [getattr(arguments, name, None) for name in ("source", "translations")]
    into = files[1][0] if isinstance(files[1], list) and files[1] else None
    codes = [Path(str(file)).suffix[1:] for file in (files[0], into)]
    return "-".join(codes) if known.issuperset(codes) else None


class TranslationPage:
    """The page of what a model finds, "ranks" or "scores"; memory is bounded."""

    def __init__(self, arguments, found, results):
        from sklearn_mteval.datasets.suspicious.findings import Findings

        self._arguments, self._found, self._results = arguments, found, results
        self._all_segments, self._suspicious = _html.AllSegments(arguments), Findings()
        self._name = self._contents = None

    def add(self, block):
        """Add a block of the results, but what is blank everywhere."""
        from sklearn_mteval.report.html.contents import ModelContents
        from sklearn_mteval.segments import blank_everywhere

        if self._contents is None:
            model = self._arguments.model or self._results.model
            self._name = Path(model).name if isinstance(model, str) else "model"
            self._contents = ModelContents(self._name, self._all_segments)
        X, found, flags, *more = block
        self._suspicious.add(X)
        there = ~blank_everywhere(X)
        flags = None if flags is None else flags[there]
        self._contents.add(X[there], found[there], flags, *more)

    def write(self, systems, counts, belief):
        """Write the page of Systems, and all segments next to it if they are too many."""
        from sklearn_mteval.report.html.pages import page_of_systems

        title = f"{self._found.capitalize()} by {self._name}"
        page = partial(page_of_systems, title, systems, self._found, counts, self._name)
        self._write(page, systems.table.index, systems.pairs, belief)

    def write_duel(self, found, belief):
        """Write the page of a Duel."""
        from sklearn_mteval.report.html.pages import page_of_result

        title = f"Duel of {found.first} and {found.second}, by {self._name}"
        self._write(
            partial(page_of_result, title, found), [found.first, found.second], None, belief
        )

    def _write(self, page, systems, pairs, belief):
        """Write a page, with what was collected."""
        from sklearn_mteval.models.opening import open_ranker

        model = None if self._contents.explained else self._results.model
        model = open_ranker(model) if isinstance(model, str) else model
        options = {"pairs": pairs, "confidence": self._arguments.confidence}

        def contents(**_):
            found = self._contents.contents(systems, model, self._results.completed, **options)
            warnings = [*self._suspicious.said(), *found["warnings"]]
            return found | {"warnings": warnings, "belief": belief}

        _html.write_page(self._arguments, page, contents, self._all_segments)
