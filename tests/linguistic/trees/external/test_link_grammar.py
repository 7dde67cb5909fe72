import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_mteval.linguistic.trees.external import link_grammar
from sklearn_mteval.linguistic.trees.parses import FAILED, PARSED, TIMEOUT
from sklearn_mteval.trees import LinkGrammar, read_brackets


def installed():
    try:
        return bool(LinkGrammar().signature)
    except ImportError:
        return False


needs_library = pytest.mark.skipif(not installed(), reason="Link Grammar is not installed")
needs_command = pytest.mark.skipif(
    not installed() or not shutil.which("link-parser"), reason="link-parser is not installed"
)

SENTENCES = [
    "This is a test.",
    "Microsoft said that London costs $ 3.5 million.",
    "The cat who saw the dog in the park did not want to go home.",
    "He saw man the telescope with.",
    "Two of the children (small ones) were playing, because it was late.",
    "I have never seen such a thing , she said .",
    "The government said that the new law on the protection of children in the schools of the "
    "country would come into force next year .",
]
LONG = "the man who saw the dog and a cat ran to " * 20  # 200 words: minutes


def plain(parses):
    return [(p.status, p.count, p.scores.tolist(), p.tree, p.skipped_words) for p in parses]


def all_children():
    found = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError):  # a thread that has ended meanwhile
            found |= {int(pid) for pid in file.read_text().split()}
    return found


@pytest.fixture
def children():
    """List the processes that this test has started and that are still there."""
    before = all_children()  # joblib's, of other tests
    return lambda: sorted(all_children() - before)


@needs_library
def test_by_hand():
    """Two readings of "test." differ in their article's link; the others cost 3."""
    [parses] = LinkGrammar().parse_nbest(["This is a test."], 1000)
    assert parses.status == PARSED and parses.count == 4 and parses.skipped_words == 0
    np.testing.assert_array_equal(parses.scores, [0, 0, -3, -3])
    assert parses.tree == "(S (NP (p this)) (VP (v is) (NP (X a) (n test))) (. .))"
    [fewer] = LinkGrammar().parse_nbest(["This is a test."], 2)
    assert fewer.count == len(fewer.scores) <= 2


