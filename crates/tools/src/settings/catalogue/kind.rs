//! The types of settings: the values that each takes, and why it does not take another.

use clifford_core::settings::BudgetScope;
use clifford_store::places::{place_settings, settings};
use clifford_text::{Lang, Setting as Fault};
use serde_json::Value as Json;

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    Word(&'static [&'static str]),
    /// On or off, in words of any language; `true` and `false` are the same.
    Switch,
    /// A language as a BCP 47 tag, or by its name in English or in itself, which stands for its tag.
    Language,
    /// A time zone by its IANA name.
    TimeZone,
    /// The name of something that the configuration has: an agent, a model that may be chosen.
    Name,
    /// A text of at most so many characters.
    Text(usize),
    /// Names with commas between them.
    List,
    /// An amount of money for a day or a month, such as `5/month`.
    Budget,
    /// A whole number up to this one.
    Number(u32),
}

impl Kind {
    /// A value as it is stored.
    ///
    /// # Errors
    /// Fails with the values that are taken instead.
    pub fn checked(self, text: &str) -> Result<String, String> {
        self.read(text, Lang::English)
            .map_err(|fault| Lang::English.say(fault).trim_end_matches('.').to_owned())
    }

    /// The same for a person in a chat, who reads this language.
    ///
    /// # Errors
    /// As [`checked`](Self::checked), as a sentence.
    pub fn read(self, text: &str, lang: Lang) -> Result<String, Fault> {
        let one_of = |words: &[&str]| {
            let known = words.contains(&text).then(|| text.to_owned());
            known.ok_or_else(|| Fault::NoneOf {
                value: text.to_owned(),
                words: words.join(", "),
            })
        };
        let value = || text.to_owned();
        match self {
            Self::Word(words) => one_of(words),
            Self::Switch => switched(text).map(|on| on.to_string()).ok_or_else(|| Fault::NoneOf {
                value: text.to_owned(),
                words: [true, false].map(|on| switch(on, lang)).join(", "),
            }),
            Self::Number(most) => match text.parse::<u32>() {
                Ok(number) if number <= most => Ok(number.to_string()),
                _ => Err(Fault::NoNumber {
                    value: value(),
                    most: most.to_string(),
                }),
            },
            Self::Language => language(text).ok_or_else(|| Fault::NoLanguage { value: value() }),
            Self::TimeZone => jiff::tz::TimeZone::get(text)
                .ok()
                .and_then(|zone| zone.iana_name().map(str::to_owned))
                .ok_or_else(|| Fault::NoTimeZone { value: value() }),
            Self::Name if is_name(text) => Ok(value()),
            Self::Name => Err(Fault::NoName { value: value() }),
            Self::Text(most) => {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                match words.chars().count() {
                    0 => Err(Fault::NoText),
                    length if length > most => Err(Fault::TextTooLong {
                        value: head(&words),
                        most: most.to_string(),
                    }),
                    _ => Ok(words),
                }
            }
            Self::List => {
                let entries = settings::list_entries(text);
                let fits = (1..=20).contains(&entries.len()) && entries.iter().all(|entry| is_name(entry));
                let joined = entries.join(", ");
                fits.then_some(joined)
                    .ok_or_else(|| Fault::NoList { value: head(text) })
            }
            Self::Budget => {
                let (amount, period) = text
                    .split_once('/')
                    .map_or((text, "month"), |(amount, period)| (amount, period));
                let value = format!("{}/{}", amount.trim(), period.trim());
                (place_settings::budget_of(&value, BudgetScope::Space).is_some())
                    .then_some(value)
                    .ok_or_else(|| Fault::NoBudget { value: head(text) })
            }
        }
    }

    /// A value as JSON.
    pub(super) fn shown(self, text: String) -> Json {
        match (self, text.parse()) {
            (Self::Switch, Ok(on)) => Json::Bool(on),
            _ => match (self, text.parse::<u32>()) {
                (Self::Number(_), Ok(number)) => Json::from(number),
                _ => Json::String(text),
            },
        }
    }

    /// The only values that it takes, if they are few, as they are stored.
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Self::Word(words) => words,
            Self::Switch => &["true", "false"],
            _ => &[],
        }
    }
}

/// The word for a switch that is on or off.
pub fn switch(on: bool, lang: Lang) -> String {
    lang.say(if on { Fault::On } else { Fault::Off })
}

/// Whether a word turns something on (`true`) or off. Each language's words are taken from everybody: a person may read
/// another language here than the one that they write.
pub fn switched(text: &str) -> Option<bool> {
    let said = text.trim().trim_end_matches('.').to_lowercase();
    let is_word = |on: bool| {
        said == on.to_string()
            || said == if on { "on" } else { "off" }
            || (Lang::ALL.iter()).any(|lang| switch(on, *lang).trim_end_matches('.').to_lowercase() == said)
    };
    [true, false].into_iter().find(|on| is_word(*on))
}

fn is_name(text: &str) -> bool {
    (1..=100).contains(&text.chars().count()) && text.trim() == text && !text.chars().any(char::is_control)
}

/// The beginning of a text, to be repeated.
fn head(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Languages by their names, in lower case: in English, and as those who speak them write them.
const NAMES: [(&str, &[&str]); 26] = [
    ("en", &["english"]),
    ("de", &["german", "deutsch"]),
    ("es", &["spanish", "español", "espanol", "castellano"]),
    ("fr", &["french", "français", "francais"]),
    ("pt", &["portuguese", "português", "portugues"]),
    ("ru", &["russian", "русский"]),
    ("zh", &["chinese", "中文", "汉语", "漢語", "简体中文"]),
    ("ja", &["japanese", "日本語"]),
    ("ar", &["arabic", "العربية"]),
    ("bg", &["bulgarian", "български"]),
    ("cs", &["czech", "čeština", "česky"]),
    ("da", &["danish", "dansk"]),
    ("el", &["greek", "ελληνικά"]),
    ("fi", &["finnish", "suomi"]),
    ("he", &["hebrew", "עברית"]),
    ("hi", &["hindi", "हिन्दी", "हिंदी"]),
    ("hu", &["hungarian", "magyar"]),
    ("it", &["italian", "italiano"]),
    ("ko", &["korean", "한국어"]),
    ("nl", &["dutch", "nederlands"]),
    ("nb", &["norwegian", "norsk"]),
    ("pl", &["polish", "polski"]),
    ("ro", &["romanian", "română", "romana"]),
    ("sv", &["swedish", "svenska"]),
    ("tr", &["turkish", "türkçe", "turkce"]),
    ("uk", &["ukrainian", "українська"]),
];

/// The tag of a language, which is written as one or by its name.
fn language(text: &str) -> Option<String> {
    let said = text.trim().to_lowercase();
    let by_name = NAMES.iter().find(|(_, names)| names.contains(&said.as_str()));
    let tag = by_name.map_or(text, |(tag, _)| tag);
    is_language(tag).then(|| tag.to_owned())
}

/// The form of a BCP 47 tag. No language has a longer code than three letters: what is longer is a name, such as `German`.
fn is_language(text: &str) -> bool {
    let mut subtags = text.split('-');
    let first = subtags.next().unwrap_or_default();
    let alphanumeric = |tag: &str| (1..=8).contains(&tag.len()) && tag.chars().all(|c| c.is_ascii_alphanumeric());
    (2..=3).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && subtags.all(alphanumeric)
        && text.len() <= 35
}
