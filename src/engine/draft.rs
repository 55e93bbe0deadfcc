//! The growing answer, taken out of a reply that is still being written: only what the user will read.

use clifford_llm::Sink;

use super::events::{Events, RunEvent};
use crate::id::RunId;

/// The fields whose text the user reads.
const FIELDS: [&str; 2] = ["\"message\"", "\"output\""];

/// Takes a reply as it grows, and tells those who watch its run the text of `message` or `output`.
pub struct Draft {
    events: Events,
    run: RunId,
    text: String,
    told: usize,
}

impl Draft {
    /// A draft of a run's next reply.
    pub fn new(events: Events, run: RunId) -> Self {
        Self {
            events,
            run,
            text: String::new(),
            told: 0,
        }
    }
}

impl Sink for Draft {
    fn text(&mut self, delta: &str) {
        if !self.events.is_watched(self.run) {
            return;
        }
        self.text.push_str(delta);
        let visible = visible(&self.text);
        if let Some(more) = visible.get(self.told..).filter(|more| !more.is_empty()) {
            self.events.tell(self.run, RunEvent::Token(more.to_owned()));
            self.told = visible.len();
        }
    }

    fn reset(&mut self) {
        self.text.clear();
        self.told = 0;
    }
}

/// What the user will read of a reply that has come so far. Escapes that are cut in half wait for the rest.
fn visible(reply: &str) -> String {
    let Some(behind) = FIELDS
        .iter()
        .find_map(|field| reply.split_once(field).map(|(_, rest)| rest))
    else {
        return String::new();
    };
    let value = behind
        .trim_start()
        .strip_prefix(':')
        .map(str::trim_start)
        .and_then(|rest| rest.strip_prefix('"'));
    let Some(value) = value else { return String::new() };
    let mut end = 0;
    let mut characters = value.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => break,
            '\\' => {
                let escaped = match characters.next() {
                    Some((_, 'u')) => value.get(at + 2..at + 6).map(|_| 4),
                    Some(_) => Some(0),
                    None => None,
                };
                let Some(digits) = escaped else { break };
                for _ in 0..digits {
                    characters.next();
                }
                end = at + 2 + digits;
            }
            other => end = at + other.len_utf8(),
        }
    }
    // A surrogate pair that is cut in half cannot be read yet: what stands before it can.
    let text = &value[..end];
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| {
        let before = text.rfind("\\u").map_or("", |at| &text[..at]);
        serde_json::from_str(&format!("\"{before}\"")).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn only_the_text_for_the_user_is_visible_and_only_whole_characters() {
        let cases = [
            (r#"{"type":"send_message","mess"#, ""),
            (r#"{"type":"send_message","message""#, ""),
            (r#"{"type":"send_message","message": "Hel"#, "Hel"),
            (r#"{"type":"send_message","message":"Hello"}"#, "Hello"),
            (r#"{"type":"finish","output":"a\n"#, "a\n"),
            (r#"{"type":"finish","output":"a\"#, "a"),
            (r#"{"type":"finish","output":"a\u00"#, "a"),
            (r#"{"type":"finish","output":"a\u00e4b"#, "aäb"),
            (r#"{"type":"finish","output":"a\ud83d"#, "a"),
            (r#"{"type":"finish","output":"a\ud83d\ude00"#, "a😀"),
            (r#"{"type":"tool_call","name":"x","args":{}}"#, ""),
        ];
        for (reply, expected) in cases {
            assert_eq!(visible(reply), expected, "{reply}");
        }
    }
}
