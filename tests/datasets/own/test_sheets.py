"""Sheets as people have them: each reads at once, or by the hints of its errors as they are typed.

The figures were worked out by hand: what each annotator's judgement of a segment says of each
system. A hint is taken out of the error of the command line, and given to it.
"""

import csv
import re
import shlex
import warnings

import openpyxl
import pandas as pd
import pytest

from sklearn_mteval.cli import _parser_of
from sklearn_mteval.cli._judgements import load_judged
from sklearn_mteval.cli._wording import as_options, flags_of
from sklearn_mteval.datasets import load_judgements, load_rankings

PARSER = _parser_of("leaderboard")
HIGHER = ["--better", "higher"]
LOWER = ["--better", "lower"]


def rows_of(text):
    """Take apart a table that is written with bars."""
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def typed(cell):
    """Return a cell as a spreadsheet has it."""
    number = re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell)
    return None if not cell else float(cell) if number else cell


def written(folder, rows, kind, merged=()):
    """Write a table as a file of a kind."""
    path = folder / f"mine.{kind}"
    if kind == "xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append([typed(cell) for cell in row])
        for cells in merged:
            book.active.merge_cells(cells)
        book.save(path)
        return path
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter={"csv": ",", "tsv": "\t"}[kind]).writerows(rows)
    return path


def read(path, words):
    """Read as the command does: judgements and warnings, or the text of the error."""
    arguments = PARSER.parse_args([str(path), *words])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            judged = load_judged(arguments.file, arguments.format or "own", vars(arguments))
        except ValueError as error:
            return as_options(str(error), flags_of(PARSER)), None
    return judged, [str(each.message) for each in caught]


def figures(judged):
    """Write what was judged, ranking by ranking: segment, annotator, and figure of each system."""
    sign, found = -1 if judged.better == "higher" else 1, []
    for (segment, _), group in judged.y.groupby(level=["segment", "ranking"], sort=False):
        judge = judged.judges[group.index].iloc[0]
        systems = group.index.get_level_values("system")
        said = sorted(f"{name}={sign * y:g}" for name, y in zip(systems, group, strict=True))
        found.append(" ".join([str(segment), *judge.split(), *said]))
    return found


def hint_of(error, better):
    """Return the options that an error says to pass, as a shell takes them."""
    found = re.search(r"(?:[Pp]ass|say which by|needs) (--.+)", error)
    assert found, error
    said = re.sub(r" \([^)]*\)", "", found[1])
    if "--better lower for ranks" in said:  # it cannot know
        return shlex.split(said.partition("--better lower for ranks")[0]) + better
    return shlex.split(re.split(r",? (?:if|say)\b|, --verdicts|\.$|\. ", said)[0])


def joined(words, more):
    """Add options to options: of --columns, all that are named."""
    columns = [word for word in [*words, *more] if re.match(r"[a-z]+=", word)]
    others = [w for w in [*words, *more] if w not in (*columns, "--columns") and w]
    others = [word.rstrip(",") for word in others]
    columns = [word.rstrip(",") for word in columns]
    return others + (["--columns", *columns] if columns else [])


