"""What language models say in place of translations, and around them."""

import pytest

from sklearn_mteval.text.answers import is_refusal, wrapper

REFUSALS = [
    "The text appears to be incomplete, please provide the full text.",
    "I'm sorry, but I can't help with this request.",
    "I apologize, but I cannot translate that specific text.",
    "As an AI language model, I am unable to translate profanity.",
    "Es tut mir leid, aber ich kann diesen Text nicht übersetzen.",
    "Désolé, je ne peux pas traduire ce texte.",
    "Lo siento, pero no puedo traducir este texto.",
    "Mi dispiace, ma non posso tradurre questo testo.",
    "Desculpe, não posso traduzir este texto.",
    "Het spijt me, maar ik kan deze tekst niet vertalen.",
    "Przepraszam, ale nie mogę przetłumaczyć tego tekstu.",
    "Omlouvám se, ale tento text nemohu přeložit.",
    "Извините, но я не могу перевести этот текст.",
    "Вибачте, але я не можу перекласти цей текст.",
    "Üzgünüm, bu metni çeviremem.",
    "抱歉，我无法翻译这段文字。",
    "申し訳ありませんが、このテキストを翻訳することはできません。",
    "죄송하지만 이 텍스트를 번역할 수 없습니다.",
    "عذراً، لا أستطيع ترجمة هذا النص.",
    "מצטער, איני יכול לתרגם את הטקסט הזה.",
    "क्षमा करें, मैं इस पाठ का अनुवाद नहीं कर सकता।",
]
SOUND = [
    "",
    "Sorry, I can't come on Friday.",
    "The minister apologized, but he cannot resign.",
    "The translation was published in 1997.",
    "Most of the time, they are unable to provide a model of care.",
    "Es tut mir leid um den Hund.",
    "He can't translate his popularity into votes.",
    "Je ne peux pas vous aider là-bas.",
    "Nemohu mu pomoci.",
    "无法无天的人都被抓了。",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text):
    assert is_refusal(text)


@pytest.mark.parametrize("text", SOUND)
def test_sound_texts(text):
    assert not is_refusal(text)
    assert wrapper(text) == ""


def test_only_a_beginning_refuses():
    assert not is_refusal("He read the letter to the end. " * 8 + REFUSALS[1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Translation: He is ill.", "Translation:"),
        ("German translation: Er ist krank.", "German translation:"),
        ("Übersetzung: Er ist krank.", "Übersetzung:"),
        ("Sure! Here is the translation: He is ill.", "Sure! Here is the translation:"),
        ("Here's the German translation you asked for: Er ist krank.",
         "Here's the German translation you asked for:"),
        ("Certainly! The translation is as follows: He is ill.",
         "Certainly! The translation is as follows:"),
        ("He is ill.\n\nNote: I have kept the tone.", "Note: I have kept the tone."),
        ("Hier ist die Übersetzung: Er ist krank.", "Hier ist die Übersetzung:"),
        ("Voici la traduction : Il est malade.", "Voici la traduction :"),
        ("以下是翻译：他病了。", "以下是翻译："),
        ("```He is ill.```", "```"),
        ("<translation>He is ill.</translation>", "<translation>"),
        ("He is ill. Let me know if you need anything else!",
         "Let me know if you need anything else!"),
        ("He is ill. (Note: This is a literal translation.)",
         "(Note: This is a literal translation.)"),
    ],
)  # fmt: skip
def test_wrappers(text, said):
    assert wrapper(text) == said


def test_long_texts_are_read_at_once():
    for text in ("Sure! " * 20_000, "(Note: " * 20_000, " " * 100_000, "\n" * 100_000 + "x"):
        assert not is_refusal(text)
        wrapper(text)
