"""What the ranker of ``no-reference-encoder`` learns from: rankings, expert MQM, and damage.

All is of segments that its cross-encoder was not trained on. Judgements are those of systems, and
of people where there are any; what is damaged (``without_reference_texts.py``), a sentence that
would do anywhere, and a translation of another segment lose to a translation that is sound.
"""

# ruff: noqa: RUF001 - Russian letters
from itertools import product

import numpy as np
import pandas as pd
from reader_of_three import LEFT_OUT, MQM, draw
from ready_made_source import with_references
from ready_made_training import ANY_DIRECTION
from without_reference_texts import TESTED_AS_A_WHOLE, damages, first_segments, load_part

SEGMENTS = {"wmt13": 75, "wmt15": 60, "wmt16it": 30, "wmt20": 70, "wmt21": 70, "bio": 15, "ted": 20}
SYSTEMS = 5  # of a segment
KINDS = 2  # of damage to a segment, besides what would do anywhere and another segment's
BESIDE = 3  # competitors of every second pair
SETS = (
    *(" ".join(c) for c in ANY_DIRECTION),
    *sorted(set(MQM) - LEFT_OUT - {TESTED_AS_A_WHOLE}),
)
# Who, did what: each with each, and what needs nobody.
ANYWHERE = {
    "en": (
        ("The government", "A spokesman", "The manager", "My colleague", "The report"),
        ("confirmed this on Monday.", "did not say anything about it.", "is happy with the result.",
         "announced further measures.", "has been known for years.", "asked for more time."),
        ("It is not easy.", "Thank you very much.", "Nobody knows what will happen next.",
         "That is why we are here today.", "There are several reasons for this."),
    ),
    "de": (
        ("Die Regierung", "Ein Sprecher", "Der Leiter", "Mein Kollege", "Der Bericht"),
        ("bestätigte dies am Montag.", "sagte nichts dazu.", "ist mit dem Ergebnis zufrieden.",
         "kündigte weitere Maßnahmen an.", "ist seit Jahren bekannt.", "bat um mehr Zeit."),
        ("Es ist nicht einfach.", "Vielen Dank.", "Niemand weiß, was als Nächstes passiert.",
         "Deshalb sind wir heute hier.", "Dafür gibt es mehrere Gründe."),
    ),
    "cs": (
        ("Ministr", "Mluvčí", "Ředitel", "Můj kolega", "Autor zprávy"),
        ("to v pondělí potvrdil.", "k tomu nic neřekl.", "je s výsledkem spokojen.",
         "oznámil další opatření.", "je známý už léta.", "požádal o více času."),
        ("Není to snadné.", "Děkuji mnohokrát.", "Nikdo neví, co bude dál.",
         "Proto jsme dnes tady.", "Existuje pro to několik důvodů."),
    ),
    "ru": (
        ("Министр", "Представитель", "Директор", "Мой коллега", "Автор доклада"),
        ("подтвердил это в понедельник.", "ничего об этом не сказал.", "доволен результатом.",
         "объявил о новых мерах.", "известен уже много лет.", "попросил больше времени."),
        ("Это нелегко.", "Большое спасибо.", "Никто не знает, что будет дальше.",
         "Поэтому мы сегодня здесь.", "Для этого есть несколько причин."),
    ),
    "fi": (
        ("Hallitus", "Tiedottaja", "Johtaja", "Kollegani", "Raportti"),
        ("vahvisti tämän maanantaina.", "ei sanonut asiasta mitään.", "on tyytyväinen tulokseen.",
         "ilmoitti uusista toimista.", "on ollut tunnettu vuosia.", "pyysi lisää aikaa."),
        ("Se ei ole helppoa.", "Kiitos paljon.", "Kukaan ei tiedä, mitä seuraavaksi tapahtuu.",
         "Siksi olemme täällä tänään.", "Tähän on useita syitä."),
    ),
    "fr": (
        ("Le gouvernement", "Un porte-parole", "Le directeur", "Mon collègue", "Le rapport"),
        ("l'a confirmé lundi.", "n'a rien dit à ce sujet.", "est satisfait du résultat.",
         "a annoncé de nouvelles mesures.", "est connu depuis des années.",
         "a demandé plus de temps."),
        ("Ce n'est pas facile.", "Merci beaucoup.", "Personne ne sait ce qui va se passer.",
         "C'est pourquoi nous sommes ici aujourd'hui.", "Il y a plusieurs raisons à cela."),
    ),
    "es": (
        ("El gobierno", "Un portavoz", "El director", "Mi colega", "El informe"),
        ("lo confirmó el lunes.", "no dijo nada al respecto.", "está contento con el resultado.",
         "anunció nuevas medidas.", "es conocido desde hace años.", "pidió más tiempo."),
        ("No es fácil.", "Muchas gracias.", "Nadie sabe qué pasará después.",
         "Por eso estamos hoy aquí.", "Hay varias razones para ello."),
    ),
    "nl": (
        ("De regering", "Een woordvoerder", "De directeur", "Mijn collega", "Het rapport"),
        ("bevestigde dit maandag.", "zei er niets over.", "is blij met het resultaat.",
         "kondigde nieuwe maatregelen aan.", "is al jaren bekend.", "vroeg om meer tijd."),
        ("Het is niet makkelijk.", "Hartelijk dank.", "Niemand weet wat er gaat gebeuren.",
         "Daarom zijn we hier vandaag.", "Daar zijn verschillende redenen voor."),
    ),
}  # fmt: skip


