import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.report.short_names import common_ends, short_names


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["newstest2013.fr-en.MES.2662", "newstest2013.fr-en.online-A"], ["MES.2662", "online-A"]),
        (["nt.KIT.4017.de-en.txt", "nt.online-B.0.de-en.txt"], ["KIT.4017", "online-B.0"]),
        (["rule.en", "online.en"], ["rule", "online"]),
        (["out/A/x.txt", "out/B/x.txt"], ["A", "B"]),
        (["gpt-4", "gpt-5"], ["gpt-4", "gpt-5"]),  # a number alone is no name
        (["s.1.en", "s.2.en"], ["1.en", "2.en"]),
        (["abcd", "abce"], ["abcd", "abce"]),  # parts are whole
        (["a.b", "a.b.c"], ["b", "b.c"]),
        (["A.en"], ["A.en"]),
        (["A.en", "A.en"], ["A.en", "A.en"]),
        (["x.A", "x."], ["x.A", "x."]),
        ([], []),
    ],
)
def test_what_all_share_is_cut(names, short):
    assert short_names(names) == short


@given(st.lists(st.text("ab1.-_/ é", max_size=8), max_size=6))
def test_names_stay_different_and_can_be_put_together_again(names):
    short, (before, after) = short_names(names), common_ends(names)
    assert [before + name + after for name in short] == names
    assert len(set(short)) == len(set(names))
    if any((before, after)):
        assert all(any(map(str.isalpha, name)) for name in short)
