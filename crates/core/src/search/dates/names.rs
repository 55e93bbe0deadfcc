//! The names of months, days and distances in several languages, as terms have them (small, without accents).

use jiff::{Unit, civil::Weekday};

use super::End;
use crate::search::language::{self, Language};

/// A month that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Month {
    /// 1 to 12.
    pub number: i8,
    /// The word means nothing else.
    pub is_sure: bool,
}

/// A time before now, by the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relative {
    /// The day so many days ago.
    Days(i64),
    /// The week so many weeks ago.
    Weeks(i64),
    /// The last weekend.
    Weekend,
    /// The month so many months ago.
    Months(i64),
    /// The year so many years ago.
    Years(i64),
    /// The last such day.
    Weekday(Weekday),
}

/// So many units ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub number: i64,
    pub unit: Unit,
}

/// The names of each month.
const MONTHS: [&[&str]; 12] = [
    &[
        "january",
        "januar",
        "janner",
        "enero",
        "janvier",
        "janeiro",
        "января",
        "январе",
        "январь",
        "gennaio",
        "januari",
    ],
    &[
        "february",
        "februar",
        "febrero",
        "fevrier",
        "fevereiro",
        "февраля",
        "феврале",
        "февраль",
        "febbraio",
        "februari",
    ],
    &[
        "march",
        "marz",
        "marzo",
        "mars",
        "marco",
        "марта",
        "марте",
        "март",
        "maart",
    ],
    &["april", "abril", "avril", "апреля", "апреле", "апрель", "aprile"],
    &["may", "mai", "mayo", "maio", "мая", "мае", "маи", "maggio", "mei"],
    &[
        "june", "juni", "junio", "juin", "junho", "июня", "июне", "июнь", "giugno",
    ],
    &[
        "july", "juli", "julio", "juillet", "julho", "июля", "июле", "июль", "luglio",
    ],
    &["august", "agosto", "aout", "августа", "августе", "август", "augustus"],
    &[
        "september",
        "septiembre",
        "septembre",
        "setembro",
        "сентября",
        "сентябре",
        "сентябрь",
        "settembre",
        "sept",
    ],
    &[
        "october",
        "oktober",
        "octubre",
        "octobre",
        "outubro",
        "октября",
        "октябре",
        "октябрь",
        "ottobre",
    ],
    &[
        "november",
        "noviembre",
        "novembre",
        "novembro",
        "ноября",
        "ноябре",
        "ноябрь",
    ],
    &[
        "december",
        "dezember",
        "diciembre",
        "decembre",
        "dezembro",
        "декабря",
        "декабре",
        "декабрь",
        "dicembre",
    ],
];

/// Abbreviations of months.
const SHORT: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Names of months that mean something else, too.
const DOUBTFUL: [&str; 9] = ["march", "may", "mars", "marco", "mei", "mai", "мая", "мае", "маи"];

/// Words before a month that make it one beyond doubt.
const LEADS: [&str; 28] = [
    "in", "on", "of", "since", "until", "till", "last", "this", "early", "late", "mid", "during", "by", "before",
    "after", "from", "im", "am", "seit", "bis", "en", "de", "em", "в", "с", "a", "nel", "vorigen",
];

/// Words that may stand next to any date.
const BESIDE: [&str; 22] = [
    "in", "on", "of", "the", "all", "im", "am", "der", "dem", "den", "en", "el", "la", "le", "em", "na", "no", "в",
    "на", "nel", "il", "de",
];
/// Words before the beginning of a span.
const SINCE: &[&str] = &[
    "since", "from", "seit", "ab", "von", "desde", "depuis", "с", "da", "sinds", "vanaf",
];
/// Words before the end of a span.
const UNTIL: &[&str] = &[
    "until", "till", "to", "bis", "zum", "hasta", "ate", "jusqu", "a", "до", "fino", "tot",
];

const WEEKDAYS: [(Weekday, &[&str]); 7] = [
    (
        Weekday::Monday,
        &["monday", "montag", "lunes", "lundi", "понедельник", "lunedi", "maandag"],
    ),
    (
        Weekday::Tuesday,
        &[
            "tuesday",
            "dienstag",
            "martes",
            "mardi",
            "вторник",
            "martedi",
            "dinsdag",
        ],
    ),
    (
        Weekday::Wednesday,
        &[
            "wednesday",
            "mittwoch",
            "miercoles",
            "mercredi",
            "среду",
            "mercoledi",
            "woensdag",
        ],
    ),
    (
        Weekday::Thursday,
        &[
            "thursday",
            "donnerstag",
            "jueves",
            "jeudi",
            "четверг",
            "giovedi",
            "donderdag",
        ],
    ),
    (
        Weekday::Friday,
        &[
            "friday",
            "freitag",
            "viernes",
            "vendredi",
            "пятницу",
            "venerdi",
            "vrijdag",
        ],
    ),
    (
        Weekday::Saturday,
        &[
            "saturday",
            "samstag",
            "sabado",
            "samedi",
            "субботу",
            "sabato",
            "zaterdag",
        ],
    ),
    (
        Weekday::Sunday,
        &[
            "sunday",
            "sonntag",
            "domingo",
            "dimanche",
            "воскресенье",
            "domenica",
            "zondag",
        ],
    ),
];

