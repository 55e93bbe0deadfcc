//! The settings that people may see and change: their names, where they may be set, and what they take.
//!
//! Other values beside them are the bot's own: they have no name here, and so are neither shown nor written.

use clifford_core::{
    clock::Timestamp,
    id::{SpaceId, UserId},
    search::near,
};
use clifford_store::{
    Conn, StoreError, Tx,
    people::users,
    places::{
        agents, channels,
        place_settings::PlaceSettings,
        settings::{self, Setting},
    },
};
use serde::Serialize;
use serde_json::Value as Json;

pub use super::scope::Scope;

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// A language as a BCP 47 tag.
    Language,
    /// A time zone by its IANA name.
    TimeZone,
}

/// A setting that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Where it may be set.
    pub scopes: &'static [&'static str],
    /// Its type.
    pub kind: Kind,
    /// Its effect.
    pub description: &'static str,
}

const PLACES: &[&str] = &["bot", "space", "channel"];
const PEOPLE: &[&str] = &["user"];

/// Every setting.
pub const CATALOGUE: [Known; 5] = [
    Known {
        name: "when_busy",
        scopes: PLACES,
        kind: Kind::Word(&["follow_up", "steer", "interrupt"]),
        description: "What becomes of a message that arrives while another is being answered.",
    },
    Known {
        name: "memory",
        scopes: PLACES,
        kind: Kind::Switch,
        description: "Whether items are written and shown to the model.",
    },
    Known {
        name: "cross_channel",
        scopes: PLACES,
        kind: Kind::Switch,
        description: "Whether a private conversation shows the model what its person last said elsewhere.",
    },
    Known {
        name: "language",
        scopes: PEOPLE,
        kind: Kind::Language,
        description: "The person's language.",
    },
    Known {
        name: "time_zone",
        scopes: PEOPLE,
        kind: Kind::TimeZone,
        description: "The person's time zone.",
    },
];

/// The setting of a name, where it may be set.
///
/// # Errors
/// There is none, and which there are.
pub fn known(scope: Scope, name: &str) -> Result<&'static Known, String> {
    let mut here = CATALOGUE.iter().filter(|known| known.scopes.contains(&scope.kind()));
    here.clone().find(|known| known.name == name).ok_or_else(|| {
        let near = here.clone().find(|known| near::slips(known.name, name) <= 2);
        let kind = scope.kind();
        match (CATALOGUE.iter().find(|known| known.name == name), near) {
            (Some(elsewhere), _) => {
                format!(
                    "setting `{name}` of a {kind}: it is set for {}",
                    elsewhere.scopes.join(", ")
                )
            }
            (None, Some(near)) => format!("setting `{name}`; did you mean `{}`?", near.name),
            (None, None) => {
                let names: Vec<_> = here.by_ref().map(|known| known.name).collect();
                match names.as_slice() {
                    [] => format!("setting `{name}`; for a {kind} there are those of tools alone"),
                    names => format!("setting `{name}`; for a {kind} there are {}", names.join(", ")),
                }
            }
        }
    })
}

impl Kind {
    /// A value as it is stored.
    ///
    /// # Errors
    /// Fails with the values that are taken instead.
    pub fn checked(self, text: &str) -> Result<String, String> {
        let one_of = |words: &[&str]| {
            let known = words.contains(&text).then(|| text.to_owned());
            known.ok_or_else(|| format!("`{text}` is none of {}", words.join(", ")))
        };
        match self {
            Self::Word(words) => one_of(words),
            Self::Switch => one_of(&["true", "false"]),
            Self::Language if is_language(text) => Ok(text.to_owned()),
            Self::Language => Err(format!("`{text}` is no language tag such as en or pt-BR")),
            Self::TimeZone => jiff::tz::TimeZone::get(text)
                .ok()
                .and_then(|zone| zone.iana_name().map(str::to_owned))
                .ok_or_else(|| format!("`{text}` is no time zone such as Europe/Berlin")),
        }
    }

    /// A value as JSON.
    fn shown(self, text: String) -> Json {
        match (self, text.parse()) {
            (Self::Switch, Ok(on)) => Json::Bool(on),
            _ => Json::String(text),
        }
    }

