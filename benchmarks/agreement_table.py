"""How far each ready-made model agrees with annotators: the table that the package ships.

``python benchmarks/agreement_table.py`` measures models on campaigns that they were not trained on,
set by set, and writes ``sklearn_mteval/models/data/agreement.tsv``. Of ``--models`` and
``--campaigns`` the rows are made anew, the others are kept. ``--segments 100`` takes so many judged
segments of each set, drawn by a hash of their names. ``--cards`` measures nothing, and writes what
was measured into the models' cards. ``SKLEARN_MTEVAL_DATA`` names the data, ``SKLEARN_MTEVAL_E5``
the folder of multilingual-e5-small.

The statistic is the proportion of pairs of translations of a segment in which a model prefers what
the annotator prefers. Pairs that the annotator ties do not count, the model's ties count half, and
so does an annotator's tie where the other one has a preference. A pair that n annotators judged
counts n times; that of annotators with each other, once for each ordered two of them. Human
translations are left out. Models see all systems of a segment. Intervals (95 %) are by bootstrap
over documents where these are known, else over segments.
"""

import argparse
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from reader_of_three import HUMAN, MQM, draw

from sklearn_mteval import kendall_tau, load_pretrained
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import load_esa, load_mqm, load_mtme
from sklearn_mteval.datasets.campaigns.wmt import load_wmt_with_translations
from sklearn_mteval.features import MetricScores
from sklearn_mteval.metrics import agreement_interval
from sklearn_mteval.metrics.annotators import judged_pairs
from sklearn_mteval.models import rank_candidates
from sklearn_mteval.models.cards import READY_MADE

TABLE = Path(__file__).parents[1] / "sklearn_mteval/models/data/agreement.tsv"
CAMPAIGNS = ("wmt20", "wmt21", "bio", "ted", "wmt12", "wmt23", "wmt24")
SEGMENTS, FEWEST = 300, 200  # of a set; pairs judged by two, or nothing is said of annotators
MQM_KINDS = {"bio": ("abstracts", 2021), "ted": ("TED talks", 2021)}
KINDS = {"user_review": "reviews", "social": "social media", "literary": "literature"}
COUNTED = "../../../../docs/ready_made.md#how-far-to-believe-it"
KEYS = ["campaign", "pair", "kind", "year", "model", "by"]


class JudgedSet(NamedTuple):
    """Translations of one kind, and their judgements."""

    campaign: str
    pair: str
    kind: str
    year: int
    X: pd.DataFrame  # all translations by systems, indexed by (segment, system)
    y: pd.Series  # judgements, lower is better, indexed by (segment, system), maybe a ranking, too
    annotators: np.ndarray | None  # of each judgement; None where nobody judged the same
    documents: np.ndarray  # of each judgement


def sets(data, campaigns):
    """Load what the models are measured on, the campaigns that nothing is chosen by last."""
    for name in MQM:
        if name.split()[0] in campaigns:
            yield expert_set(data, name)
    for pair in ("cs-en", "de-en", "en-de") if "wmt12" in campaigns else ():
        found, X = load_wmt_with_translations(data / "wmt12", pair)
        segments = found.y.index.get_level_values("segment").to_numpy()
        yield JudgedSet("wmt12", pair, "news", 2012, X, found.y, found.judges.to_numpy(), segments)
    raters_of = {"zh-en": ("mqm.rater1", "mqm.rater2"), "he-en": ()}
    for pair, raters in raters_of.items() if "wmt23" in campaigns else ():
        found = load_mtme(data / "wmt23", pair)
        twice = [load_mtme(data / "wmt23", pair, gold=rater).y for rater in raters]
        yield from by_domain("wmt23", pair, 2023, found, found.X, twice)
    for pair in ("en-cs", "en-ja") if "wmt24" in campaigns else ():
        file = data / "wmt24" / "esa" / "esa_generalMT2024_wave2.csv"
        found = load_esa(file, pair, texts=data / "wmt24", average_judges=True)
        yield from by_domain("wmt24", pair, 2024, found, found.translations, ())


