"""A small display of each kind, made anew by each call."""

import numpy as np
import pandas as pd

import sklearn_mteval.plots as plots

DRAWN = {
    "AgreementDisplay": lambda: plots.AgreementDisplay(["a", "b"], [0.1, 0.2]),
    "ChallengeDisplay": lambda: plots.ChallengeDisplay(["a", "b"], ["alone"], [[0.1], [1]]),
    "DecisionTableDisplay": lambda: plots.DecisionTableDisplay(
        [1, 2], [0.6, 0.8], [(0.5, 0.7), (0.6, 0.9)], needed=[(0.8, 2)], metric="chrF"
    ),
    "FragmentDisplay": lambda: plots.FragmentDisplay(["(NP (DT))", "(NP)"], [0.2, -0.1]),
    "JudgesDisplay": lambda: plots.JudgesDisplay(
        pd.DataFrame(
            {
                "pairs_with_others": [3, 4],
                "agreement_with_others": [0.5, 0.6],
                "damaged": [5, 0],
                "noticed": [0.2, np.nan],
            },
            ["a", "b"],
        )
    ),
    "LeaderboardDisplay": lambda: plots.LeaderboardDisplay(
        ["a", "b"], [1, 0], [(0.5, np.inf), (-1, 1)], sandwich=[(0, 2), (-1, 1)], letters=["a", "b"]
    ),
    "LearningCurveDisplay": lambda: plots.LearningCurveDisplay(
        [10, 20], [0.1, 0.2], [(0, 0.2), (0.1, 0.3)], references={"BLEU": 0.15}
    ),
    "PairCalibrationDisplay": lambda: plots.PairCalibrationDisplay(
        [0, 0.5, 1], [0.3, 0.7], [0.4, 0.6], [(0.1, 0.6), (0.3, 0.8)], [0.5, 0.5]
    ),
    "ScoreDistributionDisplay": lambda: plots.ScoreDistributionDisplay(
        ["a", "b"], [(-0.5, 0, 0.1, 0.2, 0.6), [np.nan] * 5]
    ),
    "SelectionDisplay": lambda: plots.SelectionDisplay(
        [0.1, 0.5], {"spread": [2, 1], "random": [3, np.nan]}, unit="points", marked=0.3
    ),
    "SignificanceDisplay": lambda: plots.SignificanceDisplay(["a", "b"], [[0, 0.1], [0.9, 0]]),
    "SystemScatterDisplay": lambda: plots.SystemScatterDisplay(
        ["a", "b", "c"], [1, 2, 3], [3, 1, 2]
    ),
    "TieCalibrationDisplay": lambda: plots.TieCalibrationDisplay([0, 1], [0.2, 0.3]),
    "TreeDisplay": lambda: plots.TreeDisplay("(S (NN a) (NN b))", "(S (NN a))"),
}