    /// The only values that it takes, if they are few.
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Self::Word(words) => words,
            Self::Switch => &["true", "false"],
            Self::Language | Self::TimeZone => &[],
        }
    }
}

/// The form of a BCP 47 tag.
fn is_language(text: &str) -> bool {
    let mut subtags = text.split('-');
    let first = subtags.next().unwrap_or_default();
    let alphanumeric = |tag: &str| (1..=8).contains(&tag.len()) && tag.chars().all(|c| c.is_ascii_alphanumeric());
    (2..=8).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && subtags.all(alphanumeric)
        && text.len() <= 35
}

/// A setting as it stands in a scope.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Setting)]
pub struct Shown {
    /// `bot`, `space:ID`, `channel:ID` or `user:ID`.
    pub scope: String,
    /// Its name.
    pub name: &'static str,
    /// What is set here; `null`: nothing.
    #[schema(value_type = Option<Object>)]
    pub value: Option<Json>,
    /// What holds here if nothing is set: the space's, the bot's or the configuration's; `null`: nothing does.
    #[schema(value_type = Option<Object>)]
    pub inherited: Option<Json>,
    /// The only values that it takes; empty: others than a few.
    pub values: &'static [&'static str],
    /// What it does.
    pub description: &'static str,
}

/// Every setting that a scope may have, with what is set there. `defaults` is what the configuration says.
///
/// # Errors
/// The store's; [`StoreError::NotFound`]: there is no such space, channel or person.
pub async fn list(conn: &mut Conn, scope: Scope, defaults: PlaceSettings) -> Result<Vec<Shown>, StoreError> {
    let space = there(conn, scope).await?;
    let mut inherited = vec![
        Setting::new("when_busy", defaults.when_busy.as_str()),
        Setting::new("memory", &defaults.memory.to_string()),
        Setting::new("cross_channel", &defaults.cross_channel.to_string()),
    ];
    let own = match scope {
        Scope::User(id) => of_person(conn, id).await?,
        _ => settings::of_scope(conn, &scope.stored()).await?,
    };
    match scope {
        Scope::Bot => {}
        Scope::Space(_) => inherited.extend(settings::of_scope(conn, settings::BOT).await?),
        Scope::Channel(_) => {
            inherited.extend(settings::of_scope(conn, settings::BOT).await?);
            if let Some(space) = space {
                inherited.extend(settings::of_scope(conn, &Scope::Space(space).stored()).await?);
            }
        }
        Scope::Agent(_) | Scope::User(_) => inherited.clear(),
    }
    let last = |rows: &[Setting], known: &Known| {
        let row = rows.iter().rev().find(|row| row.name == known.name)?;
        // A value that cannot be read any more is left out.
        let value = known.kind.checked(&row.value).ok()?;
        Some(known.kind.shown(value))
    };
    let here = CATALOGUE.iter().filter(|known| known.scopes.contains(&scope.kind()));
    Ok(here
        .map(|known| Shown {
            scope: scope.to_string(),
            name: known.name,
            value: last(&own, known),
            inherited: last(&inherited, known),
            values: known.kind.values(),
            description: known.description,
        })
        .collect())
}

/// Sets a setting that is [known] to a [checked](Kind::checked) value.
///
/// # Errors
/// As [`list`].
pub async fn set(tx: &mut Tx, scope: Scope, known: &Known, value: &str, now: Timestamp) -> Result<(), StoreError> {
    there(tx, scope).await?;
    if let Scope::User(id) = scope {
        users::change(tx, id, &of_person_to(known, Some(value)), now).await?;
        return Ok(());
    }
    settings::put(tx, &scope.stored(), known.name, value, now).await
}

/// Takes a setting back: what it inherits holds again. `false`: it was not set.
///
/// # Errors
/// As [`list`].
pub async fn unset(tx: &mut Tx, scope: Scope, known: &Known, now: Timestamp) -> Result<bool, StoreError> {
    there(tx, scope).await?;
    if let Scope::User(id) = scope {
        let was = of_person(tx, id).await?;
        users::change(tx, id, &of_person_to(known, None), now).await?;
        return Ok(was.iter().any(|row| row.name == known.name));
    }
    settings::unset(tx, &scope.stored(), known.name).await
}

