"""The opener of files: limits, pipes, what is no file, what looks like another format."""

import bz2
import gzip
import io
import lzma
import os
import socket
import subprocess
import sys
import threading
import time
import zipfile
from contextlib import closing

import numpy as np
import pytest

from sklearn_mteval._helpers import files
from sklearn_mteval._helpers.files import open_file, read_text
from sklearn_mteval.datasets import load_scores, load_translations
from sklearn_mteval.datasets._files import read_lines, rows_of
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.features import SurfaceCounts
from sklearn_mteval.linguistic.language_models.file_model import FileModel
from sklearn_mteval.text import estimate, load_word_vectors
from sklearn_mteval.trees import BracketedTrees

needs_posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")


def read_vocabulary(path):
    import pandas as pd

    return SurfaceCounts(vocabulary=path).fit(pd.DataFrame({"source": ["a"], "hypothesis": ["b"]}))


def read_trees(path):
    return list(BracketedTrees(path).parse_nbest(["a"], 1))


ONCE = {  # readers that may be given a pipe
    "lines": read_lines,
    "table": lambda path: rows_of(path, read_lines(path), ["a"]),
    "scores": lambda path: load_scores(path, ["A"], 1),
    "translations": lambda path: load_translations([path, __file__]),
    "vocabulary": read_vocabulary,
    "corpus": estimate,
}
READERS = ONCE | {
    "vectors": load_word_vectors,
    "binary vectors": load_word_vectors,
    "trees": read_trees,
    "model": FileModel,
}


@pytest.fixture
def write(tmp_path):
    def write(content, name="file.txt"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


@pytest.fixture(autouse=True)
def watchdog():
    """Fail, not hang: whoever waits for a pipe is killed by an alarm after a minute."""
    if not hasattr(os, "mkfifo"):
        yield
        return
    import signal

    def stop(*_):
        raise TimeoutError("a reader hangs")

    old = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, old)


def in_the_background(action):
    thread = threading.Thread(target=action)
    thread.start()
    return thread


@needs_posix
@pytest.mark.parametrize("kind", ["folder", "device", "endless", "socket", "loop", "none", "below"])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file(reader, kind, tmp_path, monkeypatch):
    if reader == "model":
        pytest.importorskip("kenlm")
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    (tmp_path / "file").write_text("text")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind("socket")
        path, words = {
            "folder": (tmp_path, "found a folder"),
            "device": ("/dev/null", "found a device"),
            "endless": ("/dev/zero", "found a device"),
            "socket": (tmp_path / "socket", "found a socket"),
            "loop": (tmp_path / "loop", "Too many levels of symbolic links"),
            "none": (tmp_path / "none", "No such file"),
            "below": (tmp_path / "file" / "x", "Not a directory"),
        }[kind]
        with pytest.raises(DataFileError, match=rf"{path}: .*cannot be read.*{words}"):
            READERS[reader](path)


def test_names_that_no_file_can_have():
    with pytest.raises(DataFileError, match=r"cannot be read .*null (byte|character)"):
        read_lines("a\0b")
    with pytest.raises(DataFileError, match=r"cannot be read .*too long"):
        read_lines("a" * 5000)


def test_what_may_not_be_read(write):
    path = write(b"text")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")
    with pytest.raises(DataFileError, match="Permission denied"):
        read_lines(path)


@needs_posix
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_without_a_writer_is_an_error_within_seconds(reader, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "NO_WRITER", 0.2)
    os.mkfifo(tmp_path / "pipe")
    words = (
        "nothing has written into for 0.2 s" if reader in ONCE else "a pipe, and it is read more"
    )
    with pytest.raises(DataFileError, match=words):
        READERS[reader](tmp_path / "pipe")


@needs_posix
def test_a_slow_writer_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "NO_WRITER", 60)
    os.mkfifo(tmp_path / "pipe")

    def dawdle():
        time.sleep(0.3)  # the reader is there first
        with open(tmp_path / "pipe", "wb", buffering=0) as pipe:
            time.sleep(0.3)  # it has a writer, and nothing to read
            pipe.write(b"A 0.5\nA ")
            time.sleep(0.3)
            pipe.write(b"0.25\n")

    writer = in_the_background(dawdle)
    table = load_scores(tmp_path / "pipe", ["A"], 2)
    writer.join()
    assert table["pipe"].tolist() == [0.5, 0.25]


