"""Where the project's pages are: the one place of the code that has the address."""

__all__ = ["SITE", "page"]

SITE = "https://sklearn-mteval.readthedocs.io/en/latest"


def page(name):
    """Return the address of a page: its name is that of its file in the repository."""
    return f"{SITE}/{name}.html"
