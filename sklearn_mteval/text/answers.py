"""What a language model says in place of a translation, or around one."""

import re

# That it cannot, will not, or is a model; and of what: texts, translations, requests. Both must be
# said at the beginning, so that a sentence of news that begins with "Sorry" is none.
_CANNOT = (
    r"sorry|apologi[sz]e|can ?not|can['\u2019]t|unable|not able|won['\u2019]t|as an? (?:ai"
    r"|language)"
    r"|tut mir leid|entschuldig\w*|kann (?:ich )?(?:\w+ ){0,6}nicht|ich kann|als (?:ki"
    r"|sprachmodell)"
    r"|désolée?s?|navrée?|ne peux pas|ne suis pas en mesure|en tant qu"
    r"|lo siento|no puedo|como (?:modelo|ia|una ia)|lo lamento|disculp\w*"
    r"|mi dispiace|non posso|non sono in grado|come (?:modello|ia)"
    r"|desculp\w*|sinto muito|não posso|não consigo|como (?:um )?modelo"
    r"|het spijt me|sorry|kan (?:ik )?(?:\w+ ){0,4}niet|als taalmodel"
    r"|przepraszam|przykro mi|nie mogę|nie jestem w stanie"
    r"|omlouvám se|je mi líto|bohužel|nemohu|nemůžu|jako jazykový model"
    r"|извините|простите|к сожалению|не могу|как языковая модель"
    r"|вибачте|на жаль|не можу|як мовна модель"
    r"|üzgünüm|özür dilerim|yapamam|edemem"
    r"|maaf|xin lỗi"
)
_CANNOT_ANYWHERE = (
    r"抱歉|对不起|對不起|无法|無法|不能|作为一个?(?:人工智能|语言模型|ai)"
    r"|申し訳|すみません|できません|죄송|할 수 없|ขออภัย"
    r"|آسف|عذر|لا أستطيع|لا يمكنني|מצטער|איני יכול|לא יכול"
    r"|क्षमा|माफ|नहीं कर सकता"
)
_OF_WHAT = (
    r"translat\w* (?:th(?:is|at|e)|your|any|it|or)\b|assist\w*|help (?:you )?with (?:this|that)"
    r"|(?:this|your|that) (?:request|text|content)|language model"
    r"|übersetz\w*|(?:diese[rsn]?|ihre|deine) (?:anfrage|text|bitte|inhalt)\w*|sprachmodell"
    r"|dabei (?:nicht )?helfen"
    r"|tradu\w*|(?:cette|votre) (?:demande|requête)|ce texte|modèle de langage"
    r"|(?:esta|tu|su) (?:solicitud|petición)|este texto|modelo de lenguaje"
    r"|(?:questa|tua|sua) richiesta|questo testo|modello linguistico"
    r"|(?:esta|sua|seu) (?:solicitação|pedido)|modelo de linguagem"
    r"|vertal\w*|(?:deze|dit|uw|je) (?:verzoek|tekst)|taalmodel"
    r"|przetłumacz\w*|tłumacz\w*|(?:tej|tego) (?:prośby|tekstu)"
    r"|přelož\w*|překlad\w*|(?:tento|tuto|vaš\w+) (?:text|žádost)|jazykový model"
    r"|перевес\w*|перевод\w*|(?:этот|этого) (?:текст|запрос)\w*|языковая модель"
    r"|переклас\w*|переклад\w*|(?:цей|цього) (?:текст|запит)\w*"
    r"|çevir\w*|tercüme\w*|menerjemah\w*|terjemah\w*|dịch"
)
_OF_WHAT_ANYWHERE = (
    r"แปล|翻译|翻譯|协助|请求|翻訳|リクエスト|번역|요청"
    r"|ترجم\w*|طلب|לתרגם|תרגום|अनुवाद"
)
# Letters of most scripts are looked for where a word begins, which is several times as fast.
_REFUSAL = [
    re.compile(rf"\b(?:{words})|{anywhere}")
    for words, anywhere in ((_CANNOT, _CANNOT_ANYWHERE), (_OF_WHAT, _OF_WHAT_ANYWHERE))
]
_ASKED = re.compile(
    r"please (?:provide|paste|send|share) (?:me )?(?:with )?(?:the |your )?"
    r"(?:full |complete |entire |source |original )?(?:text|sentence)"
)
_BEGINNING = 160  # characters within which a refusal says so
_LANGUAGES = (
    r"english|german|czech|french|spanish|russian|chinese|japanese|ukrainian|polish|italian|dutch"
    r"|hindi|icelandic|hebrew|arabic|korean|finnish|turkish|portuguese|deutsche?|englische?"
)
_WRAPPERS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^\W*(?:(?:{_LANGUAGES}) )?(?:translation|translated text|übersetzung|traduction"
        rf"|traducción"
        r"|traduzione|tradução|vertaling|tłumaczenie|překlad|перевод|переклад|翻译|译文|翻訳|번역)\s*"
        r"(?:\((?:\w| )+\))?\s*[:\uff1a]",
        r"^\W*(?:(?:sure|certainly|of course|okay|ok|absolutely|gerne|natürlich|klar|bien sûr|claro"
        r"|por supuesto|certo|конечно|当然|好的)[,!.\uff0c\uff01 ]+)?(?:here(?:'s|\u2019s| is| are)"
        r"|this is"
        r"|hier ist|voici|aquí (?:está|tienes)|ecco|вот|tady je|zde je|以下是|这是)(?: "
        r"|(?<=是))[^.:\uff1a\n]{0,60}"
        r"(?:translat|übersetz|traduc|traduz|перевод|překlad|翻译|译文)\w*[^.:\uff1a\n]{0,40}[:\uff1a]",
        r"^\W*(?:[\w']{1,12}[,!.] ){0,2}(?:the|die|la|le|a) (?:\w{1,12} )?(?:translation"
        r"|übersetzung"
        r"|traduction|traducción|traduzione|tradução) (?:is|lautet|est|es|è|é)(?: as follows)?\s?:",
        r"\n\W{0,6}(?:note|hinweis|anmerkung|poznámka|remarque|nota)\s?:[^\n]{0,300}\Z",
        r"^```|```$|^</?(?:translation|target|output|text|answer)>|</(?:translation|target"
        r"|output)>$",
        r"\blet me know if you (?:need|have|want|would like)\b.{0,60}\Z",
        r"\((?:note|translator's note|anmerkung"
        r"|hinweis)\s?:[^)(]{0,300}translat[^)(]{0,300}\)\W?\Z",
    )
]


def is_refusal(text: str) -> bool:
    """Tell whether a text says, at its beginning, that something cannot be translated."""
    beginning = text[:_BEGINNING].lower()
    asked = _ASKED.search(beginning) is not None
    return asked or all(pattern.search(beginning) for pattern in _REFUSAL)


def wrapper(text: str) -> str:
    """Return what a language model has said around a translation, "" if nothing."""
    for pattern in _WRAPPERS:
        found = pattern.search(text)
        if found:
            return found[0].strip()
    return ""
