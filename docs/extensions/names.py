"""A page for each room of the package, with its public names; links to them from everywhere.

The pages are made at each build from what the rooms call public: ``docs/api.md`` links to them.
"""

import inspect
import re
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.nodes import make_refnode

import sklearn_mteval

__all__ = ["rooms", "setup"]

PACKAGE = sklearn_mteval.__name__


def rooms():
    """Return the modules that have public names, by name."""
    names = sorted(room.name for room in iter_modules(sklearn_mteval.__path__))
    modules = {name: import_module(f"{PACKAGE}.{name}") for name in names if name[0] != "_"}
    return {name: module for name, module in modules.items() if getattr(module, "__all__", ())}


def _methods(thing):
    """Return the public methods and properties of a class that this package wrote."""
    for name, value in inspect.getmembers(thing):
        value = value.func if isinstance(value, cached_property) else value
        function = inspect.unwrap(getattr(value, "fget", None) or value)
        ours = str(getattr(function, "__module__", "")).startswith(PACKAGE)
        if ours and not name.startswith("_") and not inspect.isclass(value):
            yield name


def _entry(path, thing):
    """Return the directive that shows a public name."""
    if inspect.isclass(thing):
        kind = "exception" if issubclass(thing, BaseException) else "class"
        methods = ", ".join(_methods(thing))
        members = f"\n   :members: {methods}" if methods else ""
        return f".. auto{kind}:: {path}{members}\n"
    return f".. auto{'function' if inspect.isroutine(thing) else 'data'}:: {path}\n"


def _page(name, module):
    """Return the page of a room: its first sentence, a table of its names, then each in full."""
    path = f"{PACKAGE}.{name}"
    summary = inspect.getdoc(module).split("\n\n")[0]
    parts = [path, "=" * len(path), "", summary, "", f".. currentmodule:: {path}", ""]
    names = sorted(module.__all__, key=str.lower)
    parts += [
        ".. autosummary::",
        "   :nosignatures:",
        "",
        *(f"   {public}" for public in names),
        "",
    ]
    for public in names:
        parts += [public, "-" * len(public), ""]
        parts += [_entry(f"{path}.{public}", getattr(module, public))]
    return "\n".join(parts)


def _write_pages(app):
    """Write the pages of all rooms; a page that stands as it should is left, so not built again."""
    folder = app.srcdir / "api"
    folder.mkdir(exist_ok=True)
    pages = {folder / f"{name}.rst": _page(name, module) for name, module in rooms().items()}
    for page in set(folder.iterdir()) - set(pages):
        page.unlink()
    for page, text in pages.items():
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def _resolve(app, env, node, contnode):
    """Find a public name by its last word, wherever a docstring says that it is."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not (target.startswith(PACKAGE) or "." not in target):
        return None
    word = target.rsplit(".", 1)[-1]
    objects = env.domains["py"].objects
    found = [name for name in objects if name.count(".") == 2 and name.endswith(f".{word}")]
    if len(found) != 1:
        return None
    entry = objects[found[0]]
    page = node.get("refdoc")
    return make_refnode(app.builder, page, entry.docname, entry.node_id, contnode, found[0])


def _in_a_link(node):
    """Tell whether a node is a part of a link already."""
    while node is not None and not isinstance(node, nodes.reference | pending_xref):
        node = node.parent
    return node is not None


def _link_names(app, tree):
    """Make links of the public names that pages write as code.

    A name that is a word, such as ``rank``, may be a command or a column: only the page of names
    means the function.
    """
    public = {name: room for room, module in rooms().items() for name in module.__all__}
    if app.env.docname != "api":
        public = {name: room for name, room in public.items() if not re.fullmatch("[a-z]+", name)}
    for literal in list(tree.findall(nodes.literal)):
        word = literal.astext()
        if word in public and not _in_a_link(literal):
            target = f"{PACKAGE}.{public[word]}.{word}"
            link = pending_xref(
                "",
                refdomain="py",
                reftype="obj",
                reftarget=target,
                refdoc=app.env.docname,
                refexplicit=True,
                refwarn=True,
            )
            literal.replace_self(link)
            link += literal


def setup(app):
    """Connect it."""
    app.connect("builder-inited", _write_pages)
    app.connect("doctree-read", _link_names)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
