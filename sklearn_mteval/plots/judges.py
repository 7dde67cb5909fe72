"""How far judges agree with each other and with themselves, and what they notice."""

import numpy as np
import pandas as pd

from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.metrics.core.proportions import wilson_interval
from sklearn_mteval.plots import _base as base

_COLUMNS = {  # what each is called, and what it is a proportion of
    "agreement_with_others": ("agrees with others", "pairs_with_others"),
    "self_agreement": ("agrees with itself", "repeated_pairs"),
    "noticed": ("notices damage", "damaged"),
}


class JudgesDisplay(base.Display):
    """Proportions of an audit of judges, one row each; the judge who agrees most is on top.

    Beside each row stands how many comparisons, or damaged translations, its dots are of.

    Agreement is on verdicts (better, tied, worse) on the same two translations. How much a judge
    discriminates is drawn by :meth:`LeaderboardDisplay.of_judges`.

    Parameters
    ----------
    audit : DataFrame of shape (n_judges, n_columns)
        What :func:`~sklearn_mteval.evaluation.audit_judges` returned. Columns that are missing or
        have no number, such as ``noticed`` without damaged translations, are left out. Whiskers are
        Wilson's 95 % intervals, as if comparisons were independent: at least so little is known.

    Attributes
    ----------
    audit : DataFrame
        Sorted as it is drawn.
    points_, whiskers_, texts_ : lists of Line2D, of LineCollection, of Annotation
        Dots and intervals of each column; numbers of what they are of, "20 + 4 + 6".

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn_mteval.plots import JudgesDisplay
    >>> audit = pd.DataFrame(
    ...     {"pairs_with_others": [20, 30], "agreement_with_others": [0.5, 0.7]},
    ...     index=["ann", "bob"])
    >>> display = JudgesDisplay(audit).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['bob', 'ann']
    >>> [text.get_text() for text in display.texts_]
    ['of 30', 'of 20']
    """

    def __init__(self, audit: pd.DataFrame):
        needed = {"pairs_with_others", "agreement_with_others"}
        if not isinstance(audit, pd.DataFrame) or not needed <= {*audit}:
            raise CandidateError(
                "audit must be a DataFrame as audit_judges returns it, found "
                f"{list(audit) if isinstance(audit, pd.DataFrame) else type(audit).__name__}."
            )
        base.check_names(audit.index, "audit.index")
        for name, (_, count) in _COLUMNS.items():
            if name in audit:
                base.check_numbers(name, audit[name], (len(audit),), allow_nan=True, low=0, high=1)
            if name in audit and count not in audit and audit[name].notna().any():
                raise CandidateError(f"audit has {name!r}, but not of how many: {count!r}.")
        self.audit = audit.sort_values("agreement_with_others", ascending=False, kind="stable")

    def _drawn(self, ax, kwargs):
        """Draw dots and whiskers."""
        names = [str(name) for name in self.audit.index]
        there = [c for c in _COLUMNS if c in self.audit and self.audit[c].notna().any()]
        shown = there or ["agreement_with_others"]
        proportions = self.audit[shown].to_numpy(dtype=np.float64)
        labels, counts = zip(*(_COLUMNS[name] for name in shown), strict=True)
        counts = self.audit[list(counts)].to_numpy(dtype=np.float64)
        bounds = wilson_interval(proportions, counts, 0.95)
        drawn = base.draw_proportions(self, ax, names, labels, proportions, bounds, **kwargs)
        ax, self.points_, self.whiskers_ = drawn
        self.texts_ = [
            base.write_outside(ax, f"of {' + '.join(f'{n:,}' for n in row)}", place, 8, base.INK)
            for place, row in enumerate(counts.astype(np.int64).tolist())
        ]
        ax.set_xlabel("proportion of pairs, or of damaged translations (%)")
        return self._finished_rows(ax, names)
