"""Answers to the three tasks of WMT's shared task of automatic evaluation, by one model."""

import warnings
from functools import partial
from itertools import islice

import numpy as np
import pandas as pd

from sklearn_mteval._helpers.workers import in_order
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.models.cards import MARKERS, READY_MADE
from sklearn_mteval.models.marks import LIKELY, marks_of, open_marker
from sklearn_mteval.models.opening import open_model, recommended_model, with_source
from sklearn_mteval.models.scoring import scored_block
from sklearn_mteval.pairwise.consensus import refuse_scores

_AT_ONCE = 1 << 10  # lines
_CODES = {"eng": "en"}  # three letters → the two that models are named by, where it matters


def answers_in_order(items, task, model=None, *, threshold=None, n_jobs=None):
    """Yield each Item of a test set with a list of answers, one for each of its systems.

    Parameters
    ----------
    items : iterable of Item
        Read as they are needed.
    task : {"spans", "scores", "error-free"}
    model : str or estimator, optional
        Its name or folder. None: the ready-made marker; for scores of each language pair, with
        references and without, the best ready-made model that is installed.
    threshold : float, optional
        Error-free, and without spans, is what reaches it: the probability of no error (None: 0.5),
        or of a model that marks nothing the score, 0 to 100, for which there is no default.
    n_jobs : int or None
        Processes; no result depends on it.

    Yields
    ------
    Item, list
        Of spans lists of (start, end, severity); of scores 50 (1 + s), where s is what ``score``
        says, 0 to 100, higher is better; of error-free 0 or 1. Where source, reference and
        translation are blank there is nothing wrong: 100, and 1. References are not read for
        error-free, as the task wants it.

    Raises
    ------
    ValueError
        If the model cannot do what is asked, needs a reference that a line does not have, or if
        the threshold of a score is missing.
    """
    items = iter(items)
    blocks = iter(lambda: list(islice(items, _AT_ONCE)), [])
    for block, answers in in_order(partial(_answering, task, model, threshold), blocks, n_jobs):
        yield from zip(block, answers, strict=True)


def _answering(task, name, threshold):
    """Make the function of a block of Items that a process needs, with models of its own."""
    opened = {}
    if name is None and task != "scores":
        name = "error-marker"

    def ask(X, language):
        chosen = recommended_model(X, language=language) if name is None else name
        if str(chosen) not in opened:
            opened[str(chosen)] = _opened(task, chosen, threshold)
        _warn_of_language(chosen, language)
        return opened[str(chosen)](X)

    def answer(items):
        X = _table(items)
        if task == "error-free":
            X["reference"] = ""
        answers = [None] * len(X)
        languages = [item.target for item in items for _ in item.hypotheses]
        with_reference = X["reference"].map(lambda text: bool(text.strip()))
        groups = X.groupby([pd.Series(languages, X.index), with_reference], sort=False).indices
        for (target, has), places in groups.items():
            part = X.iloc[places] if has else X.iloc[places].drop(columns="reference")
            code = target.replace("-", "_").partition("_")[0]
            try:
                found = ask(part, _CODES.get(code, code))
            except CandidateError as error:
                if has or "column 'reference'" not in str(error):
                    raise
                raise ValueError(
                    f"line {part.index[0][0]} has no reference, which "
                    f"{name if isinstance(name, str) else type(name).__name__} needs"
                    f"{', or must not be read' if task == 'error-free' else ''}: name a model that "
                    "reads the source, as no-reference-encoder does."
                ) from None
            for place, one in zip(places, found, strict=True):
                answers[place] = one
        in_turn = iter(answers)
        return items, [list(islice(in_turn, len(item.hypotheses))) for item in items]

    return answer


def _table(items):
    """Make a candidate table of Items: the line is the segment."""
    rows = [
        (item.line, system, item.source, item.reference, text)
        for item in items
        for system, text in item.hypotheses.items()
    ]
    names = ["segment", "system", "source", "reference", "hypothesis"]
    return pd.DataFrame(rows, columns=names, dtype=object).set_index(names[:2])


def _opened(task, name, threshold):
    """Open a model; return the function that answers for a candidate table."""
    marks = hasattr(name, "mark_and_judge") or (isinstance(name, str) and name in MARKERS)
    if task == "spans" or marks:
        model = open_marker(name)
    else:
        model = name if hasattr(name, "fit") else open_model(name)
    if task == "spans" or (task == "error-free" and hasattr(model, "mark_and_judge")):
        answer = _spans if task == "spans" else _marked_free
        return partial(answer, model, LIKELY if threshold is None else threshold)
    if not hasattr(model, "decision_function"):
        raise ValueError(f"{name} gives no scores: expected a model that ranks, as static-en.")
    refuse_scores(model)
    if task == "scores":
        return partial(_scores, model, name)
    if threshold is None:
        raise ValueError(
            f"{name} gives scores and marks no errors: say from which score on, 0 to 100, a "
            "translation counts as error-free (threshold=), or take error-marker."
        )
    return lambda X: [int(score >= threshold) for score in _scores(model, name, X)]


def _spans(marker, threshold, X):
    """List the marks of each translation."""
    found = {label: [] for label in X.index}
    table = marks_of(marker, X, threshold).table
    columns = (table[name].tolist() for name in ("start", "end", "severity"))
    for label, *span in zip(table.index, *columns, strict=True):
        found[label].append(tuple(span))
    return [*found.values()]


def _marked_free(marker, threshold, X):
    """Tell of each translation whether it is as probably without error as that."""
    return (marks_of(marker, X).error_free.fillna(1) >= threshold).astype(int).tolist()


def _scores(model, name, X):
    """List the scores of a candidate table, from 0 to 100."""
    scores, _ = scored_block(model, with_source(X, name) if isinstance(name, str) else X)
    return np.round(50 * (1 + scores.fillna(1)), 4).tolist()


def _warn_of_language(name, language):
    """Warn if a ready-made model was made for other languages than is translated into."""
    card = READY_MADE.get(name) if isinstance(name, str) else None
    if card is not None and not {"any", language} & {*card.target_languages}:
        warnings.warn(
            f"{name} was made for translations into {', '.join(card.target_languages)}: what it "
            f"says of those into {language} tells little. Take any, or name no model.",
            stacklevel=2,
        )
