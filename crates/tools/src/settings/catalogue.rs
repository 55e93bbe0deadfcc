//! The settings that people may see and change: their names, their scopes and their values.
//!
//! Other values besides them are the bot's own: they have no name here, and so are neither shown nor written.

use clifford_core::{clock::Timestamp, id::UserId, search::near};
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

mod kind;

pub use self::kind::{Kind, switch, switched};
pub use super::scope::Scope;

/// A setting that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingSpec {
    /// Its name.
    pub name: &'static str,
    /// Where it may be set.
    pub scopes: &'static [&'static str],
    /// Its type.
    pub kind: Kind,
    /// Its effect.
    pub description: &'static str,
    /// In a chat it is set for the channel, not for all of its server, unless somebody says otherwise.
    pub is_of_channel: bool,
}

const PLACES: &[&str] = &["bot", "space", "channel"];
const SHARED: &[&str] = &["space", "channel"];
const SPACES: &[&str] = &["space"];
const PEOPLE: &[&str] = &["user"];
const BOTH: &[&str] = &["bot", "space", "channel", "user"];

const fn setting(
    name: &'static str,
    scopes: &'static [&'static str],
    kind: Kind,
    description: &'static str,
) -> SettingSpec {
    SettingSpec {
        name,
        scopes,
        kind,
        description,
        is_of_channel: false,
    }
}

/// Every setting. The code that works by one reads it by its name: `places/place_settings.rs`,
/// `places/settings.rs` and `places/agents.rs` of the store.
pub const CATALOGUE: [SettingSpec; 19] = [
    setting(
        "when_busy",
        PLACES,
        Kind::Word(&["follow_up", "steer", "interrupt"]),
        "What happens to a message that arrives while another is being answered: `follow_up` \
            answers it afterwards, `steer` lets that answer take it in, `interrupt` answers it instead.",
    ),
    setting(
        "memory",
        BOTH,
        Kind::Switch,
        "Whether items are written and shown to the model. A person's holds wherever they write.",
    ),
    setting(
        "cross_channel",
        PLACES,
        Kind::Switch,
        "Whether a private conversation shows the model what its person last said elsewhere.",
    ),
    setting(
        "voice_replies",
        BOTH,
        Kind::Word(&["never", "when_spoken_to", "always"]),
        "Whether answers are sent as voice messages too. A person's holds in their private chats.",
    ),
    setting(
        "language",
        &["space", "channel", "user"],
        Kind::Language,
        "The language of answers, or of a person.",
    ),
    setting("time_zone", PEOPLE, Kind::TimeZone, "The person's time zone."),
    setting("agent", SHARED, Kind::Name, "The agent that answers."),
    setting(
        "model",
        BOTH,
        Kind::Name,
        "The model that answers, of those that may be chosen. A person's holds in their private chats.",
    ),
    setting(
        "mode",
        SHARED,
        Kind::Word(&["run", "chat"]),
        "How messages are answered: with tools, or by one model call without any.",
    ),
    setting(
        "persona",
        SHARED,
        Kind::Text(600),
        "A text that is added to the prompt: how the bot is to be here.",
    ),
    SettingSpec {
        is_of_channel: true,
        ..setting(
            "speaks",
            SHARED,
            Kind::Word(&["addressed", "always", "never"]),
            "Whether the bot answers where it is addressed, every message, or nothing.",
        )
    },
    setting(
        "use_roles",
        SHARED,
        Kind::List,
        "The roles of the platform that may use the bot. Without any: everybody.",
    ),
    setting(
        "approve_roles",
        SHARED,
        Kind::List,
        "The roles of the platform that may answer what others are asked, besides managers.",
    ),
    setting(
        "other_bots",
        SHARED,
        Kind::Switch,
        "Whether other bots are answered that mention this one or reply to it: three times in a row at the most.",
    ),
    setting(
        "budget",
        SPACES,
        Kind::Budget,
        "The most money for everybody here together, besides the owner's budgets.",
    ),
    setting(
        "member_budget",
        SPACES,
        Kind::Budget,
        "The most money for each person here, besides the owner's budgets.",
    ),
    SettingSpec {
        is_of_channel: true,
        ..setting(
            "threads",
            PLACES,
            Kind::Word(&["off", "auto"]),
            "Whether a question in a channel is answered in a new thread with a conversation of its own.",
        )
    },
    setting(
        "follow_threads",
        PLACES,
        Kind::Switch,
        "Whether everything is heard in a thread or topic where the bot was once addressed, until /close. Unset: as the \
         platform's section of bot.toml says.",
    ),
    SettingSpec {
        is_of_channel: true,
        ..setting(
            "ambient_messages",
            PLACES,
            Kind::Number(100),
            "How many of the newest messages that did not address the bot the model sees when somebody does. They are kept \
             in memory only. 0: none.",
        )
    },
];

/// The setting of a name, where it may be set.
///
/// # Errors
/// There is none, and which there are.
pub fn known(scope: Scope, name: &str) -> Result<&'static SettingSpec, String> {
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

