//! What `/settings` shows: all settings of a place or a person, or one with what it can be.

use clifford_chat::outbound::Button;
use clifford_core::places::Channel;
use clifford_markup::inline::inline;
use clifford_store::{StoreError, Tx, places::setting_changes};
use clifford_tools::settings::catalogue::{self, CATALOGUE, Kind, Scope, SettingSpec, SettingView};
use serde_json::Value;

use super::{Reach, agent_names, is_here, scope, scopes};
use crate::commands::{CommandContext, Done};

/// Languages that are offered; others are written.
const LANGUAGES: [&str; 8] = ["en", "de", "es", "fr", "it", "pt", "ru", "zh"];
/// Budgets that are offered; others are written.
pub(super) const BUDGETS: [&str; 4] = ["1/day", "5/day", "20/month", "100/month"];

/// Every setting that can be set here, with its value.
pub(super) async fn all(tx: &mut Tx, given: CommandContext<'_>) -> Result<Done, StoreError> {
    let here = CATALOGUE.iter().filter(|known| is_here(given.channel, known));
    let here: Vec<_> = here.collect();
    let mut lines = Vec::new();
    for known in &here {
        let fixed = match given.choices.fixes(known.name) {
            true => " (fixed by my owner)",
            false => "",
        };
        lines.push(format!(
            "- `{}`: {}{fixed}",
            known.name,
            standing(tx, known, given).await?.0
        ));
    }
    let changeable = here.iter().filter(|known| !given.choices.fixes(known.name));
    let mut names: Vec<_> = changeable.map(|known| known.name).collect();
    let head = if given.channel.is_private() {
        "**Your settings** in your private chats with me. Write `/settings NAME VALUE`, such as `/settings language de`."
    } else {
        if !given.choices.fixes("tools") {
            names.push("tools");
        }
        lines.push(super::tools::line(tx, given).await?);
        "**Settings of this place**, for everybody here. Write `/settings NAME VALUE`, such as `/settings when_busy steer`; \
         `/settings here NAME VALUE` is for this channel alone."
    };
    let mut buttons: Vec<_> = (names.into_iter())
        .map(|name| Button::new(name, format!("settings {name}")).in_place())
        .collect();
    let [wide, near] = scopes(given);
    if setting_changes::last(tx, [&wide, &near]).await?.is_some() {
        buttons.push(Button::new("Undo", "settings undo").negative());
    }
    Ok(Done {
        text: format!(
            "{head}\n\n{}\n\n`/settings undo` takes the last change back.",
            lines.join("\n")
        ),
        buttons,
        ..Done::default()
    })
}

/// One setting with its effect, its value and what it can be; `told`: what just happened to it.
pub(super) async fn one(
    tx: &mut Tx,
    known: &'static SettingSpec,
    reach: Reach,
    given: CommandContext<'_>,
    told: Option<String>,
) -> Result<Done, StoreError> {
    let (standing, own) = standing(tx, known, given).await?;
    let name = known.name;
    let mut text = match told {
        Some(told) => format!("{told} `/settings undo` takes the last change back.\n\n"),
        None => String::new(),
    };
    text.push_str(&format!("**{name}**: {} Now: {standing}.", known.description));
    if given.choices.fixes(name) {
        text.push_str(" My owner fixed it.");
        return Ok(Done::say(text));
    }
    let change = setting_changes::last_of(tx, &scope(given, known, reach).stored(), name).await?;
    if let Some(change) = change {
        let by = change.by.as_deref().map_or_else(|| "somebody".to_owned(), inline);
        let day = change.changed_at.to_jiff().to_string();
        text.push_str(&format!(" Last changed by {by} on {}.", day.get(..10).unwrap_or(&day)));
    }
    let choices = choices(tx, known, given).await?;
    let form = match known.kind {
        Kind::Text(_) => Some("TEXT"),
        Kind::List => Some("NAME, NAME"),
        Kind::Budget => Some("AMOUNT/day"),
        Kind::Number(_) => Some("NUMBER"),
        Kind::TimeZone => Some("Europe/Berlin"),
        Kind::Language => Some("TAG"),
        Kind::Word(_) | Kind::Switch | Kind::Name => None,
    };
    if let Some(form) = form {
        text.push_str(&format!("\n\nWrite `/settings {name} {form}`."));
    }
    let word = reach.word();
    let mut buttons: Vec<_> = (choices.iter())
        .map(|choice| {
            let label = match own.as_deref() == Some(choice.as_str()) {
                true => format!("✓ {choice}"),
                false => choice.clone(),
            };
            Button::new(&label, format!("settings {word}{name} {choice}")).in_place()
        })
        .collect();
    if matches!(known.kind, Kind::List) {
        buttons.push(Button::new("Choose roles", format!("settings {word}{name}")).picking_roles());
    }
    if form.is_some() {
        buttons.push(Button::new("Write it", format!("settings {word}{name}")).form());
    }
    if catalogue::own(tx, scope(given, known, reach), known).await?.is_some() {
        buttons.push(
            Button::new("Reset", format!("settings {word}{name} reset"))
                .in_place()
                .negative(),
        );
    }
    buttons.push(Button::new("All settings", "settings").in_place());
    Ok(Done {
        text,
        buttons,
        ..Done::default()
    })
}

