"""Two batches of a campaign, served by pearmut itself, judged, and read back as one."""

import json
import random

import numpy as np
import pandas as pd
import pytest
from pearmut_server import PEARMUT, Server

from sklearn_mteval.cli import main
from sklearn_mteval.datasets.annotation.key import read_key

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PEARMUT is None, reason="SKLEARN_MTEVAL_PEARMUT names no pearmut"),
]
SYSTEMS = ["first", "second", "third"]


def plan(name, *more):
    """Write a campaign of some documents for two annotators of known names."""
    asked = ["campaign", "-s", "source", "--documents", "documents", "--budget", "20"]
    asked += ["--annotators", "2", "-t", *SYSTEMS, "-o", f"{name}.json", *more]
    assert main(asked) == 0


def test_judge_look_and_judge_more(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    german = "Ruhiger Fluss lief unter der Stadt, in der lange niemand lebte"
    rng = random.Random(2)
    for name in ["source", *SYSTEMS]:
        text = german if name == "source" else "Quiet river ran below the town where nobody lived"
        lines = [" ".join(rng.sample(text.split(), 9)) + f" {k}.\n" for k in range(80)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    (tmp_path / "documents").write_text("".join(f"d{k // 5}\n" for k in range(80)))
    said = []

    def score_of(key, user):
        def score(item, token):
            if "validation" in item:
                return {"score": 80 if token in item["validation"] else 20}
            system, segment = key.systems[token], int(item["item_id"])
            value = 90 - 10 * SYSTEMS.index(system) + segment % 6 - 2 * (user == "bea")
            said.append((segment, system, value))
            return {"score": value, "error_spans": []}

        return score

    plan("one")
    plan("two", "--follow", "one.json")
    for name in ("one", "two"):
        # The same people, by the same names.
        made = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))
        made["info"]["users"] = ["ada", "bea"]
        (tmp_path / f"{name}.json").write_text(json.dumps(made), encoding="utf-8")
    with Server(tmp_path, "one", "two") as server:
        assert server.users == {"one": ["ada", "bea"], "two": ["ada", "bea"]}
        for name in server.users:
            key = read_key(f"{name}.json")
            for user in server.users[name]:
                server.judge(name, user, score_of(key, user))
    judged = pd.DataFrame(said, columns=["segment", "system", "score"])
    key = read_key("two.json")
    assert set(judged["segment"]) == set(key.selection.index[key.selection["chosen"]])
    means = judged.pivot_table("score", "segment", "system")
    weights = 1 / key.selection["probability"][means.index]
    by_hand = means.mul(weights, axis=0).sum() / weights.sum()
    capsys.readouterr()
    logs = [f"data/annotations/{name}.jsonl" for name in ("two", "one")]
    asked = ["leaderboard", logs[0], "--batches", logs[1], "--campaign", "two.json"]
    assert main([*asked, "--by", "mean", "-f", "json"]) == 0
    out, err = capsys.readouterr()
    found = {row["name"]: row["score"] for row in json.loads(out)["systems"]}
    np.testing.assert_allclose([found[s] for s in SYSTEMS], by_hand[SYSTEMS])
    assert err.count("ada passed") == 2
