//! `/settings`: managers see and change the settings of a group or server, everybody their own in private. The catalogue
//! (`clifford_tools::settings::catalogue`) knows what can be set; each change is kept with the person who made it, told
//! in the place, and taken back by `/settings undo`.

mod complete;
mod tools;
mod view;

use clifford_core::{clock::Timestamp, people::User, places::Channel};
use clifford_engine::models::roles::Offer;
use clifford_markup::inline::inline;
use clifford_store::{
    StoreError, Tx,
    people::{reading, users},
    places::{
        setting_changes::{self, NewChange, SettingChange},
        settings,
    },
};
use clifford_text::{Lang, Setting};
use clifford_tools::settings::catalogue::{self, CATALOGUE, Scope, SettingSpec, agent_names};

pub(super) use self::complete::choices;
use super::{CommandContext, Done, items::code};

/// The word that removes what is set.
const RESET: &str = "reset";
/// The setting by which an answer is read.
const LANGUAGE: &str = "language";
/// The settings of places that a person has in their private chat, too.
const IN_PRIVATE: [&str; 2] = ["when_busy", "cross_channel"];

/// The choices, read before the command's transaction.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The usual model, and those that may be chosen.
    pub models: Vec<Offer>,
    /// The tools that the owner left on.
    pub tools: Vec<String>,
    /// The settings that the owner fixed.
    pub fixed: Vec<String>,
}

impl Choices {
    pub(super) fn fixes(&self, name: &str) -> bool {
        self.fixed.iter().any(|fixed| fixed == name)
    }
}

/// Where a setting is meant to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// As the setting usually does.
    Usual,
    /// In this channel.
    Here,
    /// In all of the server.
    Everywhere,
}

impl Reach {
    /// The word before the setting's name, with a space behind it.
    const fn word(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::Here => "here ",
            Self::Everywhere => "everywhere ",
        }
    }
}

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if !given.channel.is_private() && !given.manages {
        return Ok(Done::refuse(given.lang.say(Setting::NotTheirs)));
    }
    let (first, rest) = split(argument);
    let (reach, (name, value)) = match first {
        "here" => (Reach::Here, split(rest)),
        "everywhere" => (Reach::Everywhere, split(rest)),
        _ => (Reach::Usual, (first, rest)),
    };
    match name {
        "" => view::all(tx, given).await,
        "undo" => undo(tx, given, now).await,
        "tools" if !given.channel.is_private() => tools::run(tx, value, given, now).await,
        name => match find_setting(given.channel, name, given.lang) {
            Ok(known) => one(tx, known, reach, value, given, now).await,
            Err(fault) => Ok(Done::say(fault)),
        },
    }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (first, rest.trim())
}

/// Whether a setting can be set in a chat of this kind.
fn is_here(channel: &Channel, known: &SettingSpec) -> bool {
    is_in(channel.is_private(), known)
}

fn is_in(private: bool, known: &SettingSpec) -> bool {
    match private {
        true => known.scopes.contains(&"user") || IN_PRIVATE.contains(&known.name),
        false => known.scopes.contains(&"space") && !IN_PRIVATE[1..].contains(&known.name),
    }
}

fn find_setting(channel: &Channel, name: &str, lang: Lang) -> Result<&'static SettingSpec, String> {
    let mut here = CATALOGUE.iter().filter(|known| is_here(channel, known));
    here.find(|known| known.name == name)
        .ok_or_else(|| lang.say(Setting::NoSuch { name: code(name) }))
}

/// Where a setting is kept.
fn scope(given: CommandContext<'_>, known: &SettingSpec, reach: Reach) -> Scope {
    let channel = given.channel;
    if channel.is_private() {
        return match known.scopes.contains(&"user") {
            true => Scope::User(given.user.id),
            false => Scope::Channel(channel.id),
        };
    }
    let is_of_channel = match reach {
        Reach::Here => known.scopes.contains(&"channel"),
        Reach::Everywhere => false,
        Reach::Usual => known.is_of_channel,
    };
    match channel.space_id.filter(|_| !is_of_channel) {
        Some(space) => Scope::Space(space),
        None => Scope::Channel(channel.id),
    }
}

