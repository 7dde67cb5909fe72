import pytest
from stale_kernels import drop_stale_kernels

KERNEL = "from sklearn_mteval._helpers.compiled import compiled\n"


@pytest.fixture
def package(tmp_path):
    (tmp_path / "room" / "__pycache__").mkdir(parents=True)
    (tmp_path / "room" / "kernel.py").write_text(KERNEL)
    (tmp_path / "room" / "other.py").write_text("")
    for end in ("nbi", "1.nbc"):
        (tmp_path / "room" / "__pycache__" / f"kernel.{end}").touch()
    drop_stale_kernels(tmp_path)
    return tmp_path


def compile_kernels(package):
    (package / "room" / "__pycache__" / "kernel.nbi").touch()


def kept(package):
    return [path.name for path in package.rglob("*.nb*")]


def test_kernels_of_unknown_sources_go(package):
    assert not kept(package)


def test_kernels_stay_where_no_kernel_changed(package):
    compile_kernels(package)
    (package / "room" / "other.py").write_text("x = 1")
    drop_stale_kernels(package)
    assert kept(package) == ["kernel.nbi"]


@pytest.mark.parametrize("name", ["kernel", "new"])
def test_kernels_of_all_files_go_when_one_changes(package, name):
    compile_kernels(package)
    (package / "room" / f"{name}.py").write_text(KERNEL + "x = 1")
    drop_stale_kernels(package)
    assert not kept(package)
