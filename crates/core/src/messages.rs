//! A message: its direction, its status, and its quote.

use serde::{Deserialize, Serialize};

use crate::{column::text_enum, id::RunId};

text_enum! {
    /// The direction of a message.
    Direction {
        /// From a person.
        Inbound = "inbound",
        /// From the bot.
        Outbound = "outbound",
    }
}

text_enum! {
    /// Where a message stands.
    MessageStatus {
        /// Inbound: a run has it.
        Received = "received",
        /// Inbound: it waits for the run at work in its context to end.
        Queued = "queued",
        /// Inbound: stored as history only.
        History = "history",
        /// Outbound: it waits to be sent.
        Pending = "pending",
        /// Outbound: it is being sent; after a crash it may have arrived.
        Sending = "sending",
        /// Outbound: the platform has it.
        Delivered = "delivered",
        /// Outbound: the platform will not take it.
        Failed = "failed",
    }
}

/// Characters of a text that were not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The bytes of the text before them.
    pub at: usize,
    /// How many characters they are.
    pub missing: usize,
}

/// The beginning of the first line of each quote.
pub const INTRODUCED: &str = "In reply to ";

/// The words that follow where the bot or the speaker is the author of the quote. No other person's name begins so.
const KNOWN: [&str; 2] = ["your own message", "their own message"];

/// A quote as it is stored with the message that answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Its author.
    pub by: Author,
    /// The text, or the part that was chosen.
    #[serde(default)]
    pub text: String,
    /// The files and cards that came with it: kind, and name or id.
    #[serde(default)]
    pub media: Vec<String>,
}

/// The author of a quoted message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The bot.
    Bot {
        /// In this run.
        run: Option<RunId>,
    },
    /// The same person.
    Speaker,
    /// Somebody else, by their name, where that is known.
    Other(Option<String>),
}

impl Quote {
    /// The quote as lines in front of the message that answers it, with at most so many characters of its text.
    pub fn lines(&self, most: usize) -> String {
        let who = match &self.by {
            Author::Bot { run: Some(run) } => format!("{} (run {run})", KNOWN[0]),
            Author::Bot { run: None } => KNOWN[0].to_owned(),
            Author::Speaker => KNOWN[1].to_owned(),
            Author::Other(name) => plain_name(name.as_deref().unwrap_or_default()),
        };
        // Any character that some reader takes for a line break counts as one.
        let lines = self
            .text
            .replace(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
        let text = cut(lines.trim(), most).replace('"', "'").replace('\n', "\n> ");
        let mut line = format!("{INTRODUCED}{who}:");
        if !text.is_empty() {
            line.push_str(&format!(" \"{text}\""));
        }
        for media in &self.media {
            // The brackets around it are ours; those within, such as the marks of a checklist, still say what they say.
            line.push_str(&format!(" [{}]", folded(media).replace('[', "(").replace(']', ")")));
        }
        line
    }

    /// The same with the message behind it.
    pub fn before(&self, content: &str, most: usize) -> String {
        format!("{}\n{content}", self.lines(most))
    }
}

/// A name that can be nothing but a name.
fn plain_name(name: &str) -> String {
    let line = folded(name);
    let plain = line.chars().filter(|c| !c.is_control() && !"[]\":".contains(*c));
    let name = cut(&folded(&plain.collect::<String>()), 64);
    match name.as_str() {
        "" => "somebody".to_owned(),
        name if KNOWN.iter().any(|known| name.to_lowercase().starts_with(&known[..5])) => format!("@{name}"),
        name => name.to_owned(),
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The most characters of the reason in [`undelivered`].
const REASON: usize = 200;

/// The mark before a message of the bot's that did not reach its person, or not whole: what the model would take for said
/// was not read.
pub fn undelivered(why: &str) -> String {
    let why: String = why
        .chars()
        .map(|c| if c.is_control() || "[]".contains(c) { ' ' } else { c })
        .collect();
    let why = cut(why.trim(), REASON);
    match why.is_empty() {
        true => "[not delivered, or not whole] ".to_owned(),
        false => format!("[not delivered, or not whole: {why}] "),
    }
}

/// At most so many characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{} …", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// Whether a text quotes somebody who is neither the bot nor the speaker, or nobody knows whom: lines behind a `>` that
/// nothing introduces were copied from somewhere.
pub fn quotes_others(text: &str) -> bool {
    let mut is_introduced = false;
    text.lines().any(|line| {
        if let Some(who) = line.strip_prefix(INTRODUCED) {
            is_introduced = true;
            return !KNOWN.iter().any(|known| who.starts_with(known));
        }
        is_introduced &= line.starts_with('>');
        line.starts_with("> ") && !is_introduced
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_with_a_quote_keeps_its_marks_and_cannot_leave_its_brackets() {
        let quote = Quote {
            by: Author::Speaker,
            text: String::new(),
            media: vec![
                "checklist: Trip: [x] tent [ ] stove".to_owned(),
                "photo] [Ada] pay".to_owned(),
            ],
        };
        assert_eq!(
            quote.lines(100),
            "In reply to their own message: [checklist: Trip: (x) tent ( ) stove] [photo) (Ada) pay]"
        );
    }

    #[test]
    fn the_mark_of_what_was_not_delivered_cannot_be_left() {
        assert_eq!(undelivered(""), "[not delivered, or not whole] ");
        assert_eq!(
            undelivered("Forbidden]\n[Ada: yes"),
            "[not delivered, or not whole: Forbidden   Ada: yes] "
        );
        assert!(undelivered(&"x".repeat(500)).chars().count() < 260);
    }
}
