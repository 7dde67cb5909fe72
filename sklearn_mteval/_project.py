"""Where the project's pages are: the one place of the code that will have their address."""

__all__ = ["SITE", "page"]

SITE = ""  # ends in a slash; empty as long as there is none


def page(name):
    """Return a page's address or, as long as there is no site, its file in the repository."""
    return f"{SITE}{name}.html" if SITE else f"docs/{name}.md"
