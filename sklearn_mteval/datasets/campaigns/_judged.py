"""What readers of campaigns share: codes of languages, marked errors, tables of single scores."""

from itertools import chain

import pandas as pd

from sklearn_mteval._helpers.error_spans import error_spans_of
from sklearn_mteval.candidates import TEXT_COLUMNS
from sklearn_mteval.datasets._lines import as_object

# ISO 639-2 and 639-3 codes of the languages that have one of two letters and stood in a WMT task;
# "plk" is Appraise's own for Polish.
_CODES = """
    afr:af amh:am ara:ar arz:ar asm:as aze:az bel:be ben:bn bos:bs bul:bg cat:ca ces:cs cze:cs
    chi:zh cmn:zh zho:zh cym:cy wel:cy dan:da deu:de ger:de ell:el gre:el eng:en est:et eus:eu
    baq:eu fas:fa per:fa fin:fi fra:fr fre:fr gle:ga glg:gl guj:gu hau:ha heb:he hin:hi hrv:hr
    hun:hu hye:hy arm:hy ibo:ig iku:iu ind:id isl:is ice:is ita:it jpn:ja kan:kn kat:ka geo:ka
    kaz:kk khm:km kin:rw kir:ky kor:ko lav:lv lin:ln lit:lt lug:lg mal:ml mar:mr mkd:mk mac:mk
    mon:mn msa:ms may:ms mya:my bur:my nep:ne nld:nl dut:nl nno:nn nob:nb nor:no ori:or orm:om
    pan:pa plk:pl pol:pl por:pt pus:ps ron:ro rum:ro rus:ru sin:si slk:sk slo:sk slv:sl sna:sn
    som:so spa:es sqi:sq alb:sq srp:sr swa:sw swe:sv tam:ta tel:te tgk:tg tha:th tir:ti tsn:tn
    tur:tr ukr:uk urd:ur uzb:uz vie:vi wol:wo xho:xh yor:yo zul:zu
"""
_TWO_LETTERS = dict(entry.split(":") for entry in _CODES.split())


def language(code):
    """Return the code of two letters, if there is one, without script and country."""
    code = code.replace("-", "_").partition("_")[0].casefold()
    return _TWO_LETTERS.get(code, code)


_LEVELS = ["segment", "ranking", "system"]
# Of columns, as loaders return them.
_NAMES = {"judge": "judges", "document": "documents", "domain": "domains"}


def candidates_of_scores(judged, label, *, average):
    """Make a candidate table of judgements: X, y, and by name what else is known, and counts.

    ``judged`` has a row for each judgement, in the order in which they were made: columns
    segment, system, judge, score (higher is better), texts and others. What one judge says of a
    segment is a ranking; who judges a translation again begins a further one. With ``average`` rows
    are translations, and y is a mean over judgements; errors are those that anyone marked.
    """
    translation = ["segment", "system"]
    again = judged.groupby(["judge", *translation], sort=False).cumcount()
    different = judged.drop_duplicates(["judge", *translation, "score"])
    contradicted = different.groupby(["judge", *translation], sort=False).size() > 1
    counts = {"n_repeated": int((again > 0).sum()), "n_contradictions": int(contradicted.sum())}
    if average:
        # Sorted, lest the last bit of a mean depend on the order of rows.
        groups = judged.sort_values("score", kind="stable").groupby(translation)
        means, sizes = groups["score"].mean(), groups.size()
        marked = groups["spans"].agg(lambda cells: sorted(chain.from_iterable(cells)))
        index = pd.MultiIndex.from_frame(judged[["segment", "judge", "system"]])
        by_rater = of_raters(index, judged["spans"].to_numpy(), 0.0 - judged["score"].to_numpy())
        judged = judged.drop_duplicates(translation).set_index(translation).sort_index()
        y, others = means.loc[judged.index], {"n_judgements": sizes.loc[judged.index]}
        others["spans"] = marked.loc[judged.index].astype(object)
        others |= by_rater
        for name in {"document", "domain"} & set(judged):
            others[_NAMES[name]] = judged[name].rename(_NAMES[name])
    else:
        rankings = [
            f"{label}:{judge}:{segment}" + f"#{k + 1}" * (k > 0)
            for judge, segment, k in zip(judged["judge"], judged["segment"], again, strict=True)
        ]
        judged = judged.assign(ranking=rankings).set_index(_LEVELS).sort_index()
        y, left = judged["score"], judged.columns.difference(["score", *TEXT_COLUMNS], sort=False)
        others = {_NAMES.get(name, name): judged[name] for name in left}
        others["judges"] = others["judges"].astype(object)
    X = judged[[name for name in TEXT_COLUMNS if name in judged]].astype(object)
    return X, pd.Series(0.0 - y.to_numpy(), X.index, name="score"), others | counts


def of_raters(index, marks, ratings):
    """Make Series of what raters marked and said; ``index``: of segments, raters and systems."""
    index = index.set_names(["segment", "rater", "system"])
    return {
        "ratings": pd.Series(ratings, index, dtype=float, name="ratings"),
        "marks": pd.Series(as_object(marks), index, name="marks"),
    }


def marked(at, span):
    """Make an ErrorSpan of (start, end, severity, category, place), or raise, naming the place."""
    try:
        return error_spans_of([span])[0]
    except ValueError as error:
        raise at.error(f"{error}.") from None
