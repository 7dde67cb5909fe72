"""What readers of annotators' answers share."""

import pandas as pd


def checks_of(key):
    """Map the tokens of a key's checks to the name of the check, its first token."""
    return {token: first for first, check in key.checks.items() for token in check[:2]}


def said_of_checks(scores, key):
    """Return what judges said of checks as ``with_key`` takes it, of scores by judge and token."""
    checks, said = checks_of(key), {}
    for (judge, token), score in scores.items():
        said.setdefault((judge, checks[token]), {})[token] = {"score": score}
    return [
        (judge, {"item": [{"item_id": check}], "annotation": [answer]})
        for (judge, check), answer in said.items()
    ]


def documents_of_rows(documents, index):
    """Return the document of each row, of a Series by segment; None of None."""
    if documents is None:
        return None
    of_rows = documents.loc[index.get_level_values("segment")].to_numpy()
    return pd.Series(of_rows, index, name="documents")
