"""Translations of segments that no reader of sources has been trained on, and damaged ones.

Segments are of WMT13, WMT15 and the IT task, but for those that ``ready_made_source.py`` samples,
and of expert MQM, whose held-out documents are those of ``reader_of_three.py``. What is damaged is
worse than what it is made of to any reader: other letters, other words, other segments, wrappers.
"""

# ruff: noqa: RUF001 - Russian letters
from functools import cache

import numpy as np
import pandas as pd
from reader_of_three import HUMAN, MQM, draw
from ready_made_experts import translations
from ready_made_source import SEGMENTS, sampled
from ready_made_training import ANY_DIRECTION, load_training

TESTED = 60  # segments of a set
TESTED_AS_A_WHOLE = "wmt21 en-de"  # few of its documents are held out; none is trained on


@cache
def _unread(data):
    """Return the judged translations of the campaigns that the reader has not seen, and ranks."""
    X, y, _ = load_training(data, ANY_DIRECTION)
    read = sampled(X, y, SEGMENTS)[0].index.unique("segment")
    there = ~X.index.isin(read, level="segment")
    return X[there], y[there]


def load_part(data, name, part):
    """Load a set, "wmt15 en-de" say, its "test" or "training" part: X and ranks, lower is better.

    Texts of X are ``source`` and ``hypothesis``; systems that are people are named ``human…``.
    """
    if name in MQM:
        held_out = [part == "test", False] if name == TESTED_AS_A_WHOLE else [part == "test"]
        parts = [translations(data, name, held_out=held) for held in held_out]
        X, y = map(pd.concat, zip(*parts, strict=True))
        labels = X.index.to_frame(index=False)
        human = labels["system"].str.startswith(HUMAN)
        labels["system"] = labels["system"].where(~human, "human " + labels["system"])
        judged = labels["segment"].isin(labels["segment"][~human]).to_numpy()
        index = pd.MultiIndex.from_frame(labels)
        return X.set_axis(index)[judged], y.set_axis(index)[judged]
    X, y = _unread(data)
    campaign = name.replace(" ", ".") + ":"
    mine = X.index.get_level_values("segment").str.startswith(campaign)
    X, y = X[mine], y[mine]
    tested = first_segments(X, TESTED)
    there = X.index.isin(tested, level="segment") == (part == "test")
    return X[there], y[there].astype(float)


def first_segments(X, n):
    """Draw segments by a hash of their names."""
    return sorted(X.index.unique("segment"), key=draw)[:n]


def best_of(X, y):
    """Return a system's best translation of each segment as a table by segment."""
    systems = ~X.index.get_level_values("system").str.startswith("human")
    there = systems & (X["hypothesis"].str.split().str.len() >= 1).to_numpy()
    X, y = X[there], y[there]
    order = np.lexsort([[draw(t) for t in X["hypothesis"]], y.to_numpy()])
    best = X.iloc[order].reset_index()
    return best.drop_duplicates("segment").set_index("segment")[["source", "hypothesis"]]


def mojibake(text):
    """Return UTF-8 read as Windows-1252; where all is ASCII, with an apostrophe read so."""
    found = text.encode().decode("cp1252", "replace").replace("\ufffd", "")
    return found if found != text else text.replace(" ", "â€™ ", 1)


