import os
import threading

import pytest

from sklearn_mteval._helpers import atomic
from sklearn_mteval._helpers.atomic import write_atomically


def test_new_and_old_files(tmp_path):
    file = tmp_path / "out"
    for content in (b"old", b"new"):
        write_atomically(file, content)
        assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_permissions_are_the_users(tmp_path):
    file = tmp_path / "out"
    before = os.umask(0o077)
    try:
        write_atomically(file, b"new")
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    write_atomically(file, b"newer")
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to():
    write_atomically("/dev/null", b"content")
    assert not os.path.isfile("/dev/null")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_pipe_waits_for_its_reader_and_not_for_ever(tmp_path, monkeypatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Timer(0.2, lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"content")
    reader.join()
    assert found == [b"content"] and pipe.is_fifo()
    monkeypatch.setattr(atomic, "NO_READER", 0.2)
    with pytest.raises(OSError, match=r"nobody has read from for 0.2 seconds"):
        write_atomically(pipe, b"content")


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "out"
    write_atomically(file, b"old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such folder.*none/out"):
        write_atomically(tmp_path / "none" / "out", b"")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        write_atomically(tmp_path, b"")
