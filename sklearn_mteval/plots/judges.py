"""How far judges agree with each other and with themselves, and what they notice."""

import numpy as np
import pandas as pd

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.plots._base import INK, Display, check_names, check_numbers, write_outside
from sklearn_mteval.plots._proportions import draw_proportions

_COLUMNS = {
    "agreement_with_others": "agrees with others",
    "self_agreement": "agrees with itself",
    "noticed": "notices damage",
}


class JudgesDisplay(Display):
    """Proportions of an audit of judges, one row each; the judge who agrees most is on top.

    Agreement is on verdicts (better, tied, worse) on the same two translations. How much a judge
    discriminates is drawn by :meth:`LeaderboardDisplay.of_judges`.

    Parameters
    ----------
    audit : DataFrame of shape (n_judges, n_columns)
        What :func:`~sklearn_mteval.evaluation.audit_judges` returned. Columns that are missing or
        have no number, such as ``noticed`` without damaged translations, are left out.

    Attributes
    ----------
    audit : DataFrame
        Sorted as it is drawn.
    points_, texts_ : list of Line2D, list of Annotation
        Dots of each column; the numbers of judgements.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.plots import JudgesDisplay
    >>> audit = pd.DataFrame(
    ...     {"judgements": [20, 30], "agreement_with_others": [0.5, 0.7]}, index=["ann", "bob"])
    >>> [label.get_text() for label in JudgesDisplay(audit).plot().ax_.get_yticklabels()]
    ['bob', 'ann']
    """

    def __init__(self, audit: pd.DataFrame):
        needed = {"judgements", "agreement_with_others"}
        if not isinstance(audit, pd.DataFrame) or not needed <= {*audit}:
            raise CandidateError(
                "audit must be a DataFrame as audit_judges returns it, found "
                f"{list(audit) if isinstance(audit, pd.DataFrame) else type(audit).__name__}."
            )
        check_names(audit.index, "audit.index")
        for name in _COLUMNS:
            if name in audit:
                check_numbers(name, audit[name], (len(audit),), allow_nan=True, low=0, high=1)
        self.audit = audit.sort_values("agreement_with_others", ascending=False, kind="stable")

    def _drawn(self, ax, kwargs):
        """Draw the dots."""
        names = [str(name) for name in self.audit.index]
        there = [c for c in _COLUMNS if c in self.audit and self.audit[c].notna().any()]
        shown = there or ["agreement_with_others"]
        proportions = self.audit[shown].to_numpy(dtype=np.float64)
        labels = [_COLUMNS[name] for name in shown]
        ax, self.points_, _ = draw_proportions(self, ax, names, labels, proportions, None, **kwargs)
        self.texts_ = [
            write_outside(ax, f"{n:,} judgements", row, 8, INK)
            for row, n in enumerate(self.audit["judgements"].tolist())
        ]
        ax.set_xlabel("proportion of pairs, or of damaged translations (%)")
        return self._finished_rows(ax, names)
