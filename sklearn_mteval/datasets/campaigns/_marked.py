"""Errors that judges marked, checked as files have them."""

from sklearn_mteval._helpers.error_spans import error_spans_of


def marked(at, span):
    """Make an ErrorSpan of (start, end, severity, category, place), or raise, naming the place."""
    try:
        return error_spans_of([span])[0]
    except ValueError as error:
        raise at.error(f"{error}.") from None
