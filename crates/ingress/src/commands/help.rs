//! `/help`: short, by topic, and only what can be done here by the person who asks.

use clifford_chat::{completion::Choice, outbound::Button, platform::Platform};
use clifford_core::{
    commands::{COMMANDS, CommandSpec},
    people::{User, UserRole},
    places::Channel,
};
use clifford_markup::inline::inline;

use super::Done;

/// Some commands that belong together.
struct Topic {
    /// How it is asked for.
    name: &'static str,
    /// What it is about.
    about: &'static str,
    commands: &'static [&'static str],
}

static TOPICS: [Topic; 5] = [
    Topic {
        name: "chats",
        about: "Conversations",
        commands: &["new", "contexts", "switch", "close", "continue", "search"],
    },
    Topic {
        name: "memory",
        about: "What I remember",
        commands: &["memory", "forget", "pin", "share", "private"],
    },
    Topic {
        name: "work",
        about: "What I am doing",
        commands: &["stop", "approve", "deny", "undo", "why", "reminders", "usage"],
    },
    Topic {
        name: "you",
        about: "Your accounts and data",
        commands: &[
            "dashboard",
            "settings",
            "model",
            "whoami",
            "link",
            "unlink",
            "export",
            "erase",
            "key",
        ],
    },
    Topic {
        name: OWNER,
        about: "What an owner can do",
        commands: &[],
    },
];
/// The topic of owners, in private.
const OWNER: &str = "owner";

/// The help on a topic or a command; on nothing: what there is.
pub(super) fn help(wanted: &str, channel: &Channel, user: &User) -> Done {
    let wanted = wanted.trim().trim_start_matches('/').to_lowercase();
    let is_private = channel.is_private();
    let mut offered = topics(is_private, user.role);
    if let Some(topic) = offered.find(|topic| topic.name == wanted) {
        return Done::say(on(topic, is_private));
    }
    if let Some(command) = COMMANDS.iter().find(|command| command.name == wanted) {
        return Done::say(line(command, is_private));
    }
    let begin = match wanted.is_empty() {
        true if is_private => "Just write to me: I answer, remember what matters, and can remind you.".to_owned(),
        true => "Mention me or reply to me, and I answer. Everybody here reads it.".to_owned(),
        false => format!("I have no help on `{}`.", inline(&wanted)),
    };
    let lines = topics(is_private, user.role).map(|topic| format!("- `/help {}`: {}", topic.name, topic.about));
    let buttons = topics(is_private, user.role).map(|topic| Button::new(topic.about, format!("help {}", topic.name)));
    let leaving = if channel.platform == Platform::TERMINAL.as_str() {
        "\n\n`exit`, `quit` or Ctrl-D leaves; Ctrl-C stops an answer."
    } else {
        ""
    };
    Done {
        text: format!("{begin}\n\n{}{leaving}", lines.collect::<Vec<_>>().join("\n")),
        buttons: buttons.collect(),
        ..Done::default()
    }
}

/// What the argument can become while it is typed: a topic, or a command.
pub(super) fn choices(is_private: bool, role: Option<UserRole>) -> Vec<Choice> {
    let topics = topics(is_private, role.unwrap_or(UserRole::Stranger)).map(|topic| (topic.name, topic.about));
    let commands = COMMANDS.iter().map(|command| (command.name, command.description));
    let choice = |(name, about): (&'static str, &'static str)| Choice {
        label: format!("{name}: {about}"),
        value: String::from(name),
    };
    // A topic goes before a command of the same name, as it does when the help is given.
    let mut all: Vec<Choice> = Vec::new();
    for known in topics.chain(commands).map(choice) {
        if all.iter().all(|before| before.value != known.value) {
            all.push(known);
        }
    }
    all
}

/// The topics that are of use here to a person of this role.
fn topics(is_private: bool, role: UserRole) -> impl Iterator<Item = &'static Topic> {
    let is_of_use = move |topic: &&Topic| topic.name != OWNER || is_private && role == UserRole::Owner;
    TOPICS.iter().filter(is_of_use)
}

fn on(topic: &Topic, is_private: bool) -> String {
    if topic.name == OWNER {
        return "**What an owner can do**\n\n\
                - `/pair`: see who asks to be let in, and decide\n\
                - Approve or deny what I ask others, wherever I ask it\n\n\
                Where I run, `clifford --help` lists the rest: people, rules, budgets, settings."
            .to_owned();
    }
    let known = topic
        .commands
        .iter()
        .filter_map(|name| COMMANDS.iter().find(|command| command.name == *name));
    let lines: Vec<_> = known
        .map(|command| format!("- {}", line(command, is_private)))
        .collect();
    let manages = match topic.name == "work" && !is_private {
        true => "\n\nWhoever manages this place may approve and deny for everybody here.",
        false => "",
    };
    format!("**{}**\n\n{}{manages}", topic.about, lines.join("\n"))
}

fn line(command: &CommandSpec, is_private: bool) -> String {
    let name = command.name;
    let form = match command.argument {
        Some((argument, true)) => format!("{name} {}", argument.to_uppercase()),
        Some((argument, false)) => format!("{name} [{}]", argument.to_uppercase()),
        None => name.to_owned(),
    };
    let place = match !is_private && command.is_in_private_only() {
        true => " (in a private chat with me)",
        false => "",
    };
    format!("`/{form}`: {}{place}", command.description)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_topic() {
        for command in COMMANDS.iter().filter(|command| command.name != "help") {
            let topics = TOPICS.iter().filter(|topic| topic.commands.contains(&command.name));
            assert_eq!(topics.count(), 1, "{}", command.name);
        }
        let known = |name: &&str| COMMANDS.iter().any(|command| command.name == *name);
        assert!(TOPICS.iter().flat_map(|topic| topic.commands).all(known));
    }

    #[test]
    fn what_is_offered_follows_from_place_and_role() {
        let names =
            |is_private: bool, role: UserRole| -> Vec<_> { topics(is_private, role).map(|topic| topic.name).collect() };
        let all = ["chats", "memory", "work", "you"];
        assert_eq!(names(true, UserRole::Member), all);
        assert_eq!(names(false, UserRole::Owner), all);
        assert_eq!(
            names(true, UserRole::Owner),
            ["chats", "memory", "work", "you", "owner"]
        );
        let you = |is_private: bool| on(&TOPICS[3], is_private);
        assert!(you(false).contains("`/export`: Get all of your data (in a private chat with me)"));
        assert!(!you(true).contains("in a private chat"));
        assert!(on(&TOPICS[2], false).ends_with("may approve and deny for everybody here."));
    }
}
