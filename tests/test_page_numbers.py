"""Numbers that several pages state are those of one file, which is what the measured tables say."""

import importlib
import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
TABLE = """\
```sh
sklearn-mteval evaluate "$DATA/wmt12" --lang-pair PAIR --metrics chrf
```

| tau (wmt12) | cs-en | de-en |
|---|---|---|
| chrF | 23.7 [20.7, 26.5]; 46 % | 26.3 |
"""
PAGE = """\
chrF reaches 20.0<!-- wmt12 cs-en chrf tau -->, or 40 %<!-- wmt12 cs-en chrf tau --> of the ceiling,
and 26.3<!-- wmt12 de-en chrf tau -->. <!-- no number --> 3.0 stays.
"""


@pytest.fixture
def numbers(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("page_numbers")


@pytest.fixture
def site(numbers, monkeypatch, tmp_path):
    """A site of two pages, one with a measured table and one which repeats its numbers."""
    (tmp_path / "docs" / "measured").mkdir(parents=True)
    (tmp_path / "docs" / "measured" / "metrics.md").write_text(TABLE, encoding="utf-8")
    (tmp_path / "docs" / "guide.md").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(numbers, "ROOT", tmp_path)
    monkeypatch.setattr(numbers, "FILE", tmp_path / "docs" / "numbers.json")
    return tmp_path / "docs"


def test_the_file_and_the_pages_are_written_from_the_tables(numbers, site, capsys):
    assert numbers.main(["--write"]) == 0
    assert numbers.read()["wmt12 cs-en chrf tau"] == {
        "value": 23.7,
        "low": 20.7,
        "high": 26.5,
        "percent": 46.0,
        "page": "docs/measured/metrics.md",
        "command": "sklearn-mteval evaluate $DATA/wmt12 --lang-pair cs-en --metrics chrf",
    }
    expected = PAGE.replace("20.0", "23.7").replace("40 %", "46 %")
    assert (site / "guide.md").read_text(encoding="utf-8") == expected
    capsys.readouterr()
    assert numbers.main([]) == 0
    assert capsys.readouterr().out == ""


def test_what_differs_is_named(numbers, site, capsys):
    numbers.main(["--write"])
    (site / "guide.md").write_text(PAGE, encoding="utf-8")
    (site / "measured" / "metrics.md").write_text(TABLE.replace("26.3", "26.4"), encoding="utf-8")
    capsys.readouterr()
    assert numbers.main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "numbers.json is not what the tables of docs/measured say.",
        "docs/guide.md, wmt12 cs-en chrf tau: 20.0 is 23.7",
        "docs/guide.md, wmt12 cs-en chrf tau: 40 is 46",
        "docs/guide.md, wmt12 de-en chrf tau: 26.3 is 26.4",
    ]


def test_a_table_of_figures_elsewhere_repeats_the_measured_one(numbers, site, capsys):
    numbers.main(["--write"])
    card = TABLE.replace("23.7 [20.7, 26.5]; 46 %", "23.6; 46 %")
    (site / "guide.md").write_text(card + "| BLEU | 1.0 |  |\n", encoding="utf-8")
    capsys.readouterr()
    assert numbers.main([]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line == "docs/guide.md, wmt12 cs-en chrf tau: 23.6; 46 % is 23.7; 46 %"
    numbers.main(["--write"])
    expected = card.replace("23.6", "23.7") + "| BLEU | 1.0 |  |\n"
    assert (site / "guide.md").read_text(encoding="utf-8") == expected


def test_a_number_that_no_command_prints_has_a_name(numbers, site, capsys):
    speed = site / "measured" / "speed.md"
    speed.write_text(
        "| a | 6,900<!-- = a texts a second -->; 3 |\n| b | 28 %<!-- = b saves --> |\n", "utf-8"
    )
    page = "a reads {}<!-- a texts a second --> texts, b saves {} %<!-- b saves -->."
    (site / "guide.md").write_text(page.format("250", "2.5"), encoding="utf-8")
    assert numbers.main(["--write"]) == 0
    found = numbers.read()
    assert found["a texts a second"] == {"value": "6,900", "page": "docs/measured/speed.md"}
    assert found["b saves"] == {"percent": "28", "page": "docs/measured/speed.md"}
    assert (site / "guide.md").read_text(encoding="utf-8") == page.format("6,900", "28")
    assert "6,900<!-- = a texts" in speed.read_text(encoding="utf-8")
    (site / "measured" / "more.md").write_text("250<!-- = a texts a second -->", encoding="utf-8")
    with pytest.raises(ValueError, match=r"two numbers 'a texts a second'"):
        numbers.main([])


def test_nothing_is_a_number(numbers, site):
    table = TABLE.replace("26.3", "0.0")
    (site / "measured" / "metrics.md").write_text(table, encoding="utf-8")
    (site / "guide.md").write_text(TABLE, encoding="utf-8")  # a table of figures, too
    numbers.main(["--write"])
    assert (site / "guide.md").read_text(encoding="utf-8") == table


def test_two_tables_that_say_different_things_are_an_error(numbers, site):
    (site / "measured" / "other.md").write_text(TABLE.replace("26.3", "26.4"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"two numbers 'wmt12 de-en chrf tau'"):
        numbers.main(["--write"])


def test_a_number_that_nothing_measured_is_an_error(numbers, site):
    (site / "guide.md").write_text("1.0<!-- wmt12 fr-en chrf tau -->", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"guide.md: .* no number 'wmt12 fr-en chrf tau' \(value\)"
    ):
        numbers.main(["--write"])


def test_the_pages_state_what_the_file_says(numbers, capsys):
    status = numbers.main([])
    assert status == 0, capsys.readouterr().out
    repeated = {
        copy["name"]
        for path in numbers.pages()
        for copy in numbers._COPY.finditer(path.read_text("utf-8"))
        if not copy["defines"]
    }
    assert len(repeated) >= 10


def test_a_table_that_repeats_figures_marks_all_of_them(numbers):
    for path in numbers.pages():
        tables = re.findall(r"(?:^\|.*\n)+", path.read_text(encoding="utf-8"), re.MULTILINE)
        for table in tables:
            if "docs/measured/" not in path.as_posix() and numbers._COPY.search(table):
                bare = [cell for cell in table.split("|") if re.fullmatch(r" \d+\.\d ", cell)]
                assert not bare, path


def test_the_picture_of_the_models_is_described_by_what_it_shows(numbers):
    """Its text can hold no comments."""
    found, said = numbers.read(), 0
    for path in numbers.pages():
        page = path.read_text(encoding="utf-8")
        for text in re.findall(r"!\[([^]]*)\]\([^)]*images/ready_made\.png\)", page):
            _, stated = " ".join(text.split()).split(": ", 1)
            for part in stated.split(", "):
                row, value = part.rsplit(" ", 1)
                assert found[f"wmt12 de-en {row.lower()} tau"]["value"] == float(value), path
                said += 1
    assert said >= 9
