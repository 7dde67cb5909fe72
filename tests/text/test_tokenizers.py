"""Tokenisers of languages, and languages told by script."""

import pytest
from sacrebleu.metrics import BLEU

from sklearn_mteval.text import tokenizers
from sklearn_mteval.text.tokenizers import UNSPACED, language_of, tokenizer_of
from sklearn_mteval.text.tokens import load_tokenizer

TEXTS = {
    "zh": "今天天气很好。",
    "ja": "今日はとても天気がいいですね。",
    "ko": "오늘은 날씨가 아주 좋습니다.",
    "th": "วันนี้อากาศดีมาก",
    "lo": "ມື້ນີ້ອາກາດດີຫຼາຍ",
    "my": "ဒီနေ့ ရာသီဥတု ကောင်းတယ်။",
    "km": "ថ្ងៃនេះអាកាសធាតុល្អណាស់",
    "bo": "དེ་རིང་གནམ་གཤིས་ཡག་པོ་འདུག",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_that_13a_is_not_for(language):
    assert language_of([TEXTS[language]]) == language
    assert language_of(["Yes.", TEXTS[language] * 2, "", TEXTS[language]]) == language
    assert tokenizer_of(language) != "13a"
    assert (language in UNSPACED) == (language != "ko")


@pytest.mark.parametrize(
    "texts",
    [[], [""], ["123 !"], ["The weather is fine."], ["Погода хорошая."], ["आज मौसम अच्छा है।"],
     ["The word 天气 means weather.", "今天"], ["東京"[:1] + " is a city in Japan."]],
)  # fmt: skip
def test_texts_of_all_other_languages(texts):
    assert language_of(texts) == ""


def test_chinese_texts_that_quote_japanese():
    assert language_of(["这是一个很长的中文句子，里面只有一个假名の。" * 3]) == "zh"


@pytest.mark.parametrize("language", ["", "de", "en", "xx", "vi"])
def test_all_other_languages_have_sacrebleus_default(language):
    assert tokenizer_of(language) == "13a" == BLEU.TOKENIZER_DEFAULT


@pytest.mark.parametrize("language", ["zh", "ja", "ko"])
def test_sacrebleus_own_choice_where_it_is_installed(language, monkeypatch):
    monkeypatch.setattr(tokenizers, "load_tokenizer", lambda name: None)
    assert tokenizer_of(language) == BLEU._TOKENIZER_MAP[language]


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_characters_where_the_analyser_is_not_installed(language, monkeypatch):
    def load(name):
        if "mecab" in name:
            raise ValueError(name)
        return load_tokenizer(name)

    monkeypatch.setattr(tokenizers, "load_tokenizer", load)
    assert tokenizer_of(language) == "char"
