//! `/settings tools`: the tools that the bot may use in a place. Managers turn off what the owner left on, never more on.

use clifford_chat::outbound::Button;
use clifford_core::clock::Timestamp;
use clifford_markup::inline::inline;
use clifford_store::{StoreError, Tx, places::settings};
use clifford_text::{Lang, Setting};
use clifford_tools::settings::catalogue::switched;

use super::{keep, scopes, split};
use crate::commands::{CommandContext, Done, items::code};

/// The setting that turns a tool off.
fn setting(tool: &str) -> String {
    format!("tool.{tool}.enabled")
}

/// The tools that are off in the place.
async fn off(tx: &mut Tx, given: CommandContext<'_>) -> Result<Vec<String>, StoreError> {
    let rows = settings::of_place(tx, given.channel.space_id, given.channel.id).await?;
    let is_off = |tool: &&String| {
        let name = setting(tool);
        rows.iter()
            .rev()
            .find(|row| row.name == name)
            .is_some_and(|row| row.value == "false")
    };
    Ok(given.choices.tools.iter().filter(is_off).cloned().collect())
}

/// How the tools stand, on one line.
pub(super) async fn line(tx: &mut Tx, given: CommandContext<'_>) -> Result<String, StoreError> {
    let off = off(tx, given).await?;
    let lang = given.lang;
    let fixed = match given.choices.fixes("tools") {
        true => format!(" {}", lang.say(Setting::FixedByOwner)),
        false => String::new(),
    };
    let standing = lang.say(match off.as_slice() {
        [] => Setting::AllTools,
        off => Setting::AllToolsBut { tools: off.join(", ") },
    });
    Ok(format!("- {}{fixed}", lang.labelled("`tools`", &standing)))
}

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let (lang, (tool, word)) = (given.lang, split(argument));
    if tool.is_empty() {
        return list(tx, given, None).await;
    }
    if given.choices.fixes("tools") {
        return Ok(Done::say(super::fixed("tools", lang)));
    }
    if !given.choices.tools.iter().any(|known| known == tool) {
        let tool = code(tool);
        return Ok(Done::say(lang.say(Setting::NoTool { tool })));
    }
    let new = match switched(word) {
        Some(false) => Some("false"),
        Some(true) => None,
        None => {
            let tool = tool.to_owned();
            return Ok(Done::say(lang.say(Setting::WriteTool { tool })));
        }
    };
    let ([scope, _], name) = (scopes(given), setting(tool));
    let old = settings::get(tx, &scope, &name).await?;
    let is_new = old.as_deref() != new;
    if is_new {
        match new {
            Some(value) => settings::put(tx, &scope, &name, value, now).await?,
            None => {
                settings::unset(tx, &scope, &name).await?;
            }
        }
        keep(tx, &scope, &name, [old.as_deref(), new], given, now).await?;
    }
    let told = |lang: Lang| {
        let (person, tool) = (inline(&given.user.name), tool.to_owned());
        lang.say(match new {
            Some(_) => Setting::TurnedOff { person, tool },
            None => Setting::TurnedOn { person, tool },
        })
    };
    Ok(Done {
        told: is_new.then(|| told(given.place_lang)),
        ..list(tx, given, Some(told(lang))).await?
    })
}

async fn list(tx: &mut Tx, given: CommandContext<'_>, told: Option<String>) -> Result<Done, StoreError> {
    let (lang, off) = (given.lang, off(tx, given).await?);
    let is_off = |tool: &String| off.contains(tool);
    let buttons = given.choices.tools.iter().map(|tool| match is_off(tool) {
        true => Button::new(&format!("✗ {tool}"), format!("settings tools {tool} on")).in_place(),
        false => Button::new(&format!("✓ {tool}"), format!("settings tools {tool} off")).in_place(),
    });
    let buttons = buttons.chain([Button::new(&lang.say(Setting::AllSettings), "settings").in_place()]);
    let told = told.map_or_else(String::new, |told| {
        format!("{told} {}\n\n", lang.say(Setting::UndoHint))
    });
    let about = lang.say(Setting::AboutTools);
    let standing = lang.say(match off.as_slice() {
        [] => Setting::AllAreOn,
        off => Setting::AreOff { tools: off.join(", ") },
    });
    let write = lang.say(Setting::WriteTool {
        tool: "NAME".to_owned(),
    });
    Ok(Done {
        text: format!("{told}**tools**: {about} {standing}\n\n{write}"),
        buttons: buttons.collect(),
        ..Done::default()
    })
}
