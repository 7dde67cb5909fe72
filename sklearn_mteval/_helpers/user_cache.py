"""The folder where the package keeps what it has fetched for a user."""

import os
import sys
from pathlib import Path

VARIABLE = "SKLEARN_MTEVAL_CACHE"


def user_cache():
    """Return the folder, there or not: the variable's, or where the platform has caches."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]).absolute()
    of_platform = {"darwin": ("", "~/Library/Caches"), "win32": ("LOCALAPPDATA", "~/AppData/Local")}
    variable, usual = of_platform.get(sys.platform, ("XDG_CACHE_HOME", "~/.cache"))
    root = os.environ.get(variable, "")
    if not os.path.isabs(root):  # the XDG specification: a relative path is to be ignored
        root = os.path.expanduser(usual)
    if not os.path.isabs(root):
        raise ValueError(f"there is no home folder to keep a cache in: set {VARIABLE} to a folder.")
    return Path(root) / "sklearn-mteval"
