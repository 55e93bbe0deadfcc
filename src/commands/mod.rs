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
mod reminders;
mod search;
mod usage;

pub use self::{
    complete::complete,
    keys::{Carrier, Ring, carries_key, stands_in_chat},
    own_data::{Gathered, hands_out},
    usage::Purse,
};

use clifford_chat::outbound::Button;

use crate::{
    engine::cancel,
    outbound,
    settings::PlaceSettings,
    store::{StoreError, Tx, contexts, messages, runs},
};
use clifford_core::{clock::Timestamp, id::RunId, people::User, places::Channel, run::sentences};

/// A command: its name, what it takes, what it does. The same list is shown by `/help` and registered with
/// the platforms.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name without the slash.
    pub name: &'static str,
    /// What it takes, and whether it must be given.
    pub argument: Option<(&'static str, bool)>,
    /// What it does, in a few words.
    pub description: &'static str,
}

impl CommandSpec {
    /// What it takes is nobody else's business: it is given in private only.
    pub fn is_private(&self) -> bool {
        self.name == "key"
    }
}

const fn command(name: &'static str, argument: Option<(&'static str, bool)>, description: &'static str) -> CommandSpec {
    CommandSpec {
        name,
        argument,
        description,
    }
}

/// Every command.
pub const COMMANDS: &[CommandSpec] = &[
    command("new", Some(("name", false)), "Start a new conversation"),
    command("contexts", None, "List the conversations of this chat"),
    command("switch", Some(("name", true)), "Go on with another conversation"),
    command("close", None, "Close this conversation"),
    command(
        "continue",
        Some(("conversation", false)),
        "Go on here with a conversation from another platform",
    ),
    command("search", Some(("words", true)), "Look for what was said before"),
    command("memory", None, "Show what I know about you"),
    command("forget", Some(("key", true)), "Forget something about you, or `all`"),
    command(
        "pin",
        Some(("key", true)),
        "Keep something as it is, or let it change again",
    ),
    command(
        "share",
        Some(("key", true)),
        "Let something be known wherever you speak to me",
    ),
    command("private", Some(("key", true)), "Let something be known in private only"),
    command(
        "reminders",
        Some(("remove", false)),
        "List your reminders, and take one back",
    ),
    command("link", Some(("code", false)), "Make two of your accounts one"),
    command(
        "unlink",
        Some(("confirmation", false)),
        "Part this account from your others",
    ),
    command("export", None, "Get everything that I have of you"),
    command(
        "erase",
        Some(("confirmation", false)),
        "Delete everything that I have of you",
    ),
    command(
        "key",
        Some(("what", false)),
        "Let me answer you by your own key for a model",
    ),
    command("usage", None, "Show what your requests have used"),
    command("why", None, "Show how my last answer came about"),
    command("approve", Some(("id", false)), "Approve what I asked you for"),
    command("deny", Some(("id", false)), "Deny what I asked you for"),
    command("stop", None, "Stop what I am doing here"),
    command("whoami", None, "Show who you are to me"),
    command("help", None, "Show what I can do"),
];

/// Whether this is a command of this bot.
pub fn is_known(name: &str) -> bool {
    name == "start" || COMMANDS.iter().any(|command| command.name == name)
}

/// Whether a command links or parts accounts: only one does so at a time, and waits for its turn before it holds
/// anything.
pub fn links_accounts(name: &str) -> bool {
    matches!(name, "link" | "unlink")
}

/// What a command did.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The answer, Markdown.
    pub text: String,
    /// What can be pressed below it.
    pub buttons: Vec<Button>,
    /// A file that goes with it: its name and content.
    pub file: Option<(String, String)>,
    /// Runs that were cancelled, each with the claim that held it.
    pub cancelled: Vec<(RunId, i64)>,
    /// A run can go on.
    pub work_to_claim: bool,
    /// Nothing was done, since it is not theirs to do: whoever reads along need not hear that, or not each time.
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

/// Who gives a command, and where.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Where.
    pub channel: &'a Channel,
    /// Who.
    pub user: &'a User,
    /// By which account.
    pub account: &'a str,
    /// What holds where nothing else is set.
    pub defaults: PlaceSettings,
    /// What may be spent.
    pub purse: &'a Purse,
    /// What `/export` hands out, if it was gathered before.
    pub export: Option<&'a Gathered>,
    /// What `/key` works with.
    pub ring: Option<&'a Ring>,
    /// They answer what somebody else's run asks in a group or server that they manage.
    pub manages: bool,
}

/// Carries out a command that a person gave by an account of theirs.
///
/// # Errors
/// The store's.
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
