"""Texts parted into sentences and pieces, and the width of texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.text.sentences import pieces, sentences, width

# Sentences stand between bars, as a reader of the language parts them.
BY_HAND = {
    "en": [
        "Dr. Smith paid $3.14 to J. K. Rowling, e.g. on Jan. 5. | Mr. Jones, Jr. did not!",
        'He said "Go." | She left. | "Why?" he asked. | "No!" | (He ran.) | \'Yes.\' | Then [sic].',
        "Wait... what? | Yes... | No?! | See https://a.b/c.d?e=F!x or a.b@c.de. | Open a.TXT now.",
        "It is 5 p.m. in the U.S. today. | He left the U.S. | The end. | Plan B. | It is v. 2.0.1.",
        "1. First item. | 2. Second item; still. | 2.1. Third: more.",
        "I can't. | See p. 5. | Fig. 3 is Op. 46. | These are good.[3] | eBay too.",
        "He wrote it. [12] | She read it [4]. | 1990s music. | 3rd place – ok.",
    ],
    "de": [
        "Am 3. Oktober kam z. B. Prof. Dr. Müller. | Der 2. Weltkrieg endete. | Danach Ruhe.",
        "„Geh.“ | Er ging. | »Ja!« | Sie blieb. | „Geh!“, sagte er. | Nr. 5 bzw. Hr. Meier usw.",
        "Vor ihrem 30. Geburtstag, d. h. bald. | Ludwig XIV. Bourbon starb.",
    ],
    "cs": [
        "Přišel 15. února, např. Jan. | Viz str. 5. | Potom odešel tj. Karel IV. Lucemburský.",
        "„To je vše.“ | Řekl to MUDr. A. Novák. | Stálo to 1.000 Kč.",
    ],
    "fr": [
        "« Va. » | Il part. | Et après ? | Rien ! | M. Dupont et Mme. Curie, p. ex. Marie. | Bon…",
    ],
    "es": ["¿Qué? | ¡No! | El Sr. García vive en EE.UU. desde 1990. | Ud. lo sabe. | ¿Sí?"],
    "fi": ["Hän tuli 3. päivänä klo 10.30 esim. Helsinkiin. | ”Niin.” | Sitten hän lähti."],
    "ru": [
        "В 1990 г. Москва росла. | А. С. Пушкин, т. е. он. | Ну... нет. | — Да. | — Кто? | «Да.»",
        "Это стоит 5 млн. | Дальше.",
    ],
    "zh": [
        "他说：“走吧！”|她笑了。|价格是3.5元。|真的吗？！|是的……好。|（完。）|你好!|走吧.|再见",
        "注意：1. 看；2. 读。|《好。》|完",
    ],
    "ja": ["「行く。」と言った。|（笑）はい。|え？！|ほんと。|３．５です｡|終わり"],
    "he": ['צה"ל. | זה בית. | מה?'],
    "ar": ["هل تعرف؟ | نعم. | ذهب إلى البيت۔ | لا!"],
    "hi": ["यह घर है। | वह लड़का है॥ | क्या? | हाँ!"],
    "ko": ["안녕하세요. | 저는 학생입니다. | 네!"],
    "others": ["Սա տուն է։ | Այո։", "ይህ ቤት ነው። | አዎ።", "ទីមួយ។ | ទីពីរ", "ეს სახლია. | დიახ."],
}
CASES = [(name, case) for name, cases in BY_HAND.items() for case in cases]


def parts(text, ranges):
    return [text[start:end] for start, end in ranges]


@pytest.mark.parametrize(("language", "case"), CASES)
def test_by_hand(language, case):
    expected = [part.strip() for part in case.split("|")]
    text = case.replace("|", "") if language in ("zh", "ja") else re.sub(r" ?\| ?", " ", case)
    assert parts(text, sentences(text)) == expected


def test_no_text_and_no_mark():
    assert sentences("") == sentences(" \n\t ") == pieces("", 100) == []
    assert sentences("  no mark\n") == [(2, 9)]
    assert sentences("...") == [(0, 3)]
    assert sentences("。。。") == [(0, 3)]


def test_a_newline_is_a_blank():
    assert sentences("A title\n\nwithout a mark") == [(0, 23)]
    assert parts("Yes.\n\nNo.", sentences("Yes.\n\nNo.")) == ["Yes.", "No."]


SIGNS = [*'"«“”)(?。」と中न।é\u0301\u200d🇩🇪;、אaB \n', ". ", ", ", "..."]
WORDS = st.sampled_from([*SIGNS, "Mr", "U.S.", "am", "3.", "The", "Mai"])
TEXTS = st.lists(WORDS, max_size=60).map("".join) | st.text(max_size=60)
# Each is one sentence, and the next begins with a capital or a script that has none.
LONG = "Dr. No, he said; and then, after all, nobody knew what to do next."
WHOLE = st.sampled_from(
    ["He left at 5 p.m. today.", "„Geh!“", "Она ушла... потом.", "3.14?", "यह घर है।", "Bon…", LONG]
)


@given(TEXTS, st.integers(80, 300))
def test_all_that_is_not_blank_is_in_one_part(text, longest):
    whole = sentences(text)
    small = pieces(text, longest)
    for ranges in (whole, small):
        end = 0
        for start, stop in ranges:
            assert end <= start < stop
            assert not text[end:start].strip()
            assert text[start:stop] == text[start:stop].strip()
            end = stop
        assert not text[end:].strip()
    assert {end for _, end in whole} <= {end for _, end in small}
    assert all(width(part) <= longest for part in parts(text, small))


@given(TEXTS, st.sampled_from(["  ", "\n", "\n\n", "\t \r\n", "\u3000"]))
def test_whitespace_makes_no_difference(text, blank):
    spaced = re.sub(r"\s+", blank, text)
    for parting in (sentences, lambda text: pieces(text, 100)):
        found = [part.split() for part in parts(text, parting(text))]
        assert [part.split() for part in parts(spaced, parting(spaced))] == found
    assert width(spaced) == width(text)


@given(st.lists(WHOLE, max_size=4), WHOLE, st.lists(WHOLE, max_size=4))
def test_a_sentence_more_or_less_changes_no_other(before, middle, after):
    with_it, without = " ".join([*before, middle, *after]), " ".join([*before, *after])
    assert parts(with_it, sentences(with_it)) == [*before, middle, *after]
    assert parts(without, sentences(without)) == [*before, *after]
    alone = parts(middle, pieces(middle, 200))
    found = parts(with_it, pieces(with_it, 200))
    others = parts(without, pieces(without, 200))
    n = len(parts(" ".join(before), pieces(" ".join(before), 200)))
    assert found[n : n + len(alone)] == alone
    assert found[:n] + found[n + len(alone) :] == others


@given(TEXTS, TEXTS)
def test_what_comes_later_changes_no_cut(text, more):
    # Cuts before the last word and the signs around it have been decided.
    settled = len(re.sub(r"\S{0,40}\s*\S*\s*$", "", text))
    found = [cut for cut in sentences(text) if cut[1] < settled]
    assert [cut for cut in sentences(text + more) if cut[1] < settled] == found


def test_pieces_end_at_the_strongest_mark():
    text = "one two three, four five; six seven eight (nine) ten"
    assert parts(text, pieces(text, 300)) == [text[:25], text[26:]]
    lines = text.replace("four ", "four\n")
    assert parts(lines, pieces(lines, 300)) == [lines[:25], lines[26:]]  # a newline is a blank
    assert parts(text, pieces(text, 200))[0] == "one two three,"
    words = "aa bb cc dd longest ee ff"
    assert parts(words, pieces(words, 160))[0] == "aa bb cc dd"
    assert parts("x" * 20, pieces("x" * 20, 100)) == ["x" * 5] * 2 + ["x" * 10]
    han = "我们今天去公园玩，然后一起吃饭"
    assert parts(han, pieces(han, 400))[0] == "我们今天去公园玩，"


@pytest.mark.parametrize(
    "letter", ["e\u0301", "🇩🇪", "👩\u200d🔬", "क्षि", "กำ", "\u1112\u1161\u11ab"]
)
def test_letters_stay_with_their_marks(letter):
    text = letter * 60
    for part in parts(text, pieces(text, 160)):
        assert part == letter * (len(part) // len(letter))


def test_one_letter_wider_than_a_piece():
    text = "a" + "\u0301" * 1000
    assert all(width(part) <= 80 for part in parts(text, pieces(text, 80)))


def test_pieces_have_room_for_two_characters():
    with pytest.raises(ValueError, match=r"at least 80, found 79"):
        pieces("text", 79)


def test_widths():
    assert width("") == width(" \n") == 0
    assert width(" two  words\n") == 90
    assert width("два слова") == 90
    assert width("天気") == 80
    assert width("e\u0301") == 11
    assert width("कि") == 20  # a vowel sign is as good as a letter


@pytest.mark.parametrize(
    ("source", "reference"),
    [
        ("wmt23/sources/zh-en.txt", "wmt23/references/zh-en.refA.txt"),
        ("wmt23/sources/he-en.txt", "wmt23/references/he-en.refB.txt"),
        ("wmt24/sources/en-ja.txt", "wmt24/references/en-ja.refA.txt"),
        ("wmt24/sources/en-cs.txt", "wmt24/references/en-cs.refA.txt"),
        ("wmt15/sources/newstest2015-ruen-src.ru", "wmt15/references/newstest2015-ruen-ref.en"),
        ("wmt15/sources/newstest2015-fien-src.fi", "wmt15/references/newstest2015-fien-ref.en"),
    ],
)
def test_translations_are_as_wide(data_dir, source, reference):
    first, second = (
        sum(map(width, (data_dir / name).read_text(encoding="utf-8").splitlines()))
        for name in (source, reference)
    )
    assert first / second == pytest.approx(1, abs=0.1)


def test_sentences_of_a_treebank(data_dir):
    n_right = n_found = n_true = 0
    for path in sorted((data_dir / "gum" / "dep").glob("*.conllu")):
        lines = path.read_text(encoding="utf-8").splitlines()
        truth = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
        text = " ".join(truth)
        # Without the last, which is there in any case.
        true = {len(" ".join(truth[:n])) for n in range(1, len(truth))}
        found = {end for _, end in sentences(text)[:-1]}
        n_right, n_found, n_true = (
            n_right + len(true & found),
            n_found + len(found),
            n_true + len(true),
        )
    assert n_true > 3000
    # Measured: precision 0.992, recall 0.865 (headings and items have no mark), F1 0.924.
    assert 2 * n_right / (n_found + n_true) >= 0.92
    assert n_right / n_found >= 0.985
