import os
import subprocess
import sys

import numba
import pytest

from sklearn_mteval._helpers import compiled as compiling


def double(x):
    return 2 * x


def test_kernels_are_cached():
    assert compiling.compiled(double)(4) == 8


def test_kernels_work_where_nothing_can_be_cached(monkeypatch):
    unpatched = numba.njit

    def njit(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return unpatched(**options)

    monkeypatch.setattr(numba, "njit", njit)
    kernel = compiling.compiled(double)
    assert kernel(4) == 8 == kernel.py_func(4)


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_other_errors_are_not_hidden(monkeypatch, error):
    def njit(**_):
        raise error

    monkeypatch.setattr(numba, "njit", njit)
    with pytest.raises(error):
        compiling.compiled(double)


KERNELS = """
import sys
from sklearn_mteval._helpers.compiled import compiled

@compiled
def inner(x):
    return x + 1

@compiled
def outer(x):
    return 2 * inner(x)

if __name__ == "__main__":
    assert outer(4) == 10 and outer(0.5) == 3.0
    print(*(sum(k.stats.cache_hits.values()) for k in (inner, outer)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("writable", [True, False])
def test_compiling_is_told_once_and_only_where_there_is_something_to_compile(tmp_path, writable):
    told = """
import sklearn_mteval._helpers.compiled as compiling
compiling.on_compiling = lambda: print("compiling")
import kernels
assert kernels.outer(4) == 10 and kernels.outer(0.5) == 3.0 and kernels.inner(1j) == 1 + 1j
"""
    (tmp_path / "kernels.py").write_text(KERNELS)
    if not writable:
        told = "import numba.core.caching as c; c.CacheImpl._locator_classes = []\n" + told
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    run = [subprocess.run([sys.executable, "-c", told], env=environment, capture_output=True,
                          text=True, check=True).stdout for _ in range(2)]  # fmt: skip
    assert run == ["compiling\n", "" if writable else "compiling\n"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A module of kernels and numba's cache of them, filled."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "kernels.py").write_text(KERNELS)
    assert hits(folder) == "0 0"
    assert hits(folder).split()[1] == "2"
    return folder


def hits(folder):
    """Run the kernels in a process of its own; say how many were found in the cache."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    run = subprocess.run(
        [sys.executable, folder / "kernels.py"], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.strip()


def swap(files):
    """Machine code of one signature under the name of another."""
    first, second = (file.read_bytes() for file in files)
    files[0].write_bytes(second)
    files[1].write_bytes(first)


def each(change):
    def change_all(files):
        for file in files:
            file.write_bytes(change(file.read_bytes()))

    return change_all


def flipped(content):
    """One bit in the middle: in machine code, where it is that."""
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :]


def locked(files):
    for file in files:
        file.chmod(0)


def folders(files):
    for file in files:
        file.unlink()
        file.mkdir()


DAMAGES = {
    "cut": each(lambda content: content[: len(content) // 2]),
    "cut at the end": each(lambda content: content[:-1]),
    "empty": each(lambda content: b""),
    "garbage": each(lambda content: b"\xff\x00garbage" * 99),
    "text": each(lambda content: b"cos\nabc\n."),
    "zeros": each(lambda content: bytes(len(content))),
    "a bit": each(flipped),
    "unreadable": locked,  # root reads it all the same
    "folders": folders,
    "gone": lambda files: [file.unlink() for file in files],
}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_compiled_anew(cache, damage, ending):
    DAMAGES[damage](sorted((cache / "cache").rglob(f"*.{ending}")))
    hits(cache)  # gives the right numbers
    if damage == "folders":
        for path in (cache / "cache").rglob(f"*.{ending}"):
            path.rmdir()
        hits(cache)
    assert hits(cache).split()[1] == "2"  # and is whole again


@pytest.mark.slow
def test_machine_code_of_another_signature_is_not_run(cache):
    swap(sorted((cache / "cache").rglob("*outer*.nbc")))
    hits(cache)


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernel = compiling.compiled(double)
    monkeypatch.setattr(kernel._cache._cache_file, "_save_index", full)
    assert kernel(4) == 8
