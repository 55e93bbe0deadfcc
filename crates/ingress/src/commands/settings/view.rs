//! The view of `/settings`: all settings of a place or a person, or one with the values that it can have.

use clifford_chat::outbound::Button;
use clifford_core::{places::Channel, schedule::told};
use clifford_markup::inline::inline;
use clifford_store::{StoreError, Tx, places::setting_changes};
use clifford_text::{Lang, Outcome, Setting};
use clifford_tools::settings::catalogue::{self, CATALOGUE, Kind, Scope, SettingSpec, SettingView, switch};
use serde_json::Value;

use super::{Reach, agent_names, is_here, scope, scopes};
use crate::commands::{CommandContext, Done};

/// Languages that are offered; others are written.
const LANGUAGES: [&str; 8] = ["en", "de", "es", "fr", "pt", "ru", "zh", "ja"];
/// Budgets that are offered; others are written.
pub(super) const BUDGETS: [&str; 4] = ["1/day", "5/day", "20/month", "100/month"];

/// Every setting that can be set here, with its value.
pub(super) async fn all(tx: &mut Tx, given: CommandContext<'_>) -> Result<Done, StoreError> {
    let lang = given.lang;
    let here = CATALOGUE.iter().filter(|known| is_here(given.channel, known));
    let here: Vec<_> = here.collect();
    let mut lines = Vec::new();
    for known in &here {
        let fixed = match given.choices.fixes(known.name) {
            true => format!(" {}", lang.say(Setting::FixedByOwner)),
            false => String::new(),
        };
        lines.push(format!(
            "- {}{fixed}",
            lang.labelled(&format!("`{}`", known.name), &standing(tx, known, given).await?.0)
        ));
    }
    let changeable = here.iter().filter(|known| !given.choices.fixes(known.name));
    let mut names: Vec<_> = changeable.map(|known| known.name).collect();
    let head = if given.channel.is_private() {
        lang.say(Setting::OwnSettings)
    } else {
        if !given.choices.fixes("tools") {
            names.push("tools");
        }
        lines.push(super::tools::line(tx, given).await?);
        lang.say(Setting::SettingsOfPlace)
    };
    let mut buttons: Vec<_> = (names.into_iter())
        .map(|name| Button::new(name, format!("settings {name}")).in_place())
        .collect();
    let [wide, near] = scopes(given);
    if setting_changes::last(tx, [&wide, &near]).await?.is_some() {
        buttons.push(Button::new(&lang.say(Outcome::Undo), "settings undo").negative());
    }
    Ok(Done {
        text: format!("{head}\n\n{}\n\n{}", lines.join("\n"), lang.say(Setting::UndoHint)),
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
    let lang = given.lang;
    let (standing, own) = standing(tx, known, given).await?;
    let name = known.name;
    let mut text = match told {
        Some(told) => format!("{told} {}\n\n", lang.say(Setting::UndoHint)),
        None => String::new(),
    };
    text.push_str(&lang.say(Setting::One {
        name: name.to_owned(),
        about: about(known, lang),
        standing,
    }));
    if given.choices.fixes(name) {
        text.push_str(&format!(" {}", lang.say(Setting::OwnerFixedIt)));
        return Ok(Done::say(text));
    }
    let change = setting_changes::last_of(tx, &scope(given, known, reach).stored(), name).await?;
    if let Some(change) = change {
        let by = change.by.as_deref();
        let last = lang.say(Setting::LastChanged {
            person: by.map_or_else(|| lang.say(Setting::SomebodyWithin), inline),
            day: told::day_of(change.changed_at, &given.purse.zone, lang),
        });
        text.push_str(&format!(" {last}"));
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
        let told = lang.say(Setting::Write {
            name: name.to_owned(),
            form: form.to_owned(),
        });
        text.push_str(&format!("\n\n{told}"));
    }
    let word = reach.word();
    let mut buttons: Vec<_> = (choices.iter())
        .map(|choice| {
            let shown = match known.kind {
                Kind::Switch => switch(choice == "true", lang),
                _ => choice.clone(),
            };
            let label = match own.as_deref() == Some(choice.as_str()) {
                true => format!("✓ {shown}"),
                false => shown,
            };
            Button::new(&label, format!("settings {word}{name} {choice}")).in_place()
        })
        .collect();
    if matches!(known.kind, Kind::List) {
        buttons.push(Button::new(&lang.say(Setting::ChooseRoles), format!("settings {word}{name}")).picking_roles());
    }
    if form.is_some() {
        buttons.push(Button::new(&lang.say(Setting::WriteIt), format!("settings {word}{name}")).form());
    }
    if catalogue::own(tx, scope(given, known, reach), known).await?.is_some() {
        buttons.push(
            Button::new(&lang.say(Setting::Reset), format!("settings {word}{name} reset"))
                .in_place()
                .negative(),
        );
    }
    buttons.push(Button::new(&lang.say(Setting::AllSettings), "settings").in_place());
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
    let mut set = holds(tx, near, known, given).await?;
    if set.is_none() && given.channel.is_private() {
        // A setting that a person leaves open is decided where they write.
        set = holds(tx, Scope::Channel(given.channel.id), known, given).await?;
    }
    let set = set.map(|set| match set {
        Value::String(text) => text,
        other => other.to_string(),
    });
    Ok(match set {
        Some(set) => (value(known, &set, given.lang), Some(set)),
        None => (usual(known.name, given.lang), None),
    })
}

/// The value of a setting that holds in a scope.
async fn holds(
    tx: &mut Tx,
    scope: Scope,
    known: &SettingSpec,
    given: CommandContext<'_>,
) -> Result<Option<Value>, StoreError> {
    let view = catalogue::list(tx, scope, given.defaults).await?;
    let found = view.into_iter().find(|view| view.name == known.name);
    Ok(found.and_then(|view: SettingView| view.value.or(view.inherited)))
}

/// The value where nothing is set.
fn usual(name: &str, lang: Lang) -> String {
    lang.say(match name {
        "agent" | "model" => Setting::UsualOne,
        "mode" => Setting::AsAgentAnswers,
        "speaks" => Setting::WhereAddressed,
        "use_roles" => Setting::Everybody,
        "approve_roles" => Setting::ManagersOnly,
        "follow_threads" => Setting::AsOnPlatform,
        "other_bots" => Setting::Off,
        _ => Setting::NotSet,
    })
}

/// The effect of a setting.
pub(super) fn about(known: &SettingSpec, lang: Lang) -> String {
    lang.say(match known.name {
        "when_busy" => Setting::AboutWhenBusy,
        "memory" => Setting::AboutMemory,
        "cross_channel" => Setting::AboutCrossChannel,
        "voice_replies" => Setting::AboutVoiceReplies,
        "language" => Setting::AboutLanguage,
        "time_zone" => Setting::AboutTimeZone,
        "agent" => Setting::AboutAgent,
        "model" => Setting::AboutModel,
        "mode" => Setting::AboutMode,
        "persona" => Setting::AboutPersona,
        "speaks" => Setting::AboutSpeaks,
        "use_roles" => Setting::AboutUseRoles,
        "approve_roles" => Setting::AboutApproveRoles,
        "other_bots" => Setting::AboutOtherBots,
        "budget" => Setting::AboutBudget,
        "member_budget" => Setting::AboutMemberBudget,
        "threads" => Setting::AboutThreads,
        "follow_threads" => Setting::AboutFollowThreads,
        "ambient_messages" => Setting::AboutAmbientMessages,
        _ => return known.description.to_owned(),
    })
}

/// A value as it is shown.
pub(super) fn value(known: &SettingSpec, value: &str, lang: Lang) -> String {
    match (known.kind, value) {
        (Kind::Switch, value) => switch(value == "true", lang),
        (Kind::Text(_), text) => format!("\"{}\"", inline(text)),
        (_, value) => format!("`{}`", value.replace('`', "")),
    }
}

/// Whether a change holds in one channel of a server.
pub(super) fn is_of_one_channel(channel: &Channel, scope: Scope) -> bool {
    matches!(scope, Scope::Channel(_)) && !channel.is_private() && channel.space_id.is_some()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_described_in_a_chat_as_it_is_elsewhere() {
        for known in &CATALOGUE {
            assert_eq!(about(known, Lang::English), known.description);
            assert_ne!(about(known, Lang::German), known.description);
        }
    }
}
