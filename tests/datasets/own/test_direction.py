"""Judgements that are read upside down are told by the names of their columns."""

import pandas as pd
import pytest

from sklearn_mteval.datasets import load_judgements, load_rankings
from sklearn_mteval.datasets.own._direction import better_by_name

RANKS = """
    rank RANK Rankings rank_1 meanRank overall-rank position Place ter penalty error_count Platz
    PLATZIERUNG rang Rangfolge classement puesto posizione posição volgorde Plassering kolejność
    pořadí МЕСТО ранг порядок θέση κατάταξη sıralama SIRALAMA रैंक 排名 综合排名
    順位 ランキング 순위 อันดับ
"""
SCORES = """
    score Score SCORES humanScore DAScore z-score da_score rating star_rating Points Quality
    adequacy FLUENCY Qualität QUALITE Gesamtpunktzahl Bewertung puntuación Punteggio pontuação poäng
    балл ОЦЕНКА качество βαθμολογία puan điểm 分数 总评分 スコア ｽｺｱ 점수 คะแนน
"""
UNSAID = """
    judgement value y Note grade mark label frank Schrank border filter terrain operating checkpoint
    underscored_x рейтинг mqm mqm_score penalty_score rank_score score_reversed Score,lower=better
"""


@pytest.mark.parametrize(
    ("names", "expected"), [(RANKS, "lower"), (SCORES, "higher"), (UNSAID, None)]
)
def test_names_that_say_which_is_better(names, expected):
    names = names.split()
    assert {name: better_by_name(name) for name in names} == dict.fromkeys(names, expected)


def long(column, values=(1, 2)):
    return pd.DataFrame({"segment": [1, 1], "system": ["A", "B"], column: values})


@pytest.mark.parametrize(("column", "better"), [("Rank", "higher"), ("Score", "lower")])
def test_a_direction_that_the_name_contradicts_is_warned_of(column, better):
    other = {"higher": "lower", "lower": "higher"}[better]
    message = f"column '{column}' is read with better='{better}'.*Pass better='{other}'"
    for load in (load_rankings, load_judgements):
        with pytest.warns(UserWarning, match=message):
            load(long(column), better=better)
    found = load_judgements(long(column), better=other)
    assert found.better == other
    assert f". Of {column!r} {other} is better." in found.DESCR


def test_columns_that_the_caller_names():
    for column, better in (("Platz", "higher"), ("Punkte", "lower")):
        with pytest.warns(UserWarning, match=f"column '{column}' is read with"):
            load_rankings(long(column), judgement=column, better=better)
    for better in ("lower", "higher"):
        load_rankings(long("Note"), judgement="Note", better=better)


def test_ranks_with_a_minus_are_scores():
    load_rankings(long("rank", [-1, -2]), better="higher")
    with pytest.warns(UserWarning, match="Pass better='lower'"):  # -1: was not judged
        load_rankings(long("rank", [-1, 2]), better="higher")


def test_wide_tables():
    table = pd.DataFrame({"segment": [1], "rank_A": [1], "rank_Score": [2]})
    with pytest.warns(UserWarning, match="column 'rank_A' is read with better='higher'"):
        load_rankings(table, better="higher")
    assert "Of 'rank_A' and the like lower is better." in load_rankings(table, better="lower").DESCR
    table = table.set_axis(["segment", "Rang A", "Rang B"], axis=1)
    given = {"format": "wide", "system": ["Rang A", "Rang B"]}
    with pytest.warns(UserWarning, match="column 'Rang A' is read with better='higher'"):
        load_rankings(table, **given, better="higher")
    # Names of systems say nothing.
    table = table.set_axis(["segment", "score", "B"], axis=1)
    load_rankings(table, format="wide", system=["score", "B"], better="lower")


def test_comparisons_have_no_direction():
    table = {"segment": [1], "system_a": ["A"], "system_b": ["B"], "winner": ["A"]}
    found = load_judgements(pd.DataFrame(table))
    assert found.better == "" and "is better" not in found.DESCR
