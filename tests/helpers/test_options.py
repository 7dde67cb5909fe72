"""What an error of an option says; other tests ask only that it is named."""

import pytest

from sklearn_mteval._helpers.options import check_one_of


def test_a_value_that_is_none_of_those_allowed_is_said_with_these():
    with pytest.raises(ValueError, match=r"^kind ") as error:
        check_one_of("kind", "c", ("b", "a"))
    assert str(error.value) == "kind must be one of ['a', 'b'], found 'c'."
    check_one_of("kind", "a", ("b", "a"))