/// Shows one setting, or changes it.
async fn one(
    tx: &mut Tx,
    known: &'static SettingSpec,
    reach: Reach,
    value: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    if value.is_empty() {
        return view::one(tx, known, reach, given, None).await;
    }
    if given.choices.fixes(known.name) {
        return Ok(Done::say(fixed(known.name, given.lang)));
    }
    let new = match value {
        RESET => None,
        value => match checked(tx, known, value, given).await? {
            Ok(value) => Some(value),
            Err(fault) => return Ok(Done::say(fault)),
        },
    };
    let scope = scope(given, known, reach);
    let old = catalogue::own(tx, scope, known).await?;
    if old == new {
        let told = match &new {
            Some(value) => given.lang.say(Setting::IsAlready {
                name: known.name.to_owned(),
                value: view::value(known, value, given.lang),
            }),
            None => given.lang.say(Setting::NotSetHere {
                name: known.name.to_owned(),
            }),
        };
        return view::one(tx, known, reach, given, Some(told)).await;
    }
    match &new {
        Some(value) => catalogue::set(tx, scope, known, value, now).await?,
        None => {
            catalogue::unset(tx, scope, known, now).await?;
        }
    }
    keep(
        tx,
        &scope.stored(),
        known.name,
        [old.as_deref(), new.as_deref()],
        given,
        now,
    )
    .await?;
    let given = read_anew(tx, known.name, given).await?;
    let (values, person) = ([old.as_deref(), new.as_deref()], inline(&given.user.name));
    let told = |lang: Lang| changed(known, values, &person, (given.channel, scope), lang);
    Ok(Done {
        told: Some(told(given.place_lang)),
        ..view::one(tx, known, reach, given, Some(told(given.lang))).await?
    })
}

/// Whoever changed the language reads the answer in the new one.
async fn read_anew<'a>(tx: &mut Tx, name: &str, given: CommandContext<'a>) -> Result<CommandContext<'a>, StoreError> {
    if name != LANGUAGE {
        return Ok(given);
    }
    let user = users::get(tx, given.user.id).await?.map(|user| User {
        language: user.language.or_else(|| given.told_language.map(str::to_owned)),
        ..user
    });
    Ok(CommandContext {
        lang: reading::of(tx, user.as_ref(), Some(given.channel.id)).await?,
        place_lang: reading::of_everybody(tx, given.channel, user.as_ref()).await?,
        ..given
    })
}

/// The outcome of a change of a setting, in a sentence. `place`: where it is said, and where the setting holds; `person`:
/// Markdown, where others read it.
pub(crate) fn changed(
    known: &SettingSpec,
    [old, new]: [Option<&str>; 2],
    person: &str,
    place: (&Channel, Scope),
    lang: Lang,
) -> String {
    let before = old.map_or_else(|| lang.say(Setting::NotSet), |old| view::value(known, old, lang));
    let (person, name) = (person.to_owned(), known.name.to_owned());
    let is_private = place.0.is_private();
    let Some(value) = new.map(|new| view::value(known, new, lang)) else {
        return lang.say(match is_private {
            true => Setting::WasResetByYou { name, before },
            false => Setting::WasReset { person, name, before },
        });
    };
    if is_private {
        return lang.say(Setting::ChangedByYou { name, value, before });
    }
    lang.say(match view::is_of_one_channel(place.0, place.1) {
        true => Setting::ChangedForChannel {
            person,
            name,
            value,
            before,
        },
        false => Setting::Changed {
            person,
            name,
            value,
            before,
        },
    })
}

fn fixed(name: &str, lang: Lang) -> String {
    lang.say(Setting::Fixed { name: name.to_owned() })
}

/// A value as it is stored.
async fn checked(
    tx: &mut Tx,
    known: &SettingSpec,
    value: &str,
    given: CommandContext<'_>,
) -> Result<Result<String, String>, StoreError> {
    let lang = given.lang;
    let value = match known.kind.read(value, lang) {
        Ok(value) => value,
        Err(fault) => return Ok(Err(lang.say(fault))),
    };
    let names = view::names(tx, known, given).await?;
    Ok(match names {
        Some(names) if !names.contains(&value) => Err(lang.say(match names.as_slice() {
            [] => Setting::NothingToChoose {
                name: known.name.to_owned(),
            },
            names => Setting::NoneOf {
                value: code(&value),
                words: names.join(", "),
            },
        })),
        _ => Ok(value),
    })
}

