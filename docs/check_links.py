"""Follow each link of the built site that stays on it: ``python docs/check_links.py FOLDER``.

Pages, files and anchors must exist; so must the pages that the README, the models' cards, the
command line's help and errors name. Addresses elsewhere need a network: ``make links`` asks for
those.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

ROOT = Path(__file__).parent.parent
_ELSEWHERE = re.compile(r"[a-z]+:|//")
_PAGE = re.compile(r"\]\((?:\.\./)*docs/([\w/]+)\.md(#[\w-]+)?\)")
_CALL = re.compile(r"(?:\bpage\(|^MORE = )['\"]([\w/]+)()['\"]", re.MULTILINE)
_INDEX = "index.html"


class _Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Collect them."""
        for name, value in attributes:
            if name in ("href", "src") and value and tag != "base":
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)


def broken_links(folder):
    """List what leads nowhere, as "place: link"."""
    files = [path for path in folder.rglob("*.html") if "_static" not in path.parts]
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in files}
    links = [
        (path.relative_to(folder).as_posix(), path, link)
        for path, page in pages.items()
        for link in page.links
        if not _ELSEWHERE.match(link)
    ]
    named = [(path, _PAGE) for path in (ROOT / "README.md", *ROOT.glob("sklearn_mteval/**/*.md"))]
    named += [(path, _CALL) for path in ROOT.glob("sklearn_mteval/**/*.py")]
    for path, pattern in named:
        text = path.read_text(encoding="utf-8")
        place = path.relative_to(ROOT).as_posix()
        found = pattern.findall(text)
        links += [(place, folder / _INDEX, f"{name}.html{anchor}") for name, anchor in found]
    return [f"{place}: {link}" for place, page, link in links if not _leads(page, link, pages)]


def _leads(page, link, pages):
    """Tell whether a link on a page leads to a file that is there, and to an anchor in it."""
    name, anchor = urldefrag(link)
    path = (page.parent / unquote(name.split("?")[0])).resolve() if name else page
    path = path / _INDEX if path.is_dir() else path
    if path in pages:
        return unquote(anchor) in pages[path].anchors
    return path.is_file()


def main(folder):
    """Print what leads nowhere; return 1 if something does."""
    broken = broken_links(Path(folder).resolve())
    print("\n".join(broken) or "Each link within the site leads somewhere.")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
