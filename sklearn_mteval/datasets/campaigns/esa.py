"""Judgements as the annotation tool Appraise exports them: error span annotation, ESA, and scores.

Kocmi et al. 2024, "Error Span Annotation: A Balanced Approach for Human Evaluation of Machine
Translation".
"""

import re
from pathlib import Path
from typing import Any

from sklearn_mteval._helpers.options import check_boolean
from sklearn_mteval._helpers.types import PathLike
from sklearn_mteval.datasets._files import Place
from sklearn_mteval.datasets._lines import as_object
from sklearn_mteval.datasets._loaded import Loaded
from sklearn_mteval.datasets.campaigns._appraise import in_characters, read_items
from sklearn_mteval.datasets.campaigns._given_texts import GivenTexts
from sklearn_mteval.datasets.campaigns._judged import candidates_of_scores, language
from sklearn_mteval.datasets.campaigns._test_set import TestSet, is_human, is_reference
from sklearn_mteval.exceptions import DataFileError

_TUTORIAL = re.compile(r"([a-z]+-)?tutorial[0-9]*", re.IGNORECASE)


def load_esa(
    path: PathLike, lang_pair: str | None = None, *, texts: PathLike | dict | None = None,
    reference: str | list[str] | None = None, human_systems: bool = False,
    average_judges: bool = False, return_X_y: bool = False, max_bytes: int | None = None
) -> Any:  # fmt: skip
    """Load the judgements of one language pair from an export of Appraise.

    Parameters
    ----------
    path : path-like
        CSV without a header, plain or compressed by gzip: judge, system, line number (from 0), type
        of item, source and target language, score from 0 to 100, document, whether the whole
        document was scored, error spans (JSON; may be missing), start and end (seconds).
    lang_pair : str, optional
        Such as "en-cs"; the file's own codes, such as "eng-ces", are understood. None: the one
        that the file has.
    texts : path-like or dict, optional
        Folder of the texts in mt-metrics-eval's layout (:func:`load_mtme`), whose files
        ``lang_pair`` names; or files, as for :func:`load_rankings`, with those of all systems that
        compete as ``"hypothesis"``, line k for line number k - 1. None: X has no columns.
    reference : str or list of str, optional
        Of a folder of texts, as for :func:`load_mtme`; None takes those that do not compete.
    human_systems : bool, default=False
        Whether references that were judged compete: ``refA`` and the like, and what stands in
        the references of ``texts``; those of the column ``reference`` never do.
    average_judges : bool, default=False
        Whether a translation's judgements become their mean, and all translations of a segment
        are compared. Else what one judge says of a segment is a ranking, mostly of one.
    return_X_y, max_bytes : see :func:`load_rankings`
        The same.

    Returns
    -------
    Bunch
        - X : DataFrame indexed by (segment, ranking, system), with ``average`` by (segment,
          system). ``segment`` is the line number, counted from 1. With ``texts``, the columns
          ``source``, ``reference`` and ``hypothesis``.
        - y : Series, the score with its sign changed: lower is better, from -100 to 0.
        - judges : Series of str, who judged.
        - documents : Series of str, without what Appraise adds ("#dup", "#incomplete").
        - domains : Series of str, where the ``texts`` say which; "" where they do not.
        - spans : Series of lists of ErrorSpan (start, end, severity, category, place), the errors
          that were marked, with ``average`` by anyone. Without ``texts``, characters are UTF-16
          units, as Appraise counts them.
        - seconds : Series, time that the judgement took; NaN where it ends before it starts.
        - n_judgements : Series, how many were averaged. With ``average`` it stands for judges and
          seconds, which are of single judgements; so do ``ratings`` and ``marks``, Series of what
          each judge said and marked, indexed by (segment, rater, system).
        - checks : DataFrame with the columns judge, segment, system, ``damaged`` and ``original``:
          scores that a judge gave to a damaged translation and to what it was before (NaN: not
          seen), for :func:`~sklearn_mteval.evaluation.audit_judges`.
        - n_repeated, n_contradictions : int, judgements of a translation that the judge had judged
          before, and translations that a judge gave different scores.
        - translations : DataFrame indexed by (segment, system), outputs in ``texts``; else None.
        - n_segments : int or None, lines of the texts.
        - lang_pair : str, as given; None was the one of the file, with codes of two letters.
        - other_systems : tuple of str, references and outputs that do not compete.
        - DESCR : str, what was read and what was left out.

    Raises
    ------
    DataFileError
        Naming file and line: no such language pair, or several and none is named; a header; wrong
        cells; a line beyond the texts, a system without output, a document that is elsewhere.

    Notes
    -----
    Tutorial items, scores of whole documents and references shown as a check (REF) are left out.
    An output that two systems share, "A+B", is a judgement of each, unless ``texts`` has a system
    of that name. Who judges a translation again has a ranking of their own for it.
    """
    check_boolean(human_systems=human_systems, average_judges=average_judges, return_X_y=return_X_y)
    path = Path(path)
    lang_pair, items = _of_pair(path, read_items(path, max_bytes), lang_pair)
    test_set = _test_set(texts, lang_pair, items["system"], max_bytes)
    judged = items[[not _TUTORIAL.fullmatch(name) for name in items["system"]]]
    judged = _split_joint(judged, set() if test_set is None else set(test_set.outputs))
    checks = _checks(judged)
    there = judged["system"].unique()
    competing, chosen = _competing(there, test_set, reference, human_systems)
    judged = judged[judged["judged"] & judged["system"].isin(competing)]
    if judged.empty:
        raise DataFileError(path, f"no judgement of a system's translation for {lang_pair}.")
    translations = None
    if test_set is not None:
        judged, translations = _with_texts(path, judged, test_set, chosen, competing)
    # Who judged first does not depend on the order of lines.
    judged = judged.sort_values(["start", "end", "score"], kind="stable")
    label = f"{path.name}.{lang_pair}"
    kept = judged.drop(columns=["line", "languages", "judged", "damaged", "start", "end"])
    X, y, others = candidates_of_scores(kept, label, average=average_judges)
    if return_X_y:
        return X, y
    if test_set is None:
        other_systems = tuple(name for name in there if name not in competing)
    else:
        other_systems = test_set.other_than([*test_set.systems, *competing])
    return Loaded(
        X=X,
        y=y,
        **others,
        other_systems=other_systems,
        checks=checks,
        translations=translations,
        n_segments=None if test_set is None else test_set.n_segments,
        lang_pair=lang_pair,
        DESCR=f"Scores from {path} for {lang_pair}: {len(judged)} judgements of {len(items)} items;"
        f" {len(checks)} of damaged translations; {others['n_repeated']} repeated by their judge, "
        f"{others['n_contradictions']} translations with different scores of one judge.",
    )


