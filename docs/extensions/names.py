"""A page for each public name and for each room of the package; links to them from everywhere.

The pages are made at each build from what the rooms call public. ``docs/api.md`` has a table of
all, a room's page one line for each of its names, and a name's page where it is used.
"""

import inspect
import re
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.nodes import make_refnode

import sklearn_mteval

__all__ = ["public_names", "rooms", "setup", "stem"]

PACKAGE = sklearn_mteval.__name__
_DOCS = Path(__file__).parent.parent
_GENERAL = ("index", "api", "glossary", "architecture", "contributing", "extending")
_CLASS = "_class"
_COMMON = re.compile("[a-z]+")  # what may be a command or a column, such as rank


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


def _titled(title, *parts):
    """Return a page of parts, which empty lines stand between."""
    return "\n\n".join([f"{title}\n{'=' * len(title)}", *parts]) + "\n"


def _summary(module):
    """Return the first sentence on a room."""
    return inspect.getdoc(module).split("\n\n")[0]


def public_names(module):
    """Return the public names of a room, sorted."""
    return sorted(module.__all__, key=str.lower)


def stem(module, name):
    """Return the name of a page; that of ``Duel`` is not ``duel`` where files have no capitals."""
    small = name.lower()
    return f"{name}{_CLASS}" if small != name and small in module.__all__ else name


def _room_page(room, module):
    """Return the page of a room: its first sentence, and a table of its names."""
    path = f"{PACKAGE}.{room}"
    names = public_names(module)
    table = [".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in names)]
    tree = [".. toctree::", "   :hidden:", ""]
    tree += [f"   {room}/{stem(module, name)}" for name in names]
    current = f".. currentmodule:: {path}"
    return _titled(path, _summary(module), current, "\n".join(table), "\n".join(tree))


def _written():
    """Return the texts of the guide and of the examples by the names of their pages."""
    made = (_DOCS / "_build", _DOCS / "api", _DOCS / "gallery")
    texts = {
        f"/{page.relative_to(_DOCS).with_suffix('').as_posix()}": page.read_text(encoding="utf-8")
        for page in sorted(_DOCS.rglob("*.md"))
        if not {*page.parents} & {*made} and page.stem not in _GENERAL
    }
    for example in sorted((_DOCS.parent / "examples").glob("plot_*.py")):
        texts[f"/gallery/{example.stem}"] = example.read_text(encoding="utf-8")
    return texts


def _uses(name, text):
    """Tell whether a text imports a name, or writes it as code and it is no common word."""
    written = "" if _COMMON.fullmatch(name) else rf"`{name}(?:`|\()|"
    imported = rf"^from {PACKAGE}[\w.]* import (?:\([^)]*|[^\n]*)\b{name}\b"
    return re.search(written + imported, text, re.MULTILINE)


def _name_page(room, name, thing, texts):
    """Return the page of a public name: its docstring, its room, and the pages that use it."""
    path = f"{PACKAGE}.{room}"
    use = [f":doc:`{page}`" for page, text in texts.items() if _uses(name, text)]
    used = f" It is used in {', '.join(use)}." if use else ""
    return _titled(
        name,
        f".. currentmodule:: {path}",
        _entry(f"{path}.{name}", thing),
        f"``{name}`` is a part of :doc:`{path} </api/{room}>`.{used}",
    )


def _table(found):
    """Return what the page of all names includes, in Markdown: a table, and the list of rooms."""
    rows = ["| import from | names |", "|---|---|"]
    for room, module in found.items():
        names = ", ".join(f"`{name}`" for name in public_names(module))
        said = " ".join(_summary(module).replace("``", "`").split())
        rows.append(f"| [{PACKAGE}.{room}](api/{room}.rst): {said} | {names} |")
    tree = ["```{toctree}", ":hidden:", "", *(f"{room} <api/{room}>" for room in found), "```"]
    return "\n".join([*rows, "", *tree, ""])


def pages():
    """Return the text of each page that is made, by its path in ``docs/api``."""
    found, texts = rooms(), _written()
    made = {"names.txt": _table(found)}
    for room, module in found.items():
        made[f"{room}.rst"] = _room_page(room, module)
        for name in module.__all__:
            page = f"{room}/{stem(module, name)}.rst"
            made[page] = _name_page(room, name, getattr(module, name), texts)
    return made


def _write_pages(app):
    """Write all pages; one that stands as it should is left, so not built again."""
    folder = app.srcdir / "api"
    made = {folder / path: text for path, text in pages().items()}
    for path in folder.rglob("*"):
        if path.is_file() and path not in made:
            path.unlink()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


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

    A name that is a word, such as ``rank``, may be a command or a column: only the page of all
    names means the function.
    """
    public = {name: room for room, module in rooms().items() for name in module.__all__}
    if app.env.docname != "api":
        public = {name: room for name, room in public.items() if not _COMMON.fullmatch(name)}
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
