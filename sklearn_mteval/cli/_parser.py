"""The parser of a command: its help as users read it, and its errors in the words of options."""

import argparse
import re
import sys
import textwrap
from difflib import get_close_matches
from itertools import takewhile

# Groups of options.
JUDGEMENTS = {"title": "human judgements"}
TEXTS = {"title": "texts"}
OUTPUT = {"title": "output"}
CHANCE = {"title": "intervals and chance", "rare": True}
MACHINE = {"title": "this machine", "rare": True}
# Options that were given up, by the argument that took their place (None: another command).
_GIVEN_UP = {
    "--model": ("model", "the model stands by itself, as in 'static-en'"),
    "--next": (None, "that is the command 'next FILE'"),
} | {
    f"--{name}": ("format", f"FILE --format {name}")
    for name in ("esa", "mlqe", "mqm", "mtme", "pearmut", "wmt")
}
# Formats of input and output are mixed up: the other option, and what to say.
_OTHER = {
    "--format": (
        "--output-format",
        "the format of the output is -f {} (--output-format); --format is of the input.",
    ),
    "--output-format": (
        "--format",
        "the format of the input is --format {}; -f (--output-format) is of the output.",
    ),
}


class CommandParser(argparse.ArgumentParser):
    """A parser of a command; ``examples`` of it and ``closing`` stand at the end of its help."""

    def __init__(self, *, examples=(), closing="", **options):
        self._examples, self._closing, self._of_title, self._rare = examples, closing, {}, set()
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
        self._check_given_up(args or ())
        self._check_formats(args)
        arguments, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"{self._unknown(unknown)} ({self.prog} --help lists what there is)")
        return arguments

    def _check_given_up(self, words):
        """Name the one spelling of a thing where somebody writes another one."""
        there = {None, *(action.dest for action in self._actions)}
        for word in takewhile(lambda word: word != "--", words):
            flag = word.partition("=")[0]
            dest, written = _GIVEN_UP.get(flag, ("", ""))
            if dest in there and flag not in self._option_string_actions:
                self.error(f"there is no option {flag}: {written}")

    def _check_formats(self, words):
        """Tell the format of the output from that of the input where they are mixed up."""
        choices = {flag: each.choices or () for flag, each in self._option_string_actions.items()}
        line = "\n".join(words or ())
        for flag, name in re.findall(r"(?<!\S)(--format|-f|--output-format)[=\n]?(\S+)", line):
            own = "--output-format" if flag == "-f" else flag
            other, said = _OTHER[own]
            if name in choices.get(other, ()) and name not in choices.get(own, ()):
                self.error(f"{flag} {name}: {said.format(name)}")

    def _unknown(self, words):
        """Say what is unknown, with the nearest option."""
        options = [word for word in words if word.startswith("-") and len(word) > 1]
        if not options:
            return f"expected no more than the command takes, found also {' '.join(words)}"
        name = options[0].partition("=")[0]
        close = get_close_matches(name, [*self._option_string_actions], 1, 0.7)
        return f"there is no option {name}" + (f"; did you mean {close[0]}?" if close else "")


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