def _of_pair(path, items, lang_pair):
    """Return the items of one language pair, and its name."""
    there = sorted(items["languages"].unique())
    known = [_languages(pair) for pair in there]
    if lang_pair is None:
        if len(there) > 1:
            problem = f"expected one language pair, found {known}: pass lang_pair=."
            raise DataFileError(path, problem)
        return known[0], items
    if not isinstance(lang_pair, str):
        raise ValueError(f"lang_pair must be like 'en-cs', found {lang_pair!r}.")
    wanted = items[items["languages"].map(_languages) == _languages(lang_pair)]
    if wanted.empty:
        raise DataFileError(path, f"no judgement of {lang_pair!r}, only of {known}.")
    return lang_pair, wanted


def _test_set(texts, lang_pair, systems, max_bytes):
    """Open the folder or the files of texts, if there are any."""
    if texts is None:
        return None
    if isinstance(texts, dict):
        names = dict.fromkeys(systems)
        return GivenTexts(texts, {p for name in names for p in (name, *name.split("+"))}, max_bytes)
    return TestSet(texts, lang_pair, max_bytes)


def _languages(pair):
    """Write a pair with codes of two letters: "en-zh_TW" and "eng-zho" are one."""
    return "-".join(map(language, pair.split("-")))


def _split_joint(items, outputs):
    """Make an item of each of the systems that share an output, "A+B"."""
    systems = []
    for name in items["system"]:
        parts = name.split("+")
        systems.append(parts if name not in outputs and all(parts) else [name])
    return items.assign(system=systems).explode("system", ignore_index=True)


def _checks(items):
    """List what judges gave to damaged translations, and to the same undamaged."""
    keys = ["judge", "segment", "system"]
    judged = items[items["judged"]].sort_values("score")
    damaged = items[items["damaged"]].sort_values(["start", "end", "score"])[[*keys, "score"]]
    original = judged.groupby(keys)["score"].mean().rename("original")
    checks = damaged.rename(columns={"score": "damaged"}).join(original, on=keys)
    return checks.reset_index(drop=True)


def _competing(systems, test_set, reference, human_systems):
    """Return the systems that compete, and the references that are texts."""
    if not isinstance(test_set, TestSet):
        if reference is not None:
            raise ValueError("reference names texts: give the folder that has them, texts=.")
        references, chosen = {}, []
    else:
        references = test_set.references
        chosen = test_set.chosen_references(reference, test_set.metrics())
        if human_systems and reference is None:
            chosen = [name for name in chosen if name not in systems]
    others = [name for name in systems if name not in chosen and is_human(name)]
    humans = others if human_systems else ()
    return [n for n in systems if n in humans or not is_reference(n, references)], chosen


def _with_texts(path, judged, test_set, chosen, competing):
    """Return judgements with their texts, and a table of all translations."""
    n_segments, texts = test_set.n_segments, test_set.references | test_set.outputs
    domains, documents = test_set.documents()
    known = set(documents) - {""}
    columns, spans = ["line", "segment", "system", "document", "spans"], []
    for line, segment, system, document, marked in judged[columns].itertuples(index=False):
        at = Place(path, line)
        if segment > n_segments:
            raise at.error(
                f"line number {segment - 1}, but {test_set.first_file} has {n_segments} lines, "
                "counted from 0."
            )
        if system not in texts:
            there = ", ".join(map(repr, texts))
            raise at.error(
                f"the system {system[:60]!r} has no output among the texts; there are {there}."
            )
        if document in known and documents[segment - 1] != document:
            raise at.error(
                f"line number {segment - 1} is of the document {document!r} here, and of "
                f"{documents[segment - 1]!r} in the texts: are they of another test set?"
            )
        spans.append(in_characters(at, marked, texts[system][segment - 1]))
    judged = judged.assign(spans=as_object(spans))
    if any(domains):
        judged["domain"] = domains[judged["segment"].to_numpy() - 1]
    translations = test_set.translations(dict.fromkeys([*test_set.systems, *competing]), chosen)
    return judged.join(translations, on=["segment", "system"]), translations
