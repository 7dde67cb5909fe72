"""What the site's own extensions make of styles and of public names, seen without a build."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "extensions"))
light, names = (pytest.importorskip(name) for name in ("light", "names"))

STYLE = """@charset "UTF-8"; /* .gone { } */
.kept, .gone > .kept { color: red } .gone:hover, #gone { color: red }
p.kept:not(.gone, :is(.gone)) { margin: 0 } a[href=".gone"] { margin: 1px }
@media print { .gone { margin: 2px } } @media print { .gone { margin: 3px } p { margin: 4px } }
@font-face { font-family: "Font Awesome 7 Free" } @keyframes turn { 50% { top: 5px } to { top: 0 } }
"""
LEFT = """@charset "UTF-8";.kept{ color: red } p.kept:not(.gone, :is(.gone)){ margin: 0 }
a[href=".gone"]{ margin: 1px }@media print{p{ margin: 4px }}
@keyframes turn{ 50% { top: 5px } to { top: 0 } }"""


def test_a_style_keeps_the_rules_for_what_some_page_has():
    left = light.purged(STYLE, {"kept", "p", "other"})
    assert left.split() == " ".join(LEFT.replace("\n", "").split()).replace("} p.", "}p.").split()
    assert light.purged(left, {"kept"}) == left  # as in a second build


@pytest.mark.parametrize(
    ("name", "text", "used"),
    [
        ("BLEUComp", "Take `BLEUComp` here.", True),
        ("BLEUComp", "Take `BLEUComp()` here.", True),
        ("BLEUComp", "Take `MyBLEUComp`, BLEUComp.", False),
        ("rank", "The command `rank` and a column `rank`.", False),
        ("rank", "from sklearn_mteval.models import explain, rank\n", True),
        ("rank", "from sklearn_mteval.models import rank_systems\n", False),
        ("rank", "from sklearn_mteval.models import (\n    explain,\n    rank,\n)\n", True),
        ("rank", "from another import rank\n", False),
    ],
)
def test_a_page_uses_a_name_that_it_imports_or_writes_as_code(name, text, used):
    assert bool(names._uses(name, text)) is used


def test_each_public_name_has_a_page_in_its_room_and_a_line_on_the_rooms_page():
    pages = names.pages()
    rooms = names.rooms()
    assert len(rooms) > 15
    assert "RankRecomposer" in rooms["pairwise"].__all__
    for room, module in rooms.items():
        for name in module.__all__:
            page = pages[f"{room}/{names.stem(module, name)}.rst"]
            assert f"sklearn_mteval.{room}.{name}" in page
            assert f"</api/{room}>" in page
            assert f"\n   {name}\n" in pages[f"{room}.rst"]
            assert f"`{name}`" in pages["names.txt"]
    assert len(pages) == 1 + len(rooms) + sum(len(module.__all__) for module in rooms.values())
    lowered = {path.lower() for path in pages}
    assert len(lowered) == len(pages)  # where files have no capitals
