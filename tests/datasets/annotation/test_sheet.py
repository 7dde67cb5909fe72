"""A campaign as a spreadsheet: blind, harmless, and read back however it was saved."""

import csv
import io
import json
import re
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_judgements, load_rankings
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.exceptions import DataFileError

SYSTEMS = ["best", "good", "poor"]
WINNER = "winner (a/b/tie)"
HOSTILE = ["=1+1", "- no, she said", "+49 30 1234", "@home", "3.10", "'=1+1", "''quoted", "May 5"]
WORDS = ["an", "old", "river", "ran", "below", "the", "quiet", "town"]


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    """Write a campaign of 20 segments of three systems for two annotators."""
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate(SYSTEMS):
        lines = [" ".join([*WORDS[k:], *WORDS[:k], f"of line {n}"]) for n in range(20)]
        lines[k : k + len(HOSTILE)] = [f"{text}{'~' * k}" for text in HOSTILE]
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    sources = "".join(f'Quelle "{n}", <b>; {"lang " * 10}\n' for n in range(20))
    Path("source").write_text(sources, encoding="utf-8")
    Path("reference").write_text(sources.replace("Quelle", "the source"), encoding="utf-8")
    Path("documents").write_text("".join(f"d{n // 4}\n" for n in range(20)), encoding="utf-8")
    files = ["--documents", "documents", "-s", "source", "-r", "reference", "-t", *SYSTEMS]
    assert main(["campaign", "--tool", "sheet", "--budget", "20", "--annotators", "2", *files]) == 0
    return json.loads(Path("campaign.key.json").read_text(encoding="utf-8"))


def rows_of(path="campaign.csv"):
    return list(csv.DictReader(io.StringIO(Path(path).read_bytes().decode("utf-8-sig"))))


def winner_of(row, key):
    """What an annotator says who sees which system is better, or which translation is spoilt."""
    order = {token: SYSTEMS.index(system) for token, system in key["systems"].items()}
    for sound, corrupted, _ in key["checks"].values():
        order |= {sound: 0, corrupted: 1}
    return "a" if order[row["token_a"]] < order[row["token_b"]] else "b"


def filled(key, change=lambda row: None):
    rows = rows_of()
    for row in rows:
        row[WINNER] = winner_of(row, key)
        change(row)
    return rows


def save(rows, delimiter=",", encoding="utf-8-sig"):
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    Path("filled.csv").write_bytes(text.getvalue().encode(encoding))


def read(**options):
    return load_judgements("filled.csv", campaign="campaign.csv", **options)


def test_systems_cannot_be_told_from_the_sheet(campaign):
    rows = rows_of()
    text = Path("campaign.csv").read_text(encoding="utf-8-sig")
    assert not any(name in text for name in SYSTEMS)
    # A token is of one translation of one segment, so that none comes again in another.
    segments = {}
    for row in rows:
        for side in "ab":
            segments.setdefault(row[f"token_{side}"], set()).add(row["segment"])
    assert all(len(found) == 1 for found in segments.values())
    assert not any(row[WINNER] for row in rows)
    # Nor can checks: they have a document and a reference as all rows do.
    assert all(row["document"] and row["source"] and row["reference"] for row in rows)


def test_each_system_is_compared_with_each_other_on_both_sides(campaign):
    pairs, shown = {}, {}
    for row in rows_of():
        systems = [campaign["systems"].get(row[f"token_{side}"]) for side in "ab"]
        if None not in systems:
            name = row["annotator"], row["segment"]
            pairs.setdefault(name, []).append(frozenset(systems))
            shown.setdefault(name, []).append(systems)
    wanted = set(map(frozenset, combinations(SYSTEMS, 2)))
    assert all(set(found) == wanted and len(found) == 3 for found in pairs.values())
    for found in shown.values():  # each once on either side
        assert sorted(a for a, _ in found) == sorted(b for _, b in found) == SYSTEMS
    places = [(row["annotator"], row["document"]) for row in rows_of()]
    blocks = [place for k, place in enumerate(places) if place not in places[k - 1 : k]]
    assert len(blocks) == len(set(places))  # documents are not parted


