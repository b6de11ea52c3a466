"""Whether a text says when: dates, clock times, weekdays, months and relative words of several languages.

A detector, not a parser: it errs towards yes where one word has two meanings ("fall", "morgen"), except for words that
are far more often something else ("may", "mar", "sun"), which count only beside a number or a preposition of time.
"""

from __future__ import annotations

import functools
import re
import unicodedata

ENGLISH = """
yesterday today tonight tomorrow last next ago recently soon nowadays week weeks weekend weekends weekly month months
monthly year years yearly monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
fridays saturdays sundays january february march april june july august september october november december morning
mornings afternoon afternoons evening evenings night nights midnight noon summer winter spring autumn fall decade
decades century fortnight
"""
GERMAN = """
gestern vorgestern heute morgen übermorgen letzte letzten letzter letztes nächste nächsten nächster nächstes neulich
kürzlich bald woche wochen wochenende monat monate monaten jahr jahre jahren jahres tage tagen montag dienstag mittwoch
donnerstag freitag samstag sonnabend sonntag montags dienstags mittwochs donnerstags freitags samstags sonntags januar
februar märz april mai juni juli august september oktober november dezember vormittag nachmittag mittag abend abends
nacht nachts mitternacht uhr stunde stunden frühling frühjahr sommer herbst winter jahrhundert
"""
FRENCH = """
hier demain lendemain aujourd avant-hier dernier dernière derniers dernières prochain prochaine prochains prochaines
récemment bientôt semaine semaines mois ans année années jour jours lundi mardi mercredi jeudi vendredi samedi dimanche
janvier février mars avril juin juillet août septembre octobre novembre décembre matin matinée midi soir soirée nuit
minuit heure heures printemps automne hiver siècle weekend
"""
SPANISH = """
ayer anteayer hoy mañana anoche próximo próxima próximos próximas pasado pasada pasados pasadas recientemente pronto
semana semanas meses año años día días lunes martes miércoles jueves viernes sábado sábados domingo domingos enero
febrero marzo abril junio julio agosto septiembre setiembre octubre noviembre diciembre tarde noche mediodía medianoche
hora horas primavera verano otoño invierno siglo
"""
RUSSIAN = """
вчера позавчера сегодня завтра послезавтра назад недавно скоро прошлый прошлая прошлое прошлой прошлом прошлого прошлую
следующий следующая следующей следующем следующего следующую неделя недели неделю неделе недель неделей месяц месяца
месяце месяцев месяцы год года году годом годы лет день дня дней дни выходные выходных понедельник понедельника вторник
вторника среду четверг четверга пятница пятницу пятницы суббота субботу субботы воскресенье воскресенья январь января
январе февраль февраля феврале март марта марте апрель апреля апреле май мая мае июнь июня июне июль июля июле август
августа августе сентябрь сентября сентябре октябрь октября октябре ноябрь ноября ноябре декабрь декабря декабре утром
утра днем вечером вечера ночью ночи полдень полночь час часа часов летом зимой весной осенью век века веке
"""
ARABIC = """
امس اليوم غدا بارحة قبل منذ اسبوع اسبوعين اسابيع شهر شهرين اشهر شهور سنة سنتين سنوات سنين عام عامين اعوام يوم يومين
ايام اثنين ثلاثاء اربعاء خميس جمعة سبت الاحد ماضي ماضية قادم قادمة مقبل مقبلة يناير فبراير مارس ابريل مايو يونيو يوليو
اغسطس سبتمبر اكتوبر نوفمبر ديسمبر كانون شباط اذار نيسان ايار حزيران تموز ايلول تشرين صباح صباحا مساء ليلة ليلا ظهرا
ساعة ساعات صيف شتاء ربيع خريف قرن مؤخرا قريبا
"""
HINDI = """
कल आज परसों पिछले पिछला पिछली अगले अगला अगली पहले सप्ताह हफ्ते हफ़्ते हफ्ता हफ़्ता महीने महीना महीनों माह साल सालों
वर्ष वर्षों दिन दिनों सोमवार मंगलवार बुधवार गुरुवार बृहस्पतिवार शुक्रवार शनिवार रविवार इतवार जनवरी फरवरी फ़रवरी मार्च अप्रैल
मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर अक्तूबर नवंबर नवम्बर दिसंबर दिसम्बर सुबह दोपहर शाम रात बजे घंटे घंटा गर्मियों
सर्दियों बसंत शताब्दी
"""

ARABIC_PREFIXES = ("", "ال", "و", "ب", "ل", "وال", "بال", "لل")
"""The article, "and", "in" and "for" are written onto the word."""

