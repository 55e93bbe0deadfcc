//! Chinese and Japanese: languages whose words stand without spaces.

/// Words of a language, `|` between those of one meaning, and the English ones for them. Of several that a text goes on
/// with, the longest counts.
pub(super) type Table = [(&'static str, &'static str)];

/// The languages.
pub(super) const LANGUAGES: [&Table; 2] = [CHINESE, JAPANESE];

/// Digits as words; ten is put together with those around it.
const DIGITS: [(char, i64); 11] = [
    ('一', 1),
    ('二', 2),
    ('两', 2),
    ('三', 3),
    ('四', 4),
    ('五', 5),
    ('六', 6),
    ('七', 7),
    ('八', 8),
    ('九', 9),
    ('十', 10),
];
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The English words for a text. `None`: it has words that are not in the table, or none that are.
pub(super) fn words(table: &Table, text: &str) -> Option<Vec<String>> {
    if text.is_ascii() {
        return None;
    }
    let mut english = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() || matches!(first, '、' | '，' | ',' | '。' | '.') {
            rest = rest.get(first.len_utf8()..)?;
        } else if let Some((words, behind)) = known(table, rest) {
            english.extend(words.split_whitespace().map(str::to_owned));
            rest = behind;
        } else {
            let (word, behind) = counted(rest)?;
            english.push(word);
            rest = behind;
        }
    }
    (!english.is_empty()).then_some(english)
}

/// The longest word of the table with which a text begins, in English, and what is behind it.
fn known<'a>(table: &Table, text: &'a str) -> Option<(&'static str, &'a str)> {
    let entries = table
        .iter()
        .flat_map(|(words, english)| words.split('|').map(move |word| (word, *english)));
    let (word, english) = entries
        .filter(|(word, _)| text.starts_with(word))
        .max_by_key(|(word, _)| word.len())?;
    Some((english, text.get(word.len()..)?))
}

/// A number with which a text begins: of a date, a time of the day, or of whatever is behind it.
fn counted(text: &str) -> Option<(String, &str)> {
    let (number, rest) = number(text)?;
    if let Some(rest) = rest.strip_prefix('月')
        && let Some((day, behind)) = self::number(rest)
        && let Some(behind) = behind.strip_prefix(['日', '号'])
    {
        let month = usize::try_from(number).ok()?.checked_sub(1)?;
        return Some((format!("{day} {}", MONTHS.get(month)?), behind));
    }
    if let Some(behind) = rest.strip_prefix(':') {
        let (minutes, behind) = self::number(behind)?;
        return Some((format!("at {number}:{minutes:02}"), behind));
    }
    let is_hours = rest.starts_with("時間");
    let Some(behind) = rest.strip_prefix(['点', '時', '时']).filter(|_| !is_hours) else {
        return Some((number.to_string(), rest));
    };
    let behind = behind.strip_prefix(['钟', '整']).unwrap_or(behind);
    if let Some(behind) = behind.strip_prefix('半') {
        return Some((format!("at {number}:30"), behind));
    }
    match self::number(behind) {
        Some((minutes, behind)) => {
            let behind = behind.strip_prefix('分').unwrap_or(behind);
            Some((format!("at {number}:{minutes:02}"), behind))
        }
        None => Some((format!("at {number}:00"), behind)),
    }
}

/// A number in digits or words up to 99.
fn number(text: &str) -> Option<(i64, &str)> {
    let is_digit = |c: char| c.is_ascii_digit();
    if text.starts_with(is_digit) {
        let end = text.find(|c: char| !is_digit(c)).unwrap_or(text.len());
        let (digits, rest) = text.split_at_checked(end)?;
        return Some((digits.parse().ok()?, rest));
    }
    let (mut sum, mut end) = (None, 0);
    for c in text.chars() {
        let Some((_, digit)) = DIGITS.iter().find(|(known, _)| *known == c) else {
            break;
        };
        sum = Some(match (sum, *digit) {
            (None, digit) => digit,
            (Some(tens @ 1..=9), 10) => tens * 10,
            (Some(tens), digit) if tens % 10 == 0 && digit < 10 => tens + digit,
            _ => return None,
        });
        end += c.len_utf8();
    }
    Some((sum?, text.get(end..)?))
}

