//! The growing answer, taken out of a reply that is still being written: only what the user will read.

use clifford_llm::Sink;

use super::events::{Events, RunEvent};
use crate::{id::RunId, store::agents::Mode};

/// The fields whose text the user reads.
const FIELDS: [&str; 2] = ["\"message\"", "\"output\""];

/// Takes a reply as it grows, and tells those who watch its run the text of `message` or `output`.
pub struct Draft {
    events: Events,
    run: RunId,
    mode: Mode,
    text: String,
    told: usize,
}

impl Draft {
    /// A draft of a run's next reply.
    pub fn new(events: Events, run: RunId, mode: Mode) -> Self {
        Self {
            events,
            run,
            mode,
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
        let visible = match self.mode {
            Mode::Run => visible(&self.text),
            Mode::Chat => visible_in_chat(&self.text),
        };
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

/// The same of a direct chat, where the whole reply is for the user, but for what the model thinks aloud and an action
/// around the text. What may become the tag of a thought waits for the rest.
fn visible_in_chat(reply: &str) -> String {
    const TAG: &str = "<think>";
    let held = (1..TAG.len()).rev().find(|length| reply.ends_with(&TAG[..*length]));
    let so_far = &reply[..reply.len() - held.unwrap_or(0)];
    let spoken = clifford_action::without_thoughts(so_far);
    let spoken = spoken.trim_start();
    if spoken.starts_with('{') || spoken.starts_with("```json") {
        visible(spoken)
    } else if "```json".starts_with(spoken) {
        String::new()
    } else {
        spoken.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_chat_all_is_visible_but_thoughts_and_what_is_around_the_text() {
        let cases = [
            ("Hel", "Hel"),
            ("Hello <", "Hello "),
            ("a < b", "a < b"),
            ("<thi", ""),
            ("<think>a greeting", ""),
            ("<think>a greeting</think>\nHel", "Hel"),
            (r#"{"type":"send_message","message":"Hel"#, "Hel"),
            ("```js", ""),
            ("```json\n{\"type\":\"finish\",\"output\":\"Hel", "Hel"),
            ("```rust\nfn", "```rust\nfn"),
        ];
        for (reply, expected) in cases {
            assert_eq!(visible_in_chat(reply), expected, "{reply}");
        }
    }

    #[tokio::test]
    async fn who_watches_a_chat_sees_it_grow() {
        let (events, run) = (Events::default(), RunId::new());
        let mut watcher = events.watch(run);
        let mut draft = Draft::new(events, run, Mode::Chat);
        for delta in ["<think>hm</th", "ink>Hel", "lo", " you"] {
            draft.text(delta);
        }
        for token in ["Hel", "lo", " you"] {
            assert_eq!(watcher.next().await, Some(RunEvent::Token(token.to_owned())));
        }
    }

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
