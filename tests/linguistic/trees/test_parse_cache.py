import os
import signal
import sqlite3
import subprocess
import sys
import zlib

import numpy as np
import pytest

from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED, TIMEOUT
from sklearn_mteval.text import record_cache
from sklearn_mteval.trees import CachedParser, Parses

HOSTILE = ["", " ", "a\0b", "\ud800", "日本語", "x" * 10_000, "line\nfeed", "$(rm -rf ~)"]


class CountingParser:
    """Score 0, -1, …: as many as characters; remembers what it was asked."""

    def __init__(self, signature="counting", fail_at=None):
        self.signature = signature
        self.fail_at = fail_at
        self.asked = []

    def parse_nbest(self, sentences, n):
        for sentence in sentences:
            self.asked.append(sentence)
            if sentence == self.fail_at:
                raise KeyboardInterrupt
            count = min(len(sentence), n)
            if sentence.startswith("x"):
                yield Parses(TIMEOUT if len(sentence) > 9 else FAILED, 0, np.zeros(0), "")
            else:
                yield Parses(PARSED, count, -np.arange(count) / 3, f"(S {sentence!r})", 2)


def plain(results):
    return [(p.status, p.count, p.scores.tolist(), p.tree, p.skipped_words) for p in results]


def test_parsed_once_and_equal(tmp_path):
    parser = CountingParser()
    sentences = ["abc", *HOSTILE, "x", "abc", "x" * 20]
    expected = plain(CountingParser().parse_nbest(sentences, 7))
    for _ in range(2):
        cached = CachedParser(parser, tmp_path / "new" / "folder")
        assert plain(cached.parse_nbest(iter(sentences), 7)) == expected
        assert parser.asked == list(dict.fromkeys(sentences))
    assert plain(cached.parse_nbest(sentences[::-1], 7)) == expected[::-1]
    assert cached.signature == "counting"


def test_key_holds_n_and_signature(tmp_path):
    first, second = CountingParser("a"), CountingParser("b")
    for parser, n, asked in [(first, 1, 1), (first, 2, 2), (first, 1, 2), (second, 1, 1)]:
        [parses] = CachedParser(parser, tmp_path).parse_nbest(["abc"], n)
        assert parses.count == n and len(parser.asked) == asked


def test_interrupt_loses_nothing(tmp_path):
    parser = CountingParser(fail_at="stop")
    with pytest.raises(KeyboardInterrupt):
        list(CachedParser(parser, tmp_path).parse_nbest(["a", "b", "stop", "c"], 5))
    again = CountingParser()
    list(CachedParser(again, tmp_path).parse_nbest(["a", "b", "stop", "c"], 5))
    assert again.asked == ["stop", "c"]


def test_caller_who_stops_asking_loses_nothing(tmp_path):
    parses = CachedParser(CountingParser(), tmp_path).parse_nbest(["a", "b", "c"], 5)
    next(parses), next(parses)
    parses.close()
    again = CountingParser()
    list(CachedParser(again, tmp_path).parse_nbest(["a", "b", "c"], 5))
    assert again.asked == ["c"]


KILLED = """
import sys, time
import numpy as np
from sklearn_mteval.trees import CachedParser, Parses
from sklearn_mteval.linguistic.trees import cache, cache

cache._COMMIT = 0.2

class Slow:
    signature = "slow"
    def parse_nbest(self, sentences, n):
        for k, sentence in enumerate(sentences):
            if k == 3:
                time.sleep(0.3)  # the next is written at once
            if k == 4:
                print("now", flush=True)
                time.sleep(600)
            yield Parses("parsed", 1, np.zeros(1), "(S x)")

list(CachedParser(Slow(), sys.argv[1]).parse_nbest(list("abcdef"), 5))
"""


@pytest.mark.slow
def test_killed_process_leaves_what_it_wrote(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout.readline() == b"now\n"
        os.kill(process.pid, signal.SIGKILL)
    parser = CountingParser("slow")
    list(CachedParser(parser, tmp_path).parse_nbest(list("abcdef"), 5))
    assert parser.asked == ["e", "f"]


def test_two_writers(tmp_path):
    one = CachedParser(CountingParser(), tmp_path).parse_nbest(["a", "bb", "ccc"], 5)
    two = CachedParser(CountingParser(), tmp_path).parse_nbest(["ccc", "bb", "a"], 5)
    found = [(next(one).count, next(two).count) for _ in range(3)]
    assert found == [(1, 3), (2, 2), (3, 1)]
    assert not list(one) and not list(two)


def test_damaged_record_is_parsed_anew(tmp_path):
    cached = CachedParser(CountingParser(), tmp_path)
    expected = plain(cached.parse_nbest(["a", "b", "c"], 5))
    [file] = tmp_path.iterdir()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE records SET record = x'00' WHERE rowid = 2")
        connection.execute("UPDATE records SET record = 5 WHERE rowid = 3")
    connection.close()
    parser = CountingParser()
    assert plain(CachedParser(parser, tmp_path).parse_nbest(["a", "b", "c"], 5)) == expected
    assert parser.asked == ["b", "c"]


CRAFTED = [
    b"[" * 100_000,
    b'["parsed", 1, "(S a)"]\n',
    b'["parsed", -1, "(S a)", 0]\n',
    b'["other", 1, "(S a)", 0]\n',
    b'["parsed", 1, 5, 0]\n',
    b'["parsed", 1, "(S a)", 0]\n\0\0\0',
    b'["parsed", 1, "(S a)", 0]\n' + np.array([np.nan]).tobytes(),
    bytes(2 << 20),
]


@pytest.mark.parametrize("record", CRAFTED, ids=lambda record: repr(record[:30]))
def test_crafted_record_is_parsed_anew(tmp_path, record, monkeypatch):
    monkeypatch.setattr(record_cache, "_MOST_BYTES", 1 << 20)
    expected = plain(CachedParser(CountingParser(), tmp_path).parse_nbest(["a"], 5))
    [file] = tmp_path.iterdir()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE records SET record = ?", (zlib.compress(record),))
    connection.close()
    assert plain(CachedParser(CountingParser(), tmp_path).parse_nbest(["a"], 5)) == expected


def test_damaged_file_is_named(tmp_path):
    list(CachedParser(CountingParser(), tmp_path).parse_nbest(["a"], 5))
    [file] = tmp_path.iterdir()
    file.write_bytes(b"no database" * 1000)
    with pytest.raises(ValueError, match=rf"{file.name} cannot be used .* delete it"):
        list(CachedParser(CountingParser(), tmp_path).parse_nbest(["a"], 5))
    with pytest.raises(ValueError, match="cannot be used"):
        list(CachedParser(CountingParser(), file).parse_nbest(["a"], 5))


def test_progress_counts_missing_sentences_only(tmp_path, capsys):
    list(CachedParser(CountingParser(), tmp_path).parse_nbest(["a", "b"], 5))
    assert capsys.readouterr().err == ""
    list(CachedParser(CountingParser(), tmp_path, progress=True).parse_nbest(["a", "b", "c"], 5))
    assert "parsing, 1 of 1 sentences" in capsys.readouterr().err
