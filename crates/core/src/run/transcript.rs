//! The model's view of its own run: replies, results and notes, in order, as far as there is room for them. Pure.
//!
//! Every entry is kept; which are shown follows from the entries and the room. When they have become too many, the
//! oldest half goes at once, so that between two cuts each prompt is a prefix of the next. Notes, the output buffer and
//! people's messages must not be forgotten: they are repeated in the place of the entries that went.

use std::{borrow::Cow, sync::Arc};

use clifford_action::Category;
use clifford_llm_api::{
    model::{Message, Role},
    tokens::{Quarters, weigh},
};
use serde_json::{Map, Value, json};

use crate::{
    prompt::{
        can::Can,
        excerpt,
        weight::{Form, weigh_json},
    },
    settings::Engine,
};

/// How much of the transcript is shown, as it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowLimits {
    /// The most entries.
    pub entries: usize,
    /// The most tokens; `None`: a share of the model's window.
    pub tokens: Option<u64>,
    /// The most tokens of one entry; a longer one is cut.
    pub entry_tokens: u64,
}

impl Default for WindowLimits {
    fn default() -> Self {
        Self {
            entries: 50,
            tokens: None,
            entry_tokens: 4000,
        }
    }
}

impl WindowLimits {
    /// The limits that `[engine]` sets.
    pub fn of(engine: &Engine) -> Self {
        Self {
            entries: engine.transcript_limit,
            tokens: engine.transcript_token_limit.map(u64::from),
            entry_tokens: u64::from(engine.tool_result_token_limit),
        }
    }

    /// The most of one entry, of so much for all: what is left after a cut has room for more than one.
    pub fn entry(&self, most: Quarters) -> Quarters {
        (self.entry_tokens * 4).min(most / 10 * 3)
    }
}

/// The overhead of a message besides its text.
const AROUND: Quarters = 4 * 4;
/// The most of one note that is repeated.
const NOTE: Quarters = 80 * 4;
/// How many notes of a kind are repeated.
const NOTES: usize = 4;
/// How many results that went are named.
const NAMED: usize = 8;
/// The room of the pointer to a whole entry.
const POINTER: Quarters = 40 * 4;

/// Everything that was said and done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    entries: Vec<Arc<Entry>>,
    notes: Vec<Arc<Note>>,
}

#[derive(Debug, PartialEq)]
struct Entry {
    what: EntryContent,
    weight: Quarters,
    /// The step that it is.
    seq: u32,
}

/// The kind of an entry.
#[derive(Debug, PartialEq)]
enum EntryContent {
    /// The model replied this.
    Reply(String),
    /// A result or note for it, under a name.
    Told(&'static str, Value),
}

#[derive(Debug, PartialEq)]
struct Note {
    category: Category,
    content: String,
    /// How many entries there were when it was noted: the last of them tells it.
    behind: usize,
}

/// The visible part of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisibleTranscript {
    /// The fields that join the question: the summary of the entries that went, and the notes before the first reply.
    pub first: Map<String, Value>,
    /// The messages that follow, a reply and an answer by turns.
    pub messages: Vec<Message>,
}

/// The answer to a reply without a result, such as a note: a model whose own words come last continues them or says
/// nothing, and some servers refuse it. It stands in the same place in every later prompt.
pub(super) const GO_ON: &str = "Recorded. Go on with the next action.";

/// In the place of words that their author deleted.
pub const DELETED: &str = "[deleted]";

impl Transcript {
    /// The model replied.
    pub fn reply(&mut self, text: &str, seq: u32) {
        self.push(EntryContent::Reply(text.to_owned()), weigh(text), seq);
    }

    /// Adds a result or note for the model, under a name.
    pub fn tell(&mut self, name: &'static str, value: Value, seq: u32) {
        let weight = weigh_json(&value) + weigh(name) + 5;
        self.push(EntryContent::Told(name, value), weight, seq);
    }

    fn push(&mut self, what: EntryContent, weight: Quarters, seq: u32) {
        self.entries.push(Arc::new(Entry { what, weight, seq }));
    }

    /// Puts a neutral word in the place of a person's message, which they deleted.
    pub fn forget_message(&mut self, seq: u32) {
        for entry in &mut self.entries {
            if entry.seq == seq && matches!(entry.what, EntryContent::Told("user_message", _)) {
                let value = json!(DELETED);
                let weight = weigh_json(&value) + weigh("user_message") + 5;
                let what = EntryContent::Told("user_message", value);
                *entry = Arc::new(Entry { what, weight, seq });
            }
        }
    }

