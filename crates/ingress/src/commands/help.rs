//! `/help`: short, by topic, and only what can be done here by the person who asks.

use clifford_chat::{completion::Choice, outbound::Button, platform::Platform};
use clifford_core::{
    commands::{COMMANDS, CommandName, CommandSpec},
    people::{User, UserRole},
    places::Channel,
};
use clifford_text::{Help, Lang};

use super::{Done, items::code};

/// Some commands that belong together.
struct Topic {
    /// How it is asked for.
    name: &'static str,
    /// Its subject.
    about: Help,
    commands: &'static [CommandName],
}

static TOPICS: [Topic; 5] = [
    Topic {
        name: "chats",
        about: Help::AboutChats,
        commands: &[
            CommandName::New,
            CommandName::Contexts,
            CommandName::Switch,
            CommandName::Close,
            CommandName::Continue,
            CommandName::Search,
        ],
    },
    Topic {
        name: "memory",
        about: Help::AboutMemory,
        commands: &[
            CommandName::Memory,
            CommandName::Forget,
            CommandName::Pin,
            CommandName::Share,
            CommandName::Private,
        ],
    },
    Topic {
        name: "work",
        about: Help::AboutWork,
        commands: &[
            CommandName::Stop,
            CommandName::Approve,
            CommandName::Deny,
            CommandName::Undo,
            CommandName::Why,
            CommandName::Reminders,
            CommandName::Usage,
        ],
    },
    Topic {
        name: "you",
        about: Help::AboutYou,
        commands: &[
            CommandName::Dashboard,
            CommandName::Settings,
            CommandName::Model,
            CommandName::Whoami,
            CommandName::Link,
            CommandName::Unlink,
            CommandName::Export,
            CommandName::Erase,
            CommandName::Key,
        ],
    },
    Topic {
        name: OWNER,
        about: Help::AboutOwner,
        commands: &[],
    },
];
impl Topic {
    fn about(&self, lang: Lang) -> String {
        lang.say(self.about.clone())
    }
}

/// The topic of owners, in private.
const OWNER: &str = "owner";

/// The help on a topic or a command; on nothing: what there is.
pub(super) fn help(wanted: &str, channel: &Channel, user: &User, lang: Lang) -> Done {
    let wanted = wanted.trim().trim_start_matches('/').to_lowercase();
    let is_private = channel.is_private();
    let mut offered = topics(is_private, user.role);
    if let Some(topic) = offered.find(|topic| topic.name == wanted) {
        return Done::say(topic_text(topic, is_private, lang));
    }
    if let Some(command) = COMMANDS.iter().find(|command| command.name.is(&wanted)) {
        return Done::say(line(command, is_private, lang));
    }
    let begin = match wanted.is_empty() {
        true if is_private => lang.say(Help::BeginPrivate),
        true => lang.say(Help::BeginShared),
        false => lang.say(Help::Unknown { topic: code(&wanted) }),
    };
    let entry = |topic: &Topic| (format!("help {}", topic.name), topic.about(lang));
    let lines = topics(is_private, user.role).map(entry).map(|(form, about)| {
        let line = lang.say(Help::Line { form, about });
        format!("- {line}")
    });
    let buttons = topics(is_private, user.role)
        .map(entry)
        .map(|(command, about)| Button::new(&about, command));
    let leaving = if channel.platform == Platform::TERMINAL.as_str() {
        format!("\n\n{}", lang.say(Help::Leaving))
    } else {
        String::new()
    };
    Done {
        text: format!("{begin}\n\n{}{leaving}", lines.collect::<Vec<_>>().join("\n")),
        buttons: buttons.collect(),
        ..Done::default()
    }
}

/// The completions of the argument: a topic, or a command.
pub(super) fn choices(is_private: bool, role: Option<UserRole>, lang: Lang) -> Vec<Choice> {
    let topics = topics(is_private, role.unwrap_or(UserRole::Stranger)).map(|topic| (topic.name, topic.about(lang)));
    let commands = COMMANDS
        .iter()
        .map(|command| (command.name.as_str(), command.about(lang)));
    let choice = |(name, about): (&'static str, String)| Choice {
        label: lang.labelled(name, &about),
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

fn topic_text(topic: &Topic, is_private: bool, lang: Lang) -> String {
    if topic.name == OWNER {
        return lang.say(Help::Owner);
    }
    let known = topic
        .commands
        .iter()
        .filter_map(|name| COMMANDS.iter().find(|command| command.name == *name));
    let lines: Vec<_> = known
        .map(|command| format!("- {}", line(command, is_private, lang)))
        .collect();
    let manages = match topic.name == "work" && !is_private {
        true => format!("\n\n{}", lang.say(Help::Managers)),
        false => String::new(),
    };
    format!("**{}**\n\n{}{manages}", topic.about(lang), lines.join("\n"))
}

fn line(command: &CommandSpec, is_private: bool, lang: Lang) -> String {
    let name = command.name;
    let form = match command.argument {
        Some((argument, true)) => format!("{name} {}", argument.to_uppercase()),
        Some((argument, false)) => format!("{name} [{}]", argument.to_uppercase()),
        None => name.to_string(),
    };
    let about = command.about(lang);
    lang.say(match !is_private && command.is_in_private_only() {
        true => Help::LineInPrivate { form, about },
        false => Help::Line { form, about },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_one_topic() {
        for command in COMMANDS.iter().filter(|command| command.name != CommandName::Help) {
            let topics = TOPICS.iter().filter(|topic| topic.commands.contains(&command.name));
            assert_eq!(topics.count(), 1, "{}", command.name);
        }
        let known = |name: &CommandName| COMMANDS.iter().any(|command| command.name == *name);
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
        let you = |is_private: bool| topic_text(&TOPICS[3], is_private, Lang::English);
        assert!(you(false).contains("`/export`: Get all of your data (in a private chat with me)"));
        assert!(!you(true).contains("in a private chat"));
        assert!(topic_text(&TOPICS[2], false, Lang::English).ends_with("may approve and deny for everybody here."));
    }
}