NUMERIC = r"""
    \b(?:19|20)\d\d\b                                       # a year
  | \b(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}(?!\d)             # 2023-05-08, also before a T
  | \b\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d)\b               # 8/5/2023, 08.05.23
  | \b\d{1,2}(?:st|nd|rd|th)\b                              # 7th
  | \b\d{1,2}[:h]\d\d\b                                     # 14:30, 14h30
  | \b\d{1,2}\ ?(?:am|pm|a\.m\.|p\.m\.|uhr|h)(?!\w)         # 3 pm
  | \b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\.?,?\ \d
  | \b\d{1,2}\.?\ (?:of\ )?(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\b
  | \b\d+\ (?:days?|hours?|minutes?|hrs?|mins?)\b
"""
"""Expressions with a digit in them."""

PHRASES = (
    r"\b(?:in|of|last|next|since|until|till|by|this|early|late|mid|during|every)[ -]may\b(?! be\b| have\b)"
    r"|\bde mayo\b|\bmayo de\b|\bin an hour\b|\bthe other day\b|\bday (?:before|after)\b"
)
"""Phrases whose single words would say too little."""
_IN_PHRASES = ("may", "hour", "day")
"""One of these is in each of the phrases."""

UNSPACED = r"""
    [昨今明前后後][天日]|昨晚|今晚|今早|[去今明前后後昨来來]年|一昨日|明後日|翌日|翌年
  | [上下本这這今来來先翌][个個]?[周週月]|[上下这這]个?(?:星期|礼拜|禮拜)
  | 星期[一二三四五六日天几幾]|礼拜[一二三四五六日天]|禮拜[一二三四五六日天]|[周週][一二三四五六日末]|[月火水木金土日]曜
  | [\d〇零一二三四五六七八九十百千两兩几幾数數]+\ ?
    (?:年|月|日|号|號|点|點|时|時|小时|小時|分钟|分鐘|周|週|天|个月|個月|ヶ月|か月|世纪|世紀)
  | 早上|早晨|上午|中午|下午|傍晚|晚上|半夜|午前|午後|正午|深夜|夕方|今朝|今夜|毎[朝晩日週月年]|每[天日周月年]
  | [春夏秋冬][天季]|最近|刚才|剛才|不久|以前|先ほど|さっき|この間|このまえ
  | きのう|きょう|あした|あす|おととい|あさって|きょねん|ことし|らいねん|せんしゅう|らいしゅう|もうすぐ
"""
"""Chinese and Japanese, which put no space between words; \\d has been folded to ASCII digits before."""

_MARKS = re.compile("[\u0300-\u036f\u064b-\u065f]")
_DIGIT = re.compile(r"\d")
_SPACED = bytes(code if chr(code).isalnum() and code < 128 else ord(" ") for code in range(256))
_WORDS = re.compile("[^\\W_]+(?:[^\\W_]|[\u0900-\u0903\u093a-\u094f])*")
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def has_time_expression(text: str) -> bool:
    """Whether the text has an expression of time.

    Knows dates in digits, years, clock times, and the names and everyday words for days, months, seasons and spans of
    English, German, French, Spanish, Russian, Chinese, Japanese, Arabic and Hindi. The language need not be told.
    """
    folded = _fold(text)
    is_ascii = folded.isascii()
    if not _vocabulary().isdisjoint(_ascii_words(folded) if is_ascii else _WORDS.findall(folded)):
        return True
    if _DIGIT.search(folded) and _numeric().search(folded):
        return True
    if any(word in folded for word in _IN_PHRASES) and _phrases().search(folded):
        return True
    return not is_ascii and bool(_IDEOGRAPH.search(folded) and _unspaced().search(folded))


def _ascii_words(folded: str) -> list[str]:
    """Runs of letters and digits; a pattern takes three times as long."""
    return folded.encode().translate(_SPACED).decode().split()


def _fold(text: str) -> str:
    """Case, width, Latin, Cyrillic and Arabic marks and every script's digits folded to one form."""
    if text.isascii():
        return text.lower()
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    folded = unicodedata.normalize("NFC", bare).casefold()
    return _DIGIT.sub(lambda digit: str(unicodedata.digit(digit.group())), folded)


@functools.cache
def _vocabulary() -> frozenset[str]:
    spaced = [ENGLISH, GERMAN, FRENCH, SPANISH, RUSSIAN, HINDI]
    words = {word for language in spaced for word in _fold(language).split()}
    arabic = _fold(ARABIC).split()
    return frozenset(words | {prefix + word for word in arabic for prefix in ARABIC_PREFIXES})


@functools.cache
def _numeric() -> re.Pattern[str]:
    return re.compile(NUMERIC, re.VERBOSE)


@functools.cache
def _phrases() -> re.Pattern[str]:
    return re.compile(PHRASES)


@functools.cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(UNSPACED, re.VERBOSE)