const RELATIVE: &[(&str, Relative)] = &[
    ("day before yesterday", Relative::Days(2)),
    ("last night", Relative::Days(1)),
    ("yesterday", Relative::Days(1)),
    ("today", Relative::Days(0)),
    ("last weekend", Relative::Weekend),
    ("last week", Relative::Weeks(1)),
    ("previous week", Relative::Weeks(1)),
    ("this week", Relative::Weeks(0)),
    ("last month", Relative::Months(1)),
    ("previous month", Relative::Months(1)),
    ("this month", Relative::Months(0)),
    ("last year", Relative::Years(1)),
    ("previous year", Relative::Years(1)),
    ("this year", Relative::Years(0)),
    ("vorgestern", Relative::Days(2)),
    ("gestern", Relative::Days(1)),
    ("heute", Relative::Days(0)),
    ("letztes wochenende", Relative::Weekend),
    ("letzte woche", Relative::Weeks(1)),
    ("letzter woche", Relative::Weeks(1)),
    ("vorige woche", Relative::Weeks(1)),
    ("diese woche", Relative::Weeks(0)),
    ("letzten monat", Relative::Months(1)),
    ("diesen monat", Relative::Months(0)),
    ("letztes jahr", Relative::Years(1)),
    ("letzten jahr", Relative::Years(1)),
    ("dieses jahr", Relative::Years(0)),
    ("anteayer", Relative::Days(2)),
    ("ayer", Relative::Days(1)),
    ("hoy", Relative::Days(0)),
    ("semana pasada", Relative::Weeks(1)),
    ("mes pasado", Relative::Months(1)),
    ("ano pasado", Relative::Years(1)),
    ("avant hier", Relative::Days(2)),
    ("hier", Relative::Days(1)),
    ("aujourd hui", Relative::Days(0)),
    ("semaine derniere", Relative::Weeks(1)),
    ("mois dernier", Relative::Months(1)),
    ("annee derniere", Relative::Years(1)),
    ("anteontem", Relative::Days(2)),
    ("ontem", Relative::Days(1)),
    ("hoje", Relative::Days(0)),
    ("semana passada", Relative::Weeks(1)),
    ("mes passado", Relative::Months(1)),
    ("ano passado", Relative::Years(1)),
    ("позавчера", Relative::Days(2)),
    ("вчера", Relative::Days(1)),
    ("сегодня", Relative::Days(0)),
    ("прошлои неделе", Relative::Weeks(1)),
    ("прошлом месяце", Relative::Months(1)),
    ("прошлом году", Relative::Years(1)),
    ("ieri", Relative::Days(1)),
    ("oggi", Relative::Days(0)),
    ("settimana scorsa", Relative::Weeks(1)),
    ("mese scorso", Relative::Months(1)),
    ("anno scorso", Relative::Years(1)),
    ("gisteren", Relative::Days(1)),
    ("vandaag", Relative::Days(0)),
    ("vorige week", Relative::Weeks(1)),
    ("vorige maand", Relative::Months(1)),
    ("vorig jaar", Relative::Years(1)),
];

const UNITS: [(Unit, &[&str]); 4] = [
    (
        Unit::Day,
        &[
            "day", "days", "tag", "tage", "tagen", "dia", "dias", "jour", "jours", "день", "дня", "днеи", "giorno",
            "giorni", "dag", "dagen",
        ],
    ),
    (
        Unit::Week,
        &[
            "week",
            "weeks",
            "woche",
            "wochen",
            "semana",
            "semanas",
            "semaine",
            "semaines",
            "неделю",
            "недели",
            "недель",
            "settimana",
            "settimane",
            "weken",
        ],
    ),
    (
        Unit::Month,
        &[
            "month",
            "months",
            "monat",
            "monaten",
            "mes",
            "meses",
            "mois",
            "месяц",
            "месяца",
            "месяцев",
            "mese",
            "mesi",
            "maand",
            "maanden",
        ],
    ),
    (
        Unit::Year,
        &[
            "year", "years", "jahr", "jahren", "ano", "anos", "an", "ans", "год", "года", "лет", "anno", "anni", "jaar",
        ],
    ),
];

