//! Completes the argument of a command while it is typed. Completions reveal nothing that the command itself would not
//! show there.

use std::collections::HashMap;

use clifford_chat::{
    completion::{Choice, Completion},
    inbound::Place,
};
use clifford_core::{commands::CommandName, people::User, places::Channel};
use clifford_store::{
    Conn, StoreError,
    memory::items::{self as memory_items, MemoryItem, Viewer},
};
use clifford_text::Lang;

use super::{Choices, continuing, conversations, fitting::fitting, help, model, reminders, settings};

/// A completion with all that it needs.
#[derive(Debug)]
pub struct CompletionRequest<'a> {
    /// The typed text, its author and its place.
    pub completion: &'a Completion,
    /// The place, if it is known.
    pub channel: Option<&'a Channel>,
    /// The person, if they are known.
    pub user: Option<&'a User>,
    /// The choices.
    pub offered: &'a Choices,
    /// They may set the place up, where others share it.
    pub manages: bool,
    /// The language that they read.
    pub lang: Lang,
}

/// Whether there is something that the argument of a command can become.
pub fn completes(command: CommandName) -> bool {
    kind(command).is_some()
}

enum Kind {
    Here,
    Elsewhere,
    Item,
    Setting,
    Model,
    Reminder,
    Topic,
    Question,
}

const fn kind(command: CommandName) -> Option<Kind> {
    Some(match command {
        CommandName::Switch => Kind::Here,
        CommandName::Continue => Kind::Elsewhere,
        CommandName::Forget | CommandName::Pin | CommandName::Share | CommandName::Private => Kind::Item,
        CommandName::Settings => Kind::Setting,
        CommandName::Model => Kind::Model,
        CommandName::Reminders => Kind::Reminder,
        CommandName::Help => Kind::Topic,
        CommandName::Approve | CommandName::Deny => Kind::Question,
        CommandName::New
        | CommandName::Contexts
        | CommandName::Close
        | CommandName::Search
        | CommandName::Memory
        | CommandName::Link
        | CommandName::Unlink
        | CommandName::Dashboard
        | CommandName::Export
        | CommandName::Erase
        | CommandName::Key
        | CommandName::Usage
        | CommandName::Why
        | CommandName::Trace
        | CommandName::Undo
        | CommandName::Stop
        | CommandName::Whoami
        | CommandName::Ask
        | CommandName::Start
        | CommandName::Pair
        | CommandName::Rate => return None,
    })
}

/// The completions of an argument, for a person who may speak there.
pub async fn complete(conn: &mut Conn, asked: CompletionRequest<'_>) -> Result<Vec<Choice>, StoreError> {
    let CompletionRequest {
        completion: asked,
        channel,
        user,
        offered,
        manages,
        lang,
    } = asked;
    let is_private = asked.place.kind.is_private();
    let all = match (CommandName::of(&asked.command).and_then(kind), channel, user) {
        (Some(Kind::Here), Some(channel), _) => conversations::choices(conn, channel, lang).await?,
        (Some(Kind::Elsewhere), Some(channel), Some(user)) if channel.is_private() => {
            continuing::choices(conn, channel, user, lang).await?
        }
        (Some(Kind::Setting), ..) if is_private || manages => {
            return settings::choices(conn, &asked.typed, is_private, offered, lang).await;
        }
        (Some(Kind::Model), ..) => return Ok(model::choices(&asked.typed, offered)),
        (Some(Kind::Topic), ..) => help::choices(is_private, user.map(|user| user.role), lang),
        (Some(Kind::Question), Some(channel), Some(user)) => super::approving::choices(conn, channel, user).await?,
        (Some(Kind::Reminder), Some(channel), Some(user)) => reminders::choices(conn, channel, user).await?,
        (Some(Kind::Item), channel, Some(user)) => match viewer(&asked.place, channel, user) {
            Some(viewer) => {
                items(memory_items::active(conn, user.id, viewer, clifford_content::memory::recall::MOST).await?)
            }
            None => Vec::new(),
        },
        _ => Vec::new(),
    };
    Ok(fitting(all, &asked.typed))
}

/// The viewer of items there; none in an unknown shared place.
fn viewer(place: &Place, channel: Option<&Channel>, user: &User) -> Option<Viewer> {
    match channel {
        Some(channel) => Some(clifford_content::memory::recall::viewer(Some(user.id), Some(channel))),
        None => place.kind.is_private().then_some(Viewer::Private),
    }
}

/// Items by their keys; with the module where a key alone could be two.
fn items(items: Vec<MemoryItem>) -> Vec<Choice> {
    let mut keys: HashMap<String, usize> = HashMap::new();
    for item in &items {
        *keys.entry(item.key.clone()).or_default() += 1;
    }
    let choice = |item: MemoryItem| {
        let value = match keys.get(&item.key) {
            Some(1) => item.key,
            _ => format!("{}.{}", item.module, item.key),
        };
        Choice {
            label: format!("{value}: {}", item.value),
            value,
        }
    };
    items.into_iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(module: &str, key: &str, value: &str) -> MemoryItem {
        MemoryItem {
            module: module.to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
            level: 0,
        }
    }

    #[test]
    fn items_are_named_by_key_unless_that_is_two() {
        let choices = items(vec![
            item("identity", "name", "Ada"),
            item("projects", "name", "Engine"),
            item("preferences", "drink", "tea"),
        ]);
        let shown: Vec<_> = choices
            .iter()
            .map(|choice| (choice.value.as_str(), choice.label.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("identity.name", "identity.name: Ada"),
                ("projects.name", "projects.name: Engine"),
                ("drink", "drink: tea")
            ]
        );
    }
}
