import pickle

from sklearn_mteval.exceptions import DataFileError


def test_an_error_of_another_process_is_the_same():
    error = DataFileError("table.csv", "expected a number, found 'x'.", 3)
    found = pickle.loads(pickle.dumps(error))
    assert str(found) == str(error) == "table.csv, line 3: expected a number, found 'x'."
    assert (found.path, found.line) == ("table.csv", 3)
