//! The prompt of a direct chat: what is known in one system message, then the turns, then what is asked.

use std::fmt::Write as _;

use clifford_llm::{Message, Role};

use crate::{
    engine::work::Work,
    memory::recall::{self, Recalled},
    store::messages::Direction,
};

/// Puts the whole prompt together.
pub(super) fn messages(work: &Work, recalled: &Recalled) -> Vec<Message> {
    let mut messages = vec![Message {
        role: Role::System,
        content: system(work, recalled),
    }];
    for turn in &recalled.conversation.turns {
        let role = match turn.direction {
            Direction::Inbound => Role::User,
            Direction::Outbound => Role::Assistant,
        };
        say(&mut messages, role, &turn.content);
    }
    say(&mut messages, Role::User, &work.run.input_text);
    messages
}

/// What follows on something of the same side is put below it: many models take turns in strict alternation only.
fn say(messages: &mut Vec<Message>, role: Role, content: &str) {
    match messages.last_mut().filter(|last| last.role == role) {
        Some(last) => {
            last.content.push('\n');
            last.content.push_str(content);
        }
        None => messages.push(Message {
            role,
            content: content.to_owned(),
        }),
    }
}

/// One message, since many models take no second system message: who the agent is, whom it talks to and where, what is
/// remembered, what was said elsewhere, and how the conversation began.
fn system(work: &Work, recalled: &Recalled) -> String {
    let mut blocks = vec![work.agent.prompt.clone(), info(work, recalled)];
    if !recalled.items.is_empty() {
        let lines = recalled.items.iter().map(recall::line);
        blocks.push(block(recall::ITEMS_HEADING, lines));
    }
    for place in &recalled.elsewhere {
        let lines = place.turns.iter().map(recall::spoken);
        blocks.push(block(&recall::heading(place), lines));
    }
    if let Some(summary) = &recalled.conversation.summary {
        blocks.push(format!("Summary of the conversation so far:\n{}", summary.trim()));
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// What is known of the person and the place, a line each. Names come from outside: none breaks its line.
fn info(work: &Work, recalled: &Recalled) -> String {
    let user = recalled.user_name.as_deref().map(recall::folded);
    let channel = work.channel.as_ref().map(|channel| match &channel.name {
        Some(name) => format!("{} ({})", channel.platform, recall::folded(name)),
        None => channel.platform.clone(),
    });
    let context = recalled.conversation.name.as_deref().map(recall::folded);
    let known = [("User name", user), ("Channel", channel), ("Context", context)];
    let lines: Vec<_> = known
        .into_iter()
        .filter_map(|(what, value)| Some(format!("{what}: {}", value?)))
        .collect();
    lines.join("\n")
}

fn block(heading: &str, lines: impl Iterator<Item = String>) -> String {
    lines.fold(heading.to_owned(), |mut block, line| {
        // Writing to a string cannot fail.
        let _ = write!(block, "\n{line}");
        block
    })
}
