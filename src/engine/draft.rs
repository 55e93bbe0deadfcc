//! The growing answer, taken out of a reply that is still being written: only what the user will read.

use std::sync::Arc;

use clifford_channel::DeliveryKey;
use clifford_llm::Sink;
use clifford_vault::Masker;

use super::events::{Events, RunEvent};
use crate::{
    delivery::Delivery,
    id::{ChannelId, RunId},
};

/// What a reply is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An action: what grows is the text of its `message` or `output`.
    Action,
    /// The answer itself.
    Whole,
}

/// Takes a reply as it grows, and tells those who watch its run, and its chat, what the user will read of it. A secret is
/// hidden, and what may become one held back until it is known.
pub struct Draft {
    events: Events,
    run: RunId,
    shape: Shape,
    masker: Arc<Masker>,
    is_guarded: bool,
    shown: Option<Shown>,
    text: String,
    told: usize,
    last: String,
}

/// Where a growing answer is shown.
pub struct Shown {
    /// Shows it.
    pub delivery: Delivery,
    /// The chat.
    pub channel: ChannelId,
    /// The claim of the run that is at work.
    pub epoch: i64,
    /// The key of the message that it becomes.
    pub key: DeliveryKey,
    /// The output of an action is shown too, not only its message.
    pub with_output: bool,
}

impl Draft {
    /// A draft of a run's next reply.
    pub fn new(events: Events, run: RunId, shape: Shape, masker: Arc<Masker>) -> Self {
        Self {
            events,
            run,
            shape,
            masker,
            is_guarded: false,
            shown: None,
            text: String::new(),
            told: 0,
            last: String::new(),
        }
    }

    /// The same, shown to nobody: it may lose addresses before it goes out.
    #[must_use]
    pub fn guarded(self) -> Self {
        Self {
            is_guarded: true,
            ..self
        }
    }

    /// The same, shown in the chat.
    #[must_use]
    pub fn shown(self, shown: Shown) -> Self {
        Self {
            shown: Some(shown),
            ..self
        }
    }

    /// The reply is whole: nothing needs to be held back any more.
    pub fn end(mut self) {
        if self.events.is_watched(self.run) && !self.is_guarded {
            let (_, visible) = self.visible();
            let visible = self.masker.mask(&visible).into_owned();
            self.tell(&visible);
        }
    }

    fn visible(&self) -> (Field, String) {
        match self.shape {
            Shape::Action => visible(&self.text),
            Shape::Whole => visible_in_chat(&self.text),
        }
    }

    /// Tells those who watch the run what is new to them.
    fn tell(&mut self, visible: &str) {
        if let Some(more) = visible.get(self.told..).filter(|more| !more.is_empty()) {
            self.events.tell(self.run, RunEvent::Token(more.to_owned()));
            self.told = visible.len();
        }
    }

    /// Shows whole words only.
    fn show(&mut self, visible: &str) {
        let Some(shown) = &self.shown else { return };
        let words = visible.rfind(char::is_whitespace).map_or("", |end| &visible[..end]);
        let words = self.masker.mask(self.masker.settled(words.trim_end()));
        if !words.is_empty() && *words != self.last {
            words.as_ref().clone_into(&mut self.last);
            let text = words.into_owned();
            (shown.delivery).draft(shown.channel, self.run, shown.epoch, &shown.key, text);
        }
    }
}

impl Sink for Draft {
    fn text(&mut self, delta: &str) {
        if self.is_guarded {
            return;
        }
        self.text.push_str(delta);
        let is_watched = self.events.is_watched(self.run);
        if !is_watched && self.shown.is_none() {
            return;
        }
        let (field, visible) = self.visible();
        if is_watched {
            let settled = self.masker.mask(self.masker.settled(&visible)).into_owned();
            self.tell(&settled);
        }
        let is_shown = match field {
            Field::Message => true,
            Field::Output => self.shown.as_ref().is_some_and(|shown| shown.with_output),
            Field::Buffer => false,
        };
        if is_shown {
            self.show(&visible);
        }
    }

    fn reset(&mut self) {
        self.text.clear();
        if self.told > 0 {
            self.events.tell(self.run, RunEvent::Reset);
        }
        self.told = 0;
    }
}