# By name: the table, options, figures, and how many hints it takes.
SHEETS = {
    "a title": ("""
        Evaluation of spring | | |
        | | |
        Segment | System | Score | Rater
        1 | Alpha | 80 | Ann
        1 | Beta | 60 | Ann
        """, HIGHER, ["1 Ann Alpha=80 Beta=60"], 0),
    "two titles of two cells": ("""
        Evaluator: | Ann | | |
        Date: | 2024-01-02 | | |
        id | Source text | MT system | Translation | Rating
        1 | Guten Tag. | Alpha | Good day to you. | 4
        1 | Guten Tag. | Beta | Hello there, you. | 2
        """, HIGHER, ["1 Alpha=4 Beta=2"], 0),
    "cells that were merged": ("""
        Nr | Ausgangstext | System | Note
        1 | Guten Tag. | Alpha | 1
         | | Beta | 3
        2 | Danke. | Alpha | 2
         | | Beta | 1.5
        """, LOWER, ["1 Alpha=1 Beta=3", "2 Alpha=2 Beta=1.5"], 0),
    "annotators that are merged": ("""
        annotator | segment | system | rank
        Ann | 1 | Alpha | 1
         | 1 | Beta | 2
        Bob | 1 | Alpha | 2
         | 1 | Beta | 1
        """, LOWER, ["1 Ann Alpha=1 Beta=2", "1 Bob Alpha=2 Beta=1"], 0),
    "annotators as columns": ("""
        segment | system | Annotator 1 | Annotator 2 | Mean
        1 | Alpha | 80 | 70 | 75
        1 | Beta | 60 | | 60
        """, HIGHER, ["1 1 Alpha=80 Beta=60", "1 2 Alpha=70"], 0),
    "annotators by name": ("""
        segment | system | Anna | Ben | comment
        1 | Alpha | 80 | 70 | fine
        1 | Beta | 60 | 75 |
        """, HIGHER, ["1 Anna Alpha=80 Beta=60", "1 Ben Alpha=70 Beta=75"], 1),
    "annotators of comparisons": ("""
        id | system_a | system_b | Anna | Ben
        1 | Alpha | Beta | A | B
        2 | Beta | Alpha | tie | A
        """, [], ["1 Anna Alpha=1 Beta=2", "1 Ben Alpha=2 Beta=1", "2 Anna Alpha=1 Beta=1",
                  "2 Ben Alpha=2 Beta=1"], 1),
    "from -2 to 2": ("""
        id | source | system_a | system_b | preference
        1 | x | Alpha | Beta | -2
        2 | y | Beta | Alpha | 1
        3 | z | Alpha | Beta | 0
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=1 Beta=2", "3 Alpha=1 Beta=1"], 1),
    "from 1 to 5": ("""
        item | left | right | rating
        1 | Alpha | Beta | 1
        2 | Beta | Alpha | 4
        3 | Alpha | Beta | 3
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=1 Beta=2", "3 Alpha=1 Beta=1"], 1),
    "one or two": ("""
        id | System A | System B | Better
        1 | Alpha | Beta | 1
        2 | Alpha | Beta | 2
        3 | Beta | Alpha | 0
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=2 Beta=1", "3 Alpha=1 Beta=1"], 1),
    "five words": ("""
        id | Translation A | Translation B | preference
        1 | Hello there. | Good day. | much better
        2 | Thanks. | Thank you. | slightly worse
        3 | Bye. | So long. | about the same
        """, [], ["1 A=1 B=2", "2 A=2 B=1", "3 A=1 B=1"], 0),
    "five words in German": ("""
        Satznummer | System A | System B | Bewertung
        1 | Alpha | Beta | A viel besser
        2 | Beta | Alpha | B etwas besser
        3 | Alpha | Beta | gleich gut
        4 | Alpha | Beta | deutlich schlechter
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=1 Beta=2", "3 Alpha=1 Beta=1", "4 Alpha=2 Beta=1"],
        0),
    "five words in French, of names": ("""
        segment | système A | système B | préférence
        1 | Alpha | Beta | Alpha beaucoup mieux
        2 | Beta | Alpha | à peu près pareil
        3 | Alpha | Beta | Beta un peu mieux
        4 | Alpha | Beta | Alpha un peu moins bon
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=1 Beta=1", "3 Alpha=2 Beta=1", "4 Alpha=2 Beta=1"],
        0),
    "five words in Spanish": ("""
        segmento | sistema A | sistema B | preferencia
        1 | Alpha | Beta | A mucho mejor
        2 | Beta | Alpha | igual
        3 | Alpha | Beta | B un poco mejor
        4 | Alpha | Beta | ligeramente peor
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=1 Beta=1", "3 Alpha=2 Beta=1", "4 Alpha=2 Beta=1"],
        0),
    "per cent": ("""
        Segment | Engine | Quality
        1 | Alpha | 95 %
        1 | Beta | 60.5 %
        """, HIGHER, ["1 Alpha=95 Beta=60.5"], 0),
    "of five": ("""
        Segment | Engine | Quality
        1 | Alpha | 4/5
        1 | Beta | 3/5
        """, HIGHER, ["1 Alpha=4 Beta=3"], 0),
    "the best of three, by name": ("""
        id | source | Alpha | Beta | Gamma | best
        1 | Guten Tag. | Hello. | Good day. | Hi there. | Beta
        2 | Danke. | Thanks. | Thank you. | Ta. | Alpha
        """, [], ["1 Alpha=2 Beta=1 Gamma=2", "2 Alpha=1 Beta=2 Gamma=2"], 0),
    "the best of three, by number": ("""
        id | source | Alpha | Beta | Gamma | best
        1 | Guten Tag. | Hello. | Good day. | Hi there. | 2
        2 | Danke. | Thanks. | Thank you. | Ta. | 3
        """, [], ["1 Alpha=2 Beta=1 Gamma=2", "2 Alpha=2 Beta=2 Gamma=1"], 1),
    "the best of three, by a mark": ("""
        id | Alpha | Beta | Gamma
        1 | | x |
        2 | x | |
        3 | | x |
        """, [], ["1 Alpha=2 Beta=1 Gamma=2", "2 Alpha=1 Beta=2 Gamma=2",
                  "3 Alpha=2 Beta=1 Gamma=2"], 0),
    "A and B without systems": ("""
        source | A | B | winner
        Guten Tag. | Hello there. | Good day. | A
        Danke. | Thanks. | Thank you. | B
        Bitte. | Please. | Here. | tie
        """, [], ["1 A=1 B=2", "2 A=2 B=1", "3 A=1 B=1"], 0),
    "A and B without anything": ("""
        id | preferred
        7 | A
        8 | B
        """, [], ["7 A=1 B=2", "8 A=2 B=1"], 0),
    "A and B with a score each": ("""
        id | system_a | system_b | score_a | score_b
        1 | Alpha | Beta | 4 | 3
        2 | Beta | Alpha | 3 | 5
        """, HIGHER, ["1 Alpha=4 Beta=3", "2 Alpha=5 Beta=3"], 0),
    "a mean below": ("""
        segment | system | score
        1 | Alpha | 80
        1 | Beta | 60
        Mean | | 70
        """, HIGHER, ["1 Alpha=80 Beta=60"], 0),
    "a sum below and means aside": ("""
        Satz-Nr. | Alpha Punkte | Beta Punkte | Mittelwert Punkte
        1 | 4 | 2 | 3
        2 | 5 | 2 | 3.5
        Summe | 9 | 4 | 6.5
        """, HIGHER, ["1 Alpha=4 Beta=2", "2 Alpha=5 Beta=2"], 0),
    "texts and scores side by side": ("""
        segment | source | Alpha | Alpha score | Beta | Beta score
        1 | Guten Tag. | Hello there. | 80 | Good day. | 60
        2 | Danke. | Thanks. | 70 | Thank you. | 75
        """, HIGHER, ["1 Alpha=80 Beta=60", "2 Alpha=70 Beta=75"], 0),
    "a header of two lines": ("""
         | Alpha | | Beta |
        segment | text | score | text | score
        1 | Hello there. | 80 | Good day. | 60
        2 | Thanks. | 70 | Thank you. | 75
        """, HIGHER, ["1 Alpha=80 Beta=60", "2 Alpha=70 Beta=75"], 0),
    "systems as columns": ("""
        id | Alpha | Beta | Gamma
        17 | 4 | 3 | 5
        18 | 2 | 4 | 1
        """, HIGHER, ["17 Alpha=4 Beta=3 Gamma=5", "18 Alpha=2 Beta=4 Gamma=1"], 1),
    "systems as columns, of a mean": ("""
        id | source | Alpha | Beta | Average
        17 | x | 4 | 3 | 3.5
        18 | y | 2 | 4 | 3
        """, HIGHER, ["17 Alpha=4 Beta=3", "18 Alpha=2 Beta=4"], 1),
    "no name that is known": ("""
        x1 | Programm | Wert
        1 | Alpha | 80
        1 | Beta | 60
        2 | Alpha | 70
        2 | Beta | 75
        """, HIGHER, ["1 Alpha=80 Beta=60", "2 Alpha=70 Beta=75"], 1),
    "no name and no direction": ("""
        x1 | Programm | Wert
        1 | Alpha | 1
        1 | Beta | 2
        2 | Alpha | 2
        2 | Beta | 1
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=2 Beta=1"], 1),
    "comparisons of no name that is known": ("""
        This | That | Said | When
        Alpha | Beta | Alpha | 2024-01-02
        Beta | Alpha | Alpha | 2024-01-03
        """, [], ["1 Alpha=1 Beta=2", "2 Alpha=1 Beta=2"], 1),
    "a column without a name": ("""
         | system | score
        1 | Alpha | 80
        1 | Beta | 60
        """, HIGHER, ["1 Alpha=80 Beta=60"], 1),
    "a direction that the name says": ("""
        segment | system | rating
        1 | Alpha | 80
        1 | Beta | 60
        """, [], ["1 Alpha=80 Beta=60"], 1),
    "two criteria": ("""
        segment | system | adequacy | fluency
        1 | Alpha | 4 | 1
        1 | Beta | 2 | 5
        """, HIGHER, ["1 Alpha=4 Beta=2"], 1),
    "two criteria of each system": ("""
        segment | adequacy Alpha | fluency Alpha | adequacy Beta | fluency Beta
        1 | 4 | 1 | 2 | 5
        """, HIGHER, ["1 Alpha=4 Beta=2"], 1),
    "rows that have an id each": ("""
        id | src | engine | points
        1 | Guten Tag. | Alpha | 4
        2 | Guten Tag. | Beta | 2
        3 | Danke. | Alpha | 1
        4 | Danke. | Beta | 3
        """, HIGHER, ["1 Alpha=4 Beta=2", "2 Alpha=1 Beta=3"], 0),
    "names of columns with marks": ("""
        segment | system | Anna's view, [0-100] | Ben [0-100]
        1 | Alpha | 80 | 70
        1 | Beta | 60 | 75
        """, HIGHER, ["1 Anna's view, [0-100] Alpha=80 Beta=60",
                     "1 Ben [0-100] Alpha=70 Beta=75"], 1),
    "rows that are blank": ("""
        segment | system | score
        1 | Alpha | 4
         | |
        1 | Beta | 2
         | |
        """, HIGHER, ["1 Alpha=4 Beta=2"], 0),
}  # fmt: skip
for _name in ("rating", "preference", "note", "Bewertung", "adequacy", "fluency"):
    SHEETS[f"a column {_name!r}"] = (f"""
        segment | system | {_name}
        1 | Alpha | 4
        1 | Beta | 2
        """, HIGHER, ["1 Alpha=4 Beta=2"], 0)  # fmt: skip


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx"])
@pytest.mark.parametrize("case", SHEETS)
def test_sheets(case, kind, tmp_path):
    text, words, expected, n_hints = SHEETS[case]
    path = written(tmp_path, rows_of(text), kind)
    for _ in range(n_hints):
        error, _ = read(path, words)
        assert isinstance(error, str), figures(error)
        words = joined(words, hint_of(error, LOWER))
    judged, _ = read(path, words)
    assert not isinstance(judged, str), judged
    assert figures(judged) == expected


LEFT_OUT = {
    "a mean below": ["1 row(s) left out that sum up others"],
    "a sum below and means aside": ["1 row(s) left out", "'Mittelwert' is what sums up all others"],
    "cells that were merged": ["4 empty cell(s) of 'Nr', 'Ausgangstext' take what stands above"],
    "systems as columns": [],
}


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_is_changed_is_said(case, tmp_path):
    text, words, _, n_hints = SHEETS[case]
    path = written(tmp_path, rows_of(text), "csv")
    for _ in range(n_hints):
        words = joined(words, hint_of(read(path, words)[0], LOWER))
    _, said = read(path, words)
    assert len(said) == len(LEFT_OUT[case])
    assert all(part in each for part, each in zip(LEFT_OUT[case], said, strict=True))


def test_a_system_that_is_called_as_a_mean_is(tmp_path):
    """It is none of the others' figures, so it is a system; otherwise it is left out, and said."""
    text = "segment | system | score\n1 | Alpha | 80\n1 | Beta | 60\n1 | Average | {}\n"
    judged, said = read(written(tmp_path, rows_of(text.format(90)), "csv"), HIGHER)
    assert figures(judged) == ["1 Alpha=80 Average=90 Beta=60"]
    assert "'Average' is read as a system" in said[0]
    judged, said = read(written(tmp_path, rows_of(text.format(70)), "csv"), HIGHER)
    assert figures(judged) == ["1 Alpha=80 Beta=60"]
    assert "'Average' is what sums up all others in each task, and was left out" in said[0]


def test_merged_cells_of_a_spreadsheet(tmp_path):
    rows = rows_of("""
        Evaluation of spring | | |
        segment | judge | system | score
        1 | Ann | Alpha | 80
         | | Beta | 60
         | Bob | Alpha | 10
         | | Beta | 20
        """)
    path = written(tmp_path, rows, "xlsx", ["A1:D1", "A3:A6", "B3:B4", "B5:B6"])
    judged, said = read(path, HIGHER)
    assert figures(judged) == ["1 Ann Alpha=80 Beta=60", "1 Bob Alpha=10 Beta=20"]
    assert said == []  # the file itself says so


def test_blanks_that_may_be_another_segment_are_not_filled(tmp_path):
    """Each of two segments has both systems, but only the first has a label."""
    rows = rows_of("segment|system|score\n1|Alpha|80\n|Beta|60\n|Alpha|70\n|Beta|75")
    error, _ = read(written(tmp_path, rows, "csv"), HIGHER)
    assert "line 3: column 'segment': expected a name" in error


def test_the_first_sheet_may_be_another_one(tmp_path):
    path = tmp_path / "mine.xlsx"
    for first in (["How to use this", "Read it."], None):
        book = openpyxl.Workbook()
        book.active.title = "Read me"
        if first:
            book.active.append(first)
        sheet = book.create_sheet("My ratings")
        for row in (["segment", "system", "score"], [1, "Alpha", 80], [1, "Beta", 60]):
            sheet.append(row)
        book.save(path)
        error, _ = read(path, HIGHER)
        assert "the sheet 'Read me'" in error and "'My ratings'" in error
        words = joined(HIGHER, hint_of(error, LOWER))
        assert words == [*HIGHER, "--sheet", "My ratings"]
        assert figures(read(path, words)[0]) == ["1 Alpha=80 Beta=60"]
    assert "--sheet" in PARSER.format_help()


def test_words_that_are_unknown_are_asked_for(tmp_path):
    """The hint is none that could be typed and be wrong: it lists what each word may be."""
    rows = rows_of("id|system_a|system_b|winner\n1|Alpha|Beta|so\n2|Alpha|Beta|la la")
    path = written(tmp_path, rows, "csv")
    error, _ = read(path, [])
    assert "--verdicts 'so=a|b|tie|both_bad' 'la la=a|b|tie|both_bad'." in error
    error, _ = read(path, ["--verdicts", "so=b", "la la=tie"])
    assert figures(error) == ["1 Alpha=2 Beta=1", "2 Alpha=1 Beta=1"]


def test_numbers_that_are_explained(tmp_path):
    rows = rows_of("id|preference\n1|-1\n2|1\n3|0\n4|-2")
    path = written(tmp_path, rows, "csv")
    expected = ["1 A=2 B=1", "2 A=1 B=2", "3 A=1 B=1", "4 A=2 B=1"]
    for words in (["-1=b", "1=a", "0=tie", "-2=b"], ["-=b", "+=a"], ["0=tie", "+=a", "-=b"]):
        assert figures(read(path, ["--verdicts", *words])[0]) == expected


def test_lines_as_comet_has_them(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"src": "a", "mt": "x", "ref": "r", "score": 0.9}\n'
        '{"src": "b", "mt": "y", "ref": "s", "score": 0.2}\n'
        '{"src": "a", "mt": "z", "ref": "r", "score": 0.5}\n'
    )
    judged, _ = read(path, HIGHER)
    assert figures(judged) == ["1 1/1=0.9", "1 1/2=0.5", "2 2/1=0.2"] or figures(judged) == [
        "1 1/1=0.9 1/2=0.5", "2 2/1=0.2"
    ]  # fmt: skip
    assert judged.X["hypothesis"].tolist() == ["x", "y", "z"]


@pytest.mark.parametrize("case", ["a title", "the best of three, by name", "five words"])
def test_frames_are_read_alike(case):
    header, *rows = [row for row in rows_of(SHEETS[case][0]) if sum(map(bool, row)) > 1]
    frame = pd.DataFrame(rows, columns=header)
    better = {} if not SHEETS[case][1] else {"better": SHEETS[case][1][1]}
    assert figures(load_judgements(frame, **better)) == SHEETS[case][2]


NEVER_SILENT = {
    "half of a pair": ("id|model_a|modelqb|winner\n1|Alpha|Beta|a\n2|Beta|Alpha|b",
                       "--columns system=model_a,modelqb"),
    "judgements above the header": ("3|Ann|2|4\n1|Ann|3|\nsegment|judge|score_A|score_B\n2|Bob|3|3",
                                    "looks like a judgement"),
    "segments as columns": ("system|1|2|3\nAlpha|4|5|3\nBeta|2|4|4", "it names no judgement"),
    "two numbers for one scale": ("segment|system|z_score|raw_score\n1|Alpha|.4|70\n1|Beta|-.4|50",
                                  "--columns judgement=z_score, "),
    "a column twice": ("segment|system|score|score\n1|Alpha|4|3", "have one name: 'score'"),
    "nothing but blanks": ("| |\n| |", "it is empty"),
    "mixed decimal marks": ("segment|Alpha score|Beta score\n1|4,5|3.5", "--decimal . or"),
    "units that differ": ("segment|system|score\n1|Alpha|95 %\n1|Beta|4/5", "expected a number"),
}  # fmt: skip


@pytest.mark.parametrize("case", NEVER_SILENT)
def test_what_is_asked_for_is_never_guessed(case, tmp_path):
    text, message = NEVER_SILENT[case]
    error, _ = read(written(tmp_path, rows_of(text), "csv"), HIGHER)
    assert isinstance(error, str) and message in error, error


@pytest.mark.parametrize("name", ["prompt_id", "Source ID", "reference nr", "prompt key"])
def test_the_number_of_a_text_is_its_segment(name, tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(f"{name},system_a,system_b,winner\n7,x,y,x\n7,x,z,x\n8,x,y,y\n")
    found = load_rankings(path)
    assert found.X.index.get_level_values("segment").unique().tolist() == [7, 8]
