//! `/settings tools`: the tools that the bot may use in a place. Managers turn off what the owner left on, never more on.

use clifford_chat::outbound::Button;
use clifford_core::clock::Timestamp;
use clifford_markup::inline::inline;
use clifford_store::{StoreError, Tx, places::settings};

use super::{keep, scopes, split};
use crate::commands::{CommandContext, Done};

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
    let fixed = match given.choices.fixes("tools") {
        true => " (fixed by my owner)",
        false => "",
    };
    Ok(match off.as_slice() {
        [] => format!("- `tools`: all that my owner allows{fixed}"),
        off => format!("- `tools`: all but {}{fixed}", off.join(", ")),
    })
}

pub(super) async fn run(
    tx: &mut Tx,
    argument: &str,
    given: CommandContext<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let (tool, word) = split(argument);
    if tool.is_empty() {
        return list(tx, given, None).await;
    }
    if given.choices.fixes("tools") {
        return Ok(Done::say("`tools` is fixed by my owner."));
    }
    if !given.choices.tools.iter().any(|known| known == tool) {
        let tool = inline(&tool.chars().take(40).collect::<String>());
        return Ok(Done::say(format!(
            "There is no tool `{tool}` here. `/settings tools` lists them."
        )));
    }
    let new = match word {
        "off" => Some("false"),
        "on" => None,
        _ => return Ok(Done::say(format!("Write `/settings tools {tool} off`, or `on`."))),
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
    let told = format!("{} turned `{tool}` {word}.", inline(&given.user.name));
    Ok(Done {
        told: is_new.then(|| told.clone()),
        ..list(tx, given, Some(told)).await?
    })
}

async fn list(tx: &mut Tx, given: CommandContext<'_>, told: Option<String>) -> Result<Done, StoreError> {
    let off = off(tx, given).await?;
    let is_off = |tool: &String| off.contains(tool);
    let buttons = given.choices.tools.iter().map(|tool| match is_off(tool) {
        true => Button::new(&format!("✗ {tool}"), format!("settings tools {tool} on")).in_place(),
        false => Button::new(&format!("✓ {tool}"), format!("settings tools {tool} off")).in_place(),
    });
    let buttons = buttons.chain([Button::new("All settings", "settings").in_place()]);
    let told = told.map_or_else(String::new, |told| {
        format!("{told} `/settings undo` takes the last change back.\n\n")
    });
    let standing = match off.as_slice() {
        [] => "All are on.".to_owned(),
        off => format!("Off: {}.", off.join(", ")),
    };
    Ok(Done {
        text: format!("{told}**tools**: What I may use here. {standing}\n\nWrite `/settings tools NAME off`, or `on`."),
        buttons: buttons.collect(),
        ..Done::default()
    })
}
