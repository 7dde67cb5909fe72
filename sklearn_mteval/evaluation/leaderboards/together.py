"""Which options of a leaderboard go together."""

import numpy as np

# What is of strengths only, and of means and win rates only; and what says that it is not asked.
_OF_STRENGTHS = {
    "judge_model": "alike", "judge_weights": None, "ties": "half", "covariates": (),
    "scale": "log-odds",
}  # fmt: skip
_OF_MEANS = {"automatic_judges": (), "scores": None}


def check_together(options, given, both_bad):
    """Raise ValueError for options that say nothing together."""
    by, values = options["by"], options | given
    for name, nothing in (_OF_MEANS if by == "strength" else _OF_STRENGTHS).items():
        value = values[name]
        plain = isinstance(value, str | tuple)
        if value is None or (plain and value == nothing):
            continue
        shown = f"{name}={value!r}" if plain else name
        if name == "automatic_judges" and options["judge_model"] == "discrimination":
            continue  # they are marked in the table of judges
        if by == "strength":
            raise ValueError(
                f"{shown} is of means over segments, by='mean' and by='win-rate'; strengths are "
                "not estimated so. There, judge_model='discrimination' tells judges apart."
            )
        raise ValueError(f"{shown} is of the model of by='strength', found by={by!r}.")
    if by == "strength":
        return
    if values["judges"] is not None and not options["automatic_judges"]:
        raise ValueError("judges are given, and nothing reads them: name automatic_judges.")
    if by == "mean" and both_bad is not None and np.any(both_bad):
        raise ValueError("both_bad is of comparisons, found by='mean': use by='win-rate'.")
