"""Tasks and views for Label Studio: texts are data, systems cannot be told, marks are in place."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from sklearn_mteval.cli import main
from sklearn_mteval.datasets.annotation.label_studio import as_label_studio
from sklearn_mteval.datasets.annotation.protocols import PROTOCOLS
from sklearn_mteval.datasets.annotation.tokens import with_own_tokens
from sklearn_mteval.evaluation.annotation.campaign import annotation_campaign

SYSTEMS = ["alpha", "beta", "gamma"]
HOSTILE = '😀 <script>alert(1)</script> $source {{idx}} <b>"&amp;'


@pytest.fixture(scope="module")
def campaign():
    segments = np.repeat(np.arange(1, 13), 3)
    systems = SYSTEMS * 12
    texts = [f"{HOSTILE} the words of {k} and some more of them" for k in range(36)]
    index = pd.MultiIndex.from_arrays([segments, systems], names=["segment", "system"])
    sources = [f"Quelle {segment} <b>" for segment in segments]
    X = pd.DataFrame({"hypothesis": texts, "source": sources}, index)
    return with_own_tokens(annotation_campaign(X, 12, annotators=2, overlap=0.2))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tasks(campaign, protocol):
    tasks, view = as_label_studio(campaign, protocol)
    items = campaign.items
    texts = dict(zip(items["token"], items["hypothesis"], strict=True))
    shown = [each for task in tasks for each in task["data"]["translations"]]
    assert {each["token"]: each["text"] for each in shown} == texts
    assert len(shown) == len(items)
    sizes = {len(task["data"]["translations"]) for task in tasks}
    assert sizes == ({2, 3} if protocol == "cesa" else {1})
    assert all("prediction" not in task for task in tasks)
    names = [element.tag for element in ElementTree.fromstring(view).iter()]
    assert ("Labels" in names) == (protocol != "da") and names.count("Number") == 1
    assert ("Choices" in names) == (protocol == "mqm")
    assert not any(word in view for word in ("script", "Quelle", "words", *SYSTEMS))
    assert not any(name in json.dumps(tasks) for name in SYSTEMS)


def test_the_order_of_tasks_says_nothing_of_systems(campaign):
    tasks, _ = as_label_studio(campaign, "esa")
    items = campaign.items
    judged = items[items["kind"] == "judged"]
    names = dict(zip(judged["token"], judged["system"], strict=True))
    orders = [names.get(task["data"]["translations"][0]["token"]) for task in tasks]
    orders = [name for name in orders if name is not None]
    assert len({tuple(orders[k : k + 3]) for k in range(0, len(orders), 3)}) > 2


def test_marks_are_characters(campaign):
    item = campaign.items[campaign.items["kind"] == "judged"].iloc[0]
    start = item["hypothesis"].index("words")
    spans = [
        {"start": start, "end": start + 5, "severity": "major"},
        {"start": 3, "end": 3, "severity": "minor"},  # of no width
    ]
    tasks, _ = as_label_studio(campaign, "cesa", {(item["segment"], item["system"]): spans})
    [task] = [t for t in tasks if "predictions" in t and t["data"]["for_annotator"] == 1]
    [region] = task["predictions"][0]["result"]
    place = int(region["from_name"].removeprefix("errors_"))
    translation = task["data"]["translations"][place]
    assert translation["token"] == item["token"]
    assert region["value"]["text"] == "words" and region["value"]["labels"] == ["major"]
    # Python counts characters, and so does Label Studio since 1.3, also behind an emoji.
    assert translation["text"][region["value"]["start"] : region["value"]["end"]] == "words"
    assert region["to_name"] == f"translation_{place}"


def test_the_command_writes_three_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        Path(name).write_text(f"an old river ran below the town of {name}\n" * 4, encoding="utf-8")
    arguments = ["campaign", "--budget", "3", "--tool", "label-studio", "-o", "trial.json", "-t"]
    assert main([*arguments, "a", "b"]) == 0
    assert "view trial.xml, import trial.json" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.glob("trial*")) == [
        "trial.json", "trial.key.json", "trial.xml",
    ]  # fmt: skip
    assert main([*arguments, "a", "b"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_label_studio_takes_the_view(campaign, protocol, tmp_path):
    pytest.importorskip("label_studio_sdk")
    (tmp_path / "view.xml").write_text(as_label_studio(campaign, protocol)[1], encoding="utf-8")
    program = (
        "import sys; from label_studio_sdk.label_interface import LabelInterface as L; "
        "L(open(sys.argv[1]).read()).validate()"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "view.xml")], check=True)
