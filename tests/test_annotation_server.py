"""A campaign served by pearmut itself, judged by three annotators, and read back."""

import json
import os
import random
import re
import socket
import subprocess
import time
import urllib.request

import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_pearmut
from sklearn_mteval.datasets.annotation.key import read_key

PEARMUT = os.environ.get("SKLEARN_MTEVAL_PEARMUT")  # the program, of an environment of its own
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PEARMUT is None, reason="SKLEARN_MTEVAL_PEARMUT names no pearmut"),
]
SYSTEMS = ["first", "second", "third"]  # each better than the next


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    """Write a campaign of 60 segments of three systems for three annotators."""
    monkeypatch.chdir(tmp_path)
    texts = {"source": "Ruhiger Fluss lief unter der Stadt, in der lange niemand lebte"}
    english = "Quiet river ran below the town where nobody lived many years"
    rng = random.Random(2)
    for name in ["source", *SYSTEMS]:
        words = texts.get(name, english).split()
        lines = [" ".join(rng.sample(words, 9)) + f" {k}." for k in range(80)]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "documents").write_text("".join(f"d{k // 5}\n" for k in range(80)))
    arguments = (
        "campaign -s source --documents documents --budget 60 --annotators 3 -o trial.json -t"
    )
    assert main([*arguments.split(), *SYSTEMS]) == 0
    return tmp_path


class Server:
    """pearmut on the loopback."""

    def __init__(self, folder):
        environment = os.environ | {"PEARMUT_ROOT": str(folder)}
        run = {"env": environment, "cwd": folder, "stdout": subprocess.PIPE, "text": True}
        said = subprocess.run([PEARMUT, "add", "trial.json"], check=True, **run).stdout
        self.users = re.findall(r"user_id=(\S+)", said)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        port = self.url.rpartition(":")[2]
        run["stdout"] = subprocess.DEVNULL
        self.process = subprocess.Popen([PEARMUT, "run", "--port", port], **run)
        self.log = folder / "data" / "annotations" / "trial.jsonl"

    def ask(self, path, **given):
        """Ask as the page does, waiting for the server to start."""
        body, headers = json.dumps(given).encode(), {"Content-Type": "application/json"}
        for _ in range(300):
            try:
                request = urllib.request.Request(f"{self.url}/{path}", body, headers)
                with urllib.request.urlopen(request) as answer:
                    return json.loads(answer.read())
            except urllib.error.URLError:
                time.sleep(0.1)
        raise TimeoutError(path)


@pytest.fixture
def server(campaign):
    started = Server(campaign)
    yield started
    started.process.terminate()
    started.process.wait(timeout=20)


def judge(server, user, score):
    """Judge all documents of a user; ``score`` is asked about an item and a token."""
    while True:
        got = server.ask("get-next-item", campaign_id="trial", user_id=user)
        if got["status"] == "goodbye":
            return
        said = [
            {token: {"score": score(item, token), "error_spans": []} for token in item["tgt"]}
            for item in got["payload"]
        ]
        answer = {"annotation": said, "item": got["payload"], "actions": [{"time": 1.0}]}
        place = got["info"]["item_i"]
        server.ask("log-response", campaign_id="trial", user_id=user, item_i=place, payload=answer)


def test_three_annotators_judge_and_no_score_is_lost(campaign, server, capsys):
    key, given = read_key("trial.json"), {}
    careless = server.users[-1]

    def score_of(user):
        def score(item, token):
            if "validation" in item:
                return 80 if (token in item["validation"]) == (user != careless) else 20
            system = key.systems[token]
            value = 90 - 30 * SYSTEMS.index(system) + hash((user, item["item_id"])) % 5
            given[user, item["item_id"], system] = value
            return value

        return score

    for user in server.users:
        judge(server, user, score_of(user))
    found = load_pearmut(server.log, campaign="trial.json")
    read = {
        (judge, str(segment), system): -value
        for (segment, _, system), judge, value in zip(
            found.y.index, found.judges, found.y, strict=True
        )
    }
    assert read == given and len({segment for _, segment, _ in given}) >= 50
    assert found.checks["asked"].min() >= 1
    assert found.checks.index[found.checks["passed"] == 0].tolist() == [careless]
    capsys.readouterr()
    asked = ["leaderboard", str(server.log), "--campaign", "trial.json", "--by", "mean"]
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert re.findall(r"^(first|second|third)  +\d", out, re.M)[:3] == SYSTEMS
    assert f"{careless} passed 0 of" in err
    # What nobody lost can be left out.
    assert main([*asked, "--drop-failed"]) == 0
    assert "Left out" in capsys.readouterr().err


def test_what_an_annotator_does_in_the_browser(campaign, server, browser):
    user = server.users[0]
    key = read_key("trial.json")
    server.ask("get-next-item", campaign_id="trial", user_id=user)  # it has started
    page = browser.new_page()
    page.goto(f"{server.url}/annotate?campaign_id=trial&user_id={user}")
    page.locator("#button_skip").click()  # the tutorial
    page.wait_for_function("document.querySelectorAll('.output_block').length > 1")
    for k, block in enumerate(page.locator(".output_block").all()):
        for candidate in block.locator(".output_candidate").all():
            candidate.locator("input[type=range]").evaluate(
                "(e, v) => { e.value = v; for (const n of ['input', 'change'])"
                " e.dispatchEvent(new Event(n, {bubbles: true})); }",
                80 + k,
            )
    letters = page.locator(".output_candidate").first.locator(".tgt_char")
    letters.nth(2).click()
    letters.nth(6).click()
    token = page.locator(".output_candidate").first.get_attribute("data-model")
    page.locator("input.error_major:visible").click()
    page.locator("#button_next").click()
    page.wait_for_timeout(1000)
    page.close()
    found = load_pearmut(server.log, campaign="trial.json")
    assert sorted({-value for value in found.y}) == [80 + k for k in range(5)]
    (spans,) = [cell for cell in found.spans if cell]
    assert [(span.start, span.end, span.severity) for span in spans] == [(2, 7, "major")]
    (at,) = [label for label, cell in found.spans.items() if cell]
    assert at[2] == key.systems[token]