@needs_posix
def test_an_empty_pipe_is_an_empty_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = in_the_background(lambda: open(tmp_path / "pipe", "wb").close())
    assert read_lines(tmp_path / "pipe") == []
    writer.join()


@needs_posix
def test_a_pipe_where_there_is_no_way_to_wait_for_it(tmp_path, monkeypatch):
    """As on Windows, where opening and reading wait."""
    monkeypatch.delattr("select.poll")
    monkeypatch.delattr("os.O_NONBLOCK")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"text\n" * 50000,))
    writer.start()
    assert read_text(pipe) == "text\n" * 50000
    writer.join()


@needs_posix
def test_several_pipes_and_standard_input(tmp_path, monkeypatch):
    names = ["a", "b"]
    for name in names:
        os.mkfifo(tmp_path / name)
    writers = [
        in_the_background(lambda name=name: (tmp_path / name).write_text(f"{name} 1\n{name} 2\n"))
        for name in names
    ]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"r 1\nr 2\n")))
    X = load_translations([tmp_path / name for name in names], references=["-"])
    for writer in writers:
        writer.join()
    assert X.loc[2].to_dict("index") == {
        "a": {"reference": "r 2", "hypothesis": "a 2"},
        "b": {"reference": "r 2", "hypothesis": "b 2"},
    }


