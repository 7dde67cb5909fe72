"""What pages state is what the command above it prints."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "benchmarks" / "published_figures.py"
CARDS = "sklearn_mteval/models/ready_made_files"
PAGE = """\
# A page

```sh
sklearn-mteval evaluate "$CAMPAIGN" --lang-pair PAIR --level segment \\
  --metrics bleu chrf --model any ours --stand-alone
```

| tau (wmt12) | cs-en | de-en |
|---|---|---|
| chrF | 23.7 [20.7, 26.5]; 46 % | 26.3 |
| **`ours:score`** |  | -1.5; 3 % |
| one annotator | 35.1 [29.7, 40.9] |  |

```sh
sklearn-mteval rank any
```

| tau (wmt12) | no figure |
|---|---|
| chrF | 1.0 |
"""


FOLDER = """\
```sh
sklearn-mteval evaluate "$CAMPAIGN" --format mtme --lang-pair PAIR --statistic acc_eq \\
  --metrics bleu --model ours
```

| acc_eq | zh-en |
|---|---|
| XCOMET-Ensemble | 54.3 |
| `ours` | 25.0 |
| BLEU | 25.0 |
"""


@pytest.fixture
def published(monkeypatch):
    spec = importlib.util.spec_from_file_location("published_figures", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(published, monkeypatch):
    """Stand in for the command: chrF has 0.25 [0.2, 0.3], the annotators' ceiling is 0.5."""
    commands = []

    def main(words):
        commands.append(words)
        names = [w for w in words if w in ("chrf", "bleu", "ours")]
        names += ["ours:score"] * ("ours" in names)
        metric = '{{"name": "{0}", "statistics": {{"wmt12": {{"value": {1}, "low": 0.2, '
        metric += '"high": 0.3}}, "acc_eq": {{"value": {1}, "low": 0, "high": 0}}}}, '
        metric += '"of_ceiling": 0.46}}'
        metrics = [metric.format(name, -0.015 if ":" in name else 0.25) for name in names]
        if "mtme" in words:
            metrics = [metric.format(name, 0.4) for name in ("XCOMET-Ensemble", "BLEU")] + metrics
        ceiling = '{"ceiling": 0.5, "low": 0.4, "high": 0.6, "annotator": 0.351, '
        ceiling += '"annotator_low": 0.297, "annotator_high": 0.409}'
        print(f'{{"metrics": [{", ".join(metrics)}], "ceiling": {ceiling}}}')
        return 0

    monkeypatch.setattr(published, "command_line", main)
    monkeypatch.setenv("CAMPAIGN", "a folder")
    return commands


def test_tables_below_their_commands_are_read(published):
    figures = published.figures_of(PAGE, "page")
    assert [(f.statistic, f.row, f.pair, f.text) for f in figures] == [
        ("tau (wmt12)", "chrf", "cs-en", "23.7 [20.7, 26.5]; 46 %"),
        ("tau (wmt12)", "chrf", "de-en", "26.3"),
        ("tau (wmt12)", "ours:score", "de-en", "-1.5; 3 %"),
        ("tau (wmt12)", "one annotator", "cs-en", "35.1 [29.7, 40.9]"),
    ]
    assert all(PAGE[slice(*f.span)] == f.text for f in figures)
    assert figures[0].numbers == (23.7, 20.7, 26.5, 46)
    assert figures[2].numbers == (-1.5, None, None, 3)


def test_figures_are_compared_and_written_anew(published, run):
    figures = published.figures_of(PAGE, "page")
    values = published.recomputed(figures)
    assert values[0] == pytest.approx((25, 20, 30, 46))
    assert values[3] == pytest.approx((35.1, 29.7, 40.9, 70.2))
    assert [f.differs(v) for f, v in zip(figures, values, strict=True)] == [True, True, True, False]
    assert sorted(word for words in run for word in words if word.endswith("-en")) == [
        "cs-en", "de-en"
    ]  # fmt: skip
    cs, de = sorted(run, key=lambda words: "de-en" in words)
    common = ["--stand-alone", "-f", "json"]
    begin = ["evaluate", "a folder", "--metrics", "chrf"]
    segment = ["--level", "segment"]
    assert cs == [*begin, "--lang-pair", "cs-en", *segment, *common]
    assert de == [*begin, "--model", "ours", "--lang-pair", "de-en", *segment, *common]
    expected = PAGE.replace("23.7 [20.7, 26.5]; 46 %", "25.0 [20.0, 30.0]; 46 %")
    expected = expected.replace("26.3", "25.0").replace("-1.5; 3 %", "-1.5; 46 %")
    assert published.rewrite(PAGE, figures, values) == expected


