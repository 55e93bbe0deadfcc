//! The completions of the argument of `/settings`: a setting, then its values.

use clifford_chat::completion::Choice;
use clifford_store::{Conn, StoreError};
use clifford_text::{Lang, Setting};
use clifford_tools::settings::catalogue::{CATALOGUE, Kind, SettingSpec, switch};

use super::{
    Choices, RESET, agent_names, is_in, split,
    view::{BUDGETS, about},
};
use crate::commands::fitting::narrowed;

/// Languages that are offered, each with its own name.
const LANGUAGES: [(&str, &str); 20] = [
    ("ar", "العربية"),
    ("cs", "Čeština"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("en", "English"),
    ("es", "Español"),
    ("fi", "Suomi"),
    ("fr", "Français"),
    ("hi", "हिन्दी"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("nl", "Nederlands"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("ru", "Русский"),
    ("sv", "Svenska"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("zh", "中文"),
];
/// Numbers that are offered.
const NUMBERS: [u32; 6] = [0, 5, 10, 20, 50, 100];

/// The choices for what is typed, in private or for those who manage a shared place.
pub(in crate::commands) async fn choices(
    conn: &mut Conn,
    typed: &str,
    private: bool,
    offered: &Choices,
    lang: Lang,
) -> Result<Vec<Choice>, StoreError> {
    let typed = typed.trim_start();
    let (first, _) = split(typed);
    let reach = match first {
        "here" | "everywhere" if !private && typed.len() > first.len() => format!("{first} "),
        _ => String::new(),
    };
    let typed = match reach.is_empty() {
        true => typed,
        false => typed.get(first.len()..).unwrap_or_default().trim_start(),
    };
    let (name, value) = split(typed);
    let is_named = typed.len() > name.len();
    if is_named && name == "tools" && !private {
        return Ok(tools(&reach, value, offered));
    }
    let known = CATALOGUE
        .iter()
        .filter(|known| is_in(private, known) && !offered.fixes(known.name));
    match known.clone().find(|known| is_named && known.name == name) {
        Some(known) => {
            let values = values(conn, known, offered, lang).await?;
            let reset = (RESET.to_owned(), lang.say(Setting::AboutReset));
            let all = values.into_iter().chain([reset]);
            let all =
                all.map(|(value, about)| (format!("{value} {about}"), choice(&reach, known.name, &value, &about)));
            Ok(narrowed(all.collect(), value))
        }
        None => Ok(names((&reach, typed), private, offered, known, lang)),
    }
}

/// The settings that there are, and the words next to them.
fn names<'a>(
    (reach, typed): (&str, &str),
    private: bool,
    offered: &Choices,
    known: impl Iterator<Item = &'a SettingSpec>,
    lang: Lang,
) -> Vec<Choice> {
    let mut all: Vec<_> = known.map(|known| (known.name, about(known, lang))).collect();
    if !private && !offered.fixes("tools") {
        all.push(("tools", lang.say(Setting::AboutTools)));
    }
    if reach.is_empty() {
        all.push(("undo", lang.say(Setting::AboutUndo)));
    }
    let all = all.into_iter().map(|(name, about)| {
        let choice = Choice {
            label: lang.labelled(&format!("{reach}{name}"), &about),
            value: format!("{reach}{name}"),
        };
        (format!("{name}: {about}"), choice)
    });
    narrowed(all.collect(), typed)
}

/// A value with what stands behind it.
fn choice(reach: &str, name: &str, value: &str, about: &str) -> Choice {
    let whole = format!("{reach}{name} {value}");
    Choice {
        label: match about {
            "" => whole.clone(),
            about => format!("{whole} ({about})"),
        },
        value: whole,
    }
}

/// The values that a setting is offered with, and a word on each.
async fn values(
    conn: &mut Conn,
    known: &SettingSpec,
    offered: &Choices,
    lang: Lang,
) -> Result<Vec<(String, String)>, StoreError> {
    let plain = |values: Vec<String>| -> Vec<(String, String)> {
        values.into_iter().map(|value| (value, String::new())).collect()
    };
    let owned = |values: &[&str]| -> Vec<String> { values.iter().map(|value| (*value).to_owned()).collect() };
    Ok(match (known.name, known.kind) {
        ("agent", _) => plain(agent_names(conn).await?),
        ("model", _) => {
            let named = offered.models.iter().filter_map(|offer| {
                let name = offer.name.clone()?;
                Some((name, offer.model.model.clone()))
            });
            named.collect()
        }
        (_, Kind::Switch) => plain([true, false].map(|on| switch(on, lang)).to_vec()),
        (_, Kind::Language) => (LANGUAGES.iter())
            .map(|(tag, name)| ((*tag).to_owned(), (*name).to_owned()))
            .collect(),
        (_, Kind::TimeZone) => plain(jiff::tz::db().available().map(|zone| zone.to_string()).collect()),
        (_, Kind::Budget) => plain(owned(&BUDGETS)),
        (_, Kind::Number(most)) => {
            let numbers = NUMBERS.iter().filter(|number| **number <= most);
            plain(numbers.map(u32::to_string).collect())
        }
        (_, kind) => plain(owned(kind.values())),
    })
}

/// Each tool, turned off or on.
fn tools(reach: &str, typed: &str, offered: &Choices) -> Vec<Choice> {
    if offered.fixes("tools") {
        return Vec::new();
    }
    let all = offered.tools.iter().flat_map(|tool| {
        ["off", "on"].map(|word| {
            let value = format!("{tool} {word}");
            (value.clone(), choice(reach, "tools", &value, ""))
        })
    });
    narrowed(all.collect(), typed)
}
