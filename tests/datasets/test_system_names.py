"""Names of systems in longer and shorter forms: in files of scores, as features, in evaluations."""

import pandas as pd
import pytest

from sklearn_mteval.datasets import load_judgements, load_scores, load_wmt
from sklearn_mteval.datasets.campaigns.wmt import wmt_system_names
from sklearn_mteval.datasets.system_names import match_systems, system_key
from sklearn_mteval.evaluation import collect_scores, evaluate_metrics
from sklearn_mteval.exceptions import CandidateError
from sklearn_mteval.features import ScoreColumn

FORMS = ["newstest2015.online-E.0.de-en.txt", "newstest2015.online-E.0.de-en", "online-E.0"]
OTHER = ["newsdiscusstest2015.UM-nDA.4036.fr-en.txt", "UM-nDA.4036.fr-en.txt", "UM-nDA.4036"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *((form, "online-E.0") for form in FORMS),
        (OTHER[0], "UM-nDA.4036"),
        ("newstest2012.de-en.onlineA", "onlineA"),
        (
            "newstest2013.fr-en.MES-SimplifiedFrench-primary.2662",
            "MES-SimplifiedFrench-primary.2662",
        ),
        (
            "newstest2015.tuning-task-USAAR-Tuna-Saarland.cs-en.txt",
            "tuning-task-USAAR-Tuna-Saarland",
        ),
        ("latest2020.mine", "latest2020.mine"),
        ("online.en", "online.en"),
        ("GPT4-5shot", "GPT4-5shot"),
        ("newstest2015.de-en.txt", "newstest2015.de-en"),
        (7, 7),
    ],
)
def test_what_is_left_out(name, key):
    assert system_key(name) == key


@pytest.mark.parametrize(
    ("given", "wanted", "matched"),
    [
        (["online.en"], ["online"], {"online.en": "online"}),
        (["online"], ["online.en"], {"online": "online.en"}),
        (["online-A.0.zho.txt"], ["online-A.0"], {"online-A.0.zho.txt": "online-A.0"}),
        # Another language is another file.
        (["online.de"], ["online.en"], {}),
        (["A.de", "A.en"], ["A.en", "A.de"], {"A.de": "A.de", "A.en": "A.en"}),
        # What has the whole name is meant, whatever else there is.
        (["nllb.moe", "nllb"], ["nllb"], {"nllb": "nllb"}),
        # It cannot be told which is meant.
        (["A.de", "A.en"], ["A"], {}),
        (["A"], ["A.de", "A.en"], {}),
        (["v2.10", ".en"], ["v2", ""], {}),
        ([7, "7.en"], [7, "8"], {7: 7}),
    ],
)
def test_a_file_may_be_named_by_its_language(given, wanted, matched):
    assert match_systems(given, wanted) == matched


def test_any_form_meets_any_other():
    for given in FORMS:
        for wanted in FORMS:
            assert match_systems([given, "else"], [wanted, "B"]) == {given: wanted}


def test_the_same_name_counts_first():
    names = ["A", "A.txt", "newstest2015.A.de-en.txt"]
    assert match_systems(names, names) == dict(zip(names, names, strict=True))


def test_what_could_be_several_is_refused():
    wanted = ["newstest2015.A.de-en.txt", "newstest2015.A.fr-en.txt"]
    with pytest.raises(CandidateError, match=r"'A' may be '.*de-en.txt' or '.*fr-en.txt': write"):
        match_systems(["A"], wanted)
    with pytest.raises(CandidateError, match=r"'A' and 'A.txt' both name the system '.*fr-en.txt'"):
        match_systems(["A", "A.txt"], wanted[1:])


@pytest.fixture
def X():
    index = pd.MultiIndex.from_product([[1, 2], [FORMS[0], "B"]], names=["segment", "system"])
    return pd.DataFrame(index=index)


