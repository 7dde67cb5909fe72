"""Names that options of tables take; ``--help`` reads them, so nothing heavy is imported."""

from pathlib import Path
from pkgutil import iter_modules

__all__ = ["LAYOUTS", "VERDICTS"]

# Each is a module of layouts/, which holds its entry.
LAYOUTS = tuple(module.name for module in iter_modules([str(Path(__file__).with_name("layouts"))]))
VERDICTS = ("a", "b", "tie", "both_bad")
