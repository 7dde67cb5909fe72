"""What a case came to: a verdict, from what was returned, raised and warned of."""

import contextlib
import dis
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

import sklearn_mteval
from fuzz.draw import Draw
from sklearn_mteval.exceptions import ModelFolderError

CORRECT, OWN, THEIRS = "correct", "package error", "scikit-learn's error"
BARE, WRONG, CRASH, HANG = "bare error", "wrong value", "crash", "hang"
FUZZER = "fuzzer error"
GOOD, BAD = (CORRECT, OWN, THEIRS), (BARE, WRONG, CRASH, HANG, FUZZER)

_PACKAGE = str(Path(sklearn_mteval.__file__).parent)
_OWN_TYPES = (ValueError, TypeError, ImportError, ModelFolderError)
_THEIR_TYPES = (ValueError, TypeError, AttributeError, OverflowError)  # NotFittedError is two
_VALIDATION = tuple(
    f"/sklearn/{part}"
    for part in ("utils/validation.py", "utils/_param_validation.py", "utils/_available_if.py",
                 "utils/multiclass.py", "utils/_array_api.py", "utils/_indexing.py", "base.py",
                 "model_selection/_split.py", "pipeline.py", "utils/_set_output.py")
)  # fmt: skip
_PLUMBING = ("/numpy/", "/pandas/", "/warnings.py", "/fuzz/judge.py")


class Judgement(NamedTuple):
    """A verdict, and what it rests on."""

    verdict: str
    text: str = ""


class Judged(Exception):
    """Ends a case with a judgement."""

    def __init__(self, verdict, text=""):
        super().__init__(verdict, text)
        # Texts of cases hold surrogates, which no terminal takes.
        self.judgement = Judgement(verdict, text.encode("utf-8", "backslashreplace").decode())


def judge(function, seed, number):
    """Run one case of a target in this process, in a working folder of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, contextlib.chdir(folder):
        rng = np.random.default_rng([seed, crc32(function.__name__.encode()), number])
        try:
            function(Draw(rng, Path(folder)))
        except Judged as end:
            return end.judgement
        except Exception:
            return Judgement(FUZZER, traceback.format_exc())
    return Judgement(CORRECT)


def check(right, *shown):
    """End the case as wrong unless it is right; what is shown goes into the report."""
    if not right:
        line = traceback.extract_stack(limit=2)[0]
        shown = "\n".join(_short(thing) for thing in shown)
        raise Judged(WRONG, f"{Path(line.filename).name}:{line.lineno}: {line.line}\n{shown}")


def call(function, *args, legal=False, also=(), **options):
    """Call the package; end the case with a verdict if it raises, or warns of what it should not.

    ``legal``: the arguments keep the contract, so that an error is wrong. ``also``: types of
    exceptions that are documented besides the package's own.
    """
    warned = []
    shown = lambda: f"{_name(function)}(" + ", ".join(  # noqa: E731
        [*map(_short, args), *(f"{k}={_short(v)}" for k, v in options.items())]) + ")"  # fmt: skip
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = lambda *warning, **_: warned.extend(_bad_warning(*warning))
            result = function(*args, **options)
    except Exception as error:
        verdict = OWN if isinstance(error, also) and str(error) else verdict_of(error)
        if legal and verdict in GOOD:
            verdict = WRONG
        raise Judged(verdict, f"{shown()}\n{traceback.format_exc()}") from error
    if warned:
        raise Judged(BARE, f"{shown()}\n{warned[0]}")
    return result


def verdict_of(error):
    """Tell whose error it is, by where it was raised."""
    places = []
    step = error.__traceback__
    while step is not None:
        places.append(step)
        step = step.tb_next
    files = [place.tb_frame.f_code.co_filename for place in places]
    ours = max((k for k, file in enumerate(files) if file.startswith(_PACKAGE)), default=-1)
    if any(file.endswith(_VALIDATION) for file in files[ours + 1 :]):
        return THEIRS if isinstance(error, _THEIR_TYPES) and str(error) else BARE
    last = places[-1]
    # numpy's C code, or json's, has no frame: what it raises seems to come from the line that
    # calls it. An error is the package's own only if it stands at a raise statement.
    raised = dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"
    own = ours == len(files) - 1 and raised and isinstance(error, _OWN_TYPES)
    unicode = isinstance(error, UnicodeError)
    return OWN if own and not unicode and len(str(error).split()) > 2 else BARE


def _bad_warning(message, category, *_):
    """Yield what is to be said of a warning that only the package's code can be blamed for."""
    if issubclass(category, UserWarning):
        return
    frame = sys._getframe(1)
    while frame and any(part in frame.f_code.co_filename for part in _PLUMBING):
        frame = frame.f_back
    if frame and frame.f_code.co_filename.startswith(_PACKAGE):
        where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        yield f"{category.__name__}: {message} ({where})"


def _name(function):
    """Name a function, or a method with its object."""
    of = getattr(function, "__self__", None)
    name = getattr(function, "__name__", repr(function))
    return name if of is None else f"{_short(of)}.{name}"


def _short(thing):
    """Show an argument so that it can often be copied."""
    if hasattr(thing, "to_dict") and hasattr(thing, "index"):
        index = thing.index
        values = thing.to_dict("list") if hasattr(thing, "columns") else thing.tolist()
        text = f"{type(thing).__name__}({values!r}, index={index!r})"
    else:
        text = repr(thing)
    return text if len(text) < 1500 else text[:1500] + " …"