def expert_set(data, name):
    """Load a set of MQM; where several raters judged a translation, the judgements of each."""
    campaign, pair = name.split()
    kind, year = MQM_KINDS.get(campaign) or ("news", 2000 + int(campaign[3:]))
    file, reference = data / "mqm" / MQM[name][0], MQM[name][1]
    found = load_mqm(file)
    systems, segments = (found.X.index.get_level_values(k) for k in ("system", "segment"))
    human = found.X["hypothesis"][systems == reference].droplevel("system")
    X = found.X.assign(reference=human.reindex(segments).to_numpy())
    kept = ~systems.str.startswith(HUMAN) & X["reference"].notna()  # not each segment has one
    X, y, documents, annotators = X[kept], found.y[kept], found.documents[kept], None
    if found.n_raters.max() > 1:
        y = stacked(ratings(file))
        translations = y.index.droplevel("ranking")
        y = y[translations.isin(X.index)]
        annotators = y.index.get_level_values("ranking").to_numpy()
        documents = of_judgements(documents, y)
    return JudgedSet(campaign, pair, kind, year, X, y, annotators, documents.to_numpy())


def ratings(file):
    """Return the penalties of each rater of a file of MQM."""
    table = pd.read_csv(file, sep="\t", quoting=3, dtype=str, keep_default_na=False)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for rater, rows in table.groupby("rater"):
            part = Path(folder) / f"{rater}.tsv"
            lines = [[*rows.columns], *rows.to_numpy().tolist()]
            part.write_text("\n".join(map("\t".join, lines)), encoding="utf-8")
            found[rater] = load_mqm(part).y
    return found


def stacked(ratings):
    """Put judgements of several annotators below each other, each in rankings of their own."""
    found = pd.concat(ratings, names=["ranking"])
    return found.reorder_levels(["segment", "ranking", "system"])


def by_domain(campaign, pair, year, found, X, twice):
    """Part a campaign by domain."""
    for domain in sorted(set(found.domains) - {"", "canary"}):
        there = (found.domains == domain).to_numpy()
        y, segments = found.y[there], found.y[there].index.unique("segment")
        documents = found.documents[there].to_numpy()
        kept = X.index.isin(segments, level="segment")
        kind = KINDS.get(domain, domain)
        yield JudgedSet(campaign, pair, kind, year, X[kept], y, None, documents)._replace(
            annotators=[part[part.index.isin(y.index)] for part in twice] or None
        )


def agreement(y, strengths):
    """Return in which proportion of the pairs that y decides strengths agree; ties count half."""
    groups = comparable_groups(y.to_frame())
    return (kendall_tau(y, strengths, groups=groups, statistic="wmt14") + 1) / 2


def agreement_of_annotators(y, annotators, texts):
    """Return how far annotators agree with each other, and on how many pairs it rests."""
    ranked = judged_pairs.one_row_each(judged_pairs.rankings(y, texts))
    first, second, cells, said = judged_pairs.outcomes_of_cells(ranked)
    who = pd.factorize(annotators)[0][ranked.rows][first]
    table = pd.DataFrame({"cell": cells, "who": who, "said": said})
    table = table[ranked.items[first] != ranked.items[second]].drop_duplicates(["cell", "who"])
    counts = pd.crosstab(table["cell"], table["said"]).reindex(columns=range(3), fill_value=0)
    better, tied, worse = counts.to_numpy().T
    decided, n = better + worse, better + tied + worse
    agreed = better * (better - 1) + worse * (worse - 1) + decided * tied / 2
    asked = decided * (n - 1)
    return agreed.sum() / max(1, asked.sum()), int(((n > 1) & (decided > 0)).sum())


def measured_annotators(judged):
    """Return the agreement of a set's annotators; NaN where too little was judged twice."""
    y, annotators = judged.y, judged.annotators
    if annotators is None:
        return np.nan
    if isinstance(annotators, list):
        y = stacked(dict(enumerate(annotators)))
        annotators = y.index.get_level_values("ranking")
    texts = of_judgements(judged.X["hypothesis"], y)
    found, n_pairs = agreement_of_annotators(y, annotators, texts)
    return found if n_pairs >= FEWEST else np.nan


def of_judgements(values, y):
    """Return what is known of each translation, for each judgement of it."""
    at = [y.index.get_level_values(level) for level in ("segment", "system")]
    return values.loc[pd.MultiIndex.from_arrays(at)].set_axis(y.index)


