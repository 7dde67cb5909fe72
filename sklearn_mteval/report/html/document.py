"""One HTML file of results: no network, no other file, readable without its script."""

import base64
import gzip
import hashlib
from importlib.resources import files

from sklearn_mteval._version import __version__
from sklearn_mteval.report.html.templating import rendered, table_of
from sklearn_mteval.report.short_names import common_ends, short_names

_TEMPLATES = files("sklearn_mteval.report.html") / "templates"
_STYLES = ("report", "pictures", "segments", "marks", "why", "duel", "print")
# One function holds them all, in this order. All texts of the data reach the page through
# textContent; no text is ever read as markup.
_SCRIPTS = (
    "tables", "print", "browser", "search", "cards", "marks", "numbers", "fill", "why", "written",
    "duel", "links",
)  # fmt: skip


def page_of(title, report=None, **parts):
    """Make the plain dict that a document is written from, with tables and notes of a Report.

    Parts are ``summary`` and ``warnings`` (sentences, the first of the summary being the answer),
    ``picture`` (what the answer looks like, a Picture), ``belief`` (a sentence), ``tables`` (of
    ``table_of``), ``notes``, ``plots`` (``title``, ``description`` for who cannot see it, SVG texts
    ``light`` and ``dark``), ``themes`` (``title``, ``note``, ``table``), ``segments``,
    ``signature``, ``command``.
    """
    page = {
        "title": title, "summary": [], "picture": None, "belief": "", "warnings": [], "tables": [],
        "notes": [],
        "plots": [], "themes": [], "segments": None, "signature": "", "command": "",
    }  # fmt: skip
    if report is not None:
        page["tables"] = [table_of(table) for table in report.tables]
        page |= {"notes": list(report.notes), "signature": report.signature}
    unknown = parts.keys() - page.keys()
    if unknown:
        raise TypeError(f"a page has no {sorted(unknown)}, only {list(page)}.")
    return page | parts


def document(page, *, packed=True):
    """Write a page, as of :func:`page_of`, as HTML that holds all it shows: a policy lets nothing
    run but the package's script, by its hash, and nothing be loaded.

    Segments that are not ``packed`` make a larger file, whose script shows them at once: a browser
    without a reader, which prints a page as soon as it is loaded, does not wait for unpacking.
    """
    style = _joined(_STYLES, "css")
    script = f'"use strict";\n(() => {{\n{_joined(_SCRIPTS, "js")}}})();\n'
    policy = {
        "default-src": "'none'", "style-src": _hashed(style), "script-src": _hashed(script),
        "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"
    }  # fmt: skip
    pieces = [] if page["segments"] is None else page["segments"]["data"]
    systems = _systems(page)
    ends = common_ends(systems)
    names = dict(zip(systems, short_names(systems), strict=True)) if any(ends) else {}
    return rendered(
        "document.html.jinja", page=page, version=__version__,
        policy="; ".join(f"{name} {value}" for name, value in policy.items()), style=style,
        script=script, names=names, ends=ends, packed=packed,
        data=_packed(pieces) if packed else _in_script(pieces)
    )  # fmt: skip


def _systems(page):
    """List the systems of a page: those of its segments, and those that its tables are about."""
    segments, found = page["segments"], []
    for table in [*page["tables"], *(theme["table"] for theme in page["themes"])]:
        names = table["names"]
        if table["columns"][names]["label"] == "system":
            found += [row[names]["text"] for row in table["rows"]]
    return list(dict.fromkeys([*(segments["systems"] if segments else ()), *found]))


def _joined(names, end):
    """Join files of the package's own."""
    return "".join(_TEMPLATES.joinpath(f"{name}.{end}").read_text("utf-8") for name in names)


def _hashed(text):
    """Return the source that allows what stands between the tags, and nothing else."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _in_script(pieces):
    """Write JSON so that no tag ends the script it stands in."""
    return "".join(pieces).replace("<", "\\u003c")


def _packed(pieces):
    """Compress pieces of text; the same bytes whenever it is done."""
    whole = gzip.compress("".join(pieces).encode(), compresslevel=6, mtime=0)
    return base64.b64encode(whole).decode()