@pytest.mark.slow
@needs_command
@pytest.mark.parametrize("sentence", SENTENCES)
def test_as_link_parser_says(sentence):
    commands = ["!constituents=3", "!graphics=0", "!spell=0", "!limit=1000", sentence]
    output = subprocess.run(
        ["link-parser", "en", "-verbosity=1"],
        input="\n".join(commands),
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ).stdout
    found, valid, seen = re.search(
        r"Found (\d+) linkages? \((\d+)(?: of (\d+) random linkages)? had no", output
    ).groups()
    count = min(1000, int(found) * int(valid) // int(seen)) if seen else int(valid)
    cost = float(re.search(r"DIS= *(-?[\d.]+)", output)[1])
    left_out = int(re.search(r"UNUSED=(\d+)", output)[1])
    tree = next(line for line in output.splitlines() if line.startswith("(S"))
    [parses] = LinkGrammar().parse_nbest([sentence], 1000)
    assert parses.count == count and len(parses.scores) == int(valid)
    assert parses.skipped_words == left_out
    assert parses.scores[0] == pytest.approx(-cost - 2.7 * left_out, abs=0.006)
    assert (np.diff(parses.scores) <= 0).all()
    # the same brackets and words, without suffixes and guesses
    shown = re.sub(r"(\{[!?~][^}]*\})?(\.[a-z-]+)?(?=[ )])", "", tree).split()
    [read] = read_brackets(parses.tree)
    words = [f"{{{word}}}" if label == "NULL" else word for label, word in read.tagged_words()]
    assert words == [token.rstrip(")") for token in shown if token[0] != "(" and token.rstrip(")")]
    assert [re.sub(r"\(([^() ]+)", r"\1", t) for t in shown if t[0] == "("] == read.constituents()


@needs_library
def test_any_order_and_any_number_of_workers(children):
    expected = plain(LinkGrammar().parse_nbest(SENTENCES, 100))
    two = plain(LinkGrammar(n_jobs=2).parse_nbest(iter(SENTENCES[::-1] * 2), 100))
    assert two == expected[::-1] * 2
    assert children() == []


@needs_library
@pytest.mark.parametrize("n", [np.int64(10), 2**31, 2**40])
def test_any_whole_number_of_parses(n):
    """A grid of numpy's numbers; C's int ends at 2**31 - 1."""
    [parses] = LinkGrammar().parse_nbest(["This is a test."], n)
    assert parses.status == PARSED and parses.count == 4


@needs_library
@pytest.mark.parametrize("space", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u2028"])
def test_every_white_space_is_a_space(space):
    """The library takes some for letters, and its trees were cut in two there."""
    odd, plain_space = LinkGrammar().parse_nbest([f"It{space}works.", "It works."], 10)
    assert plain([odd]) == plain([plain_space])


@needs_library
def test_hostile_texts(tmp_path):
    texts = ["", " \t", "\0", "a\0b", "\ud800 x", "$(rm -rf ~); `touch x` | cat > y", "日本語",
             "line\nfeed\u2028", "x" * 3000, "word " * 1000, "( [ { ) ] }",
             "\x1b[0m\x07"]  # fmt: skip
    found = list(LinkGrammar(timeout=10).parse_nbest(texts, 50))
    assert [p.status for p in found[:3]] == [FAILED] * 3 and found[9].status == FAILED
    for parses in found:
        assert parses.status != TIMEOUT
        assert (parses.status == PARSED) == (parses.count > 0) == bool(parses.tree)
        assert np.isfinite(parses.scores).all() and len(parses.scores) <= parses.count
        assert len(read_brackets(parses.tree)) == (parses.status == PARSED)
    assert not list(Path.cwd().glob("x")) and not list(Path.cwd().glob("y"))


@pytest.mark.slow
@needs_library
def test_time_limit(children):
    parser = LinkGrammar(timeout=1)
    found = list(parser.parse_nbest([LONG, "This is a test."], 10))
    assert [p.status for p in found] == [TIMEOUT, PARSED]
    assert children() == []


@needs_library
def test_caller_who_stops_asking_leaves_no_process(children):
    parses = LinkGrammar(timeout=60, n_jobs=2).parse_nbest(["Go.", LONG, LONG], 10)
    first = LinkGrammar(timeout=60).parse_nbest(["Go.", *["It works."] * 20, LONG], 10)
    assert next(first).status == PARSED
    assert children()
    parses.close()
    first.close()
    assert children() == []


KILLED = f"""
from sklearn_mteval.trees import LinkGrammar
list(LinkGrammar(timeout=100).parse_nbest([{LONG!r}], 10))
"""


@pytest.mark.slow
@needs_library
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_killed_parent_leaves_no_process():
    with subprocess.Popen([sys.executable, "-c", KILLED]) as parent:
        worker = None
        while worker is None:  # until its library is loaded: the parent has handed out the sentence
            time.sleep(0.05)
            assert parent.poll() is None
            for task in Path(f"/proc/{parent.pid}/task").glob("*/children"):
                for pid in task.read_text().split():
                    if "link-grammar" in Path(f"/proc/{pid}/maps").read_text():
                        worker = int(pid)
        parent.kill()
    for _ in range(600):
        status = Path(f"/proc/{worker}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its parent by a minute")


FAKE = """
import json, os, signal, sys, time
print(json.dumps({"version": "fake"}), flush=True)
for line in sys.stdin:
    text, n = json.loads(line)
    if text == "sleep":
        time.sleep(600)
    elif text == "die":
        os._exit(3)
    elif text == "alarm":
        os.kill(os.getpid(), signal.SIGALRM)
    elif text == "half a line":
        print('["parsed", 1', end="", flush=True)
        os._exit(0)
    elif text.startswith("["):
        print(text, flush=True)
    else:
        sys.stderr.write("noise " * 100_000)
        print(json.dumps(["parsed", 1, [0.5], "(S x.n)\\n", 1]), flush=True)
"""


@pytest.fixture
def fake_worker(tmp_path, monkeypatch):
    def install(content):
        file = tmp_path / "worker.py"
        file.write_text(content)
        monkeypatch.setattr(link_grammar, "_WORKER", file)
        link_grammar._version.cache_clear()

    yield install
    link_grammar._version.cache_clear()


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.slow
def test_workers_that_hang_die_or_babble(fake_worker, monkeypatch, n_jobs, children):
    fake_worker(FAKE)
    monkeypatch.setattr(link_grammar, "_GRACE", -8)  # 5 seconds on the wall
    good = (PARSED, 1, [-3.2], "(S (n x))", 1)
    status = {"sleep": TIMEOUT, "alarm": TIMEOUT, "die": FAILED, "half a line": FAILED,
              "[1, 2]": FAILED, "[": FAILED, '["parsed", 1, [], "", 0]': FAILED,
              '["parsed", 1, [1e999], "", 0]': FAILED, '["odd", 0, [], "", 0]': FAILED}  # fmt: skip
    texts = [text for bad in status for text in ("good", bad)] + ["good"]
    parser = LinkGrammar(timeout=1, n_jobs=n_jobs)
    found = plain(parser.parse_nbest(texts, 10))
    assert found == [(status[t], 0, [], "", 0) if t in status else good for t in texts]
    assert children() == []


@pytest.mark.parametrize(
    "content", ["", "print('garbage')", "raise SystemExit(3)", 'print(\'{"error": "no library"}\')']
)
def test_what_is_missing_is_named(fake_worker, content, children):
    fake_worker(content)
    with pytest.raises(ImportError, match="apt-get install link-grammar"):
        list(LinkGrammar().parse_nbest(["a", "b"], 10))
    with pytest.raises(ImportError, match="apt-get install link-grammar"):
        assert LinkGrammar().signature
    assert children() == []


@needs_library
def test_missing_dictionary():
    with pytest.raises(ImportError, match=r"no dictionary of the language 'xx'"):
        next(LinkGrammar("xx").parse_nbest(["a"], 10))


def test_missing_library(fake_worker):
    real = link_grammar._WORKER.read_text()
    fake_worker(real.replace("liblink-grammar.so.5", "libnot-there.so.5"))
    with pytest.raises(ImportError, match=r"libnot-there\.so\.5.*No such file"):
        next(LinkGrammar().parse_nbest(["a"], 10))


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": 1.5}, {"timeout": True},
                                     {"language": "en; ls"}, {"language": None}])  # fmt: skip