    /// The model noted something, in its last reply.
    pub fn note(&mut self, category: Category, content: &str) {
        self.notes.push(Arc::new(Note {
            category,
            content: content.to_owned(),
            behind: self.entries.len(),
        }));
    }

    /// The visible part within so much room.
    pub fn visible(&self, limits: WindowLimits, most: Quarters, can: Can) -> VisibleTranscript {
        let each = limits.entry(most);
        // The summary of the entries that went has its own room.
        let memory = most / 4;
        let weights: Vec<_> = (self.entries.iter())
            .map(|entry| entry.weight.min(each) + entry.around())
            .collect();
        let start = self.first_visible(&weights, limits.entries, most, most - memory);
        let room = if start == 0 { most } else { most - memory };
        let newest: Quarters = weights[start..].iter().sum();
        // A single exchange may be larger than that.
        let each = match newest <= room {
            true => each,
            false => room / (self.entries.len() - start).max(1) as Quarters,
        };
        let mut talk = Talk::default();
        if start > 0 {
            let earlier = self.earlier(start, can);
            let weight = memory.saturating_sub(16);
            talk.tell("earlier", excerpt::value(&earlier, weight).into_owned());
        }
        for entry in &self.entries[start..] {
            match &entry.what {
                EntryContent::Reply(text) => talk.reply(&reply_within(text, each)),
                EntryContent::Told(name, value) => talk.tell(name, entry.told_within(value, each, can).into_owned()),
            }
        }
        talk.end()
    }

    /// The entry from which on they are shown: where they are too many, the oldest half goes, and what is left begins
    /// with a reply. The newest reply and what followed it always stay.
    fn first_visible(&self, weights: &[Quarters], entries: usize, whole: Quarters, cut: Quarters) -> usize {
        let is_reply = |at: &usize| matches!(self.entries[*at].what, EntryContent::Reply(_));
        let replies: Vec<_> = (0..self.entries.len()).filter(is_reply).collect();
        let (mut start, mut most) = (0, whole);
        for (place, last) in replies.iter().enumerate() {
            // A prompt is made when what follows a reply is complete.
            let end = replies.get(place + 1).copied().unwrap_or(self.entries.len());
            let weight = |from: usize| weights[from..end].iter().sum::<Quarters>();
            if weight(start) <= most && end - start <= entries {
                continue;
            }
            most = cut;
            let fits = |from: usize| weight(from) <= cut / 2 && end - from <= entries.div_ceil(2);
            let from = replies[..=place]
                .iter()
                .copied()
                .find(|from| *from > start && fits(*from));
            start = from.unwrap_or(*last);
        }
        start
    }

    /// The summary of the entries before one.
    fn earlier(&self, start: usize, can: Can) -> Value {
        let gone = &self.entries[..start];
        let mut earlier = Map::new();
        earlier.insert("left_out".to_owned(), json!(mark(gone, can)));
        let notes: Vec<_> = self.notes.iter().filter(|note| note.behind <= start).collect();
        let told = |note: &&&Arc<Note>| {
            let later = notes.iter().rev().take_while(|other| !Arc::ptr_eq(other, note));
            later.filter(|other| other.category == note.category).count() < NOTES
        };
        let told: Vec<_> = (notes.iter().filter(told))
            .map(|note| json!({ "category": note.category, "content": excerpt::text(&note.content, NOTE, Form::Json, None) }))
            .collect();
        if !told.is_empty() {
            earlier.insert("notes".to_owned(), Value::Array(told));
        }
        let named = |wanted: &'static str, entries: &[Arc<Entry>]| -> Vec<Value> {
            let told = entries.iter().filter_map(|entry| match &entry.what {
                EntryContent::Told(name, value) if *name == wanted => Some(value.clone()),
                _ => None,
            });
            told.collect()
        };
        let heard = named("user_message", gone);
        if !heard.is_empty() {
            earlier.insert("user_messages".to_owned(), Value::Array(heard));
        }
        // A later one tells all of it.
        if named("output", &self.entries[start..]).is_empty()
            && let Some(output) = named("output", gone).pop()
        {
            earlier.insert("output".to_owned(), output);
        }
        Value::Object(earlier)
    }

    /// The texts of its entries, oldest first.
    #[cfg(test)]
    pub(super) fn texts(&self) -> Vec<String> {
        let text = |entry: &Arc<Entry>| match &entry.what {
            EntryContent::Reply(text) => text.clone(),
            EntryContent::Told(name, value) => json!({ *name: value }).to_string(),
        };
        self.entries.iter().map(text).collect()
    }
}

