"""Values of numbers against numbers that were written by other means."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_mteval.features.content._numbers import _roman, digit_numbers, word_numbers

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
ONES = [*ONES.split(), "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelt(n):
    """Write a number below 10 ** 12 in English words."""
    for size, name in [(10**9, "billion"), (10**6, "million"), (1000, "thousand")]:
        if n >= size:
            rest = n % size
            joint = " and " if 0 < rest < 100 else " "
            return f"{spelt(n // size)} {name}" + (joint + spelt(rest) if rest else "")
    if n >= 100:
        return f"{ONES[n // 100]} hundred" + (f" and {spelt(n % 100)}" if n % 100 else "")
    if n >= 20:
        return TENS[n // 10 - 2] + (f"-{ONES[n % 10]}" if n % 10 else "")
    return ONES[n]


def keys(numbers):
    return [key for key, _, _ in numbers]


@given(st.integers(2, 10**12 - 1))
def test_words_say_what_digits_say(n):
    assert keys(word_numbers(spelt(n).replace("-", " ").split())) == [str(n)]
    ways = [f"{n}", f"{n:,}", f"{n:,}".replace(",", "."), f"{n:,}".replace(",", " "), f"{n:,}.0"]
    for written in ways:
        assert keys(digit_numbers(f"about {written} of them")) == [str(n)], written


@given(st.lists(st.integers(2, 10**6), min_size=1, max_size=4))
def test_numbers_in_words_are_told_apart(numbers):
    words = " or ".join(map(spelt, numbers)).replace("-", " ").split()
    assert keys(word_numbers(words)) == list(map(str, numbers))


@settings(max_examples=50)
@given(
    st.decimals(0, 10**6, places=2),
    st.sampled_from([("thousand", 3), ("mio.", 6), ("billion", 9), ("billionen", 12)]),
    st.sampled_from([".", ","]),
)
def test_powers_of_ten(value, power, mark):
    name, exponent = power
    written = f"{value:f}".replace(".", mark)
    (found,) = digit_numbers(f"{written} {name} x")
    assert Decimal(found[0]) == value * 10**exponent, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.10.2010", ["3", "10", "2010"]),
        ("10/3/2010", ["10", "3", "2010"]),
        ("2010-11-03", ["2010", "11", "3"]),
        ("a320 h1n1 b", []),
        ("1:0 and 12:05", ["1", "0", "t12:05"]),
        ("21: 00", ["t21:00"]),
        ("7 pm, 7pm, 7 p.m.", ["p7:00"] * 3),
        ("13 pm", ["13"]),
        ("90s 90er", ["90", "90"]),
        ("007", ["7"]),
        ("٩ ٣", ["9", "3"]),
        ("0.500 0,5", ["0.5", "0.5"]),
        ("1.234,5 1,234.5", ["1234.5"] * 2),
        ("2010 350", ["2010", "350"]),
    ],
)
def test_digits_by_hand(text, expected):
    assert keys(digit_numbers(text)) == expected


def test_a_number_of_any_length():
    (found,) = digit_numbers("9" * 10_000 + " million")
    assert found[0] == "9" * 10_000 + "0" * 6


def test_roman_numerals_below_400():
    """Written by subtracting the largest part that fits, and read by adding and subtracting."""
    parts = [(100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V")]
    for number in range(1, 400):
        written, rest = "", number
        for value, letters in [*parts, (4, "IV"), (1, "I")]:
            written, rest = written + rest // value * letters, rest % value
        assert _roman(written) == _roman(written + "e") == str(number)


def test_number_words_that_are_not_one_number():
    """To twenty and its like a digit is added, to ten and what is above it nothing."""
    said = {
        "ten five": ["10", "5"],
        "twenty five": ["25"],
        "thirty ten": ["30", "10"],
        "eleven two": ["11", "2"],
        "one hundred ten five": ["110", "5"],
        "one hundred twenty five": ["125"],
    }
    for text, expected in said.items():
        assert keys(word_numbers(text.split())) == expected


def test_years_of_two_centuries_by_two_digits():
    for year, short in (("1987", "87"), ("2014", "14"), ("2009", "9")):
        ((key, others, _),) = digit_numbers(year)
        assert key == year and others == (short,)
    assert digit_numbers("1814")[0][1] == digit_numbers("20145")[0][1] == ()
