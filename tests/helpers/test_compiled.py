import numba
import pytest

from sklearn_mteval._helpers import compiled as compiling


def double(x):
    return 2 * x


def test_kernels_are_cached():
    assert compiling.compiled(double)(4) == 8


def test_kernels_work_where_nothing_can_be_cached(monkeypatch):
    def njit(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return numba.njit(**options)

    monkeypatch.setattr(compiling, "njit", njit)
    kernel = compiling.compiled(double)
    assert kernel(4) == 8 == kernel.py_func(4)


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_other_errors_are_not_hidden(monkeypatch, error):
    def njit(**_):
        raise error

    monkeypatch.setattr(compiling, "njit", njit)
    with pytest.raises(error):
        compiling.compiled(double)
