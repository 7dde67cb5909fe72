"""Targets of known verdicts, for the fuzzer's own test."""

import ctypes
import faulthandler
import json
import threading

import numpy as np
from sklearn.linear_model import LogisticRegression

from fuzz import call, check, target
from sklearn_mteval import kendall_tau, metrics


@target
def correct(draw):
    check(call(kendall_tau, [1, 2], [2, 1], groups=None, legal=True) == 1)


@target
def package_error(draw):
    call(kendall_tau, [1, 2], [2], groups=None)


@target
def scikit_learns_error(draw):
    call(LogisticRegression().predict, [[1.0]])


@target
def bare_error(draw):
    call(json.loads, "{")


@target
def bare_error_of_numpy(draw):
    call(metrics.holm, ["x"])


@target
def wrong_value(draw):
    check(call(kendall_tau, [1, 2], [1, 2], groups=None) == 1)


@target
def wrong_refusal(draw):
    call(kendall_tau, [1, 2], [1, np.nan], groups=None, legal=True)


@target
def crash(draw):
    call(ctypes.string_at, 0)


@target
def hang(draw):
    while draw:
        pass


@target
def hang_without_work(draw):
    faulthandler.dump_traceback_later(0.2, exit=True)  # as the worker's own, but soon
    threading.Event().wait()


@target
def bare_memory(draw):
    call(bytearray, 1 << 40)


@target
def fuzzer_error(draw):
    draw.nothing()