def test_no_cell_is_a_formula_a_number_or_a_date(campaign):
    rows = rows_of()
    assert not any(cell[:1] in tuple("=+-@\t\r") for row in rows for cell in row.values() if cell)
    shown = {row[f"translation_{side}"] for row in rows for side in "ab"}
    assert {"'=1+1", "'- no, she said", "'3.10", "''=1+1", "'May 5", "''quoted"} <= shown
    save(filled(campaign))
    texts = read().translations["hypothesis"].to_dict()
    for k, name in enumerate(SYSTEMS):
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        there = {segment: text for (segment, system), text in texts.items() if system == name}
        assert there == {segment: lines[segment - 1] for segment in there}
        assert k + 1 in there


def test_the_leaderboard_is_that_of_judgements_by_hand(campaign):
    said = {}

    def unlike(row):  # sometimes a tie, or the worse one
        k = len(said)
        said[k] = ["tie", {"a": "b", "b": "a"}[row[WINNER]], row[WINNER], row[WINNER]][k % 4]
        row[WINNER] = said[k]

    rows = filled(campaign, unlike)
    save(rows)
    found = read()
    names, lines = campaign["systems"], ["segment,annotator,system_a,system_b,winner\n"]
    for row in rows:
        if row["token_a"] in names:
            a, b = names[row["token_a"]], names[row["token_b"]]
            who = {"a": a, "b": b, "tie": "tie"}[row[WINNER]]
            lines.append(f"{row['segment']},{row['annotator']},{a},{b},{who}\n")
    Path("hand.csv").write_text("".join(lines), encoding="utf-8")
    by_hand = load_rankings("hand.csv")
    assert len(found.X) == len(by_hand.X) == 2 * (len(lines) - 1)
    documents = found.documents.droplevel("ranking").reset_index().drop_duplicates()
    assert set(documents["documents"]) <= {f"d{k}" for k in range(5)}
    segments = documents["segment"]
    assert [f"d{(n - 1) // 4}" for n in segments] == documents["documents"].tolist()
    tables = [
        leaderboard(X, y, n_resamples=10).table["score"] for X, y in ((found.X, found.y),
        (by_hand.X, by_hand.y))
    ]  # fmt: skip
    assert dict(tables[0]) == pytest.approx(dict(tables[1]), abs=1e-6)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_saved_again_by_a_spreadsheet(campaign, delimiter):
    save(filled(campaign))
    wanted = read()
    words = iter(["A", "a ", "B", "b"] * 100)

    def change(row):
        word = next(words).strip()
        row[WINNER] = word if word.casefold() == row[WINNER] else row[WINNER].upper()
        row["source"] = row["source"].replace(" lang", "\r\nlang")  # white space

    rows = filled(campaign, change)
    save(rows[::-1], delimiter, "utf-8")
    found = read()
    said = {
        name: sorted(zip(its.y.index.droplevel("ranking"), its.y, strict=True))
        for name, its in (("found", found), ("wanted", wanted))
    }
    assert said["found"] == said["wanted"]


@pytest.mark.parametrize("word", ["tie", "TIE", "=", "same", "both"])
def test_ties(campaign, word):
    def change(row):
        row[WINNER] = word

    save(filled(campaign, change))
    assert (read().y == 1).all()


def test_what_is_empty_or_there_twice_is_left_out_and_told(campaign):
    rows = filled(campaign)
    for row in rows[:7]:
        row[WINNER] = ""
    save([*rows, rows[-1], rows[-2], rows[-1]])
    found = read()
    assert "7 comparison(s) without a winner and 3 row(s) that are there twice left out." in (
        found.warning
    )
    n_checks = sum(row["token_a"] not in campaign["systems"] for row in rows[7:])
    assert len(found.X) == 2 * (len(rows) - 7 - n_checks)


