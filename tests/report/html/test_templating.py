import itertools

import pytest

from sklearn_mteval.report.formats import Table
from sklearn_mteval.report.html.templating import table_of


def values(*cells):
    table = table_of(Table("t", ["name", "x"], [["a", cell] for cell in cells], names="name"))
    return [row[1]["value"] for row in table["rows"]], table["columns"][1]["numeric"]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.5", 0.5), (".283", 0.283), ("-0.5", -0.5), ("\N{MINUS SIGN}.5", -0.5), ("+2", 2),
        ("1.2e-05", 1.2e-05), ("8.52E-06", 8.52e-06), ("3e+5", 3e5), (".5e2", 50),
        ("1,048", 1048), ("1,234,567.5", 1234567.5), ("12 %", 12), ("12.5%", 12.5),
        ("12 of 30", 12), ("1,048 (3.5 %)", 1048), ("0.74 [0.68, 0.81]", 0.74),
        ("[  9.9, 10.1]", 9.9), ("(-2)", -2), ("-0.1 ± 0.2; 51 %", -0.1), ("  7", 7),
        ("\N{INFINITY}", 1e308), ("-\N{INFINITY}", -1e308), ("= 4", 4), ("p = .04", 0.04),
    ],
)  # fmt: skip
def test_the_number_that_a_cell_begins_with(cell, value):
    assert values(cell) == ([value], True)


@pytest.mark.parametrize(
    "cell",
    ["a", "p", "2nd", "10k", "1.5x", "3.5-turbo", "2024-05-01", "0,5", "1,04", "1.2.3", "5e", "-",
     "e-05", "+", "1_000", "pp < 1", "1e999"],
)  # fmt: skip
def test_what_is_no_number(cell):
    assert values(cell, "1")[1] is False
    assert values(cell)[0] == [None]


def test_a_bound_stands_next_to_its_number():
    cells = ["8.5e-06", "< .001", ".001", "> .001", ".283", "p < .5", "0.5"]
    found, numeric = values(*cells)
    assert numeric and all(a < b for a, b in itertools.pairwise(found))
    assert found[1] == pytest.approx(0.001) and found[3] == pytest.approx(0.001)


def test_cells_that_say_nothing_leave_a_column_of_numbers():
    assert values("1", "", "\N{EN DASH}", "2") == ([1, None, None, 2], True)
    assert values("", "\N{EN DASH}") == ([None, None], False)


def test_a_column_of_texts_is_sorted_as_texts():
    table = table_of(Table("t", ["name", "x"], [["a", "1"]], names="name", texts=("x",)))
    assert not table["columns"][1]["numeric"] and not table["columns"][0]["numeric"]