/// The source of what no scope sets.
const CONFIGURATION: &str = "configuration";
/// The source of what a platform tells of a person.
const PLATFORM: &str = "platform";

/// The key of the configuration that names settings which only the owner changes.
const FIXES: &str = "ingress.fixed_settings";

/// The key of the configuration by which the owner fixed a setting in a scope. That of the whole bot is the owner's
/// anyway.
pub fn fixed_by(fixed: &[String], scope: Scope, name: &str) -> Option<&'static str> {
    (scope != Scope::Bot && fixed.iter().any(|fixed| fixed == name)).then_some(FIXES)
}

/// A setting as it stands in a scope.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Setting)]
pub struct SettingView {
    /// `bot`, `space:ID`, `channel:ID` or `user:ID`.
    pub scope: String,
    /// Its name.
    pub name: &'static str,
    /// The value set here; `null`: nothing.
    #[schema(value_type = Option<Object>)]
    pub value: Option<Json>,
    /// The value inherited if nothing is set here: the space's, the bot's or the configuration's, or a person's
    /// language as their platform tells it; `null`: there is none.
    #[schema(value_type = Option<Object>)]
    pub inherited: Option<Json>,
    /// The source of that value: `configuration`, `platform`, or the scope in which it is set.
    pub inherited_from: Option<String>,
    /// The only values that it takes; empty: others than a few.
    pub values: &'static [&'static str],
    /// The key of the configuration by which its owner fixed it: nobody else changes it; `null`: it is not fixed.
    pub fixed_by: Option<&'static str>,
    /// Its meaning, in a sentence.
    pub description: &'static str,
}

/// Every setting that a scope may have, with what is set there. `defaults` is what the configuration says.
///
/// # Errors
/// [`StoreError::NotFound`]: there is no such space, channel or person.
pub async fn list(conn: &mut Conn, scope: Scope, defaults: PlaceSettings) -> Result<Vec<SettingView>, StoreError> {
    let around = there(conn, scope).await?;
    let mut inherited = vec![(CONFIGURATION.to_owned(), configured(defaults))];
    let own = match scope {
        Scope::User(id) => of_person(conn, id).await?,
        _ => settings::of_scope(conn, &scope.stored()).await?,
    };
    match scope {
        Scope::Bot => {}
        Scope::Space(_) | Scope::Channel(_) => {
            for scope in [Scope::Bot].into_iter().chain(around) {
                inherited.push((scope.to_string(), settings::of_scope(conn, &scope.stored()).await?));
            }
        }
        Scope::Agent(_) => inherited.clear(),
        Scope::User(id) => {
            // One that was chosen took the place of what the platform tells.
            let told = users::get(conn, id).await?.filter(|user| !user.language_set);
            let told = told.and_then(|user| user.language);
            let told = told.map(|told| Setting::new("language", &told));
            inherited = vec![(PLATFORM.to_owned(), told.into_iter().collect())];
        }
    }
    let last = |rows: &[Setting], known: &SettingSpec| {
        let row = rows.iter().rev().find(|row| row.name == known.name)?;
        // A value that cannot be read any more is left out.
        let value = known.kind.checked(&row.value).ok()?;
        Some(known.kind.shown(value))
    };
    let here = CATALOGUE.iter().filter(|known| known.scopes.contains(&scope.kind()));
    Ok(here
        .map(|known| {
            let mut nearest = inherited.iter().rev();
            let from = nearest.find_map(|(from, rows)| Some((from.clone(), last(rows, known)?)));
            let (inherited_from, inherited) = from.unzip();
            SettingView {
                scope: scope.to_string(),
                name: known.name,
                value: last(&own, known),
                inherited,
                inherited_from,
                values: known.kind.values(),
                fixed_by: None,
                description: known.description,
            }
        })
        .collect())
}

/// The settings that the configuration says.
fn configured(defaults: PlaceSettings) -> Vec<Setting> {
    vec![
        Setting::new("when_busy", defaults.when_busy.as_str()),
        Setting::new("memory", &defaults.memory.to_string()),
        Setting::new("cross_channel", &defaults.cross_channel.to_string()),
        Setting::new("voice_replies", defaults.voice_replies.as_str()),
        Setting::new("threads", defaults.threads.as_str()),
        Setting::new("ambient_messages", &defaults.ambient_messages.to_string()),
    ]
}

/// Whether a value names something that is there. `names`: those of the agents, or of the models that may be chosen;
/// settings that take other values take any.
///
/// # Errors
/// There is none of this name, and which comes near.
pub fn named(known: &SettingSpec, value: &str, names: &[String]) -> Result<(), String> {
    if known.kind != Kind::Name || names.iter().any(|name| name == value) {
        return Ok(());
    }
    let near = names.iter().min_by_key(|name| near::slips(name, value));
    Err(match near.filter(|name| near::slips(name, value) <= 2) {
        Some(near) => format!("there is no {} `{value}`; did you mean `{near}`?", known.name),
        None if names.is_empty() && known.name == "model" => {
            "no model can be chosen: llm.choices of bot.toml is empty".to_owned()
        }
        None if names.is_empty() => format!("there is no {} yet", known.name),
        None => format!("there is no {} `{value}`; there are {}", known.name, names.join(", ")),
    })
}

