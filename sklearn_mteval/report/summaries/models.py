"""What challenges and trainings say, in words."""

from sklearn_mteval.evaluation.challenges import SETTINGS
from sklearn_mteval.models.training_result import NEW
from sklearn_mteval.report.cells import percent
from sklearn_mteval.report.summaries.phrases import (
    FEW_SEGMENTS,
    counted,
    few_segments,
    has,
    listed,
    many_ties,
    name_of,
    value_of,
)
from sklearn_mteval.report.training import learning_sentence

_HOW = {
    "alone": "by their scores, each translation seen alone",
    "two": "by strengths, seeing these two only",
    "many": "by strengths, among those of all systems of a segment",
}
_MANY_TIES = 0.05


def summary_of_challenge(found):
    """Say of which corruptions a model is sure, of which not, and how metrics fare."""
    model, setting = name_of(found.model), _setting(found)
    of_model = of_judge(found, found.model)
    n_kinds = len(of_model)
    best, worst = of_model["proportion"].idxmax(), of_model["proportion"].idxmin()
    answer = f"{model} prefers the sound translation to the corrupted one "
    if worst == best:
        answer += f"in {_preferred(of_model.loc[worst])} of segments ({name_of(worst)})"
    else:
        answer += (
            f"least often for {name_of(worst)} (in {_preferred(of_model.loc[worst])} of segments), "
            f"most often for {name_of(best)} ({_preferred(of_model.loc[best])})"
        )
    sentences = [f"{answer}."]
    wrong = of_model.index[of_model["high"] < 0.5]
    if len(wrong):
        sentences.append(
            f"For {listed(wrong)}, it prefers the sound translation in fewer than half of the "
            "segments."
        )
    unsure = of_model.index[(of_model["low"] <= 0.5) & (of_model["high"] >= 0.5)]
    if len(unsure):
        sentences.append(f"For {listed(unsure)}, it may as well be guessing.")
    for metric in found.metrics if setting == "alone" else ():
        of_metric = of_judge(found, metric)
        more = (of_model["proportion"] > of_metric["proportion"]).sum()
        fewer = (of_model["proportion"] < of_metric["proportion"]).sum()
        sentences.append(
            f"Compared with {name_of(metric)}, it prefers the sound translation more often for "
            f"{more} of {counted(n_kinds, 'kind')} of corruption, and less often for {fewer}."
        )
    sentences.append(
        f"{counted(n_kinds, 'kind')} of corruption {has(of_model, 'was', 'were')} tried, on up to "
        f"{counted(int(of_model['n'].max()), 'segment')} each; {model} compared translations "
        f"{_HOW[setting]}."
    )
    return sentences


def warnings_of_challenge(found):
    """Warn of few segments and of equal scores."""
    of_model, warnings = of_judge(found, found.model), []
    few = of_model.index[of_model["n"] < FEW_SEGMENTS]
    if len(few):
        warnings.append(
            f"{listed(few)} {has(few, 'applies', 'apply')} to fewer than {FEW_SEGMENTS} segments: "
            "their intervals are wide."
        )
    tied = of_model[of_model["tied"] > _MANY_TIES * of_model["n"]]
    if len(tied):
        cases = [
            f"{name_of(kind)} ({int(row['tied'])} of {int(row['n'])} segments)"
            for kind, row in tied.iterrows()
        ]
        warnings.append(
            f"{name_of(found.model)} often gives the sound and the corrupted translation the same "
            f"score, which counts as a loss: for {listed(cases)}."
        )
    return warnings


def summary_of_training(result):
    """Say how the new model fares, which to use, and whether more judgements would help."""
    row = result.comparison.loc[NEW]
    answer, dot, rest = result.recommendation.sentence.partition(". ")
    return [
        f"{answer}{dot.strip()}",
        *([rest] if rest else []),
        f"The new model's agreement with annotators, Kendall's tau (x 100, variant wmt12), is "
        f"{value_of(row, 'tau')} (95 % interval).",
        learning_sentence(result.learning_curve),
        f"The new model was trained on {counted(result.n_train, result.unit)} and compared on "
        f"{counted(result.n_held_out, result.unit)} that were held out.",
    ]


def warnings_of_training(result):
    """Warn of few segments, ties, and what was trained on these judgements."""
    table, warnings = result.comparison, few_segments(result.n_held_out)
    seen = table.index[table["seen"]]
    if len(seen):
        warnings.append(
            f"{listed(seen)} {has(seen, 'was', 'were')} trained on these judgements: "
            f"{has(seen, 'its value says', 'their values say')} nothing here."
        )
    return warnings + many_ties(table["ties"] / table["pairs"], "tau (wmt12)")


def _setting(found):
    """Return the setting in which the model is compared with metrics, else the first it has."""
    of_model = found.table.xs(found.model, level="judge").index.unique("setting")
    return next(name for name in SETTINGS if name in of_model)


def of_judge(found, judge):
    """Return the rows of one judge of a Challenge, by kind, in the setting of the summary."""
    setting = _setting(found) if judge == found.model else "alone"
    return found.table.xs((setting, judge), level=("setting", "judge"))


def _preferred(row):
    """Say how often the sound translation is preferred."""
    low, high = (f"{100 * row[bound]:.0f}" for bound in ("low", "high"))
    return f"{percent(row['proportion'])} % [{low}, {high}]"