async fn keep(
    tx: &mut Tx,
    scope: &str,
    name: &str,
    [old, new]: [Option<&str>; 2],
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let change = NewChange {
        scope,
        name,
        old,
        new,
        by: Some(given.user.id),
    };
    setting_changes::record(tx, change, now).await
}

/// The scopes whose changes are taken back here: of all of the server or the person, and of the channel.
fn scopes(given: CommandContext<'_>) -> [String; 2] {
    let wide = match (given.channel.is_private(), given.channel.space_id) {
        (true, _) => given.user.id.to_string(),
        (false, Some(space)) => space.to_string(),
        (false, None) => given.channel.id.to_string(),
    };
    [wide, given.channel.id.to_string()]
}

async fn undo(tx: &mut Tx, given: CommandContext<'_>, now: Timestamp) -> Result<Done, StoreError> {
    let [wide, near] = scopes(given);
    let Some(change) = setting_changes::last(tx, [&wide, &near]).await? else {
        return Ok(Done::say(given.lang.say(Setting::NothingToUndo)));
    };
    let of_owner = change
        .name
        .split('.')
        .next()
        .map(|first| if first == "tool" { "tools" } else { first });
    if of_owner.is_some_and(|name| given.choices.fixes(name)) {
        return Ok(Done::say(fixed(&change.name, given.lang)));
    }
    if !holds_still(tx, &change, given).await? {
        // It is nothing that can be taken back any more.
        setting_changes::undone(tx, change.id, now).await?;
        return Ok(Done::say(given.lang.say(Setting::ChangedSince {
            name: change.name.clone(),
        })));
    }
    restore(tx, &change, given, now).await?;
    setting_changes::undone(tx, change.id, now).await?;
    let given = read_anew(tx, &change.name, given).await?;
    let told = |lang: Lang| taken_back(&change, given, lang);
    Ok(Done {
        told: Some(told(given.place_lang)),
        ..Done::say(told(given.lang))
    })
}

fn taken_back(change: &SettingChange, given: CommandContext<'_>, lang: Lang) -> String {
    let known = CATALOGUE.iter().find(|known| known.name == change.name);
    let shown = |value: &Option<String>| match (value, known) {
        (Some(value), Some(known)) => view::value(known, value, lang),
        (Some(value), None) => format!("`{}`", code(value)),
        (None, _) => lang.say(Setting::NotSet),
    };
    let (name, value) = (change.name.clone(), shown(&change.old_value));
    if given.channel.is_private() {
        let was = shown(&change.new_value);
        return lang.say(Setting::TookBackByYou { name, value, was });
    }
    let by = change.by.as_deref();
    lang.say(Setting::TookBack {
        person: inline(&given.user.name),
        name,
        value,
        by: by.map_or_else(|| lang.say(Setting::Somebody), inline),
        was: shown(&change.new_value),
    })
}

/// Whether the value that a change set is still the one that is set: what others set since is theirs.
async fn holds_still(tx: &mut Tx, change: &SettingChange, given: CommandContext<'_>) -> Result<bool, StoreError> {
    let known = CATALOGUE.iter().find(|known| known.name == change.name);
    let set = match known.filter(|_| change.scope == given.user.id.to_string()) {
        Some(known) => catalogue::own(tx, Scope::User(given.user.id), known).await?,
        None => settings::get(tx, &change.scope, &change.name).await?,
    };
    Ok(set == change.new_value)
}

async fn restore(
    tx: &mut Tx,
    change: &SettingChange,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let known = CATALOGUE.iter().find(|known| known.name == change.name);
    if let Some(known) = known.filter(|_| change.scope == given.user.id.to_string()) {
        let scope = Scope::User(given.user.id);
        return match &change.old_value {
            Some(value) => catalogue::set(tx, scope, known, value, now).await,
            None => catalogue::unset(tx, scope, known, now).await.map(drop),
        };
    }
    match &change.old_value {
        Some(value) => settings::put(tx, &change.scope, &change.name, value, now).await,
        None => settings::unset(tx, &change.scope, &change.name).await.map(drop),
    }
}