const CHINESE: &Table = &[
    ("每天|每日", "every day"),
    ("每天早上|每天上午", "every morning"),
    ("每天晚上|每晚", "every evening"),
    ("每个工作日|工作日", "weekdays"),
    ("每个周末|每周末", "weekends"),
    ("每周", "weekly"),
    ("每月|每个月", "monthly"),
    ("每年", "yearly"),
    ("每小时", "hourly"),
    ("每|每隔", "every"),
    ("每周一|每星期一|每个星期一", "every monday"),
    ("每周二|每星期二|每个星期二", "every tuesday"),
    ("每周三|每星期三|每个星期三", "every wednesday"),
    ("每周四|每星期四|每个星期四", "every thursday"),
    ("每周五|每星期五|每个星期五", "every friday"),
    ("每周六|每星期六|每个星期六", "every saturday"),
    ("每周日|每周天|每星期日|每星期天|每个星期日|每个星期天", "every sunday"),
    ("周一|星期一|礼拜一", "monday"),
    ("周二|星期二|礼拜二", "tuesday"),
    ("周三|星期三|礼拜三", "wednesday"),
    ("周四|星期四|礼拜四", "thursday"),
    ("周五|星期五|礼拜五", "friday"),
    ("周六|星期六|礼拜六", "saturday"),
    ("周日|周天|星期日|星期天|礼拜天", "sunday"),
    ("下周|下星期|下个星期", "next week"),
    ("下周一|下星期一", "next week monday"),
    ("下周二|下星期二", "next week tuesday"),
    ("下周三|下星期三", "next week wednesday"),
    ("下周四|下星期四", "next week thursday"),
    ("下周五|下星期五", "next week friday"),
    ("下周六|下星期六", "next week saturday"),
    ("下周日|下星期日", "next week sunday"),
    ("下个月|下月", "next month"),
    ("明年", "next year"),
    ("今天", "today"),
    ("明天", "tomorrow"),
    ("后天", "day after tomorrow"),
    ("今晚", "tonight"),
    ("明早", "tomorrow morning"),
    ("明晚", "tomorrow evening"),
    ("早上|上午|早晨", "morning"),
    ("下午", "afternoon"),
    ("晚上", "evening"),
    ("中午", "noon"),
    ("午夜|半夜", "midnight"),
    ("半小时|半个小时", "half an hour"),
    ("一刻钟", "a quarter of an hour"),
    ("个半", "~half"),
    ("秒|秒钟", "seconds"),
    ("分|分钟", "minutes"),
    ("小时|个小时|个钟头", "hours"),
    ("天", "days"),
    ("周|个星期|星期", "weeks"),
    ("个月", "months"),
    ("年", "years"),
    ("后|之后|以后", "later"),
    ("在|的|于", ""),
    ("和|与", "and"),
    ("从|从现在起", "from"),
];

const JAPANESE: &Table = &[
    ("毎日", "every day"),
    ("毎朝", "every morning"),
    ("毎晩", "every evening"),
    ("平日|平日は", "weekdays"),
    ("週末", "weekends"),
    ("毎週", "weekly"),
    ("毎月", "monthly"),
    ("毎年", "yearly"),
    ("毎時", "hourly"),
    ("毎週月曜日|毎週月曜", "every monday"),
    ("毎週火曜日|毎週火曜", "every tuesday"),
    ("毎週水曜日|毎週水曜", "every wednesday"),
    ("毎週木曜日|毎週木曜", "every thursday"),
    ("毎週金曜日|毎週金曜", "every friday"),
    ("毎週土曜日|毎週土曜", "every saturday"),
    ("毎週日曜日|毎週日曜", "every sunday"),
    ("月曜日|月曜", "monday"),
    ("火曜日|火曜", "tuesday"),
    ("水曜日|水曜", "wednesday"),
    ("木曜日|木曜", "thursday"),
    ("金曜日|金曜", "friday"),
    ("土曜日|土曜", "saturday"),
    ("日曜日|日曜", "sunday"),
    ("来週", "next week"),
    ("来月", "next month"),
    ("来年", "next year"),
    ("今日|本日", "today"),
    ("明日|あした", "tomorrow"),
    ("明後日|あさって", "day after tomorrow"),
    ("今夜|今晩", "tonight"),
    ("明朝", "tomorrow morning"),
    ("朝|午前", "morning"),
    ("午後", "afternoon"),
    ("夜|晩|夕方", "evening"),
    ("正午", "noon"),
    ("真夜中", "midnight"),
    ("半", "~half"),
    ("秒|秒間", "seconds"),
    ("分|分間", "minutes"),
    ("時間", "hours"),
    ("日|日間", "days"),
    ("週|週間", "weeks"),
    ("か月|ヶ月|カ月|ヵ月", "months"),
    ("年|年間", "years"),
    ("後", "later"),
    ("ごと|ごとに|毎に", "~every"),
    ("に|の|は|で", ""),
    ("と", "and"),
    ("から", "from"),
];
