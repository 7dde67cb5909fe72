"""How large a page of segments is, how long making it takes, and how quickly a browser answers.

Texts are ten systems of WMT12 de-en where the data are at hand, else the bundled sample with a
number at the end of each text; beyond the 3,003 segments of WMT12 they come again, numbered. Each
translation has two judgements and two metrics' scores, drawn at random. The browser is Chromium
without a screen, times are medians of five. "Usable": from opening the file until the first
segment is there. "Search": from a key until the list is there, of words that many, few and no texts
have; "first search" also puts the texts into small letters. "Nodes": the elements of the whole
page, themes and a report of forty rows included.

    python benchmarks/report_page.py --segments 3003 20000 --parts
"""

import argparse
import cProfile
import os
import pstats
import shutil
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

from sklearn_mteval.datasets import load_judgements, load_sample
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_translations
from sklearn_mteval.evaluation import leaderboard
from sklearn_mteval.report.html.contents import contents_of_judgements
from sklearn_mteval.report.html.document import document, page_of
from sklearn_mteval.report.html.segments import MOST_TRANSLATIONS
from sklearn_mteval.report.results import RESULTS

SYSTEMS = 10
TIMES = 5
SEARCHES = ["the", "Government said", "an die", "no text has this"]
# The script draws before the event of the input returns; two frames later it has been painted.
TIMED = """async ([id, value, kind]) => {
  const box = document.getElementById(id), begin = performance.now();
  if (kind === 'click') box.click();
  else { box.value = value; box.dispatchEvent(new Event('input', {bubbles: true})); }
  document.getElementById('list').getBoundingClientRect();
  const done = performance.now() - begin;
  await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  return done;
}"""
PARTS = {
    "marks": "word_marks", "flags": "content_flags", "themes": "themes_for",
    "compressing": "_packed",
    "disagreements": "segment_disagreement", "whole contents": "contents_of_judgements",
}  # fmt: skip


def candidates(root, n_segments):
    """Return texts of so many segments and ten systems."""
    folder = Path(root, "wmt12")
    X = (
        load_wmt_translations(folder, "de-en")
        if folder.is_dir()
        else load_sample(return_X_y=True)[0]
    )
    outputs = X.reset_index().pivot_table("hypothesis", "segment", "system", "first")
    outputs = outputs.dropna(axis=1, thresh=len(outputs) // 2).ffill().bfill().iloc[:, :SYSTEMS]
    given = X[["source", "reference"]].groupby(level="segment").first().loc[outputs.index]
    rows = []
    for k in range(n_segments):
        turn, place = divmod(k, len(outputs))
        more = f" {k}" if turn else ""
        source, reference = (text + more for text in given.iloc[place])
        rows += [
            (k + 1, name, f"doc{k // 30}", source, reference, text + more)
            for name, text in outputs.iloc[place].items()
        ]
    columns = ["segment", "system", "document", "source", "reference", "hypothesis"]
    return pd.DataFrame(rows, columns=columns)


def judged(rows):
    """Return judgements of two annotators, and the scores of two metrics."""
    rng = np.random.default_rng(0)
    quality = rng.normal(60, 15, size=len(rows)).clip(0, 100)
    frames = [
        rows.assign(judge=f"judge{k}", score=(quality + rng.normal(0, 9, len(rows))).round())
        for k in range(2)
    ]
    found = load_judgements(pd.concat(frames), better="higher")
    index = pd.MultiIndex.from_frame(rows[["segment", "system"]])
    metrics = {
        name: pd.Series(quality + rng.normal(0, noise, len(rows)), index)
        for name, noise in (("good", 10), ("poor", 40))
    }
    return found, metrics


def made(rows, parts):
    """Make a page; return it, the seconds, and the bytes of the file of all segments."""
    found, metrics = judged(rows)
    board = leaderboard(found.X, found.y, n_resamples=20, random_state=0)
    rest = [0]

    def count(line):
        rest[0] += len(line)

    count.name = "rest"

    profile = cProfile.Profile() if parts else None
    begin = perf_counter()
    if profile:
        profile.enable()
    contents = contents_of_judgements({"": (found, metrics)}, all_segments=count)
    made = RESULTS[type(board)]
    page = page_of("Page", made.report(board), summary=made.summary(board), **contents)
    text = document(page)
    if profile:
        profile.disable()
    seconds = perf_counter() - begin
    if profile:
        told(profile)
    return text, seconds, rest[0]


def told(profile):
    """Print the seconds of the parts, under the profiler, which slows them down."""
    stats = pstats.Stats(profile).stats
    for part, name in PARTS.items():
        seconds = sum(entry[3] for key, entry in stats.items() if key[2] == name)
        print(f"  {part}: {seconds:.1f} s")


def seen(path):
    """Open a page in a browser; return the medians by what was timed."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    times = {}
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=flags)
        for _ in range(TIMES):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            begin = perf_counter()
            page.goto(path.as_uri())
            page.wait_for_selector("article", timeout=120_000)
            times.setdefault("usable, s", []).append(perf_counter() - begin)
            nodes = [page.evaluate("document.querySelectorAll('*').length")]

            def timed(name, *what, page=page, nodes=nodes):
                times.setdefault(name, []).append(page.evaluate(TIMED, list(what)))
                nodes.append(page.evaluate("document.querySelectorAll('*').length"))

            timed("first search, ms", "search", SEARCHES[0], "input")
            for word in SEARCHES:
                timed("search, ms", "search", word, "input")
            timed("-", "search", "", "input")
            timed("page, ms", "forth", "", "click")
            for order in ("difference", "spread", "disagreement", "file"):
                timed("order, ms", "order", order, "input")
            times.setdefault("nodes, at most", []).append(max(nodes))
            page.close()
        browser.close()
    del times["-"]
    # Of searches and orders, the slowest word and order is what a reader waits for.
    for name, n in (("search, ms", len(SEARCHES)), ("order, ms", 4)):
        values = np.reshape(times[name], (-1, n))
        times[name] = values.max(axis=1).tolist()
    return {name: median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--segments", nargs="+", type=int, default=[3003])
    parser.add_argument("--parts", action="store_true", help="also profile the making of pages")
    parser.add_argument("--root", default=os.environ.get("SKLEARN_MTEVAL_DATA", "../shared/data"))
    arguments = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{date.today()}, {os.cpu_count()} cores, load {load}; {SYSTEMS} systems\n")
    lines = []
    for n in arguments.segments:
        text, seconds, rest = made(candidates(arguments.root, n), arguments.parts)
        with TemporaryDirectory() as folder:
            path = Path(folder, "page.html")
            path.write_text(text, encoding="utf-8")
            row = {"segments": f"{n:,}", "made in, s": seconds, "size, MB": len(text) / 1e6}
            row |= {"rest, MB": rest / 1e6} | seen(path)
        lines.append(row)
    print(" | ".join(["", *lines[0], ""]).strip())
    print("|" + "---:|" * len(lines[0]))
    for row in lines:
        numbers = [x for x in row.values() if not isinstance(x, str)]
        cells = [row["segments"], *(f"{x:,.0f}" if x >= 20 else f"{x:.2f}" for x in numbers)]
        print(f"| {' | '.join(cells)} |")
    print(f"\nA page holds {MOST_TRANSLATIONS:,} translations at most.")


if __name__ == "__main__":
    main()
