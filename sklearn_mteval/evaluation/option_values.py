"""Values of the options of an evaluation. Importing them loads nothing: ``--help`` lists them."""

LEVELS = ("both", "segment", "system")
GROUPINGS = ("segment", "system", "none")  # which judgements are compared
ROWS = ("common", "own")  # what metrics are evaluated on
TESTS = ("permutation", "bootstrap", "williams")
BY = ("strength", "mean", "win-rate")  # what scores of a leaderboard are
QUESTIONS = ("texts", "test-set")  # of a leaderboard: on texts like these, or on this test set
TIES = ("half", "model")  # of a leaderboard: half a win for each, or Davidson's model
JUDGE_MODELS = ("alike", "discrimination")  # of the judges of a leaderboard
NEXT_GOALS = ("tiers", "intervals")  # of the comparisons chosen next
SCALES = ("log-odds", "elo")
_ONLY_ORDER = (
    "the order of systems by mean: means on these segments are not those on all, and strengths "
    "lose some of the order"
)
_NEITHER = (
    "a look at metrics, neither means nor strengths: of the order of systems on all segments these "
    "keep less than random ones"
)
SELECTIONS = {  # of segments, each with what it serves
    "spread": (
        "means: weighted by the probabilities written here they are unbiased for all segments; "
        "strengths of these segments alone lean to where systems differ"
    ),
    "random": "means, unbiased for all segments, and strengths",
    "balanced": "means and strengths, with smaller errors than random, but no known probabilities",
    "variance": _ONLY_ORDER,
    "average": _ONLY_ORDER,
    "consistency": _NEITHER,
    "disagreement": _NEITHER,
    "diversity": _ONLY_ORDER,
}
DECISION_LEVELS = ("system", "segment")  # what a decision is between
DECISION_TIES = ("drop", "half")  # by annotators, of a decision table
EXCHANGED = ("documents", "translations")  # between two metrics, in permutations of a task
TASK_AVERAGES = ("values", "ranks")  # of the tasks of a metrics task
