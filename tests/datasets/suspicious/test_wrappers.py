"""What most lines of a file have in common and those of no other file."""

import pytest
from suspicious_tables import of_lines, sample_lines, table

from sklearn_mteval.datasets import suspicious_texts

LINES = sample_lines(40)
NUMBERED = ["{}\t{}", "{}. {}", "{}) {}", "[{}] {}", "{} ||| {}", "line {}: {}"]


@pytest.mark.parametrize("form", NUMBERED)
@pytest.mark.parametrize(("name", "shown"), [("rule", "'rule'"), ("source", "the sources")])
@pytest.mark.parametrize("first", [0, 101])
def test_line_numbers(form, name, shown, first):
    lines = [form.format(k, line) for k, line in enumerate(LINES[name], first)]
    found = suspicious_texts(of_lines(LINES | {name: lines}))
    assert any(said.startswith(f"Line numbers: most of {shown} (") for said in found), found


WRAPPERS = ["Translation: {}", '"{}"', "```{}```", "**{}**", "<s> {} </s>", "- {}", "{} </s>"]
WRAPPERS += ["Sure! Here is the translation: {}", "Übersetzung: {}", "译文\uff1a{}", "„{}“"]


@pytest.mark.parametrize("form", WRAPPERS)
@pytest.mark.parametrize(("name", "shown"), [("rule", "'rule'"), ("source", "the sources")])
def test_wrappers_on_most_lines(form, name, shown):
    lines = [form.format(line) if k % 5 else line for k, line in enumerate(LINES[name])]
    (found,) = suspicious_texts(of_lines(LINES | {name: lines}))
    assert found.startswith(f"Wrapped lines: most of {shown} (")
    some = [form.format(line) if k % 3 == 0 else line for k, line in enumerate(LINES[name])]
    assert suspicious_texts(of_lines(LINES | {name: some})) == []


def test_preambles_that_differ():
    forms = ["Sure! {}", "Here is the translation: {}", "Of course. {}"]
    lines = [forms[k % 3].format(line) for k, line in enumerate(LINES["rule"])]
    (found,) = suspicious_texts(of_lines(LINES | {"rule": lines}))
    assert found.startswith("Wrapped lines: most of 'rule' (")


def test_what_all_files_have_is_of_the_texts():
    quoted = {name: [f'"{line}"' for line in some] for name, some in LINES.items()}
    assert suspicious_texts(of_lines(quoted)) == []
    numbered = {
        name: [f"{k}. {line}" for k, line in enumerate(some)] for name, some in LINES.items()
    }
    assert suspicious_texts(of_lines(numbered)) == []
    questions = [
        f"How do I {verb} a file?" for verb in ["open", "close", "print", "send", "find"]
    ] * 4
    fragen = [f"Wie kann ich eine Datei {verb}?" for verb in ["auf", "zu", "aus", "ab", "um"]] * 4
    found = suspicious_texts(table({"A": questions}, source=fragen))
    assert not any("Wrapped" in said for said in found)
    alone = table({"A": [f"Translation: {line}" for line in LINES["rule"]]})
    assert suspicious_texts(alone) == []  # nothing to compare it with
