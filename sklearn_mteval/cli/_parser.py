"""The parser of a command: its help as users read it, and its errors in the words of options."""

import argparse
import os
import re
import sys
import textwrap
from difflib import get_close_matches

from sklearn_mteval.cli._meant import foreign, meant

# Groups of options.
JUDGEMENTS = {"title": "human judgements"}
TEXTS = {"title": "texts"}
OUTPUT = {"title": "output"}
CHANCE = {"title": "intervals and chance", "rare": True}
MACHINE = {"title": "this machine", "rare": True}


class CommandParser(argparse.ArgumentParser):
    """A parser of a command; ``examples`` of it and ``closing`` stand at the end of its help."""

    def __init__(self, *, examples=(), closing="", **options):
        self._examples, self._closing, self._of_title, self._rare = examples, closing, {}, set()
        self._words, self._trying = [], False
        self.commands_with = lambda flag: []  # which commands have an option
        super().__init__(add_help=False, formatter_class=_Formatter, **options)
        self._positionals.title = "arguments"
        # What is no option but a value: a number, and what "-1" means in "--verdicts -1=b".
        self._negative_number_matcher = re.compile(r"-[0-9]*\.?[0-9]+$|-[0-9.,]*=\w+$")

    def add_argument_group(self, title, description=None, *, rare=False):
        """Return the group of a title, a new one if there is none; ``rare``: in --help-all only."""
        if title not in self._of_title:
            self._of_title[title] = super().add_argument_group(title, description)
            if rare:
                self._rare.add(title)
        return self._of_title[title]

    def declare_help(self):
        """Declare the options that show help: last, as nobody looks for them there."""
        group = self.add_argument_group("help")
        group.add_argument("-h", "--help", action="help", help="show this")
        n = sum(len(self._of_title[title]._group_actions) for title in self._rare)
        if n:
            group.add_argument(
                "--help-all",
                action=_HelpAll,
                nargs=0,
                help=f"show {n} more options, which are rarely needed",
            )

    def format_help(self, *, rare=False):
        """Write the help: usage, what it does, options by group, examples."""
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        for group in self._action_groups:
            if group.title in self._rare and not rare:
                continue
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        parts = [self.format_usage(), formatter.format_help()]
        if self._examples:
            parts.append("\n".join(["examples:", *(f"  {line}" for line in self._examples), ""]))
        return "\n".join(filter(None, [*parts, self._closing]))

    def format_usage(self):
        """Write the usage in a line or two: what must be given, and that there are options."""
        if self.usage is not None:
            return f"usage: {self.usage}\n"
        words = [self.prog]
        words += [_values(action) for action in self._actions if not action.option_strings]
        for action in self._actions:
            if action.option_strings and action.required:
                words += [action.option_strings[0], _values(action)]
        words.append("[OPTIONS]")
        return (
            textwrap.fill(
                " ".join(filter(None, words)),
                self._get_formatter()._width,
                initial_indent="usage: ",
                subsequent_indent=" " * 9,
                break_on_hyphens=False,
            )
            + "\n"
        )

    def parse_args(self, args=None, namespace=None):
        """Parse, or say of options that are not there which ones may have been meant."""
        self._words = list(args or ())
        # Before argparse takes -tok for -t ok.
        if flag := foreign(self._words, self):
            self.error(self._unknown([flag]))
        arguments, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(self._unknown(unknown), f" ({self.prog} --help lists what there is)")
        return arguments

    def understands(self, words):
        """Tell whether words are a command line that can run, if the files are there."""
        self._trying = True
        try:
            found, unknown = self.parse_known_args(words)
        except ValueError:
            return False
        finally:
            self._trying = False
        given = vars(found)
        model, named = given.get("model"), given.get("named_model")
        texts = [given.get(name) for name in ("translations", "candidates", "partitions", "lists")]
        needed = {"candidates", "lists"} & {*given} or {"-r", "-s"} & {*words}
        if "named_model" in given and "candidates" not in given and model is named:
            return False
        wrong = unknown or (isinstance(model, str) and os.path.isfile(model)) or (model and named)
        return not wrong and (any(texts) or self.reads_file or not needed)

    @property
    def reads_file(self):
        """Whether something that is read stands by itself, and is no model."""
        return bool(self._alone() & {"file", "files", "root"})

    @property
    def takes_model_and_files(self):
        """Whether texts are given by options alone, and nothing but a model stands by itself."""
        return self._alone() <= {"model"} and "--translations" in self._option_string_actions

    def _alone(self):
        """Name what stands by itself."""
        return {action.dest for action in self._actions if not action.option_strings}

    def error(self, message, hint=""):
        """Say what is wrong, and what to type instead if that is known, or else a hint; end."""
        if self._trying:
            raise ValueError(message)
        typed = meant(self, self._words)
        end = "" if message.endswith(("?", ".")) else "."
        super().error(f"{message}{end} Type: {typed}" if typed else message + hint)

    def _unknown(self, words):
        """Say what is unknown, with the nearest option."""
        options = [word for word in words if word.startswith("-") and len(word) > 1]
        if not options:
            return f"expected no more than the command takes, found also {' '.join(words)}"
        name = options[0].partition("=")[0]
        said = f"there is no option {name}"
        if commands := self.commands_with(name):
            return f"{said} of this command, only of {', '.join(commands)}"
        own = self._option_string_actions
        close = [] if foreign([name], self) else get_close_matches(name, own, 1, 0.7)
        return said + (f"; did you mean {close[0]}?" if close else "")


class _HelpAll(argparse.Action):
    """Show the help with all options, and end."""

    def __call__(self, parser, *_):
        parser._print_message(parser.format_help(rare=True), sys.stdout)
        parser.exit()


class _Formatter(argparse.HelpFormatter):
    """Lines of whole words: no option or address is parted at its hyphens."""

    def _split_lines(self, text, width):
        text = " ".join(text.split())
        return textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)

    def _fill_text(self, text, width, indent):
        paragraphs = re.split(r"\n\s*\n", text.strip())
        return "\n\n".join(
            textwrap.indent("\n".join(self._split_lines(each, width - len(indent))), indent)
            for each in paragraphs
        )

    def _format_action_invocation(self, action):
        if not action.option_strings:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {_values(action)}".rstrip()

    def _format_args(self, action, default_metavar):
        return _values(action, default_metavar)


def _values(action, default=None):
    """Write the values of an argument, several as the first and dots."""
    if action.nargs == 0:
        return ""
    name = action.metavar or default or action.dest.upper()
    if action.metavar is None and action.choices is not None:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(action.nargs, name)
