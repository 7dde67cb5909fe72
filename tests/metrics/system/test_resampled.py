"""Intervals of system level where true system scores are not normal, but known."""

import numpy as np
import pandas as pd

from sklearn_mteval.metrics import system_agreement, system_agreement_interval


def test_two_bad_systems_do_not_make_metrics_agree_on_the_others():
    """Two systems are far behind by both; of the others, true scores have nothing in common."""
    rng, held = np.random.default_rng(1), []
    good = np.linspace(-0.2, 0.2, 10)
    human = np.append(good, [-4, -5])
    metric = np.append(rng.permutation(good), [-4, -6])
    true = system_agreement(pd.Series(human), pd.Series(metric), statistic="kendall")
    for _ in range(40):
        noise = rng.normal(size=(2, 60, 12))
        tables = human + noise[0], metric + noise[1] + 0.5 * noise[0]
        low, high = system_agreement_interval(*tables, statistic="kendall", n_resamples=200)
        held.append(low <= true <= high)
    assert np.mean(held) > 0.8


def test_a_score_without_noise_stays_where_it_is():
    """Only the metric is uncertain, and only of two systems: others keep their order."""
    human = np.repeat([np.arange(6.0)], 50, axis=0)
    metric = human.copy()
    metric[:, 4] += np.where(np.arange(50) % 2, 6, -4)  # on average 1 higher: tied with the next
    low, high = system_agreement_interval(human, metric, statistic="accuracy")
    assert (low, high) == (14 / 15, 1)
