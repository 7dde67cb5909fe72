"""Each page as plain Markdown next to its HTML, and ``llms.txt``, which lists them.

For those who ask a language model about the package: PAGE.html has PAGE.md next to it. Names are
shown with their docstrings, examples with their code, all other pages as they were written.
"""

import inspect
import json
import re
from functools import partial

from docutils import nodes
from names import PACKAGE, public_names, rooms, stem
from pybtex.database import parse_file
from sphinx.util.inspect import stringify_signature

from sklearn_mteval._project import SITE

__all__ = ["setup"]

_LINES = re.MULTILINE | re.DOTALL
_ABOUT = (
    "> Learned machine-translation evaluation from human rankings, the scikit-learn way: which"
    " translation is better, which system, and how sure is that?"
)
_INCLUDED = re.compile(r"^```\{include\} (\S+)\n(.*?)^```", _LINES)


def _room(room):
    """Return what a room is, and its names."""
    module = rooms()[room]
    names = [f"- [{name}]({room}/{stem(module, name)}.md)" for name in public_names(module)]
    return "\n\n".join([f"# {PACKAGE}.{room}", inspect.getdoc(module), "\n".join(names)])


def _name(room, name):
    """Return a public name's signature and docstring."""
    thing = getattr(rooms()[room], name)
    try:
        head = name + stringify_signature(inspect.signature(thing), show_annotation=False)
    except (TypeError, ValueError):  # a constant, an exception
        head = name
    place = f"From [{PACKAGE}.{room}](../{room}.md):"
    return f"# {name}\n\n{place}\n\n```text\n{head}\n\n{inspect.getdoc(thing)}\n```"


def _example(path):
    """Return an example's notebook as prose and code."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = [("".join(cell["source"]).strip(), cell["cell_type"]) for cell in cells]
    return "\n\n".join(
        f"```python\n{text}\n```" if kind == "code" else text for text, kind in texts
    )


def _plain(env, name):
    """Return a page as Markdown, or None where there is nothing to read but links."""
    path = env.doc2path(name)
    if name.startswith("api/"):
        room, _, public = name.removeprefix("api/").partition("/")
        return _name(room, public.removesuffix("_class")) if public else _room(room)
    if (notebook := path.with_suffix(".ipynb")).exists():
        return _example(notebook)
    if path.suffix != ".md":
        return None
    return _INCLUDED.sub(partial(_included, path.parent), path.read_text(encoding="utf-8"))


def _included(folder, block):
    """Return the file that a block includes, without the title after which it begins."""
    text = (folder / block[1]).read_text(encoding="utf-8")
    text = re.sub(r"\]\((?:\.\./)*docs/", "](", text)  # links of a file elsewhere
    text = text.replace(".rst)", ".md)")  # as rooms are shown here
    return text.partition("\n")[2].strip() if ":start-after:" in block[2] else text.strip()


def _cited(text, works):
    """Return a page's text with citations as they are read, and without comments."""

    def cite(role):
        names = []
        if not set(role[2].split(",")) <= set(works):  # what the page shows as code
            return role[0]
        for key in role[2].split(","):
            work = works[key]
            authors = [" ".join(author.last_names) for author in work.persons["author"]]
            several = f"{authors[0]} et al." if len(authors) > 2 else " and ".join(authors)
            names.append((several, work.fields["year"]))
        if role[1] == "t":
            return ", ".join(f"{authors} ({year})" for authors, year in names)
        return f"({'; '.join(f'{authors} {year}' for authors, year in names)})"

    text = re.sub(r"\{cite:(t|p)\}`([^`]+)`", cite, text)
    # What a block of code shows stays.
    return re.sub(r"(^```.*?^```)|<!--.*?-->", lambda found: found[1] or "", text, flags=_LINES)


def _in_order(env, name):
    """Yield a page and those below it, as the site's structure has them."""
    yield name
    for below in env.toctree_includes.get(name, ()):
        yield from _in_order(env, below)


def _first_sentence(tree):
    """Return the first sentence of a page."""
    for paragraph in tree.findall(nodes.paragraph):
        if not paragraph.parent.tagname.startswith(("note", "card")):
            text = " ".join(paragraph.astext().split())
            first = re.split(r"(?<=[.?!])(?<!et al\.) ", text)[0]
            return first if first.endswith(("?", "!")) else first.rstrip(".:") + "."
    return ""


def _write(app, error):
    """Write them, after a build of HTML."""
    if error or app.builder.format != "html":
        return
    works = parse_file(app.srcdir / "references.bib").entries
    lines = [f"# {app.config.project}", "", _ABOUT, ""]
    parts = app.env.toctree_includes[app.config.root_doc]
    for name in dict.fromkeys(_in_order(app.env, app.config.root_doc)):
        title = app.env.titles[name].astext()
        if name in parts:
            lines += ["", f"## {title}", ""]
        if (text := _plain(app.env, name)) is None:
            continue
        page = app.outdir / f"{name}.md"
        page.write_text(_cited(text, works).strip() + "\n", encoding="utf-8")
        tree = app.env.get_and_resolve_doctree(name, app.builder, tags=app.tags)
        about = _first_sentence(tree)
        lines += [f"- [{title}]({SITE}{name}.md): {about}"]
    (app.outdir / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app):
    """Connect it."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