/// The names of the agents that a place can be given.
///
/// # Errors
/// The store's.
pub async fn agent_names(conn: &mut Conn) -> Result<Vec<String>, StoreError> {
    let agents = agents::list(conn).await?.into_iter().filter(|agent| agent.enabled);
    Ok(agents.map(|agent| agent.name).collect())
}

/// Sets a setting that is [known] to a [checked](Kind::checked) value.
///
/// # Errors
/// As [`list`].
pub async fn set(
    tx: &mut Tx,
    scope: Scope,
    known: &SettingSpec,
    value: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    there(tx, scope).await?;
    if let (Scope::User(id), Some(change)) = (scope, of_person_to(known, Some(value))) {
        users::change(tx, id, &change, now).await?;
        return Ok(());
    }
    settings::put(tx, &scope.stored(), known.name, value, now).await
}

/// Removes a setting; the inherited value applies again. `false`: it was not set.
///
/// # Errors
/// As [`list`].
pub async fn unset(tx: &mut Tx, scope: Scope, known: &SettingSpec, now: Timestamp) -> Result<bool, StoreError> {
    there(tx, scope).await?;
    if let (Scope::User(id), Some(change)) = (scope, of_person_to(known, None)) {
        let was = of_person(tx, id).await?;
        users::change(tx, id, &change, now).await?;
        return Ok(was.iter().any(|row| row.name == known.name));
    }
    settings::unset(tx, &scope.stored(), known.name).await
}

/// A setting that is [known] with its new [checked](Kind::checked) value; `None`: the inherited one applies again.
pub type Change = (&'static SettingSpec, Option<String>);

/// Makes all of these changes.
///
/// # Errors
/// As [`list`].
pub async fn apply(tx: &mut Tx, scope: Scope, changes: &[Change], now: Timestamp) -> Result<(), StoreError> {
    there(tx, scope).await?;
    for (known, value) in changes {
        match value {
            Some(value) => set(tx, scope, known, value, now).await?,
            None => drop(unset(tx, scope, known, now).await?),
        }
    }
    Ok(())
}

/// Refuses a scope that is not there. The scopes around a channel, besides the bot: its space, and the channel that it
/// is a thread of.
pub(super) async fn there(conn: &mut Conn, scope: Scope) -> Result<Vec<Scope>, StoreError> {
    let found = match scope {
        Scope::Bot => true,
        Scope::Space(id) => settings::has_space(conn, id).await?,
        Scope::Channel(id) => match channels::get(conn, id).await? {
            Some(channel) => {
                let (space, parent) = (channel.space_id, channel.parent_id);
                let around = [space.map(Scope::Space), parent.map(Scope::Channel)];
                return Ok(around.into_iter().flatten().collect());
            }
            None => false,
        },
        Scope::Agent(id) => agents::get(conn, id).await?.is_some(),
        Scope::User(id) => users::get(conn, id).await?.is_some(),
    };
    if found {
        return Ok(Vec::new());
    }
    Err(StoreError::NotFound(format!("{} {}", scope.kind(), scope.stored())))
}

/// The settings in a person's own row, and those next to it.
async fn of_person(conn: &mut Conn, id: UserId) -> Result<Vec<Setting>, StoreError> {
    let user = users::get(conn, id).await?;
    let (language, time_zone) = user.map_or((None, None), |user| {
        (user.language.filter(|_| user.language_set), user.time_zone)
    });
    let rows = [("language", language), ("time_zone", time_zone)];
    let rows = rows
        .into_iter()
        .filter_map(|(name, value)| Some(Setting::new(name, &value?)));
    let beside = settings::of_scope(conn, &Scope::User(id).stored()).await?;
    Ok(rows.chain(beside).collect())
}

/// The settings of a scope itself.
///
/// # Errors
/// As [`list`].
pub async fn own(conn: &mut Conn, scope: Scope, known: &SettingSpec) -> Result<Option<String>, StoreError> {
    let rows = match scope {
        Scope::User(id) => of_person(conn, id).await?,
        _ => settings::of_scope(conn, &scope.stored()).await?,
    };
    Ok(rows.into_iter().find(|row| row.name == known.name).map(|row| row.value))
}

/// The change of a person's own row; `None`: the setting stands next to it.
fn of_person_to(known: &SettingSpec, value: Option<&str>) -> Option<users::Change> {
    let value = Some(value.map(str::to_owned));
    match known.kind {
        Kind::Language => Some(users::Change {
            language: value,
            ..users::Change::default()
        }),
        Kind::TimeZone => Some(users::Change {
            time_zone: value,
            ..users::Change::default()
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
