//! Commands that people give in a chat. One file a family; this one holds the list, and what belongs to none.

mod approving;
mod complete;
mod confirming;
mod continuing;
mod conversations;
mod items;
mod keys;
mod linking;
mod own_data;
mod platform;
mod reminders;
mod search;
mod usage;

use clifford_chat::outbound::Button;
use clifford_core::{clock::Timestamp, commands::COMMANDS, id::RunId, people::User, places::Channel, run::sentences};
use clifford_delivery::outbound;
use clifford_engine::run::cancel;
use clifford_store::{StoreError, Tx, contexts, messages, places::place_settings::PlaceSettings, runs};

pub use self::{
    complete::{complete, completes},
    keys::{Carrier, Ring, carries_key},
    own_data::{Gathered, hands_out},
    usage::Purse,
};

/// Whether a command links or parts accounts: only one does so at a time, and waits for its turn before it holds
/// anything.
pub fn links_accounts(name: &str) -> bool {
    matches!(name, "link" | "unlink")
}

/// The result of a command.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The answer, Markdown.
    pub text: String,
    /// The buttons below it.
    pub buttons: Vec<Button>,
    /// A file that goes with it: its name and content.
    pub file: Option<(String, String)>,
    /// Runs that were cancelled, each with the claim that held it.
    pub cancelled: Vec<(RunId, i64)>,
    /// A run can go on.
    pub work_to_claim: bool,
    /// The refusal of a command that is not theirs to give: others in the place need not hear it, or not each time.
    pub refusal: Option<&'static str>,
    /// The run whose question the answer shows, and that question's id.
    pub shows: Option<(RunId, String)>,
}

impl Done {
    fn say(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// A command's person and place.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Where.
    pub channel: &'a Channel,
    /// The person.
    pub user: &'a User,
    /// By which account.
    pub account: &'a str,
    /// The defaults for places without settings of their own.
    pub defaults: PlaceSettings,
    /// The budgets.
    pub purse: &'a Purse,
    /// The export for `/export`, if it was read before.
    pub export: Option<&'a Gathered>,
    /// The key ring for `/key`.
    pub ring: Option<&'a Ring>,
    /// They answer what somebody else's run asks in a group or server that they manage.
    pub manages: bool,
}

/// Carries out a command that a person gave by an account of theirs.
pub async fn run(
    tx: &mut Tx,
    name: &str,
    argument: &str,
    given: Given<'_>,
    now: Timestamp,
) -> Result<Done, StoreError> {
    let Given {
        channel,
        user,
        account,
        defaults,
        purse,
        export,
        ring,
        manages,
    } = given;
    match name {
        "new" => conversations::new(tx, argument, channel, now).await,
        "contexts" => conversations::list(tx, channel, now).await,
        "switch" => conversations::switch(tx, argument, channel, now).await,
        "close" => conversations::close(tx, channel, now).await,
        "continue" => continuing::go_on(tx, argument, channel, user, now).await,
        "search" => search::search(tx, argument, channel, user, &purse.zone, now).await,
        "memory" => items::list(tx, channel, user, defaults).await,
        "forget" => items::forget(tx, argument, channel, user, now).await,
        "pin" => items::pin(tx, argument, channel, user, now).await,
        "share" => items::share(tx, argument, channel, user, now).await,
        "private" => items::private(tx, argument, channel, user, now).await,
        "reminders" => reminders::run(tx, argument, channel, user).await,
        "link" => linking::link(tx, argument, channel, user, account, now).await,
        "unlink" => linking::unlink(tx, argument, channel, user, account, now).await,
        "export" => own_data::export(tx, channel, user, export, now).await,
        "erase" => own_data::erase(tx, argument, channel, user, now).await,
        "key" => keys::run(tx, argument, channel, user, ring, now).await,
        "usage" => usage::own(tx, user, purse, now).await,
        "why" => usage::why(tx, channel).await,
        "approve" => approving::approve(tx, argument, channel, &approving::by(user, channel, manages), now).await,
        "deny" => approving::deny(tx, argument, channel, &approving::by(user, channel, manages), now).await,
        "stop" => stop(tx, channel, now).await,
        "whoami" => linking::whoami(tx, channel, user, account).await,
        "help" | "start" => Ok(Done::say(help())),
        other => Ok(Done::say(format!(
            "I don't know the command `/{other}`. `/help` shows those I know."
        ))),
    }
}

async fn stop(tx: &mut Tx, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let Some(context) = channel.active_context_id else {
        return Ok(Done::say("There is nothing to stop."));
    };
    // In the order in which ingress and a run's end lock: the context, then its runs.
    contexts::lock(tx, context).await?;
    let mut cancelled = Vec::new();
    for run in runs::unended_in(tx, context).await? {
        cancelled.extend(cancel::tree(tx, run.id, "stopped in chat", now).await?);
    }
    let dropped = messages::drop_queued(tx, context).await?;
    for message in &dropped {
        outbound::resolve_placeholder(tx, message, sentences::STOPPED_BEFORE, now).await?;
    }
    let text = if cancelled.is_empty() && dropped.is_empty() {
        "There is nothing to stop."
    } else {
        "Stopped."
    };
    Ok(Done {
        text: text.to_owned(),
        cancelled,
        ..Done::default()
    })
}

fn help() -> String {
    let lines = COMMANDS.iter().map(|command| match command.argument {
        Some((argument, true)) => format!(
            "`/{} {}`: {}",
            command.name,
            argument.to_uppercase(),
            command.description
        ),
        Some((argument, false)) => format!(
            "`/{} [{}]`: {}",
            command.name,
            argument.to_uppercase(),
            command.description
        ),
        None => format!("`/{}`: {}", command.name, command.description),
    });
    format!(
        "Just write to me. In a group, mention me or reply to me.\n\n{}",
        lines.collect::<Vec<_>>().join("\n")
    )
}

fn age(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(then).as_secs();
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_unit_that_fits() {
        let now = Timestamp(1_000_000_000);
        for (seconds, text) in [
            (5, "just now"),
            (61, "1 min ago"),
            (7200, "2 h ago"),
            (200_000, "2 d ago"),
        ] {
            assert_eq!(age(Timestamp(now.0 - seconds * 1000), now), text);
        }
    }

    #[test]
    fn help_names_every_command() {
        let text = help();
        for command in COMMANDS {
            assert!(text.contains(&format!("`/{}", command.name)), "{}", command.name);
        }
    }
}
