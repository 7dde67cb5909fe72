"""Classifiers of pairs: the learners of Avramidis 2012, section 3.5."""

from sklearn_mteval.classifiers.knn import KNN
from sklearn_mteval.classifiers.logreg import LogReg
from sklearn_mteval.classifiers.naive_bayes import NaiveBayes

__all__ = ["KNN", "LogReg", "NaiveBayes"]