/// Refuses a scope that is not there; the space of a channel's.
pub(super) async fn there(conn: &mut Conn, scope: Scope) -> Result<Option<SpaceId>, StoreError> {
    let found = match scope {
        Scope::Bot => true,
        Scope::Space(id) => settings::has_space(conn, id).await?,
        Scope::Channel(id) => match channels::get(conn, id).await? {
            Some(channel) => return Ok(channel.space_id),
            None => false,
        },
        Scope::Agent(id) => agents::get(conn, id).await?.is_some(),
        Scope::User(id) => users::get(conn, id).await?.is_some(),
    };
    if found {
        return Ok(None);
    }
    Err(StoreError::NotFound(format!("{} {}", scope.kind(), scope.stored())))
}

/// The settings in a person's own row.
async fn of_person(conn: &mut Conn, id: UserId) -> Result<Vec<Setting>, StoreError> {
    let user = users::get(conn, id).await?;
    let (language, time_zone) = user.map_or((None, None), |user| (user.language, user.time_zone));
    let rows = [("language", language), ("time_zone", time_zone)];
    Ok(rows
        .into_iter()
        .filter_map(|(name, value)| Some(Setting::new(name, &value?)))
        .collect())
}

fn of_person_to(known: &Known, value: Option<&str>) -> users::Change {
    let value = Some(value.map(str::to_owned));
    match known.kind {
        Kind::Language => users::Change {
            language: value,
            ..users::Change::default()
        },
        Kind::TimeZone => users::Change {
            time_zone: value,
            ..users::Change::default()
        },
        Kind::Word(_) | Kind::Switch => users::Change::default(),
    }
}

#[cfg(test)]
mod tests {
    use clifford_core::places::WhenBusy;

    use super::*;

    #[test]
    fn the_catalogue_takes_what_places_understand() {
        let words: Vec<_> = WhenBusy::ALL.iter().map(|word| word.as_str()).collect();
        assert_eq!(CATALOGUE[0].kind.values(), words);
    }

    #[test]
    fn a_name_is_known_where_it_may_be_set_and_nothing_of_the_bots_own_is() {
        let user = Scope::User(UserId::new());
        assert_eq!(known(Scope::Bot, "memory"), Ok(&CATALOGUE[1]));
        let cases = [
            (
                user,
                "memory",
                "setting `memory` of a user: it is set for bot, space, channel",
            ),
            (Scope::Bot, "whenbusy", "setting `whenbusy`; did you mean `when_busy`?"),
            (
                Scope::Bot,
                "last_ready_check",
                "setting `last_ready_check`; for a bot there are when_busy, memory, cross_channel",
            ),
        ];
        for (scope, name, expected) in cases {
            assert_eq!(known(scope, name), Err(expected.to_owned()));
        }
    }

    #[test]
    fn values_are_checked_by_kind() {
        let good = [
            (Kind::Switch, "true", "true"),
            (Kind::Word(&["a"]), "a", "a"),
            (Kind::Language, "pt-BR", "pt-BR"),
            (Kind::Language, "zh-Hant-TW", "zh-Hant-TW"),
            (Kind::TimeZone, "Europe/Berlin", "Europe/Berlin"),
            (Kind::TimeZone, "europe/berlin", "Europe/Berlin"),
            (Kind::TimeZone, "UTC", "UTC"),
        ];
        for (kind, text, stored) in good {
            assert_eq!(kind.checked(text), Ok(stored.to_owned()));
        }
        let bad = [
            (Kind::Switch, "yes"),
            (Kind::Switch, "TRUE"),
            (Kind::Word(&["a"]), "b"),
            (Kind::Language, ""),
            (Kind::Language, "e"),
            (Kind::Language, "en_US"),
            (Kind::Language, "en-"),
            (Kind::Language, "english please"),
            (Kind::TimeZone, "Berlin"),
            (Kind::TimeZone, ""),
        ];
        for (kind, text) in bad {
            assert!(
                kind.checked(text)
                    .is_err_and(|why| why.starts_with(&format!("`{text}` is no"))),
                "{text}"
            );
        }
    }
}