def test_checks(campaign):
    n_checks = len(campaign["checks"])
    assert n_checks >= 2

    def fail(row):
        if row["annotator"] == "2" and row["token_a"] not in campaign["systems"]:
            row[WINNER] = "tie"

    save(filled(campaign, fail))
    assert "1 passed 1 of 1, 2 passed 0 of 1." in read().warning
    found = read(drop_failed=True)
    assert set(found.judges) == {"1"} and "Left out: 2." in found.warning


def broken(rows, **cells):
    rows[3] |= cells
    return rows


def edited(rows, column):
    """Change a text wherever it is, so that no two rows differ in it."""
    text = rows[3][column]
    return [{k: "NEW" if cell == text else cell for k, cell in row.items()} for row in rows]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: broken(rows, translation_a="edited"), "'edited' in line 5"),
        (lambda rows: broken(rows, source="edited"), "'edited' in line 5"),
        (lambda rows: edited(rows, "translation_a"), "line [0-9]+: the texts of '[a-z]{16}' .*NEW"),
        (lambda rows: edited(rows, "source"), "line [0-9]+: the texts of '[a-z]{16}'"),
        (lambda rows: broken(rows, token_b=rows[9]["token_b"]), "line 5: the texts of"),
        (lambda rows: broken(rows, token_b=""), "line 5: .*expected a name"),
        (lambda rows: broken(rows, segment="999"), "segment '999' is none of the campaign"),
        (lambda rows: broken(rows, **{WINNER: "perhaps"}), "line 5: .*unknown outcome 'perhaps'"),
        (lambda rows: [*rows, rows[3] | {WINNER: "tie"}], "says something else there: delete one"),
        (lambda rows: [row | {WINNER: ""} for row in rows], "there is no judgement"),
    ],
)
def test_what_was_damaged(campaign, change, said):
    save(change(filled(campaign)))
    with pytest.raises(DataFileError, match=said):
        read()


def test_of_five_systems_each_is_compared_with_two_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for k, name in enumerate("abcde"):
        words = " ".join([*WORDS[k:], *WORDS[:k]])
        lines = [f"{words} of line {n}\n" for n in range(40)]
        Path(name).write_text("".join(lines), encoding="utf-8")
    arguments = ["--tool", "sheet", "--budget", "40", "--checks", "0", "-t", *"abcde"]
    assert main(["campaign", *arguments]) == 0
    key = json.loads(Path("campaign.key.json").read_text(encoding="utf-8"))["systems"]
    rows = [(row["segment"], key[row["token_a"]], key[row["token_b"]]) for row in rows_of()]
    for segment in {row[0] for row in rows}:
        sides = [[row[k] for row in rows if row[0] == segment] for k in (1, 2)]
        assert sorted(sides[0]) == sorted(sides[1]) == list("abcde")
    pairs = [frozenset(row[1:]) for row in rows]
    assert set(pairs) == set(map(frozenset, combinations("abcde", 2)))  # over 40 segments all ten


def test_a_table_in_memory(campaign):
    rows = filled(campaign)
    frame = pd.DataFrame(rows)
    save(rows)
    found = load_judgements(frame, campaign="campaign.csv")
    assert found.y.tolist() == read().y.tolist()
    with pytest.raises(DataFileError, match="the table: the texts of"):
        load_judgements(frame.assign(source="edited"), campaign="campaign.csv")


def test_the_key_of_another_campaign(campaign):
    save(filled(campaign))
    arguments = "campaign --tool sheet -s source --budget 9 --seed 5 -o other.csv -t"
    assert main([*arguments.split(), *SYSTEMS]) == 0
    with pytest.raises(DataFileError, match="is none of the campaign 'other'"):
        load_judgements("filled.csv", campaign="other.csv")
    with pytest.raises(ValueError, match="drop_failed= needs campaign="):
        load_judgements("filled.csv", drop_failed=True)


def test_a_text_that_no_cell_holds(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a").write_text("word " * 6600 + "\n", encoding="utf-8")
    Path("b").write_text("word\n", encoding="utf-8")
    assert main(["campaign", "--tool", "sheet", "--budget", "1", "-t", "a", "b"]) == 1
    assert re.search("too long for a spreadsheet.*32767", capsys.readouterr().err)
    assert not list(Path().glob("campaign*"))