def rows_of(judged, model, name, n_segments):
    """Measure a model's ranks and scores on a set."""
    label = f"{judged.campaign} {judged.pair} {{}}".format
    drawn = sorted(judged.y.index.unique("segment"), key=lambda of: draw(label(of)))[:n_segments]
    there = judged.y.index.isin(drawn, level="segment")
    y, documents = judged.y[there], judged.documents[there]
    X = judged.X[judged.X.index.isin(drawn, level="segment")]
    reads = X.drop(columns="reference") if READY_MADE[name].reference == "unused" else X
    found = rank_candidates(model, reads)[["strength", "score"]]
    found["chrf"] = MetricScores(("chrf",)).fit_transform(X)[:, 0]
    found, groups = of_judgements(found, y), comparable_groups(y.to_frame())
    pairs = y.groupby(groups).apply(lambda ranks: (ranks.to_numpy()[:, None] < [*ranks]).sum())
    for by in ("strength", "score"):
        low, high = agreement_interval(
            y, found[by], groups=groups, documents=documents, statistic="wmt14"
        )
        yield {
            **dict(zip(KEYS, (*judged[:4], name, by), strict=True)),
            "segments": len(drawn), "pairs": int(pairs.sum()), "agreement": agreement(y, found[by]),
            "low": (low + 1) / 2, "high": (high + 1) / 2, "chrf": agreement(y, found["chrf"]),
            "annotators": measured_annotators(judged),
        }  # fmt: skip


def card_section(name, measured):
    """Write the section of a model's card: its newest and largest set of each kind of texts."""
    mine = measured[measured["model"] == name].sort_values(["year", "pairs"])
    lines = [
        "## How far to believe it",
        "",
        "In so many of a hundred pairs of translations the model prefers what annotators prefer",
        f"([how it is counted]({COUNTED})); by chance it is 50.",
        "",
        "| texts | ranks | scores | chrF | annotators |",
        "|---|---|---|---|---|",
    ]
    for kind, rows in mine.groupby("kind"):
        of = dict(zip(rows["by"], rows.to_dict("records"), strict=True))  # the last of each
        row = of["score"]
        cells = [
            f"{100 * part['agreement']:.0f} [{100 * part['low']:.0f}, {100 * part['high']:.0f}]"
            for part in (of["strength"], row)
        ]
        annotators = "" if np.isnan(row["annotators"]) else f"{100 * row['annotators']:.0f}"
        cells = [
            f"{kind}, {row['pair']}, {row['year']}",
            *cells,
            f"{100 * row['chrf']:.0f}",
            annotators,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n\n" if len(mine) else ""


def write_cards(measured):
    """Put the sections into the cards."""
    for name, card in READY_MADE.items():
        file = Path(card.files / "README.md")
        before, _, after = file.read_text(encoding="utf-8").partition("## Limits\n")
        before = before.partition("## How far to believe it\n")[0]
        text = f"{before}{card_section(name, measured)}## Limits\n{after}"
        file.write_text(text, encoding="utf-8")


def main():
    """Measure, and write the table after each set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*READY_MADE]
    parser.add_argument("--models", nargs="+", choices=names, default=names)
    parser.add_argument("--campaigns", nargs="+", choices=CAMPAIGNS, default=CAMPAIGNS)
    parser.add_argument("--segments", type=int, default=SEGMENTS)
    parser.add_argument("--output", type=Path, default=TABLE)
    parser.add_argument("--cards", action="store_true")
    parser.add_argument("--mpnet", help="folder of all-mpnet-base-v2, for encoder-large-en")
    given = parser.parse_args()
    if given.cards:
        return write_cards(pd.read_csv(given.output, sep="\t"))
    data, e5 = Path(os.environ["SKLEARN_MTEVAL_DATA"]), os.environ.get("SKLEARN_MTEVAL_E5")
    models = {}
    for name in given.models:
        known = READY_MADE[name].encoder
        encoder = given.mpnet if name == "encoder-large-en" else None
        encoder = e5 if known is not None and "e5" in known.hub else encoder
        models[name] = load_pretrained(name, encoder=encoder)
    for judged in sets(data, given.campaigns):
        for name, model in models.items():
            card = READY_MADE[name]
            seen = f"{judged.campaign} {judged.pair}" in card.trained_on
            if not seen and card.is_for(judged.X.columns, judged.pair.split("-")[1]):
                write(rows_of(judged, model, name, given.segments), given.output)


def write(rows, file):
    """Put rows into a table, in place of those that it has of the same."""
    rows = pd.DataFrame(rows)
    print(rows.to_string(header=False, index=False), flush=True)
    if file.exists():
        rows = pd.concat([pd.read_csv(file, sep="\t"), rows])
    rows = rows.drop_duplicates(KEYS, keep="last").sort_values(KEYS)
    rows.to_csv(file, sep="\t", index=False, float_format="%.4f")


if __name__ == "__main__":
    main()