const NUMBERS: [&[&str]; 12] = [
    &[
        "one", "a", "an", "einem", "einer", "un", "una", "une", "um", "uma", "een", "один", "одну",
    ],
    &[
        "two", "zwei", "dos", "deux", "dois", "duas", "due", "twee", "два", "две",
    ],
    &["three", "drei", "tres", "trois", "tre", "drie", "три"],
    &["four", "vier", "cuatro", "quatre", "quatro", "quattro", "четыре"],
    &["five", "funf", "cinco", "cinq", "cinque", "vijf", "пять"],
    &["six", "sechs", "seis", "sei", "zes", "шесть"],
    &["seven", "sieben", "siete", "sept", "sete", "sette", "zeven", "семь"],
    &["eight", "acht", "ocho", "huit", "oito", "otto", "восемь"],
    &["nine", "neun", "nueve", "neuf", "nove", "negen", "девять"],
    &["ten", "zehn", "diez", "dix", "dez", "dieci", "tien", "десять"],
    &["eleven", "elf", "once", "onze", "undici", "одиннадцать"],
    &[
        "twelve",
        "zwolf",
        "doce",
        "douze",
        "doze",
        "dodici",
        "twaalf",
        "двенадцать",
    ],
];

/// Words before "3 weeks" that make them past.
const AGO_BEFORE: [&[&str]; 4] = [&["vor"], &["hace"], &["il", "y", "a"], &["ha"]];
/// Words behind them that do.
const AGO_BEHIND: [&str; 6] = ["ago", "назад", "fa", "geleden", "atras", "earlier"];

/// The month that a word names.
pub(super) fn month(word: &str) -> Option<Month> {
    let place = |names: &[&str]| names.contains(&word);
    let (at, short) = match MONTHS.iter().position(|names| place(names)) {
        Some(at) => (at, false),
        None => (SHORT.iter().position(|short| *short == word)?, true),
    };
    Some(Month {
        number: i8::try_from(at).ok()? + 1,
        is_sure: !short && !DOUBTFUL.contains(&word),
    })
}

/// Whether a word stands before months.
pub(super) fn leads_to_a_month(word: &str) -> bool {
    LEADS.contains(&word)
}

/// Whether a word says nothing more next to a date that is this end of a time.
pub(super) fn belongs_to(end: End, word: &str) -> bool {
    let leads = match end {
        End::First => SINCE,
        End::Last => UNTIL,
    };
    BESIDE.contains(&word) || leads.contains(&word)
}

/// Words of these that are no date, by the language of the others: "hier" is French for yesterday, and German and Dutch
/// for here.
pub(super) fn false_friends(words: &[&str]) -> &'static [&'static str] {
    const HIER: &[&str] = &["hier"];
    if !words.iter().any(|word| HIER.contains(word)) {
        return &[];
    }
    let others = words.iter().copied().filter(|word| !HIER.contains(word));
    match language::of_question(others) {
        Some(languages) if !languages.contains(&Language::French) => HIER,
        _ => &[],
    }
}

/// The relative time that begins `words`, and how many words it takes.
pub(super) fn relative(words: &[&str]) -> Option<(Relative, usize)> {
    let begins = |text: &str| {
        let count = text.split(' ').count();
        let alike = text.split(' ').zip(words).all(|(wanted, word)| wanted == *word);
        (alike && count <= words.len()).then_some(count)
    };
    if let Some(found) = RELATIVE
        .iter()
        .find_map(|(text, relative)| Some((*relative, begins(text)?)))
    {
        return Some(found);
    }
    let weekday = |word: &str| {
        WEEKDAYS
            .iter()
            .find(|(_, names)| names.contains(&word))
            .map(|(day, _)| *day)
    };
    let is_last = |word: &str| {
        matches!(
            word,
            "last" | "on" | "am" | "letzten" | "letzter" | "letzte" | "le" | "el" | "в"
        )
    };
    match words {
        [first, second, ..] if is_last(first) => Some((Relative::Weekday(weekday(second)?), 2)),
        _ => None,
    }
}

/// The counted time that begins `words`, and how many words it takes.
pub(super) fn counted(words: &[&str]) -> Option<(Counted, usize)> {
    let before = AGO_BEFORE
        .iter()
        .find(|before| words.starts_with(before))
        .map(|before| before.len());
    let skipped = before.unwrap_or(0);
    let number = count(words.get(skipped)?)?;
    let word = words.get(skipped + 1)?;
    let unit = UNITS
        .iter()
        .find(|(_, names)| names.contains(word))
        .map(|(unit, _)| *unit)?;
    let behind = words.get(skipped + 2).is_some_and(|word| AGO_BEHIND.contains(word));
    (before.is_some() || behind).then_some((Counted { number, unit }, skipped + 2 + usize::from(behind)))
}

fn count(word: &str) -> Option<i64> {
    if let Some(at) = NUMBERS.iter().position(|names| names.contains(&word)) {
        return Some(i64::try_from(at).ok()? + 1);
    }
    word.parse().ok().filter(|number| (1..=1000).contains(number))
}
