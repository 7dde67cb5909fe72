"""From a campaign's results to a leaderboard, metrics' worth and a model: the sample, judged."""

import json
import random
from pathlib import Path

import pandas as pd
import pytest

from sklearn_mteval import load_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_sample
from sklearn_mteval.datasets.annotation.key import read_key

USERS = ["quiet-river", "small-stone", "red-leaf"]


def judged(campaign, key, gold, log):
    """Answer for all annotators with gold scores, and write the log as pearmut does."""
    made, systems = json.loads(campaign.read_text()), json.loads(key.read_text())["systems"]
    entries = []
    for user, task in zip(USERS, made["data"], strict=True):
        rng = random.Random(user)
        for place, document in enumerate(task):
            said, times = [], [1000.0 * place]
            for item in document:
                scores = {}
                for token in item["tgt"]:
                    if "validation" in item:
                        scores[token] = 90 if token in item["validation"] else 10
                    else:
                        scores[token] = gold[int(item["item_id"]), systems[token]]
                    times.append(times[-1] + rng.uniform(5, 25))
                said.append({t: {"score": x, "error_spans": []} for t, x in scores.items()})
            entry = {"annotation": said, "item": document, "user_id": user, "item_i": place}
            entries.append(entry | {"actions": [{"time": time} for time in times]})
    lines = (json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    log.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Write the results of a campaign of the sample; return their mean of each system, by hand."""
    monkeypatch.chdir(tmp_path)
    X, y = load_sample(return_X_y=True)
    X, y = (part.droplevel([n for n in X.index.names if n not in ("segment", "system")])
            for part in (X, y))  # fmt: skip
    segments, systems = X.index.unique("segment"), sorted(X.index.unique("system"))
    first = X[~X.index.get_level_values("segment").duplicated()]
    for name, column in (("source", "source"), ("reference", "reference")):
        Path(name).write_text("".join(f"{text}\n" for text in first[column]), encoding="utf-8")
    for system in systems:
        texts = X.xs(system, level="system")["hypothesis"].loc[segments]
        Path(system).write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    gold = {
        (number, system): int(90 - 15 * y[segment, system])
        for number, segment in enumerate(segments, 1)
        for system in systems
    }
    asked = "campaign -s source -r reference --budget 90 --annotators 3 -t"
    assert main([*asked.split(), *systems]) == 0
    judged(Path("campaign.json"), Path("campaign.key.json"), gold, Path("results.jsonl"))
    selection = read_key("campaign.json").selection
    chosen = selection.index[selection["chosen"]]
    return pd.DataFrame({s: [gold[k, s] for k in chosen] for s in systems}).mean()


def test_a_leaderboard_and_what_metrics_are_worth(results, capsys):
    asked = ["results.jsonl", "--campaign", "campaign.json"]
    assert main(["leaderboard", *asked, "--by", "mean", "-f", "json"]) == 0
    board = json.loads(capsys.readouterr().out)
    means = {one["name"]: one["score"] for one in board["systems"]}
    assert means == pytest.approx(results.to_dict())
    assert {one["name"]: one["passed"] for one in board["annotators"]} == dict.fromkeys(USERS, 2)
    # Two judged the overlap, and said the same.
    assert [one["correlation"] for one in board["annotators"]] == pytest.approx([1.0] * 3)
    assert main(["evaluate", *asked, "--metrics", "chrf", "-f", "tsv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("chrf\t")


@pytest.mark.slow
def test_a_model_of_ones_own(results, capsys):
    asked = ["results.jsonl", "--campaign", "campaign.json", "--features", "chrf", "bleu"]
    assert main(["train", *asked, "--classifier", "logreg", "-o", "model", "--even-if-worse"]) == 0
    said = capsys.readouterr().out
    assert "segments held out" in said and "Saved: model" in said
    X, _ = load_sample(return_X_y=True)
    assert load_model("model").predict(X[:10]).shape == (10,)
    assert main(["evaluate", *asked[:3], "--model", "model", "-f", "tsv"]) == 0
