import pytest
from refused_imports import run_refusing

from sklearn_mteval.datasets import load_sample
from sklearn_mteval.text.languages import identify, language_of, same_language

SENTENCES = {
    "de": "Die Regierung hat gestern beschlossen, die Steuern im nächsten Jahr zu senken.",
    "en": "Yesterday the government decided to lower taxes in the coming year.",
    "cs": "Vláda včera rozhodla, že v příštím roce sníží daně.",
    "fi": "Hallitus päätti eilen laskea veroja ensi vuonna.",
    "fr": "Le gouvernement a décidé hier de baisser les impôts l'année prochaine.",
    "ru": "Правительство вчера решило снизить налоги в следующем году.",
    "ja": "政府は昨日、来年の税金を引き下げることを決定しました。",
    "zh": "政府昨天决定明年降低税收，并增加对学校的投资。",
    "he": "הממשלה החליטה אתמול להוריד את המסים בשנה הבאה.",
    "hi": "सरकार ने कल फैसला किया कि अगले साल करों को कम किया जाएगा।",
}


def test_sentences():
    found = identify(SENTENCES.values())
    assert [code for code, _ in found] == [*SENTENCES]
    assert all(0.8 <= confidence <= 1 for _, confidence in found)
    found = identify(SENTENCES[code].upper() for code in ("fi", "fi", "ru"))
    assert [code for code, _ in found] == ["fi", "fi", "ru"] and found[0] == found[1]


@pytest.mark.parametrize(
    "text",
    [
        *["", " \t\n", "12345", "3:2, 17.5 %", "!!!!", "Barack Obama", "東京", "\ud800", "a" * 200],
        "Bill Clinton, George Bush, Barack Obama, Donald Trump",
        "Cristiano Ronaldo, Novak Djokovic, Rafael Nadal",
        "http://www.example.com/index.html",
        "192.168.0.1 192.168.0.2 192.168.0.3 192.168.0.4",
    ],
)
def test_what_is_of_no_language_or_of_many(text):
    ((code, confidence),) = identify([text])
    assert code == "" and 0 <= confidence < 0.8


def test_languages_that_are_hardly_told_apart_are_one():
    norwegian = "Regjeringen bestemte i går å senke skattene til neste år, sier ministeren."
    serbian = "Vlada je juče odlučila da smanji poreze u narednoj godini i poveća plate."
    traditional = "政府昨天決定明年降低稅收，並增加對學校的投資。"
    codes = [code for code, _ in identify([norwegian, serbian, traditional])]
    assert all(map(same_language, codes, ["da", "hr", "zh"])), codes
    assert all(map(same_language, codes, ["nb", "bs", "zh_TW"]))
    assert same_language("pt-BR", "PT") and same_language("", "de") and same_language("de", "")
    assert not same_language("cs", "sk") and not same_language("nl", "de")


def test_many_short_lines_tell_together_what_none_tells_alone():
    lines = ["Ja, bitte.", "Nein.", "Wo denn?", "Am Haus.", "Schon gut.", "Wer ist das?"] * 2
    assert {code for code, _ in identify(lines)} == {""}
    assert language_of(lines)[0] == "de"
    assert language_of([]) == language_of(["", " "]) == ("", 0.0)
    assert language_of(["1", "2", "Obama"])[0] == ""


def test_a_line_without_end_is_not_the_whole_file():
    X = load_sample().X
    lines = X["source"].tolist()
    assert language_of(lines)[0] == "de" and language_of(X["reference"].tolist())[0] == "en"
    assert language_of([*lines, SENTENCES["cs"] * 5000])[0] == "de"


def test_without_the_extra_it_is_said():
    code = "from sklearn_mteval.text.languages import identify; identify(['a'])"
    found = run_refusing(["py3langid"], code)
    assert 'pip install "sklearn-mteval[languages]"' in found.stderr.splitlines()[-1]