/// How many entries are missing, and how the results among them can be had.
fn mark(gone: &[Arc<Entry>], can: Can) -> String {
    let results: Vec<_> = gone.iter().filter_map(|entry| entry.result()).collect();
    let others = gone.len() - results.len();
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    if results.is_empty() {
        return format!(
            "{} left out",
            counted(others, "earlier entry").replace("entrys", "entries")
        );
    }
    let mut mark = format!("{} left out", counted(results.len(), "earlier tool result"));
    if others > 0 {
        mark.push_str(", and ");
        mark.push_str(&counted(others, "other entry").replace("entrys", "entries"));
    }
    if can.read {
        let newest = &results[results.len().saturating_sub(NAMED)..];
        let named: Vec<_> = newest
            .iter()
            .map(|(seq, name)| format!("{} ({name})", crate::run::kept::step(*seq)))
            .collect();
        mark.push_str("; files.read {\"id\":\"step-N\"} shows a result again: ");
        mark.push_str(&named.join(", "));
    } else {
        mark.push_str("; call again to see them");
    }
    mark
}

impl Entry {
    /// Its overhead besides its text: a reply may be answered by a note that it was recorded.
    const fn around(&self) -> Quarters {
        match self.what {
            EntryContent::Reply(_) => 2 * AROUND + GO_ON.len() as Quarters + 20,
            EntryContent::Told(..) => AROUND,
        }
    }

    /// The step of a tool's result, and the tool's name.
    fn result(&self) -> Option<(u32, &str)> {
        match &self.what {
            EntryContent::Told("tool_result", value) => Some((self.seq, value["name"].as_str().unwrap_or_default())),
            _ => None,
        }
    }

    /// Its value, cut to so much room.
    fn told_within<'a>(&self, value: &'a Value, most: Quarters, can: Can) -> Cow<'a, Value> {
        if self.weight <= most {
            return Cow::Borrowed(value);
        }
        // Minus the room of its name.
        let most = most.saturating_sub(28);
        let Some(whole) = can
            .whole(&crate::run::kept::step(self.seq))
            .filter(|_| most > 3 * POINTER)
        else {
            return excerpt::value(value, most);
        };
        if let Value::String(text) = value {
            return Cow::Owned(json!(excerpt::text(text, most - 2, Form::Json, Some(&whole))));
        }
        let mut cut = excerpt::value(value, most - POINTER).into_owned();
        if let Some(fields) = cut.as_object_mut() {
            let told = value.get("result").unwrap_or(value);
            let characters = crate::run::kept::plain(told).chars().count();
            fields.insert(
                "left_out".to_owned(),
                json!(format!("parts of it; {whole} {characters} characters")),
            );
        }
        Cow::Owned(cut)
    }
}

/// A reply within so much: what can be read of it stays what can be read.
fn reply_within(text: &str, most: Quarters) -> Cow<'_, str> {
    if weigh(text) <= most {
        return Cow::Borrowed(text);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => Cow::Owned(excerpt::value(&value, most).to_string()),
        _ => excerpt::text(text, most, Form::Plain, None),
    }
}

/// Messages by turns: all results and notes between two replies are one message, with a field for each.
#[derive(Default)]
struct Talk {
    shown: VisibleTranscript,
    told: Map<String, Value>,
}

impl Talk {
    fn tell(&mut self, name: &str, value: Value) {
        let both = match (self.told.remove(name), value) {
            (None, value) => value,
            (Some(Value::String(before)), Value::String(then)) => json!(format!("{before}\n{then}")),
            (Some(Value::Array(mut before)), Value::Array(then)) => {
                before.extend(then);
                Value::Array(before)
            }
            // The new output holds the earlier one.
            (Some(_), value) if name == "output" => value,
            (Some(before), then) => json!([before, then]),
        };
        self.told.insert(name.to_owned(), both);
    }

    fn reply(&mut self, text: &str) {
        if self.shown.messages.is_empty() {
            self.shown.first = std::mem::take(&mut self.told);
        } else {
            self.answer();
        }
        self.shown.messages.push(Message {
            role: Role::Assistant,
            content: text.to_owned(),
        });
    }

    fn answer(&mut self) {
        if self.told.is_empty() {
            self.told.insert("system_note".to_owned(), json!(GO_ON));
        }
        self.shown.messages.push(Message {
            role: Role::User,
            content: Value::Object(std::mem::take(&mut self.told)).to_string(),
        });
    }

    fn end(mut self) -> VisibleTranscript {
        if self.shown.messages.is_empty() {
            self.shown.first = std::mem::take(&mut self.told);
        } else {
            self.answer();
        }
        self.shown
    }
}

#[cfg(test)]
mod tests;