def test_standard_input_once(monkeypatch, write):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"A 1\n")))
    assert load_scores("-", ["A"], 1).to_numpy().tolist() == [[1]]
    with pytest.raises(ValueError, match=r'Standard input, "-", is given twice'):
        load_translations(["-", write(b"x")], "-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataFileError, match="standard input is closed"):
        read_lines("-")


ZIP = io.BytesIO()
with zipfile.ZipFile(ZIP, "w") as archive:
    archive.writestr("a", "A 1\n")
TEXT = "A 1\nB 2\n"
OTHER_KINDS = {
    "UTF-16 text.*iconv -f utf-16 ": TEXT.encode("utf-16"),
    "UTF-16 text.*iconv -f utf-16le ": TEXT.encode("utf-16-le"),
    "UTF-16 text.*iconv -f utf-16be ": TEXT.encode("utf-16-be"),
    "UTF-32 text.*iconv -f utf-32 ": TEXT.encode("utf-32"),
    "a zip file.*unzip": ZIP.getvalue(),
    "a bzip2 file.*bunzip2": bz2.compress(TEXT.encode()),
    "an xz file.*unxz": lzma.compress(TEXT.encode()),
    "a zstd file.*unzstd": bytes.fromhex("28b52ffd0408410000412031 0a42203200"),
    "a gzip file.*gunzip": gzip.compress(TEXT.encode()),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_other_kinds_of_files_are_recognised(reader, kind, write):
    content = OTHER_KINDS[kind]
    if kind.startswith("a gzip"):
        content = gzip.compress(content)  # once they do take it
    path = write(content, "f.bin" if reader.startswith("binary") else "f.txt")
    with pytest.raises(DataFileError, match=f"line 1: looks like {kind}"):
        READERS[reader](path)


@pytest.mark.parametrize("name", ["f.txt.gz", "f.txt"])
def test_text_files_may_be_compressed(write, name):
    path = write(gzip.compress(b"\xef\xbb\xbfa\tb\r\n\xc3\xa9\tx\n"), name)
    assert read_lines(path) == ["a\tb", "\xe9\tx"]
    header, rows = rows_of(path, read_lines(path), ["a"], delimiter="\t")
    assert (header, list(rows)) == (["a", "b"], [(2, ["\xe9", "x"])])
    path = write(gzip.compress(b"(S (A a))"), name)
    assert [str(parse.tree) for parse in read_trees(path)] == ["(S (A a))"]
    path = write(gzip.compress(b"A 1\nA 2\n"), "comet.seg.score.gz")
    assert load_scores(path, ["A"], 2).to_dict("list") == {"comet": [1, 2]}


@pytest.mark.parametrize("reader", ["lines", "table", "scores", "vocabulary", "trees"])
def test_compressed_texts_keep_the_limits(write, reader):
    whole = gzip.compress(b"a b c d e f g\n" * 3_000_000)  # 40 MB in 40 kB
    with pytest.raises(DataFileError, match="decompressed, the file holds more than 16 MiB"):
        READERS[reader](write(whole))
    with pytest.raises(DataFileError, match="damaged gzip file"):
        READERS[reader](write(gzip.compress(b"a,b\n" * 9)[:-5]))
    with pytest.raises(DataFileError, match="looks like UTF-16 text"):
        READERS[reader](write(gzip.compress("a,b\n".encode("utf-16"))))


def test_a_word_that_begins_like_a_bzip2_file(write):
    assert read_lines(write(b"BZh91 is a word\n")) == ["BZh91 is a word"]


def test_nul(write):
    with pytest.raises(DataFileError, match="line 3: expected text, found a NUL byte"):
        read_lines(write(b"one\ntwo\nth\0ree\n"))


def everything(path, **options):
    with open_file(path, **options) as file:
        return b"".join(iter(lambda: file.read(7), b""))


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("more", [0, 1])
def test_size(write, zipped, more):
    content = (b"x" * 9 + b"\n") * 10 + b"y" * more
    path = write(gzip.compress(content) if zipped else content)
    if not more:
        assert everything(path, zipped=True, max_bytes=100) == content
        return
    with pytest.raises(DataFileError, match=r"file holds more than 100 bytes.* max_bytes="):
        everything(path, zipped=True, max_bytes=100)


@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
def test_length_of_a_line(write, monkeypatch, piece):
    monkeypatch.setattr(files, "MAX_LINE", 10)
    monkeypatch.setattr(files, "_PIECE", piece)
    good = b"a\n\n" + b"x" * 10 + b"\n" + b"y" * 10
    assert everything(write(good)) == good
    with pytest.raises(DataFileError, match=r"line 3: the line has more than 10 bytes.*max_bytes="):
        everything(write(good.replace(b"x\n", b"x" * max(piece, 2) + b"\n")))
    assert everything(write(good + b"y" * 50), lines=False) == good + b"y" * 50
    assert everything(write(good + b"y" * 50), max_bytes=100) == good + b"y" * 50


def test_ratio(write, monkeypatch):
    monkeypatch.setattr(files, "MIN_ZIPPED", 1000)
    content = b"ab\n" * 300_000
    path = write(gzip.compress(content))
    assert len(content) > files.MAX_RATIO * path.stat().st_size > 10_000
    with pytest.raises(DataFileError, match=r"decompressed, the file holds more than [0-9]+ byt"):
        everything(path, zipped=True)
    assert everything(path, zipped=True, max_bytes=len(content)) == content
    assert len(everything(write(gzip.compress(b"ab\n" * 300)), zipped=True)) == 900


@pytest.mark.parametrize("max_bytes", [0, -1, 1.5, "1", True])
def test_max_bytes_is_a_number(write, max_bytes):
    with pytest.raises(ValueError, match="max_bytes must be an integer >= 1"):
        read_lines(write(b"x"), max_bytes=max_bytes)


@pytest.mark.parametrize(
    ("call", "content"),
    [
        (lambda p, n: read_lines(p, max_bytes=n), b"one\ntwo\n"),
        (lambda p, n: load_scores(p, ["A"], 2, max_bytes=n), b"A 1\nA 2\n"),
        (lambda p, n: load_translations([p, os.fspath(p) + "2"], max_bytes=n), b"one\ntwo\n"),
        (lambda p, n: load_word_vectors(p, max_bytes=n), b"a 1\nb 2\n"),
        (lambda p, n: estimate(p, max_bytes=n, order=1), b"one\ntwo\n"),
        (lambda p, n: list(BracketedTrees(p, max_bytes=n).parse_nbest(["a"], 1)), b"(S (A a))"),
    ],
)
def test_every_reader_has_the_limit_and_raises_it(call, content, write):
    path = write(content)
    write(content, f"{path.name}2")
    call(path, len(content))
    with pytest.raises(DataFileError, match=r"holds more than [0-9] bytes.* max_bytes="):
        call(path, len(content) - 1)


def test_a_damaged_gzip_file(write):
    whole = gzip.compress(os.urandom(100_000))
    for damaged in (whole[:-4], whole[: len(whole) // 2], whole[:5], whole + b"x" * 20):
        with pytest.raises(DataFileError, match=r"damaged gzip file .*Fetch it again"):
            everything(write(damaged), zipped=True, lines=False)


def test_a_byte_order_mark_and_a_bad_byte(write):
    assert read_text(write(b"\xef\xbb\xbfa\nb")) == "a\nb"
    with pytest.raises(DataFileError, match="line 2: expected UTF-8, found the byte 0xff"):
        read_text(write(b"a\nb\xff"))
    with pytest.raises(DataFileError, match="line 3: expected UTF-8, found the byte 0xff"):
        estimate(write(b"a\nb\nc\xff\n"))


BOMB = """if True:
    import resource, sys
    resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
    from sklearn_mteval.exceptions import DataFileError
    from sklearn_mteval.text import estimate, load_word_vectors
    from sklearn_mteval.linguistic.language_models.file_model import FileModel
    for read in (estimate, load_word_vectors, FileModel):
        try:
            read(sys.argv[1])
        except DataFileError as error:
            print(error)"""


@pytest.mark.slow
@needs_posix
def test_a_bomb_of_two_megabytes_takes_little_memory(tmp_path):
    """1.9 GB of one line, read where 1.5 GB of addresses are all there is."""
    pytest.importorskip("kenlm")
    with gzip.open(tmp_path / "bomb.txt.gz", "wb") as file:
        for _ in range(1900):
            file.write(b"a" * 1_000_000)
    run = subprocess.run(
        [sys.executable, "-c", BOMB, tmp_path / "bomb.txt.gz"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.stderr == "" and run.returncode == 0
    assert run.stdout.count("bomb.txt.gz, line 1: the line has more than 16 MiB.") == 3


@pytest.mark.parametrize("n", [0, 1, 65_535, 65_536, 65_537, 1_000_000])
@pytest.mark.parametrize("padding", [0, 1, 70_000])
@pytest.mark.parametrize("members", [1, 3])
def test_gzip_files_read_as_pythons_own_module_reads_them(tmp_path, n, padding, members):
    rng = np.random.default_rng(n)
    texts = [b"a" * n, bytes(rng.integers(97, 123, n, dtype=np.uint8)), b"line\n" * (n // 5)]
    file = tmp_path / "file.gz"
    zeros = bytes(padding)
    file.write_bytes(b"".join(gzip.compress(text) + zeros for text in texts[:members]))
    with gzip.open(file) as own, open_file(file, zipped=True, max_bytes=1 << 30) as ours:
        assert ours.read() == own.read()


def test_endless_padding_of_a_gzip_file_is_refused(tmp_path):
    file = tmp_path / "file.gz"
    file.write_bytes(gzip.compress(b"one\n"))
    os.truncate(file, 1 << 40)  # a hole: zeros that no disk holds
    with (
        pytest.raises(DataFileError, match=r"damaged gzip file .*16 MiB of zeros"),
        open_file(file, zipped=True) as content,
    ):
        content.read()


@pytest.mark.parametrize("cut", [1, 8, 20, 1000])
def test_gzip_files_that_end_too_early(tmp_path, cut):
    file = tmp_path / "file.gz"
    text = bytes(np.random.default_rng(0).integers(97, 123, 5000, dtype=np.uint8))
    file.write_bytes(gzip.compress(text)[:-cut])
    with (
        pytest.raises(DataFileError, match="damaged gzip file"),
        open_file(file, zipped=True) as content,
    ):
        content.read()