def test_wrong_options(options):
    with pytest.raises(ValueError, match="must be"):
        next(LinkGrammar(**options).parse_nbest(["a"], 10))


def test_signature(fake_worker):
    fake_worker(FAKE)
    parser = LinkGrammar(timeout=7, n_jobs=2)
    assert (
        parser.signature
        == clone(parser).set_params(n_jobs=1).signature
        == "fake en timeout=7 counts=2"
    )
    assert json.dumps(parser.get_params())


@pytest.mark.parametrize(
    ("printed", "tree"),
    [
        ("(S (NP Angela.f Merkel{!}) {and} said.v-d .)",
         "(S (NP (f Angela) (X Merkel)) (NULL and) (v-d said) (. .))"),
        ("(S {?} {{} { U.S{!<CAPITALIZED-WORDS>} {c}{!<EMOTICON>})",
         "(S (NULL ?) (NULL {) ({ {) (CAPITALIZED-WORDS U.S) (EMOTICON {c}))"),
        ("(S x{?}.n 3.5 $ e.g.)", "(S (n x) (X 3.5) ($ $) (X e.g.))"),
    ],
)  # fmt: skip
def test_brackets_around_words(printed, tree):
    assert link_grammar._penn_brackets(printed + "\n") == tree


def test_a_worker_that_is_gone_can_be_ended(monkeypatch, tmp_path, children):
    """What was written to it last cannot be flushed any more, and need not be."""
    file = tmp_path / "worker.py"
    file.write_text('print(\'{"version": "0"}\', flush=True)\ninput()\n')
    monkeypatch.setattr(link_grammar, "_WORKER", file)
    worker = link_grammar._Worker("en", 1)
    worker.start()
    process = worker._process
    process.kill()
    process.wait()
    process.stdin.write("a line that stays in the buffer")
    worker.kill()
    assert process.stdin.closed and process.stdout.closed and children() == []


def test_on_windows_it_is_refused_at_first_use(monkeypatch):
    monkeypatch.setattr(link_grammar, "WINDOWS", True)
    parser = LinkGrammar()
    with pytest.raises(ImportError, match=r"^LinkGrammar does not run on Windows, .*WSL"):
        list(parser.parse_nbest(["It works."], n=1))