/// What the text of an action is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// What is said now.
    Message,
    /// What is said now, behind what is in the output buffer.
    Output,
    /// What goes into the output buffer.
    Buffer,
}

/// What the user will read of an action that has come so far. Nothing, until it is known what action it is: what
/// a tool is called with may have a `message` as well.
fn visible(reply: &str) -> (Field, String) {
    let nothing = (Field::Buffer, String::new());
    let Some(action) = after_thought(reply).find('{').map(|at| &after_thought(reply)[at + 1..]) else {
        return nothing;
    };
    let (mut kind, mut said) = (None, None);
    let mut rest = action;
    while let Some((key, behind)) = string(rest) {
        let Some(value) = behind.trim_start().strip_prefix(':').map(str::trim_start) else {
            break;
        };
        match (unescaped(key).as_str(), value.strip_prefix('"')) {
            ("type", Some(text)) if string(value).is_some() => kind = Some(unescaped(text)),
            ("message" | "output", Some(text)) => said = Some((unescaped(key), unescaped(text))),
            _ => {}
        }
        let Some(behind) = behind_value(value) else { break };
        rest = behind;
    }
    match (kind.as_deref(), said) {
        (Some("send_message"), Some((key, text))) if key == "message" => (Field::Message, text),
        (Some("finish"), Some((key, text))) if key == "output" => (Field::Output, text),
        (Some("set_output"), Some((key, text))) if key == "output" => (Field::Buffer, text),
        _ => nothing,
    }
}

/// What stands behind what a model thinks aloud; nothing, as long as it thinks.
fn after_thought(reply: &str) -> &str {
    match reply.trim_start().strip_prefix("<think>") {
        Some(thought) => thought.split_once("</think>").map_or("", |(_, behind)| behind),
        None => reply,
    }
}

