"""The model of all languages that needs multilingual-e5-small: tests of what it says are skipped
where that is not on the machine."""

from functools import cache

import pandas as pd
import pytest
from encoder_model import multilingual_model, one_layer_model

from sklearn_mteval import kendall_tau, load_pretrained
from sklearn_mteval.candidates import comparable_groups
from sklearn_mteval.datasets import corrupt, load_sample
from sklearn_mteval.evaluation import challenge
from sklearn_mteval.models import score_candidates

X, Y = load_sample(return_X_y=True)
SOME = X.index.get_level_values("segment") <= 12


@cache
def model():
    return load_pretrained("any-encoder", encoder=multilingual_model())


@pytest.mark.slow
def test_another_encoder_is_refused():
    with pytest.raises(
        ValueError, match=r"trained with intfloat/multilingual-e5-small; .* is another model"
    ):
        load_pretrained("any-encoder", encoder=one_layer_model())


@pytest.mark.slow
def test_it_agrees_with_the_sample_better_than_any():
    groups = comparable_groups(X)
    taus = [
        kendall_tau(Y, one.decision_function(X), groups=groups)
        for one in (load_pretrained("any"), model())
    ]
    assert taus[1] > taus[0] + 0.02


@pytest.mark.slow
def test_nothing_beside_a_translation_changes_a_bit_of_its_score():
    some = X[SOME]
    one = some.xs("neural", level="system", drop_level=False)
    bad = corrupt(one, "garbage").droplevel("corruption").rename({"neural": "bad"}, level="system")
    expected = score_candidates(model(), some)
    assert expected.between(-1, 1).all()
    for table in (one, pd.concat([one, bad]), some.sample(frac=0.4, random_state=0)):
        found = score_candidates(model(), table)
        known = found.index.isin(expected.index)
        assert found[known].tolist() == expected[found.index[known]].tolist()


def test_what_is_plainly_wrong_loses():
    kinds = ["empty", "garbage", "other_segment", "source_copied", "foreign_appended", "doubled"]
    found = challenge(model(), X[SOME], Y[SOME], kinds=kinds, metrics=[])
    assert (found.pairs[["model_alone", "model_two", "model_many"]] > 0).to_numpy().all()
