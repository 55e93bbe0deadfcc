//! How large the parts of a prompt are, about: for `/why`, the trace, and what a call may cost.

use std::io;

use clifford_llm::{Message, estimate_tokens};
use serde_json::Value;

use super::{examples, tools};
use crate::engine::step::Sections;

/// Of a run's head. `text` is the payload's.
pub(super) fn of_run(system: &str, payload: &Value, text: &str) -> Sections {
    let tools = system
        .split_once(tools::HEAD)
        .and_then(|(_, behind)| behind.rsplit_once(examples::HEAD))
        .map_or(0, |(tools, _)| estimate_tokens(tools));
    let (memories, cross_channel) = (tokens(&payload["memories"]), tokens(&payload["cross_channel"]));
    Sections {
        system: estimate_tokens(system).saturating_sub(tools),
        tools,
        memories,
        cross_channel,
        conversation: estimate_tokens(text).saturating_sub(memories + cross_channel),
        transcript: 0,
    }
}

/// Of a direct chat, whose first message holds what is known.
pub(super) fn of_chat(head: &[Message]) -> Sections {
    let mut sizes = head.iter().map(|message| estimate_tokens(&message.content));
    Sections {
        system: sizes.next().unwrap_or_default(),
        conversation: sizes.sum(),
        ..Sections::default()
    }
}

/// About how many tokens a part of the payload has; none, if it is empty.
fn tokens(part: &Value) -> u64 {
    let is_empty = match part {
        Value::Array(items) => items.is_empty(),
        part => part.is_null(),
    };
    let mut characters = Characters(0);
    // Counting cannot fail.
    if !is_empty && serde_json::to_writer(&mut characters, part).is_ok() {
        characters.0.div_ceil(4)
    } else {
        0
    }
}

/// Counts the characters of what is written to it.
struct Characters(u64);

impl io::Write for Characters {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Every byte of UTF-8 but those that go on with a character.
        self.0 += bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_sections_of_a_run_add_up_to_its_prompt() {
        let tools = "x".repeat(400);
        let system = format!("You are Ada.{}{tools}{}", super::super::tools::HEAD, examples::HEAD);
        let payload = json!({"memories": [{"value": "tä".repeat(20)}], "cross_channel": [], "conversation": ["hello"]});
        let text = payload.to_string();
        let sections = of_run(&system, &payload, &text);
        assert_eq!(
            (
                sections.tools,
                sections.memories,
                sections.cross_channel,
                sections.transcript
            ),
            (100, 14, 0, 0)
        );
        assert_eq!(sections.total(), estimate_tokens(&system) + estimate_tokens(&text));
    }
}
