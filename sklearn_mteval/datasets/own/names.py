"""Names that options of tables take; ``--help`` reads them, so nothing heavy is imported."""

__all__ = ["LAYOUTS", "VERDICTS"]

LAYOUTS = ("long", "pairwise", "wide")
VERDICTS = ("a", "b", "tie", "both_bad")