@pytest.mark.parametrize("form", FORMS)
def test_scores_in_files_and_in_memory(X, form, tmp_path):
    path = tmp_path / "m.seg.score"
    path.write_text(f"{form} 1\n{form} 2\nB 3\nnewstest2015.other.0.de-en.txt 9\nB 4\n")
    expected = [1, 3, 2, 4]
    assert ScoreColumn(path).fit_transform(X).ravel().tolist() == expected
    for given in (
        {form: [1, 2], "B": [3, 4], "C": [5]},
        {(1, form): 1, (2, form): 2, (1, "B"): 3, (2, "B"): 4},
    ):
        assert ScoreColumn(given).fit_transform(X).ravel().tolist() == expected
    (tmp_path / "m.csv").write_text(f"system,segment,m\n{form},1,1\n{form},2,2\nB,1,3\nB,2,4\n")
    (tmp_path / "n.txt").write_text(f"{form} 1\n{form} 2\nB 3\nB 4\n")
    for name in ("m.csv", "n.txt"):
        # "online-E.0" is a system though it is named among the others, as wmt_system_names does.
        table = load_scores(tmp_path / name, [FORMS[0], "B"], 2, others=FORMS)
        assert table.loc[X.index].iloc[:, 0].tolist() == expected


def test_one_system_by_two_names(X, tmp_path):
    path = tmp_path / "m.seg.score"
    path.write_text(f"{FORMS[1]} 1\n{FORMS[2]} 2\nB 3\nB 4\n")
    with pytest.raises(ValueError, match="both name the system"):
        load_scores(path, [FORMS[0], "B"], 2)
    with pytest.raises(ValueError, match="both name the system"):
        ScoreColumn(path).fit(X)
    with pytest.raises(CandidateError, match="both name the system"):
        ScoreColumn({FORMS[0]: [1, 2], FORMS[1]: [1, 2], "B": [1, 2]}).fit(X)


@pytest.mark.parametrize("form", FORMS)
def test_evaluation(form):
    rows = pd.MultiIndex.from_product([range(1, 31), [FORMS[0], "B"]], names=["segment", "system"])
    y = pd.Series([0.0, 1.0] * 30, index=rows)
    scores = pd.Series([2.0, 1.0] * 30, index=rows, name="m")
    expected = evaluate_metrics(y, {"m": scores}, n_resamples=5)
    renamed = scores.rename(index={FORMS[0]: form}, level="system")
    assert evaluate_metrics(y, {"m": renamed}, n_resamples=5).signature == expected.signature
    both = pd.concat([scores, scores.rename(index={FORMS[0]: "online-E.0"}, level="system")])
    with pytest.raises(CandidateError, match=r"The scores of 'm': .* both name the system"):
        evaluate_metrics(y, {"m": both[~both.index.duplicated()]})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("campaign", "pair", "short", "full"),
    [
        ("wmt12", "cs-en", "onlineB", "newstest2012.cs-en.onlineB"),
        ("wmt13", "fr-en", "JHU.2684", "newstest2013.fr-en.JHU.2684"),
        ("wmt15", "fr-en", "online-E.0", "newsdiscusstest2015.online-E.0.fr-en.txt"),
        ("wmt15", "fi-en", "UoS.4059", "newstest2015.UoS.4059.fi-en"),
    ],
)
def test_real_campaigns(data_dir, tmp_path, campaign, pair, short, full):
    judgements = load_judgements(data_dir / campaign, lang_pair=pair)
    names = judgements.X.index.unique("system")
    assert len({system_key(name) for name in names}) == len(names)
    assert {short, full} <= wmt_system_names(data_dir / campaign, pair)
    for form in (str, system_key, lambda name: full if system_key(name) == short else name):
        lines = [f"{form(s)}\t{k}" for s in names for k in range(judgements.n_segments)]
        (tmp_path / "m.txt").write_text("\n".join(lines))
        scores = collect_scores(judgements, files=[("m", tmp_path / "m.txt")])["m"]
        assert set(scores.index.unique("system")) == set(names)
        X = load_wmt(data_dir / campaign, pair, return_X_y=True)[0].iloc[:50]
        found = ScoreColumn(tmp_path / "m.txt").fit_transform(X).ravel()
        assert (found == X.index.get_level_values("segment") - 1).all()