def anywhere(language):
    """List sentences that would do anywhere."""
    who, did, alone = ANYWHERE[language]
    return [*(" ".join(both) for both in product(who, did)), *alone]


def few_of(X, y, name):
    """Take some segments of a set, of each one ranking and some systems, people first."""
    segments = first_segments(X, SEGMENTS[name.split()[0]])
    there = X.index.isin(segments, level="segment")
    X, y = X[there], y[there]
    labels = X.index.to_frame(index=False)
    of = labels["segment"] + labels["ranking"]
    first = of.map({v: draw(v) for v in of.unique()}).groupby(labels["segment"]).rank("dense") == 1
    place = (of + labels["system"]).map(draw) - labels["system"].str.startswith("human")
    place = place.where(first, np.inf).groupby(labels["segment"]).rank("first")
    there = (first & (place <= SYSTEMS)).to_numpy()
    return X[there], y[there]


def sound_texts(X, y):
    """Draw a translation of each segment that is not worse than its median."""
    sound = (y <= y.groupby(level="segment").transform("median")).to_numpy()
    drawn = X[sound & (X["hypothesis"].str.strip() != "").to_numpy()].reset_index()
    drawn["place"] = (drawn["segment"] + " " + drawn["hypothesis"]).map(draw)
    texts = drawn.sort_values("place", kind="stable").drop_duplicates("segment")
    return texts.set_index("segment")[["source", "hypothesis"]].sort_index()


def lost_pairs(X, texts, name, foreign):
    """Return pairs of sound translations and what loses to them, and their ranks.

    Every second pair has competitors, of which nothing is said. ``foreign`` are translations into
    other languages, of any segments.
    """
    n, good = len(texts), texts["hypothesis"].tolist()
    # Of like length: what is longer or shorter is seen too easily.
    by_length = sorted(range(n), key=lambda k: len(good[k]))
    others = dict(zip(by_length, [good[k] for k in (*by_length[1:], by_length[0])], strict=True))
    stock = anywhere(name.split("-")[1])
    of = [int(draw(name + text) * 2**30) for text in good]
    foreign = [foreign[k % len(foreign)] for k in of]
    kinds = damages(texts, [others[k] for k in range(n)], foreign)
    kinds["anywhere"] = [stock[k % len(stock)] for k in of]
    always = ("other segment", "anywhere")
    names = [kind for kind in kinds if kind not in always]
    rows, ranks, index = [], [], []
    for k, (segment, source, text) in enumerate(texts.itertuples()):
        beside = X.loc[[segment]]["hypothesis"]
        beside = beside[beside != text].drop_duplicates().iloc[:BESIDE]
        drawn = [names[(k + 5 * j) % len(names)] for j in range(KINDS)]
        for j, kind in enumerate((*drawn, *always)):
            if kinds[kind][k] is None:
                continue
            several = beside if (k + j) % 2 else beside[:0]
            label = f"{segment}#{kind}"
            rows += [(source, made) for made in (text, kinds[kind][k], *several)]
            ranks += [0.0, 1.0, *(0.0 for _ in several)]
            index += [(label, "pair", "sound"), (label, "pair", "damaged")]
            index += [(label, f"beside {m}", f"{m}") for m in range(len(several))]
    index = pd.MultiIndex.from_tuples(index, names=X.index.names)
    return pd.DataFrame(rows, index, columns=["source", "hypothesis"]), pd.Series(ranks, index)


def ranker_training(data):
    """Make the table that the ranker is trained on, and the ranks, lower is better."""
    judged = {name: few_of(*load_part(data, name, "training"), name) for name in SETS}
    tables, ranks, foreign = [], [], {}
    for name, (X, _) in judged.items():
        foreign.setdefault(name.split("-")[1], []).extend(X["hypothesis"].iloc[::7])
    for name, (X, y) in judged.items():
        others = [t for lang, of in foreign.items() if lang != name.split("-")[1] for t in of]
        damaged, of_damaged = lost_pairs(X, sound_texts(X, y), name, others)
        if "reference" in X:
            X, y = with_references(X, y)
        tables += [X[["source", "hypothesis"]], damaged]
        ranks += [y, of_damaged]
    return pd.concat(tables), pd.concat(ranks)
