"""What the site is made of, as far as it can be seen without building it."""

import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
INVENTORIES = (DOCS / "inventories.txt").read_text(encoding="utf-8")
BUILT = ("_build", "api", "gallery")
PAGES = sorted(
    page.relative_to(DOCS)
    for page in DOCS.rglob("*.md")
    if page.relative_to(DOCS).parts[0] not in BUILT
)
NAMES = re.findall(r"^(class|function|method) (\S+)$", INVENTORIES, re.MULTILINE)


def found(name):
    """What a full name of another project stands for."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            thing = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(f"{name} is not installed")


def test_names_of_other_projects_exist():
    assert len(NAMES) > 40
    assert [name for _, name in NAMES if not callable(found(name))] == []


def test_each_page_is_in_the_structure_once_at_least():
    listed = set()
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            listed |= {line for line in tree.splitlines() if line and not line.startswith(":")}
    pages = {page.with_suffix("").as_posix() for page in PAGES} - {"index"}
    assert pages - listed == set()
    assert listed - pages <= {"gallery/index"}  # made by the build


REFERENCE = {
    "api", "changelog", "extending", "glossary", "model_cards", "third_party_notices",
}  # fmt: skip
WORDS = 1_500


def without_tables(text):
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("|"))


def test_a_page_can_be_read_at_one_sitting():
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        text = re.sub(r"<!--.*?-->", "", text)  # names of numbers, which nobody reads
        if page.parent.name == "measured":
            text = without_tables(text)
        assert page.stem in REFERENCE or len(text.split()) <= WORDS, page


def test_a_page_says_what_to_read_next():
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert re.search(r"^\*\*Read next:\*\* .*\]\(", text, re.MULTILINE), page


MEASURED_WITH = re.compile(
    r"\*Measured with\* (?:`[^`]+`|a script that was not kept).{0,200}?on\* \d{4}-\d\d-\d\d\b.+?"
    r"\*Signature:\* `[^`]*[:|][^`]*`",
    re.DOTALL,
)


def test_a_measured_table_says_how_it_was_measured():
    for page in sorted(DOCS.glob("measured/*.md")):
        for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            if re.search(r"^\|", section, re.MULTILINE):
                assert MEASURED_WITH.search(section), (page, section.splitlines()[0])


def test_each_picture_has_a_text():
    for page in [*(DOCS / page for page in PAGES), ROOT / "README.md"]:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"!\[\s*\]\([^)]*\)", text), page


def test_the_first_page_shows_what_the_readme_shows():
    """Whose commands run as tests: output that is copied by hand goes stale."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(?:sh|python|text)\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 3
    for line in "".join(blocks).splitlines():
        assert line.strip() in readme, line


EXPLAINED = {  # words that a reader may not know, or know otherwise
    "strength": r"\bstrengths?\b",
    "recomposition": r"\brecomposition\b",
    "ceiling": r"\bceilings?\b",
    "sandwich": r"\bsandwich\b",
    "wmt12": r"`wmt12`|\(wmt12\)|\bstrict\s+(?:Kendall's\s+)?tau\b",
}
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)


def unexplained(text):
    """Words of the field that a page first uses in a passage without an explanation.

    A passage explains a word that it sets in italics or bold, or makes a link, and any word if it
    has a link to the glossary. What only a block of output shows needs a passage somewhere.
    """
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    shown = "".join(re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    prose = re.sub(r"^(```|:::).*?^\1.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    prose = re.sub(r"!\[[^\]]*\]\([^)]*\)|^#.*$", "", prose, flags=re.MULTILINE)
    prose = re.sub(CODE, lambda code: code[0] if code[2] == "wmt12" else "", prose)
    prose = re.sub(r"(?<=\])\((?![^)]*glossary)[^)]*\)", "", prose)  # where other links lead
    passages = re.split(r"\n\s*\n", prose)
    for name, word in EXPLAINED.items():
        first = next((passage for passage in passages if re.search(word, passage)), None)
        if first is None:
            if re.search(word, shown):
                yield name
        elif "glossary.md" not in first:
            marked = rf"\*[^*\n]*(?:{word})[^*]*\*|\[[^\]]*(?:{word})[^\]]*\]"
            if not re.search(marked, first):
                yield name


def test_words_of_the_field_are_explained_where_a_page_first_uses_them():
    for page in PAGES:
        if page.stem not in REFERENCE - {"extending"} and page.parent.name != "measured":
            found = [*unexplained((DOCS / page).read_text(encoding="utf-8"))]
            assert found == [], page


def test_words_that_are_not_explained_are_noticed():
    assert [*unexplained("Its strengths.\n\nA *strength* orders.")] == ["strength"]
    assert [*unexplained("A *strength*, or [the ceiling](x.md).\n\nIts strengths, ceilings.")] == []
    assert [*unexplained("Strict tau, `recomposition=`.\n\n```text\ntau (wmt12)\n```")] == ["wmt12"]
    assert [*unexplained("A strict tau is [this](glossary.md#words).")] == []


def rows_of_output(text):
    """Rows with three decimal numbers or more, of tables that commands print."""
    for block in re.findall(r"^```text\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if "  " in line.strip() and len(re.findall(r"\d\.\d", line)) >= 3:
                yield line.strip()


def test_a_table_of_output_stands_on_one_page_only():
    """Others link to it, so that a reader does not wonder whether it says something new."""
    seen = {}
    for page in PAGES:
        for row in {*rows_of_output((DOCS / page).read_text(encoding="utf-8"))}:
            assert seen.setdefault(row, page) == page, row


def test_the_site_is_small_enough_to_be_read():
    """Without the tables of names that the build makes, and the gallery."""
    words = sum(len((DOCS / page).read_text(encoding="utf-8").split()) for page in PAGES)
    assert len(PAGES) <= 75
    assert words <= 85_000
