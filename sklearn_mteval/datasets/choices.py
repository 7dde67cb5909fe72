"""Names of formats that judgements come in; ``--help`` reads them, so nothing heavy is imported."""

__all__ = ["FOUND_FORMATS", "TABLE_FORMATS", "VERDICTS"]

TABLE_FORMATS = ("long", "pairwise", "wide")  # of load_rankings
FOUND_FORMATS = (*TABLE_FORMATS, "wmt", "mqm", "mtme", "esa", "pearmut")
VERDICTS = ("a", "b", "tie", "both_bad")
