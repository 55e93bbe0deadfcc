//! Commands that people give in a chat: `/new`, `/contexts`, `/switch`, `/close`, `/stop`, `/whoami`, `/help`.

use crate::{
    clock::Timestamp,
    engine::cancel,
    id::RunId,
    store::{
        StoreError, Tx,
        channels::Channel,
        contexts, messages, runs, users,
        users::{User, UserRole},
    },
};

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

const fn command(name: &'static str, argument: Option<(&'static str, bool)>, description: &'static str) -> CommandSpec {
    CommandSpec {
        name,
        argument,
        description,
    }
}

/// Every command.
pub const COMMANDS: [CommandSpec; 7] = [
    command("new", Some(("name", false)), "Start a new conversation"),
    command("contexts", None, "List the conversations of this chat"),
    command("switch", Some(("name", true)), "Go on with another conversation"),
    command("close", None, "Close this conversation"),
    command("stop", None, "Stop what I am doing here"),
    command("whoami", None, "Show who you are to me"),
    command("help", None, "Show what I can do"),
];

/// Whether this is a command of this bot.
pub fn is_known(name: &str) -> bool {
    name == "start" || COMMANDS.iter().any(|command| command.name == name)
}

/// How many conversations `/contexts` lists.
const LISTED: u32 = 15;

/// What a command did.
#[derive(Clone, Debug, Default)]
pub struct Done {
    /// The answer, Markdown.
    pub text: String,
    /// Runs that were cancelled, each with the claim that held it.
    pub cancelled: Vec<(RunId, i64)>,
}

impl Done {
    fn say(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cancelled: Vec::new(),
        }
    }
}

/// Carries a command out.
///
/// # Errors
/// The store's.
pub async fn run(
    tx: &mut Tx,
    name: &str,
    argument: &str,
    channel: &Channel,
    user: &User,
    now: Timestamp,
) -> Result<Done, StoreError> {
    match name {
        "new" => new(tx, argument, channel, now).await,
        "contexts" => list(tx, channel, now).await,
        "switch" => switch(tx, argument, channel, now).await,
        "close" => close(tx, channel, now).await,
        "stop" => stop(tx, channel, now).await,
        "whoami" => whoami(tx, channel, user).await,
        "help" | "start" => Ok(Done::say(help())),
        other => Ok(Done::say(format!(
            "I don't know the command `/{other}`. `/help` shows those I know."
        ))),
    }
}

async fn new(tx: &mut Tx, name: &str, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    if let Some(active) = channel.active_context_id {
        contexts::close(tx, active, now).await?;
    }
    let name = (!name.is_empty()).then_some(name);
    contexts::begin(tx, channel, name, now).await?;
    Ok(Done::say(match name {
        Some(name) => format!("A new conversation: **{}**.", inline(name)),
        None => "A new conversation. What is it about?".to_owned(),
    }))
}

async fn list(tx: &mut Tx, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let known = contexts::of_channel(tx, channel.id, LISTED).await?;
    if known.is_empty() {
        return Ok(Done::say("There are no conversations here yet."));
    }
    let lines = known.iter().enumerate().map(|(place, context)| {
        let active = if channel.active_context_id == Some(context.id) {
            " ← this one"
        } else {
            ""
        };
        let name = context.name.as_deref().unwrap_or("(no name yet)");
        let turns = if context.turn_count == 1 {
            "1 turn".to_owned()
        } else {
            format!("{} turns", context.turn_count)
        };
        format!(
            "{}. **{}**, {turns}, {}{active}",
            place + 1,
            inline(name),
            age(context.last_user_interaction_at, now)
        )
    });
    Ok(Done::say(format!(
        "{}\n\n`/switch` NAME or number goes on with one.",
        lines.collect::<Vec<_>>().join("\n")
    )))
}

async fn switch(tx: &mut Tx, wanted: &str, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let known = contexts::of_channel(tx, channel.id, LISTED).await?;
    let lower = wanted.to_lowercase();
    let by_number = wanted
        .parse::<usize>()
        .ok()
        .and_then(|number| known.get(number.checked_sub(1)?));
    let named = |whole: bool| {
        known.iter().find(|context| {
            context.name.as_deref().is_some_and(|name| {
                let name = name.to_lowercase();
                if whole {
                    name == lower
                } else {
                    !lower.is_empty() && name.contains(&lower)
                }
            })
        })
    };
    let Some(context) = by_number.or_else(|| named(true)).or_else(|| named(false)) else {
        return Ok(Done::say(format!(
            "I find no conversation `{}` here. `/contexts` lists them.",
            inline(wanted)
        )));
    };
    contexts::touch(tx, context.id, now).await?;
    crate::store::channels::set_active_context(tx, channel.id, Some(context.id)).await?;
    Ok(Done::say(format!(
        "Going on with **{}**.",
        inline(context.name.as_deref().unwrap_or("(no name yet)"))
    )))
}

async fn close(tx: &mut Tx, channel: &Channel, now: Timestamp) -> Result<Done, StoreError> {
    let closed = match channel.active_context_id {
        Some(active) => contexts::close(tx, active, now).await?,
        None => false,
    };
    Ok(Done::say(if closed {
        "Closed. Your next message starts a new conversation."
    } else {
        "There is no open conversation here."
    }))
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
    let text = if cancelled.is_empty() && dropped == 0 {
        "There is nothing to stop."
    } else {
        "Stopped."
    };
    Ok(Done {
        text: text.to_owned(),
        cancelled,
    })
}

async fn whoami(tx: &mut Tx, channel: &Channel, user: &User) -> Result<Done, StoreError> {
    let role = if user.role == UserRole::Owner { ", my owner" } else { "" };
    let mut text = format!("You are **{}**{role}.", inline(&user.name));
    // Where others read along, a person's other accounts are nobody's business.
    if channel.is_private() {
        for identity in users::identities(tx, user.id).await? {
            text.push_str(&format!(
                "\n- {}: {} (`{}`)",
                identity.platform,
                inline(&identity.name),
                identity.platform_user_id
            ));
        }
        text.push_str(&format!("\n\nYour id here: `{}`", user.id));
    }
    Ok(Done::say(text))
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

/// A name as it may stand within a line of Markdown.
fn inline(name: &str) -> String {
    name.chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| {
            if "*_`[]<>|~\\".contains(c) {
                vec!['\\', c]
            } else {
                vec![c]
            }
        })
        .collect()
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
