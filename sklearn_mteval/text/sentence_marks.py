"""Marks and words by which texts of all languages are parted into sentences."""

# ruff: noqa: RUF001, SIM905 - marks are what this is about; a table of words is one string

# Unicode's property Sentence_Terminal, of scripts in use. Soft marks end a sentence before
# whitespace and what may begin one, hard ones end it before nearly anything.
SOFT = ".!?…․‥‼‽⁇⁈⁉"
HARD = (
    "。！？．｡︒︕︖﹒﹖﹗։؝؞؟۔܀܁܂߹࠷࠹࠽࠾।॥၊။።፧፨᙮᜵᜶។៕᠃᠉᥄᥅᪨᪩᪪᪫᭎᭏᭚᭛᭞᭟᭽᭾᭿᰻᰼᱾᱿"
    "⳹⳺⳻⸮⸼⹓⹔꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫𑅁𑅂𑅃"
).replace("၊", "")  # the little section is Burmese's comma
CLOSING = "\"'’”»›)\\]}」』】）》〉〕］｝〗〙＂＇｣"
OPENING = "\"'‘“„‚«‹»›([{¿¡「『【（《〈〔［｛〖〘｢–—―•·*\\-"
IDEOGRAPHS = "\u2e80-\u3000\u3003-\ua4cf\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"

# Abbreviations with a point behind which a sentence goes on, whatever follows: as written, …
TITLES = frozenset(
    "Mr Mrs Ms Messrs Dr Drs Prof St Ste Sr Sra Srta Mme Mlle Hr Fr Gen Col Lt Capt Cpt Cmdr Sgt "
    "Maj Adm Rev Hon Gov Sen Rep Pres Supt Det Insp Mt Ft Ing Mgr Bc MUDr JUDr PhDr RNDr Doc Dipl "
    "Dra Dña Sig Dott Avv Mons Msgr Exmo Dhr Mevr Doç Sn Bros Ltda".split()
)
# … and in any case: English, German, Czech, French, Spanish, Dutch, Finnish, Polish, Russian, …
ABBREVIATIONS = frozenset(
    "vs viz cf approx e.g i.e eg ie dr prof "
    "bzw vgl ca evtl ggf sog z.b d.h z.t u.u i.d.r inkl exkl zzgl bspw insb hrsg mio mrd geb "
    "např pozn tj tzv resp popř příp čp nám ul sv kpt mjr plk npor doc judr mudr cca tis "
    "p.ex ex env c.-à-d p.ej ej ud uds vd aprox bijv bv mevr dhr drs d.w.z o.a m.b.t i.p.v t.o.v "
    "esim mm ns ks vrt tri toht huom puh np tzn tzw inż hab zob św sig dott avv "
    "bl.a t.ex f.eks dvs pl kb ún bkz örn т.е т.н т.к напр см ул проф акад тов "
    "обл".split()
)
# Those behind which a number goes on, and months, which a day follows.
BEFORE_NUMBERS = frozenset(
    "no nos nr nro num núm p pp pg pag pág págs ss fig figs abb tab eq eqs sec sect ch chap kap "
    "bd vol vols art arts abs ziff rn para ed str tř obr odst blz klo kl cap ст стр рис табл гл "
    "пп тел руб jan feb mar apr jun jul aug sep sept oct nov dec ap lk max min op div".split()
)
# A capital letter behind which one of these stands is no initial ("Plan B. The …").
STARTERS = frozenset(
    "The This That These Those There They Then He She It Its His Her We You Our My If In On At As "
    "An A I And But For From When While With What Who Where Why How Not So Some After Before "
    "Although However Also To By Since Both Most Many Such One All "
    "Der Die Das Dem Ein Eine Er Sie Es Wir Ich Und Aber Im Am Auf Mit Nach Bei Für Wenn Als Auch "
    "Les Un Une Il Elle Ils Nous Mais Et Dans En Ce Cette Pour Après Los Las Una Pero Se Por Para "
    "Con Según В Во На Но И Он Она Они Это По Как Если Для Мы Вы Я Ale To Je Hän Mutta Ja Het Een "
    "Hij Zij Maar".split()
)
# "am 3. Mai", "die 5. Ausgabe": what makes a number of one or two digits an ordinal.
BEFORE_ORDINALS = frozenset(
    "der die das den dem des am im vom zum zur beim ab bis seit ein eine einen einem einer "
    "an sein seine seinem seinen seiner ihr ihre ihrem ihren ihrer meinem diesem dieser".split()
)
MONTHS = frozenset(
    "Januar Jänner Februar März April Mai Juni Juli August September Oktober November "
    "Dezember".split()
)
