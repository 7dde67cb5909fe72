from sklearn_mteval.linguistic.reval.regressor import ReValRegressor as ReValRegressor
from sklearn_mteval.neural.encoders.options import EncoderOptions as EncoderOptions
from sklearn_mteval.neural.pairwise.classifier import PairwiseNN as PairwiseNN
