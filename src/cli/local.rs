//! The person at this machine, and what the environment tells of them.

use clifford_chat::{inbound::Speaker, platform::Platform};
use clifford_core::{
    clock::Timestamp,
    people::{User, UserRole},
};
use clifford_store::{
    Db, StoreError,
    people::users::{self, Change},
};

/// The name of the person at this machine: `chat` and `ask` share the memory of them.
pub(super) const SPEAKER: &str = "you";
/// The variables that name a language, the one that counts first.
const LANGUAGES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// Their language, as a tag: `de`.
pub(super) fn language() -> Option<String> {
    let named = LANGUAGES.iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.is_empty()).then_some(value)
    })?;
    tag(&named)
}

/// `de_DE.UTF-8` is `de`. A locale of computers has no language.
fn tag(locale: &str) -> Option<String> {
    let language = locale.split(['_', '.', '@', '-']).next()?;
    let is_language = (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    is_language.then(|| language.to_owned())
}

/// Their time zone by `TZ`, else by the machine's. A machine in UTC may be anywhere.
fn time_zone() -> Option<String> {
    let zone = jiff::tz::TimeZone::try_system().ok()?;
    let name = zone.iana_name()?;
    let is_chosen = std::env::var_os("TZ").is_some_and(|value| !value.is_empty());
    let is_somewhere = is_chosen || !matches!(name, "UTC" | "Etc/UTC" | "Etc/Unknown");
    is_somewhere.then(|| name.to_owned())
}

/// Finds or makes the person. The environment tells what they have not set themselves.
///
/// # Errors
/// The database does not answer.
pub(super) async fn meet(db: &Db, now: Timestamp) -> Result<User, StoreError> {
    let speaker = Speaker {
        id: SPEAKER.to_owned(),
        name: SPEAKER.to_owned(),
        handle: None,
        is_bot: false,
        language: language(),
        roles: None,
    };
    let zone = time_zone();
    db.write(move |tx| {
        Box::pin(async move {
            let user = users::find_or_create(tx, Platform::TERMINAL, &speaker, UserRole::Member, now).await?;
            let user = users::learn_language(tx, user, speaker.language.as_deref(), now).await?;
            let change = Change {
                time_zone: zone.filter(|_| user.time_zone.is_none()).map(Some),
                ..Change::default()
            };
            if change == Change::default() {
                return Ok(user);
            }
            users::change(tx, user.id, &change, now).await
        })
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn a_locale_names_a_language_unless_it_is_one_of_computers() {
        let cases = [
            ("de_DE.UTF-8", Some("de")),
            ("en_US", Some("en")),
            ("fil_PH@x", Some("fil")),
            ("pt-BR", Some("pt")),
            ("C", None),
            ("C.UTF-8", None),
            ("POSIX", None),
            ("", None),
        ];
        for (locale, expected) in cases {
            assert_eq!(tag(locale).as_deref(), expected, "{locale}");
        }
    }
}