WRAPPERS = (
    "Translation: {}", "Sure! Here is the translation: {}", "Here is the translation:\n\n{}",
    '"{}" (translated)', "**{}**", "{} I hope this helps!", "```\n{}\n```",
    '{{"translation": "{}"}}', "Übersetzung: {}", "Certainly. The translation reads: {}",
)  # fmt: skip
STOCK = {
    "en": (
        "The company said that it could not provide any further information.",
        "He said that this was an important decision.", "This is a good thing for all of us.",
        "We will do everything we can to find a solution.", "It was not immediately clear why.",
        "The authorities did not comment on the matter.", "There were no significant differences.",
        "Many people think that this is the case.",
    ),
    "de": (
        "Das Unternehmen erklärte, dass es keine weiteren Angaben machen könne.",
        "Er sagte, dass dies eine wichtige Entscheidung gewesen sei.",
        "Das ist eine gute Sache für uns alle.",
        "Wir werden alles tun, um eine Lösung zu finden.", "Der Grund war zunächst unklar.",
        "Die Behörden äußerten sich nicht dazu.", "Es gab keine bedeutsamen Unterschiede.",
        "Viele Menschen glauben, dass das so ist.",
    ),
    "cs": (
        "Společnost uvedla, že nemůže poskytnout žádné další informace.",
        "Řekl, že to bylo důležité rozhodnutí.", "To je dobrá věc pro nás všechny.",
        "Uděláme vše pro to, abychom našli řešení.", "Důvod nebyl bezprostředně jasný.",
        "Úřady se k věci nevyjádřily.", "Nebyly zjištěny žádné významné rozdíly.",
        "Mnoho lidí si myslí, že tomu tak je.",
    ),
    "ru": (
        "В компании заявили, что не могут предоставить дополнительную информацию.",
        "Он сказал, что это было важное решение.", "Это хорошо для всех нас.",
        "Мы сделаем все возможное, чтобы найти решение.", "Причина пока не ясна.",
        "Власти не прокомментировали ситуацию.", "Существенных различий выявлено не было.",
        "Многие люди думают, что это так.",
    ),
    "fi": (
        "Yhtiö kertoi, ettei se voi antaa lisätietoja.",
        "Hän sanoi, että tämä oli tärkeä päätös.", "Tämä on hyvä asia meille kaikille.",
        "Teemme kaikkemme löytääksemme ratkaisun.", "Syy ei ollut heti selvä.",
        "Viranomaiset eivät kommentoineet asiaa.", "Merkittäviä eroja ei havaittu.",
        "Monet ihmiset ajattelevat, että näin on.",
    ),
    "fr": (
        "L'entreprise a déclaré qu'elle ne pouvait pas fournir d'autres informations.",
        "Il a dit que c'était une décision importante.", "C'est une bonne chose pour nous tous.",
        "Nous ferons tout pour trouver une solution.", "La raison n'était pas claire.",
        "Les autorités n'ont pas commenté l'affaire.",
        "Il n'y avait pas de différences significatives.",
        "Beaucoup de gens pensent que c'est le cas.",
    ),
}  # fmt: skip


def damages(texts, others, foreign):
    """Make damaged translations: kind → texts of the segments, None where a kind does not apply.

    ``texts`` are good translations with their sources, ``others`` and ``foreign`` lists of as many
    translations: of other segments, and into another language.
    """
    good, sources = texts["hypothesis"].tolist(), texts["source"].tolist()
    numbers = range(len(good))
    kinds = {
        "lowercase": [text.lower() for text in good],
        "uppercase": [text.upper() for text in good],
        "other segment": others,
        "other language": foreign,
        "source copied": sources,
        "doubled": [f"{text} {text}" for text in good],
        "shuffled": [" ".join(sorted(text.split(), key=draw)) for text in good],
        "mojibake": [mojibake(text) for text in good],
        "&nbsp;": ["&nbsp;".join(text.split()) for text in good],
        "markup": [f"<p>{text}</p>" for text in good],
        "with another": [f"{text} {other}" for text, other in zip(good, others, strict=True)],
        "halved": [text[: len(text) // 2] for text in good],
        "wrapped": [WRAPPERS[k % len(WRAPPERS)].format(good[k]) for k in numbers],
        "Translation:": [f"Translation: {text}" for text in good],
        "no closing mark": [text.rstrip(".!?。") for text in good],
    }
    return {
        kind: [
            made if made.strip() not in (was, "") else None
            for made, was in zip(of, good, strict=True)
        ]
        for kind, of in kinds.items()
    }
