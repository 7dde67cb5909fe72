"""What the name of a column says of its direction: of ranks the lower is better, of scores not."""

import re
import unicodedata

# Words of many languages that leave no doubt. "Grade", "mark", "note" and their like are none: one
# is the best of them in Germany, the worst in France.
_WORDS = {
    "lower": """
        rank ranks ranked ranking rankings position positions place placement placing standing order
        penalty penalties error errors mistake mistakes ter hter
        Rang Ränge Rangfolge Rangplatz Rangordnung Platz Plätze Platzierung Reihenfolge Fehler
        Fehlerzahl Strafpunkte rangs classement ordre erreur erreurs pénalité rango puesto posición
        orden errores penalización posizione posto classifica graduatoria ordine errori posição
        lugar ordem erros plaats positie rangorde volgorde rangschikking fouten plats placering
        plassering rangering fel sija sijoitus järjestys miejsce pozycja kolejność błędy pořadí
        umístění poradie umiestnenie chyby helyezés rangsor sorrend loc poziție clasament
        ранг место позиция порядок ошибки штраф місце позиція помилки място κατάταξη θέση λάθη
        sira siralama hata hạng peringkat urutan ترتيب الترتيب مرتبة رتبة أخطاء מקום שגיאות
        रैंक क्रम स्थान ลำดับ อันดับ 排名 名次 位次 错误 錯誤 扣分 罚分 順位 ランク ランキング 減点
        순위 등수 랭크 랭킹 오류 감점""",
    "higher": """
        score scores scored scoring rating ratings point points star stars quality adequacy fluency
        accuracy correctness fidelity da esa mos
        Punkt Punkte Punktzahl Qualität Güte Bewertung Wertung Sterne Adäquatheit Angemessenheit
        Genauigkeit Korrektheit qualité étoiles adéquation fluidité exactitude fidélité puntuación
        puntaje puntos calidad valoración calificación estrellas adecuación fluidez punteggio punti
        qualità valutazione adeguatezza scorrevolezza pontuação pontos qualidade avaliação adequação
        fluência punten kwaliteit beoordeling waardering sterren poäng kvalitet betyg poeng pisteet
        laatu arvosana wynik punkty jakość ocena skóre body kvalita pontszám pont minőség scor
        punctaj calitate балл баллы оценка качество очки бал бали оцінка якість точки βαθμολογία
        βαθμός σκορ ποιότητα puan skor kalite điểm nilai kualitas نقاط النقاط جودة الجودة ציון ניקוד
        איכות अंक स्कोर गुणवत्ता คะแนน คุณภาพ 分数 分數 得分 评分 評分 总分 總分 打分 点数 得点 評点
        质量 質量 品質 スコア 점수 평점 득점 품질 스코어""",
}  # fmt: skip
_UNCLEAR = {"mqm", "lower", "higher", "negative", "negated", "reversed", "inverted"}
_COMPOUND = 7  # letters from which a word may end another, as in Gesamtpunktzahl; or "score"


def _plain(text):
    """Write a text without case, accents and other forms of the same letters."""
    parts = unicodedata.normalize("NFKD", text).casefold().replace("\u0131", "i")
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


_PLAIN = {_plain(word): better for better, words in _WORDS.items() for word in words.split()}
_INSIDE = {word: better for word, better in _PLAIN.items() if word > "\u0900"}  # no blanks there
_ENDS = {w: better for w, better in _PLAIN.items() if len(w) >= _COMPOUND or w == "score"}


def better_by_name(name):
    """Tell whether "lower" or "higher" is better of what is called so; None: it does not say."""
    parts = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    words = re.findall(r"[^\W\d_]+", _plain(parts)) + re.findall(r"[^\W\d_]+", _plain(name))
    said = {_PLAIN[word] for word in words if word in _PLAIN}
    said |= {better for end, better in _ENDS.items() if any(word.endswith(end) for word in words)}
    said |= {better for part, better in _INSIDE.items() if part in _plain(name)}
    return said.pop() if len(said) == 1 and _UNCLEAR.isdisjoint(words) else None


def shown_judgement(table, columns):
    """Return the name of the column of judgements as it is written; of several the first one's."""
    name = columns.judgement
    name = name if isinstance(name, str) else name[0]
    return table.written.get(name, name)


def turned(table, columns, judged, better):
    """List the sentence that judgements are read upside down, by the names of their columns."""
    if better is None:
        return []
    named = [columns.judgement] if columns.names is None else columns.judgement
    pairs = zip(named, columns.names or [""], strict=True)
    said = {better_by_name(name.removesuffix(f"_{system}")) for name, system in pairs}
    other = "lower" if better == "higher" else "higher"
    # Ranks and penalties with a minus are scores.
    if said != {other} or (other == "lower" and (judged.y >= 0).all()):
        return []
    return [
        f"column {shown_judgement(table, columns)!r} is read with better={better!r}, and its name "
        f"says that {other} is better: then the best translations would count as the worst. Pass "
        f"better={other!r}; or, if {better} is better after all, rename the column."
    ]
