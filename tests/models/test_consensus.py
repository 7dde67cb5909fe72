"""Models that only know how far systems agree: ranks of three systems or more, no scores."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from consensus_model import consensus_model, saved_consensus_model
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from sklearn_mteval import RankRecomposer, load_model, save_model
from sklearn_mteval.cli import main
from sklearn_mteval.datasets import Judgements, load_sample
from sklearn_mteval.evaluation import collect_scores, evaluate_metrics
from sklearn_mteval.features import (
    BLEUComp,
    ContrastiveScore,
    LexicalFeatures,
    NormalizeText,
    SurfaceCounts,
    recommended,
)
from sklearn_mteval.models import opening, rank_candidates, rank_systems, score_candidates
from sklearn_mteval.pairwise.consensus import is_consensus

X, Y = load_sample(return_X_y=True)
OUTLIERS = "how far systems agree, not how good they are"


def without_references(table, *systems):
    kept = table[table.index.isin(systems, level="system")] if systems else table
    return kept.drop(columns="reference")


def fitted(*steps):
    pipe = make_pipeline(*steps, RankRecomposer()).set_output(transform="pandas")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows: some columns are constant
        return pipe.fit(X.loc[:20], Y.loc[:20])


OF_COMPETITORS = {
    "as features.recommended": lambda: [recommended("no-reference")],
    "contrastive only": lambda: [ContrastiveScore(), StandardScaler()],
    "several": lambda: [make_union(LexicalFeatures(use_references=False), ContrastiveScore())],
}
OTHERS = {
    "references": lambda: [recommended("any")],
    "no competitors": lambda: [LexicalFeatures(use_references=False, features=["source"])],
    "more than competitors": lambda: [
        NormalizeText(),
        make_union(make_pipeline(ContrastiveScore(), StandardScaler()), SurfaceCounts()),
    ],
    "competitors and references": lambda: [make_union(ContrastiveScore(), BLEUComp())],
}


@pytest.mark.parametrize("steps", [*OF_COMPETITORS, *OTHERS])
def test_what_a_model_reads_tells_whether_it_scores(steps, tmp_path):
    consensus = steps in OF_COMPETITORS
    model = fitted(*({**OF_COMPETITORS, **OTHERS}[steps]()))
    save_model(model, tmp_path / "model")
    new = X.loc[[70, 71]]
    for known in (model, load_model(tmp_path / "model")):
        assert is_consensus(known) == consensus
        if consensus:
            with pytest.raises(ValueError, match="can rank, not score: it reads no reference"):
                score_candidates(known, new)
        else:
            assert score_candidates(known, new).notna().all()
            assert rank_candidates(known, new)["score"].notna().all()


def test_a_search_over_consensus_models_has_no_scores():
    pipe = make_pipeline(ContrastiveScore(), RankRecomposer()).set_output(transform="pandas")
    search = GridSearchCV(pipe, {"rankrecomposer__recomposition": ["hard"]}, cv=2)
    search.fit(X.loc[:20], Y.loc[:20])
    with pytest.raises(ValueError, match="can rank, not score"):
        score_candidates(search, X.loc[[70]])


def test_ranks_say_what_they_are_and_have_no_scores():
    model = consensus_model()
    table = without_references(X)[~X.reset_index().duplicated(["segment", "hypothesis"]).to_numpy()]
    with pytest.warns(UserWarning, match=OUTLIERS) as warned:
        ranked = rank_candidates(model, table)
    assert len(warned) == 1 and warned[0].filename == __file__
    assert ranked["score"].isna().all()
    assert ranked["rank"].tolist() == model.predict(table).tolist()
    systems = rank_systems(ranked)
    assert systems["score"].isna().all()
    means = ranked["rank"].groupby(level="system").mean()
    assert systems.index.tolist() == means.sort_values().index.tolist()
    assert systems["mean_rank"].to_dict() == means.to_dict()


def test_two_systems_and_copies_of_them_are_too_few():
    model = consensus_model()
    two = without_references(X, "neural", "rule")
    twin = two.rename(lambda name: f"{name}-2", level="system")
    for few in (two, pd.concat([two, twin])):
        with pytest.raises(ValueError, match=r"no segment has more than 2 different translation"):
            rank_candidates(model, few)


def test_segments_with_too_few_different_translations_are_counted():
    model = consensus_model()
    three = without_references(X, "neural", "rule", "phrase").loc[1:30].copy()
    three = three[~three.reset_index().duplicated(["segment", "hypothesis"]).to_numpy()]
    sizes = three.groupby(level="segment").size()
    few = sizes.index[sizes == 3][:4]
    kept = three.drop([(segment, "rule") for segment in few])
    counted = len(few) + int((sizes < 3).sum())
    with pytest.warns(UserWarning, match=rf" {counted} of {len(sizes)} segments have fewer"):
        rank_candidates(model, kept)


def judgements():
    return Judgements(X=X, y=Y, translations=X, n_segments=128)


def test_evaluations_of_segments_only():
    model, given = consensus_model(), judgements()
    with pytest.raises(ValueError, match=r"can rank, not score.*--level segment; judged_only=True"):
        collect_scores(given, models=[("consensus", model)])
    found = collect_scores(given, models=[("consensus", model)], judged_only=True)
    with pytest.warns(UserWarning, match="how far systems agree"):
        ranked = rank_candidates(model, X)
    assert np.array_equal(found["consensus"].strengths, ranked["strength"])
    table = evaluate_metrics(Y, found, level="segment", n_resamples=5).table
    assert table.loc["consensus", "wmt12"] > 0.15


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Files of three systems' first lines, source and reference, in a working folder."""
    monkeypatch.chdir(tmp_path)
    part = X.loc[1:12]
    for name in ("neural", "rule", "phrase"):
        lines = part.xs(name, level="system")["hypothesis"]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    for name in ("source", "reference"):
        lines = part[name].groupby(level="segment").first()
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


SYSTEMS = ["-t", "neural", "rule", "phrase"]


def errors(capsys):
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("command", ["rank", "score"])
def test_without_references_a_command_says_what_can_be_done(files, capsys, monkeypatch, command):
    def nowhere(name):
        raise ValueError(f"{name}: its encoder is not here.")

    monkeypatch.setattr(opening, "find_encoder", nowhere)
    assert main([command, "-s", "source", *SYSTEMS]) == 1
    said = errors(capsys)
    assert "no-reference-encoder: its encoder is not here. Or give references (-r" in said
    assert "how far they agree (rerank)" in said and "better ones too" in said


def test_the_command_score_refuses_it(files, capsys):
    saved_consensus_model("model")
    assert main(["score", "model", "-s", "source", "-r", "reference", *SYSTEMS]) == 1
    assert "error: The model can rank, not score" in errors(capsys)


def test_the_command_rank_warns_on_one_line_and_leaves_scores_out(files, capsys):
    saved_consensus_model("model")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["rank", "model", "-s", "source", *SYSTEMS]) == 0
    out, err = capsys.readouterr()
    warned = [line for line in err.splitlines() if OUTLIERS in line]
    assert len(warned) == 1
    assert re.match(r"sklearn-mteval rank: warning: The model tells how far", warned[0])
    assert out.splitlines()[0].split("\t") == ["segment", "system", "rank", "strength"]
    assert main(["rank", "model", "-s", "source", *SYSTEMS[:3]]) == 1
    assert "needs 3 or more that differ" in errors(capsys)
