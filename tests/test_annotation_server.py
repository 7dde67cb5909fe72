"""Campaigns served by pearmut itself, judged by annotators, and read back."""

import contextlib
import json
import random
import re
import zlib

import pandas as pd
import pytest
from pearmut_server import PEARMUT, Server, set_score, submit

from sklearn_mteval.cli import main
from sklearn_mteval.datasets import load_pearmut
from sklearn_mteval.datasets.annotation.key import key_text, read_key
from sklearn_mteval.datasets.annotation.pearmut import as_pearmut
from sklearn_mteval.evaluation.annotation.campaign import annotation_campaign

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PEARMUT is None, reason="SKLEARN_MTEVAL_PEARMUT names no pearmut"),
]
SYSTEMS = ["first", "second", "third"]  # each better than the next
PROTOCOLS = ["cesa", "esa", "mqm", "da"]


def write_texts():
    """Write the texts of 80 segments in documents of five."""
    source = "Ruhiger Fluss lief unter der Stadt, in der lange niemand lebte"
    english = "Quiet river ran below the town where nobody lived many years"
    rng = random.Random(2)
    for name in ["source", *SYSTEMS]:
        words = (source if name == "source" else english).split()
        lines = [" ".join(rng.sample(words, 9)) + f" {k}." for k in range(80)]
        with open(name, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    with open("documents", "w", encoding="utf-8") as file:
        file.writelines(f"d{k // 5}\n" for k in range(80))


# What would run, load, or break out of where it stands.
_RUNS = "onerror=window.hit=1"
HOSTILE = [
    f"<img src=x {_RUNS}>",
    f"<IMG src=x {_RUNS}>",
    f"<img/src=x {_RUNS}>",
    f"\t<img src=x {_RUNS}>",
    f"  <img src=x {_RUNS}>",
    f"In the middle <img src=x {_RUNS}> of a text",
    "<iframe src='javascript:parent.hit=1'></iframe>",
    "<audio src=x onerror=window.hit=1></audio>",
    "<video src=x onerror=window.hit=1></video>",
    "<script>window.hit = 1</script>",
    "<svg onload=window.hit=1>",
    f"</span></div><img src=x {_RUNS}>",
    f'" {_RUNS} x="',
    "javascript:window.hit=1",
    "{{window.hit=1}} ${window.hit=1}",
    "&lt;img src=x onerror=window.hit=1&gt; &amp; &#60;",
    "a \u202eevil\u202c b",
    "zero\u200bwidth\u2060 and \ufeff",
    "w" * 1000,
    "nul\0here",
    "",
    "  two blanks first",
    "e\u0301 cafe\u0301",
    "family \U0001f468\u200d\U0001f469\u200d\U0001f467 and \U00020000",
    "<p onclick=window.hit=1>",
]
MARKED = "\U0001f600 e\u0301 wrong \U0001f680 end"  # of which 'wrong' is marked


def write_hostile():
    """Write a campaign of hostile texts everywhere, with errors marked before."""
    rows = {(k, s): [text, text, text] for k, text in enumerate(HOSTILE) for s in ("A", "B")}
    rows |= {(len(HOSTILE), s): ["source", "reference", MARKED] for s in ("A", "B")}
    rows[len(HOSTILE), "B"][2] = "<img src=x onerror=window.hit=1> wrong"
    index = pd.MultiIndex.from_tuples(rows, names=["segment", "system"])
    X = pd.DataFrame(list(rows.values()), index, columns=["source", "reference", "hypothesis"])
    errors = {}
    for system in "AB":
        text = X.loc[(len(HOSTILE), system), "hypothesis"]
        start = text.index("wrong")
        marked = [{"start": start, "end": start + 5, "severity": "minor"}]
        if system == "A":
            marked.append({"start": 0, "end": 1, "severity": "major"})
        errors[len(HOSTILE), system] = marked
    documents = pd.Series("all", range(len(HOSTILE) + 1))
    plan = annotation_campaign(X, 99, documents=documents, checks=0, tutorial=False)
    with open("hostile.json", "w", encoding="utf-8") as file:
        json.dump(as_pearmut(plan, "hostile", "esa", errors), file)
    with open("hostile.key.json", "w", encoding="utf-8") as file:
        file.write(key_text(plan, "hostile"))


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with contextlib.chdir(folder):
        write_texts()
        for name in [*PROTOCOLS, "browser"]:
            protocol = "cesa" if name == "browser" else name
            asked = (
                "campaign -s source --documents documents --budget 60 --annotators 3 --protocol "
                f"{protocol} -o {name}.json -t"
            )
            assert main([*asked.split(), *SYSTEMS]) == 0
        write_hostile()
        with Server(folder, *PROTOCOLS, "browser", "hostile") as started:
            yield started


def annotator(key, user, protocol, careless, given):
    """Answer as an annotator whose scores tell systems apart, but for some noise."""

    def said_of(item, token):
        said = {"error_spans": [], "textfield": None}
        if "validation" in item:
            sound = token in item["validation"]
            return said | {"score": 80 if sound != careless else 20}
        system = key.systems[token]
        noise = zlib.crc32(f"{user}{item['item_id']}{token}".encode()) % 30
        score = 90 - 15 * SYSTEMS.index(system) - noise
        given.append((user, item["item_id"], system, score))
        if protocol != "da":
            category = "Accuracy/Mistranslation" if protocol == "mqm" else None
            span = {"start_i": 0, "end_i": 4, "severity": "minor", "category": category}
            length = len(item["tgt"][token])
            missing = {"start_i": length, "end_i": length, "severity": "major", "category": None}
            said["error_spans"] = [span] + [missing] * (score < 40)
        return said | {"score": score}

    return said_of


def by_hand(log, key, without=()):
    """Return the mean of each system: of its translations, each the mean of its scores."""
    rows = []
    for entry in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
        if str(entry["item_i"]).startswith("welcome") or entry["user_id"] in without:
            continue
        for item, said in zip(entry["item"], entry["annotation"], strict=True):
            if "validation" not in item:
                rows += [(item["item_id"], key.systems[t], a["score"]) for t, a in said.items()]
    table = pd.DataFrame(rows, columns=["segment", "system", "score"])
    return table.groupby(["segment", "system"])["score"].mean().groupby("system").mean().to_dict()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_score_is_lost_and_the_leaderboard_is_that_of_hand(server, protocol, capsys):
    log, campaign = server.log(protocol), str(server.folder / f"{protocol}.json")
    key, given, users = read_key(campaign), [], server.users[protocol]
    for user in users:
        careless = user == users[-1]
        server.judge(protocol, user, annotator(key, user, protocol, careless, given))
    found = load_pearmut(log, campaign=campaign)
    read = zip(found.judges, found.y.index, -found.y, strict=True)
    read = [(judge, segment, system, score) for judge, (segment, _, system), score in read]
    assert sorted((j, str(s), n, x) for j, s, n, x in read) == sorted(given)
    assert len({segment for _, segment, *_ in given}) >= 50
    n_marked = sum(map(len, found.spans))
    assert n_marked == (0 if protocol == "da" else len(given) + sum(x[3] < 40 for x in given))
    categories = {span.category for cell in found.spans for span in cell}
    assert ("Accuracy/Mistranslation" in categories) == (protocol == "mqm")
    assert found.checks.index[found.checks["passed"] == 0].tolist() == [users[-1]]
    assert found.checks["asked"].min() >= 1
    n_documents = len(log.read_text(encoding="utf-8").splitlines())
    assert found.annotators["minutes"].sum() == pytest.approx(n_documents)  # twice half a minute
    asked = ["leaderboard", str(log), "--campaign", campaign, "--by", "mean"]
    capsys.readouterr()
    assert main([*asked, "-f", "json"]) == 0
    out, err = capsys.readouterr()
    board = json.loads(out)
    scores = {system["name"]: system["score"] for system in board["systems"]}
    assert scores == pytest.approx(by_hand(log, key)) and list(scores) == SYSTEMS
    assert f"{users[-1]} passed 0 of" in err
    told = {one["name"]: one for one in board["annotators"]}
    assert told.keys() == set(users) and told[users[-1]]["passed"] == 0
    assert sum(one["judgements"] for one in told.values()) == len(given)
    assert main([*asked, "-f", "json", "--drop-failed"]) == 0
    out, err = capsys.readouterr()
    scores = {system["name"]: system["score"] for system in json.loads(out)["systems"]}
    assert scores == pytest.approx(by_hand(log, key, users[-1:])) and "Left out" in err
    assert main([*asked, "--html", str(server.folder / "page.html")]) == 0
    out = capsys.readouterr().out
    assert re.search(rf"^{users[-1]} .* 0 of \d", out, re.M), out
    page = (server.folder / "page.html").read_text(encoding="utf-8")
    assert f"Annotators took {n_documents:.1f} minutes" in page and "checks passed" in page
    assert f"Annotators took {n_documents:.1f} minutes" in " ".join(out.split())


def test_what_an_annotator_does_in_the_browser(server, browser):
    """cESA: the tutorial skipped, five segments scored, an error marked, a remark left."""
    name, user = "browser", server.users["browser"][0]
    page, problems = server.open(browser, name, user)
    page.locator("#button_skip").click()  # the tutorial
    page.wait_for_function("document.querySelectorAll('.output_block').length > 1")
    for k, block in enumerate(page.locator(".output_block").all()):
        for candidate in block.locator(".output_candidate").all():
            set_score(candidate, 75 + 5 * k)
    first = page.locator(".output_candidate").first
    letters, token = first.locator(".tgt_char"), first.get_attribute("data-model")
    letters.nth(2).click()
    letters.nth(6).click()
    page.locator("input.error_major:visible").click()
    page.locator("#settings_comment").evaluate("e => { e.value = 'Such long words!' }")
    submit(page)
    page.close()
    found = load_pearmut(server.log(name), campaign=server.folder / "browser.json")
    assert sorted({-value for value in found.y}) == [75 + 5 * k for k in range(5)]
    ((label, (span,)),) = [(label, cell) for label, cell in found.spans.items() if cell]
    assert (span.start, span.end, span.severity) == (2, 7, "major")
    assert label[2] == read_key(server.folder / "browser.json").systems[token]
    assert found.comments.to_dict() == {(user, "0"): "Such long words!"}
    assert found.annotators["minutes"].between(0, 2).all() and not problems


def test_hostile_texts_are_texts(server, browser):
    """Nothing runs or is fetched; what is shown, and where errors are, is as it was given."""
    (user,) = server.users["hostile"]
    key = read_key(server.folder / "hostile.json")
    page, problems = server.open(browser, "hostile", user)
    blocks = page.locator(".output_block").all()
    assert len(blocks) == len(HOSTILE) + 1

    def shown(block, where):
        return block.locator(where).first.evaluate("e => e.textContent")

    for block, text in zip(blocks, HOSTILE, strict=False):
        assert block.locator(".output_src").count() == bool(text)
        for where in [".output_src", ".output_ref"] * bool(text) + [".output_tgt"]:
            found = shown(block, where).strip().removesuffix("[missing]")
            assert found.strip() == text.strip().replace("\0", "")  # which HTML cannot hold
    assert not page.locator("#output_div :is(img, iframe, audio, video, script, svg)").count()
    for candidate in page.locator(".output_candidate").all():
        set_score(candidate, 90)
    for candidate in blocks[-1].locator(".output_candidate").all():
        system = key.systems[candidate.get_attribute("data-model")]
        marked = candidate.locator(".error_minor").evaluate_all("e => e.map(x => x.textContent)")
        assert "".join(marked) == "wrong", system
        if system == "A":  # the mark of the model on the emoji, two units of UTF-16, is removed
            assert candidate.locator(".error_major").count() == 2
            candidate.locator(".error_major").first.hover()
            page.locator("input.error_delete:visible").click()
            # The second unit of an emoji has no width: who marks it clicks on the first, twice.
            unit = MARKED.index("\U0001f680") + 1  # there is one emoji before
            candidate.locator(f".tgt_char[data-i='{unit}']").click(click_count=2)
            page.locator("input.error_major:visible").click()
    assert page.evaluate("window.hit") is None
    submit(page)
    page.close()
    assert not problems
    found = load_pearmut(server.log("hostile"), campaign=server.folder / "hostile.json")
    assert len(found.y) == 2 * (len(HOSTILE) + 1)
    texts = found.X["hypothesis"].xs("B", level="system").droplevel("ranking")
    assert [texts[k].strip() for k in range(len(HOSTILE))] == [text.strip() for text in HOSTILE]
    for system, expected in (("A", ["wrong", "\U0001f680"]), ("B", ["wrong"])):
        (text,) = found.X["hypothesis"].xs((len(HOSTILE), system), level=("segment", "system"))
        (spans,) = found.spans.xs((len(HOSTILE), system), level=("segment", "system"))
        assert [text[span.start : span.end] for span in spans] == expected
