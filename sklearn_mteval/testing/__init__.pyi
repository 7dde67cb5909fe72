from sklearn_mteval.testing.pair_classifiers import check_pair_classifier as check_pair_classifier
from sklearn_mteval.testing.pair_classifiers import pair_classifier_checks as pair_classifier_checks
from sklearn_mteval.testing.text_transformers import (
    check_text_transformer as check_text_transformer,
)
from sklearn_mteval.testing.text_transformers import (
    text_transformer_checks as text_transformer_checks,
)
from sklearn_mteval.testing.whole_fits import (
    check_fit_is_all_or_nothing as check_fit_is_all_or_nothing,
)
