"""A short run of the fuzzer; that its verdicts are right; that it reports mutants."""

import dataclasses
import os

import numpy as np
import pandas as pd
import pytest

import fuzz.planted
import fuzz.targets.loaders
import fuzz.targets.rankers
import fuzz.targets.systems
import fuzz.targets.text_files
from fuzz import TARGETS, judge, load_targets
from fuzz.__main__ import table
from fuzz.judge import BAD, BARE, CORRECT, CRASH, FUZZER, HANG, OWN, THEIRS, WRONG
from fuzz.registry import schedule
from fuzz.workers import run
from sklearn_mteval import cli, metrics
from sklearn_mteval._helpers import fitting
from sklearn_mteval.candidates import check_ranks
from sklearn_mteval.features import BLEUComp
from sklearn_mteval.metrics.core import agreement
from sklearn_mteval.metrics.core.statistics import STATISTICS
from sklearn_mteval.metrics.system import tables
from sklearn_mteval.pairwise import RankRecomposer, judged
from sklearn_mteval.text import WordVectors

PLANTED = {
    "correct": CORRECT, "package_error": OWN, "scikit_learns_error": THEIRS, "bare_error": BARE,
    "bare_error_of_numpy": BARE, "bare_memory": BARE, "wrong_value": WRONG,
    "wrong_refusal": WRONG, "crash": CRASH, "hang": HANG,
    "hang_without_work": HANG, "fuzzer_error": FUZZER,
}  # fmt: skip
NAMES = [name for name in load_targets() if name not in PLANTED]


@pytest.mark.slow
def test_short_run():
    """The same cases in each run, unless FUZZ_SEED names others."""
    bad, seed = [], int(os.environ.get("FUZZ_SEED") or 0)
    on_found = lambda found: found.verdict in BAD and bad.append(found)  # noqa: E731
    n_cases = sum(TARGETS[name].weight for name in NAMES)  # a round, in which each target has some
    counts = run(n_cases, seed=seed, names=NAMES, on_found=on_found)
    assert not bad, "\n\n".join([f"--seed {seed}", *map(str, bad[:3])])
    assert sum(counts.values()) == n_cases and {name for name, _ in counts} == set(NAMES)


@pytest.mark.slow
def test_verdicts():
    """A crash and a hang end a process, and the run goes on."""
    found = run(2 * len(PLANTED), names=PLANTED, package="fuzz.planted", jobs=2, seconds=4)
    assert found == dict.fromkeys(PLANTED.items(), 2)
    assert "| crash | 2 | 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 |" in table(found)


def test_a_case_is_made_again_from_its_name_seed_and_number():
    case = schedule(NAMES)
    cases = list(map(case, range(5000)))
    assert len(set(cases)) == 5000 and {name for name, _ in cases} == set(NAMES)
    for name in NAMES:
        numbers = [number for other, number in cases if other == name]
        assert numbers == list(range(len(numbers)))
    first, again, other = (judge(TARGETS["kendall"], *of).text for of in ((1, 2), (1, 2), (1, 3)))
    assert first == again == other == ""


def ties_forgiven(patch):
    wmt12 = dataclasses.replace(STATISTICS["wmt12"], numerator=(1, -1, 0, 0, 0))
    patch.setitem(STATISTICS, "wmt12", wmt12)


def nan_let_through(patch):
    real = agreement.aligned
    patch.setattr(agreement, "aligned", lambda y, s, g, missing="error": real(y, s, g, "skip"))


def dropped_row(patch):
    real = fuzz.targets.loaders.load_scores
    patch.setattr(fuzz.targets.loaders, "load_scores", lambda *a, **k: real(*a, **k).iloc[:-1])


def swapped_systems(patch):
    real = metrics.human_system_scores

    def swapped(X, y, **options):
        scores = real(X, y, **options)
        return pd.Series(scores.to_numpy()[::-1], index=scores.index)

    patch.setattr(metrics, "human_system_scores", swapped)


def upside_down_ranks(patch):
    patch.setattr(RankRecomposer, "predict", lambda self, X: -self.decision_function(X))


def rows_that_know_each_other(patch):
    real = BLEUComp._transform
    patch.setattr(BLEUComp, "_transform", lambda self, X: real(self, X) + len(X) * 1e-9)


def shifted_vectors(patch):
    real = fuzz.targets.text_files.load_word_vectors

    def shifted(*args, **options):
        loaded = real(*args, **options)
        return WordVectors(loaded.words, np.roll(loaded.matrix, 1, axis=0))

    patch.setattr(fuzz.targets.text_files, "load_word_vectors", shifted)


def mean_in_the_order_of_rows(patch):
    patch.setattr(tables, "means_of_groups", lambda codes, values, n: np.bincount(
        codes, weights=values, minlength=n) / np.maximum(np.bincount(codes, minlength=n), 1)
    )  # fmt: skip


def text_for_ranks(patch):
    real = agreement.aligned.__globals__["check_ranks"]
    assert real is check_ranks
    patch.setitem(
        agreement.aligned.__globals__,
        "check_ranks",
        lambda y, X: real(np.zeros(len(X)) if isinstance(y, list) and "x" in y else y, X),
    )


def intervals_that_ask_for_names(patch):
    real = metrics.agreement_interval

    def named(y, s, *, groups, documents, **options):
        low, high = real(y, s, groups=groups, documents=documents, **options)
        return low - 1e-12 * isinstance(documents[0], str), high

    patch.setattr(metrics, "agreement_interval", named)


def copies_that_count(patch):
    patch.setattr(judged.absolute, "distinct_rows", lambda X, _: (np.arange(len(X)),) * 2)


def failed_fits_that_are_half_done(patch):
    patch.setattr(fitting, "_contents", lambda estimator: [])


def errors_unsaid(patch):
    patch.setattr(cli, "say", lambda text: None)


MUTANTS = {
    ties_forgiven: "kendall", nan_let_through: "kendall", dropped_row: "scores_in_files",
    swapped_systems: "wins_of_systems", upside_down_ranks: "recompositions",
    rows_that_know_each_other: "rows_of_texts", shifted_vectors: "word_vectors",
    mean_in_the_order_of_rows: "tables_of_scores", text_for_ranks: "spoiled_rows",
    intervals_that_ask_for_names: "intervals", copies_that_count: "copies_and_competitors",
    failed_fits_that_are_half_done: "sequences", errors_unsaid: "hostile_options",
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_mutants_are_reported(mutant, monkeypatch):
    target = TARGETS[MUTANTS[mutant]]
    mutant(monkeypatch)
    assert any(judge(target, 0, number).verdict == WRONG for number in range(300))