/// The inside of the next string that is whole, and what stands behind it. `None`: there is none.
fn string(text: &str) -> Option<(&str, &str)> {
    let inside = &text[text.find('"')? + 1..];
    let end = end_of_string(inside)?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// Where a string ends whose opening quote stands before.
fn end_of_string(inside: &str) -> Option<usize> {
    let mut escaped = false;
    inside.char_indices().find_map(|(at, character)| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// What stands behind a value and its comma. `None`: it has not ended, or nothing follows it.
fn behind_value(value: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut rest = value;
    loop {
        let at = rest.find(['"', '{', '[', '}', ']', ','])?;
        let behind = &rest[at + 1..];
        match rest.as_bytes()[at] {
            b'"' => {
                rest = &behind[end_of_string(behind)? + 1..];
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return Some(behind),
            _ => {}
        }
        rest = behind;
    }
}

/// A string's text, as far as it has come. Escapes that are cut in half wait for the rest.
fn unescaped(value: &str) -> String {
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
fn visible_in_chat(reply: &str) -> (Field, String) {
    const TAG: &str = "<think>";
    let held = (1..TAG.len()).rev().find(|length| reply.ends_with(&TAG[..*length]));
    let so_far = &reply[..reply.len() - held.unwrap_or(0)];
    let spoken = clifford_action::without_thoughts(so_far);
    let spoken = spoken.trim_start();
    if spoken.starts_with('{') || spoken.starts_with("```json") {
        visible(spoken)
    } else if "```json".starts_with(spoken) {
        (Field::Buffer, String::new())
    } else {
        (Field::Message, spoken.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use clifford_vault::Secret;
    use proptest::prelude::*;

    use super::*;
    use crate::engine::events::Watcher;

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
            assert_eq!(visible_in_chat(reply).1, expected, "{reply}");
        }
    }

    fn watched(shape: Shape, secrets: &[&str]) -> (Draft, Watcher) {
        let (events, run) = (Events::default(), RunId::new());
        let watcher = events.watch(run);
        let secrets: Vec<_> = secrets.iter().map(|secret| Secret::new(*secret)).collect();
        (Draft::new(events, run, shape, Arc::new(Masker::new(&secrets))), watcher)
    }

    /// All that was told, in order.
    async fn told(watcher: &mut Watcher, draft: Draft) -> Vec<RunEvent> {
        draft.events.tell(draft.run, RunEvent::Step(1));
        drop(draft);
        let mut events = Vec::new();
        while let Some(event) = watcher.next().await.filter(|event| *event != RunEvent::Step(1)) {
            events.push(event);
        }
        events
    }

    fn tokens(texts: &[&str]) -> Vec<RunEvent> {
        texts.iter().map(|text| RunEvent::Token((*text).to_owned())).collect()
    }

    #[tokio::test]
    async fn who_watches_a_chat_sees_it_grow() {
        let (mut draft, mut watcher) = watched(Shape::Whole, &[]);
        for delta in ["<think>hm</th", "ink>Hel", "lo", " you"] {
            draft.text(delta);
        }
        assert_eq!(told(&mut watcher, draft).await, tokens(&["Hel", "lo", " you"]));
    }

    #[tokio::test]
    async fn a_secret_is_hidden_even_if_it_comes_in_pieces() {
        let (mut draft, mut watcher) = watched(Shape::Action, &["hunter22 x"]);
        for delta in [r#"{"type":"finish","output":"it is h"#, "unter22", " x, or h", "i"] {
            draft.text(delta);
        }
        let expected = tokens(&["it is ", "[secret], or ", "hi"]);
        assert_eq!(told(&mut watcher, draft).await, expected);
    }

    #[tokio::test]
    async fn what_was_held_back_is_told_when_the_reply_is_whole() {
        let (mut draft, mut watcher) = watched(Shape::Whole, &["hunter22"]);
        let (events, run) = (draft.events.clone(), draft.run);
        draft.text("oh");
        draft.end();
        events.tell(run, RunEvent::Step(1));
        for expected in tokens(&["o", "h"]) {
            assert_eq!(watcher.next().await, Some(expected));
        }
    }

    #[tokio::test]
    async fn who_watches_hears_that_a_reply_begins_anew() {
        let (mut draft, mut watcher) = watched(Shape::Whole, &[]);
        draft.reset();
        draft.text("The answ");
        draft.reset();
        draft.text("It is");
        let expected = [tokens(&["The answ"]), vec![RunEvent::Reset], tokens(&["It is"])].concat();
        assert_eq!(told(&mut watcher, draft).await, expected);
    }

    #[tokio::test]
    async fn what_may_lose_addresses_is_told_to_nobody() {
        let (draft, mut watcher) = watched(Shape::Whole, &[]);
        let mut draft = draft.guarded();
        draft.text("look at https://example.org/");
        assert_eq!(told(&mut watcher, draft).await, []);
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
            (r#"{"type":"set_output","output":"a"#, "a"),
            (r#"{"type":"tool_call","name":"x","args":{}}"#, ""),
            (
                r#"{"type":"tool_call","name":"mail.send","args":{"message":"secret"#,
                "",
            ),
            (r#"{"message":"Hel"#, ""),
            (r#"{"message":"Hello","type":"send_message"#, ""),
            (r#"{"message":"Hello","type":"send_message""#, "Hello"),
            (
                r#"{"type":"finish","notes":[{"category":"plan","content":"say \"output\": {"}],"output":"Hi"#,
                "Hi",
            ),
            (r#"{"type":"finish","notes":[{"output":"no"}"#, ""),
            (r#"<think>{"type":"finish","output":"no"}"#, ""),
            (
                r#"<think>{"type":"finish"}</think>{"type":"finish","output":"Yes"#,
                "Yes",
            ),
            ("```json\n{\"type\": \"finish\", \"output\": \"Yes", "Yes"),
            ("no JSON at all", ""),
        ];
        for (reply, expected) in cases {
            assert_eq!(visible(reply).1, expected, "{reply}");
        }
    }

    proptest! {
        #[test]
        fn what_is_visible_only_grows_and_is_the_message_in_the_end(message in "(?s).{0,40}", cut in 0..200_usize) {
            let reply = serde_json::json!({"type": "send_message", "message": message}).to_string();
            // Objects are sorted by key; the type is first in what a model writes.
            let whole = format!("{{\"type\":\"send_message\",{}", reply.trim_start_matches('{'));
            let cut = (0..=cut.min(whole.len())).rev().find(|cut| whole.is_char_boundary(*cut)).unwrap_or(0);
            prop_assert!(message.starts_with(&visible(&whole[..cut]).1));
            prop_assert_eq!(visible(&whole).1, message);
        }

        #[test]
        fn any_text_is_read(reply in "(?s).{0,60}") {
            visible(&reply);
        }
    }
}
