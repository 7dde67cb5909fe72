"""The process in which Link Grammar's C library runs: sentences in, parses out, a line each.

Standard library only and run by its path, so that it starts in a fraction of a second: it is
started again whenever the library hangs or crashes. The first line that it writes says which
library and dictionary it found, or what is missing. All lines are JSON in ASCII.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys

_LIBRARY = "liblink-grammar.so.5" if sys.platform != "darwin" else "liblink-grammar.5.dylib"
_START_LIMIT = 60  # seconds in which the dictionary must be read
_MEMORY_LIMIT = 4 << 30  # bytes; a sentence that wants more ends the process
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_SINGLE_LINE = 3  # constituent tree with brackets, in one line

_POINTER, _INT, _TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
# Type of the result, types of the arguments, and what has these, as in link-includes.h.
_SIGNATURES = (
    (_TEXT, [], "linkgrammar_get_version"),
    (_TEXT, [_POINTER], "linkgrammar_get_dict_version"),
    (_POINTER, [_TEXT], "dictionary_create_lang"),
    (_POINTER, [], "parse_options_create"),
    (_POINTER, [_TEXT, _POINTER], "sentence_create"),
    (_POINTER, [_INT, _POINTER, _POINTER], "linkage_create"),
    (_POINTER, [_POINTER, _INT], "linkage_print_constituent_tree"),
    (None, [_POINTER], "parse_options_reset_resources sentence_delete linkage_delete "
     "linkage_free_constituent_tree_str"),
    (None, [_POINTER, _INT], "parse_options_set_linkage_limit parse_options_set_max_null_count "
     "parse_options_set_max_parse_time parse_options_set_min_null_count "
     "parse_options_set_repeatable_rand parse_options_set_spell_guess parse_options_set_verbosity"),
    (_INT, [_POINTER], "parse_options_resources_exhausted sentence_length sentence_null_count "
     "sentence_num_linkages_found sentence_num_linkages_post_processed "
     "sentence_num_valid_linkages"),
    (_INT, [_POINTER, _POINTER], "sentence_parse sentence_split"),
)  # fmt: skip


def _die_with_parent(parent):
    """Ask Linux to kill this process when its parent dies; elsewhere the alarm does."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:  # it died before
        os._exit(1)


def _load_library():
    """Load the library and declare its functions; OSError if it is not there."""
    library = ctypes.CDLL(_LIBRARY)
    for result, arguments, names in _SIGNATURES:
        for name in names.split():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    return library


def _declare_costs(library, dictionary):
    """Find out whether costs are C floats (5.12) or doubles: one read as the other is not small."""
    largest, of_sentence = (
        library.linkgrammar_get_dict_max_disjunct_cost, library.sentence_disjunct_cost
    )  # fmt: skip
    largest.argtypes, of_sentence.argtypes = [_POINTER], [_POINTER, _INT]
    for number in (ctypes.c_float, ctypes.c_double):
        largest.restype = of_sentence.restype = number
        if 1e-3 < largest(dictionary) < 1e3:
            return
    raise OSError(f"{_LIBRARY} is of a version whose costs cannot be read")


class _Session:
    """A dictionary and options, ready to parse."""

    def __init__(self, language, timeout):
        self.lib = _load_library()
        self.timeout = timeout
        self.options = self.lib.parse_options_create()
        self.lib.parse_options_set_verbosity(self.options, 0)
        self.lib.parse_options_set_spell_guess(self.options, 0)  # else by what is installed
        self.lib.parse_options_set_repeatable_rand(self.options, 1)
        self.dictionary = self.lib.dictionary_create_lang(language.encode())
        if not self.dictionary:
            raise OSError(f"no dictionary of the language {language!r}")
        _declare_costs(self.lib, self.dictionary)

    def version(self):
        """Name the versions of the library and of the dictionary."""
        library = self.lib.linkgrammar_get_version().decode()
        dictionary = self.lib.linkgrammar_get_dict_version(self.dictionary).decode()
        return f"{library} dictionary {dictionary}"

    def parse(self, text, n):
        """Return status, number of linkages, costs of valid ones, first tree, words left out."""
        # Some of Unicode's white space is letters to the library, and none to who reads its trees.
        text = " ".join(text.replace("\0", " ").split())
        if not text:  # the library breaks down
            return "failed", 0, [], "", 0
        lib = self.lib
        sentence = lib.sentence_create(text.encode("utf-8", "replace"), self.dictionary)
        try:
            if lib.sentence_split(sentence, self.options) < 0:
                return "failed", 0, [], "", 0
            lib.parse_options_set_linkage_limit(self.options, n)
            lib.parse_options_set_max_parse_time(self.options, self.timeout)
            lib.parse_options_reset_resources(self.options)
            for fewest, most in ((0, 0), (1, lib.sentence_length(sentence))):
                lib.parse_options_set_min_null_count(self.options, fewest)
                lib.parse_options_set_max_null_count(self.options, most)
                lib.sentence_parse(sentence, self.options)
                if lib.parse_options_resources_exhausted(self.options):
                    return "timeout", 0, [], "", 0
                n_valid = lib.sentence_num_valid_linkages(sentence)
                if n_valid > 0:
                    costs = [lib.sentence_disjunct_cost(sentence, k) for k in range(n_valid)]
                    costs = [round(cost, 4) for cost in costs]
                    null_count = lib.sentence_null_count(sentence)
                    # Of more linkages than n, a sample of n was looked at.
                    n_found = lib.sentence_num_linkages_found(sentence)
                    n_seen = lib.sentence_num_linkages_post_processed(sentence)
                    count = max(n_valid, min(n, n_found * n_valid // n_seen))
                    return "parsed", count, costs, self._tree(sentence), null_count
            return "failed", 0, [], "", 0
        finally:
            lib.sentence_delete(sentence)

    def _tree(self, sentence):
        linkage = self.lib.linkage_create(0, sentence, self.options)
        if not linkage:
            return ""
        pointer = self.lib.linkage_print_constituent_tree(linkage, _SINGLE_LINE)
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace") if pointer else ""
        finally:
            self.lib.linkage_free_constituent_tree_str(pointer)
            self.lib.linkage_delete(linkage)


def main():
    """Answer until standard input ends."""
    options = json.loads(sys.argv[1])
    signal.alarm(_START_LIMIT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    with contextlib.suppress(OSError, ValueError):  # macOS may have none
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT, _MEMORY_LIMIT))
    _die_with_parent(options["parent"])
    # What the library prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    def _answer(content):
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    try:
        session = _Session(options["language"], options["timeout"])
    except (OSError, AttributeError) as error:
        _answer({"error": str(error)})
        return
    _answer({"version": session.version()})
    signal.alarm(0)
    for line in sys.stdin:
        text, n = json.loads(line)
        signal.alarm(options["hard_timeout"])  # its default action ends C code as well
        parses = session.parse(text, n)
        signal.alarm(0)
        _answer(parses)


if __name__ == "__main__":
    main()
