from sklearn_mteval.classifiers.ensemble import PairEnsemble as PairEnsemble
from sklearn_mteval.classifiers.knn import KNN as KNN
from sklearn_mteval.classifiers.logreg import LogReg as LogReg
from sklearn_mteval.classifiers.naive_bayes import NaiveBayes as NaiveBayes
from sklearn_mteval.classifiers.tied_pairs import TiedPairClassifier as TiedPairClassifier
