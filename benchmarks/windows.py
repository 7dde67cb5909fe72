"""Texts of many sentences, judged in windows and without: ``python benchmarks/windows.py -h``.

Lines of one document that follow each other are joined to texts of 1 to 40 lines. Printed are

1. ``table``: mean stand-alone scores of the reference itself, a system's text and its first half,
   and how often the whole beats its half;
2. ``properties``: how often a text beats what is made of it, alone (by its score) and among systems
   (by its rank in a segment that holds both and two other systems' texts); how far the score of
   parts of equal quality, joined, is from their mean; whether whitespace or neighbours matter;
3. ``speed``: single sentences with windows and without, and seconds by length.
"""

import argparse
import time
from itertools import product

import numpy as np
import pandas as pd
from windows_texts import drawn, load, proportion, spaced

from sklearn_mteval.models import rank_candidates, score_candidates
from sklearn_mteval.models.cards import READY_MADE
from sklearn_mteval.models.opening import open_model
from sklearn_mteval.text.sentences import sentences

LENGTHS = (1, 2, 5, 10, 20, 40)
BETWEEN = (" ", "  ", "\n", "\n\n")
BY_LOSS = ("half", "two thirds", "missing")


def made_of(lines, other, joiner):
    """Make of a text, given as its lines, what it should beat: texts by name."""
    k, text = len(lines), joiner.join(lines)
    found = {"doubled": text + joiner + text}
    if k == 1:
        found |= {"half": proportion(text, 1 / 2), "two thirds": proportion(text, 2 / 3)}
        found["replaced"] = other
    else:
        middle = k // 2
        found["half"] = joiner.join(lines[:middle])
        found["two thirds"] = joiner.join(lines[: max(1, 2 * k // 3)])
        found["replaced"] = joiner.join([*lines[:middle], other, *lines[middle + 1 :]])
        swapped = [*lines[: middle - 1], lines[middle], lines[middle - 1], *lines[middle + 1 :]]
        found["exchanged"] = joiner.join(swapped)
    if k > 2:
        found["missing"] = joiner.join([*lines[:middle], *lines[middle + 1 :]])
    return {name: made for name, made in found.items() if made != text}


def segments_of(campaign, k, n, names):
    """Yield (labels, texts): a segment for each text, what is made of it, and whose it is.

    ``names`` are of what is made of texts, None: all.
    """
    rng = np.random.default_rng([0, k])
    for number, rows in enumerate(drawn(campaign, k, n, rng)):
        lines = campaign.lines.iloc[rows]
        away = (rows[0] + len(campaign.lines) // 2) % len(campaign.lines)
        texts = {name: campaign.joiner(name).join(lines[name]) for name in lines}
        given = {name: texts[name] for name in ("source", "reference")}
        for of in ("reference", campaign.systems[0]):
            made = made_of(list(lines[of]), campaign.lines[of][away], campaign.joiner(of))
            others = {name: texts[name] for name in campaign.systems[1:]}
            for variant, text in made.items():
                if names is not None and variant not in names:
                    continue
                hypotheses = {"whole": texts[of], "variant": text, **others}
                yield (k, number, of, variant), given, hypotheses


def table_of(segments):
    """Make a candidate table of (label, texts, hypotheses), and return it with the labels."""
    rows, index, labels = [], [], []
    for number, (label, given, hypotheses) in enumerate(segments):
        labels.append(label)
        rows += [{**given, "hypothesis": text} for text in hypotheses.values()]
        index += [(number, system) for system in hypotheses]
    index = pd.MultiIndex.from_tuples(index, names=["segment", "system"])
    return pd.DataFrame(rows, index), labels


def compared(model, campaign, lengths, n, names=None):
    """Judge all segments; return one row for each: scores and ranks of whole and variant."""
    X, labels = table_of(s for k in lengths for s in segments_of(campaign, k, n, names))
    ranked = rank_candidates(model, X)
    found = pd.DataFrame(labels, columns=["k", "text", "of", "variant"])
    for system, column in product(("whole", "variant"), ("score", "rank", "strength")):
        found[f"{system} {column}"] = ranked.xs(system, level="system")[column].to_numpy()
    enough = found["variant"] == "exchanged"  # must not win
    for how, sign in (("score", 1), ("rank", -1)):
        ahead = sign * (found[f"whole {how}"] - found[f"variant {how}"])
        found["alone" if how == "score" else "among"] = np.where(enough, ahead >= 0, ahead > 0)
    return found, X, ranked


def print_table(name, campaign, found, windows):
    """Print the mean scores of the reference, a system's text and its half."""
    halves = found[found["variant"] == "half"]
    for k, some in halves.groupby("k"):
        own, system = some[some["of"] == "reference"], some[some["of"] != "reference"]
        cells = [own["whole score"], system["whole score"], system["variant score"]]
        means = " | ".join(f"{cell.mean():+.2f}" for cell in cells)
        print(f"| {name} | {campaign.pair} | {windows} | {k} | {means} | ", end="")
        print(f"{system['alone'].mean():.0%} |", flush=True)


def print_properties(name, campaign, found):
    """Print proportions in which the whole beats what is made of it."""
    for variant, some in found.groupby("variant"):
        cells = []
        for how, of in product(("alone", "among"), ("reference", campaign.systems[0])):
            here = some[some["of"] == of]
            cells.append(f"{here[how].mean():.1%} of {len(here)}{failures(here, how)}")
        print(f"| {name} | {campaign.pair} | {variant} | " + " | ".join(cells) + " |", flush=True)
    lost = found[(found["of"] == "reference") & found["variant"].isin(BY_LOSS)]
    bad = (lost["variant score"] > lost["whole score"]).sum()
    worse = (lost["variant rank"] < lost["whole rank"]).sum()
    print(f"  the reference itself is beaten by loss: alone {bad}, among {worse} of {len(lost)}")


def failures(found, how):
    """Say at which lengths a text lost."""
    n = found.loc[~found[how], "k"].value_counts().sort_index()
    return "".join(f", {k}: {v}" for k, v in n.items())


def is_ended(joiner):
    """Return a function that tells whether a line is parted from those beside it."""
    return lambda text: len(sentences(text + joiner + text)) == 2 * len(sentences(text))


def joined_parts(model, campaign, lengths, n):
    """Print how far texts of parts of equal quality are from their parts' mean."""
    system, rng = campaign.systems[0], np.random.default_rng(0)
    ended = campaign.lines.apply(lambda column: column.map(is_ended(campaign.joiner(column.name))))
    lines = campaign.lines[ended.all(axis=1)]
    lines = lines.iloc[rng.permutation(len(lines))[:600]]
    given = lines[["source", "reference"]].to_dict("records")
    said = [{"s": text} for text in lines[system]]
    single, _ = table_of((None, *pair) for pair in zip(given, said, strict=True))
    alone = score_candidates(model, single).to_numpy()
    order, sets = np.argsort(alone, kind="stable"), []
    for k in lengths:
        sets += [order[a : a + k] for a in np.linspace(0, len(order) - k, n).astype(int)]
    sets = [rng.permutation(rows) for rows in sets]
    joined = []
    for rows in sets:
        texts = {c: campaign.joiner(c).join(lines[c].iloc[rows]) for c in lines}
        joined.append((None, {c: texts[c] for c in given[0]}, {"s": texts[system]}))
    apart = score_candidates(model, table_of(joined)[0]).to_numpy()
    apart = np.abs(apart - [alone[rows].mean() for rows in sets])
    sizes = np.array([len(rows) for rows in sets])
    cells = [f"{k}: {np.mean(apart[sizes == k] <= 0.05):.0%}" for k in lengths]
    print(f"  joined within .05 of the mean: {', '.join(cells)}; worst {apart.max():.3f}")


def invariances(model, campaign, X, ranked, lengths, n):
    """Print the greatest differences that whitespace and neighbours make."""
    worst = 0.0
    for k in lengths[1:]:
        rows = drawn(campaign, k, max(2, n // 4), np.random.default_rng(k))
        tables = [
            table_of(spaced(campaign, some, between) for some in rows)[0] for between in BETWEEN
        ]
        said = [rank_candidates(model, table)[["score", "strength"]].to_numpy() for table in tables]
        worst = max(worst, *(np.abs(one - said[0]).max() for one in said[1:]))
    some = X.index.get_level_values("segment") % 7 == 3
    again = rank_candidates(model, X[some].iloc[::-1]).loc[X.index[some]]
    both = ranked[some][["score", "strength"]] - again[["score", "strength"]]
    one = X.xs("variant", level="system", drop_level=False).iloc[::11]
    alone = np.abs(score_candidates(model, one) - ranked.loc[one.index, "score"]).max()
    print(
        f"  whitespace: {worst:.1e}; other segments: {np.abs(both.to_numpy()).max():.1e}; ", end=""
    )
    print(f"without competitors: {alone:.1e}", flush=True)


def speed(name, campaign, rounds=5, n=400):
    """Print texts a second of single sentences with windows and without, and seconds by length."""
    models = {windows: open_model(name, windows=windows) for windows in (True, False)}
    single = campaign.lines.map(lambda text: len(sentences(text)) == 1).all(axis=1)
    rows = np.flatnonzero(single)[:n]
    X, _ = table_of(spaced(campaign, [row], " ") for row in rows)
    taken = {True: [], False: []}
    for windows in [True, False] + [True, False, False, True] * rounds:  # the first ones warm up
        start = time.process_time()
        rank_candidates(models[windows], X)
        taken[windows].append(time.process_time() - start)
    best = {windows: min(times[1:]) for windows, times in taken.items()}
    ratio = np.array(taken[False][1:]) / np.array(taken[True][1:])
    print(f"{name}, {campaign.pair}: {len(X) / best[True]:.0f} single sentences a second, ", end="")
    print(f"without windows {len(X) / best[False]:.0f}: {best[False] / best[True]:.3f} ", end="")
    print(f"(median of rounds {np.median(ratio):.3f})")
    for k in (1, 10, 100, 1000):
        X, _ = table_of([spaced(campaign, np.arange(k) % len(campaign.lines), " ")])
        start = time.process_time()
        rank_candidates(models[True], X)
        print(f"  {k} lines, {len(X)} systems: {time.process_time() - start:.2f} s", flush=True)


def is_for(name, pair):
    """Tell whether a model is for the language that a pair is translated into."""
    return not name.endswith("-en") or pair.endswith("-en")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="+", choices=["table", "properties", "speed"])
    names = list(READY_MADE)
    parser.add_argument("--models", nargs="+", default=names, choices=names)
    parser.add_argument("--pairs", nargs="+", default=["zh-en", "he-en", "en-cs", "en-ja"])
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    parser.add_argument("--texts", type=int, default=12)
    options = parser.parse_args()
    for name, pair in product(options.models, options.pairs):
        if not is_for(name, pair):
            continue
        campaign, arguments = load(pair), (options.lengths, options.texts)
        for windows in (True, False) if "table" in options.what else (True,):
            if options.what == ["speed"]:
                continue
            model = open_model(name, windows=windows)
            names = None if windows and "properties" in options.what else ["half"]
            found, X, ranked = compared(model, campaign, *arguments, names)
            if "table" in options.what:
                print_table(name, campaign, found, windows)
            if windows and "properties" in options.what:
                print_properties(name, campaign, found)
                joined_parts(model, campaign, *arguments)
                invariances(model, campaign, X, ranked, *arguments)
        if "speed" in options.what:
            speed(name, campaign)


if __name__ == "__main__":
    main()