/// How a setting stands here, in words; and the value that decides, if one is set.
async fn standing(
    tx: &mut Tx,
    known: &SettingSpec,
    given: CommandContext<'_>,
) -> Result<(String, Option<String>), StoreError> {
    let near = match given.channel.is_private() {
        true => scope(given, known, Reach::Usual),
        false if known.scopes.contains(&"channel") => Scope::Channel(given.channel.id),
        false => scope(given, known, Reach::Usual),
    };
    let view = catalogue::list(tx, near, given.defaults).await?;
    let found = view.into_iter().find(|view| view.name == known.name);
    let set = found.and_then(|view: SettingView| view.value.or(view.inherited));
    let set = set.map(|set| match set {
        Value::String(text) => text,
        other => other.to_string(),
    });
    Ok(match set {
        Some(set) => (value(known, &set), Some(set)),
        None => (usual(known.name).to_owned(), None),
    })
}

/// What holds where nothing is set.
fn usual(name: &str) -> &'static str {
    match name {
        "agent" | "model" => "the usual one",
        "mode" => "as the agent answers",
        "speaks" => "where it is addressed",
        "use_roles" => "everybody",
        "approve_roles" => "managers only",
        "follow_threads" => "as is usual on this platform",
        _ => "not set",
    }
}

/// A value as it is shown.
pub(super) fn value(known: &SettingSpec, value: &str) -> String {
    match (known.kind, value) {
        (Kind::Switch, "true") => "on".to_owned(),
        (Kind::Switch, "false") => "off".to_owned(),
        (Kind::Text(_), text) => format!("\"{}\"", inline(text)),
        (_, value) => format!("`{}`", value.replace('`', "")),
    }
}

/// Where a change holds, behind what was changed.
pub(super) fn place(channel: &Channel, scope: Scope) -> &'static str {
    match scope {
        Scope::Channel(_) if !channel.is_private() && channel.space_id.is_some() => ", for this channel",
        _ => "",
    }
}

/// The names that a setting takes; `None`: it takes other values than names of something.
pub(super) async fn names(
    tx: &mut Tx,
    known: &SettingSpec,
    given: CommandContext<'_>,
) -> Result<Option<Vec<String>>, StoreError> {
    Ok(match known.name {
        "agent" => Some(agent_names(tx).await?),
        "model" => Some(
            given
                .choices
                .models
                .iter()
                .filter_map(|offer| offer.name.clone())
                .collect(),
        ),
        _ => None,
    })
}

/// The values that are offered.
async fn choices(tx: &mut Tx, known: &SettingSpec, given: CommandContext<'_>) -> Result<Vec<String>, StoreError> {
    if let Some(names) = names(tx, known, given).await? {
        return Ok(names);
    }
    let words: &[&str] = match known.kind {
        Kind::Language => &LANGUAGES,
        Kind::Budget => &BUDGETS,
        kind => kind.values(),
    };
    Ok(words.iter().map(|word| (*word).to_owned()).collect())
}