def test_a_folder_of_a_metrics_task_has_metrics_of_its_own(published, run):
    """Found whatever its capitals; a metric that the command names is the command's."""
    figures = published.figures_of(FOLDER, "page")
    values = published.recomputed(figures)
    assert [v[0] for v in values] == pytest.approx([40, 25, 25])
    assert [f.differs(v) for f, v in zip(figures, values, strict=True)] == [True, False, False]
    begin = ["evaluate", "a folder"]
    data = ["--format", "mtme", "--lang-pair", "zh-en", "--statistic", "acc_eq"]
    both = ["--metrics", "bleu", "--model", "ours"]
    assert run == [[*begin, *both, *data, "-f", "json"]]
    run.clear()
    published.recomputed(figures[:1])
    assert run == [[*begin, *data, "-f", "json"]]
    other = published.figures_of(FOLDER.replace("XCOMET-Ensemble", "XCOMET-XXL"), "page")
    with pytest.raises(ValueError, match=r"page: .* evaluates no 'xcomet-xxl'"):
        published.recomputed(other)


def test_what_rounds_to_the_printed_figure_does_not_differ(published):
    figure = published.figures_of(PAGE, "page")[0]
    assert not figure.differs((23.6501, 20.749, 26.4501, 46.49))
    for values in ((23.64, 20.7, 26.5, 46), (23.7, 20.76, 26.5, 46), (23.7, 20.7, 26.5, 46.6)):
        assert figure.differs(values)
    assert figure.differs((float("nan"),) * 4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("23.7 [20.7, 26.5]", "23.7 (20.7)"), r"page: expected '35.9', .*found '23.7 \(20.7\)"),
        (("| chrF", "| TER"), "page: the command above the table evaluates no 'ter'"),
        ((" --stand-alone", ""), "evaluates no 'ours:score'"),
    ],
)
def test_what_is_no_figure_is_refused(published, run, change, message):
    with pytest.raises(ValueError, match=message):
        [
            figure.differs(values)
            for figures in [published.figures_of(PAGE.replace(*change), "page")]
            for figure, values in zip(figures, published.recomputed(figures), strict=True)
        ]


def test_pages_have_figures(published):
    found = published.pages()
    cards = [page for page in found if page.startswith(CARDS) and "error-marker" not in page]
    assert len(cards) >= 5
    for page in ["docs/ready_made.md", "docs/measured/ready_made.md", *cards]:
        figures = published.selected([page])
        assert len({figure.row for figure in figures}) > 1, page
        assert all(figure.numbers[0] is not None for figure in figures)


@pytest.mark.filterwarnings("ignore:Empty lines")  # which WMT23 has
@pytest.mark.filterwarnings("ignore:.* sentences are wider")  # lines without a full stop, there too
def test_published_figures_are_what_their_commands_print(published, data_dir):
    """A sample: what is computed in seconds, without encoders."""
    rows = ["bleu", "chrf", "static-en", *published.CEILINGS]
    figures = published.selected(published.pages(), rows)
    figures += published.selected(["docs/measured/ready_made.md"], ["any"], ["en-de"])
    # At system level all translations are scored, judged or not.
    figures = [f for f in figures if f.statistic != "SPA" or f.pair == "cs-en"]
    assert len(figures) > 20
    differing = [
        f"{figure.page}, {figure.row}, {figure.pair}: {figure.text} is {figure.written(values)}"
        for figure, values in zip(figures, published.recomputed(figures), strict=True)
        if figure.differs(values)
    ]
    assert not differing, "python benchmarks/published_figures.py --write: " + "; ".join(differing)
