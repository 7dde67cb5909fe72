"""What ships in a wheel, and what the notices and the cards of models say of it."""

import re
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = "sklearn_mteval/"
NOTICES = ROOT / "docs" / "third_party_notices.md"
CODE = (".py", ".pyi", "/py.typed")
# Data that weights may have learnt from, as cards write them.
SOURCES = ("WMT", "MQM", "MLQE-PE", "GUM")


def check_contents(names, tracked, what):
    """Say what is missing, and what ships although git does not hold it."""
    lost = [f"{name} is not in the {what}" for name in sorted(set(tracked) - set(names))]
    return lost + [
        f"{name} is in the {what}, but not in git"
        for name in sorted(set(names) - set(tracked))
        if ".egg-info/" not in name and name != "PKG-INFO"
    ]


def wheel_names(archive):
    """Return the names of a wheel's files as git has them; of metadata the licences only."""
    names = [re.sub(r"^[^/]+\.dist-info/licenses/", "", name) for name in archive.namelist()]
    return [name for name in names if ".dist-info/" not in name]


def data_files(names):
    """Return the names of a wheel's files, without the package's folder, that are not code."""
    inside = [name.removeprefix(PACKAGE) for name in names if name.startswith(PACKAGE)]
    return [name for name in inside if not f"/{name}".endswith(CODE)]


def notices(text=None):
    """Return the notices by pattern: what a file is, what it is made of, its licence."""
    text = NOTICES.read_text(encoding="utf-8") if text is None else text
    rows = re.findall(r"^\| `([^`]+)` \|(.+)\|(.+)\|(.+)\|$", text, re.MULTILINE)
    return {pattern: tuple(cell.strip() for cell in cells) for pattern, *cells in rows}


def notice_of(name, rows):
    """Return the row that a data file has, or None."""
    return next((row for pattern, row in rows.items() if fnmatch(name, pattern)), None)


def without_notice(names, rows):
    """Say which data files have no row, and which rows no file; a row without licence is none."""
    data = data_files(names)
    problems = [
        f"{name} ships without source and licence in {NOTICES.name}"
        for name in data
        if not all(notice_of(name, rows) or [""])
    ]
    unused = [glob for glob in rows if not any(fnmatch(name, glob) for name in data)]
    return problems + [f"{NOTICES.name} names {glob}, and no such file ships" for glob in unused]


def unsaid_sources(cards):
    """Say which data a model was trained on without its card's licences naming them.

    What a model learnt from another that it started from, it learnt from that one's data, too.
    """
    parts = {name: re.split(r"^## ", text, flags=re.MULTILINE) for name, text in cards.items()}
    trained, licences = (
        {
            name: " ".join(part for part in sections if part.startswith(title))
            for name, sections in parts.items()
        }
        for title in ("Trained on", "Licence")
    )
    problems = []
    for name, text in trained.items():
        learnt = " ".join([text, *(trained[other] for other in trained if f"`{other}`'s" in text)])
        found = [source for source in SOURCES if source in learnt]
        if not found:
            problems.append(f"the card of {name} does not say what it was trained on")
        for source in found:
            if source not in licences[name]:
                problems.append(f"the card of {name} gives no licence of {source}")
    return problems
