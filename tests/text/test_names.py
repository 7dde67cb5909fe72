import pytest

from sklearn_mteval import text
from sklearn_mteval.text import language_models, vectors


def test_all_names_of_the_rooms_are_here():
    rooms = [*language_models.__all__, *vectors.__all__, "normalize_text"]
    assert sorted(rooms) == text.__all__


@pytest.mark.parametrize("room", [language_models, vectors])
def test_names_are_the_same_objects(room):
    for name in room.__all__:
        assert getattr(text, name) is getattr(room, name)
