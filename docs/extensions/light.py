"""What a page loads, and how its parts are told apart by those who do not see them.

The styles of the theme and of the extensions keep only rules for what some page has: the first page
and all that it loads are a quarter of what they would be.
"""

import re
from pathlib import Path

__all__ = ["purged", "setup"]

_NESTED = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"  # parentheses within parentheses, at most
_EMPTY = re.compile(r"<th\b([^>]*)>\s*(?:<p>\s*</p>)?\s*</th>")
_ICONS = re.compile(r"fa[brs]?(-|$)")  # the font of icons, in whose place site.css has a few
_GALLERY = ("sg-tags.js", "sg_gallery")  # what only the gallery's pages need
_NEVER = ("design-tabs.js", "sg_gallery-binder.css")
_UNUSED = ("scripts/bootstrap*", "scripts/fontawesome*", "vendor/**/*.woff2", "**/*.map")


def _rules(css):
    """Yield each rule of a style as its selector, and its body or None."""
    position = 0
    while found := re.compile(r"\s*([^{};]+)([;{])").match(css, position):
        begin = position = found.end()
        depth = found[2] == "{"
        while depth:
            depth += {"{": 1, "}": -1}.get(css[position], 0)
            position += 1
        yield found[1].strip(), css[begin : position - 1] if found[2] == "{" else None


def _alive(selector, words):
    """Tell whether a page may have what a selector selects; what is in parentheses is not read."""
    names = re.findall(r"[.#]([\w-]+)", re.sub(rf"{_NESTED}|\[[^\]]*\]", "", selector))
    return words.issuperset(names)


def purged(css, words):
    """Return a style without the rules for classes and names that are not among some words."""
    kept = []
    for head, body in _rules(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)):
        if body is None:
            kept.append(f"{head};")
        elif head.startswith(("@media", "@supports")):
            inner = purged(body, words)
            kept += [f"{head}{{{inner}}}"] * bool(inner)
        elif head.startswith("@"):
            kept += [f"{head}{{{body}}}"] * ("Font Awesome" not in body)
        else:
            selectors = re.findall(rf"(?:{_NESTED}|[^,(])+", head)
            alive = ",".join(one for one in selectors if _alive(one, words))
            kept += [f"{alive}{{{body}}}"] * bool(alive)
    return "".join(kept)


def _clear(app, error):
    """Take from a built site the styles that no page needs, and files that none loads."""
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    for pattern in _UNUSED:
        for path in static.glob(pattern):
            path.unlink()
    scripts = [*static.glob("*.js"), *static.glob("scripts/*.js")]
    words = {
        word
        for path in [*app.outdir.rglob("*.html"), *scripts]
        for word in re.findall(r"[\w-]+", path.read_text(encoding="utf-8"))
        if not _ICONS.match(word)
    }
    for path in static.rglob("*.css"):
        if path.name != "site.css":
            text = purged(path.read_text(encoding="utf-8"), words)
            path.write_text(text, encoding="utf-8")


def _needed(files, page):
    """Return the scripts or styles that a page needs."""
    left = _NEVER if page.startswith("gallery/") else (*_NEVER, *_GALLERY)
    return [file for file in files if not any(name in str(file.filename) for name in left)]


def _lighten(app, page, template, context, doctree):
    """Leave scripts and styles that a page does not need; a header without text is no header."""
    for kind in ("script_files", "css_files"):
        context[kind] = _needed(context[kind], page)
    if "body" in context:
        context["body"] = _EMPTY.sub(r"<td\1></td>", context["body"])


def setup(app):
    """Connect it; of the theme's hooks some add scripts to a page."""
    app.connect("html-page-context", _lighten, priority=900)
    app.connect("build-finished", _clear, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
