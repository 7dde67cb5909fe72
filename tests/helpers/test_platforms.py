"""What Windows lacks or does in its own way, as far as that can be seen on another system."""

import errno
import io
import os
import subprocess
import sys

import pytest

from sklearn_mteval._helpers import platforms
from sklearn_mteval._helpers.atomic import write_atomically
from sklearn_mteval._helpers.platforms import (
    end_group,
    expanded,
    output_as_files,
    patiently,
    reader_is_gone,
)


@pytest.fixture
def windows(monkeypatch):
    monkeypatch.setattr(platforms, "WINDOWS", True)


class InUse:
    """A call that is refused some times, since another process has the file open."""

    def __init__(self, times):
        self.times = times

    def __call__(self, *arguments):
        self.times -= 1
        if self.times >= 0:
            raise PermissionError(errno.EACCES, "in use")
        return arguments


def test_a_file_that_another_process_reads_is_waited_for(windows):
    assert patiently(InUse(3), "one", "two") == ("one", "two")


def test_a_file_in_use_for_good_is_an_error(windows, monkeypatch):
    monkeypatch.setattr(platforms, "_WAIT", 0.05)
    with pytest.raises(PermissionError, match="in use"):
        patiently(InUse(10**9))


def test_elsewhere_nothing_is_waited_for():
    call = InUse(1)
    with pytest.raises(PermissionError):
        patiently(call)
    assert call.times == 0


def test_a_file_is_replaced_while_it_was_read_a_moment_ago(windows, tmp_path, monkeypatch):
    file, busy, replace = tmp_path / "file", InUse(2), os.replace
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", lambda *paths: replace(*busy(*paths)))
    write_atomically(file, b"new")
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (b"new", [file])


def test_a_process_is_ended_where_there_are_no_groups(monkeypatch):
    monkeypatch.delattr(os, "killpg")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        end_group(process)
        assert process.wait() != 0
        end_group(process)  # again: nothing happens


def test_who_reads_no_more(windows, monkeypatch):
    assert reader_is_gone(OSError(errno.EINVAL, "Invalid argument"))
    assert reader_is_gone(OSError(errno.EINVAL, "Invalid argument", "standard output"))
    assert not reader_is_gone(OSError(errno.EINVAL, "Invalid argument", "file"))
    assert not reader_is_gone(OSError(errno.ENOSPC, "No space left", "standard output"))
    monkeypatch.setattr(platforms, "WINDOWS", False)
    assert not reader_is_gone(OSError(errno.EINVAL, "Invalid argument"))
    assert reader_is_gone(OSError(errno.EPIPE, "Broken pipe", "standard output"))


@pytest.mark.parametrize("variable", [None, "cp1252"])
def test_redirected_output_is_as_files_are(windows, monkeypatch, variable):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\r\n", errors="replace")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if variable:  # what a user has asked for
        monkeypatch.setenv("PYTHONIOENCODING", variable)
    output_as_files()
    stream.write("日本\n")
    stream.flush()
    expected = b"??\r\n" if variable else "日本\n".encode()
    assert stream.buffer.getvalue() == expected


def test_no_output_at_all(windows, monkeypatch):
    for stream in (None, io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stream)
        output_as_files()


def test_patterns_are_files(windows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.en", "a.en", "c.de", "[x].en"):
        (tmp_path / name).touch()
    given = ["rank", "-t", "?.en", "*.fr", "[x].en", "Is it?", "--better=*.de", "-s", "c.*"]
    there = ["rank", "-t", "a.en", "b.en", "*.fr", "[x].en", "Is it?", "--better=*.de", "-s"]
    assert expanded(given) == [*there, "c.de"]
    monkeypatch.setattr(platforms, "WINDOWS", False)
    assert expanded(given) == given
