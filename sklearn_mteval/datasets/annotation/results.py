"""What annotators said, read with the key of their campaign: systems, documents and checks."""

import numpy as np
import pandas as pd

from sklearn_mteval.datasets.annotation.key import selection_of
from sklearn_mteval.exceptions import DataFileError

_FAILED = 0.5  # of the checks; who fails more is left out on demand


def with_key(path, judged, key, said, *, drop_failed=False):
    """Put systems and segments in place of tokens and names of items.

    ``judged`` is a table with ``segment``, ``system`` and ``judge``; ``said`` are the scores of
    checks by judge and token. Returns the table, what else is known (``documents``, ``selection``
    of the batches that were judged, ``checks``, ``annotators``) and a sentence.
    """
    judged = judged.copy()
    for column, names, what in (
        ("system", key.systems, "token"), ("segment", key.segments, "segment")
    ):  # fmt: skip
        labels = judged[column].astype(str)
        unknown = labels[~labels.isin(list(names))]
        if len(unknown):
            raise DataFileError(
                path,
                f"the {what} {unknown.iloc[0]!r} is none of the campaign {key.campaign!r}: is the "
                "key that was given the key of another campaign?",
            )
        judged[column] = labels.map(names)
    try:
        selection = selection_of(key, judged["segment"])
    except ValueError as error:
        raise DataFileError(path, str(error)) from None
    checks = _checks(said, key)
    failed = checks.index[checks["passed"] < (1 - _FAILED) * checks["asked"]]
    note = f"Checks of attention: {_shown(checks)}."
    if drop_failed and len(failed):
        judged = judged[~judged["judge"].isin(failed)]
        note += f" Left out: {', '.join(failed)}."
        if not len(judged):
            raise DataFileError(path, "all judges failed their checks: nobody is left.")
    more = {"documents": key.documents, "selection": selection, "checks": checks}
    more["annotators"] = checks.assign(minutes=np.nan)
    return judged, more, note


def with_equal(judged, key):
    """Add scores of translations that are equal to one that was shown: what was said of that."""
    others = {(each["segment"], each["systems"][0]): each["systems"][1:] for each in key.equal}
    shown = zip(judged["segment"], judged["system"], strict=True)
    others = [others.get(translation, []) for translation in shown]
    copies = judged.loc[np.repeat(judged.index, list(map(len, others)))]
    # Nobody took any time for them.
    copies = copies.assign(system=[name for names in others for name in names], seconds=np.nan)
    return pd.concat([judged, copies], ignore_index=True) if len(copies) else judged


def _checks(said, key):
    """Count the checks of each judge, and in how many the sound translation scored higher."""
    corrupted = {sound: other for sound, other, _ in key.checks.values()}
    rows = [
        (judge, score > said[judge, corrupted[token]])
        for (judge, token), score in said.items()
        if (judge, corrupted.get(token)) in said
    ]
    table = pd.DataFrame(rows, columns=["judge", "passed"]).astype({"passed": bool})
    return table.groupby("judge")["passed"].agg(asked="size", passed="sum")


def _shown(checks):
    """Write who passed how many."""
    said = [f"{row.Index} passed {row.passed} of {row.asked}" for row in checks.itertuples()]
    return ", ".join(said) or "none was answered"


def documents_of_rows(documents, index):
    """Return the document of each row, of a Series by segment; None of None."""
    if documents is None:
        return None
    of_rows = documents.loc[index.get_level_values("segment")].to_numpy()
    return pd.Series(of_rows, index, name="documents")
