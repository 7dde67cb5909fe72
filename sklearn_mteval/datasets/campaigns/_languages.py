"""Codes of languages: campaigns name them with two letters, annotation tools with three."""

# ISO 639-2 and 639-3 codes of the languages that have one of two letters and stood in a WMT task;
# "plk" is Appraise's own for Polish.
_CODES = """
    afr:af amh:am ara:ar arz:ar asm:as aze:az bel:be ben:bn bos:bs bul:bg cat:ca ces:cs cze:cs
    chi:zh cmn:zh zho:zh cym:cy wel:cy dan:da deu:de ger:de ell:el gre:el eng:en est:et eus:eu
    baq:eu fas:fa per:fa fin:fi fra:fr fre:fr gle:ga glg:gl guj:gu hau:ha heb:he hin:hi hrv:hr
    hun:hu hye:hy arm:hy ibo:ig iku:iu ind:id isl:is ice:is ita:it jpn:ja kan:kn kat:ka geo:ka
    kaz:kk khm:km kin:rw kir:ky kor:ko lav:lv lin:ln lit:lt lug:lg mal:ml mar:mr mkd:mk mac:mk
    mon:mn msa:ms may:ms mya:my bur:my nep:ne nld:nl dut:nl nno:nn nob:nb nor:no ori:or orm:om
    pan:pa plk:pl pol:pl por:pt pus:ps ron:ro rum:ro rus:ru sin:si slk:sk slo:sk slv:sl sna:sn
    som:so spa:es sqi:sq alb:sq srp:sr swa:sw swe:sv tam:ta tel:te tgk:tg tha:th tir:ti tsn:tn
    tur:tr ukr:uk urd:ur uzb:uz vie:vi wol:wo xho:xh yor:yo zul:zu
"""
_TWO_LETTERS = dict(entry.split(":") for entry in _CODES.split())


def language(code):
    """Return the code of two letters, if there is one, without script and country."""
    code = code.replace("-", "_").partition("_")[0].casefold()
    return _TWO_LETTERS.get(code, code)


def target_of(lang_pair):
    """Return the code of the language that a pair translates into."""
    return language(lang_pair.partition("-")[2])


def same_pair(one, other):
    """Tell whether two pairs of codes name the same languages: "en-zh_TW" and "eng-zho" do."""
    return [language(code) for code in one.split("-")] == [
        language(code) for code in other.split("-")
    ]
